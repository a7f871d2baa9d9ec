"""``duelbench plot --exploration``: accuracy, regret and what is still explored."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.errors import IncompleteResults, InputError

if TYPE_CHECKING:
    from duelbench.cli.pictures import Asked, Drawn
    from duelbench.execution.progress import Waiting
    from duelbench.figures.content.explorers import Published
    from duelbench.results.experiments import Incomplete
    from duelbench.results.manifest import Results

BANDS = ("ci95", "none")
"""The bands that such a figure can have."""


def figures(
    opened: "Sequence[Results]", incomplete: "Incomplete", asked: "Asked", beside: str | None, waiting: "Waiting"
) -> "Drawn":
    """The figure of each experiment.

    Raises
    ------
    InputError
        When an option asks for what such a figure cannot show, or no algorithm of an experiment says what it explores.
    """
    from duelbench.cli.pictures import Drawn
    from duelbench.figures.content.explorers import read_published
    from duelbench.results.experiments import code_notes

    if asked.output is not None and len(opened) > 1:
        raise InputError("--output: a figure of exploration shows one experiment; name one results folder")
    if asked.band is not None and asked.band.value not in BANDS:
        raise InputError(f"--band {asked.band.value}: a figure of exploration has the band {' or '.join(BANDS)}")
    published = read_published(*_file_and_figure(beside)) if beside is not None else None
    total = sum(cell.n_runs for results in opened for cell in results.cells)
    files: dict[Path, bytes] = {}
    for results in opened:
        try:
            files.update(_files(results, asked, published, waiting, total))
        except IncompleteResults as error:
            incomplete.errors.append(str(error))
    return Drawn(files, code_notes(opened), incomplete)


def _files(
    results: "Results", asked: "Asked", published: "Published | None", waiting: "Waiting", total: int
) -> dict[Path, bytes]:
    """The files of an experiment's figure: path -> bytes."""
    from duelbench.figures.content.explorers import read_explorers
    from duelbench.figures.drawing.canvas import render
    from duelbench.figures.drawing.exploration_figure import exploration_figure, plotted_numbers, shown
    from duelbench.figures.picture import FIRST_ROUND
    from duelbench.results.experiments import check_recorded
    from duelbench.version import VERSION

    recorded = results.spec["regret"]
    if asked.regret is not None:
        check_recorded(asked.regret, results.name, recorded)
    regret = asked.regret or recorded[0]
    band = asked.band.value if asked.band else "ci95"
    explorers = read_explorers(results, asked.allow_partial, regret, band, lambda: waiting.reading(total, results.name))
    if not any("explored" in explorer.mean for explorer in shown(explorers, asked.only)):
        raise InputError(
            f"--exploration: {results.folder} has no algorithm that says what it still explores; leave the option out"
            " to draw regret over time"
        )
    waiting.doing(f"drawing {results.name}")
    title = results.spec.get("title") or results.name
    about = {
        "title": title,
        "description": f"Exploration: accuracy, {regret} regret and explored parameters of {results.name}; "
        f"figure by duelbench {VERSION}",
    }
    base = asked.output or results.folder / f"{results.name}-exploration.png"
    figure = exploration_figure(
        explorers, title, asked.first_round or FIRST_ROUND, published, asked.ymax, asked.only, asked.log_regret
    )
    files = {base.with_suffix(f".{form}"): render(figure, form, about) for form in asked.forms if form != "csv"}
    files[base.with_suffix(".csv")] = plotted_numbers(explorers, published, asked.only).encode()
    return files


def _file_and_figure(text: str) -> tuple[Path, str]:
    """``FILE:FIGURE``."""
    path, colon, figure = text.rpartition(":")
    if not colon or not path or not figure:
        raise InputError(f"--beside {text}: write FILE:FIGURE, as in curves.csv:fig4")
    return Path(path), figure
