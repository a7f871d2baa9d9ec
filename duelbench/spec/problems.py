"""The ``matrix``, ``problem`` or ``problems`` of a spec: matrix files, families, fetched data and scalar bandits."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from duelbench.algorithms.exploration.scalar_decisions import DECISIONS
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
from duelbench.spec.keys import UNSAID, Key, Keys, by_name, parameter_keys, tagged
from duelbench.spec.kinds import REAL, SPELLED_REAL, choice, either, file_path, one_or_more, several, text, whole
from duelbench.spec.naming import folder_name, slug
from duelbench.numerals import real_number, shown
from duelbench.spec.reading import MAX_LISTED, Kind, Parsed, Reading, Wrong, check_names, listed, named, word
from duelbench.spec.yaml_source import Given, Scalar, Value

MAX_ENTRIES = 2 * MAX_ARMS**2
"""Most entries of the matrices of a spec, together; read files may exceed them once."""

FAMILY_SEEDS = whole(0, MAX_SEED, high_text="2^128 - 1")

_FILE = file_path("the path of a matrix file")
_EXAMPLE = "{family: linear, n_arms: 64}"
_ROWS = "[[0.5, 0.6], [0.4, 0.5]]"

_ARM = whole(1, MAX_ARMS)
_ARMS = one_or_more(_ARM)


def _read_arms(value: Value, at: Reading) -> tuple[int, ...] | None:
    """Arms counted from 1: a list, or text as on the command line."""
    if isinstance(value, list):
        return _ARMS.read(value, at)
    return parse_arms(word(value, "arms counted from 1, such as [2, 4, 3]"))


_DATA = Keys(
    {
        "source": Key(choice(tuple(DATASETS), "fetched data"), fix="add one"),
        "arms": Key(
            Kind(
                _read_arms,
                {
                    "anyOf": [
                        several(_ARM.json_schema(), 2),
                        {"type": "string", "enum": list(SUBSETS)},
                        {"type": "string", "pattern": "^[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)*$"},
                    ]
                },
            ),
            "Arms of the file, counted from 1 as in the papers, in this order; or the name of a published set of MSLR "
            "rankers.",
        ),
    },
    "{source: mslr-informational}",
    description="Data fetched with `duelbench matrix fetch`.",
)


def _family_keys(family: Family) -> Keys:
    """What a spec can say of a family."""
    seed = Key(FAMILY_SEEDS, "Which of the matrices that could be drawn.", 0)
    no_seed = f"unknown parameter 'seed' for {family.name}, which draws nothing; remove it"
    return Keys(
        {
            "family": Key(choice((family.name,), "a family"), fix="add one"),
            **parameter_keys(family.parameters, "{}"),
            **({"seed": seed} if family.is_random else {}),
        },
        _EXAMPLE,
        description=f"{family.description}. {family.source}.",
        what="parameter",
        owner=f" for {family.name}",
        refused={} if family.is_random else {"seed": no_seed},
    )


FAMILY = tagged("family", {name: _family_keys(family) for name, family in FAMILIES.items()}, "a family")


def family_parameters(given: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """All parameters of a family, and the seed, from what `FAMILY` read.

    Raises
    ------
    ValueError
        When parameters do not go together.
    """
    parameters = {key: value for key, value in given.items() if key not in ("family", "seed")}
    return FAMILIES[given["family"]].resolve(parameters), given.get("seed", 0)


def read_matrix(value: Value, at: Reading, name: str = "") -> Problem:
    """Make the matrix called ``name`` a problem of the draft: the path of a file, a family, or fetched data."""
    if not is_scalar(value):
        at.draft.posed.append(False)
    if isinstance(value, dict):
        at.draft.asked[name] = value
    problem = matrix_problem(value, at, name)
    at.draft.problems.append(problem)
    return problem


def matrix_problem(value: Value, at: Reading, name: str = "") -> Problem:
    """The problem called ``name``, without making it one of the draft's."""
    if isinstance(value, (list, Given)):
        return _inline(name, _read_rows(value, at), None, at)
    if not isinstance(value, dict):
        path: Path = _FILE.parse(value)
        return Problem(name, _made(at, 0, PreferenceMatrix.load, str(value), at.draft.folder), path)
    if is_scalar(value):
        raise ValueError("is a scalar bandit, not a matrix")
    if "family" in value:
        given = FAMILY.reader(value, at)
        return _generated(name, {key: given[key] for key in map(str, value) if key in given}, at)
    if _is_inline(value):
        given = _NUMBERS.read_whole(value, at)
        return _inline(name, given["P"], given.get("names"), at)
    if "source" in value:
        data = _DATA.read_whole(value, at)
        return _fetched(name, data["source"], data.get("arms"), at)
    raise ValueError(f"must be the path of a matrix file, or a family with its parameters: '{_EXAMPLE}'")


def _read_rows(value: Value, at: Reading) -> Any:
    """A matrix of Python as it is, or the numbers of each row."""
    if isinstance(value, Given):
        return value.content
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise ValueError(
            f"must be one path, or rows of numbers: '{_ROWS}'; for several matrices use the key 'problems'"
        )
    with at.faultless():
        return [[REAL.read(one, there) for there, one in listed(row, here)] for here, row in listed(value, at)]


_NUMBERS = Keys(
    {
        "P": Key(Kind(_read_rows, several(several(REAL.json_schema()), 2)), f"Rows of numbers: {_ROWS}.", fix="add it"),
        "names": Key(one_or_more(text("a name"), may_repeat=True), "Names of the arms."),
    },
    f"{{P: {_ROWS}}}",
)


def _is_inline(content: dict[Scalar, Value]) -> bool:
    """Whether the keys give the numbers of a matrix."""
    return isinstance(content.get(Scalar("P")), (list, Given))


def _inline(name: str, P: Any, names: Sequence[str] | None, at: Reading) -> Problem:
    """The problem of a matrix given as numbers in the spec."""
    given = P if isinstance(P, PreferenceMatrix) else _made(at, 0, PreferenceMatrix, P, names)
    matrix = PreferenceMatrix(given.P, given.names, given.source or f"matrix of {given.n_arms} arms")
    has_names = matrix.names != tuple(map(str, range(matrix.n_arms)))
    return Problem(name, matrix, {"P": matrix.P.tolist(), **({"names": list(matrix.names)} if has_names else {})})


def _made(at: Reading, n_arms: int, make: Callable[..., PreferenceMatrix], *arguments: Any) -> PreferenceMatrix:
    """What ``make(*arguments)`` returns, which has ``n_arms`` at least and counts among the draft's entries."""
    if at.draft.n_entries + n_arms**2 > MAX_ENTRIES:
        raise ValueError(f"the matrices up to here have more than {MAX_ENTRIES} entries together")
    matrix = make(*arguments)
    at.draft.n_entries += matrix.n_arms**2
    return matrix


def _fetched(name: str, source: str, arms: tuple[int, ...] | None, at: Reading) -> Problem:
    matrix = _made(at, 0, lambda: import_matrix(source, arms=arms).matrix)
    described = f"{source}, arms {', '.join(map(str, arms))} counted from 1" if arms else source
    origin = {"source": source, **({"arms": list(arms)} if arms else {})}
    return Problem(name, PreferenceMatrix(matrix.P, matrix.names, described), origin)


def _generated(name: str, given: dict[str, Any], at: Reading) -> Problem:
    family = FAMILIES[given["family"]]
    parameters, seed = family_parameters(given)
    matrix = _made(at, parameters.get("n_arms", 0), family.generate, parameters, seed, at.draft.folder)
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in parameters.items()}
    origin = {"family": family.name, **{key: value for key, value in plain.items() if value is not None}}
    return Problem(name, matrix, {**origin, **({"seed": seed} if family.is_random else {})})


MATRIX = Kind(
    read_matrix,
    lambda: either(
        _FILE.json_schema(),
        _NUMBERS.keys["P"].kind.json_schema(),
        _NUMBERS.json_schema(),
        FAMILY.json_schema(),
        _DATA.json_schema(),
    ),
)

# --- scalar bandits ---

MAX_MEANS = 10**5
"""Most arms of a scalar bandit in a spec."""

_BANDIT_EXAMPLE = "{means: [0.9, 0.5], decision: argmax}"
_BANDIT_FILE = file_path(f"keys such as '{_BANDIT_EXAMPLE}', or the path of a file that has them")


def _mean(value: Value) -> list[float]:
    """A number between 0 and 1; ``p x n`` (text) stands for the number p n times."""
    text = word(value, "a number between 0 and 1, or such a number and how often, as in '0.5 x 5'")
    number, x, times = (part.strip() for part in text.partition("x"))
    mean = real_number(number)
    if not 0 <= mean <= 1:
        raise ValueError(f"must lie between 0 and 1, got {shown(text)}")
    if x and not (times.isdigit() and 1 <= int(times) <= MAX_MEANS):
        raise ValueError(f"must say how often as a whole number, as in '0.5 x 5', got {shown(text)}")
    return [mean] * int(times or 1)


_MEAN = Parsed(
    _mean,
    {
        "anyOf": [
            {"type": "number", "minimum": 0, "maximum": 1},
            SPELLED_REAL,
            {"type": "string", "pattern": r"^\s*[0-9.eE+-]+\s*x\s*[0-9]+\s*$"},
        ]
    },
)


def _read_means(value: Value, at: Reading) -> list[float]:
    if not isinstance(value, list):
        raise ValueError("must be a list of numbers between 0 and 1")
    means: list[float] = []
    for here, item in listed(value, at, most=MAX_MEANS):
        means += _MEAN.read(item, here) or []
        if len(means) > MAX_MEANS:
            raise ValueError(f"has more than {MAX_MEANS} numbers")
    return means


def _decision_keys(decision: Decision) -> Keys:
    """What a spec can say of a scalar bandit with this decision."""
    is_default = decision.name == "argmax"
    return Keys(
        {
            "means": Key(
                Kind(_read_means, several(_MEAN.json_schema())),
                "The mean of each arm; '0.5 x 5' stands for five of 0.5.",
                fix=f"add it, as in '{_BANDIT_EXAMPLE}'",
            ),
            "decision": Key(
                choice((decision.name,), "a decision"),
                f"{decision.name}: {decision.description}",
                "argmax" if is_default else UNSAID,
                "" if is_default else "add it",
            ),
            "names": Key(one_or_more(text("a name")), "Names of the arms."),
            **parameter_keys(decision.parameters),
        },
        _BANDIT_EXAMPLE,
        owner=f" for the decision {decision.name}",
    )


def is_scalar(value: Value) -> bool:
    """Whether keys and values ask for a scalar bandit."""
    return isinstance(value, dict) and "means" in value


_BANDIT_KEYS = tagged(
    "decision", {name: _decision_keys(decision) for name, decision in DECISIONS.items()}, "a decision", "argmax"
)


def _read_bandit(value: Value, at: Reading, name: str = "") -> None:
    """Make the scalar bandit called ``name`` a problem of the draft: keys with values, or the path of their file."""
    if isinstance(value, list):
        raise ValueError("is one scalar bandit; for several problems use the key 'problems'")
    if isinstance(value, dict):
        at.draft.posed.append(True)
        bandit = _bandit(value, at)
        at.draft.problems.append(Problem(name, bandit, bandit.content()))
    else:
        path: Path = _BANDIT_FILE.parse(value)
        at.draft.problems.append(Problem(name, _bandit_of_file(path, at), path))


def _bandit_of_file(path: Path, at: Reading) -> ScalarBandit:
    source = yaml_source.read(at.draft.folder / path)
    at.draft.posed.append(True)
    inside = Reading()
    bandit = inside.attempt(_bandit, source.data, inside, str(path))
    for mistake in [*source.mistakes, *source.located(inside.draft.noted)]:
        at.note(f"{path}:{mistake.place.line}:{mistake.place.column} {mistake.message}")
    if bandit is None:
        raise Wrong
    return bandit


def _bandit(content: Value, at: Reading, source: str | None = None) -> ScalarBandit:
    given = _BANDIT_KEYS.reader(content, at)
    means, decision, names = given.pop("means"), DECISIONS[given.pop("decision")], given.pop("names", None)
    if names is not None and len(names) != len(means):
        at.below("names").note(f"has {len(names)} names for {len(means)} means")
        raise Wrong
    return ScalarBandit(means, decision, given, names, source or f"{decision.name} of {len(means)} means")


BANDIT = Kind(_read_bandit, lambda: either(_BANDIT_FILE.json_schema(), _BANDIT_KEYS.json_schema()))

# --- several problems ---


def _read_problems(value: Value, at: Reading) -> None:
    """Make the problems of the draft: one matrix, a list named by files or families, or a mapping of names."""
    if is_scalar(value):
        raise ValueError("is a list of problems, or a mapping of names to them; for one scalar bandit write 'problem'")
    if isinstance(value, dict) and not _is_item(value):
        items = named(value, at, "the path of a matrix file, a list of paths, or a mapping of names to paths")
    else:
        is_one = isinstance(value, list) and all(isinstance(row, list) and _is_flat(row) for row in value)
        listed_items = [(at, value)] if value and is_one else listed(value, at, most=MAX_LISTED)
        items = [(here, _default_name(item, here), item) for here, item in listed_items]
    check_names(items, "matrix")
    for here, name, item in items:
        here.attempt(_read_bandit if is_scalar(item) else read_matrix, item, here, name)
    if len({is_scalar(item) for _, _, item in items}) > 1:
        at.note("has matrices and scalar bandits, which share no regret; write a spec for each kind")
        at.draft.problems.clear()


_ITEM = {"anyOf": [{"$ref": "#/properties/matrix"}, {"$ref": "#/properties/problem"}]}
PROBLEMS = Kind(_read_problems, {"anyOf": [{"$ref": "#/properties/matrix"}, several(_ITEM), by_name(_ITEM)]})


def _is_item(content: dict[Scalar, Value]) -> bool:
    """Whether the keys describe one matrix, rather than being names of several."""
    source = content.get(Scalar("source"))
    has_numbers = _is_inline(content) and content.keys() <= _NUMBERS.keys.keys()
    return "family" in content or has_numbers or (isinstance(source, Scalar) and source in DATASETS)


def _is_flat(value: list[Value]) -> bool:
    return all(isinstance(item, Scalar) for item in value)


def _default_name(item: Value, at: Reading) -> str:
    """A file's name without its ending, or a family with its parameters; '' where there is none, noted later."""
    if isinstance(item, (list, Given)) or (isinstance(item, dict) and _is_inline(item)):
        place = at.location[-1]
        return f"matrix-{place + 1 if isinstance(place, int) else 1}"
    if isinstance(item, dict):
        first = [text for key in ("family", "source") if (text := item.get(Scalar(key))) is not None]
        others = [f"{key}={_in_name(one)}" for key, one in item.items() if key not in ("family", "source")]
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
