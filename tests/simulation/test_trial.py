"""Compiled code that is not ours is tried before it is trusted, and its mistakes are told with their lines."""

import importlib
import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace

import pytest

import duelbench
from duelbench.algorithms import dispatch, registry
from duelbench.errors import InputError
from duelbench.simulation import mistakes, trial
from tests.execution.experiments import duelbench as command
from tests.execution.experiments import write_spec
from tests.plug_ins import COMPILED, DECISION, PLAIN, write

P = duelbench.PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])

WINNER = "    winner = leader(state.wins)\n"

FOUND = {
    "outside of an array": (
        ("state.wins[first, second] +=", "state.wins[first, second + 1000000] +="),
        r"IndexError: index 1000001 is out of bounds for axis 1 with size 3 \(.*plug\.py:\d+, in update: "
        r"`state\.wins\[first, second \+ 1000000\] \+= first_wins`\); start makes wins \(3, 3\)",
    ),
    "a typo in a field": (
        ("missing = state.each", "missing = state.eech"),
        r"'State' object has no attribute 'eech' \(.*plug\.py:\d+, in select: .*State has wins, each \(did you mean",
    ),
    "a wrong shape": (
        ("np.zeros((n_arms, n_arms), np.int64)", "np.zeros(n_arms, np.int64)"),
        r"array is 1-dimensional, but 2 were indexed \(.*plug\.py:\d+, in select: .*start makes wins \(3,\)",
    ),
    "a field that is set": (
        ("state.wins[second, first] += second_wins", "state.each += 1"),
        r"can't set attribute \(.*plug\.py:\d+, in update: `state\.each \+= 1`\); fields cannot be set",
    ),
    "a fraction among whole numbers": (
        ("state.wins[second, first] += second_wins", "state.wins[second, first] += second_wins / 4"),
        r"^\d+\.[257]+ is stored in an array of whole numbers, which cuts off the fraction"
        r" \(.*plug\.py:\d+, in update: .*\); make the array with np\.float64 in start, or store int\(\.\.\.\)$",
    ),
    "a division by zero": (
        (WINNER, f"    won = 1 // (t - t)\n{WINNER}"),
        r"ZeroDivisionError: .* \(.*plug\.py:36, in select: .*\); compiled code ends where it divides by zero",
    ),
    "a list in the state": (
        ("np.int64), each)", "np.int64), [each])"),
        r"start \(.*plug\.py:\d+\) puts an object of the class list into the field each of the state",
    ),
    "an arm that does not exist": (
        ("return winner, winner, NEVER", "return winner + 10, winner, NEVER"),
        r"select \(.*plug\.py:37: `return winner \+ 10, winner, NEVER`\) returned \(1\d, \d, NEVER\) in round 31;"
        r" there is no arm 1\d: the arms are 0 to 2",
    ),
    "two values": (
        ("return winner, winner, NEVER", "return winner, winner"),
        r"select \(.*plug\.py:37: `return winner, winner`\) returned \(\d, \d\) in round 31; it must return three",
    ),
    "global random numbers": (
        (WINNER, f"    np.random.random()\n{WINNER}"),
        r"GlobalRandomness: it drew from the global generator \(np\.random\).* \(.*plug\.py:36: `np\.random\.random",
    ),
}
"""What is wrong with a plug-in -> the edit that makes it so, and what the interpreter says of it."""

STUCK = (WINNER, f"    while t > 0:\n        pass\n{WINNER}")

PLAY = """
import json, pickle, sys
from duelbench.algorithms import registry
from duelbench.simulation import trial
P = pickle.load(sys.stdin.buffer)
for path in sys.argv[1:]:
    (id,) = registry.load_plug_in(path)
    game = trial.Game(id, P, 10**5, registry.get(id).resolve({}), rounds=50, seconds=0.5)
    print(json.dumps(*trial._played(game, trial.INTERPRETED)))
"""


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory):
    """What the interpreter reports of each of them, and of one that hangs and one that is right; all in one process."""
    edits = {**{name: edit for name, (edit, _) in FOUND.items()}, "stuck": STUCK, "right": ("", "")}
    folder = tmp_path_factory.mktemp("wrong")
    paths = []
    for k, (old, new) in enumerate(edits.values()):
        assert old in COMPILED
        text = COMPILED.replace(old, new).replace('id="commit"', f'id="commit-{k}"')
        paths.append(write(folder / str(k), text, "plug.py"))
    done = subprocess.run(
        [sys.executable, "-c", PLAY, *map(str, paths)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        input=pickle.dumps(P),
        capture_output=True,
        check=True,
    )
    return dict(zip(edits, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", FOUND)
def test_the_interpreter_names_the_line_and_the_mend(interpreted, name):
    report = interpreted[name]
    said = "; ".join(filter(None, (report["error"], report["mend"])))
    assert re.search(FOUND[name][1], said), said
    assert "\n" not in said and len(said) < 450


def test_a_round_that_does_not_end_ends_the_trial_and_not_the_command(interpreted):
    assert interpreted["stuck"]["is_stuck"] and interpreted["stuck"]["rounds"] == 29
    assert not interpreted["right"]["is_stuck"] and interpreted["right"]["rounds"] == 50
    assert interpreted["right"]["pairs"][:31] == [1] * 10 + [2] * 10 + [5] * 10 + [0]  # numbers of pairs: 3 i + j


UNCOMPILABLE = {
    "None for a number": (
        ("best, most = 0, -1", "best = None\n    most = -1"),
        r"^compiled code uses what may be None \(.*plug\.py:19: `best = None`\); begin with a number that stands for",
    ),
    "no @kernel": (
        ("@kernel\ndef leader", "def leader"),
        r"compiled code calls leader, which is plain Python \(.*plug\.py:\d+: `.*leader\(state\.wins\)`\);"
        r" write @kernel above def leader",
    ),
    "an array": (
        (WINNER, f"    scores = np.zeros(3)\n    scores[0] = 1.0\n{WINNER}"),
        r"cannot make arrays.*plug\.py:\d+: `scores = np\.zeros\(3\)`\); make arrays in start, keep them in the state",
    ),
    "a random index": (
        (WINNER, "    winner = rng.integers(0, 3)\n"),
        r"cannot make arrays.*plug\.py:\d+: `winner = rng\.integers\(0, 3\)`\).*draw_index\(n, rng\)",
    ),
    "a list": (
        (WINNER, f"    arms = [i for i in range(3)]\n{WINNER}"),
        r"cannot make arrays, lists, .*plug\.py:36: `arms = \[i for i in range\(3\)\]`\); make arrays in start",
    ),
    "a name that nothing has": (
        (WINNER, f"    if t > 10**9:\n        return no_such_name\n{WINNER}"),
        r"^name 'no_such_name' is not defined \(.*plug\.py:37: `return no_such_name`\); define or import it$",
    ),
    "another method of the generator": (
        (WINNER, "    winner = rng.choice(3)\n"),
        r"^compiled code cannot call rng\.choice so \(.*plug\.py:36: `.* = rng\.choice\(3\)`\); draw_index\(n, rng\)",
    ),
    "an error that is named": (
        (WINNER, f"    try:\n        {WINNER.strip()}\n    except ValueError as error:\n        pass\n{WINNER}"),
        r"^Numba cannot compile it: Exception object .*\(.*plug\.py:\d+: `.*`\); write it without `except",
    ),
    "what Numba does not know": (
        (WINNER, f"    state.wins.no_such_thing()\n{WINNER}"),
        r"Numba cannot compile it: Unknown attribute 'no_such_thing'.*plug\.py:\d+: `state\.wins\.no_such_thing",
    ),
}


@pytest.mark.parametrize("name", UNCOMPILABLE)
def test_what_cannot_be_compiled_is_told_apart(tmp_path, load, monkeypatch, name):
    (old, new), says = UNCOMPILABLE[name]
    assert old in COMPILED
    load(write(tmp_path, COMPILED.replace(old, new), "plug.py"))
    monkeypatch.setenv(trial.VARIABLE, trial.COMPILED)
    with pytest.raises(mistakes.UNCOMPILABLE) as caught:
        duelbench.simulate("commit", P, horizon=10)
    algorithm = registry.get("commit")
    state = algorithm.start(3, 10, None, True, each=10)
    report = mistakes.described(caught.value, state, trial.COMPILED)
    said = f"{report['error']}; {report['mend']}"
    assert re.search(says, said), said
    assert "\n" not in said and len(said) < 450


def test_the_bold_type_in_which_numba_writes_where_colorama_is_installed_is_not_shown():
    bold = "\x1b[1m\x1b[31mUnknown attribute 'beats' of type array(int64, 2d, C)\x1b[0m"
    report = mistakes.described(mistakes.UNCOMPILABLE[0](bold), None, trial.COMPILED)
    assert report["error"] == "Numba cannot compile it: Unknown attribute 'beats' of type array(int64, 2d, C)"


OWN = """
{code}

import duelbench
from duelbench.errors import InputError
from duelbench.simulation import trial

if __name__ == "__main__":
    P = duelbench.PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])
    game = trial.Game(COMMIT, P, 100, COMMIT.resolve({{}}), rounds=50)
    reports = [next(iter(trial._Player(game, way).reports())) for way in {ways}]
    print(*(report["pairs"] == [1] * 10 + [2] * 10 + [5] * 10 + [0] * 20 for report in reports))
    for _ in range(2):  # the second time from memory
        try:
            duelbench.simulate(WRONG, P, horizon=10)
        except InputError as error:
            print(error)
"""


@pytest.mark.parametrize("place", ["in the program", "in a function"])
def test_code_of_the_program_itself_is_tried(tmp_path, place):
    old, new = FOUND["outside of an array"][0]
    begins = COMPILED.index("class State")
    if place == "in a function":
        body = textwrap.indent(COMPILED[begins:], "    ") + "\n    return COMMIT\n"
        head = COMPILED[:begins] + "\ndef right():\n" + body + "\ndef wrong():\n" + body.replace(old, new)
        code, ways = head + "\nCOMMIT, WRONG = right(), wrong()\n", "[trial.INTERPRETED, trial.COMPILED]"
    else:
        code, ways = COMPILED.replace(old, new) + "\nWRONG = COMMIT\n", "[]"
    write(tmp_path, OWN.format(code=code, ways=ways), "own.py")
    done = subprocess.run([sys.executable, "own.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    played, *refused = done.stdout.splitlines()
    assert played == " ".join(["True"] * ways.count("trial")) and len(refused) == 2
    for line in refused:
        assert re.match(r"commit: IndexError: index 1000001 is out of bounds .*\(own\.py:\d+, in update: ", line), line


def test_what_cannot_be_handed_over_to_a_trial_is_refused_in_one_sentence(tmp_path, load, monkeypatch):
    load(write(tmp_path, COMPILED))
    known = registry.get("commit")
    lock = threading.Lock()

    def start(n_arms, horizon, rng, standing, *, each):
        return known.start(n_arms, horizon, rng, lock and standing, each=each)

    monkeypatch.setattr(trial, "_verdicts", {})
    monkeypatch.setattr(trial, "folder_of_all", lambda: tmp_path)
    with pytest.raises(InputError, match=r"^commit: something that it uses cannot be handed over .*; keep it in"):
        duelbench.simulate(replace(known, start=start), P, horizon=10)


def test_a_command_refuses_a_plug_in_that_writes_outside_of_its_arrays_and_writes_nothing(tmp_path):
    old, new = FOUND["outside of an array"][0]
    write(tmp_path, COMPILED.replace(old, new))
    write_spec(tmp_path, algorithms=["commit", "random"])
    done = command("run", "demo.yaml", "--plug-in", "commit.py", cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and "Traceback" not in done.stderr
    trying, error = done.stderr.splitlines()
    assert trying == "trying commit (first use of this code) ..."
    assert error.startswith("error: commit: IndexError: index 1000001 is out of bounds") and "(commit.py:4" in error
    assert not (tmp_path / "results").exists()


def test_a_process_that_dies_in_its_trial_takes_nobody_with_it(tmp_path, load):
    load(write(tmp_path, COMPILED.replace("    return State(", "    import os\n    os._exit(3)\n    return State(")))
    for _ in range(2):  # the second time from memory
        with pytest.raises(InputError, match=r"commit: it ended its process \(exit code 3\) in the first rounds"):
            duelbench.simulate("commit", P, horizon=10)


class Scripted:
    """In place of processes: reports by the way of playing."""

    reports_of: dict

    def __init__(self, game, way, **variables):
        self.key = (way, game.rounds)

    def reports(self):
        return self.reports_of[self.key]


def report(pairs, **changes):
    return {"rounds": len(pairs), "pairs": pairs, "recommended": [0] * len(pairs), **changes}


def wrong(monkeypatch, reports):
    monkeypatch.setattr(trial, "_Player", type("Player", (Scripted,), {"reports_of": reports}))
    return trial._wrong(trial.Game("commit", P, 10**5, {}, rounds=5000))


def test_other_duels_than_the_interpreter_plays_are_told_with_their_round(monkeypatch):
    first = report([1, 1, 5], is_stuck=True)
    same, other = report([1, 1, 5]), report([1, 1, 7])
    ways = {(trial.INTERPRETED, 5000): [first], (trial.CHECKED, 3): [same], (trial.COMPILED, 3): [same]}
    assert wrong(monkeypatch, ways) is None
    said = wrong(monkeypatch, {**ways, (trial.COMPILED, 3): [other]})
    assert said is not None and "interpreted, (1, 2) is played in round 3; compiled, (2, 1) is" in said


def test_a_mistake_in_later_rounds_is_looked_for_by_the_interpreter(monkeypatch):
    first, same = report([1, 1], is_stuck=False), report([1, 1])
    later = {"error": "IndexError: index is out of bounds", "is_located": False}
    ways = {
        (trial.INTERPRETED, 5000): [first],
        (trial.COMPILED, 2): [same, report([1])],
        (trial.CHECKED, 2): [same, later],
        (trial.INTERPRETED, 10**5): [{"error": "IndexError (plug.py:7)", "mend": "a longer array", "is_located": True}],
    }
    assert wrong(monkeypatch, ways) == "IndexError (plug.py:7); a longer array"
    ways[trial.INTERPRETED, 10**5] = [first]
    assert wrong(monkeypatch, ways) == "IndexError: index is out of bounds"
    assert "other duels" in wrong(monkeypatch, {**ways, (trial.CHECKED, 2): [same, report([2])]})


def test_a_trial_is_made_once_for_the_same_sources(tmp_path, load, monkeypatch):
    made = []
    monkeypatch.setattr(trial, "_verdict", lambda *arguments: made.append(arguments))
    monkeypatch.setattr(trial, "folder_of_all", lambda: tmp_path)
    for text, count in ((COMPILED, 1), (COMPILED, 1), (COMPILED + "# edited", 2)):
        load(write(tmp_path / str(len(text)), text))
        algorithm = registry.get("commit")
        monkeypatch.setattr(trial, "_verdicts", {})
        assert trial.is_due(algorithm, P) == (count > len(made))
        for _ in range(2):
            trial.require(algorithm, P, 1000, algorithm.resolve({}))
        assert len(made) == count and not trial.is_due(algorithm, P)


def test_functions_without_a_name_do_not_keep_a_decision_from_its_trial(tmp_path, load, monkeypatch):
    """Only its name goes to the other process: `DECISION` has a lambda."""
    monkeypatch.syspath_prepend(str(tmp_path))
    write(tmp_path, DECISION.replace("return 2", "return values[1000000] > 2"), "few_lambdas.py")
    bandit = duelbench.scalar_bandit([0.1, 0.2, 0.3], importlib.import_module("few_lambdas").FEW)
    with pytest.raises(
        InputError, match=r"few: IndexError: index 1000000 is out of bounds .*few_lambdas\.py:\d+, in dec"
    ):
        duelbench.simulate("round-robin", bandit, horizon=100)
    del sys.modules["few_lambdas"]


def test_only_compiled_code_that_is_not_ours_is_tried(tmp_path, load, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    write(tmp_path, DECISION, "few_means.py")
    theirs = duelbench.scalar_bandit([0.1, 0.2, 0.3], importlib.import_module("few_means").FEW)
    del sys.modules["few_means"]
    monkeypatch.setattr(trial, "folder_of_all", lambda: tmp_path)
    load(write(tmp_path, PLAIN))
    assert trial.is_due(registry.get("round-robin"), theirs)
    assert not trial.is_due(registry.get("round-robin"), duelbench.scalar_bandit([0.1, 0.2]))
    assert not trial.is_due(registry.get("rucb"), P)
    assert not trial.is_due(registry.get("commit"), P)


def test_states_of_compiled_code_lead_to_one_algorithm_only(tmp_path, load):
    two = COMPILED + "\nimport dataclasses\n@kernel\ndef other(state):\n    return 0\n"
    two += "\nOTHER = dataclasses.replace(COMMIT, id='other', recommend=other)\n"
    load(write(tmp_path, two))
    with pytest.raises(
        InputError, match=r"other: compiled functions are found by the class of the state, and State leads"
    ):
        for id in ("commit", "other"):
            dispatch.register(registry.get(id))
    ours = COMPILED.replace(
        "class State(NamedTuple):",
        "from duelbench.algorithms.exploration.uniform import State\nclass Unused(NamedTuple):",
    )
    with pytest.raises(
        InputError, match=r"State of duelbench\.algorithms\.exploration\.uniform leads to others than select \(.*:\d+\)"
    ):
        load(write(tmp_path, ours))
