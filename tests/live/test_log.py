"""The log of a session: whatever happens to its process or to the file, no acknowledged answer is lost unnoticed."""

import codecs
import gc
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from duelbench import Session
from duelbench.algorithms import registry
from duelbench.errors import InputError
from duelbench.live import log as logs


def same(one, other):
    """Whether two sessions know the same, and ask the same from now on."""
    assert one.out == other.out and one.told == other.told and one.judges == other.judges
    assert (one.wins == other.wins).all() and (one.ties == other.ties).all()
    assert one.recommend() == other.recommend() and one.status() == other.status()
    assert [one._memory.ask(1000 + k) for k in range(5)] == [other._memory.ask(1000 + k) for k in range(5)]
    one._forget(), other._forget()
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
@pytest.mark.parametrize("id", ["d-ts-plus", "rucb", "sparring", "rex3", "interleaved-filter", "kelly-elimination"])
def test_a_session_is_built_again_exactly_from_its_log(tmp_path, id, ties):
    path = tmp_path / "session.jsonl"
    session = eventful(path, id, ties=ties, horizon=400, warm=np.triu(np.full((4, 4), 1.5), 1) * 0 + 2 - 2 * np.eye(4))
    session.close()
    before = path.read_bytes()
    with Session.open(path) as again:
        assert same(again, session)
    assert path.read_bytes() == before


def test_a_log_cut_at_any_byte_opens_with_all_its_whole_lines(tmp_path):
    with eventful(tmp_path / "short.jsonl", questions=2):
        written = (tmp_path / "short.jsonl").read_bytes()
    ends = [k + 1 for k, byte in enumerate(written) if byte == ord("\n")]
    contents, _ = whole(tmp_path, written)
    for cut in range(len(written) + 1):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(written[:cut])
        n_whole = sum(end - 1 <= cut for end in ends)
        if n_whole == 0:
            with pytest.raises(InputError, match="holds no whole first line"):
                logs.Log.open(path)
            continue
        opened, lines, notes = logs.Log.open(path)
        opened.close()
        assert lines == contents[:n_whole]
        assert path.read_bytes() == written[: ends[n_whole - 1]]
        torn = cut > ends[n_whole - 1]
        assert len(notes) == torn and all(f"line {n_whole + 1} was torn" in note for note in notes)


def whole(folder, written):
    path = folder / "whole.jsonl"
    path.write_bytes(written)
    return logs.read(path)


def test_a_session_whose_log_was_cut_asks_what_it_asked_before(tmp_path, written):
    lines = written.splitlines(keepends=True)
    for kept in range(1, len(lines)):
        event = json.loads(lines[kept])
        if event["event"] != "ask":
            continue
        path = tmp_path / "cut.jsonl"
        path.write_bytes(b"".join(lines[:kept]) + lines[kept][:30])
        with Session.open(path) as session:
            pair = session.ask()
            assert (*pair, pair.number) == (event["first"], event["second"], event["number"])


def changed(lines, number, **keys):
    """The lines with one of them edited by hand, its digest left as it was."""
    event = json.loads(lines[number - 1])
    return [*lines[: number - 1], json.dumps({**event, **keys}, ensure_ascii=False).encode() + b"\n", *lines[number:]]


def test_every_edit_by_hand_is_noticed_by_file_and_line(tmp_path, written):
    lines = written.splitlines(keepends=True)
    path = tmp_path / "session.jsonl"
    for content, line in [
        (changed(lines, 3, winner="d"), 3),
        (changed(lines, 3, judge="eve"), 3),
        (changed(lines, 1, seed=7), 1),
        ([*lines[:4], *lines[5:]], 5),
        ([*lines[:4], lines[5], lines[4], *lines[6:]], 5),
        ([*lines[:4], lines[3], *lines[4:]], 5),
        ([*lines[:4], b"\n", *lines[4:]], 5),
        ([*lines[:4], b"answer a\n", *lines[4:]], 5),
        ([*lines[:4], lines[4].replace(b'": ', b'":', 1), *lines[5:]], 5),
        ([*lines[:-1], lines[-1][:-1].replace(b'"ask"', b'"wait"')], len(lines)),
        (lines[1:], 1),
    ]:
        path.write_bytes(b"".join(content))
        with pytest.raises(InputError, match=re.escape(f"{path}: line {line} ")):
            Session.open(path)
        assert path.read_bytes() == b"".join(content)


def test_lines_of_another_session_are_noticed(tmp_path, written):
    other = tmp_path / "other.jsonl"
    eventful(other, "rucb").close()
    mixed = tmp_path / "mixed.jsonl"
    lines = written.splitlines(keepends=True)
    mixed.write_bytes(b"".join(lines[:3] + other.read_bytes().splitlines(keepends=True)[3:]))
    with pytest.raises(InputError, match="line 4 is not as it was written, or does not follow"):
        Session.open(mixed)


def test_what_is_no_log_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    for content, said in [
        (b"", "holds no whole first line"),
        (b"milk\neggs\n", "line 1 is not the first line of a session's log"),
        (b'{"a": 1}\n', "line 1 is not the first line of a session's log"),
        (b"\x00\xff\n", "line 1 is not the first line of a session's log"),
        (b"[1, 2]\n", "line 1 is not the first line of a session's log"),
    ]:
        path.write_bytes(content)
        with pytest.raises(InputError, match=said):
            Session.open(path)
        assert path.read_bytes() == content
    with pytest.raises(InputError, match="there is no such log"):
        Session.open(tmp_path / "nothing.jsonl")
    with pytest.raises(InputError, match="is no file"):
        Session.open(tmp_path)
    path.write_bytes(b"milk\n")
    with pytest.raises(InputError, match="there is a log, or another file, already"):
        Session("rucb", ["a", "b"], log=path)
    assert path.read_bytes() == b"milk\n"


def rewritten(path, lines):
    """A log with a sound chain, of other lines: as another version would have written it."""
    path.unlink(missing_ok=True)
    log = logs.Log.create(path, lines[0])
    for line in lines[1:]:
        log.append(line)
    log.close()


def test_a_log_of_a_newer_format_says_that_duelbench_must_be_updated(tmp_path, written):
    lines, _ = whole(tmp_path, written)
    path = tmp_path / "newer.jsonl"
    rewritten(path, [{**lines[0], "format": 2}, *lines[1:]])
    with pytest.raises(InputError, match=r"line 1: written by duelbench .* in format 2; .* update duelbench"):
        Session.open(path)


def test_a_question_that_this_version_would_not_ask_is_named_by_its_line(tmp_path, written):
    lines, _ = whole(tmp_path, written)
    path = tmp_path / "other-version.jsonl"
    k = next(k for k, line in enumerate(lines) if k > 6 and line["event"] == "ask")
    rewritten(path, [*lines[:k], {**lines[k], "first": lines[k]["second"], "second": lines[k]["first"]}])
    with pytest.raises(InputError, match=f"line {k + 1}: asks .*, where this version asks .*; it was made with"):
        Session.open(path)
    rewritten(path, [*lines[:k], {**lines[k], "random": "00000000"}])
    with pytest.raises(InputError, match=f"line {k + 1}: asks .* but its randomness stands elsewhere"):
        Session.open(path)
    rewritten(path, [{**lines[0], "algorithm": "no-such"}, *lines[1:]])
    with pytest.raises(InputError, match="line 1: there is no algorithm 'no-such'"):
        Session.open(path)


def test_a_log_is_had_by_one_at_a_time_and_others_may_look(tmp_path):
    path = tmp_path / "session.jsonl"
    session = eventful(path)
    with pytest.raises(InputError, match="this process has this session open already"):
        Session.open(path)
    with pytest.raises(InputError, match="this process has this session open already"):
        Session("rucb", ["a", "b"], log=path)
    looking = Session.open(path, read_only=True)
    with pytest.raises(InputError, match="opened to look only"):
        looking.tell(looking.out[0], looking.out[0][0])
    assert same(looking, session)
    session.close()
    with pytest.raises(InputError, match="the session is closed"):
        session.tell(session.out[0], session.out[0][0])
    Session.open(path).close()


def test_an_answer_that_cannot_be_written_is_not_taken_and_can_be_given_again(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    session = Session("rucb", ["a", "b", "c"], log=path)
    pair = session.ask()
    size = path.stat().st_size

    def full(_file):
        raise OSError(28, "No space left on device")

    for moment in ("fsync", "write"):
        with monkeypatch.context() as patch:
            patch.setattr(os, moment, full if moment == "fsync" else lambda _file, _data: full(_file))
            with pytest.raises(InputError, match="No space left on device; nothing of before is lost"):
                session.tell(pair, pair[0])
        assert session.told == 0 and session.out == (pair,) and path.stat().st_size == size
    session.tell(pair, pair[0])
    session.close()
    with Session.open(path) as again:
        assert again.told == 1


def test_a_log_that_others_change_or_remove_while_it_is_open_takes_nothing_more(tmp_path):
    path = tmp_path / "session.jsonl"
    session = Session("rucb", ["a", "b", "c"], log=path)
    pair = session.ask()
    with path.open("ab") as file:
        file.write(b"milk\n")
    with pytest.raises(InputError, match="somebody else has changed the file"):
        session.tell(pair, pair[0])
    path.unlink()
    with pytest.raises(InputError, match="was removed while the session went on"):
        session.tell(pair, pair[0])
    assert session.told == 0


def test_an_algorithm_of_ones_own_is_handed_over_again(tmp_path):
    from dataclasses import replace

    path = tmp_path / "session.jsonl"
    own = replace(registry.get("rucb"), id="my-rucb")
    with Session(own, ["a", "b", "c"], log=path) as session:
        session.tell(session.ask(), session.out[0][0])
    with pytest.raises(InputError, match="line 1: there is no algorithm 'my-rucb'"):
        Session.open(path)
    with Session.open(path, algorithm=own) as again:
        assert again.told == 1


WRITER = """
import sys
from duelbench import Session
session = Session("rucb", ["a", "b", "c"], log=sys.argv[1], stop=False)
while True:
    pair = session.ask()
    session.tell(pair, min(pair))
    print(session.told, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL on Windows")
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
    append = logs.Log.append

    def interrupted(self, *line):
        if moment == "after":
            append(self, *line)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(logs.Log, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            {
                "ask": session.ask,
                "tell": lambda: session.tell(pair, pair[0]),
                "undo": session.undo,
                "skip": lambda: session.skip(pair),
            }[doing]()
    happened = moment == "after"
    assert session.told == 1 + happened * {"tell": 1, "undo": -1}.get(doing, 0)
    assert len(session.out) == 1 + happened * {"ask": 1, "tell": -1, "skip": -1}.get(doing, 0)
    for _ in range(3):
        session.tell(session.ask(), session.out[-1][0])
    session.close()
    with Session.open(path) as again:
        assert same(again, session)


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


def test_of_a_log_whose_line_ends_were_changed_it_is_said(tmp_path):
    path = tmp_path / "session.jsonl"
    eventful(path).close()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(InputError, match=r"line 1 ends with CR LF, .*; end all lines with LF again"):
        Session.open(path)
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    Session.open(path).close()


def test_of_a_log_that_was_saved_with_a_byte_order_mark_or_a_blank_line_that_is_said(tmp_path, written):
    path = tmp_path / "session.jsonl"
    lines = written.splitlines(keepends=True)
    mark = r"line 1 begins with a byte order mark, .*; save the file as UTF-8 without one"
    for content, said in [
        (codecs.BOM_UTF8 + written, mark),
        (codecs.BOM_UTF8 + written.replace(b"\n", b"\r\n"), mark),
        (b"".join([*lines[:3], b"\n", *lines[3:]]), "line 4 is blank, .*; remove it"),
        (b"\r\n" + written, "line 1 is blank"),
        (written + b"\n", f"line {len(lines) + 1} is blank"),
    ]:
        path.write_bytes(content)
        with pytest.raises(InputError, match=said):
            Session.open(path)
        assert path.read_bytes() == content


def test_a_log_in_a_folder_that_is_not_there_is_refused_and_no_folder_is_made(tmp_path):
    with pytest.raises(InputError, match=r"there is no folder .*nosuch for the log; make it first"):
        Session("rucb", ["a", "b"], log=tmp_path / "nosuch" / "x.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_log_with_names_that_no_new_session_may_have_still_opens(tmp_path):
    path = tmp_path / "session.jsonl"
    names = dict(zip("abc", ["a\n", "b ", "c" * 500], strict=True))
    with Session("rucb", [*names], seed=1, log=path) as session:
        session.tell(session.ask(), session.out[0][0])
        asked = [names[name] for name in session.ask()]
    lines, digest = [], ""
    for event in logs.read(path)[0]:
        renamed = {key: names.get(value, value) if isinstance(value, str) else value for key, value in event.items()}
        if event["event"] == "session":
            renamed["arms"] = [*names.values()]
        line, digest = logs._line(renamed, digest)
        lines.append(line + "\n")
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    with Session.open(path) as session:
        assert session.arms == tuple(names.values()) and list(session.out[0]) == asked
        session.tell(session.out[0], asked[0])
        assert session.told == 2
    with pytest.raises(InputError, match="cannot be printed"):
        Session("rucb", [*names.values()])


def test_a_session_that_is_dropped_gives_its_log_back(tmp_path):
    path = tmp_path / "session.jsonl"
    session = eventful(path)
    told = session.told
    del session
    gc.collect()
    with Session.open(path) as again:
        assert again.told == told


def test_of_a_log_that_another_process_has_open_this_is_said(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    with eventful(path):
        monkeypatch.setattr("duelbench.live.log._open", set())  # as in a process that has opened nothing
        with pytest.raises(InputError, match="another process has this session open"):
            Session.open(path)
