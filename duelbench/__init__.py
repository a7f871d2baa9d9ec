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
    from duelbench.bandits.algorithms.registry import algorithms as algorithms
    from duelbench.bandits.algorithms.registry import load_plug_in as load_plug_in
    from duelbench.bandits.problem.bounds import lower_bound as lower_bound
    from duelbench.bandits.problem.preferences import PreferenceMatrix as PreferenceMatrix
    from duelbench.bandits.problem.scalar_bandit import ScalarBandit as ScalarBandit
    from duelbench.bandits.problem.worlds.world import World as World
    from duelbench.bandits.simulation.simulate import scalar_bandit as scalar_bandit
    from duelbench.experiments.comparing import compare as compare
    from duelbench.experiments.execution.rerun import rerun as rerun
    from duelbench.experiments.loading import Results as Results
    from duelbench.experiments.loading import load as load
    from duelbench.experiments.plotting import plot as plot
    from duelbench.experiments.plugins.trial import simulate as simulate
    from duelbench.experiments.running import run as run
    from duelbench.judging.ranking.rank import rank as rank
    from duelbench.judging.session import Session as Session

_PUBLIC = {
    "algorithms": "duelbench.bandits.algorithms.registry",
    "compare": "duelbench.experiments.comparing",
    "load": "duelbench.experiments.loading",
    "Results": "duelbench.experiments.loading",
    "plot": "duelbench.experiments.plotting",
    "run": "duelbench.experiments.running",
    "load_plug_in": "duelbench.bandits.algorithms.registry",
    "Session": "duelbench.judging.session",
    "lower_bound": "duelbench.bandits.problem.bounds",
    "PreferenceMatrix": "duelbench.bandits.problem.preferences",
    "ScalarBandit": "duelbench.bandits.problem.scalar_bandit",
    "World": "duelbench.bandits.problem.worlds.world",
    "rank": "duelbench.judging.ranking.rank",
    "rerun": "duelbench.experiments.execution.rerun",
    "scalar_bandit": "duelbench.bandits.simulation.simulate",
    "simulate": "duelbench.experiments.plugins.trial",
}
__all__ = sorted([*_PUBLIC, "__version__"])


def __getattr__(name: str) -> Any:
    # Loaded on first use: `duelbench --help` must not wait for numba.
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'duelbench' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
