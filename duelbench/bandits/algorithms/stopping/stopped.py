"""A stopping rule on any algorithm: the same decisions until their outcomes suffice for an answer.

The rule only counts the outcomes that the algorithm gets. A decision for many rounds ends in the first round in which
the rule could answer. Once there is an answer, it duels itself.
"""

from dataclasses import replace
from typing import Any, NamedTuple

from duelbench.bandits.algorithms import dispatch
from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER, Algorithm
from duelbench.bandits.algorithms.stopping import rule as rules
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.kernels.decorators import inlined_or_plain, kernel_or_plain

PREFIX = "stop_"
"""The prefix of a rule's parameters among the parameters of the algorithm."""


class Stopped(NamedTuple):
    sampler: Any  # The state of the algorithm
    tests: Any  # The tests of the rule


class StoppedSeveral(NamedTuple):
    """`Stopped` for algorithms in which one of several arms duels itself."""

    sampler: Any
    tests: Any


_made: dict[tuple[str, str], Algorithm] = {}


def stopped(algorithm: Algorithm, rule: str = "e-condorcet") -> Algorithm:
    """Return the algorithm with a stopping rule, which answers wrongly with probability ``stop_delta`` at most.

    Its id is ``<algorithm>-until-<rule>``; it has the parameters of both, with ``stop_`` before those of the rule. If
    the algorithm ends by itself, that is not an answer: only the rule answers.

    Raises
    ------
    ValueError
        If the algorithm plays no duels.

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
    has_self_duels = algorithm.self_duel_probability is not None
    state = StoppedSeveral if has_self_duels else Stopped

    def start(n_arms, horizon, rng, standing, **parameters):
        of_algorithm, of_rule = _parted(parameters)
        sampler = algorithm.start(n_arms, horizon, rng, standing, **of_algorithm)
        return state(sampler, chosen.start(n_arms, **of_rule))

    def refuses(n_arms, horizon, **parameters):
        of_algorithm, of_rule = _parted(parameters)
        why = None
        if chosen.refuses is not None:
            why = chosen.refuses(n_arms, **of_rule)
        if why is None and algorithm.refuses is not None:
            why = algorithm.refuses(n_arms, horizon, **of_algorithm)
        return why

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
        self_duel_probability=self_duel_probability if has_self_duels else None,
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
    of_algorithm: dict[str, Any] = {}
    of_rule: dict[str, Any] = {}
    for name, value in parameters.items():
        if name.startswith(PREFIX):
            of_rule[name.removeprefix(PREFIX)] = value
        else:
            of_algorithm[name] = value
    return of_algorithm, of_rule


# These are not kernels: the algorithm may be in plain Python, and then they are, too.


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
    """Count the outcomes for the rule and the algorithm."""
    if first != second:
        rules.update(state.tests, first, second, first_wins, second_wins)
    dispatch.update(state.sampler, first, second, first_wins, second_wins)


@kernel_or_plain
def recommend(state):
    """Return the answer if it is an arm, otherwise the arm that the algorithm recommends."""
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
    """Fill in the places of the arms by the rule, or by the duels."""
    rules.fill_places(state.tests, places)


@kernel_or_plain
def self_duel_probability(state, arm):
    return dispatch.self_duel_probability(state.sampler, arm)
