"""What the runs of an experiment ended with: a record for each algorithm, problem and horizon.

A record is what ``duelbench report --json`` prints. `summary` is the same as a table, whose columns are its fields. Two
ratios compare regret with a bound C ln t: the slope of mean regret against ln t over the last decade, over C; and mean
regret at the horizon T over C ln T. Both tend to 1 or more for a consistent algorithm, the slope sooner, because it
does not depend on the cost of the first rounds.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.bandits.algorithms import registry
from duelbench.bandits.algorithms.contract import UNANSWERED
from duelbench.bandits.problem.identification import Question, right_arms, scores_of, true_rank
from duelbench.bandits.problem.identification_bounds import least_duels
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.statistics import settling, tails
from duelbench.bandits.statistics.answers import QUANTILES, error_rate, mean_and_error, times_of
from duelbench.bandits.statistics.settling import DECADE, Estimate
from duelbench.bandits.statistics.tails import upper_quantile
from duelbench.errors import InputError
from duelbench.experiments.results.answers import judged, with_own_delta
from duelbench.experiments.results.experiments import Experiment, LoadedCell, bounds_of, found_winner
from duelbench.experiments.results.samples import Sample, samples
from duelbench.experiments.results.settings import Played, in_words, settings_of
from duelbench.experiments.spec.assumptions import lacking

if TYPE_CHECKING:
    from pandas import DataFrame

Record = dict[str, Any]
"""Plain JSON types: what the runs of an algorithm on a problem up to a horizon ended with."""

SETTLED = {"median": 0.5, "q90": 0.9}
"""Quantiles of the last wrong recommendations of runs."""

NAMES = ("experiment", "problem", "algorithm", "label", "horizon", "definition", "runs", "planned")
"""The fields of a record that say what it is of; ``definition`` is that of regret."""


def records(experiment: Experiment, definition: str | None = None, threshold: float | None = None) -> list[Record]:
    """The records of an experiment; random matrices at one value of a sweep are one problem.

    Parameters
    ----------
    experiment : Experiment
    definition : str, optional
        The definition of regret; by default the first that was recorded.
    threshold : float, optional
        A regret in duels: the records then have ``reached``, when runs have it.

    Returns
    -------
    list of dict
        Besides `NAMES`: ``settings``, what is not the default; ``regret`` at the horizon, in duels; ``curve``, its mean
        at every checkpoint; ``recommends_winner``, a share of the runs; ``locked``, the share that recommend no winner
        in the last decade, with its interval; ``settled``, quantiles of the last checkpoint at which a run recommends
        no winner (the horizon, if it ends so); ``growth``, the exponent of regret in the last decade; and if the spec
        asks for them ``bounds``, ``verdicts``, ``identified`` and ``budgets``.
    """
    definition = definition or experiment.definitions[0]
    return [_record(experiment, sample, definition, threshold) for sample in samples(experiment) if sample.runs]


def summary(experiment_records: Sequence[Record]) -> "DataFrame":
    """Records as a table, without their curves and verdicts; what a record lacks is missing."""
    import pandas

    rows = [_flat(record) for record in experiment_records]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    if not any(row["settings"] for row in rows):
        columns = [name for name in columns if name != "settings"]
    last = [name for name in ("settings",) if name in columns]
    columns = [name for name in columns if name not in last] + last
    table = pandas.DataFrame({name: [row.get(name) for row in rows] for name in columns})
    for name in columns:
        values = [row[name] for row in rows if row.get(name) is not None]
        if not values:
            table[name] = table[name].astype("float64")
        elif all(type(value) is int for value in values):
            table[name] = table[name].astype("Int64")
    return table


def _flat(record: Record) -> dict[str, Any]:
    """The fields of a record by the names of columns."""
    regret, locked = record["regret"], record["locked"]
    bounds, budgets = record.get("bounds", {}), record.get("budgets", ())
    early = ("mean", "std", "sem", "median", "q05", "q95")
    return {
        **{name: record[name] for name in NAMES},
        **{name: regret[name] for name in early},
        "recommends_winner": record["recommends_winner"],
        **{name: number for name, number in regret.items() if name not in early},
        "locked": locked["share"],
        "locked_low": locked["low"],
        "locked_high": locked["high"],
        **{f"reached_{name}": number for name, number in record.get("reached", {}).items()},
        **{f"{kind}_{name}": number for kind, ratios in bounds.items() for name, number in ratios.items()},
        **record.get("identified", {}),
        **{
            f"budget_{at['budget']}_{name}": at[name]
            for at in budgets
            for name in ("error", "error_low", "error_high", "rank", "winner_rank")
        },
        "settings": in_words([Played(record["problem"], record["label"], record["settings"])]),
    }


def _record(experiment: Experiment, sample: Sample, definition: str, threshold: float | None) -> Record:
    """The record of a sample; on several random matrices errors are those of their means, for runs on one are alike."""
    which, stored = experiment.definitions.index(definition), sample.stored
    regret, curve = describe(sample.rounds, sample.regret(which))
    winner = sample.values(lambda cell: found_winner(definition, cell))
    locked = tails.locked(sample.rounds, winner)
    last_wrong = settling.last_wrong(sample.rounds, winner)
    settled = {name: settling.quantile(last_wrong, share) for name, share in SETTLED.items()}
    units = sample.regret(which)
    low = high = None
    if len(sample.played) > 1:
        units = np.array([cell.regret[:, which].mean(axis=0) for cell in sample.played])
        settled = {name: Estimate(estimate.value, None, None) for name, estimate in settled.items()}
        of_means, curve_of_means = describe(sample.rounds, units)
        regret["sem"] = of_means["sem"]
        curve = [{**point, "sem": of_matrices["sem"]} for point, of_matrices in zip(curve, curve_of_means, strict=True)]
    else:
        low, high = (float(end) for end in tails.clopper_pearson(np.array(locked.sum()), len(locked)))
    growth = settling.growth_exponent(sample.rounds, units)
    return {
        "experiment": experiment.name,
        "problem": sample.problem,
        "algorithm": stored.algorithm,
        "label": stored.label,
        "definition": definition,
        "runs": sample.runs,
        "planned": sample.planned,
        "horizon": stored.horizon,
        "settings": settings_of(stored),
        "regret": regret,
        "curve": curve,
        "recommends_winner": float(winner[:, -1].mean()),
        "settled": {name: estimate._asdict() for name, estimate in settled.items()},
        "growth": growth._asdict() if stored.anytime and growth is not None else None,
        "locked": {"share": float(locked.mean()), "low": low, "high": high},
        **({} if threshold is None else {"reached": _reached(sample, which, threshold)}),
        **_of_one_matrix(experiment, sample, definition, curve),
        **_answers(experiment, sample),
    }


def _reached(sample: Sample, which: int, threshold: float) -> dict[str, Any]:
    """When runs have a regret of ``threshold``: the median of all runs; on several random matrices without interval."""
    median, n_not_reached = settling.reached(sample.rounds, sample.regret(which), threshold)
    ends = {"low": None, "high": None} if len(sample.played) > 1 else {"low": median.low, "high": median.high}
    return {"threshold": threshold, "value": median.value, **ends, "not_reached": n_not_reached}


def describe(rounds: np.ndarray, regret: np.ndarray) -> tuple[dict[str, float | None], list[dict[str, Any]]]:
    """Regret, (n_runs, n): statistics at the last of n rounds, and mean and standard error at every round.

    Returns
    -------
    statistics : dict
        ``std`` (with n - 1 in the denominator) and ``sem`` are None for a single run. Quantiles are interpolated
        linearly; ``q99`` and ``q99.9`` are None with fewer than 200 or 2,000 runs, so that two are expected
        beyond.
    curve : list of dict
        ``round``, ``mean`` and ``sem``.

    Examples
    --------
    >>> at_end, curve = describe(np.array([10, 20]), np.array([[1.0, 1.0], [1.0, 3.0]]))
    >>> at_end["mean"], at_end["std"] == 2**0.5, at_end["sem"], at_end["q05"], at_end["q99"]
    (2.0, True, 1.0, 1.1, None)
    >>> curve
    [{'round': 10, 'mean': 1.0, 'sem': 0.0}, {'round': 20, 'mean': 2.0, 'sem': 1.0}]
    """
    n_runs = len(regret)
    means, at_end = regret.mean(axis=0).tolist(), regret[:, -1]
    q05, median, q95 = np.quantile(at_end, [0.05, 0.5, 0.95]).tolist()
    std, errors = None, [None] * len(means)
    if n_runs > 1:
        deviations = regret.std(axis=0, ddof=1)
        std, errors = float(deviations[-1]), (deviations / np.sqrt(n_runs)).tolist()
    statistics = {
        "mean": means[-1],
        "std": std,
        "sem": errors[-1],
        "median": median,
        "q05": q05,
        "q95": q95,
        "q99": upper_quantile(at_end, "99"),
        "q99.9": upper_quantile(at_end, "99.9"),
    }
    points = zip(rounds.tolist(), means, errors, strict=True)
    return statistics, [{"round": t, "mean": mean, "sem": sem} for t, mean, sem in points]


def _of_one_matrix(
    experiment: Experiment, sample: Sample, definition: str, curve: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Ratios to bounds, and what interim analyses have decided; nothing on several random matrices."""
    if len(sample.played) > 1:
        return {}
    stored, standing = sample.stored, experiment.standing
    constants = bounds_of(experiment, sample.played[0], definition)
    bounds = {kind: against_bound(C, curve, stored.anytime) for kind, C in constants.items()}
    verdicts = [
        verdict.content
        for verdict in (standing.verdicts if standing else ())
        if (verdict.problem, verdict.horizon) == (stored.setting, stored.horizon) and stored.label in verdict.labels
    ]
    return {**({"bounds": bounds} if bounds else {}), **({"verdicts": verdicts} if verdicts else {})}


def against_bound(constant: float, curve: Sequence[Mapping[str, Any]], anytime: bool) -> dict[str, float | None]:
    """Compare mean regret, whose curve ends at the horizon T, with a bound C ln t.

    Returns
    -------
    dict
        ``constant``, C in duels. ``slope``, (R(T) - R(s)) / (ln T - ln s), R being mean regret and s the last
        checkpoint up to T / 10: None without such a checkpoint, and for an algorithm that uses the horizon.
        ``slope_over_constant`` and ``regret_over_bound``, R(T) / (C ln T): None also if the bound is 0.

    Examples
    --------
    Regret 3 ln t against a bound of 2 ln t:

    >>> curve = [{"round": t, "mean": 3 * math.log(t)} for t in (10, 100, 1000)]
    >>> ratios = against_bound(2.0, curve, anytime=True)
    >>> round(ratios["slope"], 9), round(ratios["slope_over_constant"], 9), round(ratios["regret_over_bound"], 9)
    (3.0, 1.5, 1.5)
    """
    horizon, regret = curve[-1]["round"], curve[-1]["mean"]
    early = [point for point in curve if DECADE * point["round"] <= horizon]
    slope = None
    if early and anytime:
        slope = (regret - early[-1]["mean"]) / math.log(horizon / early[-1]["round"])
    bound = constant * math.log(horizon)
    return {
        "constant": constant,
        "slope": slope,
        "slope_over_constant": slope / constant if slope is not None and constant > 0 else None,
        "regret_over_bound": regret / bound if bound > 0 else None,
    }


def _answers(experiment: Experiment, sample: Sample) -> dict[str, Any]:
    """The record of answers, if the experiment has ``identify``."""
    question = experiment.results.question
    if question is None:
        return {}
    if "budget" in experiment.results.spec:
        return {"budgets": _at_budgets(sample.played[0], question)}
    if any(cell.answers is None for cell in sample.played):
        return {}
    return {"identified": _identified(sample, question)}


def _identified(sample: Sample, question: Question) -> dict[str, Any]:
    """How often answers were right, and when they came, on one matrix or several alike.

    ``error`` is the share of wrong runs, with its interval (of no use on several random matrices, on each of which runs
    are alike). ``rounds`` are those before the answer, ``duels`` those of two different arms. If a run has not
    answered, only lower bounds of their means are known.
    """
    question = with_own_delta(sample.played[0], question)
    right = sample.values(lambda cell: judged(cell, question))
    answered = sample.values(lambda cell: np.asarray(cell.answers) != UNANSWERED)
    wrong, unanswered = int(np.count_nonzero(answered & ~right)), int(np.count_nonzero(~answered))
    times = times_of(sample.values(lambda cell: np.asarray(cell.finished)), sample.stored.horizon)
    duels, duels_sem = mean_and_error(sample.values(lambda cell: cell.real_duels).astype(np.float64))
    is_single = len(sample.played) == 1
    error = error_rate(wrong, len(right))
    low, high = (error.low, error.high) if is_single else (0.0, 1.0)
    matrix = sample.stored.matrix
    assert isinstance(matrix, PreferenceMatrix)
    least = least_duels(matrix, question) if is_single else None
    quantiles = dict(zip(QUANTILES, times.quantiles, strict=True))
    return {
        "right": int(np.count_nonzero(answered & right)),
        "wrong": wrong,
        "unanswered": unanswered,
        "error": error.share,
        "error_low": low,
        "error_high": high,
        "delta": question.delta,
        "above_delta": low > question.delta,
        "rounds_mean": times.mean,
        "rounds_sem": times.sem,
        "rounds_at_least": times.at_least,
        **{f"rounds_{name}": t if math.isfinite(t) else None for name, t in quantiles.items()},
        "duels_mean": None if unanswered else duels,
        "duels_sem": None if unanswered else duels_sem,
        "duels_at_least": duels,
        "least_duels": least,
        "duels_over_least": None if times.mean is None or least is None else duels / least,
        "lacking": next(filter(None, map(_lacking, sample.played)), None),
    }


def _lacking(cell: LoadedCell) -> str | None:
    """The assumption of an algorithm that its matrix does not meet; None also for a plug-in that is not loaded."""
    try:
        return lacking(registry.get(cell.stored.algorithm), cell.stored.matrix)
    except InputError:
        return None


def _at_budgets(cell: LoadedCell, question: Question) -> list[dict[str, Any]]:
    """What is recommended after each checkpoint; of an algorithm that uses the horizon after the last one only.

    ``rank`` is the true rank of what is recommended, from 1; ``winner_rank`` that of the true winner in the algorithm's
    own order, if it has one; ``difficulty`` (p - 1/2)^2 of the two arms of highest score.
    """
    matrix = cell.stored.matrix
    assert isinstance(matrix, PreferenceMatrix)
    right, scores = right_arms(matrix, question), scores_of(matrix, question)
    ranks = np.array([true_rank(scores, arm) for arm in range(matrix.n_arms)], np.float64)
    best, second = np.argsort(-scores, kind="stable")[:2]
    budgets = []
    for k, budget in enumerate(cell.rounds.tolist()):
        is_last = k == len(cell.rounds) - 1
        if not (is_last or cell.stored.anytime):
            continue
        recommended = cell.recommendations[:, k]
        error = error_rate(int(np.count_nonzero(~right[recommended])), cell.n_runs)
        rank, rank_sem = mean_and_error(ranks[recommended])
        winner_rank = winner_rank_sem = None
        if is_last and cell.places is not None and right.any():
            winner_rank, winner_rank_sem = mean_and_error(cell.places[:, right].min(axis=1) + 1.0)
        budgets.append(
            {
                "budget": budget,
                "wrong": error.wrong,
                "error": error.share,
                "error_low": error.low,
                "error_high": error.high,
                "rank": rank,
                "winner_rank": winner_rank,
                "rank_sem": rank_sem,
                "winner_rank_sem": winner_rank_sem,
                "difficulty": float((matrix.P[best, second] - 0.5) ** 2),
            }
        )
    return budgets
