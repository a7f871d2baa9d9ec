"""The options of a figure: the ``figure`` of a spec, with defaults filled in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from duelbench.figures.frame import KEYS, USUAL_FRAME, Frame, frame_in
from duelbench.spec.figure_key import ENDS, usual_kind


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
    panels : str
        A key of `duelbench.spec.figure_key.PANELS`.
    single_runs : int
        How many single runs are drawn as thin lines.
    frame : Frame
        The page that the figure is for.
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
    panels: str = "problem"
    single_runs: int = 0
    frame: Frame = USUAL_FRAME
    reference: str | None = None
    bound: str | None = None
    form: str = "ecdf"


def options_of(spec: Mapping[str, Any], kind: str | None = None) -> FigureOptions:
    """The options of a resolved spec, as a manifest holds it.

    With another ``kind`` than the spec's those of the spec do not count, for they are about a figure of its own kind.
    Its size, letters and legend do, but for a place of the legend that the kind has not.

    Examples
    --------
    >>> options_of({}).kind, options_of({"sweep": {}}).kind, options_of({"figure": {"y": [0, 5]}}).y
    ('regret', 'sweep', (0, 5))
    >>> other = options_of({"figure": {"y": [0, 5]}}, "survival")
    >>> other.kind, other.y
    ('survival', None)
    >>> options_of({"figure": {"y": [0, 5], "font_size": 7}}, "survival").frame.font_size
    7.0
    """
    usual = usual_kind("sweep" in spec, "identify" in spec, "budget" in spec)
    given: dict[str, Any] = {"kind": usual, **spec.get("figure", {})}
    frame = frame_in(given)
    if kind not in (None, given["kind"]):
        given = {"kind": kind}
        frame = replace(frame, legend=None) if frame.legend == "ends" and kind not in ENDS else frame
    own: dict[str, Any] = {name: value for name, value in given.items() if name not in KEYS}
    ends: dict[str, Any] = {axis: tuple(given[axis]) for axis in ("x", "y") if axis in given}
    return FigureOptions(**{**own, **ends}, frame=frame)
