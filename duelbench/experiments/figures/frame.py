"""The frame of a figure on a page: its size, its letters, the place of its legend, and whether it is grey.

Everything drawn inside ``with framed(frame)`` asks `current`, as it asks Matplotlib's settings.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from duelbench.common import style_sheet

USUAL_FONT_SIZE = 8.5
"""Points, of the names of axes."""

_WIDE = 5.0  # inches: from here on a single panel has its legend on the right


class Venue(NamedTuple):
    """The size and the letters of a style."""

    width: float | None  # inches
    height: float | None
    font_size: float | None  # points
    serifs: bool  # letters like Times, as in a paper's text


VENUES = {
    "ieee": Venue(3.5, None, 8.0, True),
    "ieee-double": Venue(7.16, None, 8.0, True),
    "neurips": Venue(5.5, None, 9.0, True),
    "slides": Venue(10.0, 5.6, 18.0, False),
}
"""The ``style`` of a figure -> its size and letters."""


@dataclass(frozen=True)
class Frame:
    """The frame of a figure on a page; None means the default."""

    style: str | None = None  # a key of `VENUES`
    width: float | None = None  # inches, of the whole figure with its legend
    height: float | None = None
    font_size: float | None = None  # points
    legend: str | None = None  # where the legend is: best, right, below or none
    greyscale: bool = False
    sheet: str | None = None  # the path of a Matplotlib style sheet
    xlabel: str | None = None  # names of axes, in place of those of the kind
    ylabel: str | None = None

    def settled(self) -> "Frame":
        """The frame with the sizes of its style or style sheet filled in.

        Examples
        --------
        >>> Frame(style="ieee", font_size=7.0).settled() == Frame("ieee", width=3.5, font_size=7.0)
        True
        """
        width, height = self.own.get("figure.figsize", (None, None))
        of_sheet = Venue(width, height, self.own.get("font.size"), False)
        venue = of_sheet if self.style is None else VENUES[self.style]
        height = self.height or (None if self.width else venue.height)
        return replace(
            self, width=self.width or venue.width, height=height, font_size=self.font_size or venue.font_size
        )

    @property
    def own(self) -> Mapping[str, Any]:
        """The settings of the style sheet."""
        return style_sheet.settings(Path(self.sheet)) if self.sheet else {}

    @property
    def may_grow(self) -> bool:
        """Whether the height is that of the style, which a figure of stacked panels may exceed."""
        return self.style is not None and self.height in (None, VENUES[self.style].height)

    def grown(self) -> "Frame":
        """The frame without the height of its style."""
        return replace(self, height=None) if self.may_grow else self

    @property
    def has_size(self) -> bool:
        """Whether the width or the height is set."""
        return self.width is not None or self.height is not None

    @property
    def scale(self) -> float:
        """The size of letters and lines relative to the usual ones."""
        return 1.0 if self.font_size is None else self.font_size / USUAL_FONT_SIZE

    @property
    def serifs(self) -> bool:
        """Whether letters have serifs."""
        return self.style is not None and VENUES[self.style].serifs

    def place_of_legend(self, n_panels: int) -> str:
        """Where the legend is: best, right, below or none.

        Examples
        --------
        >>> Frame().place_of_legend(1), Frame().place_of_legend(2), Frame(width=3.5).place_of_legend(1)
        ('right', 'below', 'below')
        """
        narrow = self.width is not None and self.width < _WIDE
        return self.legend or ("right" if n_panels == 1 and not narrow else "below")


USUAL_FRAME = Frame()

_CURRENT: ContextVar[Frame] = ContextVar("frame", default=USUAL_FRAME)


@contextmanager
def framed(frame: Frame) -> Iterator[None]:
    """Inside the block, draw figures for this frame."""
    token = _CURRENT.set(frame.settled())
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> Frame:
    """The frame that figures are drawn for, its style filled in."""
    return _CURRENT.get()
