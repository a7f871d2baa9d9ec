"""A figure as parts of a page: each panel a picture of its own, and a legend in HTML, so that a phone shows both."""

import re
from html import escape
from typing import TYPE_CHECKING, Any

from duelbench.figures.drawing.canvas import house_style, render

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANEL_INCHES = (4.2, 3.1)
"""Width and height of a panel; a page that is 400 pixels wide shows it at its full size."""

SAMPLE_INCHES = (0.62, 0.16)
"""Width and height of the sample of a line in the legend."""


def figure_in_html(figure: "Figure", prefix: str, name: str) -> str:
    """A figure of panels (`canvas.new_grid`) as an element ``figure`` of a page; it is used up.

    ``prefix`` stands before all ids of the element; ``name`` is for those who cannot see it.
    """
    with house_style():
        legend = _legend(figure, prefix)
        pictures = _pictures(figure)
    panels = [
        f'<div class="panel" role="img" aria-label="{escape(label or name)}">{inline_svg(svg, f"{prefix}p{k}-")}</div>'
        for k, (label, svg) in enumerate(pictures)
    ]
    return "\n".join(['<figure>\n<div class="panels">', *panels, f"</div>\n{legend}</figure>"])


def _pictures(figure: "Figure") -> list[tuple[str, str]]:
    """The name and the SVG of each panel; every one names its axes, which the grid does once for several.

    A figure with a scale of colours stays whole, because the scale is of all panels.
    """
    panels = list(figure.axes)
    if any(axes.get_label() == "<colorbar>" for axes in panels):
        return [("", _svg(figure))]
    across = next((axes.get_xlabel() for axes in reversed(panels) if axes.get_xlabel()), "")
    up = next((axes.get_ylabel() for axes in panels if axes.get_ylabel()), "")
    figure.set_size_inches(*PANEL_INCHES)
    grid = figure.add_gridspec(1, 1)
    for axes in panels:
        axes.set_subplotspec(grid[0])
        axes.set_xlabel(axes.get_xlabel() or across)
        axes.set_ylabel(axes.get_ylabel() or up)
    pictures = []
    for shown in panels:
        for axes in panels:
            axes.set_visible(axes is shown)
            axes.set_in_layout(axes is shown)
        pictures.append((shown.get_title().replace("\n", " "), _svg(figure)))
    return pictures


def _legend(figure: "Figure", prefix: str) -> str:
    """The legends of a figure as HTML; they are taken out of it."""
    parts = []
    for legend in list(figure.legends):
        labels = [text.get_text() for text in legend.get_texts()]
        handles = [handle for handle in legend.legend_handles if handle is not None]
        caption = legend.get_title().get_text()
        legend.remove()
        entries = [
            f"<li>{inline_svg(_sample(handle), f'{prefix}l{k}-')}<span>{escape(_plain(label))}</span></li>"
            for k, (handle, label) in enumerate(zip(handles, labels, strict=True))
        ]
        parts += [f"<figcaption>{escape(_plain(caption))}", '<ul class="legend">', *entries, "</ul></figcaption>\n"]
    return "\n".join(parts)


def _plain(text: str) -> str:
    """A text that `canvas.wrapped` made, as it was."""
    return text.replace("\n", " ").replace(r"\$", "$")


def _sample(handle: Any) -> str:
    """A piece of a line, or a patch, as the legend shows it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    sample = Figure(figsize=SAMPLE_INCHES)
    FigureCanvasAgg(sample)
    sample.patch.set_visible(False)
    drawn: Line2D | Rectangle
    if isinstance(handle, Line2D):
        joined = handle.get_linestyle() != "None"
        drawn = Line2D([0.02, 0.5, 0.98] if joined else [0.5], [0.5] * (3 if joined else 1))
        drawn.update_from(handle)
        drawn.set_markevery([1] if joined else None)
    else:
        drawn = Rectangle((0.1, 0.1), 0.8, 0.8)
        drawn.update_from(handle)
    drawn.set_transform(sample.transFigure)
    sample.add_artist(drawn)
    return _svg(sample)


def _svg(figure: "Figure") -> str:
    return render(figure, "svg", {"title": "", "description": ""}).decode()


def inline_svg(svg: str, prefix: str) -> str:
    """An SVG file as a part of a page: without what only files need, its ids made different by ``prefix``."""
    element = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :].rstrip(), flags=re.DOTALL)
    return re.sub(r'( id="|xlink:href="#|url\(#)', rf"\g<1>{prefix}", element)
