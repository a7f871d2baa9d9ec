"""What is wrong in a leaderboard.json that somebody has edited: places that are none, and figures that are none."""

from collections.abc import Mapping
from math import inf
from typing import Any

N_FIGURES = 6
"""A cell has so many of each regret."""

SKEWNESS = 2
"""The place of the one figure that may be negative."""


def check(content: Mapping[str, Any]) -> None:
    """Check places and figures of the JSON of a summary whose types are right (`duelbench.leaderboard.types`).

    Parameters
    ----------
    content : mapping
        As `duelbench.leaderboard.summary.Summary.content` gives it.

    Raises
    ------
    ValueError
        With the place (lists from 0) of the first thing that is wrong.

    Examples
    --------
    >>> cell = {"problem": 0, "algorithm": 3}
    >>> check({"level": 0.95, "horizons": [100], "regrets": ["weak"], "settings": [{"id": "order", "title": "Orders"}],
    ...     "algorithms": [], "problems": [], "rounds": [], "cells": [cell], "tables": [], "across": {}})
    Traceback (most recent call last):
        ...
    ValueError: cells[0].problem: 0 is no place in problems, which has 0
    """
    _number("level", content["level"], most=1)
    for number, setting in enumerate(content["settings"]):
        if not {"id", "title"} <= set(setting):
            raise ValueError(f"settings[{number}]: it has no id, or no title")
    for number, problem in enumerate(content["problems"]):
        _number(f"problems[{number}].n_arms", problem["n_arms"], least=2)
        _one_of(f"problems[{number}].setting", problem["setting"], _settings(content))
    for number, cell in enumerate(content["cells"]):
        _check_cell(f"cells[{number}]", cell, content)
    for key, values in content["across"].items():
        where = f"across[{key}]"
        if len(values) != len(content["algorithms"]):
            raise ValueError(f"{where}: it is no list with one number for each algorithm")
        for place, value in enumerate(values):
            if value is not None:
                _number(f"{where}[{place}]", value)
    for number, table in enumerate(content["tables"]):
        _check_table(f"tables[{number}]", table, content)


def _check_cell(where: str, cell: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    for key, of in (("problem", "problems"), ("algorithm", "algorithms"), ("rounds", "rounds")):
        _place(f"{where}.{key}", cell[key], of, content)
    _one_of(f"{where}.horizon", cell["horizon"], content["horizons"])
    _number(f"{where}.runs", cell["runs"], least=1)
    _number(f"{where}.right", cell["right"], most=1)
    if cell["locked_in"] is not None:
        _number(f"{where}.locked_in", cell["locked_in"], most=1)
    for regret, figures in cell["regret"].items():
        _one_of(f"{where}.regret", regret, content["regrets"])
        if len(figures) != N_FIGURES:
            raise ValueError(f"{where}.regret.{regret}: it is no list of {N_FIGURES} numbers")
        for place, figure in enumerate(figures):
            _number(f"{where}.regret.{regret}[{place}]", figure, least=-inf if place == SKEWNESS else 0)


def _check_table(where: str, table: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    _one_of(f"{where}.setting", table["setting"], _settings(content))
    _one_of(f"{where}.horizon", table["horizon"], content["horizons"])
    _one_of(f"{where}.regret", table["regret"], content["regrets"])
    for key in ("problems", "algorithms"):
        for place, value in enumerate(table[key]):
            _place(f"{where}.{key}[{place}]", value, key, content)
    for key in ("score", "low", "high", "group"):
        if len(table[key]) != len(table["algorithms"]):
            raise ValueError(f"{where}.{key}: it has not one number for each of its algorithms")
        for place, value in enumerate(table[key]):
            _number(f"{where}.{key}[{place}]", value, least=-inf if key == "score" else 1)


def _settings(content: Mapping[str, Any]) -> list[str]:
    return [setting["id"] for setting in content["settings"]]


def _place(where: str, value: Any, of: str, content: Mapping[str, Any]) -> None:
    count = len(content[of])
    if not 0 <= value < count:
        raise ValueError(f"{where}: {value!r} is no place in {of}, which has {count}")


def _one_of(where: str, value: Any, known: list[Any]) -> None:
    if value not in known:
        raise ValueError(f"{where}: {value!r} is none of {', '.join(map(str, known))}")


def _number(where: str, value: Any, least: float = 0, most: float = inf) -> None:
    if not least <= value <= most:
        raise ValueError(f"{where}: {value!r} is {'less than' if value < least else 'more than'} it can be")
