"""The clock: the one loop that plays every algorithm.

The loop calls `select`, `update` and `recommend`, which stand for the functions of the algorithm whose state is played.
Compiled, Numba resolves them by the type of the state when it compiles the loop for that type, and keeps the result on
disk; passing the functions as arguments would compile anew in every process.
"""

import hashlib
import reprlib
from collections.abc import Callable, Iterator
from operator import index
from types import FunctionType
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.extending import overload

from duelbench import foreign
from duelbench.algorithms.contract import NEVER, SEVERAL, Algorithm
from duelbench.algorithms.exploration import dispatch as deciding
from duelbench.kernels.decorators import INLINED_OPTIONS, KERNEL_OPTIONS, PART_OPTIONS, inlined, kernel, plain, shared
from duelbench.simulation.binomial import draw_binomial


class WrongAnswer(ValueError):
    """An answer of an algorithm makes no sense; the message says which."""


_algorithm_of: dict[type, Algorithm] = {}
_compiled_of: dict[type, Algorithm] = {}


def introduce(algorithm: Algorithm) -> None:
    """Make the loop know which algorithm a state of type ``algorithm.state`` belongs to.

    Raises
    ------
    InputError
        When its functions cannot be called or found, or another algorithm's are found by the same type.
    """
    if _algorithm_of.get(algorithm.state) is algorithm:
        return
    if algorithm.foreign_modules:
        algorithm.check()
    if algorithm.compiled:
        foreign.check_alone(algorithm, _compiled_of.setdefault(algorithm.state, algorithm))
    _algorithm_of[algorithm.state] = algorithm


def select(state, t, rng):
    """The algorithm's decision for round ``t``: (first, second, rounds)."""
    own = _algorithm_of[type(state)].select
    answer = own(state, t, rng)
    try:
        first, second, rounds = answer
        return index(first), index(second), index(rounds)  # compiled code has types
    except (TypeError, ValueError):
        place = foreign.place_of_return(own, (state, t, rng), answer)
        raise WrongAnswer(
            f"{place} returned {_shown(answer)} in round {t}; it must return three whole"
            " numbers: the first arm, the second arm, and for how many rounds the decision stands"
        ) from None


def _shown(answer):
    """An answer in a message."""
    return reprlib.repr(answer).replace(str(NEVER), "NEVER")


def update(state, first, second, first_wins, second_wins):
    """Tell the algorithm the outcomes of ``first_wins + second_wins`` duels of a pair."""
    _algorithm_of[type(state)].update(state, first, second, first_wins, second_wins)


def recommend(state):
    """The arm the algorithm would answer with now."""
    own = _algorithm_of[type(state)].recommend
    answer = own(state)
    try:
        return index(answer)
    except TypeError:
        place = foreign.place_of_return(own, (state,), answer)
        raise WrongAnswer(f"{place} returned {_shown(answer)}; it must return an arm, a whole number") from None


def explored(state):
    """How many parameters the algorithm still explores; 0 for one that does not say."""
    own = _algorithm_of[type(state)].explored
    return own(state) if own is not None else 0


def self_duel_probability(state, arm):
    """The probability that ``arm`` is the one that duels itself, where one of several does."""
    own = _algorithm_of[type(state)].self_duel_probability
    return own(state, arm) if own is not None else 0.0


@overload(select, jit_options={**INLINED_OPTIONS, **PART_OPTIONS})
def _compile_select(state, t, rng):
    return _python_function(state, "select")


@overload(update, jit_options={**INLINED_OPTIONS, **PART_OPTIONS})
def _compile_update(state, first, second, first_wins, second_wins):
    return _python_function(state, "update")


@overload(recommend, jit_options={**KERNEL_OPTIONS, **PART_OPTIONS})
def _compile_recommend(state):
    return _python_function(state, "recommend")


@overload(self_duel_probability, jit_options={**KERNEL_OPTIONS, **PART_OPTIONS})
def _compile_self_duel_probability(state, arm):
    return _python_function(state, "self_duel_probability")


@overload(explored, jit_options=KERNEL_OPTIONS)
def _compile_explored(state):
    if isinstance(state, types.BaseNamedTuple) and _algorithm_of[state.instance_class].explored is None:
        return lambda state: 0
    return _python_function(state, "explored")


def _announced(state):
    """`recommend`, for every round."""
    return recommend(state)


@overload(_announced, jit_options=INLINED_OPTIONS)
def _compile_announced(state):
    return _python_function(state, "recommend")


def _python_function(state, name):
    if not isinstance(state, types.BaseNamedTuple):
        return None
    return plain(getattr(_algorithm_of[state.instance_class], name))


class Log(NamedTuple):
    """What a run writes while it is played; arrays are updated in place. The pair (i, j) has the number i K + j.

    checkpoints : (n,) int64. Increasing rounds; the last is the horizon.
    losses : (n_definitions, K * K) float64. Regret of one round of each pair, per definition. A scalar bandit has N
        pairs (i, 0), of the numbers i.
    regret : (n_definitions, n) float64. Cumulative regret at the checkpoints.
    recommended : (n,) int64.
    duels : (K, K) or (N, 1) int64. Rounds in which each ordered pair was played.
    counts : (K * K,) int64. The same memory, row by row.
    played : int64. One bit for each pair, `WORD` in a number: pairs ever played, and those of an arm with itself.
    prices : (n_definitions, n_decisions) float64. Regret of one round after which a decision is announced.
    announced : (n_decisions,) int64. Rounds after which each decision was announced; empty where that costs nothing.
    explored : (n,) int64. How many parameters were still explored; empty where the algorithm does not say.
    finished : (1,) int64. The first round in which a decision stood for ever; 0 before.
    answers_are_arms : bool. Whether what is recommended is an arm, and not another number.
    refused : (4,) int64. An answer that makes no sense, of which the run ends: the round, the first arm, the second,
        for how many rounds; or -1 and what was recommended. Zeros where there was none.
    """

    checkpoints: np.ndarray
    losses: np.ndarray
    regret: np.ndarray
    recommended: np.ndarray
    duels: np.ndarray
    counts: np.ndarray
    played: np.ndarray
    prices: np.ndarray
    announced: np.ndarray
    explored: np.ndarray
    finished: np.ndarray
    answers_are_arms: bool
    refused: np.ndarray


WORD = 32
BIT = np.zeros(37, np.int64)
BIT[[2**bit % 37 for bit in range(WORD)]] = np.arange(WORD)
"""``BIT[2**bit % 37]`` is ``bit``: the powers of two below 2^36 leave different remainders."""


class Mail(NamedTuple):
    """Outcomes that are held back until they are delivered (empty arrays where feedback is at once).

    wins : (K, K, 2) int64. For each ordered pair: wins of the first arm, wins of the second.
    queue : (K * K, 2) int64. Pairs with outcomes held back, in the order in which they were first played.
    """

    wins: np.ndarray
    queue: np.ndarray


def new_log(
    checkpoints: np.ndarray,
    losses: np.ndarray,
    prices: np.ndarray | None = None,
    explores: bool = False,
    answers_are_arms: bool = True,
) -> Log:
    """An empty log for ``losses`` of shape (n_definitions, K, K), or (n_definitions, N, 1) for a scalar bandit."""
    n_definitions, n_rows, n_columns = losses.shape
    prices = np.zeros((n_definitions, 0)) if prices is None else prices
    n_pairs = n_rows * n_columns
    duels = np.zeros((n_rows, n_columns), np.int64)
    played = np.zeros(-(-n_pairs // WORD), np.int64)
    if n_columns > 1:
        diagonal = np.arange(n_rows) * (n_rows + 1)
        np.bitwise_or.at(played, diagonal // WORD, 1 << diagonal % WORD)
    return Log(
        checkpoints,
        losses=losses.reshape(n_definitions, n_pairs),
        regret=np.zeros((n_definitions, checkpoints.size)),
        recommended=np.zeros(checkpoints.size, np.int64),
        duels=duels,
        counts=duels.reshape(n_pairs),
        played=played,
        prices=prices,
        announced=np.zeros(prices.shape[1], np.int64),
        explored=np.zeros(checkpoints.size if explores else 0, np.int64),
        finished=np.zeros(1, np.int64),
        answers_are_arms=answers_are_arms,
        refused=np.zeros(4, np.int64),
    )


def new_mail(n_arms: int, delay: int) -> Mail:
    """An empty mail bag; of no size where nothing is ever held back."""
    size = n_arms if delay > 1 else 0
    return Mail(np.zeros((size, size, 2), np.int64), np.zeros((size * size, 2), np.int64))


@kernel
def play(state, P, log, mail, arms, delay, standing, reads_self_duels, duel_rng, algorithm_rng, division_rng):
    """Play all rounds up to the last checkpoint and record what happens in ``log``.

    Parameters
    ----------
    state : NamedTuple
        The algorithm's state; updated in place.
    P : ndarray of float64, shape (K, K) or (N, 1)
        Preference matrix, or the means of a scalar bandit: a table of one column, in which arms meet the house.
    log : Log
    mail : Mail
    arms : ndarray of int64, shape (K,)
        ``arms[a]`` is the matrix's arm that the algorithm knows as a.
    delay : int
        Outcomes are delivered after rounds delay, 2 delay, ...; 1 is at once.
    standing : bool
        False plays every decision for one round only.
    reads_self_duels : bool
        Whether the algorithm wants the fair coin of a self-duel.
    duel_rng, algorithm_rng, division_rng : Generator
        The last divides rounds among several arms: no decision depends on it, nor on the checkpoints.

    Returns
    -------
    int
        The number of decisions.
    """
    n_arms = P.shape[0]
    n_columns = P.shape[1]
    announces = log.announced.size > 0
    announced = 0
    announced_before = 0
    checkpoints = log.checkpoints
    duels = log.duels
    horizon = checkpoints[-1]
    queued = 0
    look = 0
    next_look = checkpoints[0]
    decisions = 0
    t = 1
    while t <= horizon:
        first, second, rounds = select(state, t, algorithm_rng)
        several = first == SEVERAL and second == SEVERAL
        if not several and not (0 <= first < n_arms and 0 <= second < n_columns and rounds >= 1):
            _note(log.refused, t, first, second, rounds)
            raise ValueError(NONSENSE)
        decisions += 1
        informative = first != second or reads_self_duels
        if rounds >= NEVER and log.finished[0] == 0:
            log.finished[0] = t
        if not standing or (announces and informative and rounds < NEVER):
            rounds = 1  # what is announced may change after each of them
        if delay > 1 and (informative or queued > 0):
            rounds = min(rounds, delay - (t - 1) % delay)  # news at the end of the block may change the decision
        last = min(t + rounds - 1, horizon)

        if announces and last > t:
            announced = _answer(log, arms, recommend(state))
            announced_before = log.announced[announced] - t + 1
        if several:
            played = t - 1
            while next_look < last:
                _divide(state, next_look - played, division_rng, duels, arms)
                played = next_look
                if announces:
                    log.announced[announced] = announced_before + next_look
                look = _record(log, look, _answer(log, arms, recommend(state)), explored(state))
                next_look = checkpoints[look]
            _divide(state, last - played, division_rng, duels, arms)
        else:
            i = arms[first]
            j = arms[second] if n_columns > 1 else 0
            if duels[i, j] == 0:
                _mark(log.played, i * n_columns + j)
            before = duels[i, j] - t + 1
            while next_look < last:
                duels[i, j] = before + next_look
                if announces:
                    log.announced[announced] = announced_before + next_look
                look = _record(log, look, _answer(log, arms, recommend(state)), explored(state))
                next_look = checkpoints[look]
            duels[i, j] = before + last
        if announces and last > t:  # the last round is announced after its outcome
            log.announced[announced] = announced_before + last - 1

        if informative and last == t + rounds - 1:  # a batch that the horizon cuts short never reports
            wins = _wins(P[arms[first], arms[second] if n_columns > 1 else 0], rounds, duel_rng)
            if delay == 1:
                update(state, first, second, wins, rounds - wins)
            else:
                queued = _hold_back(mail, queued, first, second, wins, rounds - wins)
        if queued > 0 and last % delay == 0:
            for k in range(queued):  # in the order in which the pairs were first played
                first = mail.queue[k, 0]
                second = mail.queue[k, 1]
                update(state, first, second, mail.wins[first, second, 0], mail.wins[first, second, 1])
                mail.wins[first, second] = 0
            queued = 0
        if announces:
            log.announced[_answer(log, arms, _announced(state))] += 1
        if next_look == last:
            look = _record(log, look, _answer(log, arms, recommend(state)), explored(state))
            next_look = checkpoints[min(look, checkpoints.size - 1)]
        t = last + 1
    return decisions


NONSENSE = "an answer of the algorithm makes no sense"
"""Compiled code cannot say which: it is in the log (`Log.refused`)."""


@kernel
def _note(refused, t, first, second, rounds):
    """Write an answer that makes no sense into the log."""
    refused[0] = t
    refused[1] = first
    refused[2] = second
    refused[3] = rounds


def nonsense(algorithm: Algorithm, log: Log, state: Any, rng: np.random.Generator) -> str | None:
    """In words, the answer that the run has ended of; None where it was something else."""
    t, first, second, rounds = log.refused.tolist()
    n_arms, n_columns = log.duels.shape
    if t == 0:
        return None
    if t < 0:
        n_answers = n_arms if log.answers_are_arms else log.announced.size
        what = "arms" if log.answers_are_arms else "decisions"
        name = foreign.place_of_return(algorithm.recommend, (state,), first)
        return f"{name} returned {first} after round {log.counts.sum()}; the {what} are 0 to {n_answers - 1}"
    answer = first, second, rounds
    place = foreign.place_of_return(algorithm.select, (state, t, rng), answer)
    said = f"{place} returned {_shown(answer)} in round {t}"
    if rounds < 1:
        return f"{said}; a decision stands for 1 round at least"
    if 0 <= first < n_arms and n_columns == 1:
        return f"{said}; a sample of arm {first} is ({first}, 0, rounds)"
    wrong = second if 0 <= first < n_arms else first
    return f"{said}; there is no arm {wrong}: the arms are 0 to {n_arms - 1}"


def loop_of(algorithm: Algorithm, state: Any) -> Callable[..., int]:
    """`play` for a state of an algorithm: compiled, or plain Python where the algorithm is.

    Compiled code is kept on disk by the type of the state, and what was kept is found by a list of these types. Where
    the state holds something of a class that is not duelbench's, an algorithm's or a decision's, there is a list of its
    own, named by the digest of its sources: another process may not know the class, and Numba would not notice that its
    code has changed.
    """
    if not algorithm.compiled:
        return plain(play)
    is_ours = not algorithm.foreign_modules and "samples" not in algorithm.plays  # else a decision may be another's
    classes = () if is_ours else tuple(dict.fromkeys(_foreign_classes(state)))
    if not classes:
        return play
    if classes not in _loops:
        _loops[classes] = _own_loop(algorithm, classes)
    return _loops[classes]


_loops: dict[tuple[type, ...], Callable[..., int]] = {}


def _foreign_classes(value: Any) -> Iterator[type]:
    """The classes of a state and of all that is in it, as far as others than duelbench and NumPy made them."""
    if type(value).__module__.partition(".")[0] not in ("duelbench", "numpy", "builtins"):
        yield type(value)
    if isinstance(value, tuple):
        for item in value:
            yield from _foreign_classes(item)


def _own_loop(algorithm: Algorithm, classes: tuple[type, ...]) -> Callable[..., int]:
    function = plain(play)
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    modules = foreign.modules([algorithm, *filter(None, map(deciding.decision_of, classes))])
    modules = tuple(sorted({*modules, *(cls.__module__ for cls in classes)}))
    sources = foreign.sources(modules)
    if sources is None or not sources.are_as_imported:
        return numba.njit(**KERNEL_OPTIONS)(copy)
    # Kept under the names of the modules as well: the list of types cannot be read where these cannot be imported.
    digest = hashlib.sha256(f"{modules} {sources.digest}".encode()).hexdigest()[:20]
    copy.__qualname__ = f"{function.__name__}_{digest}"  # a part of the file's name
    return kernel(copy)


@kernel
def _answer(log, arms, recommended):
    """What the problem calls a decision; refuses one that does not exist, for which compiled code would not stop."""
    n_answers = arms.size if log.answers_are_arms else log.announced.size
    if recommended < 0 or (recommended >= n_answers and n_answers > 0):
        _note(log.refused, -1, recommended, 0, 0)
        raise ValueError(NONSENSE)
    return arms[recommended] if log.answers_are_arms else recommended


@shared
def _wins(p, rounds, rng):
    """How many of ``rounds`` duels the first arm wins."""
    if rounds == 1:
        return 1 if rng.random() < p else 0
    return draw_binomial(rounds, p, rng)


def _divide(state, rounds, rng, duels, arms):
    """Count rounds in each of which, independently, one of several arms duels itself."""
    left = 1.0
    for a in range(arms.size):
        probability = self_duel_probability(state, a)
        count = rounds
        if rounds > 0 and probability < left - 1e-12:  # else a takes all that is left
            count = _wins(probability / left, rounds, rng)
        duels[arms[a], arms[a]] += count
        rounds -= count
        left -= probability
    if left > 1e-6:
        raise ValueError(NOT_SHARED_OUT)


NOT_SHARED_OUT = "the algorithm chose several arms, but does not share the rounds out among them"


def _refuse_to_divide(state, rounds, rng, duels, arms):
    """`_divide` of an algorithm without `self_duel_probability`: most are, and need not wait for its compilation."""
    if arms.size > 0:
        raise ValueError(NOT_SHARED_OUT)


@overload(_divide, jit_options={**KERNEL_OPTIONS, **PART_OPTIONS})
def _compile_divide(state, rounds, rng, duels, arms):
    if not isinstance(state, types.BaseNamedTuple):
        return None
    return _refuse_to_divide if _algorithm_of[state.instance_class].self_duel_probability is None else _divide


@kernel
def _hold_back(mail, queued, first, second, first_wins, second_wins):
    """Keep outcomes for later; returns how many pairs have outcomes waiting."""
    if mail.wins[first, second, 0] + mail.wins[first, second, 1] == 0:
        mail.queue[queued, 0] = first
        mail.queue[queued, 1] = second
        queued += 1
    mail.wins[first, second, 0] += first_wins
    mail.wins[first, second, 1] += second_wins
    return queued


@inlined
def _mark(played, pair):
    """Note that a pair was played."""
    played[pair // WORD] |= 1 << (pair % WORD)


@kernel
def _record(log, look, recommended, explored):
    """Regret so far, from the counts: no error accumulates, however many rounds there were. Returns the next look.

    Only pairs that were played are looked at, in the order of their numbers: the sum is the same to the last bit.
    """
    log.recommended[look] = recommended
    if log.explored.size > 0:
        log.explored[look] = explored
    for definition in range(log.losses.shape[0]):
        total = 0.0
        for word in range(log.played.size):
            bits = log.played[word]
            while bits > 0:
                lowest = bits & -bits
                bits ^= lowest
                pair = WORD * word + BIT[lowest % 37]
                total += log.counts[pair] * log.losses[definition, pair]
        for d in range(log.announced.size):
            total += log.announced[d] * log.prices[definition, d]
        log.regret[definition, look] = total
    return look + 1
