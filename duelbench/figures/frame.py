"""How a figure fits the page it is for: its size, its letters, the place of its legend, and whether it is grey.

What is drawn inside ``with framed(frame)`` is drawn so, whatever its kind: the drawing files ask `current`, as they ask
Matplotlib's settings. Outside, and with a frame that asks for nothing, figures have their usual looks.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from duelbench.errors import InputError, nearest_or_all
from duelbench.spec.figure_key import LEGENDS, STYLES, inches, size_in_points

USUAL_FONT_SIZE = 8.5
"""Points, of the names of axes."""

_WIDE = 5.0  # inches: from here on a single panel has its legend on the right


@dataclass(frozen=True)
class Venue:
    """What a style stands for.

    Parameters
    ----------
    width, height : float, optional
        In inches.
    font_size : float
        In points.
    serifs : bool
        Letters like those of Times, beside which a paper's text stands.
    """

    width: float
    height: float | None
    font_size: float
    serifs: bool


VENUES = {
    "ieee": Venue(3.5, None, 8.0, True),
    "ieee-double": Venue(7.16, None, 8.0, True),
    "neurips": Venue(5.5, None, 9.0, True),
    "slides": Venue(10.0, 5.6, 18.0, False),
}
"""Style -> what it stands for; `duelbench.spec.figure_key.STYLES` has the same names."""


@dataclass(frozen=True)
class Frame:
    """How a figure fits its page; None where nothing is asked for.

    Parameters
    ----------
    style : str, optional
        A key of `VENUES`.
    width, height : float, optional
        Of the whole figure with its legend, in inches.
    font_size : float, optional
        In points.
    legend : str, optional
        A key of `duelbench.spec.figure_key.LEGENDS`.
    greyscale : bool
        Whether curves and bars are grey.
    may_grow : bool
        Whether the height is only that of the style, which a figure of stacked panels may exceed.
    """

    style: str | None = None
    width: float | None = None
    height: float | None = None
    font_size: float | None = None
    legend: str | None = None
    greyscale: bool = False
    may_grow: bool = False

    def over(self, other: "Frame") -> "Frame":
        """This frame, and where it asks for nothing, the other; of which no size counts beside a style of this one.

        Examples
        --------
        >>> Frame(width=3.0).over(Frame(width=4.0, font_size=8.0)) == Frame(width=3.0, font_size=8.0)
        True
        >>> Frame(style="ieee").over(Frame(width=4.0, greyscale=True)) == Frame(style="ieee", greyscale=True)
        True
        """
        if self.style is not None:
            other = Frame(legend=other.legend, greyscale=other.greyscale)
        return Frame(
            self.style or other.style,
            self.width or other.width,
            self.height or other.height,
            self.font_size or other.font_size,
            self.legend or other.legend,
            self.greyscale or other.greyscale,
        )

    def settled(self) -> "Frame":
        """The frame with the sizes of its style filled in.

        Examples
        --------
        >>> Frame(style="ieee", font_size=7.0).settled() == Frame("ieee", width=3.5, font_size=7.0)
        True
        """
        if self.style is None:
            return self
        venue = VENUES[self.style]
        height = self.height or (None if self.width else venue.height)
        return replace(
            self,
            width=self.width or venue.width,
            height=height,
            font_size=self.font_size or venue.font_size,
            may_grow=self.may_grow or (height is not None and self.height is None),
        )

    def grown(self) -> "Frame":
        """The frame without the height of its style, where that may be exceeded.

        Examples
        --------
        >>> Frame(style="slides").settled().height, Frame(style="slides").settled().grown().height
        (5.6, None)
        >>> Frame(style="slides", height=4.0).settled().grown().height
        4.0
        """
        return replace(self, height=None, may_grow=False) if self.may_grow else self

    @property
    def has_size(self) -> bool:
        """Whether it says how wide or high the figure is."""
        return self.width is not None or self.height is not None

    @property
    def scale(self) -> float:
        """How large letters and lines are, the usual ones being 1."""
        return 1.0 if self.font_size is None else self.font_size / USUAL_FONT_SIZE

    @property
    def serifs(self) -> bool:
        """Whether letters have serifs."""
        return self.style is not None and VENUES[self.style].serifs

    def place_of_legend(self, n_panels: int) -> str:
        """Where the legend stands: a key of `duelbench.spec.figure_key.LEGENDS`.

        Examples
        --------
        >>> Frame().place_of_legend(1), Frame().place_of_legend(2), Frame(width=3.5).place_of_legend(1)
        ('right', 'below', 'below')
        """
        narrow = self.width is not None and self.width < _WIDE
        return self.legend or ("right" if n_panels == 1 and not narrow else "below")


USUAL_FRAME = Frame()
"""Of figures of which nothing is asked."""


def frame_of(
    style: str | None = None,
    width: object = None,
    height: object = None,
    font_size: object = None,
    legend: str | None = None,
    greyscale: bool = False,
) -> Frame:
    """The frame that is asked for.

    Parameters
    ----------
    style, legend : str, optional
    width, height : str or float, optional
        Text with a unit, as in ``"3.25in"`` or ``"8cm"``, or a number of inches.
    font_size : str or float, optional
        In points.
    greyscale : bool

    Raises
    ------
    InputError
        Naming all that cannot be.

    Examples
    --------
    >>> frame_of(width="2.54cm").width, frame_of(width=3.25, font_size=8).width
    (1.0, 3.25)
    """
    wrong: list[str] = []

    def attempt(option: str, value: object, read: Any) -> float | None:
        if value is None:
            return None
        try:
            return float(read(f"{value}in" if read is inches and _is_number(value) else str(value)))
        except ValueError as error:
            wrong.append(f"--{option} {value}: {error}")
            return None

    for option, value, known in (("style", style, STYLES), ("legend", legend, LEGENDS)):
        if value is not None and value not in known:
            wrong.append(f"--{option} {value}: no {option} is called so{nearest_or_all(value, known)}")
    found = Frame(
        style,
        attempt("width", width, inches),
        attempt("height", height, inches),
        attempt("font-size", font_size, size_in_points),
        legend,
        greyscale,
    )
    if wrong:
        raise InputError("\n".join(wrong))
    return found


def frame_in(figure: Mapping[str, Any]) -> Frame:
    """The frame in the ``figure`` of a resolved spec.

    Examples
    --------
    >>> frame_in({"kind": "bars", "style": "ieee", "font_size": 7}) == Frame("ieee", font_size=7.0)
    True
    """
    return frame_of(**{name: figure[name] for name in KEYS if name in figure})


KEYS = ("style", "width", "height", "font_size", "legend", "greyscale")
"""What a frame is made of, as a spec calls it."""


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


_CURRENT: ContextVar[Frame] = ContextVar("frame", default=USUAL_FRAME)


@contextmanager
def framed(frame: Frame) -> Iterator[None]:
    """Within the ``with`` block figures are drawn for this frame."""
    token = _CURRENT.set(frame.settled())
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Frame:
    """The frame that figures are drawn for, its style filled in.

    Examples
    --------
    >>> with framed(Frame(style="neurips")):
    ...     current().width
    5.5
    >>> current() == Frame()
    True
    """
    return _CURRENT.get()
