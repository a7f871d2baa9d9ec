"""``duelbench plot --exploration``: accuracy, regret and what is still explored."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from duelbench.api.drawing import Asked, Drawing
from duelbench.errors import IncompleteResults, InputError
from duelbench.execution.progress import Waiting
from duelbench.figures.content.explorers import Published, read_explorers, read_published
from duelbench.figures.content.labelled import labelled
from duelbench.figures.drawing.exploration_figure import exploration_figure, plotted_numbers
from duelbench.figures.frame import Frame
from duelbench.figures.options import options_of
from duelbench.figures.picture import FIRST_ROUND
from duelbench.results.experiments import Incomplete, check_recorded, code_notes
from duelbench.results.manifest import Results
from duelbench.version import VERSION

BANDS = ("ci95", "none")
"""The bands that such a figure can have."""


def exploration_drawings(
    opened: Sequence[Results], incomplete: Incomplete, asked: Asked, waiting: Waiting, notes: list[str]
) -> Iterator[Drawing]:
    """The figure of each experiment; see `duelbench.api.plotting.drawings`.

    Raises
    ------
    InputError
        When an option asks for what such a figure cannot show, or no algorithm of any experiment says what it explores.
    """
    if asked.output is not None and len(opened) > 1:
        raise InputError("--output: a figure of exploration shows one experiment; name one results folder")
    if asked.band is not None and asked.band not in BANDS:
        raise InputError(f"--band {asked.band}: a figure of exploration has the band {' or '.join(BANDS)}")
    published = read_published(*_file_and_figure(asked.beside)) if asked.beside is not None else None
    total = sum(cell.n_runs for results in opened for cell in results.cells)
    idle = []
    for results in opened:
        try:
            drawing = _drawing(results, asked, published, waiting, total)
        except IncompleteResults as error:
            incomplete.errors.append(str(error))
            continue
        if drawing is None:
            idle.append(f"--exploration: {results.folder} has no algorithm that says what it still explores")
        else:
            yield drawing
    if idle and len(idle) == len(opened):
        raise InputError("\n".join([*idle[:-1], f"{idle[-1]}; leave the option out to draw regret over time"]))
    notes += idle + code_notes(opened)


def _drawing(
    results: Results, asked: Asked, published: Published | None, waiting: Waiting, total: int
) -> Drawing | None:
    """The figure of an experiment; None where no algorithm of it says what it still explores."""
    recorded = results.spec["regret"]
    if asked.regret is not None:
        check_recorded(asked.regret, results.name, recorded)
    regret = asked.regret or recorded[0]
    band = asked.band or "ci95"
    explorers = read_explorers(results, asked.partial, regret, band, lambda: waiting.reading(total, results.name))
    if not any("explored" in explorer.mean for explorer in labelled(explorers, asked.only)):
        return None
    waiting.doing(f"drawing {results.name}")
    usual = results.spec.get("title") or results.name
    title = asked.title_of(usual)
    about = {
        "title": usual,
        "description": f"Exploration: accuracy, {regret} regret and explored parameters of {results.name}; "
        f"figure by duelbench {VERSION}",
    }
    first_round = asked.first_round or FIRST_ROUND
    return Drawing(
        asked.output or results.folder / f"{results.name}-exploration.png",
        lambda: exploration_figure(explorers, title, first_round, published, asked.ymax, asked.only, asked.log_regret),
        lambda: plotted_numbers(explorers, published, asked.only),
        about,
        asked.frame.over(_without_ends(options_of(results.spec).frame)),
    )


def _without_ends(frame: Frame) -> Frame:
    """The frame of a spec, whose figure of another kind may have names at the ends of its lines."""
    return replace(frame, legend=None) if frame.legend == "ends" else frame


def _file_and_figure(text: str) -> tuple[Path, str]:
    """``FILE:FIGURE``."""
    path, colon, figure = text.rpartition(":")
    if not colon or not path or not figure:
        raise InputError(f"--beside {text}: write FILE:FIGURE, as in curves.csv:fig4")
    return Path(path), figure
