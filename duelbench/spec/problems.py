"""The ``matrix``, ``problem`` or ``problems`` of a spec: matrix files, families, fetched data and scalar bandits."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from duelbench.algorithms.exploration.scalar_decisions import DECISIONS
from duelbench.errors import likeliest
from duelbench.problem.decision_rule import Decision
from duelbench.problem.families import FAMILIES
from duelbench.problem.family import MAX_SEED, Family
from duelbench.problem.matrix_files import MAX_ARMS
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.problem.sources.datasets import DATASETS, SUBSETS
from duelbench.problem.sources.importing import import_matrix, parse_arms
from duelbench.spec import yaml_source
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.keys import UNSAID, Key, Keys, Tagged, by_name, parameter_keys
from duelbench.spec.kinds import SPELLED_REAL, Choice, OneOrMore, Read, Whole, either, file_path, several, text
from duelbench.spec.naming import folder_name, slug
from duelbench.spec.numerals import real_number, shown
from duelbench.spec.reading import MAX_LISTED, Kind, Reading, Schema, check_names, listed, named, word
from duelbench.spec.yaml_source import Scalar, Value

MAX_ENTRIES = 2 * MAX_ARMS**2
"""Most entries of the matrices of a spec, together; read files may exceed them once."""

FAMILY_SEEDS = Whole(0, MAX_SEED, high_text="2^128 - 1")

_FILE = file_path("the path of a matrix file")
_EXAMPLE = "{family: linear, n_arms: 64}"


class _Arms(Kind):
    """Arms counted from 1: a list, or text as on the command line."""

    _ONE = Whole(1, MAX_ARMS)

    def read(self, value: Value, at: Reading) -> tuple[int, ...] | None:
        if isinstance(value, list):
            return OneOrMore(self._ONE).read(value, at)
        return at.attempt(lambda: parse_arms(word(value, "arms counted from 1, such as [2, 4, 3]")))

    def json_schema(self) -> Schema:
        return {
            "anyOf": [
                several(self._ONE.json_schema(), 2),
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
    no_seed = f"unknown parameter 'seed' for {family.name}, which draws nothing; remove it"
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
        {} if family.is_random else {"seed": no_seed},
    )


FAMILY = Tagged("family", {name: _family_keys(family) for name, family in FAMILIES.items()}, "a family")


def family_parameters(said: Mapping[str, Any], at: Reading) -> tuple[dict[str, Any], int] | None:
    """All parameters of a family, and the seed, from what `FAMILY` read; None after noting what is wrong."""
    given = {key: value for key, value in said.items() if key not in ("family", "seed")}
    resolved = at.attempt(FAMILIES[said["family"]].resolve, given)
    return None if resolved is None else (resolved, said.get("seed", 0))


class Matrix(Kind):
    """One preference matrix: the path of a file, a family with its parameters, or fetched data."""

    def read(self, value: Value, at: Reading, name: str = "") -> Problem | None:
        """The problem called ``name``, which is now one of the draft's."""
        if not is_scalar(value):
            at.draft.posed.append(False)
        if isinstance(value, dict):
            at.draft.asked[name] = value
        problem = self.made(value, at, name)
        at.draft.problems += [problem] if problem else []
        return problem

    def made(self, value: Value, at: Reading, name: str = "") -> Problem | None:
        """The problem called ``name``, without making it one of the draft's."""
        if isinstance(value, list):
            at.note(_about_list(value))
        elif not isinstance(value, dict):
            path: Path | None = _FILE.read(value, at)
            matrix = path and _made(at, 0, PreferenceMatrix.load, str(value), at.draft.folder)
            return Problem(name, matrix, path) if path and matrix else None
        elif is_scalar(value):
            at.note("is a scalar bandit, and no matrix")
        elif "family" in value:
            said = FAMILY.read(value, at)
            return _generated(name, {key: said[key] for key in map(str, value) if key in said}, at) if said else None
        elif "source" in value:
            said = _DATA.read_whole(value, at)
            return _fetched(name, said["source"], said.get("arms"), at) if said else None
        else:
            for key in value:
                if meant := likeliest(key, ["family", "source"]):
                    at.below(key).note(f"unknown key {shown(key)} (did you mean '{meant}'?)", at_key=True)
                    return None
            at.note(f"must be the path of a matrix file, or a family with its parameters: '{_EXAMPLE}'")
        return None

    def json_schema(self) -> Schema:
        return either(_FILE.json_schema(), FAMILY.json_schema(), _DATA.json_schema())


def _about_list(value: list[Value]) -> str:
    """What to write instead of a list."""
    if any(isinstance(row, list) for row in value):
        lines = "one line for each row, numbers with commas between them"
        return f"is written out here, but must be the path of a file: save it as a CSV file ({lines}) and name that"
    return "is one path; for several matrices use the key 'problems'"


def _made(at: Reading, n_arms: int, make: Callable[..., PreferenceMatrix], *arguments: Any) -> PreferenceMatrix | None:
    """What ``make(*arguments)`` returns, at least ``n_arms`` large, or None after noting what it refuses."""
    if at.draft.n_entries + n_arms**2 > MAX_ENTRIES:
        at.note(f"the matrices up to here have more than {MAX_ENTRIES} entries together")
        return None
    matrix = at.attempt(make, *arguments)
    at.draft.n_entries += matrix.n_arms**2 if matrix else 0
    return matrix


def _fetched(name: str, source: str, arms: tuple[int, ...] | None, at: Reading) -> Problem | None:
    matrix = _made(at, 0, lambda: import_matrix(source, arms=arms).matrix)
    if matrix is None:
        return None
    described = f"{source}, arms {', '.join(map(str, arms))} counted from 1" if arms else source
    origin = {"source": source, **({"arms": list(arms)} if arms else {})}
    return Problem(name, PreferenceMatrix(matrix.P, matrix.names, described), origin)


def _generated(name: str, said: dict[str, Any], at: Reading) -> Problem | None:
    family = FAMILIES[said["family"]]
    asked = family_parameters(said, at)
    if asked is None:
        return None
    parameters, seed = asked
    matrix = _made(at, parameters.get("n_arms", 0), family.generate, parameters, seed, at.draft.folder)
    if matrix is None:
        return None
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in parameters.items()}
    origin = {"family": family.name, **{key: value for key, value in plain.items() if value is not None}}
    return Problem(name, matrix, {**origin, **({"seed": seed} if family.is_random else {})})


MATRIX = Matrix()


MAX_MEANS = 10**5
"""Most arms of a scalar bandit in a spec."""

_BANDIT_EXAMPLE = "{means: [0.9, 0.5], decision: argmax}"
_BANDIT_FILE = file_path(f"keys such as '{_BANDIT_EXAMPLE}', or the path of a file that has them")


def _mean(value: Value) -> list[float]:
    """A number between 0 and 1; ``p x n`` (text) stands for the number p n times."""
    said = word(value, "a number between 0 and 1, or such a number and how often, as in '0.5 x 5'")
    number, x, times = (part.strip() for part in said.partition("x"))
    mean = real_number(number)
    if not 0 <= mean <= 1:
        raise ValueError(f"must lie between 0 and 1, got {shown(said)}")
    if x and not (times.isdigit() and 1 <= int(times) <= MAX_MEANS):
        raise ValueError(f"must say how often as a whole number, as in '0.5 x 5', got {shown(said)}")
    return [mean] * int(times or 1)


_MEAN = Read(
    _mean,
    {
        "anyOf": [
            {"type": "number", "minimum": 0, "maximum": 1},
            SPELLED_REAL,
            {"type": "string", "pattern": r"^\s*[0-9.eE+-]+\s*x\s*[0-9]+\s*$"},
        ]
    },
)


class _Means(Kind):
    def read(self, value: Value, at: Reading) -> list[float] | None:
        if not isinstance(value, list):
            at.note("must be a list of numbers between 0 and 1")
            return None
        means: list[float] = []
        for here, item in listed(value, at, most=MAX_MEANS):
            means += _MEAN.read(item, here) or []
            if len(means) > MAX_MEANS:
                at.note(f"has more than {MAX_MEANS} numbers")
                return None
        return means

    def json_schema(self) -> Schema:
        return several(_MEAN.json_schema())


def _decision_keys(decision: Decision) -> Keys:
    """What a spec can say of a scalar bandit with this decision."""
    is_default = decision.name == "argmax"
    return Keys(
        {
            "means": Key(
                _Means(),
                "The mean of each arm; '0.5 x 5' stands for five of 0.5.",
                fix=f"add it, as in '{_BANDIT_EXAMPLE}'",
            ),
            "decision": Key(
                Choice((decision.name,), "a decision"),
                f"{decision.name}: {decision.description}",
                "argmax" if is_default else UNSAID,
                "" if is_default else "add it",
            ),
            "names": Key(OneOrMore(text("a name")), "Names of the arms."),
            **parameter_keys(decision.parameters),
        },
        _BANDIT_EXAMPLE,
        owner=f" for the decision {decision.name}",
    )


def is_scalar(value: Value) -> bool:
    """Whether keys and values ask for a scalar bandit."""
    return isinstance(value, dict) and "means" in value


class _Bandit(Kind):
    """A scalar bandit: keys with values, or the path of a file that has them."""

    keys = Tagged(
        "decision", {name: _decision_keys(decision) for name, decision in DECISIONS.items()}, "a decision", "argmax"
    )

    def read(self, value: Value, at: Reading, name: str = "") -> None:
        """Make the problem called ``name`` one of the draft's."""
        if isinstance(value, list):
            at.note("is one scalar bandit; for several problems use the key 'problems'")
        elif isinstance(value, dict):
            at.draft.posed.append(True)
            if (bandit := self._bandit(value, at)) is not None:
                at.draft.problems.append(Problem(name, bandit, bandit.content()))
        elif (path := _BANDIT_FILE.read(value, at)) is not None and (bandit := self._from_file(path, at)) is not None:
            at.draft.problems.append(Problem(name, bandit, path))

    def _from_file(self, path: Path, at: Reading) -> ScalarBandit | None:
        source = at.attempt(yaml_source.read, at.draft.folder / path)
        if source is None:
            return None
        at.draft.posed.append(True)
        inside = Reading()
        bandit = self._bandit(source.data, inside, str(path))
        for mistake in [*source.mistakes, *source.located(inside.draft.noted)]:
            at.note(f"{path}:{mistake.place.line}:{mistake.place.column} {mistake.message}")
        return bandit

    def _bandit(self, content: Value, at: Reading, source: str | None = None) -> ScalarBandit | None:
        said = self.keys.read(content, at)
        if said is None:
            return None
        means, decision, names = said.pop("means"), DECISIONS[said.pop("decision")], said.pop("names", None)
        if names is not None and len(names) != len(means):
            at.below("names").note(f"has {len(names)} names for {len(means)} means")
            return None
        source = source or f"{decision.name} of {len(means)} means"
        return at.attempt(ScalarBandit, means, decision, said, names, source)

    def json_schema(self) -> Schema:
        return either(_BANDIT_FILE.json_schema(), self.keys.json_schema())


BANDIT = _Bandit()


class Problems(Kind):
    """Matrices: one, a list of them (named by their files or families), or a mapping of names to matrices.

    The mapping can be of names to scalar bandits instead.
    """

    def read(self, value: Value, at: Reading) -> None:
        if is_scalar(value):
            at.note("is a list of problems, or a mapping of names to them; for one scalar bandit write 'problem'")
            return
        if isinstance(value, dict) and not _is_item(value):
            items = named(value, at, "the path of a matrix file, a list of paths, or a mapping of names to paths")
        else:
            items = [(here, _default_name(item, here), item) for here, item in listed(value, at, most=MAX_LISTED)]
        check_names(items, "matrix")
        for here, name, item in items:
            (BANDIT if is_scalar(item) else MATRIX).read(item, here, name)
        if len({is_scalar(item) for _, _, item in items}) > 1:
            at.note("has matrices and scalar bandits, which share no regret; write a spec for each kind")
            at.draft.problems.clear()

    def json_schema(self) -> Schema:
        matrix = {"$ref": "#/properties/matrix"}
        item = {"anyOf": [matrix, {"$ref": "#/properties/problem"}]}
        return {"anyOf": [matrix, several(item), by_name(item)]}


def _is_item(content: dict[Scalar, Value]) -> bool:
    """Whether keys and values ask for one matrix, and are no names with matrices."""
    return "family" in content or content.get(Scalar("source")) in DATASETS


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
