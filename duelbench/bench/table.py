"""What `duelbench bench` says of what it measured: rows of numbers, a page, a document for later comparisons."""

import math
import statistics
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from duelbench.bench.measuring import HERE, Session
from duelbench.bench.suite import Row, horizon_in_words, on_record

TOOL, FORMAT = "duelbench bench", 1


def per_turn(row: dict[str, Any]) -> list[float]:
    """Processor seconds of a run by turn: of the quickest repetition.

    Examples
    --------
    >>> per_turn({"runs": 10, "seconds": [[0.5, 0.25], [0.75]]})
    [0.025, 0.075]
    """
    return [min(times) / row["runs"] for times in row["seconds"]]


def measured(session: Session, k: int, side: int = 0) -> dict[str, Any] | None:
    """What is known of a row on a side; None where nothing was measured.

    Returns
    -------
    dict
        ``algorithm``, ``parameters`` (those that are not at their defaults, to be like the published program),
        ``matrix``, ``matrix_digest``, ``matrix_path``, ``n_arms``, ``horizon``; ``runs`` (so many make a repetition,
        the same in each), ``seconds`` (of the processor, of each repetition, by turn), ``decisions`` (per run);
        ``seconds_per_run``, the median over the turns of the quickest repetition, ``ns_per_round`` and
        ``ns_per_decision`` made of it; and, None unless this row is on record for a published program, ``program``,
        ``published_ns_per_round`` and ``ratio``, how many times our time its time is.
    """
    timing, row = session.timings[side][k], session.rows[k]
    if timing.missing or not timing.seconds:
        return None
    runs = session.runs[k]
    seconds = statistics.median(per_turn({"runs": runs, "seconds": timing.seconds}))
    ns_per_round = 1e9 * seconds / row.horizon
    program, published_ns = on_record(row) or (None, None)
    return {
        **identity(row),
        "matrix_path": row.problem.path,
        "n_arms": row.problem.matrix.n_arms,
        "runs": runs,
        "seconds": timing.seconds,
        "decisions": timing.decisions / runs,
        "seconds_per_run": seconds,
        "ns_per_round": ns_per_round,
        "ns_per_decision": 1e9 * seconds * runs / timing.decisions,
        "program": program,
        "published_ns_per_round": published_ns,
        "ratio": None if published_ns is None else published_ns / ns_per_round,
    }


def identity(row: Row) -> dict[str, Any]:
    """What makes two rows of two documents the same one."""
    return {
        "algorithm": row.algorithm,
        "parameters": dict(row.parameters),
        "matrix": row.problem.name,
        "matrix_digest": row.problem.digest,
        "horizon": row.horizon,
    }


def document(session: Session, suite: str | None, side: int = 0) -> dict[str, Any]:
    """What was measured for a side, with all that a later comparison needs."""
    rows = [measured(session, k, side) for k in range(len(session.rows))]
    return {
        "tool": TOOL,
        "format": FORMAT,
        "suite": suite,
        "machine": machine(session.hellos[side]),
        "yardstick": statistics.median(session.yardsticks[side] or [0.0]),
        "rows": [row for row in rows if row is not None],
    }


def machine(hello: dict[str, Any] | None = None) -> dict[str, str]:
    """What rows were measured on, and when; ``hello`` is what a player says of its duelbench, by default this one's."""
    import os

    from duelbench.results.environment import environment

    here = environment()
    known = {**here, **(hello or {})}
    return {
        "cpu": here["cpu"],
        "cores": str(os.cpu_count()),
        "system": f"{here['system']} {here['machine']}",
        **{name: known[name] for name in ("duelbench", "python", "numba", "numpy")},
        "commit": commit(Path(known.get("folder", HERE))),
        "date": time.strftime("%Y-%m-%d"),
    }


def commit(folder: Path) -> str:
    """The commit of a checkout, with ``-dirty`` where files differ from it; empty where there is none."""
    if not (folder / ".git").exists():
        return ""
    asked = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


COLUMNS = ("algorithm", "matrix", "K", "T", "ms/run", "decisions", "ns/round", "ns/decision", "C++ ns/round", "ratio")
WIDTHS = (18, 20, 4, 6, 11, 10, 10, 12, 13, 8)


def names(row: dict[str, Any]) -> tuple[str, ...]:
    """A row's first four `COLUMNS` in words."""
    return (
        " ".join([row["algorithm"], *(f"{name}={value}" for name, value in row["parameters"].items())]),
        row["matrix"],
        str(row["n_arms"]),
        horizon_in_words(row["horizon"]),
    )


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A row's `COLUMNS` in words."""
    known = row["published_ns_per_round"]
    return (
        *names(row),
        f"{1e3 * row['seconds_per_run']:.3f}",
        f"{row['decisions']:.0f}",
        f"{row['ns_per_round']:.2f}",
        f"{row['ns_per_decision']:.0f}",
        "" if known is None else f"{known:g}",
        "" if known is None else f"{_two_digits(row['ratio'])}",
    )


def _two_digits(ratio: float) -> str:
    """A ratio as far as it can be trusted.

    Examples
    --------
    >>> _two_digits(3.14159), _two_digits(12345.6), _two_digits(0.987)
    ('3.1', '12000', '0.99')
    """
    digits = 1 - math.floor(math.log10(ratio))
    return f"{round(ratio, digits):.{max(digits, 0)}f}"


def line(words: Sequence[str], widths: Sequence[int] = WIDTHS) -> str:
    """A line of the table on the terminal: two columns to the left, the others to the right."""
    left = [f"{word:<{width}}" for word, width in zip(words[:2], widths[:2], strict=True)]
    return " ".join(left + [f"{word:>{width}}" for word, width in zip(words[2:], widths[2:], strict=True)]).rstrip()


def markdown(document: dict[str, Any]) -> str:
    """The table as a page, with the machine and what the ratios mean."""
    lines = [
        "# Measured speed",
        "",
        "One core, processor time, all that a run does included: start, bookkeeping at 200 checkpoints, trace. A"
        " decision is a choice that stands for one round or more.",
        "",
        *(f"- {name}: {value}" for name, value in document["machine"].items() if value),
        "",
        *(
            []
            if document.get("complete", True)
            else ["**Interrupted**: rows are missing, and turns of those below.", ""]
        ),
        "C++ ns/round: the original authors' C++ programs, measured once with g++ 12 -O3 -march=native, their"
        " bookkeeping left out. Ratio: how many times our time theirs is. On another machine it is indicative only.",
        "",
        *grid(COLUMNS, (cells(row) for row in document["rows"])),
    ]
    return "\n".join(lines) + "\n"


def grid(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table in a page."""
    head = ["| " + " | ".join(columns) + " |", "|---|---|" + "---:|" * (len(columns) - 2)]
    return head + ["| " + " | ".join(row) + " |" for row in rows]
