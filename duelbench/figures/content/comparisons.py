"""Algorithms two by two: the difference of their regret at one round, or of the rounds before their answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from typing import Any

import numpy as np

from duelbench.errors import InputError, nearest_or_all
from duelbench.results.cells import games_together
from duelbench.results.experiments import Experiment, LoadedCell, choose_definition
from duelbench.results.settings import beside_parameters, settings_of
from duelbench.statistics.curves import FEWEST
from duelbench.statistics.differences import (
    ENOUGH_TO_BE_HEAVY,
    HEAVY,
    LEVEL,
    Difference,
    fewest_for,
    holm,
    of_means,
    of_quantiles,
    share_of_largest,
)

UNDECIDED = "not told apart"

PLURALS = {"run": "runs", "matrix": "random matrices"}

ROUNDS = "rounds"
"""Instead of a definition of regret: rounds before the answer, at most up to the round of the comparison."""


@dataclass(frozen=True)
class Question:
    """What to compare; raises an `InputError` if ``of`` is not a statistic, or ``at`` not a round."""

    labels: Sequence[str] = ()  # of the algorithms; all where there are none
    of: str | float = "mean"  # `mean`, `median`, or a quantile between 0 and 1
    at: int | None = None  # the round (1-based); by default the horizon
    regret: str | None = None  # the definition; by default rounds before answers are compared, or the first recorded
    against: str | None = None  # the label that all others are compared with; by default each is compared with each

    def __post_init__(self) -> None:
        _ = self.share
        for label in (*self.labels, *([] if self.against is None else [self.against])):
            if not isinstance(label, str):
                raise InputError(f"a label is text, and each is an argument of its own, but {label!r} was given")
        if self.at is not None and not (isinstance(self.at, int) and self.at >= 1):
            raise InputError(f"at {self.at!r}: rounds are whole numbers, counted from 1")

    @cached_property
    def share(self) -> float | None:
        """Of the quantile, between 0 and 1; None for the mean."""
        if self.of in ("mean", "median"):
            return 0.5 if self.of == "median" else None
        try:
            share = float(self.of)
        except (TypeError, ValueError):
            share = np.nan
        if not 0 < share < 1:
            raise InputError(f"of {self.of}: mean, median, or a quantile between 0 and 1, such as 0.9")
        return share

    @property
    def words(self) -> str:
        """What is compared: ``mean``, ``median`` or ``0.9-quantile``."""
        return str(self.of) if self.of in ("mean", "median") else f"{self.share:g}-quantile"


@dataclass(frozen=True)
class Comparison:
    """Two algorithms on one problem."""

    problem: str
    a: str  # what the algorithms are called: their labels, with the experiment where several have one
    b: str
    definition: str  # of regret, or `ROUNDS`
    round: int  # 1-based
    of: str  # what is compared: `Question.words`
    difference: Difference  # of `a` minus `b`, in duels or rounds
    p_holm: float  # the p-value, corrected for the number of pairs on the problem
    n_a: int  # independent observations
    n_b: int
    unit: str  # what these are: `run`, or `matrix` where there are several random ones
    paired: bool  # whether runs of one index, or means on one matrix, were subtracted
    # shares of the runs that have an answer by that round; None where regret is compared
    answered_a: float | None = None
    answered_b: float | None = None
    settings_a: Mapping[str, Any] = field(default_factory=dict)  # what is not the default, as of `settings_of`
    settings_b: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Which has less, as in ``D-TS < RUCB``; all on a problem are right together, 95 times in 100."""
        if self.p_holm >= 1 - LEVEL:
            return UNDECIDED
        return f"{self.a} < {self.b}" if self.difference.value < 0 else f"{self.b} < {self.a}"


@dataclass(frozen=True, eq=False)
class _Competitor:
    """An algorithm of an experiment on one problem: its runs up to one horizon, a cell for each random matrix."""

    experiment: Experiment
    label: str  # with the value of its parameter that is swept over
    name: str
    cells: Sequence[LoadedCell]

    @property
    def names(self) -> set[str]:
        """Names that a user may give it: its label, or that with the name, the folder or the path of its experiment."""
        folder = self.experiment.results.folder
        homes = (self.experiment.name, folder.name, folder.as_posix())
        labels = {self.label, self.cells[0].stored.label}
        return {self.name, *labels, *(f"{home}/{label}" for home in homes for label in labels)}

    @property
    def rounds(self) -> np.ndarray:
        return next(cell.rounds for cell in self.cells if cell.n_runs)

    @property
    def horizon(self) -> int:
        return self.cells[0].stored.horizon

    def values(self, definition: str, at: int) -> list[dict[int, float]]:
        """For each matrix, the number of each run -> its regret after round ``at``, or its rounds before the answer."""
        found = []
        for cell in self.cells:
            numbers: list[float] = []
            if definition == ROUNDS and cell.finished is not None:
                numbers = np.where(cell.finished > 0, np.minimum(cell.finished - 1.0, at), at).tolist()
            elif cell.n_runs:
                which = self.experiment.definitions.index(definition)
                numbers = cell.regret[:, which, np.searchsorted(cell.rounds, at)].tolist()
            found.append(dict(zip(cell.indices.tolist(), numbers, strict=True)))
        return found

    def answered(self, at: int) -> float:
        """The share of the runs that have an answer after round ``at``."""
        finished = np.concatenate([cell.finished for cell in self.cells if cell.finished is not None])
        return float(np.mean((finished > 0) & (finished <= at + 1)))


def comparisons(experiments: Sequence[Experiment], question: Question) -> tuple[list[Comparison], list[str]]:
    """Compare algorithms two by two on each problem; also returns notes on the comparisons.

    Runs on the same matrix with the same seed are paired by index. Of several random matrices (of a sweep) each is one
    observation, the mean of the runs on it. Problems of the same name and the same matrices in several experiments are
    one problem.

    Raises
    ------
    InputError
        When a label is unknown or alone, or the runs have no such round in common.
    """
    problems = _problems(experiments)
    chosen = _chosen(problems, question)
    found: list[Comparison] = []
    notes = [
        f"{one.name}: interim analyses of {one.definitions[0]} regret decided the number of runs"
        f" ({one.results.until.words}), which these intervals and verdicts do not allow for:"
        f" `duelbench status {one.results.folder}` has those that do"
        for one in experiments
        if one.results.until
    ]
    for problem, competitors in chosen.items():
        own, said = _on_problem(problem, competitors, question)
        found += own
        notes += [note for note in said if note not in notes]
    if not found:
        names = dict.fromkeys(one.name for competitors in chosen.values() for one in competitors)
        known = "; ".join(f"{', '.join(one.name for one in own)} on {problem}" for problem, own in problems.items())
        raise InputError(f"{', '.join(names)}: no problem has two of these; name two labels of one (there are {known})")
    return found, notes


def _problems(experiments: Sequence[Experiment]) -> dict[str, list[_Competitor]]:
    """Name of each problem in tables -> its competitors, at all horizons and all values of a swept parameter."""
    found: dict[tuple[str, tuple[str, ...]], list[_Competitor]] = {}
    for experiment in experiments:
        swept = _swept_parameter(experiment)
        for cells in games_together(experiment.cells):
            if any(cell.n_runs for cell in cells):
                stored = cells[0].stored
                value = f", {swept} {stored.point.value}" if swept and stored.point else ""
                key = stored.base if swept else stored.setting, tuple(cell.stored.identity.matrix for cell in cells)
                found.setdefault(key, []).append(_Competitor(experiment, stored.label + value, "", cells))
    every = [experiment.name for experiment in experiments]
    names = {id(one): one.name if every.count(one.name) == 1 else one.results.folder.as_posix() for one in experiments}
    homes = [{(one.label, names[id(one.experiment)]) for one in own} for own in found.values()]
    shared = {label for own in homes for label, _ in own if sum(label == other for other, _ in own) > 1}
    settings = [setting for setting, _ in found]
    return {
        setting if settings.count(setting) == 1 else f"{names[id(own[0].experiment)]}/{setting}": [
            replace(one, name=f"{names[id(one.experiment)]}/{one.label}" if one.label in shared else one.label)
            for one in own
        ]
        for (setting, _), own in found.items()
    }


def _swept_parameter(experiment: Experiment) -> str:
    """The parameter of algorithms that the spec sweeps over; empty if it sweeps over none."""
    sweep = experiment.results.spec.get("sweep")
    if sweep is None:
        return ""
    algorithm, _, name = sweep["over"].rpartition(".")
    is_of_all = all(name in cell.stored.identity.parameters for cell in experiment.cells)
    return name if algorithm or is_of_all else ""


def _chosen(problems: Mapping[str, list[_Competitor]], question: Question) -> dict[str, list[_Competitor]]:
    """Those asked for on each problem that has any, in the order in which they were named."""
    everyone = [one for own in problems.values() for one in own]
    known = list(dict.fromkeys([*(one.name for one in everyone), *(one.label for one in everyone)]))
    against = [question.against] if question.against else []
    wanted = [*question.labels, *against] if question.labels else []
    for label in [*question.labels, *against]:
        if not any(label in one.names for one in everyone):
            hint = nearest_or_all(label, known)
            no_folder = "there are no results in such a folder, and " if "/" in label else ""
            raise InputError(f"{label}: {no_folder}no algorithm of these results has that label{hint}")
    found = {
        problem: list(dict.fromkeys(one for label in wanted for one in own if label in one.names)) if wanted else own
        for problem, own in problems.items()
    }
    return {problem: asked for problem, asked in found.items() if asked}


def _on_problem(
    problem: str, competitors: Sequence[_Competitor], question: Question
) -> tuple[list[Comparison], list[str]]:
    definition, notes = _definition(competitors, question)
    by_name: dict[str, list[_Competitor]] = {}  # with all horizons, of which one is compared
    for one in competitors:
        by_name.setdefault(one.name, []).append(one)
    entrants = [max(own, key=lambda one: (one.horizon == question.at, one.horizon)) for own in by_name.values()]
    if len(entrants) < 2:
        return [], [f"{problem}: there is nothing to compare {entrants[0].name} with"]
    at, said = _round(problem, entrants, question.at)
    notes += [*said, *_played_unlike(problem, entrants)]
    pairs = list(_pairs(problem, entrants, question.against))
    found = [_compared(problem, one, other, definition, at, question) for one, other in pairs]
    for (one, other), comparison in zip(pairs, found, strict=True):
        notes += [note for note in _notes(comparison, one, other, question) if note not in notes]
    if definition == ROUNDS:
        notes += _censored(problem, entrants, at)
    elif question.share is None:
        notes += _tail_notes(problem, entrants, definition, at)
    if question.share is not None:
        notes += _too_few(problem, found, question.share)
    adjusted = holm([comparison.difference.p for comparison in found])
    return [replace(one, p_holm=p) for one, p in zip(found, adjusted, strict=True)], notes


def _definition(competitors: Sequence[_Competitor], question: Question) -> tuple[str, list[str]]:
    """The definition of regret to compare, or `ROUNDS`, and notes that say so."""
    experiments = {one.experiment.name: one.experiment for one in competitors}
    asking = {name: one.results for name, one in experiments.items() if one.results.question is not None}
    have_answers = len(asking) == len(experiments) and not any("budget" in one.spec for one in asking.values())
    if have_answers and not question.regret:
        definition, what = ROUNDS, "rounds before the answer, right or wrong"
    else:
        definition, what = choose_definition(list(experiments.values()), question.regret), "regret"
    return definition, [
        f"{name}: compares {what}; for answers see `duelbench report {results.folder}`"
        for name, results in asking.items()
    ]


def _round(problem: str, entrants: Sequence[_Competitor], asked: int | None) -> tuple[int, list[str]]:
    """The last common checkpoint up to the round that is asked for, and notes on it."""
    ends = {one.name: one.horizon for one in entrants}
    listed = ", ".join(f"{name} {end}" for name, end in ends.items())
    if asked is None and len(set(ends.values())) > 1:
        raise InputError(
            f"{problem}: the runs have different horizons ({listed}); name a round (at) that all of them have"
        )
    if asked is not None and asked > min(ends.values()):
        raise InputError(f"at {asked}: beyond the horizon on {problem} ({listed})")
    common = reduce(np.intersect1d, (one.rounds for one in entrants))
    before = common[common <= (asked or common.max(initial=0))]
    if not len(before):
        raise InputError(f"at {asked}: {problem} has no checkpoint of all algorithms up to that round")
    at = int(before[-1])
    notes = [
        f"{problem}: {one.name} was run for a horizon of {one.horizon} rounds, and is compared after {at}"
        for one in entrants
        if not one.cells[0].stored.anytime and one.horizon != at
    ]
    if at != (asked or max(ends.values())):
        up_to = asked or "the horizon"
        notes.append(f"{problem}: compared after round {at}, the last checkpoint of all algorithms up to {up_to}")
    return at, notes


def _played_unlike(problem: str, entrants: Sequence[_Competitor]) -> list[str]:
    """A note where the settings of algorithms differ, beside their parameters."""
    words: dict[str, list[str]] = {}
    for one in entrants:
        words.setdefault(beside_parameters(one.cells[0].stored) or "as by default", []).append(one.name)
    if len(words) < 2:
        return []
    return [
        f"{problem}: not all are played alike: "
        + "; ".join(f"{', '.join(names)}: {how}" for how, names in words.items())
    ]


def _pairs(
    problem: str, entrants: Sequence[_Competitor], against: str | None
) -> Iterator[tuple[_Competitor, _Competitor]]:
    if against is None:
        yield from combinations(entrants, 2)
        return
    references = [one for one in entrants if against in one.names]
    if len(references) > 1:
        names = " or ".join(one.name for one in references)
        raise InputError(f"against {against}: several of that label on {problem}; say {names}")
    yield from ((one, reference) for reference in references for one in entrants if one is not reference)


def _observations(
    one: _Competitor, other: _Competitor, definition: str, at: int
) -> tuple[np.ndarray, np.ndarray, str, bool]:
    """At least two observations of each algorithm, their unit, and whether they are paired."""
    of_matrices, alike = [], True
    runs_of_each = zip(one.values(definition, at), other.values(definition, at), strict=True)
    for (a, b), cell, other_cell in zip(runs_of_each, one.cells, other.cells, strict=True):
        alike = cell.stored.identity.seed == other_cell.stored.identity.seed
        common = [run for run in a if run in b]
        paired = [a[run] for run in common], [b[run] for run in common]
        of_matrices.append(paired if alike else (list(a.values()), list(b.values())))
    if len(one.cells) > 1:
        means = np.array([(np.mean(a), np.mean(b)) for a, b in of_matrices if a and b]).reshape(-1, 2)
        first, second, unit, alike = means[:, 0], means[:, 1], "matrix", True
    else:
        first, second, unit = *map(np.array, of_matrices[0]), "run"
    fewest = min(len(first), len(second))
    if fewest < 2:
        raise InputError(
            f"{one.name} and {other.name} on {one.cells[0].stored.setting} have {fewest}"
            f" {'run' if unit == 'run' else 'random matrix'}{' in common' if alike else ''}: comparing them takes two"
        )
    return first, second, unit, alike


def _compared(
    problem: str, one: _Competitor, other: _Competitor, definition: str, at: int, question: Question
) -> Comparison:
    first, second, unit, paired = _observations(one, other, definition, at)
    if question.share is None:
        difference = of_means(first, second, paired)
    else:
        difference = of_quantiles(first, second, question.share)
    what = (problem, one.name, other.name, definition, at, question.words)
    answered_a, answered_b = (each.answered(at) if definition == ROUNDS else None for each in (one, other))
    settings_a, settings_b = (settings_of(each.cells[0].stored) for each in (one, other))
    about = (answered_a, answered_b, settings_a, settings_b)
    return Comparison(*what, difference, 1.0, len(first), len(second), unit, paired, *about)


def _notes(found: Comparison, one: _Competitor, other: _Competitor, question: Question) -> list[str]:
    """Notes on a comparison beyond its numbers."""
    notes = []
    who = f"{found.a} and {found.b} on {found.problem}"
    plural = PLURALS[found.unit]
    n_a, n_b = (
        sum(bool(cell.n_runs) if found.unit == "matrix" else cell.n_runs for cell in each.cells)
        for each in (one, other)
    )
    if not found.paired:
        notes.append(f"{found.problem}: where seeds differ, no runs belong together, and they are not paired")
    elif found.n_a < max(n_a, n_b):
        notes.append(f"{who}: compared by the {found.n_a} {plural} that both have, of {n_a} and {n_b}")
    if [cell.stored.identity for cell in one.cells] == [cell.stored.identity for cell in other.cells]:
        notes.append(f"{who}: they are the same runs; give one of them another seed")
    if question.share is None and min(found.n_a, found.n_b) < FEWEST:
        notes.append(f"{who}: with fewer than {FEWEST} {plural} the interval of a mean often misses")
    return notes


def _censored(problem: str, entrants: Sequence[_Competitor], at: int) -> list[str]:
    """A sentence on each algorithm with runs that are still without an answer."""
    return [
        f"{one.name} on {problem}: {1 - share:.1%} of its runs have no answer after {at} rounds, and count as {at}"
        for one in entrants
        if (share := one.answered(at)) < 1
    ]


def _tail_notes(problem: str, entrants: Sequence[_Competitor], definition: str, at: int) -> list[str]:
    """One sentence on each algorithm whose mean is dominated by a few runs."""
    notes = []
    for one in entrants:
        regret = np.array([value for runs in one.values(definition, at) for value in runs.values()])
        share = share_of_largest(regret)
        if share >= HEAVY and len(regret) >= ENOUGH_TO_BE_HEAVY:
            largest = "the largest run makes" if len(regret) < 200 else "the largest 1% of the runs make"
            notes.append(
                f"{one.name} on {problem}: {largest} {100 * share:.0f}% of the mean {definition} regret, which the runs"
                " at hand do not settle: compare medians, or take more runs"
            )
    return notes


def _too_few(problem: str, found: Sequence[Comparison], share: float) -> list[str]:
    """A sentence where no pair can be told apart, whatever the runs show."""
    n, needed = max(min(one.n_a, one.n_b) for one in found), fewest_for(share, len(found))
    if n >= needed:
        return []
    pairs = "pair" if len(found) == 1 else "pairs"
    return [
        f"{problem}: {found[0].of}s cannot be told apart with {n} {PLURALS[found[0].unit]}: {len(found)} {pairs}"
        f" need {needed} at least"
    ]
