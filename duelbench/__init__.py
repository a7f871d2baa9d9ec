"""duelbench: learning which of K arms is best when all one can ask is "which of these two is better?".

>>> import duelbench
>>> P = duelbench.PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
>>> trace = duelbench.simulate("rucb", P, horizon=1000, seed=7)
>>> int(trace.duels.sum())
1000
"""

import importlib
from typing import TYPE_CHECKING, Any

from duelbench.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from duelbench import algorithms as algorithms
    from duelbench.algorithms.registry import load_plug_in as load_plug_in
    from duelbench.api.comparing import compare as compare
    from duelbench.api.loading import Results as Results
    from duelbench.api.loading import load as load
    from duelbench.api.plotting import plot as plot
    from duelbench.api.running import run as run
    from duelbench.execution.rerun import rerun as rerun
    from duelbench.live.session import Session as Session
    from duelbench.plugins.trial import simulate as simulate
    from duelbench.problem.bounds import lower_bound as lower_bound
    from duelbench.problem.preferences import PreferenceMatrix as PreferenceMatrix
    from duelbench.problem.scalar_bandit import ScalarBandit as ScalarBandit
    from duelbench.problem.worlds.world import World as World
    from duelbench.simulation.simulate import scalar_bandit as scalar_bandit

_PUBLIC = {
    "compare": "duelbench.api.comparing",
    "load": "duelbench.api.loading",
    "Results": "duelbench.api.loading",
    "plot": "duelbench.api.plotting",
    "run": "duelbench.api.running",
    "load_plug_in": "duelbench.algorithms.registry",
    "Session": "duelbench.live.session",
    "lower_bound": "duelbench.problem.bounds",
    "PreferenceMatrix": "duelbench.problem.preferences",
    "ScalarBandit": "duelbench.problem.scalar_bandit",
    "World": "duelbench.problem.worlds.world",
    "rerun": "duelbench.execution.rerun",
    "scalar_bandit": "duelbench.simulation.simulate",
    "simulate": "duelbench.plugins.trial",
}
__all__ = sorted([*_PUBLIC, "__version__", "algorithms"])


def __getattr__(name: str) -> Any:
    # Loaded on first use: `duelbench --help` must not wait for numba.
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    if name == "algorithms":
        return importlib.import_module("duelbench.algorithms")
    raise AttributeError(f"module 'duelbench' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
