"""The ``sweep`` of a spec: the same experiment at several values of one setting, or on many random matrices.

The setting is the feedback delay, the horizon, a parameter of the matrices' family (or the family itself), or a
parameter of the algorithms: of all of them (``alpha``), or of one (``rucb.alpha``), while the others stay as they are
and are run once. Every run is the very run of a plain spec with that setting.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from duelbench.errors import nearest_or_all
from duelbench.problem.families import FAMILIES
from duelbench.problem.family import game_seed
from duelbench.spec.experiment_spec import MAX_CELLS, Entry, Point, Problem, Sweep
from duelbench.spec.fitting import regret_refusal, sweep_refusals
from duelbench.spec.kinds import MAX_LISTED, Draft, Key, Keys, Kind, Reading, Schema, UpToHorizon, Whole, Word, listed
from duelbench.spec.naming import slug
from duelbench.spec.numerals import shown
from duelbench.spec.parameters import OfParameter
from duelbench.spec.problems import FAMILY_SEEDS, MATRIX
from duelbench.spec.yaml_source import Location, Scalar, Value

SETTINGS = ("feedback_delay", "horizon")
"""Settings of the experiment that a sweep can be over."""


class _Values(Kind):
    """Values as they stand in the file, each with its place: what they may be depends on what is swept over."""

    def read(self, value: Value, at: Reading) -> list[tuple[Reading, Value]] | None:
        return listed(value, at, most=MAX_LISTED) or None

    def json_schema(self) -> Schema:
        value = {"type": ["string", "number", "boolean", "array"]}
        return {"anyOf": [value, {"type": "array", "items": value, "minItems": 1}]}


class _Sweep(Keys):
    """One setting with its values; judged as far as the problems, the horizon and the algorithms are right."""

    def read(self, value: Value, at: Reading, into: dict[str, Any] | None = None) -> Sweep | None:
        before = len(at.draft.noted)
        said = super().read(value, at, into)
        if not said or "over" not in said:
            return None
        over = at.below("over").attempt(_setting, said["over"], at.draft)
        if over == "feedback_delay" and at.draft.keys.get("feedback_delay", 1) != 1:
            at.note("over 'feedback_delay' stands beside the key 'feedback_delay'; remove one of the two")
        if over is None or not at.draft.problems or not {"horizon", "algorithms"} <= {*at.draft.keys}:
            return None
        sweep = _SweepReader(at).swept(over, said.get("values", []), said.get("games", 1))
        if sweep is None or len(at.draft.noted) > before:
            return None
        _check(sweep, at)
        return sweep


SWEEP = _Sweep(
    {
        "over": Key(
            Word("a setting such as feedback_delay"),
            "feedback_delay, horizon, a parameter of the matrices' family such as n_arms, family itself, a parameter "
            "that all algorithms have, or one of a single algorithm such as rucb.alpha: the others are then run once.",
            fix="add 'over: feedback_delay'",
        ),
        "values": Key(_Values(), "What the setting is, one after the other.", fix="add 'values: [1, 10, 100]'"),
        "games": Key(
            Whole(1, 10_000, "games"),
            "Random matrices at each value, each with a seed derived from the matrix's own.",
            1,
        ),
    },
    "{over: feedback_delay, values: [1, 10, 100]}",
)


def _check(sweep: Sweep, at: Reading) -> None:
    """Note what does not go together with the sweep."""
    keys = at.draft.keys
    for name in keys.get("regret", ()):
        reasons = (regret_refusal(name, problem) for problem in sweep.problems)
        if reason := next(filter(None, reasons), None):
            at.note(f"the regret {reason}")
    for why in sweep_refusals(sweep, keys["algorithms"], keys["horizon"]):
        at.note(why)


def _setting(name: str, draft: Draft) -> str:
    """What the sweep is over; it must be one thing, as far as problems and algorithms are known."""
    if "." in name:
        return _of_one_algorithm(name, draft)
    families, of_all = _family_keys(draft), _algorithm_keys(draft)
    of_family = None if families is None else name in families
    of_algorithms = None if name in of_all and not draft.names_all_algorithms else name in of_all
    if name in SETTINGS or not draft.algorithms or None in (of_family, of_algorithms) or of_family != of_algorithms:
        return name
    if of_family:
        raise ValueError(f"'{name}' is a parameter of the matrices and of the algorithms: it cannot be swept over")
    having = [algorithm.id for algorithm in draft.algorithms if name in algorithm.parameters]
    if having:
        others = ", ".join(dict.fromkeys(algorithm.id for algorithm in draft.algorithms if algorithm.id not in having))
        raise ValueError(f"'{name}' is no parameter of {others}; for one algorithm alone write '{having[0]}.{name}'")
    hint = nearest_or_all(name, [*SETTINGS, *(families or ()), *of_all])
    raise ValueError(f"{shown(name)} is no setting that all problems or all algorithms have{hint}")


def _of_one_algorithm(name: str, draft: Draft) -> str:
    """``algorithm.parameter``, where the spec has the algorithm and the algorithm the parameter."""
    id, _, parameter = name.rpartition(".")
    algorithms = {algorithm.id: algorithm for algorithm in draft.algorithms}
    if id not in algorithms:
        if not draft.names_all_algorithms:
            return name
        raise ValueError(f"{shown(id)} is not an algorithm of this spec{nearest_or_all(id, algorithms)}")
    known = algorithms[id].parameters
    if parameter not in known:
        raise ValueError(f"unknown parameter {shown(parameter)} for {id}{nearest_or_all(parameter, known)}")
    return name


def _family_keys(draft: Draft) -> list[str] | None:
    """Parameters that the families of all problems have, and ``family``; None where that is not known."""
    names = [posed.family for posed in draft.posed]
    if "" in names:
        return []
    families = [FAMILIES[name] for name in names if name is not None]
    if not names or len(families) < len(names):
        return None
    return ["family", *(key for key in families[0].parameters if all(key in other.parameters for other in families))]


def _algorithm_keys(draft: Draft) -> list[str]:
    """Parameters that all algorithms have."""
    first, *others = (algorithm.parameters for algorithm in draft.algorithms) if draft.algorithms else ({},)
    return [key for key in first if all(key in parameters for parameters in others)]


class _SweepReader:
    """Reads a sweep where all that it depends on is right."""

    def __init__(self, at: Reading) -> None:
        self._at = at
        self._asked = at.draft.asked
        self._problems = at.draft.problems
        self._horizon: int = at.draft.keys["horizon"]
        self._entries: Sequence[Entry] = at.draft.keys["algorithms"]

    def swept(self, over: str, values: list[tuple[Reading, Value]], games: int) -> Sweep | None:
        """The sweep over these values; None where it is too large."""
        n_cells = len(values) * games * len(self._problems) * len(self._entries)
        if n_cells > MAX_CELLS:
            combinations = "combinations of problem, value, game and algorithm"
            self._at.note(f"asks for {n_cells} {combinations}; at most {MAX_CELLS} are allowed")
            return None
        for entry in self._entries:
            if entry.has_own_horizons and entry.horizons != (self._horizon,):
                self._at.note(
                    f"stands beside 'horizons' of {entry.label}: in a sweep every algorithm runs once, to the horizon"
                )
        if over in (_family_keys(self._at.draft) or ()):
            return self._over_matrices(over, values, games)
        if games > 1:
            self._at.below("games").note(f"needs a sweep over a parameter of the matrices, not over '{over}'")
        read = [self._rounds_or_parameter(over, item, here) for here, item in values]
        self._check_different(over, read, [here for here, _ in values])
        sweep = Sweep(over, tuple(read), 1, tuple(self._problems), ())
        self._check_not_given(sweep)
        return sweep

    def _check_not_given(self, sweep: Sweep) -> None:
        """An algorithm cannot have a value of its own of what is swept over."""
        for k, entry in enumerate(self._entries):
            name = sweep.replaces(entry)
            if name in entry.given:
                place = f"algorithms.{k}.{entry.algorithm.id}.{name}"
                self._at.below("over").note(f"'{sweep.over}' stands beside {place}; remove one of the two")

    def _rounds_or_parameter(self, over: str, value: Value, at: Reading) -> Any:
        return UpToHorizon().read(value, at) if over in SETTINGS else at.attempt(self._parameter, over, value)

    def _parameter(self, over: str, value: Value) -> Any:
        """The value as every algorithm that is swept takes it."""
        name = parameter_of(over)
        swept = [entry for entry in self._entries if is_swept(over, entry)]
        checked = [OfParameter(entry.algorithm.parameters[name]).parse(value) for entry in swept]
        for entry, own in zip(swept, checked, strict=True):
            entry.algorithm.resolve({**entry.parameters, name: own})
        return checked[0]

    def _check_different(self, over: str, values: Sequence[Any], places: Sequence[Reading]) -> None:
        seen: set[str] = set()
        for value, at in zip(values, places, strict=True):
            folder = value_folder(over, value)
            if value is not None and folder in seen:
                at.note(f"stands twice, or gives the folder '{folder}' twice; remove one")
            seen.add(folder)

    def _over_matrices(self, over: str, listed: list[tuple[Reading, Value]], games: int) -> Sweep:
        """One matrix per problem, value and game; each game has a seed of its own, derived from the matrix's."""
        # What the spec's own matrices take of what is allowed does not count here.
        draft = Draft(self._at.draft.folder, noted=self._at.draft.noted)
        values: dict[Location, Any] = {}
        problems = []
        for base in self._problems:
            for here, item in listed:
                for game in range(games):
                    problem = self._game(base, over, item, game, games, Reading(draft, here.location))
                    if problem is None:
                        break  # the other games have the same mistake
                    assert problem.point is not None
                    values[here.location] = problem.point.value
                    problems.append(problem)
        self._check_different(over, list(values.values()), [Reading(draft, location) for location in values])
        return Sweep(over, tuple(values.values()), games, tuple(self._problems), tuple(problems))

    def _game(self, base: Problem, over: str, item: Value, game: int, games: int, at: Reading) -> Problem | None:
        content: dict[Scalar, Value] = {Scalar(key): value for key, value in self._asked[base.name].items()}
        seed = FAMILY_SEEDS.parse(content["seed"]) if "seed" in content else 0  # type: ignore[index]
        content[Scalar(over)] = item
        name = str(content[Scalar("family")])
        if games > 1 and name in FAMILIES:
            if not FAMILIES[name].is_random:
                self._at.below("games").note(f"{name} draws nothing: all games would be the same")
                return None
            content[Scalar("seed")] = Scalar(game_seed(seed, game))
        problem = MATRIX.read(content, at)
        if problem is None:
            return None
        assert isinstance(problem.origin, dict)
        point = Point(_title(base, over), over, problem.origin.get(over), game if games > 1 else None)
        folders = [base.name, value_folder(over, point.value), *([f"game-{game:05d}"] if games > 1 else [])]
        return replace(problem, name="/".join(part for part in folders if part), point=point)


def _title(base: Problem, over: str) -> str:
    """What tables call a problem of a family, without what the sweep replaces; it may be empty."""
    if base.name:
        return base.title
    name, _, details = base.title.removesuffix(")").partition(" (")
    kept = ", ".join(detail for detail in details.split(", ") if not detail.startswith(f"{over}="))
    if over == "family":
        return kept
    return f"{name} ({kept})" if kept else name


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
    """The parameter that a sweep over ``parameter`` or ``algorithm.parameter`` is over."""
    return over.rpartition(".")[2]
