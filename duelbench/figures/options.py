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
        A key of `duelbench.spec.figure_key.KINDS`.
    x, y : (float, float), optional
        Ends of the axes; by default they fit the data.
    x_scale, y_scale : str
        ``linear`` or ``log``; empty by default. ``x_scale`` is then logarithmic for time, and for what is swept over if
        its values span a decade; ``y_scale`` is linear, but logarithmic for ``quantiles``. ``survival`` has no choice.
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
    reference : str, optional
        The label of the algorithm whose mean regret others are divided by.
    bound : str, optional
        The bound that regret is divided by.
    form : str
        ``ecdf`` or ``box``.
    """

    kind: str = "regret"
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    x_scale: str = ""
    y_scale: str = ""
    band: str = "ci95"
    columns: int | None = None
    pool: bool = False
    statistic: str = "std"
    normalise_to: str | None = None
    run: int = 0
    reference: str | None = None
    bound: str | None = None
    form: str = "ecdf"


def options_of(spec: Mapping[str, Any], kind: str | None = None) -> FigureOptions:
    """The options of a resolved spec, as a manifest holds it.

    With another ``kind`` than the spec's those of the spec do not count: they are about a figure of its own kind.

    Examples
    --------
    >>> options_of({}).kind, options_of({"sweep": {}}).kind, options_of({"figure": {"y": [0, 5]}}).y
    ('regret', 'sweep', (0, 5))
    >>> other = options_of({"figure": {"y": [0, 5]}}, "survival")
    >>> other.kind, other.y
    ('survival', None)
    """
    given: dict[str, Any] = {"kind": "sweep" if "sweep" in spec else "regret", **spec.get("figure", {})}
    if kind not in (None, given["kind"]):
        given = {"kind": kind}
    ends: dict[str, Any] = {axis: tuple(given[axis]) for axis in ("x", "y") if axis in given}
    return FigureOptions(**{**given, **ends})
