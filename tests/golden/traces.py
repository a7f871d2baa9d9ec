"""Digests of traces, recorded: whoever changes a trace has to say so. `tests.golden.record` records them."""

import hashlib
import json
from pathlib import Path
from typing import Any

import duelbench
from duelbench.bandits.algorithms import registry

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).with_name("traces.json")
MATRICES = ("mslr5-condorcet", "noncondorcet-cyclic")
RUNS = 3
HORIZON = 4000
SHORT = "150 rounds"


def _digest(id: str, matrices: tuple[str, ...], runs: int, horizon: int, batch: int) -> str:
    """Digest of what is dueled and recommended in a few short runs: the part of a trace that no rounding touches."""
    combined = hashlib.sha256()
    for matrix in matrices:
        P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv")
        for run in range(runs):
            trace = duelbench.simulate(
                id, P, horizon=horizon, seed=7, run=run, shuffle_arms=True, checkpoints=20, feedback_batch=batch
            )
            combined.update(trace.duels.astype("<i8").tobytes() + trace.recommended.astype("<i8").tobytes())
    return combined.hexdigest()[:32]


def digest(id: str, name: str) -> str:
    """A digest by its name in the record: a matrix, or `SHORT`, of runs that are quick to interpret too."""
    if name == SHORT:
        return "".join(_digest(id, MATRICES, 1, 150, batch)[:16] for batch in (1, 5))
    return _digest(id, (name,), RUNS, HORIZON, 1)


def recorded() -> dict[str, dict[str, Any]]:
    """What is recorded of each algorithm: its trace version, and digests by name."""
    return json.loads(RECORDED.read_text())


def present(id: str) -> dict[str, Any]:
    """What should be recorded of an algorithm as it is."""
    version = registry.get(id).trace_version
    return {"trace_version": version, **{name: digest(id, name) for name in (*MATRICES, SHORT)}}


def write(known: dict[str, dict[str, Any]]) -> None:
    """Write the record, a line for each algorithm."""
    lines = (f"{json.dumps(id)}: {json.dumps(entry)}" for id, entry in sorted(known.items()))
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
