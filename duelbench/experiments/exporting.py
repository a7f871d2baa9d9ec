"""Writes results as one tidy table."""

import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from duelbench.common import atomic
from duelbench.errors import InputError
from duelbench.experiments.figures.numbers import as_csv
from duelbench.experiments.results import tables
from duelbench.experiments.results.experiments import Experiment

if TYPE_CHECKING:
    from pandas import DataFrame


def check(target: Path | None, runs: bool, regret: str | None) -> None:
    """Refuse options for a table that cannot be written."""
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
    """The table of runs, or of their regret at every checkpoint.

    Several experiments have a first column ``experiment``; columns for the sweeps of others are empty.
    """
    import pandas

    frames = []
    for experiment in experiments:
        frame = tables.runs(experiment) if runs else tables.trajectories(experiment, regret)
        if len(experiments) > 1:
            frame.insert(0, "experiment", experiment.name)
        frames.append(frame)
    return frames[0] if len(frames) == 1 else pandas.concat(frames, ignore_index=True)


def write(table: "DataFrame", target: Path) -> None:
    """Write a table as CSV or Parquet, by the ending of the file."""
    if target.suffix.lower() == ".csv":
        data = as_csv(table).encode()
    else:
        content = io.BytesIO()
        table.to_parquet(content, index=False)
        data = content.getvalue()
    atomic.write_asked(target, data, f"{target}:")
