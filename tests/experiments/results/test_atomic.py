"""Promise 6: a file with its final name is whole."""

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

from duelbench.common import atomic
from tests.selection import times

WRITER = """
import sys
from pathlib import Path
from duelbench.common.atomic import write
print("ready", flush=True)
count = 0
while True:
    count += 1
    write(Path(sys.argv[1]) / f"{count % 7}.bin", bytes([count % 251]) * 50_000)
"""


def kill_a_writer(folder: Path, seconds: float) -> int:
    """Kill a process that does nothing but write files: every final name is whole; how many there are."""
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(seconds)
        writer.send_signal(signal.SIGKILL)
    written = list(folder.glob("*.bin"))
    for path in written:
        content = path.read_bytes()
        assert len(content) == 50_000 and set(content) == {content[0]}, path
    return len(written)


def test_whenever_a_writer_is_killed_every_final_name_is_whole(tmp_path):
    instants = random.Random(6)
    assert sum(kill_a_writer(tmp_path, instants.uniform(0.0, 0.1)) for _ in range(times(3))) > 0
    atomic.sweep(tmp_path)
    assert not list(tmp_path.glob(".tmp-*"))


def test_what_was_there_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "new" / "folders" / "file"
    atomic.write(path, b"old" * 1000)
    atomic.write(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), OSError(errno.EIO, "broken"), KeyboardInterrupt()])
def test_a_write_that_fails_or_is_interrupted_leaves_the_old_content_and_no_litter(tmp_path, monkeypatch, call, error):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def fail(*arguments):
        raise error

    monkeypatch.setattr(atomic.os, call, fail)
    with pytest.raises(type(error)):
        atomic.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.fixture
def calls(monkeypatch) -> list:
    """What is flushed to the disk, and what gets which name, in this order."""
    calls = []
    fsync, replace = os.fsync, os.replace
    path_of = "/proc/self/fd/{}".format
    monkeypatch.setattr(atomic.os, "fsync", lambda file: (calls.append(os.readlink(path_of(file))), fsync(file)))
    monkeypatch.setattr(atomic.os, "replace", lambda old, new: (calls.append(("named", str(old))), replace(old, new)))
    return calls


def test_the_data_reach_the_disk_before_the_name_does(tmp_path, calls):
    atomic.write(tmp_path / "file", b"data")
    temporary, named, folder = calls
    assert named == ("named", temporary) and folder == str(tmp_path)


def test_in_the_background_each_file_reaches_the_disk_before_its_name_and_the_folder_is_flushed_once(tmp_path, calls):
    files = atomic.Background()
    contents = {f"{k}": bytes([k]) * 5000 for k in range(100)}
    for name, content in contents.items():
        files.write(tmp_path / name, content)
    files.close()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == contents and files.failed == {}
    named = [call[1] for call in calls if isinstance(call, tuple)]
    assert len(named) == 100 and all(calls.index(old) < calls.index(("named", old)) for old in named)
    assert calls.count(str(tmp_path)) == 1 and calls[-1] == str(tmp_path)


def test_in_the_background_files_that_cannot_be_written_are_named_and_the_others_are_there(tmp_path, monkeypatch):
    replace = os.replace

    def fail_for_seven(old, new):
        if os.path.basename(new) == "7":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(old, new)

    monkeypatch.setattr(atomic.os, "replace", fail_for_seven)
    files = atomic.Background()
    for k in range(40):
        files.write(tmp_path / f"{k}", b"data")
    files.close()
    assert [(path.name, error.errno) for path, error in files.failed.items()] == [("7", errno.ENOSPC)]
    assert sorted(os.listdir(tmp_path), key=int) == [f"{k}" for k in range(40) if k != 7]


def test_in_the_background_no_more_than_a_few_files_wait(tmp_path, monkeypatch):
    """A command that is killed loses these at most."""
    begun, go_on = [], threading.Event()
    replace = os.replace
    monkeypatch.setattr(atomic.os, "replace", lambda *names: (go_on.wait(60), replace(*names)))
    files = atomic.Background()

    def write_many():
        for k in range(3 * atomic.MOST_WAITING):
            files.write(tmp_path / f"{k}", b"data")
            begun.append(k)

    writer = threading.Thread(target=write_many)
    writer.start()
    writer.join(0.2)
    assert len(begun) <= atomic.MOST_WAITING
    go_on.set()
    writer.join()
    files.close()
    assert len(os.listdir(tmp_path)) == 3 * atomic.MOST_WAITING


def test_temporary_files_are_swept_when_their_process_is_gone_or_they_are_old(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    of_gone, running, old = (f".tmp-{pid}-{uuid.uuid4().hex}" for pid in (gone.pid, os.getpid(), os.getpid()))
    for name in (of_gone, running, old, ".tmp-notes"):
        (tmp_path / name).touch()
    two_days_ago = time.time() - 2 * 86400
    os.utime(tmp_path / old, (two_days_ago, two_days_ago))
    assert atomic.sweep(tmp_path) == 2
    assert set(os.listdir(tmp_path)) == {running, ".tmp-notes"}
