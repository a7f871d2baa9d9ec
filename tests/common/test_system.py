"""What systems do differently: what can be tried on this one, and what it does where another answers otherwise."""

import os
import subprocess
import sys
import threading
from pathlib import Path

from duelbench.common import system


def test_a_file_is_opened_for_this_process_alone(tmp_path):
    file = os.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT | system.AS_IT_IS)
    try:
        assert not os.get_inheritable(file)
        os.write(file, b"1\n2\n")
    finally:
        os.close(file)
    assert (tmp_path / "file").read_bytes() == b"1\n2\n"


def test_a_lock_is_had_by_one_at_a_time_and_free_when_its_file_is_closed(tmp_path):
    had = threading.Event()

    def wait_for_it():
        with open(tmp_path / "lock", "wb") as file:
            system.lock(file)
            had.set()

    with open(tmp_path / "lock", "wb") as file:
        system.lock(file)
        other = threading.Thread(target=wait_for_it)
        other.start()
        assert not had.wait(0.2)
    assert had.wait(10)
    other.join()


def test_a_process_is_known_to_run_until_it_has_ended():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert system.is_running(process.pid)
    process.communicate(b"\n")
    assert not system.is_running(process.pid)
    assert not system.is_running(2**70)


def test_a_name_that_the_terminal_cannot_show_ends_no_command(tmp_path):
    (tmp_path / "food.csv").write_text("M\u00f6hre,\u52dd\n0.5,0.9\n0.1,0.5\n", encoding="utf-8")
    words = [sys.executable, "-m", "duelbench", "show", "food.csv"]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(Path(system.__file__).parents[2])}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "M\u00f6hre" in done.stdout.decode("cp1252") and b"\\u52dd" in done.stdout
