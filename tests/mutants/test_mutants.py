"""The oracles notice faults: every listed mutant must be caught.

Run ``python -m tests.mutants.test_mutants`` for the score of each algorithm.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from duelbench.algorithms import registry
from duelbench.algorithms.stopping.rules import RULES
from tests.mutants.compare import SURVIVED, UNCHANGED
from tests.mutants.lists import FAMILIES, MUTANTS
from tests.mutants.mutant import path_of
from tests.selection import quick

ROOT = Path(__file__).parents[2]
TRIED = [(family, per_algorithm) for family in FAMILIES for per_algorithm in (1, 3)]
"""So many mutants of each algorithm are tried; three of them, and all, in the slow tests."""

NO_RULE = {"random", "uniform"}
"""Algorithms that hardly have a rule."""

PLAYED_BY = {"e-bets": "kelly-elimination"}
"""Stopping rules whose mutants are among those of an algorithm that looks at all that they know."""


def verdicts(*arguments: str) -> dict[tuple[str, str], str]:
    """What `tests.mutants.compare` prints: (id, fault) -> verdict."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.mutants.compare", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    return {(id, fault): text for id, fault, text in lines}


def test_every_algorithm_and_stopping_rule_has_mutants():
    assert set(MUTANTS) == (set(registry.BUILT_IN) - NO_RULE) | (set(RULES) - set(PLAYED_BY))
    for rule, id in PLAYED_BY.items():
        file = f"{rule.replace('-', '_')}.py"
        assert sum(mutant.file == file for mutant in MUTANTS[id]) >= 6


@pytest.mark.parametrize("id", MUTANTS)
def test_mutants_fit_the_sources_and_are_all_different(id):
    assert len(MUTANTS[id]) >= 6
    assert len({mutant.fault for mutant in MUTANTS[id]}) == len(MUTANTS[id])
    for mutant in MUTANTS[id]:
        source = path_of(mutant).read_text(encoding="utf-8")
        assert source.count(mutant.old) == 1, f"{mutant.file}: not exactly once: {mutant.old!r}"


def test_the_unchanged_algorithm_survives():
    assert verdicts("--first", "0", "rucb") == {("rucb", UNCHANGED): SURVIVED}


@pytest.mark.parametrize(
    ("family", "per_algorithm"),
    quick(TRIED, ("confidence bounds", 1), ("likelihood", 1), slow=[(family, 3) for family in FAMILIES]),
)
def test_first_mutants_are_caught(family, per_algorithm):
    ids = list(FAMILIES[family])
    tried = verdicts("--first", str(per_algorithm), *ids)
    assert len(tried) == per_algorithm * len(ids)
    assert [key for key, text in tried.items() if text == SURVIVED] == []


@pytest.mark.slow
@pytest.mark.parametrize("id", MUTANTS)
def test_all_mutants_are_caught_and_the_algorithm_is_not(id):
    assert [fault for (_, fault), text in verdicts(id).items() if text == SURVIVED] == [UNCHANGED]


if __name__ == "__main__":
    for id in sys.argv[1:] or MUTANTS:
        tried = {fault: text for (_, fault), text in verdicts(id).items() if fault != UNCHANGED}
        print(f"{id}: {sum(text != SURVIVED for text in tried.values())} of {len(tried)} caught")
        for fault, text in tried.items():
            print(f"    {fault}: {text}")
