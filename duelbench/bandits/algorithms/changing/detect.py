"""DETECT: finds the winner, then monitors its duels with all other arms, and starts again when one has changed.

A base plays for T~ rounds. The arm i* that it recommends then duels the other arms in turn, from the lowest index. The
windows hold the latest w outcomes of each of these pairs: if the wins of i* in the newer half and in the older half
differ by more than b, the matrix has changed, and DETECT starts again with empty windows.

Assumes a Condorcet winner and few changes. Needs the horizon. Meant for weak regret: i* is one arm of every later duel.

With q = (2 p_min - 1)^2, and w rounded up to an even number:

- short: T~ = floor(sqrt T), w = 8 Y / delta^2, b = sqrt(w Y / 2), Y = ln(2 T (1 - e^-q) / exp(-(T^(1/4) - K + 1) q));
- long: T~ = floor((ln(T / ((1 - e^-q) ln T)) / q + K - 1)^2), w = (16 ln T + 6) / delta^2, b = sqrt(w (ln T + 3/8)).

References
----------
.. [1] P. Kolpaczki, V. Bengs, E. Huellermeier, "Non-Stationary Dueling Bandits", arXiv:2202.00935, 2022, and
   "Piecewise-Stationary Dueling Bandits", TMLR 2024: only the abstracts were read.
.. [2] P. Kolpaczki, "Piecwise-Stationary-Dueling-Bandits", the authors' Java program, without its approximate windows.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from duelbench.bandits.algorithms.changing import bases
from duelbench.bandits.algorithms.changing.windows import Windows, enter, expect, new_windows, take, too_large
from duelbench.bandits.algorithms.contract import Algorithm, Parameter
from duelbench.bandits.kernels.decorators import kernel

NO_ARM = -1


class State(NamedTuple):
    base: Any  # NamedTuple. The state of the base since the latest start
    windows: Windows  # one for each opponent of i*; the window of i* stays empty
    began: np.ndarray  # (1,) int64. The first round since the latest start.
    watched: np.ndarray  # (1,) int64. i*; NO_ARM while the base plays.
    base_rounds: int  # T~


def start(n_arms, horizon, rng, standing, *, base, delta, p_min, form, alpha, beta_ws):
    """Return the state before round 1."""
    base_rounds, window, b = settings(n_arms, horizon, delta, p_min, form)
    return State(
        base=bases.new_base(base, n_arms, rng, alpha, beta_ws),
        windows=new_windows(n_arms, window, b),
        began=np.array([1]),
        watched=np.array([NO_ARM]),
        base_rounds=base_rounds,
    )


def settings(n_arms: int, horizon: int, delta: float, p_min: float, form: str) -> tuple[int, int, float]:
    """Return T~, w and b."""
    q = (2.0 * p_min - 1.0) ** 2
    once = -math.expm1(-q)
    if form == "short":
        # computed as a sum of logarithms: the exponential may overflow
        y = max(0.0, math.log(2.0 * horizon * once) + (horizon**0.25 - n_arms + 1) * q)
        window = even_ceiling(8.0 * y / delta**2)
        return math.isqrt(horizon), window, math.sqrt(window * y / 2.0)
    log_t = math.log(max(horizon, 2))
    rounds = math.floor((math.log(horizon / (once * log_t)) / q + n_arms - 1) ** 2)
    window = even_ceiling((16.0 * log_t + 6.0) / delta**2)
    return min(rounds, horizon), window, math.sqrt(window * (log_t + 0.375))


def even_ceiling(x: float) -> int:
    """Round up to an even number, 2 or more."""
    return max(2, 2 * math.ceil(x / 2.0))


def refuses(n_arms, horizon, *, base, delta, p_min, form, alpha, beta_ws):
    """Return why it cannot play this, or None."""
    return too_large(n_arms, settings(n_arms, horizon, delta, p_min, form)[1])


@kernel
def select(state, t, rng):
    """Return the base's pair up to the end of its rounds; afterwards i* and its next opponent."""
    if enter(state.windows):
        bases.restart(state.base, rng)
        state.began[0] = t
        state.watched[0] = NO_ARM
    tau = t - state.began[0] + 1
    if tau <= state.base_rounds:
        first, second, rounds = bases.select(state.base, tau, rng)
        return first, second, min(rounds, state.base_rounds - tau + 1)
    if state.watched[0] == NO_ARM:
        state.watched[0] = bases.recommend(state.base)
    watched = state.watched[0]
    opponent = (tau - state.base_rounds - 1) % (state.windows.seen.size - 1)
    if opponent >= watched:
        opponent += 1
    expect(state.windows, opponent)
    return watched, opponent, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes of duels of the window for it, and all others for the base."""
    wins, duels = 0, 0
    if first == state.watched[0]:
        wins, duels = take(state.windows, second, first_wins, first_wins + second_wins)
    if first_wins + second_wins > duels:
        bases.update(state.base, first, second, first_wins - wins, second_wins - (duels - wins))


@kernel
def recommend(state):
    """Return i*, or without one the base's recommendation."""
    return state.watched[0] if state.watched[0] != NO_ARM else bases.recommend(state.base)


DETECT = Algorithm.of_module(
    __name__,
    "detect",
    "DETECT",
    "condorcet",
    "Kolpaczki, Bengs, Huellermeier 2022, DETECT (the authors' program)",
    anytime=False,
    parameters={
        "base": Parameter("btw", "what finds the winner: btw, rucb (arXiv form) or ws-s", choices=tuple(bases.BASES)),
        "delta": Parameter(0.3, "smallest change of a probability to be noticed", low=0.0, low_open=True, high=1.0),
        "p_min": Parameter(0.55, "at most the least p_wj of the Condorcet winner w", low=0.5, low_open=True, high=1.0),
        "form": Parameter("short", "of the base's rounds, the window and b: short or long", choices=("short", "long")),
        **bases.PARAMETERS,
    },
    look=("wine", "dash-dot-dot", "X"),
    source="program",
)
