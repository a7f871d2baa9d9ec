"""An experiment as tidy tables (pandas): a row for each run, for each point of a curve, for each checkpoint of a run.

All of them begin with the same columns, which say what a row is of: ``problem``, the coordinates of a sweep such as
``n_arms`` (with ``game``, one of several random matrices), ``algorithm`` (its id), ``label`` and ``horizon`` (rounds).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.errors import InputError, nearest, nearest_or_all
from duelbench.results.answers import answer_columns
from duelbench.results.experiments import Experiment, LoadedCell, check_recorded, found_winner
from duelbench.results.samples import samples
from duelbench.results.settings import beside_parameters
from duelbench.statistics.curves import summarise

if TYPE_CHECKING:
    from pandas import DataFrame


def runs(experiment: Experiment) -> "DataFrame":
    """A row for each run.

    Returns
    -------
    DataFrame
        After the columns that all tables have: ``parameters`` (``alpha=0.51``, defaults too); ``settings``, what else
        is not the default, if anything is; ``run`` (0-based); ``regret_<definition>`` (cumulative, at the horizon, in
        duels); ``recommended`` (0-based); ``recommends_winner`` (by the first definition); ``decisions``; and those of
        `answer_columns` if the spec has ``identify``.
    """
    return _joined(experiment, experiment.cells, [cell.n_runs for cell in experiment.cells], _columns_of_runs)


def _columns_of_runs(experiment: Experiment, cell: LoadedCell, settings: Mapping[str, str]) -> dict[str, Any]:
    entry = experiment.results.content["entries"][cell.stored.position].get("parameters", {})
    parameters = {**entry, **cell.stored.identity.parameters}
    columns: dict[str, Any] = {
        "parameters": ", ".join(f"{name}={value}" for name, value in parameters.items()),
        **settings,
        "run": cell.indices,
    }
    for k, definition in enumerate(experiment.definitions):
        columns[f"regret_{definition}"] = cell.regret[:, k, -1]
    columns["recommended"] = cell.recommended
    columns["recommends_winner"] = found_winner(experiment.definitions[0], cell)[:, -1]
    columns["decisions"] = cell.decisions
    if experiment.results.question is not None:
        columns |= answer_columns(cell, experiment.results.question, "budget" in experiment.results.spec)
    return columns


def curves(experiment: Experiment, definition: str | None = None, band: str = "ci95") -> "DataFrame":
    """A row for each point of a curve: the mean regret of the runs at a checkpoint, with the ends of a band.

    The random matrices at one value of a sweep have one curve.

    Parameters
    ----------
    definition : str, optional
        Of regret; by default the first that was recorded.
    band : str
        What ``low`` and ``high`` are: a key of `duelbench.statistics.curves.BANDS`.

    Returns
    -------
    DataFrame
        After the columns that all tables have: ``settings`` as of `runs`, ``round`` (1-based), ``mean``, ``low``,
        ``high`` (in duels), and ``runs``, how many the mean is of. With the band ``iqr`` also ``median``.

    Raises
    ------
    InputError
        When the definition was not recorded.
    """
    import pandas

    which = index_of(experiment, definition)
    coordinates = [name for name in swept(experiment) if name != "game"]
    has_settings = _has_settings(experiment)
    frames = []
    for sample in samples(experiment):
        if not sample.runs:
            continue
        curve = summarise(sample.rounds, sample.regret(which), band, sample.games)
        columns = {"round": curve.rounds, "mean": curve.mean, "low": curve.low, "high": curve.high, "runs": curve.runs}
        if curve.median is not None:
            columns["median"] = curve.median
        identity = {**_identity(sample.cells[0], coordinates), **_settings(sample.cells[0], has_settings)}
        frames.append(pandas.DataFrame({**identity, **columns}))
    return pandas.concat(frames, ignore_index=True)


def trajectories(experiment: Experiment, definition: str | None = None) -> "DataFrame":
    """A row for each checkpoint of each run.

    Returns
    -------
    DataFrame
        After the columns that all tables have: ``settings`` as of `runs`, ``run`` (0-based), ``round`` (1-based) and
        ``regret`` (cumulative, in duels, of a definition as for `curves`).
    """
    which = index_of(experiment, definition)
    cells = [cell for cell in experiment.cells if cell.n_runs]

    def columns(experiment: Experiment, cell: LoadedCell, settings: Mapping[str, str]) -> dict[str, Any]:
        return {
            **settings,
            "run": np.repeat(cell.indices, len(cell.rounds)),
            "round": np.tile(cell.rounds, cell.n_runs),
            "regret": cell.regret[:, which].ravel(),
        }

    return _joined(experiment, cells, [cell.n_runs * len(cell.rounds) for cell in cells], columns)


def together(experiments: Sequence[Experiment], table: "Callable[[Experiment], DataFrame]") -> "DataFrame":
    """One table of several experiments, with a first column ``experiment`` if there are more than one.

    What an experiment does not sweep over is missing in its rows.
    """
    import pandas

    tables = [table(experiment) for experiment in experiments]
    if len(tables) == 1:
        return tables[0]
    for experiment, frame in zip(experiments, tables, strict=True):
        frame.insert(0, "experiment", experiment.name)
    return pandas.concat(tables, ignore_index=True)


def _joined(
    experiment: Experiment,
    cells: Sequence[LoadedCell],
    n_rows: Sequence[int],
    columns: Callable[[Experiment, LoadedCell, Mapping[str, str]], dict[str, Any]],
) -> "DataFrame":
    """One table of all cells: ``n_rows`` rows of each, with its identity and some columns, `_settings` among them."""
    import pandas

    coordinates, has_settings = swept(experiment), _has_settings(experiment)  # both go through all cells
    parts = [
        pandas.DataFrame(
            {**_identity(cell, coordinates), **columns(experiment, cell, _settings(cell, has_settings))}, index=range(n)
        )
        for cell, n in zip(cells, n_rows, strict=True)
        if n
    ]
    return pandas.concat(parts, ignore_index=True)


def _identity(cell: LoadedCell, coordinates: Sequence[str]) -> dict[str, Any]:
    """The columns that all tables begin with."""
    stored = cell.stored
    values = {name: setting_of(cell, name) for name in coordinates}
    filled = {name: np.nan if value is None else value for name, value in values.items()}
    names = {"algorithm": stored.algorithm, "label": stored.label, "horizon": stored.horizon}
    return {"problem": stored.base, **filled, **names}


def _has_settings(experiment: Experiment) -> bool:
    """Whether anything beside parameters is not the default, in any cell."""
    return any(beside_parameters(cell.stored) for cell in experiment.cells)


def _settings(cell: LoadedCell, has_settings: bool) -> dict[str, str]:
    """The column ``settings``, if the table has one: what is not the default, beside parameters."""
    return {"settings": beside_parameters(cell.stored)} if has_settings else {}


def swept(experiment: Experiment) -> list[str]:
    """The coordinates of the experiment's sweep, but for the horizon, which every table has.

    With ``game`` if there are several random matrices at each value.
    """
    points = [cell.stored.point for cell in experiment.cells if cell.stored.point is not None]
    over = {point.over for point in points if point.over != "horizon"}
    return [*over, *(["game"] if any(point.game is not None for point in points) else [])]


def setting_of(cell: LoadedCell, coordinate: str) -> Any:
    """The value of a cell at a coordinate of `swept`: a number or text, None if the sweep leaves it as it is."""
    point = cell.stored.point
    if point is None or (coordinate != "game" and point.over != coordinate):
        return None
    value = point.game if coordinate == "game" else point.value
    return ",".join(map(str, value)) if isinstance(value, list) else value


def index_of(experiment: Experiment, definition: str | None) -> int:
    """The place of a definition of regret among those that were recorded (else an InputError); of None the first."""
    if definition is None:
        return 0
    check_recorded(experiment, definition)
    return experiment.definitions.index(definition)


def chosen(
    experiment: Experiment, label: str, problem: str | None, horizon: int | None, setting: Mapping[str, Any]
) -> list[LoadedCell]:
    """The cells of one curve: several only if they differ in the random matrix.

    The problem, as in tables, can be None if there is one; the horizon is by default the longest. ``setting`` has
    values of coordinates of `swept`. An InputError says that there is no such curve, or which ones there are.
    """
    cells = [cell for cell in experiment.cells if cell.n_runs]
    coordinates = swept(experiment)
    for coordinate in setting:
        if coordinate not in coordinates:
            known = f"has {', '.join(coordinates)}" if coordinates else "has no sweep"
            hint = nearest(coordinate, coordinates) or f"; {experiment.name} {known}"
            raise InputError(f"{coordinate}: no setting of these results{hint}")
    cells = _kept(cells, "label", label, lambda cell: cell.stored.label)
    cells = _kept(cells, "problem", problem, lambda cell: cell.stored.base)
    for coordinate in coordinates:
        if coordinate != "game" or coordinate in setting:
            cells = _kept(cells, coordinate, setting.get(coordinate), partial(setting_of, coordinate=coordinate))
    wanted = horizon if horizon is not None else max(cell.stored.horizon for cell in cells)
    return _kept(cells, "horizon", wanted, lambda cell: cell.stored.horizon)


def _kept(cells: Sequence[LoadedCell], column: str, wanted: Any, of: Callable[..., Any]) -> list[LoadedCell]:
    """The cells with the wanted value in a column; all of them if none is wanted and all have the same."""
    values = list(dict.fromkeys(of(cell) for cell in cells))
    if wanted is None and len(values) > 1:
        listed = ", ".join(map(str, values))
        raise InputError(f"there are results for several values of {column} ({listed}): say which, with {column}=...")
    kept = [cell for cell in cells if wanted is None or of(cell) == wanted]
    if not kept:
        raise InputError(f"{column} {wanted}: there are no such results{nearest_or_all(wanted, values)}")
    return kept
