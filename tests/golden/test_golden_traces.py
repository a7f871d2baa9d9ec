"""No trace changes unnoticed."""

import json

import pytest

from duelbench.algorithms import registry
from tests.golden.traces import MATRICES, RECORDED, digest

KNOWN = json.loads(RECORDED.read_text())


def test_every_algorithm_is_recorded():
    played = {id for id in registry.BUILT_IN if "duels" in registry.get(id).plays}
    assert set(KNOWN) == played, "record again: python -m tests.golden.traces"


@pytest.mark.parametrize("id", KNOWN)
def test_traces_are_those_recorded_for_this_version(id):
    algorithm = registry.get(id)
    same = all(digest(id, matrix) == KNOWN[id][matrix] for matrix in MATRICES)
    if KNOWN[id]["trace_version"] == algorithm.trace_version:
        assert same, (
            f"traces of {id} changed but its trace_version is still {algorithm.trace_version}: bump it and add a "
            "'Changes that alter traces' entry to CHANGELOG.md, then record again: python -m tests.golden.traces"
        )
    else:
        assert same, f"{id} has a new trace_version: record its traces again: python -m tests.golden.traces"
