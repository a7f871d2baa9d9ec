"""Figures as PGF pictures, which LaTeX sets in the letters of the document.

Texts are measured with the fonts of the other formats, so that no LaTeX is needed to write a file.
"""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from duelbench.common import mathematics
from duelbench.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "&": r"\&",
    "$": r"\$",
    "_": r"\_",
    "~": r"\textasciitilde{}",
}
"""Characters that mean something to LaTeX; Matplotlib sees to the others."""


def picture(figure: "Figure", comments: Sequence[str]) -> bytes:
    """The figure, drawn on the Agg canvas, as a file for ``\\input`` that begins with ``comments``.

    Raises
    ------
    InputError
        When the figure has pixels, which such a file cannot hold.
    """
    if any(axes.images for axes in figure.axes):
        raise InputError("a .pgf file cannot hold a map of pixels: choose .pdf, which LaTeX includes as well")
    width, height = figure.get_size_inches()
    lines = [
        *(f"% {' '.join(comment.split())}" for comment in comments),
        r"% In the preamble: \usepackage{pgf}, and {amsmath,amssymb} for mathematics such as \text or \mathbb",
        r"\begingroup%",
        r"\makeatletter%",
        r"\providecommand{\mathdefault}[1]{#1}%",
        r"\begin{pgfpicture}%",
        rf"\pgfpathrectangle{{\pgfpointorigin}}{{\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}%",
        r"\pgfusepath{use as bounding box, clip}%",
    ]
    text = io.StringIO()
    text.write("\n".join(lines) + "\n")
    figure.draw(_renderer(figure, text))
    text.write("\\end{pgfpicture}%\n\\makeatother%\n\\endgroup%\n")
    return text.getvalue().encode()


def _escaped(text: str) -> str:
    """Plain text for LaTeX, but for % and ^, which Matplotlib escapes."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _renderer(figure: "Figure", text: io.StringIO) -> Any:
    """Matplotlib's renderer, but with the text widths of the Agg canvas, and with all of LaTeX's characters escaped."""
    from matplotlib.backends.backend_pgf import RendererPgf

    class Renderer(RendererPgf):
        def get_text_width_height_descent(self, s, prop, ismath):
            return figure.canvas.get_renderer().get_text_width_height_descent(s, prop, ismath)  # type: ignore[attr-defined]

        def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
            parts = mathematics.pieces(s) if ismath else [s]
            plain = [part.replace(r"\$", "$") for part in parts[::2]] if ismath else parts
            parts[::2] = map(_escaped, plain)
            super().draw_text(gc, x, y, "".join(parts), prop, angle, ismath, mtext)

    return Renderer(figure, text)
