"""No trace changes unnoticed, and none depends on whether it is compiled."""

import pytest

from duelbench.bandits.algorithms import registry
from tests.golden.traces import MATRICES, SHORT, digest, recorded

KNOWN = recorded()


def check(id: str, names: tuple[str, ...]) -> None:
    """What is recorded is what is played."""
    version = registry.get(id).trace_version
    if KNOWN[id]["trace_version"] != version:
        pytest.fail(
            f"{id} has a new trace_version: record its traces again: python -m tests.golden.record --change {id}"
        )
    assert all(digest(id, name) == KNOWN[id][name] for name in names), (
        f"traces of {id} changed but its trace_version is still {version}: raise it and add an entry to 'Changes that "
        f"alter traces' of CHANGELOG.md, then record again: python -m tests.golden.record --change {id}"
    )


def test_every_algorithm_is_recorded():
    played = {id for id in registry.BUILT_IN if "duels" in registry.get(id).plays}
    assert set(KNOWN) == played, "record: make record"


@pytest.mark.parametrize("id", KNOWN)
def test_short_traces_are_those_recorded_compiled_or_not(id):
    """They were recorded compiled, and the quick tests interpret them."""
    check(id, (SHORT,))


@pytest.mark.thorough
@pytest.mark.parametrize("id", KNOWN)
def test_traces_are_those_recorded_for_this_version(id):
    check(id, MATRICES)
