"""The ``matrix`` or ``problems`` of a spec: matrix files, families and fetched data, each with its results folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duelbench.errors import InputError, nearest
from duelbench.parameters import Parameter
from duelbench.problem.families import FAMILIES
from duelbench.problem.family import MAX_SEED, Family, MatrixName, Numbers
from duelbench.problem.matrix_files import MAX_ARMS
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources.datasets import DATASETS
from duelbench.problem.sources.importing import import_matrix, parse_arms
from duelbench.problem.sources.mslr import SUBSETS
from duelbench.spec.entries import parameter_json_schema, parameter_value
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.naming import FOLDER_NAME, MAX_LENGTH, folder_name, slug
from duelbench.spec.numerals import Whole, real_number, shown
from duelbench.spec.values import MAX_LISTED, Errors, choice, items, one_or_more, scalar, whole, word
from duelbench.spec.yaml_source import Location, Scalar, Value

MAX_GENERATED = MAX_ARMS**2
"""Most probabilities of all matrices that a spec generates, together."""

MAX_ENTRIES = MAX_ARMS**2
"""No further matrix is read where those of a spec have more entries together: a name is quickly written a thousand
times."""

FAMILY_SEEDS = Whole(0, MAX_SEED, high_text="2^128 - 1")
ARMS = Whole(1, MAX_ARMS)

_FORMS = "write the path of a matrix file, a list of paths, or a mapping of names to paths"


class ProblemReader:
    """Reads what stands for one matrix, and notes what is wrong with it.

    Parameters
    ----------
    folder : Path
        What paths are relative to.
    errors : Errors
        Where mistakes are noted.

    Attributes
    ----------
    asked : dict of str to dict
        Name of a problem that is of a family -> what was asked for, as text.
    """

    def __init__(self, folder: Path, errors: Errors) -> None:
        self.errors = errors
        self.asked: dict[str, dict[str, Value]] = {}
        self._folder = folder
        self._n_generated = 0
        self._n_entries = 0

    def read(self, name: str, value: Value, at: Location) -> Problem | None:
        """The problem that ``value`` at location ``at`` asks for, or None where it is wrong."""
        if not isinstance(value, dict):
            path = self.errors.read(at, _path, value)
            return self._loaded(name, path, at) if path is not None else None
        content = {str(key): item for key, item in value.items()}
        if "source" in content and "family" not in content:
            return self._from_data(name, content, at)
        return self._from_family(name, content, at)

    def _loaded(self, name: str, path: Path, at: Location) -> Problem | None:
        matrix = self._matrix(at, PreferenceMatrix.load, self._folder / path)
        return Problem(name, matrix, path) if matrix is not None else None

    def _matrix(self, at: Location, make: Any, *arguments: Any) -> PreferenceMatrix | None:
        """What ``make(*arguments)`` returns, or None after noting what it refuses."""
        if self._n_entries > MAX_ENTRIES:
            self.errors.add(at, f"the matrices up to here have more than {MAX_ENTRIES} entries together")
            return None
        try:
            matrix: PreferenceMatrix = make(*arguments)
        except InputError as error:
            self.errors.add(at, str(error))
            return None
        self._n_entries += matrix.n_arms**2
        return matrix

    def _from_data(self, name: str, content: dict[str, Value], at: Location) -> Problem | None:
        source = self.errors.read((*at, "source"), choice, content.pop("source"), DATASETS, "fetched data")
        arms = None
        if "arms" in content:
            arms = self._arms(content.pop("arms"), (*at, "arms"))
            if arms is None:
                return None
        for key in content:
            self.errors.add((*at, key), f"unknown key {shown(key)}{_hint(key, ['source', 'arms'])}", at_key=True)
        if source is None or content:
            return None
        matrix = self._matrix(at, lambda: import_matrix(source, arms=arms).matrix)
        if matrix is None:
            return None
        origin = {"source": source, **({"arms": list(arms)} if arms else {})}
        described = f"{source}, arms {', '.join(map(str, arms))} counted from 1" if arms else source
        return Problem(name, PreferenceMatrix(matrix.P, matrix.names, described), origin)

    def _arms(self, value: Value, at: Location) -> tuple[int, ...] | None:
        """Arms counted from 1: a list, or text as on the command line."""
        if not isinstance(value, list):
            try:
                return parse_arms(word(value, "arms counted from 1, such as [2, 4, 3]"))
            except (InputError, ValueError) as error:
                self.errors.add(at, str(error))
                return None
        listed = self.errors.read(at, items, value, MAX_ARMS) or []
        arms = [self.errors.read((*at, *below), whole, item, ARMS) for below, item in listed]
        return None if None in arms or not arms else tuple(arm for arm in arms if arm is not None)

    def _from_family(self, name: str, content: dict[str, Value], at: Location) -> Problem | None:
        if "family" not in content:
            for key in content:
                if meant := nearest(key, ["family", "source"]):
                    self.errors.add((*at, key), f"unknown key {shown(key)}{meant}", at_key=True)
                    return None
            example = "{family: linear, n_arms: 64}"
            self.errors.add(at, f"must be the path of a matrix file, or a family with its parameters: '{example}'")
            return None
        self.asked[name] = dict(content)
        known = self.errors.read((*at, "family"), choice, content.pop("family"), FAMILIES, "a family")
        if known is None:
            return None
        asked = self.parameters(FAMILIES[known], content, at)
        return self._generated(name, FAMILIES[known], *asked, at) if asked is not None else None

    def parameters(
        self, family: Family, content: Mapping[str, Value], at: Location
    ) -> tuple[dict[str, Any], int] | None:
        """All parameters of a family, and the seed; None where one is wrong."""
        checked: dict[str, Any] = {}
        seed: int | None = 0
        is_right = True
        for key, value in content.items():
            here = (*at, key)
            if key == "seed" and family.is_random:
                seed = self.errors.read(here, whole, value, FAMILY_SEEDS)
                is_right &= seed is not None
            elif key not in family.parameters:
                self.errors.add(here, _unknown(key, family), at_key=True)
                is_right = False
            else:
                try:
                    checked[key] = family.parameters[key].check(_family_value(value, family.parameters[key]))
                except ValueError as error:
                    self.errors.add(here, str(error))
                    is_right = False
        for key, parameter in family.parameters.items():
            if isinstance(parameter, MatrixName) and key not in content:
                self.errors.add(at, f"needs the parameter '{key}', the {parameter.description}")
                is_right = False
        if not is_right or seed is None:
            return None
        resolved = self.errors.read(at, family.resolve, checked)
        return (resolved, seed) if resolved is not None else None

    def _generated(
        self, name: str, family: Family, parameters: dict[str, Any], seed: int, at: Location
    ) -> Problem | None:
        if self._n_generated + parameters.get("n_arms", 0) ** 2 > MAX_GENERATED:
            self.errors.add(at, f"the matrices generated up to here have more than {MAX_GENERATED} entries together")
            return None
        matrix = self._matrix(at, family.generate, parameters, seed, self._folder)
        if matrix is None:
            return None
        self._n_generated += matrix.n_arms**2
        said = {key: _plain(value) for key, value in parameters.items() if value is not None}
        origin = {"family": family.name, **said, **({"seed": seed} if family.is_random else {})}
        return Problem(name, matrix, origin)


def _path(value: Value) -> Path:
    text = word(value, "the path of a matrix file")
    if not text:
        raise ValueError("is empty; write the path of a matrix file")
    return Path(text)


def _family_value(value: Value, parameter: Parameter) -> Any:
    """The text as the type of a family's parameter, which `Parameter.check` judges."""
    if isinstance(parameter, Numbers):
        if value is None and parameter.default is None:
            return None
        return [real_number(word(item, "a number")) for _, item in items(value, MAX_ARMS)]
    if isinstance(parameter, MatrixName):
        return word(value, "the path of a matrix file")
    return parameter_value(value, parameter)


def _plain(value: Any) -> Any:
    """Tuples as the lists of JSON."""
    return list(value) if isinstance(value, tuple) else value


def _unknown(key: str, family: Family) -> str:
    if key == "seed":
        return f"unknown parameter 'seed' for {family.name}, which draws nothing; remove it"
    known = ["family", *family.parameters, *(["seed"] if family.is_random else [])]
    return f"unknown parameter {shown(key)} for {family.name}{_hint(key, known)}"


def _hint(key: str, known: list[str]) -> str:
    return nearest(key, known) or f" (there are {', '.join(known)})"


def read_problems(
    value: Value, folder: Path, asked: dict[str, dict[str, Value]] | None = None
) -> tuple[tuple[Problem, ...], Errors]:
    """The problems of one item, a list of items (named by their files or families) or a mapping of names to items.

    An item is the path of a matrix file, ``{family: ..., ...}`` or ``{source: ..., arms: ...}``. What
    families are asked for is added to ``asked``, if that is given; see `ProblemReader`.

    Returns
    -------
    tuple of Problem
        Those that could be read.
    Errors
        What is wrong with the others.
    """
    errors = Errors()
    is_named = isinstance(value, dict) and not _is_item(value)
    named = _from_mapping(value, errors) if is_named else _from_list(value, errors)  # type: ignore[arg-type]
    reader = ProblemReader(folder, errors)
    names: set[str] = set()
    problems = []
    for location, name, item in named:
        # Some file systems do not tell capital letters from small ones.
        if name.lower() in names:
            errors.add(location, f"the name {shown(name)} stands twice; give each matrix its own: 'name: path'")
        names.add(name.lower())
        problem = reader.read(name, item, location)
        if problem is not None:
            problems.append(problem)
    if asked is not None:
        asked |= reader.asked
    return tuple(problems), errors


def _is_item(content: dict[Scalar, Value]) -> bool:
    """Whether keys and values ask for one matrix, and are no names with matrices."""
    return "family" in content or content.get(Scalar("source")) in DATASETS


_NamedItem = tuple[Location, str, Value]


def _from_mapping(content: dict[Scalar, Value], errors: Errors) -> list[_NamedItem]:
    if not content:
        errors.add((), f"is empty; {_FORMS}")
    if len(content) > MAX_LISTED:
        errors.add((), f"lists {len(content)}, but at most {MAX_LISTED} are allowed")
        return []
    for name in content:
        errors.read((name,), _folder_name, name, at_key=True)
    return [((name,), str(name), item) for name, item in content.items()]


def _folder_name(key: Value) -> str:
    return folder_name(word(key, "a name"))


def _from_list(value: Value, errors: Errors) -> list[_NamedItem]:
    listed = errors.read((), items, value, MAX_LISTED)
    return [(location, _default_name(item, location, errors), item) for location, item in listed or []]


def _default_name(item: Value, location: Location, errors: Errors) -> str:
    """A file's name without its ending, or a family with its parameters; '' where there is none, noted later."""
    if isinstance(item, dict):
        first = [text for key in ("family", "source") if (text := item.get(Scalar(key))) is not None]
        others = [f"{key}={_in_name(said)}" for key, said in item.items() if key not in ("family", "source")]
        return slug("-".join([*(_in_name(text) for text in first), *others]), "problem")
    name = Path(item).stem if isinstance(item, str) else ""
    try:
        return folder_name(name) if name else ""
    except ValueError as error:
        errors.add(location, f"the file's name {shown(name)} {error}, or write 'name: path'")
        return name


def _in_name(value: Value) -> str:
    if isinstance(value, list):
        return "-".join(_in_name(item) for item in value)
    return str(scalar(value, "a value")) if isinstance(value, Scalar) else ""


def problems_json_schema() -> dict[str, Any]:
    """JSON Schema of what `read_problems` accepts."""
    item = matrix_json_schema()
    named = {
        "type": "object",
        "additionalProperties": item,
        "propertyNames": {"pattern": f"^{FOLDER_NAME}$", "maxLength": MAX_LENGTH},
        "minProperties": 1,
    }
    return {"anyOf": [*one_or_more(item)["anyOf"], named]}


def matrix_json_schema() -> dict[str, Any]:
    """JSON Schema of one matrix: the path of a file, a family, or fetched data."""
    path = {"type": "string", "minLength": 1}
    return {"anyOf": [path, *(_family_json_schema(family) for family in FAMILIES.values()), _data_json_schema()]}


def _family_json_schema(family: Family) -> dict[str, Any]:
    required = [name for name, parameter in family.parameters.items() if isinstance(parameter, MatrixName)]
    properties: dict[str, Any] = {"family": {"enum": [family.name]}}
    properties |= {name: _one_json_schema(parameter) for name, parameter in family.parameters.items()}
    if family.is_random:
        properties["seed"] = {
            **FAMILY_SEEDS.json_schema(),
            "description": "Which of the matrices that could be drawn.",
            "default": 0,
        }
    return {
        "type": "object",
        "description": f"{family.description}. {family.source}.",
        "properties": properties,
        "required": ["family", *required],
        "additionalProperties": False,
    }


def _one_json_schema(parameter: Parameter) -> dict[str, Any]:
    if isinstance(parameter, MatrixName):
        return {"type": "string", "minLength": 1, "description": parameter.description}
    if not isinstance(parameter, Numbers):
        return parameter_json_schema(parameter)
    number: dict[str, Any] = {"type": "integer" if parameter.whole else "number"}
    if parameter.low is not None:
        number["minimum"] = parameter.low
    if parameter.high is not None:
        number["maximum"] = parameter.high
    default = {} if parameter.default is None else {"default": list(parameter.default)}
    several = one_or_more(number, max(parameter.fewest, 1))
    several["anyOf"] = several["anyOf"][1:] if parameter.fewest > 1 else several["anyOf"]
    return {**several, "description": parameter.description, **default}


def _data_json_schema() -> dict[str, Any]:
    return {
        "type": "object",
        "description": "Data fetched with `duelbench matrix fetch`.",
        "properties": {
            "source": {"type": "string", "enum": list(DATASETS)},
            "arms": {
                "anyOf": [
                    {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2},
                    {"type": "string", "enum": list(SUBSETS)},
                    {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)*$"},
                ],
                "description": "Arms of the file, counted from 1 as in the papers, in this order; or the name of a "
                "published set of MSLR rankers.",
            },
        },
        "required": ["source"],
        "additionalProperties": False,
    }
