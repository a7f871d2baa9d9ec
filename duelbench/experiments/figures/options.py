"""Options of figures of all kinds: pydantic models for specs, commands and programs.

Each kind of figure is a module of `duelbench.experiments.figures.kinds`, with a class ``Options`` that extends
`KindOptions`.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from duelbench.common import mathematics
from duelbench.common.numerals import LENGTH, inches, real_number, shown
from duelbench.common.style_sheet import ENDING
from duelbench.errors import nearest, nearest_or_all
from duelbench.experiments.figures.frame import VENUES, Frame

_NUMERAL = r"^[+-]?\.?[0-9][0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?$"
_SHORTEST, _LONGEST = 1.0, 40.0  # inches

LineStyle = Literal["solid", "dashed", "dotted", "dash-dot", "long", "dash-dot-dot", "-", "--", ":", "-.", "dashdot"]
DASHES_OF = {"-": "solid", "--": "dashed", ":": "dotted", "-.": "dash-dot", "dashdot": "dash-dot"}
"""Matplotlib's names of line styles -> those of `duelbench.experiments.figures.drawing.style.DASHES`, if others."""


def _number(value: Any) -> Any:
    """Text as the number that it spells; a truth value is no number."""
    if isinstance(value, bool):
        raise ValueError("must be a number")
    return real_number(value) if isinstance(value, str) else value


def _length(value: Any) -> str:
    """A length as text; a number is in inches."""
    inches(value, _SHORTEST, _LONGEST)
    return value if isinstance(value, str) else f"{value}in"


def _ends(value: Any) -> Any:
    """Two ends of an axis; text such as ``[100,]`` comes from a command."""
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        texts = [end.strip() for end in value[1:-1].split(",")]
        value = [None if text in ("", "null") else text for text in texts]
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ValueError("must be the two ends of the axis, as in '[0, 500]', or one, as in '[100, null]' or '[100,]'")
    return tuple(None if end is None else _number(end) for end in value)


def _in_order(ends: tuple[float | None, float | None]) -> tuple[float | None, float | None]:
    low, high = ends
    if low is not None and high is not None and low >= high:
        raise ValueError(f"must increase, but {high:g} comes after {low:g}")
    return ends


def _title(value: Any) -> Any:
    return False if value in ("no", "false") else value


def _drawable(text: Any) -> Any:
    """Text whose mathematics can be drawn; anything else as it is."""
    if isinstance(text, str):
        mathematics.check(text)
    return text


def _style(value: str) -> str:
    """A style by its name, or the path of a Matplotlib style sheet."""
    if value not in VENUES and not value.endswith(ENDING):
        raise ValueError(
            f"{shown(value)} is none of {', '.join(VENUES)}{nearest(value, VENUES)}, nor the path of a style sheet"
            f" that ends with {ENDING}"
        )
    return value


def _colour(value: str) -> str:
    from matplotlib.colors import CSS4_COLORS, TABLEAU_COLORS, is_color_like

    if not is_color_like(value):
        hint = nearest(value, [*CSS4_COLORS, *TABLEAU_COLORS]) or "; Matplotlib knows 'red', 'tab:blue', '#d62728'"
        raise ValueError(f"unknown colour {shown(value)}{hint}")
    return value


def _marker(value: str) -> str:
    from matplotlib.markers import MarkerStyle

    known = [marker for marker in MarkerStyle.markers if isinstance(marker, str) and marker.strip()]
    if value not in known:
        raise ValueError(f"unknown marker {shown(value)} (there are {' '.join(known)})")
    return value


def _truth(value: Any) -> Any:
    """A truth value; text comes from a command."""
    if isinstance(value, str):
        return {"yes": True, "true": True, "no": False, "false": False}.get(value, value)
    return value


Where = tuple[str, ...]
"""The names that lead to a part of the options, such as ``("styles", "RUCB", "color")``."""

AxisName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_drawable)]
_STYLES = {"type": "string", "anyOf": [{"enum": list(VENUES)}, {"pattern": rf"\{ENDING}$"}]}

Whole = Annotated[int, BeforeValidator(_number)]
End = int | float | None
Ends = Annotated[
    tuple[End, End],
    BeforeValidator(_ends),
    AfterValidator(_in_order),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"anyOf": [{"type": ["number", "null"]}, {"type": "string", "pattern": _NUMERAL}]},
            "minItems": 2,
            "maxItems": 2,
        }
    ),
]
Truth = Annotated[bool, Field(strict=True), BeforeValidator(_truth)]
Length = Annotated[str, Field(pattern=LENGTH), BeforeValidator(_length)]
Scale = Literal["linear", "log"]
Columns = Annotated[int, Field(ge=1, le=6, description="Panels in a row."), BeforeValidator(_number)]
Band = Literal["ci95", "sem", "std", "iqr", "none", "range"]

TimeEnds = Annotated[Ends | None, Field(description="The ends of the axis of time, in rounds; null for what fits.")]
RegretEnds = Annotated[Ends | None, Field(description="The ends of the upright axis; curves beyond leave it.")]
TimeScale = Annotated[Scale, Field(description="How the axis of time is divided.")]
BandOption = Annotated[
    Band,
    Field(
        description="What the band around a mean is: its 95% confidence interval (with fewer than 8 runs their range),"
        " its standard error, the standard deviation of the runs, their quartiles around the median, nothing, or the"
        " range of the runs."
    ),
]


class LabelStyle(BaseModel):
    """The look of the curves and bars of a label, as Matplotlib describes it; the rest is as by default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    color: Annotated[str, AfterValidator(_colour)] | None = Field(
        None, description="A colour of Matplotlib, such as red, tab:blue or '#d62728'."
    )
    linestyle: LineStyle | None = Field(None, description="The dashes of the line.")
    marker: Annotated[str, AfterValidator(_marker)] | None = Field(
        None, description="A marker of Matplotlib, such as o, s or ^; none for none."
    )
    linewidth: Annotated[float, Field(gt=0, le=20), BeforeValidator(_number)] | None = Field(
        None, description="In points."
    )


class KindOptions(BaseModel):
    """The options that figures of every kind have; lengths are those of the whole figure with its legend."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    log_axes: ClassVar[frozenset[str]] = frozenset()
    """The axes, ``x`` or ``y``, that are logarithmic by default."""

    repeats_unswept: ClassVar[bool] = True
    """Whether an algorithm that a sweep leaves as it is appears at every value, not in a panel of its own."""

    needs: ClassVar[str] = ""
    """A key of `MISSING` without which a spec has nothing to draw; empty if there is none."""

    kind: str
    title: Annotated[str | Literal[False] | None, BeforeValidator(_title), AfterValidator(_drawable)] = Field(
        None, description="In place of the experiment's; false for none."
    )
    xlabel: AxisName | None = Field(None, description="The name of the lower axis.")
    ylabel: AxisName | None = Field(None, description="The name of the upright axis.")
    styles: dict[str, LabelStyle] = Field({}, description="Labels of algorithms, each with its colour, dashes, marker.")
    style: Annotated[str, AfterValidator(_style), WithJsonSchema(_STYLES)] | None = Field(
        None,
        description="ieee: a column of IEEE, 3.5 in wide, 8 pt, with serifs; ieee-double: both columns of IEEE, 7.16 in"
        " wide, 8 pt, with serifs; neurips: the text of NeurIPS, 5.5 in wide, 9 pt, with serifs; slides: a slide, 10 in"
        " wide and 5.6 in high, 18 pt; or the path of a Matplotlib style sheet (.mplstyle), relative to the spec",
    )
    width: Length | None = Field(None, description="Of the whole figure, as in 3.25in.")
    height: Length | None = Field(None, description="Of the whole figure with its legend.")
    font_size: Annotated[int | float, Field(ge=4, le=72), BeforeValidator(_number)] | None = Field(
        None, description="Of the names of axes, in points."
    )
    legend: Literal["best", "right", "below", "none"] | None = Field(
        None,
        description="best: inside the first panel, where it covers least; right: on the right of the panels; below:"
        " below the panels; none: no legend and no caption",
    )
    greyscale: Truth = Field(False, description="Whether curves and bars are grey.")

    @property
    def frame(self) -> Frame:
        """The frame of the figure on its page."""
        width, height = (None if side is None else inches(side) for side in (self.width, self.height))
        is_sheet = (self.style or "").endswith(ENDING)
        style, sheet = (None, self.style) if is_sheet else (self.style, None)
        names = self.xlabel, self.ylabel
        return Frame(style, width, height, self.font_size, self.legend, self.greyscale, sheet, *names)

    def is_log(self, axis: Literal["x", "y"]) -> bool:
        """Whether an axis is logarithmic, as far as the options say so."""
        scale = getattr(self, f"{axis}_scale", None)
        return axis in self.log_axes if scale is None else scale == "log"

    @model_validator(mode="after")
    def _ends_fit_their_axes(self) -> "KindOptions":
        for axis in ("x", "y"):
            low, high = getattr(self, axis, None) or (None, None)
            if high is not None and high <= 0:
                raise ValueError(f"{axis}: must end above 0, where everything is, not at {high:g}")
            if self.is_log(axis) and low is not None and low <= 0:
                raise ValueError(f"{axis}: must start above 0 on a logarithmic axis, not at {low:g}")
        return self

    def misfits(self, spec: Mapping[str, Any]) -> Iterator[tuple[Where, str]]:
        """The places of options that do not fit an experiment, each with what is wrong.

        Parameters
        ----------
        spec : mapping
            Its keys as a manifest has them, as far as they are known; ``labels`` are those of its algorithms.
        """
        labels = spec.get("labels") or list(self.styles)
        for label in self.styles:
            if label not in labels:
                yield ("styles", label), f"{label!r} is not the label of an algorithm{nearest_or_all(label, labels)}"
        if self.needs and self.needs not in spec:
            yield ("kind",), MISSING[self.needs]


PAGE = ("title", "styles", "style", "width", "height", "font_size", "legend", "greyscale")
"""The options of every kind: they are kept if a command draws another kind of figure than the spec's."""

MISSING = {
    "identify": "needs the key 'identify' in the spec, as in 'identify: {target: condorcet}'; `duelbench run` then"
    " uses its runs again",
    "sweep": "needs the key 'sweep' in the spec",
}
"""A key of a spec -> the error of a kind of figure that needs it."""
