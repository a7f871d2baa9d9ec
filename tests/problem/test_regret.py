"""Regret definitions: hand-derivable numbers, and the relations that hold for every matrix."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from random_matrices import matrices

from duelbench.errors import InputError
from duelbench.problem import winners
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.regret import DEFINITIONS, loss

MATRICES = Path(__file__).parents[2] / "matrices"
CONDORCET = ("condorcet", "condorcet-sum", "strong", "weak", "weak-binary")
ANY_MATRIX = ("copeland", "copeland-komiyama", "copeland-zoghi", "copeland-binary", "borda")

every_matrix = settings(derandomize=True, max_examples=100, deadline=None)


@st.composite
def condorcet_matrices(draw):
    """Arm 0 beats every other arm."""
    P = draw(matrices())
    for j in range(1, len(P)):
        P[0, j] = draw(st.sampled_from([0.55, 0.6, 0.75, 1.0]))
        P[j, 0] = 1 - P[0, j]
    return P


def test_the_definitions_are_the_ten_of_the_specification_language():
    assert tuple(DEFINITIONS) == (*ANY_MATRIX[:4], *CONDORCET, "borda")
    assert {name for name in DEFINITIONS if DEFINITIONS[name].needs_condorcet_winner} == set(CONDORCET)
    assert all(name == definition.name for name, definition in DEFINITIONS.items())


@every_matrix
@given(matrices())
def test_every_loss_is_symmetric_and_never_negative(P):
    names = DEFINITIONS if winners.condorcet_winner(P) is not None else ANY_MATRIX
    for name in names:
        table = loss(name, P)
        assert table.shape == P.shape
        assert table.dtype == np.float64
        assert np.all(table >= 0), name
        assert np.array_equal(table, table.T), name


@every_matrix
@given(matrices())
def test_winners_dueling_each_other_cost_exactly_nothing_and_losers_something(P):
    champions = {
        "copeland": winners.copeland_winners(P),
        "copeland-zoghi": winners.copeland_winners(P),
        "copeland-binary": winners.copeland_winners(P),
        "copeland-komiyama": np.flatnonzero(winners.superior_counts(P) == winners.superior_counts(P).min()),
        "borda": winners.borda_winners(P),
    }
    for name, best in champions.items():
        table = loss(name, P)
        free = {(int(i), int(j)) for i, j in np.argwhere(table == 0)}
        assert free == set(product(best, best)), name


@every_matrix
@given(condorcet_matrices())
def test_condorcet_regret_vanishes_where_the_winner_duels(P):
    free = {name: {(int(i), int(j)) for i, j in np.argwhere(loss(name, P) == 0)} for name in CONDORCET}
    assert free["condorcet"] == free["condorcet-sum"] == free["strong"] == {(0, 0)}
    arms = range(len(P))
    assert free["weak"] == {(i, j) for i, j in product(arms, arms) if 0 in (i, j)}


@every_matrix
@given(condorcet_matrices())
def test_weak_average_strong_and_sum_are_in_this_order(P):
    weak, average, strong, total = (loss(name, P) for name in ("weak", "condorcet", "strong", "condorcet-sum"))
    assert np.all(weak <= average)
    assert np.all(average <= strong)
    assert np.all(strong <= total)
    assert np.array_equal(total, 2 * average)
    gaps = P[0] - 0.5
    assert strong == pytest.approx(average + np.abs(gaps[:, None] - gaps[None, :]) / 2, abs=1e-15)
    assert weak + strong == pytest.approx(total, abs=1e-15)


@every_matrix
@given(matrices())
def test_the_three_copeland_scales_agree_without_ties(P):
    assume(not winners.ties(P))
    assert np.array_equal(loss("copeland", P), loss("copeland-komiyama", P))
    assert np.array_equal(2 * loss("copeland", P), loss("copeland-zoghi", P))


@every_matrix
@given(matrices())
def test_copeland_and_borda_regret_follow_their_formulas(P):
    for name, scores in (("copeland", winners.copeland_scores(P)), ("borda", winners.borda_scores(P))):
        for (i, j), cost in np.ndenumerate(loss(name, P)):
            assert cost == pytest.approx(scores.max() - (scores[i] + scores[j]) / 2, abs=1e-12)


@every_matrix
@given(matrices())
def test_random_play_without_ties_costs_the_best_score_less_a_half(P):
    assume(not winners.ties(P))
    assert loss("copeland", P).mean() == pytest.approx(winners.copeland_scores(P).max() - 0.5, abs=1e-12)


@every_matrix
@given(matrices(), st.randoms(use_true_random=False))
def test_relabelling_the_arms_permutes_the_losses(P, random):
    order = list(range(len(P)))
    random.shuffle(order)
    moved = PreferenceMatrix(P).permuted(order)
    for name in DEFINITIONS if winners.condorcet_winner(P) is not None else ANY_MATRIX:
        assert np.array_equal(loss(name, moved), loss(name, P)[np.ix_(order, order)]), name


def test_a_tie_sets_komiyama_and_wu_apart():
    # ArXiv, p_46 = 1/2, pair (4, 1): arm 1 has 5 wins, arm 4 has 1 win and 3 losses, K - 1 = 5.
    arxiv = PreferenceMatrix.load(MATRICES / "arxiv.csv")
    assert loss("copeland-komiyama", arxiv)[3, 0] == 3 / 10
    assert loss("copeland", arxiv)[3, 0] == 4 / 10
    assert loss("copeland-zoghi", arxiv)[3, 0] == 8 / 10


def test_three_arms_by_hand():
    # Arm 0 beats 1 and 2, arm 1 beats 2. Gaps to the winner 0, 1/4, 1/2; Borda scores 7/8, 1/2, 1/8.
    P = [[0.5, 0.75, 1.0], [0.25, 0.5, 0.75], [0.0, 0.25, 0.5]]
    by_hand = {
        "copeland": [[0, 0.25, 0.5], [0.25, 0.5, 0.75], [0.5, 0.75, 1]],
        "copeland-komiyama": [[0, 0.25, 0.5], [0.25, 0.5, 0.75], [0.5, 0.75, 1]],
        "copeland-zoghi": [[0, 0.5, 1], [0.5, 1, 1.5], [1, 1.5, 2]],
        "copeland-binary": [[0, 1, 1], [1, 1, 1], [1, 1, 1]],
        "condorcet": [[0, 0.125, 0.25], [0.125, 0.25, 0.375], [0.25, 0.375, 0.5]],
        "condorcet-sum": [[0, 0.25, 0.5], [0.25, 0.5, 0.75], [0.5, 0.75, 1]],
        "strong": [[0, 0.25, 0.5], [0.25, 0.25, 0.5], [0.5, 0.5, 0.5]],
        "weak": [[0, 0, 0], [0, 0.25, 0.25], [0, 0.25, 0.5]],
        "weak-binary": [[0, 0, 0], [0, 1, 1], [0, 1, 1]],
        "borda": [[0, 0.1875, 0.375], [0.1875, 0.375, 0.5625], [0.375, 0.5625, 0.75]],
    }
    assert {name: loss(name, P).tolist() for name in DEFINITIONS} == by_hand


def test_two_copeland_winners_of_a_tie_may_duel_for_nothing():
    P = [[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]]
    assert loss("copeland-binary", P).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 1]]
    assert loss("copeland", P).tolist() == [[0, 0, 0.25], [0, 0, 0.25], [0.25, 0.25, 0.5]]


@pytest.mark.parametrize("name", CONDORCET)
def test_without_a_condorcet_winner_the_message_names_winners_and_other_definitions(name):
    cycle = PreferenceMatrix(
        [[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]], names=["tuna", "egg", "2"], source="cycle.csv"
    )
    with pytest.raises(InputError) as caught:
        loss(name, cycle)
    assert str(caught.value) == (
        f"cycle.csv: regret '{name}' needs a Condorcet winner and there is none; "
        "Copeland winners (counted from 0): 0 (tuna), 1 (egg), 2; "
        "use one of copeland, copeland-komiyama, copeland-zoghi, copeland-binary, borda"
    )
    with pytest.raises(InputError, match=r"the matrix: .*Copeland winner \(counted from 0\): 0;"):
        loss(name, PreferenceMatrix.load(MATRICES / "gap.csv").P)


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(InputError, match=r"^there is no regret 'condorset' \(did you mean 'condorcet'\?\)$"):
        loss("condorset", [[0.5, 0.6], [0.4, 0.5]])
    with pytest.raises(InputError, match=r"^there is no regret 'xyz' \(there are copeland, copeland-komiyama, "):
        loss("xyz", [[0.5, 0.6], [0.4, 0.5]])


def test_borda_winners_that_rounding_sets_apart_cost_exactly_nothing():
    # On paper .5 + .52 + .68 = .5 + .5 + .7; as float64 the sums are 1.7000000000000002 and 1.7.
    P = [[0.5, 0.5, 0.52, 0.68], [0.5, 0.5, 0.5, 0.7], [0.48, 0.5, 0.5, 0.5], [0.32, 0.3, 0.5, 0.5]]
    assert loss("borda", P)[:2, :2].tolist() == [[0, 0], [0, 0]]
