"""From the results of experiments to a leaderboard: which runs a cell is read from, and what they show."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from duelbench.algorithms import registry
from duelbench.errors import InputError
from duelbench.leaderboard import choosing, rules, summary, tables
from duelbench.leaderboard.summary import Algorithm, Cell, Figures, Problem, Setting, Summary, short
from duelbench.problem.bounds import lower_bound, regret_factor
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.regret import DEFINITIONS
from duelbench.problem.winners import copeland_winners
from duelbench.results.experiments import Experiment, LoadedCell
from duelbench.results.manifest import Results
from duelbench.statistics.differences import LEVEL
from duelbench.statistics.ranks import across

HORIZONS = (10**4, 10**6, 10**8)
"""Rounds after which all runs that reach them are read, in addition to the horizons of the specs."""

FIRST = ("copeland", "weak", "borda")
"""The regrets that come first."""

MADE_WITH = ("duelbench", "python", "numpy", "numba", "machine")

FEWEST_RUNS = 2
"""A single run has no standard error."""


@dataclass(frozen=True, eq=False)
class Source:
    """The runs of an algorithm on a matrix up to one horizon."""

    experiment: Experiment
    loaded: LoadedCell

    @property
    def matrix(self) -> PreferenceMatrix:
        """The matrix of the runs."""
        matrix = self.loaded.stored.matrix
        assert isinstance(matrix, PreferenceMatrix)
        return matrix

    @property
    def horizon(self) -> int:
        """Rounds of each run."""
        return self.loaded.stored.horizon

    @cached_property
    def rounds(self) -> list[int]:
        """The checkpoints."""
        return self.loaded.rounds.tolist()

    def reaches(self, horizon: int) -> bool:
        """Whether a cell at ``horizon`` can be read from these runs."""
        return horizon in self.rounds if self.loaded.stored.anytime else horizon == self.horizon

    def regret(self, definition: str, horizon: int) -> np.ndarray:
        """The regret of the runs after ``horizon`` rounds, (n_runs,) float64."""
        place = self.experiment.definitions.index(definition)
        return np.asarray(self.loaded.regret[:, place, self.rounds.index(horizon)])


_Chosen = Mapping[tuple[int, int, int], Source]
"""Problem, algorithm and horizon -> the runs that the cell is read from; sorted."""


def build(experiments: Sequence[Experiment], looked_at: Sequence[int] = HORIZONS) -> Summary:
    """The leaderboard of some experiments.

    A cell, of an algorithm on a problem after h rounds, is read from the runs with the smallest horizon that have it:
    longer runs of an algorithm that does not use the horizon, for any other runs to h. Of several such experiments the
    one with the most runs counts, of these the first by name.

    Parameters
    ----------
    looked_at : sequence of int
        Rounds after which all runs that reach them are read, in addition to the horizons of the specs.

    Raises
    ------
    InputError
        When they cannot be compared: naming the experiments.
    """
    sources = [
        Source(experiment, loaded)
        for experiment in sorted(experiments, key=lambda one: one.name)
        for loaded in _comparable(experiment)
    ]
    problems, algorithms = _problems(sources), _algorithms(sources)
    own = {source.experiment.results.spec["horizon"] for source in sources}
    horizons = sorted(own | {horizon for source in sources for horizon in looked_at if source.reaches(horizon)})
    chosen = _chosen(sources, problems, algorithms, horizons)
    recorded = {definition for experiment in experiments for definition in experiment.definitions}
    regrets = [name for name in dict.fromkeys([*FIRST, *DEFINITIONS]) if name in recorded]
    rounds = sorted({tuple(source.rounds) for source in sources})
    last = {source: place for place, source in chosen.items()}
    cells = []
    for place, source in chosen.items():
        cell = cell_of(source, place, problems[place[0]].winners, rounds.index(tuple(source.rounds)))
        cells.append(cell if place == last[source] else replace(cell, curve=None))
    settings = {problem.setting for problem in problems}
    whole = Summary(
        made_with=_made_with(experiments),
        level=LEVEL,
        horizons=horizons,
        regrets=regrets,
        settings=[Setting(id, title) for id, title in summary.TITLES.items() if id in settings],
        algorithms=algorithms,
        problems=problems,
        rounds=[list(one) for one in rounds],
        cells=cells,
        correlations=dict(_correlations(chosen, regrets)),
        across=dict(_across(chosen, problems, len(algorithms), regrets)),
    )
    whole = replace(whole, tables=tables.tables(whole))
    whole = replace(whole, left_out=rules.left_out(whole, [experiment.results for experiment in experiments]))
    return answered(whole)


def answered(whole: Summary) -> Summary:
    """A summary with the answers to which algorithm to use, from its cells and settings."""
    advised = replace(whole, tables=tables.tables(whole, choosing.NOT_TAKEN))
    return replace(whole, choices=choosing.choices(advised))


def _comparable(experiment: Experiment) -> Iterator[LoadedCell]:
    """The cells of an experiment; one that a leaderboard cannot compare is refused."""
    for loaded in experiment.cells:
        stored = loaded.stored
        wrong = _wrong_with(experiment.results, loaded)
        if wrong:
            raise InputError(
                f"{experiment.results.folder}: a leaderboard compares regret on matrices, and {experiment.name}"
                f" {wrong}; name the folders of other results"
            )
        if loaded.n_runs == 1:
            raise InputError(
                f"{stored.folder}: there is one run of {stored.label} on {stored.problem}, and one run has no standard"
                f" error; a leaderboard needs at least {FEWEST_RUNS}"
            )
        if loaded.n_runs:
            yield loaded


def _wrong_with(results: Results, loaded: LoadedCell) -> str | None:
    stored = loaded.stored
    if not isinstance(stored.matrix, PreferenceMatrix):
        return "has none"
    if stored.point is not None:
        return "is a sweep"
    if results.question is not None:
        return "asks for an answer"
    if {"feedback_batch", "feedback_delay"} & set(stored.identity.settings):
        return "has late feedback"
    if not any(definition in DEFINITIONS for definition in results.spec["regret"]):
        return "records none of playing duels"
    return None


def _problems(sources: Sequence[Source]) -> list[Problem]:
    """Every matrix once, by setting, number of arms and name; equal names of a setting get the experiment's, too."""
    found: dict[str, tuple[Source, Problem]] = {}
    for source in sources:
        if source.matrix.sha256 not in found:
            found[source.matrix.sha256] = source, _problem(source)
    names = [(problem.setting, problem.name) for _, problem in found.values()]
    problems = [
        problem
        if names.count((problem.setting, problem.name)) == 1
        else replace(problem, name=f"{problem.name} ({source.experiment.name})")
        for source, problem in found.values()
    ]
    order = list(summary.TITLES)
    return sorted(problems, key=lambda one: (order.index(one.setting), one.n_arms, one.name, one.sha256))


def _problem(source: Source) -> Problem:
    matrix, results = source.matrix, source.experiment.results
    names = (one["name"] for one in results.content["problems"] if one["sha256"] == matrix.sha256)
    name = next(names, "")
    factor = regret_factor(matrix, "copeland", "copeland")
    bound = factor * lower_bound(matrix, "copeland").constant if factor else 0.0
    return Problem(
        name=name or source.loaded.stored.problem,
        setting=rules.setting_of(matrix),
        n_arms=matrix.n_arms,
        winners=list(copeland_winners(matrix)),
        yaml=_in_one_line(results.spec["problems"][name] if name else results.spec["matrix"]),
        sha256=matrix.sha256,
        bound=short(bound) if bound else None,
    )


def _in_one_line(value: Any) -> str:
    """A value as YAML, in one line."""
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10**6, allow_unicode=True)
    return text.removesuffix("...\n").strip()


def _algorithms(sources: Sequence[Source]) -> list[Algorithm]:
    """Every label once, in the order of the registry; all runs of one must be of one algorithm, and of one version."""
    found: dict[str, tuple[Source, Mapping[str, Any]]] = {}
    for source in sources:
        stored = source.loaded.stored
        what = {
            "algorithm": stored.algorithm,
            "parameters": stored.identity.parameters,
            "trace version": stored.identity.trace_version,
            "code": stored.identity.code,
        }
        first, before = found.setdefault(stored.label, (source, what))
        if before != what:
            difference = ", ".join(
                f"{name} {before[name]} and {now}" for name, now in what.items() if before[name] != now
            )
            raise InputError(
                f"{stored.label} is one thing in {first.experiment.results.folder} and another in"
                f" {source.experiment.results.folder} ({difference}): give one of them a label of its own in its spec,"
                " or run it again"
            )
    order = {id: place for place, id in enumerate(registry.ids())}
    algorithms = [_algorithm(source) for source, _ in found.values()]
    return sorted(algorithms, key=lambda one: (order.get(one.id, len(order)), one.id, one.label))


def _algorithm(source: Source) -> Algorithm:
    stored = source.loaded.stored
    entry = source.experiment.results.content["entries"][stored.position]
    known = registry.get(stored.algorithm) if registry.is_known(stored.algorithm) else None
    defaults = {} if known is None else {name: one.default for name, one in known.parameters.items()}
    given = {
        name: value for name, value in entry["parameters"].items() if name not in defaults or defaults[name] != value
    }
    plug_ins = (Path(name).name for name, ids in registry.named_plug_ins.items() if stored.algorithm in ids)
    return Algorithm(
        label=stored.label,
        id=stored.algorithm,
        name=entry["name"],
        yaml=_in_one_line({stored.algorithm: given})[1:-1] if given else stored.algorithm,
        assumes=None if known is None else known.assumes,
        anytime=stored.anytime,
        reference=None if known is None else known.reference,
        trace_version=stored.identity.trace_version,
        plug_in=next(plug_ins, None),
    )


def _chosen(
    sources: Sequence[Source], problems: Sequence[Problem], algorithms: Sequence[Algorithm], horizons: Sequence[int]
) -> _Chosen:
    problem_of = {problem.sha256: number for number, problem in enumerate(problems)}
    algorithm_of = {algorithm.label: number for number, algorithm in enumerate(algorithms)}
    chosen: dict[tuple[int, int, int], Source] = {}
    # The first of each place counts; sorting keeps those that are alike in the order of their names.
    for source in sorted(sources, key=lambda one: (one.horizon, -one.loaded.n_runs)):
        for horizon in filter(source.reaches, horizons):
            place = problem_of[source.matrix.sha256], algorithm_of[source.loaded.stored.label], horizon
            chosen.setdefault(place, source)
    return dict(sorted(chosen.items(), key=lambda item: item[0]))


def cell_of(source: Source, place: tuple[int, int, int], winners: Sequence[int], rounds: int) -> Cell:
    """What some runs show, with their curve.

    ``place`` is problem, algorithm (both 0-based) and horizon, ``winners`` the arms (0-based) that are right, and
    ``rounds`` the place of the checkpoints in `Summary.rounds`.
    """
    problem, algorithm, horizon = place
    results = source.experiment.results
    definitions = [name for name in source.experiment.definitions if name in DEFINITIONS]
    found = np.isin(source.loaded.recommendations, winners)
    right = found[:, source.rounds.index(horizon)]
    before = [k for k, t in enumerate(source.rounds) if 10 * t <= horizon]
    return Cell(
        problem=problem,
        algorithm=algorithm,
        horizon=horizon,
        experiment=source.experiment.name,
        spec=_spec_file(results),
        scale=_scale(results),
        runs=source.loaded.n_runs,
        right=short(float(right.mean())),
        locked_in=short(float((~right & ~found[:, before[-1]]).mean())) if before else None,
        digest=hashlib.sha256("".join(source.loaded.digests).encode()).hexdigest(),
        rounds=rounds,
        regret={name: figures_of(source.regret(name, horizon)) for name in definitions},
        curve={
            name: [short(float(source.regret(name, t).mean())) for t in source.rounds if t <= horizon]
            for name in definitions
        },
    )


def figures_of(regret: np.ndarray) -> Figures:
    """The `Figures` of the regret of a cell's runs, (n_runs,) float64, at least two; without error where all are alike.

    Examples
    --------
    1, 2 and 6 have the mean 3; their squares from it add up to 14, so that the standard deviation is sqrt(7) and the
    standard error sqrt(7 / 3), 0.5092 of the mean; their cubes -8, -1 and 27 have the mean 6, by 7^1.5: 0.324.

    >>> figures_of(np.array([1.0, 2.0, 6.0]))
    Figures(mean=3, error=0.5092, skewness=0.324, median=2, q95=5.6, maximum=6)
    """
    mean, n = float(regret.mean()), len(regret)
    deviation = float(regret.std(ddof=1)) if np.ptp(regret) else 0.0
    error = deviation / n**0.5 / mean if mean else 0.0
    skewness = float(((regret - mean) ** 3).mean()) / deviation**3 if deviation else 0.0
    quantiles = np.quantile(regret, [0.5, 0.95]).tolist()
    # Ranks rest on the first two: of algorithms that hardly vary, means that are equal must not differ by rounding.
    return Figures(short(mean, 8), short(error), *map(short, (skewness, *quantiles, float(regret.max()))))


def _correlations(chosen: _Chosen, regrets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The correlations on every problem at every horizon, of the algorithms there in the order of their numbers."""
    groups: dict[tuple[int, int, str], list[Source]] = {}
    for (problem, _, horizon), source in chosen.items():
        for regret in regrets:
            if regret in source.experiment.definitions:
                groups.setdefault((problem, horizon, regret), []).append(source)
    for (problem, horizon, regret), sources in sorted(groups.items(), key=lambda item: item[0][:2]):
        samples = [
            dict(zip(one.loaded.indices.tolist(), one.regret(regret, horizon).tolist(), strict=True)) for one in sources
        ]
        found = correlations(samples, [one.loaded.stored.identity.seed for one in sources])
        yield summary.correlation_key(problem, horizon, regret), summary.encode_correlations(found)


def correlations(samples: Sequence[Mapping[int, float]], seeds: Sequence[int]) -> np.ndarray:
    """How runs with the same index go together, in all pairs of algorithms, (N, N) float64.

    ``samples`` are of each algorithm: index of a run -> its regret. A correlation is over the runs that both have,
    times the share of the smaller sample that these are; 0 where a sample has one value only, and where the ``seeds``
    differ.
    """
    size = 1 + max(max(sample) for sample in samples)
    there = np.zeros((len(samples), size))
    values = np.zeros((len(samples), size))
    for row, sample in enumerate(samples):
        numbers = list(sample)
        there[row, numbers] = 1
        values[row, numbers] = np.array(list(sample.values())) - np.mean(list(sample.values()))
    both = np.einsum("ar,br->ab", there, there)
    sums = np.einsum("ar,br->ab", values, there)  # of a, over the runs that b has too
    squares = np.einsum("ar,br->ab", values**2, there)
    products = np.einsum("ar,br->ab", values, values)
    counted = np.maximum(both, 1)
    covariance = products - sums * sums.T / counted
    variance = np.maximum(squares - sums**2 / counted, 0)
    # Of equal values the sum of squares is 0 but for rounding.
    spread = np.where(variance > 1e-18 * np.maximum(squares.max(), 1e-300), variance, 0)
    scale = np.sqrt(spread * spread.T)
    found = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
    sizes = there.sum(axis=1)
    together = both / np.minimum.outer(sizes, sizes)
    alike = np.equal.outer(seeds, seeds) & (both >= FEWEST_RUNS)
    return np.where(alike, np.clip(found, -1, 1) * together, 0.0)


def _across(
    chosen: _Chosen, problems: Sequence[Problem], n_algorithms: int, regrets: Sequence[str]
) -> Iterator[tuple[str, list[float | None]]]:
    """How far the runs of each algorithm go together on the problems of a setting, and of a size."""
    groups: dict[tuple[str, str | None, int, str], list[list[Source]]] = {}
    for (problem, algorithm, horizon), source in chosen.items():
        for size in (None, rules.size_of(problems[problem].n_arms)):
            for regret in regrets:
                if regret in source.experiment.definitions:
                    key = problems[problem].setting, size, horizon, regret
                    groups.setdefault(key, [[] for _ in range(n_algorithms)])[algorithm].append(source)
    for (setting, size, horizon, regret), group in groups.items():
        found = [together(sources, horizon, regret) if sources else None for sources in group]
        yield summary.across_key(setting, size, horizon, regret), found


def together(sources: Sequence[Source], horizon: int, regret: str) -> float:
    """How far an algorithm's runs with the same index go together on different problems, in hundredths rounded up.

    Runs count that all of the problems have, and problems on which there is regret.
    """
    common = set.intersection(*(set(source.loaded.indices.tolist()) for source in sources))
    samples = [source.regret(regret, horizon)[np.isin(source.loaded.indices, list(common))] for source in sources]
    counted = [sample for sample in samples if len(sample) >= FEWEST_RUNS and sample.mean() > 0]
    found = across(np.array(counted)) if len(counted) > 1 else 0.0
    return float(np.ceil(np.round(summary.STEPS * found, 6)) / summary.STEPS)


def _made_with(experiments: Sequence[Experiment]) -> dict[str, str]:
    """The environments of the runs; where there are several, all that they say."""
    environments = [one for experiment in experiments for one in experiment.environments]
    return {name: " and ".join(sorted({one.get(name, "unknown") for one in environments})) for name in MADE_WITH}


def _spec_file(results: Results) -> str | None:
    """The path of the spec as seen from the folder in which ``results`` lies; None where the manifest has none."""
    name = results.content.get("file")
    if not isinstance(name, str):
        return None
    while name.startswith("../"):
        name = name.removeprefix("../")
    return name


def _scale(results: Results) -> str | None:
    """The scale that the spec was run at: what its title and name are longer by; None where nothing is seen."""
    title, name, spec = results.spec["title"], results.name, _spec_file(results)
    if title != name:
        scale = title.rpartition(" (")[2].removesuffix(")")
        return scale if title.endswith(f" ({scale})") and name.endswith(f"-{scale}") else None
    stem = spec.rsplit("/", 1)[-1].rsplit(".", 1)[0] if spec else name
    return name.removeprefix(f"{stem}-") if name.startswith(f"{stem}-") else None
