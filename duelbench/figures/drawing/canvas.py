"""The paper every figure is drawn on: fonts and sizes, a grid of panels, a legend beside it, bytes to save.

Uses Matplotlib's object-oriented interface on the Agg, PDF and SVG backends: no window, no LaTeX, and no
global state that is not put back. The user's ``matplotlibrc`` is set aside, so that a figure depends on its
data alone.
"""

import io
import math
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from duelbench.figures.drawing.style import DASHES, Style
from duelbench.version import VERSION

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

FORMATS = ("png", "pdf", "svg")
"""Formats `render` can make."""

PNG_DPI = 200
INK = "#262626"
"""Colour of everything that is not data."""

_LOOK: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "axes.linewidth": 0.7,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "figure.titlesize": 10,
    "figure.titleweight": "bold",
    "legend.fontsize": 8,
    "legend.title_fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.2,
    "lines.dash_capstyle": "butt",
    "pdf.fonttype": 42,  # TrueType, which editors can edit
    "svg.fonttype": "none",  # text stays text, which can be searched
    "svg.hashsalt": "duelbench",  # element names that do not change from one drawing to the next
}

_CHARACTERS_PER_INCH = 14
_LEGEND_MARGIN = 0.2  # inches
_MOST_COLUMNS = 6
_MOST_CHARACTERS = 10  # named in a note


@dataclass(frozen=True)
class Grid:
    """A figure and its panels.

    Parameters
    ----------
    figure : Figure
    panels : list of Axes
        As many as asked for, row by row.
    panel_width, panel_height : float
        Inches of the figure for each of them, its labels included.
    columns : int
        Panels in a row.
    """

    figure: "Figure"
    panels: "list[Axes]"
    panel_width: float
    panel_height: float
    columns: int


@contextmanager
def house_style() -> Iterator[None]:
    """Within the ``with`` block Matplotlib has duelbench's settings; afterwards it has its own again.

    It does not warn of characters that its font lacks: `font_notes` says that once.
    """
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_LOOK)  # type: ignore[arg-type]  # its keys are literals since 3.11
        yield


def new_grid(n_panels: int, title: str | None, columns: int | None = None) -> Grid:
    """A figure of ``n_panels`` empty panels: one large one, or several in a row, by default up to three."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    usual = n_panels if n_panels <= 3 else 2 if n_panels == 4 else 3
    columns = min(columns or usual, n_panels)
    rows = math.ceil(n_panels / columns)
    width, height = (4.4, 3.3) if n_panels == 1 else (3.1, 2.55)
    figure = Figure(figsize=(columns * width, rows * height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(rows, columns, k + 1) for k in range(n_panels)]
    if title and n_panels == 1:
        panels[0].set_title(wrapped(title, 0.8 * width), fontweight="bold")
    elif title:
        figure.suptitle(wrapped(title, 0.75 * columns * width))
    return Grid(figure, panels, width, height, columns)


def wrapped(text: str, width: float) -> str:
    """``text`` in lines of about ``width`` inches, names such as D-TS whole; dollar signs stand for themselves.

    Examples
    --------
    >>> wrapped("a prize of $5", 10)
    'a prize of \\\\$5'
    """
    return literal(textwrap.fill(text, max(12, int(width * _CHARACTERS_PER_INCH)), break_on_hyphens=False))


def literal(text: str) -> str:
    """``text`` as Matplotlib must get it to show it as it is."""
    return text.replace("$", r"\$")


def line(look: Style, joined: bool = True) -> dict[str, Any]:
    """How Matplotlib draws a curve of this look; its points only, where they are not ``joined``."""
    return {
        "color": look.colour,
        "linestyle": (0, DASHES[look.dash] or None) if joined else "none",
        "marker": look.marker,
        "fillstyle": look.fill,
        "markerfacecoloralt": "white",
        "markeredgewidth": 0.8,
    }


def add_legend(grid: Grid, handles: "Sequence[Artist]", caption: str) -> None:
    """Put one legend beside all panels, on the right of a single one, else below; the figure grows by it.

    Parameters
    ----------
    grid : Grid
        Finished but for the legend.
    handles : sequence of Artist
        Their labels are the legend's texts.
    caption : str
        What the lines and bands are; stands above the entries.
    """
    figure = grid.figure
    if len(grid.panels) == 1:
        legend = _legend(figure, handles, wrapped(caption, 2.0), "outside right upper", 1)
        legend_width, legend_height = _size_in_inches(figure, legend)
        height = max(figure.get_figheight(), legend_height + _LEGEND_MARGIN)  # many entries: none may be cut off
        figure.set_size_inches(figure.get_figwidth() + legend_width, height)
        return
    for columns in _column_counts(len(handles)):
        width = figure.get_figwidth()
        legend = _legend(figure, handles, wrapped(caption, width * 0.9), "outside lower center", columns)
        legend_width, legend_height = _size_in_inches(figure, legend)
        if legend_width < width or columns == 1:
            figure.set_size_inches(width, figure.get_figheight() + legend_height)
            return
        legend.remove()


def _column_counts(n_entries: int) -> list[int]:
    """Numbers of columns to try, the most first, without those that save no row and so only look uneven."""
    counts = {math.ceil(n_entries / rows) for rows in range(1, n_entries + 1)}
    return sorted((count for count in counts if count <= _MOST_COLUMNS), reverse=True)


def _legend(figure: "Figure", handles: "Sequence[Artist]", caption: str, place: Any, columns: int) -> "Legend":
    return figure.legend(
        handles=list(handles),
        loc=place,
        ncols=columns,
        title=caption,
        alignment="left",
        handlelength=5.0,  # two of the longest dashes, with a marker between
        columnspacing=1.6,
        labelspacing=0.45,
    )


def _size_in_inches(figure: "Figure", legend: "Legend") -> tuple[float, float]:
    box = legend.get_window_extent()
    return box.width / figure.dpi, box.height / figure.dpi


def stamp(axes: "Axes", text: str) -> None:
    """Write ``text`` across a panel, over its curves: a warning that cannot be cropped away."""
    axes.text(
        0.5,
        0.5,
        literal(text),
        transform=axes.transAxes,
        ha="center",
        va="center",
        rotation=20,
        fontsize=12,
        fontweight="bold",
        color="#B2182B",
        alpha=0.5,
        zorder=10,
        clip_on=True,
        gid="stamp",
    )


def short_number(value: float, largest: float) -> str:
    """A number for an axis that ends at ``largest``: thousands as ``k``, millions as ``M``.

    Examples
    --------
    >>> short_number(1500, 8000), short_number(15000, 80000), short_number(1.5e6, 8e6)
    ('1500', '15k', '1.5M')
    """
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if largest >= 1.5 * unit and largest >= 1e4 and value != 0:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def render(figure: "Figure", form: str, provenance: Mapping[str, str]) -> bytes:
    """The figure as the bytes of a file; the same figure gives the same bytes on one version of Matplotlib.

    Parameters
    ----------
    figure : Figure
    form : str
        One of `FORMATS`.
    provenance : mapping
        ``title`` and ``description`` of the figure, kept in the file's metadata. Dates are left out.

    Returns
    -------
    bytes
    """
    buffer = io.BytesIO()
    with house_style():
        figure.savefig(buffer, format=form, dpi=PNG_DPI, metadata=_metadata(form, provenance))
    return buffer.getvalue()


def font_notes(figure: "Figure") -> list[str]:
    """A sentence on the characters of a figure's texts that its font lacks, if there are such.

    Examples
    --------
    >>> grid = new_grid(1, "Egg \N{CJK UNIFIED IDEOGRAPH-5375}, egg \N{CJK UNIFIED IDEOGRAPH-86CB}")
    >>> font_notes(grid.figure)
    ['the font of figures has no \N{CJK UNIFIED IDEOGRAPH-5375}, \N{CJK UNIFIED IDEOGRAPH-86CB}: boxes stand for them']
    """
    from matplotlib.font_manager import findfont, get_font
    from matplotlib.text import Text

    with house_style():
        font = get_font(findfont(_LOOK["font.family"]))
        texts = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    characters = dict.fromkeys(character for text in texts for character in text if not character.isspace())
    lacking = [character for character in characters if not font.get_char_index(ord(character))]
    if not lacking:
        return []
    more = f" and {len(lacking) - _MOST_CHARACTERS} more" if len(lacking) > _MOST_CHARACTERS else ""
    return [f"the font of figures has no {', '.join(lacking[:_MOST_CHARACTERS])}{more}: boxes stand for them"]


def _metadata(form: str, provenance: Mapping[str, str]) -> dict[str, str | None]:
    title, description = provenance["title"], provenance["description"]
    maker = f"duelbench {VERSION}"
    if form == "pdf":
        return {"Title": title, "Subject": description, "Creator": maker, "CreationDate": None}
    if form == "svg":
        return {"Title": title, "Description": description, "Creator": maker, "Date": None}
    return {"Title": title, "Description": description, "Software": maker}
