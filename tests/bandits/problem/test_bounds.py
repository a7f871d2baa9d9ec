"""Claims about the asymptotic lower bounds."""

import math
from pathlib import Path

import numpy as np
import pytest

from duelbench.bandits.problem import copeland_solver
from duelbench.bandits.problem.bounds import lower_bound, regret_factor
from duelbench.bandits.problem.copeland_program import divergence_to_half, new_program
from duelbench.bandits.problem.copeland_solver import solve
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.regret import loss
from duelbench.data.datasets import SUBSETS
from duelbench.errors import InputError
from tests.bandits.problem import literal_bounds
from tests.bandits.problem.literal_bounds import least_cost
from tests.conformance.literal.common import kl_half
from tests.optional_data import optional

MATRICES = Path(__file__).parents[3] / "matrices"
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


def test_bounds_are_the_least_cost_under_all_constraints_written_out_and_certificates_prove_it():
    for share_of_ties in (0.0, 0.3):
        for P in random_matrices(30, seed=1, sizes=(2, 6), share_of_ties=share_of_ties):
            for winner in literal_bounds.winners(P):
                constraints = literal_bounds.constraints(P, winner)
                expected = least_cost(P, constraints)
                bound = lower_bound(P, winner=winner)
                assert bound.constant == pytest.approx(expected, rel=1e-6, abs=1e-9)
                assert bound.certificate.dual_bound <= min(bound.constant, expected * (1 + 1e-6) + 1e-9)
                assert bound.certificate.gap <= 1e-9
                check_draws(P, bound, constraints)
                check_active(P, bound, constraints)

                constraints = literal_bounds.efficient_constraints(P, winner)
                expected = least_cost(P, constraints)
                efficient = lower_bound(P, "ecw", winner=winner)
                assert efficient.constant == pytest.approx(expected, rel=1e-6, abs=1e-9)
                check_draws(P, efficient, constraints)


def check_draws(P, bound, constraints):
    """The draws of a bound satisfy all constraints and cost what it says."""
    weights = bound.draws * divergence_to_half(P - 0.5)
    assert np.array_equal(bound.draws, bound.draws.T)
    assert weights.min() >= 0 and weights.max() <= 1 + 1e-12
    assert all(sum(weights[pair] for pair in pairs) >= 1 - 1e-9 for pairs in constraints)
    assert np.triu(bound.draws * loss(bound.regret, P)).sum() == pytest.approx(bound.constant, rel=1e-12)


def check_active(P, bound, constraints):
    """What the certificate calls active are constraints that hold with equality."""
    weights = bound.draws * divergence_to_half(P - 0.5)
    active = bound.certificate.active()
    assert bool(active) == bool(constraints)
    for constraint in active:
        pairs = {(bound.winner, j) for j in constraint.inferiors}
        pairs |= {(constraint.rival, j) for j in constraint.superiors}
        assert frozenset((min(pair), max(pair)) for pair in pairs) in constraints
        assert constraint.total == pytest.approx(1, abs=1e-6)
        assert sum(weights[pair] for pair in pairs) == pytest.approx(1, abs=1e-6)


def test_theorem_6_what_ecw_rmed_needs_is_never_less_and_the_same_with_several_winners():
    several = apart = 0
    for P in [*random_matrices(80, seed=7, sizes=(3, 9)), *(shipped(name).P for name in NAMES)]:
        winners = literal_bounds.winners(P)
        for winner in winners:
            optimal, efficient = (lower_bound(P, kind, winner=winner).constant for kind in ("copeland", "ecw"))
            assert efficient >= optimal * (1 - 1e-9)
            if len(winners) > 1:
                assert optimal == pytest.approx(efficient, rel=1e-8, abs=1e-9)
                several += 1
            else:
                apart += efficient > 1.01 * optimal
    assert several > 15 and apart > 15


def test_cyclic_by_hand_as_in_appendix_c():
    # Half of the weight on each of the six pairs: 3 (1/3) / (2 d(.6)) + 3 (2/3) / (2 d(.9)).
    near, far = kl_half(0.6), kl_half(0.9)
    optimal, efficient = lower_bound(shipped("cyclic")), lower_bound(shipped("cyclic"), "ecw")
    assert optimal.constant == pytest.approx(1 / (2 * near) + 1 / far, rel=1e-12)
    assert optimal.draws[0, 1:] == pytest.approx([1 / (2 * near)] * 3)
    assert [optimal.draws[1, 2], optimal.draws[2, 3], optimal.draws[3, 1]] == pytest.approx([1 / (2 * far)] * 3)
    assert efficient.constant == pytest.approx(1 / near, rel=1e-12)
    assert efficient.draws[0, 1:] == pytest.approx([1 / near] * 3)
    assert efficient.draws[1:, 1:].sum() == 0


# Kind of bound -> to as many digits as they are known.
KINDS = ("copeland", "ecw", "ccb", "condorcet", "rmed1")
VALUES = {
    "cyclic": ("27.5487", "49.6635", "1600", "0.8151", "7.4495"),
    "gap": ("11.0249", "1252.511", "3.0e5"),
    "mslr5-condorcet": ("66.7693", "66.7693", "2.0e5", "11.153", "11.153"),
    "mslr5-noncondorcet": ("261.9545", "261.9545", "5.56e6"),
    "strong-borda": ("138.787", "249.582", "8000", "5.295", "19.967"),
    "noncondorcet-strong-borda": ("161.957", "219.6325", "14400"),
    "noncondorcet-cyclic": ("62.3241", "62.3241", "10800"),
    "arxiv": ("172.554", "186.338", "inf", "20.735", "20.735"),
    "sushi16": ("142.608", "143.368", "4.44e5", "34.040", "35.249"),
}
MSLR = {
    "mslr16-condorcet": ("454.17", "454.17", "1.41e6", "70.97"),
    "mslr32-condorcet": ("719.36", "719.36", "5.78e6", "130.40"),
    "mslr16-noncondorcet": ("760.84", "760.84", "4.02e6"),
    "mslr32-noncondorcet": ("2272.4", "2272.4", "7.52e8"),
    "mslr5-condorcet": ("66.2654", "66.2654", "2.002e5", "11.120"),
    "mslr5-noncondorcet": ("259.107", "259.107", "4.51e6"),
}


def check_constants(P, values):
    """The bounds are those printed, rounded to the digits printed."""
    for kind, printed in zip(KINDS, values, strict=False):
        digits = sum(figure.isdigit() for figure in printed.partition("e")[0].lstrip("0."))
        assert float(f"{lower_bound(P, kind).constant:.{digits}g}") == float(printed), kind


def test_the_constants_of_shipped_matrices_are_those_known():
    for name, values in VALUES.items():
        check_constants(shipped(name), values)
    bound = lower_bound(shipped("mslr5-noncondorcet"))  # the least of several winners
    assert {arm: round(constant, 1) for arm, constant in bound.constants.items()} == {0: 727.1, 1: 262.0, 2: 9114.4}
    assert (bound.winner, bound.constant) == (1, bound.constants[1])
    assert [note[:11] for note in lower_bound(shipped("arxiv")).notes] == ["1 tied pair"]


def test_the_constants_of_the_published_mslr_subsets_are_those_known():
    whole = PreferenceMatrix.load(optional("data", "mslr", "MSLR_Informational_PMat.npz"))
    for name, values in MSLR.items():
        check_constants(whole.submatrix([ranker - 1 for ranker in SUBSETS[name]]), values)


def test_two_and_three_arms_by_hand():
    two = [[0.5, 0.8], [0.2, 0.5]]
    assert lower_bound(two).constants == {0: pytest.approx(0.5 / kl_half(0.8))}
    assert lower_bound(two, "condorcet").constant == pytest.approx(0.15 / kl_half(0.8))
    assert lower_bound([[0.5, 1.0], [0.0, 0.5]]).constant == pytest.approx(0.5 / math.log(2))
    # x_1 = 1 shows that arm 1 does not beat arm 0; arm 2 loses to arm 0 or to arm 1, whichever is cheaper.
    first = (1 / 4) / kl_half(0.7)
    for p12, against_third in ((0.7, (2 / 4) / kl_half(0.7)), (1.0, (3 / 4) / kl_half(1.0))):
        P = [[0.5, 0.7, 0.7], [0.3, 0.5, p12], [0.3, 1 - p12, 0.5]]
        assert lower_bound(P).constant == pytest.approx(first + against_third)


def test_near_ties_and_many_arms_leave_no_gap():
    rng = np.random.default_rng(12)
    for _ in range(20):  # gaps from 1e-8 to 1/2 on a logarithmic scale: costs vary by a factor of 1e14
        n_arms = int(rng.integers(3, 14))
        gaps = 10 ** rng.uniform(-8, math.log10(0.5), (n_arms, n_arms)) * rng.choice([-1, 1], (n_arms, n_arms))
        gaps = np.triu(gaps, 1)
        bound = lower_bound(0.5 + gaps - gaps.T)
        assert bound.certificate.gap <= 1e-8 and bound.certificate.least_sum >= 1 - 1e-12
        assert bound.notes == ()
    # Arm 0 beats 63 arms, each of which beats the next 31.
    circle = np.full((64, 64), 0.1)
    ahead = (np.arange(63)[np.newaxis] - np.arange(63)[:, np.newaxis]) % 63
    circle[1:, 1:] = np.where(ahead <= 31, 0.4, -0.4)
    duels = rng.uniform(0.01, 0.49, (64, 64))
    duels[1:] *= rng.choice([-1, 1], (63, 64))
    for gaps in (np.triu(circle, 1), np.triu(duels, 1)):
        bound = lower_bound(0.5 + gaps - gaps.T)
        assert bound.certificate.gap <= 1e-9 and bound.certificate.n_rounds < 40


def test_a_failing_solver_is_reported_and_its_bounds_still_hold(monkeypatch):
    monkeypatch.setattr(copeland_solver, "_solve_restricted", lambda *_: None)
    bound = lower_bound(shipped("gap"))
    assert bound.constant == pytest.approx(1252.511, rel=1e-6)  # of ECW-RMED's draws, which are always enough
    assert (bound.certificate.dual_bound, bound.certificate.gap) == (0, 1)
    assert "lies between 0 and 1252.51" in bound.notes[0]


def test_wrong_multipliers_cannot_claim_too_much(monkeypatch):
    import scipy.optimize

    rng = np.random.default_rng(14)
    cases = [(P, lower_bound(P).constants) for P in random_matrices(30, seed=15, sizes=(3, 9))]
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
    assert wide > 15


def test_what_has_no_bound_is_refused():
    for P, options, message in (
        (shipped("cyclic"), {"kind": "copland"}, "no bound 'copland'.*'copeland'"),
        (shipped("cyclic"), {"winner": 2}, "arm 2 is not a Copeland winner"),
        (shipped("gap"), {"kind": "condorcet"}, "needs a Condorcet winner"),
        ([[0.5, 0.9], [0.2, 0.5]], {}, "must add up to 1"),
    ):
        with pytest.raises(InputError, match=message):
            lower_bound(P, **options)


def test_a_bound_is_carried_over_only_to_a_regret_that_it_bounds():
    # In arxiv the tied arms are losers, and wins count them farther behind; in the other the winners tie, and arm
    # 3 is 3 losses behind them, but only 1 win: its duel with itself costs 1, or 1/3.
    cyclic, arxiv, tied = shipped("cyclic"), shipped("arxiv"), np.full((4, 4), 0.5)
    tied[:3, 3], tied[3, :3] = 0.8, 0.2
    for P, kind, regret, factor in (
        (cyclic, "copeland", "copeland", 1),
        (cyclic, "copeland", "copeland-zoghi", 2),
        (cyclic, "copeland", "borda", None),
        (cyclic, "copeland", "condorcet", None),
        (cyclic, "condorcet", "condorcet-sum", 2),
        (cyclic, "condorcet", "copeland", None),
        (cyclic, "condorcet", "weak", None),
        (arxiv, "copeland", "copeland", 1),
        (tied, "copeland", "copeland-komiyama", 1),
        (tied, "copeland", "copeland", None),
    ):
        assert regret_factor(P, kind, regret) == factor, (kind, regret)
