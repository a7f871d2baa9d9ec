"""Nobody gets in: no code, no way out of the results folder, no memory, whatever specs, names and results say."""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Iterator

import numpy as np
import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.cli.app import app
from duelbench.common import atomic
from duelbench.errors import DuelbenchError, IncompleteResults, InputError, RunsFailed
from duelbench.experiments import running
from duelbench.experiments.execution.plan import make_plan
from duelbench.experiments.plugins import trial
from duelbench.experiments.results.cells import cells
from duelbench.experiments.results.manifest import open_results
from duelbench.experiments.results.store import DamagedResult, read_run
from duelbench.experiments.spec.load import load as load_spec
from tests.experiments.execution.experiments import files, play, spec_of, write_spec
from tests.plug_ins import COMPILED, write

SMALL = {"runs": 2, "horizon": 50}

# --- code ---


@pytest.mark.parametrize(
    "algorithm",
    ["./mine.py", "mine.py:MINE", "mine", "os:system", {"mine.py": {}}, {"rucb": {"plug_in": "mine.py"}}],
)
def test_a_spec_brings_no_code_in(tmp_path, algorithm):
    path = write_spec(tmp_path, algorithms=[algorithm])
    (tmp_path / "mine.py").write_text("import pathlib\npathlib.Path(__file__).with_name('was-run').touch()\n")
    with pytest.raises(InputError):
        load_spec(path)
    for key in ("plug_in", "plug-in", "plug_ins", "import"):
        with pytest.raises(InputError, match="unknown key"):
            load_spec(write_spec(tmp_path, **{key: "mine.py"}))
    assert not (tmp_path / "was-run").exists()


PLAYED = """
import duelbench
duelbench.load_plug_in("commit.py")
for algorithm in ("commit", "random"):
    print(duelbench.simulate(algorithm, [[0.5, 1.0], [0.0, 0.5]], horizon=300, checkpoints=[300]).recommended[0])
"""


@pytest.mark.thorough
def test_an_edited_plug_in_does_not_run_its_old_code_and_leaves_no_trace_in_ours(tmp_path):
    """Its compiled code is kept under a digest of its sources, apart from the code of the built-in algorithms."""
    answers = []
    for text in (COMPILED, COMPILED.replace("if won > most:", "if won < most or most < 0:")):
        write(tmp_path, text)
        environment = {**os.environ, trial.VARIABLE: "1"}
        answers.append(subprocess.check_output([sys.executable, "-c", PLAYED], cwd=tmp_path, env=environment).split())
    assert answers == [[b"0", b"0"], [b"1", b"0"]]


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
    "name", ["../x", "/x", "..", ".", "a/b", "CON", "nul.txt", "damaged", "x" * 81, "a b", "é", ""]
)
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path, name):
    for changes in ({"name": name}, {"matrix": None, "problems": {name: "cyclic.csv"}}):
        with pytest.raises(InputError):
            spec_of(tmp_path, **changes)


def test_names_and_labels_that_some_file_systems_take_for_one_are_refused(tmp_path):
    for labels in (("Straße", "STRASSE"), ("RUCB", "rucb"), ("ﬁ", "fi"), ("é", "e\u0301"), ("a b", "a_b")):
        with pytest.raises(InputError, match=r"same folder|appears twice"):
            spec_of(tmp_path, algorithms=[{"random": {"label": label}} for label in labels])
    specs = [write_spec(tmp_path / name, name=name) for name in ("Demo", "demo")]
    with pytest.raises(InputError, match="is named 'demo', too"):
        running.plans_of(specs, tmp_path / "results")
    labels = ["random", {"random": {"label": "horizon-100"}}, {"rucb": {"horizons": [100, 300]}}]
    spec = spec_of(tmp_path, matrix=None, problems={"a": "cyclic.csv", "b": "two.csv"}, algorithms=labels)
    folders = [str(cell.folder).lower() for cell in cells(spec)]
    assert len(set(folders)) == len(folders) == 8


def test_what_is_deeply_nested_is_damage(tmp_path):
    play(tmp_path, **SMALL)
    folder = tmp_path / "results" / "demo"
    deep = '{"format":1,"identity":' * 50_000
    np.savez(folder / "rucb" / "run-00000.npz", meta=np.array(deep))
    with pytest.raises(DamagedResult):
        read_run(folder / "rucb" / "run-00000.npz")
    (folder / "manifest.json").write_text(deep)
    with pytest.raises(IncompleteResults):
        open_results(folder)


def test_links_out_of_the_results_folder_are_seen_for_what_they_lead_to(tmp_path):
    play(tmp_path, **SMALL)
    whole = files(tmp_path)
    folder = tmp_path / "results" / "demo"
    secret = tmp_path / "secret"
    secret.write_text("not yours")
    for name, target in (("run-00000.npz", secret), ("run-00001.npz", "/dev/zero")):
        (folder / "rucb" / name).unlink()
        (folder / "rucb" / name).symlink_to(target)
    play(tmp_path, **SMALL)
    assert secret.read_text() == "not yours"
    assert files(tmp_path, "rucb", "random") == whole


def test_pipes_in_the_results_folder_keep_nobody_waiting(tmp_path):
    play(tmp_path, **SMALL)
    folder = tmp_path / "results" / "demo"
    (folder / "failures").mkdir()
    pipes = [folder / "failures" / f"{'0' * 64}.json", folder / ".tmp-1-x", folder / "rucb" / "run-00000.npz"]
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(60)
    try:
        for pipe in (*pipes, folder / "manifest.json"):
            pipe.unlink(missing_ok=True)
            os.mkfifo(pipe)
            status = CliRunner().invoke(app, ["status", str(folder)])
            assert isinstance(status.exception, IncompleteResults) is (pipe not in pipes[:2])
        play(tmp_path, **SMALL)
        assert CliRunner().invoke(app, ["status", str(folder)]).exit_code == 0
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# --- memory ---

ABSURD = {
    "runs": {"runs": "1e12"},
    "checkpoints": {"checkpoints": "1e9"},
    "horizon": {"horizon": "1e18"},
    "combinations": {
        "algorithms": [{"random": {"label": f"a{k}", "horizons": list(range(1, 9))}} for k in range(100)],
        "problems": {f"p{k}": "two.csv" for k in range(13)},
        "matrix": None,
    },
}


@contextlib.contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("absurd", ABSURD)
def test_absurd_numbers_are_refused_before_memory_is_taken(tmp_path, absurd):
    path = write_spec(tmp_path, **ABSURD[absurd])
    make_plan(spec_of(tmp_path / "other"), tmp_path / "nowhere")  # imports what it needs
    with little_memory(), pytest.raises(InputError, match="at most"):
        make_plan(load_spec(path), tmp_path / "results")


def _header(shape: str) -> bytes:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


@pytest.mark.parametrize("shape", ["(1000000, 1000000)", "(1000000000,)", "(4097, 4097)", "(-1, -1)", "(2**70, 2)"])
def test_a_small_matrix_file_that_says_it_is_huge_is_refused_before_memory_is_taken(tmp_path, shape):
    (tmp_path / "huge.npy").write_bytes(_header(shape))
    with zipfile.ZipFile(tmp_path / "huge.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("P.npy", _header(shape) + bytes(10**7))
    for name in ("huge.npy", "huge.npz"):
        with little_memory(), pytest.raises(InputError):
            PreferenceMatrix.load(tmp_path / name)
    with little_memory(), pytest.raises(DamagedResult):
        read_run(tmp_path / "huge.npz")


# --- other machines, clocks, disks, homes and streams ---


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


def test_a_disk_that_is_full_keeps_what_is_there(tmp_path):
    """A disk of 64 KB where one may be mounted; elsewhere only the limit on files of the other tests."""
    disk = tmp_path / "results"
    disk.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no program mount")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no disk may be mounted here")
    try:
        with pytest.raises(RunsFailed, match=r"No space left on device.* of 80 runs are done"):
            play(tmp_path, runs=40)
        kept = files(tmp_path)
        assert 0 < len(kept) < 80 and not list(disk.rglob(".tmp-*"))
        shutil.copytree(disk / "demo", tmp_path / "kept")
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    shutil.move(tmp_path / "kept", disk / "demo")
    play(tmp_path, runs=40)
    assert len(files(tmp_path)) == 80 and kept.items() <= files(tmp_path).items()


def test_figures_and_pages_that_cannot_be_written_are_told_in_one_line(tmp_path, monkeypatch):
    play(tmp_path, **SMALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # Python would keep a half of what it compiles
    assert CliRunner().invoke(app, ["plot", "results", "-o", str(tmp_path.parent / "first.png")]).exit_code == 0
    before = sorted(tmp_path.rglob("*"))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    for command in (["plot", "results"], ["report", "results", "--html", "page.html"]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limit[1]))
        try:
            done = CliRunner().invoke(app, command)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        assert isinstance(done.exception, DuelbenchError) and "File too large" in str(done.exception)
        assert len(str(done.exception).splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("in_the_way", ["results", "results/demo", "results/demo/rucb", "results/demo/damaged"])
def test_a_file_in_the_place_of_a_folder_is_told_in_one_line(tmp_path, in_the_way):
    place = tmp_path / in_the_way
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("in the way")
    if in_the_way.endswith("damaged"):
        (place.parent / "rucb").mkdir()
        (place.parent / "rucb" / "run-00000.npz").write_text("damaged")
    with pytest.raises((InputError, RunsFailed)) as caught:
        play(tmp_path)
    assert len(str(caught.value).splitlines()) == 1
    assert place.read_text() == "in the way"


def test_a_path_that_no_file_system_takes_is_told_in_one_line(tmp_path):
    for out in ("x" * 300, "/".join(["x" * 200] * 30)):
        with pytest.raises(InputError, match="File name too long"):
            duelbench.run(write_spec(tmp_path), tmp_path / out, jobs=1, quiet=True)


@pytest.mark.thorough
def test_standard_output_on_a_full_disk_is_told_in_one_line(tmp_path):
    write_spec(tmp_path)
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "duelbench", "run", "demo.yaml", "-j", "1", "-q"]
        done = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "error: standard output cannot be written: No space left on device\n"
    assert len(files(tmp_path)) == 8


NO_HOME = """
import os, pwd, sys
for name in ("HOME", "XDG_CACHE_HOME", "DUELBENCH_KERNEL_FOLDER"):
    os.environ.pop(name, None)
def nobody(uid):
    raise KeyError(uid)
pwd.getpwuid = nobody
from duelbench.cli.app import app
app(sys.argv[1:])
"""


@pytest.mark.compiled
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
    assert line.startswith("warning: there is no home folder")
    assert set(tmp_path.iterdir()) - before == {tmp_path / "results"}
    assert not list(temporary.glob("duelbench-*"))
