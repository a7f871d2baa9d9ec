"""Algorithms two by two: the difference of their regret at one round, or of the rounds before their answers.

A comparison is a record of plain JSON types, as ``duelbench compare --json`` prints it.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import combinations
from typing import Any

import numpy as np

from duelbench.bandits.statistics.curves import FEWEST
from duelbench.bandits.statistics.differences import (
    ENOUGH_TO_BE_HEAVY,
    HEAVY,
    LEVEL,
    fewest_for,
    holm,
    of_means,
    of_quantiles,
    share_of_largest,
)
from duelbench.common.words import first_few
from duelbench.errors import InputError, nearest
from duelbench.experiments.results.experiments import Experiment, choose_definition
from duelbench.experiments.results.samples import Sample, samples
from duelbench.experiments.results.settings import MOST_NAMES, beside_parameters, settings_of

UNDECIDED = "not told apart"

PLURALS = {"run": "runs", "matrix": "random matrices"}

ROUNDS = "rounds"
"""Instead of a definition of regret: rounds before the answer, at most up to the round of the comparison."""

Comparison = dict[str, Any]
"""Two algorithms on one problem.

``a`` and ``b`` are what the algorithms are called: their labels, with the experiment if several have one.
``definition`` is that of regret, or `ROUNDS`; ``round`` 1-based; ``of`` the statistic. ``value_a``, ``value_b``,
``difference`` (of a minus b) and the ends of its interval, ``low`` and ``high`` (None if it has none), are in duels or
rounds. ``p_holm`` is corrected for the number of pairs on the problem: all verdicts on a problem are right together,
95 times in 100.
``n_a`` and ``n_b`` count independent observations of a ``unit``, a run or a random matrix; ``paired`` says whether runs
of one index, or means on one matrix, were subtracted. ``answered_a`` and ``answered_b`` are the shares of the runs that
have an answer by that round, None if regret is compared; ``settings_a`` and ``settings_b`` what is not the default.
"""


@dataclass(frozen=True)
class Question:
    """The quantity to compare; raises an `InputError` if ``of`` is not a statistic, or ``at`` not a round."""

    labels: Sequence[str] = ()  # of the algorithms; all if there are none
    of: str | float = "mean"  # `mean`, `median`, or a quantile between 0 and 1
    at: int | None = None  # the round (1-based); by default the horizon
    regret: str | None = None  # the definition; by default rounds before answers are compared, or the first recorded
    against: str | None = None  # the label that all others are compared with; by default each is compared with each

    def __post_init__(self) -> None:
        _ = self.share
        for label in (*self.labels, *([] if self.against is None else [self.against])):
            if not isinstance(label, str):
                raise InputError(f"each label must be one argument of type text, but {label!r} was given")
        if self.at is not None and not (isinstance(self.at, int) and self.at >= 1):
            raise InputError(f"at {self.at!r}: rounds are whole numbers, counted from 1")

    @cached_property
    def share(self) -> float | None:
        """The share of the quantile, between 0 and 1; None for the mean."""
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
        """The statistic in words: ``mean``, ``median`` or ``0.9-quantile``."""
        return str(self.of) if self.of in ("mean", "median") else f"{self.share:g}-quantile"


@dataclass(frozen=True, eq=False)
class _Competitor:
    """An algorithm of an experiment on one problem up to one horizon."""

    experiment: Experiment
    label: str  # with the value of its parameter that is swept over
    name: str  # what the comparison calls it
    sample: Sample

    @property
    def names(self) -> set[str]:
        """Names that a user may give it: its label, or that with the name, the folder or the path of its experiment."""
        folder = self.experiment.results.folder
        homes = (self.experiment.name, folder.name, folder.as_posix())
        labels = {self.label, self.sample.stored.label}
        return {self.name, *labels, *(f"{home}/{label}" for home in homes for label in labels)}

    @property
    def horizon(self) -> int:
        return self.sample.stored.horizon

    def values(self, definition: str, at: int) -> list[dict[int, float]]:
        """For each matrix, the number of each run -> its regret after round ``at``, or its rounds before the answer."""
        by_matrix = []
        for cell in self.sample.cells:
            numbers: list[float] = []
            if definition == ROUNDS and cell.finished is not None:
                numbers = np.where(cell.finished > 0, np.minimum(cell.finished - 1.0, at), at).tolist()
            elif cell.n_runs:
                which = self.experiment.definitions.index(definition)
                numbers = cell.regret[:, which, np.searchsorted(cell.rounds, at)].tolist()
            by_matrix.append(dict(zip(cell.indices.tolist(), numbers, strict=True)))
        return by_matrix

    def answered(self, definition: str, at: int) -> float | None:
        """The share of the runs that have an answer after round ``at``; None if regret is compared."""
        if definition != ROUNDS:
            return None
        finished = np.concatenate([cell.finished for cell in self.sample.cells if cell.finished is not None])
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
    compared: list[Comparison] = []
    notes = [
        f"{experiment.name}: interim analyses of {experiment.definitions[0]} regret decided the number of runs"
        f" ({experiment.results.until.words}), which these intervals and verdicts do not allow for:"
        f" `duelbench status {shlex.quote(str(experiment.results.folder))}` has those that do"
        for experiment in experiments
        if experiment.results.until
    ]
    for problem, competitors in chosen.items():
        on_problem, new_notes = _on_problem(problem, competitors, question)
        compared += on_problem
        notes += [note for note in new_notes if note not in notes]
    if not compared:
        names = dict.fromkeys(each.name for competitors in chosen.values() for each in competitors)
        known = "; ".join(
            f"{', '.join(dict.fromkeys(each.name for each in competitors))} on {problem}"
            for problem, competitors in problems.items()
        )
        raise InputError(f"{', '.join(names)}: no problem has two of these; name two labels of one (there are {known})")
    return compared, notes


def _problems(experiments: Sequence[Experiment]) -> dict[str, list[_Competitor]]:
    """Name of each problem in tables -> its competitors, at all horizons and all values of a swept parameter."""
    by_problem: dict[tuple[str, tuple[str, ...]], list[_Competitor]] = {}
    for experiment in experiments:
        swept = _swept_parameter(experiment)
        for sample in samples(experiment):
            if not sample.runs:
                continue
            stored = sample.stored
            value = f", {swept} {stored.point.value}" if swept and stored.point else ""
            matrices = tuple(cell.stored.identity.matrix for cell in sample.cells)
            key = (stored.base if swept else stored.setting), matrices
            by_problem.setdefault(key, []).append(_Competitor(experiment, stored.label + value, "", sample))
    names = _names_of(experiments)
    shared = _shared_labels(by_problem.values(), names)
    settings = [setting for setting, _ in by_problem]
    problems = {}
    for (setting, _), competitors in by_problem.items():
        home = names[id(competitors[0].experiment)]
        title = setting if settings.count(setting) == 1 else f"{home}/{setting}"
        problems[title] = [
            replace(each, name=f"{names[id(each.experiment)]}/{each.label}" if each.label in shared else each.label)
            for each in competitors
        ]
    return problems


def _names_of(experiments: Sequence[Experiment]) -> dict[int, str]:
    """The name of each experiment, by its `id`; its folder if several have the name."""
    names = [experiment.name for experiment in experiments]
    return {
        id(experiment): experiment.name if names.count(experiment.name) == 1 else experiment.results.folder.as_posix()
        for experiment in experiments
    }


def _shared_labels(problems: Any, names: Mapping[int, str]) -> set[str]:
    """The labels that several experiments have on one problem."""
    shared = set()
    for competitors in problems:
        homes = {(each.label, names[id(each.experiment)]) for each in competitors}
        labels = [label for label, _ in homes]
        shared |= {label for label in labels if labels.count(label) > 1}
    return shared


def _swept_parameter(experiment: Experiment) -> str:
    """The parameter of algorithms that the spec sweeps over; empty if it sweeps over none."""
    sweep = experiment.results.spec.get("sweep")
    if sweep is None:
        return ""
    algorithm, _, name = sweep["over"].rpartition(".")
    is_of_all = all(name in cell.stored.identity.parameters for cell in experiment.cells)
    return name if algorithm or is_of_all else ""


def _chosen(problems: Mapping[str, list[_Competitor]], question: Question) -> dict[str, list[_Competitor]]:
    """The wanted competitors on each problem that has any, in the order in which they were named."""
    everyone = [each for competitors in problems.values() for each in competitors]
    against = [question.against] if question.against else []
    for label in [*question.labels, *against]:
        if not any(label in each.names for each in everyone):
            known = dict.fromkeys([*(each.name for each in everyone), *(each.label for each in everyone)])
            no_folder = "there are no results in such a folder, and " if "/" in label else ""
            labels = ", ".join(first_few(list(known), 20))
            wrong = f"{no_folder}no algorithm of these results has that label{nearest(label, known)}"
            raise InputError(f"{label}: {wrong}; there are {labels}")
    if not question.labels:
        return dict(problems)
    chosen = {}
    for problem, competitors in problems.items():
        wanted = [each for label in [*question.labels, *against] for each in competitors if label in each.names]
        if wanted:
            chosen[problem] = list(dict.fromkeys(wanted))
    return chosen


def _on_problem(
    problem: str, competitors: Sequence[_Competitor], question: Question
) -> tuple[list[Comparison], list[str]]:
    definition, notes = _definition(competitors, question)
    by_name: dict[str, list[_Competitor]] = {}  # with all horizons, of which one is compared
    for each in competitors:
        by_name.setdefault(each.name, []).append(each)
    entrants = [max(same, key=lambda each: (each.horizon == question.at, each.horizon)) for same in by_name.values()]
    if len(entrants) < 2:
        return [], [f"{problem}: there is nothing to compare {entrants[0].name} with"]
    at, notes_on_round = _round(problem, entrants, question.at)
    notes += [*notes_on_round, *_played_unlike(problem, entrants)]
    compared, pairs = [], list(_pairs(problem, entrants, question.against))
    notes += _same_runs(problem, pairs)
    for first, second in pairs:
        comparison = _comparison(problem, first, second, definition, at, question)
        compared.append(comparison)
        notes += [note for note in _notes(comparison, first, second, question) if note not in notes]
    if definition == ROUNDS:
        notes += _censored(problem, entrants, at)
    elif question.share is None:
        notes += _tail_notes(problem, entrants, definition, at)
    if question.share is not None:
        notes += _too_few(problem, compared, question.share)
    for comparison, adjusted in zip(compared, holm([each["p"] for each in compared]), strict=True):
        comparison["p_holm"] = adjusted
        a, b = comparison["a"], comparison["b"]
        verdict = f"{a} < {b}" if comparison["difference"] < 0 else f"{b} < {a}"
        comparison["verdict"] = UNDECIDED if comparison["p_holm"] >= 1 - LEVEL else verdict
    return compared, notes


def _definition(competitors: Sequence[_Competitor], question: Question) -> tuple[str, list[str]]:
    """The definition of regret to compare, or `ROUNDS`, and notes that say so."""
    experiments = {each.experiment.name: each.experiment for each in competitors}
    with_question = {name: each.results for name, each in experiments.items() if each.results.question is not None}
    have_budget = any("budget" in each.spec for each in with_question.values())
    if len(with_question) == len(experiments) and not have_budget and not question.regret:
        definition, quantity = ROUNDS, "rounds before the answer, right or wrong"
    else:
        definition, quantity = choose_definition(list(experiments.values()), question.regret), "regret"
    return definition, [
        f"{name}: compares {quantity}; for answers see `duelbench report {shlex.quote(str(results.folder))}`"
        for name, results in with_question.items()
    ]


def _round(problem: str, entrants: Sequence[_Competitor], wanted: int | None) -> tuple[int, list[str]]:
    """The last common checkpoint up to the wanted round, and notes on it."""
    ends = {each.name: each.horizon for each in entrants}
    listed = ", ".join(f"{name} {end}" for name, end in ends.items())
    if wanted is None and len(set(ends.values())) > 1:
        raise InputError(
            f"{problem}: the runs have different horizons ({listed}); name a round (at) that all of them have"
        )
    if wanted is not None and wanted > min(ends.values()):
        raise InputError(f"at {wanted}: beyond the horizon on {problem} ({listed})")
    common = reduce(np.intersect1d, (each.sample.rounds for each in entrants))
    before = common[common <= (wanted or common.max(initial=0))]
    if not len(before):
        raise InputError(f"at {wanted}: {problem} has no checkpoint of all algorithms up to that round")
    at = int(before[-1])
    notes = [
        f"{problem}: {each.name} was run for a horizon of {each.horizon} rounds, and is compared after {at}"
        for each in entrants
        if not each.sample.stored.anytime and each.horizon != at
    ]
    if at != (wanted or max(ends.values())):
        up_to = wanted or "the horizon"
        notes.append(f"{problem}: compared after round {at}, the last checkpoint of all algorithms up to {up_to}")
    return at, notes


def _played_unlike(problem: str, entrants: Sequence[_Competitor]) -> list[str]:
    """A note if the settings of algorithms differ, beside their parameters."""
    words: dict[str, list[str]] = {}
    for each in entrants:
        words.setdefault(beside_parameters(each.sample.stored) or "as by default", []).append(each.name)
    if len(words) < 2:
        return []
    listed = "; ".join(f"{', '.join(names)}: {how}" for how, names in words.items())
    return [f"{problem}: not all are played alike: {listed}"]


def _pairs(
    problem: str, entrants: Sequence[_Competitor], against: str | None
) -> Iterator[tuple[_Competitor, _Competitor]]:
    if against is None:
        yield from combinations(entrants, 2)
        return
    references = [each for each in entrants if against in each.names]
    if len(references) > 1:
        names = " or ".join(each.name for each in references)
        raise InputError(f"against {against}: several of that label on {problem}; say {names}")
    for reference in references:
        yield from ((each, reference) for each in entrants if each is not reference)


def _observations(
    first: _Competitor, second: _Competitor, definition: str, at: int
) -> tuple[np.ndarray, np.ndarray, str, bool]:
    """At least two observations of each algorithm, their unit, and whether they are paired."""
    by_matrix, paired = [], True
    cells = zip(first.sample.cells, second.sample.cells, strict=True)
    values = zip(first.values(definition, at), second.values(definition, at), strict=True)
    for (cell, other_cell), (a, b) in zip(cells, values, strict=True):
        paired = cell.stored.identity.seed == other_cell.stored.identity.seed
        common = [run for run in a if run in b]
        if paired:
            by_matrix.append(([a[run] for run in common], [b[run] for run in common]))
        else:
            by_matrix.append((list(a.values()), list(b.values())))
    if len(by_matrix) > 1:
        unit, paired = "matrix", True
        means = np.array([(np.mean(a), np.mean(b)) for a, b in by_matrix if a and b]).reshape(-1, 2)
        of_first, of_second = means[:, 0], means[:, 1]
    else:
        unit = "run"
        of_first, of_second = (np.array(numbers) for numbers in by_matrix[0])
    fewest = min(len(of_first), len(of_second))
    if fewest < 2:
        raise InputError(
            f"{first.name} and {second.name} on {first.sample.stored.setting} have {fewest}"
            f" {'run' if unit == 'run' else 'random matrix'}{' in common' if paired else ''}: comparing them takes two"
        )
    return of_first, of_second, unit, paired


def _comparison(
    problem: str, first: _Competitor, second: _Competitor, definition: str, at: int, question: Question
) -> Comparison:
    """The comparison, before it is corrected for the number of pairs."""
    of_first, of_second, unit, paired = _observations(first, second, definition, at)
    if question.share is None:
        difference = of_means(of_first, of_second, paired)
    else:
        difference = of_quantiles(of_first, of_second, question.share)
    low, high = (end if np.isfinite(end) else None for end in (difference.low, difference.high))
    return {
        "problem": problem,
        "a": first.name,
        "b": second.name,
        "definition": definition,
        "round": at,
        "of": question.words,
        "value_a": difference.first,
        "value_b": difference.second,
        "difference": difference.value,
        "low": low,
        "high": high,
        "p": difference.p,
        "p_holm": 1.0,
        "verdict": UNDECIDED,
        "n_a": len(of_first),
        "n_b": len(of_second),
        "unit": unit,
        "paired": paired,
        "answered_a": first.answered(definition, at),
        "answered_b": second.answered(definition, at),
        "settings_a": settings_of(first.sample.stored),
        "settings_b": settings_of(second.sample.stored),
    }


def _notes(comparison: Comparison, first: _Competitor, second: _Competitor, question: Question) -> list[str]:
    """Notes on a comparison beyond its numbers."""
    notes = []
    problem, plural = comparison["problem"], PLURALS[comparison["unit"]]
    n_a, n_b = comparison["n_a"], comparison["n_b"]
    both = f"{first.name} and {second.name} on {problem}"
    is_run = comparison["unit"] == "run"
    whole_a, whole_b = (each.sample.runs if is_run else len(each.sample.played) for each in (first, second))
    if not comparison["paired"]:
        notes.append(f"{problem}: the seeds differ, so that no runs belong together, and they are not paired")
    elif n_a < max(whole_a, whole_b):
        notes.append(f"{both}: compared by the {n_a} {plural} that both have, of {whole_a} and {whole_b}")
    if question.share is None and min(n_a, n_b) < FEWEST:
        notes.append(f"{both}: with fewer than {FEWEST} {plural} the interval of a mean often misses")
    return notes


def _same_runs(problem: str, pairs: Sequence[tuple[_Competitor, _Competitor]]) -> list[str]:
    """A sentence on the pairs that are the same runs, which their identities tell."""
    same = [
        f"{first.name} and {second.name}"
        for first, second in pairs
        if [cell.stored.identity for cell in first.sample.cells]
        == [cell.stored.identity for cell in second.sample.cells]
    ]
    if not same:
        return []
    listed = "; ".join(first_few(same, MOST_NAMES))
    return [f"{problem}: the same runs under two names: {listed}; give one of two another seed"]


def _censored(problem: str, entrants: Sequence[_Competitor], at: int) -> list[str]:
    """A sentence on each algorithm with runs that are still without an answer."""
    notes = []
    for each in entrants:
        share = each.answered(ROUNDS, at)
        if share is not None and share < 1:
            late = f"{1 - share:.1%} of its runs have no answer after {at} rounds, and count as {at}"
            notes.append(f"{each.name} on {problem}: {late}")
    return notes


def _tail_notes(problem: str, entrants: Sequence[_Competitor], definition: str, at: int) -> list[str]:
    """A sentence on each algorithm whose mean is dominated by a few runs."""
    notes = []
    for each in entrants:
        regret = np.array([value for runs in each.values(definition, at) for value in runs.values()])
        share = share_of_largest(regret)
        if share >= HEAVY and len(regret) >= ENOUGH_TO_BE_HEAVY:
            largest = "the largest run makes" if len(regret) < 200 else "the largest 1% of the runs make"
            notes.append(
                f"{each.name} on {problem}: {largest} {100 * share:.0f}% of the mean {definition} regret, which these"
                " runs do not settle: compare medians, or take more runs"
            )
    return notes


def _too_few(problem: str, compared: Sequence[Comparison], share: float) -> list[str]:
    """A sentence if no pair can be told apart, whatever the runs show."""
    n = max(min(comparison["n_a"], comparison["n_b"]) for comparison in compared)
    needed = fewest_for(share, len(compared))
    if n >= needed:
        return []
    pairs = "pair needs" if len(compared) == 1 else "pairs need"
    statistic, units = compared[0]["of"], PLURALS[compared[0]["unit"]]
    return [f"{problem}: {statistic}s cannot be told apart with {n} {units}: {len(compared)} {pairs} {needed} at least"]
