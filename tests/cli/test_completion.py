"""What a shell is told when someone presses the tab key: asked for as the scripts that Typer installs ask for it."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout

import pytest

from duelbench import shipped
from duelbench.algorithms import registry
from duelbench.cli.app import app
from duelbench.execution.plan import prepare
from duelbench.problem.families import FAMILIES
from duelbench.spec.figure_key import KINDS
from tests.execution.experiments import plan_of

INSTRUCTION = "_DUELBENCH_COMPLETE"
LABELS = ["random", {"random": {"label": "Random, again"}}]


@pytest.fixture(autouse=True)
def results(here):
    """A spec, demo.yaml, and results/demo in the working folder."""
    prepare(plan_of(here, algorithms=LABELS, regret=["copeland", "weak"]))


def asked(**variables):
    """What is printed for a shell."""
    found = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(found):
        for name, value in variables.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            app(prog_name="duelbench")
    assert ended.value.code == 0
    return [line for line in found.getvalue().splitlines() if line]


def fish(line):
    """Completions of a line in fish, which takes words as they are."""
    variables = {"_TYPER_COMPLETE_FISH_ACTION": "get-args", "_TYPER_COMPLETE_ARGS": line}
    return [one.partition("\t")[0] for one in asked(**{INSTRUCTION: "complete_fish"}, **variables)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run paper:z", ["paper:zoghi2015/1", "paper:zoghi2015/500"]),
        ("plot results/demo --only ", ["Random", "Random, again"]),
        ("report results/demo --regret ", ["copeland", "weak"]),
        ("compare results/demo --against Ra", ["Random", "Random, again"]),
        ("list algorithms ", list(registry.BUILT_IN)),
        ("matrix generate ", list(FAMILIES)),
        ("plot results/demo --kind ", list(KINDS)),
        ("show cyc", ["cyclic"]),
        ("live dishes.txt --algorithm rmed", ["rmed1", "rmed2", "rmed2fh"]),
    ],
)
def test_a_word_is_completed_to_what_there_is(line, expected):
    assert fish(f"duelbench {line}") == expected


def test_damaged_results_complete_to_nothing_and_print_nothing_else(here):
    for content in (b"{", b"\xff", b'{"entries": 5}'):
        (here / "results" / "demo" / "manifest.json").write_bytes(content)
        assert fish("duelbench plot results/demo --only ") == []


def test_completing_loads_no_numpy():
    code = (
        "import atexit, sys; atexit.register(lambda: print('numpy' in sys.modules, file=sys.stderr));"
        "sys.argv[0] = 'duelbench'; from duelbench.__main__ import main; main()"
    )
    environment = {
        **os.environ,
        INSTRUCTION: "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": "duelbench plot results/demo --only Random,",
        "PYTHONPATH": str(shipped.ROOT),
    }
    told = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (told.stdout, told.stderr) == ("Random, again\n", "False\n")
