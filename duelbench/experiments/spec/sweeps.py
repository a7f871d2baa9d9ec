"""The ``sweep`` of a spec: the same experiment at several values of one setting, or on many random matrices.

The setting is the batch or the delay of feedback, the horizon, a parameter of the matrices' family (or the family
itself), or a parameter of the algorithms: of all of them (``alpha``), or of one (``rucb.alpha``), while the others stay
as they are and are run once. Every run is the same as that of a plain spec with that setting.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from pydantic import Field

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem.families import FAMILIES
from duelbench.bandits.problem.family import game_seed
from duelbench.bandits.simulation.game import MOST_DELAY
from duelbench.bandits.simulation.terms import SETTINGS as DEFAULTS
from duelbench.bandits.simulation.terms import Settings
from duelbench.common.numerals import shown, whole_number
from duelbench.errors import nearest, nearest_or_all
from duelbench.experiments.spec.experiment_spec import MAX_CELLS, Entry, Point, Problem, Sweep, is_swept, value_folder
from duelbench.experiments.spec.fields import (
    MAX_LISTED,
    Notes,
    OfParameter,
    Part,
    Reader,
    Together,
    Whole,
    Word,
    adapter,
    any_of,
    check_length,
)
from duelbench.experiments.spec.fitting import regret_refusal, sweep_refusals
from duelbench.experiments.spec.problems import FamilyMatrix, Maker
from duelbench.experiments.spec.yaml_source import Location

FEEDBACK = ("feedback_batch", "feedback_delay")
"""Settings of feedback; at most one of them may have another value than its default."""

SETTINGS = (*FEEDBACK, "horizon")
"""Settings of the experiment that a sweep can be over."""


def _values(value: Any) -> tuple[Any, ...]:
    """Return the values as a tuple; the setting decides later which are valid."""
    if value is None:
        raise ValueError("has no value; write the values, as in '[1, 10, 100]'")
    values = value if isinstance(value, (list, tuple)) else [value]
    check_length(values, 1, MAX_LISTED)
    return tuple(values)


_VALUE = {"type": ["string", "number", "boolean", "array"]}
_Values = Reader(_values, any_of(_VALUE, {"type": "array", "items": _VALUE, "minItems": 1}))


class SweepKeys(Part):
    """One setting that takes several values."""

    example: ClassVar[str] = "{over: feedback_batch, values: [1, 10, 100]}"

    over: Annotated[str, Word("a setting such as feedback_batch"), Together(add="add 'over: feedback_batch'")] = Field(
        description="feedback_batch, feedback_delay, horizon, a parameter of the matrices' family such as n_arms, "
        "family itself, a parameter that all algorithms have, or one of a single algorithm such as rucb.alpha: the "
        "others are then run once."
    )
    values: Annotated[tuple[Any, ...], _Values, Together(add="add 'values: [1, 10, 100]'")] = Field(
        description="The values of the setting."
    )
    games: Annotated[int, Whole(1, 10_000, "games")] = Field(
        1, description="Random matrices at each value, each with a seed derived from the matrix's own."
    )


@dataclass(frozen=True)
class Swept:
    """The rest of a spec, without mistakes, on which a sweep depends."""

    problems: Sequence[Problem]
    contents: Sequence[Any]  # the problems as the spec describes them
    entries: Sequence[Entry]
    horizon: int
    settings: Settings
    regret: Sequence[str]
    maker: Maker
    is_list: bool  # whether the values are written as a list


def make_sweep(keys: SweepKeys, spec: Swept, notes: Notes) -> Sweep | None:
    """Return the sweep; None, with notes, if it is wrong."""
    of_matrices = _of_matrices(spec.problems)
    algorithms = [entry.algorithm for entry in spec.entries]
    over = notes.attempt(("sweep", "over"), _setting, keys.over, of_matrices, algorithms)
    if over is None:
        return None
    before = len(notes.mistakes)
    notes.attempt(("sweep",), _check_size, keys, spec)
    for name in FEEDBACK if over in FEEDBACK else ():
        if getattr(spec.settings, name) != DEFAULTS[name]:
            notes.note(("sweep",), f"over '{over}' conflicts with the key '{name}'; remove one of the two")
    for entry in spec.entries:
        if entry.has_own_horizons and entry.horizons != (spec.horizon,):
            message = (
                f"conflicts with 'horizons' of {entry.label}: in a sweep every algorithm runs once, to the horizon"
            )
            notes.note(("sweep",), message)
    if len(notes.mistakes) > before:
        return None
    make = _over_matrices if over in of_matrices else _over_setting
    sweep = make(over, keys, spec, notes)
    if sweep is None or len(notes.mistakes) > before:
        return None
    for name in spec.regret:
        reasons = (regret_refusal(name, problem) for problem in sweep.problems)
        if reason := next(filter(None, reasons), None):
            notes.note(("sweep",), f"the regret {reason}")
    for why in sweep_refusals(sweep, spec.entries, spec.horizon):
        notes.note(("sweep",), why)
    return sweep


def _check_size(keys: SweepKeys, spec: Swept) -> None:
    n_cells = len(keys.values) * keys.games * len(spec.problems) * len(spec.entries)
    if n_cells > MAX_CELLS:
        combinations = "combinations of problem, value, game and algorithm"
        raise ValueError(f"has {n_cells} {combinations}; at most {MAX_CELLS} are allowed")


def _setting(name: str, of_matrices: Sequence[str], algorithms: Sequence[Algorithm]) -> str:
    """Return the setting that the sweep is over; refuse unknown and ambiguous ones."""
    of_all = _common([algorithm.parameters for algorithm in algorithms])
    of_one = [f"{algorithm.id}.{key}" for algorithm in algorithms for key in algorithm.parameters]
    if name in of_matrices and name in of_all:
        raise ValueError(f"'{name}' is a parameter of the matrices and of the algorithms: it cannot be swept over")
    if name in (*SETTINGS, *of_matrices, *of_all, *of_one):
        return name
    having = [algorithm.id for algorithm in algorithms if name in algorithm.parameters]
    if having:
        others = ", ".join(dict.fromkeys(algorithm.id for algorithm in algorithms if algorithm.id not in having))
        raise ValueError(f"'{name}' is not a parameter of {others}; for one algorithm alone write '{having[0]}.{name}'")
    if "." in name:
        raise ValueError(f"{shown(name)} is not a parameter of an algorithm in 'algorithms'{nearest(name, of_one)}")
    hint = nearest_or_all(name, [*SETTINGS, *of_matrices, *of_all])
    raise ValueError(f"{shown(name)} is not a setting that all problems or all algorithms have{hint}")


def _common(several: Sequence[Collection[str]]) -> list[str]:
    """Return the names that all collections have."""
    return [name for name in several[0] if all(name in names for names in several)]


def _of_matrices(problems: Sequence[Problem]) -> list[str]:
    """Return ``family`` and the parameters that all problems' families have; empty if a problem has no family."""
    families = [
        FAMILIES[problem.origin["family"]]
        for problem in problems
        if isinstance(problem.origin, dict) and problem.origin.get("family") in FAMILIES
    ]
    if len(families) < len(problems):
        return []
    return ["family", *_common([family.parameters for family in families])]


def _location(spec: Swept, k: int) -> Location:
    return ("sweep", "values", k) if spec.is_list else ("sweep", "values")


def _over_setting(over: str, keys: SweepKeys, spec: Swept, notes: Notes) -> Sweep | None:
    """Return a sweep over rounds, or over a parameter of algorithms."""
    if keys.games > 1:
        notes.note(("sweep", "games"), f"needs a sweep over a parameter of the matrices, not over '{over}'")
    values = []
    for k, value in enumerate(keys.values):
        values.append(notes.attempt(_location(spec, k), _value, over, value, spec))
    _check_different(over, values, spec, notes)
    sweep = Sweep(over, tuple(values), 1, tuple(spec.problems), ())
    for k, entry in enumerate(spec.entries):
        name = sweep.replaces(entry)
        if name in entry.explicit:
            place = f"algorithms.{k}.{entry.algorithm.id}.{name}"
            notes.note(("sweep", "over"), f"'{over}' conflicts with {place}; remove one of the two")
    return sweep


def _value(over: str, value: Any, spec: Swept) -> Any:
    """Return the value as the setting reads it; refuse a value that a swept algorithm does not accept."""
    if over == "feedback_delay":
        return whole_number(value, 0, MOST_DELAY, "rounds")
    if over in SETTINGS:
        return up_to_horizon(whole_number(value, 1, 10**15, "rounds"), spec.horizon)
    name = over.rpartition(".")[2]
    swept = [entry for entry in spec.entries if is_swept(over, entry)]
    checked = [OfParameter(entry.algorithm.parameters[name]).read(value) for entry in swept]
    for entry, parameter in zip(swept, checked, strict=True):
        entry.algorithm.resolve({**entry.parameters, name: parameter})
    return checked[0]


def up_to_horizon(rounds: int, horizon: int | None) -> int:
    """Return a number of rounds; refuse one above the horizon, if the horizon is known."""
    if horizon is not None and rounds > horizon:
        raise ValueError(f"must be at most the horizon, {horizon:_} rounds, got {rounds:_}")
    return rounds


def _over_matrices(over: str, keys: SweepKeys, spec: Swept, notes: Notes) -> Sweep | None:
    """Return a sweep with a matrix per problem, value and game; each game has a seed derived from the matrix's."""
    maker = Maker(spec.maker.folder)  # a new one, so that the matrices of the spec do not count towards its limit
    points: dict[int, Any] = {}
    problems = []
    for base, described in zip(spec.problems, spec.contents, strict=True):
        for k, value in enumerate(keys.values):
            for game in range(keys.games):
                game_index = game if keys.games > 1 else None
                content = {**described.explicit, over: value}
                problem = notes.attempt(_location(spec, k), _game, base, over, content, game_index, maker)
                if problem is None:
                    break  # the other games have the same mistake
                assert problem.point is not None
                points[k] = problem.point.value
                problems.append(problem)
    families = {problem.origin["family"] for problem in problems if isinstance(problem.origin, dict)}
    fixed = sorted(family for family in families if not FAMILIES[family].is_random)
    if keys.games > 1 and fixed:
        notes.note(("sweep", "games"), f"{fixed[0]} draws nothing: all games would be the same")
    _check_different(over, [points.get(k) for k in range(len(keys.values))], spec, notes)
    return Sweep(over, tuple(points.values()), keys.games, tuple(spec.problems), tuple(problems))


def _game(base: Problem, over: str, content: dict[str, Any], game: int | None, maker: Maker) -> Problem:
    """Make the problem at one point of a sweep, with a separate seed if there are several games."""
    family = adapter(FamilyMatrix).validate_python(content)
    if game is not None and "seed" in family.all_values():
        family = adapter(FamilyMatrix).validate_python(
            {**content, "seed": game_seed(family.all_values()["seed"], game)}
        )
    problem = maker.problem(base.name, family)
    assert isinstance(problem.origin, dict)
    point = Point(_title(base, over), over, problem.origin.get(over), game)
    folders = [base.name, value_folder(over, point.value), "" if game is None else f"game-{game:05d}"]
    return replace(problem, name="/".join(filter(None, folders)), point=point)


def _check_different(over: str, values: Sequence[Any], spec: Swept, notes: Notes) -> None:
    """Note values that would share a folder of results with an earlier value."""
    seen: set[str] = set()
    for k, value in enumerate(values):
        folder = value_folder(over, value)
        if value is not None and folder in seen:
            notes.note(_location(spec, k), f"appears twice, or gives the folder '{folder}' twice; remove one")
        seen.add(folder)


def _title(base: Problem, over: str) -> str:
    """Return the name in tables of a problem from a family, without the swept parameter; it may be empty."""
    if base.name:
        return base.title
    name, _, details = base.title.removesuffix(")").partition(" (")
    others = ", ".join(detail for detail in details.split(", ") if not detail.startswith(f"{over}="))
    if over == "family":
        return others
    return f"{name} ({others})" if others else name
