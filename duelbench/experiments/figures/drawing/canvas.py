"""The canvas of all figures: fonts and sizes, a grid of panels, a legend beside it, bytes to save.

Uses Matplotlib's object-oriented interface: no window, no LaTeX, and every global setting is put back. The user's
``matplotlibrc`` is set aside, so that a figure depends on its data alone.
"""

import io
import math
import re
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from duelbench.common import mathematics, style_sheet
from duelbench.errors import InputError
from duelbench.experiments.figures.drawing import pgf
from duelbench.experiments.figures.drawing.style import DASHES, Style
from duelbench.experiments.figures.frame import USUAL_FONT_SIZE, USUAL_FRAME, Frame, current
from duelbench.version import VERSION

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

Ends = tuple[float | None, float | None] | None
"""The ends of an axis; None for what fits."""

FORMATS = ("png", "pdf", "svg")
"""Formats of pictures."""

PGF = "pgf"
"""The format for LaTeX, which `render` makes besides `FORMATS`."""

MAX_PANELS = 60
MOST_COLUMNS = 6
PNG_DPI = 200
INK = "#262626"
"""Colour of everything that is not data."""

_STYLE = Path(__file__).with_name("house.mplstyle")

_LETTERS = ("font.size", "titlesize", "labelsize", "fontsize")
_LINES = ("linewidth", "markersize", ".major.size", ".minor.size", ".width", ".pad")
_SERIFS = {"font.family": ["STIXGeneral", "DejaVu Sans"], "mathtext.fontset": "stix"}
_SMALLEST_LETTERS = 7.0  # points, unless an option has smaller ones

_CHARACTERS_PER_INCH = 14
_LEGEND_MARGIN = 0.2  # inches
_NARROWEST_PANEL = 17.0  # times the size of letters
_WIDEST_LEGEND = 0.55  # of the figure, beside its panels
_BESIDE_AXES = 4.0  # of numbers and a name, in sizes of letters
_ABOVE_AND_BELOW_AXES = 6.0  # of a title, numbers and a name, in sizes of letters
_AXES_PROPORTION = 0.68  # height over width
_HEADING = 2.0  # height of a line of the title, in sizes of letters
_NARROWER = 1.15  # times as many letters with serifs find room
_SERIF_SPACING = 1.0  # between lines: that of the font is wide
_STAMP_LETTER = 0.8  # room for a bold letter, in sizes of letters
_HAIR = 0.01  # inches that do not show
_SMALLEST_AXES = 5.0  # times the size of letters
_COLLAPSED = "constrained_layout not applied"  # Matplotlib's warning where panels have no room
_COLOUR_BAR = "<colorbar>"  # what Matplotlib calls the axes of one
_SWATCH = 5.0  # two of the longest dashes, with a marker between, in sizes of letters
_MARKERS_PER_CURVE = 6
_MOST_CHARACTERS = 10  # named in a note
_LONE_DOLLAR = re.compile(r"\\\$.*\\[a-zA-Z]|\\[a-zA-Z].*\\\$", re.DOTALL)
_PRIVATE_USE = 0xE000  # the first of Unicode's letters without a meaning


@dataclass(frozen=True)
class Grid:
    """A figure and its panels."""

    figure: "Figure"
    panels: "list[Axes]"  # row by row
    # inches of the figure for each of them, its labels included; of a figure whose width is given, without those on the
    # left
    panel_width: float
    panel_height: float
    columns: int  # panels in a row


@contextmanager
def house_style() -> Iterator[None]:
    """Inside the block, Matplotlib has duelbench's settings, and does not repeat the warnings of our notes."""
    import matplotlib.style

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
        warnings.filterwarnings("ignore", message="Data has no positive values")  # `say_if_zero` does
        if current() != USUAL_FRAME:  # `settle` says so, and what to do
            warnings.filterwarnings("ignore", message=_COLLAPSED)
        matplotlib.rcdefaults()
        matplotlib.style.use(_STYLE)
        _scale(matplotlib.rcParams, current())
        matplotlib.style.use(_own_settings(current()))
        yield


def _own_settings(frame: Frame) -> dict[str, Any]:
    """Return the settings of the user's style sheet that figures use.

    Its sizes of letters are left out if the options set that of the figure.
    """
    has_other_letters = frame.font_size != frame.own.get("font.size")
    settings = {}
    for name, value in frame.own.items():
        is_other_size = has_other_letters and name.endswith(_LETTERS)
        if name not in style_sheet.UNUSED and not is_other_size:
            settings[name] = value
    return settings


def _scale(settings: Any, frame: Frame) -> None:
    """Set the size of letters and lines to that of a frame."""
    if frame.serifs:
        settings.update(_SERIFS)
    if frame.font_size is None:
        return
    least = min(_SMALLEST_LETTERS, frame.font_size)
    for name in _named_sizes():
        size = frame.scale * settings[name]
        settings[name] = max(least, size) if name.endswith(_LETTERS) else size


@cache
def _named_sizes() -> tuple[str, ...]:
    """The sizes of the style sheet."""
    from matplotlib import rc_params_from_file

    named = rc_params_from_file(_STYLE, use_default_template=False)
    return tuple(name for name in named if name.endswith((*_LETTERS, *_LINES)))


def points(size: float) -> float:
    """A size in points of the usual figure, in the current frame."""
    return size * current().scale


def new_grid(names: Sequence[str], title: str | None, columns: int | None = None) -> Grid:
    """A figure of empty panels: one large one, or several in a row, by default as many as can be read and up to three.

    ``names`` are those of the panels; the name of a single one is not shown.

    Raises
    ------
    InputError
        When they are more than `MAX_PANELS`.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    n_panels = len(names)
    if n_panels > MAX_PANELS:
        raise InputError(
            f"{f'{title}: ' if title else ''}a figure has at most {MAX_PANELS} panels, not {n_panels}: choose some of"
            " the algorithms (only), or another kind of figure"
        )
    frame = current()
    usual = n_panels if n_panels <= 3 else 2 if n_panels == 4 else 3
    if frame.width is not None:
        usual = min(usual, max(1, int(frame.width / inches_of_letters(_NARROWEST_PANEL))))
    columns = min(columns or usual, n_panels)
    rows = math.ceil(n_panels / columns)
    width, height = _panel_size((4.4, 3.3) if n_panels == 1 else (3.1, 2.55), columns, rows)
    figure = Figure(figsize=(columns * width, rows * height), layout="constrained")
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(rows, columns, k + 1) for k in range(n_panels)]
    if title and n_panels == 1:
        panels[0].set_title(wrapped(title, 0.65 * width), fontweight=title_weight(title, "axes.titleweight"))
    elif title:
        heading = figure.suptitle(wrapped(title, 0.75 * columns * width), fontweight=title_weight(title))
        if frame.width is not None and frame.height is None:
            lines = heading.get_text().count("\n") + 1
            figure.set_size_inches(columns * width, rows * height + inches_of_letters(_HEADING * lines))
    if frame.width is not None:
        width -= inches_of_letters(_BESIDE_AXES)
    if n_panels > 1:
        for axes, name in zip(panels, names, strict=True):
            axes.set_title(wrapped(name, 0.9 * width))
    return Grid(figure, panels, width, height, columns)


def title_weight(title: str, setting: str = "figure.titleweight") -> Any:
    """The weight of a title: bold, unless it has mathematics, whose letters would be light beside bold words.

    ``setting`` of the user's style sheet replaces bold.
    """
    has_mathematics = len(mathematics.pieces(literal(title))) > 1
    return "normal" if has_mathematics else current().own.get(setting, "bold")


def marker_places(number: int, n_curves: int) -> np.ndarray:
    """Places of the markers on curve ``number``, from 0 to 1; each curve's are shifted, so that none are covered."""
    return (np.arange(_MARKERS_PER_CURVE) + (number + 0.5) / n_curves) / _MARKERS_PER_CURVE


def layer(number: int, n_curves: int) -> float:
    """The layer of curve ``number``: the first algorithms of the spec are on top."""
    return 3 + 0.001 * (n_curves - number)


def name_axes(grid: Grid, x_name: str, y_name: str) -> None:
    """Name each axis once, below a column and at the left of a row; names that the user chose come first."""
    x_name, y_name = current().xlabel or x_name, current().ylabel or y_name
    for k, axes in enumerate(grid.panels):
        if k + grid.columns >= len(grid.panels):
            axes.set_xlabel(wrapped(x_name, 0.8 * grid.panel_width))
        if k % grid.columns == 0:
            axes.set_ylabel(wrapped(y_name, 0.75 * grid.panel_height))


def set_x_ends(axes: "Axes", usual: tuple[float, float], ends: Ends = None) -> None:
    """Set the ends of an x axis to ``ends``, or where these are None, to the usual ones."""
    low, high = ends or (None, None)
    axes.set_xlim(usual[0] if low is None else low, usual[1] if high is None else high)


def set_y_ends(axes: "Axes", ends: Ends) -> None:
    """Set the ends of an upright axis that are not None; a logarithmic one has none at 0."""
    low, high = ends or (None, None)
    axes.set_ylim(low if low or axes.get_yscale() != "log" else None, high)


def _panel_size(usual: tuple[float, float], columns: int, rows: int) -> tuple[float, float]:
    """Width and height for each panel in inches; of another width, its axes keep the proportions of a usual figure."""
    frame = current()
    width = usual[0] if frame.width is None else frame.width / columns
    if frame.height is not None:
        return width, frame.height / rows
    if frame.width is None:
        return usual
    axes_width = max(width - inches_of_letters(_BESIDE_AXES), 0.0)
    return width, _AXES_PROPORTION * axes_width + inches_of_letters(_ABOVE_AND_BELOW_AXES)


def inches_of_letters(times: float) -> float:
    """A multiple of the size of letters, in inches."""
    return times * points(USUAL_FONT_SIZE) / 72


def wrapped(text: str, width: float) -> str:
    """``text`` for Matplotlib in lines of about ``width`` inches, names such as D-TS and mathematics unbroken.

    Examples
    --------
    >>> wrapped("a prize of $5", 10)
    'a prize of \\\\$5'
    """
    frame = current()
    return _filled(literal(text), int(width * _CHARACTERS_PER_INCH * (_NARROWER if frame.serifs else 1) / frame.scale))


def _filled(drawn: str, characters: int) -> str:
    """Text from `literal` in lines; a piece of mathematics is as long as its letters, a command being one."""
    characters = max(12, characters)
    pieces = mathematics.pieces(drawn)
    letters = [chr(_PRIVATE_USE + k) for k in range(len(pieces) // 2)]  # one stands, repeated, for each piece
    text = pieces[0]
    for letter, piece, after in zip(letters, pieces[1::2], pieces[2::2], strict=True):
        length = len(re.sub(r"[\s${}^_]", "", re.sub(r"\\\w+", "x", piece)))
        text += letter * max(1, min(length, characters)) + after
    text = textwrap.fill(text, characters, break_on_hyphens=False)
    for letter, piece in zip(letters, pieces[1::2], strict=True):
        text = re.sub(rf"{letter}(\n?{letter})*", piece.replace("\\", r"\\"), text)
    return text


def literal(text: str) -> str:
    """``text`` for Matplotlib, which shows it unchanged but for mathematics: see `duelbench.common.mathematics`."""
    return mathematics.escaped(text)


def line(look: Style, joined: bool = True, markers: bool = True) -> dict[str, Any]:
    """Keyword arguments with which Matplotlib draws a curve of this look: its line if ``joined``, and its markers."""
    width = {} if look.width is None else {"linewidth": look.width}
    return {
        **width,
        "color": look.colour,
        "linestyle": (0, DASHES[look.dash] or None) if joined else "none",
        "marker": look.marker if markers else "",
        "fillstyle": look.fill,
        "markerfacecoloralt": "white",
        "markeredgewidth": current().own.get("lines.markeredgewidth", points(0.8)),
    }


def add_legend(grid: Grid, handles: "Sequence[Artist]", caption: str) -> None:
    """Put one legend at its place in the frame, by default beside all panels; the figure grows by it if it may.

    The caption is above the entries, or alone below the panels. A legend too wide for its figure goes below, too.
    """
    _tighten(grid.figure)
    place = current().place_of_legend(len(grid.panels))
    if place == "right":
        _add_on_the_right(grid, handles, caption)
    elif place == "below":
        _add_below(grid, handles, caption)
    elif place == "best":
        shape: dict[str, Any] = {"handlelength": _SWATCH, "labelspacing": 0.3, "frameon": True, "framealpha": 0.8}
        grid.panels[0].legend(handles=list(handles), loc="best", **shape).get_frame().set_linewidth(0)
        _add_below(grid, [], caption)


def _tighten(artist: "Artist") -> None:
    """Set the lines of its texts closer, where the letters ask for it."""
    from matplotlib.text import Text

    if current().serifs:
        for text in artist.findobj(Text):
            text.set_linespacing(_SERIF_SPACING)


def _add_on_the_right(grid: Grid, handles: "Sequence[Artist]", caption: str) -> None:
    frame, figure = current(), grid.figure
    widest = 2.0 * frame.scale if frame.width is None else min(2.0 * frame.scale, 0.35 * frame.width)
    legend = _legend(figure, handles, wrapped(caption, widest), "outside right upper", 1)
    box = legend.get_window_extent()
    width, height = figure.get_size_inches()
    if frame.width is not None and box.width / figure.dpi > _WIDEST_LEGEND * width:
        legend.remove()
        _add_below(grid, handles, caption)
        return
    height = max(height, box.height / figure.dpi + _LEGEND_MARGIN)  # many entries: none may be cut off
    figure.set_size_inches(frame.width or width + box.width / figure.dpi, frame.height or height)


def _add_below(grid: Grid, handles: "Sequence[Artist]", caption: str) -> None:
    frame, figure = current(), grid.figure
    width, height = figure.get_size_inches()
    if frame.width is not None:
        _shorten_lines(handles, width)
    for columns in _column_counts(len(handles)):
        legend = _legend(figure, handles, wrapped(caption, width * 0.9), "outside lower center", columns)
        box = legend.get_window_extent()
        if box.width / figure.dpi < width or columns == 1:
            figure.set_size_inches(width, frame.height or height + box.height / figure.dpi)
            return
        legend.remove()


def _shorten_lines(handles: "Sequence[Artist]", width: float) -> None:
    """Break labels of which one alone would be wider than the figure."""
    most = int((width - inches_of_letters(_SWATCH + 2)) * _CHARACTERS_PER_INCH / current().scale)
    for handle in handles:
        label = str(handle.get_label())
        if max(map(len, label.split("\n"))) > most:
            handle.set_label(_filled(label.replace("\n", " "), most))


def _column_counts(n_entries: int) -> list[int]:
    """Numbers of columns to try, the most first, without those that save no row and so only look uneven."""
    counts = {math.ceil(n_entries / rows) for rows in range(1, n_entries + 1)} or {1}
    return sorted((count for count in counts if count <= MOST_COLUMNS), reverse=True)


def _legend(figure: "Figure", handles: "Sequence[Artist]", caption: str, place: Any, columns: int) -> "Legend":
    usual = {"handlelength": _SWATCH, "columnspacing": 1.6, "labelspacing": 0.45}
    shape: dict[str, Any] = {name: current().own.get(f"legend.{name}", size) for name, size in usual.items()}
    shape["alignment"] = "left"
    legend = figure.legend(handles=list(handles), loc=place, ncols=columns, title=caption, **shape)
    _tighten(legend)
    return legend


def say_if_zero(axes: "Axes", values: Any, words: str = "no regret") -> None:
    """Write into a panel with a logarithmic axis why it is empty, if none of the values is above 0."""
    if not np.any(np.asarray(values, np.float64) > 0):
        axes.text(0.5, 0.5, words, transform=axes.transAxes, ha="center", va="center", gid="nothing")


def stamp(axes: "Axes", *warnings: str | None) -> None:
    """Write warnings across a panel, where they cannot be cropped away; nothing where all are empty."""
    text = "\n".join(warning for warning in warnings if warning)
    if not text:
        return
    place: dict[str, Any] = {"transform": axes.transAxes, "ha": "center", "va": "center", "rotation": 20}
    look: dict[str, Any] = {"fontweight": "bold", "color": "#B2182B", "alpha": 0.5, "zorder": 10, "clip_on": True}
    axes.text(0.5, 0.5, literal(text), fontsize=_stamp_size(axes, text), gid="stamp", **place, **look)


def _stamp_size(axes: "Axes", text: str) -> float:
    """Points of a stamp's letters: those of the usual figure, or as many as a small panel has room for."""
    spot = axes.get_subplotspec()
    if not current().has_size or spot is None:
        return points(12)
    width = axes.figure.bbox.width / axes.figure.dpi
    room = 72 * width / spot.get_gridspec().ncols - 72 * inches_of_letters(_BESIDE_AXES)
    return min(points(12), room / (_STAMP_LETTER * max(map(len, text.split("\n")))))


def settle(figure: "Figure") -> list[str]:
    """Fix the layout of a figure in a frame, the same for all files, and say where texts reach beyond the edges.

    Raises
    ------
    InputError
        When the panels do not fit the figure; or, if only the size of letters is set, the texts.
    """
    frame = current()
    if frame == USUAL_FRAME:
        return []
    with house_style(), warnings.catch_warnings(record=True) as caught:
        for _ in range(3):  # each time nearer to where they stay
            figure.draw_without_rendering()
        usual, figure.dpi = figure.dpi, PNG_DPI  # at which letters are nearly as wide as in print
        warnings.filterwarnings("always", message=_COLLAPSED)
        figure.draw_without_rendering()
        boxes = [axes.get_window_extent().frozen() for axes in figure.axes if axes.get_label() != _COLOUR_BAR]
        reach = figure.get_tightbbox()
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
    width, height = figure.get_size_inches()
    least = inches_of_letters(_SMALLEST_AXES) * figure.dpi
    figure.dpi = usual
    beyond = max(-reach.x0, -reach.y0, reach.x1 - width, reach.y1 - height)
    is_crowded = any(_COLLAPSED in str(warning.message) for warning in caught)
    is_crowded = is_crowded or any(min(box.width, box.height) < least for box in boxes)
    size = f"a figure of {width:.4g} by {height:.4g} in"
    fix = (
        f"choose a larger width (with these letters a panel takes {inches_of_letters(_NARROWEST_PANEL):.1f} in) or"
        " height, a smaller font_size, another legend, or fewer columns"
    )
    if frame.height is not None and not frame.may_grow:
        fix += "; without a height a figure is as high as its panels need"
    if is_crowded or (beyond > _HAIR and not frame.has_size):
        raise InputError(f"{size} has no room for its panels: {fix}")
    return [f"{size} cuts texts off, which are {beyond:.2f} in too long: {fix}"] if beyond > _HAIR else []


def shorten_numbers(axis: "Axis", largest: float) -> None:
    """Write the numbers of an axis that ends at ``largest`` briefly."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value, largest)))


def name_few(axis: "Axis") -> None:
    """Write few numbers on a logarithmic axis with at most one power of ten, where those of Matplotlib overlap."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

    low, high = axis.get_view_interval()
    if math.floor(math.log10(high)) > math.ceil(math.log10(low)):
        return
    if high > 3 * low:
        axis.set_minor_formatter(FuncFormatter(lambda x, _: short_number(x, high) if f"{x:e}"[0] in "25" else ""))
    else:
        axis.set_major_locator(MaxNLocator(4))
        axis.set_minor_locator(NullLocator())
    shorten_numbers(axis, high)


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
    """The figure as the bytes of a file in one of `FORMATS` or `PGF`, the same on one version of Matplotlib.

    ``provenance`` has the keys ``title`` and ``description``, for the file's metadata.

    Raises
    ------
    InputError
        When the format cannot hold such a figure.
    """
    buffer = io.BytesIO()
    with house_style():
        if form == PGF:
            return pgf.picture(figure, [provenance["title"], provenance["description"], f"duelbench {VERSION}"])
        dpi = current().own.get("savefig.dpi", PNG_DPI)
        figure.savefig(buffer, format=form, dpi=dpi, metadata=_metadata(form, provenance))
    return buffer.getvalue()


def font_notes(figure: "Figure") -> list[str]:
    """A sentence on the characters of a figure's texts that its font lacks, if there are such."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, findfont, get_font
    from matplotlib.text import Text

    with house_style():
        # As text, a name with a hyphen such as sans-serif would be a pattern of fontconfig.
        fonts = [get_font(findfont(FontProperties(family=[family]))) for family in rcParams["font.family"]]
        texts = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    characters = dict.fromkeys(character for text in texts for character in text if not character.isspace())
    lacking = [character for character in characters if not any(font.get_char_index(ord(character)) for font in fonts)]
    if not lacking:
        return []
    more = f" and {len(lacking) - _MOST_CHARACTERS} more" if len(lacking) > _MOST_CHARACTERS else ""
    return [f"the font of figures has no {', '.join(lacking[:_MOST_CHARACTERS])}{more}: boxes stand for them"]


def dollar_notes(figure: "Figure") -> list[str]:
    """A sentence on texts in which a dollar sign beside a command of TeX does not enclose mathematics."""
    from matplotlib.text import Text

    texts = dict.fromkeys(text.get_text() for text in figure.findobj(Text) if isinstance(text, Text))
    lone = [text for text in texts if any(_LONE_DOLLAR.search(plain) for plain in mathematics.pieces(text)[::2])]
    return [
        f"'{' '.join(text.split())}' is drawn as it is written: a dollar sign of it encloses no mathematics; write a"
        " second one, or \\$"
        for text in (text.replace("\\$", "$") for text in lone)
    ]


def _metadata(form: str, provenance: Mapping[str, str]) -> dict[str, str | None]:
    description, maker, date = {
        "pdf": ("Subject", "Creator", "CreationDate"),
        "svg": ("Description", "Creator", "Date"),
        "png": ("Description", "Software", None),
    }[form]
    texts: dict[str, str | None] = {
        "Title": provenance["title"],
        description: provenance["description"],
        maker: f"duelbench {VERSION}",
    }
    return {**texts, date: None} if date else texts
