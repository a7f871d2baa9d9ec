"""The ``sweep`` of a spec: the same experiment at several values of one setting, or on many random matrices.

The setting is the batch or the delay of feedback, the horizon, a parameter of the matrices' family (or the family
itself), or a parameter of the algorithms: of all of them (``alpha``), or of one (``rucb.alpha``), while the others stay
as they are and are run once. Every run is the same as that of a plain spec with that setting.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from duelbench.algorithms.contract import Algorithm
from duelbench.errors import nearest, nearest_or_all
from duelbench.problem.families import FAMILIES
from duelbench.problem.family import game_seed
from duelbench.simulation.game import MOST_DELAY
from duelbench.simulation.terms import SETTINGS as DEFAULTS
from duelbench.spec.experiment_spec import MAX_CELLS, Entry, Point, Problem, Sweep
from duelbench.spec.fitting import regret_refusal, sweep_refusals
from duelbench.spec.keys import Key, Keys, of_parameter
from duelbench.spec.kinds import UP_TO_HORIZON, either, several, text, whole
from duelbench.spec.naming import slug
from duelbench.numerals import shown
from duelbench.spec.problems import FAMILY_SEEDS, MATRIX
from duelbench.spec.reading import MAX_LISTED, Draft, Kind, Reading, Wrong, listed
from duelbench.spec.yaml_source import Location, Scalar, Value

FEEDBACK = ("feedback_batch", "feedback_delay")
"""Settings of feedback; at most one of them may have another value than its default."""

DELAY = whole(0, MOST_DELAY, "rounds")
"""How many rounds late outcomes are."""

SETTINGS = (*FEEDBACK, "horizon")
"""Settings of the experiment that a sweep can be over."""

Values = list[tuple[Reading, Value]]


def _sweep(given: dict[str, Any], at: Reading) -> Sweep | None:
    """One setting with its values; checked as far as the problems, the horizon and the algorithms are valid."""
    draft = at.draft
    if not 0 < len(draft.problems) == len(draft.posed) or not {"horizon", "algorithms"} <= {*draft.keys}:
        return None
    values, games, entries, horizon = given["values"], given["games"], draft.keys["algorithms"], draft.keys["horizon"]
    of_matrices = _of_matrices(draft.problems)
    over = at.below("over").attempt(_setting, given["over"], of_matrices, [entry.algorithm for entry in entries])
    if over is None:
        raise Wrong
    with at.faultless():
        for key in FEEDBACK if over in FEEDBACK else ():
            if draft.keys.get(key, DEFAULTS[key]) != DEFAULTS[key]:
                at.note(f"over '{over}' conflicts with the key '{key}'; remove one of the two")
        n_cells = len(values) * games * len(draft.problems) * len(entries)
        if n_cells > MAX_CELLS:
            combinations = "combinations of problem, value, game and algorithm"
            raise ValueError(f"asks for {n_cells} {combinations}; at most {MAX_CELLS} are allowed")
        for entry in entries:
            if entry.has_own_horizons and entry.horizons != (horizon,):
                at.note(
                    f"conflicts with 'horizons' of {entry.label}: in a sweep every algorithm runs once, to the horizon"
                )
        sweep = (_over_matrices if over in of_matrices else _over_setting)(over, values, games, at)
    for name in draft.keys.get("regret", ()):
        reasons = (regret_refusal(name, problem) for problem in sweep.problems)
        if reason := next(filter(None, reasons), None):
            at.note(f"the regret {reason}")
    for why in sweep_refusals(sweep, entries, horizon):
        at.note(why)
    return sweep


_VALUE = {"type": ["string", "number", "boolean", "array"]}
_VALUES = Kind(
    lambda value, at: listed(value, at, most=MAX_LISTED) or None,  # what they may be depends on what is swept over
    either(_VALUE, several(_VALUE)),
)

SWEEP = Keys(
    {
        "over": Key(
            text("a setting such as feedback_batch"),
            "feedback_batch, feedback_delay, horizon, a parameter of the matrices' family such as n_arms, "
            "family itself, a parameter that all algorithms have, or one of a single algorithm such as "
            "rucb.alpha: the others are then run once.",
            fix="add 'over: feedback_batch'",
        ),
        "values": Key(_VALUES, "What the setting is, one after the other.", fix="add 'values: [1, 10, 100]'"),
        "games": Key(
            whole(1, 10_000, "games"),
            "Random matrices at each value, each with a seed derived from the matrix's own.",
            1,
        ),
    },
    "{over: feedback_batch, values: [1, 10, 100]}",
    _sweep,
)


def _setting(name: str, of_matrices: list[str], algorithms: list[Algorithm]) -> str:
    """What the sweep is over; it must be one thing."""
    of_all = _common([one.parameters for one in algorithms])
    of_one = [f"{one.id}.{key}" for one in algorithms for key in one.parameters]
    if name in of_matrices and name in of_all:
        raise ValueError(f"'{name}' is a parameter of the matrices and of the algorithms: it cannot be swept over")
    if name in (*SETTINGS, *of_matrices, *of_all, *of_one):
        return name
    having = [one.id for one in algorithms if name in one.parameters]
    if having:
        others = ", ".join(dict.fromkeys(one.id for one in algorithms if one.id not in having))
        raise ValueError(f"'{name}' is not a parameter of {others}; for one algorithm alone write '{having[0]}.{name}'")
    if "." in name:
        raise ValueError(f"{shown(name)} is not a parameter of an algorithm in 'algorithms'{nearest(name, of_one)}")
    hint = nearest_or_all(name, [*SETTINGS, *of_matrices, *of_all])
    raise ValueError(f"{shown(name)} is not a setting that all problems or all algorithms have{hint}")


def _common(several: Sequence[Collection[str]]) -> list[str]:
    """The names that all have."""
    return [name for name in several[0] if all(name in names for names in several)]


def _of_matrices(problems: list[Problem]) -> list[str]:
    """Parameters that the families of all problems have, and ``family``."""
    families = [
        FAMILIES[problem.origin["family"]]
        for problem in problems
        if isinstance(problem.origin, dict) and problem.origin.get("family") in FAMILIES
    ]
    return ["family", *_common([one.parameters for one in families])] if len(families) == len(problems) else []


def _over_setting(over: str, values: Values, games: int, at: Reading) -> Sweep:
    """A sweep over rounds, or over a parameter of algorithms."""
    if games > 1:
        at.below("games").note(f"needs a sweep over a parameter of the matrices, not over '{over}'")
    entries = at.draft.keys["algorithms"]
    kind = DELAY if over == "feedback_delay" else UP_TO_HORIZON
    read = [
        kind.read(item, here) if over in SETTINGS else here.attempt(_parameter, over, item, entries)
        for here, item in values
    ]
    _check_different(over, [(here, value) for (here, _), value in zip(values, read, strict=True)])
    sweep = Sweep(over, tuple(read), 1, tuple(at.draft.problems), ())
    for k, entry in enumerate(entries):
        name = sweep.replaces(entry)
        if name in entry.given:
            place = f"algorithms.{k}.{entry.algorithm.id}.{name}"
            at.below("over").note(f"'{over}' conflicts with {place}; remove one of the two")
    return sweep


def _parameter(over: str, value: Value, entries: tuple[Entry, ...]) -> Any:
    """The value as every algorithm that is swept takes it."""
    name = over.rpartition(".")[2]
    swept = [entry for entry in entries if is_swept(over, entry)]
    checked = [of_parameter(entry.algorithm.parameters[name]).parse(value) for entry in swept]
    for entry, own in zip(swept, checked, strict=True):
        entry.algorithm.resolve({**entry.parameters, name: own})
    return checked[0]


def _over_matrices(over: str, values: Values, games: int, at: Reading) -> Sweep:
    """One matrix per problem, value and game; each game has a seed of its own, derived from the matrix's."""
    # What the spec's own matrices take of what is allowed does not count here.
    draft = Draft(at.draft.folder, noted=at.draft.noted)
    points: dict[Location, Any] = {}
    problems = []
    for base in at.draft.problems:
        for here, item in values:
            for game in range(games):
                content = {**at.draft.asked[base.name], Scalar(over): item}
                problem = _game(base, over, content, game if games > 1 else None, Reading(draft, here.location), at)
                if problem is None:
                    break  # the other games have the same mistake
                assert problem.point is not None
                points[here.location] = problem.point.value
                problems.append(problem)
    _check_different(over, [(Reading(draft, location), value) for location, value in points.items()])
    return Sweep(over, tuple(points.values()), games, tuple(at.draft.problems), tuple(problems))


def _game(
    base: Problem, over: str, content: dict[Scalar, Value], game: int | None, at: Reading, sweep: Reading
) -> Problem | None:
    """The problem that ``content`` asks for, as the place of a sweep, and as one of several games."""
    family = FAMILIES.get(str(content[Scalar("family")]))
    if game is not None and family is not None:
        if not family.is_random:
            sweep.below("games").note(f"{family.name} draws nothing: all games would be the same")
            return None
        seed = FAMILY_SEEDS.parse(content.get(Scalar("seed"), Scalar(0)))
        content = {**content, Scalar("seed"): Scalar(game_seed(seed, game))}
    problem = MATRIX.read(content, at)
    if problem is None:
        return None
    assert isinstance(problem.origin, dict)
    point = Point(_title(base, over), over, problem.origin.get(over), game)
    folders = [base.name, value_folder(over, point.value), "" if game is None else f"game-{game:05d}"]
    return replace(problem, name="/".join(filter(None, folders)), point=point)


def _check_different(over: str, values: list[tuple[Reading, Any]]) -> None:
    """Note values that share a folder of results with another."""
    seen: set[str] = set()
    for at, value in values:
        folder = value_folder(over, value)
        if value is not None and folder in seen:
            at.note(f"appears twice, or gives the folder '{folder}' twice; remove one")
        seen.add(folder)


def _title(base: Problem, over: str) -> str:
    """What tables call a problem of a family, without what the sweep replaces; it may be empty."""
    if base.name:
        return base.title
    name, _, details = base.title.removesuffix(")").partition(" (")
    others = ", ".join(detail for detail in details.split(", ") if not detail.startswith(f"{over}="))
    if over == "family":
        return others
    return f"{name} ({others})" if others else name


def value_folder(over: str, value: Any) -> str:
    """The folder of the results at one value.

    Examples
    --------
    >>> value_folder("feedback_batch", 100), value_folder("alpha", 0.51)
    ('feedback-batch-100', 'alpha-0.51')
    """
    given = "-".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return slug(f"{over}-{given}", "value")


def is_swept(over: str, entry: Entry) -> bool:
    """Whether an entry is another one at each value of a sweep that is not over matrices."""
    return over.rpartition(".")[0] in ("", entry.algorithm.id)
