"""Options of figures of all kinds: pydantic models for specs, commands and programs.

Each kind of figure is a module of `duelbench.experiments.figures.kinds`, with a class ``Options`` that extends
`KindOptions`.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from duelbench.common.numerals import LENGTH, inches, real_number
from duelbench.experiments.figures.frame import Frame

_NUMERAL = r"^[+-]?\.?[0-9][0-9_]*(\.[0-9_]*)?([eE][+-]?[0-9]+)?$"
_SHORTEST, _LONGEST = 1.0, 40.0  # inches


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


def _truth(value: Any) -> Any:
    """A truth value; text comes from a command."""
    if isinstance(value, str):
        return {"yes": True, "true": True, "no": False, "false": False}.get(value, value)
    return value


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


class KindOptions(BaseModel):
    """The options that figures of every kind have; lengths are those of the whole figure with its legend."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    log_axes: ClassVar[frozenset[str]] = frozenset()
    """The axes, ``x`` or ``y``, that are logarithmic by default."""

    kind: str
    title: Annotated[str | Literal[False] | None, BeforeValidator(_title)] = Field(
        None, description="In place of the experiment's; false for none."
    )
    style: Literal["ieee", "ieee-double", "neurips", "slides"] | None = Field(
        None,
        description="ieee: a column of IEEE, 3.5 in wide, 8 pt, with serifs; ieee-double: both columns of IEEE, 7.16 in"
        " wide, 8 pt, with serifs; neurips: the text of NeurIPS, 5.5 in wide, 9 pt, with serifs; slides: a slide, 10 in"
        " wide and 5.6 in high, 18 pt",
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
        return Frame(self.style, width, height, self.font_size, self.legend, self.greyscale)

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

    def misfits(self, spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The options that do not fit an experiment, each with what is wrong.

        Parameters
        ----------
        spec : mapping
            Its keys as a manifest has them, as far as they are known; ``labels`` are those of its algorithms.
        """
        yield from ()


PAGE = ("title", "style", "width", "height", "font_size", "legend", "greyscale")
"""The options of every kind: they are kept if a command draws another kind of figure than the spec's."""


NEEDS_QUESTION = (
    "needs the key 'identify' in the spec, as in 'identify: {target: condorcet}'; `duelbench run` then"
    " uses its runs again"
)
"""The error for a kind of figure on identification if a spec has no ``identify``."""
