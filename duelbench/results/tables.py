"""Final values and curves of the runs of an experiment, as tidy columns: for notebooks and CSV files.

A table is a mapping of a column's name to its values, all of one length. With pandas it becomes a DataFrame, without it
a structured array with the same columns.
"""

import csv
import importlib.util
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from duelbench.errors import InputError, nearest, nearest_or_all
from duelbench.results.answers import answer_columns
from duelbench.results.experiments import Experiment, LoadedCell, check_recorded, found_winner
from duelbench.results.settings import beside_parameters

if TYPE_CHECKING:
    import pandas

Columns = dict[str, np.ndarray]
Table = Union["pandas.DataFrame", np.ndarray]

_ROWS_AT_ONCE = 10_000


def swept(experiment: Experiment) -> list[str]:
    """The columns that say where in the experiment's sweep a run stands, but for the horizon, which every table has.

    With ``game`` where there are several random matrices at each value.
    """
    points = [cell.stored.point for cell in experiment.cells if cell.stored.point is not None]
    over = {point.over for point in points if point.over != "horizon"}
    return [*over, *(["game"] if any(point.game is not None for point in points) else [])]


def setting_of(cell: LoadedCell, column: str) -> Any:
    """What a cell has in a column of `swept`: a number or text, None where the sweep does not concern it."""
    point = cell.stored.point
    if point is None or (column != "game" and point.over != column):
        return None
    value = point.game if column == "game" else point.value
    return ",".join(map(str, value)) if isinstance(value, list) else value


def run_columns(experiment: Experiment) -> Columns:
    """One row for each run.

    The columns are ``problem``, ``label``, ``algorithm`` (its id), ``parameters`` (``alpha=0.51``, the defaults too),
    those of `swept`, ``run`` (0-based), ``horizon`` (rounds), ``regret_<definition>`` (cumulative, at the horizon, in
    duels), ``recommended`` (0-based), ``recommends_winner`` (by the first definition), ``decisions``, and those of
    `answer_columns` where the spec has ``identify``.
    """
    cells = experiment.cells
    first = experiment.definitions[0]
    return {
        "problem": _repeated(cells, _problem_of),
        "label": _repeated(cells, lambda cell: cell.stored.label),
        "algorithm": _repeated(cells, lambda cell: cell.stored.algorithm),
        "parameters": _repeated(cells, lambda cell: _parameters(experiment, cell)),
        **_setting_columns(experiment, cells, [cell.n_runs for cell in cells]),
        **_played_column(cells),
        "run": _joined(cell.indices for cell in cells),
        "horizon": _repeated(cells, lambda cell: cell.stored.horizon),
        **{
            f"regret_{name}": _joined(cell.regret[:, k, -1] for cell in cells if cell.n_runs)
            for k, name in enumerate(experiment.definitions)
        },
        "recommended": _joined(cell.recommended for cell in cells),
        "recommends_winner": _joined(found_winner(first, cell)[:, -1] for cell in cells if cell.n_runs),
        "decisions": _joined(cell.decisions for cell in cells),
        **_answers(experiment),
    }


def _played_column(cells: Sequence[LoadedCell], counts: Sequence[int] | None = None) -> Columns:
    """The column ``settings``: what is not the default, beside parameters; none where everything is."""
    words = {id(cell): beside_parameters(cell.stored) for cell in cells}
    if not any(words.values()):
        return {}
    return {"settings": _repeated(cells, lambda cell: words[id(cell)], counts)}


def _answers(experiment: Experiment) -> Columns:
    """The columns of answers, of an experiment that asks for them; integers where no cell lacks one."""
    question = experiment.results.question
    if question is None:
        return {}
    has_budget = "budget" in experiment.results.spec
    of_cells = [answer_columns(cell, question, has_budget) for cell in experiment.cells if cell.n_runs]
    columns = {name: _joined(one[name] for one in of_cells) for name in of_cells[0]}
    return {name: x if x.dtype == bool or np.isnan(x).any() else x.astype(np.int64) for name, x in columns.items()}


def curve_columns(experiment: Experiment, definition: str | None = None) -> Columns:
    """One row for each run and checkpoint, with the regret of a definition as of `index_of`.

    The columns are ``problem``, ``label``, those of `swept`, ``horizon`` (rounds), ``run`` (0-based), ``round``
    (1-based) and ``regret`` (cumulative, in duels).
    """
    which = index_of(experiment, definition)
    cells = [cell for cell in experiment.cells if cell.n_runs]
    counts = [cell.n_runs * len(cell.rounds) for cell in cells]
    return {
        "problem": _repeated(cells, _problem_of, counts),
        "label": _repeated(cells, lambda cell: cell.stored.label, counts),
        **_setting_columns(experiment, cells, counts),
        **_played_column(cells, counts),
        "horizon": _repeated(cells, lambda cell: cell.stored.horizon, counts),
        "run": _joined(np.repeat(cell.indices, len(cell.rounds)) for cell in cells),
        "round": _joined(np.tile(cell.rounds, cell.n_runs) for cell in cells),
        "regret": _joined(cell.regret[:, which].ravel() for cell in cells),
    }


def index_of(experiment: Experiment, definition: str | None) -> int:
    """The place of a definition of regret among those that were recorded (else an InputError); of None the first."""
    if definition is None:
        return 0
    check_recorded(definition, experiment.name, experiment.definitions)
    return experiment.definitions.index(definition)


def chosen(
    experiment: Experiment, label: str, problem: str | None, horizon: int | None, setting: Mapping[str, Any]
) -> list[LoadedCell]:
    """The cells of one curve: several only where they differ in the random matrix.

    The problem, as in tables, can be None where there is one; the horizon is by default the longest. ``setting`` has
    values of columns of `swept`. An InputError says that there is no such curve, or which ones there are.
    """
    cells = [cell for cell in experiment.cells if cell.n_runs]
    columns = swept(experiment)
    for column in setting:
        if column not in columns:
            there = f"has {', '.join(columns)}" if columns else "has no sweep"
            hint = nearest(column, columns) or f"; {experiment.name} {there}"
            raise InputError(f"{column}: no setting of these results{hint}")
    cells = _kept(cells, "label", label, lambda cell: cell.stored.label)
    cells = _kept(cells, "problem", problem, _problem_of)
    for column in columns:
        if column != "game" or column in setting:
            cells = _kept(cells, column, setting.get(column), partial(setting_of, column=column))
    wanted = horizon if horizon is not None else max(cell.stored.horizon for cell in cells)
    return _kept(cells, "horizon", wanted, lambda cell: cell.stored.horizon)


def _kept(cells: Sequence[LoadedCell], column: str, wanted: Any, of: Callable[..., Any]) -> list[LoadedCell]:
    """The cells with the wanted value in a column; all of them if none is wanted and all have the same."""
    there = list(dict.fromkeys(of(cell) for cell in cells))
    if wanted is None and len(there) > 1:
        listed = ", ".join(map(str, there))
        raise InputError(f"there are results for several values of {column} ({listed}): say which, with {column}=...")
    kept = [cell for cell in cells if wanted is None or of(cell) == wanted]
    if not kept:
        raise InputError(f"{column} {wanted}: there are no such results{nearest_or_all(wanted, there)}")
    return kept


def as_table(columns: Columns) -> Table:
    """A pandas DataFrame where pandas is installed, else a structured array with the same columns, one row an entry.

    Examples
    --------
    >>> table = as_table({"label": np.array(["RUCB", "D-TS"]), "run": np.array([0, 1])})
    >>> table["label"].tolist(), int(table["run"].sum())
    (['RUCB', 'D-TS'], 1)
    """
    if importlib.util.find_spec("pandas") is not None:
        import pandas

        return pandas.DataFrame(columns)
    n_rows = len(next(iter(columns.values())))
    table = np.empty(n_rows, dtype=[(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        table[name] = values
    return table


def as_csv(columns: Columns) -> Iterator[str]:
    """The table as CSV, in parts; numbers are read back to the last bit, and what is missing is empty.

    Examples
    --------
    >>> "".join(as_csv({"label": np.array(["a, b", "c"]), "regret": np.array([0.1, np.nan])}))
    'label,regret\\n"a, b",0.1\\nc,\\n'
    """
    yield _csv_lines([list(columns)])
    n_rows = len(next(iter(columns.values())))
    for start in range(0, n_rows, _ROWS_AT_ONCE):
        parts = [values[start : start + _ROWS_AT_ONCE].tolist() for values in columns.values()]
        # csv writes a float so that it is read back exactly; nan is not equal to itself.
        yield _csv_lines(zip(*([x if x == x else "" for x in part] for part in parts), strict=True))


def _csv_lines(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def column(values: Sequence[Any]) -> np.ndarray:
    """Values as an array: whole numbers, numbers (nan for None), truths or text (empty for None).

    Examples
    --------
    >>> column([1, None]).tolist(), column([1, 2]).tolist(), column(["a", None]).tolist()
    ([1.0, nan], [1, 2], ['a', ''])
    """
    known = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in values) or all(type(value) is int for value in values):
        return np.array(values)
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(["" if value is None else str(value) for value in values])


def _repeated(
    cells: Sequence[LoadedCell], of: Callable[[LoadedCell], Any], counts: Sequence[int] | None = None
) -> np.ndarray:
    """A column with what each cell has, once for each of its rows, by default its runs."""
    return np.repeat(column([of(cell) for cell in cells]), counts or [cell.n_runs for cell in cells])


def _setting_columns(experiment: Experiment, cells: Sequence[LoadedCell], counts: Sequence[int]) -> Columns:
    return {name: _repeated(cells, partial(setting_of, column=name), counts) for name in swept(experiment)}


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate(list(parts))


def _problem_of(cell: LoadedCell) -> str:
    return cell.stored.base


def _parameters(experiment: Experiment, cell: LoadedCell) -> str:
    own = experiment.results.content["entries"][cell.stored.position].get("parameters", {})
    return ", ".join(f"{name}={value}" for name, value in {**own, **cell.stored.identity.parameters}.items())
