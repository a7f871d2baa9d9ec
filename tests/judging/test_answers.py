"""What the answer of a stopping rule says holds on the condition that it names."""

import pytest

from duelbench import Session
from duelbench.judging.verdict import answer_in_words

IF_ONE, IF_NOT_EVEN, IF_ORDER = (
    "if one arm beats all",
    "if no two arms are exactly even",
    "if the arms have an order",
)


@pytest.mark.parametrize(
    ("stop", "answer", "words"),
    [
        ({"rule": "e-condorcet"}, "tea", [IF_ONE, "tea is the best", "answers are independent"]),
        ({"rule": "e-condorcet"}, None, ["no arm beats all others"]),
        ({"rule": "pac-condorcet", "epsilon": 0.1}, "tea", [IF_ONE, "tea loses to none by more than 0.1"]),
        ({"rule": "pairs"}, None, [IF_NOT_EVEN, "no arm beats all"]),
        ({"rule": "pairs", "target": "copeland", "epsilon": 0.1}, "tea", [IF_NOT_EVEN, "Copeland", "by more than 0.1"]),
        ({"rule": "pairs", "target": "top-k", "k": 2}, "tea", [IF_ORDER, "among the best 2"]),
        ({"rule": "borda", "k": 2, "epsilon": 0.1}, "tea", ["fewer than 2 arms", "Borda", "by more than 0.1"]),
    ],
)
def test_an_answer_is_said_with_its_condition(stop, answer, words):
    session = Session("rucb", ["tea", "milk", "water"], stop=stop)
    sentence = answer_in_words(session.settings["stop"], answer, stop["rule"])
    assert all(part in sentence for part in words)
