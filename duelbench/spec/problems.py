"""The ``matrix`` or ``problems`` of a spec: matrix files, families and fetched data, each with its results folder."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from duelbench.errors import InputError, likeliest
from duelbench.problem.families import FAMILIES
from duelbench.problem.family import MAX_SEED, Family
from duelbench.problem.matrix_files import MAX_ARMS
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.sources.datasets import DATASETS, SUBSETS
from duelbench.problem.sources.importing import import_matrix, parse_arms
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.kinds import (
    MAX_LISTED,
    NAME,
    Choice,
    FilePath,
    Key,
    Keys,
    Kind,
    OneOrMore,
    Posed,
    Reading,
    Schema,
    Tagged,
    Whole,
    by_name,
    listed,
    word,
)
from duelbench.spec.naming import folder_name, slug
from duelbench.spec.numerals import shown
from duelbench.spec.parameters import parameter_keys
from duelbench.spec.scalar_problems import BANDIT, is_scalar
from duelbench.spec.yaml_source import Scalar, Value

MAX_GENERATED = MAX_ARMS**2
"""Most probabilities of all matrices that a spec generates, together."""

MAX_ENTRIES = MAX_ARMS**2
"""No further matrix is read where those of a spec have more entries together: a name is quickly written a thousand
times."""

FAMILY_SEEDS = Whole(0, MAX_SEED, high_text="2^128 - 1")

_FORMS = "write the path of a matrix file, a list of paths, or a mapping of names to paths"
_FILE = FilePath("the path of a matrix file")
_EXAMPLE = "{family: linear, n_arms: 64}"


class _Arms(Kind):
    """Arms counted from 1: a list, or text as on the command line."""

    _ONE = Whole(1, MAX_ARMS)

    def read(self, value: Value, at: Reading) -> tuple[int, ...] | None:
        if isinstance(value, list):
            return OneOrMore(self._ONE).read(value, at)
        try:
            return parse_arms(word(value, "arms counted from 1, such as [2, 4, 3]"))
        except (InputError, ValueError) as error:
            at.note(str(error))
            return None

    def json_schema(self) -> Schema:
        return {
            "anyOf": [
                {"type": "array", "items": self._ONE.json_schema(), "minItems": 2},
                {"type": "string", "enum": list(SUBSETS)},
                {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)*$"},
            ]
        }


_DATA = Keys(
    {
        "source": Key(Choice(tuple(DATASETS), "fetched data"), fix="add one"),
        "arms": Key(
            _Arms(),
            "Arms of the file, counted from 1 as in the papers, in this order; or the name of a published set of MSLR "
            "rankers.",
        ),
    },
    "{source: mslr-informational}",
    "Data fetched with `duelbench matrix fetch`.",
)


def _family_keys(family: Family) -> Keys:
    """What a spec can say of a family."""
    seed = Key(FAMILY_SEEDS, "Which of the matrices that could be drawn.", 0)
    return Keys(
        {
            "family": Key(Choice((family.name,), "a family"), fix="add one"),
            **parameter_keys(family.parameters),
            **({"seed": seed} if family.is_random else {}),
        },
        _EXAMPLE,
        f"{family.description}. {family.source}.",
        "parameter",
        f" for {family.name}",
        {}
        if family.is_random
        else {"seed": f"unknown parameter 'seed' for {family.name}, which draws nothing; remove it"},
    )


FAMILY = Tagged("family", {name: _family_keys(family) for name, family in FAMILIES.items()}, "a family")


def family_parameters(said: Mapping[str, Any], at: Reading) -> tuple[dict[str, Any], int] | None:
    """All parameters of a family, and the seed, from what `FAMILY` read; None after noting what is wrong."""
    given = {key: value for key, value in said.items() if key not in ("family", "seed")}
    resolved = at.attempt(FAMILIES[said["family"]].resolve, given)
    return (resolved, said.get("seed", 0)) if resolved is not None else None


class Matrix(Kind):
    """One preference matrix: the path of a file, a family with its parameters, or fetched data."""

    def read(self, value: Value, at: Reading, name: str = "") -> Problem | None:
        """The problem called ``name``, which is now one of the draft's."""
        if not is_scalar(value):
            at.draft.posed.append(Posed(is_scalar=False, family=_family(value)))
        problem = self.made(value, at, name)
        at.draft.problems += [problem] if problem else []
        return problem

    def made(self, value: Value, at: Reading, name: str = "") -> Problem | None:
        """The problem called ``name``, without making it one of the draft's."""
        if isinstance(value, list):
            at.note(_about_list(value))
            return None
        if not isinstance(value, dict):
            path: Path | None = _FILE.read(value, at)
            matrix = path and _made(at, PreferenceMatrix.load, str(value), at.draft.folder)
            return Problem(name, matrix, path) if path and matrix else None
        before = len(at.draft.noted)
        if "family" in value:
            at.draft.asked[name] = {str(key): item for key, item in value.items()}
            said = FAMILY.read(value, at)
            return _generated(name, said, at) if len(at.draft.noted) == before else None
        if "source" in value:
            said = _DATA.read(value, at) or {}
            return _fetched(name, said, at) if len(at.draft.noted) == before else None
        for key in value:
            if meant := likeliest(key, ["family", "source"]):
                at.below(key).note(f"unknown key {shown(key)} (did you mean '{meant}'?)", at_key=True)
                return None
        at.note(f"must be the path of a matrix file, or a family with its parameters: '{_EXAMPLE}'")
        return None

    def json_schema(self) -> Schema:
        return {"anyOf": [_FILE.json_schema(), *FAMILY.json_schema()["anyOf"], _DATA.json_schema()]}


def _family(value: Value) -> str | None:
    """The family that a matrix is of, '' where it is of none; None where that is not known."""
    if isinstance(value, dict) and "family" in value:
        name = value[Scalar("family")]
        return name if isinstance(name, Scalar) and name in FAMILIES else None
    return "" if isinstance(value, Scalar) or (isinstance(value, dict) and "source" in value) else None


def _about_list(value: list[Value]) -> str:
    """What to write instead of a list."""
    if any(isinstance(row, list) for row in value):
        lines = "one line for each row, numbers with commas between them"
        return f"is written out here, but must be the path of a file: save it as a CSV file ({lines}) and name that"
    return "is one path; for several matrices use the key 'problems'"


def _made(at: Reading, make: Callable[..., PreferenceMatrix], *arguments: Any) -> PreferenceMatrix | None:
    """What ``make(*arguments)`` returns, or None after noting what it refuses."""
    if at.draft.n_entries > MAX_ENTRIES:
        at.note(f"the matrices up to here have more than {MAX_ENTRIES} entries together")
        return None
    try:
        matrix = make(*arguments)
    except InputError as error:
        at.note(str(error))
        return None
    at.draft.n_entries += matrix.n_arms**2
    return matrix


def _fetched(name: str, said: dict[str, Any], at: Reading) -> Problem | None:
    source, arms = said["source"], said.get("arms")
    matrix = _made(at, lambda: import_matrix(source, arms=arms).matrix)
    if matrix is None:
        return None
    origin = {"source": source, **({"arms": list(arms)} if arms else {})}
    described = f"{source}, arms {', '.join(map(str, arms))} counted from 1" if arms else source
    return Problem(name, PreferenceMatrix(matrix.P, matrix.names, described), origin)


def _generated(name: str, said: dict[str, Any], at: Reading) -> Problem | None:
    family = FAMILIES[said["family"]]
    asked = family_parameters(said, at)
    if asked is None:
        return None
    parameters, seed = asked
    if at.draft.n_generated + parameters.get("n_arms", 0) ** 2 > MAX_GENERATED:
        at.note(f"the matrices generated up to here have more than {MAX_GENERATED} entries together")
        return None
    matrix = _made(at, family.generate, parameters, seed, at.draft.folder)
    if matrix is None:
        return None
    at.draft.n_generated += matrix.n_arms**2
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in parameters.items()}
    origin = {"family": family.name, **{key: value for key, value in plain.items() if value is not None}}
    return Problem(name, matrix, {**origin, **({"seed": seed} if family.is_random else {})})


MATRIX = Matrix()


class Problems(Kind):
    """Matrices: one, a list of them (named by their files or families), or a mapping of names to matrices.

    The mapping can be of names to scalar bandits instead.
    """

    def read(self, value: Value, at: Reading) -> None:
        if is_scalar(value):
            at.note("is a list of problems, or a mapping of names to them; for one scalar bandit write 'problem'")
            return
        if isinstance(value, dict) and not _is_item(value):
            named = _from_mapping(value, at)
        else:
            named = [(here, _default_name(item, here), item) for here, item in listed(value, at, most=MAX_LISTED)]
        taken: set[str] = set()
        for here, name, item in named:
            # Some file systems do not tell capital letters from small ones.
            if name and name.lower() in taken:
                here.note(f"the name {shown(name)} stands twice; give each matrix its own: 'name: path'")
            taken.add(name.lower())
            (BANDIT if is_scalar(item) else MATRIX).read(item, here, name)
        if len({is_scalar(item) for _, _, item in named}) > 1:
            at.note("has matrices and scalar bandits, which share no regret; write a spec for each kind")
            at.draft.problems.clear()

    def json_schema(self) -> Schema:
        matrix = {"$ref": "#/properties/matrix"}
        item = {"anyOf": [matrix, {"$ref": "#/properties/problem"}]}
        return {"anyOf": [matrix, {"type": "array", "items": item, "minItems": 1}, by_name(item)]}


def _is_item(content: dict[Scalar, Value]) -> bool:
    """Whether keys and values ask for one matrix, and are no names with matrices."""
    return "family" in content or content.get(Scalar("source")) in DATASETS


def _from_mapping(content: dict[Scalar, Value], at: Reading) -> list[tuple[Reading, str, Value]]:
    if not content:
        at.note(f"is empty; {_FORMS}")
    if len(content) > MAX_LISTED:
        at.note(f"lists {len(content)}, but at most {MAX_LISTED} are allowed")
        return []
    for name in content:
        at.below(name).attempt(NAME.parse, name, at_key=True)
    return [(at.below(name), str(name), item) for name, item in content.items()]


def _default_name(item: Value, at: Reading) -> str:
    """A file's name without its ending, or a family with its parameters; '' where there is none, noted later."""
    if isinstance(item, dict):
        first = [text for key in ("family", "source") if (text := item.get(Scalar(key))) is not None]
        others = [f"{key}={_in_name(said)}" for key, said in item.items() if key not in ("family", "source")]
        return slug("-".join([*(_in_name(text) for text in first), *others]), "problem")
    name = Path(item).stem if isinstance(item, str) else ""
    try:
        return folder_name(name, f"results go to a folder of the file's name, {shown(name)}") if name else ""
    except ValueError as error:
        at.note(f"{error}; rename the file, or write 'name: path'")
        return name


def _in_name(value: Value) -> str:
    if isinstance(value, list):
        return "-".join(_in_name(item) for item in value)
    return str(value) if isinstance(value, Scalar) else ""
