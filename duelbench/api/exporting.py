"""Results as one tidy table in a file."""

import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from duelbench.errors import InputError
from duelbench.results import atomic, tables
from duelbench.results.experiments import Experiment
from duelbench.results.tables import Columns, as_csv

NEEDED = ("pandas", "pyarrow")
"""What writes .parquet files."""


def check(target: Path | None, runs: bool, regret: str | None) -> None:
    """Refuse a table that cannot be written, before anything is read."""
    if runs and regret is not None:
        raise InputError(f"regret {regret}: a table of runs has all recorded regrets; leave one of the two out")
    if target is None:
        return
    form = target.suffix.lower()
    if form not in (".csv", ".parquet") or target.is_dir():
        raise InputError(f"{target}: name a file that ends with .csv or .parquet")
    missing = [name for name in NEEDED if form == ".parquet" and importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"{target}: .parquet needs {' and '.join(missing)} (`pip install {' '.join(missing)}`); or write .csv"
        )


def columns_of(experiments: Sequence[Experiment], runs: bool = False, regret: str | None = None) -> Columns:
    """The table of runs or of curves; of several experiments together, with a column that names the experiment.

    What one of them sweeps over, and the others do not, is missing in the others' rows.
    """
    each = [
        tables.run_columns(experiment) if runs else tables.curve_columns(experiment, regret)
        for experiment in experiments
    ]
    if len(each) == 1:
        return each[0]
    names = list(dict.fromkeys(name for columns in each for name in columns))
    lengths = [len(columns["run"]) for columns in each]
    joined = {"experiment": np.repeat([experiment.name for experiment in experiments], lengths)}
    for name in names:
        parts = [
            columns[name].tolist() if name in columns else [None] * length
            for columns, length in zip(each, lengths, strict=True)
        ]
        joined[name] = tables.column([value for part in parts for value in part])
    return joined


def write(columns: Columns, target: Path) -> None:
    """Write a table, in the format that the ending says."""
    if target.suffix.lower() == ".csv":
        data = "".join(as_csv(columns)).encode()
    else:
        import pandas

        content = io.BytesIO()
        pandas.DataFrame(columns).to_parquet(content, index=False)
        data = content.getvalue()
    atomic.write_asked(target, data, f"{target}:")
