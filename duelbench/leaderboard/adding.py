"""An algorithm of your own on the leaderboard: checked, run like the board's own, and ranked among them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.api.running import Playing, play, raise_failed
from duelbench.errors import InputError
from duelbench.leaderboard.building import answered, build
from duelbench.leaderboard.parts import NotPlayed, Planned, file_of, planned, write_spec
from duelbench.leaderboard.summary import LeftOut, Summary, Table, as_typed, correlation_key, encode_correlations
from duelbench.leaderboard.tables import tables
from duelbench.plugins.checking import findings
from duelbench.results.experiments import Experiment, load_experiments


@dataclass(frozen=True)
class Addition:
    """Algorithms to add to a leaderboard, and what they must be run on."""

    summary: Summary
    labels: dict[str, str]  # what the board calls the algorithms, by id
    planned: list[Planned]
    not_played: list[NotPlayed]

    @property
    def n_todo(self) -> int:
        """How many runs that takes."""
        return sum(one.plan.n_todo for one in self.planned)

    @property
    def seconds(self) -> float:
        """About how long they take on one core."""
        return sum(one.seconds for one in self.planned)


def addition(
    summary: Summary,
    plug_in: str,
    out: Path,
    minutes: float,
    *,
    horizon: int = 10**6,
    **options: Any,
) -> Addition:
    """What to run for the algorithms of a plug-in, a .py file or a module; nothing is written.

    Other parameters are those of `duelbench.leaderboard.parts.planned`.

    Raises
    ------
    InputError
        When the plug-in cannot be loaded, none of its algorithms plays duels, the board has one of them already, or
        nothing is left to run; and before any run, when the horizon is not one of the board's.
    """
    algorithms = [registry.get(id) for id in registry.load_plug_in(plug_in)]
    playing = [algorithm for algorithm in algorithms if "duels" in algorithm.plays]
    if not playing:
        raise InputError(f"{plug_in}: {', '.join(one.id for one in algorithms)} plays no duels")
    known = {one.id for one in summary.algorithms}
    for algorithm in playing:
        if algorithm.id in known:
            raise InputError(
                f"the leaderboard has '{algorithm.id}' already; change the id, or take another leaderboard"
            )
    if horizon not in summary.horizons:
        there = ", ".join(map(as_typed, summary.horizons))
        raise InputError(f"horizon {as_typed(horizon)}: the leaderboard has {there}; take one of these")
    labels = labels_of(playing, [one.label for one in summary.algorithms])
    found: list[Planned] = []
    not_played: list[NotPlayed] = []
    for algorithm in playing:
        parts, others = planned(summary, algorithm, labels[algorithm.id], out, minutes, horizon=horizon, **options)
        found += parts
        not_played += others
    if not found:
        reasons = [one.words for one in not_played] or ["it has no matrices of that kind"]
        raise InputError("\n  ".join([f"{plug_in}: nothing of the leaderboard is left to run", *reasons]))
    return Addition(summary, labels, found, not_played)


def labels_of(algorithms: Sequence[Algorithm], taken: Sequence[str]) -> dict[str, str]:
    """What tables call algorithms, by id: their names, with the id where another has that name."""
    names = [*(name.lower() for name in taken), *(algorithm.name.lower() for algorithm in algorithms)]
    return {one.id: one.name if names.count(one.name.lower()) == 1 else f"{one.name} ({one.id})" for one in algorithms}


def check(algorithm: Algorithm) -> list[str]:
    """Check an algorithm as ``duelbench check`` does; its remarks, in sentences. `InputError` with what is wrong."""
    remarks = []
    for found in findings(algorithm):
        if found.outcome == "wrong":
            raise InputError(f"{algorithm.id} fails the check '{found.check}': {found.message}")
        if found.outcome == "remark":
            remarks.append(f"{algorithm.id}: {found.message}")
    return remarks


def play_all(added: Addition, out: Path, plug_in: str, playing: Playing) -> list[Experiment]:
    """Run everything, write the specs beside the results, and read the results."""
    for one in added.planned:
        write_spec(one.part, out, plug_in)
    plans = [one.plan for one in added.planned]
    raise_failed({str(plan.folder): outcome for plan, outcome in play(plans, playing)})
    return load_experiments([plan.folder for plan in plans])


def summary_with(added: Addition, experiments: Sequence[Experiment], out: Path) -> Summary:
    """The leaderboard with the added algorithms, ranked among all others."""
    specs = {one.part.spec.name: file_of(one.part, out).as_posix() for one in added.planned}
    mine = build(experiments, added.summary.horizons)
    mine = replace(mine, cells=[replace(cell, spec=specs[cell.experiment]) for cell in mine.cells])
    whole = _merged(added.summary, mine)
    left_out = [
        LeftOut(
            algorithms=[one.part.entry.algorithm.id],
            setting=one.part.setting,
            horizon=horizon,
            n_arms=one.part.sizes,
            rule=one.rule,
            why=f"{one.why[:1].upper()}{one.why[1:]}.",
        )
        for one in added.not_played
        for horizon in one.horizons
    ]
    return answered(replace(whole, tables=tables(whole), left_out=[*whole.left_out, *left_out]))


def _merged(board: Summary, mine: Summary) -> Summary:
    """A leaderboard with the cells of another, which has none of its algorithms; its tables are not made again.

    What the runs of the two have in common is not known, and their correlations are 0: they may seem more or less
    certain to differ than they are. Matrices and horizons that the board does not have are left out.
    """
    n_board, n_mine = len(board.algorithms), len(mine.algorithms)
    by_matrix = {problem.sha256: place for place, problem in enumerate(board.problems)}
    places = [by_matrix.get(problem.sha256) for problem in mine.problems]
    rounds = [*board.rounds, *(one for one in mine.rounds if one not in board.rounds)]
    cells = [
        replace(cell, problem=place, algorithm=n_board + cell.algorithm, rounds=rounds.index(mine.rounds[cell.rounds]))
        for cell in mine.cells
        if (place := places[cell.problem]) is not None and cell.horizon in board.horizons
    ]
    correlations = dict(board.correlations)
    for (number, place), horizon, regret in product(enumerate(places), board.horizons, board.regrets):
        if place is not None and mine.played(number, horizon, regret):
            own = mine.correlations_of(number, horizon, regret)
            n = len(board.played(place, horizon, regret))
            both = np.zeros((n + len(own), n + len(own)))
            both[n:, n:] = own
            if n:
                both[:n, :n] = board.correlations_of(place, horizon, regret)
            correlations[correlation_key(place, horizon, regret)] = encode_correlations(both)
    across = {
        key: [*board.across.get(key, [None] * n_board), *mine.across.get(key, [None] * n_mine)]
        for key in {**board.across, **mine.across}
    }
    return replace(
        board,
        algorithms=[*board.algorithms, *mine.algorithms],
        rounds=rounds,
        cells=[*board.cells, *cells],
        correlations=correlations,
        across=across,
    )


def tables_with(summary: Summary, ids: Collection[str], regret: str) -> list[Table]:
    """The tables that have algorithms with some ids: of all matrices, else of those of one size."""
    own = {number for number, algorithm in enumerate(summary.algorithms) if algorithm.id in ids}
    found = [
        (table, {(table.setting, table.horizon, number) for number in own.intersection(table.algorithms)})
        for table in summary.tables
        if table.regret == regret
    ]
    of_all: set[tuple[str, int, int]] = set().union(*(places for table, places in found if table.size is None))
    return [table for table, places in found if (places if table.size is None else places - of_all)]
