"""Bars: the self-duels of the Copeland winners, and of all other arms together, in one run of every algorithm."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from duelbench.experiments.figures.drawing.bars import Bar, draw_bars
from duelbench.experiments.figures.drawing.style import COLOURS
from duelbench.experiments.figures.options import Columns, KindOptions, RegretEnds, Where, Whole
from duelbench.experiments.figures.scene import Scene
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.experiments import winners_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "self-duels of the Copeland winners in one run"

_OTHERS = "others"
_HUES = ("blue", "orange", "green", "pink", "sky", "vermilion", "olive", "indigo")


class Options(KindOptions):
    """The share of each Copeland winner in the self-duels of one run, as bars."""

    kind: Literal["self-duels"] = "self-duels"
    y: RegretEnds = None
    columns: Columns | None = None
    run: Whole = Field(0, ge=0, le=10**6, description="The run to show, from 0.")

    def misfits(self, spec: Mapping[str, Any]) -> Iterator[tuple[Where, str]]:
        yield from super().misfits(spec)
        n_runs = spec.get("runs")
        if isinstance(n_runs, int) and self.run >= n_runs:
            yield ("run",), f"must be below the number of runs, {n_runs}, because runs are counted from 0"


def numbers(source: Source, options: Options) -> "DataFrame":
    """A row for each Copeland winner, and one for all other arms, of every algorithm and problem."""
    import pandas

    experiment, rows = source.experiment, []
    for cell in experiment.cells:
        stored = cell.stored
        if stored.horizon != experiment.results.spec["horizon"]:
            continue
        counts = np.diag(stored.read(options.run).trace.duels)
        total = int(counts.sum())
        by_arm = {stored.matrix.names[arm]: int(counts[arm]) for arm in winners_of("copeland", stored).tolist()}
        by_arm[_OTHERS] = total - sum(by_arm.values())
        names = {"problem": stored.problem, "algorithm": stored.algorithm, "label": stored.label, "run": options.run}
        for arm, count in by_arm.items():
            share = count / total if total else float("nan")
            rows.append({**names, "arm": arm, "self_duels": count, "all_self_duels": total, "share": share})
    return pandas.DataFrame(rows)


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """A panel for each problem, with a group of bars for each algorithm."""
    arms = [arm for arm in numbers["arm"].unique() if arm != _OTHERS]
    colours = {arm: COLOURS[_HUES[k % len(_HUES)]] for k, arm in enumerate(arms)} | {_OTHERS: COLOURS["grey"]}
    names = {arm: f"arm {arm}" if arm.isdecimal() else arm for arm in arms} | {_OTHERS: "all other arms"}
    bars = [Bar(row.problem, row.label, names[row.arm], colours[row.arm], row.share) for row in numbers.itertuples()]
    counted = " (arms from 0)" if any(arm.isdecimal() for arm in arms) else ""
    caption = f"run {options.run}, Copeland winners{counted}"
    return draw_bars(bars, "share of the self-duels", caption, options, scene, scene.stamp, list(names.values()))
