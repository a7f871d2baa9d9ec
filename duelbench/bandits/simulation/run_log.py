"""The log that a run writes while it is played, and the message about an answer that makes no sense."""

import math
from typing import NamedTuple

import numpy as np

from duelbench.bandits import third_party
from duelbench.bandits.algorithms.contract import NEVER, SEVERAL, Algorithm
from duelbench.bandits.algorithms.dispatch import shown
from duelbench.bandits.kernels.decorators import compiled_once, inlined_or_plain, kernel_or_plain
from duelbench.bandits.simulation import played_pairs
from duelbench.bandits.simulation.played_pairs import PlayedPairs, new_played_pairs


class Log(NamedTuple):
    """The log of a run, written while it is played; arrays are updated in place.

    The pair (i, j) has the number i K + j; a scalar bandit has N pairs (i, 0), and their numbers are i.
    """

    checkpoints: np.ndarray  # (n,) int64. Increasing rounds; the last is the horizon
    losses: np.ndarray  # (n_definitions, K * K) float64. Regret of one round of each pair
    regret: np.ndarray  # (n_definitions, n) float64. Cumulative, at the checkpoints
    earlier: np.ndarray  # (n_definitions,) float64. Regret of the earlier segments of the world
    recommended: np.ndarray  # (n,) int64. The recommendation at each checkpoint
    # (2, K, K) or (2, N, 1) int64. Rounds of each ordered pair in the present segment of the world, and in earlier ones
    rounds: np.ndarray
    duels: np.ndarray  # (K, K) or (N, 1) int64. `rounds[0]`, in the same memory
    counts: np.ndarray  # (K * K,) int64. `rounds[0]` row by row, in the same memory
    played: PlayedPairs  # pairs that were played, and pairs of an arm with itself
    costs: np.ndarray  # (n_definitions, n_decisions) float64. Regret of announcing each decision after a round
    announced: np.ndarray  # (n_decisions,) int64. How often each decision was announced; empty if that costs nothing
    explored: np.ndarray  # (n,) int64. How many parameters were still explored; empty if not reported
    finished: np.ndarray  # (1,) int64. The first round from which a decision holds forever; 0 until there is one
    answers_are_arms: bool  # whether recommendations are arms, not other numbers
    # (4,) int64. The invalid answer that ended the run: of `select`, the round, both arms and the number of rounds; of
    # `recommend`, -1 and the recommendation. Zeros if there was none
    refused: np.ndarray


def new_log(
    checkpoints: np.ndarray,
    losses: np.ndarray,
    costs: np.ndarray | None = None,
    explores: bool = False,
    answers_are_arms: bool = True,
) -> Log:
    """Return an empty log; ``losses`` are (n_definitions, K, K), or (n_definitions, N, 1) for a scalar bandit."""
    n_definitions, n_rows, n_columns = losses.shape
    costs = np.zeros((n_definitions, 0)) if costs is None else costs
    n_pairs = n_rows * n_columns
    rounds = np.zeros((2, n_rows, n_columns), np.int64)
    duels = rounds[0]
    return Log(
        checkpoints,
        losses=losses.reshape(n_definitions, n_pairs),
        regret=np.zeros((n_definitions, checkpoints.size)),
        earlier=np.zeros(n_definitions),
        recommended=np.zeros(checkpoints.size, np.int64),
        rounds=rounds,
        duels=duels,
        counts=duels.reshape(n_pairs),
        played=new_played_pairs(n_rows, n_columns),
        costs=costs,
        announced=np.zeros(costs.shape[1], np.int64),
        explored=np.zeros(checkpoints.size if explores else 0, np.int64),
        finished=np.zeros(1, np.int64),
        answers_are_arms=answers_are_arms,
        refused=np.zeros(4, np.int64),
    )


@inlined_or_plain
def count_rounds(duels, played, i, j, rounds):
    """Count rounds of the pair (i, j) of the problem."""
    if duels[i, j] == 0:
        played_pairs.add(played, i * duels.shape[1] + j)
    duels[i, j] += rounds


@compiled_once
def record(log, checkpoint, recommended, explored):
    """Fill in one checkpoint, by its index; regret is computed from the counts, so that no error accumulates."""
    log.recommended[checkpoint] = recommended
    if log.explored.size > 0:
        log.explored[checkpoint] = explored
    for definition in range(log.losses.shape[0]):
        total = played_pairs.total(log.played, log.counts, log.losses[definition])
        for d in range(log.announced.size):
            total += log.announced[d] * log.costs[definition, d]
        log.regret[definition, checkpoint] = log.earlier[definition] + total


def change(log: Log, losses: np.ndarray, costs: np.ndarray) -> None:
    """Close a segment of the world: later rounds cost ``losses`` and ``costs``, as in `new_log`."""
    for definition in range(log.losses.shape[0]):
        spent = [*(log.counts * log.losses[definition]), *(log.announced * log.costs[definition])]
        log.earlier[definition] += math.fsum(spent)
    log.rounds[1] += log.duels
    log.duels[:] = 0
    log.announced[:] = 0
    log.losses[:] = losses.reshape(log.losses.shape)
    log.costs[:] = costs


@inlined_or_plain
def note_decision(log, t, first, second, rounds):
    """Refuse an invalid decision, and note the round of the first decision that holds forever."""
    n_arms, n_columns = log.duels.shape
    is_several = first == SEVERAL and second == SEVERAL
    if not is_several and not (0 <= first < n_arms and 0 <= second < n_columns and rounds >= 1):
        _refuse(log.refused, t, first, second, rounds)
    if rounds >= NEVER and log.finished[0] == 0:
        log.finished[0] = t


@kernel_or_plain
def named_by_problem(log, arms, recommended):
    """Return a decision in the problem's numbering; refuse an invalid one, which compiled code would not notice."""
    n_answers = arms.size if log.answers_are_arms else log.announced.size
    if recommended < 0 or (recommended >= n_answers and n_answers > 0):
        _refuse(log.refused, -1, recommended, 0, 0)
    return arms[recommended] if log.answers_are_arms else recommended


@kernel_or_plain
def _refuse(refused, t, first, second, rounds):
    """End the run by an error. The answer goes into the log, because compiled code cannot put it into the message."""
    refused[0] = t
    refused[1] = first
    refused[2] = second
    refused[3] = rounds
    raise ValueError("an answer of the algorithm makes no sense")


def nonsense(algorithm: Algorithm, log: Log) -> str | None:
    """Return a message about the answer that ended the run; None if something else ended it."""
    t, first, second, rounds = log.refused.tolist()
    n_arms, n_columns = log.duels.shape
    if t == 0:
        return None
    if t < 0:
        n_answers = n_arms if log.answers_are_arms else log.announced.size
        what = "arms" if log.answers_are_arms else "decisions"
        name = third_party.place_of_function(algorithm.recommend)
        return f"{name} returned {first} after round {log.counts.sum()}; the {what} are 0 to {n_answers - 1}"
    answer = first, second, rounds
    place = third_party.place_of_function(algorithm.select)
    returned = f"{place} returned {shown(answer)} in round {t}"
    if rounds < 1:
        return f"{returned}; a decision is for at least 1 round"
    if 0 <= first < n_arms and n_columns == 1:
        return f"{returned}; a sample of arm {first} is ({first}, 0, rounds)"
    wrong = second if 0 <= first < n_arms else first
    return f"{returned}; there is no arm {wrong}: the arms are 0 to {n_arms - 1}"
