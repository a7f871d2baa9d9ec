"""Digests of traces, recorded: whoever changes a trace has to say so.

After a change that is meant to alter traces, raise the algorithm's ``trace_version``, add an entry under "Changes that
alter traces" to CHANGELOG.md, and record again::

    python -m tests.golden.traces
"""

import hashlib
import json
from pathlib import Path

import duelbench
from duelbench.algorithms import registry

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).with_name("traces.json")
MATRICES = ("mslr5-condorcet", "noncondorcet-cyclic")
RUNS = 3
HORIZON = 4000


def digest(id: str, matrix: str) -> str:
    """Digest of what was dueled and recommended in a few short runs: the part of a trace that no rounding touches."""
    P = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv")
    combined = hashlib.sha256()
    for run in range(RUNS):
        trace = duelbench.simulate(id, P, horizon=HORIZON, seed=7, run=run, shuffle_arms=True, checkpoints=20)
        combined.update(trace.duels.astype("<i8").tobytes() + trace.recommended.astype("<i8").tobytes())
    return combined.hexdigest()[:32]


def present() -> dict[str, dict[str, str | int]]:
    """What `RECORDED` should say of the algorithms as they are."""
    return {
        id: {
            "trace_version": registry.get(id).trace_version,
            **{matrix: digest(id, matrix) for matrix in MATRICES},
        }
        for id in registry.BUILT_IN
        if "duels" in registry.get(id).plays
    }


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(present(), indent=2) + "\n")
