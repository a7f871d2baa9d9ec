"""The command as a whole: quick to answer, and one line and an exit code for what goes wrong."""

import json
import re
import shlex
import subprocess
import sys

import typer
from typer.testing import CliRunner

from duelbench.cli.app import app
from tests.cli.commands import done, refused

HEAVY = ("numpy", "scipy", "numba", "matplotlib", "joblib", "pandas")


def commands(group, path=()):
    """Every command with its words, those of groups too."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


TOP = typer.main.get_command(app)
COMMANDS = dict(commands(TOP))


def test_no_help_loads_anything_heavy_and_all_of_them_succeed():
    program = f"""
import sys
from typer.testing import CliRunner
from duelbench.cli.app import app
codes = [CliRunner().invoke(app, [*words, "--help"]).exit_code for words in {[(), *COMMANDS]!r}]
print(set(codes), [name for name in {HEAVY} if name in sys.modules])
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "{0} []"


def test_examples_of_helps_can_be_typed_as_they_are():
    for words, command in COMMANDS.items():
        text = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80", "TERM": "dumb"}).output
        found = re.findall(r"^ +(duelbench .*)$", text, re.MULTILINE)
        assert found, words
        for example in found:
            name, *arguments = shlex.split(example.partition(" > ")[0])
            assert tuple(arguments[: len(words)]) == words, example
            command.make_context(name, arguments[len(words) :])  # raises for an option that is not there


def test_wrong_input_is_one_line_and_exit_code_2_in_a_process_of_its_own(here):
    command = [sys.executable, "-m", "duelbench", "matrix", "generate", "linear", "n_arms=1", "-o", "x.csv"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(r"error: linear: n_arms: .*\n", told.stderr) and not list(here.iterdir())


def test_schema_is_a_json_document_and_version_is_one_line():
    assert "horizon" in json.loads(done("schema").stdout)["properties"]
    assert re.fullmatch(r"duelbench \d\S*\n", done("--version").stdout)


def test_an_option_with_one_value_is_refused_twice(here):
    words = ("matrix", "generate", "linear", "n_arms=4", "--seed", "1")
    for more in (("-o", "a.csv", "-o", "b.csv"), ("-o", "a.csv", "--output=b.csv")):
        assert "--output is given twice; it has one value" in refused(*words, *more)
    assert "--seed is given twice" in refused("live", "arms.txt", "--seed", "1", "--seed", "2")
