"""Replays on judgements of people are those of a session, and the tables of docs/human-judgements.md what they say."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from duelbench.kernels.interpreting import interpreted
from duelbench.problem.preferences import PreferenceMatrix
from tests.statistical.human_judgements import (
    D_TS,
    KELLY,
    LOOKS,
    NAMES,
    REPLAYS,
    RMED,
    UNIFORM,
    USED_UP,
    Player,
    _judgements_table,
    by_session,
    judgements,
    plan_share,
    quantile,
    read_off,
    replay,
    replays,
    to_answer,
)
from tests.statistical.live_play import UNDECIDED

PAGE = (Path(__file__).parents[2] / "docs" / "human-judgements.md").read_text(encoding="utf-8")

LIKE_SESSIONS = {
    "ties": (D_TS, "cemschoice", 3, 10_000),
    "after the algorithm's own answer": (KELLY._replace(rule="e-condorcet"), "germanparties2009", 3, 400),
    "after the horizon": (Player("d-ts-plus", horizon=5000), "firstnames", 1, 300),
    "another rule": (RMED._replace(rule="e-bets"), "cemschoice", 5, 10_000),
    "no winner": (Player("rucb", "pairs"), "soundquality", 2, 200),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_judgements_are_those_of_the_matrices(name):
    np.testing.assert_allclose(judgements(name).P, PreferenceMatrix.load(name).P, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("player", "name", "number", "most"), LIKE_SESSIONS.values(), ids=LIKE_SESSIONS)
def test_a_replay_asks_and_answers_what_a_session_does(player, name, number, most):
    with interpreted(math.inf):
        ours = replay(player, name, number, most=most)
    asked, session = by_session(player, name, number, most=most)
    without_ties = asked[:, 2] >= 0
    assert ours.asked[:, :2].tolist() == asked[:, :2].tolist()
    assert ours.asked[without_ties, 2].tolist() == asked[without_ties, 2].tolist()
    arms = judgements(name).arms
    assert session.done == (ours.answer != UNDECIDED)
    assert session.answer == (arms[ours.answer] if ours.answer >= 0 else None)
    assert session.recommend() == arms[ours.recommended[-1]]


def test_after_its_own_answer_an_algorithm_asks_no_more_and_the_session_chooses():
    with interpreted(math.inf):
        played = replay(KELLY._replace(rule="e-condorcet"), "germanparties2009", 3, most=400)
        own = replay(KELLY, "germanparties2009", 3)
    assert played.over == own.n == 292
    assert played.n == 400 and played.answer == UNDECIDED
    assert played.asked[: own.n].tolist() == own.asked.tolist()


def test_judgements_that_are_not_put_back_are_each_used_once():
    with interpreted(math.inf):
        played = replay(UNIFORM, "topmodel2007", 0, is_put_back=False)
    assert played.answer == USED_UP and played.n == judgements("topmodel2007").n
    assert played.wins(6).tolist() == judgements("topmodel2007").wins.tolist()


def test_what_is_recommended_after_the_answer_is_the_answer():
    with interpreted(math.inf):
        played = replay(RMED, "cemschoice", 5)
    assert played.answer == judgements("cemschoice").arms.index("London")
    assert set(played.recommended[played.n <= LOOKS].tolist()) == {played.answer}


def test_the_winner_of_a_plan_is_ahead_of_most_then_has_most_wins_then_is_drawn():
    ahead_of_both = [[0, 2, 2], [1, 0, 3], [1, 0, 0]]
    most_wins_in_a_circle = [[0, 2, 1], [1, 0, 3], [2, 0, 0]]  # 3, 4 and 2 wins
    even = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    tables = np.array([ahead_of_both, most_wins_in_a_circle, *[even] * 300], float)
    winners = read_off(tables, np.random.default_rng(1))
    assert winners[:2].tolist() == [0, 1]
    assert set(winners[2:].tolist()) == {0, 1, 2}


@pytest.mark.parametrize(("n", "share"), [(1, 0.75), (2, 0.75), (3, 0.84375)])
def test_the_share_of_plans_that_are_right_is_binomial_for_two_arms(n, share):
    # P(2 or 3 of 3) = 27/64 + 27/64; of two duels one to one is a coin. Four standard errors are 0.0123 at most.
    assert plan_share(np.array([[0.5, 0.75], [0.25, 0.5]]), n) == pytest.approx(share, abs=0.0123)


def test_a_quantile_is_infinite_where_too_few_had_an_answer():
    n = np.array([30.0, 10.0, math.inf, 20.0])
    assert quantile(n, 0.5) == 20.0 and quantile(n, 0.75) == 30.0 and quantile(n, 0.9) == math.inf


def test_the_page_has_the_table_of_the_judgements():
    assert "\n".join(_judgements_table()) in PAGE


@pytest.mark.thorough
def test_the_page_has_the_judgements_to_the_answer():
    (row,) = re.findall(r"^\| RMED1 \| (.*)$", PAGE, re.MULTILINE)
    for cell, name in zip(row.split(" | "), NAMES[:3], strict=False):
        n = to_answer(replays(RMED, name))
        assert len(n) == REPLAYS
        assert cell == f"{quantile(n, 0.5):,.0f} ({quantile(n, 0.9):,.0f})"
