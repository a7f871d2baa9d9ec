"""Files of single runs, for tests that need some without playing."""

from pathlib import Path

from duelbench.bandits.simulation.terms import Identity
from duelbench.bandits.simulation.trace import Trace
from duelbench.common import atomic
from duelbench.experiments.results.store import encode


def write_run(path: Path, trace: Trace, identity: Identity, run: int) -> None:
    """Write one run (0-based) as workers do."""
    atomic.write(path, encode(trace, identity, run))
