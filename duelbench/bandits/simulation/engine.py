"""The loop that plays every algorithm.

The loop calls `select`, `update`, `recommend` and others, placeholders for the functions of the algorithm. Numba
resolves them by the type of the state when it compiles the loop, and stores the result on disk; if the functions were
arguments, every process would compile the loop again.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import NEVER, SEVERAL
from duelbench.bandits.algorithms.dispatch import (
    explored,
    has_rule,
    pair_probability,
    recommend,
    recommend_every_round,
    select,
    self_duel_probability,
    update,
)
from duelbench.bandits.kernels.decorators import (
    KERNEL_OPTIONS,
    PART_OPTIONS,
    inlined_or_plain,
    kernel,
    not_inlined_or_plain,
)
from duelbench.bandits.kernels.dispatch_by_type import found_by_type
from duelbench.bandits.simulation.binomial import draw_binomial
from duelbench.bandits.simulation.run_log import count_rounds, named_by_problem, note_decision, record

CLOCK = np.dtype([(name, np.int64) for name in ("t", "look", "n_waiting", "decisions", "first", "second", "last")])
"""The state of a run between two segments of its world: the next round, the number of the next checkpoint, how many
outcomes (of batches: pairs with outcomes) wait to be delivered, the decisions so far, and the current pair with the
last round in which it is played."""


def new_clock() -> np.ndarray:
    """Return the clock before round 1: (1,) CLOCK, updated in place."""
    return np.rec.array([(1, 0, 0, 0, 0, 0, 0)], dtype=CLOCK)


class Rules(NamedTuple):
    """The rules of a run: what an algorithm learns, and when."""

    batch: int  # outcomes are delivered after rounds batch, 2 batch, ...; 1 is at once
    delay: int  # the outcome of round t is delivered after round t + delay; above 0 only if batch is 1
    standing: bool  # False plays every decision for one round
    reads_self_duels: bool  # whether the algorithm wants the fair coin of a self-duel
    # whether a decision whose duels are informative ends at the next checkpoint, so that the recommendation there uses
    # all duels so far
    cuts: bool
    duel_by_duel: bool  # whether the duels of a decision are drawn one by one
    until: int  # the last round of the current segment; NEVER if there is no other


class Adversary(NamedTuple):
    """An adversary that flips wins of one arm; arrays are updated in place."""

    harmed: np.ndarray  # (1,) int64. The problem's arm whose wins it flips; -1 if there is none
    flips_left: np.ndarray  # (1,) int64. How many outcomes it may still flip


class LateOutcomes(NamedTuple):
    """Outcomes that wait to be delivered, in batches or each after a delay; arrays are updated in place."""

    wins: np.ndarray  # (K, K, 2) int64. Of a batch, for each ordered pair: wins of the first arm, wins of the second
    # (K * K, 2) int64. Pairs with outcomes in the batch, in the order in which they were first played
    pairs: np.ndarray
    # (delay + 1, 4) int64. A ring of outcomes in the order of their rounds: the round after which it is delivered, the
    # first arm, the second, and 1 if the first has won
    queue: np.ndarray
    oldest: np.ndarray  # (1,) int64. The index of the oldest outcome in ``queue``


def new_late_outcomes(n_arms: int, batch: int, delay: int) -> LateOutcomes | None:
    """Return a store without outcomes; None if feedback is at once, so that no outcome ever waits."""
    if batch == 1 and delay == 0:
        return None
    size = n_arms if batch > 1 else 0
    wins, pairs = np.zeros((size, size, 2), np.int64), np.zeros((size * size, 2), np.int64)
    return LateOutcomes(wins, pairs, np.zeros((delay + 1, 4), np.int64), np.zeros(1, np.int64))


@kernel
def play(state, P, arms, terms, late, adversary, announced, log, random, clock):
    """Play all rounds up to the last checkpoint or the end of the segment, and record them.

    Code for what is None is not compiled.

    Parameters
    ----------
    state, log, clock : NamedTuple, Log, ndarray of CLOCK of shape (1,)
        Updated in place.
    P : ndarray of float64, shape (K, K) or (N, 1)
        Preference matrix, or the means of a scalar bandit: a table of one column, in which arms duel nobody.
    arms : ndarray of int64, shape (K,)
        ``arms[a]`` is the matrix's arm that the algorithm knows as a.
    terms : Rules
    late : LateOutcomes or None
        Updated in place; None if feedback is at once.
    adversary : Adversary or None
        Updated in place; None if no outcome is flipped.
    announced : ndarray of int64 or None
        ``log.announced``, updated in place; None if announcing a decision after each round costs nothing.
    """
    horizon = min(log.checkpoints[-1], terms.until)
    now = clock[0]
    decisions = now.decisions
    look = now.look
    n_waiting = now.n_waiting
    t = int(now.t)  # interpreted rules must raise an error when they divide by zero, and a NumPy number would not
    # A decision whose duels are not informative continues in the next segment. Asking again could change its
    # distribution: if the length of decisions is drawn, being cut makes longer ones more likely.
    first, second, last = now.first, now.second, now.last
    informs = False
    while t <= horizon:
        checkpoint = log.checkpoints[look]
        at_once = 0
        if t > last:
            decisions += 1
            if late is None and announced is None and (adversary is None or adversary.flips_left[0] == 0):
                at_once = _play_at_once(state, min(checkpoint, horizon) - t + 1, P, arms, terms, log, random)
            if at_once == 0:
                first, second, rounds = select(state, t, random.algorithm)
                note_decision(log, t, first, second, rounds)
                informs = first != second or terms.reads_self_duels
                # The algorithm knows all outcomes before the checkpoint.
                if terms.duel_by_duel or (terms.cuts and informs):
                    rounds = min(rounds, checkpoint - t + 1)
                if not terms.standing:
                    rounds = 1
                if announced is not None and informs and rounds < NEVER:
                    rounds = 1  # the announced decision may change after each round
                if late is not None and (informs or n_waiting > 0):
                    # The outcomes may change the decision.
                    rounds = min(rounds, _next_delivery(late, n_waiting, t, terms) - t + 1)
                if informs:
                    rounds = min(rounds, terms.until - t + 1)
                if adversary is not None and informs and _may_flip(adversary, arms[first], arms[second]):
                    rounds = 1
                last = t + rounds - 1
        if at_once > 0:
            end = t + at_once - 1
        else:
            end = min(last, checkpoint, terms.until)
            if first == SEVERAL:
                _divide(state, end - t + 1, random.division, log.duels, arms)
            else:
                count_rounds(log.duels, log.played, arms[first], _opponent(P, arms, second), end - t + 1)
            if announced is not None and end > t:
                announced[named_by_problem(log, arms, recommend(state))] += end - t
            if informs and end == last:  # a batch that ends after the horizon is never delivered
                p = P[arms[first], _opponent(P, arms, second)]
                if late is not None and terms.delay > 0:
                    for played in range(end - rounds + 1, end + 1):
                        wins = 1 if random.duels.random() < p else 0
                        if adversary is not None and first != second:
                            wins = _flip(adversary, wins, p, arms[first], arms[second], random.duels)
                        n_waiting = enqueue(late, n_waiting, played + terms.delay, first, second, wins)
                else:
                    wins = _play_duels(p, rounds, terms.duel_by_duel, random.duels)
                    if adversary is not None and first != second:
                        wins = _flip(adversary, wins, p, arms[first], arms[second], random.duels)
                    if late is None:
                        update(state, first, second, wins, rounds - wins)
                    else:
                        n_waiting = hold_back(late, n_waiting, first, second, wins, rounds - wins)
            if late is not None and n_waiting > 0:
                if terms.delay > 0:
                    n_waiting = deliver_due(state, late, n_waiting, end)
                elif end % terms.batch == 0:
                    deliver(state, late, n_waiting)
                    n_waiting = 0
            if announced is not None:
                announced[named_by_problem(log, arms, recommend_every_round(state))] += 1
        if end == checkpoint:
            record(log, look, named_by_problem(log, arms, recommend(state)), explored(state))
            look += 1
        t = end + 1
    now.t = t
    now.look = look
    now.n_waiting = n_waiting
    now.decisions = decisions
    now.first, now.second, now.last = first, second, last


@inlined_or_plain
def _opponent(P, arms, second):
    """Return the column of the second arm in the table ``P``."""
    return arms[second] if P.shape[1] > 1 else 0


@not_inlined_or_plain
def _next_delivery(late, n_waiting, t, terms):
    """Return the first round from ``t`` on after which outcomes are delivered: waiting ones, or that of round ``t``."""
    if terms.delay == 0:
        return t + terms.batch - 1 - (t - 1) % terms.batch
    return late.queue[late.oldest[0], 0] if n_waiting > 0 else t + terms.delay


@inlined_or_plain
def _play_duels(p, rounds, one_by_one, rng):
    """Return how many of ``rounds`` duels the first arm wins, drawn one by one or together."""
    if not one_by_one:
        return draw_wins(p, rounds, rng)
    wins = 0
    for _ in range(rounds):
        wins += 1 if rng.random() < p else 0
    return wins


@kernel
def _may_flip(adversary, i, j):
    """Return whether the adversary may still flip outcomes of the problem's arms i and j."""
    return adversary.flips_left[0] > 0 and (i == adversary.harmed[0] or j == adversary.harmed[0])


@kernel
def _flip(adversary, wins, p, i, j, rng):
    """Return the wins of arm i against arm j after ``wins`` in some duels, one of which may be flipped.

    Duels of the harmed arm are played one by one. Its wins are flipped so that it wins with probability 1/2 - D instead
    of 1/2 + D.
    """
    if not _may_flip(adversary, i, j):
        return wins
    is_first = i == adversary.harmed[0]
    has_won = (wins == 1) == is_first
    gap = (p if is_first else 1.0 - p) - 0.5
    if has_won and rng.random() < 4.0 * gap / (1.0 + 2.0 * gap):
        adversary.flips_left[0] -= 1
        return 1 - wins
    return wins


@inlined_or_plain
def draw_wins(p, rounds, rng):
    """Draw how many of ``rounds`` duels the first arm wins."""
    if rounds == 1:
        return 1 if rng.random() < p else 0
    return draw_binomial(rounds, p, rng)


@kernel
def hold_back(late, n_waiting, first, second, first_wins, second_wins):
    """Add outcomes to a batch that has outcomes of ``n_waiting`` pairs; return the new number of pairs."""
    if late.wins[first, second, 0] + late.wins[first, second, 1] == 0:
        late.pairs[n_waiting, 0] = first
        late.pairs[n_waiting, 1] = second
        n_waiting += 1
    late.wins[first, second, 0] += first_wins
    late.wins[first, second, 1] += second_wins
    return n_waiting


@not_inlined_or_plain
def deliver(state, late, n_waiting):
    """Tell the algorithm the outcomes of a batch, pair by pair, in the order in which the pairs were first played."""
    for k in range(n_waiting):
        first = late.pairs[k, 0]
        second = late.pairs[k, 1]
        update(state, first, second, late.wins[first, second, 0], late.wins[first, second, 1])
        late.wins[first, second] = 0


@kernel
def enqueue(late, n_waiting, due, first, second, wins):
    """Queue the outcome of a duel after ``n_waiting`` others, due after round ``due``; return how many then wait."""
    place = (late.oldest[0] + n_waiting) % late.queue.shape[0]
    late.queue[place, 0] = due
    late.queue[place, 1] = first
    late.queue[place, 2] = second
    late.queue[place, 3] = wins
    return n_waiting + 1


@not_inlined_or_plain
def deliver_due(state, late, n_waiting, t):
    """Tell the algorithm the outcome that is due after round ``t``, if there is one; return how many still wait."""
    place = late.oldest[0]
    if late.queue[place, 0] > t:
        return n_waiting
    wins = late.queue[place, 3]
    update(state, late.queue[place, 1], late.queue[place, 2], wins, 1 - wins)
    late.oldest[0] = (place + 1) % late.queue.shape[0]
    return n_waiting - 1


ROUNDS_PER_PAIR = 4
"""From this number of rounds per pair on, drawing how often each pair is played is faster than playing each round."""


def _playing_at_once(state: type) -> Callable[..., Any]:
    """Return `_draw_counts` if an algorithm has a `pair_probability`; others need not wait for its compilation."""
    return _draw_counts if has_rule(state, "pair_probability") else _play_nothing


def _play_nothing(state, rounds, P, arms, terms, log, random):
    return 0


@found_by_type(_playing_at_once, {**KERNEL_OPTIONS, **PART_OPTIONS})
def _play_at_once(state, rounds, P, arms, terms, log, random):
    """If possible, play the rounds up to the next checkpoint at once; return how many were played, all or none."""
    return _playing_at_once(type(state))(state, rounds, P, arms, terms, log, random)


@inlined_or_plain
def _draw_counts(state, rounds, P, arms, terms, log, random):
    """Draw how often each pair is played in ``rounds`` rounds, and its wins; return the rounds played, all or none.

    In each round, a pair is drawn independently, so the counts are multinomial. This is possible only if the algorithm
    is not called between these rounds; otherwise no round is played.
    """
    if not terms.standing or rounds < ROUNDS_PER_PAIR * P.size:
        return 0
    remaining, left = rounds, 1.0
    for first in range(P.shape[0]):
        for second in range(P.shape[1]):
            probability = pair_probability(state, first, second)
            count = remaining
            if remaining > 0 and probability < left - 1e-12:  # else this pair takes all remaining rounds
                count = draw_wins(probability / left, remaining, random.division)
            remaining -= count
            left -= probability
            if count > 0:
                i, j = arms[first], _opponent(P, arms, second)
                count_rounds(log.duels, log.played, i, j, count)
                if first != second or terms.reads_self_duels:
                    wins = draw_wins(P[i, j], count, random.duels)
                    update(state, first, second, wins, count - wins)
    if not abs(left) < 1e-6:  # also if it is nan
        raise ValueError(NO_DISTRIBUTION)
    return rounds


NO_DISTRIBUTION = "the algorithm's probabilities of the pairs do not add up to 1"
NOT_SHARED_OUT = "the algorithm chose several arms, but does not share the rounds out among them"


def _dividing(state: type) -> Callable[..., Any]:
    """Return `_divide` if an algorithm may choose several arms; others need not wait for its compilation."""
    return _divide if has_rule(state, "self_duel_probability") else _refuse_to_divide


def _refuse_to_divide(state, rounds, rng, duels, arms):
    if arms.size > 0:
        raise ValueError(NOT_SHARED_OUT)


@found_by_type(_dividing, {**KERNEL_OPTIONS, **PART_OPTIONS})
def _divide(state, rounds, rng, duels, arms):
    """Count rounds in each of which one of several arms, drawn independently, duels itself."""
    left = 1.0
    for a in range(arms.size):
        probability = self_duel_probability(state, a)
        count = rounds
        if rounds > 0 and probability < left - 1e-12:  # else arm a takes all remaining rounds
            count = draw_wins(probability / left, rounds, rng)
        duels[arms[a], arms[a]] += count
        rounds -= count
        left -= probability
    if left > 1e-6:
        raise ValueError(NOT_SHARED_OUT)
