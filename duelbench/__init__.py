"""duelbench: learning which of K arms is best when all one can ask is "which of these two is better?".

>>> import duelbench
>>> P = duelbench.PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]])
>>> trace = duelbench.simulate("rucb", P, horizon=1000, seed=7)
>>> int(trace.duels.sum())
1000
"""

import importlib
from typing import TYPE_CHECKING, Any

from duelbench.version import VERSION as __version__

if TYPE_CHECKING:
    from duelbench import algorithms
    from duelbench.algorithms.registry import load_plug_in
    from duelbench.api.comparing import compare
    from duelbench.api.loading import Results, load
    from duelbench.api.plotting import plot
    from duelbench.api.running import run
    from duelbench.execution.rerun import rerun
    from duelbench.live.session import Session
    from duelbench.plugins.trial import simulate
    from duelbench.problem.bounds import lower_bound
    from duelbench.problem.preferences import PreferenceMatrix
    from duelbench.problem.scalar_bandit import ScalarBandit
    from duelbench.problem.worlds.world import World
    from duelbench.simulation.simulate import scalar_bandit

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

__all__ = [
    "PreferenceMatrix",
    "Results",
    "ScalarBandit",
    "Session",
    "World",
    "__version__",
    "algorithms",
    "compare",
    "load",
    "load_plug_in",
    "lower_bound",
    "plot",
    "rerun",
    "run",
    "scalar_bandit",
    "simulate",
]


def __getattr__(name: str) -> Any:
    # Loaded on first use: `duelbench --help` must not wait for numba.
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    if name == "algorithms":
        return importlib.import_module("duelbench.algorithms")
    raise AttributeError(f"module 'duelbench' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
