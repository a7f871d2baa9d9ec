"""What the transcriptions' games do not show: late outcomes, places, answers that there is no winner, refusals."""

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NO_WINNER
from duelbench.algorithms.identification.batched_elimination import BATCHED_ELIMINATION, batch_sizes
from duelbench.algorithms.identification.borda.active_ranking import ACTIVE_RANKING
from duelbench.algorithms.identification.borda.secs import BR, SECS
from duelbench.errors import InputError
from tests.algorithms.identification.games import CERTAIN, begin, decision, runs_of

CERTAIN_CIRCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])
BORDA = pytest.mark.parametrize("id", ["active-ranking", "lucb-borda"])


@pytest.mark.parametrize("degree", [2, 3, 5, 7])
def test_batches_grow_by_whole_roots_that_are_not_rounded_down(degree):
    for base in (10, 11, 999):
        assert batch_sizes(base**degree, degree) == [base**r for r in range(1, degree + 1)]


def test_where_all_arms_leave_after_a_batch_there_is_no_winner():
    # 1/2 > sqrt(ln(2 * 16 / 0.05) / (2m)) iff m > 12.9, and so after the third batch, m = 13.
    for trace in runs_of(BATCHED_ELIMINATION, CERTAIN_CIRCLE, 3, horizon=10**6):
        assert trace.finished - 1 == 3 * 13 and trace.answer == NO_WINNER


def test_late_outcomes_of_a_batch_are_waited_for_and_cost_no_duel_of_two_arms():
    # 1/2 > sqrt(ln(3 * 16 / 0.05) / (2m)) iff m > 13.7: four batches, m = 31. After each of them the next outcomes are
    # there in six rounds at most.
    trace = duelbench.simulate(BATCHED_ELIMINATION, CERTAIN, horizon=10**6, feedback_batch=7, shuffle_arms=True)
    assert trace.duels.sum() - np.trace(trace.duels) == 6 * 31
    assert 186 <= trace.finished - 1 <= 186 + 4 * 6


def test_batches_of_more_duels_than_numbers_hold_are_played():
    trace = duelbench.simulate(BATCHED_ELIMINATION, np.full((40, 40), 0.5), horizon=10**15, batches=1)
    assert trace.duels.sum() == 10**15 and trace.finished == 0


def test_iir_ranks_all_arms():
    P = np.triu(np.ones((6, 6)), 1) + 0.5 * np.eye(6)
    for trace in runs_of("iir", P, 5):
        assert trace.places.tolist() == [0, 1, 2, 3, 4, 5] and trace.explored[-1] == 0


@BORDA
def test_places_are_those_of_the_k_best(id):
    for k, expected in ((1, [0, 1, 1, 1]), (2, [0, 0, 1, 1]), (3, [0, 0, 0, 1])):
        (trace,) = runs_of(id, CERTAIN, 1, k=k)
        assert trace.places.tolist() == expected and trace.answer < k


@BORDA
def test_as_many_arms_as_there_are_and_a_delta_without_intervals_are_refused(id):
    for k in (4, 9):
        with pytest.raises(InputError, match=f"from 1 to 3, got {k}"):
            duelbench.simulate(id, CERTAIN, horizon=10, k=k)
    with pytest.raises(InputError, match="too large for its confidence intervals"):
        duelbench.simulate(id, [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.5)
    duelbench.simulate(id, [[0.5, 0.7], [0.3, 0.5]], horizon=10, delta=0.4)


def test_late_outcomes_of_active_ranking_are_judged_by_the_fewest_samples():
    for fewest, active in ((2, 2), (1000, 0)):
        state, _ = begin(ACTIVE_RANKING, 2)
        ACTIVE_RANKING.update(state, 0, 1, 1000, 0)
        ACTIVE_RANKING.update(state, 1, 0, 0, fewest)
        state.progress[0].turn = 2
        decision(ACTIVE_RANKING, state)
        assert ACTIVE_RANKING.explored(state) == active


@pytest.mark.parametrize("algorithm", [BR, SECS], ids=lambda algorithm: algorithm.id)
def test_a_turn_of_secs_ends_when_its_outcomes_are_there(algorithm):
    state, rng = begin(algorithm, 3, seed=4)
    duels = [decision(algorithm, state, rng=rng)]
    while (latest := decision(algorithm, state, rng=rng))[0] != latest[1]:
        duels.append(latest)
    best = int(state.order[0])
    assert latest == decision(algorithm, state, rng=rng) == (best, best, 1)
    for arm, opponent, _ in duels:
        algorithm.update(state, arm, opponent, 0, 1)
    first, second, _ = decision(algorithm, state, rng=rng)
    assert first != second and state.progress[0].turn == 2


def test_a_budget_is_shared_out_among_the_matches():
    order = 0.5 + 0.1 * np.subtract.outer(range(5), range(5))[::-1, ::-1]
    for trace in runs_of("select", order, 2, horizon=100, checkpoints=[100], budget=43):
        assert trace.finished - 1 == 40
    with pytest.raises(InputError, match="a budget of 3 duels is too small"):
        duelbench.simulate("select", order, horizon=100, budget=3)
