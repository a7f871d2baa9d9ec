"""Checks whether algorithms of a plug-in follow the contract, by playing them in many ways."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.kernels.interpreting import is_interpreted
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.simulation.trace import Trace
from duelbench.errors import InputError
from duelbench.experiments.plugins import trial
from duelbench.experiments.plugins.mistakes import line_with
from duelbench.experiments.plugins.player import ROUND_SECONDS, Endless, Order, Player, PlayError, Refused

ROUNDS = 300
"""The number of rounds of most checks; plain Python runs some ten thousand rounds per second."""

SHORT = 16
"""The number of rounds of checks that show whether decisions last a few rounds too long."""

COMPARED_RUNS, PERMUTATIONS = 100, 9999
"""If standing decisions change the draws, ``COMPARED_RUNS`` runs with them are compared with as many without them. They
are wrong if the runs with and without them differ more than the two groups in each of ``PERMUTATIONS`` random divisions
of the runs: by chance, once in ten thousand comparisons."""

GROWTH_ROUNDS = {False: 2000, True: 50_000}
"""T of the ratio R(2T) / R(T), by whether the algorithm is compiled."""

GROWTH_RUNS = 5
LINEAR = 1.8
"""If R(2T) / R(T) is at least this, regret looks linear (ratio 2); for logarithmic regret it is near 1."""

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
"""A size of feedback batches at which batches end while decisions still last."""


class Finding(NamedTuple):
    """The outcome of a check."""

    check: str
    outcome: Literal["ok", "remark", "wrong"]
    message: str


class _Wrong(Exception):
    """Raised by a check that finds a mistake; the message describes it."""


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
        """Return the place of a function, in words."""
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
        Each finding as soon as it is made. The checks end early if the algorithm cannot play at all, does not play the
        same duels twice (which other checks require), or does not return.

    Raises
    ------
    InputError
        If the algorithm plays no duels.

    Examples
    --------
    >>> from duelbench.bandits.algorithms import registry
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


def _plays(played: _Played) -> None:
    trace = played.play()
    difference = trial.difference_of(played.play(interpret=True), trace) if played.is_compiled else None
    if difference:
        raise _Wrong(difference)


def _repeats(played: _Played) -> None:
    first = played.play(seed=3, run=1)
    played.play(CYCLE, seed=3, run=2)
    pattern = r"default_rng\(\s*\)|\btime\.|\burandom|\bsecrets\.|\buuid|\bglobal\b|\bhash\("
    _raise_if(
        _difference(first, played.play(seed=3, run=1)),
        "run twice with the same seed, {}; draw from rng only, and keep what it remembers in the state, which start"
        f" makes: {line_with(pattern, played.algorithm.state) or played.at('select')}",
    )


def _may_be_asked(played: _Played) -> None:
    """Check that calls of `recommend`, which the engine makes at checkpoints, change nothing."""
    if played.algorithm.pair_probability is not None:
        return  # the engine's draws depend on the checkpoints
    _raise_if(
        _difference(played.play(checkpoints=[ROUNDS]), _at_end(played.play()), with_regret=False),
        "if recommend is called after every round or only at the end, {}; it must change nothing:"
        f" {played.at('recommend')}",
    )


def _is_blind(played: _Played) -> None:
    close = PreferenceMatrix(np.clip(CERTAIN.P, 1e-12, 1 - 1e-12))
    _raise_if(
        _difference(played.play(CERTAIN, seed=1), played.play(close, seed=1), with_regret=False),
        f"on two matrices whose duels end alike, {{}}; it may learn from update only: {played.at('select')}",
    )


def _waits(played: _Played) -> None:
    before = range(1, ROUNDS)
    first, second = (played.play(P, seed=2, feedback_batch=ROUNDS, checkpoints=before) for P in (ORDER, CYCLE))
    _raise_if(
        _difference(first, second, len(before), with_regret=False),
        f"on two matrices, before any outcome is delivered, {{}}; it may learn from update only: {played.at('select')}",
    )


def _stands(played: _Played) -> None:
    """Check that standing decisions change no duel or, if their lengths are random, not the distribution of duels."""
    horizons = [SHORT, ROUNDS]
    for P, batch in itertools.product((ORDER, CYCLE, CERTAIN), (1, ONE_DELIVERY)):
        options: dict[str, Any] = {"feedback_batch": batch, "checkpoints": 10}
        standing, plain = (played.play(P, standing_decisions=is_on, **options) for is_on in (True, False))
        difference = _difference(standing, plain)
        if difference is None:
            continue
        if all(_are_alike(played, P, {"horizon": horizon, **options}) for horizon in horizons):
            horizons = [SHORT]
            continue
        raise _Wrong(
            "if decisions last as long as select says, it chooses differently than if select is called in every round"
            f" (in one run {difference}); more than 1 round is right only if it would decide the same in each of them,"
            f" whatever the duels show, however often select is called: {played.at('select')}"
        )


def _are_alike(played: _Played, P: PreferenceMatrix, options: dict[str, Any]) -> bool:
    """Return whether runs with and without standing decisions seem to have one distribution, by a permutation test."""
    rows = []
    for run in range(2 * COMPARED_RUNS):
        trace = played.play(P, run=run, standing_decisions=run % 2 == 0, **options)
        spread = [(trace.duels > 0).sum(), (trace.duels**2).sum()]  # decisions that last too long play fewer pairs
        rows.append(np.concatenate([trace.duels.ravel(), trace.regret[0], spread]))
    values = np.array(rows, dtype=float)
    values = values[:, values.std(axis=0) > 0]
    if not values.size:
        return True
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    signs = np.tile([1.0, -1.0], (PERMUTATIONS, COMPARED_RUNS))
    by_chance = np.abs(np.random.default_rng(0).permuted(signs, axis=1) @ values).max(axis=1)
    return bool(np.abs(signs[0] @ values).max() <= by_chance.max() * (1 + 1e-9))


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
    """Play games by name; a game that the algorithm refuses becomes a remark."""
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
    half = ROUNDS // 2
    short, long = (played.play(horizon=horizon, checkpoints=range(1, half + 1)) for horizon in (half, ROUNDS))
    _raise_if(
        _first_difference(short, long, half),
        f"with a horizon of {ROUNDS} rounds it chooses differently than with {half}, {{}}; set anytime=False, or make"
        f" it the same: {played.at('start')}",
    )


def _grows(played: _Played) -> str | None:
    easy = PreferenceMatrix(np.triu(np.full((4, 4), 0.8), 1) + np.tril(np.full((4, 4), 0.2), -1) + 0.5 * np.eye(4))
    n = GROWTH_ROUNDS[played.is_compiled]

    def regret(horizon: int) -> np.ndarray:
        """Return the regret of all runs after n rounds and at the horizon, summed over the runs."""
        runs = [
            played.play(easy, horizon, checkpoints=[n], run=run, shuffle_arms=True).regret[0, [0, -1]]
            for run in range(GROWTH_RUNS)
        ]
        return np.sum(runs, axis=0)

    before, after = regret(2 * n)
    if not played.algorithm.anytime:
        before = regret(n)[0]
    if after < LINEAR * before or after == 0:
        return None
    ratio = f"{after / before:.2f}" if before else "infinite"
    return (
        f"regret looks linear on a matrix with an arm that wins 80% of its duels: R({2 * n:_}) / R({n:_}) = {ratio}"
        " (2 is linear, 1 is settled)"
    )


CHECKS: dict[str, Callable[[_Played], str | None]] = {
    f"plays {ROUNDS} rounds of five arms": _plays,
    "the same seed plays the same duels": _repeats,
    "recommend changes nothing": _may_be_asked,
    "sees outcomes and not the matrix": _is_blind,
    "knows nothing before outcomes are delivered": _waits,
    "standing decisions play the same duels as round by round": _stands,
    "copes with two arms, ties, certain duels, no Condorcet winner, late outcomes": _copes,
    "copes with fewer rounds than pairs": _is_short,
    "a longer horizon keeps what came before, if it is anytime": _goes_on,
    "regret does not look linear": _grows,
}
"""A rule of the contract -> its check, which raises `_Wrong` or returns a remark."""


# --- differences ---


def _raise_if(difference: str | None, message: str) -> None:
    """If there is a difference, raise the message, with the difference in place of ``{}``."""
    if difference:
        raise _Wrong(message.replace("{}", difference))


def _difference(first: Trace, second: Trace, n: int | None = None, with_regret: bool = True) -> str | None:
    """Describe how two runs differ at the first ``n`` checkpoints, by default at all; None if they do not differ.

    Regret on two matrices cannot be compared: then ``with_regret`` is False.
    """
    pairs = np.argwhere(first.duels != second.duels)
    if pairs.size:
        i, j = map(int, pairs[0])
        return f"({i}, {j}) is dueled {first.duels[i, j]} times, and then {second.duels[i, j]} times"
    return _first_difference(first, second, n, with_regret)


def _first_difference(first: Trace, second: Trace, n: int | None = None, with_regret: bool = True) -> str | None:
    """Describe at which of the first ``n`` checkpoints recommendations or regret first differ; None if they do not."""
    differ = first.recommended[:n] != second.recommended[:n]
    if with_regret:
        differ |= (first.regret[:, :n] != second.regret[:, :n]).any(axis=0)
    return f"they differ from round {first.rounds[differ.argmax()]} on" if differ.any() else None


def _at_end(trace: Trace) -> Trace:
    """Return the trace with its last checkpoint only."""
    return replace(trace, rounds=trace.rounds[-1:], regret=trace.regret[:, -1:], recommended=trace.recommended[-1:])
