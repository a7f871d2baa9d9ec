"""The base algorithms that algorithms with change detection play, and restart after each change."""

from typing import Any

import numpy as np

from duelbench.bandits.algorithms import rucb, winner_stays
from duelbench.bandits.algorithms.changing import btw
from duelbench.bandits.algorithms.contract import Parameter
from duelbench.bandits.algorithms.dispatch import recommend, register, select, update
from duelbench.bandits.kernels.decorators import KERNEL_OPTIONS, PART_OPTIONS
from duelbench.bandits.kernels.dispatch_by_type import found_by_type

__all__ = ["BASES", "PARAMETERS", "new_base", "recommend", "restart", "select", "update"]

BASES = {"btw": btw.BTW, "rucb": rucb.RUCB, "ws-s": winner_stays.WS_S}

PARAMETERS = {
    "alpha": Parameter(
        0.51, "exploration rate of the base rucb, in its arXiv form", low=0.0, low_open=True, proven_above=0.5
    ),
    "beta_ws": Parameter(1.1, "growth of the exploitations of the base ws-s", low=1.0, low_open=True),
}

_RESTARTS = {btw.State: btw.restart, rucb.State: rucb.restart, winner_stays.State: winner_stays.restart}


def new_base(name: str, n_arms: int, rng: np.random.Generator, alpha: float, beta_ws: float) -> Any:
    """Return the state of a base before its first round; only BtW draws, the permutation of its arms."""
    parameters: dict[str, dict[str, Any]] = {
        "btw": {},
        "rucb": {"alpha": alpha, "unplayed": 2.0, "variant": "arxiv", "ties": "random"},
        "ws-s": {"beta_ws": beta_ws},
    }
    register(BASES[name])
    return BASES[name].start(n_arms, 0, rng, True, **parameters[name])


@found_by_type(_RESTARTS.__getitem__, {**KERNEL_OPTIONS, **PART_OPTIONS})
def restart(state, rng):
    """Reset the base to its state before the first round."""
    _RESTARTS[type(state)](state, rng)
