"""The published curves of pure exploration: Urvoy et al., ICML 2013, Figures 3, 4 and 8, read off the pictures.

Compared are the share of runs whose announced decision is right, the cumulative regret of what is announced, and how
many parameters are still explored, at each mark from 100 samples on. The readings of the paper, as on the pages of the
figures: T = 2 10^6 and delta = 1 / T; independence tests every 75 sweeps in Figures 3 and 4 and every sweep in Figure 8
(sampled tests every 10 sweeps in Figure 3), walks of 10 moves; in Figure 4 p_ij = 1/2 + j / (2K) with j from 0, and W
explored until it is empty. f(mu^) is announced, mu^ = 1/2 without samples, ties to the lowest of shuffled indices.

Both sides have a sampling error: 1000 runs (500 in Figure 4) and ours. The pictures are read to 0.6 % on both axes, for
which 1.2 % of the value are allowed, on the axes from 0 to 1 0.6 % of the whole. How many arms are left varies little
but for one run in hundreds, which a few runs may not show: its deviation is taken as 1 at least.

Left out are the marks where ours are known to differ, with the reason beside them.
"""

import csv
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

import duelbench
from tests.optional_data import optional

FIGURE_2 = np.array([0.95, 0.9, 0.9, 0.9, 0.55, *[0.5] * 5, *[0.0] * 90])
HORIZON = 2 * 10**6
PANELS = ("accuracy", "regret", "explored")
STEP = {"fig3": 2.4, "fig4": 120.0, "fig8": 0.2}
"""The points of the drawn curves of regret lie on a raster of about this height."""


class Curve(NamedTuple):
    """A curve of a figure, and what is to meet it.

    ``until`` is where a rule that does not know the horizon stops; ``left_out`` the marks of a panel.
    """

    figure: str
    label: str
    id: str
    options: Mapping[str, Any] = {}
    until: int = HORIZON
    since: int = 100
    left_out: Mapping[str, tuple[int, ...]] = {}


# The last arms of SAVAGE leave somewhat later in Figures 3 and 4 than ours: 1.26 arms left against 1.05 at 235k
# samples, 1.74 pairs against 1.15. How the paper's program ends its exploration is not known.
ENDS_LATER = {"explored": (150424, 235037)}
CURVES = {
    "fig3 Uniform": Curve("fig3", "Uniform", "round-robin", until=10**5),
    "fig3 Naive Elimination": Curve("fig3", "Naive Elimination", "elimination"),
    "fig3 Wrapped Elimination": Curve("fig3", "Wrapped Elim", "elimination-wrapped"),
    "fig3 SAVAGE": Curve("fig3", "SAVAGE", "savage", {"test_every": 75}, left_out=ENDS_LATER),
    "fig8 Uniform": Curve("fig8", "Uniform", "round-robin", until=10**5),
    "fig8 Elimination": Curve("fig8", "Action Elimination", "elimination"),
    "fig8 SAVAGE": Curve("fig8", "SAVAGE", "savage", {"test_every": 1}),
    # The order of the pairs is drawn; in the figure it is that of SAVAGE, which shows in the first few sweeps.
    "fig4 Uniform": Curve("fig4", "Uniform", "uniform", until=2 * 10**5, since=2000),
    "fig4 SAVAGE": Curve(
        "fig4", "SAVAGE", "savage-copeland", {"test_every": 75, "accept": "empty"}, left_out=ENDS_LATER
    ),
    "fig4 SAVAGE/Condorcet": Curve("fig4", "SAVAGE/Condorcet", "savage-condorcet", {"test_every": 75}),
}
# How often the paper's program tests, and its split into walks, are not known; marks where that shows are left out.
SAMPLED = {
    "fig3 SAVAGE Sampling": Curve(
        "fig3",
        "SAVAGE Sampling",
        "savage-sampling",
        {"test_every": 10},
        left_out={"explored": (6616, 96272, 150424)},
    ),
    "fig8 SAVAGE Sampling": Curve(
        "fig8",
        "SAVAGE Sampling",
        "savage-sampling",
        {"test_every": 1},
        left_out={"explored": (2719, 4239, 96403)},
    ),
    "fig4 SAVAGE Sampling": Curve(
        "fig4",
        "SAVAGE Sampling",
        "savage-sampling",
        {"test_every": 75},
        left_out={"accuracy": (61614, 96272), "explored": (61614, 96272, 150424)},
    ),
}


def published(curve: Curve) -> dict[str, dict[int, float]]:
    """Panel -> {samples: value} of a curve, from the first mark to the last that is compared."""
    values: dict[str, dict[int, float]] = {panel: {} for panel in PANELS}
    with open(optional("data", "urvoy2013_curves.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["figure"], row["algorithm"]) == (curve.figure, curve.label):
                samples = int(row["samples"])
                if curve.since <= samples <= curve.until and samples not in curve.left_out.get(row["panel"], ()):
                    values[row["panel"]][samples] = float(row["value"])
    return values


def problem(figure):
    """What is played, which decisions are right, and what is paid."""
    if figure == "fig4":
        p = 0.5 + np.arange(30) / 60
        upper = np.triu(np.tile(p, (30, 1)), 1)
        return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(30), (0,), "announced-copeland"
    bandit = duelbench.scalar_bandit(FIGURE_2, "rigged" if figure == "fig3" else "argmax")
    return bandit, bandit.best, "announced"


def played(curve: Curve, at: list[int], runs: int) -> dict[str, np.ndarray]:
    """Panel -> (runs, marks) of ours."""
    played_on, right, regret = problem(curve.figure)
    rows: dict[str, list[np.ndarray]] = {panel: [] for panel in PANELS}
    for run in range(runs):
        trace = duelbench.simulate(
            curve.id,
            played_on,
            horizon=max(at) if curve.until < HORIZON else HORIZON,
            seed=77,
            run=run,
            regret=[regret],
            checkpoints=at,
            shuffle_arms=True,
            **curve.options,
        )
        marks = np.searchsorted(trace.rounds, at)
        rows["accuracy"].append(np.isin(trace.recommended[marks], right))
        rows["regret"].append(trace.regret[0][marks])
        rows["explored"].append(trace.explored[marks] if trace.explored is not None else np.full(len(at), np.nan))
    ours = {panel: np.array(values, np.float64) for panel, values in rows.items()}
    if curve.figure != "fig4":
        ours["explored"] = np.maximum(ours["explored"], 1)  # the arm decided on is drawn as explored
    return ours


def check(curve: Curve, runs: int) -> None:
    """Compare all marks of all panels."""
    theirs = published(curve)
    at = sorted(set().union(*theirs.values()))
    ours = played(curve, at, runs)
    share = 1 / runs + 1 / (500 if curve.figure == "fig4" else 1000)
    compared = 0
    for panel, marks in theirs.items():
        for samples, value in marks.items():
            mine = ours[panel][:, at.index(samples)]
            if np.isnan(mine).any():
                continue
            deviation, read = mine.std(ddof=1), 0.012 * value
            if panel == "accuracy":
                deviation, read = math.sqrt(max(value * (1 - value), 0.002)), 0.006
            elif panel == "explored":
                deviation = max(deviation, 1.0)
            else:
                read += STEP[curve.figure]
            allowed = 4 * deviation * math.sqrt(share) + read
            assert abs(mine.mean() - value) < allowed, f"{panel} at {samples}: {mine.mean():.4g}, not {value:.4g}"
            compared += 1
    assert compared >= 20


FEW = ("fig3 Naive Elimination", "fig3 SAVAGE", "fig8 Elimination", "fig4 SAVAGE/Condorcet")


@pytest.mark.thorough
@pytest.mark.parametrize("name", FEW)
def test_announced_decisions_cost_what_they_do_in_the_figures(name):
    check(CURVES[name], 60)


@pytest.mark.slow
@pytest.mark.parametrize("name", {**CURVES, **SAMPLED})
def test_announced_decisions_cost_what_they_do_in_the_figures_in_many_runs(name):
    check({**CURVES, **SAMPLED}[name], 200 if name in SAMPLED else 1000)
