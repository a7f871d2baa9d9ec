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
from duelbench.cli.completion import candidates
from duelbench.cli.completion.bash import INSTRUCTION, joined, whole_words
from duelbench.execution.plan import prepare
from duelbench.problem.families import FAMILIES
from duelbench.problem.round_losses import NAMES
from duelbench.problem.worlds.losses import STATIC
from duelbench.spec.figure_key import KINDS
from tests.execution.experiments import plan_of

LABELS = ["random", {"random": {"label": "Random, again"}}]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A working folder with a spec, demo.yaml, its matrices, and results/demo."""
    monkeypatch.chdir(tmp_path)
    changes = {"regret": ["copeland", "weak"], "scales": {"quick": {"runs": 2}, "quiet": {"runs": 1}}}
    prepare(plan_of(tmp_path, algorithms=LABELS, **changes))
    (tmp_path / ".hidden").mkdir()
    return tmp_path


def asked(**variables):
    """What is printed for a shell."""
    found = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(found):
        for name, value in variables.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended, whole_words():
            app(prog_name="duelbench")
    assert ended.value.code == 0
    return found.getvalue().splitlines()


def fish(line):
    """Completions of a line in fish, which takes words as they are."""
    lines = asked(
        **{INSTRUCTION: "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args", "_TYPER_COMPLETE_ARGS": line}
    )
    return [one.partition("\t")[0] for one in lines if one]


def bash(*parts):
    """Completions in bash of the last of a line's parts."""
    lines = asked(**{INSTRUCTION: "complete_bash", "COMP_WORDS": "\n".join(parts), "COMP_CWORD": str(len(parts) - 1)})
    return [line for line in lines if line]


def test_specs_are_files_and_names_a_step_at_a_time(here):
    assert fish("duelbench run ") == [
        *(
            "paper:agrawal2019/",
            "paper:changing-worlds",
            "paper:identification/",
            "paper:komiyama2016/",
            "paper:leaderboard/",
            "paper:mslr5",
            "paper:tails",
            "paper:urvoy2013/",
        ),
        *("paper:wu2016/", "paper:zoghi2015/", "demo.yaml", "results/"),
    ]
    assert fish("duelbench run paper:z") == ["paper:zoghi2015/1", "paper:zoghi2015/500"]
    assert fish("duelbench run demo.yaml paper:wu2016/fig") == ["paper:wu2016/fig1"]
    assert fish("duelbench run d") == ["demo.yaml"]
    assert fish("duelbench run none/") == []


@pytest.mark.parametrize("command", ["plot", "report", "status", "export", "compare"])
def test_results_are_folders_with_a_manifest_and_specs(here, command):
    assert fish(f"duelbench {command} res") == ["results/demo"]
    assert fish(f"duelbench {command} results/") == ["results/demo"]
    assert fish(f"duelbench {command} d") == ["demo.yaml"]


def test_labels_regrets_and_scales_are_those_of_what_was_named_before(here):
    for named in ("results/demo", "results/", "demo.yaml"):
        assert fish(f"duelbench plot {named} --only ") == ["Random", "Random, again"]
        assert fish(f"duelbench report {named} --regret ") == ["copeland", "weak"]
    assert fish("duelbench compare results/demo --against Ra") == ["Random", "Random, again"]
    assert fish("duelbench compare results/demo Ra") == ["Random", "Random, again"]
    assert fish("duelbench run demo.yaml --scale ") == ["quick", "quiet"]
    assert fish("duelbench plot demo.yaml --scale=quie") == ["quiet"]
    assert fish("duelbench plot --only ") == []


def test_names_are_those_that_there_are(here):
    assert fish("duelbench bench ") == list(registry.BUILT_IN)
    assert fish("duelbench list algorithms ") == list(registry.BUILT_IN)
    assert fish("duelbench list regrets ") == [*NAMES, *STATIC]
    assert fish("duelbench list families ") == fish("duelbench matrix generate ") == list(FAMILIES)
    assert fish("duelbench list matrices cyc") == ["cyclic"]
    assert fish("duelbench list specs paper:m") == ["paper:mslr5"]
    assert fish("duelbench plot results/demo --kind ") == list(KINDS)
    assert fish("duelbench list alg") == ["algorithms"]


def test_arms_and_logs_of_live_sessions_are_files_and_folders(here):
    (here / "dishes.txt").touch()
    (here / "dishes.jsonl").touch()
    assert fish("duelbench live di") == ["dishes.txt"]
    assert fish("duelbench live --status di") == ["dishes.jsonl"]
    assert fish("duelbench live dishes.txt --algorithm rmed") == ["rmed1", "rmed2", "rmed2fh"]


def test_a_matrix_is_a_name_or_a_file(here):
    assert fish("duelbench show cyc") == ["cyclic", "cyclic.csv"]
    assert fish("duelbench new spec mine --matrix g") == ["gap", "germanparties2009"]
    assert fish("duelbench matrix winners t") == ["topmodel2007", "two.csv"]
    assert fish("duelbench show .hid") == [".hidden/"]


def test_in_bash_what_stands_before_a_colon_or_an_equals_sign_is_not_said_again(here):
    assert bash("duelbench", "run", "pa")[5] == "paper:mslr5"
    assert bash("duelbench", "run", "paper", ":") == [
        name.removeprefix("paper:") for name in candidates.specs("paper:")
    ]
    assert bash("duelbench", "run", "paper", ":", "wu2016/1") == ["wu2016/1a", "wu2016/1b"]
    assert bash("duelbench", "run", "demo.yaml", "--scale", "=", "quie") == ["quiet"]
    assert joined(["duelbench", "run", "paper", ":", ""]) == (["duelbench", "run", "paper:", ""], "")


def test_in_bash_labels_are_quoted_unless_they_are_already(here):
    assert bash("duelbench", "plot", "results/demo", "--only", "R") == ["Random", r"Random,\ again"]
    assert bash("duelbench", "plot", "results/demo", "--only", r"Random,\ a") == [r"Random,\ again"]
    assert bash("duelbench", "plot", "results/demo", "--only", '"Random, a') == ["Random, again"]


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[]", b'{"entries": 5}'])
def test_damaged_results_and_specs_complete_to_nothing_and_print_nothing_else(here, content):
    (here / "results" / "demo" / "manifest.json").write_bytes(content)
    (here / "demo.yaml").write_bytes(content)
    assert fish("duelbench plot results/demo --only ") == fish("duelbench run demo.yaml --scale ") == []


def test_without_a_shell_that_asks_nothing_is_changed(monkeypatch, capsys):
    monkeypatch.delenv(INSTRUCTION, raising=False)
    with whole_words():
        print("as it is")
    assert capsys.readouterr().out == "as it is\n"


def test_completing_loads_no_numpy(here):
    code = (
        "import atexit, sys; atexit.register(lambda: print('numpy' in sys.modules, file=sys.stderr));"
        "sys.argv[0] = 'duelbench'; from duelbench.__main__ import main; main()"
    )
    line = "duelbench plot results/demo --only Random,"
    environment = {
        **os.environ,
        INSTRUCTION: "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": line,
        "PYTHONPATH": str(shipped.ROOT),
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("Random, again\n", "False\n")
