"""The ``figure`` of a spec: what `duelbench plot` draws, and how. It has no part in what is run.

What is read is what the spec says, in plain JSON types; defaults are those of `duelbench.figures.options`.
"""

from collections.abc import Mapping
from typing import Any

from duelbench.errors import nearest_or_all
from duelbench.spec.kinds import LINE, REAL, TRUTH, Choice, Key, Keys, Parsed, Reading, Schema, Whole
from duelbench.spec.numerals import shown
from duelbench.spec.yaml_source import Value
from duelbench.statistics.curves import BANDS

KINDS: Mapping[str, str] = {
    "regret": "cumulative regret against log time, a panel per problem",
    "bars": "spread (or mean) of regret at the horizon as bars, problems side by side",
    "sweep": "regret at the horizon against what the spec sweeps over",
    "self-duels": "share of the Copeland winners in the self-duels of one run, as bars",
    "survival": "share of the runs with more than so much regret at the horizon, a panel per problem",
    "quantiles": "regret against log time as bands of the runs, a panel per algorithm and problem",
    "distribution": "regret at the horizon as the share of the runs up to each, or as boxes, a panel per problem",
    "accuracy": "share of the runs that recommend a winner against log time, a panel per problem",
    "relative": "regret over that of an algorithm or over a bound, against log time, a panel per problem",
    "duels": "mean number of duels of each pair of arms, a panel per algorithm and problem",
    "aggregate": "regret at the horizon on all problems together: interquartile mean, profile, improvement",
}

BOUNDS = ("copeland", "ecw", "condorcet")
"""Asymptotic bounds that a figure can show, kinds of `duelbench.problem.bounds`."""

FORMS = ("ecdf", "box")
"""How a distribution can be drawn."""


class _Ends(Parsed):
    """The two ends of an axis."""

    def parse(self, value: Value) -> list[float | int]:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError("must be the two ends of the axis, as in '[0, 500]'")
        low, high = (REAL.parse(item) for item in value)
        if low >= high:
            raise ValueError(f"must increase, but {high:g} stands after {low:g}")
        return [low, high]

    def json_schema(self) -> Schema:
        return {"type": "array", "items": REAL.json_schema(), "minItems": 2, "maxItems": 2}


_SCALE = Choice(("linear", "log"), "a scale of an axis")
_LINES = ("regret", "sweep")
_DISTRIBUTIONS = ("survival", "quantiles")
_CURVES = ("accuracy", "relative")
_WITHOUT_Y = ("distribution", "duels", "aggregate")
_LOGARITHMIC = (
    *(("x", "regret"), ("x", "quantiles"), ("y", "quantiles"), ("x", "survival"), ("y", "survival")),
    *(("x", "distribution"), ("x", "accuracy"), ("x", "relative")),
)
"""Axes that are so unless the figure says otherwise."""

_OPTIONS: Mapping[str, tuple[Key, tuple[str, ...]]] = {
    "kind": (
        Key(Choice(tuple(KINDS), "a kind of figure"), "; ".join(f"{name}: {said}" for name, said in KINDS.items())),
        tuple(KINDS),
    ),
    "x": (
        Key(_Ends(), "Ends of the axis of time, of what is swept over, or of x."),
        (*_LINES, *_DISTRIBUTIONS, *_CURVES, "distribution"),
    ),
    "y": (
        Key(_Ends(), "Ends of the upright axis; curves beyond leave it."),
        tuple(kind for kind in KINDS if kind not in _WITHOUT_Y),
    ),
    "x_scale": (
        Key(_SCALE, "How the axis of time, or of what is swept over, is divided."),
        (*_LINES, *_CURVES, "distribution"),
    ),
    "y_scale": (Key(_SCALE, "How the axis of regret is divided."), (*_LINES, "bars", "quantiles", "relative")),
    "band": (Key(Choice(tuple(BANDS), "a band"), "What the band around a mean is; as `plot --band`."), _LINES),
    "columns": (
        Key(Whole(1, 6, "panels"), "Panels in a row."),
        (*_LINES, "self-duels", *_DISTRIBUTIONS, *_CURVES, "distribution", "duels"),
    ),
    "pool": (Key(TRUTH, "One panel with the runs on all problems together."), ("regret",)),
    "statistic": (
        Key(Choice(("std", "mean"), "a statistic"), "The height of a bar: of regret at the horizon."),
        ("bars",),
    ),
    "normalise_to": (Key(LINE, "Label of the algorithm whose mean regret is 1 on the axis."), ("bars",)),
    "run": (Key(Whole(0, 10**6), "The run to show, from 0."), ("self-duels",)),
    "reference": (
        Key(LINE, "Label of the algorithm whose mean regret others are divided by."),
        ("relative", "aggregate"),
    ),
    "bound": (
        Key(Choice(BOUNDS, "a bound"), "The bound C ln t that regret is divided by; one of the spec's bounds."),
        ("relative",),
    ),
    "form": (
        Key(Choice(FORMS, "a form of distribution"), "Shares of the runs up to each regret, or boxes."),
        ("distribution",),
    ),
}
"""Option -> its key, and the kinds of figure that have it."""


class _Figure(Keys):
    """Options of a figure, whose kind is by default ``regret``, or ``sweep`` in a spec with a sweep."""

    def read(self, value: Value, at: Reading, into: dict[str, Any] | None = None) -> dict[str, Any] | None:
        said: dict[str, Any] | None = super().read(value, at, into)
        if said is None or not isinstance(value, dict):
            return None
        kind = said.get("kind", "sweep" if at.draft.has_sweep else "regret")
        if "kind" in value and "kind" not in said:
            kind = None  # wrong itself
        if kind == "sweep" and not at.draft.has_sweep:
            at.below("kind").note("needs the key 'sweep' in the spec")
        for name, (_, kinds) in _OPTIONS.items():
            if name in value and kind and kind not in kinds:
                at.below(name).note(f"is no option of the kind '{kind}', only of {', '.join(kinds)}", at_key=True)
        _check_content(said, at)
        for axis in ("x", "y"):
            usual = "log" if (axis, kind) in _LOGARITHMIC else "linear"
            if axis in said and said[axis][0] <= 0 and said.get(f"{axis}_scale", usual) == "log":
                at.below(axis).note(f"must begin above 0 on a logarithmic axis, not at {said[axis][0]:g}")
        return said


FIGURE = _Figure({name: key for name, (key, _) in _OPTIONS.items()}, "{kind: regret, y: [0, 500]}")


def _check_content(said: dict[str, Any], at: Reading) -> None:
    """Note a label that no algorithm has, and a run that is not played."""
    labels = list(dict.fromkeys(at.draft.labels)) if at.draft.names_all_algorithms else []
    runs = at.draft.keys.get("runs")
    beginnings = () if "algorithms" in at.draft.keys else tuple(f"{label} (" for label in labels)
    for key in ("normalise_to", "reference"):
        name = said.get(key)
        if labels and name is not None and name not in labels and not name.startswith(beginnings):
            at.below(key).note(f"{shown(name)} is no label of an algorithm{nearest_or_all(name, labels)}")
    if "reference" in said and "bound" in said:
        at.below("bound").note("cannot stand beside 'reference': regret is divided by one of them", at_key=True)
    elif "bound" in said and said["bound"] not in at.draft.keys.get("bounds", (said["bound"],)):
        at.below("bound").note(f"needs 'bounds: [{said['bound']}]' in the spec")
    if runs is not None and said.get("run", 0) >= runs:
        at.below("run").note(f"must be below the number of runs, {runs}, for runs are counted from 0")
