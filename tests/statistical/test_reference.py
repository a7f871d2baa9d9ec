"""Mean regret agrees with what the original authors' programs leave behind, within four standard errors.

The figures are not part of the project (see `tests.optional_data`). Where a program is known to depart from its paper,
the departure is switched on, if we offer it.
"""

import json
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms import registry
from tests.optional_data import FOLDER, ROOT, optional

RUNS = 400
STANDARD_ERRORS = 4.0
ROUNDED_TO = 1e-3
"""Some figures have no error at all: the early rounds of a rule without chance. They are printed to three decimals."""

DEPARTURES: dict[tuple[str, str], dict[str, Any]] = {
    ("komiyama", "rucb"): {"unplayed": 1.0, "ties": "lowest"},
    ("wu-liu", "d-ts-plus"): {"best_score": "candidates"},
    ("wu-liu", "ecw-rmed"): {"check": "R-box"},
    ("wu-liu", "btm"): {"gamma": 1.3, "ties": "lowest", "maximum": "misread"},
    ("komiyama", "btm"): {"gamma": 1.2, "const": 1.0, "self_duels": False, "ties": "lowest"},
    ("wu-liu", "multisbm"): {"unplayed": 1.0, "clock": "round", "ties": "lowest"},
    ("komiyama", "multisbm"): {"ties": "lowest"},
    ("wu-liu", "sparring"): {"unplayed": 1.0, "clock": "round", "ties": "lowest"},
    ("komiyama", "sparring"): {"ties": "lowest"},
    ("wu-liu", "scb"): {"preset": "wu"},
    ("wu-liu", "rmed2"): {"ratio_sign": -1, "forced": "once"},
    ("komiyama", "rmed2"): {"floor": 0.01, "order": "index"},
    ("komiyama", "rmed2fh"): {"floor": 0.01, "order": "index"},
}
"""(program, algorithm) -> the parameters that make our algorithm depart from the paper as the program does."""


class Figures(NamedTuple):
    """All that one program says about one algorithm on one matrix to one horizon."""

    program: str
    algorithm: str
    matrix: str
    horizon: int
    shuffled: bool
    rows: tuple[tuple[str, dict[str, Any]], ...]


def collect() -> list[Figures]:
    path = FOLDER / "reference" / "regret.json"
    if not path.exists():
        return []
    found: dict[tuple[Any, ...], list[tuple[str, dict[str, Any]]]] = {}
    for row in json.loads(path.read_text()):
        # `savage` of wu-liu is Copeland SAVAGE, see test_savage.py; ours of that name plays no duels.
        if row["algorithm"] in registry.BUILT_IN and "duels" in registry.get(row["algorithm"]).plays:
            key = (row["program"], row["algorithm"], row["matrix"], row["horizon"], row["shuffled_arms"])
            found.setdefault(key, []).append((row["regret"], row["at"]))
    return [Figures(*key, tuple(rows)) for key, rows in found.items()]


FIGURES = collect()


def test_there_are_figures_to_compare_with():
    optional("reference", "regret.json")
    assert len(FIGURES) >= 30


DUEL_BY_DUEL = ("sparring", "multisbm", "btm", "ecw-rmed")
"""Algorithms whose runs take seconds."""


def cases() -> list[Any]:
    """On the matrix of the shortest runs they are thorough; all others together take some minutes."""
    quickest = [figures.matrix == "cyclic" and figures.algorithm not in DUEL_BY_DUEL for figures in FIGURES]
    return [
        pytest.param(
            figures,
            marks=pytest.mark.thorough if is_quick else pytest.mark.slow,
            id=f"{figures.program}-{figures.algorithm}-{figures.matrix}-{figures.horizon:.0e}",
        )
        for figures, is_quick in zip(FIGURES, quickest, strict=True)
    ]


@pytest.mark.parametrize("figures", cases())
def test_mean_regret_agrees_with_the_published_program(figures):
    matrix = duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{figures.matrix}.csv")
    checkpoints = sorted({int(t) for _, at in figures.rows for t in at})
    definitions = [definition for definition, _ in figures.rows]
    runs = np.array(
        [
            duelbench.simulate(
                figures.algorithm,
                matrix,
                horizon=figures.horizon,
                seed=1605,
                run=run,
                regret=sorted(set(definitions)),
                checkpoints=checkpoints,
                shuffle_arms=figures.shuffled,
                **DEPARTURES.get((figures.program, figures.algorithm), {}),
            ).regret
            for run in range(RUNS)
        ]
    )
    mean = runs.mean(axis=0)
    sem = runs.std(axis=0, ddof=1) / math.sqrt(RUNS)
    wrong = []
    for definition, at in figures.rows:
        row = sorted(set(definitions)).index(definition)
        for t, theirs in at.items():
            k = checkpoints.index(int(t))
            error = math.hypot(sem[row, k], theirs["sem"])
            if abs(mean[row, k] - theirs["mean"]) > STANDARD_ERRORS * error + ROUNDED_TO:
                wrong.append(f"{definition} at {t}: {mean[row, k]:.1f}, not {theirs['mean']:.1f} +- {error:.1f}")
    assert not wrong, "; ".join(wrong)
