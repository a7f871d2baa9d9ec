"""The long target: faults by the hundred and inputs by the hundred thousand, and a table of what became of them.

``python -m tests.faults.long`` takes about a quarter of an hour; ``--scale 0.1`` a tenth of the counts. It stops with a
traceback at the first promise that is broken. docs/reliability.md shows what it printed.
"""

import argparse
import contextlib
import os
import random
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import DuelbenchError
from duelbench.results import atomic
from duelbench.results.manifest import open_results
from duelbench.results.status import status_of
from duelbench.results.store import DamagedResult, read_key, read_run
from tests.execution.experiments import files, play
from tests.faults.fuzzing import FUZZERS, whole_results
from tests.faults.killing import LONG_WORK, kill_and_go_on, play_uninterrupted
from tests.results.test_atomic import kill_a_writer

Figures = list[tuple[str, str]]
"""What was done, and what came of it."""

SMALL = {"horizon": 30, "runs": 5, "checkpoints": 3, "algorithms": ["rucb", "random"]}


def kills(folder: Path, scale: float) -> Figures:
    """Experiments that are killed, by three signals, with and without workers, and started again."""
    expected = play_uninterrupted(folder / "whole", LONG_WORK)
    tally = kill_and_go_on(folder / "killed", LONG_WORK, expected, round(400 * scale), random.Random(1))
    by_signal = ", ".join(f"{count} {name}" for name, count in sorted(tally.kills.items()))
    size = sum(map(len, expected.values()))
    return [
        (f"kills at random instants ({by_signal}), survived", f"{sum(tally.kills.values()):,}"),
        ("experiments that went on to their end, with the bytes of an uninterrupted one", f"{tally.completions:,}"),
        (
            f"bytes lost of finished runs ({len(expected)} files, {size:,} bytes at risk each time)",
            f"{tally.bytes_lost}",
        ),
    ]


def killed_writers(folder: Path, scale: float) -> Figures:
    """A process that does nothing but write files, killed while it writes: every final name is whole."""
    rng = random.Random(2)
    seen = sum(kill_a_writer(folder, rng.uniform(0.0, 0.05)) for _ in range(round(200 * scale)))
    atomic.sweep(folder)
    assert not list(folder.glob(".tmp-*"))
    return [(f"kills of a process in the middle of writing files ({seen:,} files looked at), torn files", "0")]


def bits(folder: Path, scale: float) -> Figures:
    """Every bit of a result flipped, every length cut; every bit of a manifest."""
    play(folder, **{**SMALL, "runs": 1})
    top = folder / "results" / "demo"
    path = top / "rucb" / "run-00000.npz"
    whole = path.read_bytes()
    n_bits = round(8 * len(whole) * min(scale, 1))
    for bit in range(n_bits):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        _assert_damaged(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        _assert_damaged(path)
    manifest = (top / "manifest.json").read_bytes()
    expected = open_results(top).content
    n_manifest = round(8 * len(manifest) * min(scale, 1))
    for bit in range(n_manifest):
        flipped = bytearray(manifest)
        flipped[bit // 8] ^= 1 << bit % 8
        (top / "manifest.json").write_bytes(flipped)
        with contextlib.suppress(DuelbenchError):
            assert open_results(top).content == expected
    return [
        (f"bits of a result flipped, one at a time (all {8 * len(whole):,}), unnoticed", f"0 of {n_bits:,}"),
        (f"lengths that a result was cut to (all {len(whole):,}), unnoticed", "0"),
        ("bits of a manifest flipped; unnoticed and of another meaning", f"0 of {n_manifest:,}"),
    ]


def _assert_damaged(path: Path) -> None:
    for read in (read_key, read_run):
        with pytest.raises(DamagedResult):
            read(path)


def repairs(folder: Path, scale: float) -> Figures:
    """Random damage to results folders: status tells, the next run mends exactly that, to the same bytes."""
    play(folder, **SMALL)
    top = folder / "results" / "demo"
    whole = files(folder)
    rng, damaged = random.Random(3), 0
    for _ in range(round(400 * scale)):
        victims = rng.sample(sorted(whole), rng.randint(1, 4))
        for name in victims:
            _damage(rng, top / name, top / rng.choice(sorted(whole)))
        damaged += sum(not (top / name).is_file() or (top / name).read_bytes() != whole[name] for name in whole)
        is_whole = all((top / name).is_file() and (top / name).read_bytes() == whole[name] for name in whole)
        assert status_of(open_results(top)).is_complete == is_whole
        play(folder, **SMALL)
        assert files(folder, "rucb", "random") == whole
        shutil.rmtree(top / "damaged", ignore_errors=True)
    return [("results damaged, removed or exchanged, all told by status and mended to the same bytes", f"{damaged:,}")]


def _damage(rng: random.Random, path: Path, other: Path) -> None:
    kind = rng.randrange(7)
    content = path.read_bytes() if path.is_file() else b""
    if kind == 0 and other.is_file() and path.is_file():  # exchange the two
        path.write_bytes(other.read_bytes())
        other.write_bytes(content)
        return
    if os.path.lexists(path):
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    if kind == 1:
        path.mkdir()
    elif kind == 2:
        path.symlink_to("nowhere")
    elif kind == 3:
        path.write_bytes(content[: rng.randrange(len(content) + 1)])
    elif kind == 4:
        path.write_bytes(bytes(len(content)))
    elif kind == 5:
        np.savez(path, round=np.arange(3))
    # kind 6: it is gone


def inputs(folder: Path, scale: float) -> Figures:
    """Hostile inputs of every kind."""
    whole_results(folder)
    figures = []
    for kind, fuzzer in FUZZERS.items():
        end, count, accepted = time.monotonic() + 30 * scale, 0, 0
        while time.monotonic() < end:
            seed = f"long {kind} {count}"
            try:
                accepted += fuzzer(random.Random(seed), folder)
            except Exception as error:
                raise AssertionError(f"{seed}: {type(error).__name__}: {error}") from error
            count += 1
        what = (fuzzer.__doc__ or kind).partition("\n")[0].partition(":")[0].rstrip(".")
        figures.append(
            (f"inputs tried: {what[0].lower()}{what[1:]}; tracebacks", f"0 of {count:,} ({accepted:,} valid)")
        )
    return figures


def first_words(folder: Path, scale: float) -> Figures:
    """The first words of a million streams."""
    from duelbench.simulation.streams import streams

    n_runs = round(10**6 * scale / 3) + 1
    words = [stream.bit_generator.random_raw() for run in range(n_runs) for stream in streams(20161205, run)]
    distinct = len(np.unique(np.array(words, np.uint64)))
    assert distinct == len(words)
    return [("random streams whose first words were compared; equal ones", f"0 of {len(words):,}")]


PARTS: dict[str, Callable[[Path, float], Figures]] = {
    part.__name__: part for part in (kills, killed_writers, bits, repairs, inputs, first_words)
}


def main() -> None:
    """Run all parts, or those that are named, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; by default all")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies all counts and times")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    figures: Figures = []
    for name in options.parts or PARTS:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="duelbench-long-") as folder:
            figures += PARTS[name](Path(folder), options.scale)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    print("| what was done | figure |\n|---|---|")
    for what, figure in figures:
        print(f"| {what} | {figure} |")


if __name__ == "__main__":
    main()
