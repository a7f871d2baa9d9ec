"""The options of a figure, declared once: for the ``figure`` of a spec, `duelbench plot` and `duelbench.plot`.

What is read is what was written, in plain JSON types; defaults are those of `duelbench.figures.options`.
"""

import re
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any

from duelbench.errors import InputError, nearest_or_all
from duelbench.spec.keys import Key, Keys
from duelbench.spec.kinds import LINE, REAL, ROUNDS, TRUTH, choice, several, whole
from duelbench.spec.numerals import shown
from duelbench.spec.reading import Kind, Parsed, Reading, word
from duelbench.spec.yaml_source import Scalar, Value
from duelbench.statistics.curves import BANDS
from duelbench.statistics.interim import Until

KINDS: Mapping[str, str] = {
    "regret": "cumulative regret against log time, a panel per problem",
    "bars": "spread (or mean) of regret at the horizon as bars, problems side by side",
    "sweep": "regret at the horizon against what the spec sweeps over",
    "self-duels": "share of the Copeland winners in the self-duels of one run, as bars",
    "survival": "share of the runs above each regret at the horizon, a panel per problem",
    "quantiles": "regret against log time as bands of the runs, a panel per algorithm and problem",
    "distribution": "regret at the horizon as the share of the runs up to each, or as boxes, a panel per problem",
    "accuracy": "share of the runs that recommend a winner against log time, a panel per problem",
    "duels": "mean number of duels of each pair of arms, a panel per algorithm and problem",
    "exploration": "accuracy, regret and what is still explored against log time, a column per problem",
    "waiting": "identification: share of the runs without an answer against log time, a panel per problem",
    "error": "identification: share of the runs whose recommended arm is wrong against log time, a panel per problem",
}


def usual_kind(has_sweep: bool, identifies: bool, has_budget: bool) -> str:
    """The kind of figure of a spec that does not say which.

    Examples
    --------
    >>> usual_kind(False, False, False), usual_kind(True, False, False), usual_kind(False, True, False)
    ('regret', 'sweep', 'waiting')
    """
    if has_sweep:
        return "sweep"
    if identifies:
        return "error" if has_budget else "waiting"
    return "regret"


STYLES: Mapping[str, str] = {
    "ieee": "a column of IEEE, 3.5 in wide, 8 pt, with serifs",
    "ieee-double": "both columns of IEEE, 7.16 in wide, 8 pt, with serifs",
    "neurips": "the text of NeurIPS, 5.5 in wide, 9 pt, with serifs",
    "slides": "a slide, 10 in wide and 5.6 in high, 18 pt",
}
LEGENDS: Mapping[str, str] = {
    "best": "inside the first panel, where it covers least",
    "right": "on the right of the panels",
    "below": "below the panels",
    "none": "nowhere, nor the caption",
}
PANELS: Mapping[str, str] = {
    "problem": "a panel per problem",
    "algorithm": "a panel per algorithm and problem, in which the other algorithms are thin and grey",
}
BOUNDS = ("copeland", "ecw", "condorcet")
"""Asymptotic bounds that a figure can show, kinds of `duelbench.problem.bounds`."""

_OF_ANSWERS = ("waiting", "error")
"""Kinds of figures for specs with the key ``identify``."""

_LOGARITHMIC = {
    "x": ["regret", "survival", "quantiles", "distribution", "accuracy", "error", "waiting"],
    "y": ["survival", "quantiles"],
}
"""Kinds of figures with these axes by default."""

_UNITS = {"in": 1.0, "cm": 2.54, "mm": 25.4, "pt": 72.27}  # to the inch
_LENGTH = r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(in|cm|mm|pt)\s*"
_SHORTEST, _LONGEST = 1.0, 40.0  # inches
_SMALLEST, _LARGEST = 4.0, 72.0  # points


def inches(text: str) -> float:
    """The inches of a length with its unit; a point is TeX's, of which an inch has 72.27.

    Raises
    ------
    ValueError
        When it is not a length, or not one that a figure can have.

    Examples
    --------
    >>> inches("3.25in"), inches("25.4 mm"), inches("252pt") == 252 / 72.27
    (3.25, 1.0, True)
    """
    found = re.fullmatch(_LENGTH, text)
    if not found:
        raise ValueError(f"must be a length with its unit ({', '.join(_UNITS)}), as in 3.25in or 8cm")
    length = float(found[1]) / _UNITS[found[2]]
    if not _SHORTEST <= length <= _LONGEST:
        raise ValueError(f"must be from {_SHORTEST:g} to {_LONGEST:g} inches, and is {length:.4g}")
    return length


def _length(value: Value) -> str:
    text = word(value, "a length with its unit, as in 3.25in")
    inches(text)
    return text


def _font_size(value: Value) -> float | int:
    size: float | int = REAL.parse(value)
    if not _SMALLEST <= size <= _LARGEST:
        raise ValueError(f"must be a number of points from {_SMALLEST:g} to {_LARGEST:g}")
    return size


def _ends(value: Value) -> list[float | int]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("must be the two ends of the axis, as in '[0, 500]'")
    low, high = (REAL.parse(item) for item in value)
    if low >= high:
        raise ValueError(f"must increase, but {high:g} stands after {low:g}")
    return [low, high]


def _positive(value: Value) -> float | int:
    number: float | int = REAL.parse(value)
    if number <= 0:
        raise ValueError(f"must be a positive number, got {number:g}")
    return number


def _title(value: Value) -> str | bool:
    return LINE.parse(value) if getattr(value, "truth", None) is not False else False


def _one_of(names: Mapping[str, str], wanted: str) -> Key:
    return Key(choice(tuple(names), wanted), "; ".join(f"{name}: {what}" for name, what in names.items()))


_LENGTHS = Parsed(_length, {"type": "string", "pattern": f"^{_LENGTH}$"})
_AXIS = Parsed(_ends, {**several(REAL.json_schema(), 2), "maxItems": 2})
_SCALE = choice(("linear", "log"), "a scale of an axis")

_OPTIONS: Mapping[str, Key] = {
    "kind": _one_of(KINDS, "a kind of figure"),
    "x": Key(_AXIS, "Ends of the axis of time, of what is swept over, or of x."),
    "y": Key(_AXIS, "Ends of the upright axis; curves beyond leave it."),
    "x_scale": Key(_SCALE, "How the axis of time, or of what is swept over, is divided."),
    "y_scale": Key(
        _SCALE,
        "How the axis of regret, or of errors, is divided; regret that spans a decade: log.",
    ),
    "band": Key(choice(tuple(BANDS), "a band"), "What the band around a mean is; as `plot --band`."),
    "columns": Key(whole(1, 6, "panels"), "Panels in a row."),
    "pool": Key(TRUTH, "One panel with the runs on all problems together."),
    "statistic": Key(choice(("std", "mean"), "a statistic"), "The height of a bar: of regret at the horizon."),
    "normalise_to": Key(LINE, "Label of the algorithm whose mean regret is 1 on the axis."),
    "run": Key(whole(0, 10**6), "The run to show, from 0."),
    "panels": _one_of(PANELS, "what a panel is for"),
    "single_runs": Key(whole(1, 10**6, "runs"), "How many single runs to draw as thin lines."),
    "style": _one_of(STYLES, "a style"),
    "width": Key(_LENGTHS, "Of the whole figure, as in 3.25in."),
    "height": Key(_LENGTHS, "Of the whole figure with its legend."),
    "font_size": Key(Parsed(_font_size, REAL.json_schema()), "Of the names of axes, in points."),
    "legend": _one_of(LEGENDS, "a place of a legend"),
    "greyscale": Key(TRUTH, "Whether curves and bars are grey."),
    "form": Key(choice(("ecdf", "box"), "a form of distribution"), "Shares of the runs up to each regret, or boxes."),
}
_OF_ONE_DRAWING: Mapping[str, Key] = {
    "first_round": Key(ROUNDS),
    "ymax": Key(Parsed(_positive, {})),
    "title": Key(Parsed(_title, {})),
    "together": Key(TRUTH),
}
"""Options that a spec does not have: where the time axis begins, the top of the axes of regret, published curves,
whether several experiments share one set of axes."""

_KINDS_WITH = {
    "x": "regret, sweep, survival, quantiles, accuracy, error, waiting, distribution",
    "y": ", ".join(kind for kind in KINDS if kind not in ("distribution", "duels", "exploration")),
    "x_scale": "regret, sweep, accuracy, error, distribution",
    "y_scale": "regret, sweep, bars, quantiles, error, exploration",
    "band": "regret, sweep, exploration",
    "columns": "regret, sweep, self-duels, survival, quantiles, accuracy, error, waiting, distribution, duels",
    "pool": "regret",
    "statistic": "bars",
    "normalise_to": "bars",
    "run": "self-duels",
    "panels": "regret",
    "single_runs": "regret",
    "form": "distribution",
    "first_round": "regret, quantiles, accuracy, error, exploration",
    "ymax": "regret, sweep, bars, self-duels, quantiles, exploration",
    "together": "regret",
}
"""Option -> the kinds of figure that have it, where not all do."""


def misplaced(options: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str]]:
    """The options that a kind of figure does not have, and those that exclude others, each with what is wrong."""
    for name, kinds in _KINDS_WITH.items():
        if name in options and kind not in kinds.split(", "):
            yield name, f"is not an option of the kind '{kind}', only of {kinds}"
    if kind == "exploration" and options.get("band", "none") not in ("ci95", "none"):
        yield "band", "of the kind 'exploration' must be ci95 or none"


def read_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a figure from a command or a program, read as in a spec; None means not given.

    Parameters
    ----------
    given : mapping
        Name of an option, of a spec's or of one drawing -> text, a number, a truth value, or a list of numbers. A
        length without a unit is in inches.

    Raises
    ------
    InputError
        Naming all wrong options.

    Examples
    --------
    >>> read_options({"width": 3.25, "columns": "2", "y": [0, 500], "kind": None})
    {'width': '3.25in', 'columns': 2, 'y': [0, 500]}
    """
    at = Reading()
    keys = Keys({**_OPTIONS, **_OF_ONE_DRAWING}, "", what="option of a figure")
    found = keys.read({Scalar(k): _as_written(k, v) for k, v in given.items() if v is not None}, at)
    if at.draft.noted:
        raise InputError("\n".join(f"{'.'.join(map(str, one.location))}: {one.message}" for one in at.draft.noted))
    return dict(found)


def _as_written(name: str, value: Any) -> Value:
    """A value as the text that it is in a spec."""
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        value = [part.strip() for part in value[1:-1].split(",")]
    if isinstance(value, (list, tuple)):
        return [Scalar(item) for item in value]
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    text = Scalar(f"{value}in" if is_number and name in ("width", "height") else value)
    text.truth = {"true": True, "yes": True, "false": False, "no": False}.get(text.lower())
    return text


_FIGURE_KEYS = Keys(_OPTIONS, "{kind: regret, y: [0, 500]}")


def _read_figure(value: Value, at: Reading) -> dict[str, Any]:
    """Options of a figure, whose kind is by default `usual_kind`."""
    options: dict[str, Any] = _FIGURE_KEYS.reader(value, at)
    assert isinstance(value, dict)
    keys, given = at.draft.keys, at.draft.given
    kind = options.get("kind", usual_kind("sweep" in given, "identify" in given, "budget" in given))
    if "kind" in _FIGURE_KEYS.meant_by(value) and "kind" not in options:
        kind = None  # wrong itself
    if kind == "sweep" and "sweep" not in given:
        at.below("kind").note("needs the key 'sweep' in the spec")
    if kind in _OF_ANSWERS and "identify" not in given:
        at.below("kind").note("needs the key 'identify' in the spec")
    for name, message in misplaced({**{str(key): None for key in value}, **options}, kind) if kind else ():
        at.below(name).note(message, at_key=True)
    labels = [entry.label for entry in keys.get("algorithms", ())]
    label = options.get("normalise_to")
    if labels and label is not None and label not in labels:
        at.below("normalise_to").note(f"{shown(label)} is not the label of an algorithm{nearest_or_all(label, labels)}")
    runs = keys.get("runs")
    n_runs = runs.least if isinstance(runs, Until) else runs
    if n_runs is not None and options.get("run", 0) >= n_runs:
        at.below("run").note(f"must be below the number of runs, {n_runs}, for runs are counted from 0")
    for axis, logarithmic in _LOGARITHMIC.items():
        usual = "log" if kind in logarithmic else "linear"
        if axis in options and options[axis][0] <= 0 and options.get(f"{axis}_scale", usual) == "log":
            at.below(axis).note(f"must begin above 0 on a logarithmic axis, not at {options[axis][0]:g}")
    return options


FIGURE = Kind(_read_figure, _FIGURE_KEYS.json_schema)
