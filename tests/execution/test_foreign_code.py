"""Promise 9, of code that is plugged in: a result is used again while the sources are the same, and no longer."""

import html
import importlib
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench import foreign
from duelbench.algorithms import registry
from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.execution import worker
from duelbench.execution.plan import Plan, prepare
from duelbench.execution.runner import execute
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.results.cells import cells
from duelbench.results.identity import identify
from duelbench.simulation.simulate import simulate
from tests.execution.experiments import plan_of, spec_of
from tests.plug_ins import COMPILED, DECISION, PLAIN, write

WORST = PLAIN.replace("if won > most:", "if won < most or most < 0:")
ONE = {"algorithms": ["commit"]}


def played(folder: Path) -> Plan:
    """Play the plug-in that is loaded, in this process."""
    plan = plan_of(folder, **ONE)
    prepare(plan)
    assert execute(plan, jobs=1).failures == []
    return plan


def of_one(folder: Path) -> tuple[int, str]:
    """How many runs would be played now, and why."""
    (cell_plan,) = plan_of(folder, **ONE).cells
    return len(cell_plan.todo), cell_plan.why


def test_an_edit_of_a_plug_in_plays_its_runs_again_and_says_so(tmp_path, load):
    load(write(tmp_path))
    played(tmp_path)
    assert of_one(tmp_path) == (0, "up to date")
    load(write(tmp_path, WORST))
    assert of_one(tmp_path) == (4, "the plug-in's code changed")
    plan = played(tmp_path)
    assert len(plan.displaced) == 4
    load(write(tmp_path))
    assert of_one(tmp_path) == (0, "set aside before")  # the old code again, the old results again


@pytest.mark.parametrize("command", [["plot", "-o", "a.csv"], ["report", "--html", "a.html"], ["status"]])
def test_old_results_of_an_edited_plug_in_are_shown_with_a_note(tmp_path, load, monkeypatch, command):
    note = "demo: the plug-in's code changed since the runs of commit were played"
    monkeypatch.chdir(tmp_path)
    load(write(tmp_path))
    played(tmp_path)
    shown = CliRunner().invoke(app, [*command, "results/demo", "--plug-in", "commit.py"])
    assert shown.exit_code == 0 and note not in shown.stderr
    load(write(tmp_path, WORST))
    shown = CliRunner().invoke(app, [*command, "results/demo", "--plug-in", "commit.py"])
    assert shown.exit_code == 0 and shown.stderr.count(note) == 1
    if "--html" in command:
        assert note in html.unescape(Path("a.html").read_text())


def test_a_plug_in_may_be_moved(tmp_path, load):
    load(write(tmp_path))
    played(tmp_path)
    load(write(tmp_path / "elsewhere"))
    assert of_one(tmp_path) == (0, "up to date")


def test_a_plug_in_is_the_same_however_it_is_named(tmp_path, load, monkeypatch):
    load(write(tmp_path))
    played(tmp_path)
    (tmp_path / "link.py").symlink_to("commit.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("commit.py", "./commit.py", f"../{tmp_path.name}/commit.py", "link.py", "commit"):
        load(name)
        assert of_one(tmp_path) == (0, "up to date"), name
    del sys.modules["commit"]


def test_a_plug_in_may_be_named_twice(tmp_path, load):
    (tmp_path / "link.py").symlink_to("commit.py")
    load(write(tmp_path))
    assert registry.load_plug_in(tmp_path / "link.py") == ["commit"]


def test_what_a_plug_in_imports_from_beside_it_is_part_of_its_code(tmp_path, load):
    text = PLAIN.replace("import numpy as np", "import numpy as np\nfrom commit_helper import count", 1)
    write(tmp_path, "import commit_other\ncount = 1\n", "commit_helper.py")
    write(tmp_path, "", "commit_other.py")
    write(tmp_path, "", "nobody_imports_this.py")
    load(write(tmp_path, text))
    played(tmp_path)
    write(tmp_path, "1", "nobody_imports_this.py")
    load(write(tmp_path, text))
    assert of_one(tmp_path) == (0, "up to date")
    for name in ("commit_helper.py", "commit_other.py"):
        write(tmp_path, "import commit_other\ncount = 2\n", name)
        load(write(tmp_path, text))
        assert of_one(tmp_path) == (4, "the plug-in's code changed")
        played(tmp_path)


def test_all_files_of_its_package_are_part_of_its_code(tmp_path, load):
    package = tmp_path / "package_of_commit"
    write(package, "", "__init__.py")
    write(package, "", "other.py")
    write(package)
    sys.path.append(str(tmp_path))
    try:
        load("package_of_commit.commit")
        played(tmp_path)
        write(package, "edited = True", "other.py")
        load("package_of_commit.commit")
        assert of_one(tmp_path) == (4, "the plug-in's code changed")
    finally:
        for name in [name for name in sys.modules if name.startswith("package_of_commit")]:
            del sys.modules[name]


def test_results_that_do_not_say_which_code_made_them_are_not_used_again(tmp_path, load, monkeypatch):
    load(write(tmp_path))
    with monkeypatch.context() as before:
        before.setattr(registry, "code_of", lambda *_: None)
        played(tmp_path)
    assert of_one(tmp_path) == (4, "computed before results said by which code of a plug-in they were")


def test_results_of_our_own_algorithms_keep_their_keys(tmp_path):
    keys = {cell.identity.algorithm: cell.identity.key(0) for cell in cells(spec_of(tmp_path))}
    bandit = {"matrix": None, "problem": {"means": [0.9, 0.5], "decision": "argmax"}, "regret": ["announced"]}
    (cell,) = cells(spec_of(tmp_path / "samples", algorithms=["savage"], **bandit))
    assert {**keys, "savage": cell.identity.key(0)} == {
        "rucb": "4873fe1e28f26ec519e16e31d22799a64d10a84c1d1916774e4092d6023ec90b",
        "random": "cbc2cfcc7176bd1406a8ffcb86dc15b3a7f7e82d00005b401a9e39379739ef28",
        "savage": "1c6cbeabfc572da6ffdaa8d69d23e99c1b0a705cebac294128144f5833544880",
    }


def test_the_code_of_a_decision_that_is_not_ours_is_part_of_the_identity(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    options = {"horizon": 9, "checkpoints": [9], "regret": ["announced"], "seed": 0}
    codes = []
    for text in (DECISION, DECISION.replace("return 2", "return 3")):
        write(tmp_path, text, "decision_of_ours.py")
        monkeypatch.setattr(registry, "_codes", {})
        importlib.invalidate_caches()
        sys.modules.pop("decision_of_ours", None)
        bandit = ScalarBandit([0.1, 0.9, 0.8], importlib.import_module("decision_of_ours").FEW)
        identity = identify(bandit, registry.get("round-robin"), {}, shuffle_arms=False, feedback_delay=1, **options)
        codes.append(identity.code)
    del sys.modules["decision_of_ours"]
    assert None not in codes and codes[0] != codes[1]


def test_a_plug_in_that_is_edited_while_the_command_runs_makes_no_result(tmp_path, load):
    load(write(tmp_path))
    plan = plan_of(tmp_path, **ONE)
    prepare(plan)
    load(write(tmp_path, WORST))  # as a worker does that starts later
    outcome = execute(plan, jobs=1)
    assert {failure.error for failure in outcome.failures} == {
        "the plug-in's code has changed since the command began; run the same command again"
    }
    assert outcome.n_done == 0


def test_compiled_code_is_kept_apart_by_the_sources_of_a_plug_in(tmp_path, load):
    marks = []
    for text in (PLAIN, WORST):
        load(write(tmp_path, text))
        marks.append(worker._mark("commit"))
    assert marks[0] != marks[1]


def test_errors_of_an_installed_plug_in_are_told_with_their_lines_too(tmp_path, load):
    """It lies where libraries do, whose frames are passed over."""
    write(
        tmp_path / "site-packages",
        PLAIN.replace("missing = state", "missing = np.stack([]) + state"),
        "installed_commit.py",
    )
    sys.path.append(str(tmp_path / "site-packages"))
    load("installed_commit")
    with pytest.raises(ValueError, match="at least one array") as caught:
        simulate("commit", [[0.5, 0.6], [0.4, 0.5]], horizon=10)
    place = foreign.place_of(caught.value)
    del sys.modules["installed_commit"]
    assert place is not None and re.search(r"installed_commit\.py:\d+, in select: `missing = np\.stack", place)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("comit.py", r"the plug-in .*comit\.py: there is no such file \(did you mean 'commit\.py'\?\)"),
        ("none/commit.py", r"the plug-in .*commit\.py: there is no such file$"),
        ("commit", "neither the path of a .py file nor the name of a module"),
    ],
)
def test_a_plug_in_that_is_not_there_is_one_message(tmp_path, load, name, says):
    write(tmp_path)
    for given in (tmp_path / name, str(tmp_path / name)):
        with pytest.raises(InputError, match=says):
            registry.load_plug_in(given)
    with pytest.raises(InputError, match=r"a plug-in is the path of a \.py file, or the name of a module, got 3"):
        registry.load_plug_in(3)


@pytest.mark.parametrize("name", ["without_ending", "./without_ending"])
def test_the_file_is_named_where_a_plug_in_lacks_its_ending(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])  # "" is the folder that we are in
    Path("without_ending.py").write_text(PLAIN)
    with pytest.raises(InputError, match=rf"^the plug-in {name} .* \(did you mean '{name}\.py'\?\)$"):
        registry.load_plug_in(name)


def test_an_empty_plug_in_is_one_sentence():
    with pytest.raises(InputError, match=r"^a plug-in has an empty name; give the path of a \.py file, or the name of"):
        registry.load_plug_in("")


def test_a_plug_in_may_be_given_as_a_path(tmp_path, load):
    assert registry.load_plug_in(write(tmp_path)) == ["commit"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PLAIN.replace("t, rng", "t"), r"commit: select \(.*commit.py:\d+\) takes \(state, t\), but is called with"),
        (
            PLAIN.replace("*, each):", "*, eech):"),
            r"start \(.*commit.py:\d+\) takes .*eech\), but is called as .*each=\.\.\.",
        ),
        (
            PLAIN.replace("standing, *, each):", "each):"),
            r"start \(.*commit.py:\d+\) takes \(n_arms, horizon, rng, each\), but is called as start\(n_arms, horizon,"
            r" rng, standing, each=\.\.\.\)",
        ),
        (
            PLAIN.replace("n_arms, horizon, rng", "horizon, n_arms, rng"),
            r"takes \(horizon, n_arms, .*give it these arg",
        ),
        (
            PLAIN.replace("update(state, first, second", "update(state, second, first"),
            r"takes \(state, second, first, first_wins, second_wins\), but is called with \(state, first, second, ",
        ),
        *(
            (
                text.replace("state=State,", "state=tuple,"),
                r"commit: state is <class 'tuple'>; it must be a class of your",
            )
            for text in (PLAIN, COMPILED)
        ),
        (PLAIN.replace("state=State,", "state=5,"), "commit: state is 5; it must be a class of your own"),
        (
            PLAIN.replace('assumes="copeland"', 'assumes="copland"'),
            r"assumes is 'copland' \(did you mean 'copeland'\?\)",
        ),
        (
            PLAIN.replace('Parameter(10, "duels of each pair", low=1)', "10"),
            r"commit: the parameter each is 10; write Parameter\(10, 'what it means'\)",
        ),
        (
            COMPILED.replace("class State(NamedTuple)", "class State"),
            r"commit: its state State \(.*commit\.py:8\) must be a class derived from NamedTuple",
        ),
        (PLAIN.replace("import numpy", "import nunpy"), r"cannot be loaded: No module.*commit.py:3.*import nunpy"),
    ],
)
def test_a_plug_in_that_cannot_be_called_is_refused_with_its_line(tmp_path, load, text, says):
    with pytest.raises(InputError, match=says):
        load(write(tmp_path, text))
    assert "commit" not in registry.ids()
