"""Kelly elimination: whom it tries, when it ends, and that names of arms are nothing to it."""

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.contract import NEVER, NO_WINNER
from duelbench.algorithms.identification.kelly_elimination import KELLY_ELIMINATION
from duelbench.problem.preferences import PreferenceMatrix

CYCLIC = PreferenceMatrix.load("cyclic").P
RUNS = 200


def simulate(P, run=0, **options):
    return duelbench.simulate(KELLY_ELIMINATION, P, horizon=10**7, seed=1, run=run, **options)


def begun(n_arms, seed=0, delta=0.05):
    rng = np.random.default_rng(seed)
    return KELLY_ELIMINATION.start(n_arms, 100, rng, True, delta=delta), rng


def decisions(state, rng, wins):
    """Decisions in which the first arm wins where ``wins`` says so."""
    played = []
    for t, won in enumerate(wins, start=1):
        first, second, rounds = KELLY_ELIMINATION.select(state, t, rng)
        played.append((int(first), int(second), int(rounds)))
        if rounds != NEVER:
            KELLY_ELIMINATION.update(state, first, second, int(won), int(not won))
    return played


def test_with_two_arms_it_ends_when_the_rule_does_and_the_answer_duels_itself():
    state, rng = begun(2)
    played = decisions(state, rng, [True] * 20)
    end = next(k for k, (first, second, _) in enumerate(played) if first == second)
    winner = state.order[0]
    assert played[:end] == [(winner, state.order[1], 1)] * end
    assert played[end:] == [(winner, winner, NEVER)] * (20 - end)
    assert KELLY_ELIMINATION.explored(state) == 0
    assert KELLY_ELIMINATION.answer(state) == KELLY_ELIMINATION.recommend(state) == winner


def test_a_circle_has_no_winner_and_an_arm_is_recommended_all_the_same():
    circle = np.array([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    state, rng = begun(3)
    for t in range(1, 2000):
        first, second, rounds = KELLY_ELIMINATION.select(state, t, rng)
        if rounds == NEVER:
            break
        won = int(rng.random() < circle[first, second])
        KELLY_ELIMINATION.update(state, first, second, won, 1 - won)
    assert rounds == NEVER and first == second
    assert KELLY_ELIMINATION.recommend(state) == first in range(3)
    assert KELLY_ELIMINATION.answer(state) in (NO_WINNER, 0, 1, 2)


@pytest.fixture(scope="module")
def runs():
    return [simulate(CYCLIC, run, shuffle_arms=True) for run in range(RUNS)]


def test_cyclic_takes_the_duels_that_the_page_says(runs):
    """The page: 76.3 +- 0.9 of 2000 runs, with a standard deviation of 42; four standard errors of 200 runs."""
    mean = np.mean([run.finished - 1 for run in runs])
    assert abs(mean - 76.3) <= 4 * 42 / RUNS**0.5


def test_answers_are_right_but_for_delta(runs):
    """Not more wrong answers of 200 than a share of 5% exceeds once in a thousand."""
    assert sum(run.recommended[-1] != 0 for run in runs) <= 20
