"""The options of a figure: those of a spec, and what a command or a program asks for over them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from duelbench.errors import InputError
from duelbench.figures.frame import USUAL_FRAME, Frame
from duelbench.spec.figure_key import inches, misplaced, usual_kind

_OF_FRAME = ("style", "width", "height", "font_size", "legend", "greyscale")


@dataclass(frozen=True)
class FigureOptions:
    """What a figure is to be; which options a kind has, `duelbench.spec.figure_key` says, and what they mean."""

    kind: str = "regret"
    x: tuple[float, float] | None = None  # ends of the axes; by default they fit the data
    y: tuple[float, float] | None = None
    x_scale: str = ""  # by default logarithmic for time, and for what is swept over if that spans a decade
    y_scale: str = ""  # by default linear; logarithmic for `quantiles`, `survival`, and regret that spans a decade
    band: str = "ci95"
    columns: int | None = None
    pool: bool = False
    statistic: str = "std"
    normalise_to: str | None = None
    run: int = 0
    panels: str = "problem"
    single_runs: int = 0
    frame: Frame = USUAL_FRAME
    form: str = "ecdf"
    first_round: int | None = None
    title: str | bool | None = None  # in place of the experiment's; False for none
    together: bool = False

    def title_of(self, usual: str | None) -> str | None:
        """The title of a figure, by default the ``usual`` one; None for none."""
        return usual if self.title is None or self.title is True else self.title or None


def options_of(spec: Mapping[str, Any], asked: Mapping[str, Any] | None = None) -> FigureOptions:
    """The options of a resolved spec, as a manifest holds it, with those that are ``asked`` for over them.

    For another ``kind`` than the spec's, only its size, letters and legend count, without sizes if another style is
    asked for. ``asked`` is what
    `duelbench.spec.figure_key.read_options` returns.

    Raises
    ------
    InputError
        When some are no options of the kind of figure, naming all of them.

    Examples
    --------
    >>> options_of({}).kind, options_of({"sweep": {}}).kind, options_of({"figure": {"y": [0, 5]}}).y
    ('regret', 'sweep', (0, 5))
    >>> other = options_of({"figure": {"y": [0, 5], "font_size": 7}}, {"kind": "survival", "style": "ieee"})
    >>> other.kind, other.y, other.frame == Frame(style="ieee")
    ('survival', None, True)
    """
    asked = {} if asked is None else asked
    given: dict[str, Any] = {"kind": usual_kind("sweep" in spec, "identify" in spec, "budget" in spec)}
    given |= spec.get("figure", {})
    kind = asked.get("kind", given["kind"])
    if kind == "sweep" and "sweep" not in spec:
        raise InputError(f"kind sweep: the spec of {spec.get('name')} has no sweep")
    if wrong := [f"{name}: {message}" for name, message in misplaced(asked, kind)]:
        raise InputError("\n".join(wrong))
    if kind != given["kind"]:
        given = {name: value for name, value in given.items() if name in _OF_FRAME}
    left_out = {"width", "height", "font_size"} if "style" in asked else set()
    own = {**{name: value for name, value in given.items() if name not in left_out}, **asked}
    if (top := own.pop("ymax", None)) is not None:
        low = own["y"][0] if "y" in own else 0
        own["y"] = (low if low < top else 0, top)
    for axis in {"x", "y"}.intersection(own):
        own[axis] = tuple(own[axis])
    frame = {name: own.pop(name) for name in _OF_FRAME if name in own}
    for side in {"width", "height"}.intersection(frame):
        frame[side] = inches(frame[side])
    return FigureOptions(**own, frame=Frame(**frame))
