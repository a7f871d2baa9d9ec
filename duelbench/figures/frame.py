"""How a figure fits the page it is for: its size, its letters, the place of its legend, and whether it is grey.

What is drawn inside ``with framed(frame)`` is drawn so, whatever its kind: the drawing files ask `current`, as they ask
Matplotlib's settings. Outside, and with a frame that asks for nothing, figures have their usual looks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import NamedTuple

USUAL_FONT_SIZE = 8.5
"""Points, of the names of axes."""

_WIDE = 5.0  # inches: from here on a single panel has its legend on the right


class Venue(NamedTuple):
    """What a style stands for."""

    width: float  # inches
    height: float | None
    font_size: float  # points
    serifs: bool  # letters like those of Times, beside which a paper's text stands


VENUES = {
    "ieee": Venue(3.5, None, 8.0, True),
    "ieee-double": Venue(7.16, None, 8.0, True),
    "neurips": Venue(5.5, None, 9.0, True),
    "slides": Venue(10.0, 5.6, 18.0, False),
}
"""Style -> what it stands for; `duelbench.spec.figure_key.STYLES` has the same names."""


@dataclass(frozen=True)
class Frame:
    """How a figure fits its page; None where nothing is asked for."""

    style: str | None = None  # a key of `VENUES`
    width: float | None = None  # inches, of the whole figure with its legend
    height: float | None = None
    font_size: float | None = None  # points
    legend: str | None = None  # a key of `duelbench.spec.figure_key.LEGENDS`
    greyscale: bool = False
    may_grow: bool = False  # the height is that of the style, which a figure of stacked panels may exceed

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
