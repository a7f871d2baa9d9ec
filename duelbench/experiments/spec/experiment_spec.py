"""A checked experiment: its problems, such as preference matrices, its horizon, runs and algorithms."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from duelbench.bandits.algorithms.contract import Algorithm
from duelbench.bandits.problem.identification import Question
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.scalar_bandit import ScalarBandit
from duelbench.bandits.problem.worlds.world import AnyProblem, World
from duelbench.bandits.simulation.terms import Settings
from duelbench.bandits.statistics.interim import Until
from duelbench.experiments.spec.naming import slug

MAX_CELLS = 10_000
"""The maximum number of combinations of problem, algorithm and horizon in one experiment."""

MAX_RUNS = 10**6
"""The maximum number of runs in one experiment, all combinations together: a plan takes some hundred bytes of memory
for each run."""


@dataclass(frozen=True)
class Point:
    """A point of a sweep."""

    problem: str  # the name in tables of the problem in the spec
    over: str
    value: Any
    game: int | None = None  # which of several random matrices, from 0

    @property
    def setting(self) -> str:
        """The point without its game, in words."""
        return f"{self.problem}, {self.over} {self.value}" if self.problem else f"{self.over} {self.value}"

    def __str__(self) -> str:
        return self.setting if self.game is None else f"{self.setting}, game {self.game}"


@dataclass(frozen=True, eq=False)
class Problem:
    """A preference matrix, a scalar bandit or a world that changes, under the name of its results folder."""

    name: str  # empty for the one problem of a spec, whose results lie in the experiment's own folder
    matrix: AnyProblem
    origin: Path | dict[str, Any]  # the value in the spec: a path relative to it, or keys with all defaults
    point: Point | None = None  # the point of a sweep over matrices; the name is then a path of folders

    @property
    def preferences(self) -> PreferenceMatrix:
        """The matrix of a problem that is neither a scalar bandit nor a world."""
        assert isinstance(self.matrix, PreferenceMatrix)
        return self.matrix

    @property
    def content(self) -> str | dict[str, Any]:
        """The origin in plain JSON types."""
        return self.origin.as_posix() if isinstance(self.origin, Path) else self.origin

    @property
    def described(self) -> str:
        """The origin of the matrix, in one line."""
        return self.origin.as_posix() if isinstance(self.origin, Path) else str(self.matrix.source)

    @property
    def title(self) -> str:
        """The problem's name in tables and figures."""
        if self.point is not None:
            return str(self.point)
        return self.name or (self.origin.stem if isinstance(self.origin, Path) else self.described)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._identity == other._identity

    @property
    def _identity(self) -> tuple[str, str, str, tuple[str, ...]]:
        return self.name, str(self.content), self.matrix.sha256, self.matrix.names


@dataclass(frozen=True)
class Entry:
    """One curve of an experiment: an algorithm with its parameters."""

    algorithm: Algorithm
    parameters: dict[str, Any]  # all of them, the defaults too
    label: str  # for legends; different in every entry
    slug: str  # the results folder; different in every entry
    horizons: tuple[int, ...]  # increasing; the algorithm is run once for each
    has_own_horizons: bool = field(default=False, compare=False)  # whether the spec gives them
    settings: Mapping[str, Any] = field(default_factory=dict)  # instead of the experiment's
    explicit: frozenset[str] = field(default=frozenset(), compare=False)  # the parameters that are written in the spec


@dataclass(frozen=True)
class Sweep:
    """One setting that takes several values; `duelbench.experiments.spec.sweeps` describes the settings."""

    over: str
    values: tuple[Any, ...]
    games: int  # random matrices at each value
    bases: tuple[Problem, ...]  # the problems that the spec names
    problems: tuple[Problem, ...]  # the matrices of all values and games, for a sweep over matrices; otherwise none

    def replaces(self, entry: Entry) -> str | None:
        """Return the parameter of an algorithm that takes the values; None if the sweep does not change it."""
        id, _, name = self.over.rpartition(".")
        is_its_own = id in ("", entry.algorithm.id) and name in entry.algorithm.parameters
        return name if is_its_own and not self.problems else None

    def settings(self, entry: Entry, value: Any, horizon: int) -> tuple[Entry, int]:
        """Return an entry and the horizon at one value of a sweep that is not over matrices.

        An algorithm that the sweep does not concern stays as it is.
        """
        if self.over == "horizon":
            return entry, value
        name = self.replaces(entry)
        if name is None:
            return entry, horizon
        checked = entry.algorithm.parameters[name].check(value)
        return replace(entry, parameters={**entry.parameters, name: checked}), horizon


def value_folder(over: str, value: Any) -> str:
    """Return the folder of the results at one value.

    Examples
    --------
    >>> value_folder("feedback_batch", 100), value_folder("alpha", 0.51)
    ('feedback-batch-100', 'alpha-0.51')
    """
    text = "-".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return slug(f"{over}-{text}", "value")


def is_swept(over: str, entry: Entry) -> bool:
    """Return whether a sweep that is not over matrices changes an entry."""
    return over.rpartition(".")[0] in ("", entry.algorithm.id)


@dataclass(frozen=True)
class ExperimentSpec:
    """A checked spec, with every default filled in."""

    name: str  # the folder under ``results``
    title: str
    problems: tuple[Problem, ...]  # for a sweep over matrices, the problems of all values and games
    horizon: int  # rounds of a run
    runs: int | Until  # the runs of each algorithm on each problem, numbered from 0
    seed: int
    settings: Settings
    regret: tuple[str, ...]  # definitions; figures show the first
    checkpoint_rule: int | tuple[int, ...]  # number of log-spaced checkpoints, or the rounds
    bounds: tuple[str, ...]  # lower bounds to draw
    entries: tuple[Entry, ...]
    source: Path | None = field(compare=False)  # the file, or the name of a spec that comes with duelbench
    sweep: Sweep | None = None
    figure: Mapping[str, Any] | None = None
    identify: Question | None = None
    budget: tuple[int, ...] = ()  # rounds after which recommendations are judged; empty if runs end with an answer

    @property
    def called(self) -> str:
        """The name of the spec in messages: its file, if it has one."""
        return str(self.source or f"the spec '{self.name}'")

    @property
    def fewest_runs(self) -> int:
        """The smallest number of runs of each algorithm on each problem."""
        return self.runs.least if isinstance(self.runs, Until) else self.runs

    @property
    def most_runs(self) -> int:
        """The largest number of runs of each algorithm on each problem."""
        return self.runs.most if isinstance(self.runs, Until) else self.runs

    @cached_property
    def checkpoints(self) -> tuple[int, ...]:
        """The rounds (from 1) after which regret is recorded: increasing, the horizon last."""
        if isinstance(self.checkpoint_rule, tuple):
            return tuple(sorted({*self.checkpoint_rule, self.horizon}))
        from duelbench.bandits.simulation.trace import log_checkpoints

        return tuple(log_checkpoints(self.horizon, self.checkpoint_rule).tolist())

    def canonical(self) -> dict[str, Any]:
        """Return the spec with all defaults, in plain JSON types.

        Beside the original file, the result loads as an equal spec.
        """
        sweep = self.sweep
        problems = {problem.name: problem.content for problem in (sweep.bases if sweep else self.problems)}
        rule = self.checkpoint_rule
        matrix = self.problems[0].matrix
        singular, plural = "matrix", "problems"
        if isinstance(matrix, ScalarBandit):
            singular = "problem"
        elif isinstance(matrix, World):
            singular, plural = "world", "worlds"
        return {
            "name": self.name,
            "title": self.title,
            **({singular: problems[""]} if "" in problems else {plural: problems}),
            "horizon": self.horizon,
            "runs": self.runs.content() if isinstance(self.runs, Until) else self.runs,
            "seed": self.seed,
            **{name: value for name, value in vars(self.settings).items() if name != "cut_at_checkpoints"},
            "regret": list(self.regret),
            "checkpoints": list(rule) if isinstance(rule, tuple) else rule,
            "bounds": list(self.bounds),
            "algorithms": [self._content_of(entry) for entry in self.entries],
            **({"identify": self.identify.content()} if self.identify else {}),
            **({"budget": list(self.budget)} if self.budget else {}),
            **({"sweep": {"over": sweep.over, "values": list(sweep.values), "games": sweep.games}} if sweep else {}),
            **({"figure": dict(self.figure)} if self.figure is not None else {}),
        }

    def _content_of(self, entry: Entry) -> dict[str, dict[str, Any]]:
        """Return an algorithm as a spec writes it, with a stopping rule under the key ``stop``."""
        swept = self.sweep.replaces(entry) if self.sweep else None
        parameters = {name: x for name, x in entry.parameters.items() if name != swept}
        algorithm, rule = entry.algorithm.parts or (entry.algorithm, None)
        # The other parameters of a stopping rule follow from `identify`.
        rule_keys = {key: parameters[f"stop_{key}"] for key in ("delta", "intervals") if f"stop_{key}" in parameters}
        return {
            algorithm.id: {
                **{name: x for name, x in parameters.items() if name in algorithm.parameters},
                **({"stop": {"rule": rule.id, **rule_keys}} if rule else {}),
                "label": entry.label,
                "horizons": list(entry.horizons),
                **entry.settings,
            }
        }
