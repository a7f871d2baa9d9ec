"""The ``sweep`` of a spec: the same experiment at several values of one setting, or on many random matrices.

The setting is the feedback delay, the horizon, a parameter of the matrices' family (or the family itself), or a
parameter of the algorithms: of all of them (``alpha``), or of one (``rucb.alpha``), while the others stay as they are
and are run once. Every run is the very run of a plain spec with that setting.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from duelbench.errors import likeliest, nearest
from duelbench.problem.families import FAMILIES
from duelbench.problem.family import game_seed
from duelbench.spec.entries import ROUNDS, parameter_value
from duelbench.spec.experiment_spec import Entry, Point, Problem, Sweep
from duelbench.spec.naming import slug
from duelbench.spec.numerals import Whole, shown
from duelbench.spec.problems import FAMILY_SEEDS, ProblemReader
from duelbench.spec.values import MAX_LISTED, items, kind, whole, word
from duelbench.spec.yaml_source import Scalar, Value

GAMES = Whole(1, 10_000, "games")

MAX_CELLS = 10_000
"""Most combinations of problem, value, game and algorithm."""

KEYS = ("over", "values", "games")

SETTINGS = ("feedback_delay", "horizon")
"""Settings of the experiment that a sweep can be over."""

Asked = Mapping[str, tuple[Mapping[str, Value], int]]
"""Name of a problem that is of a family -> what the spec says of it, as text, and its seed."""


class SweepReader:
    """Reads a sweep.

    Parameters
    ----------
    reader : ProblemReader
        Generates the matrices; what is wrong with them is noted in its errors.
    asked : Asked
    problems : sequence of Problem
        As the spec names them.
    horizon : int
    entries : sequence of Entry
    """

    def __init__(
        self, reader: ProblemReader, asked: Asked, problems: Sequence[Problem], horizon: int, entries: Sequence[Entry]
    ) -> None:
        self._reader = reader
        self._errors = reader.errors
        self._asked = asked
        self._problems = problems
        self._horizon = horizon
        self._entries = entries

    def read(self, value: Value) -> Sweep:
        """The sweep that ``value`` asks for.

        Raises
        ------
        ValueError, pydantic.ValidationError
            With every mistake in it.
        """
        if not isinstance(value, dict):
            raise ValueError(f"must be keys, as in '{{over: feedback_delay, values: [1, 10, 100]}}', not {kind(value)}")
        content = {str(key): item for key, item in value.items()}
        unknown = [key for key in content if key not in KEYS]
        for key in unknown:
            hint = nearest(key, KEYS) or f" (there are {', '.join(KEYS)})"
            self._errors.add((key,), f"unknown key {shown(key)}{hint}", at_key=True)
        for key, example in (("over", "over: feedback_delay"), ("values", "values: [1, 10, 100]")):
            if key not in content and key not in (likeliest(word, KEYS) for word in unknown):
                self._errors.add((), f"the key '{key}' is missing; add '{example}'")
        self._errors.raise_any()
        over = self._errors.read(("over",), self._setting, content["over"])
        games = self._errors.read(("games",), whole, content["games"], GAMES) if "games" in content else 1
        listed = self._errors.read(("values",), items, content["values"], MAX_LISTED)
        self._errors.raise_any()
        assert over is not None and games is not None and listed is not None
        self._check_size(len(listed), games)
        self._check_horizons()
        sweep = self._swept(over, [(("values", *at), item) for at, item in listed], games)
        self._errors.raise_any()
        return sweep

    def _setting(self, value: Value) -> str:
        """What the sweep is over; it must be one thing."""
        name = word(value, "a setting such as feedback_delay")
        if "." in name:
            return self._of_one_algorithm(name)
        of_family, of_algorithms = self._is_of_family(name), self._is_of_algorithms(name)
        if name in SETTINGS or of_family != of_algorithms:
            return name
        if of_family:
            raise ValueError(f"'{name}' is a parameter of the matrices and of the algorithms: it cannot be swept over")
        without = [entry.algorithm.id for entry in self._entries if name not in entry.algorithm.parameters]
        if 0 < len(without) < len(self._entries):
            having = next(entry.algorithm.id for entry in self._entries if name in entry.algorithm.parameters)
            others = ", ".join(dict.fromkeys(without))
            raise ValueError(f"'{name}' is no parameter of {others}; for one algorithm alone write '{having}.{name}'")
        known = [*SETTINGS, *self._family_keys(), *self._algorithm_keys()]
        hint = nearest(name, known) or f" (there are {', '.join(known)})"
        raise ValueError(f"{shown(name)} is no setting that all problems or all algorithms have{hint}")

    def _of_one_algorithm(self, name: str) -> str:
        """``algorithm.parameter``, where the spec has the algorithm and the algorithm the parameter."""
        id, _, parameter = name.rpartition(".")
        algorithms = {entry.algorithm.id: entry.algorithm for entry in self._entries}
        if id not in algorithms:
            hint = nearest(id, algorithms) or f" (there are {', '.join(algorithms)})"
            raise ValueError(f"{shown(id)} is not an algorithm of this spec{hint}")
        if parameter not in algorithms[id].parameters:
            known = algorithms[id].parameters
            hint = nearest(parameter, known) or f" (it has {', '.join(known) or 'none'})"
            raise ValueError(f"unknown parameter {shown(parameter)} for {id}{hint}")
        return name

    def _is_of_family(self, name: str) -> bool:
        return name in self._family_keys()

    def _family_keys(self) -> list[str]:
        """Parameters that the families of all problems have, and ``family``."""
        if not self._problems or any(problem.name not in self._asked for problem in self._problems):
            return []
        families = [self._family(problem) for problem in self._problems]
        common = [key for key in families[0].parameters if all(key in other.parameters for other in families)]
        return ["family", *common]

    def _family(self, problem: Problem) -> Any:
        assert isinstance(problem.origin, dict)
        return FAMILIES[problem.origin["family"]]

    def _is_of_algorithms(self, name: str) -> bool:
        return name in self._algorithm_keys()

    def _algorithm_keys(self) -> list[str]:
        first, *others = (entry.algorithm.parameters for entry in self._entries)
        return [key for key in first if all(key in parameters for parameters in others)]

    def _check_size(self, n_values: int, games: int) -> None:
        n_cells = n_values * games * len(self._problems) * len(self._entries)
        if n_cells > MAX_CELLS:
            raise ValueError(
                f"asks for {n_cells} combinations of problem, value, game and algorithm; at most {MAX_CELLS} are "
                "allowed"
            )

    def _check_horizons(self) -> None:
        for entry in self._entries:
            if entry.has_own_horizons and entry.horizons != (self._horizon,):
                raise ValueError(
                    f"stands beside 'horizons' of {entry.label}: in a sweep every algorithm runs once, to the horizon"
                )

    def _swept(self, over: str, listed: list[tuple[tuple[Any, ...], Value]], games: int) -> Sweep:
        if self._is_of_family(over):
            return self._over_matrices(over, listed, games)
        if games > 1:
            self._errors.add(("games",), f"needs a sweep over a parameter of the matrices, not over '{over}'")
        read = self._rounds if over in SETTINGS else self._parameter
        values = [self._errors.read(at, read, item, over) for at, item in listed]
        self._check_different(over, values, [at for at, _ in listed])
        sweep = Sweep(over, tuple(values), 1, tuple(self._problems), ())
        self._check_not_given(sweep)
        return sweep

    def _check_not_given(self, sweep: Sweep) -> None:
        """An algorithm cannot have a value of its own of what is swept over."""
        for k, entry in enumerate(self._entries):
            name = sweep.replaces(entry)
            if name in entry.given:
                place = f"algorithms.{k}.{entry.algorithm.id}.{name}"
                self._errors.add(("over",), f"'{sweep.over}' stands beside {place}; remove one of the two")

    def _rounds(self, value: Value, over: str) -> int:
        rounds = whole(value, ROUNDS)
        if rounds > self._horizon:
            raise ValueError(f"must be at most the horizon, {self._horizon:_} rounds, got {shown(value)}")
        return rounds

    def _parameter(self, value: Value, over: str) -> Any:
        """The value as every algorithm that is swept takes it."""
        name = parameter_of(over)
        swept = [entry for entry in self._entries if is_swept(over, entry)]
        known = [entry.algorithm.parameters[name] for entry in swept]
        checked = [parameter.check(parameter_value(value, parameter)) for parameter in known]
        for entry, own in zip(swept, checked, strict=True):
            entry.algorithm.resolve({**entry.parameters, name: own})
        return checked[0]

    def _check_different(self, over: str, values: Sequence[Any], places: Sequence[tuple[Any, ...]]) -> None:
        seen: set[str] = set()
        for value, at in zip(values, places, strict=True):
            folder = value_folder(over, value)
            if value is not None and folder in seen:
                self._errors.add(at, f"stands twice, or gives the folder '{folder}' twice; remove one")
            seen.add(folder)

    def _over_matrices(self, over: str, listed: list[tuple[tuple[Any, ...], Value]], games: int) -> Sweep:
        """One matrix per problem, value and game; each game has a seed of its own, derived from the matrix's."""
        values: dict[tuple[Any, ...], Any] = {}
        problems = []
        for base in self._problems:
            content, seed = self._asked[base.name]
            for at, item in listed:
                for game in range(games):
                    problem = self._game(base, over, item, {**content}, seed, game, games, at)
                    if problem is None:
                        break  # the other games have the same mistake
                    assert problem.point is not None
                    values[at] = problem.point.value
                    problems.append(problem)
        self._errors.raise_any()
        self._check_different(over, list(values.values()), list(values))
        self._errors.raise_any()
        return Sweep(over, tuple(values.values()), games, tuple(self._problems), tuple(problems))

    def _game(
        self,
        base: Problem,
        over: str,
        item: Value,
        content: dict[str, Value],
        seed: int,
        game: int,
        games: int,
        at: Any,
    ) -> Problem | None:
        content[over] = item
        name = str(item) if over == "family" else str(content["family"])
        family = FAMILIES.get(name)
        if family is not None and games > 1:
            if not family.is_random:
                self._errors.add(("games",), f"{name} draws nothing: all games would be the same")
                return None
            content["seed"] = Scalar(game_seed(seed, game))
        problem = self._reader.read("", {Scalar(key): value for key, value in content.items()}, at)
        if problem is None:
            return None
        assert isinstance(problem.origin, dict)
        point = Point(_title(base, over), over, problem.origin.get(over), game if games > 1 else None)
        folders = [base.name, value_folder(over, point.value), *([f"game-{game:05d}"] if games > 1 else [])]
        return replace(problem, name="/".join(part for part in folders if part), point=point)


def _title(base: Problem, over: str) -> str:
    """What tables call a problem of a family, without what the sweep replaces; it may be empty.

    Examples
    --------
    >>> matrix = FAMILIES["flat"].generate({"n_arms": 6, "p": 0.7})
    >>> base = Problem("", matrix, {"family": "flat", "n_arms": 6, "p": 0.7})
    >>> _title(base, "n_arms"), _title(base, "p"), _title(base, "family")
    ('flat (p=0.7)', 'flat (n_arms=6)', 'n_arms=6, p=0.7')
    """
    if base.name:
        return base.title
    name, _, details = base.title.removesuffix(")").partition(" (")
    kept = ", ".join(detail for detail in details.split(", ") if not detail.startswith(f"{over}="))
    if over == "family":
        return kept
    return f"{name} ({kept})" if kept else name


def seed_of(content: Mapping[str, Value]) -> int:
    """The seed that a problem of a family asks for; 0 where it is wrong, which is noted elsewhere."""
    try:
        return whole(content["seed"], FAMILY_SEEDS) if "seed" in content else 0
    except ValueError:
        return 0


def value_folder(over: str, value: Any) -> str:
    """The folder of the results at one value.

    Examples
    --------
    >>> value_folder("feedback_delay", 100), value_folder("alpha", 0.51)
    ('feedback-delay-100', 'alpha-0.51')
    """
    said = "-".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return slug(f"{over}-{said}", "value")


def is_swept(over: str, entry: Entry) -> bool:
    """Whether an entry is another one at each value of a sweep that is not over matrices."""
    id = over.rpartition(".")[0]
    return not id or id == entry.algorithm.id


def parameter_of(over: str) -> str:
    """The parameter that a sweep over ``parameter`` or ``algorithm.parameter`` is over.

    Examples
    --------
    >>> parameter_of("alpha"), parameter_of("rucb.alpha")
    ('alpha', 'alpha')
    """
    return over.rpartition(".")[2]


def settings(sweep: Sweep, entry: Entry, value: Any, horizon: int, delay: int) -> tuple[Entry, int, int]:
    """An entry, the horizon and the feedback delay at one value of a sweep that is not over matrices.

    An algorithm that the sweep does not concern stays as it is.
    """
    if sweep.over == "feedback_delay":
        return entry, horizon, value
    if sweep.over == "horizon":
        return entry, value, delay
    name = sweep.replaces(entry)
    if name is None:
        return entry, horizon, delay
    own = entry.algorithm.parameters[name].check(value)
    return replace(entry, parameters={**entry.parameters, name: own}), horizon, delay


def is_number(value: Any) -> bool:
    """Whether a value has a place on an axis.

    Examples
    --------
    >>> is_number(3), is_number("arxiv"), is_number(True)
    (True, False, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def sweep_json_schema() -> dict[str, Any]:
    """JSON Schema of what `SweepReader` accepts, as far as it does not depend on other keys."""
    value = {"type": ["string", "number", "boolean", "array"]}
    return {
        "type": "object",
        "properties": {
            "over": {
                "type": "string",
                "description": "feedback_delay, horizon, a parameter of the matrices' family such as n_arms, family "
                "itself, a parameter that all algorithms have, or one of a single algorithm such as rucb.alpha: the "
                "others are then run once.",
            },
            "values": {"anyOf": [value, {"type": "array", "items": value, "minItems": 1}]},
            "games": {
                **GAMES.json_schema(),
                "description": "Random matrices at each value, each with a seed derived from the matrix's own.",
                "default": 1,
            },
        },
        "required": ["over", "values"],
        "additionalProperties": False,
    }
