"""Claims about standard streams whose reader leaves."""

import json
import os
import subprocess
import sys

from tests.plug_ins import PLAIN, write

WORK = """
import sys
from pathlib import Path
from duelbench.cli.streams import is_read, open_streams
open_streams()
print("x" * 100_000, flush=True)
print("y", file=sys.stderr)
Path(sys.argv[1]).write_text(str(is_read()))
print("z")
"""


def _into_a_closed_pipe(*command):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(list(map(str, command)), stdout=writing, stderr=writing, check=False).returncode
    finally:
        os.close(writing)


def test_a_command_whose_reader_leaves_does_its_work(tmp_path):
    assert _into_a_closed_pipe(sys.executable, "-c", WORK, tmp_path / "done") == 0
    assert (tmp_path / "done").read_text() == "False"


def test_a_bench_whose_reader_leaves_keeps_its_table(tmp_path):
    options = ["--arms", "2", "--horizon", "100", "--budget", "0", "--turns", "1", "--output", tmp_path / "table.json"]
    assert _into_a_closed_pipe(sys.executable, "-m", "duelbench", "bench", "random", *options) == 0
    assert (tmp_path / "table.json").stat().st_size > 0


def test_what_is_read_arrives_whole(tmp_path):
    command = [sys.executable, "-c", WORK, str(tmp_path / "done")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("x" * 100_000 + "\nz\n", "y\n")
    assert (tmp_path / "done").read_text() == "True"


def test_what_a_plug_in_prints_does_not_reach_the_answer(tmp_path):
    loud = "import os\nprint('at import')\nos.write(1, b'raw')\n" + PLAIN.replace(
        "    return State(", "    print('at start')\n    return State("
    )
    options = ["--plug-in", write(tmp_path, loud), "--arms", 3, "--horizon", 100, "--budget", 0, "--turns", 1, "--json"]
    command = [sys.executable, "-m", "duelbench", "bench", "commit", *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    assert [row["algorithm"] for row in json.loads(done.stdout)["rows"]] == ["commit"]
    assert all(said in done.stderr for said in ("at import", "raw", "at start"))
