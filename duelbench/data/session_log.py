"""Reads the log of a live session: its events, checked by their digests, and the wins in its answers."""

import codecs
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import InputError, reading

ANSWERS = ("answer", "evidence")
"""The events that are answers, which an undo removes."""


def is_log(path: Path) -> bool:
    """Return whether a file starts like the log of a session."""
    start = b'{"event": "session"'
    try:
        if not path.is_file():  # reading a pipe would wait
            return False
        with path.open("rb") as file:
            return file.read(len(start)) == start
    except OSError:
        return False


def read_answers(path: Path) -> tuple[dict[str, Any], list[tuple[int, Mapping[str, Any]]]]:
    """Return the settings of a session, and the answers that count, each with its line.

    Ties do not count in a session that drops them.
    """
    (header, *events), _ = read(path)
    counting = [(line, event) for line, event in corrected(effective(events)) if answers([event])]
    if header["ties"] == "drop":
        counting = [(line, event) for line, event in counting if event["winner"] is not None]
    return header, [*counting]


def answers(events: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the events that are answers about two different arms."""
    return [event for event in events if event["event"] in ANSWERS and event["first"] != event["second"]]


def wins_of(events: Iterable[Mapping[str, Any]], arms: Sequence[str]) -> np.ndarray:
    """Return the wins in `answers`, (K, K) float64; ties are half a win for each."""
    wins = np.zeros((len(arms), len(arms)))
    for event in events:
        i, j = arms.index(event["first"]), arms.index(event["second"])
        share = 0.5 if event["winner"] is None else float(event["winner"] == event["first"])
        wins[i, j] += share
        wins[j, i] += 1.0 - share
    return wins


def effective(events: Iterable[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the events that no undo has removed, with their lines in the log.

    An undo removes the last answer and everything after it, except corrections of earlier answers.
    """
    kept: list[tuple[int, dict[str, Any]]] = []
    for line, event in enumerate(events, start=2):  # after the header
        if event["event"] == "undo":
            last = max(k for k, (_, earlier) in enumerate(kept) if earlier["event"] in ANSWERS)
            n_answers = sum(earlier["event"] in ANSWERS for _, earlier in kept[:last])
            corrections = [
                (later_line, later)
                for later_line, later in kept[last:]
                if later["event"] == "correct" and later["answer"] <= n_answers
            ]
            kept = [*kept[:last], *corrections]
        else:
            kept.append((line, event))
    return kept


def corrected(events: Iterable[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """Return the events of `effective` with corrected winners, without the corrections themselves.

    Examples
    --------
    >>> answer = {"event": "answer", "first": "tea", "second": "milk", "winner": "tea"}
    >>> (line, event), = corrected([(2, answer), (3, {"event": "correct", "answer": 1, "winner": "milk"})])
    >>> line, event["winner"]
    (2, 'milk')
    """
    kept: list[tuple[int, dict[str, Any]]] = []
    indices: list[int] = []  # the index of each answer in ``kept``
    for line, event in events:
        if event["event"] == "correct":
            index = indices[event["answer"] - 1]
            answer_line, answer = kept[index]
            kept[index] = answer_line, {**answer, "winner": event["winner"]}
        else:
            if event["event"] in ANSWERS:
                indices.append(len(kept))
            kept.append((line, event))
    return kept


def read(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Read a log without changing it, even if it is in use; return its events, and notes."""
    check_is_file(path)
    content = content_of(path)
    return content.lines, content.notes


class Content(NamedTuple):
    """The content of a log."""

    lines: list[dict[str, Any]]  # without their digests
    notes: list[str]  # a note if the last line is incomplete
    digest: str  # of the last line
    size: int  # bytes of complete lines
    lacks_newline: bool  # whether the last line lacks only its line end


def content_of(path: Path) -> Content:
    """Read a log, and check the digest of each line."""
    with reading(path):
        data = path.read_bytes()
    *raw_lines, rest = data.split(b"\n")
    lacks_newline = isinstance(_parsed(rest), dict)  # a part of an object is never an object
    is_torn = bool(rest) and not lacks_newline
    if lacks_newline:
        raw_lines.append(rest)
    lines: list[dict[str, Any]] = []
    digest = ""
    for raw in raw_lines:
        event, digest = _checked(path, len(lines) + 1, raw, digest)
        lines.append(event)
    if not lines:
        raise InputError(f"{path}: holds no whole first line, so no answer was saved yet; remove it and start again")
    notes, size = [], len(data)
    if is_torn:
        size -= len(rest)
        notes.append(
            f"{path}: line {len(lines) + 1} was torn when its process ended, and is dropped; nothing in it was"
            " acknowledged"
        )
    return Content(lines, notes, digest, size, lacks_newline)


def _checked(path: Path, number: int, raw: bytes, last_digest: str) -> tuple[dict[str, Any], str]:
    """Return the event of a line, and its digest; refuse a line whose digest does not follow ``last_digest``."""
    event = _parsed(raw)
    digest = event.pop("digest", None) if isinstance(event, dict) else None
    text, expected = line_of(event, last_digest) if digest else ("", "")
    if digest == expected and text.encode() == raw:
        return event, expected
    is_first = number == 1
    if raw.startswith(codecs.BOM_UTF8):
        problem = "starts with a byte order mark, as some editors write it; save the file as UTF-8 without one"
    elif raw.endswith(b"\r"):
        problem = (
            "ends with CR LF, as Git (core.autocrlf) or an editor writes lines; end all lines with LF, as dos2unix does"
        )
    elif is_first and digest is None:
        problem = "is not the first line of a session's log"
    elif not raw.strip():
        problem = "is blank; remove it"
    else:
        problem = "was changed, or does not follow the line before; restore the file from a backup"
        if not is_first:
            problem += f", or keep the first {number - 1} lines, which are intact"
    raise InputError(f"{path}: line {number} {problem}")


def line_of(event: Mapping[str, Any], last_digest: str) -> tuple[str, str]:
    """Return the line of an event without its end, and its digest, which continues the digest of the line before."""
    text = json.dumps(event, ensure_ascii=False)
    digest = hashlib.sha256((last_digest + text).encode()).hexdigest()[:16]
    return json.dumps({**event, "digest": digest}, ensure_ascii=False), digest


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode())
    except (ValueError, RecursionError):
        return None


def check_is_file(path: Path) -> None:
    """Raise an `InputError` if a log is missing, or is no file."""
    if not path.is_file():
        problem = "is not a file" if path.exists() else "there is no such log"
        raise InputError(f"{path}: {problem}")
