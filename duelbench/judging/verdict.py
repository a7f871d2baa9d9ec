"""Expresses the answer of a session in words, with the conditions under which it is true."""

from collections.abc import Mapping, Sequence
from typing import Any

from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.judging.settings import OWN

WINNER, NONE_WINS, UNDECIDED = "winner", "no winner", "undecided"
"""The verdicts of a session on the best arm."""


def answer_in_words(stop: Mapping[str, Any], answer: str | None, by: str, cycle: Sequence[str] = ()) -> str:
    """Return the answer of a session, its conditions and its error probability.

    Parameters
    ----------
    stop : mapping
        The rule with all its parameters.
    answer : str or None
        The name of an arm; None if no arm beats all others.
    by : str
        The name of the rule or of the test.
    cycle : sequence of str
        Arms, each of which leads against the next, and the last against the first.

    Examples
    --------
    >>> answer_in_words({"rule": "e-condorcet", "delta": 0.05}, "tea", "e-condorcet")
    'tea is the best; if one arm beats all others and answers are independent, this is wrong with probability at most \
0.05 (e-condorcet)'
    """
    is_about_condorcet = stop["rule"] == OWN or RULES[stop["rule"]].assumes == "condorcet"
    if answer is None and is_about_condorcet:
        circle = f" ({' > '.join([*cycle, cycle[0]])})" if cycle else ""
        # The answer needs two tests, of this arm and of the others, each with the error probability delta.
        return (
            f"no arm beats all others{circle}; if answers are independent, this is wrong with probability at most"
            f" {2 * stop['delta']:g} ({by})"
        )
    condition, statement = _statement(stop, answer)
    return f"{statement}; {condition}, this is wrong with probability at most {stop['delta']:g} ({by})"


def _statement(stop: Mapping[str, Any], answer: str | None) -> tuple[str, str]:
    """Return the condition of the answer, and the statement."""
    independent = "answers are independent"
    epsilon, k = stop.get("epsilon", 0.0), stop.get("k", 1)
    by_more = f" by more than {epsilon:g}" if epsilon > 0 else ""
    if stop["rule"] == OWN or RULES[stop["rule"]].assumes == "condorcet":
        statement = f"{answer} loses to none{by_more}" if by_more else f"{answer} is the best"
        return f"if one arm beats all others and {independent}", statement
    if stop["rule"] != "pairs":
        fewer = "no arm has" if k == 1 else f"fewer than {k} arms have"
        return f"if {independent}", f"{fewer} a Borda score that is larger than that of {answer}{by_more}"
    if stop["target"] not in ("condorcet", "copeland"):
        quality = f"among the best {k}" if stop["target"] == "top-k" and k > 1 else "the best"
        return f"if the arms have an order and {independent}", f"{answer} is {quality}"
    if stop["target"] == "condorcet":
        statement = f"{answer or 'no arm'} beats all others"
    elif by_more:
        statement = f"no arm's Copeland score is larger than that of {answer}{by_more}"
    else:
        statement = f"no arm beats more others than {answer}"
    return f"if no two arms are exactly even and {independent}", statement


def tournament_in_words(answer: str | None, cycle: Sequence[str] = ()) -> str:
    """Return the answer of a session that asks each pair once."""
    if answer is None:
        circle = f" ({' > '.join([*cycle, cycle[0]])})" if cycle else ""
        return f"no arm has beaten all others{circle}; each pair was asked at most once, which says nothing about error"
    return f"{answer} has beaten all others; each pair was asked at most once, which says nothing about error"
