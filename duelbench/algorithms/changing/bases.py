"""What the algorithms that detect changes play in between, and start again when they have noticed one."""

from typing import NamedTuple

import numpy as np

from duelbench.algorithms import rucb, winner_stays
from duelbench.algorithms.changing import btw
from duelbench.algorithms.contract import Parameter
from duelbench.kernels.decorators import kernel

BTW, RUCB, WS_S = range(3)
KINDS = {"btw": BTW, "rucb": RUCB, "ws-s": WS_S}

PARAMETERS = {
    "alpha": Parameter(0.51, "exploration rate of the base rucb, in its arXiv form", low=0.5, low_open=True),
    "beta_ws": Parameter(1.1, "growth of the exploitations of the base ws-s", low=1.0, low_open=True),
}
"""Of the bases."""


class Base(NamedTuple):
    """A base, and in the place of the others what is never played."""

    btw: btw.State
    rucb: rucb.State
    ws_s: winner_stays.State
    kind: int  # BTW, RUCB or WS_S


def new_base(name: str, n_arms: int, rng: np.random.Generator, alpha: float, beta_ws: float) -> Base:
    """A base before its first round; only BtW draws, the permutation of its arms."""
    order = rng if name == "btw" else np.random.default_rng(0)
    return Base(
        btw=btw.start(n_arms, 0, order, True),
        rucb=rucb.start(n_arms, 0, rng, True, alpha=alpha, unplayed=2.0, variant="arxiv", ties="random"),
        ws_s=winner_stays.start(n_arms, 0, rng, True, beta_ws=beta_ws),
        kind=KINDS[name],
    )


@kernel
def select(base, t, rng):
    """The decision of the base for its round ``t``."""
    if base.kind == BTW:
        return btw.select(base.btw, t, rng)
    if base.kind == RUCB:
        return rucb.select(base.rucb, t, rng)
    return winner_stays.select(base.ws_s, t, rng)


@kernel
def update(base, first, second, first_wins, second_wins):
    """Count outcomes for the base."""
    if base.kind == BTW:
        btw.update(base.btw, first, second, first_wins, second_wins)
    elif base.kind == RUCB:
        rucb.update(base.rucb, first, second, first_wins, second_wins)
    else:
        winner_stays.update(base.ws_s, first, second, first_wins, second_wins)


@kernel
def recommend(base):
    """The arm that the base recommends."""
    if base.kind == BTW:
        return btw.recommend(base.btw)
    if base.kind == RUCB:
        return rucb.recommend(base.rucb)
    return winner_stays.recommend(base.ws_s)


@kernel
def restart(base, rng):
    """Go back to the base before its first round."""
    if base.kind == BTW:
        btw.restart(base.btw, rng)
    elif base.kind == RUCB:
        rucb.restart(base.rucb)
    else:
        winner_stays.restart(base.ws_s)
