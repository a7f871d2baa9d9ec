"""An experiment as pandas tables.

`runs` has a row for each run, `curves` for each point of a mean curve, `trajectories` for each checkpoint of each run.

The first columns of all tables are ``problem``, the coordinates of a sweep such as ``n_arms`` (with ``game``, the index
of a random matrix, if there are several), ``algorithm`` (its id), ``label`` and ``horizon`` (rounds).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.bandits.statistics.curves import summarise
from duelbench.errors import InputError, nearest, nearest_or_all
from duelbench.experiments.results.answers import answer_columns
from duelbench.experiments.results.experiments import Experiment, LoadedCell, choose_definition, found_winner
from duelbench.experiments.results.samples import samples
from duelbench.experiments.results.settings import beside_parameters

if TYPE_CHECKING:
    from pandas import DataFrame


def runs(experiment: Experiment) -> "DataFrame":
    """A row for each run.

    Returns
    -------
    DataFrame
        After the first columns: ``parameters`` (``alpha=0.51``, with defaults); ``settings``, all other settings that
        are not the default, if there are any; ``run`` (0-based); ``regret_<definition>`` (cumulative, at the horizon,
        in duels); ``recommended`` (0-based); ``recommends_winner`` (by the first definition); ``decisions``; and if the
        spec has ``identify``, the columns of `answer_columns`.
    """
    question, coordinates = experiment.results.question, _coordinates(experiment)
    parts = []
    for cell in experiment.cells:
        if not cell.n_runs:
            continue
        entry = experiment.results.content["entries"][cell.stored.position].get("parameters", {})
        parameters = {**entry, **cell.stored.identity.parameters}
        columns: dict[str, Any] = {
            **_first_columns(cell, coordinates),
            "parameters": ", ".join(f"{name}={value}" for name, value in parameters.items()),
            "settings": beside_parameters(cell.stored),
            "run": cell.indices,
        }
        for k, definition in enumerate(experiment.definitions):
            columns[f"regret_{definition}"] = cell.regret[:, k, -1]
        columns["recommended"] = cell.recommended
        columns["recommends_winner"] = found_winner(experiment.definitions[0], cell)[:, -1]
        columns["decisions"] = cell.decisions
        if question is not None:
            columns |= answer_columns(cell, question, "budget" in experiment.results.spec)
        parts.append(columns)
    return _frame(parts)


def curves(experiment: Experiment, definition: str | None = None, band: str = "ci95") -> "DataFrame":
    """A row for each point of a curve: the mean regret of the runs at a checkpoint, with the ends of a band.

    All random matrices at one value of a sweep share one curve.

    Parameters
    ----------
    definition : str, optional
        The definition of regret; by default the first that was recorded.
    band : str
        What ``low`` and ``high`` are: a key of `duelbench.bandits.statistics.curves.BANDS`.

    Returns
    -------
    DataFrame
        After the first columns: ``settings`` as in `runs`, ``round`` (1-based), ``mean``, ``low``, ``high`` (in duels),
        and ``runs``, the number of runs. With the band ``iqr`` also ``median``.

    Raises
    ------
    InputError
        When the definition was not recorded.
    """
    which = index_of(experiment, definition)
    coordinates = [name for name in _coordinates(experiment) if name != "game"]
    parts = []
    for sample in samples(experiment):
        if not sample.runs:
            continue
        curve = summarise(sample.rounds, sample.regret(which), band, sample.games)
        columns = {
            **_first_columns(sample.cells[0], coordinates),
            "settings": beside_parameters(sample.stored),
            "round": curve.rounds,
            "mean": curve.mean,
            "low": curve.low,
            "high": curve.high,
            "runs": curve.runs,
        }
        if curve.median is not None:
            columns["median"] = curve.median
        parts.append(columns)
    return _frame(parts)


def trajectories(experiment: Experiment, definition: str | None = None) -> "DataFrame":
    """A row for each checkpoint of each run.

    Returns
    -------
    DataFrame
        After the first columns: ``settings`` as in `runs`, ``run`` (0-based), ``round`` (1-based) and ``regret``
        (cumulative, in duels, of a definition as for `curves`).
    """
    which, coordinates = index_of(experiment, definition), _coordinates(experiment)
    parts = []
    for cell in experiment.cells:
        if not cell.n_runs:
            continue
        columns = {
            **_first_columns(cell, coordinates),
            "settings": beside_parameters(cell.stored),
            "run": np.repeat(cell.indices, len(cell.rounds)),
            "round": np.tile(cell.rounds, cell.n_runs),
            "regret": cell.regret[:, which].ravel(),
        }
        parts.append(columns)
    return _frame(parts)


def _frame(parts: Sequence[Mapping[str, Any]]) -> "DataFrame":
    """One table of the columns of several parts, without the column ``settings`` if it is empty."""
    import pandas

    table = pandas.concat([pandas.DataFrame(columns) for columns in parts], ignore_index=True)
    return table if any(columns["settings"] for columns in parts) else table.drop(columns="settings")


def _first_columns(cell: LoadedCell, coordinates: Sequence[str]) -> dict[str, Any]:
    """The columns with which all tables start."""
    stored = cell.stored
    columns: dict[str, Any] = {"problem": stored.base}
    for name in coordinates:
        value = _coordinate_of(cell, name)
        columns[name] = np.nan if value is None else value
    return {**columns, "algorithm": stored.algorithm, "label": stored.label, "horizon": stored.horizon}


def _coordinates(experiment: Experiment) -> list[str]:
    """The columns for an experiment's sweep, without the horizon, which every table has.

    They contain ``game`` if there are several random matrices at each value.
    """
    points = [cell.stored.point for cell in experiment.cells if cell.stored.point is not None]
    coordinates = list(dict.fromkeys(point.over for point in points if point.over != "horizon"))
    if any(point.game is not None for point in points):
        coordinates.append("game")
    return coordinates


def _coordinate_of(cell: LoadedCell, coordinate: str) -> Any:
    """The value of a cell in a column of `_coordinates`; None if the sweep does not change the cell."""
    point = cell.stored.point
    if point is None or (coordinate != "game" and point.over != coordinate):
        return None
    value = point.game if coordinate == "game" else point.value
    return ",".join(map(str, value)) if isinstance(value, list) else value


def index_of(experiment: Experiment, definition: str | None) -> int:
    """The index of a definition of regret among those that were recorded; 0 for None.

    Raises an `InputError` if it was not recorded.
    """
    return experiment.definitions.index(choose_definition([experiment], definition))


def chosen(
    experiment: Experiment, label: str, problem: str | None, horizon: int | None, wanted: Mapping[str, Any]
) -> list[LoadedCell]:
    """The cells of one curve: several only if they differ in the random matrix.

    The problem, as in tables, can be None if there is only one; the horizon is by default the longest. ``wanted`` has
    values of columns of `_coordinates`. Raises an `InputError` if there is no such curve, or more than one.
    """
    cells = [cell for cell in experiment.cells if cell.n_runs]
    coordinates = _coordinates(experiment)
    for coordinate in wanted:
        if coordinate not in coordinates:
            known = f"{experiment.name} has {', '.join(coordinates) or 'no sweep'}"
            hint = nearest(coordinate, coordinates) or f"; {known}"
            raise InputError(f"{coordinate}: no setting of these results{hint}")
    cells = _with_value(cells, "label", label, lambda cell: cell.stored.label)
    cells = _with_value(cells, "problem", problem, lambda cell: cell.stored.base)
    for coordinate in coordinates:
        if coordinate != "game" or coordinate in wanted:
            cells = _with_value(
                cells, coordinate, wanted.get(coordinate), partial(_coordinate_of, coordinate=coordinate)
            )
    if horizon is None:
        horizon = max(cell.stored.horizon for cell in cells)
    return _with_value(cells, "horizon", horizon, lambda cell: cell.stored.horizon)


def _with_value(
    cells: Sequence[LoadedCell], column: str, wanted: Any, value_of: Callable[[LoadedCell], Any]
) -> list[LoadedCell]:
    """The cells with the wanted value in a column; if that is None, all of them, which must have the same value."""
    values = list(dict.fromkeys(value_of(cell) for cell in cells))
    if wanted is None and len(values) > 1:
        listed = ", ".join(map(str, values))
        raise InputError(f"there are results for several values of {column} ({listed}): say which, with {column}=...")
    chosen_cells = [cell for cell in cells if wanted is None or value_of(cell) == wanted]
    if not chosen_cells:
        raise InputError(f"{column} {wanted}: there are no such results{nearest_or_all(wanted, values)}")
    return chosen_cells
