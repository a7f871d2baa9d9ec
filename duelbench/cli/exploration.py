"""``duelbench plot --exploration``: accuracy, regret and what is still explored."""

from collections.abc import Sequence
from pathlib import Path

from duelbench.errors import InputError


def draw(
    results: Sequence[Path],
    output: Path | None,
    beside: str | None,
    first_round: int,
    ymax: float | None,
    allow_partial: bool,
) -> None:
    """Draw each experiment of ``results`` and write its files.

    Raises
    ------
    InputError, IncompleteResults
        As `duelbench.cli.plot`.
    """
    from duelbench.cli.plot import forms_of, write_files
    from duelbench.experiment.manifest import find_experiments, open_results
    from duelbench.figures.drawing import render
    from duelbench.figures.exploration_figure import (
        exploration_figure,
        plotted_numbers,
        read_explorers,
        read_published,
    )
    from duelbench.version import VERSION

    folders = [folder for path in results for folder in find_experiments(path)]
    if output is not None and len(folders) > 1:
        raise InputError("--output: a figure of exploration shows one experiment; name one results folder")
    published = read_published(*_file_and_figure(beside)) if beside is not None else None
    files = {}
    for folder in folders:
        experiment = open_results(folder)
        explorers = read_explorers(experiment, allow_partial)
        title = experiment.spec.get("title") or experiment.name
        provenance = {
            "title": title,
            "description": f"Exploration: accuracy, {experiment.spec['regret'][0]} regret and explored parameters of "
            f"{experiment.name}; figure by duelbench {VERSION}",
        }
        base = output or folder / f"{experiment.name}-exploration.png"
        forms = forms_of(output)
        figure = exploration_figure(explorers, title, first_round, published, ymax)
        for form in forms:
            if form != "csv":
                files[base.with_suffix(f".{form}")] = render(figure, form, provenance)
        files[base.with_suffix(".csv")] = plotted_numbers(explorers, published).encode()
    write_files(files)


def _file_and_figure(text: str) -> tuple[Path, str]:
    """``FILE:FIGURE``."""
    path, colon, figure = text.rpartition(":")
    if not colon or not path or not figure:
        raise InputError(f"--beside {text}: write FILE:FIGURE, as in curves.csv:fig4")
    return Path(path), figure
