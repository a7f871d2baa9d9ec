"""A leaderboard: tables of ranks, made from the results of experiments.

Numbers have four significant digits. The JSON depends only on the results, not on when or where it was made.
Problems are referred to by their position in `Board.problems`, from 0.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.statistics.differences import LEVEL
from duelbench.bandits.statistics.ranks import ranks
from duelbench.errors import InputError
from duelbench.experiments.results.experiments import Experiment
from duelbench.leaderboard.runs import SETTINGS, Place, Runs, comparable_runs, runs_of_places, setting_of
from duelbench.leaderboard.scores import rounded, scores

ARMS = {"all": range(2, 10**6), "up to 16": range(2, 17), "more than 16": range(17, 10**6)}
"""Ranges of the number of arms; the matrices in each range have tables of their own."""

REGRETS = ("copeland", "weak", "borda")
"""The definitions of regret whose tables come first, in this order."""

MADE_WITH = ("duelbench", "python", "numpy", "numba", "machine")


@dataclass(frozen=True)
class Algorithm:
    """An algorithm with its parameters; no two have the same label."""

    label: str
    id: str
    anytime: bool
    trace_version: int


@dataclass(frozen=True)
class Problem:
    """A matrix; no two of one setting have the same name."""

    name: str
    setting: str
    n_arms: int
    sha256: str


class Row(NamedTuple):
    """An algorithm in a table."""

    label: str
    low: int  # the smallest possible rank, from 1
    high: int  # the largest possible rank
    group: int  # from 1; no algorithm differs significantly from the first of its group
    times: float  # regret as a multiple of the first one's: a geometric mean over the matrices
    right: float  # the share of the runs that recommend a Copeland winner: a mean over the matrices
    locked_in: float | None  # the mean of `Runs.locked_in`; None if it is None for a matrix
    tail: float  # the 95% quantile of regret divided by mean regret: a geometric mean over the matrices


@dataclass(frozen=True)
class Table:
    """The ranks of the algorithms that have runs on all matrices of a setting."""

    setting: str
    arms: str  # a key of `ARMS`
    horizon: int
    regret: str
    problems: list[int]  # those that count: every algorithm has regret on them
    floor: float | None  # neighbours that differ by less are usually not told apart
    missing: list[str]  # algorithms with runs on some of the matrices only
    rows: list[Row]  # by increasing regret


@dataclass(frozen=True)
class Board:
    """A leaderboard."""

    made_with: dict[str, str]  # versions and machine; if runs come from several, all of them
    level: float  # the share of tables whose claimed differences are all real
    algorithms: list[Algorithm]
    problems: list[Problem]
    tables: list[Table]
    # rounds -> label -> mean regret on each problem, None if not played; by the first table's definition
    means: dict[int, dict[str, list[float | None]]]

    def content(self) -> dict[str, Any]:
        """Return the leaderboard in plain JSON types; the rows of a table are columns, as for ``pandas.DataFrame``."""
        content = asdict(self)
        for table in content["tables"]:
            columns = zip(*table["rows"], strict=True)
            table["rows"] = {name: list(column) for name, column in zip(Row._fields, columns, strict=True)}
        return content

    def encode(self) -> str:
        """Return the leaderboard as JSON, one line per algorithm, problem and table, so that `diff` shows changes."""
        lines = []
        for name, value in self.content().items():
            text = _json(value)
            if isinstance(value, list):
                text = "[\n" + ",\n".join(map(_json, value)) + "\n]"
            lines.append(f"{_json(name)}: {text}")
        return "{\n" + ",\n".join(lines) + "\n}"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def build(experiments: Sequence[Experiment]) -> Board:
    """Return the leaderboard of some experiments.

    Raises
    ------
    InputError
        If the experiments cannot be compared, or there is nothing to rank.
    """
    runs = comparable_runs(experiments)
    places = runs_of_places(runs)
    problems = _problems(runs)
    algorithms = _algorithms(runs)
    recorded = {definition for group in runs for definition in group.definitions}
    regrets = [name for name in REGRETS if name in recorded] + sorted(recorded.difference(REGRETS))
    tables = list(_tables(places, problems, algorithms, regrets))
    if not tables:
        raise InputError("there is nothing to rank: no two algorithms have runs with regret on the same matrices")
    environments = [environment for experiment in experiments for environment in experiment.environments]
    return Board(
        made_with={
            name: " and ".join(sorted({environment.get(name, "unknown") for environment in environments}))
            for name in MADE_WITH
        },
        level=LEVEL,
        algorithms=algorithms,
        problems=problems,
        tables=tables,
        means=_means(places, problems, algorithms, regrets[0]),
    )


def _problems(runs: Sequence[Runs]) -> list[Problem]:
    """Return each matrix once, by setting, number of arms and name; equal names get the experiment's name, too."""
    first = {group.matrix.sha256: group for group in reversed(runs)}
    named = {}
    for sha256, group in first.items():
        content = group.experiment.results.content["problems"]
        names = (entry["name"] for entry in content if entry["sha256"] == sha256)
        name = next(names, "") or group.loaded.stored.problem
        named[sha256] = Problem(name, setting_of(group.matrix), group.matrix.n_arms, sha256)
    taken = [(problem.setting, problem.name) for problem in named.values()]
    problems = []
    for sha256, problem in named.items():
        name = problem.name
        if taken.count((problem.setting, name)) > 1:
            name = f"{name} ({first[sha256].experiment.name})"
        problems.append(Problem(name, problem.setting, problem.n_arms, sha256))
    order = list(SETTINGS)
    return sorted(
        problems, key=lambda problem: (order.index(problem.setting), problem.n_arms, problem.name, problem.sha256)
    )


def _algorithms(runs: Sequence[Runs]) -> list[Algorithm]:
    """Return each label once, in the order of the registry."""
    by_label = {}
    for group in runs:
        stored = group.loaded.stored
        algorithm = Algorithm(stored.label, stored.algorithm, stored.anytime, stored.identity.trace_version)
        by_label[stored.label] = algorithm
    order = {id: place for place, id in enumerate(registry.ids())}
    return sorted(
        by_label.values(),
        key=lambda algorithm: (order.get(algorithm.id, len(order)), algorithm.id, algorithm.label),
    )


def _tables(
    places: Mapping[Place, Runs], problems: Sequence[Problem], algorithms: Sequence[Algorithm], regrets: Sequence[str]
) -> Iterator[Table]:
    horizons = sorted({horizon for _, _, horizon in places})
    for (setting, arms, numbers), horizon, regret in product(_groups(problems), horizons, regrets):
        played = {}
        for algorithm in algorithms:
            row = _row(places, [problems[number] for number in numbers], algorithm.label, horizon, regret)
            if row:
                played[algorithm.label] = row
        table = _table(played, problems, regret, horizon, setting, arms)
        if table is not None:
            yield table


def _groups(problems: Sequence[Problem]) -> Iterator[tuple[str, str, list[int]]]:
    """Yield the setting, the key of `ARMS`, and the positions of the problems of each table."""
    for setting in SETTINGS:
        of_setting = [number for number, problem in enumerate(problems) if problem.setting == setting]
        for arms, sizes in ARMS.items():
            numbers = [number for number in of_setting if problems[number].n_arms in sizes]
            if arms == "all" or 0 < len(numbers) < len(of_setting):
                yield setting, arms, numbers


def _row(
    places: Mapping[Place, Runs], problems: Sequence[Problem], label: str, horizon: int, regret: str
) -> dict[str, Runs]:
    """Return, for each matrix that an algorithm has played, SHA-256 -> its runs with the definition ``regret``."""
    row = {}
    for problem in problems:
        runs = places.get((problem.sha256, label, horizon))
        if runs is not None and regret in runs.definitions:
            row[problem.sha256] = runs
    return row


def _table(
    played: Mapping[str, Mapping[str, Runs]],
    problems: Sequence[Problem],
    regret: str,
    horizon: int,
    setting: str,
    arms: str,
) -> Table | None:
    """Return the table of some algorithms' runs, label -> matrix -> runs; None if there is nothing to rank."""
    hashes = {sha256 for row in played.values() for sha256 in row}
    numbers = [number for number, problem in enumerate(problems) if problem.sha256 in hashes]
    labels = [label for label, row in played.items() if len(row) == len(numbers)]
    if len(labels) < 2:
        return None
    runs = [[played[label][problems[number].sha256] for number in numbers] for label in labels]
    estimates = scores(runs, regret, horizon)
    if not (estimates.means > 0).all(axis=0).any():
        return None
    ranking = ranks(estimates, LEVEL)
    least = ranking.score.min()
    rows = []
    for k in ranking.order.tolist():
        used = [group for group, is_used in zip(runs[k], ranking.used, strict=True) if is_used]
        locked_in = [share for group in used if (share := group.locked_in(horizon)) is not None]
        row = Row(
            label=labels[k],
            low=int(ranking.low[k]),
            high=int(ranking.high[k]),
            group=int(ranking.group[k]),
            times=rounded(float(np.exp(ranking.score[k] - least))),
            right=rounded(float(np.mean([group.right(horizon) for group in used]))),
            locked_in=rounded(float(np.mean(locked_in))) if len(locked_in) == len(used) else None,
            tail=rounded(_tail([group.regret(regret, horizon) for group in used])),
        )
        rows.append(row)
    return Table(
        setting=setting,
        arms=arms,
        horizon=horizon,
        regret=regret,
        problems=[number for number, is_used in zip(numbers, ranking.used, strict=True) if is_used],
        floor=None if ranking.floor is None else rounded(ranking.floor),
        missing=[label for label in played if label not in labels],
        rows=rows,
    )


def _tail(samples: Sequence[np.ndarray]) -> float:
    """Return the 95% quantile divided by the mean, as a geometric mean over the samples."""
    ratios = [np.quantile(sample, 0.95) / sample.mean() for sample in samples]
    return float(np.prod(ratios) ** (1 / len(ratios)))


def _means(
    places: Mapping[Place, Runs], problems: Sequence[Problem], algorithms: Sequence[Algorithm], regret: str
) -> dict[int, dict[str, list[float | None]]]:
    """Return rounds -> label -> mean regret on each problem."""
    means: dict[int, dict[str, list[float | None]]] = {}
    for horizon in sorted({horizon for _, _, horizon in places}):
        for algorithm in algorithms:
            runs = _row(places, problems, algorithm.label, horizon, regret)
            row = [_mean(runs.get(problem.sha256), regret, horizon) for problem in problems]
            if any(mean is not None for mean in row):
                means.setdefault(horizon, {})[algorithm.label] = row
    return means


def _mean(runs: Runs | None, regret: str, horizon: int) -> float | None:
    return None if runs is None else rounded(float(runs.regret(regret, horizon).mean()))
