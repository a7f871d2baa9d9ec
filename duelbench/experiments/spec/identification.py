"""The keys ``identify`` and ``budget`` of a spec, and ``stop`` of its algorithms."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.algorithms.stopping.borda import INTERVALS
from duelbench.bandits.algorithms.stopping.rule import DELTA, Rule
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.parameters import Parameter
from duelbench.bandits.problem.identification import BY, TARGETS, Question, has_right_answer
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import condorcet_winner
from duelbench.common.numerals import real_number, shown, whole_number, word
from duelbench.experiments.spec.experiment_spec import Problem
from duelbench.experiments.spec.fields import (
    ROUNDS,
    Choice,
    IfGiven,
    Notes,
    OfParameter,
    OneOrMore,
    Part,
    Reader,
    Together,
    Whole,
    any_of,
)
from duelbench.experiments.spec.yaml_source import Location, Mistake

EPSILON = Parameter(0.0, "how far from the best", low=0.0, high=0.5, high_open=True)
Delta = Annotated[float, OfParameter(DELTA)]

# --- identify ---


class Identify(Part):
    """What the algorithms must find."""

    example: ClassVar[str] = "{target: condorcet}"
    refused: ClassVar[Mapping[str, str]] = {"budget": "'budget' is a key of the spec, beside 'identify': move it there"}

    target: Annotated[str, Choice(TARGETS, "a target"), Together(add="add 'target: condorcet'")] = Field(
        description="The target: condorcet, the arm that beats every other, or that there is none; copeland or "
        "borda, an arm of highest score; ranking, all arms in order; top-k, the k best."
    )
    delta: Delta = Field(
        DELTA.default,
        description="How often an answer may be wrong. The default of stopping rules and of the parameter delta of "
        "algorithms that end with an answer.",
    )
    epsilon: Annotated[float, OfParameter(EPSILON)] = Field(
        EPSILON.default,
        description="How far from the best an answer may be, as a gap or a score; 0 requires an exact one.",
    )
    k: Annotated[IfGiven[Annotated[int, Whole(1, 10**6, "arms")]], Together(only_with="target: top-k")] = Field(
        None,
        description="With top-k: how many arms. The default of the parameter k of algorithms that look for the k best.",
    )
    by: Annotated[str, Choice(BY, "a criterion for the k best"), Together(only_with="target: top-k")] = Field(
        BY[0],
        description="With top-k: pairs, each of the k arms beats every other arm; or borda, they have the largest "
        "Borda scores.",
    )

    @classmethod
    def _wrong_keys(cls, present: Mapping[Any, Any], wrong: set[str | int]) -> Iterator[Mistake]:
        yield from super()._wrong_keys(present, wrong)
        if present.get("target") == "top-k" and "k" not in cls.meant_by(present):
            yield Mistake((), "the key 'k' is missing: how many arms are the best; add 'k: 2'")

    def question(self) -> Question:
        """Return the question that the keys describe."""
        if self.target != "top-k":
            return Question(self.target, delta=self.delta, epsilon=self.epsilon)
        return Question(self.target, delta=self.delta, epsilon=self.epsilon, k=self.k, by=self.by)


def question_of(key: Identify, problems: Iterable[Problem], is_scalar: bool | None, notes: Notes) -> Question | None:
    """Return the question; None, with a note, if it has no right answer on a problem."""
    if is_scalar:
        message = "is for the arms of a matrix; the question of a scalar bandit is its decision; remove the key"
        notes.note(("identify",), message)
        return None
    question = key.question()
    reasons = list(filter(None, (why_unanswerable(question, problem) for problem in problems)))
    for why in reasons:
        notes.note(("identify",), why)
    return None if reasons else question


def why_unanswerable(question: Question, problem: Problem) -> str | None:
    """Return why no answer to a question can be right on a problem, in words; None if one can."""
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


# --- budget ---

_MULTIPLE = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)\s*K")


@dataclass(frozen=True)
class Multiple:
    """A multiple of the number of arms, as it is written."""

    text: str
    factor: float

    def rounds(self, sizes: Sequence[int]) -> int:
        """Return the number of rounds on problems with these numbers of arms."""
        if len(sizes) > 1:
            arms = " and ".join(map(str, sizes))
            message = f"{shown(self.text)} has no meaning if problems have {arms} arms; give numbers of rounds"
            raise ValueError(message)
        budget = self.factor * sizes[0]
        if budget < 1 or budget != int(budget):
            raise ValueError(
                f"{shown(self.text)} is {budget:g} rounds with {sizes[0]} arms; a budget is a whole number from 1"
            )
        return int(budget)


def _budget(value: Any) -> int | Multiple:
    text = word(value, "a number of rounds, or a multiple of the number of arms such as 10K")
    multiple = _MULTIPLE.fullmatch(text)
    if multiple is not None:
        return Multiple(text, real_number(multiple[1]))
    if "k" in text.lower():
        raise ValueError(f"{shown(text)} is not a multiple of the number of arms; write it as in 2K")
    return whole_number(value, 1, 10**15, "rounds")


_MULTIPLES = {"type": "string", "pattern": f"^{_MULTIPLE.pattern}$"}
_Budget = Annotated[Any, Reader(_budget, any_of(ROUNDS.json_schema(), _MULTIPLES))]
Budgets = Annotated[tuple[_Budget, ...], OneOrMore(may_repeat=True)]


def budgets_of(
    budgets: Sequence[int | Multiple | None], is_list: bool, problems: Iterable[Problem], notes: Notes
) -> tuple[int, ...] | None:
    """Return the budgets in rounds, increasing; None if they are wrong, or unknown without a problem."""
    sizes = sorted({problem.matrix.n_arms for problem in problems})
    rounds: list[int] = []
    before = len(notes.mistakes)
    for k, item in enumerate(budgets):
        location: Location = ("budget", k) if is_list else ("budget",)
        if isinstance(item, Multiple):
            item = notes.attempt(location, item.rounds, sizes) if sizes else None
        if item is not None and item in rounds:
            notes.note(location, f"'{item}' appears twice; remove one")
        elif item is not None:
            rounds.append(item)
    is_right = len(rounds) == len(budgets) or (not sizes and len(notes.mistakes) == before)
    return tuple(sorted(rounds)) if is_right and rounds else None


def check_budget(keys: Mapping[str, Any], present: Iterable[str], question: Question | None, notes: Notes) -> None:
    """Note keys that conflict with budgets; ``keys`` are the values of the spec's keys."""
    budget = keys.get("budget")
    present = {*present}
    if budget is None:
        return
    here = ("budget",)
    if "sweep" in present:
        notes.note(here, "has several numbers of rounds, and so has a sweep; remove one of the two", at_key=True)
    if "identify" not in present:
        message = "is for the key 'identify', which says what to identify; add 'identify: {target: condorcet}'"
        notes.note(here, message, at_key=True)
    if question is not None and question.is_ranked:
        message = f"judges one arm, but {question.target} needs the place of each; remove it"
        notes.note(here, message, at_key=True)
    if "horizon" in present and keys.get("horizon") != budget[-1]:
        notes.note(("horizon",), f"the largest budget, {budget[-1]:_} rounds, is the horizon; remove the key")
    if "checkpoints" in keys and "checkpoints" in present and keys["checkpoints"] != budget:
        notes.note(("checkpoints",), "the budgets are the checkpoints; remove the key", at_key=True)


# --- stop ---


class Stop(Part):
    """Ends the runs of this algorithm with an answer, as soon as its duels suffice for one."""

    example: ClassVar[str] = "{rule: e-condorcet, delta: 0.05}"

    rule: Annotated[str, Choice(tuple(RULES), "a stopping rule"), Together(add="add 'rule: e-condorcet'")] = Field(
        description="; ".join(f"{rule.id}: answers when {rule.description}" for rule in RULES.values())
    )
    delta: IfGiven[Delta] = Field(
        None, description="How often the answer may be wrong; by default as `identify` says, or 0.05."
    )
    intervals: IfGiven[Annotated[str, Choice(INTERVALS, "a kind of intervals")]] = Field(
        None, description="With borda: mixture, stitched or union."
    )


def wrong_rule(rule: Rule, question: Question) -> str | None:
    """Return why a rule does not answer a question, in words; None if it does."""
    if question.asked in rule.targets:
        return None
    able = [candidate.id for candidate in RULES.values() if question.asked in candidate.targets]
    fix = f"take {' or '.join(able)}" if able else f"add 'identify: {{target: {rule.targets[0]}}}'"
    return f"{rule.id} answers {', '.join(rule.targets)}, but the target is {question.asked}; {fix}"


def why_no_answer(
    algorithm: Algorithm, question: Question, has_budget: bool, problems: Sequence[Problem]
) -> str | None:
    """Return why no run of an algorithm would answer a question, in words; None if a run may."""
    id, target, answers = algorithm.id, question.asked, algorithm.answers
    if question.is_ranked and algorithm.explored is not None and algorithm.rank is None:
        return f"{id} answers with an arm, but {question.target} needs the place of each; leave it out"
    # After a budget any recommendation is judged; `wrong_rule` has already compared a stopping rule with the question.
    if has_budget or (algorithm.explored is not None and algorithm.parts):
        return None
    if algorithm.explored is None:
        rule = next((rule.id for rule in RULES.values() if target in rule.targets), "e-condorcet")
        example = f"{id}: {{stop: {{rule: {rule}}}}}"
        return f"{id} never answers: add a stopping rule, as in '{example}', or give a 'budget'"
    if answers and target not in answers:
        return f"{id} answers {', '.join(answers)}, but the target is {target}; leave it out"
    if target != "condorcet" or "copeland" not in answers:
        return None
    for problem in problems:
        if isinstance(problem.matrix, PreferenceMatrix) and condorcet_winner(problem.matrix) is None:
            return (
                f"{id} answers with a Copeland winner, and does not say that {problem.described} has no Condorcet"
                " winner; leave it out"
            )
    return None
