"""The ``scales`` of a spec: sizes of the same experiment, such as one that takes minutes beside the paper's own.

A scale replaces keys of the spec as a whole. `scaled` does so to the tree of text, before anything is read, and takes
the places along: a mistake inside a scale is reported where it stands in the file. The ends of axes in the spec's
``figure`` are those of the full size: at a scale without a ``figure`` of its own the axes fit the data.
"""

from collections.abc import Collection, Iterator
from typing import Any

from duelbench.errors import nearest
from duelbench.spec.naming import FOLDER_NAME, MAX_LENGTH, folder_name
from duelbench.spec.numerals import shown
from duelbench.spec.values import Errors, kind, word
from duelbench.spec.yaml_source import Location, Place, Scalar, Source, Value

KEY = "scales"

FIXED = ("name", KEY)
"""Keys that a scale cannot replace."""

ENDS_OF_AXES = ("x", "y")
"""Options of ``figure`` that are of no use at another size."""

MAX_SCALES = 20


def read_scales(value: Value, keys: Collection[str]) -> tuple[str, ...]:
    """The names of the scales; of what they replace only the keys are looked at.

    Parameters
    ----------
    value : tree of text
        Names -> keys of a spec with their values.
    keys : collection of str
        The keys of a spec.

    Raises
    ------
    ValueError, pydantic.ValidationError
        With every mistake in it.
    """
    if not isinstance(value, dict) or not value:
        raise ValueError(
            f"must be names of scales with keys to replace, as in 'quick: {{runs: 5}}', not {_said(value)}"
        )
    if len(value) > MAX_SCALES:
        raise ValueError(f"lists {len(value)}, but at most {MAX_SCALES} are allowed")
    errors = Errors()
    for name, content in value.items():
        errors.read((name,), _name, name, at_key=True)
        if not isinstance(content, dict) or not content:
            errors.add((name,), f"must be keys to replace, as in '{{runs: 5}}', not {_said(content)}")
            continue
        for key in content:
            if key in FIXED:
                errors.add((name, key), f"the key '{key}' is the same at every scale; remove it", at_key=True)
            elif key not in keys:
                hint = nearest(key, keys) or f" (there are {', '.join(k for k in keys if k not in FIXED)})"
                errors.add((name, key), f"unknown key {shown(key)}{hint}", at_key=True)
    errors.raise_any()
    return tuple(str(name) for name in value)


def _said(value: Value) -> str:
    return "empty" if not value else kind(value)


def _name(key: Value) -> str:
    return folder_name(word(key, "a name"))


def names(source: Source) -> list[str]:
    """The names of the scales in a file that may have mistakes."""
    content = source.data.get(Scalar(KEY))
    return [str(name) for name, keys in content.items() if isinstance(keys, dict)] if isinstance(content, dict) else []


def scaled(source: Source, name: str) -> Source:
    """The file as if the keys of one of its scales stood at the top, and no scales below them.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> from duelbench.spec.yaml_source import read
    >>> path = Path(tempfile.mkdtemp()) / "spec.yaml"
    >>> _ = path.write_text("horizon: 1e6\\nruns: 100\\nscales:\\n  quick: {runs: 5}\\n")
    >>> quick = scaled(read(path), "quick")
    >>> quick.data, quick.place(("runs",))
    ({'horizon': '1e6', 'runs': '5'}, Place(line=4, column=17))
    """
    content = source.data[Scalar(KEY)]
    assert isinstance(content, dict)
    changed = content[Scalar(name)]
    assert isinstance(changed, dict)
    # `matrix` and `problems` stand for each other.
    hidden = {KEY, *changed} | ({"matrix", "problems"} if {"matrix", "problems"} & {*changed} else set())
    kept = {key: _without_ends(value) if key == "figure" else value for key, value in source.data.items()}
    return Source(
        source.path,
        {**{key: value for key, value in kept.items() if key not in hidden}, **changed},
        source.mistakes,
        {(): source.values[()], **dict(_moved(source.values, name, hidden))},
        dict(_moved(source.keys, name, hidden)),
    )


def _without_ends(figure: Value) -> Value:
    """The ``figure`` of a spec without the ends of its axes."""
    if not isinstance(figure, dict):
        return figure
    return {key: value for key, value in figure.items() if str(key) not in ENDS_OF_AXES}


def _moved(places: dict[Location, Place], name: str, hidden: set[Any]) -> Iterator[tuple[Location, Place]]:
    """Places outside of the scales, and those in the scale at the top."""
    for location, place in places.items():
        if location and location[0] not in hidden:
            yield location, place
        elif location[:2] == (KEY, name) and len(location) > 2:
            yield location[2:], place


def scaled_name(name: str, scale: str) -> str:
    """The folder of the results at a scale, so that scales never mix.

    Raises
    ------
    ValueError
        When it is too long for a folder.

    Examples
    --------
    >>> scaled_name("wu2016-4c", "quick")
    'wu2016-4c-quick'
    """
    both = f"{name}-{scale}"
    if len(both) > MAX_LENGTH:
        raise ValueError(f"with the name of the experiment it makes '{both}', longer than {MAX_LENGTH} characters")
    return both


def scales_json_schema(keys: Collection[str]) -> dict[str, Any]:
    """JSON Schema of what `read_scales` accepts, with references to the keys at the top."""
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH},
        "additionalProperties": {
            "type": "object",
            "properties": {key: {"$ref": f"#/properties/{key}"} for key in keys if key not in FIXED},
            "additionalProperties": False,
            "minProperties": 1,
        },
        "minProperties": 1,
        "maxProperties": MAX_SCALES,
    }
