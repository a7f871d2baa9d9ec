"""A session that is corrected knows what it would know had the answer been right at once."""

import pytest

from duelbench import Session
from duelbench.errors import InputError


def answered(session, winners):
    for winner in winners:
        pair = session.ask()
        session.tell(pair, winner) if winner in pair else session.tie(pair)
    return session


@pytest.mark.parametrize("winner", ["a", "b", None])
def test_it_counts_the_new_winner_as_if_it_had_been_told_at_the_time(winner, tmp_path):
    log = tmp_path / "log.jsonl"
    with Session("rucb", ["a", "b"], seed=1, log=log) as session:
        answered(session, "abbab")
        session.correct(2, winner)
        expected = Session("rucb", ["a", "b"], seed=1)
        for told in ("a", winner, "b", "a", "b"):
            expected.tell(("a", "b"), told, evidence=True) if told else expected.tie(("a", "b"), evidence=True)
        known = [(s.told, s.wins.tolist(), s.ties.tolist()) for s in (session, expected)]
        assert known[0] == known[1]
        if winner is not None:  # a coin decides how a tie counts for the rule
            wealth = [s._memory._tests.log_wealth.tolist() for s in (session, expected)]
            assert wealth[0] == pytest.approx(wealth[1])
        question, status = session.ask(), session.status()
    with Session.open(log) as again:
        assert again.status() == status and again.out == (question,)
        again.tell(question, "a")


def test_an_answer_that_ended_the_session_can_be_corrected_and_the_session_goes_on():
    session = Session("rucb", ["a", "b"])
    while session.ask() is not None:
        session.tell(session.out[0], "a")
    assert session.answer == "a"
    session.correct(session.told, "b")
    assert not session.done and session.ask() is not None


def test_judges_and_logs_have_the_corrected_answer_and_undo_keeps_corrections_of_earlier_ones(tmp_path):
    from duelbench.data.votes import read_votes

    log = tmp_path / "log.jsonl"
    with Session("rucb", ["a", "b"], log=log) as session:
        answered(session, "aab")
        session.correct(1, "b")
        session.correct(3, "a")
        assert session.wins.tolist() == [[0, 2], [1, 0]]
        session.undo()
        assert session.wins.tolist() == [[0, 1], [1, 0]] and session.told == 2
        assert read_votes([log]).wins().tolist() == [[0, 1], [1, 0]]
        assert session.judge_records()[0].answers == 2
    with Session.open(log) as again:
        assert again.wins.tolist() == [[0, 1], [1, 0]]


def test_what_cannot_be_corrected_is_refused():
    session = answered(Session("rucb", ["a", "b", "c"]), "")
    session.tell(("a", "b"), "a", evidence=True)
    for answer in (0, 2, True, "1"):
        with pytest.raises(InputError, match=r"there is no answer .*; this session has 1 answer"):
            session.correct(answer, "a")
    with pytest.raises(InputError, match="answer 1 is about 'a' against 'b'; 'c' is not one of them"):
        session.correct(1, "c")
    own = Session("kelly-elimination", ["a", "b"])
    own.tell(own.ask(), "a")
    with pytest.raises(InputError, match="the test of Kelly elimination has learned this answer"):
        own.correct(1, "b")
