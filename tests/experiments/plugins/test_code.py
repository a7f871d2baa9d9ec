"""Promise 9, of code that is plugged in: a result is used again while the sources are the same, and no longer."""

import html
import importlib
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench.bandits import third_party
from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.simulation.simulate import simulate
from duelbench.bandits.simulation.terms import Terms
from duelbench.cli.app import app
from duelbench.errors import InputError, RunsFailed
from duelbench.experiments.results.cells import cells
from tests.experiments.execution.experiments import plan_of, play, spec_of
from tests.plug_ins import COMPILED, DECISION, PLAIN, write

WORST = PLAIN.replace("if won > most:", "if won < most or most < 0:")
ONE = {"algorithms": ["commit"], "runs": 2, "horizon": 50}
CHANGED = (2, "the plug-in's code changed")
UP_TO_DATE = (0, "up to date")


def of_one(folder: Path) -> tuple[int, str]:
    """How many runs would be played now, and why."""
    (cell_plan,) = plan_of(folder, **ONE).cells
    return len(cell_plan.todo), cell_plan.why


def codes(folder: Path) -> dict[str, str]:
    """The digests of the code that the runs in a folder were played by: file -> digest."""
    import numpy as np

    found = {}
    for path in (folder / "results" / "demo").rglob("*.npz"):
        with np.load(path) as file:
            found[path.relative_to(folder).as_posix()] = json.loads(str(file["meta"]))["identity"]["code"]
    return found


RUNS: dict[Path, bytes] = {}
"""The runs of the plug-in as it is, played once: path in a working folder -> content."""


@pytest.fixture
def played(tmp_path, load) -> Path:
    """Where the plug-in lies, and its runs."""
    load(write(tmp_path))
    if not RUNS:
        play(tmp_path, **ONE)
        RUNS.update({path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.glob("results/**/*.*")})
    for path, content in RUNS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    return tmp_path


def test_an_edit_of_a_plug_in_plays_its_runs_again_says_so_and_old_results_have_a_note(played, load, monkeypatch):
    note = "demo: the plug-in's code changed since the runs of commit were made"
    monkeypatch.chdir(played)
    assert of_one(played) == UP_TO_DATE
    before = codes(played)
    for text, count in ((PLAIN, 0), (WORST, 1)):
        load(write(played, text))
        commands = (["status"], ["plot", "-o", "a.csv"], ["report", "--html", "a.html"])
        for command in commands if count else commands[:1]:
            shown = CliRunner().invoke(app, [*command, "results/demo", "--plug-in", "commit.py"])
            assert shown.exit_code == 0 and shown.stderr.count(note) == count
    assert note in html.unescape(Path("a.html").read_text())
    assert of_one(played) == CHANGED
    play(played, **ONE)
    now = codes(played)
    assert len(now) == 4 and len(set(now.values())) == 2 and set(before.values()) < set(now.values())
    load(write(played))
    assert of_one(played) == (0, "set aside before")  # the old code again, the old results again


def test_a_plug_in_is_the_same_however_it_is_named_and_wherever_it_lies(played, load, monkeypatch):
    load(write(played / "elsewhere"))
    assert of_one(played) == UP_TO_DATE
    (played / "link.py").symlink_to("commit.py")
    monkeypatch.chdir(played)
    monkeypatch.syspath_prepend(str(played))
    for name in ("commit.py", f"../{played.name}/commit.py", "link.py", "commit"):
        load(name)
        assert of_one(played) == UP_TO_DATE, name
    del sys.modules["commit"]
    load("commit.py")
    assert registry.load_plug_in(played / "link.py") == ["commit"]  # twice, and as a path


def test_what_a_plug_in_imports_from_beside_it_is_part_of_its_code(tmp_path, load):
    text = PLAIN.replace("import numpy as np", "import numpy as np\nfrom commit_helper import count", 1)
    write(tmp_path, "import commit_other\ncount = 1\n", "commit_helper.py")
    for name in ("commit_other.py", "nobody_imports_this.py"):
        write(tmp_path, "", name)

    def code():
        load(write(tmp_path, text))
        return registry.code_of(registry.get("commit"))

    first = code()
    write(tmp_path, "1", "nobody_imports_this.py")
    assert code() == first
    write(tmp_path, "other = 2\n", "commit_other.py")
    second = code()
    write(tmp_path, "import commit_other\ncount = 2\n", "commit_helper.py")
    assert len({first, second, code()}) == 3


def test_all_files_of_its_package_are_part_of_its_code(tmp_path, load, monkeypatch):
    package = tmp_path / "package_of_commit"
    write(package, "", "__init__.py")
    write(package)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    for text in ("", "edited = True"):
        write(package, text, "other.py")
        load("package_of_commit.commit")
        found.append(registry.code_of(registry.get("commit")))
        for name in [name for name in sys.modules if name.startswith("package_of_commit")]:
            del sys.modules[name]
    assert found[0] != found[1]


def test_results_of_our_own_algorithms_keep_their_keys(tmp_path):
    keys = {cell.identity.algorithm: cell.identity.key(0) for cell in cells(spec_of(tmp_path))}
    bandit = {"matrix": None, "problem": {"means": [0.9, 0.5], "decision": "argmax"}, "regret": ["announced"]}
    (cell,) = cells(spec_of(tmp_path / "samples", algorithms=["savage"], **bandit))
    assert {**keys, "savage": cell.identity.key(0)} == {
        "rucb": "209d2b53bf916fc751fb46d3f5df4f4e076f61ed89a42496087380ca8941c2ad",
        "random": "69dbbb263c1a7fc73233b473725c90176e09d4fffd103e5394e977517ecb68af",
        "savage": "5c42e86e26ddf0dda7ff82cde81aa53a3b2884d572757e02d05efe0732459e4a",
    }


def test_the_code_of_a_decision_that_is_not_ours_is_part_of_the_identity(tmp_path, load, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    options = {"horizon": 9, "checkpoints": [9], "regret": ["announced"], "seed": 0}
    found = []
    for text in (DECISION, DECISION.replace("return 2", "return 3")):
        load(write(tmp_path / "any"))  # forgets the digests that it knows
        write(tmp_path, text, "decision_of_ours.py")
        importlib.invalidate_caches()
        sys.modules.pop("decision_of_ours", None)
        bandit = ScalarBandit([0.1, 0.9, 0.8], importlib.import_module("decision_of_ours").FEW)
        terms = Terms(problem=bandit, algorithm="round-robin", parameters={}, **options)
        found.append(terms.identity.code)
    del sys.modules["decision_of_ours"]
    assert None not in found and found[0] != found[1]


@pytest.mark.thorough
def test_a_plug_in_that_is_edited_after_the_command_has_read_it_makes_no_result(tmp_path, load):
    path = write(tmp_path)
    load(path)
    write(tmp_path, WORST)  # which workers load, that start later
    with pytest.raises(RunsFailed, match="2 runs failed"):
        play(tmp_path, **ONE)
    records = [json.loads(one.read_text()) for one in (tmp_path / "results/demo/failures").rglob("*.json")]
    assert all("the plug-in's code has changed since the command began" in record["error"] for record in records)
    assert not codes(tmp_path)


def test_errors_of_an_installed_plug_in_are_told_with_their_lines_too(tmp_path, load, monkeypatch):
    """It lies where libraries do, whose frames are passed over."""
    text = PLAIN.replace("missing = state", "missing = np.stack([]) + state")
    write(tmp_path / "site-packages", text, "installed_commit.py")
    monkeypatch.syspath_prepend(str(tmp_path / "site-packages"))
    load("installed_commit")
    with pytest.raises(ValueError, match="at least one array") as caught:
        simulate("commit", [[0.5, 0.6], [0.4, 0.5]], horizon=10)
    place = third_party.place_of(caught.value)
    del sys.modules["installed_commit"]
    assert place is not None and "installed_commit.py:" in place and "in select: `missing = np.stack" in place


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("comit.py", r"comit\.py: there is no such file \(did you mean 'commit\.py'\?\)"),
        ("none/commit.py", r"commit\.py: there is no such file$"),
        ("commit", "neither the path of a .py file nor the name of a module"),
        ("", "empty name"),
        (3, "got 3"),
    ],
)
def test_a_plug_in_that_is_not_there_is_one_message(tmp_path, load, name, says):
    write(tmp_path)
    with pytest.raises(InputError, match=says):
        registry.load_plug_in(str(tmp_path / name) if isinstance(name, str) and name else name)


OF_PYTHON_3_13 = """
raise TypeError("Algorithm.__init__() got an unexpected keyword argument 'asumes'. Did you mean 'assumes'?")
"""
"""What Python says there of a keyword that is misspelt, with a suggestion of its own."""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 +", r"commit\.py.*invalid syntax"),
        ("raise SystemExit", r"cannot be loaded: SystemExit"),
        ("", "defines no duelbench Algorithm"),
        ("from duelbench.bandits.algorithms.rucb import RUCB", "defines no duelbench Algorithm"),
        (PLAIN.replace('id="commit"', 'id="rucb"'), "another algorithm with the id 'rucb'"),
        (
            PLAIN.replace("Parameter(10,", "Parameter(0,"),
            "the default of the parameter each must be >= 1, got 0",
        ),
        (PLAIN.replace("t, rng", "t"), r"commit: select \(.*commit.py:\d+\) takes \(state, t\)"),
        (PLAIN.replace("*, each):", "*, eech):"), r"start \(.*commit.py:\d+\) .*eech"),
        (PLAIN.replace("standing, *, each):", "each):"), r"start \(.*commit.py:\d+\) takes \(n_arms, horizon, rng"),
        (PLAIN.replace("n_arms, horizon, rng", "horizon, n_arms, rng"), r"takes \(horizon, n_arms, .*these arg"),
        (PLAIN.replace("update(state, first, second", "update(state, second, first"), r"takes \(state, second, first"),
        (PLAIN.replace("state=State,", "state=tuple,"), r"commit: state is <class 'tuple'>"),
        (COMPILED.replace("state=State,", "state=5,"), "commit: state is 5"),
        (PLAIN.replace('assumes="copeland"', 'assumes="copland"'), r"'copland' \(did you mean 'copeland'\?\)"),
        (PLAIN.replace('Parameter(10, "duels of each pair", low=1)', "10"), r"commit: the parameter each is 10"),
        (COMPILED.replace("class State(NamedTuple)", "class State"), r"State \(.*commit\.py:8\) .*NamedTuple"),
        (PLAIN.replace("assumes=", "asumes="), r"keyword argument 'asumes' \(did you mean 'assumes'\?\) \("),
        (OF_PYTHON_3_13, r"keyword argument 'asumes' \(did you mean 'assumes'\?\) \("),
        (PLAIN.replace("import numpy", "import nunpy"), r"cannot be loaded: No module.*commit.py:3.*import nunpy"),
    ],
)
def test_a_plug_in_that_cannot_be_called_is_refused_with_its_line(tmp_path, load, text, says):
    with pytest.raises(InputError, match=says):
        load(write(tmp_path, text))
    assert "commit" not in registry.ids()


READS = """
import importlib
import os
from pathlib import Path

WEIGHTS = {at_import}
_start = start


def start(n_arms, horizon, rng, standing, *, each):
    each = int(os.environ.get("EACH", 1)) * {in_run}
    return _start(n_arms, horizon, rng, standing, each=each)


COMMIT = __import__("dataclasses").replace(COMMIT, start=start)
"""

READ = "int(Path(__file__).with_name('weights.txt').read_text())"
IMPORTED = "importlib.import_module('weights').EACH"


@pytest.mark.parametrize(
    ("at_import", "in_run", "name", "content"),
    [
        (READ, "WEIGHTS", "weights.txt", "{}"),
        ("0", READ, "weights.txt", "{}"),
        (IMPORTED, "WEIGHTS", "weights.py", "EACH = {}  # duels of each pair\n"),
        ("0", IMPORTED, "weights.py", "EACH = {}\n"),
    ],
    ids=["read at import", "read in a run", "imported at import", "imported in a run"],
)
def test_what_a_plug_in_opens_beside_it_is_part_of_its_code(tmp_path, load, at_import, in_run, name, content):
    plug_in = write(tmp_path, PLAIN + READS.format(at_import=at_import, in_run=in_run))
    write(tmp_path, content.format(3), name)
    load(plug_in)
    play(tmp_path, **ONE)
    assert of_one(tmp_path) == UP_TO_DATE
    write(tmp_path, content.format(4), name)
    sys.modules.pop("weights", None)
    load(plug_in)
    assert of_one(tmp_path) == CHANGED


def test_comments_and_docstrings_of_a_plug_in_change_nothing(played, load):
    documented = PLAIN.replace(
        "def leader(wins):\n", 'def leader(wins):\n    """Return who wins most."""\n\n    # a loop\n'
    )
    assert documented != PLAIN
    load(write(played, documented))
    assert of_one(played) == UP_TO_DATE
