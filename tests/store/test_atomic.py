"""Promise 6: a file with its final name is whole."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
import uuid

import pytest

from duelbench.experiment import atomic

WRITER = """
import sys
from pathlib import Path
from duelbench.experiment.atomic import write
print("ready", flush=True)
count = 0
while True:
    count += 1
    write(Path(sys.argv[1]) / f"{count % 7}.bin", bytes([count % 251]) * 50_000)
"""


def test_what_was_there_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "new" / "folders" / "file"
    atomic.write(path, b"old" * 1000)
    atomic.write(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_leaves_the_old_content_and_no_litter(tmp_path, monkeypatch, call, code):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*arguments):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(atomic.os, call, fail)
    with pytest.raises(OSError, match=os.strerror(code)):
        atomic.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_an_interrupted_write_leaves_no_litter(tmp_path, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic.os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        atomic.write(tmp_path / "file", b"new")
    assert os.listdir(tmp_path) == []


def test_the_data_reach_the_disk_before_the_name_does(tmp_path, monkeypatch):
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(atomic.os, "fsync", lambda file: (calls.append("fsync"), fsync(file)))
    monkeypatch.setattr(atomic.os, "replace", lambda *names: (calls.append("replace"), replace(*names)))
    atomic.write(tmp_path / "file", b"data")
    assert calls == ["fsync", "replace", "fsync"]  # the file, its name, the folder


def test_temporary_files_are_swept_when_their_process_is_gone_or_they_are_old(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    names = {
        "gone": f".tmp-{gone.pid}-{uuid.uuid4().hex}",
        "running": f".tmp-{os.getpid()}-{uuid.uuid4().hex}",
        "running but old": f".tmp-{os.getpid()}-{uuid.uuid4().hex}",
        "another's": ".tmp-notes",
    }
    for name in names.values():
        (tmp_path / name).write_bytes(b"")
    two_days_ago = time.time() - 2 * 86400
    os.utime(tmp_path / names["running but old"], (two_days_ago, two_days_ago))
    assert atomic.sweep(tmp_path) == 2
    assert set(os.listdir(tmp_path)) == {names["running"], names["another's"]}


def test_whenever_a_writer_is_killed_every_final_name_is_whole(tmp_path):
    instants = random.Random(6)
    for _ in range(6):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(instants.uniform(0.0, 0.05))
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
    written = list(tmp_path.glob("*.bin"))
    assert written
    for path in written:
        content = path.read_bytes()
        assert len(content) == 50_000 and set(content) == {content[0]}
    atomic.sweep(tmp_path)
    assert set(tmp_path.iterdir()) == set(written)
