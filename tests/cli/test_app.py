"""The command as a whole: quick to answer, and one line and an exit code for what goes wrong."""

import subprocess
import sys

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
