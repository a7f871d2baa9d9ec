"""One game: whether an algorithm can play a problem, its state before round 1, and all its rounds."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from duelbench import foreign
from duelbench.algorithms.contract import NO_WINNER, UNANSWERED, Algorithm
from duelbench.algorithms.dispatch import WrongAnswer, register, shown
from duelbench.errors import InputError
from duelbench.kernels.decorators import plain
from duelbench.kernels.interpreting import interpreted
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.simulation.compiled_loops import loop_of
from duelbench.simulation.delayed_outcomes import new_delayed_outcomes
from duelbench.simulation.engine import Terms
from duelbench.simulation.run_log import Log, nonsense
from duelbench.simulation.streams import Streams

Problem = PreferenceMatrix | ScalarBandit


def check(algorithm: Algorithm, problem: Problem, horizon: int, parameters: Mapping[str, Any]) -> None:
    """Ask an algorithm whether it can play a problem; nothing is started.

    Parameters
    ----------
    algorithm : Algorithm
    problem : PreferenceMatrix or ScalarBandit
    horizon : int
        Rounds.
    parameters : mapping
        All of them.

    Raises
    ------
    InputError
        When it cannot.
    """
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
    """The algorithm as it will be played, in plain Python where the problem's decision is, and its state.

    Raises
    ------
    InputError
        When ``start`` says that it cannot play this (`ValueError`), or does not return the algorithm's state.
    """
    if isinstance(problem, ScalarBandit) and not problem.decision.compiled:
        algorithm = in_plain_python(algorithm)
    register(algorithm)
    try:
        state = algorithm.start(problem.n_arms, horizon, rng, standing, **_question(problem), **parameters)
    except ValueError as error:
        place = foreign.place_of(error)
        raise InputError(f"{algorithm.id} cannot play this: {error}{f' ({place})' if place else ''}") from error
    if type(state) is not algorithm.state:
        place = foreign.place_of_return(algorithm.start, (), state)
        raise InputError(
            f"{algorithm.id}: {place} returned an object of the class"
            f" {type(state).__qualname__}; it must return the algorithm's state, {algorithm.state.__qualname__}"
        )
    return algorithm, state


def _question(problem: Problem) -> dict[str, Any]:
    return {"question": problem.question} if isinstance(problem, ScalarBandit) else {}


def in_plain_python(algorithm: Algorithm) -> Algorithm:
    """The algorithm with its functions uncompiled, for a decision in plain Python."""
    rules: dict[str, Any] = {name: plain(rule) for name, rule in algorithm.rules.items()}
    return replace(algorithm, **rules, compiled=False)


def play(
    algorithm: Algorithm,
    state: Any,
    problem: Problem,
    log: Log,
    random: Streams,
    arms: np.ndarray | None = None,
    feedback_delay: int = 1,
    standing: bool = True,
    cuts: bool = False,
) -> int:
    """Play all rounds up to the log's last checkpoint with what `begin` returned; see `engine.play`.

    Returns
    -------
    int
        The number of decisions.

    Raises
    ------
    WrongAnswer
        When an answer of the algorithm makes no sense.
    """
    is_scalar = isinstance(problem, ScalarBandit)
    delayed = new_delayed_outcomes(problem.n_arms, feedback_delay)
    try:
        decisions = loop_of(algorithm, state, delayed)(
            state,
            problem.means.reshape(-1, 1) if isinstance(problem, ScalarBandit) else np.ascontiguousarray(problem.P),
            np.arange(problem.n_arms) if arms is None else arms,
            Terms(feedback_delay, standing, is_scalar or algorithm.reads_self_duels, cuts),
            delayed,
            log,
            random.of_loop,
        )
    except ValueError as error:
        said = nonsense(algorithm, log, state, random.algorithm)
        if said is None:
            raise
        raise WrongAnswer(said) from error
    return int(decisions)


def concluded(
    algorithm: Algorithm, problem: Problem, state: Any, log: Log, arms: np.ndarray
) -> tuple[int | None, np.ndarray | None]:
    """What a run has ended with: `Trace.answer` and `Trace.places`, of arms as the problem calls them.

    Asked once, so it is interpreted: compiling would take longer.

    Raises
    ------
    WrongAnswer
        When the answer is no arm, or the places are none.
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
    said = plain(algorithm.answer)(state)
    if said not in (NO_WINNER, *range(arms.size)):
        raise WrongAnswer(
            f"{algorithm.id} answered {shown(said)}; it must answer an arm, 0 to {arms.size - 1}, or NO_WINNER"
        )
    return NO_WINNER if said == NO_WINNER else int(arms[said])


def _places(algorithm: Algorithm, state: Any, arms: np.ndarray) -> np.ndarray:
    assert algorithm.rank is not None
    own = np.full(arms.size, -1, np.int64)
    plain(algorithm.rank)(state, own)
    if own.min() < 0 or own.max() >= arms.size:
        raise WrongAnswer(f"{algorithm.id} ranked the arms {own.tolist()}; places are 0 to {arms.size - 1}")
    places = np.empty_like(own)
    places[arms] = own
    return places


def answers_are_arms(problem: Problem) -> bool:
    """Whether what is recommended is an arm, and not another number."""
    return not isinstance(problem, ScalarBandit) or problem.decision.names_parameter
