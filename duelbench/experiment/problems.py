"""The ``matrix`` or ``problems`` of a spec: matrix files, each with the name of its results folder."""

from pathlib import Path
from typing import Any

from duelbench.errors import InputError
from duelbench.experiment.naming import FOLDER_NAME, MAX_LENGTH, folder_name
from duelbench.experiment.numerals import shown
from duelbench.experiment.spec import Problem
from duelbench.experiment.values import MAX_LISTED, Errors, items, one_or_more, word
from duelbench.experiment.yaml_source import Location, Scalar, Value
from duelbench.problem.preferences import PreferenceMatrix

_FORMS = "write the path of a matrix file, a list of paths, or a mapping of names to paths"


def read_problem(name: str, value: Value, folder: Path) -> Problem:
    """The problem of one path, relative to ``folder``.

    Raises
    ------
    ValueError
        When it is no path, or the matrix cannot be read or is not valid.
    """
    if isinstance(value, dict) and "family" in value:
        raise ValueError(f"matrices of a family cannot be asked for here yet; {_FORMS}")
    text = word(value, "the path of a matrix file")
    if not text:
        raise ValueError("is empty; write the path of a matrix file")
    path = Path(text)
    try:
        return Problem(name, PreferenceMatrix.load(folder / path), path)
    except InputError as error:
        raise ValueError(str(error)) from None


def read_problems(value: Value, folder: Path) -> tuple[tuple[Problem, ...], Errors]:
    """The problems of a path, a list of paths (named by their files) or a mapping of names to paths.

    Returns
    -------
    tuple of Problem
        Those that could be read.
    Errors
        What is wrong with the others.
    """
    errors = Errors()
    named_paths = _from_mapping(value, errors) if isinstance(value, dict) else _from_list(value, errors)
    names: set[str] = set()
    problems = []
    for location, name, path in named_paths:
        # Some file systems do not tell capital letters from small ones.
        if name.lower() in names:
            errors.add(location, f"the name {shown(name)} stands twice; give each matrix its own: 'name: path'")
        names.add(name.lower())
        try:
            problems.append(read_problem(name, path, folder))
        except ValueError as error:
            errors.add(location, str(error))
    return tuple(problems), errors


_NamedPath = tuple[Location, str, Value]


def _from_mapping(content: dict[Scalar, Value], errors: Errors) -> list[_NamedPath]:
    if "family" in content:
        errors.add((), f"matrices of a family cannot be asked for here yet; {_FORMS}")
        return []
    if not content:
        errors.add((), f"is empty; {_FORMS}")
    if len(content) > MAX_LISTED:
        errors.add((), f"lists {len(content)}, but at most {MAX_LISTED} are allowed")
        return []
    for name in content:
        errors.read((name,), _folder_name, name, at_key=True)
    return [((name,), str(name), path) for name, path in content.items()]


def _folder_name(key: Value) -> str:
    return folder_name(word(key, "a name"))


def _from_list(value: Value, errors: Errors) -> list[_NamedPath]:
    listed = errors.read((), items, value, MAX_LISTED)
    return [(location, _stem(path, location, errors), path) for location, path in listed or []]


def _stem(path: Value, location: Location, errors: Errors) -> str:
    """The file's name without its ending; '' where there is no path, which is noted later."""
    name = Path(path).stem if isinstance(path, str) else ""
    try:
        return folder_name(name) if name else ""
    except ValueError as error:
        errors.add(location, f"the file's name {shown(name)} {error}, or write 'name: path'")
        return name


def problems_json_schema() -> dict[str, Any]:
    """JSON Schema of what `read_problems` accepts."""
    path = path_json_schema()
    named = {
        "type": "object",
        "additionalProperties": path,
        "propertyNames": {"pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH},
        "minProperties": 1,
    }
    return {"anyOf": [*one_or_more(path)["anyOf"], named]}


def path_json_schema() -> dict[str, Any]:
    """JSON Schema of the path of a matrix file."""
    return {"type": "string", "minLength": 1}
