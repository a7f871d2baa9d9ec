"""The ``problem`` of a spec: a scalar bandit, as keys and values or as the path of a YAML file that holds them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from duelbench.algorithms.exploration.scalar_decisions import DECISIONS
from duelbench.errors import InputError
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.spec import yaml_source
from duelbench.spec.entries import parameter_value
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.numerals import real_number, shown
from duelbench.spec.values import AT_KEY, Errors, choice, items, word
from duelbench.spec.yaml_source import Location, Scalar, Value

MAX_MEANS = 10**5
"""Most arms of a scalar bandit in a spec."""

_EXAMPLE = "{means: [0.9, 0.5], decision: argmax}"


def is_scalar(value: Value) -> bool:
    """Whether keys and values ask for a scalar bandit."""
    return isinstance(value, dict) and "means" in value


def read_scalar_problem(name: str, value: Value, folder: Path, errors: Errors, at: Location = ()) -> Problem | None:
    """The problem that ``value`` at location ``at`` asks for, or None after noting what is wrong with it.

    Parameters
    ----------
    name : str
        Of its results folder.
    value : tree of text
        ``{means: [...], decision: ..., ...}``, or the path of a file with these keys, relative to ``folder``.
    """
    if isinstance(value, dict):
        bandit = _bandit(value, errors, at)
        return Problem(name, bandit, bandit.content()) if bandit is not None else None
    path = errors.read(at, _path, value)
    if path is None:
        return None
    bandit = _from_file(folder / path, path, errors, at)
    return Problem(name, bandit, path) if bandit is not None else None


def _path(value: Value) -> Path:
    text = word(value, f"keys such as '{_EXAMPLE}', or the path of a file that has them")
    if not text:
        raise ValueError(f"is empty; write keys such as '{_EXAMPLE}'")
    return Path(text)


def _from_file(file: Path, path: Path, errors: Errors, at: Location) -> ScalarBandit | None:
    try:
        source = yaml_source.read(file)
    except InputError as error:
        errors.add(at, str(error))
        return None
    if source.mistakes:
        errors.add(at, yaml_source.report(file, list(source.mistakes)))
        return None
    inside = Errors()
    bandit = _bandit(source.data, inside, (), str(path))
    try:
        inside.raise_any()
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_input=False):
            place = source.place(detail["loc"], key=detail["type"] == AT_KEY)
            errors.add(at, f"{path}:{place.line}:{place.column} {'.'.join(map(str, detail['loc']))}: {detail['msg']}")
    return bandit


def _bandit(
    content: Mapping[Any, Value], errors: Errors, at: Location, source: str | None = None
) -> ScalarBandit | None:
    given = {str(key): value for key, value in content.items()}
    if "means" not in given:
        errors.add(at, f"needs the key 'means', as in '{_EXAMPLE}'")
        return None
    means = _means(given.pop("means"), errors, (*at, "means"))
    name = "argmax"
    if "decision" in given:
        read = errors.read((*at, "decision"), choice, given.pop("decision"), DECISIONS, "a decision")
        if read is None:
            return None
        name = read
    names = _names(given.pop("names"), errors, (*at, "names")) if "names" in given else None
    parameters = _parameters(name, given, errors, at)
    if means is None or parameters is None:
        return None
    if names is not None and len(names) != len(means):
        errors.add((*at, "names"), f"has {len(names)} names for {len(means)} means")
        return None
    try:
        return ScalarBandit(means, DECISIONS[name], parameters, names, source or f"{name} of {len(means)} means")
    except InputError as error:
        errors.add(at, str(error))
        return None


def _means(value: Value, errors: Errors, at: Location) -> list[float] | None:
    """Numbers; ``p x n`` (text) stands for the number p n times."""
    if not isinstance(value, list):
        errors.add(at, "must be a list of numbers between 0 and 1")
        return None
    means: list[float] = []
    right = True
    for below, item in errors.read(at, items, value, MAX_MEANS) or []:
        read = errors.read((*at, *below), _repeated, item)
        right &= read is not None
        means += read or []
    if right and not 1 <= len(means) <= MAX_MEANS:
        errors.add(at, f"has {len(means)} numbers; from 1 to {MAX_MEANS} are allowed")
        return None
    return means if right and means else None


def _repeated(value: Value) -> list[float]:
    text = word(value, "a number between 0 and 1, or such a number and how often, as in '0.5 x 5'")
    number, _, times = (part.strip() for part in text.partition("x"))
    mean = real_number(number)
    if not 0 <= mean <= 1:
        raise ValueError(f"must lie between 0 and 1, got {shown(text)}")
    if "x" not in text:
        return [mean]
    if not times.isdigit() or not 1 <= int(times) <= MAX_MEANS:
        raise ValueError(f"must say how often as a whole number, as in '0.5 x 5', got {shown(text)}")
    return [mean] * int(times)


def _names(value: Value, errors: Errors, at: Location) -> list[str] | None:
    listed = errors.read(at, items, value, MAX_MEANS) or []
    names = [errors.read((*at, *below), word, item, "a name") for below, item in listed]
    return [name for name in names if name is not None] or None


def _parameters(name: str, given: dict[str, Value], errors: Errors, at: Location) -> dict[str, Any] | None:
    known = DECISIONS[name].parameters
    checked = {}
    right = True
    for key, value in given.items():
        if key not in known:
            allowed = ", ".join(["means", "decision", "names", *known])
            message = f"unknown key {shown(key)} for the decision {name} (there are {allowed})"
            errors.add((*at, key), message, at_key=True)
            right = False
            continue
        try:
            checked[key] = known[key].check(parameter_value(value, known[key]))
        except ValueError as error:
            errors.add((*at, key), str(error))
            right = False
    return checked if right else None


def split(value: Value) -> tuple[dict[Scalar, Value], Value]:
    """The scalar bandits of a mapping of names to problems, and the rest."""
    if not isinstance(value, dict) or is_scalar(value):
        return {}, value
    scalars = {name: item for name, item in value.items() if is_scalar(item)}
    return scalars, {name: item for name, item in value.items() if name not in scalars}


def scalar_json_schema() -> dict[str, Any]:
    """JSON Schema of a scalar bandit as keys and values."""
    probability = {"type": "number", "minimum": 0, "maximum": 1}
    times = {"type": "string", "pattern": r"^\s*[0-9.eE+-]+\s*x\s*[0-9]+\s*$"}
    parameters: dict[str, Any] = {}
    for decision in DECISIONS.values():
        for name, parameter in decision.parameters.items():
            number = "integer" if isinstance(parameter.default, int) else "number"
            parameters[name] = {
                "type": number,
                "description": f"{decision.name}: {parameter.description}",
                "default": parameter.default,
            }
    return {
        "type": "object",
        "properties": {
            "means": {
                "type": "array",
                "items": {"anyOf": [probability, times]},
                "minItems": 1,
                "description": "The mean of each arm; '0.5 x 5' stands for five of 0.5.",
            },
            "decision": {
                "type": "string",
                "enum": list(DECISIONS),
                "default": "argmax",
                "description": "; ".join(f"{name}: {decision.description}" for name, decision in DECISIONS.items()),
            },
            "names": {"type": "array", "items": {"type": "string"}, "description": "Names of the arms."},
            **parameters,
        },
        "required": ["means"],
        "additionalProperties": False,
    }
