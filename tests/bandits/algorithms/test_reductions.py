"""Doubler, MultiSBM, Sparring, Self-Sparring: rules against formulas and laws derived by hand; growth."""

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.reductions import DOUBLER, MULTISBM, SELF_SPARRING, SPARRING
from duelbench.bandits.algorithms.ucb_bandits import largest_index, new_machines, observe, sure_rounds
from tests.bandits.algorithms.comparing import assert_pairs, state_after

STRONG_ORDER = np.where(np.triu(np.ones((4, 4)), 1) > 0, 0.9, np.where(np.eye(4) > 0, 0.5, 0.1))
FOUR_LINEAR = 0.5 + 0.1 * (np.arange(4)[None, :] - np.arange(4)[:, None])


class TestSelfSparring:
    @pytest.mark.parametrize(("eta", "p"), [(1, 5 / 6), (2, 19 / 20)])
    def test_after_one_duel_the_law_is_the_one_derived_by_hand(self, eta, p):
        # eta = 1: P(Beta(2, 1) > Beta(1, 2)) = int 2x (1 - (1 - x)^2) dx = 4/3 - 1/2 = 5/6, in each of the two places;
        # eta = 2: P(Beta(3, 1) > Beta(1, 3)) = int 3x^2 (1 - (1 - x)^3) dx = 1 - 3 B(3, 4) = 19/20.
        state = state_after(SELF_SPARRING, 2, {(0, 1): 1}, eta=eta)
        law = {(0, 0): p * p, (0, 1): p * (1 - p), (1, 0): p * (1 - p), (1, 1): (1 - p) ** 2}
        assert_pairs(SELF_SPARRING, state, 2, law)

    def test_a_self_duel_counts_as_a_win_and_a_loss_or_not_at_all(self):
        for self_update, expected in ((True, [0, 3]), (False, [0, 0])):
            state = state_after(SELF_SPARRING, 2, {}, self_update=self_update)
            SELF_SPARRING.update(state, 1, 1, 2, 1)
            assert state.wins.tolist() == state.losses.tolist() == expected


GROWTH = {  # R(20000) / R(5000) on a strict order; ln 20000 / ln 5000 = 1.16, its square 1.35
    "doubler": (DOUBLER, {}, 1.3, 2.1),
    "multisbm": (MULTISBM, {}, 1.05, 1.45),
    "sparring": (SPARRING, {}, 1.05, 1.5),
    "sparring-ts": (SPARRING, {"machine": "ts"}, 1.0, 1.4),
    "self-sparring": (SELF_SPARRING, {}, 1.0, 1.4),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", GROWTH)
def test_regret_grows_slowly_where_there_is_an_order_and_is_linear_without_a_condorcet_winner(name):
    algorithm, parameters, low, high = GROWTH[name]

    def growth(P, runs):
        traces = [
            duelbench.simulate(algorithm, P, horizon=20_000, run=run, checkpoints=[5000], **parameters)
            for run in range(runs)
        ]
        early, late = np.mean([trace.regret[0] for trace in traces], axis=0)
        return late / early

    assert low < growth(STRONG_ORDER, 15) < high
    assert 3.7 < growth(duelbench.PreferenceMatrix.load("noncondorcet-cyclic"), 6) < 4.5


def test_a_machine_knows_which_arms_it_never_played_in_whatever_order_it_is_told():
    rng = np.random.default_rng(4)
    for _ in range(20):
        machines = new_machines(2, 7)
        waiting = []
        for t in range(1, 40):
            for m in (0, 1):
                fresh = machines.fresh[m, : machines.n_fresh[m]]
                assert fresh.tolist() == np.flatnonzero(machines.plays[m] == 0).tolist()
                arm = largest_index(machines, m, t, rng)
                assert len(fresh) == 0 or arm in fresh
                waiting.append((m, arm))
            while len(waiting) > rng.integers(0, 9):  # told late, and not in the order in which they were asked
                observe(machines, *waiting.pop(rng.integers(0, len(waiting))), rng.integers(0, 2), 1)
        assert machines.total.tolist() == machines.plays.sum(axis=0).tolist()
        assert machines.observed.tolist() == machines.plays.sum(axis=1).tolist()


def test_a_machine_that_learns_late_of_another_arm_chooses_among_all_again():
    machines = new_machines(1, 2)
    observe(machines, 0, 0, 50, 50)
    observe(machines, 0, 1, 10, 90)
    rng = np.random.default_rng(0)
    assert largest_index(machines, 0, 1, rng) == 0
    assert sure_rounds(machines, 0) > 10
    observe(machines, 0, 0, 0, 1)
    observe(machines, 0, 1, 400, 0)  # 0.82 + sqrt(2.5 ln 602 / 500) is more than 50/101 + sqrt(2.5 ln 602 / 101)
    assert sure_rounds(machines, 0) == 1
    assert largest_index(machines, 0, 1, rng) == 1
    assert machines.mean[0].tolist() == [50 / 101, 410 / 500]
