"""An audit passes the algorithm itself, tells another one, and says what is wrong with an adapter."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import duelbench
from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.plugins import auditing
from tests.selection import quick

OWN = """
import math
import numpy as np
from duelbench.algorithms import registry
from duelbench.kernels.interpreting import interpreted

claims = "{claims}"
chosen = registry.get("{plays}")

class Own:
    def __init__(self, n_arms, horizon, seed):
        self.rng, self.t = np.random.default_rng(seed), 0
        self.state = chosen.start(n_arms, horizon, self.rng, False, **chosen.resolve({{}}))
    def choose(self):
        self.t += 1
        with interpreted(math.inf):
            return chosen.select(self.state, self.t, self.rng)[:2]
    def observe(self, first, second, first_won):
        if first != second:
            with interpreted(math.inf):
                chosen.update(self.state, first, second, int(first_won), 1 - int(first_won))

def new(n_arms, horizon, seed):
    return Own(n_arms, horizon, seed)
"""

SWAPPED = """
from dataclasses import dataclass
claims = "rucb"

def play(duel, n_arms, horizon, seed):
    while True:
        duel(0, 1)
"""


@pytest.fixture
def adapter(tmp_path):
    def write(text, name="adapter.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


P = duelbench.PreferenceMatrix([[0.5, 0.7, 0.8], [0.3, 0.5, 0.7], [0.2, 0.3, 0.5]])


def test_another_algorithm_is_told(adapter):
    other = auditing.load_adapter(adapter(OWN.format(claims="rucb", plays="random")))
    found = auditing.audit(other, P, 150, 8, seed=1)
    assert found.is_other_law and found.is_linear
    assert found.parting is not None and found.parting.share > 0.1


def test_programs_that_ask_for_duels_themselves_are_ended_at_the_horizon(adapter):
    program = auditing.load_adapter(adapter(SWAPPED))
    played = auditing.history(program, P, 10, seed=0)
    assert played.first.tolist() == [0] * 10 and played.second.tolist() == [1] * 10
    assert auditing.history(program, P, 10, seed=0, rounds=4).first_won.tolist() == played.first_won[:4].tolist()


@pytest.mark.parametrize("id", quick(["rucb", "d-ts-plus"], "rucb"))
def test_the_algorithm_itself_passes(adapter, id):
    own = auditing.load_adapter(adapter(OWN.format(claims=id, plays=id)))
    found = auditing.audit(own, P, 40, 4, seed=1)
    assert found.parting is None and found.traced == 160
    assert not found.is_other_law and not found.is_linear


def test_the_first_choice_that_the_algorithm_would_not_make_is_named(monkeypatch):
    """Arm 0 has won all of 60 duels with arm 1: it is the champion of RUCB, which has nobody else to duel it."""
    monkeypatch.setattr(auditing, "MANY_LOOKS", 300)
    played = auditing.History(np.array([0] * 60 + [1]), np.array([1] * 60 + [1]), np.ones(61, bool))
    rucb = duelbench.algorithms()["rucb"]
    parting = auditing.first_parting(rucb, rucb.resolve({}), played, 2, seed=0)
    assert parting is not None
    assert parting.pair == (0, 1) or parting.round == 61
    assert parting.looks == auditing.LOOKS + auditing.MANY_LOOKS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"say what it claims to be, by an id"),
        ("claims = 'rcub'", r"claims = 'rcub': .*did you mean 'rucb'"),
        ("claims = 'rucb'; parameters = {'alhpa': 1}", r"parameters: .*did you mean 'alpha'"),
        ("claims = 'rucb'", r"define one of new\(n_arms, horizon, seed\)"),
        ("import no_such_package", r"cannot be loaded: No module named 'no_such_package' \(.*adapter.py:1"),
    ],
)
def test_what_is_wrong_with_an_adapter_is_named(adapter, text, said):
    with pytest.raises(InputError, match=said):
        auditing.load_adapter(adapter(text))


PLAY = "def play(duel, n_arms, horizon, seed): "
NEW = "def new(*_): return Own()\nclass Own:\n    def choose(self): return "


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (f"{PLAY}duel(0, 3)", r"in round 1: it duels 0 with 3; arms are 0 to 2"),
        (f"{PLAY}duel(0, True)", r"it duels 0 with True; arms are 0 to 2"),
        (f"{PLAY}duel(0, 1); 1 / 0", r"in round 2: division by zero \(.*adapter.py:2, in play"),
        (f"{PLAY}duel(0, 1)", r"it stopped after 1 of 10 duels"),
        (f"{NEW}3", r"choose \(.*adapter.py:4.* returned .*; it must return two arms"),
    ],
)
def test_a_program_that_goes_wrong_is_told_with_its_round_and_line(adapter, body, said):
    program = auditing.load_adapter(adapter(f"claims = 'rucb'\n{body}"))
    with pytest.raises(InputError, match=said):
        auditing.history(program, P, 10, seed=0)


def test_the_command_says_all_of_it(adapter, monkeypatch):
    monkeypatch.setattr(auditing, "MANY_LOOKS", 100)
    path = adapter(OWN.format(claims="rucb", plays="random"))
    result = CliRunner().invoke(
        app, ["audit", str(path), "--matrix", "cyclic", "--horizon", "20", "--runs", "2", "--json"]
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["claims"] == "rucb" and found["rounds"] == [20, 40, 80]
