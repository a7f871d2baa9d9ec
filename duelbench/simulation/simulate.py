"""One run: an algorithm, a matrix, a horizon and a seed in; a trace out."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from duelbench.algorithms import registry
from duelbench.algorithms.contract import Algorithm
from duelbench.errors import InputError
from duelbench.problem import round_losses
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.scalar_bandit import ScalarBandit
from duelbench.simulation import trial
from duelbench.simulation.game import answers_are_arms, begin, check, play
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import streams
from duelbench.simulation.trace import Trace, log_checkpoints


def simulate(
    algorithm: str | Algorithm,
    P: PreferenceMatrix | ScalarBandit | npt.ArrayLike,
    *,
    horizon: int,
    seed: int = 0,
    run: int = 0,
    regret: str | Sequence[str] | None = None,
    checkpoints: int | Sequence[int] = 200,
    shuffle_arms: bool = False,
    feedback_delay: int = 1,
    standing_decisions: bool = True,
    watch: Callable[[np.ndarray], object] | None = None,
    **parameters: Any,
) -> Trace:
    """Play one algorithm against one problem for ``horizon`` rounds.

    Beside the same seed and run, a run of a spec has other defaults: there arms are shuffled (``shuffle_arms=True``).
    `duelbench.rerun` plays a run of a spec again.

    Parameters
    ----------
    algorithm : str or Algorithm
        An id (``duelbench.algorithms()`` lists them) or an algorithm of your own. One that is compiled is tried before
        its first run, which takes some seconds: see `duelbench.simulation.trial`.
    P : PreferenceMatrix, ScalarBandit or array_like, shape (K, K)
        An array is a preference matrix.
    horizon : int
        Number of rounds, >= 1.
    seed, run : int
        Together they determine all randomness; ``run`` is 0-based.
    regret : str or sequence of str
        Regret definitions to record; see `duelbench.problem.regret.DEFINITIONS` and `duelbench.problem.round_losses`.
        By default ``copeland``, on a scalar bandit ``announced``.
    checkpoints : int or sequence of int
        How many log-spaced rounds to record at, or the rounds themselves (increasing; the horizon is added).
    shuffle_arms : bool
        Whether the algorithm sees the arms in an order drawn for the run, as in specs by default. The trace is in the
        matrix's order all the same.
    feedback_delay : int
        Outcomes are delivered after every so many rounds; 1 is at once.
    standing_decisions : bool
        False plays round by round; the same results (for a randomised rule: the same distribution), slowly.
    watch : callable, optional
        Called before the first round with the `duels` of the trace to be, which count while the run is played: their
        sum, read from another thread, is the number of rounds so far.
    **parameters
        The algorithm's own, e.g. ``alpha=0.51``.

    Returns
    -------
    Trace

    Raises
    ------
    InputError
        For an argument that makes no sense, naming it, and for an algorithm that cannot play this.

    Examples
    --------
    Two arms, of which the first always wins: after a few duels only the winner is played.

    >>> trace = simulate("rucb", [[0.5, 1.0], [0.0, 0.5]], horizon=10**6, seed=1)
    >>> trace.duels[0, 0] > 999_900, trace.recommended[-1] == 0
    (np.True_, np.True_)
    """
    problem = P if isinstance(P, (PreferenceMatrix, ScalarBandit)) else PreferenceMatrix(np.asarray(P))
    chosen = registry.get(algorithm) if isinstance(algorithm, str) else algorithm
    registry.check_plays(chosen, isinstance(problem, ScalarBandit))
    try:
        resolved = chosen.resolve(parameters)
    except ValueError as error:
        raise InputError(str(error)) from None
    _check_count("horizon", horizon)
    _check_count("feedback_delay", feedback_delay)
    asked = round_losses.default(problem) if regret is None else regret
    definitions = (asked,) if isinstance(asked, str) else tuple(asked)
    prices = round_losses.prices(problem, definitions)
    rounds = _rounds(horizon, checkpoints)

    check(chosen, problem, int(horizon), resolved)
    trial.require(chosen, problem, int(horizon), resolved)

    random = streams(seed, run)
    n_arms = problem.n_arms
    arms = random.arms.permutation(n_arms) if shuffle_arms else np.arange(n_arms)
    chosen, state = begin(chosen, problem, int(horizon), random.algorithm, standing_decisions, resolved)
    log = new_log(rounds, prices.table, prices.announced, chosen.explored is not None, answers_are_arms(problem))
    if watch is not None:
        watch(log.duels)
    decisions = play(chosen, state, problem, log, random, arms, int(feedback_delay), bool(standing_decisions))
    explored, finished = (log.explored, int(log.finished[0])) if chosen.explored is not None else (None, None)
    final = (log.regret, log.duels, log.recommended, decisions, definitions, explored, finished)
    return Trace(rounds, *final, chosen.id)


def _check_count(name: str, value: int) -> None:
    if isinstance(value, bool) or not float(value).is_integer() or value < 1:
        raise InputError(f"{name} must be a whole number of rounds >= 1, got {value!r}")


def _rounds(horizon: int, checkpoints: int | Sequence[int]) -> np.ndarray:
    if isinstance(checkpoints, (int, np.integer)):
        _check_count("checkpoints", int(checkpoints))
        return log_checkpoints(int(horizon), int(checkpoints))
    rounds = np.unique(np.array([*checkpoints, horizon], dtype=np.int64))
    if rounds[0] < 1 or rounds[-1] > horizon:
        raise InputError(f"checkpoints must lie between 1 and the horizon {horizon}, got {list(checkpoints)}")
    return rounds
