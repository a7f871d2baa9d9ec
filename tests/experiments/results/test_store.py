"""Promise 8: damage is noticed and named, never read as a result. Promise 11: newer results are refused politely."""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.simulation.simulate import simulate
from duelbench.bandits.simulation.terms import Identity, Settings, Terms
from duelbench.bandits.simulation.trace import Trace
from duelbench.experiments.results import store
from duelbench.experiments.results.store import DamagedResult, NewerResult, read_key, read_run
from tests.experiments.results.writing import write_run
from tests.selection import times

MATRIX = PreferenceMatrix([[0.5, 0.7, 0.4], [0.3, 0.5, 0.9], [0.6, 0.1, 0.5]])
CHECKPOINTS = (1, 10, 60)


def small_trace(run: int = 0) -> Trace:
    return simulate(
        "random", MATRIX, horizon=60, seed=3, run=run, regret=("copeland", "borda"), checkpoints=CHECKPOINTS
    )


@pytest.fixture(scope="module")
def identity() -> Identity:
    terms = Terms(
        problem=MATRIX,
        algorithm="random",
        parameters={},
        horizon=60,
        checkpoints=CHECKPOINTS,
        regret=("copeland", "borda"),
        seed=3,
        settings=Settings(shuffle_arms=False),
    )
    return terms.identity


@pytest.fixture
def path(tmp_path: Path, identity: Identity) -> Path:
    path = tmp_path / "run-00000.npz"
    write_run(path, small_trace(), identity, 0)
    return path


def test_a_result_is_an_npz_file_with_the_documented_arrays(path):
    trace = small_trace()
    with np.load(path, allow_pickle=False) as file:
        assert set(file.files) == {"round", "regret", "duels", "recommended", "decisions", "meta"}
        assert file["round"].dtype == np.int64 and file["round"].tolist() == [1, 10, 60]
        assert file["regret"].dtype == np.float64 and np.array_equal(file["regret"], trace.regret)
        assert file["regret"].shape == (2, 3)
        assert file["duels"].dtype == np.int64 and np.array_equal(file["duels"], trace.duels)
        assert file["recommended"].dtype == np.int64 and np.array_equal(file["recommended"], trace.recommended)
        assert file["decisions"].dtype == np.int64 and file["decisions"].shape == ()
        assert file["decisions"] == 11  # one by one to 10
        meta = json.loads(str(file["meta"]))
    assert meta["format"] == 1 and meta["run"] == 0
    assert meta["identity"]["matrix"] == MATRIX.sha256
    assert {"python", "numpy", "numba", "scipy", "duelbench", "cpu"} <= set(meta["environment"])


def test_what_is_written_is_read(path, identity):
    trace, result = small_trace(), read_run(path, identity, 0)
    assert (result.identity, result.run) == (identity, 0)
    for name in ("rounds", "regret", "duels", "recommended"):
        assert np.array_equal(getattr(result.trace, name), getattr(trace, name))
    assert result.trace.decisions == trace.decisions and result.trace.definitions == trace.definitions
    assert read_key(path) == identity.key(0)


def test_the_same_run_gives_the_same_bytes_in_another_process_at_another_time(path, tmp_path):
    code = (
        "import sys; from pathlib import Path; from tests.experiments.results import test_store as t;"
        "from duelbench.experiments.results.store import read_run;"
        "from tests.experiments.results.writing import write_run;"
        "old = read_run(Path(sys.argv[1]));"
        "write_run(Path(sys.argv[2]), t.small_trace(), old.identity, 0)"
    )
    again = tmp_path / "again.npz"
    environment = {**os.environ, "PYTHONHASHSEED": "5", "TZ": "Asia/Tokyo"}
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code, str(path), str(again)], env=environment, cwd=root, check=True)
    assert again.read_bytes() == path.read_bytes()


def test_a_flipped_bit_anywhere_is_noticed(path):
    """One in 81; `make test-long` flips all of them."""
    whole = path.read_bytes()
    for bit in range(0, 8 * len(whole), max(1, 81 // times(1))):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with pytest.raises(DamagedResult):
            read_key(path)  # looks at the seal, then reads everything, as read_run does


def test_a_file_cut_short_anywhere_is_noticed(path):
    """Or one with something behind it."""
    whole = path.read_bytes()
    path.write_bytes(whole + b"\0")
    with pytest.raises(DamagedResult):
        read_run(path)
    for length in (*range(0, len(whole), max(1, 13 // times(1))), len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(DamagedResult):
            read_key(path)


def another_tools(path: Path) -> None:
    np.savez(path, round=np.arange(3), regret=np.zeros((1, 3)))


def pickled(path: Path) -> None:
    np.savez(path, meta=np.array([{"format": 1}], dtype=object))


def huge(path: Path) -> None:
    path.touch()
    os.truncate(path, store.MAX_BYTES + 1)  # sparse: takes no space


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.write_bytes(b""), "not a zip file"),
        (lambda path: path.write_bytes(bytes(3000)), "not a zip file"),
        (lambda path: path.write_text("round,regret\n1,0.5\n"), "not a zip file"),
        (Path.mkdir, "not a file but a folder"),
        (lambda path: path.symlink_to("nowhere"), "a link to nothing"),
        (lambda path: path.symlink_to(path.name), "cannot be read"),
        (os.mkfifo, "not a file"),
        (lambda path: None, "no such file"),
        (another_tools, "not a result of duelbench"),
        (pickled, "Object arrays"),
        (huge, "bytes, too many"),
    ],
)
def test_what_is_not_a_result_is_named(path: Path, make: Callable[[Path], None], reason: str):
    path.unlink()
    make(path)
    with pytest.raises(DamagedResult, match=reason) as caught:
        read_run(path)
    assert caught.value.path == path and caught.value.exit_code == 4
    with pytest.raises(DamagedResult, match=reason):
        read_key(path)


def rewrite(path: Path, **changes: np.ndarray) -> None:
    """The same file from another hand: a valid archive with other members and no seal."""
    with np.load(path) as file:
        arrays = {**{name: file[name] for name in file.files}, **changes}
    np.savez(path, **arrays)


def test_the_same_file_from_another_hand_is_noticed(path):
    rewrite(path)
    with pytest.raises(DamagedResult, match="does not fit the SHA-256"):
        read_run(path)


def test_a_newer_format_is_refused_politely(path):
    meta = {"format": 2, "identity": "something that only version 2 understands"}
    rewrite(path, meta=np.array(json.dumps(meta)))
    with pytest.raises(NewerResult, match=r"written by a newer duelbench .* upgrade duelbench") as caught:
        read_run(path)
    assert caught.value.exit_code == 2
    with pytest.raises(NewerResult):
        read_key(path)


def test_swapped_names_are_noticed(tmp_path, identity):
    first, second = tmp_path / "run-00000.npz", tmp_path / "run-00001.npz"
    write_run(second, small_trace(0), identity, 0)
    write_run(first, small_trace(1), identity, 1)
    with pytest.raises(DamagedResult, match="holds run 1"):
        read_run(first, identity, 0)
    assert read_key(second) == identity.key(0) != identity.key(1)
    with pytest.raises(DamagedResult, match="another experiment"):
        read_run(second, dataclasses.replace(identity, seed=4), 0)


IMPOSSIBLE = [
    ("regret", np.full((2, 3), np.nan)),
    ("regret", np.zeros((1, 3))),
    ("rounds", np.array([1, 11, 60])),
    ("duels", np.zeros((3, 3), np.int64)),
    ("duels", np.array([[61, -1, 0], [0, 0, 0], [0, 0, 0]])),
    ("recommended", np.array([0, 3, 0])),
    ("answer", 3),
]


@pytest.mark.parametrize(("name", "value"), IMPOSSIBLE)
def test_a_trace_that_cannot_be_is_not_written(tmp_path, identity, name, value):
    with pytest.raises(ValueError, match="cannot be one of its cell"):
        write_run(tmp_path / "run.npz", dataclasses.replace(small_trace(), **{name: value}), identity, 0)
    assert list(tmp_path.iterdir()) == []
