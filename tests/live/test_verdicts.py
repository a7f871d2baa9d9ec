"""What the answer of a stopping rule says holds on the condition that it names."""

import pytest

from duelbench.live.settings import settle_terms
from duelbench.live.verdicts import in_words

ARMS = ("tea", "coffee", "milk", "water")


@pytest.mark.parametrize(
    ("stop", "answer", "said"),
    [
        ({"rule": "e-condorcet"}, "tea", "if one arm beats all others, it is tea"),
        ({"rule": "e-bets"}, "tea", "if one arm beats all others, it is tea"),
        ({"rule": "e-condorcet"}, None, "no arm beats all others"),
        ({"rule": "pac-condorcet"}, "tea", "if one arm beats all others, it is tea"),
        (
            {"rule": "pac-condorcet", "epsilon": 0.1},
            "tea",
            "if one arm beats all others, tea loses to none by more than 0.1",
        ),
        ({"rule": "pairs"}, "tea", "if no two arms are exactly even, tea beats all others"),
        ({"rule": "pairs"}, None, "if no two arms are exactly even, no arm beats all others"),
        (
            {"rule": "pairs", "target": "copeland"},
            "tea",
            "if no two arms are exactly even, no arm beats more others than tea",
        ),
        (
            {"rule": "pairs", "target": "copeland", "epsilon": 0.1},
            "tea",
            "if no two arms are exactly even, no arm's Copeland score is larger than that of tea by more than 0.1",
        ),
        ({"rule": "pairs", "target": "ranking"}, "tea", "if the arms stand in an order, tea is the best"),
        (
            {"rule": "pairs", "target": "top-k", "k": 2},
            "tea",
            "if the arms stand in an order, tea is among the best 2",
        ),
        ({"rule": "borda"}, "tea", "no arm has a Borda score that is larger than that of tea"),
        (
            {"rule": "borda", "k": 2, "epsilon": 0.1},
            "tea",
            "fewer than 2 arms have a Borda score that is larger than that of tea by more than 0.1",
        ),
    ],
)
def test_an_answer_is_said_with_its_condition(stop, answer, said):
    terms = settle_terms("rucb", ARMS, 0, None, "half", False, True, stop, (), None, {})
    assert in_words(terms.stop, answer) == said
