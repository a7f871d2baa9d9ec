"""Each check finds what it is for in an algorithm that is wrong in this respect and in no other."""

import re

import pytest
from typer.testing import CliRunner

from duelbench.bandits.algorithms import registry
from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.experiments.plugins import checking, starting
from duelbench.experiments.plugins.checking import findings
from tests.plug_ins import COMPILED, PLAIN, write
from tests.selection import quick

PEEKING = """
import sys

def peek():
    frame = sys._getframe()
    while "P" not in frame.f_locals or "terms" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["P"][0, 1]


class State"""

DECISION = "    return first, second, 1\n"
BEGINNING = "    n_arms = len(state.wins)\n    bonus"
ANY_PAIR = "    return int(n_arms * rng.random()), int(n_arms * rng.random()), "

WRONG = {
    "two values": (
        [(DECISION, "    return first, second\n")],
        "plays 300 rounds of five arms",
        r"select \(.*rule\.py:\d+\) returned .* it must return three whole numbers",
    ),
    "a fraction among whole numbers": (
        [("[second, first] += second_wins", "[second, first] += second_wins / 2")],
        "plays 300 rounds of five arms",
        r"0\.5 is stored in an array of whole numbers, which cuts off the fraction \(.*rule\.py:\d+, in update",
    ),
    "global random numbers": (
        [(DECISION, f"    np.random.random()\n{DECISION}")],
        "plays 300 rounds of five arms",
        r"it drew from the global generator .*rule\.py:\d+: `np\.random\.random\(\)`",
    ),
    "random numbers of its own": (
        [(BEGINNING, f"    rng = np.random.default_rng()\n{BEGINNING}")],
        "the same seed plays the same duels",
        r"run twice with the same seed, \(\d, \d\) is dueled \d+ times, and then \d+ times; draw from rng only.*"
        r"rule\.py:\d+: `rng = np\.random\.default_rng\(\)`",
    ),
    "memory outside of the state": (
        [
            ("class State", "seen = []\n\n\nclass State"),
            (BEGINNING, f"    seen.append(t)\n    t = len(seen)\n{BEGINNING}"),
        ],
        "the same seed plays the same duels",
        r"keep what it remembers in the state, which start makes: select \(.*rule\.py:\d+\)",
    ),
    "a recommendation that is remembered": (
        [("    best = 0\n", "    best = 0\n    state.wins[0, 1] += 1\n")],
        "recommend changes nothing",
        r"after every round or only at the end, .*; it must change nothing: recommend \(.*rule\.py:\d+\)",
    ),
    "a look at probabilities of 1": (
        [("class State", PEEKING), (DECISION, "    second = first if peek() == 1.0 else second\n" + DECISION)],
        "sees outcomes and not the matrix",
        r"on two matrices whose duels end alike, .*it may learn from update only: select \(.*rule\.py:\d+\)",
    ),
    "a look at other probabilities": (
        [("class State", PEEKING), (DECISION, "    second = first if 0.65 < peek() < 0.75 else second\n" + DECISION)],
        "knows nothing before outcomes are delivered",
        r"before any outcome is delivered, .*it may learn from update only: select \(.*rule\.py:\d+\)",
    ),
    "decisions that stand though duels would change them": (
        [(DECISION, "    return first, second, 4\n")],
        "standing decisions play the same duels as round by round",
        r"more than 1 round is right only if it would decide the same in each of them.*: select \(.*rule\.py:\d+\)",
    ),
    "three arms at least": (
        [(DECISION, f"    state.possible[2] = 0\n{DECISION}")],
        "copes with two arms, ties, certain duels, no Condorcet winner, late outcomes",
        r"two arms, outcomes at once: IndexError: .*rule\.py:\d+, in select: `state\.possible\[2\] = 0`\); start makes",
    ),
    "a list of horizons that is too short": (
        [('names."""\n', 'names."""\n    np.zeros(horizon)[7]\n')],
        "copes with fewer rounds than pairs",
        r"1 rounds of five arms: IndexError: .*rule\.py:\d+, in start: `np\.zeros\(horizon\)\[7\]`",
    ),
    "a horizon that matters": (
        [("np.int64), alpha)", "np.int64), alpha * horizon)")],
        "a longer horizon keeps what came before, if it is anytime",
        r"from round \d+ on; set anytime=False, or make it the same: start \(.*rule\.py:\d+\)",
    ),
}
"""What is wrong -> the edits that make it so, the only check that is to find it, and what it says."""


@pytest.fixture
def rule(tmp_path, monkeypatch, load):
    """``rule(*edits)`` is the algorithm that `duelbench new` writes, edited."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "GROWTH_ROUNDS", {False: 500})
    monkeypatch.setattr(checking, "GROWTH_RUNS", 2)
    template = starting.write_algorithm("rule").read_text()

    def edited(*edits):
        text = template
        for old, new in edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (id,) = load(write(tmp_path, text, "rule.py"))
        return registry.get(id)

    return edited


QUICK = [list(WRONG)[k] for k in (1, 4, 8)]


@pytest.mark.parametrize("what", quick(WRONG, *QUICK))
def test_a_mistake_is_found_by_its_check_alone(rule, what):
    edits, check, said = WRONG[what]
    found = {one.check: one.message for one in findings(rule(*edits)) if one.outcome == "wrong"}
    assert list(found) == [check], found
    assert re.search(said, found[check]), found[check]


def test_linear_regret_and_what_is_refused_are_remarks(rule):
    refusing = '    if n_arms < 3:\n        raise ValueError("it needs three arms")\n    return State('
    found = {
        one.check: one
        for one in findings(
            rule(
                (BEGINNING, f"    n_arms = len(state.wins)\n{ANY_PAIR}1\n{BEGINNING}"), ("    return State(", refusing)
            )
        )
    }
    assert {one.outcome for one in found.values()} == {"ok", "remark"}
    odd = found["copes with two arms, ties, certain duels, no Condorcet winner, late outcomes"]
    assert re.match(r"it refuses two arms, outcomes at once: it needs three arms \(.*rule\.py:\d+", odd.message)
    assert "R(1_000) / R(500) = " in found["regret does not look linear"].message


@pytest.mark.thorough
def test_standing_decisions_may_draw_otherwise_if_the_law_is_the_same(tmp_path, monkeypatch, load):
    """The duels of a decision are one binomial number, and so other draws."""
    monkeypatch.setattr(checking, "GROWTH_ROUNDS", {False: 500})
    monkeypatch.setattr(checking, "GROWTH_RUNS", 2)
    (id,) = load(write(tmp_path, PLAIN.replace("Parameter(10,", "Parameter(100,")))
    assert {one.outcome for one in findings(registry.get(id))} == {"ok"}


def test_the_command_ends_with_2_where_something_is_wrong_and_0_where_nothing_is(rule):
    rule()
    done = CliRunner().invoke(app, ["check", "rule.py"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == ["rule", *(f"  ok      {check}" for check in checking.CHECKS)]
    rule(*WRONG["memory outside of the state"][0])
    done = CliRunner().invoke(app, ["check", "rule.py"])
    assert isinstance(done.exception, InputError) and done.exception.exit_code == 2
    assert str(done.exception) == "rule.py: 1 check found something wrong"
    assert done.stdout.splitlines()[2] == "  wrong   the same seed plays the same duels"


@pytest.mark.thorough
def test_a_compiled_algorithm_that_is_wrong_interpreted_is_not_played_compiled(tmp_path, load):
    path = write(tmp_path, COMPILED.replace("state.wins[second, first] +=", "state.wins[second, first + 99] +="))
    done = CliRunner().invoke(app, ["check", str(path)])
    assert isinstance(done.exception, InputError) and str(done.exception).endswith("it was not run compiled")
    assert re.search(r"IndexError: .*commit\.py:\d+, in update: .*start makes wins \(5, 5\)", done.stdout), done.stdout


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ((BEGINNING, f"    while t > 40:\n        time.sleep(0.01)\n{BEGINNING}"), r"round 41 .*\(.*, in select: `"),
        (
            ("    return State(", "    while True:\n        time.sleep(0.01)\n    return State("),
            r"start .*, in start: `",
        ),
    ],
)
def test_an_endless_loop_ends_the_checks_with_its_round_and_line(rule, monkeypatch, edit, message):
    monkeypatch.setattr(checking, "ROUND_SECONDS", 1.0)
    *_, last = findings(rule(("import math\n", "import math\nimport time\n"), edit))
    assert last.outcome == "wrong" and list(checking.CHECKS).index(last.check) == 0
    assert re.match(message.replace(" .*", r" did not return within 1 seconds .*", 1), last.message), last.message
