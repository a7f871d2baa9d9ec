"""All problems of an experiment in one number for each algorithm, with intervals."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.content.finals import longest
from duelbench.figures.content.ratios import reference_of
from duelbench.figures.options import FigureOptions
from duelbench.problem.round_losses import prices
from duelbench.problem.worlds.world import World
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.statistics.aggregates import improvements, interquartile_mean, percentile_ends, profile, resamples
from duelbench.statistics.curves import FEWEST

_PLACES = 101

_NEARLY_NOTHING = 1e-9
"""Duels: what stands for the mean regret of a reference in a resample of runs without regret."""

WITH_ENDS = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Numbers, and the ends of their intervals: twice the numbers themselves where there are none."""


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The normalised regret of several algorithms on several problems at the horizon.

    Parameters
    ----------
    algorithms : tuple of (str, str)
        k of them: id and label, in the order of the spec.
    problems : tuple of str
    runs : tuple of int
        Of each algorithm, how many on each problem count.
    planned : int
        How many the spec asks for, of each algorithm on each problem.
    reference : str
        What regret is divided by on each problem: the label of an algorithm, or empty for the regret to be expected of
        uniformly random duels.
    mean : three (k,) float64
        Interquartile means and the ends of their intervals.
    at : (m,) float64
        Scores at which the profile is known, increasing.
    profile : three (k, m) float64
        The share of the runs whose score is at most so large.
    improvement : three (k, k) float64
        The probability that a run of algorithm i has less regret than one of j.
    """

    algorithms: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]
    runs: tuple[int, ...]
    planned: int
    reference: str
    mean: WITH_ENDS
    at: np.ndarray
    profile: WITH_ENDS
    improvement: WITH_ENDS

    @property
    def has_ends(self) -> bool:
        """Whether there are runs enough for intervals."""
        return min(self.runs) >= FEWEST

    @property
    def reference_in_words(self) -> str:
        """What regret is divided by."""
        return f"the mean of {self.reference}" if self.reference else "that of random duels"


def aggregate(
    experiment: Experiment, options: FigureOptions, regret: str, only: Iterable[str] | None = None
) -> Aggregate:
    """Aggregate regret at the longest horizon over all problems, every random matrix of a sweep being one.

    A score is regret over the reference's mean regret on the same problem. Where runs are missing, the first n of each
    problem count, n being the fewest that an algorithm has on any.

    Parameters
    ----------
    experiment : Experiment
    options : FigureOptions
    regret : str
        The definition of regret.
    only : iterable of str, optional
        Labels; by default all. The reference is there in any case.

    Raises
    ------
    InputError
        When not all algorithms play the same problems, or the reference has no regret on one of them.
    IncompleteResults
        When an algorithm has no run on a problem.
    """
    which = experiment.definitions.index(regret)
    labels = {reference_of(experiment, options)} if options.reference else set()
    algorithms = _algorithms(experiment, None if only is None else labels.union(only))
    _check_problems(experiment, algorithms)
    stored = [own[0].stored for own in algorithms]
    samples = [_sample(own, which) for own in algorithms]
    place = [one.label for one in stored].index(options.reference) if options.reference else None
    expected = _expected_of_random(algorithms[0], regret)
    scale = expected if place is None else samples[place].mean(axis=0)
    _check_reference(experiment, [cell.stored.problem for cell in algorithms[0]], scale)
    at = _places([sample / scale for sample in samples])

    def statistics(drawn: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Interquartile means (..., k), profiles (..., k, m) and improvements (..., k, k) of (..., n, problems)."""
        by = expected if place is None else np.maximum(drawn[place].mean(axis=-2, keepdims=True), _NEARLY_NOTHING)
        scores = [(own / by).reshape(*own.shape[:-2], -1) for own in drawn]
        means = np.stack([interquartile_mean(own) for own in scores], axis=-1)
        return means, np.stack([profile(own, at) for own in scores], axis=-2), improvements(drawn)

    found = statistics(samples)
    ends = [(number, number) for number in found]
    if min(map(len, samples)) >= FEWEST:
        parts = [statistics(drawn) for drawn in resamples(samples, [one.position for one in stored])]
        ends = [percentile_ends(np.concatenate(part)) for part in zip(*parts, strict=True)]
    mean, profiles, improved = ((number, *both) for number, both in zip(found, ends, strict=True))
    return Aggregate(
        algorithms=tuple((one.algorithm, one.label) for one in stored),
        problems=tuple(cell.stored.problem for cell in algorithms[0]),
        runs=tuple(len(sample) for sample in samples),
        planned=max(one.n_runs for one in stored),
        reference=options.reference or "",
        mean=mean,
        at=at,
        profile=profiles,
        improvement=improved,
    )


def _algorithms(experiment: Experiment, labels: Collection[str] | None) -> list[list[LoadedCell]]:
    """The cells of each algorithm whose label is in ``labels`` (None: of all), a cell for each problem."""
    found: dict[int, list[LoadedCell]] = {}
    for cell in longest(experiment.cells):
        if labels is None or cell.stored.label in labels:
            found.setdefault(cell.stored.position, []).append(cell)
    return [found[position] for position in sorted(found)]


def _check_problems(experiment: Experiment, algorithms: Sequence[Sequence[LoadedCell]]) -> None:
    """Refuse algorithms whose regret cannot be put together, and those without any run on a problem."""
    first = algorithms[0]
    for own in algorithms:
        label = own[0].stored.label
        if [cell.stored.problem for cell in own] != [cell.stored.problem for cell in first]:
            raise InputError(
                f"{experiment.name}: {label} does not play the same problems as {first[0].stored.label}, and there is"
                " nothing to aggregate over"
            )
        for cell, other in zip(own, first, strict=True):
            problem, ends = cell.stored.problem, (cell.stored.horizon, other.stored.horizon)
            if ends[0] != ends[1]:
                raise InputError(
                    f"{experiment.name}: on {problem} {label} is run to round {ends[0]}, and {other.stored.label} to"
                    f" round {ends[1]}: their regret cannot be aggregated"
                )
            if not cell.n_runs:
                raise IncompleteResults(f"{experiment.name}: no run of {label} on {problem}, which is aggregated over")


def _sample(cells: Sequence[LoadedCell], which: int) -> np.ndarray:
    """Regret at the horizon, (n, problems)."""
    n = min(cell.n_runs for cell in cells)
    return np.array([cell.regret[:n, which, -1] for cell in cells]).T


def _expected_of_random(cells: Sequence[LoadedCell], regret: str) -> np.ndarray:
    """Regret to be expected of uniformly random duels up to the horizon of each problem, (problems,)."""
    stored = [cell.stored for cell in cells]
    expected = []
    for one in stored:
        if isinstance(one.matrix, World):
            raise InputError(f"{one.problem} is a world that changes; choose another reference than random duels")
        expected.append(one.horizon * float(prices(one.matrix, [regret]).table[0].mean()))
    return np.array(expected)


def _check_reference(experiment: Experiment, problems: Sequence[str], regret: np.ndarray) -> None:
    for problem, number in zip(problems, regret.tolist(), strict=True):
        if not number > 0:
            raise InputError(
                f"{experiment.name}: the reference has no regret on {problem}, by which others could be divided; choose"
                " an algorithm that has with --reference"
            )


def _places(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Where the profile is known: evenly in the logarithm from the smallest positive score to the largest."""
    together = np.concatenate(scores)
    low = float(together[together > 0].min(initial=np.inf))
    high = float(together.max())
    if not high > 0:
        return np.array([1.0])
    places = np.geomspace(low, high, _PLACES)
    places[-1] = high
    return np.unique(places)
