"""How often each pair of arms was played, on average over the runs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from duelbench.results.experiments import Experiment
from duelbench.results.samples import longest, samples


@dataclass(frozen=True, eq=False)
class PairsPlayed:
    """Duels of one algorithm on one problem."""

    problem: str
    label: str
    names: tuple[str, ...]  # of the arms
    horizon: int  # rounds of a run
    # (K, K) float64: `counts[i, j]`: rounds with first arm i and second arm j, mean over the runs; on a scalar bandit
    # (N, 1)
    counts: np.ndarray

    def most_played(self, n: int) -> list[tuple[str, float]]:
        """The ``n`` pairs that were played most often, whichever arm was first, and their share of the rounds.

        Examples
        --------
        Of ten rounds five are duels of a with b:

        >>> played = PairsPlayed("two", "RUCB", ("a", "b"), 10, np.array([[4.0, 3.0], [2.0, 1.0]]))
        >>> played.most_played(2)
        [('a – b', 0.5), ('a – a', 0.4)]
        """
        if self.counts.shape[1] == 1:
            names, rounds = list(self.names), self.counts[:, 0]
        else:
            first, second = np.triu_indices(len(self.counts))
            names = [f"{self.names[i]} \N{EN DASH} {self.names[j]}" for i, j in zip(first, second, strict=True)]
            rounds = (self.counts + np.tril(self.counts, -1).T)[first, second]
        order = np.argsort(-rounds, kind="stable")[:n]
        return [(names[k], float(rounds[k]) / self.horizon) for k in order if rounds[k] > 0]


def pairs_played(experiment: Experiment) -> Iterator[PairsPlayed]:
    """Of each algorithm and problem at its longest horizon; random matrices, which differ, are left out."""
    for sample in longest(samples(experiment, "matrix")):
        cell = sample.cells[0]
        if cell.duels is None:
            continue
        stored, counts = cell.stored, np.asarray(cell.duels) / cell.n_runs
        yield PairsPlayed(stored.problem, stored.label, tuple(stored.matrix.names), stored.horizon, counts)
