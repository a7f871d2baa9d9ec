"""Claims about standard streams whose reader leaves."""

import json
import os
import subprocess
import sys

import pytest

from tests.experiments.execution.experiments import duelbench, write_spec
from tests.plug_ins import PLAIN, write

WORK = """
import sys
from pathlib import Path
from duelbench.cli.streams import open_streams
open_streams()
print("x" * 100_000, flush=True)
print("y", file=sys.stderr)
Path(sys.argv[1]).touch()
print("z")
"""


def test_a_command_whose_reader_leaves_does_its_work(here):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-c", WORK, "done"]
        assert subprocess.run(command, stdout=writing, stderr=writing, check=False).returncode == 0
    finally:
        os.close(writing)
    assert (here / "done").exists()


def test_what_is_read_arrives_whole(here):
    told = subprocess.run([sys.executable, "-c", WORK, "done"], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("x" * 100_000 + "\nz\n", "y\n")


@pytest.mark.thorough
def test_what_a_plug_in_prints_does_not_reach_the_answer(here):
    loud = "print('at import')\n" + PLAIN.replace("    return State(", "    print('at start')\n    return State(")
    spec = write_spec(here, algorithms=["commit"], runs=1, horizon=50)
    told = duelbench("run", spec, "--plug-in", write(here, loud), "-j", 1, "--json", cwd=here)
    assert json.loads(told.stdout)["experiments"][0]["done"] == 1, told.stderr
    assert "at import" in told.stderr
