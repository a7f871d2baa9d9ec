"""An algorithm of one's own on the leaderboard: checked, played as the board's own were, and ranked among them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.api.running import Playing, play, raise_failed
from duelbench.errors import InputError
from duelbench.leaderboard.building import answered, build
from duelbench.leaderboard.parts import Choice, NotPlayed, Planned, file_of, parts_of, planned_within, write_spec
from duelbench.leaderboard.summary import (
    LeftOut,
    Summary,
    Table,
    as_typed,
    correlation_key,
    decode_correlations,
    encode_correlations,
)
from duelbench.leaderboard.tables import played, tables
from duelbench.plugins.checking import findings
from duelbench.results.experiments import Experiment, load_experiments


@dataclass(frozen=True)
class Addition:
    """What algorithms are to play, to be added to a leaderboard.

    Parameters
    ----------
    summary : Summary
        Of the board without them.
    labels : dict of str to str
        By their ids, what the board is to call them.
    planned : tuple of Planned
    not_played : tuple of NotPlayed
    """

    summary: Summary
    labels: dict[str, str]
    planned: tuple[Planned, ...]
    not_played: tuple[NotPlayed, ...]

    @property
    def n_todo(self) -> int:
        """Runs to play."""
        return sum(one.plan.n_todo for one in self.planned)

    @property
    def seconds(self) -> float:
        """About how long they take on one core."""
        return sum(one.seconds for one in self.planned)


def addition(
    summary: Summary,
    plug_in: str,
    choice: Choice,
    out: Path,
    minutes: float,
    first: Callable[[Algorithm], None] = lambda _: None,
) -> Addition:
    """What the algorithms of a plug-in are to play; nothing is written.

    Parameters
    ----------
    summary : Summary
        Of the board.
    plug_in : str
        A .py file, or a module.
    choice : Choice
    out : Path
        The folder of all results.
    minutes : float
        What takes longer than so many minutes of one core is left out; see
        `duelbench.leaderboard.parts.planned_within`.
    first : callable
        Is called with an algorithm before it plays anything, if it has anything to play.

    Raises
    ------
    InputError
        When the plug-in cannot be loaded, none of its algorithms plays duels, the board has one of them already, or
        nothing is left to play; and before anything is played, when the horizon is none of the board's.
    """
    algorithms = [registry.get(id) for id in registry.load_plug_in(plug_in)]
    playing = [algorithm for algorithm in algorithms if "duels" in algorithm.plays]
    if not playing:
        raise InputError(f"{plug_in}: {', '.join(one.id for one in algorithms)} plays no duels")
    known = {one.id for one in summary.algorithms}
    for algorithm in playing:
        if algorithm.id in known:
            raise InputError(f"the leaderboard has '{algorithm.id}' already; change the id, or give another --summary")
    if choice.horizon not in summary.horizons:
        there = ", ".join(map(as_typed, summary.horizons))
        raise InputError(f"--horizon {as_typed(choice.horizon)}: the leaderboard has {there}; take one of these")
    labels = labels_of(playing, [one.label for one in summary.algorithms])
    planned: list[Planned] = []
    not_played: list[NotPlayed] = []
    for algorithm in playing:
        parts, not_playable = parts_of(summary, algorithm, labels[algorithm.id], choice)
        within, too_long = planned_within(parts, out, minutes, partial(first, algorithm))
        planned += within
        not_played += [*not_playable, *too_long]
    if not planned:
        reasons = [one.words for one in not_played] or ["it has no matrices of that kind"]
        raise InputError("\n  ".join([f"{plug_in}: nothing of the leaderboard is left to play", *reasons]))
    return Addition(summary, labels, tuple(planned), tuple(not_played))


def labels_of(algorithms: Sequence[Algorithm], taken: Sequence[str]) -> dict[str, str]:
    """What tables call algorithms, by id: their names, with the id where another has that name.

    Examples
    --------
    >>> labels_of([registry.get("rucb"), registry.get("ccb")], ["RUCB", "Random"])
    {'rucb': 'RUCB (rucb)', 'ccb': 'CCB'}
    """
    names = [*(name.lower() for name in taken), *(algorithm.name.lower() for algorithm in algorithms)]
    return {one.id: one.name if names.count(one.name.lower()) == 1 else f"{one.name} ({one.id})" for one in algorithms}


def check(algorithm: Algorithm) -> list[str]:
    """Check an algorithm as ``duelbench check`` does; what it remarks, in sentences.

    Raises
    ------
    InputError
        With what is wrong.
    """
    remarks = []
    for found in findings(algorithm):
        if found.verdict == "wrong":
            raise InputError(f"{algorithm.id} fails the check '{found.check}': {found.said}")
        if found.verdict == "remark":
            remarks.append(f"{algorithm.id}: {found.said}")
    return remarks


def play_all(added: Addition, out: Path, plug_in: str, playing: Playing) -> list[Experiment]:
    """Play what there is to play, write the specs beside the results, and read these.

    Raises
    ------
    InputError, RunsFailed, KeyboardInterrupt
        As `duelbench.api.running.play`.
    IncompleteResults
        When a file was damaged meanwhile.
    """
    for one in added.planned:
        write_spec(one.part, out, plug_in)
    plans = [one.plan for one in added.planned]
    raise_failed({str(plan.folder): outcome for plan, outcome in play(plans, playing)})
    return load_experiments([plan.folder for plan in plans])


def summary_with(added: Addition, experiments: Sequence[Experiment], out: Path) -> Summary:
    """The leaderboard with the algorithms that were played, ranked among all others.

    Parameters
    ----------
    added : Addition
    experiments : sequence of Experiment
        What was played of it.
    out : Path
        The folder of all results.
    """
    specs = {one.part.spec.name: file_of(one.part, out).as_posix() for one in added.planned}
    mine = build(experiments, added.summary.horizons)
    mine = replace(mine, cells=[replace(cell, spec=specs[cell.experiment]) for cell in mine.cells])
    whole = merged(added.summary, mine)
    left_out = [
        LeftOut([one.part.entry.algorithm.id], one.part.setting, horizon, one.part.sizes, one.rule, _sentence(one.why))
        for one in added.not_played
        for horizon in one.horizons
    ]
    return answered(replace(whole, tables=tables(whole), left_out=[*whole.left_out, *left_out]))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def merged(board: Summary, mine: Summary) -> Summary:
    """A leaderboard with the cells of another; its tables are not made again.

    What the runs of the two have in common is not known, and their correlations are 0. Runs of one number have one
    order of arms; where they go together for it, an algorithm of the one and an algorithm of the other seem less
    certain to differ than they are. Matrices and horizons that the board does not have are left out.

    Parameters
    ----------
    board, mine : Summary
        With no algorithm in common.
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
    for number, place in enumerate(places):
        for horizon, regret in product(board.horizons, board.regrets):
            own = _correlations(mine, number, horizon, regret, n_mine)
            if place is not None and len(own):
                others = _correlations(board, place, horizon, regret, n_board)
                both = np.zeros((len(others) + len(own),) * 2)
                both[: len(others), : len(others)] = others
                both[len(others) :, len(others) :] = own
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


def _correlations(summary: Summary, problem: int, horizon: int, regret: str, n_algorithms: int) -> np.ndarray:
    """Of the algorithms that have such a cell, in the order of the summary, (n, n) float64."""
    text = summary.correlations.get(correlation_key(problem, horizon, regret))
    if text is None:
        return np.zeros((0, 0))
    at = {(cell.problem, cell.algorithm, cell.horizon): cell for cell in summary.cells}
    return decode_correlations(text, len(played(at, problem, horizon, regret, n_algorithms)))


def tables_with(summary: Summary, ids: Collection[str], regret: str) -> list[Table]:
    """The tables with some algorithms, by settings and horizons: of all matrices, else of those of one size.

    Parameters
    ----------
    summary : Summary
    ids : collection of str
        Of the algorithms; a table has one of them at least.
    regret : str
        The definition.
    """
    own = {number for number, algorithm in enumerate(summary.algorithms) if algorithm.id in ids}
    found = []
    shown: set[tuple[str, int, int]] = set()  # setting, horizon, algorithm
    for table in sorted(summary.tables, key=lambda table: table.size is not None):
        new = {(table.setting, table.horizon, number) for number in own & {*table.algorithms}} - shown
        if table.regret == regret and new:
            found.append(table)
            shown |= new if table.size is None else set()
    return sorted(found, key=summary.tables.index)
