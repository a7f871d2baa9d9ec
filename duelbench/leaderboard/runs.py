"""The runs of a leaderboard: which experiments it can compare, and from which runs it reads each cell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.regret import DEFINITIONS
from duelbench.bandits.problem.winners import condorcet_winner, copeland_winners, gaps, inferior_counts
from duelbench.bandits.simulation.terms import Settings
from duelbench.errors import InputError
from duelbench.experiments.results.experiments import Experiment, LoadedCell
from duelbench.experiments.results.manifest import Results
from duelbench.experiments.results.settings import beside_parameters

SETTINGS = {"order": "A total order", "condorcet": "A Condorcet winner", "copeland": "No Condorcet winner"}
"""The settings and their titles. Each assumes less than the one before; a matrix has exactly one setting."""

MIN_RUNS = 2
"""A single run has no standard error."""

Place = tuple[str, str, int]
"""SHA-256 of a matrix, label of an algorithm, number of rounds."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of one algorithm on one matrix up to one horizon."""

    experiment: Experiment
    loaded: LoadedCell

    @property
    def label(self) -> str:
        """The algorithm's label."""
        return self.loaded.stored.label

    @property
    def matrix(self) -> PreferenceMatrix:
        """The matrix of the duels."""
        matrix = self.loaded.stored.matrix
        assert isinstance(matrix, PreferenceMatrix)
        return matrix

    @property
    def horizon(self) -> int:
        """Rounds of each run."""
        return self.loaded.stored.horizon

    @property
    def definitions(self) -> list[str]:
        """The recorded definitions of regret that a leaderboard ranks by."""
        return [name for name in self.experiment.definitions if name in DEFINITIONS]

    @cached_property
    def rounds(self) -> list[int]:
        """The checkpoints."""
        return self.loaded.rounds.tolist()

    @cached_property
    def recommends_winner(self) -> np.ndarray:
        """Whether each run recommends a Copeland winner after each checkpoint, (n_runs, n) bool."""
        return np.isin(self.loaded.recommendations, copeland_winners(self.matrix))

    def reaches(self, n_rounds: int) -> bool:
        """Return whether these runs show the regret after ``n_rounds`` rounds.

        If an algorithm uses its horizon, its first rounds differ from those of a run with a shorter horizon.
        """
        return n_rounds in self.rounds if self.loaded.stored.anytime else n_rounds == self.horizon

    def regret(self, definition: str, n_rounds: int) -> np.ndarray:
        """Return the regret of the runs after ``n_rounds`` rounds, (n_runs,) float64."""
        place = self.experiment.definitions.index(definition)
        return np.asarray(self.loaded.regret[:, place, self.rounds.index(n_rounds)])

    def right(self, n_rounds: int) -> float:
        """Return the share of the runs that recommend a Copeland winner after ``n_rounds`` rounds."""
        return float(self.recommends_winner[:, self.rounds.index(n_rounds)].mean())

    def locked_in(self, n_rounds: int) -> float | None:
        """Return the share of the runs that recommend a winner neither after ``n_rounds`` nor at a tenth of them.

        None if there is no checkpoint up to a tenth of the rounds.
        """
        early = [k for k, t in enumerate(self.rounds) if 10 * t <= n_rounds]
        if not early:
            return None
        is_right = self.recommends_winner
        return float((~is_right[:, self.rounds.index(n_rounds)] & ~is_right[:, early[-1]]).mean())


def comparable_runs(experiments: Sequence[Experiment]) -> list[Runs]:
    """Return the runs of some experiments, after a check that a leaderboard can compare them.

    Raises
    ------
    InputError
        If it cannot; the message names the experiments.
    """
    by_name = sorted(experiments, key=lambda experiment: experiment.name)
    runs = [Runs(experiment, loaded) for experiment in by_name for loaded in _comparable_cells(experiment)]
    _check_seeds(runs)
    _check_settings(runs)
    _check_labels(runs)
    return runs


def runs_of_places(runs: Sequence[Runs]) -> dict[Place, Runs]:
    """Return the runs from which each cell is read.

    There are cells for each number of rounds that is the horizon of some runs. A cell is read from the runs with the
    smallest horizon that reach its round. If several experiments have such runs, the one with the most runs counts; if
    several have the most, the first by name.
    """
    horizons = sorted({group.horizon for group in runs})
    chosen: dict[Place, Runs] = {}
    for group in sorted(runs, key=lambda group: (group.horizon, -group.loaded.n_runs)):
        for horizon in filter(group.reaches, horizons):
            chosen.setdefault((group.matrix.sha256, group.label, horizon), group)
    return chosen


def setting_of(matrix: PreferenceMatrix) -> str:
    """Return the setting of a matrix, a key of `SETTINGS`.

    ``copeland`` if no arm beats all others. Otherwise ``order`` if the arms can be ordered so that each beats or ties
    with all later ones, else ``condorcet``.

    Examples
    --------
    >>> setting_of(PreferenceMatrix([[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]]))
    'order'
    """
    if condorcet_winner(matrix) is None:
        return "copeland"
    # In an order, an arm that beats more arms beats those that beat fewer, and ties with those that beat as many.
    n_beaten = inferior_counts(matrix)
    return "order" if np.array_equal(np.sign(gaps(matrix)), np.sign(n_beaten[:, None] - n_beaten)) else "condorcet"


def _comparable_cells(experiment: Experiment) -> Iterator[LoadedCell]:
    for loaded in experiment.cells:
        stored = loaded.stored
        obstacle = _obstacle(experiment.results, loaded)
        if obstacle:
            raise InputError(
                f"{experiment.results.folder}: a leaderboard compares regret on matrices, but {experiment.name}"
                f" {obstacle}; name the folders of other results"
            )
        if 0 < loaded.n_runs < MIN_RUNS:
            raise InputError(
                f"{stored.folder}: there is one run of {stored.label} on {stored.problem}, and one run has no standard"
                f" error; a leaderboard needs at least {MIN_RUNS}"
            )
        if loaded.n_runs:
            yield loaded


def _obstacle(results: Results, loaded: LoadedCell) -> str | None:
    """Return why a leaderboard cannot compare some runs with others; None if it can."""
    stored = loaded.stored
    if not isinstance(stored.matrix, PreferenceMatrix):
        return "has none"
    if stored.point is not None:
        return "is a sweep"
    if results.question is not None:
        return "asks for an answer"
    if Settings(**stored.identity.settings).is_late:
        return "has feedback in batches or late"
    if not any(definition in DEFINITIONS for definition in results.spec["regret"]):
        return "records none of playing duels"
    return None


def _check_seeds(runs: Sequence[Runs]) -> None:
    """Refuse experiments with different seeds: their runs cannot be compared one by one."""
    first: dict[int, Runs] = {}
    for group in runs:
        first.setdefault(group.loaded.stored.identity.seed, group)
    if len(first) > 1:
        (seed, first_runs), (other_seed, other_runs), *_ = first.items()
        raise InputError(
            f"{first_runs.experiment.results.folder} has the seed {seed} and {other_runs.experiment.results.folder}"
            f" {other_seed}: a leaderboard compares runs of the same seed, one by one; run one of them again with the"
            " other's seed, or leave it out"
        )


def _check_settings(runs: Sequence[Runs]) -> None:
    """Refuse runs that were played differently, for example only some of them with shuffled arms."""
    first: dict[str, Runs] = {}
    for group in runs:
        first.setdefault(beside_parameters(group.loaded.stored) or "the defaults", group)
    if len(first) > 1:
        (words, first_runs), (other_words, other_runs), *_ = first.items()
        raise InputError(
            f"{other_runs.label} in {other_runs.experiment.results.folder} was played with other settings"
            f" ({other_words}) than {first_runs.label} in {first_runs.experiment.results.folder} ({words}): a"
            " leaderboard compares runs with the same settings; run one of them again with the other's settings, or"
            " leave it out"
        )


def _check_labels(runs: Sequence[Runs]) -> None:
    """Refuse a label of two algorithms, or of one algorithm with different parameters or versions."""
    first: dict[str, tuple[Runs, Mapping[str, Any]]] = {}
    for group in runs:
        identity = group.loaded.stored.identity
        meaning = {
            "algorithm": group.loaded.stored.algorithm,
            "parameters": identity.parameters,
            "trace version": identity.trace_version,
            "code": identity.code,
        }
        first_group, first_meaning = first.setdefault(group.label, (group, meaning))
        if first_meaning != meaning:
            difference = ", ".join(
                f"{name} {first_meaning[name]} and {value}"
                for name, value in meaning.items()
                if first_meaning[name] != value
            )
            raise InputError(
                f"{group.label} is one thing in {first_group.experiment.results.folder} and another in"
                f" {group.experiment.results.folder} ({difference}): give one of them a label of its own in its spec,"
                " or run it again"
            )
