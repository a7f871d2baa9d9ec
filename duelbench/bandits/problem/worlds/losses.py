"""Regret in a world that changes, segment by segment.

Every definition of `duelbench.bandits.problem.regret` is dynamic here: its comparator is the winner of the matrix of
the round. Two more compare with the one arm that is best in hindsight. Below, b_t are the Borda scores and P_t the
matrix of round t, and x_t and y_t are the arms that duel in it:

* ``borda-static``: after round n, max_k sum b_t(k) - sum (b_t(x_t) + b_t(y_t)) / 2, sums over rounds 1 to n.
* ``condorcet-static``: max_k sum (P_t(k, x_t) + P_t(k, y_t) - 1) / 2.

The engine computes the sums. ``borda-static`` needs one table of losses, because the Borda scores of a fixed arm do not
depend on what was played; ``condorcet-static`` needs K.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from duelbench.bandits.problem import round_losses
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.winners import borda_scores
from duelbench.bandits.problem.worlds.world import Segment, World
from duelbench.errors import InputError, nearest_or_all

STATIC = {
    "borda-static": "by how much Borda scores of the best fixed arm exceed those of the arms played, in rounds 1 to n",
    "condorcet-static": "what the best fixed arm would have won against the arms played, over rounds 1 to n",
}
"""Definitions of regret for worlds only; their comparator is one arm for all rounds."""


def check(name: str, world: World) -> None:
    """Raise an InputError unless the definition called ``name`` makes sense in every segment of a world."""
    if name in STATIC:
        return
    if name not in round_losses.NAMES:
        raise InputError(f"there is no regret {name!r}{nearest_or_all(name, (*round_losses.NAMES, *STATIC))}")
    for number, matrix in enumerate(world.matrices, 1):
        try:
            round_losses.costs(matrix, [name])
        except InputError as error:
            raise InputError(f"segment {number} of the world: {str(error).removeprefix('the matrix: ')}") from None


def tables(names: Sequence[str], matrix: PreferenceMatrix) -> round_losses.Costs:
    """Return the costs of a round with each pair: a table for each definition, K tables for ``condorcet-static``."""
    ordinary = round_losses.costs(matrix, [name for name in names if name not in STATIC] or ["copeland"])
    ordinary_rows = iter(zip(ordinary.table, ordinary.announced, strict=True))
    not_announced = np.zeros(ordinary.announced.shape[1])
    rows: list[tuple[np.ndarray, np.ndarray]] = []
    for name in names:
        if name in STATIC:
            rows += [(table, not_announced) for table in _static(name, matrix)]
        else:
            rows.append(next(ordinary_rows))
    return round_losses.Costs(np.array([table for table, _ in rows]), np.array([cost for _, cost in rows]))


def _static(name: str, matrix: PreferenceMatrix) -> Iterable[np.ndarray]:
    if name == "borda-static":
        scores = borda_scores(matrix)
        return [-(scores[:, np.newaxis] + scores[np.newaxis, :]) / 2]
    return [(row[:, np.newaxis] + row[np.newaxis, :] - 1) / 2 for row in matrix.P]


def regret(
    names: Sequence[str], sums: np.ndarray, rounds: np.ndarray, segments: Sequence[Segment], n_arms: int
) -> np.ndarray:
    """Return the regret at checkpoints, from the sums of `tables` over the rounds played.

    ``sums`` is (n_tables, n) float64, ``rounds`` (n,) are the checkpoints, 1-based; the result is (len(names), n).
    """
    rows, start = [], 0
    for name in names:
        n_tables = n_arms if name == "condorcet-static" else 1
        sums_of_name = sums[start : start + n_tables]
        start += n_tables
        if name == "borda-static":
            rows.append(sums_of_name[0] + _best_borda_sum(rounds, segments))
        else:
            rows.append(sums_of_name.max(axis=0))
    return np.array(rows)


def _best_borda_sum(rounds: np.ndarray, segments: Sequence[Segment]) -> np.ndarray:
    """Return max_k of the sum of b_t(k) over rounds 1 to n, for each n of ``rounds``."""
    starts = np.array([segment.start for segment in segments])
    ends = np.append(starts[1:] - 1, max(int(rounds[-1]), int(starts[-1])))
    scores = np.array([borda_scores(segment.matrix) for segment in segments])
    lengths = np.clip(rounds[:, np.newaxis], starts - 1, ends) - (starts - 1)
    return np.asarray((lengths @ scores).max(axis=1))
