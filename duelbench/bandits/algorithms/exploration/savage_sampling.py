"""SAVAGE Sampling: SAVAGE that simulates which parameters a decision depends on, for any decision.

Only needs f of a decision. It has no guarantee: it drops a parameter that does not matter in the simulations. Needs the
horizon.

Algorithm 1 of [1]_ with Algorithm 2 in place of its line 4; S = {} at first:

1. Repeat m times: draw a point x of the box H, uniformly.
2.     Repeat M times: draw i from W without S;
3.         draw x_i again, uniformly;
4.         if f(x) is another than before, S <- S + {i}.
5. W <- W and S.

References
----------
.. [1] T. Urvoy, F. Clerot, R. Feraud, S. Naamane, "Generic Exploration and K-armed Voting Bandits", ICML 2013,
   Algorithms 1 and 2.
"""

from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.algorithms.exploration import savage
from duelbench.bandits.algorithms.exploration.copeland_decisions import COPELAND
from duelbench.bandits.algorithms.exploration.dispatch import decide, follow
from duelbench.bandits.algorithms.exploration.parameter_sets import DELTA, NO_ARM, all_pairs, drop, is_due
from duelbench.bandits.algorithms.exploration.savage import ETA, NESTED, State, begin, count, one_by_one, play
from duelbench.bandits.kernels.decorators import kernel, kernel_or_plain
from duelbench.bandits.kernels.sampling import draw_index


class SampledState(NamedTuple):
    core: State
    twin: Any  # NamedTuple. A second copy of the decision, for points within the box.
    point: np.ndarray  # (N,) float64. A point of the box.
    row_sums: np.ndarray  # (K,) float64. sum_j x_ij at the point, x_ii = 1/2; empty if walks go anywhere in the box.
    unseen: np.ndarray  # (N,) int64. Scratch: parameters of W that have not been seen to matter.
    simulations: int  # Moves per parameter and test
    moves: int  # Moves of one walk


def start(n_arms, horizon, rng, standing, *, question=None, simulations, moves, within, **options):
    """Return the state before round 1: for N means and a question, or for the Copeland winner of K arms."""
    samples = question is not None
    asked, parameters = question = question or (COPELAND, {})
    arms = one_by_one(n_arms) if samples else all_pairs(n_arms)
    n_dueling = 0 if samples else n_arms
    return SampledState(
        core=begin(question, arms, horizon, accept="empty", n_arms=n_dueling, samples=samples, **options),
        twin=asked.begin(n_arms, parameters),
        point=np.zeros(len(arms)),
        row_sums=np.zeros(n_dueling if within == "borda" else 0),
        unseen=np.zeros(len(arms), np.int64),
        simulations=simulations,
        moves=moves,
    )


@kernel
def select(state, t, rng):
    """Return the sample whose turn it is, after the sampled tests; once W is empty, f(mu^) in all later rounds."""
    core = state.core
    if t > 1 and core.final[0] == NO_ARM and is_due(core.explored, core.test_every):
        _drop_unseen(state, rng)  # line 4 of Algorithm 1
        if core.explored.place[0].n_left == 0:
            core.final[0] = core.announced[0]
    return play(core, rng)  # line 1 of Algorithm 1


@kernel_or_plain
def _drop_unseen(state, rng):
    """Algorithm 2: W <- the parameters seen to matter in random walks, of ``simulations`` moves for each of W."""
    explored = state.core.explored
    unseen = state.unseen
    n_unseen = 0
    for k in range(explored.place[0].n_listed):
        e = explored.listed[k]
        if not explored.gone[e]:
            unseen[n_unseen] = e
            n_unseen += 1
    for _walk in range(max(1, n_unseen * state.simulations // state.moves)):
        if n_unseen == 0:
            break
        _draw_point(state, rng)  # line 1
        f = decide(state.twin, state.point)
        for _move in range(state.moves):
            if n_unseen == 0:
                break
            k = draw_index(n_unseen, rng)  # line 2
            e = unseen[k]
            before = state.point[e]
            could_move = _move_one(state, e, rng)  # line 3
            now = follow(state.twin, state.point, e, before, f)
            if now != f or not could_move:  # line 4
                n_unseen -= 1
                unseen[k] = unseen[n_unseen]
            f = now
    for k in range(n_unseen):  # line 5
        drop(explored, unseen[k])


@kernel_or_plain
def _draw_point(state, rng):
    """A uniform feasible point of the box; any point after as many failures as a walk has moves."""
    for _ in range(state.moves):
        for e in range(state.point.size):
            state.point[e] = _draw_within(state, e, rng)
        if state.row_sums.size > 0:
            state.row_sums[:] = 0.5
            for e in range(state.point.size):
                state.row_sums[state.core.arms[e, 0]] += state.point[e]
                state.row_sums[state.core.arms[e, 1]] += 1.0 - state.point[e]
        if _is_feasible(state):
            break


@kernel_or_plain
def _move_one(state, e, rng):
    """Draw x_e until the point is feasible; restore x_e and return False after as many failures as a walk has moves."""
    before = state.point[e]
    for _ in range(state.moves):
        _move_to(state, e, _draw_within(state, e, rng))
        if _is_feasible(state):
            return True
    _move_to(state, e, before)
    return False


@kernel_or_plain
def _draw_within(state, e, rng):
    low, high = state.core.explored.low[e], state.core.explored.high[e]
    return low + (high - low) * rng.random()


@kernel_or_plain
def _move_to(state, e, value):
    """Set x_e to ``value``."""
    if state.row_sums.size > 0:
        state.row_sums[state.core.arms[e, 0]] += value - state.point[e]
        state.row_sums[state.core.arms[e, 1]] -= value - state.point[e]
    state.point[e] = value


@kernel_or_plain
def _is_feasible(state):
    """Return whether some arm's Borda score is above 1/2, or if all points count, True."""
    for total in state.row_sums:
        if total > state.row_sums.size / 2:
            return True
    return state.row_sums.size == 0


@kernel
def update(state, first, second, first_wins, second_wins):
    """Lines 2 and 3 of Algorithm 1."""
    count(state.core, first, second, first_wins, second_wins)


@kernel
def recommend(state):
    """Return f(mu^) (lowest index on ties), or the decision after exploration."""
    return savage.recommend(state.core)


@kernel
def explored_parameters(state):
    """Return how many parameters are still explored; 0 after exploration."""
    return savage.explored_parameters(state.core)


SAVAGE_SAMPLING = Algorithm.of_module(
    __name__,
    "savage-sampling",
    "SAVAGE Sampling",
    "nothing",
    "Urvoy, Clerot, Feraud, Naamane 2013, Algorithms 1 and 2",
    answers=("copeland", "condorcet"),
    anytime=False,
    parameters={
        "delta": DELTA,
        "test_every": Parameter(1, "sweeps between independence tests; 0 tests after every sample, at a price", low=0),
        "nested": NESTED,
        "simulations": Parameter(1000, "moves of the random walks per parameter and test", low=1),
        "moves": Parameter(10, "moves of each walk; there are as many walks as that leaves", low=1),
        "within": Parameter(
            "box",
            "where the walks go, on matrices: box, or the part where some arm's Borda score is above 1/2",
            choices=("box", "borda"),
        ),
        "eta": ETA,
    },
    state=SampledState,
    explored=explored_parameters,
    plays=("duels", "samples"),
    trace_version=2,
    look=("green", "dash-dot-dot", "h"),
    source="paper",
)
