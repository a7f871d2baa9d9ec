"""The log of a session: whatever happens to its process or to the file, no acknowledged answer is lost unnoticed."""

import codecs
import gc
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from duelbench import Session
from duelbench.bandits.algorithms import registry
from duelbench.data.importing import import_matrix
from duelbench.data.session_log import read
from duelbench.data.votes import read_votes
from duelbench.errors import InputError
from duelbench.judging import log as logs
from duelbench.judging.judges import Watch


def same(one, other):
    """Whether two sessions know the same, and ask the same from now on."""
    assert one.out == other.out and one.told == other.told and one.judges == other.judges
    assert (one.wins == other.wins).all() and (one.ties == other.ties).all()
    assert one.recommend() == other.recommend() and one.status() == other.status()
    assert [one._history.memory.ask(1000 + k) for k in range(5)] == [
        other._history.memory.ask(1000 + k) for k in range(5)
    ]
    one._history.forget(), other._history.forget()
    return True


def eventful(path, algorithm="d-ts", questions=25, **terms):
    """A session in which everything happens that can."""
    session = Session(algorithm, ["a", "b", 'ü "}\\n', "d"], seed=6, log=path, forbidden=[("a", "d")], **terms)
    for k in range(questions):
        pair = session.ask()
        if pair is None:
            break
        if k % 7 == 3:
            session.tie(pair, judge="ann")
        elif k % 7 == 5:
            session.skip(pair)
        elif k % 7 == 6:
            session.tell(pair, max(pair))
            session.ask()
            session.undo()
        else:
            session.tell(pair, min(pair), judge=["ann", "bob"][k % 2])
    session.ask(2)
    return session


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The bytes of a log."""
    path = tmp_path_factory.mktemp("log") / "session.jsonl"
    eventful(path).close()
    return path.read_bytes()


@pytest.mark.parametrize("ties", ["half", "drop"])
@pytest.mark.parametrize("id", ["d-ts-plus", "rucb", "interleaved-filter", "kelly-elimination"])
def test_a_session_is_built_again_exactly_from_its_log(tmp_path, id, ties):
    path = tmp_path / "session.jsonl"
    session = eventful(path, id, ties=ties, horizon=400, warm=2 - 2 * np.eye(4))
    session.close()
    before = path.read_bytes()
    with Session.open(path) as again:
        assert same(again, session)
    assert path.read_bytes() == before


def test_a_log_cut_at_any_byte_opens_with_all_its_whole_lines(tmp_path):
    with eventful(tmp_path / "short.jsonl", questions=1):
        written = (tmp_path / "short.jsonl").read_bytes()
    ends = [k + 1 for k, byte in enumerate(written) if byte == ord("\n")]
    contents, _ = read(tmp_path / "short.jsonl")
    near_ends = {end + k for end in ends for k in range(-3, 4) if end + k <= len(written)}
    for cut in sorted({*near_ends, *range(0, len(written), 10)}):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(written[:cut])
        n_whole = sum(end - 1 <= cut for end in ends)
        if n_whole == 0:
            with pytest.raises(InputError, match="holds no whole first line"):
                logs.SessionLog.open(path)
            continue
        opened, lines, notes = logs.SessionLog.open(path)
        opened.close()
        assert lines == contents[:n_whole]
        assert path.read_bytes() == written[: ends[n_whole - 1]]
        torn = cut > ends[n_whole - 1]
        assert len(notes) == torn and all(f"line {n_whole + 1} was torn" in note for note in notes)


def test_a_log_is_had_by_one_at_a_time_and_others_may_look(tmp_path):
    path = tmp_path / "session.jsonl"
    session = eventful(path)
    for again in (Session.open, lambda path: Session("rucb", ["a", "b"], log=path)):
        with pytest.raises(InputError, match="this session is already open, here or in another process"):
            again(path)
    looking = Session.open(path, read_only=True)
    with pytest.raises(InputError, match="session is read-only"):
        looking.tell(looking.out[0], looking.out[0][0])
    assert same(looking, session)
    session.close()
    with pytest.raises(InputError, match="the session is closed"):
        session.tell(session.out[0], session.out[0][0])
    dropped = Session.open(path)
    del dropped
    gc.collect()
    Session.open(path).close()


def test_an_answer_that_cannot_be_written_is_not_taken_and_can_be_given_again(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    session = Session("rucb", ["a", "b", "c"], log=path)
    pair = session.ask()
    size = path.stat().st_size

    def full(*_):
        raise OSError(28, "No space left on device")

    for moment in ("fsync", "write"):
        with monkeypatch.context() as patch:
            patch.setattr(os, moment, full)
            with pytest.raises(InputError, match="No space left on device; this was not saved"):
                session.tell(pair, pair[0])
        assert session.told == 0 and session.out == (pair,) and path.stat().st_size == size
    session.tell(pair, pair[0])
    pair = session.ask()
    with path.open("ab") as file:
        file.write(b"milk\n")
    with pytest.raises(InputError, match="another program has changed the file"):
        session.tell(pair, pair[0])
    assert session.told == 1


def test_a_log_that_was_removed_or_moved_is_written_again_and_a_watch_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path("session.jsonl")
    session = Session("rucb", ["a", "b", "c"], log=path)
    warnings = []
    watch = Watch(session, warnings.append)
    for end in (path.unlink, lambda: path.rename("other.jsonl")):
        pair = session.ask()
        end()
        session.tell(pair, pair[0])
        watch()
    watch()
    note = "session.jsonl: was removed or moved; all of it was written again"
    assert warnings == [note, note] == [*session.notes_on_log]
    monkeypatch.chdir("/")
    session.tell(session.ask(), session.out[0][0])
    session.close()
    with Session.open(tmp_path / path) as again:
        assert again.told == 3


def test_a_log_takes_no_answer_while_another_file_or_no_folder_is_in_its_place(tmp_path):
    path = tmp_path / "folder" / "session.jsonl"
    path.parent.mkdir()
    session = Session("rucb", ["a", "b", "c"], log=path)
    pair = session.ask()
    path.parent.rename(tmp_path / "moved")
    with pytest.raises(InputError, match=r"was removed or moved, and cannot be written again: .*put it back"):
        session.tell(pair, pair[0])
    path.parent.mkdir()
    path.write_bytes((tmp_path / "moved" / "session.jsonl").read_bytes())
    with pytest.raises(InputError, match="is another file now; this was not saved: put the log back"):
        session.tell(pair, pair[0])
    (tmp_path / "moved" / "session.jsonl").replace(path)
    session.tell(pair, pair[0])
    assert session.told == 1


WRITER = """
import sys
from duelbench import Session
session = Session("rucb", ["a", "b", "c"], log=sys.argv[1], stop=False)
while True:
    pair = session.ask()
    session.tell(pair, min(pair))
    print(session.told, flush=True)
"""


def test_a_process_that_is_killed_while_it_writes_loses_nothing_that_it_acknowledged(tmp_path):
    path = tmp_path / "session.jsonl"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for _ in range(20):
        writer.stdout.readline()
    time.sleep(0.01)
    writer.kill()
    acknowledged = int((writer.communicate()[0].split() or ["20"])[-1])
    with Session.open(path) as session:
        assert session.told in (acknowledged, acknowledged + 1)
        session.ask()


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("doing", ["ask", "tell", "undo", "skip"])
def test_ctrl_c_at_any_moment_leaves_a_session_that_goes_on_and_a_log_that_opens(tmp_path, monkeypatch, doing, moment):
    path = tmp_path / "session.jsonl"
    session = Session("d-ts", ["a", "b", "c"], seed=2, log=path)
    session.tell(session.ask(), session.out[0][0])
    pair = session.ask()
    append = logs.SessionLog.append

    def interrupted(self, *line):
        if moment == "after":
            append(self, *line)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(logs.SessionLog, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            getattr(session, doing)(*{"tell": (pair, pair[0]), "skip": (pair,)}.get(doing, ()))
    happened = moment == "after"
    assert session.told == 1 + happened * {"tell": 1, "undo": -1}.get(doing, 0)
    assert len(session.out) == 1 + happened * {"ask": 1, "tell": -1, "skip": -1}.get(doing, 0)
    for _ in range(3):
        session.tell(session.ask(), session.out[-1][0])
    session.close()
    with Session.open(path) as again:
        assert same(again, session)


def winner_changed(line):
    """A line edited by hand, its digest left as it was."""
    return json.dumps({**json.loads(line), "winner": "d"}, ensure_ascii=False).encode() + b"\n"


@pytest.mark.parametrize(
    ("line", "edit"),
    [
        (3, lambda lines: [*lines[:2], winner_changed(lines[2]), *lines[3:]]),
        (1, lambda lines: [lines[0].replace(b'"seed": 6', b'"seed": 7'), *lines[1:]]),
        (5, lambda lines: [*lines[:4], *lines[5:]]),
        (5, lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]]),
        (5, lambda lines: [*lines[:4], lines[3], *lines[4:]]),
        (5, lambda lines: [*lines[:4], b"\n", *lines[4:]]),
        (5, lambda lines: [*lines[:4], b"answer a\n", *lines[4:]]),
        (5, lambda lines: [*lines[:4], lines[4].replace(b'": ', b'":', 1), *lines[5:]]),
        (1, lambda lines: lines[1:]),
        (1, lambda lines: [line.replace(b"\n", b"\r\n") for line in lines]),
        (1, lambda lines: [codecs.BOM_UTF8, *lines]),
        (1, lambda lines: [b"[1, 2]\n"]),
        (1, lambda lines: [b"\x00\xff\n"]),
    ],
)
def test_every_edit_by_hand_is_refused_by_file_and_line_and_the_file_left_alone(tmp_path, written, line, edit):
    path = tmp_path / "session.jsonl"
    content = b"".join(edit(written.splitlines(keepends=True)))
    assert content != written
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(f"{path}: line {line} ")):
        Session.open(path)
    assert path.read_bytes() == content


def test_no_session_is_opened_or_begun_where_there_is_no_log_or_another_file(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_bytes(b"milk")
    for path, said in ((file, "no whole first line"), (tmp_path / "no.jsonl", "no such log"), (tmp_path, "not a file")):
        with pytest.raises(InputError, match=said):
            Session.open(path)
    for path, said in ((file, "already"), (tmp_path / "nosuch" / "x.jsonl", "no folder .*nosuch")):
        with pytest.raises(InputError, match=said):
            Session("rucb", ["a", "b"], log=path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"] and file.read_bytes() == b"milk"


def test_what_another_version_or_an_algorithm_of_ones_own_has_written_is_named_by_its_line(tmp_path, written):
    path = tmp_path / "session.jsonl"
    path.write_bytes(written)
    lines, _ = read(path)
    k = next(k for k, line in enumerate(lines) if k > 6 and line["event"] == "ask")
    other = {**lines[k], "first": lines[k]["second"], "second": lines[k]["first"]}
    for there, said in [
        ([{**lines[0], "format": 2}, *lines[1:]], "line 1: .* update duelbench"),
        ([{**lines[0], "algorithm": "no-such"}, *lines[1:]], "line 1: .*'no-such'"),
        ([*lines[:k], other], f"line {k + 1}: asks .*, but this version asks"),
        ([*lines[:k], {**lines[k], "random": "00000000"}], f"line {k + 1}: asks .* random numbers"),
    ]:
        path.unlink()
        log = logs.SessionLog.create(path, there[0])  # with a sound chain
        for line in there[1:]:
            log.append(line)
        log.close()
        with pytest.raises(InputError, match=said):
            Session.open(path)
    own, path = replace(registry.get("rucb"), id="my-rucb"), tmp_path / "own.jsonl"
    Session(own, ["a", "b", "c"], log=path).close()
    with pytest.raises(InputError, match="'my-rucb'"):
        Session.open(path)
    Session.open(path, algorithm=own).close()


def test_a_session_that_waited_for_answers_while_its_clock_went_on_is_opened_again(tmp_path):
    path = tmp_path / "session.jsonl"
    with Session("d-ts-plus", ["a", "b", "c"], seed=1, stop=False, log=path) as session:
        for _ in range(10):
            pair = session.ask()
            session.tell(pair, min(pair))
        while session.ask() is not None:
            pass
        assert any('"event": "wait"' in line for line in path.read_text(encoding="utf-8").splitlines())
        assert same(Session.open(path, read_only=True), session)


@pytest.mark.parametrize("ties", ["half", "drop"])
def test_a_log_is_read_as_the_wins_that_its_session_knows(tmp_path, ties):
    path = tmp_path / "session.jsonl"
    with eventful(path, ties=ties, warm=2 - 2 * np.eye(4)) as session:
        votes = read_votes(path)
        assert votes.arms == session.arms
        assert votes.wins().tolist() == session._history.memory.evidence().tolist()
    warm = Session("rucb", session.arms, warm=path).warm
    assert warm.tolist() == votes.wins().tolist()
    assert import_matrix(path, missing="half").form == "session"
