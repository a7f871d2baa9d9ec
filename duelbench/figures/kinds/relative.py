"""Regret over that of a reference, of another algorithm or a bound C ln t, against log time: a panel per problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from duelbench.errors import IncompleteResults, InputError, nearest_or_all
from duelbench.figures.content.panels import Entry, entry_of
from duelbench.figures.drawing.regret_figure import regret_name
from duelbench.figures.kinds.curves import Horizons, by_problem, cells_of, other_curves, panel_of, with_runs
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import Picture, Request
from duelbench.results.experiments import Experiment, LoadedCell, bounds_of
from duelbench.statistics.curves import FEWEST, Curve, confidence_interval
from duelbench.statistics.ratios import ratio_of_means


def relative(request: Request) -> Picture:
    """Mean regret over that of a reference; rounds at which the reference has no regret are left out.

    Runs are paired by index, several random matrices by their means. With fewer than `FEWEST` pairs, or where the
    interval has no end, both ends are the ratio itself.
    """
    experiment, options = request.experiment, request.options
    by = "" if options.bound else reference_of(experiment, options)
    panels = []
    found = by_problem(experiment)
    for problem, algorithms in found.items():
        if options.bound:
            entries = [_over_bound(experiment, own, request.which, options.bound) for own in algorithms]
        else:
            entries = _over_algorithm(experiment, problem, found, request.which, by)
        panels.append(panel_of(request, problem, entries, algorithms))
    reference = by or f"{options.bound} bound"
    if not any(len(entry.curve.rounds) for panel in panels for entry in panel.entries):
        raise InputError(
            f"{experiment.name}: {reference} has no regret at any checkpoint, by which others could be divided"
        )

    def caption(of: str, curves: Sequence[Curve]) -> str:
        is_single = all(curve.games == 1 and curve.runs.max() == 1 for curve in curves)
        return "a single run, no band" if is_single else f"means of {of}, band: 95% confidence interval of the ratio"

    over = f"C ln t, the {reference}" if options.bound else f"that of {reference}"
    name = f"{regret_name(request.regret)} over {over}"
    return other_curves(request, panels, "ratio", name, caption, {"reference": reference})


def reference_of(experiment: Experiment, options: FigureOptions) -> str:
    """The label that regret is relative to: the one asked for, which must be known, or the first of the spec."""
    labels = list(dict.fromkeys(cell.stored.label for cell in experiment.cells))
    if options.reference is not None and options.reference not in labels:
        raise InputError(
            f"reference {options.reference}: no algorithm of {experiment.name} has that label"
            f"{nearest_or_all(options.reference, labels)}"
        )
    return options.reference or labels[0]


def _over_bound(experiment: Experiment, horizons: Horizons, which: int, kind: str) -> Entry:
    curves = []
    for there in with_runs(horizons):
        constants = [_constant(experiment, cell, experiment.definitions[which], kind) for cell in there]
        late = there[0].rounds > 1  # ln 1 = 0
        rounds = there[0].rounds[late]
        own = [cell.regret[:, which, late] / constant for cell, constant in zip(there, constants, strict=True)]
        units = np.array([runs.mean(axis=0) for runs in own]) if len(own) > 1 else own[0]
        ratio = units.mean(axis=0)
        low, high = confidence_interval(units) if len(units) >= FEWEST else (ratio, ratio)
        bound = np.log(rounds)
        counts = np.full(len(rounds), sum(cell.n_runs for cell in there))
        curves.append(Curve(rounds, ratio / bound, low / bound, high / bound, counts, "ci95", games=len(there)))
    return entry_of(cells_of([horizons]), curves, len(horizons) > 1)


def _constant(experiment: Experiment, cell: LoadedCell, definition: str, kind: str) -> float:
    """C of the bound C ln t of a cell's problem."""
    constant = bounds_of(experiment, cell, definition).get(kind)
    if not constant:
        what = "is 0" if constant == 0 else f"of {definition} regret is not in the results"
        raise InputError(
            f"{experiment.name}: the bound '{kind}' {what} on {cell.stored.problem}; put 'bounds: [{kind}]' in the"
            " spec and use `duelbench run`, which computes no run again"
        )
    return constant


def _over_algorithm(
    experiment: Experiment, problem: str, found: Mapping[str, Sequence[Horizons]], which: int, label: str
) -> list[Entry]:
    known = _stretches(_reference(found, problem, label), which)
    if not known:
        raise IncompleteResults(f"{experiment.name}: no run of {label} on {problem}, which regret is relative to")
    return [
        entry_of(
            cells_of([horizons]),
            [curve for own in _stretches(horizons, which) for reference in known for curve in _ratios(own, reference)],
            len(horizons) > 1,
        )
        for horizons in found[problem]
    ]


def _reference(found: Mapping[str, Sequence[Horizons]], problem: str, label: str) -> Horizons:
    """The algorithm of that label on a problem; where a sweep leaves it as it is, on the problem without its values."""
    point = next(iter(found[problem][0].values()))[0].stored.point
    for name in (problem, point.problem if point else problem):
        for horizons in found.get(name, ()):
            if next(iter(horizons.values()))[0].stored.label == label:
                return horizons
    return {}


@dataclass(frozen=True, eq=False)
class _Stretch:
    """Regret at some rounds, of runs that have all of these rounds.

    rounds : (n,) int64. 1-based, increasing.
    runs : mapping. SHA-256 of a matrix -> numbers of the runs on it, (n_runs,), and their regret, (n_runs, n).
    """

    rounds: np.ndarray
    runs: Mapping[str, tuple[np.ndarray, np.ndarray]]


def _stretches(horizons: Horizons, which: int) -> list[_Stretch]:
    """What is known of an algorithm; of one that is run again for each horizon, the horizons alone."""
    part = slice(-1, None) if len(horizons) > 1 else slice(None)
    return [
        _Stretch(
            there[0].rounds[part],
            {cell.stored.identity.matrix: (cell.indices, cell.regret[:, which, part]) for cell in there},
        )
        for there in with_runs(horizons)
    ]


def _ratios(own: _Stretch, reference: _Stretch) -> list[Curve]:
    """The curve of the ratios at the rounds that both have; none where there are none."""
    rounds, at, at_reference = np.intersect1d(own.rounds, reference.rounds, return_indices=True)
    pairs = []
    for matrix in [matrix for matrix in own.runs if matrix in reference.runs]:
        (numbers, first), (known, second) = own.runs[matrix], reference.runs[matrix]
        _, row, reference_row = np.intersect1d(numbers, known, return_indices=True)
        pairs.append((first[row][:, at], second[reference_row][:, at_reference]))
    pairs = [pair for pair in pairs if len(pair[0])]
    if not pairs:
        return []
    n_runs = sum(len(first) for first, _ in pairs)
    if len(pairs) > 1:
        x, y = (np.array([pair[k].mean(axis=0) for pair in pairs]) for k in (0, 1))
    else:
        x, y = pairs[0]
    there = y.mean(axis=0) > 0
    if not there.any():
        return []
    ratio, low, high = _with_ends(x[:, there], y[:, there])
    return [Curve(rounds[there], ratio, low, high, np.full(len(ratio), n_runs), "ci95", games=len(pairs))]


def _with_ends(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ratios of means and the ends of their intervals: twice the ratio itself where there is none."""
    if len(first) < FEWEST:
        ratio = first.mean(axis=0) / second.mean(axis=0)
        return ratio, ratio, ratio
    ratio, low, high = ratio_of_means(first, second)
    has_ends = np.isfinite(low) & np.isfinite(high)
    return ratio, np.where(has_ends, np.maximum(low, 0.0), ratio), np.where(has_ends, high, ratio)
