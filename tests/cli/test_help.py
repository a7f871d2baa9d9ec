"""`--help` of every command: an uncut sentence in the list of commands, then examples that can be typed as they are."""

import re
import shlex

import pytest
import typer
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.cli.completion.candidates import figures


def commands(group, path=()):
    """Every command with its words, those of groups too."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


TOP = typer.main.get_command(app)
COMMANDS = dict(commands(TOP))


def help_of(*words):
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80", "TERM": "dumb"})
    assert result.exit_code == 0, result.output
    return result.output


def examples(text):
    return re.findall(r"^ +(duelbench .*)$", text, re.MULTILINE)


@pytest.mark.parametrize("words", [(), *sorted({words[:-1] for words in COMMANDS if len(words) > 1})], ids=" ".join)
def test_the_list_of_commands_cuts_no_sentence(words):
    listed = help_of(*words).partition("Commands:")[2].partition("Exit codes:")[0]
    lines = [line.split(maxsplit=1) for line in listed.splitlines() if line.strip()]
    assert lines
    for _, sentence in lines:
        assert re.search(r"[^.]\.$", sentence), sentence


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_examples_stand_first_and_can_be_typed(words):
    text = help_of(*words)
    found = examples(text)
    assert found and text.index(found[-1]) < text.index("Options:"), text
    for example in found:
        name, *arguments = shlex.split(example.partition(" > ")[0])
        assert tuple(arguments[: len(words)]) == words, example
        COMMANDS[words].make_context(name, arguments[len(words) :])  # raises for an option that is not there


def test_the_examples_of_the_whole_are_those_of_commands():
    for example in examples(help_of()):
        first, *rest = shlex.split(example)[1:]
        assert first in TOP.commands, example
        assert rest


def test_the_help_of_plot_names_every_kind_of_figure():
    said = re.search(r"--kind KIND(.*?)--reference", help_of("plot"), re.DOTALL).group(1)
    assert {kind for kind in figures("") if not re.search(rf"\b{kind}\b", said)} == set()


def test_the_help_of_report_names_the_table_of_answers():
    assert "table of answers" in " ".join(help_of("report").split())
