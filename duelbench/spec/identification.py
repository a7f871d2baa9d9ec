"""The keys ``identify`` and ``budget`` of a spec, and ``stop`` of its algorithms."""

import re
from collections.abc import Sequence

from duelbench.algorithms.contract import Algorithm
from duelbench.algorithms.stopping.borda import INTERVALS
from duelbench.algorithms.stopping.rule import DELTA, Rule
from duelbench.algorithms.stopping.rules import RULES
from duelbench.parameters import Parameter
from duelbench.problem.identification import BY, TARGETS, Question, has_right_answer
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.winners import condorcet_winner
from duelbench.spec.experiment_spec import Problem
from duelbench.spec.keys import Key, Keys, of_parameter
from duelbench.spec.kinds import ROUNDS, choice, either, one_or_more, whole
from duelbench.numerals import real_number, shown
from duelbench.spec.reading import Kind, Reading, word
from duelbench.spec.yaml_source import Value

EPSILON = Parameter(0.0, "how far from the best", low=0.0, high=0.5, high_open=True)


def _read_question(value: Value, at: Reading) -> Question:
    """The question; it must have a right answer on every problem."""
    with at.faultless():
        found = _IDENTIFY_KEYS.read_into({}, value, at)
        if at.draft.is_scalar:
            at.note("is about the arms of a matrix; a scalar bandit's decision says what is asked; remove the key")
        if found.get("target") == "top-k" and isinstance(value, dict) and "k" not in _IDENTIFY_KEYS.meant_by(value):
            at.note("the key 'k' is missing: how many arms are the best; add 'k: 2'")
    of_set = ("k", "by") if found["target"] == "top-k" else ()
    question = Question(**{name: found[name] for name in ("target", "delta", "epsilon", *of_set)})
    with at.faultless():
        for why in filter(None, (_why_unanswerable(question, problem) for problem in at.draft.problems)):
            at.note(why)
    return question


def _why_unanswerable(question: Question, problem: Problem) -> str | None:
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


_IDENTIFY_KEYS = Keys(
    {
        "target": Key(
            choice(TARGETS, "a target"),
            "What is asked for: condorcet, the arm that beats every other, or that there is none; copeland or borda, "
            "an arm of highest score; ranking, all arms in order; top-k, the k best.",
            fix="add 'target: condorcet'",
        ),
        "delta": Key(
            of_parameter(DELTA),
            "How often an answer may be wrong. The default of stopping rules and of the parameter delta of algorithms "
            "that end with an answer.",
            DELTA.default,
        ),
        "epsilon": Key(
            of_parameter(EPSILON),
            "How far from the best an answer may be, as a gap or a score; 0 asks for an exact one.",
            EPSILON.default,
        ),
        "k": Key(
            whole(1, 10**6, "arms"),
            "With top-k: how many arms. The default of the parameter k of algorithms that look for the k best.",
            only_with="target: top-k",
        ),
        "by": Key(
            choice(BY, "what sets of arms go by"),
            "With top-k: pairs, each of them beats each other arm; or borda, they have the largest Borda scores.",
            BY[0],
            only_with="target: top-k",
        ),
    },
    "{target: condorcet}",
)


IDENTIFY = Kind(_read_question, _IDENTIFY_KEYS.json_schema)

_MULTIPLE = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)\s*K")


def _read_budget(value: Value, at: Reading) -> int | None:
    """A number of rounds; None where it is a multiple of a number of arms that is not known."""
    text = word(value, "a number of rounds, or a multiple of the number of arms such as 10K")
    multiple = _MULTIPLE.fullmatch(text)
    if multiple is None and "k" in text.lower():
        raise ValueError(f"{shown(text)} is not a multiple of the number of arms; write it as in 2K")
    if multiple is None:
        return ROUNDS.parse(value)
    sizes = sorted({problem.matrix.n_arms for problem in at.draft.problems})
    if not sizes:
        return None
    if len(sizes) > 1:
        arms = " and ".join(map(str, sizes))
        raise ValueError(f"{shown(text)} has no meaning where problems have {arms} arms; give numbers of rounds")
    budget = real_number(multiple[1]) * sizes[0]
    if budget < 1 or budget != int(budget):
        raise ValueError(f"{shown(text)} is {budget:g} rounds with {sizes[0]} arms; a budget is a whole number from 1")
    return int(budget)


_EACH = one_or_more(
    Kind(_read_budget, either(ROUNDS.json_schema(), {"type": "string", "pattern": f"^{_MULTIPLE.pattern}$"}))
)


def _read_budgets(value: Value, at: Reading) -> tuple[int, ...] | None:
    """Numbers of rounds, also as multiples of the number of arms; the largest is the horizon."""
    with at.faultless():
        found = _EACH.read(value, at)
    if not found:
        return None
    at.draft.keys["horizon"] = max(found)
    return tuple(sorted(found))


BUDGETS = Kind(_read_budgets, _EACH.json_schema)


def check(at: Reading) -> None:
    """Note what does not go together with the question and the budgets of the draft."""
    keys, given = at.draft.keys, at.draft.given
    budget, question, sweep = keys.get("budget"), keys.get("identify"), keys.get("sweep")
    if question is not None and sweep is not None:
        reasons = (_why_unanswerable(question, problem) for problem in sweep.problems)
        if why := next(filter(None, reasons), None):
            at.below("identify").note(why)
    if not budget:
        return
    here = at.below("budget")
    if "sweep" in given:
        here.note("has several numbers of rounds, and so has a sweep; remove one of the two", at_key=True)
    if "identify" not in given:
        here.note(
            "is for the key 'identify', which says what to identify; add 'identify: {target: condorcet}'",
            at_key=True,
        )
    if question is not None and question.is_ranked:
        here.note(f"judges one arm, and {question.target} asks for the place of each; remove it", at_key=True)
    if keys.get("horizon") != budget[-1]:
        at.below("horizon").note(f"the largest budget, {budget[-1]:_} rounds, is the horizon; remove the key")
    if "checkpoints" in given and keys.get("checkpoints", budget) != budget:
        at.below("checkpoints").note("the budgets are the checkpoints; remove the key", at_key=True)


STOP = Keys(
    {
        "rule": Key(
            choice(tuple(RULES), "a stopping rule"),
            "; ".join(f"{rule.id}: answers when {rule.description}" for rule in RULES.values()),
            fix="add 'rule: e-condorcet'",
        ),
        "delta": Key(of_parameter(DELTA), "How often the answer may be wrong; by default as `identify` says, or 0.05."),
        "intervals": Key(choice(INTERVALS, "a kind of intervals"), "With borda: mixture, stitched or union."),
    },
    "{rule: e-condorcet, delta: 0.05}",
    description="Ends the runs of this algorithm with an answer, when its duels suffice for that.",
)


def wrong_rule(rule: Rule, question: Question) -> str | None:
    """Why a rule does not answer a question, in words; None where it does."""
    if question.asked in rule.targets:
        return None
    able = [other.id for other in RULES.values() if question.asked in other.targets]
    fix = f"take {' or '.join(able)}" if able else f"add 'identify: {{target: {rule.targets[0]}}}'"
    return f"{rule.id} answers {', '.join(rule.targets)}, but {question.asked} is asked; {fix}"


def why_no_answer(
    algorithm: Algorithm, question: Question, has_budget: bool, problems: Sequence[Problem]
) -> str | None:
    """Why no run of an algorithm would answer a question, in words; None where it may."""
    id, asked, answers = algorithm.id, question.asked, algorithm.answers
    if question.is_ranked and algorithm.explored is not None and algorithm.rank is None:
        return f"{id} answers with an arm, and {question.target} asks for the place of each; leave it out"
    # After a budget any recommendation is judged; a rule has been held against the question already.
    if has_budget or (algorithm.explored is not None and algorithm.parts):
        return None
    if algorithm.explored is None:
        rule = next((rule.id for rule in RULES.values() if asked in rule.targets), "e-condorcet")
        example = f"{id}: {{stop: {{rule: {rule}}}}}"
        return f"{id} never answers: add a stopping rule, as in '{example}', or give a 'budget'"
    if answers and asked not in answers:
        return f"{id} answers {', '.join(answers)}, but {asked} is asked; leave it out"
    if asked != "condorcet" or "copeland" not in answers:
        return None
    for problem in problems:
        if isinstance(problem.matrix, PreferenceMatrix) and condorcet_winner(problem.matrix) is None:
            return (
                f"{id} answers with a Copeland winner, and does not say that {problem.described} has no Condorcet"
                " winner; leave it out"
            )
    return None
