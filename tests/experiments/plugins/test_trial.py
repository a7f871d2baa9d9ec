"""Compiled code that is not ours is tried before it is trusted, and its mistakes are told with their lines."""

import importlib
import re
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace

import pytest

import duelbench
from duelbench.bandits.algorithms import dispatch, registry
from duelbench.errors import InputError
from duelbench.experiments.plugins import mistakes, player, trial
from tests.experiments.execution.experiments import write_spec
from tests.plug_ins import COMPILED, DECISION, PLAIN, write

P = duelbench.PreferenceMatrix([[0.5, 0.6, 0.7], [0.4, 0.5, 0.8], [0.3, 0.2, 0.5]])

WINNER = "    winner = leader(state.wins)\n"

FOUND = {
    "outside of an array": (
        ("state.wins[first, second] +=", "state.wins[first, second + 1000000] +="),
        r"IndexError: index 1000001 is out of bounds .*plug\.py:\d+, in update: .*; start makes wins \(3, 3\)",
    ),
    "a typo in a field": (("missing = state.each", "missing = state.eech"), r"'eech' \(.*in select: .*did you mean"),
    "a field that is set": (
        ("state.wins[second, first] += second_wins", "state.each += 1"),
        r"can't set attribute \(.*plug\.py:\d+, in update: .*; fields cannot be set",
    ),
    "a fraction among whole numbers": (
        ("state.wins[second, first] += second_wins", "state.wins[second, first] += second_wins / 4"),
        r"^\d+\.[257]+ is stored in an array of whole numbers.*plug\.py:\d+, in update: .*np\.float64",
    ),
    "a division by zero": (
        (WINNER, f"    won = 1 // (t - t)\n{WINNER}"),
        r"ZeroDivisionError: .* \(.*plug\.py:36, in select: ",
    ),
    "a list in the state": (
        ("np.int64), each)", "np.int64), [each])"),
        r"start \(.*plug\.py:\d+\) .*list .*field each",
    ),
    "an array of objects in the state": (
        ("np.int64), each)", "object), each)"),
        r"start \(.*plug\.py:\d+\) puts an array of Python objects into the field wins",
    ),
    "an arm that does not exist": (
        ("return winner, winner, NEVER", "return winner + 10, winner, NEVER"),
        r"select \(.*plug\.py:\d+\) returned .* in round 31; there is no arm 1\d: the arms are 0 to 2",
    ),
    "global random numbers": (
        (WINNER, f"    np.random.random()\n{WINNER}"),
        r"global generator \(np\.random\).* \(.*plug\.py:36: ",
    ),
}
"""What is wrong with a plug-in -> the edit that makes it so, and what the interpreter says of it."""


@pytest.mark.parametrize("name", FOUND)
def test_the_interpreter_names_the_line_and_what_to_do(tmp_path, load, name):
    (old, new), says = FOUND[name]
    assert old in COMPILED
    (id,) = load(write(tmp_path, COMPILED.replace(old, new), "plug.py"))
    said = mistake_in(id, 50)
    assert re.search(says, said), said
    assert "\n" not in said and len(said) < 450


def mistake_in(id, horizon):
    """What the process of a player would find; here without compiling."""
    outcome = player.played(registry.get(id), player.Order({"horizon": horizon}, P, is_interpreted=True))
    return None if outcome.trace else outcome.message


def test_nothing_is_found_in_what_is_right(tmp_path, load):
    (id,) = load(write(tmp_path, COMPILED))
    assert mistake_in(id, 50) is None


UNCOMPILABLE = {
    "None for a number": (("best, most = 0, -1", "best = None\n    most = -1"), r"may be None \(.*plug\.py:19: "),
    "no @kernel": (
        ("@kernel\ndef leader", "def leader"),
        r"leader, .*plug\.py:\d+: .*write @kernel, of duelbench\.plugin, above def leader",
    ),
    "an array": ((WINNER, f"    scores = np.zeros(3)\n{WINNER}"), r"cannot make arrays.*plug\.py:\d+: `scores = "),
    "a name that nothing has": (
        (WINNER, f"    if t > 10**9:\n        return no_such_name\n{WINNER}"),
        r"^name 'no_such_name' is not defined \(.*plug\.py:37: `return no_such_name`\)",
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", UNCOMPILABLE)
def test_what_cannot_be_compiled_is_told_apart(tmp_path, load, monkeypatch, name):
    (old, new), says = UNCOMPILABLE[name]
    assert old in COMPILED
    load(write(tmp_path, COMPILED.replace(old, new), "plug.py"))
    monkeypatch.setenv(trial.VARIABLE, "1")
    with pytest.raises(mistakes.UNCOMPILABLE) as caught:
        duelbench.simulate("commit", P, horizon=10)
    said = mistakes.described(caught.value, registry.get("commit"), "compiled")
    assert re.search(says, said), said
    assert "\n" not in said and len(said) < 450


@pytest.mark.compiled
def test_what_cannot_be_handed_over_to_a_trial_is_refused_in_one_sentence(tmp_path, load, monkeypatch):
    load(write(tmp_path, COMPILED))
    known = registry.get("commit")
    lock = threading.Lock()

    def start(n_arms, horizon, rng, standing, *, each):
        return known.start(n_arms, horizon, rng, lock and standing, each=each)

    monkeypatch.setattr(trial, "_mistakes", {})
    monkeypatch.setattr(trial, "folder_of_all", lambda: tmp_path)
    with pytest.raises(InputError, match=r"^commit: something that it uses cannot be handed over .*; keep it in"):
        duelbench.simulate(replace(known, start=start), P, horizon=10)


@pytest.mark.thorough
def test_a_process_that_dies_in_its_trial_takes_nobody_with_it(tmp_path, load):
    load(write(tmp_path, COMPILED.replace("    return State(", "    import os\n    os._exit(3)\n    return State(")))
    for _ in range(2):  # the second time from memory
        with pytest.raises(InputError, match=r"commit: it ended its process \(exit code 3\)"):
            duelbench.simulate("commit", P, horizon=10)


@pytest.mark.compiled
def test_a_trial_is_made_once_for_the_same_sources(tmp_path, load, monkeypatch):
    made = []
    monkeypatch.setattr(trial, "mistake_in", lambda *arguments: made.append(arguments))
    monkeypatch.setattr(trial, "folder_of_all", lambda: tmp_path)
    for text, count in ((COMPILED, 1), (COMPILED, 1), (COMPILED + "edited = True", 2)):
        load(write(tmp_path / str(len(text)), text))
        algorithm = registry.get("commit")
        monkeypatch.setattr(trial, "_mistakes", {})
        assert trial.is_due(algorithm, P) == (count > len(made))
        for _ in range(2):
            trial.require(algorithm, P, {"horizon": 1000})
        assert len(made) == count and not trial.is_due(algorithm, P)


@pytest.mark.compiled
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
        "from duelbench.bandits.algorithms.exploration.uniform import State\nclass Unused(NamedTuple):",
    )
    with pytest.raises(
        InputError,
        match=r"State is a class of duelbench \(.*\.uniform\), so select \(.*:\d+\) would not be called",
    ):
        load(write(tmp_path, ours))


@pytest.mark.compiled
def test_a_plug_in_that_writes_outside_of_its_arrays_is_refused_and_nothing_is_written(tmp_path, load, capfd):
    old, new = FOUND["outside of an array"][0]
    load(write(tmp_path, COMPILED.replace(old, new)))
    with pytest.raises(InputError, match=r"^commit: IndexError: index 1000001 is out of bounds .*commit\.py:4"):
        duelbench.run(write_spec(tmp_path, algorithms=["commit", "random"]), tmp_path / "results", jobs=1)
    assert capfd.readouterr().err == "trying commit (first use of this code) ...\n"
    assert not (tmp_path / "results").exists()


@pytest.mark.thorough
def test_what_only_compiled_code_does_is_found_in_its_trial(tmp_path, load):
    body = (
        "    for k in range(9):\n        t *= 1000003\n    return (0, 1, 1) if t > 0 else (1, 0, 1)\n"  # beyond 64 bits
    )
    begins, ends = COMPILED.index("    for i in range(state.wins.shape[0]):"), COMPILED.index("@kernel\ndef update")
    load(write(tmp_path, COMPILED[:begins] + body + "\n\n" + COMPILED[ends:]))
    with pytest.raises(InputError, match=r"compiled, it chooses differently than interpreted from round \d+ on"):
        duelbench.simulate("commit", P, horizon=10**5)


OWN = """
{code}

import duelbench
from duelbench.errors import InputError

if __name__ == "__main__":
    for _ in range(2):  # the second time from memory
        try:
            duelbench.simulate(COMMIT, [[0.5, 0.6], [0.4, 0.5]], horizon=10)
        except InputError as error:
            print(error)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("place", ["in the program", "in a function"])
def test_code_of_the_program_itself_is_tried(tmp_path, place):
    code = COMPILED.replace(*FOUND["outside of an array"][0])
    if place == "in a function":
        begins = code.index("class State")
        body = textwrap.indent(code[begins:], "    ") + "\n    return COMMIT\n"
        code = code[:begins] + "\ndef made():\n" + body + "\nCOMMIT = made()\n"
    write(tmp_path, OWN.format(code=code), "own.py")
    done = subprocess.run([sys.executable, "own.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    refused = done.stdout.splitlines()
    assert len(refused) == 2
    assert all(re.match(r"commit: IndexError: index 1000001 .*\(own\.py:\d+, in update: ", line) for line in refused)


def test_code_that_never_ends_is_observed_for_a_short_time_only(tmp_path, load, monkeypatch):
    load(write(tmp_path, PLAIN.replace("    return State(", "    import time\n    time.sleep(300)\n    return State(")))
    monkeypatch.setattr(trial, "OBSERVED_SECONDS", 0.5)
    started = time.monotonic()
    assert not trial.observe(registry.get("commit"), P, {"horizon": 100})
    assert time.monotonic() - started < 30
    assert trial.is_observed(registry.get("commit"), P)
