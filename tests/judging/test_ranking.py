"""The ranking of votes: numbers that can be worked out by hand, and what the sentences say of them."""

import math

import numpy as np
import pytest

import duelbench
from duelbench.data.votes import read_votes
from duelbench.errors import InputError
from duelbench.judging.ranking.agreement import agreements
from duelbench.judging.ranking.pictures import MOST_ARMS, intervals, pairs
from duelbench.judging.ranking.rank import result_of


def ranked(wins, arms="abcdefgh"):
    return duelbench.rank(wins, arms=arms[: len(wins)])


def test_the_difference_of_two_arms_is_clear_from_its_95_percent_interval_on():
    """n wins to m: the posterior has d = u_a - u_b with n - (n + m) / (1 + e^-d) = d / 2, and the precision below."""
    for n, is_clear in ((6, False), (40, True)):
        ranking = ranked([[0, n], [n / 4, 0]])
        p = ranking.shares[0]
        d = math.log(p / (1 - p))
        assert n - 1.25 * n * p == pytest.approx(d / 2, abs=1e-8)
        deviation = 1 / math.sqrt(1.25 * n * p * (1 - p) + 1 / 2)
        assert (ranking.best == "a") is (d > 1.96 * deviation) is is_clear
        low = d - 1.959964 * deviation
        assert ranking.low[0] == pytest.approx(1 / (1 + math.exp(-low)), abs=1e-6)


def test_a_best_arm_and_one_that_is_ahead_are_told_apart():
    assert ranked([[0, 40], [10, 0]]).sentences[:2] == (
        "a is best: it won 80% of 50 comparisons; the next, b, is clearly behind.",
        "Clearly behind: chance alone would rarely make such a difference (the 95% interval of the difference of"
        " strengths leaves out 0).",
    )
    ahead = ranked([[0, 6], [4, 0]])
    assert ahead.sentences[0].startswith("a is ahead: it won 60% of 10 comparisons; the next, b, is not clearly")
    assert ahead.sentences[1].endswith("contains 0). 2 arms may be the best: a, b.") and ahead.best is None
    assert ranked([[0, 5], [5, 0]]).sentences[0] == "No arm is ahead: a, b won equally often, by the fit."


def test_a_cycle_is_named_and_so_is_an_arm_that_leads_against_the_first():
    assert (
        "The direct comparisons go round in a circle, each clearly: a > b > c > a."
        in ranked([[0, 41, 10], [10, 0, 40], [40, 10, 0]]).sentences
    )
    ranking = ranked([[0, 3, 9], [2, 0, 0], [1, 3, 0]], "xyz")
    assert not [sentence for sentence in ranking.sentences if "direct comparisons" in sentence]
    lost = ranked([[0, 2, 19, 19], [3, 0, 5, 5], [1, 4, 0, 5], [1, 4, 5, 0]])
    assert "In direct comparisons b leads against a, 3 of 5." in lost.sentences


def test_answers_that_never_change_are_told(tmp_path):
    for winners, is_told in (("aaaa", True), ("aaab", False), ("aaa", False)):
        path = tmp_path / "votes.csv"
        path.write_text("".join(["a,b,winner\n", *(f"x,y,{side}\n" for side in winners)]))
        sentences = duelbench.rank(path).sentences
        assert any(sentence.startswith("Every pair that came again") for sentence in sentences) == is_told
    path.write_text("".join(["a,b,winner,input\n", *(f"x,y,a,{k}\n" for k in range(9))]))
    assert not any("came again" in sentence for sentence in duelbench.rank(path).sentences)


def test_arms_that_were_never_compared_and_separate_groups_are_named():
    alone = ranked([[0, 9, 0], [1, 0, 0], [0, 0, 0]])
    assert "Never compared, so nothing is known of: c." in alone.sentences and alone.best == "a"
    assert math.isnan(alone.shares[2]) and alone.table.strength.isna().tolist() == [False, False, True]
    wins = np.zeros((5, 5))
    wins[0, 1], wins[2, 3], wins[3, 4], wins[4, 3] = 9, 2, 5, 1
    groups = ranked(wins)
    assert groups.arms == ("c", "d", "e", "a", "b") and groups.may_be_best == () and groups.best is None
    assert groups.sentences[0].endswith("not even through others: c, d, e | a, b.")
    assert [(pair.first, pair.second) for pair in groups.worth_asking] == [("c", "a")]
    apart = duelbench.rank([[0, 9], [0, 0]])
    assert groups.shares[3:] == pytest.approx(apart.shares)  # as if the others were not there


def test_pairs_worth_asking_are_those_of_arms_that_may_be_best_the_least_known_first():
    even = np.array([[0, 8, 2, 9], [8, 0, 8, 9], [2, 8, 0, 9], [0, 0, 0, 0]])
    ranking = ranked(even)
    assert {name for pair in ranking.worth_asking for name in pair[:2]} == {"a", "b", "c"}
    assert {*ranking.worth_asking[0][:2]} == {"a", "c"} and ranking.worth_asking[0].comparisons == 4
    assert ranked([[0, 90], [1, 0]]).worth_asking == ()


def test_the_order_of_arms_changes_nothing():
    rng = np.random.default_rng(5)
    wins = np.triu(rng.integers(0, 9, (6, 6)), 1) + np.tril(rng.integers(0, 9, (6, 6)), -1)
    order = rng.permutation(6)
    first = ranked(wins)
    second = duelbench.rank(wins[np.ix_(order, order)], arms=["abcdef"[k] for k in order])
    assert first.arms == second.arms and first.sentences == second.sentences
    assert first.table.strength.to_numpy() == pytest.approx(second.table.strength.to_numpy())


def test_judges_agree_as_in_the_table_of_a_session(tmp_path):
    rng = np.random.default_rng(2)
    with duelbench.Session("random", list("abcd"), seed=3, log=tmp_path / "log.jsonl", stop=False) as session:
        for _ in range(80):
            pair = session.ask()
            judge = "xyz"[rng.integers(3)]
            if rng.random() < 0.1:
                session.tie(pair, judge=judge)
            else:
                session.tell(pair, min(pair) if rng.random() < 0.7 else max(pair), judge=judge)
        expected = {(row.judge, row.answers, row.ties, row.ranking) for row in session.judge_records()}
    assert set(agreements(read_votes(tmp_path / "log.jsonl"))) == expected


def test_a_log_that_cannot_be_played_again_is_ranked_and_the_sentence_says_why(tmp_path, monkeypatch):
    with duelbench.Session("random", list("ab"), log=tmp_path / "log.jsonl") as session:
        session.tell(session.ask(), "a")

    def refuse(*_arguments, **_options):
        raise InputError("it needs a plug-in")

    monkeypatch.setattr(duelbench.Session, "open", refuse)
    ranking = duelbench.rank(tmp_path / "log.jsonl")
    assert ranking.arms == ("a", "b") and "is not known here: it needs a plug-in." in ranking.sentences[1]


def test_an_answer_of_the_session_that_is_not_first_is_explained():
    from dataclasses import replace

    from duelbench.judging.ranking.ranking import SessionStatus
    from duelbench.judging.ranking.sentences import sentences

    ranking = replace(ranked([[0, 6], [4, 0]]), sessions=(SessionStatus("log.jsonl", "done", "b"),))
    assert sentences(ranking)[2].startswith("A session asks which arm beats each other one")


def test_a_table_of_wins_may_be_a_frame_and_wrong_ones_are_refused():
    import pandas as pd

    assert duelbench.rank(pd.DataFrame([[0, 1], [3, 0]])).arms == ("1", "0")
    for wins, arms, message in (
        ([[0, 1], [1, 0]], ["a", "a"], "different names"),
        ([[0, 1], [1, 0]], ["a"], "different names"),
        ([[0, -1], [1, 0]], None, "0 or more"),
        ([[0, 0], [0, 0]], None, "nothing was compared"),
        ([], None, "no files of votes"),
    ):
        with pytest.raises(InputError, match=message):
            duelbench.rank(wins, arms=arms)


def test_a_notebook_shows_the_sentences_as_text_and_the_table():
    ranking = ranked([[0, 6], [4, 0]], ["<a>", "b"])
    assert repr(ranking).startswith("<Ranking of 2 arms: <a> is ahead")
    assert ranking._repr_html_().startswith("<p>&lt;a&gt; is ahead") and "<table" in ranking._repr_html_()


def test_pictures_of_many_arms_show_the_first_and_the_counts_apart():
    n_arms = MOST_ARMS + 3
    wins = np.triu(np.ones((n_arms, n_arms)), 1)
    ranking = duelbench.rank(wins, arms=[f"arm {k}" for k in range(n_arms)])
    assert len(intervals(ranking).axes[0].get_yticklabels()) == MOST_ARMS
    assert [figure.axes[1].get_ylabel() for figure in pairs(ranking)] == [
        "share of wins of the arm at the left",
        "number of comparisons",
    ]


def test_a_session_has_a_result_for_its_page_once_there_are_answers():
    with duelbench.Session("random", list("abc")) as session:
        assert result_of(session) is None
        session.tie(("a", "b"), evidence=True)
        result = result_of(session)
    assert result["sentences"][0] == "No arm is ahead: a, b won equally often, by the fit."
    assert result["arms"][2] == {"name": "c", "duels": 0, "borda": None, "borda_low": None, "borda_high": None}


@pytest.mark.parametrize("n", [3, 100, 1000])
def test_an_arm_that_won_its_only_comparison_is_not_clearly_behind(n):
    """c never met a and lost nothing, so only a prior can put it behind; b lost all n to a."""
    ranking = ranked([[0, n, 0], [0, 0, 0], [0, 1, 0]])
    assert "c" in ranking.may_be_best and ranking.best is None
    assert ranking.sentences[0].endswith("the next, c, is not clearly behind.")
    assert any("Too few answers tell a from c" in sentence for sentence in ranking.sentences) is (n == 1000)
    assert ("b" in ranking.may_be_best) is (n == 3)


def test_chance_names_a_circle_in_5_percent_of_the_data_sets_at_most():
    """40 comparisons a pair: even arms give no circle beyond 5%, and a true one with p = 0.8 is found."""
    generator = np.random.default_rng(1)

    def n_circles(beats, n_sets):
        n_found = 0
        for _ in range(n_sets):
            wins = np.triu(generator.binomial(40, beats), 1)
            wins += np.tril(40 - wins.T, -1)
            n_found += any("circle" in sentence for sentence in ranked(wins, [*map(str, range(len(wins)))]).sentences)
        return n_found

    assert n_circles(np.full((8, 8), 0.5), 40) <= 2
    assert n_circles(np.full((30, 30), 0.5), 40) <= 2
    assert n_circles(np.array([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]]), 40) >= 34
