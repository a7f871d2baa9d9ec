"""Regret definitions: hand-derivable numbers, and the relations that hold for every matrix."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_matrices import matrices

from duelbench.bandits.problem import winners
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.regret import DEFINITIONS, loss
from duelbench.errors import InputError

CONDORCET = ("condorcet", "condorcet-sum", "strong", "weak", "weak-binary")

every_matrix = settings(derandomize=True, max_examples=40, deadline=None)


def free(table: np.ndarray) -> set[tuple[int, int]]:
    """The pairs that cost exactly nothing."""
    return {(int(i), int(j)) for i, j in np.argwhere(table == 0)}


@every_matrix
@given(matrices())
def test_losses_are_symmetric_and_nothing_exactly_where_winners_duel_each_other(P):
    champions = dict.fromkeys(("copeland", "copeland-zoghi", "copeland-binary"), winners.copeland_winners(P))
    champions["copeland-komiyama"] = np.flatnonzero(winners.superior_counts(P) == winners.superior_counts(P).min())
    champions["borda"] = winners.borda_winners(P)
    for name, best in champions.items():
        table = loss(name, P)
        assert table.shape == P.shape and table.dtype == np.float64
        assert np.all(table >= 0) and np.array_equal(table, table.T), name
        assert free(table) == set(product(best, best)), name


@every_matrix
@given(matrices(), st.sampled_from([0.55, 0.6, 1.0]))
def test_regrets_of_a_condorcet_winner_vanish_where_it_duels_and_are_in_their_order(P, p):
    P[0, 1:], P[1:, 0] = p, 1 - p
    P[0, 1], P[1, 0] = 0.75, 0.25
    tables = {name: loss(name, P) for name in CONDORCET}
    assert all(np.all(table >= 0) and np.array_equal(table, table.T) for table in tables.values())
    weak, average, strong, total = (tables[name] for name in ("weak", "condorcet", "strong", "condorcet-sum"))
    assert free(average) == free(total) == free(strong) == {(0, 0)}
    assert free(weak) == free(tables["weak-binary"]) == {(i, j) for i, j in np.ndindex(P.shape) if 0 in (i, j)}
    assert np.all(weak <= average) and np.all(average <= strong) and np.all(strong <= total)
    assert np.array_equal(total, 2 * average)
    assert weak + strong == pytest.approx(total, abs=1e-15)


@every_matrix
@given(matrices())
def test_copeland_and_borda_regret_follow_their_formulas(P):
    for name, scores in (("copeland", winners.copeland_scores(P)), ("borda", winners.borda_scores(P))):
        for (i, j), cost in np.ndenumerate(loss(name, P)):
            assert cost == pytest.approx(scores.max() - (scores[i] + scores[j]) / 2, abs=1e-12)
    if not winners.ties(P):
        assert np.array_equal(loss("copeland", P), loss("copeland-komiyama", P))
        assert np.array_equal(2 * loss("copeland", P), loss("copeland-zoghi", P))


def test_ties_and_rounding_by_hand():
    # ArXiv, p_46 = 1/2, pair (4, 1): arm 1 has 5 wins, arm 4 has 1 win and 3 losses, K - 1 = 5.
    arxiv = PreferenceMatrix.load("arxiv")
    assert loss("copeland-komiyama", arxiv)[3, 0] == 3 / 10
    assert loss("copeland", arxiv)[3, 0] == 4 / 10
    # On paper .5 + .52 + .68 = .5 + .5 + .7; as float64 the sums are 1.7000000000000002 and 1.7.
    P = [[0.5, 0.5, 0.52, 0.68], [0.5, 0.5, 0.5, 0.7], [0.48, 0.5, 0.5, 0.5], [0.32, 0.3, 0.5, 0.5]]
    assert loss("borda", P)[:2, :2].tolist() == [[0, 0], [0, 0]]


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


def test_without_a_condorcet_winner_the_message_names_the_winners_and_another_definition():
    rows = [[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]]
    cycle = PreferenceMatrix(rows, names=["tuna", "egg", "2"], source="cycle.csv")
    for name in CONDORCET:
        with pytest.raises(
            InputError, match=rf"^cycle.csv: regret '{name}' .*0 \(tuna\), 1 \(egg\), 2;.*copeland-zoghi"
        ):
            loss(name, cycle)
    with pytest.raises(InputError, match=r"'condorset' .*'condorcet'"):
        loss("condorset", rows)
