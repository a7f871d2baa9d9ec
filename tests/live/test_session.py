"""What a live session promises whoever answers."""

import re
import threading
from collections import Counter

import numpy as np
import pytest

from duelbench import Session
from duelbench.algorithms.stopping.rules import RULES
from duelbench.errors import InputError
from duelbench.live.player import LEARNS_FROM_ANY_PAIR


def test_a_session_asks_until_its_rule_has_the_answer():
    session = Session("rucb", ["a", "b", "c"], seed=1)
    while (pair := session.ask()) is not None:
        session.tell(pair, min(pair))
    assert session.done and session.answer == session.recommend() == "a"
    assert session.wins.sum() == session.told


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_stopping_rule_ends_a_session(rule):
    session = Session("random", ["a", "b", "c"], seed=1, stop={"rule": rule, "delta": 0.1})
    while (pair := session.ask()) is not None:
        session.tell(pair, min(pair))
    assert session.done and session.answer == session.recommend() == "a"
    said = repr(session)
    assert said.startswith(f"<Session of 3 arms: {session.told} answers: done; ")
    assert said.endswith(f" ({rule}, wrong with probability 0.1 at most)>")


CYCLE = {("a", "b"): "a", ("b", "c"): "b", ("a", "c"): "c"}
"""Who wins each duel; nobody beats all others."""


def test_of_a_cycle_the_sentence_does_not_say_that_some_arm_is_the_winner():
    session = Session("d-ts-plus", ["a", "b", "c"], seed=1)
    while (pair := session.ask()) is not None:
        session.tell(pair, CYCLE[min(pair), max(pair)])
    assert session.done and session.answer is not None
    said = (
        f"done; if one arm beats all others, it is {session.answer} (e-condorcet, wrong with probability 0.05 at most)"
    )
    assert session.status().endswith(said)


def test_several_questions_may_be_out_and_answered_in_any_order():
    session = Session("d-ts", ["a", "b", "c", "d"], seed=1)
    pairs = session.ask(6)
    assert session.out == tuple(pairs) and [pair.number for pair in pairs] == [0, 1, 2, 3, 4, 5]
    for pair in reversed(pairs):
        session.tell(pair, pair[0])
    assert session.out == () and session.told == 6


def test_a_question_is_answered_once():
    session = Session("rucb", ["a", "b", "c"])
    pair = session.ask()
    session.tell(pair, pair[1])
    with pytest.raises(InputError, match=r"question 0, .* was answered already"):
        session.tell(pair, pair[1])
    assert session.told == 1


def test_an_answer_is_taken_back_and_its_question_is_out_again():
    session = Session("rucb", ["a", "b", "c"])
    pair = session.ask()
    session.tell(pair, pair[0])
    session.ask()
    session.undo()
    assert session.out == (pair,) and session.told == 0 and session.wins.sum() == 0


def answered(session, n, better=min):
    """Answer n questions: the arm whose name comes first wins, or whoever ``better`` says."""
    for _ in range(n):
        pair = session.ask()
        session.tell(pair, better(pair))
    return session


def told_to_algorithm(session):
    """(K, K): the wins that the algorithm has counted; for algorithms that keep them in ``bounds``."""
    return session._memory.player._state.bounds.wins


def test_a_tie_counts_half_a_win_for_each_and_the_algorithm_is_told_a_fair_coin():
    heads = 0
    for seed in range(200):
        session = Session("rucb", ["a", "b"], seed=seed)
        session.tie(session.ask())
        assert session.wins.sum() == 0 and session.ties.tolist() == [[0, 1], [1, 0]] and session.told == 1
        assert session.certainty().wins.tolist() == [[0, 0.5], [0.5, 0]]
        heads += told_to_algorithm(session)[0, 1]
        assert told_to_algorithm(session).sum() == 1
    assert 70 <= heads <= 130  # binomial, 200 and 1/2: outside with probability 2e-5


def test_a_tie_that_is_dropped_is_told_to_nobody_and_asked_again():
    session = Session("rucb", ["a", "b", "c"], ties="drop", stop={"rule": "pairs"})
    pair = session.ask()
    session.tie(pair)
    assert session.ties.sum() == 2 and session.certainty().wins.sum() == 0
    assert told_to_algorithm(session).sum() == 0
    again = session.ask()
    assert tuple(again) == tuple(pair)[::-1]  # the order in which they are shown alternates
    session.tie(again)
    asked = [set(pair) for pair in session.ask(2)]  # after two ties in a row another pair has its turn
    assert asked[0] != set(pair) and asked[1] == set(pair)


@pytest.mark.parametrize("id", ["uniform", "rucb", "d-ts"])
def test_pairs_that_are_never_decided_do_not_keep_out_the_others(id):
    session = Session(id, ["a", "b", "c", "d"], ties="drop", stop=False)
    asked = Counter()
    for _ in range(200):
        pair = session.ask()
        asked[frozenset(pair)] += 1
        if set(pair) in ({"a", "b"}, {"c", "d"}):
            session.tie(pair)
        else:
            session.tell(pair, sorted(pair)[asked[frozenset(pair)] % 2])
    assert len(asked) == 6 and min(asked.values()) >= 10


def test_pairs_of_the_sessions_own_choice_that_are_never_decided_have_their_turn_and_no_more():
    session = Session("uniform", ["a", "b", "c", "d"], horizon=6, ties="drop", stop={"rule": "pairs"})
    asked = Counter()
    for _ in range(126):
        pair = session.ask()
        asked[frozenset(pair)] += 1
        if pair.offered and set(pair) in ({"a", "b"}, {"c", "d"}):
            session.tie(pair)
        else:
            session.tell(pair, sorted(pair)[asked[frozenset(pair)] % 2])
    assert len(asked) == 6 and max(asked.values()) - min(asked.values()) <= 5, asked


def test_an_algorithm_that_settles_soon_is_not_at_its_end_by_default():
    def asked(**terms):
        session = Session("d-ts", ["a", "b", "c", "d"], stop=False, **terms)
        pairs = []
        while (pair := session.ask()) is not None and not pair.offered:
            session.tell(pair, min(pair))
            pairs.append(tuple(pair))
        return pairs

    by_default, soon_over = asked(), asked(horizon=10**6)
    assert by_default == asked(horizon=10**9)
    assert by_default[: len(soon_over)] == soon_over and len(by_default) > len(soon_over)


@pytest.mark.parametrize("id", ["rucb", "d-ts", "interleaved-filter", "random"])
def test_a_pair_that_is_skipped_is_not_asked_next_but_comes_back(id):
    session = Session(id, ["a", "b", "c", "d"], seed=2, horizon=1000)
    answered(session, 5)
    pair = session.ask()
    session.skip(pair)
    assert session.told == 5 and session.out == ()
    following = [session.ask() for _ in range(3)]
    assert set(following[0]) != set(pair)
    assert set(pair) in [set(one) for one in following[1:]]
    with pytest.raises(InputError, match="was skipped already"):
        session.tell(pair, pair[0])


def test_with_two_arms_a_skipped_pair_is_asked_again_at_once():
    session = Session("rucb", ["a", "b"])
    for _ in range(3):
        session.skip(session.ask())
    answered(session, 3)
    assert session.told == 3


@pytest.mark.parametrize("id", ["rucb", "d-ts-plus", "random", "kelly-elimination"])
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


def test_the_arm_shown_first_alternates_for_each_pair_and_begins_at_random():
    beginnings = 0
    for seed in range(200):
        session = Session("rucb", ["a", "b"], seed=seed, stop=False)
        firsts = []
        for _ in range(6):
            pair = session.ask()
            firsts.append(pair[0])
            session.tell(pair, pair[0])
        assert firsts[0] != firsts[1] and firsts == firsts[:2] * 3
        beginnings += firsts[0] == "a"
    assert 70 <= beginnings <= 130


def test_whoever_favours_the_arm_shown_first_is_found_out():
    session = answered(Session("random", ["a", "b", "c"], stop=False), 40, better=lambda pair: pair[0])
    bias = session.position_bias()
    assert bias.share == 1.0 and bias.p_value < 1e-6
    assert answered(Session("random", ["a", "b", "c"], stop=False), 40).position_bias().p_value > 0.01


def test_each_judge_is_counted_until_an_answer_is_taken_back():
    session = Session("rucb", ["a", "b", "c"])
    for judge in ("ann", "bob", "ann", None):
        pair = session.ask()
        session.tell(pair, min(pair), judge=judge)
    assert session.judges == {"ann": 2, "bob": 1, None: 1}
    session.undo()
    session.undo()
    assert session.judges == {"ann": 1, "bob": 1}


def test_what_is_taken_back_leaves_no_trace_in_the_questions_that_follow():
    plain, changed = (Session("d-ts", ["a", "b", "c", "d"], seed=4) for _ in range(2))
    answered(plain, 6), answered(changed, 6)
    pair = changed.ask()
    changed.tie(pair)
    changed.skip(changed.ask())
    changed.ask()
    changed.undo()
    assert changed.out == (pair,) == (plain.ask(),)
    changed.tell(pair, min(pair)), plain.tell(pair, min(pair))
    assert [changed.ask() for _ in range(9)] == [plain.ask() for _ in range(9)]
    assert changed.ask().number == 18  # the numbers of 7 and 8, which were withdrawn, are not used again


def test_who_answers_a_question_that_was_withdrawn_adds_to_what_is_known():
    session = Session("rucb", ["a", "b", "c"])
    first = session.ask()
    session.tell(first, min(first))
    withdrawn = session.ask()
    session.undo()
    session.tell(withdrawn, min(withdrawn))
    assert session.told == 1 and told_to_algorithm(session).sum() == 0 and session.out == (first,)
    with pytest.raises(InputError, match="was answered already"):
        session.tell(withdrawn, min(withdrawn))


def test_a_duel_that_was_never_asked_counts_and_is_said():
    session = Session("rucb", ["a", "b", "c"])
    pair = session.ask()
    other = tuple(name for name in "abc" if name not in pair) + (pair[0],)
    session.tell(other, other[0])
    assert session.told == 1 and session.wins.sum() == 1 and session.out == (pair,)
    assert "was not asked" in session.notes[0]
    session.tell((pair[1], pair[0]), pair[1])  # by its names, in whichever order
    assert session.out == () and told_to_algorithm(session).sum() == 1


def test_a_session_that_has_settled_offers_open_pairs_until_nothing_is_open():
    session = Session("random", ["a", "b", "c", "d"], seed=3, horizon=10)
    asked = []
    while (pair := session.ask()) is not None:
        asked.append(pair)
        session.tell(pair, min(pair))
    offered = [pair for pair in asked if pair.offered]
    assert session.settled and offered and session.done and session.answer == "a"
    assert asked[-len(offered) :] == offered  # once it wants nothing more, it never does again
    assert session._memory.player.round == 11


def test_while_answers_are_out_the_clock_does_not_run_away():
    session = Session("d-ts", ["a", "b"], seed=1, stop=False)
    answered(session, 10)
    session.ask()
    before = session._memory.player.round
    while session.ask() is not None:
        assert len(session.out) < 1000
    assert session._memory.player.round <= 2 * before + 100 + len(session.out)


def test_duels_of_before_count_for_the_rule_and_for_who_wins():
    session = Session("rucb", ["a", "b"], warm=[[0, 5], [0, 0]])
    assert not session.done and session.told == 0
    answered(session, 1)
    assert session.done and session.answer == "a" and session.certainty().wins[0, 1] == 6


def test_duels_of_before_are_read_from_a_file_by_the_names_of_the_arms(tmp_path):
    file = tmp_path / "games.csv"
    file.write_text("winner,loser,count\nc,a,3\na,c,1\n")
    session = Session("rucb", ["a", "b", "c"], warm=file)
    assert session.warm.tolist() == [[0, 0, 1], [0, 0, 0], [3, 0, 0]]
    file.write_text("winner,loser,count\nc,x,3\n")
    with pytest.raises(InputError, match=r"games\.csv: there is no arm 'x' in this session"):
        Session("rucb", ["a", "b", "c"], warm=file)


@pytest.mark.parametrize("id", sorted(LEARNS_FROM_ANY_PAIR))
def test_algorithms_that_learn_from_any_pair_know_the_winner_by_the_duels_of_before(id):
    warm = np.zeros((4, 4))
    warm[2, [0, 1, 3]] = 6
    warm[0, [1, 3]] = warm[1, 3] = 4
    session = Session(id, ["a", "b", "c", "d"], warm=warm, stop=False)
    assert session.recommend() == "c"
    answered(session, 30, better=lambda pair: "c" if "c" in pair else min(pair))
    assert session.recommend() == "c"


def test_names_from_an_array_are_plain_text():
    assert [type(name) for name in Session("rucb", np.array(["a", "b"])).ask()] == [str, str]


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"arms": ["a"]}, "there must be two arms at least"),
        ({"arms": "abc"}, "arms must be a list of names"),
        ({"arms": ["a", "a"]}, "'a' is named twice"),
        ({"arms": ["a", ""]}, "a name that is not empty"),
        ({"arms": ["a", 3]}, "a name that is not empty"),
        ({"algorithm": "d-ts-pluss"}, "did you mean 'd-ts-plus'"),
        ({"algorithm": "savage"}, "plays scalar bandits only"),
        ({"algorithm": "interleaved-filter"}, "give horizon="),
        ({"alpha": -1}, "rucb: alpha must be > 0.5"),
        ({"aplha": 1}, "did you mean 'alpha'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"ties": "lose"}, "ties must be 'half' or 'drop'"),
        ({"self_duels": 1}, "self_duels must be True or False"),
        ({"stop": {"rule": "e-condorset"}}, "did you mean 'e-condorcet'"),
        ({"stop": {"delta": 2}}, "delta must be"),
        ({"stop": "pairs"}, "stop is 'pairs'; write"),
        ({"forbidden": [("a", "x")]}, "forbidden: there is no arm 'x'"),
        ({"forbidden": ["ab"]}, "each forbidden pair is two names"),
        ({"forbidden": [("a", "b"), ("a", "c"), ("c", "b")]}, "all pairs are forbidden"),
        ({"warm": [[0, 1], [1, 0]]}, "2 x 2 counts for 3 arms"),
        ({"warm": [[0, 1e15, 0], [0, 0, 0], [0, 0, 0]]}, "'a' against 'b': 1e+15 wins; 1e+12 at most are counted"),
        ({"stop": True}, "stop is True; write {'rule': 'e-condorcet', 'delta': 0.05}, or False for no rule"),
        ({"delta": 0.1}, "the stopping rule's are written stop={'rule': 'e-condorcet', 'delta': 0.05}"),
        ({"arms": ["\xe9", "e\u0301"]}, "the arms '\\xe9' and 'e\\u0301' are the same letters"),
        ({"arms": ["a", "b\n"]}, "arms: the name is 'b\\n', which cannot be printed"),
        ({"arms": ["a", "a "]}, "arms: the name 'a ' has blanks around it; leave them out"),
        ({"arms": ["a", "b" * 5000]}, "has 5000 characters, and 2000 are the most; give the arm a short name"),
        ({"digests": {"d": "1"}}, "digests: there is no arm 'd'"),
        ({"digests": ["a"]}, "digests must be texts by the names of arms"),
        ({"warm": [[0, -1, 0], [0, 0, 0], [0, 0, 0]]}, "'a' against 'b': -1 wins"),
        ({"warm": [[0, 0.5, 0], [0, 0, 0], [0, 0, 0]]}, "a tie is half a win for both"),
        ({"warm": "no-such-file.csv"}, "no-such-file.csv"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(terms, said):
    with pytest.raises(InputError, match=re.escape(said)):
        Session(**{"algorithm": "rucb", "arms": ["a", "b", "c"], **terms})


def test_an_answer_that_makes_no_sense_is_refused_and_nothing_changes():
    session = Session("rucb", ["a", "b", "c", "tie"])
    pair = session.ask()
    other = Session("rucb", ["a", "b", "c", "tie"])
    others = other.ask(3)
    third = next(name for name in session.arms if name not in pair)
    for wrong, winner, said in [
        (pair, third, "is not in the pair"),
        (pair, "x", "is not in the pair"),
        (pair, None, "the winner is None; name one of the two; for a tie: session.tie(pair)"),
        (("a", "x"), "a", "there is no arm 'x'"),
        ("ab", "a", "a pair is what ask() returned"),
        (("a", "a"), "a", "against itself says nothing"),
        (others[2], others[2][0], "was never asked in this session"),
    ]:
        with pytest.raises(InputError, match=re.escape(said)):
            session.tell(wrong, winner)
    with pytest.raises(InputError, match="there is no answer to take back"):
        session.undo()
    with pytest.raises(InputError, match="judge must be a name"):
        session.tell(pair, pair[0], judge=7)
    with pytest.raises(InputError, match=re.escape("ask(n) takes a whole number")):
        session.ask(0)
    assert session.told == 0 and session.out == (pair,)


def test_a_duel_from_elsewhere_counts_though_the_session_has_asked_for_the_pair():
    session = Session("rucb", ["a", "b"], stop=False)
    pair = session.ask()
    session.tell(pair, "a")
    with pytest.raises(InputError, match=r"was answered already, .* evidence=True"):
        session.tell(("a", "b"), "b")
    session.tell(("a", "b"), "b", evidence=True)
    out = session.ask()
    session.tie(("a", "b"), evidence=True)
    assert session.out == (out,)
    assert (session.wins.tolist(), session.ties.tolist()) == ([[0, 1], [1, 0]], [[0, 1], [1, 0]])
    with pytest.raises(InputError, match="question 1 is no duel from elsewhere"):
        session.tell(out, "a", evidence=True)


def test_a_set_of_arms_is_refused_because_it_has_no_order():
    with pytest.raises(InputError, match="a set has no order"):
        Session("rucb", {"a", "b"})


def test_who_looks_from_another_thread_while_an_answer_is_taken_back_sees_the_session_whole(monkeypatch):
    from duelbench.live.memory import Memory

    session = Session("random", ["a", "b", "c"], seed=1)
    for _ in range(3):
        pair = session.ask()
        session.tell(pair, pair[0])
    half_way, go_on = threading.Event(), threading.Event()
    ask = Memory.ask

    def slow_ask(memory, number):
        half_way.set()
        assert go_on.wait(10)
        return ask(memory, number)

    monkeypatch.setattr(Memory, "ask", slow_ask)
    session.undo()
    seen: list[int] = []
    looking = [threading.Thread(target=lambda: seen.append(session.told)) for _ in range(2)]
    looking[0].start()
    assert half_way.wait(10)
    looking[1].start()
    looking[1].join(0.2)  # it waits, or works out the same at the same time
    go_on.set()
    for one in looking:
        one.join(10)
    assert seen == [2, 2] and len(session.out) == 1


def test_what_is_closed_says_how_to_go_on_whatever_it_is_asked(tmp_path):
    log = tmp_path / "log.jsonl"
    session = Session("rucb", ["a", "b", "c"], log=log)
    pair = session.ask()
    session.close()
    for call in (session.ask, lambda: session.tell(pair, pair[0]), lambda: session.skip(pair), session.undo):
        with pytest.raises(InputError, match=re.escape(f'go on with it by Session.open("{log}")')):
            call()


def test_nothing_is_said_to_be_out_once_it_is_decided():
    session = Session("rucb", ["a", "b"], stop={"delta": 0.2})
    session.ask(8)
    for pair in session.out[:-1]:
        session.tell(pair, "a")
    assert session.done and len(session.out) == 1
    assert session.status().startswith("7 answers: done; ")


def test_duels_of_before_are_spoken_of(tmp_path):
    warm = [[0, 3, 1], [2, 0, 0], [0, 0, 0]]
    session = Session("rucb", ["a", "b", "c"], warm=warm, log=tmp_path / "log.jsonl")
    note = "6 duels of before: they count for what is known and for the stopping rule, and RUCB is told of them"
    assert session.notes == [note]
    assert session.status() == "0 answers, 6 duels of before: RUCB recommends a"
    session.close()
    assert Session.open(tmp_path / "log.jsonl").notes == [note]
    assert Session("btm", ["a", "b", "c"], horizon=100, warm=warm).notes[0].endswith("but BTM is not told")


def test_a_judge_in_python_is_named_by_the_rule_of_the_command_and_the_page():
    session = Session("rucb", ["a", "b", "c"])
    session.tell(session.ask(), session.out[0][0], judge=" Ann ")
    assert session.judges == {"Ann": 1}
    pair = session.ask()
    for name, said in ((" ", "the name is empty"), ("x" * 101, "101 characters"), ("a\u200b", "cannot be printed")):
        with pytest.raises(InputError, match=said):
            session.tell(pair, pair[0], judge=name)
    assert session.told == 1


def test_arms_that_have_changed_since_the_session_began_are_named_when_it_is_opened(tmp_path):
    log = tmp_path / "log.jsonl"
    Session("rucb", ["a", "b", "c"], log=log, digests={"a": "1", "b": "2"}).close()
    for now, notes in (({"a": "1", "b": "2"}, 0), ({"a": "1", "b": "3"}, 1), ({"c": "9"}, 0), (None, 0)):
        with Session.open(log, digests=now) as session:
            assert len(session.notes) == notes
    with Session.open(log, read_only=True, digests={"a": "7", "b": "3"}) as session:
        assert "what is shown of 'a', 'b' has changed since the session began" in session.notes[0]
    for wrong in (["a"], [], {"a": 7}, {1: "a"}):
        with pytest.raises(InputError, match="digests must be texts by the names of arms"):
            Session.open(log, digests=wrong)
    Session.open(log).close()  # nobody has it open
