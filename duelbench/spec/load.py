"""Reads a spec: complete and checked, or one error with everything that is wrong with it."""

import os
from dataclasses import replace
from pathlib import Path

from duelbench.spec.document import read_document
from duelbench.spec.experiment_spec import ExperimentSpec


def load(path: str | os.PathLike[str], scale: str | None = None) -> ExperimentSpec:
    """Read and check a spec; nothing is written and nothing is run.

    Parameters
    ----------
    path : path
        A YAML file with the keys that `duelbench.spec.document.Document` describes.
    scale : str, optional
        One of the spec's ``scales``; by default the spec's own size.

    Raises
    ------
    InputError
        Listing every mistake as ``file:line:column message``, in the order of the file.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "two.csv").write_text("0.5,0.9\\n0.1,0.5\\n")
    >>> text = "matrix: two.csv\\nhorizon: 1e4\\nalgorithms: [rucb, random]\\n"
    >>> _ = (folder / "first.yaml").write_text(text)
    >>> spec = load(folder / "first.yaml")
    >>> spec.name, spec.horizon, spec.runs, [entry.label for entry in spec.entries]
    ('first', 10000, 100, ['RUCB', 'Random'])
    """
    document = read_document(Path(path), scale)
    sweep = document.sweep
    problems, entries = document.matrix or document.problem or document.problems, document.algorithms
    if sweep is not None:
        problems = sweep.problems or problems
        entries = tuple(replace(entry, horizons=(document.horizon,)) for entry in entries)
    return ExperimentSpec(
        name=document.name,
        title=_title(document.title, scale) or document.name,
        problems=problems,
        horizon=document.horizon,
        runs=document.runs,
        seed=document.seed,
        shuffle_arms=document.shuffle_arms,
        feedback_delay=document.feedback_delay,
        regret=document.regret,
        checkpoint_rule=document.checkpoints,
        bounds=document.bounds,
        entries=entries,
        source=Path(path),
        sweep=sweep,
        figure=document.figure,
    )


def _title(title: str, scale: str | None) -> str:
    """The title, which says so where the experiment is not of its own size."""
    return f"{title} ({scale})" if title and scale else title
