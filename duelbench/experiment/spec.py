"""The experiment that a YAML file asks for.

A spec names problems (preference matrices), a horizon, a number of runs and algorithms. `load` reads one and
either returns it complete and checked, or raises one error with everything that is wrong with it.
"""

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from duelbench.algorithms.contract import Algorithm
from duelbench.problem.preferences import PreferenceMatrix


@dataclass(frozen=True, eq=False)
class Problem:
    """A preference matrix under the name of its results folder.

    Attributes
    ----------
    name : str
        Empty for the one matrix of a spec with ``matrix:``, whose results lie in the experiment's own folder.
    matrix : PreferenceMatrix
        ``matrix.source`` is the file it came from, as it can be opened.
    path : Path
        As it stands in the spec, relative to the spec's folder.
    """

    name: str
    matrix: PreferenceMatrix
    path: Path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[str, Path, str, tuple[str, ...]]:
        return self.name, self.path, self.matrix.sha256, self.matrix.names


@dataclass(frozen=True)
class Entry:
    """One curve of an experiment: an algorithm with its parameters.

    Attributes
    ----------
    algorithm : Algorithm
    parameters : dict
        All of the algorithm's parameters, the defaults too.
    label : str
        For legends; different in every entry of a spec.
    slug : str
        The results folder, different in every entry; see `duelbench.experiment.naming.slug`.
    horizons : tuple of int
        Increasing. The algorithm is run once for each of them; more than one makes sense where it uses the
        horizon.
    """

    algorithm: Algorithm
    parameters: dict[str, Any]
    label: str
    slug: str
    horizons: tuple[int, ...]


@dataclass(frozen=True)
class ExperimentSpec:
    """A checked spec, with every default filled in.

    Attributes
    ----------
    name : str
        The folder under ``results``.
    title : str
    problems : tuple of Problem
        At least one.
    horizon : int
        Rounds of a run.
    runs : int
        Runs of each algorithm on each problem, numbered from 0.
    seed : int
        0 <= seed < 2^128.
    shuffle_arms : bool
        Whether each run presents the arms in another order.
    feedback_delay : int
        Outcomes are delivered after every so many rounds.
    regret : tuple of str
        Regret definitions, the first one being the one that figures show.
    checkpoint_rule : int or tuple of int
        The number of log-spaced checkpoints, or the rounds themselves; `checkpoints` resolves it.
    bounds : tuple of str
        Lower bounds to draw.
    entries : tuple of Entry
        At least one.
    source : Path
        The file that the spec came from. Two specs can be equal from different files.
    """

    name: str
    title: str
    problems: tuple[Problem, ...]
    horizon: int
    runs: int
    seed: int
    shuffle_arms: bool
    feedback_delay: int
    regret: tuple[str, ...]
    checkpoint_rule: int | tuple[int, ...]
    bounds: tuple[str, ...]
    entries: tuple[Entry, ...]
    source: Path = field(compare=False)

    @cached_property
    def checkpoints(self) -> tuple[int, ...]:
        """The rounds (from 1) after which regret is recorded: increasing, the horizon last."""
        if isinstance(self.checkpoint_rule, tuple):
            return tuple(sorted({*self.checkpoint_rule, self.horizon}))
        from duelbench.simulation.trace import log_checkpoints

        return tuple(log_checkpoints(self.horizon, self.checkpoint_rule).tolist())

    def canonical(self) -> dict[str, Any]:
        """The spec with nothing left to defaults, in plain JSON types.

        Written as YAML or JSON beside the original file, it loads as an equal spec.
        """
        problems = {problem.name: problem.path.as_posix() for problem in self.problems}
        rule = self.checkpoint_rule
        return {
            "name": self.name,
            "title": self.title,
            **({"matrix": problems[""]} if "" in problems else {"problems": problems}),
            "horizon": self.horizon,
            "runs": self.runs,
            "seed": self.seed,
            "shuffle_arms": self.shuffle_arms,
            "feedback_delay": self.feedback_delay,
            "regret": list(self.regret),
            "checkpoints": list(rule) if isinstance(rule, tuple) else rule,
            "bounds": list(self.bounds),
            "algorithms": [
                {
                    entry.algorithm.id: {
                        **entry.parameters,
                        "label": entry.label,
                        "horizons": list(entry.horizons),
                    }
                }
                for entry in self.entries
            ],
        }


def load(path: str | os.PathLike[str]) -> ExperimentSpec:
    """Read and check a spec; nothing is written and nothing is run.

    Parameters
    ----------
    path : path
        A YAML file with the keys that `duelbench.experiment.document.Document` describes.

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
    # Here and not above: pydantic and the document's models need this module's classes.
    from duelbench.experiment.document import read_document

    document = read_document(Path(path))
    return ExperimentSpec(
        name=document.name,
        title=document.title or document.name,
        problems=document.matrix or document.problems,
        horizon=document.horizon,
        runs=document.runs,
        seed=document.seed,
        shuffle_arms=document.shuffle_arms,
        feedback_delay=document.feedback_delay,
        regret=document.regret,
        checkpoint_rule=document.checkpoints,
        bounds=document.bounds,
        entries=document.algorithms,
        source=Path(path),
    )
