"""Results as one tidy table in a file."""

import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.errors import InputError
from duelbench.figures.numbers import as_csv
from duelbench.results import atomic, tables
from duelbench.results.experiments import Experiment

if TYPE_CHECKING:
    from pandas import DataFrame


def check(target: Path | None, runs: bool, regret: str | None) -> None:
    """Refuse a table that cannot be written, before anything is read."""
    if runs and regret is not None:
        raise InputError(f"regret {regret}: a table of runs has all recorded regrets; leave one of the two out")
    if target is None:
        return
    form = target.suffix.lower()
    if form not in (".csv", ".parquet") or target.is_dir():
        raise InputError(f"{target}: name a file that ends with .csv or .parquet")
    if form == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise InputError(f"{target}: .parquet needs pyarrow (`pip install pyarrow`); or write .csv")


def table_of(experiments: Sequence[Experiment], runs: bool = False, regret: str | None = None) -> "DataFrame":
    """The table of runs, or of their regret at every checkpoint; of several experiments as of `tables.together`."""
    if runs:
        return tables.together(experiments, tables.runs)
    return tables.together(experiments, lambda experiment: tables.trajectories(experiment, regret))


def write(table: "DataFrame", target: Path) -> None:
    """Write a table, in the format that the ending says."""
    if target.suffix.lower() == ".csv":
        data = as_csv(table).encode()
    else:
        content = io.BytesIO()
        table.to_parquet(content, index=False)
        data = content.getvalue()
    atomic.write_asked(target, data, f"{target}:")
