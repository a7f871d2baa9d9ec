"""Files of single runs, for tests that need some without playing."""

from pathlib import Path

from duelbench.results import atomic
from duelbench.results.store import encode
from duelbench.simulation.terms import Identity
from duelbench.simulation.trace import Trace


def write_run(path: Path, trace: Trace, identity: Identity, run: int) -> None:
    """Write one run (0-based) as workers do."""
    atomic.write(path, encode(trace, identity, run))
