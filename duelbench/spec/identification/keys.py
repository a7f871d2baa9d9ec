"""The keys ``identify`` and ``budget`` of a spec, and ``stop`` of its algorithms."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.identification.parameters import DELTA
from duelbench.algorithms.stopping.borda import INTERVALS
from duelbench.algorithms.stopping.rule import Rule
from duelbench.algorithms.stopping.rules import RULES
from duelbench.algorithms.stopping.stopped import PREFIX
from duelbench.parameters import Parameter
from duelbench.problem.identification import BY, TARGETS, Question, has_right_answer
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.kinds import ROUNDS, Choice, Key, Keys, Kind, Reading, Schema, Whole, listed, word
from duelbench.spec.numerals import real_number, shown
from duelbench.spec.parameters import OfParameter
from duelbench.spec.yaml_source import Value

EPSILON = Parameter(
    0.0, "how far from the best an answer may be, as a gap or a score", low=0.0, high=0.5, high_open=True
)

USUAL = Question("condorcet")
"""What stopping rules answer in a spec that does not say what is to be identified."""


class _Identify(Keys):
    """The question; it must have a right answer on every problem."""

    def read(self, value: Value, at: Reading, into: dict[str, Any] | None = None) -> Question | None:
        n_noted = len(at.draft.noted)
        found: dict[str, Any] = {}
        super().read(value, at, found)
        if at.draft.is_scalar:
            at.note("is about the arms of a matrix; a scalar bandit's decision says what is asked; remove the key")
        if isinstance(value, dict) and found.get("target") == "top-k" and "k" not in value:
            at.note("the key 'k' is missing: how many arms are the best; add 'k: 2'")
        if len(at.draft.noted) > n_noted:
            return None
        of_set = ("k", "by") if found["target"] == "top-k" else ()
        question = Question(**{name: found[name] for name in ("target", "delta", "epsilon", *of_set)})
        for why in filter(None, (why_unanswerable(question, problem) for problem in at.draft.problems)):
            at.note(why)
        return question if len(at.draft.noted) == n_noted else None


def why_unanswerable(question: Question, problem: Problem) -> str | None:
    """Why no answer to a question can be right on a problem, in words; None where one can."""
    matrix = problem.matrix
    if not isinstance(matrix, PreferenceMatrix):
        return None
    if question.k is not None and question.k >= matrix.n_arms:
        return f"k must be less than the {matrix.n_arms} arms of {problem.described}, got {question.k}"
    if has_right_answer(matrix, question):
        return None
    if question.k is None:
        return f"{problem.described} has no order in which each arm beats all below it"
    better = "that have the larger Borda scores" if question.by == "borda" else "each of which beats all others"
    return f"{problem.described} has no set of {question.k} arms {better}"


IDENTIFY = _Identify(
    {
        "target": Key(
            Choice(TARGETS, "a target"),
            "What is asked for: condorcet, the arm that beats every other, or that there is none; copeland or borda, "
            "an arm of highest score; ranking, all arms in order; top-k, the k best.",
            fix="add 'target: condorcet'",
        ),
        "delta": Key(
            OfParameter(DELTA),
            "How often an answer may be wrong. The default of stopping rules and of the parameter delta of algorithms "
            "that end with an answer.",
            DELTA.default,
        ),
        "epsilon": Key(
            OfParameter(EPSILON),
            "How far from the best an answer may be, as a gap or a score; 0 asks for an exact one.",
            EPSILON.default,
        ),
        "k": Key(
            Whole(1, 10**6, "arms"),
            "With top-k: how many arms. The default of the parameter k of algorithms that look for so many.",
            only_with="target: top-k",
        ),
        "by": Key(
            Choice(BY, "what sets of arms go by"),
            "With top-k: pairs, each of them beats each other arm; or borda, they have the largest Borda scores.",
            BY[0],
            only_with="target: top-k",
        ),
    },
    "{target: condorcet}",
)


class Budgets(Kind):
    """Numbers of rounds, also as multiples of the number of arms; the largest is the horizon."""

    _WANTED = "a number of rounds, or a multiple of the number of arms such as 10K"
    _MULTIPLE = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)\s*K")

    def read(self, value: Value, at: Reading) -> tuple[int, ...] | None:
        before = len(at.draft.noted)
        budgets = [(here, self._rounds(item, here)) for here, item in listed(value, at, most=1000)]
        found = [rounds for _, rounds in budgets if rounds is not None]
        for k, (here, rounds) in enumerate(budgets):
            if rounds is not None and rounds in [other for _, other in budgets[:k]]:
                here.note(f"is {rounds:_} rounds, which stands twice; remove one")
        if not found or len(at.draft.noted) > before:
            return None
        if at.draft.has_sweep:
            at.note("has several numbers of rounds, and so has a sweep; remove one of the two", at_key=True)
        at.draft.keys["horizon"] = max(found)
        return tuple(sorted(found))

    def _rounds(self, item: Value, at: Reading) -> int | None:
        text = at.attempt(word, item, self._WANTED)
        if text is None:
            return None
        multiple = self._MULTIPLE.fullmatch(text)
        if multiple is None and "k" in text.lower():
            at.note(f"{shown(text)} is not a multiple of the number of arms; write it as in 2K")
            return None
        if multiple is None:
            rounds: int | None = ROUNDS.read(item, at)
            return rounds
        sizes = sorted({problem.matrix.n_arms for problem in at.draft.problems})
        if len(sizes) != 1:
            if sizes:
                arms = " and ".join(map(str, sizes))
                at.note(f"{shown(text)} has no meaning where problems have {arms} arms; give numbers of rounds")
            return None
        budget = real_number(multiple[1]) * sizes[0]
        if budget < 1 or budget != int(budget):
            at.note(f"{shown(text)} is {budget:g} rounds with {sizes[0]} arms; a budget is a whole number from 1")
            return None
        return int(budget)

    def json_schema(self) -> Schema:
        multiple = {"type": "string", "pattern": f"^{self._MULTIPLE.pattern}$"}
        one = {"anyOf": [*ROUNDS.json_schema()["anyOf"], multiple]}
        return {"anyOf": [*one["anyOf"], {"type": "array", "items": one, "minItems": 1}]}


STOP = Keys(
    {
        "rule": Key(
            Choice(tuple(RULES), "a stopping rule"),
            "; ".join(f"{rule.id}: answers when {rule.description}" for rule in RULES.values()),
            fix="add 'rule: e-condorcet'",
        ),
        "delta": Key(OfParameter(DELTA), "How often the answer may be wrong; by default as `identify` says, or 0.05."),
        "intervals": Key(Choice(INTERVALS, "a kind of intervals"), "With borda: mixture, stitched or union."),
    },
    "{rule: e-condorcet, delta: 0.05}",
    "Ends the runs of this algorithm with an answer, when its duels suffice for that.",
)


def can_be_stopped(algorithm: Algorithm) -> bool:
    """Whether an algorithm takes a stopping rule: it plays duels."""
    return "duels" in algorithm.plays


def why_no_rule(algorithm: Algorithm) -> str:
    """Why an algorithm does not take one, to follow the key."""
    return f"{algorithm.id} plays no duels, of which stopping rules are told; remove 'stop'"


def rule_parameters(rule: Rule, said: Mapping[str, Any], question: Question) -> dict[str, Any]:
    """The parameters of a rule in a spec, under the names that the algorithm has for them.

    Examples
    --------
    >>> rule_parameters(RULES["e-condorcet"], {"delta": 0.01}, USUAL)
    {'stop_delta': 0.01}
    """
    asked = {"delta": question.delta, "epsilon": question.epsilon, "target": question.target, "k": question.k or 1}
    given = {**asked, **said}
    return {f"{PREFIX}{name}": given[name] for name in rule.parameters if name in given}


def wrong_rule(rule: Rule, question: Question) -> str | None:
    """Why a rule does not answer a question, in words; None where it does."""
    if question.asked in rule.targets:
        return None
    able = [other.id for other in RULES.values() if question.asked in other.targets]
    fix = f"; take {' or '.join(able)}" if able else ""
    other_question = "" if able else f"; add 'identify: {{target: {rule.targets[0]}}}'"
    return f"{rule.id} answers {', '.join(rule.targets)}, and {question.asked} is asked{fix or other_question}"


def why_no_answer(
    algorithm: Algorithm, question: Question, has_budget: bool, problems: Sequence[Problem]
) -> str | None:
    """Why no run of an algorithm would answer a question, in words; None where it may."""
    if question.is_ranked and algorithm.explored is not None and algorithm.rank is None:
        return f"{algorithm.id} answers with an arm, and {question.target} asks for the place of each; leave it out"
    if algorithm.explored is None and not has_budget:
        rules = [rule.id for rule in RULES.values() if question.asked in rule.targets]
        return (
            f"{algorithm.id} plays on without an answer: end it by a rule, as in"
            f" '{algorithm.id}: {{stop: {{rule: {(rules or ['e-condorcet'])[0]}}}}}', or give a 'budget'"
        )
    # After a budget any recommendation is judged; a rule has been held against the question already.
    return None if has_budget or algorithm.parts else _wrong_answer(algorithm, question, problems)


def _wrong_answer(algorithm: Algorithm, question: Question, problems: Sequence[Problem]) -> str | None:
    """Why the answers of an algorithm are to another question, in words; None where they are not."""
    if not algorithm.answers:
        return None
    if question.asked not in algorithm.answers:
        return f"{algorithm.id} answers {', '.join(algorithm.answers)}, and {question.asked} is asked; leave it out"
    if question.target == "condorcet" and "copeland" in algorithm.answers:
        for problem in problems:
            if isinstance(problem.matrix, PreferenceMatrix) and condorcet_winner(problem.matrix) is None:
                return (
                    f"{algorithm.id} answers with a Copeland winner, and does not say that {problem.described} has no"
                    " Condorcet winner; leave it out"
                )
    return None


def why_other_k(algorithm: Algorithm, question: Question, k: int) -> str | None:
    """Why an algorithm that looks for k arms does not answer a question, in words; None where it does."""
    asked = question.k or 1
    return None if k == asked else f"{algorithm.id} looks for k = {k}, and 'identify' asks for {asked}; remove 'k'"
