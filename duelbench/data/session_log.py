"""Reads the log of a live session: its lines, each with a digest, and the wins in them."""

import codecs
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.errors import InputError, reading

ANSWERS = ("answer", "evidence")
"""The events that an undo removes."""


def is_log(path: Path) -> bool:
    """Whether a file starts like the log of a session."""
    beginning = b'{"event": "session"'
    try:
        if not path.is_file():  # reading a pipe would wait
            return False
        with path.open("rb") as file:
            return file.read(len(beginning)) == beginning
    except OSError:
        return False


def read_answers(path: Path) -> tuple[dict[str, Any], list[tuple[int, Mapping[str, Any]]]]:
    """The settings of a session, and its answers that count, each with its line.

    An answer in a session that drops ties does not count if it is a tie.
    """
    (header, *events), _ = read(path)
    drops_ties = header["ties"] == "drop"
    counting = [(line, event) for line, event in corrected(effective(events)) if answers([event])]
    return header, [(line, event) for line, event in counting if event["winner"] is not None or not drops_ties]


def answers(events: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The events that are answers on two different arms."""
    return [event for event in events if event["event"] in ANSWERS and event["first"] != event["second"]]


def wins_of(events: Iterable[Mapping[str, Any]], arms: Sequence[str]) -> np.ndarray:
    """(K, K) counts of the wins in `answers`, ties half each."""
    wins = np.zeros((len(arms), len(arms)))
    for event in events:
        i, j = arms.index(event["first"]), arms.index(event["second"])
        share = 0.5 if event["winner"] is None else float(event["winner"] == event["first"])
        wins[i, j] += share
        wins[j, i] += 1.0 - share
    return wins


def effective(events: Iterable[dict[str, Any]]) -> list[tuple[int, dict[str, Any]]]:
    """The events that no undo has removed, with their lines in the log.

    An undo removes the last answer and everything after it, but no corrections of earlier answers.
    """
    left: list[tuple[int, dict[str, Any]]] = []
    for line, event in enumerate(events, start=2):  # after the header
        if event["event"] == "undo":
            last = max(k for k, (_, earlier) in enumerate(left) if earlier["event"] in ANSWERS)
            n_answers = sum(earlier["event"] in ANSWERS for _, earlier in left[:last])
            corrections = [
                (line_of_it, later)
                for line_of_it, later in left[last:]
                if later["event"] == "correct" and later["answer"] <= n_answers
            ]
            left = [*left[:last], *corrections]
        else:
            left.append((line, event))
    return left


def corrected(events: Iterable[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """The events of `effective` with the winners of the latest corrections, without the corrections themselves.

    Examples
    --------
    >>> answer = {"event": "answer", "first": "tea", "second": "milk", "winner": "tea"}
    >>> (line, event), = corrected([(2, answer), (3, {"event": "correct", "answer": 1, "winner": "milk"})])
    >>> line, event["winner"]
    (2, 'milk')
    """
    kept: list[tuple[int, dict[str, Any]]] = []
    answers: list[int] = []  # the places of answers in ``kept``
    for line, event in events:
        if event["event"] == "correct":
            place = answers[event["answer"] - 1]
            line_of_answer, answer = kept[place]
            kept[place] = line_of_answer, {**answer, "winner": event["winner"]}
        else:
            if event["event"] in ANSWERS:
                answers.append(len(kept))
            kept.append((line, event))
    return kept


def read(path: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Read the events of a log, and notes on it; the log may be in use, and is not changed."""
    check_is_file(path)
    content = content_of(path)
    return content.lines, content.notes


class Content(NamedTuple):
    """The content of a log."""

    lines: list[dict[str, Any]]  # without their digests
    notes: list[str]  # a note if an incomplete line follows
    digest: str  # of the last line
    size: int  # bytes of whole lines
    lacks_newline: bool  # whether only the line end of the last line is missing


def content_of(path: Path) -> Content:
    with reading(path):
        data = path.read_bytes()
    *raws, rest = data.split(b"\n")
    lacks_newline = isinstance(_parsed(rest), dict)  # a part of an object is never an object
    is_torn = bool(rest) and not lacks_newline
    lines: list[dict[str, Any]] = []
    digest = ""
    for raw in [*raws, rest] if lacks_newline else raws:
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


def _checked(path: Path, number: int, raw: bytes, before: str) -> tuple[dict[str, Any], str]:
    """The event of a line, and its digest, given the digest of the line before."""
    event = _parsed(raw)
    digest = event.pop("digest", None) if isinstance(event, dict) else None
    text, expected = line_of(event, before) if digest else ("", "")
    if digest == expected and text.encode() == raw:
        return event, expected
    is_first = number == 1
    if raw.startswith(codecs.BOM_UTF8):
        wrong = "starts with a byte order mark, as some editors write it; save the file as UTF-8 without one"
    elif raw.endswith(b"\r"):
        wrong = (
            "ends with CR LF, as Git (core.autocrlf) or an editor writes lines; end all lines with LF, as dos2unix does"
        )
    elif is_first and digest is None:
        wrong = "is not the first line of a session's log"
    elif not raw.strip():
        wrong = "is blank; remove it"
    else:
        wrong = "was changed, or does not follow the line before; restore the file from a backup"
        if not is_first:
            wrong += f", or keep the first {number - 1} lines, which are intact"
    raise InputError(f"{path}: line {number} {wrong}")


def line_of(event: Mapping[str, Any], before: str) -> tuple[str, str]:
    """A line without its end, and its digest, given that of the line before."""
    text = json.dumps(event, ensure_ascii=False)
    digest = hashlib.sha256((before + text).encode()).hexdigest()[:16]
    return json.dumps({**event, "digest": digest}, ensure_ascii=False), digest


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode())
    except (ValueError, RecursionError):
        return None


def check_is_file(path: Path) -> None:
    if not path.is_file():
        wrong = "is not a file" if path.exists() else "there is no such log"
        raise InputError(f"{path}: {wrong}")
