"""One game: whether an algorithm can play a problem, its state before round 1, and all its rounds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER, UNANSWERED, Algorithm
from duelbench.bandits.algorithms.dispatch import WrongAnswer, register, shown
from duelbench.bandits.kernels.decorators import plain
from duelbench.bandits.kernels.interpreting import interpreted
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.round_losses import Costs
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.winners import condorcet_winner
from duelbench.bandits.problem.worlds.world import Segment
from duelbench.bandits.simulation.compiled_loops import loop_of
from duelbench.bandits.simulation.engine import Adversary, Rules, new_clock, new_late_outcomes
from duelbench.bandits.simulation.run_log import Log, change, nonsense
from duelbench.bandits.simulation.streams import Streams
from duelbench.bandits.simulation.terms import USUAL, Settings
from duelbench.errors import InputError

Problem = PreferenceMatrix | ScalarBandit

MOST_DELAY = 10**6
"""Largest delay of outcomes, in rounds: waiting outcomes are kept in memory."""


def feedback_refusal(algorithm: Algorithm, settings: Settings) -> str | None:
    """Return why an algorithm cannot be played with this feedback; None if it can."""
    if settings.feedback_delay > 0 and settings.feedback_batch > 1:
        return "feedback_batch and feedback_delay exclude each other; remove one of the two"
    if settings.feedback_delay > 0 and algorithm.tells_together:
        return (
            f"{algorithm.id} must learn all outcomes of a pair together; give feedback_batch instead of feedback_delay"
        )
    return None


def check(algorithm: Algorithm, problem: Problem, horizon: int, parameters: Mapping[str, Any]) -> None:
    """Raise an InputError if an algorithm with these parameters cannot play a problem. No run is started."""
    if algorithm.refuses is None:
        return
    why = algorithm.refuses(problem.n_arms, horizon, **_question(problem), **parameters)
    if why is not None:
        raise InputError(f"{algorithm.id} cannot play this: {why}")


def begin(
    algorithm: Algorithm,
    problem: Problem,
    horizon: int,
    rng: np.random.Generator,
    standing: bool,
    parameters: Mapping[str, Any],
) -> tuple[Algorithm, Any]:
    """Return the algorithm to play, uncompiled if the problem's decision is, and its state before round 1.

    Raises an InputError if ``start`` refuses the problem with a `ValueError`, or does not return a state.
    """
    if isinstance(problem, ScalarBandit) and not problem.decision.compiled:
        algorithm = in_plain_python(algorithm)
    register(algorithm)
    try:
        state = algorithm.start(problem.n_arms, horizon, rng, standing, **_question(problem), **parameters)
    except ValueError as error:
        place = third_party.place_of(error)
        raise InputError(f"{algorithm.id} cannot play this: {error}{f' ({place})' if place else ''}") from error
    if type(state) is not algorithm.state:
        place = third_party.place_of_function(algorithm.start)
        raise InputError(
            f"{algorithm.id}: {place} returned an object of the class"
            f" {type(state).__qualname__}; it must return the algorithm's state, {algorithm.state.__qualname__}"
        )
    return algorithm, state


def _question(problem: Problem) -> dict[str, Any]:
    return {"question": problem.question} if isinstance(problem, ScalarBandit) else {}


def in_plain_python(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm with its functions uncompiled, for a decision in plain Python."""
    rules: dict[str, Any] = {name: plain(rule) for name, rule in algorithm.rules.items()}
    return replace(algorithm, **rules, compiled=False)


def play(
    algorithm: Algorithm,
    state: Any,
    problem: Problem,
    log: Log,
    random: Streams,
    arms: np.ndarray | None = None,
    settings: Settings = USUAL,
    standing: bool = True,
    segments: Sequence[tuple[Segment, Costs]] = (),
    flips: int = 0,
) -> int:
    """Play all rounds up to the log's last checkpoint, from the state of `begin`; return the number of decisions.

    Parameters
    ----------
    segments : sequence of (Segment, Costs)
        The segments of a world that changes, in order; they replace ``problem``. The log must have the costs of the
        first one.
    flips : int
        How many wins of the Condorcet winner an adversary may flip, see `World`.

    Raises
    ------
    WrongAnswer
        If an answer of the algorithm makes no sense.
    """
    is_scalar = isinstance(problem, ScalarBandit)
    first = segments[0][0].outcomes if segments else problem
    table = first.means.reshape(-1, 1) if isinstance(first, ScalarBandit) else np.ascontiguousarray(first.P)
    reads_self_duels = is_scalar or algorithm.reads_self_duels
    batch, delay, cuts = settings.feedback_batch, settings.feedback_delay, settings.cut_at_checkpoints
    rules = Rules(batch, delay, standing, reads_self_duels, cuts, algorithm.duel_by_duel, until=NEVER)
    late = new_late_outcomes(problem.n_arms, batch, delay)
    adversary = Adversary(np.array([_winner(segments, 0)]), np.array([flips])) if flips > 0 else None
    announced = log.announced if log.announced.size > 0 else None
    arms = np.arange(problem.n_arms) if arms is None else arms
    clock = new_clock()
    remaining = late, adversary, announced, log, random.of_loop, clock
    loop = loop_of(algorithm, [state, table, arms, rules, *remaining])
    try:
        for m, (segment, costs) in enumerate(segments[1:], 1):
            loop(state, table, arms, rules._replace(until=segment.start - 1), *remaining)
            change(log, costs.table, costs.announced)
            table = np.ascontiguousarray(segment.outcomes.P)
            if adversary is not None:
                adversary.harmed[0] = _winner(segments, m)
        loop(state, table, arms, rules, *remaining)
    except ValueError as error:
        message = nonsense(algorithm, log)
        if message is None:
            raise
        raise WrongAnswer(message) from error
    return int(clock[0].decisions)


def _winner(segments: Sequence[tuple[Segment, Costs]], m: int) -> int:
    """Return the Condorcet winner of a segment (0-based); -1 if there is none, or no segments."""
    winner = condorcet_winner(segments[m][0].matrix) if segments else None
    return -1 if winner is None else winner


def concluded(
    algorithm: Algorithm, problem: Problem, state: Any, log: Log, arms: np.ndarray
) -> tuple[int | None, np.ndarray | None]:
    """Return the `Trace.answer` and `Trace.places` of a finished run; raise `WrongAnswer` if they make no sense.

    The algorithm's functions are interpreted: they are called once, and compiling would take longer.
    """
    if algorithm.explored is None or isinstance(problem, ScalarBandit):
        return None, None
    with interpreted(math.inf):
        answer = _answer(algorithm, state, log, arms) if log.finished[0] > 0 else UNANSWERED
        places = None if algorithm.rank is None else _places(algorithm, state, arms)
    return answer, places


def _answer(algorithm: Algorithm, state: Any, log: Log, arms: np.ndarray) -> int:
    if algorithm.answer is None:
        return int(log.recommended[-1])
    answer = plain(algorithm.answer)(state)
    if answer not in (NO_WINNER, *range(arms.size)):
        raise WrongAnswer(
            f"{algorithm.id} answered {shown(answer)}; it must answer an arm, 0 to {arms.size - 1}, or NO_WINNER"
        )
    return NO_WINNER if answer == NO_WINNER else int(arms[answer])


def _places(algorithm: Algorithm, state: Any, arms: np.ndarray) -> np.ndarray:
    assert algorithm.rank is not None
    places_by_algorithm = np.full(arms.size, -1, np.int64)
    plain(algorithm.rank)(state, places_by_algorithm)
    if places_by_algorithm.min() < 0 or places_by_algorithm.max() >= arms.size:
        raise WrongAnswer(
            f"{algorithm.id} ranked the arms {places_by_algorithm.tolist()}; places are 0 to {arms.size - 1}"
        )
    places = np.empty_like(places_by_algorithm)
    places[arms] = places_by_algorithm
    return places


def answers_are_arms(problem: Problem) -> bool:
    """Return whether recommendations are arms; the decisions of a scalar bandit can be other numbers."""
    return not isinstance(problem, ScalarBandit) or problem.decision.names_parameter
