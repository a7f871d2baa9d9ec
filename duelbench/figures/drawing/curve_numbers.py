"""The numbers of figures with other curves over time than regret, as CSV."""

from collections.abc import Iterable, Sequence

from duelbench.figures.content.panels import Panel
from duelbench.figures.drawing.regret_figure import Options, csv_of, visible


def accuracy_numbers(panels: Sequence[Panel], options: Options, only: Iterable[str] | None) -> str:
    """Shares of the runs that recommend a winner, with their intervals."""
    return _numbers(panels, options, only, "accuracy", {})


def error_numbers(panels: Sequence[Panel], options: Options, only: Iterable[str] | None) -> str:
    """Shares of the runs whose recommended arm is wrong, with their intervals."""
    return _numbers(panels, options, only, "error", {})


def ratio_numbers(panels: Sequence[Panel], options: Options, only: Iterable[str] | None, reference: str) -> str:
    """Ratios of mean regrets, with their intervals; these are empty where there are none."""
    return _numbers(panels, options, only, "ratio", {"reference": reference})


def _numbers(
    panels: Sequence[Panel], options: Options, only: Iterable[str] | None, name: str, said: dict[str, str]
) -> str:
    """Exactly the points drawn, in the order drawn; numbers are read back to the last bit."""
    columns = ("problem", "algorithm", "label", *said, "round", name, "low", "high", "runs")
    rows = []
    for panel in (visible(panel, options, only) for panel in panels):
        for entry in panel.entries:
            curve = entry.curve
            for k, t in enumerate(curve.rounds.tolist()):
                has_ends = curve.low[k] < curve.high[k]
                rows.append(
                    {
                        "problem": panel.problem,
                        "algorithm": entry.algorithm,
                        "label": entry.label,
                        **said,
                        "round": t,
                        name: repr(float(curve.mean[k])),
                        "runs": int(curve.runs[k]),
                        "low": repr(float(curve.low[k])) if has_ends else "",
                        "high": repr(float(curve.high[k])) if has_ends else "",
                    }
                )
    return csv_of(columns, rows)
