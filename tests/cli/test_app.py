"""The command as a whole: quick to answer, and one line and an exit code for what goes wrong."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError

HEAVY = ("numpy", "scipy", "numba", "matplotlib", "pydantic", "joblib")


def test_help_loads_nothing_heavy():
    program = f"""
import sys
from typer.testing import CliRunner
from duelbench.cli.app import app
result = CliRunner().invoke(app, ["--help"])
assert result.exit_code == 0 and "run" in result.output, result.output
print([name for name in {HEAVY} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_list_of_commands_is_not_cut_short_and_helps_have_examples():
    from typer.testing import CliRunner

    from duelbench.cli.app import app

    shown = {line.split()[0]: line for line in CliRunner().invoke(app, ["--help"]).output.splitlines() if line.split()}
    assert not any(shown[command].endswith("...") for command in ("run", "plot", "report"))
    for command in ("run", "plot", "report"):
        assert f"Examples:\n    duelbench {command} " in CliRunner().invoke(app, [command, "--help"]).output


def test_wrong_input_is_one_line_and_exit_code_2(tmp_path):
    command = [sys.executable, "-m", "duelbench", "show", str(tmp_path / "nothing.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("list algorithm", "Invalid value for 'kind': 'algorithm' is not one of 'algorithms', 'matrices', 'regrets'"),
        ("bench --suite foo", "Invalid value for '--suite': 'foo' is not one of 'quick', 'full', 'worlds'."),
        ("matrix import a.csv -o b.csv --missing foo", "Invalid value for '--missing': 'foo' is not one of 'error'"),
        ("run a.yaml --jobs two", "Invalid value for '--jobs' / '-j': 'two' is not a whole number"),
        ("run a.yaml --jobs 0", "Invalid value for '--jobs' / '-j': must be at least 1, got '0'"),
        ("run a.yaml --runs 1e7", "Invalid value for '--runs': must be at most 1_000_000, got '1e7'"),
        ("run a.yaml --runs 1,000", "'1,000' is not a whole number of runs: write 1_000_000 or 1e6, without commas"),
        ("matrix slice -o a.png --steps 1e4", "Invalid value for '--steps': must be at most 1_000, got '1e4'"),
        ("run a.yaml --run-timeout soon", "Invalid value for '--run-timeout': it must be a number"),
    ],
)
def test_what_is_wrong_with_an_option_is_said_plainly(line, message):
    result = CliRunner().invoke(app, line.split(), env={"TERM": "dumb"})
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["run", ""], "run"),
        (["run", "a.yaml", "--out", ""], "--out"),
        (["run", "a.yaml", "--out="], "--out"),
        (["plot", "results", "-o", ""], "-o"),
        (["bench", "random", "--matrix", ""], "--matrix"),
        (["bench", "random", "--output", ""], "--output"),
        (["matrix", "slice", "--output", ""], "--output"),
    ],
)
def test_an_empty_argument_is_not_the_working_folder(tmp_path, monkeypatch, arguments, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text("matrix: {family: flat, n_arms: 2}\nhorizon: 10\nruns: 1\nalgorithms: random\n")
    error = CliRunner().invoke(app, arguments).exception
    assert isinstance(error, InputError) and error.exit_code == 2
    assert str(error) == f"{place}: the argument is empty; say what it is to be, or leave it out"
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]
