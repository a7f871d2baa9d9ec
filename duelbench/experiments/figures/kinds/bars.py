"""Bars: the spread, or the mean, of regret at the horizon, problems next to each other."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from duelbench.errors import IncompleteResults, InputError, nearest_or_all
from duelbench.experiments.figures.drawing.bars import Bar, draw_bars
from duelbench.experiments.figures.drawing.names import regret_name, unit
from duelbench.experiments.figures.numbers import joined, rows_of
from duelbench.experiments.figures.options import KindOptions, RegretEnds, Scale, Where
from duelbench.experiments.figures.scene import Scene, labels_with_runs, missing_of, runs_in_words
from duelbench.experiments.figures.source import Source
from duelbench.experiments.results.samples import samples

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

TITLE = "regret at the horizon"

MOST_PROBLEMS = 20
"""Groups of bars that can be told apart."""


class Options(KindOptions):
    """The spread, or the mean, of regret at the horizon as bars, problems next to each other."""

    kind: Literal["bars"] = "bars"
    y: RegretEnds = None
    y_scale: Scale = "linear"
    statistic: Literal["std", "mean"] = Field(
        "std", description="The height of a bar: the standard deviation or the mean of regret at the horizon."
    )
    normalise_to: str | None = Field(
        None, min_length=1, description="Label of the algorithm whose mean regret is 1 on the axis."
    )

    def misfits(self, spec: Mapping[str, Any]) -> Iterator[tuple[Where, str]]:
        yield from super().misfits(spec)
        labels = spec.get("labels")
        if labels and self.normalise_to is not None and self.normalise_to not in labels:
            hint = nearest_or_all(self.normalise_to, labels)
            yield ("normalise_to",), f"{self.normalise_to!r} is not the label of an algorithm{hint}"


def numbers(source: Source, options: Options) -> "DataFrame":
    """A row for each bar: ``value``, the statistic; ``reference``, 1 or the mean it is divided by; ``height``."""
    experiment, label = source.experiment, options.normalise_to
    horizon = experiment.results.spec["horizon"]
    at_horizon = [sample for sample in samples(experiment, "matrix") if sample.stored.horizon == horizon]
    if len({sample.problem for sample in at_horizon}) > MOST_PROBLEMS:
        raise InputError(f"{experiment.name}: more than {MOST_PROBLEMS} problems make bars too thin; draw another kind")
    ends = {id(sample): sample.regret(source.which)[:, -1] for sample in at_horizon if sample.runs}
    means = {(sample.problem, sample.key[1]): float(ends[id(sample)].mean()) for sample in at_horizon if sample.runs}
    parts = []
    for sample in at_horizon:
        if not sample.runs:
            parts.append(rows_of(sample, {}))
            continue
        regret = ends[id(sample)]
        if label is not None and (sample.problem, label) not in means:
            where = f"{label} on {sample.problem}"
            raise IncompleteResults(f"{experiment.name}: no run of {where}, which bars are relative to")
        if options.statistic == "std" and len(regret) < 2:
            raise IncompleteResults(f"{experiment.name}: a standard deviation needs at least 2 runs")
        value = float(regret.std(ddof=1) if options.statistic == "std" else regret.mean())
        reference = 1.0 if label is None else means[sample.problem, label]
        columns = {
            "statistic": options.statistic,
            "value": value,
            "normalised_to": label,
            "reference": reference,
            "height": value / reference if reference else 0.0,
        }
        parts.append(rows_of(sample, columns))
    return joined(parts)


def draw(numbers: "DataFrame", options: Options, scene: Scene) -> "Figure":
    """One panel with a group of bars for each problem."""
    statistic = "standard deviation" if options.statistic == "std" else "mean"
    relative = f", over the mean of {options.normalise_to}" if options.normalise_to else f" ({unit(scene.regret)})"
    name = f"{statistic} of {regret_name(scene.regret)} at the horizon{relative}"
    labels = labels_with_runs(numbers)
    bars = [
        Bar("", row.problem, labels[row.algorithm, row.label], scene.style_of(row).colour, row.height)
        for row in numbers.itertuples()
    ]
    warning = "\n".join(filter(None, (missing_of(numbers), scene.stamp)))
    return draw_bars(bars, name, runs_in_words(numbers), options, scene, warning)
