"""Doing what a page says: its files are saved, its commands and its Python run, and what they print is compared."""

import contextlib
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.experiments.results.environment import environment

ROOT = Path(__file__).parents[2]

SET_UP = ("make ", "source ", "git ", "pip ")
"""Beginnings of commands that set the machine up: those of make are checked by `make --dry-run`."""

IN_PROCESSES = ("--plug-in", "duelbench check", "duelbench doctor", "duelbench live")
"""Parts of commands that leave something behind in their process, or talk to a terminal."""

MADE_IN = {
    "python": "3.11",
    "numpy": "2.4.6",
    "scipy": "1.17.1",
    "numba": "0.68.1",
    "system": "Linux",
    "machine": "x86_64",
}
"""Where the numbers of pages were printed; elsewhere bits may differ, and means are compared within their errors."""


class Block(NamedTuple):
    """A code block of a page: ``language`` is what stands behind the opening backquotes."""

    language: str
    content: str


class Command(NamedTuple):
    """A line after ``$`` in a console block, and the output shown below it."""

    line: str
    output: str


def blocks(page: str) -> list[Block]:
    """All code blocks of a page, in their order."""
    return [Block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)]


def commands(content: str) -> list[Command]:
    """The commands of a console block."""
    parts = re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]
    return [Command(line, output) for line, _, output in (part.partition("\n") for part in parts)]


def follow(page: str, folder: Path) -> None:
    """Do what a page says, in a folder: what has a name is saved, commands and other Python are run."""
    with contextlib.chdir(folder):
        for block in blocks(page):
            if block.language in ("yaml", "csv"):
                assert _save(block.content), f"it must begin with its file's name:\n{block.content}"
            if block.language == "python" and not _save(block.content):
                exec(block.content, {})
            for command in commands(block.content) if block.language == "console" else ():
                if not command.line.startswith(SET_UP):
                    _check(command)


def _save(text: str) -> bool:
    """Save what begins with the name of a file under this name; whether it does."""
    name = re.match(r"# (\S+\.(?:yaml|py|csv|txt))\n", text)
    if name:
        Path(name[1]).write_text(text)
    return name is not None


def _check(command: Command) -> None:
    """Run a command; it must print what is shown, and end with 0, or with 2 where an error is shown."""
    is_refused = command.output.startswith("error:")
    done = _run(command.line, is_refused)
    assert done.returncode == (2 if is_refused else 0), f"{command.line}\n{done.stderr}"
    real = done.stderr if is_refused else done.stdout
    assert prints(command, real), f"{command.line}\nprints\n{real}\nand not\n{command.output}"


def _run(line: str, is_refused: bool) -> "subprocess.CompletedProcess[str]":
    """A command, in this process where that does, which need not load everything again."""
    if line.startswith("duelbench ") and not is_refused and not any(part in line for part in IN_PROCESSES):
        done = CliRunner().invoke(app, shlex.split(line, comments=True)[1:], catch_exceptions=False)
        return subprocess.CompletedProcess(line, done.exit_code, done.stdout, done.stderr)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path}
    return subprocess.run(line, shell=True, env=variables, capture_output=True, text=True, timeout=120)


def prints(command: Command, real: str) -> bool:
    """Whether a command prints what is shown: to the last digit, but for what depends on the machine."""
    if _agrees(command.output, real):
        return True
    return _present_environment() != MADE_IN and _agrees_within_errors(command.output, real)


def _agrees(shown: str, real: str) -> bool:
    """Whether real output is what is shown, ``...`` standing for anything; widths of columns then do not count."""
    if "..." not in shown:
        return shown.strip() == real.strip()
    pattern = ".*".join(re.escape(part.strip()) for part in _one_blank(shown).split("..."))
    return re.fullmatch(pattern, _one_blank(real), re.DOTALL) is not None


def _one_blank(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _present_environment() -> dict[str, str]:
    """What bits depend on; of Python's version the first two numbers."""
    present = environment()
    return {name: ".".join(present[name].split(".")[:2]) if name == "python" else present[name] for name in MADE_IN}


def _agrees_within_errors(shown: str, real: str) -> bool:
    """Whether two reports have the same rows, with means that differ by five combined standard errors at most."""
    ours, theirs = _report_rows(shown), _report_rows(real)
    return ours.keys() == theirs.keys() and all(
        abs(mean - theirs[row][0]) <= 5 * math.hypot(sem, theirs[row][1]) for row, (mean, sem) in ours.items()
    )


def _report_rows(text: str) -> dict[str, tuple[float, float]]:
    """Problem, algorithm, round and runs of each row of a report -> mean and standard error."""
    rows = re.findall(r"^(\S.*?\d+ +\d+) +([\d.]+) +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +\d+%$", text, re.MULTILINE)
    return {_one_blank(row): (float(mean), float(sem)) for row, mean, sem in rows}
