"""The engine plays what the algorithm decides, against the matrix, and counts it."""

import dataclasses
import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms.contract import NEVER, SEVERAL, Algorithm
from duelbench.bandits.problem.regret import loss
from duelbench.bandits.simulation.streams import streams
from duelbench.bandits.simulation.trace import log_checkpoints
from duelbench.errors import InputError
from tests.selection import quick

P = np.array([[0.5, 0.7, 0.6], [0.3, 0.5, 0.9], [0.4, 0.1, 0.5]])


class Script(NamedTuple):
    """State of an algorithm that plays given decisions over and over, and writes down what it is told."""

    decisions: list
    told: list
    calls: list


def scripted(*decisions, reads_self_duels=False, recommends=lambda state: 0):
    """An algorithm in plain Python that plays ``decisions``; its state can be read afterwards."""
    state = Script(list(decisions), [], [])

    def select(state, t, rng):
        state.calls.append(t)
        return state.decisions[(len(state.calls) - 1) % len(state.decisions)]

    def update(state, first, second, first_wins, second_wins):
        state.told.append((state.calls[-1], first, second, first_wins, second_wins))

    algorithm = Algorithm(
        id="scripted",
        name="Scripted",
        assumes="nothing",
        anytime=True,
        parameters={},
        reference="these tests",
        state=Script,
        start=lambda n_arms, horizon, rng, standing: state,
        select=select,
        update=update,
        recommend=recommends,
        reads_self_duels=reads_self_duels,
        compiled=False,
    )
    return algorithm, state


def test_regret_is_the_loss_of_the_pairs_played():
    algorithm, _ = scripted((0, 1, 1), (2, 2, 3))
    trace = duelbench.simulate(algorithm, P, horizon=7, regret=("copeland", "weak"), checkpoints=[1, 2, 3, 4, 5, 6, 7])
    pairs = [(0, 1), (2, 2), (2, 2), (2, 2), (0, 1), (2, 2), (2, 2)]
    for row, name in enumerate(("copeland", "weak")):
        assert trace.regret[row].tolist() == pytest.approx(np.cumsum([loss(name, P)[pair] for pair in pairs]))
    assert trace.duels.tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 5]]
    assert trace.decisions == 4


@pytest.mark.parametrize("n_arms", quick([3, 33], 3))
def test_regret_is_the_sum_over_all_pairs_in_order_to_the_last_bit(n_arms):
    rng = np.random.default_rng(n_arms)
    upper = np.triu(rng.uniform(0.3, 0.7, (n_arms, n_arms)), 1)
    matrix = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
    for rounds in (1, 300):
        trace = duelbench.simulate("random", matrix, horizon=rounds, seed=rounds, regret=("copeland", "borda"))
        for row, name in enumerate(("copeland", "borda")):
            total = 0.0
            for i in range(n_arms):
                for j in range(n_arms):
                    total += trace.duels[i, j] * loss(name, matrix)[i, j]
            assert trace.regret[row, -1] == total


def test_a_decision_stands_without_end_at_no_cost():
    algorithm, state = scripted((1, 1, NEVER))
    trace = duelbench.simulate(algorithm, P, horizon=10**12)
    assert trace.duels[1, 1] == 10**12
    assert trace.decisions == 1 and state.calls == [1] and state.told == []


def test_without_standing_decisions_every_round_is_decided():
    algorithm, state = scripted((1, 1, NEVER))
    assert duelbench.simulate(algorithm, P, horizon=50, standing_decisions=False).decisions == 50
    assert state.calls == list(range(1, 51))


def test_a_batch_is_reported_once_and_adds_up():
    algorithm, state = scripted((0, 1, 1000))
    duelbench.simulate(algorithm, P, horizon=3000)
    assert [told[:3] for told in state.told] == [(1, 0, 1), (1001, 0, 1), (2001, 0, 1)]
    assert all(won + lost == 1000 for *_, won, lost in state.told)


def test_a_batch_that_the_horizon_cuts_short_is_played_but_not_reported():
    algorithm, state = scripted((0, 1, 1000))
    trace = duelbench.simulate(algorithm, P, horizon=1500)
    assert trace.duels[0, 1] == 1500
    assert len(state.told) == 1


def test_self_duels_are_fair_coins_for_those_who_read_them():
    algorithm, state = scripted((1, 1, 1), reads_self_duels=True)
    duelbench.simulate(algorithm, P, horizon=2000)
    assert len(state.told) == 2000
    assert stats.binomtest(sum(told[3] for told in state.told), 2000, 0.5).pvalue > 1e-3


def test_outcomes_of_a_batch_arrive_together_after_every_so_many_rounds():
    algorithm, state = scripted((0, 1, 1), (1, 2, 1), (0, 1, 1), (2, 2, 1))
    duelbench.simulate(algorithm, P, horizon=21, feedback_batch=10)
    assert [told[:3] for told in state.told] == [(10, 0, 1), (10, 1, 2), (20, 0, 1), (20, 1, 2)]
    assert [won + lost for *_, won, lost in state.told] == [5, 3, 5, 2]


def test_a_standing_decision_is_asked_again_when_news_arrives():
    algorithm, state = scripted((0, 1, 1), (2, 2, NEVER), (2, 2, NEVER))
    duelbench.simulate(algorithm, P, horizon=1000, feedback_batch=10)
    assert state.calls[:3] == [1, 2, 11]
    assert state.told[0][:3] == (2, 0, 1)


def sharing(*shares):
    """An algorithm by which arm a duels itself with probability ``shares[a]``, in every round."""
    algorithm, _ = scripted((SEVERAL, SEVERAL, NEVER))
    return dataclasses.replace(algorithm, self_duel_probability=lambda state, arm: shares[arm])


def test_self_duels_of_several_arms_are_shared_out_round_by_round():
    algorithm = sharing(0.2, 0.0, 0.8)
    counts = np.array([np.diag(duelbench.simulate(algorithm, P, horizon=100, run=run).duels) for run in range(300)])
    assert np.all(counts.sum(axis=1) == 100) and np.all(counts[:, 1] == 0)
    assert abs(counts[:, 0].mean() - 20) < 4 * np.sqrt(16 / 300)
    assert 10 < counts[:, 0].var() < 24  # binomial: 16


def test_the_regret_at_a_checkpoint_is_that_of_the_arms_that_dueled_until_then():
    trace = duelbench.simulate(sharing(0.5, 0.25, 0.25), P, horizon=64, checkpoints=list(range(1, 65)))
    steps = np.diff(trace.regret[0], prepend=0.0)
    copeland = loss("copeland", duelbench.PreferenceMatrix(P))
    assert set(np.round(steps, 9)) <= set(np.round(np.diag(copeland), 9))
    assert trace.regret[0, -1] == pytest.approx(np.sum(trace.duels * copeland))


def test_who_shares_nothing_out_may_not_answer_several():
    algorithm, _ = scripted((SEVERAL, SEVERAL, 10))
    with pytest.raises(ValueError, match="does not share the rounds out"):
        duelbench.simulate(algorithm, P, horizon=20)


def drawing(probability, **options):
    """An algorithm that plays the pair (i, j) in every round with probability ``probability(i, j)``."""
    algorithm, _ = scripted((0, 0, 1))
    functions = {
        "update": lambda *news: None,
        "pair_probability": lambda state, first, second: probability(first, second),
    }
    return dataclasses.replace(algorithm, **functions, **options)


@pytest.mark.parametrize("share", [0.12, math.nan])
def test_probabilities_of_pairs_that_do_not_add_up_to_one_end_the_run(share):
    with pytest.raises(ValueError, match="probabilities of the pairs do not add up to 1"):
        duelbench.simulate(drawing(lambda first, second: share), P, horizon=100, checkpoints=[100])


def test_recommendations_are_of_the_checkpoint_and_in_the_matrix_own_order():
    def recommends(state):
        return len(state.told) % 3

    algorithm, _ = scripted((0, 1, 1), recommends=recommends)
    trace = duelbench.simulate(algorithm, P, horizon=5, checkpoints=[1, 2, 3, 4, 5], run=2, shuffle_arms=True)
    arms = streams(0, 2).arms.permutation(3)
    assert trace.recommended.tolist() == [arms[k % 3] for k in (1, 2, 3, 4, 5)]


SENSELESS = {
    (3, 0, 1): "there is no arm 3: the arms are 0 to 2",
    (0, -1, 1): "there is no arm -1: the arms are 0 to 2",
    (0, 1, 0): "a decision is for at least 1 round",
    (0, 1): "it must return three whole numbers",
    (0, 1.5, 1): "it must return three whole numbers",
}


@pytest.mark.parametrize("decision", SENSELESS)
def test_a_decision_that_makes_no_sense_stops_the_run_which_says_its_round_and_place(decision):
    algorithm, _ = scripted((0, 1, 1), (1, 2, 1), decision)
    with pytest.raises(ValueError, match="returned") as caught:
        duelbench.simulate(algorithm, P, horizon=5)
    said = str(caught.value)
    assert said.startswith("select (")
    assert f"test_engine.py:{algorithm.select.__code__.co_firstlineno})" in said
    assert f") returned {decision} in round 3" in said
    assert SENSELESS[decision] in said


@pytest.mark.parametrize(("answer", "says"), [(3, "the arms are 0 to 2"), (-1, "the arms are 0 to 2"), ("a", "an arm")])
def test_a_recommendation_that_makes_no_sense_stops_the_run_which_says_when(answer, says):
    algorithm, state = scripted((0, 1, 1), recommends=lambda state: answer if len(state.told) > 3 else 0)
    with pytest.raises(ValueError, match=says) as caught:
        duelbench.simulate(algorithm, P, horizon=9, checkpoints=list(range(1, 10)))
    assert f"returned {answer!r}" in str(caught.value)
    assert len(state.told) == 4 and (answer == "a" or "after round 4" in str(caught.value))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"horizon": 0}, "horizon must be a whole number"),
        ({"horizon": "1e5"}, "horizon must be a whole number .*, got '1e5'; leave out the quotation marks"),
        ({"horizon": float("inf")}, "horizon must be a whole number"),
        ({"horizon": True}, "horizon must be a whole number"),
        ({"checkpoints": [11]}, "each of the checkpoints must be a whole number from 1 to 10, got 11"),
        ({"checkpoints": [2, 10, 10]}, "checkpoints must increase, but 10 comes after 10"),
        ({"checkpoints": ["a"]}, "each of the checkpoints must be"),
        ({"checkpoints": None}, "checkpoints must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"run": "x"}, "run must be a whole number"),
        ({"feedback_batch": 0}, "feedback_batch must be"),
        ({"shuffle_arms": "no"}, "shuffle_arms must be True or False"),
        ({"standing_decisions": None}, "standing_decisions must be True or False"),
        ({"regret": []}, "regret must be the name"),
        ({"regret": "condorcet"}, "Condorcet winner"),
        ({"alpha": 0.0}, "alpha must be > 0"),
        ({"algorithm": "rucbb"}, "did you mean 'rucb'"),
        ({"algorithm": 3}, "algorithm must be an id"),
        ({"algorithm": P, "problem": "rucb"}, "the algorithm comes first"),
        ({"problem": "/no/too.csv"}, "/no/too.csv: there is no such file"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    cycle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    given = {"algorithm": "rucb", "problem": cycle, "horizon": 10, **arguments}
    with pytest.raises(InputError, match=message):
        duelbench.simulate(given.pop("algorithm"), given.pop("problem"), **given)


def test_checkpoints_increase_to_the_horizon():
    for horizon in (1, 2, 3, 10, 999, 10**12):
        for count in (1, 2, 3, 50, 1000):
            rounds = log_checkpoints(horizon, count)
            assert rounds[-1] == horizon and rounds[0] >= 1 and len(rounds) <= count
            assert np.all(np.diff(rounds) > 0) and (count < 2 or rounds[0] == 1)
