"""What must hold for every algorithm of the registry, whatever it does; the transcription says where it cannot."""

from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms import registry
from tests.compiling import FEW
from tests.conformance.games import ORACLES

ROOT = Path(__file__).parents[2]
MSLR = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "mslr5-condorcet.csv")
CYCLE = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "multisol.csv")
CERTAIN = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)
ODD = {
    "two arms": [[0.5, 0.7], [0.3, 0.5]],
    "three arms and a tie": [[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]],
    "all equal": np.full((4, 4), 0.5),
    "deterministic order": CERTAIN,
    "deterministic cycle": [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]],
}
IDS = [id for id in registry.ids() if "duels" in registry.get(id).plays]
BITWISE = [id for id in IDS if id in ORACLES and not ORACLES[id].draws_differ]


def same(a, b):
    """Whether two traces are bitwise the same, decisions aside."""
    return (
        np.array_equal(a.rounds, b.rounds)
        and a.regret.tobytes() == b.regret.tobytes()
        and np.array_equal(a.duels, b.duels)
        and np.array_equal(a.recommended, b.recommended)
    )


def check_standing_decisions(id, matrices, horizon, batch):
    for matrix in matrices:
        options = {"horizon": horizon, "shuffle_arms": True, "feedback_batch": batch}
        on = duelbench.simulate(id, matrix, **options)
        off = duelbench.simulate(id, matrix, standing_decisions=False, **options)
        assert same(on, off), "say draws_differ=True in its Transcription if it draws otherwise, and compare the laws"
        assert on.decisions <= off.decisions == horizon


def check_longer_horizon(id, horizon, longer, batch):
    rounds = [1, 10, 100, horizon]
    short = duelbench.simulate(id, MSLR, horizon=horizon, checkpoints=rounds, feedback_batch=batch)
    long = duelbench.simulate(id, MSLR, horizon=longer, checkpoints=rounds, feedback_batch=batch)
    assert short.regret.tobytes() == long.regret[:, : len(rounds)].tobytes()
    assert np.array_equal(short.recommended, long.recommended[: len(rounds)])


def test_every_algorithm_says_what_it_is():
    for id, algorithm in registry.algorithms().items():
        assert algorithm.id == id and algorithm.name and algorithm.reference
        assert all(parameter.description for parameter in algorithm.parameters.values()), id
        assert algorithm.resolve({}) == {name: p.default for name, p in algorithm.parameters.items()}


@pytest.mark.parametrize("id", IDS)
class TestEveryAlgorithm:
    def test_plays_every_round_of_odd_problems(self, id):
        for matrix in ODD.values():
            for batch in (1, 7):
                trace = duelbench.simulate(id, matrix, horizon=80, shuffle_arms=True, feedback_batch=batch)
                assert trace.duels.sum() == 80 and 1 <= trace.decisions <= 80
                assert trace.recommended.min() >= 0 and trace.recommended.max() < len(matrix)
                assert np.all(np.diff(trace.regret, axis=1) >= 0)
        for horizon in (1, 2, 7):
            assert duelbench.simulate(id, MSLR, horizon=horizon).duels.sum() == horizon

    def test_plays_the_same_duels_with_the_same_seed_whatever_was_played_between(self, id):
        options = {"horizon": 120, "seed": 3, "shuffle_arms": True}
        trace = duelbench.simulate(id, MSLR, run=4, **options)
        duels = trace.duels.copy()
        other = duelbench.simulate(id, MSLR, run=5, **options)
        assert not np.array_equal(duels, other.duels)
        assert np.array_equal(duels, trace.duels)
        assert same(trace, duelbench.simulate(id, MSLR, run=4, **options))

    def test_sees_outcomes_only_and_only_those_that_have_arrived(self, id):
        close = np.where(np.eye(4) == 1, 0.5, np.where(CERTAIN == 1, 1 - 1e-12, 1e-12))
        a, b = (duelbench.simulate(id, P, horizon=120, seed=1) for P in (CERTAIN, close))
        assert np.array_equal(a.duels, b.duels)
        a, b = (duelbench.simulate(id, P, horizon=60, seed=2, feedback_batch=60) for P in (MSLR, CYCLE))
        assert np.array_equal(a.duels, b.duels)


@pytest.mark.parametrize("id", BITWISE)
def test_standing_decisions_change_nothing(id):
    check_standing_decisions(id, (ODD["three arms and a tie"], CERTAIN), horizon=160, batch=1)
    check_standing_decisions(id, (CYCLE,), horizon=160, batch=7)


@pytest.mark.thorough
@pytest.mark.parametrize("id", BITWISE)
def test_standing_decisions_change_nothing_in_thousands_of_rounds(id):
    for batch in (1, 7) if id in FEW else (1,):
        check_standing_decisions(id, (MSLR, CYCLE, *ODD.values()), horizon=5000, batch=batch)


@pytest.mark.parametrize("id", [id for id in IDS if registry.get(id).anytime])
def test_raising_the_horizon_keeps_what_came_before(id):
    check_longer_horizon(id, horizon=150, longer=300, batch=10)


@pytest.mark.thorough
@pytest.mark.parametrize("id", [id for id in IDS if registry.get(id).anytime])
def test_raising_the_horizon_to_twenty_thousand_keeps_what_came_before(id):
    for batch in (1, 10) if id in FEW else (1,):
        check_longer_horizon(id, horizon=1500, longer=20_000, batch=batch)


@pytest.mark.thorough
@pytest.mark.parametrize("id", [id for id in IDS if id in ORACLES and ORACLES[id].settles])
def test_a_billion_rounds_are_quick_when_nothing_is_left_to_learn(id):
    few = duelbench.simulate(id, CERTAIN, horizon=10**6)
    assert few.decisions < 900_000, "say settles=False in its Transcription if it decides in every round"
    trace = duelbench.simulate(id, CERTAIN, horizon=10**9)
    assert trace.duels.sum() == 10**9
    assert trace.decisions < 10**6
    assert trace.duels[0, 0] > 0.99 * 10**9
