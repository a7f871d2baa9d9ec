"""Nobody gets in: no code, no way out of the results folder, no memory, whatever specs, names and results say."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from duelbench.algorithms import registry
from duelbench.errors import DuelbenchError, IncompleteResults, InputError
from duelbench.execution.plan import make_plan, prepare
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.results import atomic
from duelbench.results.cells import cells
from duelbench.results.manifest import _digest, open_results
from duelbench.results.store import DamagedResult, read_run
from duelbench.simulation import trial
from duelbench.spec.load import load
from tests.execution.experiments import duelbench, files, plan_of, play, spec_of, write_spec
from tests.selection import quick

PLUG_IN = """
import pathlib
pathlib.Path(__file__).with_name("was-run").touch()
from typing import NamedTuple
from duelbench.algorithms.contract import Algorithm, Parameter
from duelbench.kernels.decorators import kernel
from duelbench.algorithms.rucb import RUCB


class State(NamedTuple):
    second: int


@kernel
def select(state, t, rng):
    return 0, state.second, 1


@kernel
def update(state, first, second, first_wins, second_wins):
    pass


@kernel
def recommend(state):
    return 0


MINE = Algorithm(
    id="mine", name="Mine", assumes="nothing", anytime=True, parameters={"second": Parameter(1, "an arm", low=0)},
    reference="", state=State, start=lambda n_arms, horizon, rng, standing, second: State(second),
    select=select, update=update, recommend=recommend,
)
"""


# --- code ---


@pytest.mark.parametrize(
    "algorithm",
    ["./mine.py", "mine.py:MINE", "mine", "os:system", {"mine.py": {}}, {"rucb": {"plug_in": "mine.py"}}],
)
def test_a_spec_brings_no_code_in(tmp_path, algorithm):
    path = write_spec(tmp_path, algorithms=[algorithm])
    (tmp_path / "mine.py").write_text(PLUG_IN)
    with pytest.raises(InputError):
        load(path)
    for key in ("plug_in", "plug-in", "plug_ins", "import"):
        with pytest.raises(InputError, match="unknown key"):
            load(write_spec(tmp_path, **{key: "mine.py"}))
    assert not (tmp_path / "was-run").exists()


@pytest.mark.thorough
def test_a_file_named_on_the_command_line_is_loaded_and_played_by_all_workers(tmp_path):
    (tmp_path / "mine.py").write_text(PLUG_IN)
    write_spec(tmp_path, algorithms=["mine", "random"])
    done = duelbench("run", "demo.yaml", "-j", 2, cwd=tmp_path)
    assert done.returncode == 2 and "'mine' is not an algorithm" in done.stderr
    done = duelbench("run", "demo.yaml", "-j", 2, "--plug-in", "mine.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(files(tmp_path, "mine")) == 4
    assert duelbench("status", "demo.yaml", "--plug-in", "mine.py", cwd=tmp_path).returncode == 0
    assert duelbench("status", "results", cwd=tmp_path).returncode == 0  # results explain themselves
    play(tmp_path / "alone", algorithms=["random"])
    assert files(tmp_path, "random") == files(tmp_path / "alone", "random")


@pytest.mark.thorough
def test_an_edited_plug_in_does_not_run_its_old_code_and_leaves_no_trace_in_ours(tmp_path):
    """Its compiled code is kept under a digest of its sources, apart from the code of the built-in algorithms."""
    write_spec(tmp_path, algorithms=["mine"], runs=1)
    played = []
    for second in ("state.second", "0"):
        (tmp_path / "mine.py").write_text(PLUG_IN.replace("return 0, state.second, 1", f"return 0, {second}, 1"))
        shutil.rmtree(tmp_path / "results", ignore_errors=True)
        done = duelbench("run", "demo.yaml", "--plug-in", "mine.py", cwd=tmp_path, **{trial.VARIABLE: "over"})
        assert done.returncode == 0, done.stderr
        played.append(open_results(tmp_path / "results" / "demo").cells[0].read(0).trace.duels.tolist()[0])
    assert played == [[0, 300, 0, 0], [300, 0, 0, 0]]
    (tmp_path / "mine.py").unlink()
    write_spec(tmp_path, name="ours", algorithms=["random"])
    done = duelbench("run", "demo.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "there is no such file"),
        ("raise SystemExit", "cannot be loaded: SystemExit"),
        ("1 +", "cannot be loaded: invalid syntax"),
        ("", "holds no duelbench Algorithm"),
        ("from duelbench.algorithms.rucb import RUCB", "holds no duelbench Algorithm"),
        (PLUG_IN.replace('id="mine"', 'id="rucb"'), "another algorithm with the id 'rucb'"),
    ],
)
def test_a_plug_in_that_is_none_is_refused(tmp_path, content, reason):
    if content is not None:
        (tmp_path / "mine.py").write_text(content)
    before = registry.ids()
    with pytest.raises(InputError, match=reason):
        registry.load_plug_in(str(tmp_path / "mine.py"))
    assert registry.ids() == before


def test_pickles_are_never_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "was-run"),)

    bomb = np.array([Bomb()], dtype=object)
    np.save(tmp_path / "bomb.npy", bomb, allow_pickle=True)
    np.savez(tmp_path / "bomb.npz", meta=bomb, P=bomb)
    for name in ("bomb.npy", "bomb.npz"):
        with pytest.raises(InputError):
            PreferenceMatrix.load(tmp_path / name)
    with pytest.raises(DamagedResult):
        read_run(tmp_path / "bomb.npz")
    assert not (tmp_path / "was-run").exists()


# --- ways out ---


@pytest.mark.parametrize(
    "label", ["../../x", "/etc/x", "..", ".", "C:\\x", "CON", "a/b", "~", "\u202e/..", "x" * 200, "-"]
)
def test_a_label_stays_inside_the_results_folder(tmp_path, label):
    plan = plan_of(tmp_path / "here", algorithms=[{"random": {"label": label}}], runs=1)
    play(tmp_path / "here", algorithms=[{"random": {"label": label}}], runs=1)
    (found,) = (path for path in tmp_path.rglob("*.npz"))
    assert found.parent.parent == plan.folder
    assert open_results(plan.folder).cells[0].label == label


@pytest.mark.parametrize(
    "name", ["../x", "/x", "..", ".", "a/b", "CON", "nul.txt", "damaged", "x" * 81, "a b", "é", ""]
)
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path, name):
    for changes in ({"name": name}, {"matrix": None, "problems": {name: "cyclic.csv"}}):
        with pytest.raises(InputError):
            spec_of(tmp_path, **changes)


@pytest.mark.parametrize(
    "labels", [("Straße", "STRASSE"), ("RUCB", "rucb"), ("ﬁ", "fi"), ("é", "e\u0301"), ("a b", "a_b")]
)
def test_labels_that_some_file_systems_take_for_one_are_refused(tmp_path, labels):
    with pytest.raises(InputError, match=r"same folder|stands twice"):
        spec_of(tmp_path, algorithms=[{"random": {"label": label}} for label in labels])


def test_specs_whose_names_differ_in_capitals_only_do_not_share_a_command(tmp_path):
    write_spec(tmp_path / "a", name="Demo")
    write_spec(tmp_path / "b", name="demo")
    done = duelbench("run", "a/demo.yaml", "b/demo.yaml", cwd=tmp_path)
    assert done.returncode == 2 and "has the name 'demo' too" in done.stderr


def forge(folder: Path, change) -> None:
    """Edit a manifest and make its SHA-256 fit, as an enemy would."""
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    del content["sha256"]
    change(content)
    path.write_text(json.dumps({**content, "sha256": _digest(content)}))


FORGERIES = {
    "a name that is a path": lambda content: content["spec"].update(name="../../outside"),
    "an absolute name": lambda content: content["spec"].update(name="/tmp/outside"),
    "a folder above": lambda content: content["cells"][0].update(folder="../../outside"),
    "an absolute folder": lambda content: content["cells"][0].update(folder="/etc"),
    "no name": lambda content: content["spec"].pop("name"),
    "a million million runs": lambda content: content["cells"][0].update(runs=10**12),
    "a negative number of runs": lambda content: content["cells"][0].update(runs=-1),
    "a position from the end": lambda content: content["cells"][0].update(entry=-1),
    "another's matrix": lambda content: content["problems"][0].update(P=[[0.5, 0.6], [0.4, 0.5]], names=["a", "b"]),
    "another's algorithm": lambda content: content["entries"][0].update(algorithm="d-ts"),
    "an unknown regret": lambda content: content["spec"].update(regret=["happiness"]),
    "a title that is a list": lambda content: content["spec"].update(title=["x"]),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_manifest_is_refused(tmp_path, forgery):
    play(tmp_path, runs=1)
    folder = tmp_path / "results" / "demo"
    before = sorted(tmp_path.rglob("*"))
    forge(folder, FORGERIES[forgery])
    with pytest.raises(IncompleteResults, match=r"manifest\.json is damaged"):
        open_results(folder)
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_deeply_nested_is_damage(tmp_path):
    play(tmp_path, runs=1)
    folder = tmp_path / "results" / "demo"
    deep = '{"format":1,"identity":' * 50_000
    np.savez(folder / "rucb" / "run-00000.npz", meta=np.array(deep))
    with pytest.raises(DamagedResult):
        read_run(folder / "rucb" / "run-00000.npz")
    (folder / "manifest.json").write_text(deep)
    with pytest.raises(IncompleteResults):
        open_results(folder)


def test_links_out_of_the_results_folder_are_seen_for_what_they_lead_to(tmp_path):
    play(tmp_path, runs=2)
    whole = files(tmp_path)
    folder = tmp_path / "results" / "demo"
    secret = tmp_path / "secret"
    secret.write_text("not yours")
    for name, target in (("run-00000.npz", secret), ("run-00001.npz", "/dev/zero")):
        (folder / "rucb" / name).unlink()
        (folder / "rucb" / name).symlink_to(target)
    play(tmp_path, runs=2)
    assert secret.read_text() == "not yours"
    assert files(tmp_path, "rucb", "random") == whole


def test_folders_of_results_may_be_links_to_another_disk(tmp_path):
    """Then damage cannot be renamed away, and is copied."""
    other_disk = Path("/dev/shm")
    if not other_disk.is_dir() or os.stat(other_disk).st_dev == os.stat(tmp_path).st_dev:
        pytest.skip("there is no other disk")
    play(tmp_path, runs=2)
    whole = files(tmp_path)
    folder = tmp_path / "results" / "demo" / "rucb"
    elsewhere = other_disk / f"duelbench-test-{os.getpid()}"
    try:
        shutil.move(folder, elsewhere)
        folder.symlink_to(elsewhere)
        (folder / "run-00001.npz").write_bytes(b"damaged")
        play(tmp_path, runs=2)
        found = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
        assert found == {Path(name).name: content for name, content in whole.items() if name.startswith("rucb")}
        assert (folder.parent / "damaged" / "rucb" / "run-00001.npz").read_bytes() == b"damaged"
    finally:
        shutil.rmtree(elsewhere, ignore_errors=True)


# --- waiting permanently ---


def test_pipes_in_the_results_folder_keep_nobody_waiting(tmp_path):
    play(tmp_path, runs=1)
    folder = tmp_path / "results" / "demo"
    (folder / "failures").mkdir()
    os.mkfifo(folder / "failures" / f"{'0' * 64}.json")
    os.mkfifo(folder / ".tmp-1-x")
    (folder / "rucb" / "run-00000.npz").unlink()
    os.mkfifo(folder / "rucb" / "run-00000.npz")
    assert duelbench("status", "results", cwd=tmp_path).returncode == 4
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")
    done = duelbench("status", "results", cwd=tmp_path)
    assert done.returncode == 4 and "it is not a file" in done.stderr
    assert duelbench("run", "demo.yaml", "-j", 1, cwd=tmp_path).returncode == 0
    assert duelbench("status", "results", cwd=tmp_path).returncode == 0


# --- memory ---

ABSURD = {
    "runs": {"runs": "1e12"},
    "runs of many": {"runs": "1e6", "problems": {f"p{k}": "two.csv" for k in range(30)}, "matrix": None},
    "checkpoints": {"checkpoints": "1e9"},
    "horizon": {"horizon": "1e18"},
    "combinations": {
        "algorithms": [{"random": {"label": f"a{k}", "horizons": list(range(1, 9))}} for k in range(500)],
        "problems": {f"p{k}": "two.csv" for k in range(100)},
        "matrix": None,
    },
}


@pytest.mark.parametrize("absurd", ABSURD)
def test_absurd_numbers_are_refused_before_memory_is_taken(tmp_path, absurd):
    path = write_spec(tmp_path, **ABSURD[absurd])
    make_plan(spec_of(tmp_path / "other"), tmp_path / "nowhere")  # imports what it needs
    tracemalloc.start()
    with pytest.raises(InputError, match="at most"):
        make_plan(load(path), tmp_path / "results")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50 * 2**20


def test_absurd_numbers_on_the_command_line_are_refused_too(tmp_path):
    write_spec(tmp_path)
    done = duelbench("run", "demo.yaml", "--runs", 10**12, cwd=tmp_path)
    assert done.returncode == 2 and "--runs': must be at most 1_000_000" in done.stderr
    assert not (tmp_path / "results").exists()


def _header(shape: str) -> bytes:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


@pytest.mark.parametrize("shape", ["(1000000, 1000000)", "(1000000000,)", "(4097, 4097)", "(-1, -1)", "(2**70, 2)"])
def test_a_small_matrix_file_that_says_it_is_huge_is_refused_before_memory_is_taken(tmp_path, shape):
    (tmp_path / "huge.npy").write_bytes(_header(shape))
    with zipfile.ZipFile(tmp_path / "huge.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("P.npy", _header(shape) + bytes(10**7))
    for name in ("huge.npy", "huge.npz"):
        tracemalloc.start()
        with pytest.raises(InputError):
            PreferenceMatrix.load(tmp_path / name)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 50 * 2**20


def test_a_result_that_says_it_is_huge_is_damage_before_memory_is_taken(tmp_path):
    with zipfile.ZipFile(tmp_path / "huge.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.npy", _header("()").replace(b"<f8", b"<U1000000000"))
    tracemalloc.start()
    with pytest.raises(DamagedResult):
        read_run(tmp_path / "huge.npz")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 50 * 2**20


# --- two machines, and clocks ---


def test_a_temporary_file_that_another_machine_sweeps_away_costs_a_second_attempt(tmp_path, monkeypatch):
    """It sees a file of a process that does not run there."""
    replace, swept = os.replace, []

    def sweep_first(source, target):
        if not swept:
            swept.append(source)
            os.unlink(source)
        replace(source, target)

    monkeypatch.setattr(atomic.os, "replace", sweep_first)
    atomic.write(tmp_path / "file", b"whole")
    assert swept and (tmp_path / "file").read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("jump", [-10 * 365 * 86400.0, 10 * 365 * 86400.0])
def test_a_clock_that_jumps_changes_nothing(tmp_path, monkeypatch, jump):
    play(tmp_path, runs=2)
    whole = files(tmp_path)
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + jump)
    shutil.rmtree(tmp_path / "results" / "demo" / "rucb")
    play(tmp_path, runs=2)
    assert files(tmp_path) == whole


# --- disks, homes and streams ---


def one_line(done: "subprocess.CompletedProcess[str]") -> str:
    """What it ends with; on a busy machine it says before that what it is doing."""
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith(("reading ", "drawing ")))
    assert line.startswith("error: ")
    return line


def limited(*arguments: object, cwd: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """The command where no file can become larger than 5,000 bytes."""
    return subprocess.run(
        [sys.executable, "-m", "duelbench", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )


def test_a_disk_that_is_full_keeps_what_is_there(tmp_path):
    """A disk of 64 KB where one may be mounted; elsewhere only the limit on files of the other tests."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no disk may be mounted here")
    try:
        write_spec(tmp_path, runs=40)
        done = duelbench("run", "demo.yaml", "-j", 1, "-q", "--out", "disk", cwd=tmp_path)
        assert done.returncode == 3 and "No space left on device" in one_line(done)
        kept = {path.name: path.read_bytes() for path in (disk / "demo" / "rucb").glob("run-*.npz")}
        n_kept = len(list((disk / "demo").rglob("run-*.npz")))
        assert 0 < len(kept) <= n_kept < 80 and f"{n_kept} of 80 runs are kept" in done.stderr
        assert not list(disk.rglob(".tmp-*"))
        assert duelbench("status", "disk", cwd=tmp_path).returncode == 4
        shutil.copytree(disk / "demo", tmp_path / "results" / "demo")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    play(tmp_path, runs=40)
    whole = files(tmp_path, "rucb")
    assert len(whole) == 40 and all(whole[f"rucb/{name}"] == content for name, content in kept.items())


def test_figures_and_pages_that_cannot_be_written_are_told_in_one_line(tmp_path):
    play(tmp_path, runs=2)
    before = sorted(tmp_path.rglob("*"))
    font_cache = {"MPLCONFIGDIR": str(tmp_path.parent / "matplotlib")}
    duelbench("plot", "results", "-o", tmp_path.parent / "first.png", cwd=tmp_path, **font_cache)  # makes the cache
    assert "File too large" in one_line(limited("plot", "results", cwd=tmp_path, **font_cache))
    done = limited("report", "results", "--html", "page.html", cwd=tmp_path, **font_cache)
    assert done.returncode == 2 and "File too large" in one_line(done)
    assert sorted(tmp_path.rglob("*")) == before


def test_standard_output_on_a_full_disk_is_told_in_one_line(tmp_path):
    write_spec(tmp_path)
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "duelbench", "run", "demo.yaml", "-j", "1", "-q"]
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert one_line(done) == "error: standard output cannot be written: No space left on device"
    assert len(files(tmp_path)) == 8


@pytest.mark.parametrize("options", quick(["-j 1", "-j 2 --run-timeout 60"], "-j 1"))
def test_closed_streams_are_no_hindrance(tmp_path, options):
    write_spec(tmp_path)
    command = f"{sys.executable} -m duelbench run demo.yaml {options}"
    assert subprocess.run(f"{command} <&- >&- 2>&-", cwd=tmp_path, shell=True).returncode == 0
    assert len(files(tmp_path)) == 8


NO_HOME = """
import os, pwd, sys
os.environ.pop("HOME", None); os.environ.pop("XDG_CACHE_HOME", None); os.environ.pop("DUELBENCH_KERNEL_FOLDER", None)
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
from duelbench.cli.app import app
app(sys.argv[1:])
"""


def test_without_a_home_folder_it_runs_with_one_warning_and_leaves_nothing_behind(tmp_path):
    write_spec(tmp_path, algorithms=["random"])
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = set(tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", NO_HOME, "run", "demo.yaml", "-j", "1", "-q"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert len(files(tmp_path)) == 4
    (line,) = done.stderr.splitlines()
    assert line == "warning: there is no home folder: compiled code is not kept, every start compiles again"
    assert set(tmp_path.iterdir()) - before == {tmp_path / "results"}
    assert not list(temporary.glob("duelbench-*"))


@pytest.mark.parametrize("in_the_way", ["results", "results/demo", "results/demo/rucb", "results/demo/damaged"])
def test_a_file_in_the_place_of_a_folder_is_told_in_one_line(tmp_path, in_the_way):
    write_spec(tmp_path)
    place = tmp_path / in_the_way
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")
    if in_the_way.endswith("damaged"):
        (place.parent / "rucb").mkdir()
        (place.parent / "rucb" / "run-00000.npz").write_text("damaged")
    done = duelbench("run", "demo.yaml", "-j", 1, cwd=tmp_path)
    assert done.returncode in (2, 3)
    assert done.stderr.splitlines()[-1].startswith("error: ") and "Traceback" not in done.stderr
    assert place.read_text() == "in the way"


def test_a_working_folder_that_is_gone_is_told_in_one_line(tmp_path):
    write_spec(tmp_path)
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"rmdir {gone}; {sys.executable} -P -m duelbench run {tmp_path / 'demo.yaml'} -q -j 1"
    done = subprocess.run(command, cwd=gone, shell=True, capture_output=True, text=True)
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_very_long_path_is_told_in_one_line(tmp_path):
    write_spec(tmp_path)
    for out in ("x" * 300, "/".join(["x" * 200] * 30), "a\0b"):
        with pytest.raises((DuelbenchError, OSError, ValueError)):
            prepare(make_plan(spec_of(tmp_path), tmp_path / out / "demo"))
    done = duelbench("run", "demo.yaml", "--out", "x" * 300, "-j", 1, cwd=tmp_path)
    assert done.returncode == 2 and "File name too long" in one_line(done)


def test_cells_of_a_spec_never_share_a_folder(tmp_path):
    spec = spec_of(
        tmp_path,
        matrix=None,
        problems={"a": "cyclic.csv", "b": "two.csv"},
        algorithms=["random", {"random": {"label": "horizon-100"}}, {"rucb": {"horizons": [100, 300]}}],
    )
    folders = [str(cell.folder).lower() for cell in cells(spec)]
    assert len(set(folders)) == len(folders)
