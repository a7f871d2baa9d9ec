"""Promise 12 and the hostile side of 8 and 13: whatever an input holds, an answer or one message, never a traceback."""

import cProfile
import random

import pytest

from duelbench.experiments.spec.load import load
from tests.experiments.spec.conftest import completed
from tests.faults.fuzzing import FUZZERS, answered, whole_results
from tests.selection import times

INPUTS = {"mutated_manifest": 4, "mutated_result": 60}
"""How many of each kind the quick tests try, where not 40."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzzing")
    whole_results(folder)
    return folder


@pytest.mark.parametrize("kind", FUZZERS)
def test_hostile_inputs_are_answered(folder, kind):
    for seed in range(times(INPUTS.get(kind, 40))):
        try:
            FUZZERS[kind](random.Random(f"{kind} {seed}"), folder)
        except Exception as error:
            raise AssertionError(f"{kind}, seed {seed}: {type(error).__name__}: {error}") from error


# Long lists of mistakes and of what is right, a long word, many levels, many scales: as long as the limits allow.
HEAVY = {
    "unknown algorithms": "algorithms: [" + "rucbx, " * 1000 + "]",
    "the same algorithm": "algorithms: [" + "rucb, " * 1000 + "]",
    "missing matrices": "problems: [" + ", ".join(f"m{k}.csv" for k in range(1000)) + "]",
    "unknown families": "problems: [" + "{family: lineal}, " * 1000 + "]",
    "long lists": "matrix: {family: cyclic-blocks, sizes: [" + "4095, " * 4096 + "]}",
    "a long number": "horizon: " + "9" * 1_000_000,
    "nested lists": "[" * 1_000_000,
    "the same mistakes at every scale": completed(
        f"algorithms: [{', '.join(f'rucb{k}x' for k in range(900))}]\nscales:\n"
        + "".join(f"  s{k}: {{runs: 2}}\n" for k in range(20))
    ),
}
MOST_CALLS = 10**7
"""Python and C functions that may be called to read a file: a few for each character of the longest one."""


@pytest.mark.thorough
@pytest.mark.parametrize("kind", HEAVY)
def test_no_spec_is_much_work(tmp_path, kind):
    path = tmp_path / "spec.yaml"
    path.write_text(completed("algorithms: [rucbx]"))
    assert not answered(lambda: load(path))  # imports are no work of the file's
    path.write_text(HEAVY[kind])
    profile = cProfile.Profile()
    assert not profile.runcall(answered, lambda: load(path))
    assert sum(entry.callcount for entry in profile.getstats()) < MOST_CALLS
