"""Checks whether algorithms of a plug-in keep the contract, by running them in many ways.

A check that finds nothing proves nothing; what it finds is wrong, except for the remarks.
"""

import contextlib
import math
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from duelbench import third_party
from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError
from duelbench.kernels.interpreting import interpreted, is_interpreted
from duelbench.plugins import trial
from duelbench.plugins.mistakes import described, guarded, line_with
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.simulation.global_randomness import untouched_global_randomness
from duelbench.simulation.simulate import simulate
from duelbench.simulation.trace import Trace

ROUNDS = 300
"""Rounds of most checks: plain Python runs some ten thousand a second."""

ROUND_SECONDS, COMPILED_SECONDS = 10.0, 120.0
"""How long a round may take in plain Python, and compiled, where the first round waits for the compiler."""

SHORT_LAW = 16
"""Rounds that show best when decisions stand for a few rounds too long."""

LAW_RUNS, PERMUTATIONS = 100, 9999
"""Where standing decisions change the draws, as many runs with and without them are compared in law. They are wrong if
they differ more than in any of these random divisions of the runs: by chance, once in ten thousand comparisons."""

GROWTH_ROUNDS = {False: 2000, True: 50_000}
"""T of R(2T) / R(T), by whether the algorithm runs compiled."""

GROWTH_RUNS = 5
LINEAR = 1.8
"""From this ratio R(2T) / R(T) on, regret looks linear (ratio 2); for logarithmic regret it is near 1."""

ORDER = PreferenceMatrix(
    [[0.5, 0.6, 0.65, 0.7, 0.8], [0.4, 0.5, 0.6, 0.7, 0.7], [0.35, 0.4, 0.5, 0.55, 0.6],
     [0.3, 0.3, 0.45, 0.5, 0.6], [0.2, 0.3, 0.4, 0.4, 0.5]]
)  # fmt: skip
CYCLE = PreferenceMatrix(
    [[0.5, 0.7, 0.4, 0.6, 0.55], [0.3, 0.5, 0.8, 0.6, 0.6], [0.6, 0.2, 0.5, 0.7, 0.6],
     [0.4, 0.4, 0.3, 0.5, 0.9], [0.45, 0.4, 0.4, 0.1, 0.5]]
)  # fmt: skip
CERTAIN = PreferenceMatrix(np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4))
ODD = {
    "two arms": PreferenceMatrix([[0.5, 0.7], [0.3, 0.5]]),
    "three arms and a tie": PreferenceMatrix([[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]]),
    "four equal arms": PreferenceMatrix(np.full((4, 4), 0.5)),
    "four arms in a certain order": CERTAIN,
    "three arms in a certain circle": PreferenceMatrix([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]]),
    "five arms without a Condorcet winner": CYCLE,
}
ONE_DELIVERY = 7
"""A batch of feedback that ends within decisions."""


class Finding(NamedTuple):
    """The outcome of a check."""

    check: str
    outcome: Literal["ok", "remark", "wrong"]
    message: str


class _Wrong(Exception):
    """What a check has found wrong."""


class _Endless(_Wrong):
    """A round does not return: nothing more can be checked."""


class _Player:
    """An algorithm to be checked."""

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self.is_plain = not algorithm.compiled or is_interpreted()
        self._played = guarded(algorithm) if self.is_plain else algorithm

    def described(self, error: BaseException) -> str:
        """What an error says, and where it is."""
        return described(error, self.algorithm, "in plain Python" if self.is_plain else "compiled")

    def play(self, P: PreferenceMatrix = ORDER, horizon: int = ROUNDS, **options: Any) -> Trace:
        """One run, by default with a checkpoint after every round."""
        trial.prepare(self._played, P, {"horizon": horizon})
        interpreting = interpreted(math.inf) if is_interpreted() else contextlib.nullcontext()
        chosen = {"horizon": horizon, "checkpoints": range(1, horizon + 1), **options}

        def run(watch: Callable[[np.ndarray], None]) -> Trace:
            with interpreting, untouched_global_randomness():
                return simulate(self._played, P, watch=watch, **chosen)

        return _in_time(run, ROUND_SECONDS if self.is_plain else COMPILED_SECONDS)

    def at(self, name: str) -> str:
        """A function, and where it stands."""
        return third_party.place_of_function(getattr(self.algorithm, name))


def _in_time(run: Callable[[Callable[[np.ndarray], None]], Trace], seconds: float) -> Trace:
    """What ``run(watch)`` returns; `_Endless` where a round takes longer.

    It runs in a thread, which is left behind then: nothing ends an endless loop.
    """
    done: list[Trace | BaseException] = []
    counts: list[np.ndarray] = []  # the duels so far

    def keep() -> None:
        try:
            done.append(run(counts.append))
        except BaseException as error:  # whatever a plug-in raises
            done.append(error)

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    before, n_played = -2, -1
    while not done and n_played != before:
        thread.join(seconds)
        before, n_played = n_played, int(counts[0].sum()) if counts else -1
    if not done:
        place = third_party.place_in(traceback.extract_stack(sys._current_frames()[thread.ident or 0]))
        what = f"round {n_played + 1}" if counts else "start"
        raise _Endless(f"{what} did not return within {seconds:g} seconds{f' ({place})' if place else ''}")
    if isinstance(done[0], BaseException):
        raise done[0]
    return done[0]


def findings(algorithm: Algorithm) -> Iterator[Finding]:
    """Check an algorithm that plays duels.

    Yields
    ------
    Finding
        As soon as it is made. The checks end where the algorithm cannot play at all, does not play the same duels twice
        (others are compared with them), or does not return.

    Raises
    ------
    InputError
        When the algorithm plays no duels.

    Examples
    --------
    >>> from duelbench.algorithms import registry
    >>> next(findings(registry.get("random"))).outcome
    'ok'
    """
    if "duels" not in algorithm.plays:
        raise InputError(f"{algorithm.id} plays scalar bandits only, and what is checked here is duels")
    player = _Player(algorithm)
    for name, check in CHECKS.items():
        try:
            remark = check(player)
        except _Wrong as wrong:
            yield Finding(name, "wrong", str(wrong))
            if check is _repeats or isinstance(wrong, _Endless):
                return
        except (Exception, SystemExit) as error:  # whatever a plug-in raises
            yield Finding(name, "wrong", player.described(error))
            if check is _plays:
                return
        else:
            yield Finding(name, "remark" if remark else "ok", remark or "")


# --- the checks: each says what is wrong by raising, and returns a remark or None ---


def _plays(player: _Player) -> None:
    player.play()


def _repeats(player: _Player) -> None:
    first = player.play(seed=3, run=1)
    player.play(CYCLE, seed=3, run=2)
    difference = _difference(first, player.play(seed=3, run=1))
    if difference:
        place = line_with(
            r"default_rng\(\s*\)|\btime\.|\burandom|\bsecrets\.|\buuid|\bglobal\b|\bhash\(", player.algorithm.state
        )
        raise _Wrong(
            f"run twice with the same seed, {difference}; draw from rng only, and keep what it remembers in the"
            f" state, which start makes: {place or player.at('select')}"
        )


def _may_be_asked(player: _Player) -> None:
    """`recommend` is called at checkpoints: where one may be must not matter."""
    if player.algorithm.pair_probability is not None:
        return  # from checkpoint to checkpoint the engine draws other numbers
    difference = _difference(player.play(checkpoints=[ROUNDS]), player.play(), at_end=True)
    if difference:
        raise _Wrong(
            f"asked for its recommendation after every round or in the end only, {difference}; it must change nothing:"
            f" {player.at('recommend')}"
        )


def _is_blind(player: _Player) -> None:
    close = PreferenceMatrix(np.clip(CERTAIN.P, 1e-12, 1 - 1e-12))
    difference = _difference(player.play(CERTAIN, seed=1), player.play(close, seed=1), other_matrix=True)
    if difference:
        raise _Wrong(
            f"on two matrices whose duels end alike, {difference}; it may learn from update only: {player.at('select')}"
        )


def _waits(player: _Player) -> None:
    one, other = (player.play(P, seed=2, feedback_batch=ROUNDS) for P in (ORDER, CYCLE))
    difference = _difference(one, other, other_matrix=True, before=ROUNDS)
    if difference:
        where = "on two matrices, before any outcome is delivered"
        raise _Wrong(f"{where}, {difference}; it may learn from update only: {player.at('select')}")


def _stands(player: _Player) -> None:
    """Decisions that stand are those of round by round: bit by bit, or in law where their lengths are drawn."""
    horizons = [SHORT_LAW, ROUNDS]
    for P in (ORDER, CYCLE, CERTAIN):
        for batch in (1, ONE_DELIVERY):
            options = {"feedback_batch": batch, "checkpoints": 10}
            on, off = (player.play(P, standing_decisions=standing, **options) for standing in (True, False))
            difference = _difference(on, off)
            if difference is None:
                continue
            if not all(_are_alike(player, P, {"horizon": horizon, **options}) for horizon in horizons):
                raise _Wrong(
                    f"where decisions stand for as long as it says, it chooses differently than where it is asked in"
                    f" every round (in one run {difference}); more than 1 round is right only if it would decide the"
                    f" same in each of them, whatever the duels show, however often it is asked: {player.at('select')}"
                )
            horizons = [SHORT_LAW]


def _are_alike(player: _Player, P: PreferenceMatrix, options: dict[str, Any]) -> bool:
    """Whether runs with and without standing decisions seem to have one law: a permutation test of what is played."""
    rows = []
    for run in range(2 * LAW_RUNS):
        trace = player.play(P, run=run, standing_decisions=run % 2 == 0, **options)
        spread = [(trace.duels > 0).sum(), (trace.duels**2).sum()]  # decisions that stand too long play fewer pairs
        rows.append(np.concatenate([trace.duels.ravel(), trace.regret[0], spread]))
    found = np.array(rows, dtype=float)
    found = found[:, found.std(axis=0) > 0]
    if not found.size:
        return True
    found = (found - found.mean(axis=0)) / found.std(axis=0)
    signs = np.tile([1.0, -1.0], (PERMUTATIONS, LAW_RUNS))
    by_chance = np.abs(np.random.default_rng(0).permuted(signs, axis=1) @ found).max(axis=1)
    return bool(np.abs(signs[0] @ found).max() <= by_chance.max() * (1 + 1e-9))


def _copes(player: _Player) -> str | None:
    games = {
        f"{name}, {'outcomes at once' if batch == 1 else f'outcomes after every {batch} rounds'}": (P, ROUNDS, batch)
        for name, P in ODD.items()
        for batch in (1, ONE_DELIVERY)
    }
    return _all_played(player, games)


def _is_short(player: _Player) -> str | None:
    return _all_played(player, {f"{n} rounds of five arms": (ORDER, n, 1) for n in (1, 2, 7)})


def _all_played(player: _Player, games: dict[str, tuple[PreferenceMatrix, int, int]]) -> str | None:
    """Run games by their names; what the algorithm refuses to play becomes a remark."""
    refused = []
    for name, (P, horizon, batch) in games.items():
        try:
            player.play(P, horizon, feedback_batch=batch, shuffle_arms=True)
        except (Exception, SystemExit) as error:
            beginning = f"{player.algorithm.id} cannot play this: "
            if isinstance(error, _Endless):
                raise
            if isinstance(error, InputError) and str(error).startswith(beginning):
                refused.append(f"{name}: {str(error).removeprefix(beginning)}")
                continue
            raise _Wrong(f"{name}: {player.described(error)}") from error
    return f"it refuses {'; '.join(refused)}" if refused else None


def _goes_on(player: _Player) -> None:
    if not player.algorithm.anytime:
        return
    rounds = range(1, ROUNDS // 2 + 1)
    short, long = (player.play(horizon=horizon, checkpoints=rounds) for horizon in (ROUNDS // 2, ROUNDS))
    differ = _checkpoints_that_differ(short, long, len(rounds))
    if differ.size:
        raise _Wrong(
            f"with a horizon of {ROUNDS} rounds it chooses differently than with {ROUNDS // 2}, from round"
            f" {differ[0] + 1} on; say anytime=False, or let it be the same: {player.at('start')}"
        )


def _grows(player: _Player) -> str | None:
    easy = PreferenceMatrix(np.triu(np.full((4, 4), 0.8), 1) + np.tril(np.full((4, 4), 0.2), -1) + 0.5 * np.eye(4))
    n = GROWTH_ROUNDS[player.algorithm.compiled and not is_interpreted()]
    runs = range(GROWTH_RUNS)
    long = [player.play(easy, 2 * n, checkpoints=[n], run=run, shuffle_arms=True) for run in runs]
    short = long if player.algorithm.anytime else [
        player.play(easy, n, checkpoints=[n], run=run, shuffle_arms=True) for run in runs
    ]  # fmt: skip
    before, after = sum(trace.regret[0, 0] for trace in short), sum(trace.regret[0, -1] for trace in long)
    if after < LINEAR * before or after == 0:
        return None
    ratio = f"{after / before:.2f}" if before else "infinite"
    return (
        f"regret looks linear where one arm of four wins 80% of its duels: R({2 * n:_}) / R({n:_}) = {ratio}"
        " (2 is linear, 1 is settled)"
    )


CHECKS: dict[str, Callable[[_Player], str | None]] = {
    f"plays {ROUNDS} rounds of five arms": _plays,
    "the same seed plays the same duels": _repeats,
    "to be asked for a recommendation changes nothing": _may_be_asked,
    "sees outcomes and not the matrix": _is_blind,
    "knows nothing before outcomes are delivered": _waits,
    "decisions that stand play as round by round": _stands,
    "copes with two arms, ties, certain duels, no Condorcet winner, late outcomes": _copes,
    "copes with fewer rounds than pairs": _is_short,
    "a longer horizon keeps what came before, if it is anytime": _goes_on,
    "regret does not look linear": _grows,
}
"""What holds of an algorithm that keeps the contract -> how it is looked at."""


# --- differences ---


def _difference(
    one: Trace, other: Trace, other_matrix: bool = False, at_end: bool = False, before: int | None = None
) -> str | None:
    """In words, where two runs differ; None for the same.

    Regret of two matrices is not compared. ``at_end`` compares the last round only, ``before`` what is recommended up
    to that round.
    """
    pairs = np.argwhere(one.duels != other.duels)
    if pairs.size:
        i, j = map(int, pairs[0])
        return f"({i}, {j}) is dueled {one.duels[i, j]} times, and then {other.duels[i, j]} times"
    if at_end:
        is_same = one.recommended[-1] == other.recommended[-1]
        return None if is_same else "other arms are recommended in the end"
    n = one.rounds.size if before is None else int(np.searchsorted(one.rounds, before))
    differ = _checkpoints_that_differ(one, other, n, with_regret=not other_matrix)
    return f"they differ from round {one.rounds[differ[0]]} on" if differ.size else None


def _checkpoints_that_differ(one: Trace, other: Trace, n: int, with_regret: bool = True) -> np.ndarray:
    """Which of the first ``n`` checkpoints (0-based) differ in what is recommended, or in regret."""
    differ = one.recommended[:n] != other.recommended[:n]
    if with_regret:
        differ |= (one.regret[:, :n] != other.regret[:, :n]).any(axis=0)
    return np.flatnonzero(differ)
