"""Comparisons of two rankers: against all lists and clicks gone through one by one, and by simulation."""

import math

import numpy as np
import pytest

from duelbench.data.rankings import comparing
from duelbench.data.rankings.clicks import ClickModel, named
from duelbench.data.rankings.comparing import INTERLEAVINGS, Procedure, compare
from duelbench.data.rankings.orders import collected
from duelbench.errors import InputError
from tests.data.rankings import literal

LITERAL = {"probabilistic": literal.probabilistic, "team-draft": literal.team_draft, "balanced": literal.balanced}
ODD = ClickModel("odd", (0.1, 0.6, 1.0), (0.3, 0.0, 0.7))
BLIND = ClickModel("blind", (0.4, 0.4, 0.4), (0.1, 0.1, 0.1))


def random_query(draws, n, levels=1000):
    """Grades 0 to 2 of n documents, and two rankers' scores of them, of so many different values."""
    return draws.integers(0, 3, n).tolist(), draws.integers(0, levels, (2, n)).astype(float)


@pytest.mark.parametrize("interleaving", INTERLEAVINGS)
@pytest.mark.parametrize("model", [named("perfect", 3), ODD], ids=lambda model: model.name)
def test_a_query_is_computed_as_by_going_through_all_orders_lists_and_clicks(interleaving, model):
    draws = np.random.default_rng(5)
    for n, length, levels in [(1, 10, 9), (2, 10, 2), (3, 10, 9), (3, 2, 2), (4, 3, 3), (4, 10, 99), (5, 2, 99)]:
        grades, scores = random_query(draws, n, levels)
        procedure = Procedure(interleaving, model, length=length, most_work=1e7)
        found = compare(collected([grades], [scores]), 0, 1, procedure)
        slow = literal.probability(LITERAL[interleaving], *scores, grades, length, model.click, model.stop)
        assert found.exact == 1 and found.standard_error == 0
        assert found.probability == pytest.approx(float(slow), abs=1e-12)


@pytest.mark.parametrize("interleaving", INTERLEAVINGS)
def test_who_is_first_does_not_matter_and_a_ranker_ties_with_itself(interleaving):
    grades, scores = random_query(np.random.default_rng(6), 4, 3)
    queries = collected([grades], [scores]), collected([grades], [scores[::-1]])
    ways = [compare(made, 0, 1, Procedure(interleaving, ODD, most_work=1e7)).probability for made in queries]
    assert sum(ways) == pytest.approx(1, abs=1e-12)
    scores = np.random.default_rng(7).random(30)
    twice = collected([[0, 1, 2] * 10], [np.array([scores, scores])])
    assert compare(twice, 0, 1, Procedure(interleaving, ODD, standard_error=0.05)).probability == 0.5


def test_comparisons_depend_on_the_two_rankers_alone():
    draws = np.random.default_rng(11)
    grades, scores = draws.integers(0, 3, 20).tolist(), draws.random((4, 20))
    four = collected([grades], [scores])
    two = collected([grades], [scores[[1, 3]]])
    procedure = Procedure("probabilistic", ODD, 0.02)
    two = type(two)(two.starts, two.grades, two.orders, two.names, (2, 4))
    assert compare(four, 1, 3, procedure) == compare(two, 0, 1, procedure)
    assert compare(four, 1, 3, procedure) != compare(four, 1, 3, Procedure("probabilistic", ODD, 0.02, seed=1))


def test_with_clicks_that_are_blind_team_draft_is_fair_and_probabilistic_interleaving_need_not_be():
    """Ranker b has a's order with the best document put last.

    A list of one document is credited to a where it is a's best, drawn with (w_1 + w_3) / 2, and else to b.
    """
    moved = collected([[0, 0, 0]], [np.array([[3.0, 2.0, 1.0], [1.0, 3.0, 2.0]])])
    assert compare(moved, 0, 1, Procedure("team-draft", BLIND)).probability == 0.5
    w_1, w_2, w_3 = 1, 1 / 8, 1 / 27
    credited = (w_1 + w_3) / 2 / (w_1 + w_2 + w_3)
    found = compare(moved, 0, 1, Procedure("probabilistic", BLIND, length=1)).probability
    assert found == pytest.approx(0.6 / 2 + 0.4 * credited, abs=1e-12) and found < 0.48


@pytest.mark.thorough
@pytest.mark.parametrize("interleaving", INTERLEAVINGS)
def test_drawn_comparisons_deviate_from_what_is_exact_by_the_error_that_they_state(interleaving):
    """400 seeds; the squared deviations in standard errors have mean 1, up to five standard errors of such a mean."""
    draws = np.random.default_rng(8)
    queries = [random_query(draws, 4, 3) for _ in range(6)]
    made = collected([grades for grades, _ in queries], [scores for _, scores in queries])
    truth = compare(made, 0, 1, Procedure(interleaving, ODD, most_work=1e7))
    assert truth.exact == 6
    for most_work in (0, 1600 if interleaving == "probabilistic" else 200):  # all queries are drawn, or some of them
        found = [
            compare(made, 0, 1, Procedure(interleaving, ODD, 0.01, seed, most_work=most_work)) for seed in range(400)
        ]
        assert all(0 < one.standard_error <= 0.01 for one in found)
        assert {one.exact for one in found} <= ({0} if most_work == 0 else {2, 3})
        squares = [((one.probability - truth.probability) / one.standard_error) ** 2 for one in found]
        assert np.mean(squares) == pytest.approx(1, abs=5 * math.sqrt(2 / 400))


@pytest.mark.parametrize("interleaving", INTERLEAVINGS)
def test_kernels_in_short_blocks_find_the_same_bits_and_end_when_what_they_tell_raises(interleaving, monkeypatch):
    tied = [np.array([[min(k, 1) for k in range(n)], [-(k // 2) for k in range(n)]], float) for n in (4, 2, 3)]
    made = collected([[0, 1, 2, 1], [2, 0], [1, 0, 2]], tied)
    settings = [Procedure(interleaving, ODD, 0.05, most_work=most_work) for most_work in (0, 60)]
    whole = [compare(made, 0, 1, procedure) for procedure in settings]
    assert all(found.exact < 3 for found in whole)
    shares = []
    monkeypatch.setattr(comparing, "FIRST_BUDGET", 1.0)
    monkeypatch.setattr(comparing, "BLOCK_SECONDS", 0.0)
    assert [compare(made, 0, 1, procedure, shares.append) for procedure in settings] == whole
    assert len(shares) > 100 and 0 <= min(shares) <= max(shares) <= 1
    with pytest.raises(ZeroDivisionError):
        compare(made, 0, 1, settings[0], lambda share: 1 / 0)


def test_what_is_out_of_range_is_refused():
    for make, said in [
        (lambda: Procedure("probabilistic", ODD, 0), "standard error"),
        (lambda: Procedure("team-draft", ODD, length=21), "1 to 20"),
        (lambda: ClickModel("short", (0.1, 0.2), (0.1,)), "one per grade"),
        (lambda: ClickModel("high", (0.1, 1.5), (0.1, 0.1)), "1.5 is not a probability"),
        (lambda: named("perfct", 3), "'perfect'"),
    ]:
        with pytest.raises(InputError, match=said):
            make()
