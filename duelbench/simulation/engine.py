"""The clock: the one loop that plays every algorithm.

The loop calls `select`, `update` and `recommend`, which stand for the functions of the algorithm whose state is played.
Compiled, Numba resolves them by the type of the state when it compiles the loop for that type, and keeps the result on
disk; passing the functions as arguments would compile anew in every process.
"""

import numpy as np
from numba import types
from numba.extending import overload

from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.kernel import kernel, plain

_algorithm_of: dict[type, Algorithm] = {}


def introduce(algorithm: Algorithm) -> None:
    """Make the loop know which algorithm a state of type ``algorithm.state`` belongs to."""
    _algorithm_of[algorithm.state] = algorithm


def select(state, t, rng):
    """The algorithm's decision for round ``t``: (first, second, rounds)."""
    return _algorithm_of[type(state)].select(state, t, rng)


def update(state, first, second, first_wins, second_wins):
    """Tell the algorithm the outcomes of ``first_wins + second_wins`` duels of a pair."""
    _algorithm_of[type(state)].update(state, first, second, first_wins, second_wins)


def recommend(state):
    """The arm the algorithm would answer with now."""
    return _algorithm_of[type(state)].recommend(state)


@overload(select)
def _compile_select(state, t, rng):
    return _python_function(state, "select")


@overload(update)
def _compile_update(state, first, second, first_wins, second_wins):
    return _python_function(state, "update")


@overload(recommend)
def _compile_recommend(state):
    return _python_function(state, "recommend")


def _python_function(state, name):
    if not isinstance(state, types.BaseNamedTuple):
        return None
    return plain(getattr(_algorithm_of[state.instance_class], name))


@kernel
def play(state, P, losses, checkpoints, arms, delay, standing, reads_self_duels, duel_rng, algorithm_rng):
    """Play rounds 1..checkpoints[-1] and record what happened.

    Parameters
    ----------
    state : NamedTuple
        The algorithm's state; updated in place.
    P : ndarray of float64, shape (K, K)
        Preference matrix.
    losses : ndarray of float64, shape (n_definitions, K, K)
        Regret of one round of each pair, per definition.
    checkpoints : ndarray of int64, shape (n,)
        Increasing rounds; the last is the horizon.
    arms : ndarray of int64, shape (K,)
        ``arms[a]`` is the matrix's arm that the algorithm knows as a.
    delay : int
        Outcomes are delivered after rounds delay, 2 delay, ...; 1 is at once.
    standing : bool
        False plays every decision for one round only.
    reads_self_duels : bool
        Whether the algorithm wants the fair coin of a self-duel.
    duel_rng, algorithm_rng : Generator

    Returns
    -------
    regret : ndarray of float64, shape (n_definitions, n)
    duels : ndarray of int64, shape (K, K)
    recommended : ndarray of int64, shape (n,)
    decisions : int
    """
    n_arms = P.shape[0]
    horizon = checkpoints[-1]
    regret = np.zeros((losses.shape[0], checkpoints.size))
    recommended = np.zeros(checkpoints.size, np.int64)
    duels = np.zeros((n_arms, n_arms), np.int64)
    waiting = np.zeros((n_arms if delay > 1 else 0, n_arms, 2), np.int64)
    queue = np.zeros((n_arms * n_arms if delay > 1 else 0, 2), np.int64)
    queued = 0
    next_checkpoint = 0
    decisions = 0
    t = 1
    while t <= horizon:
        first, second, rounds = select(state, t, algorithm_rng)
        if not (0 <= first < n_arms and 0 <= second < n_arms and rounds >= 1):
            raise ValueError("the algorithm chose an arm that does not exist, or a decision of no rounds")
        decisions += 1
        informative = first != second or reads_self_duels
        if not standing:
            rounds = 1
        if delay > 1 and (informative or queued > 0):
            rounds = min(rounds, delay - (t - 1) % delay)  # news at the end of the block may change the decision
        last = min(t + rounds - 1, horizon)

        i = arms[first]
        j = arms[second]
        before = duels[i, j] - t + 1
        while checkpoints[next_checkpoint] < last:
            duels[i, j] = before + checkpoints[next_checkpoint]
            _record(duels, losses, regret, next_checkpoint)
            recommended[next_checkpoint] = arms[recommend(state)]
            next_checkpoint += 1
        duels[i, j] = before + last

        if informative and last == t + rounds - 1:  # a batch that the horizon cuts short never reports
            wins = _wins(P[i, j], rounds, duel_rng)
            if delay == 1:
                update(state, first, second, wins, rounds - wins)
            else:
                if waiting[first, second, 0] + waiting[first, second, 1] == 0:
                    queue[queued, 0] = first
                    queue[queued, 1] = second
                    queued += 1
                waiting[first, second, 0] += wins
                waiting[first, second, 1] += rounds - wins
        if queued > 0 and last % delay == 0:
            _deliver(state, waiting, queue, queued)
            queued = 0
        if checkpoints[next_checkpoint] == last:
            _record(duels, losses, regret, next_checkpoint)
            recommended[next_checkpoint] = arms[recommend(state)]
            next_checkpoint += 1
        t = last + 1
    return regret, duels, recommended, decisions


@kernel
def _wins(p, rounds, rng):
    """How many of ``rounds`` duels the first arm wins."""
    if rounds == 1:
        return 1 if rng.random() < p else 0
    return rng.binomial(rounds, p)


@kernel
def _deliver(state, waiting, queue, queued):
    """Hand over the outcomes that were held back, in the order in which their pairs were first played."""
    for k in range(queued):
        first = queue[k, 0]
        second = queue[k, 1]
        update(state, first, second, waiting[first, second, 0], waiting[first, second, 1])
        waiting[first, second, 0] = 0
        waiting[first, second, 1] = 0


@kernel
def _record(duels, losses, regret, column):
    """Regret so far, from the counts: no error accumulates, however many rounds there were."""
    for definition in range(losses.shape[0]):
        total = 0.0
        for i in range(duels.shape[0]):
            for j in range(duels.shape[0]):
                total += duels[i, j] * losses[definition, i, j]
        regret[definition, column] = total
