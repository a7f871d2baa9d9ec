"""What the answer of a stopping rule says, in words, with the condition on which it holds."""

from collections.abc import Mapping
from typing import Any

from duelbench.algorithms.stopping.rules import RULES

NO_EVEN_PAIR = "if no two arms are exactly even"
AN_ORDER = "if the arms stand in an order"


def in_words(stop: Mapping[str, Any], answer: str | None) -> str:
    """What an answer says; it is wrong with probability delta at most.

    Parameters
    ----------
    stop : mapping
        ``rule`` and all its parameters.
    answer : str or None
        The arm; None where the answer is that there is no Condorcet winner.

    Examples
    --------
    >>> in_words({"rule": "e-condorcet", "delta": 0.05}, "tea")
    'if one arm beats all others, it is tea'
    >>> in_words({"rule": "pairs", "delta": 0.05, "target": "copeland", "epsilon": 0.0, "k": 1}, "tea")
    'if no two arms are exactly even, no arm beats more others than tea'
    """
    if RULES[stop["rule"]].assumes == "condorcet":
        return _of_condorcet_winner(stop.get("epsilon", 0.0), answer)
    if stop["rule"] == "pairs":
        return _of_pairs(stop, answer)
    return _of_borda(stop, answer)


def _of_condorcet_winner(epsilon: float, answer: str | None) -> str:
    if answer is None:
        return "no arm beats all others"
    if epsilon > 0:
        return f"if one arm beats all others, {answer} loses to none by more than {epsilon:g}"
    return f"if one arm beats all others, it is {answer}"


def _of_pairs(stop: Mapping[str, Any], answer: str | None) -> str:
    target, epsilon, k = stop["target"], stop["epsilon"], stop["k"]
    if target == "condorcet":
        return f"{NO_EVEN_PAIR}, {'no arm' if answer is None else answer} beats all others"
    if target == "copeland" and epsilon > 0:
        return f"{NO_EVEN_PAIR}, no arm's Copeland score is larger than that of {answer} by more than {epsilon:g}"
    if target == "copeland":
        return f"{NO_EVEN_PAIR}, no arm beats more others than {answer}"
    place = f"among the best {k}" if target == "top-k" and k > 1 else "the best"
    return f"{AN_ORDER}, {answer} is {place}"


def _of_borda(stop: Mapping[str, Any], answer: str | None) -> str:
    epsilon, k = stop["epsilon"], stop["k"]
    larger = f"a Borda score that is larger than that of {answer}"
    by = f" by more than {epsilon:g}" if epsilon > 0 else ""
    fewer = "no arm has" if k == 1 else f"fewer than {k} arms have"
    return f"{fewer} {larger}{by}"
