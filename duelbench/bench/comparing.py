"""Which rows of the benchmark became slower or faster by more than the noise.

Each side has measured a row in three turns or more, each in a process of its own, and a turn counts as its quickest
repetition. A row is called slower when two things hold: all turns of the old side are quicker than all of the new one,
and the ratio of the medians is larger than the resolution. The resolution comes from the same measurements, as A
against A: how far two turns of one side are apart, over all rows; one pair in twenty is farther. It is 2 per cent or
more. Of five turns the quickest and the slowest do not count, of ten two each, and so on. Where both sides are alike,
fewer than one row in a hundred is so called slower or faster.
"""

import itertools
import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from duelbench.bench.table import FORMAT, TOOL, grid, machine, names, per_turn
from duelbench.errors import InputError

LEAST_TURNS = 3
LEAST_RESOLUTION = 0.02
SHARE_WITHIN = 0.95
"""Of the pairs of turns of one side: so many are no farther apart than the resolution."""

SPARE = 5
"""Of so many turns the quickest and the slowest do not count."""

COLUMNS = ("algorithm", "matrix", "K", "T", "old ms/run", "ms/run", "ratio", "from", "to", "")
WIDTHS = (18, 20, 4, 6, 11, 11, 6, 6, 6, 24)


@dataclass(frozen=True)
class Compared:
    """A row that both sides have measured.

    Parameters
    ----------
    old, new : dict
        See `duelbench.bench.table.measured`.
    ratio, low, high : float
        New time in old time: of the medians of the turns, and the least and the most that two turns say, where of
        every `SPARE` turns of a side the quickest and the slowest do not count.
    verdict : str
        ``slower``, ``faster`` or empty.
    """

    old: dict[str, Any]
    new: dict[str, Any]
    ratio: float
    low: float
    high: float
    verdict: str

    @property
    def plays_otherwise(self) -> bool:
        """Whether the sides do not take the same decisions, so that their times are of different games."""
        return bool(self.old["decisions"] != self.new["decisions"])

    def cells(self) -> tuple[str, ...]:
        """Its `COLUMNS` in words."""
        times = f"{1e3 * self.old['seconds_per_run']:.3f}", f"{1e3 * self.new['seconds_per_run']:.3f}"
        said = ", ".join([*([self.verdict] if self.verdict else []), *(["plays otherwise"] * self.plays_otherwise)])
        return (*names(self.new), *times, *(f"{one:.2f}" for one in (self.ratio, self.low, self.high)), said)


def compare(pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]], drift: float = 1.0) -> tuple[list[Compared], float]:
    """Compare (old, new) rows; returns them and the resolution.

    Parameters
    ----------
    pairs : sequence of (dict, dict)
    drift : float
        How many times as long the yardstick took on the new side; the resolution is no finer.

    Examples
    --------
    Three turns of one repetition each; what differs by a tenth within a side tells nothing about a twentieth.

    >>> def row(*seconds):
    ...     return {"runs": 1, "decisions": 9, "seconds": [[one] for one in seconds]}
    >>> (one,), resolution = compare([(row(1.0, 1.1, 1.05), row(2.0, 2.1, 2.2))])
    >>> one.ratio, one.verdict, round(resolution, 2)
    (2.0, 'slower', 0.1)
    """
    found = max(resolution(row for pair in pairs for row in pair), math.exp(abs(math.log(drift))) - 1)
    return [_compared(old, new, found) for old, new in pairs], found


def resolution(rows: Iterable[dict[str, Any]]) -> float:
    """How far two turns of one side are apart, as a share: `SHARE_WITHIN` of all pairs of turns are not farther."""
    apart = sorted(
        abs(math.log(a / b)) for row in rows for a, b in itertools.combinations(per_turn(row), 2) if a > 0 and b > 0
    )
    within = apart[math.ceil(SHARE_WITHIN * len(apart)) - 1] if apart else 0.0
    return max(math.exp(within) - 1, LEAST_RESOLUTION)


def _compared(old: dict[str, Any], new: dict[str, Any], resolution: float) -> Compared:
    before, now = sorted(per_turn(old)), sorted(per_turn(new))
    ratio = statistics.median(now) / statistics.median(before)
    spare, spare_now = len(before) // SPARE, len(now) // SPARE
    low = now[spare_now] / before[-1 - spare]
    high = now[-1 - spare_now] / before[spare]
    verdict = ""
    if low > 1 and ratio > 1 + resolution:
        verdict = "slower"
    if high < 1 and 1 / ratio > 1 + resolution:
        verdict = "faster"
    return Compared(old, new, ratio, low, high, verdict)


def key(row: Mapping[str, Any]) -> str:
    """Rows of two documents are the same where their keys are."""
    parts = ("algorithm", "parameters", "matrix", "matrix_digest", "horizon")
    return json.dumps({name: row[name] for name in parts}, sort_keys=True)


def read(path: Path) -> dict[str, Any]:
    """The document that `duelbench bench` once wrote.

    Raises
    ------
    InputError
        When it is not there, or is another file.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--compare {path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        mend = "; give the .json of --output, not the page" if path.suffix == ".md" else f" ({error})"
        raise InputError(f"--compare {path}: is no JSON{mend}") from None
    if not isinstance(document, dict) or document.get("tool") != TOOL:
        raise InputError(f"--compare {path}: was not written by duelbench bench, or by an early one")
    if document.get("format") != FORMAT:
        raise InputError(f"--compare {path}: has format {document.get('format')!r}, and this duelbench reads {FORMAT}")
    try:
        _check(document)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            f"--compare {path}: is damaged: what duelbench bench writes into each row is missing"
        ) from None
    return document


def _check(document: dict[str, Any]) -> None:
    """Raise any error where the document lacks what a comparison needs."""
    if document["machine"].keys() < machine().keys() or (document["rows"] and not document["yardstick"] > 0):
        raise ValueError
    for row in document["rows"]:
        key(row)
        if not (row["runs"] > 0 and row["decisions"] > 0 and row["seconds_per_run"] > 0 and row["horizon"] > 0):
            raise ValueError
        if not all(one > 0 for one in per_turn(row)):
            raise ValueError


def differences(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """Notes on what differs between two machines beside the code, which the ratios then measure as well.

    Examples
    --------
    >>> differences({"cpu": "a", "numba": "1"}, {"cpu": "b", "numba": "1"})
    ['cpu differs, the ratios are between machines: a, now b']
    """
    notes = []
    for name in ("cpu", "cores", "system", "python", "numba", "numpy"):
        if old.get(name) != new.get(name):
            between = "machines" if name in ("cpu", "cores", "system") else "versions"
            notes.append(f"{name} differs, the ratios are between {between}: {old.get(name)}, now {new.get(name)}")
    return notes


def summary(rows: Sequence[Compared], resolution: float, drift: float) -> list[str]:
    """What a comparison says in the end."""
    if not rows:
        return ["no row was measured on both sides"]
    slower = [row for row in rows if row.verdict == "slower"]
    faster = [row for row in rows if row.verdict == "faster"]
    otherwise = sum(row.plays_otherwise for row in rows)
    middle = statistics.median(row.ratio for row in rows)
    lines = [
        f"{_rows(len(rows))} compared, processor time: {len(slower)} slower, {len(faster)} faster by more than"
        f" {100 * resolution:.1f} per cent, which is what two turns of one side differ by.",
        f"Median of the ratios {middle:.3f}; plain Python took {drift:.3f} times as long.",
    ]
    for word, found in (("slower", slower), ("faster", faster)):
        found = sorted(found, key=lambda row: -abs(math.log(row.ratio)))
        lines += [f"  {word} {row.ratio:.2f}: {_called(row.new)}" for row in found]
    if otherwise:
        lines.append(f"{_rows(otherwise)} took other decisions than before: their times are of different games.")
    return lines


def _called(row: dict[str, Any]) -> str:
    algorithm, matrix, _, horizon = names(row)
    return f"{algorithm} on {matrix} to T = {horizon}"


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"


def as_json(rows: Sequence[Compared], resolution: float, drift: float, missing: Sequence[str]) -> dict[str, Any]:
    """The part of a document that tells of a comparison; the old times are in it, the new ones in the rows beside."""
    return {
        "resolution": resolution,
        "yardstick_ratio": drift,
        "missing": list(missing),
        "rows": [
            {
                **{name: row.new[name] for name in ("algorithm", "parameters", "matrix", "matrix_digest", "horizon")},
                "ratio": row.ratio,
                "low": row.low,
                "high": row.high,
                "verdict": row.verdict,
                "plays_otherwise": row.plays_otherwise,
                "old_seconds": row.old["seconds"],
            }
            for row in rows
        ],
    }


def markdown(rows: Sequence[Compared], notes: Sequence[str], summary: Sequence[str]) -> str:
    """The comparison as a page."""
    said = [f"- {note}" for note in notes]
    lines = ["# Compared speed", "", *summary[:2], "", *said, *([""] if said else [])]
    return "\n".join(lines + grid(COLUMNS, (row.cells() for row in rows))) + "\n"
