"""The script that compares published programs passes a correct program and tells a wrong one."""

import runpy

import pytest

from tests.docs.following import ROOT

SCRIPT = ROOT / "docs" / "studies" / "audit" / "audit.py"

TOY = """
import duelbench

name = "toy"
claims = "rucb"
horizon = 200
runs = 8


def play(duel, n_arms, horizon, seed):
    arms = [str(arm) for arm in range(n_arms)]
    session = duelbench.Session("rucb", arms, seed=seed, stop=False, self_duels=True, orders="first")
    while True:
        pair = session.ask()
        first, second = pair
        session.tell(pair, first if {outcome} else second)
"""


@pytest.fixture(scope="module")
def audit():
    return runpy.run_path(str(SCRIPT))["audit"]


def row_of(audit, path, text):
    path.write_text(text)
    return audit(path)


def test_the_algorithm_itself_passes_and_one_that_reads_outcomes_wrongly_is_told(audit, tmp_path):
    right = row_of(audit, tmp_path / "right.py", TOY.format(outcome="duel(int(first), int(second))"))
    assert "no difference seen" in right and "linear" not in right
    wrong = row_of(audit, tmp_path / "wrong.py", TOY.format(outcome="not duel(int(first), int(second))"))
    assert "another (p = " in wrong and ": linear" in wrong


@pytest.mark.parametrize(
    ("body", "message"),
    [("duel(0, 5)", "in round 1 it duels 0 with 5; arms are 0 to 4"), ("duel(0, 1)", "it stopped after 1 of 40 duels")],
)
def test_a_program_that_goes_wrong_is_told_with_its_round(audit, tmp_path, body, message):
    text = f"name, claims, horizon, runs = 'toy', 'rucb', 10, 2\ndef play(duel, n_arms, horizon, seed):\n    {body}\n"
    with pytest.raises(SystemExit, match=message):
        row_of(audit, tmp_path / "toy.py", text)


def test_the_interval_of_the_growth_is_fiellers(audit):
    """The second is 1 throughout, so the ends are those of the mean of the first: 2 and t = 2.365 by sqrt(1 / 7)."""
    import numpy as np

    growth = runpy.run_path(str(SCRIPT))["growth"]
    ratio, low, high = growth(np.array([1.0, 3.0] * 4), np.ones(8))
    assert (ratio, round(low, 3), round(high, 3)) == (2.0, 1.106, 2.894)
