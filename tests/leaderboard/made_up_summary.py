"""A made-up summary of a leaderboard, of the form of leaderboard.json: 8 algorithms on 6 matrices in 3 settings."""

import base64
import math
from typing import Any

import numpy as np

HORIZONS = (10_000, 1_000_000, 100_000_000)

ROUNDS = (10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)

SETTINGS = {"order": "A total order", "condorcet": "A Condorcet winner", "copeland": "No Condorcet winner"}

ALGORITHMS = ("RUCB", "D-TS", "D-TS+", "RMED1", "ECW-RMED", "CCB", "Beat the mean", "Random")

SIZES = (None, "small", "large")

PROBLEMS = (
    ("linear-5", "order", 5),
    ("linear-64", "order", 64),
    ("arithmetic8", "order", 8),
    ("mslr5", "condorcet", 5),
    ("hard-condorcet-16", "condorcet", 16),
    ("cyclic", "copeland", 4),
)

NEEDS_A_WINNER = (0, 3, 6)
"""Algorithms that are left out where there is no Condorcet winner."""

NEEDS_THE_HORIZON = 6

TOO_SLOW = 5
"""Is left out at 64 arms."""


def made_up_summary(seed: int = 1, runs: int = 20) -> dict[str, Any]:
    """The summary; regret grows with the logarithm of the round, but for the last algorithm, which learns nothing."""
    rng = np.random.default_rng(seed)
    cells: list[dict[str, Any]] = []
    correlations = {}
    for p, (name, setting, n_arms) in enumerate(PROBLEMS):
        slopes = {a: n_arms * rng.uniform(1, 4) for a in _players(setting, n_arms)}
        for horizon in HORIZONS:
            for a, slope in slopes.items():
                cells.append(_cell(rng, p, name, setting, a, slope, horizon, runs))
            for regret in _regrets(setting):
                drawn = rng.normal(size=(len(slopes), 2 * len(slopes)))
                bytes_ = np.floor(100 * np.corrcoef(drawn)).clip(-100, 100).astype(np.int8)
                upper = bytes_[np.triu_indices(len(slopes), 1)]
                correlations[f"{p}/{horizon}/{regret}"] = base64.b64encode(upper.tobytes()).decode()
    return {
        "format": 1,
        "made_with": {"duelbench": "0.1.0", "numpy": "2.3.0", "machine": "x86_64"},
        "level": 0.95,
        "horizons": list(HORIZONS),
        "regrets": ["copeland", "weak", "borda"],
        "settings": [{"id": key, "title": title} for key, title in SETTINGS.items()],
        "algorithms": [_algorithm(a) for a in range(len(ALGORITHMS))],
        "problems": [_problem(*problem) for problem in PROBLEMS],
        "rounds": [list(ROUNDS)],
        "cells": cells,
        "correlations": correlations,
        "across": {
            f"{setting}/{size or 'all'}/{horizon}/{regret}": [round(rng.uniform(0, 0.3), 2) for _ in ALGORITHMS]
            for setting in SETTINGS
            for size in SIZES
            for horizon in HORIZONS
            for regret in _regrets(setting)
        },
        "tables": [],
        "left_out": [],
        "choices": [],
    }


def _id(a: int) -> str:
    return ALGORITHMS[a].lower().replace("+", "-plus").replace(" ", "-")


def _players(setting: str, n_arms: int) -> list[int]:
    return [
        a
        for a in range(len(ALGORITHMS))
        if not (setting == "copeland" and a in NEEDS_A_WINNER) and not (n_arms == 64 and a == TOO_SLOW)
    ]


def _regrets(setting: str) -> tuple[str, ...]:
    return ("copeland", "borda") if setting == "copeland" else ("copeland", "weak", "borda")


def _algorithm(a: int) -> dict[str, Any]:
    return {
        "label": ALGORITHMS[a],
        "id": _id(a),
        "name": ALGORITHMS[a],
        "yaml": _id(a),
        "assumes": "a Condorcet winner" if a in NEEDS_A_WINNER else "nothing",
        "anytime": a != NEEDS_THE_HORIZON,
        "reference": f"Somebody, 20{10 + a}",
        "trace_version": 1,
    }


def _problem(name: str, setting: str, n_arms: int) -> dict[str, Any]:
    return {
        "name": name,
        "setting": setting,
        "n_arms": n_arms,
        "winners": [0],
        "yaml": f"{{family: linear, n_arms: {n_arms}, slope: 0.5}}" if "-" in name else name,
        "sha256": "5" * 64,
        "bound": None if setting == "copeland" else float(n_arms),
    }


def _cell(
    rng: np.random.Generator, p: int, name: str, setting: str, a: int, slope: float, horizon: int, runs: int
) -> dict[str, Any]:
    def regret(t: int) -> float:
        return float(t) / 4 if ALGORITHMS[a] == "Random" else slope * math.log(t)

    def figures(value: float) -> list[float]:
        error, skewness = rng.uniform(0.005, 0.08), rng.uniform(-0.5, 2)
        return [float(f"{x:.4g}") for x in (value, error, skewness, 0.9 * value, 1.5 * value, 1.8 * value)]

    is_own = a == NEEDS_THE_HORIZON or horizon == HORIZONS[-1]
    own = [t for t in ROUNDS if t <= horizon]
    return {
        "problem": p,
        "algorithm": a,
        "horizon": horizon,
        "experiment": f"leaderboard-{setting}-long",
        "spec": f"configs/leaderboard/{setting}.yaml",
        "scale": "long",
        "runs": runs,
        "right": float(f"{rng.uniform(0.8, 1):.4g}"),
        "locked_in": float(f"{rng.uniform(0, 0.1):.4g}"),
        "digest": f"{p}{a}" * 32,
        "rounds": 0,
        "regret": {kind: figures(regret(horizon)) for kind in _regrets(setting)},
        "curve": {kind: [regret(t) for t in own] for kind in _regrets(setting)} if is_own else None,
    }
