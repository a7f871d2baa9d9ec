"""Reads the log of a live session: its lines, each with a digest, and the wins in them."""

import codecs
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from duelbench.data.counts import PairCounts
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


def read_wins(path: Path) -> PairCounts:
    """Read the wins of a session and of its earlier duels; ties count half, or not at all if the session drops them."""
    (header, *events), _ = read(path)
    arms, drops_ties = header["arms"], header["ties"] == "drop"
    answered = answers(corrected(effective(events)))
    answered = [event for event in answered if event["winner"] is not None or not drops_ties]
    wins = np.array(header["warm"]) + wins_of(answered, arms)
    ties = "are left out, as in the session" if drops_ties else "count 1/2 for each side"
    return PairCounts(wins, tuple(arms), str(path), (f"answers of a live session and its earlier duels; ties {ties}",))


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


def corrected(events: Iterable[tuple[int, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The events of `effective` with the winners of the latest corrections, without the corrections themselves.

    Examples
    --------
    >>> answer = {"event": "answer", "first": "tea", "second": "milk", "winner": "tea"}
    >>> corrected([(2, answer), (3, {"event": "correct", "answer": 1, "winner": "milk"})])[0]["winner"]
    'milk'
    """
    kept: list[dict[str, Any]] = []
    answers: list[int] = []  # the places of answers in ``kept``
    for _, event in events:
        if event["event"] == "correct":
            place = answers[event["answer"] - 1]
            kept[place] = {**kept[place], "winner": event["winner"]}
        else:
            if event["event"] in ANSWERS:
                answers.append(len(kept))
            kept.append(event)
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
