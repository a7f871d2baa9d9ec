"""Hostile inputs by the thousand: each kind draws one from a random generator and sees what becomes of it.

An input is answered with a value or with a `DuelbenchError`, whose message can be printed; any other exception is a
fault, and so is an answer that takes long. The tests draw some of each kind, the long target draws for minutes.
"""

import contextlib
import io
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from duelbench.errors import DuelbenchError
from duelbench.experiments.execution.plan import make_plan
from duelbench.experiments.results.store import read_key, read_run
from duelbench.experiments.spec.load import load

SLOW_SECONDS = 10.0

MATRIX = "a, b, c\n0.5, 0.6, 0.7\n0.4, 0.5, 0.8\n0.3, 0.2, 0.5\n"
SPECS = [
    "matrix: good.csv\nhorizon: 1e4\nalgorithms: [rucb, random]\n",
    "name: a\nproblems: {x: good.csv, y: good.csv}\nhorizon: 500\nruns: 1e2\nseed: 3\nshuffle_arms: no\n"
    "regret: [copeland, strong]\ncheckpoints: [1, 10]\nfeedback_batch: 2\nbounds: ecw\n"
    "algorithms:\n  - rucb: {alpha: 0.8, label: x, horizons: [10, 500]}\n  - d-ts\n  - savage-copeland:\n",
]
WORDS = [
    *("*b", "&b ", "<<: ", "!!python/object/apply:os.system ", "!!binary ", "\t", "---\n", "? ", "{", "}", "[", "]"),
    *(": ", "- ", "'", '"', "\\U0011ffff", "no", "010", "1e999999999", "-", "\ufeff", "\r", "\x00", "\x85", "#", "%"),
    *("|\n", "~", "../", "../../x", "/dev/zero", "/", "9" * 400, "horizon", "1e12", "1000000000000", "nan", "inf"),
    *("-1", ".", "CON", "\ud800", "x.py:X", "[" * 500, "{a: " * 200, "0x10", "1:30", "1_000", "rucb", "\n", "  "),
]
KEYS = [
    *("name", "title", "matrix", "problems", "horizon", "runs", "seed", "shuffle_arms", "feedback_batch", "regret"),
    *("checkpoints", "bounds", "algorithms", "alpha", "label", "horizons", "rucb", "family", "n_arms", "source"),
]

Fuzzer = Callable[[random.Random, Path], bool]
"""Draws one input below a folder; says whether it was accepted."""


def answered(question: Callable[[], object]) -> bool:
    """Whether ``question`` is answered with a value, and not with an error that can be shown; nothing else may come."""
    started = time.process_time()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            question()
        return True
    except DuelbenchError as error:
        assert error.exit_code in (2, 4) and "Traceback" not in str(error)
        str(error).encode("utf-8", "backslashreplace")
        return False
    finally:
        assert time.process_time() - started < SLOW_SECONDS


def mutated_text(rng: random.Random, text: str) -> str:
    """The text with pieces cut out, put in or doubled."""
    for _ in range(rng.randint(1, 5)):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice([0, 0, 1, 5, 30]))
        piece = rng.choice([rng.choice(WORDS), text[start:end] * 2, chr(rng.randint(0, 0x2FFF)), ""])
        text = text[:start] + piece + text[end:]
    return text


def mutated_bytes(rng: random.Random, data: bytes) -> bytes:
    """The bytes with bits flipped, cut, doubled, overwritten."""
    content = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(content) + 1)
        kind = rng.randrange(5)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del content[at : at + rng.randint(1, 60)]
        elif kind == 2:
            content[at:at] = rng.randbytes(rng.randint(1, 20))
        elif kind == 3:
            content[at : at + 8] = rng.choice([b"\xff" * 8, b"\0" * 8, (2**62).to_bytes(8, "little")])
        else:
            content[at:at] = content[max(0, at - 40) : at]
    return bytes(content)


def random_tree(rng: random.Random, depth: int = 4) -> object:
    """Something that YAML and JSON can hold."""
    kind = rng.randrange(8 if depth else 5)
    if kind == 0:
        return rng.choice([None, True, False, 0, -1, 1, 2**70, 10**12, 0.5, float("nan"), float("inf")])
    if kind == 1:
        return rng.choice([*KEYS, "good.csv", "../good.csv", "", "copeland", "rucb", "1e6", "x" * 300, "\x1b[2J"])
    if kind < 5:
        return rng.randint(-5, 5)
    if kind < 7:
        return {rng.choice(KEYS): random_tree(rng, depth - 1) for _ in range(rng.randint(0, 4))}
    return [random_tree(rng, depth - 1) for _ in range(rng.randint(0, 4))]


def _spec(folder: Path, content: bytes) -> bool:
    (folder / "good.csv").write_text(MATRIX)
    path = folder / "spec.yaml"
    path.write_bytes(content)
    return answered(lambda: make_plan(load(path), folder / "nowhere"))


def mutated_spec(rng: random.Random, folder: Path) -> bool:
    """A valid spec with mistakes in its text, or arbitrary bytes."""
    text = mutated_text(rng, rng.choice(SPECS)).encode("utf-8", "surrogatepass")
    return _spec(folder, text if rng.random() < 0.8 else rng.randbytes(rng.randint(0, 300)))


def tree_as_spec(rng: random.Random, folder: Path) -> bool:
    """A valid spec, one of whose values is a random tree, or nothing but random trees."""
    content = yaml.safe_load(rng.choice(SPECS)) if rng.random() < 0.8 else {}
    for _ in range(rng.randint(1, 3)):
        content[rng.choice(KEYS)] = random_tree(rng)
    return _spec(folder, yaml.safe_dump(content, allow_unicode=True).encode("utf-8", "surrogatepass"))


def mutated_result(rng: random.Random, folder: Path) -> bool:
    """A result with damage: never read, unless nothing was changed."""
    original = next(iter(sorted((folder / "whole").rglob("run-*.npz"))))
    data = original.read_bytes()
    changed = mutated_bytes(rng, data)
    path = folder / "damaged.npz"
    path.write_bytes(changed)
    for read in (read_key, read_run):
        is_read = answered(lambda read=read: read(path))
        assert is_read == (changed == data), "a damaged result was read"
    return changed == data


def mutated_manifest(rng: random.Random, folder: Path) -> bool:
    """A manifest that was edited."""
    from duelbench.cli.plot import plot
    from duelbench.cli.report import report
    from duelbench.cli.status import status

    copy = folder / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder / "whole", copy)
    path = copy / "manifest.json"
    path.write_text(mutated_text(rng, path.read_text()), errors="surrogatepass")
    before = _others(folder, copy)
    options = {"csv": True, "json": False, "markdown": False, "html": None, "allow_partial": True}
    answers = [answered(lambda: status([copy], plug_in=None, json=False)), answered(lambda: report([copy], **options))]
    if rng.random() < 0.1:  # drawing takes a quarter of a second
        answers.append(answered(lambda: plot([copy], allow_partial=True)))
    assert _others(folder, copy) == before, "something was written elsewhere"
    return all(answers)


def _others(folder: Path, copy: Path) -> set[Path]:
    """What lies in a folder outside of ``copy``."""
    return {path for path in folder.rglob("*") if copy not in path.parents}


def whole_results(folder: Path) -> None:
    """What the fuzzers of results need: ``<folder>/whole``, a small experiment."""
    from tests.experiments.execution.experiments import play

    play(folder / "made", horizon=30, runs=2, checkpoints=3, regret=["copeland", "borda"])
    shutil.copytree(folder / "made" / "results" / "demo", folder / "whole")


FUZZERS: dict[str, Fuzzer] = {
    fuzzer.__name__: fuzzer for fuzzer in (mutated_spec, tree_as_spec, mutated_result, mutated_manifest)
}
"""Matrices, whose files Hypothesis makes up, are in tests/bandits/problem/test_matrix_files.py."""
