"""The oracles notice faults: of the listed mutants nearly all must be caught.

Run ``python -m tests.mutants.test_mutants`` for the score of each algorithm.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from duelbench.algorithms import registry
from tests.mutants.mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
PER_ALGORITHM = 2
"""So many mutants of each algorithm are tried in the quick tests; all of them in the slow ones."""


def verdict(id: str, mutant: Mutant | None) -> str:
    """What the comparison with the oracle says of a mutated copy of the package, or "survived"."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "duelbench", folder / "duelbench", ignore=shutil.ignore_patterns("__pycache__"))
        if mutant is not None:
            path = folder / "duelbench" / "algorithms" / mutant.file
            source = path.read_text()
            assert source.count(mutant.old) == 1, f"{mutant.file}: not exactly once: {mutant.old!r}"
            path.write_text(source.replace(mutant.old, mutant.new))
        environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "NUMBA_DISABLE_JIT": "1"}
        environment["XDG_CACHE_HOME"] = str(folder / "cache")
        environment.pop("DUELBENCH_KERNEL_FOLDER", None)
        command = [sys.executable, "-m", "tests.mutants.compare", id]
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
            )
        except subprocess.TimeoutExpired:
            return "caught: it never ends"
    if done.returncode == 0:
        return "survived"
    return "caught: " + (done.stdout.strip() or done.stderr.strip().splitlines()[-1])


def test_every_algorithm_has_mutants():
    assert set(MUTANTS) == set(registry.BUILT_IN) - {"random"}


def test_the_unchanged_algorithm_survives():
    assert verdict("rucb", None) == "survived"


@pytest.mark.parametrize("id", MUTANTS)
def test_first_mutants_are_caught(id):
    for mutant in MUTANTS[id][:PER_ALGORITHM]:
        assert verdict(id, mutant).startswith("caught"), mutant.fault


@pytest.mark.slow
@pytest.mark.parametrize("id", MUTANTS)
def test_most_mutants_are_caught(id):
    survivors = [mutant.fault for mutant in MUTANTS[id] if verdict(id, mutant) == "survived"]
    assert len(survivors) <= 1, survivors


if __name__ == "__main__":
    for id in sys.argv[1:] or MUTANTS:
        verdicts = [(mutant.fault, verdict(id, mutant)) for mutant in MUTANTS[id]]
        caught = sum(text != "survived" for _, text in verdicts)
        print(f"{id}: {caught} of {len(verdicts)} caught")
        for fault, text in verdicts:
            print(f"    {fault}: {text}")
