"""Seq-Eliminate and Opt-Maximize: an incumbent meets all other arms in turn, and gives way to who seems better.

Seq-Eliminate is one such sweep. Opt-Maximize takes the winner of a sweep over some of the arms for its anchor, drops
arms that the anchor seems to beat, and checks the others: if one may be better, a sweep over all of them decides.

Assume strong stochastic transitivity. With probability 1 - ``delta`` no arm beats the answer by more than ``epsilon``.
Anytime.

References
----------
.. [1] M. Falahatgar, Y. Hao, A. Orlitsky, V. Pichapati, V. Ravindrakumar, "Maxing and Ranking with Few Assumptions",
   NeurIPS 2017; not read. The rules are those of a formalisation and of programs by others: see the page.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.algorithms.contract import NEVER, Algorithm
from duelbench.algorithms.identification.parameters import DELTA, EPSILON
from duelbench.kernels.comparators import interval
from duelbench.kernels.comparators.running_test import FIRST, OPEN, begin, count_duels, new_test
from duelbench.kernels.decorators import kernel
from duelbench.kernels.records import record
from duelbench.kernels.sampling import shuffle

FIND_ANCHOR, PRUNE, CHECK, SWEEP = 0, 1, 2, 3  # steps 2, 3 and 4 of Opt-Maximize, and the sweep that decides


class State(NamedTuple):
    order: np.ndarray  # (K,) int64. All arms in private order.
    # (K,) int64. The arms that the incumbent meets in turn: the first ``n_listed``. A sweep begins with its incumbent.
    listed: np.ndarray
    test: np.ndarray  # (1,) record. The test that is running, of an arm of ``listed`` and the incumbent.
    progress: np.ndarray  # (1,) record of `_state`
    few: int  # 2n': no arms are dropped where no more than these are left
    most_prunings: int  # How many times arms are dropped at most
    epsilon: float
    delta: float
    sweep_delta: float  # The delta of the sweep that decides


def start_seq_eliminate(n_arms, horizon, rng, standing, *, epsilon, delta):
    """State before round 1 of Seq-Eliminate; draws the private order of the arms."""
    return _state(rng.permutation(n_arms), SWEEP, n_arms, epsilon, delta, sweep_delta=delta)


def start_opt_maximize(n_arms, horizon, rng, standing, *, epsilon, delta):
    """State before round 1 of Opt-Maximize; draws the private order of the arms."""
    order = rng.permutation(n_arms)
    if delta <= 1 / n_arms:
        return _state(order, SWEEP, n_arms, epsilon, delta, sweep_delta=delta)
    n_sought = min(n_arms, math.ceil(n_arms / few_arms(n_arms) * math.log(8 / delta)))  # the size of Q
    return _state(order, FIND_ANCHOR, n_sought, epsilon, delta, sweep_delta=delta / 4)


def _state(order, step, n_listed, epsilon, delta, sweep_delta):
    n_arms = order.size
    return State(
        order=order,
        listed=order.copy(),
        test=new_test(order[1], order[0]),
        progress=record(
            step=step,
            incumbent=order[0],  # or the anchor
            n_listed=n_listed,  # the length of ``listed``
            n_met=1,  # how many of its arms need no further test
            n_kept=0,  # how many of these are kept, in the step PRUNE
            n_prunings=0,  # how often arms were dropped, the running step included
        ),
        few=2 * few_arms(n_arms),
        most_prunings=math.floor(math.log2(n_arms)) ** 2 - 1,
        epsilon=epsilon,
        delta=delta,
        sweep_delta=sweep_delta,
    )


def few_arms(n_arms):
    """n' = min(K, ceil(sqrt(6 K ln K)) + 1)."""
    return min(n_arms, math.ceil(math.sqrt(6 * n_arms * math.log(n_arms))) + 1)


@kernel
def select(state, t, rng):
    """The pair under test, for as long as the test cannot end; the incumbent when it is the answer."""
    _settle(state, rng)
    if _is_over(state):
        incumbent = state.progress[0].incumbent
        return incumbent, incumbent, NEVER
    test = state.test[0]
    middle, slack, level, most = _test_of_step(state)
    return test.first, test.second, interval.rounds_left(middle, slack, level, most, test.n, test.wins)


@kernel
def _test_of_step(state):
    """The parameters of the tests of a step, of an arm and the incumbent."""
    progress = state.progress[0]
    epsilon, delta = state.epsilon, state.delta
    if progress.step == FIND_ANCHOR:
        return interval.between(0.0, epsilon / 3.0, delta / (8.0 * progress.n_listed))
    if progress.step == PRUNE:
        return interval.between(epsilon / 3.0, 2.0 * epsilon / 3.0, delta / 4.0 / 2.0 ** (progress.n_prunings + 1))
    if progress.step == CHECK:
        return interval.between(2.0 * epsilon / 3.0, epsilon, delta / (4.0 * state.order.size))
    return interval.between(0.0, epsilon, state.sweep_delta / progress.n_listed)


@kernel
def _settle(state, rng):
    """If a test is over, act on its result and continue."""
    now = state.progress[0]
    test = state.test[0]
    middle, slack, level, most = _test_of_step(state)
    won = interval.winner(middle, slack, level, most, test.n, test.wins)
    if won == OPEN or _is_over(state):
        return
    now.n_met += 1
    if won == FIRST and now.step == PRUNE:
        state.listed[now.n_kept] = test.first
        now.n_kept += 1
    elif won == FIRST and now.step == CHECK:  # the sweep that decides, over the arms to be checked and the anchor
        state.listed[now.n_listed] = now.incumbent
        now.n_listed += 1
        shuffle(state.listed, now.n_listed, rng)
        now.step = SWEEP
        now.incumbent = state.listed[0]
        now.n_met = 1
    elif won == FIRST:
        now.incumbent = test.first
    if now.n_met == now.n_listed and now.step < CHECK:
        _next_step(state, rng)
    if now.n_met < now.n_listed:
        begin(state.test, state.listed[now.n_met], now.incumbent)


@kernel
def _next_step(state, rng):
    """Drop arms as long as there are too many; otherwise check the anchor."""
    now = state.progress[0]
    if now.step == FIND_ANCHOR:  # all but the anchor are left
        now.n_listed = 0
        for arm in state.order:
            if arm != now.incumbent:
                state.listed[now.n_listed] = arm
                now.n_listed += 1
    else:
        now.n_listed = now.n_kept
    now.n_met = 0
    if now.n_prunings < state.most_prunings and now.n_listed + 1 > state.few:
        now.step = PRUNE
        now.n_prunings += 1
        now.n_kept = 0
    else:
        now.step = CHECK
        shuffle(state.listed, now.n_listed, rng)


@kernel
def _is_over(state):
    """Whether the sweep that decides is over, or the anchor is checked against all."""
    progress = state.progress[0]
    return progress.step >= CHECK and progress.n_met == progress.n_listed


@kernel
def recommend(state):
    """The incumbent; the arm that it meets while that leads the test."""
    test = state.test[0]
    if _is_over(state) or 2 * test.wins <= test.n:
        return state.progress[0].incumbent
    return test.first


@kernel
def explored(state):
    """The arms that may still be the answer; 0 when it is known."""
    progress = state.progress[0]
    if _is_over(state):
        return 0
    if progress.step == FIND_ANCHOR:
        return state.order.size
    if progress.step == CHECK:
        return progress.n_listed + 1
    return progress.n_kept + progress.n_listed - progress.n_met + 1


SEQ_ELIMINATE = Algorithm.of_module(
    __name__,
    "seq-eliminate",
    "Seq-Eliminate",
    "total order",
    "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar 2017, after a formalisation and programs by others",
    answers=("condorcet",),
    parameters={"epsilon": EPSILON, "delta": DELTA},
    update=count_duels,
)

OPT_MAXIMIZE = Algorithm.of_module(
    __name__,
    "opt-maximize",
    "Opt-Maximize",
    "total order",
    "Falahatgar, Hao, Orlitsky, Pichapati, Ravindrakumar 2017, after a formalisation and a program by others",
    answers=("condorcet",),
    parameters={"epsilon": EPSILON, "delta": DELTA},
    update=count_duels,
)
