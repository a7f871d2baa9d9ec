"""Checks whether algorithms of a plug-in keep the contract, by running them in many ways.

A check that finds nothing proves nothing; what it finds is wrong, except for the remarks.
"""

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from duelbench import third_party
from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError
from duelbench.kernels.interpreting import is_interpreted
from duelbench.plugins import trial
from duelbench.plugins.mistakes import line_with
from duelbench.plugins.player import ROUND_SECONDS, Endless, Order, Player, PlayError, Refused
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.simulation.trace import Trace

ROUNDS = 300
"""Rounds of most checks: plain Python runs some ten thousand a second."""

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
    """What a check has found."""


class _Played(NamedTuple):
    """An algorithm to be checked, and the process that plays it."""

    algorithm: Algorithm
    player: Player
    is_interpreted: bool

    @property
    def is_compiled(self) -> bool:
        return self.algorithm.compiled and not self.is_interpreted

    def play(
        self, P: PreferenceMatrix = ORDER, horizon: int = ROUNDS, interpret: bool = False, **options: Any
    ) -> Trace:
        """Play one run, by default with a checkpoint after every round."""
        options = {"horizon": horizon, "checkpoints": range(1, horizon + 1), **options}
        is_interpreted = interpret or self.is_interpreted
        return self.player.play(Order(options, P, is_interpreted, round_seconds=ROUND_SECONDS))

    def at(self, name: str) -> str:
        """The place of a function, in words."""
        return third_party.place_of_function(getattr(self.algorithm, name))


def findings(algorithm: Algorithm, interpret: bool = False) -> Iterator[Finding]:
    """Check an algorithm that plays duels, in a process of its own.

    Parameters
    ----------
    algorithm : Algorithm
    interpret : bool
        Whether a compiled algorithm is played as plain Python.

    Yields
    ------
    Finding
        As soon as it is made. The checks end if the algorithm cannot play at all, does not play the same duels twice
        (others are compared with them), or does not return.

    Raises
    ------
    InputError
        If the algorithm plays no duels.

    Examples
    --------
    >>> from duelbench.algorithms import registry
    >>> next(findings(registry.get("random"))).outcome
    'ok'
    """
    if "duels" not in algorithm.plays:
        raise InputError(f"{algorithm.id} plays scalar bandits only, and `duelbench check` checks duels")
    is_wrong = False
    with Player(algorithm, stderr=None) as player:
        played = _Played(algorithm, player, interpret or (algorithm.compiled and is_interpreted()))
        for name, check in CHECKS.items():
            try:
                remark = check(played)
            except (_Wrong, PlayError) as error:
                is_wrong = True
                yield Finding(name, "wrong", str(error))
                cannot_be_compared = check is _plays or (check is _repeats and isinstance(error, _Wrong))
                if cannot_be_compared or isinstance(error, Endless):
                    return
            else:
                yield Finding(name, "remark" if remark else "ok", remark or "")
        if played.is_compiled and not is_wrong:
            trial.remember(algorithm, ORDER)


# --- the checks: each says what is wrong by raising, and returns a remark or None ---


def _plays(played: _Played) -> None:
    trace = played.play()
    difference = trial.difference_of(played.play(interpret=True), trace) if played.is_compiled else None
    if difference:
        raise _Wrong(difference)


def _repeats(played: _Played) -> None:
    first = played.play(seed=3, run=1)
    played.play(CYCLE, seed=3, run=2)
    difference = _difference(first, played.play(seed=3, run=1))
    if difference:
        place = line_with(
            r"default_rng\(\s*\)|\btime\.|\burandom|\bsecrets\.|\buuid|\bglobal\b|\bhash\(", played.algorithm.state
        )
        raise _Wrong(
            f"run twice with the same seed, {difference}; draw from rng only, and keep what it remembers in the"
            f" state, which start makes: {place or played.at('select')}"
        )


def _may_be_asked(played: _Played) -> None:
    """`recommend` is called at checkpoints: where one may be must not matter."""
    if played.algorithm.pair_probability is not None:
        return  # from checkpoint to checkpoint the engine draws other numbers
    difference = _difference(played.play(checkpoints=[ROUNDS]), played.play(), at_end=True)
    if difference:
        raise _Wrong(
            f"asked for its recommendation after every round or in the end only, {difference}; it must change nothing:"
            f" {played.at('recommend')}"
        )


def _is_blind(played: _Played) -> None:
    close = PreferenceMatrix(np.clip(CERTAIN.P, 1e-12, 1 - 1e-12))
    difference = _difference(played.play(CERTAIN, seed=1), played.play(close, seed=1), other_matrix=True)
    if difference:
        raise _Wrong(
            f"on two matrices whose duels end alike, {difference}; it may learn from update only: {played.at('select')}"
        )


def _waits(played: _Played) -> None:
    one, other = (played.play(P, seed=2, feedback_batch=ROUNDS) for P in (ORDER, CYCLE))
    difference = _difference(one, other, other_matrix=True, before=ROUNDS)
    if difference:
        where = "on two matrices, before any outcome is delivered"
        raise _Wrong(f"{where}, {difference}; it may learn from update only: {played.at('select')}")


def _stands(played: _Played) -> None:
    """Decisions that stand are those of round by round: bit by bit, or in law where their lengths are drawn."""
    horizons = [SHORT_LAW, ROUNDS]
    for P in (ORDER, CYCLE, CERTAIN):
        for batch in (1, ONE_DELIVERY):
            options = {"feedback_batch": batch, "checkpoints": 10}
            on, off = (played.play(P, standing_decisions=standing, **options) for standing in (True, False))
            difference = _difference(on, off)
            if difference is None:
                continue
            if not all(_are_alike(played, P, {"horizon": horizon, **options}) for horizon in horizons):
                raise _Wrong(
                    f"where decisions stand for as long as it says, it chooses differently than where it is asked in"
                    f" every round (in one run {difference}); more than 1 round is right only if it would decide the"
                    f" same in each of them, whatever the duels show, however often it is asked: {played.at('select')}"
                )
            horizons = [SHORT_LAW]


def _are_alike(played: _Played, P: PreferenceMatrix, options: dict[str, Any]) -> bool:
    """Whether runs with and without standing decisions seem to have one law: a permutation test of what is played."""
    rows = []
    for run in range(2 * LAW_RUNS):
        trace = played.play(P, run=run, standing_decisions=run % 2 == 0, **options)
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


def _copes(played: _Played) -> str | None:
    games = {
        f"{name}, {'outcomes at once' if batch == 1 else f'outcomes after every {batch} rounds'}": (P, ROUNDS, batch)
        for name, P in ODD.items()
        for batch in (1, ONE_DELIVERY)
    }
    return _all_played(played, games)


def _is_short(played: _Played) -> str | None:
    return _all_played(played, {f"{n} rounds of five arms": (ORDER, n, 1) for n in (1, 2, 7)})


def _all_played(played: _Played, games: dict[str, tuple[PreferenceMatrix, int, int]]) -> str | None:
    """Run games by their names; what the algorithm refuses to play becomes a remark."""
    refused = []
    for name, (P, horizon, batch) in games.items():
        try:
            played.play(P, horizon, feedback_batch=batch, shuffle_arms=True)
        except Endless:
            raise
        except PlayError as error:
            beginning = f"{played.algorithm.id} cannot play this: "
            if not (isinstance(error, Refused) and str(error).startswith(beginning)):
                raise _Wrong(f"{name}: {error}") from error
            refused.append(f"{name}: {str(error).removeprefix(beginning)}")
    return f"it refuses {'; '.join(refused)}" if refused else None


def _goes_on(played: _Played) -> None:
    if not played.algorithm.anytime:
        return
    rounds = range(1, ROUNDS // 2 + 1)
    short, long = (played.play(horizon=horizon, checkpoints=rounds) for horizon in (ROUNDS // 2, ROUNDS))
    differ = _checkpoints_that_differ(short, long, len(rounds))
    if differ.size:
        raise _Wrong(
            f"with a horizon of {ROUNDS} rounds it chooses differently than with {ROUNDS // 2}, from round"
            f" {differ[0] + 1} on; say anytime=False, or let it be the same: {played.at('start')}"
        )


def _grows(played: _Played) -> str | None:
    easy = PreferenceMatrix(np.triu(np.full((4, 4), 0.8), 1) + np.tril(np.full((4, 4), 0.2), -1) + 0.5 * np.eye(4))
    n = GROWTH_ROUNDS[played.is_compiled]
    runs = range(GROWTH_RUNS)
    long = [played.play(easy, 2 * n, checkpoints=[n], run=run, shuffle_arms=True) for run in runs]
    short = long if played.algorithm.anytime else [
        played.play(easy, n, checkpoints=[n], run=run, shuffle_arms=True) for run in runs
    ]  # fmt: skip
    before, after = sum(trace.regret[0, 0] for trace in short), sum(trace.regret[0, -1] for trace in long)
    if after < LINEAR * before or after == 0:
        return None
    ratio = f"{after / before:.2f}" if before else "infinite"
    return (
        f"regret looks linear where one arm of four wins 80% of its duels: R({2 * n:_}) / R({n:_}) = {ratio}"
        " (2 is linear, 1 is settled)"
    )


CHECKS: dict[str, Callable[[_Played], str | None]] = {
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
