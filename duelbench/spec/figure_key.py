"""The ``figure`` of a spec: what `duelbench plot` draws, and how. It has no part in what is run.

`read_figure` returns what the spec says in plain JSON types; defaults are those of `duelbench.figures.options`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from duelbench.errors import nearest
from duelbench.spec.numerals import Whole, real_number, shown
from duelbench.spec.values import Errors, choice, kind, line, one_or_more, truth, whole, word
from duelbench.spec.yaml_source import Value

KINDS: Mapping[str, str] = {
    "regret": "cumulative regret against log time, a panel per problem",
    "bars": "spread (or mean) of regret at the horizon as bars, problems side by side",
    "sweep": "regret at the horizon against what the spec sweeps over",
    "self-duels": "share of the Copeland winners in the self-duels of one run, as bars",
}

BANDS = ("ci95", "sem", "std", "iqr", "none", "range")
SCALES = ("linear", "log")
STATISTICS = ("std", "mean")

COLUMNS = Whole(1, 6, "panels")
RUN = Whole(0, 10**6)

_OF: Mapping[str, Sequence[str]] = {
    "kind": tuple(KINDS),
    "x": ("regret", "sweep"),
    "y": tuple(KINDS),
    "x_scale": ("regret", "sweep"),
    "y_scale": ("regret", "sweep", "bars"),
    "band": ("regret", "sweep"),
    "columns": ("regret", "sweep", "self-duels"),
    "pool": ("regret",),
    "statistic": ("bars",),
    "normalise_to": ("bars",),
    "run": ("self-duels",),
}
"""Option -> the kinds of figure that have it."""


def read_figure(value: Value, labels: Sequence[str] | None, has_sweep: bool, runs: int | None) -> dict[str, Any]:
    """The options that the spec gives, checked.

    Parameters
    ----------
    value : tree of text
    labels : sequence of str, optional
        Of the algorithms, where they are known.
    has_sweep : bool
        Whether the spec sweeps over something; its figure is then of the kind ``sweep`` unless it says otherwise.
    runs : int, optional

    Raises
    ------
    ValueError, pydantic.ValidationError
        With every mistake in it.
    """
    if not isinstance(value, dict):
        raise ValueError(f"must be keys, as in '{{kind: regret, y: [0, 500]}}', not {kind(value)}")
    errors = Errors()
    content = {str(key): item for key, item in value.items()}
    drawn = "sweep" if has_sweep else "regret"
    if "kind" in content:
        asked = errors.read(("kind",), choice, content["kind"], KINDS, "a kind of figure")
        errors.raise_any()
        assert asked is not None
        drawn = asked
    if drawn == "sweep" and not has_sweep:
        errors.add(("kind",), "needs the key 'sweep' in the spec")
    checked: dict[str, Any] = {}
    for key, item in content.items():
        if key not in _OF:
            hint = nearest(key, _OF) or f" (there are {', '.join(_OF)})"
            errors.add((key,), f"unknown key {shown(key)}{hint}", at_key=True)
        elif drawn not in _OF[key]:
            errors.add((key,), f"is no option of the kind '{drawn}', only of {', '.join(_OF[key])}", at_key=True)
        else:
            checked[key] = errors.read((key,), _READERS[key], item)
    if labels and checked.get("normalise_to") not in (None, *labels):
        name = checked["normalise_to"]
        errors.add(("normalise_to",), f"{shown(name)} is no label of an algorithm{_near(name, labels)}")
    if runs is not None and (checked.get("run") or 0) >= runs:
        errors.add(("run",), f"must be below the number of runs, {runs}, for runs are counted from 0")
    for axis in ("x", "y"):
        usual = "log" if (axis, drawn) == ("x", "regret") else "linear"
        ends = checked.get(axis)
        if ends and ends[0] <= 0 and checked.get(f"{axis}_scale", usual) == "log":
            errors.add((axis,), f"must begin above 0 on a logarithmic axis, not at {ends[0]:g}")
    errors.raise_any()
    return checked


def _near(name: str, labels: Sequence[str]) -> str:
    return nearest(name, labels) or f" (there are {', '.join(labels)})"


def _limits(value: Value) -> list[float | int]:
    """The two ends of an axis."""
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError("must be the two ends of the axis, as in '[0, 500]'")
    low, high = (real_number(word(item, "a number")) for item in value)
    if low >= high:
        raise ValueError(f"must increase, but {high:g} stands after {low:g}")
    return [low, high]


def _choice_of(known: Sequence[str], wanted: str) -> Callable[[Value], str]:
    return lambda value: choice(value, known, wanted)


_READERS: Mapping[str, Callable[[Value], Any]] = {
    "kind": _choice_of(tuple(KINDS), "a kind of figure"),
    "x": _limits,
    "y": _limits,
    "x_scale": _choice_of(SCALES, "a scale of an axis"),
    "y_scale": _choice_of(SCALES, "a scale of an axis"),
    "band": _choice_of(BANDS, "a band"),
    "columns": lambda value: whole(value, COLUMNS),
    "pool": truth,
    "statistic": _choice_of(STATISTICS, "a statistic"),
    "normalise_to": line,
    "run": lambda value: whole(value, RUN),
}


def figure_json_schema() -> dict[str, Any]:
    """JSON Schema of what `read_figure` accepts, as far as it does not depend on other keys."""
    limits = one_or_more({"type": "number"}, 2)["anyOf"][1] | {"maxItems": 2}
    kinds = "; ".join(f"{name}: {said}" for name, said in KINDS.items())
    return {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": list(KINDS), "description": kinds},
            "x": {**limits, "description": "Ends of the time axis, or of what is swept over."},
            "y": {**limits, "description": "Ends of the regret axis; curves beyond leave it."},
            "x_scale": {"enum": list(SCALES)},
            "y_scale": {"enum": list(SCALES)},
            "band": {"enum": list(BANDS), "description": "What the band around a mean is; as `plot --band`."},
            "columns": {**COLUMNS.json_schema(), "description": "Panels in a row."},
            "pool": {"type": "boolean", "description": "One panel with the runs on all problems together."},
            "statistic": {"enum": list(STATISTICS), "description": "The height of a bar: of regret at the horizon."},
            "normalise_to": {
                "type": ["string", "number"],
                "description": "Label of the algorithm whose mean regret is 1 on the axis.",
            },
            "run": {**RUN.json_schema(), "description": "The run to show, from 0."},
        },
        "additionalProperties": False,
    }
