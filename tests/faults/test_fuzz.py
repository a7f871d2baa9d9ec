"""Promise 12 and the hostile side of 8 and 13: whatever an input holds, an answer or one message, never a traceback."""

import random

import pytest

from tests.faults.fuzzing import FUZZERS, whole_results

INPUTS = {"mutated_manifest": 8, "mutated_result": 100}
"""How many of each kind the quick tests try, where not 50; `tests.faults.long` tries tens of thousands."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzzing")
    whole_results(folder)
    return folder


@pytest.mark.parametrize("kind", FUZZERS)
def test_hostile_inputs_are_answered(folder, kind):
    for seed in range(INPUTS.get(kind, 50)):
        try:
            FUZZERS[kind](random.Random(f"{kind} {seed}"), folder)
        except Exception as error:
            raise AssertionError(f"{kind}, seed {seed}: {type(error).__name__}: {error}") from error
