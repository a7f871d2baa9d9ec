"""Beat the Winner (BtW) and Beat the Winner Reset (BtWR).

An incumbent I races against a challenger C: they duel until one of them has l_c wins, c the number of the race. The
winner is the incumbent of the next race, the loser goes to the end of a queue, and the head of the queue is the next
challenger. BtW counts its races, c = 1, 2, ...; BtWR counts those of the current incumbent.

Assume a Condorcet winner and no ties. Anytime. Meant for weak regret: two arms duel in every round, so that strong
regret is linear.

A decision holds for as many rounds as the leader lacks wins: the race cannot end before. If late outcomes bring both to
l_c wins, the arm with more wins is the winner, and on ties the incumbent.

References
----------
.. [1] P. Kolpaczki, V. Bengs, E. Huellermeier, "Non-Stationary Dueling Bandits", arXiv:2202.00935, 2022, and
   "Piecewise-Stationary Dueling Bandits", TMLR 2024: only the abstracts were read.
.. [2] P. Kolpaczki, "Piecwise-Stationary-Dueling-Bandits", the authors' Java program.
"""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel
from duelbench.bandits.kernels.records import record
from duelbench.bandits.kernels.sampling import draw_index


class State(NamedTuple):
    race: np.ndarray  # (1,) record of `_start`
    others: np.ndarray  # (K - 1,) int64. The challenger at ``head``, then the queue, as a ring.
    p_min: float  # Determines the lengths of races; 0 for l_c = c
    resets: bool  # BtWR: a new incumbent starts again with c = 1


def start(n_arms, horizon, rng, standing):
    """Return the state of BtW before round 1."""
    return _start(rng.permutation(n_arms), p_min=0.0, resets=False)


def start_reset(n_arms, horizon, rng, standing, *, p_min):
    """Return the state of BtWR before round 1."""
    return _start(rng.permutation(n_arms), p_min=p_min or 0.0, resets=True)


def _start(order, p_min, resets):
    race = record(
        incumbent=order[0],
        head=0,  # the place of the challenger among the others
        number=1,  # c
        defended=0,  # the wins of the incumbent
        attacked=0,  # the wins of the challenger
    )
    return State(race=race, others=order[1:].copy(), p_min=p_min, resets=resets)


@kernel
def restart(state, rng):
    """Go back to round 1 with a new random order, by a Fisher-Yates shuffle from arm K - 1 down."""
    race, others = state.race[0], state.others
    race.incumbent = 0
    for k in range(others.size):
        others[k] = k + 1
    for k in range(others.size, 0, -1):
        place = draw_index(k + 1, rng)
        if place == 0:
            race.incumbent, others[k - 1] = others[k - 1], race.incumbent
        else:
            others[place - 1], others[k - 1] = others[k - 1], others[place - 1]
    race.head = 0
    race.number = 1
    race.defended = 0
    race.attacked = 0


@kernel
def select(state, t, rng):
    """Return the incumbent and challenger, for as many rounds as the leader lacks wins."""
    race = state.race[0]
    needed = _length(state.p_min, race.number)
    if max(race.defended, race.attacked) >= needed:
        race.number += 1
        if race.attacked > race.defended:  # the challenger takes the place of the incumbent
            race.incumbent, state.others[race.head] = state.others[race.head], race.incumbent
            if state.resets:
                race.number = 1
        race.head = (race.head + 1) % state.others.size  # the loser goes to the end of the queue
        race.defended = 0
        race.attacked = 0
        needed = _length(state.p_min, race.number)
    return race.incumbent, state.others[race.head], needed - max(race.defended, race.attacked)


@kernel
def _length(p_min, c):
    """Return l_c, the number of wins that decides race c."""
    if p_min == 0.0:
        return c
    return math.ceil(math.log(c * (c + 1) * (math.e / (math.e - 1.0))) / (4.0 * p_min * p_min))


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the wins of the race."""
    race = state.race[0]
    race.defended += first_wins
    race.attacked += second_wins


@kernel
def recommend(state):
    """Return the incumbent, as soon as its race is won."""
    race = state.race[0]
    if race.attacked > race.defended and race.attacked >= _length(state.p_min, race.number):
        return state.others[race.head]
    return race.incumbent


def _reset_name(p_min):
    """Return the name in legends, with the lengths of races."""
    return "BtWR, l_c = c" if p_min is None else f"BtWR, p_min = {p_min:g}"


BTW = Algorithm.of_module(
    __name__,
    "btw",
    "BtW",
    "condorcet",
    "Kolpaczki, Bengs, Huellermeier 2022, Beat the Winner (the authors' program)",
    look=("blue", "long", "X"),
    source="program",
)

BTWR = Algorithm.of_module(
    __name__,
    "btwr",
    "BtWR, l_c = c",
    "condorcet",
    "Kolpaczki, Bengs, Huellermeier 2022, Beat the Winner Reset (the authors' program)",
    name_with=_reset_name,
    parameters={
        "p_min": Parameter(
            None,
            "races have ceil(ln(c (c + 1) e / (e - 1)) / (4 p_min^2)) wins, p_min at most the least p_wj - 1/2 of the"
            " Condorcet winner w; not given: c wins, as in the authors' program",
            low=0.0,
            low_open=True,
            high=0.5,
        ),
    },
    start=start_reset,
    look=("vermilion", "dash-dot", "X"),
    source="program",
)
