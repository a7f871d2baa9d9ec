"""A stopping rule on any algorithm: the same decisions, until what they have shown suffices for an answer.

The rule counts the outcomes that the algorithm gets, and nothing else. A decision that stands for many rounds is cut
where the rule could answer, and not before. From then on the answer duels itself.
"""

from dataclasses import replace
from typing import Any, NamedTuple

from duelbench.bandits.algorithms import dispatch
from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER, Algorithm
from duelbench.bandits.algorithms.stopping import rule as rules
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.kernels.decorators import inlined_or_plain, kernel_or_plain

PREFIX = "stop_"
"""Before the names of a rule's parameters among those of the algorithm."""


class Stopped(NamedTuple):
    sampler: Any  # The state of the algorithm
    tests: Any  # What the rule knows


class StoppedSeveral(NamedTuple):
    """`Stopped`, for algorithms of which one of several arms duels itself."""

    sampler: Any
    tests: Any


_made: dict[tuple[str, str], Algorithm] = {}


def stopped(algorithm: Algorithm, rule: str = "e-condorcet") -> Algorithm:
    """Return the algorithm with a stopping rule, which answers wrongly with probability ``stop_delta`` at most.

    It is called ``<algorithm>-until-<rule>``, and has the parameters of both, those of the rule after ``stop_``. Where
    the algorithm ends by itself, that is not an answer: only the rule answers.

    Raises
    ------
    ValueError
        When the algorithm plays no duels.

    Examples
    --------
    >>> from duelbench.bandits.algorithms import registry
    >>> stopped(registry.get("rucb")).id
    'rucb-until-e-condorcet'
    """
    chosen = RULES[rule]
    known = _made.get((algorithm.id, rule))
    if known is not None and known.parts[0] is algorithm:
        return known
    if "duels" not in algorithm.plays:
        raise ValueError(f"{algorithm.id} plays no duels, which stopping rules need")
    dispatch.register(algorithm)
    rules.register(chosen)
    law = algorithm.self_duel_probability
    state = Stopped if law is None else StoppedSeveral

    def start(n_arms, horizon, rng, standing, **parameters):
        own, of_rule = _parted(parameters)
        return state(algorithm.start(n_arms, horizon, rng, standing, **own), chosen.start(n_arms, **of_rule))

    def refuses(n_arms, horizon, **parameters):
        own, of_rule = _parted(parameters)
        why = chosen.refuses(n_arms, **of_rule) if chosen.refuses is not None else None
        return algorithm.refuses(n_arms, horizon, **own) if why is None and algorithm.refuses is not None else why

    def anytime_with(**parameters):
        return algorithm.is_anytime(_parted(parameters)[0])

    def name_with(**parameters):
        return f"{algorithm.named(_parted(parameters)[0])} until {rule}"

    _made[algorithm.id, rule] = replace(
        algorithm,
        id=f"{algorithm.id}-until-{rule}",
        name=f"{algorithm.name} until {rule}",
        parameters={**algorithm.parameters, **{PREFIX + name: p for name, p in chosen.parameters.items()}},
        trace_version=algorithm.trace_version + chosen.trace_version,
        state=state,
        start=start,
        select=select,
        update=update,
        recommend=recommend,
        explored=explored,
        answer=answer,
        rank=rank,
        refuses=refuses,
        self_duel_probability=None if law is None else self_duel_probability,
        pair_probability=None,
        duel_by_duel=False,
        anytime_with=anytime_with,
        name_with=name_with,
        parts=(algorithm, chosen),
        answers=chosen.targets,
        assumes=chosen.assumes,
    )
    return _made[algorithm.id, rule]


def _parted(parameters: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the parameters of the algorithm, and those of the rule."""
    own = {name: value for name, value in parameters.items() if not name.startswith(PREFIX)}
    return own, {name.removeprefix(PREFIX): value for name, value in parameters.items() if name not in own}


# Not kernels: the algorithm may be in plain Python, and then these are, too.


@inlined_or_plain
def select(state, t, rng):
    """Return the answer, or the algorithm's decision up to the first round in which the rule could answer."""
    rules.settle(state.tests)
    if rules.n_left(state.tests) == 0:
        last = recommend(state)
        return last, last, NEVER
    first, second, rounds = dispatch.select(state.sampler, t, rng)
    if first == second:
        return first, second, min(rounds, NEVER - 1)  # only the rule ends a run
    if rounds > 1:
        rounds = min(rounds, rules.rounds_to_next(state.tests, first, second))
    return first, second, rounds


@inlined_or_plain
def update(state, first, second, first_wins, second_wins):
    """Count the outcomes in both."""
    if first != second:
        rules.update(state.tests, first, second, first_wins, second_wins)
    dispatch.update(state.sampler, first, second, first_wins, second_wins)


@kernel_or_plain
def recommend(state):
    """Return the answer; before it, and where it is that there is no winner, what the algorithm recommends."""
    last = rules.answer(state.tests) if rules.n_left(state.tests) == 0 else NO_WINNER
    return last if last != NO_WINNER else dispatch.recommend(state.sampler)


@kernel_or_plain
def explored(state):
    """Return the arms that may still be the answer; 0 once it is known."""
    return rules.n_left(state.tests)


@kernel_or_plain
def answer(state):
    """Return the arm that the rule has ended with, or that there is no Condorcet winner."""
    return rules.answer(state.tests)


def rank(state, places):
    """The places of the arms by the rule, or else by the duels."""
    rules.fill_places(state.tests, places)


@kernel_or_plain
def self_duel_probability(state, arm):
    return dispatch.self_duel_probability(state.sampler, arm)
