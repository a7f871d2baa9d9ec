"""The ``matrix``, ``problem`` and ``problems`` of a spec: matrix files, families, fetched data and scalar bandits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, ValidationError

from duelbench.bandits.algorithms.exploration.scalar_decisions import DECISIONS
from duelbench.bandits.problem.decision_rule import Decision
from duelbench.bandits.problem.families import FAMILIES
from duelbench.bandits.problem.family import MAX_SEED, Family
from duelbench.bandits.problem.matrix_files import MAX_ARMS
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.common.numerals import real_number, shown, word
from duelbench.data.datasets import DATASETS, SUBSETS
from duelbench.data.importing import import_matrix, load_named, parse_arms
from duelbench.experiments.spec import yaml_source
from duelbench.experiments.spec.experiment_spec import Problem
from duelbench.experiments.spec.fields import (
    MAX_LISTED,
    Choice,
    Fields,
    File,
    IfGiven,
    Named,
    Notes,
    Number,
    OneOf,
    OneOrMore,
    Part,
    Reader,
    Real,
    Together,
    Whole,
    Word,
    adapter,
    any_of,
    by_form,
    by_tag,
    check_length,
    error_of,
    mistakes,
    note_repeated,
    number_schema,
    parameter_fields,
    part_of,
)
from duelbench.experiments.spec.naming import folder_name, slug
from duelbench.experiments.spec.yaml_source import Location, Mistake, PythonValue

MAX_ENTRIES = 2 * MAX_ARMS**2
"""Most entries of the matrices of a spec, together; read files may exceed them once."""

FamilySeed = Annotated[int, Whole(0, MAX_SEED, high_text="2^128 - 1")]
Arm = Annotated[int, Whole(1, MAX_ARMS)]
ArmNames = Annotated[tuple[Annotated[str, Word("a name")], ...], OneOrMore(may_repeat=True)]

_EXAMPLE = "{family: linear, n_arms: 64}"
_ROWS = "[[0.5, 0.6], [0.4, 0.5]]"

# --- matrices ---


def _rows(value: Any) -> Any:
    """Read rows of numbers; return a matrix of Python unchanged."""
    if isinstance(value, PythonValue):
        return value
    if not isinstance(value, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in value):
        raise ValueError(
            f"must be one path, or rows of numbers: '{_ROWS}'; for several matrices use the key 'problems'"
        )
    check_length(value)
    return adapter(tuple[tuple[Number, ...], ...]).validate_python(value)


_ROW = {"type": "array", "items": Real().json_schema(), "minItems": 1}
Rows = Annotated[Any, Reader(_rows, {"type": "array", "items": _ROW, "minItems": 2})]


class InlineMatrix(Part):
    """A matrix given by its numbers."""

    example: ClassVar[str] = f"{{P: {_ROWS}}}"

    P: Rows = Field(description=f"Rows of numbers: {_ROWS}.")
    names: IfGiven[ArmNames] = Field(None, description="Names of the arms.")


def _arms(value: Any) -> tuple[int, ...] | None:
    """Parse arms counted from 1, as in `2-4, 1`."""
    return parse_arms(word(value, "arms counted from 1, such as [2, 4, 3]"))


_RANGES = {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)*$"}
_ListOfArms = Annotated[tuple[Arm, ...], OneOrMore()]
_ArmsAsText = Annotated[Any, Reader(_arms, any_of({"type": "string", "enum": list(SUBSETS)}, _RANGES))]


class FetchedData(Part):
    """Data fetched with `duelbench matrix fetch`."""

    example: ClassVar[str] = "{source: mslr-informational}"

    source: Annotated[str, Choice([*DATASETS], "fetched data")]
    arms: IfGiven[Annotated[Any, OneOf(by_form(other=_ArmsAsText, list=_ListOfArms), _ListOfArms, _ArmsAsText)]] = (
        Field(
            None,
            description="Arms of the file, counted from 1 as in the papers, in this order; or the name of a published "
            "set of MSLR rankers.",
        )
    )


class FamilyKeys(Part):
    """A family with its parameters."""


def _family_model(family: Family) -> type[FamilyKeys]:
    """The model of the keys of a family."""
    refused = {}
    if not family.is_random:
        refused["seed"] = f"unknown parameter 'seed' for {family.name}, which draws nothing; remove it"
    seed: Fields = {"seed": (FamilySeed, Field(0, description="Seed of the random matrix."))}
    return part_of(
        f"family {family.name}",
        FamilyKeys,
        {
            "family": (Annotated[str, Choice([family.name], "a family")], Field()),
            **parameter_fields(family.parameters, "{}"),
            **(seed if family.is_random else {}),
        },
        f"{family.description}. {family.source}.",
        example=_EXAMPLE,
        noun="parameter",
        owner=f" for {family.name}",
        refused=refused,
    )


FAMILY_MODELS = {name: _family_model(family) for name, family in FAMILIES.items()}
FamilyMatrix = Annotated[Any, by_tag("family", FAMILY_MODELS, "a family")]
_MATRIX_PATH = File("the path of a matrix file")


def _matrix_file(value: Any) -> str:
    """Check the path of a matrix file, and return it unchanged: it may be the name of one that comes with duelbench."""
    _MATRIX_PATH.read(value)
    return str(value)


MatrixFile = Annotated[str, Reader(_matrix_file, _MATRIX_PATH.json_schema())]


def _matrix_type(value: Any) -> Any:
    """The type to read a matrix with, by the form of its value."""
    if isinstance(value, (list, tuple, PythonValue)):
        return Rows
    if not isinstance(value, Mapping):
        return MatrixFile
    if is_scalar(value):
        raise ValueError("is a scalar bandit, not a matrix")
    if "family" in value:
        return FamilyMatrix
    if _is_inline(value):
        return InlineMatrix
    if "source" in value:
        return FetchedData
    raise ValueError(f"must be the path of a matrix file, or a family with its parameters: '{_EXAMPLE}'")


Matrix = Annotated[Any, OneOf(_matrix_type, MatrixFile, Rows, InlineMatrix, FamilyMatrix, FetchedData)]

# --- scalar bandits ---

MAX_MEANS = 10**5
"""Most arms of a scalar bandit in a spec."""

DEFAULT_DECISION = "argmax"

_BANDIT_EXAMPLE = "{means: [0.9, 0.5], decision: argmax}"


def _mean(value: Any) -> list[float]:
    """Read a number between 0 and 1; the text ``p x n`` means n times p."""
    text = word(value, "a number between 0 and 1, or such a number and how often, as in '0.5 x 5'")
    number, x, times = (part.strip() for part in text.partition("x"))
    mean = real_number(number)
    if not 0 <= mean <= 1:
        raise ValueError(f"must lie between 0 and 1, got {shown(text)}")
    if x and not (times.isdigit() and 1 <= int(times) <= MAX_MEANS):
        raise ValueError(f"must have a whole number after the x, as in '0.5 x 5', got {shown(text)}")
    return [mean] * int(times or 1)


_TIMES = {"type": "string", "pattern": r"^\s*[0-9.eE+-]+\s*x\s*[0-9]+\s*$"}
_MEAN = Reader(_mean, any_of(number_schema("number", 0, 1), _TIMES))
_Means = Annotated[tuple[Annotated[list[float], _MEAN], ...], OneOrMore(at_most=MAX_MEANS, may_repeat=True)]


def _means(value: Any) -> list[float]:
    if not isinstance(value, (list, tuple)):
        raise ValueError("must be a list of numbers between 0 and 1")
    means = [mean for part in adapter(_Means).validate_python(value) for mean in part]
    if len(means) > MAX_MEANS:
        raise ValueError(f"has more than {MAX_MEANS} numbers")
    return means


_LIST_OF_MEANS = {"type": "array", "items": _MEAN.json_schema(), "minItems": 1}


class Bandit(Part):
    """A scalar bandit."""

    example: ClassVar[str] = _BANDIT_EXAMPLE

    means: Annotated[
        list[float], Reader(_means, _LIST_OF_MEANS), Together(add=f"add it, as in '{_BANDIT_EXAMPLE}'")
    ] = Field(description="The mean of each arm; '0.5 x 5' stands for five of 0.5.")
    names: IfGiven[Annotated[tuple[Annotated[str, Word("a name")], ...], OneOrMore()]] = Field(
        None, description="Names of the arms."
    )

    def problem(self, source: str | None = None) -> ScalarBandit:
        """The bandit; ``source`` says where it comes from."""
        parameters = {key: value for key, value in self.explicit.items() if key not in ("means", "names", "decision")}
        decision = DECISIONS[self.explicit.get("decision", DEFAULT_DECISION)]
        if self.names is not None and len(self.names) != len(self.means):
            raise error_of([Mistake(("names",), f"has {len(self.names)} names for {len(self.means)} means")])
        described = source or f"{decision.name} of {len(self.means)} means"
        return ScalarBandit(self.means, decision, parameters, self.names, described)


def _bandit_model(decision: Decision) -> type[Part]:
    """The model of the keys of a scalar bandit with this decision."""
    default: Any = {"default": DEFAULT_DECISION} if decision.name == DEFAULT_DECISION else {}
    name = Field(description=f"{decision.name}: {decision.description}", **default)
    return part_of(
        f"decision {decision.name}",
        Bandit,
        {
            "decision": (Annotated[str, Choice([decision.name], "a decision")], name),
            **parameter_fields(decision.parameters),
        },
        owner=f" for the decision {decision.name}",
    )


_BANDIT_MODELS = {name: _bandit_model(decision) for name, decision in DECISIONS.items()}
BanditKeys = Annotated[Any, by_tag("decision", _BANDIT_MODELS, "a decision", DEFAULT_DECISION)]


@dataclass(frozen=True)
class BanditFile:
    """The path of a file with the keys of a scalar bandit."""

    path: Path


_BANDIT_PATH = File(f"keys such as '{_BANDIT_EXAMPLE}', or the path of a file that has them")


def _bandit_file(value: Any) -> BanditFile:
    if isinstance(value, (list, tuple)):
        raise ValueError("is one scalar bandit; for several problems use the key 'problems'")
    return BanditFile(_BANDIT_PATH.read(value))


_BanditFileField = Annotated[Any, Reader(_bandit_file, _BANDIT_PATH.json_schema())]
AnyBandit = Annotated[Any, OneOf(by_form(other=_BanditFileField, keys=BanditKeys), _BanditFileField, BanditKeys)]


def is_scalar(value: Any) -> bool:
    """Whether keys and values describe a scalar bandit."""
    return isinstance(value, Mapping) and "means" in value


# --- several problems ---

AnyProblem = Annotated[Any, OneOf(lambda value: BanditKeys if is_scalar(value) else Matrix, Matrix, BanditKeys)]
_ListOfProblems = Annotated[tuple[AnyProblem, ...], OneOrMore(1, MAX_LISTED, may_repeat=True, is_judged_by_item=True)]
_NamedProblems = Annotated[
    dict[str, AnyProblem],
    Named("the path of a matrix file, a list of paths, or a mapping of names to paths", "matrix"),
]


def _problems_type(value: Any) -> Any:
    """The type to read several problems with, by the form of their value."""
    if is_scalar(value):
        raise ValueError("is a list of problems, or a mapping of names to them; for one scalar bandit write 'problem'")
    if isinstance(value, Mapping):
        return Matrix if _is_item(value) else _NamedProblems
    is_matrix = isinstance(value, (list, tuple)) and value and all(_is_row(row) for row in value)
    return Matrix if is_matrix or not isinstance(value, (list, tuple)) else _ListOfProblems


Problems = Annotated[Any, OneOf(_problems_type, Matrix, _ListOfProblems, _NamedProblems)]


def _is_inline(content: Mapping[Any, Any]) -> bool:
    """Whether the keys give the numbers of a matrix."""
    return isinstance(content.get("P"), (list, tuple, PythonValue))


def _is_item(content: Mapping[Any, Any]) -> bool:
    """Whether these keys describe one matrix. Otherwise they are the names of several."""
    source = content.get("source")
    has_numbers = _is_inline(content) and {*content} <= {*InlineMatrix.model_fields}
    return "family" in content or has_numbers or (isinstance(source, str) and source in DATASETS)


def _is_row(value: Any) -> bool:
    """Whether a value may be a row of a matrix."""
    return isinstance(value, (list, tuple)) and all(isinstance(item, (str, int, float)) for item in value)


# --- the problems ---


class Maker:
    """Makes the problems of a spec, whose paths are relative to ``folder``.

    All of its methods raise a `ValueError` or an `InputError` if there is no such problem.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.n_entries = 0  # of the matrices so far

    def problem(self, name: str, content: Any) -> Problem:
        """The problem called ``name`` that a value of a spec describes."""
        if isinstance(content, Bandit):
            bandit = content.problem()
            return Problem(name, bandit, bandit.content())
        if isinstance(content, BanditFile):
            return Problem(name, self._bandit_of_file(content.path), content.path)
        if isinstance(content, str):
            return Problem(name, self._counted(0, PreferenceMatrix.load, content, self.folder), Path(content))
        if isinstance(content, FetchedData):
            return self._fetched(name, content)
        if isinstance(content, InlineMatrix):
            return self._inline(name, content.P, content.names)
        if isinstance(content, FamilyKeys):
            return self._generated(name, content)
        return self._inline(name, content, None)

    def _counted(self, n_arms: int, make: Callable[..., PreferenceMatrix], *arguments: Any) -> PreferenceMatrix:
        """Make a matrix, which has at least ``n_arms`` arms, and count its entries; refuse too many."""
        if self.n_entries + n_arms**2 > MAX_ENTRIES:
            raise ValueError(f"the matrices up to here have more than {MAX_ENTRIES} entries together")
        matrix = make(*arguments)
        self.n_entries += matrix.n_arms**2
        return matrix

    def _inline(self, name: str, P: Any, names: Sequence[str] | None) -> Problem:
        content = P.content if isinstance(P, PythonValue) else P
        is_made = isinstance(content, PreferenceMatrix)
        matrix = content if is_made else self._counted(0, PreferenceMatrix, content, names)
        matrix = PreferenceMatrix(matrix.P, matrix.names, matrix.source or f"matrix of {matrix.n_arms} arms")
        has_names = matrix.names != tuple(map(str, range(matrix.n_arms)))
        return Problem(name, matrix, {"P": matrix.P.tolist(), **({"names": list(matrix.names)} if has_names else {})})

    def _fetched(self, name: str, content: FetchedData) -> Problem:
        source, arms = content.source, content.arms
        matrix = self._counted(0, lambda: import_matrix(source, arms=arms).matrix)
        described = f"{source}, arms {', '.join(map(str, arms))} counted from 1" if arms else source
        origin = {"source": source, **({"arms": list(arms)} if arms else {})}
        return Problem(name, PreferenceMatrix(matrix.P, matrix.names, described), origin)

    def _generated(self, name: str, content: FamilyKeys) -> Problem:
        family = FAMILIES[content.explicit["family"]]
        parameters, seed = family_parameters(content)
        matrix = self._counted(parameters.get("n_arms", 0), family.generate, parameters, seed, self.folder, load_named)
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in parameters.items()}
        origin = {"family": family.name, **{key: value for key, value in plain.items() if value is not None}}
        return Problem(name, matrix, {**origin, **({"seed": seed} if family.is_random else {})})

    def _bandit_of_file(self, path: Path) -> ScalarBandit:
        source = yaml_source.read(self.folder / path)
        bandit, notes = None, []
        try:
            bandit = adapter(BanditKeys).validate_python(source.data).problem(str(path))
        except ValidationError as error:
            notes = mistakes(error)
        placed = [*source.mistakes, *source.placed(notes)]
        if placed or bandit is None:
            raise error_of(Mistake((), f"{path}:{place.line}:{place.column} {message}") for place, message in placed)
        return bandit


def family_parameters(keys: FamilyKeys) -> tuple[dict[str, Any], int]:
    """All parameters of a family, and the seed; a `ValueError` if parameters do not go together."""
    values = keys.explicit
    parameters = {key: value for key, value in values.items() if key not in ("family", "seed")}
    return FAMILIES[values["family"]].resolve(parameters), values.get("seed", 0)


def named_problems(content: Any, written: Any, at: Location, notes: Notes) -> list[tuple[Location, str, Any]]:
    """Problems of a spec with their locations and names, without those that are wrong.

    ``written`` is the value in the file, which gives problems their default names.
    """
    if isinstance(content, dict):
        return [((*at, name), name, item) for name, item in content.items() if item is not None]
    if _problems_type(written) is Matrix:
        content, texts, locations = [content], [written], [at]
    else:
        texts, locations = list(written), [(*at, k) for k in range(len(written))]
    names = []
    for location, text in zip(locations, texts, strict=True):
        names.append(notes.attempt(location, _default_name, text, location) or "")
    note_repeated(notes, zip(locations, names, strict=True), "matrix")
    return [item for item in zip(locations, names, content, strict=True) if item[2] is not None]


def _default_name(written: Any, location: Location) -> str:
    """A file's name without its ending, or a family with its parameters; empty if there is none."""
    if isinstance(written, (list, tuple, PythonValue)) or (isinstance(written, Mapping) and _is_inline(written)):
        place = location[-1]
        return f"matrix-{place + 1 if isinstance(place, int) else 1}"
    if isinstance(written, Mapping):
        first = [text for key in ("family", "source") if (text := written.get(key)) is not None]
        others = [f"{key}={_in_name(item)}" for key, item in written.items() if key not in ("family", "source")]
        return slug("-".join([*(_in_name(text) for text in first), *others]), "problem")
    name = Path(written).stem if isinstance(written, str) else ""
    try:
        return folder_name(name, f"results go to a folder of the file's name, {shown(name)}") if name else ""
    except ValueError as error:
        raise ValueError(f"{error}; rename the file, or write 'name: path'") from None


def _in_name(value: Any) -> str:
    """A value as a part of a default name."""
    if isinstance(value, (list, tuple)):
        return "-".join(_in_name(item) for item in value)
    return str(value) if isinstance(value, (str, int, float)) else ""


def is_bandit(content: Any) -> bool:
    """Whether a value of a spec, once it is read, describes a scalar bandit."""
    return isinstance(content, (Bandit, BanditFile))
