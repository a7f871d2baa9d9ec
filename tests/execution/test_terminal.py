"""The command in a real pseudo-terminal: what workers say is not torn, and Ctrl-C leaves it clean."""

import fcntl
import io
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

import pytest

from duelbench import system
from duelbench.execution.processes import _pass_on
from tests.terminal import Screen


def test_what_a_worker_says_is_printed_by_the_process_that_waits_for_it(monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    with system.blocked_signals():  # as it does itself, in a thread of its own
        _pass_on(io.BytesIO(b"a warning\nanother one: \xff"))
    assert said.getvalue() == "a warning\nanother one: \N{REPLACEMENT CHARACTER}"


@pytest.mark.thorough
@pytest.mark.parametrize("width", [60, 80, 120])
def test_ctrl_c_leaves_the_terminal_with_its_last_words_only(tmp_path, width):
    (tmp_path / "two.csv").write_text("0.5,0.55\n0.45,0.5\n")
    (tmp_path / "demo.yaml").write_text("matrix: two.csv\nhorizon: 1e9\nruns: 5000\nalgorithms: [rucb]\n")
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {**os.environ, "TERM": "xterm"}
    command = [sys.executable, "-m", "duelbench", "run", "demo.yaml", "-j", "2"]
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, cwd=tmp_path, env=environment, start_new_session=True
    )
    os.close(slave)
    heard: list[bytes] = []
    listener = threading.Thread(target=_hear, args=(master, heard), daemon=True)
    listener.start()
    deadline = time.monotonic() + 300
    while not any(tmp_path.rglob("run-*.npz")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.1)
    time.sleep(1.5)
    during = Screen().feed(b"".join(heard).decode()).lines()
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(60) == 130
    listener.join(10)
    assert "5000 runs" in during[0] and max(map(len, during)) < width
    screen = Screen().feed(b"".join(heard).decode())
    assert "".join(screen.lines()).startswith("interrupted: ")
    assert screen.is_cursor_shown
    os.close(master)


def _hear(master: int, heard: list[bytes]) -> None:
    while True:
        try:
            heard.append(os.read(master, 65536))
        except OSError:  # nobody writes any more
            return
