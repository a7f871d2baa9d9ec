"""CW-RMED: its plans against constants derived by hand, enumerated linear programs and exact arithmetic."""

import math
from itertools import combinations

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.rmed.copeland_rmed import new_core
from duelbench.bandits.algorithms.rmed.cw_rmed import CW_RMED, MOST_ARMS, make_plan, new_plan
from duelbench.errors import InputError
from tests.conformance.literal.cw_rmed import constraints, inequalities, optimum, untied
from tests.conformance.players import state_after
from tests.optional_data import ROOT


def printed(matrix):
    return duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{matrix}.csv").P


class Planned:
    """What is known after some duels, and the plan made of it."""

    def __init__(self, n_arms, seed=0):
        self.n_arms = n_arms
        self.core = new_core(n_arms, np.random.default_rng(seed), 3.0, 0.01, "round", "R")
        self.plan = new_plan(n_arms)
        self.pairs = [tuple(pair) for pair in self.core.arms_of[: len(self.plan.costs.cost)].tolist()]

    def add(self, i, j, won, lost):
        """Count duels as the algorithm does, which keeps costs up to date."""
        state = CW_RMED.state(self.core, self.plan)
        CW_RMED.update(state, i, j, won, lost)

    @property
    def empirical(self):
        wins = self.core.evidence.wins
        return np.where(wins + wins.T > 0, wins / np.maximum(wins + wins.T, 1), 0.5)

    @property
    def winners(self):
        losses = self.core.evidence.losses
        return np.flatnonzero(losses == losses.min()).tolist()

    def make(self):
        """(constant, e in private order) of the plan."""
        core = self.core
        make_plan(core.evidence, core.arms_of, core.item_of, core.arm_order, self.plan)
        return self.taken()

    def taken(self):
        plan, size = self.plan, self.plan.memo[0].n_pairs
        e = np.zeros(len(plan.costs.cost))
        e[plan.item[:size]] = plan.draws[:size] / plan.costs.effort[plan.item[:size]]
        return float(plan.costs.cost @ e), e

    def exact(self):
        """(constant, e in private order) of the three stages, in whole numbers."""
        p = self.empirical
        pairs = untied(p, self.pairs)
        best, lowest, e = None, math.inf, None
        if not pairs:
            return next(i for i in self.core.arm_order if i in self.winners), 0.0, np.zeros(len(self.pairs))
        for i1 in self.core.arm_order:
            if i1 in self.winners:
                constant, shares = optimum(p, i1, pairs, *inequalities(constraints(p, i1), pairs))
                if best is None or constant < lowest * (1 - 1e-9):
                    best, lowest, e = i1, constant, shares
        return best, lowest, np.array([e[pair] for pair in self.pairs])


def planned(wins, seed=0):
    """After ``wins[i][j]`` victories of i over j."""
    wins = np.array(wins)
    result = Planned(len(wins), seed)
    for i, j in combinations(range(len(wins)), 2):
        if wins[i, j] + wins[j, i] > 0:
            result.add(i, j, wins[i, j], wins[j, i])
    return result


def random_wins(rng, n_arms, plays):
    wins = rng.integers(0, plays, (n_arms, n_arms))
    return wins - np.diag(np.diag(wins))


class TestConstant:
    """With 1,000 duels per pair, won exactly as often as the matrix says, the constants are those of the matrix."""

    @pytest.mark.parametrize(
        ("matrix", "winner", "constant"),
        [
            ("cyclic", 0, 27.5487),
            ("gap", 0, 11.0249),
            ("mslr5-condorcet", 0, 66.7693),
            ("mslr5-noncondorcet", 1, 261.955),
            ("strong-borda", 0, 138.787),
            ("noncondorcet-strong-borda", 0, 161.957),
            ("noncondorcet-cyclic", None, 62.3241),
            ("arxiv", 0, 172.554),
            ("sushi16", 0, 142.608),
        ],
    )
    def test_of_published_matrices(self, matrix, winner, constant):
        P = printed(matrix)
        case = planned(np.rint(1000 * P * (1 - np.eye(len(P)))).astype(np.int64))
        assert case.make()[0] == pytest.approx(constant, rel=1e-5)
        assert winner is None or case.plan.memo[0].winner == winner


class TestPlan:
    @pytest.mark.parametrize(
        ("n_arms", "plays", "count"),
        [(2, 3, 20), (3, 3, 60), (4, 3, 60), (5, 3, 40), (4, 30, 40), (5, 1000, 40), (6, 4, 10)],
    )
    def test_is_the_canonical_optimum(self, n_arms, plays, count):
        # With few duels per pair many costs are equal, zero, or in no constraint.
        rng = np.random.default_rng([n_arms, plays])
        several = 0
        for seed in range(count):
            case = planned(random_wins(rng, n_arms, plays), seed)
            constant, e = case.make()
            winner, lowest, expected = case.exact()
            assert case.plan.memo[0].winner == winner
            assert constant == pytest.approx(lowest, rel=1e-9)
            assert e == pytest.approx(expected, abs=1e-9)
            several += len(case.winners) > 1
        assert 0 < several < count

    def test_is_the_canonical_optimum_where_costs_span_eight_orders_of_magnitude(self):
        rng = np.random.default_rng(5)
        widest = 0
        for seed in range(60):
            n = 10 ** rng.integers(1, 6, (5, 5))
            wins = np.tril(n + rng.integers(0, 2, (5, 5)) * n // 2, -1) + np.triu(n.T - rng.integers(0, 4, (5, 5)), 1)
            case = planned(np.maximum(wins, 0), seed)
            _, e = case.make()
            winner, _, expected = case.exact()
            assert case.plan.memo[0].winner == winner
            assert e == pytest.approx(expected, abs=1e-9)
            if case.plan.costs.cost.max() > 0:
                widest = max(widest, case.plan.costs.cost.max() / case.plan.costs.cost[case.plan.costs.cost > 0].min())
        assert widest > 1e8


class TestOneDuelAfterAnother:
    @pytest.mark.thorough
    @pytest.mark.parametrize("matrix", ["cyclic", "gap", "mslr5-condorcet", "sushi16"])
    def test_no_program_is_given_up(self, matrix):
        states = [state_after(CW_RMED, printed(matrix), 10**5, run) for run in range(3)]
        assert [state.plan.memo[0].n_given_up for state in states] == [0, 0, 0]
        assert all(0 < state.plan.memo[0].n_solved < 1000 for state in states)


@pytest.mark.thorough
def test_on_the_gap_matrix_typical_regret_grows_as_the_bound_and_ecw_rmeds_a_hundred_times_as_fast():
    # C* = 11.02, C^E* = 1252.5. A few runs cost much more: see docs/studies/cw-rmed.md.
    cw, ecw = (
        np.median(
            [
                duelbench.simulate(
                    id, printed("gap"), horizon=10**6, run=run, shuffle_arms=True, checkpoints=[10**4]
                ).regret[0]
                for run in range(60)
            ],
            axis=0,
        )
        for id in ("cw-rmed", "ecw-rmed")
    )
    assert (cw[1] - cw[0]) / math.log(100) == pytest.approx(11.02, rel=0.1)
    assert ecw[1] > 50 * cw[1]


def test_refuses_more_arms_than_fit_into_memory():
    with pytest.raises(InputError, match=f"takes {MOST_ARMS} arms at most, not 500; ecw-rmed has no such limit"):
        duelbench.simulate("cw-rmed", np.full((500, 500), 0.5), horizon=10)
