"""Claims about the asymptotic lower bounds."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.errors import InputError
from duelbench.problem import copeland_solver
from duelbench.problem.bounds import KINDS, lower_bound, regret_factor
from duelbench.problem.copeland_program import divergence_to_half, least_sums, new_program
from duelbench.problem.copeland_solver import solve
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.regret import loss
from duelbench.problem.winners import condorcet_winner, copeland_winners
from tests.optional_data import optional
from tests.problem.literal_bounds import Instance, by_constraint_generation, divergence, least_cost
from tests.selection import quick

MATRICES = Path(__file__).parents[2] / "matrices"
NAMES = sorted(file.stem for file in MATRICES.glob("*.csv"))


def shipped(name: str) -> PreferenceMatrix:
    return PreferenceMatrix.load(MATRICES / f"{name}.csv")


def random_matrix(rng, n_arms, least_gap=0.01, share_of_ties=0.0):
    """Signs and gaps drawn at random; the first arm is a Condorcet winner in every third one."""
    gaps = np.triu(rng.uniform(least_gap, 0.5, (n_arms, n_arms)) * rng.choice([-1, 1], (n_arms, n_arms)), 1)
    if rng.random() < 1 / 3:
        gaps[0] = np.abs(gaps[0])
    gaps[rng.random(gaps.shape) < share_of_ties] = 0
    return 0.5 + gaps - gaps.T


def random_matrices(count, seed, sizes, **how):
    rng = np.random.default_rng(seed)
    return [random_matrix(rng, int(rng.integers(*sizes)), **how) for _ in range(count)]


# --- every constraint, written out ---


@pytest.mark.parametrize("matrices", quick([50, 300], 50))
def test_c_star_is_the_least_cost_under_all_constraints(matrices):
    cases = 0
    for P in random_matrices(matrices, seed=1, sizes=(2, 6)):
        instance = Instance(P)
        for winner in instance.winners:
            expected, _ = least_cost(instance, instance.constraints(winner))
            assert lower_bound(P, winner=winner).constant == pytest.approx(expected, rel=1e-6, abs=1e-9)
            cases += 1
    assert cases > 1.1 * matrices


def test_its_draws_satisfy_all_constraints_and_cost_what_it_says():
    for P in random_matrices(100, seed=2, sizes=(2, 6)):
        bound = lower_bound(P)
        weights = bound.draws * divergence_to_half(P - 0.5)
        assert np.array_equal(bound.draws, bound.draws.T)
        assert weights.min() >= 0
        assert weights.max() <= 1 + 1e-12
        for pairs in Instance(P).constraints(bound.winner):
            assert sum(weights[pair] for pair in pairs) >= 1 - 1e-9
        spent = np.triu(bound.draws * loss("copeland", P)).sum()
        assert spent == pytest.approx(bound.constant, rel=1e-12)


def test_ecw_is_the_least_cost_under_its_own_constraints():
    for P in random_matrices(200, seed=3, sizes=(2, 7)):
        instance = Instance(P)
        for winner in instance.winners:
            expected, _ = least_cost(instance, instance.efficient_constraints(winner))
            bound = lower_bound(P, "ecw", winner=winner)
            assert bound.constant == pytest.approx(expected, rel=1e-6, abs=1e-9)
            assert np.triu(bound.draws * loss("copeland", P)).sum() == pytest.approx(bound.constant, rel=1e-12)


def test_ties_are_left_out_of_every_constraint():
    for P in random_matrices(150, seed=4, sizes=(2, 6), share_of_ties=0.3):
        instance = Instance(P)
        for winner in instance.winners:
            expected, _ = least_cost(instance, instance.constraints(winner))
            assert lower_bound(P, winner=winner).constant == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_oracle_finds_the_least_sum_of_every_family():
    rng = np.random.default_rng(5)
    for P in random_matrices(60, seed=6, sizes=(3, 6)):
        instance = Instance(P)
        weights = rng.uniform(0, 0.5, P.shape).round(1)  # with equal ones
        weights = np.triu(weights, 1) + np.triu(weights, 1).T
        for winner in instance.winners:
            every = [sum(weights[pair] for pair in pairs) for pairs in instance.constraints(winner)]
            least = least_sums(new_program(P, winner), weights).min()
            assert least == pytest.approx(min(every, default=math.inf))


@pytest.mark.parametrize("n_arms", [8, 12, 17])
def test_more_arms_agree_with_constraints_generated_one_by_one(n_arms):
    for P in random_matrices(6, seed=n_arms, sizes=(n_arms, n_arms + 1)):
        instance = Instance(P)
        for winner in instance.winners:
            expected = by_constraint_generation(instance, winner)
            assert lower_bound(P, winner=winner).constant == pytest.approx(expected, rel=1e-6, abs=1e-9)


# --- what the paper proves ---


def test_theorem_6_what_ecw_rmed_needs_is_never_less_and_the_same_with_several_winners():
    several = apart = 0
    for P in [*random_matrices(250, seed=7, sizes=(3, 12)), *(shipped(name).P for name in NAMES)]:
        winners = Instance(P).winners
        for winner in winners:
            optimal, efficient = (lower_bound(P, kind, winner=winner).constant for kind in ("copeland", "ecw"))
            assert efficient >= optimal * (1 - 1e-9)
            if len(winners) > 1:
                assert optimal == pytest.approx(efficient, rel=1e-8, abs=1e-9)
                several += 1
            else:
                apart += efficient > 1.01 * optimal
    assert several > 50
    assert apart > 50


def test_the_constant_is_the_least_of_the_winners():
    bound = lower_bound(shipped("mslr5-noncondorcet"))
    assert {arm: round(constant, 1) for arm, constant in bound.constants.items()} == {0: 727.1, 1: 262.0, 2: 9114.4}
    assert (bound.winner, bound.constant) == (1, bound.constants[1])


def test_cyclic_by_hand_as_in_appendix_c():
    # Half of the weight on each of the six pairs: 3 (1/3) / (2 d(.6)) + 3 (2/3) / (2 d(.9)).
    near, far = divergence(0.6), divergence(0.9)
    optimal, efficient = lower_bound(shipped("cyclic")), lower_bound(shipped("cyclic"), "ecw")
    assert optimal.constant == pytest.approx(1 / (2 * near) + 1 / far, rel=1e-12)
    assert optimal.draws[0, 1:] == pytest.approx([1 / (2 * near)] * 3)
    assert [optimal.draws[1, 2], optimal.draws[2, 3], optimal.draws[3, 1]] == pytest.approx([1 / (2 * far)] * 3)
    assert efficient.constant == pytest.approx(1 / near, rel=1e-12)
    assert efficient.draws[0, 1:] == pytest.approx([1 / near] * 3)
    assert efficient.draws[1:, 1:].sum() == 0


def test_table_4_of_the_paper():
    values = [lower_bound(shipped("cyclic"), kind).constant for kind in ("copeland", "ecw", "ccb")]
    assert [f"{value:.2f}" for value in values] == ["27.55", "49.66", "1600.00"]


def test_the_gap_matrix_has_a_ratio_above_100():
    P = shipped("gap")
    optimal = lower_bound(P)
    assert lower_bound(P, "ecw").constant / optimal.constant > 100
    # Nothing is spent on the pair of gap 0.01, which ECW-RMED has to draw 1 / d times.
    assert optimal.draws[0, 3] == 0
    assert lower_bound(P, "ecw").draws[0, 3] == pytest.approx(1 / divergence(0.51))


# C*, C^E*, CCB, Condorcet, RMED1: to as many digits as they are known.
VALUES = {
    "cyclic": ("27.5487", "49.6635", "1600", "0.8151", "7.4495"),
    "gap": ("11.0249", "1252.511", "3.0e5", None, None),
    "mslr5-condorcet": ("66.7693", "66.7693", "2.0e5", "11.153", "11.153"),
    "mslr5-noncondorcet": ("261.9545", "261.9545", "5.56e6", None, None),
    "strong-borda": ("138.787", "249.582", "8000", "5.295", "19.967"),
    "noncondorcet-strong-borda": ("161.957", "219.6325", "14400", None, None),
    "noncondorcet-cyclic": ("62.3241", "62.3241", "10800", None, None),
    "arxiv": ("172.554", "186.338", "inf", "20.735", "20.735"),
    "sushi16": ("142.608", "143.368", "4.44e5", "34.040", "35.249"),
}


def same_digits(value: float, printed: str) -> bool:
    """Whether a value rounds to what is printed."""
    if printed == "inf":
        return math.isinf(value)
    mantissa, _, power = printed.partition("e")
    decimals = len(mantissa.partition(".")[2])
    scale = 10.0 ** int(power or 0)
    return abs(value - float(printed)) <= 0.5001 * scale * 10.0**-decimals


@pytest.mark.parametrize("name", VALUES)
def test_known_values(name):
    P = shipped(name)
    for kind, printed in zip(("copeland", "ecw", "ccb", "condorcet", "rmed1"), VALUES[name], strict=True):
        if printed is None:
            with pytest.raises(InputError, match="needs a Condorcet winner and there is none"):
                lower_bound(P, kind)
        else:
            assert same_digits(lower_bound(P, kind).constant, printed), (kind, lower_bound(P, kind).constant)


def test_cyclic_loses_cheaply_within_its_circle():
    # Arm 1 (0-based) is shown not to be the Condorcet winner by arm 3, 2 by 1 and 3 by 2: (.1 + .1) / (2 d(.9)) each.
    bound = lower_bound(shipped("cyclic"), "condorcet")
    assert bound.constant == pytest.approx(3 * 0.1 / divergence(0.9))
    drawn = {tuple(pair) for pair in np.argwhere(np.triu(bound.draws)).tolist()}
    assert drawn == {(1, 3), (1, 2), (2, 3)}
    assert np.triu(bound.draws * loss("condorcet", shipped("cyclic"))).sum() == pytest.approx(bound.constant)


MSLR = {
    "wu2016 K = 16, Condorcet": ("454.17", "454.17", "1.41e6", "70.97"),
    "wu2016 K = 32, Condorcet": ("719.36", "719.36", "5.78e6", "130.40"),
    "wu2016 K = 16, non-Condorcet": ("760.84", "760.84", "4.02e6", None),
    "wu2016 K = 32, non-Condorcet": ("2272.4", "2272.4", "7.52e8", None),
    "zoghi2015/wu2016 K = 5, Condorcet": ("66.2654", "66.2654", "2.002e5", "11.120"),
    "zoghi2015/wu2016 K = 5, non-Condorcet": ("259.107", "259.107", "4.51e6", None),
}


@pytest.mark.parametrize("name", MSLR)
def test_known_values_of_the_mslr_subsets(name):
    subsets = json.loads(optional("data", "mslr", "subsets.json").read_text())
    whole = PreferenceMatrix.load(optional("data", "mslr", "MSLR_Informational_PMat.npz"))
    subset = subsets[name]
    P = whole.submatrix([ranker - subset["index_base"] for ranker in subset["rankers"]])
    for kind, printed in zip(("copeland", "ecw", "ccb", "condorcet"), MSLR[name], strict=True):
        if printed is not None:
            assert same_digits(lower_bound(P, kind).constant, printed), (kind, lower_bound(P, kind).constant)


# --- small and special matrices ---


def test_two_arms():
    bound = lower_bound([[0.5, 0.8], [0.2, 0.5]])
    assert bound.constant == pytest.approx(0.5 / divergence(0.8))
    assert (bound.winner, bound.constants) == (0, {0: bound.constant})
    assert lower_bound([[0.5, 0.8], [0.2, 0.5]], "condorcet").constant == pytest.approx(0.15 / divergence(0.8))


def test_a_linear_order_of_three_by_hand():
    # x_1 = 1 shows that arm 1 does not beat arm 0; arm 2 loses to arm 0 or to arm 1, whichever is cheaper.
    def order(p02, p12):
        return np.array([[0.5, 0.7, p02], [0.3, 0.5, p12], [1 - p02, 1 - p12, 0.5]])

    first = (1 / 4) / divergence(0.7)
    against_best, against_second = (2 / 4) / divergence(0.7), (3 / 4) / divergence(1.0)
    assert lower_bound(order(0.7, 0.7)).constant == pytest.approx(first + against_best)
    assert lower_bound(order(0.7, 1.0)).constant == pytest.approx(first + against_second)
    assert against_second < against_best


def test_a_circle_of_three_costs_nothing():
    bound = lower_bound([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])
    assert bound.constants == {0: 0.0, 1: 0.0, 2: 0.0}
    assert bound.certificate.gap == 0


def test_probabilities_of_0_and_1_are_finite():
    assert lower_bound([[0.5, 1.0], [0.0, 0.5]]).constant == pytest.approx(0.5 / math.log(2))


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_arms_does_not_matter(kind):
    rng = np.random.default_rng(8)
    for P in random_matrices(30, seed=9, sizes=(3, 9)):
        if kind in ("condorcet", "rmed1") and condorcet_winner(P) is None:
            continue
        order = rng.permutation(len(P))
        before, after = lower_bound(P, kind), lower_bound(P[np.ix_(order, order)], kind)
        assert after.constant == pytest.approx(before.constant, rel=1e-8)
        there = {int(order[arm]): constant for arm, constant in after.constants.items()}
        assert there == pytest.approx(before.constants, rel=1e-8)


def test_ties_are_named():
    bound = lower_bound(shipped("arxiv"))
    assert len(bound.notes) == 1
    assert "1 tied pair (p = 1/2) is left out" in bound.notes[0]
    assert "a winner" not in bound.notes[0]
    assert lower_bound(shipped("arxiv"), "condorcet").notes == ()
    assert math.isinf(lower_bound(shipped("arxiv"), "ccb").constant)


@pytest.mark.parametrize("n_arms", [2, 3])
def test_a_matrix_of_ties_alone_has_nothing_to_prove(n_arms):
    bound = lower_bound(np.full((n_arms, n_arms), 0.5))
    assert bound.constant == 0
    assert "no finite constant may do" in bound.notes[0]


def test_a_winner_that_beats_nobody():
    # Arm 0 ties with everybody, so that none beats it; arms 1 and 2 beat each other's rival in turn.
    P = [[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.8, 0.2], [0.5, 0.2, 0.5, 0.8], [0.5, 0.8, 0.2, 0.5]]
    assert lower_bound(P).constant == 0
    assert copeland_winners(P) == (1, 2, 3)


# --- the certificate ---


def test_the_certificate_is_a_proof():
    for P in random_matrices(60, seed=10, sizes=(2, 6)):
        bound = lower_bound(P)
        certificate = bound.certificate
        instance = Instance(P)
        expected, _ = least_cost(instance, instance.constraints(bound.winner))
        assert certificate.dual_bound <= bound.constant
        assert certificate.dual_bound <= expected * (1 + 1e-6) + 1e-9
        assert certificate.gap <= 1e-9
        assert certificate.is_tight
        assert certificate.least_sum >= 1 - 1e-12


def test_active_constraints_are_constraints_and_hold_with_equality():
    for P in random_matrices(40, seed=11, sizes=(3, 6)):
        bound = lower_bound(P)
        constraints = Instance(P).constraints(bound.winner)
        weights = bound.draws * divergence_to_half(P - 0.5)
        active = bound.certificate.active()
        assert bool(active) == bool(constraints)
        for constraint in active:
            pairs = {(bound.winner, j) for j in constraint.inferiors}
            pairs |= {(constraint.rival, j) for j in constraint.superiors}
            assert frozenset((min(pair), max(pair)) for pair in pairs) in constraints
            assert constraint.total == pytest.approx(1, abs=1e-6)
            assert sum(weights[pair] for pair in pairs) == pytest.approx(1, abs=1e-6)


def test_near_ties_leave_no_gap():
    # Gaps from 1e-8 to 1/2 on a logarithmic scale: costs vary by a factor of 1e14.
    rng = np.random.default_rng(12)
    for _ in range(60):
        n_arms = int(rng.integers(3, 16))
        gaps = 10 ** rng.uniform(-8, math.log10(0.5), (n_arms, n_arms)) * rng.choice([-1, 1], (n_arms, n_arms))
        gaps = np.triu(gaps, 1)
        bound = lower_bound(0.5 + gaps - gaps.T)
        assert bound.certificate.gap <= 1e-8
        assert bound.certificate.least_sum >= 1 - 1e-12
        assert bound.notes == ()


def test_a_failing_solver_is_reported_and_its_bounds_still_hold(monkeypatch):
    monkeypatch.setattr(copeland_solver, "_solve_restricted", lambda *_: None)
    bound = lower_bound(shipped("gap"))
    assert bound.constant == pytest.approx(1252.511, rel=1e-6)  # of ECW-RMED's draws, which are always enough
    assert (bound.certificate.dual_bound, bound.certificate.gap) == (0, 1)
    assert not bound.certificate.is_tight
    assert "lies between 0 and 1252.51" in bound.notes[0]


def test_wrong_multipliers_cannot_claim_too_much(monkeypatch):
    import scipy.optimize

    rng = np.random.default_rng(14)
    cases = [(P, lower_bound(P).constants) for P in random_matrices(100, seed=15, sizes=(3, 9))]
    true_linprog = scipy.optimize.linprog

    def boasting(*arguments, **options):
        result = true_linprog(*arguments, **options)
        factors = rng.uniform(0, 2, len(result.ineqlin.marginals)) if rng.random() < 0.3 else rng.uniform(0.5, 3)
        result.ineqlin.marginals *= factors
        return result

    monkeypatch.setattr(scipy.optimize, "linprog", boasting)
    wide = 0
    for P, true in cases:
        for winner, constant in true.items():
            solution = solve(new_program(P, winner))
            assert solution.bound <= constant * (1 + 1e-8) + 1e-9
            wide += solution.bound < 0.9 * constant
    assert wide > 50


@pytest.mark.parametrize("kind", ["circle", "winner of random duels", "order"])
def test_64_arms_are_proven_in_no_time(kind):
    rng = np.random.default_rng(13)
    n_arms = 64
    gaps = np.triu(rng.uniform(0.01, 0.49, (n_arms, n_arms)), 1)
    if kind == "winner of random duels":
        gaps[1:] *= rng.choice([-1, 1], gaps[1:].shape)
    if kind == "circle":  # arm 0 beats 63 arms, each of which beats the next 31
        ahead = (np.arange(63)[np.newaxis] - np.arange(63)[:, np.newaxis]) % 63
        gaps[1:, 1:] = np.triu(np.where(ahead <= 31, 0.4, -0.4), 1)
        gaps[0, 1:] = 0.1
    bound = lower_bound(0.5 + gaps - gaps.T)
    assert bound.certificate.gap <= 1e-9
    assert bound.certificate.n_rounds < 40
    weights = bound.draws * divergence_to_half(gaps - gaps.T)
    instance = Instance((0.5 + gaps - gaps.T).tolist())
    assert not instance.violated(bound.winner, {pair: weights[pair] for pair in instance.pairs}, tolerance=1e-8)


def test_divergence_next_to_a_half_is_accurate():
    # d = 2 g^2 + (4/3) g^4 + ...
    for gap in (1e-3, 1e-5, 1e-9):
        assert divergence_to_half(np.array(gap)) == pytest.approx(2 * gap**2 + 4 / 3 * gap**4, rel=1e-10)
    for p in (0.6, 0.9, 0.999, 1.0):
        assert divergence_to_half(np.array(p - 0.5)) == pytest.approx(divergence(p), rel=1e-12)


# --- the interface ---


def test_lower_bound_is_public():
    bound = duelbench.lower_bound(shipped("cyclic"), "copeland")
    assert (f"{bound.constant:.2f}", bound.winner, bound.draws.shape) == ("27.55", 0, (4, 4))
    assert duelbench.lower_bound is lower_bound


def test_a_wrong_kind_is_answered_with_the_nearest():
    with pytest.raises(InputError, match=r"there is no bound 'copland' \(did you mean 'copeland'\?\)"):
        lower_bound(shipped("cyclic"), "copland")


@pytest.mark.parametrize("kind", ["copeland", "ecw", "condorcet"])
def test_a_proof_for_an_arm_that_has_not_won_is_refused(kind):
    with pytest.raises(InputError, match=r"arm 2 is no Copeland winner; these are \(counted from 0\): 0"):
        lower_bound(shipped("cyclic"), kind, winner=2)


def test_a_matrix_that_is_none_is_refused():
    with pytest.raises(InputError, match="must add up to 1"):
        lower_bound([[0.5, 0.9], [0.2, 0.5]])


def test_a_bound_is_carried_over_only_to_a_regret_that_it_bounds():
    P = shipped("cyclic")
    factors = {
        name: regret_factor(P, "copeland", name) for name in ("copeland", "copeland-zoghi", "borda", "condorcet")
    }
    assert factors == {"copeland": 1, "copeland-zoghi": 2, "borda": None, "condorcet": None}
    assert regret_factor(P, "condorcet", "condorcet-sum") == 2
    assert regret_factor(P, "condorcet", "copeland") is None
    assert regret_factor(P, "condorcet", "weak") is None


def test_with_ties_it_is_carried_over_where_every_pair_costs_enough():
    # In the first the tied arms are losers, and wins count them farther behind; in the second the winners are tied, and
    # arm 3 is 3 losses behind them, but only 1 win: its duel with itself costs 1, or 1/3.
    assert regret_factor(shipped("arxiv"), "copeland", "copeland") == 1
    P = np.full((4, 4), 0.5)
    P[:3, 3], P[3, :3] = 0.8, 0.2
    assert regret_factor(P, "copeland", "copeland-komiyama") == 1
    assert regret_factor(P, "copeland", "copeland") is None
