"""What a live session promises whoever answers."""

import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np
import pytest

from duelbench import Session, algorithms
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.errors import InputError
from duelbench.judging.memory import Memory


def answered(session, n, better=min):
    """Answer n questions: the arm whose name comes first wins, or whoever ``better`` says."""
    for _ in range(n):
        pair = session.ask()
        session.tell(pair, better(pair))
    return session


def told_to_algorithm(session):
    """(K, K): the wins that the algorithm has counted; for algorithms that keep them in ``bounds``."""
    return session._history.memory.player._state.bounds.wins


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_session_asks_until_its_rule_has_the_answer(rule):
    session = Session("random", ["a", "b", "c"], seed=1, stop={"rule": rule, "delta": 0.1})
    while (pair := session.ask()) is not None:
        session.tell(pair, min(pair))
    assert session.done and session.answer == session.recommend() == "a"
    assert session.wins.sum() == session.told


def test_several_questions_may_be_out_and_are_answered_once_in_any_order_until_it_is_decided():
    session = Session("d-ts", ["a", "b", "c", "d"], seed=1)
    pairs = session.ask(6)
    assert session.out == tuple(pairs) and [pair.number for pair in pairs] == [0, 1, 2, 3, 4, 5]
    for pair in reversed(pairs):
        session.tell(pair, pair[0])
    with pytest.raises(InputError, match=r"question 0, .* already"):
        session.tell(pairs[0], pairs[0][1])
    assert session.out == () and session.told == 6
    session = Session("rucb", ["a", "b"], stop={"delta": 0.2})
    session.ask(8)
    for pair in session.out[:-1]:
        session.tell(pair, "a")
    assert session.done and len(session.out) == 1


def test_ties_are_told_as_a_fair_coin_and_the_arm_shown_first_alternates_and_begins_at_random():
    """29 to 71 of 100: outside with probability 2e-5."""
    heads = beginnings = 0
    for seed in range(100):
        session = Session("rucb", ["a", "b"], seed=seed, stop=False)
        firsts = [session.ask()[0]]
        session.tie(session.out[0])
        assert session.wins.sum() == 0 and session.ties.tolist() == [[0, 1], [1, 0]] and session.told == 1
        assert session.certainty().wins.tolist() == [[0, 0.5], [0.5, 0]] and told_to_algorithm(session).sum() == 1
        heads += told_to_algorithm(session)[0, 1]
        for _ in range(3):
            firsts.append(session.ask()[0])
            session.tell(session.out[0], "a")
        assert firsts[0] != firsts[1] and firsts == firsts[:2] * 2
        beginnings += firsts[0] == "a"
    assert 29 <= heads <= 71 and 29 <= beginnings <= 71


def test_a_tie_that_is_dropped_is_told_to_nobody_and_asked_again():
    session = Session("rucb", ["a", "b", "c"], ties="drop", stop={"rule": "pairs"})
    pair = session.ask()
    session.tie(pair)
    assert session.ties.sum() == 2 and session.certainty().wins.sum() == told_to_algorithm(session).sum() == 0
    again = session.ask()
    assert tuple(again) == tuple(pair)[::-1]  # the order in which they are shown alternates
    session.tie(again)
    asked = [set(pair) for pair in session.ask(2)]  # after two ties in a row another pair has its turn
    assert asked[0] != set(pair) and asked[1] == set(pair)


@pytest.mark.parametrize(
    ("id", "terms"), [("rucb", {"stop": False}), ("d-ts", {"stop": False}), ("uniform", {"horizon": 6})]
)
def test_pairs_that_are_never_decided_do_not_keep_out_the_others(id, terms):
    """With a horizon of 6, the session itself chooses most of them."""
    session = Session(id, ["a", "b", "c", "d"], ties="drop", **{"stop": {"rule": "pairs"}, **terms})
    asked = Counter()
    for _ in range(126):
        pair = session.ask()
        asked[frozenset(pair)] += 1
        is_open = id != "uniform" or pair.offered
        if is_open and set(pair) in ({"a", "b"}, {"c", "d"}):
            session.tie(pair)
        else:
            session.tell(pair, sorted(pair)[asked[frozenset(pair)] % 2])
    assert len(asked) == 6 and min(asked.values()) >= 10, asked
    assert id != "uniform" or max(asked.values()) - min(asked.values()) <= 5


@pytest.mark.parametrize("id", ["rucb", "interleaved-filter"])
def test_a_pair_that_is_skipped_is_not_asked_next_but_comes_back(id):
    session = answered(Session(id, ["a", "b", "c", "d"], seed=2, horizon=1000), 5)
    pair = session.ask()
    session.skip(pair)
    assert session.told == 5 and session.out == ()
    following = [set(session.ask()) for _ in range(3)]
    assert following[0] != set(pair) and set(pair) in following
    with pytest.raises(InputError, match="skipped already"):
        session.tell(pair, pair[0])
    only = Session(id, ["a", "b"], horizon=1000)
    for _ in range(3):
        only.skip(only.ask())
    assert answered(only, 3).told == 3


@pytest.mark.parametrize("id", ["rucb", "d-ts-plus", "kelly-elimination"])
def test_forbidden_pairs_are_never_asked_and_look_even_to_the_algorithm(id):
    session = Session(id, ["a", "b", "c"], seed=1, forbidden=[("b", "a")], stop=False)
    asked = set()
    for _ in range(60):
        if (pair := session.ask()) is None:
            break
        asked.add(frozenset(pair))
        session.tell(pair, max(pair))
    assert asked == {frozenset("ac"), frozenset("bc")}
    assert session.wins[0, 1] == session.wins[1, 0] == session.certainty().wins[0, 1] == 0
    assert session.recommend() == "c"


def test_what_is_taken_back_leaves_no_trace_in_the_questions_that_follow():
    plain, changed = (answered(Session("d-ts", ["a", "b", "c", "d"], seed=4), 6) for _ in range(2))
    pair = changed.ask()
    changed.tie(pair)
    changed.skip(changed.ask())
    changed.ask()
    changed.undo()
    assert changed.out == (pair,) == (plain.ask(),)
    changed.tell(pair, min(pair)), plain.tell(pair, min(pair))
    assert [changed.ask() for _ in range(9)] == [plain.ask() for _ in range(9)]
    assert changed.ask().number == 18  # the numbers of 7 and 8, which were withdrawn, are not used again


def test_who_answers_a_question_that_was_withdrawn_or_never_asked_adds_to_what_is_known():
    session = Session("rucb", ["a", "b", "c"])
    first = session.ask()
    session.tell(first, min(first))
    withdrawn = session.ask()
    session.undo()
    session.tell(withdrawn, min(withdrawn))
    assert session.told == 1 and told_to_algorithm(session).sum() == 0 and session.out == (first,)
    with pytest.raises(InputError, match="already"):
        session.tell(withdrawn, min(withdrawn))
    session = Session("rucb", ["a", "b", "c"])
    pair = session.ask()
    other = (*(set("abc") - set(pair)), pair[0])
    session.tell(other, other[0])
    assert session.told == session.wins.sum() == 1 and session.out == (pair,) and "not asked" in session.notes[0]
    session.tell((pair[1], pair[0]), pair[1])  # by its names, in whichever order
    assert session.out == () and told_to_algorithm(session).sum() == 1
    with pytest.raises(InputError, match=r"evidence=True"):
        session.tell(tuple(pair), pair[1])
    out = session.ask()
    session.tie(tuple(pair), evidence=True)
    assert session.out == (out,) and session.ties.sum() == 2
    with pytest.raises(InputError, match="question 1"):
        session.tell(out, out[0], evidence=True)


def test_a_session_that_has_settled_offers_open_pairs_until_nothing_is_open():
    session = Session("random", ["a", "b", "c", "d"], seed=3, horizon=10)
    asked = []
    while (pair := session.ask()) is not None:
        asked.append(pair.offered)
        session.tell(pair, min(pair))
    assert session.settled and session.done and session.answer == "a"
    assert any(asked) and asked == sorted(asked), "once it wants nothing more, it never does again"
    assert session._history.memory.player.round == 11


def test_while_answers_are_out_the_clock_does_not_run_away():
    session = answered(Session("d-ts", ["a", "b"], seed=1, stop=False), 10)
    session.ask()
    before = session._history.memory.player.round
    while session.ask() is not None:
        assert len(session.out) < 1000
    assert session._history.memory.player.round <= 2 * before + 100 + len(session.out)


def test_earlier_duels_count_for_the_rule_and_for_who_wins_and_are_spoken_of(tmp_path):
    session = Session("rucb", ["a", "b"], warm=[[0, 5], [0, 0]])
    assert not session.done and session.told == 0 and session.settings["stop"]["rule"] == "e-condorcet"
    assert Session("rucb", ["a", "b"], stop={"delta": 0.1}).settings["stop"]["rule"] == "e-bets"
    answered(session, 1)
    assert session.done and session.answer == "a" and session.certainty().wins[0, 1] == 6
    file = tmp_path / "games.csv"
    file.write_text("winner,loser,count\nc,a,3\na,c,1\n")
    session = Session("rucb", ["a", "b", "c"], warm=file, log=tmp_path / "log.jsonl")
    assert session.warm.tolist() == [[0, 0, 1], [0, 0, 0], [3, 0, 0]]
    assert session.notes[0].startswith("4 earlier duels") and "RUCB is warm-started" in session.notes[0]
    session.close()
    assert Session.open(tmp_path / "log.jsonl").notes == session.notes
    assert "BTM starts cold" in Session("btm", ["a", "b", "c"], horizon=100, warm=file).notes[0]
    file.write_text("winner,loser,count\nc,x,3\n")
    with pytest.raises(InputError, match=r"games\.csv: of the arms of this session, a, b, c, it has only 'c'"):
        Session("rucb", ["a", "b", "c"], warm=file)
    file.write_text("winner,loser,count\nc,x,3\nc,a,2\nz,x,1\n")
    session = Session("rucb", ["a", "b", "c"], warm=file)
    assert session.warm.tolist() == [[0, 0, 0], [0, 0, 0], [2, 0, 0]]
    assert "duels with x, z are left out" in session.notes[-1]


@pytest.mark.parametrize("id", [id for id, algorithm in algorithms().items() if algorithm.learns_from_any_pair])
def test_algorithms_that_learn_from_any_pair_know_the_winner_by_the_earlier_duels(id):
    warm = np.zeros((4, 4))
    warm[2, [0, 1, 3]] = 6
    warm[0, [1, 3]] = warm[1, 3] = 4
    session = Session(id, ["a", "b", "c", "d"], warm=warm, stop=False)
    assert session.recommend() == "c"
    answered(session, 30, better=lambda pair: "c" if "c" in pair else min(pair))
    assert session.recommend() == "c"


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"arms": ["a"]}, "two arms"),
        ({"arms": {"a", "b"}}, "no order"),
        ({"arms": ["a", "a"]}, "'a' and 'a' have the same letters"),
        ({"arms": ["\xe9", "e\u0301"]}, "same letters"),
        ({"arms": ["a", "b\n"]}, "'b\\n'"),
        ({"arms": ["a", "b" * 5000]}, "more than 2000"),
        ({"algorithm": "d-ts-pluss"}, "'d-ts-plus'"),
        ({"algorithm": "savage"}, "plays scalar bandits only"),
        ({"algorithm": "interleaved-filter"}, "horizon="),
        ({"aplha": 1}, "'alpha'"),
        ({"seed": -1}, "seed"),
        ({"ties": "lowest"}, "parameters={'ties': 'lowest'}"),
        ({"orders": "last"}, "orders must be"),
        ({"forbiden": [("a", "b")]}, "did you mean forbidden=?"),
        ({"alpha": 0.7, "parameters": {"alpha": 0.7}}, "alpha is given twice"),
        ({"parameters": 3}, "are a mapping"),
        ({"algorithm": {"rucb": {}, "d-ts": {}}}, "must name one"),
        ({"stop": {"rule": "e-condorset"}}, "'e-condorcet'"),
        ({"stop": {"delta": 2}}, "delta"),
        ({"stop": "pairs"}, "write {'rule': 'pairs'"),
        ({"forbidden": [("a", "x")]}, "forbidden: there is no arm 'x'"),
        ({"forbidden": [("a", "b"), ("a", "c"), ("c", "b")]}, "all pairs"),
        ({"warm": [[0, 1], [1, 0]]}, "2 x 2"),
        ({"warm": [[0, 1e15, 0], [0, 0, 0], [0, 0, 0]]}, "'a' against 'b': 1e+15"),
        ({"warm": "no-such-file.csv"}, "no-such-file.csv"),
        ({"digests": {"d": "1"}}, "digests: there is no arm 'd'"),
    ],
)
def test_what_makes_no_sense_is_refused(terms, said):
    with pytest.raises(InputError, match=re.escape(said)):
        Session(**{"algorithm": "rucb", "arms": ["a", "b", "c"], **terms})


def test_an_answer_that_makes_no_sense_is_refused_and_nothing_changes():
    session = Session("rucb", np.array(["a", "b", "c", "tie"]))
    pair = session.ask()
    elsewhere = Session("rucb", ["a", "b", "c", "tie"]).ask(3)[2]
    third = next(name for name in session.arms if name not in pair)
    for wrong, winner, judge, said in [
        (pair, third, None, "not in the pair"),
        (pair, None, None, "session.tie(pair)"),
        (("a", "x"), "a", None, "'x'"),
        (("a", "a"), "a", None, "against itself"),
        (elsewhere, elsewhere[0], None, "never asked"),
        (pair, pair[0], "x" * 101, "101 characters"),
        (pair, pair[0], "a\u200b", "cannot be printed"),
    ]:
        with pytest.raises(InputError, match=re.escape(said)):
            session.tell(wrong, winner, judge=judge)
    with pytest.raises(InputError, match="no answer to take back"):
        session.undo()
    assert session.told == 0 and session.out == (pair,)


def test_who_looks_from_another_thread_while_an_answer_is_taken_back_sees_the_session_whole(monkeypatch):
    session = answered(Session("random", ["a", "b", "c"], seed=1), 3)
    half_way, go_on = threading.Event(), threading.Event()
    ask = Memory.ask

    def slow_ask(memory, number):
        half_way.set()
        assert go_on.wait(10)
        return ask(memory, number)

    monkeypatch.setattr(Memory, "ask", slow_ask)
    session.undo()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: session.told)
        assert half_way.wait(10)
        second = pool.submit(lambda: session.told)
        wait([second], timeout=0.2)  # it waits, or works out the same at the same time
        go_on.set()
    assert first.result() == second.result() == 2 and len(session.out) == 1


def test_arms_that_have_changed_since_the_session_began_are_named_when_it_is_opened(tmp_path):
    log = tmp_path / "log.jsonl"
    Session("rucb", ["a", "b", "c"], log=log, digests={"a": "1", "b": "2"}).close()
    for now, notes in (({"a": "1", "b": "2"}, 0), ({"a": "1", "b": "3"}, 1), ({"c": "9"}, 0), (None, 0)):
        with Session.open(log, digests=now) as session:
            assert len(session.notes) == notes and (not notes or "'b' has changed" in session.notes[0])


@pytest.mark.parametrize(
    ("algorithm", "given"),
    [
        ("rucb", {"parameters": {"ties": "lowest", "alpha": 0.7}}),
        ("rucb", {"parameters": {"ties": "lowest"}, "alpha": 0.7}),
        ({"rucb": {"ties": "lowest", "alpha": 0.7}}, {}),
    ],
)
def test_parameters_of_the_algorithm_may_be_called_like_those_of_the_session(algorithm, given):
    session = Session(algorithm, ["a", "b", "c"], ties="drop", **given)
    parameters = session.settings["parameters"]
    assert (parameters["ties"], parameters["alpha"], session.settings["ties"]) == ("lowest", 0.7, "drop")


def test_a_function_says_when_a_session_is_done_also_when_it_goes_on_from_its_log(tmp_path):
    path = tmp_path / "log.jsonl"
    with Session("rucb", ["a", "b", "c"], stop=lambda session: session.told >= 3, log=path) as session:
        answered(session, 3)
        assert session.ask() is None and session.done and session.answer is None
        assert session.status() == "3 answers: done; a is ahead by a Bradley-Terry fit"
    with Session.open(path) as session:
        assert not session.done
    with Session.open(path, stop=lambda session: session.told >= 4) as session:
        answered(session, 1)
        assert session.ask() is None


def test_pairs_are_shown_in_the_order_of_the_arms_where_that_is_asked_for(tmp_path):
    path = tmp_path / "log.jsonl"
    with Session("d-ts", ["c", "a", "b"], orders="first", log=path) as session:
        pairs = []
        for _ in range(12):
            pairs.append(session.ask())
            session.tell(pairs[-1], pairs[-1][0])
    assert {*pairs} == {("c", "a"), ("c", "b"), ("a", "b")}
    with Session.open(path) as again:
        assert again.settings["orders"] == "first" and again.told == 12
        assert again.position_bias().n == again.judge_records()[0].first.n == 0


ONE_BEFORE = [[0, 1], [0, 0]]


@pytest.mark.parametrize(
    ("terms", "rule", "delta"),
    [
        ({}, "own", 0.05),
        ({"stop": {"delta": 0.2}}, "own", 0.2),
        ({"delta": 0.3}, "own", 0.3),
        ({"stop": {"rule": "e-bets", "delta": 0.2}}, "e-bets", 0.05),
        ({"warm": ONE_BEFORE}, "e-condorcet", 0.05),
    ],
)
def test_an_algorithm_with_a_test_ends_its_session_by_it_with_one_delta_unless_there_are_earlier_duels(
    terms, rule, delta
):
    settings = Session("kelly-elimination", ["a", "b"], **terms).settings
    assert (settings["stop"]["rule"], settings["parameters"]["delta"]) == (rule, delta)
    assert rule != "own" or settings["stop"]["delta"] == delta


@pytest.mark.parametrize(
    ("id", "terms", "said"),
    [
        ("rucb", {}, "rucb has no test of its own"),
        ("kelly-elimination", {"warm": [[0, 1, 0], [0, 0, 0], [0, 0, 0]]}, "cannot be used with earlier duels"),
        ("kelly-elimination", {"forbidden": [("a", "b")]}, "cannot be used with forbidden pairs"),
        (
            "kelly-elimination",
            {"parameters": {"delta": 0.2}},
            r"delta is 0\.1 for the rule own and 0\.2 for the algorithm",
        ),
    ],
)
def test_an_own_test_that_cannot_end_the_session_is_refused(id, terms, said):
    with pytest.raises(InputError, match=said):
        Session(id, ["a", "b", "c"], stop={"rule": "own", "delta": 0.1}, **terms)


def test_a_session_that_ended_by_its_own_test_is_so_when_opened_and_goes_on_when_the_last_answer_is_taken_back(
    tmp_path,
):
    """Ties, questions that are out together and skips on the way; duels from elsewhere do not end it."""
    path = tmp_path / "log.jsonl"
    with Session("kelly-elimination", ["a", "b", "c"], seed=2, log=path) as session:
        session.tie(session.ask())
        session.skip(session.ask())
        for _ in range(50):
            session.tell(("a", "b"), "a", evidence=True)
            session.tell(("a", "c"), "a", evidence=True)
        assert not session.done and session.certainty().is_decided and "its test do not learn" in session.notes[0]
        while not session.done:
            pair = session.ask(3)[0] if not session.out else session.out[-1]
            session.tell(pair, min(pair))
        said = session.status()
        assert "a is the best; if one arm beats all others and answers are independent" in said
    with Session.open(path) as again:
        assert again.done and again.answer == "a" and again.ask() is None and again.status() == said
        again.undo()
        assert not again.done and again.answer is None and pair in again.out
        again.tell(pair, min(pair))
        assert again.done


def test_an_own_test_without_an_answer_at_the_horizon_ends_without_one_and_nothing_is_offered():
    session = answered(Session("kelly-elimination", ["a", "b", "c"], horizon=3), 3)
    assert session.ask() is None and not session.done and session.settled and session.answer is None
