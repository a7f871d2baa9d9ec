"""The options of a figure: the ``figure`` of a spec, with defaults filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FigureOptions:
    """The ``figure`` of a spec; which options a kind has, `duelbench.spec.figure_key` says.

    Parameters
    ----------
    kind : str
        ``regret``, ``bars``, ``sweep`` or ``self-duels``.
    x, y : (float, float), optional
        Ends of the axes; by default they fit the data.
    x_scale, y_scale : str
        ``linear`` or ``log``; for ``x_scale`` empty by default: logarithmic for time, and for what is swept over if its
        values span a decade.
    band : str
        A key of `duelbench.statistics.curves.BANDS`.
    columns : int, optional
        Panels in a row.
    pool : bool
        One panel with the runs on all problems together.
    statistic : str
        ``std`` or ``mean``.
    normalise_to : str, optional
        A label.
    run : int
        0-based.
    """

    kind: str = "regret"
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    x_scale: str = ""
    y_scale: str = "linear"
    band: str = "ci95"
    columns: int | None = None
    pool: bool = False
    statistic: str = "std"
    normalise_to: str | None = None
    run: int = 0


def options_of(spec: Mapping[str, Any]) -> FigureOptions:
    """The options of a resolved spec, as a manifest holds it.

    Examples
    --------
    >>> options_of({}).kind, options_of({"sweep": {}}).kind, options_of({"figure": {"y": [0, 5]}}).y
    ('regret', 'sweep', (0, 5))
    """
    given: dict[str, Any] = {"kind": "sweep" if "sweep" in spec else "regret", **spec.get("figure", {})}
    ends: dict[str, Any] = {axis: tuple(given[axis]) for axis in ("x", "y") if axis in given}
    return FigureOptions(**{**given, **ends})
