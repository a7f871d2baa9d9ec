"""The heat map of a preference matrix: who beats whom, and by how much."""

from typing import TYPE_CHECKING

from duelbench.bandits.problem.labelled import short_probability
from duelbench.experiments.figures.drawing.canvas import house_style, literal, title_weight, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from duelbench.bandits.problem.preferences import PreferenceMatrix

MOST_NUMBERS = 20
"""Most arms for which every cell carries its number."""

MOST_LABELS = 64
"""Most arms that are all named on the axes; beyond it, some of them."""

LONGEST_LABEL = 24
"""Characters of a name that are shown."""


def heat_map(matrix: "PreferenceMatrix", title: str) -> "Figure":
    """Draw ``P[i, j]``, the probability that arm i (row) beats arm j (column): above 1/2 is blue, below red.

    With at most `MOST_NUMBERS` arms each cell has its number.

    Examples
    --------
    >>> from duelbench.bandits.problem.preferences import PreferenceMatrix
    >>> figure = heat_map(PreferenceMatrix([[0.5, 0.9], [0.1, 0.5]]), "two arms")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.5', '0.9', '0.1', '0.5']
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    side = min(4.0 + 0.34 * max(0, matrix.n_arms - 5), 14.0)
    with house_style():
        figure = Figure(figsize=(side + 1.0, side), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.grid(False)
        image = axes.imshow(matrix.P, cmap="RdBu", vmin=0, vmax=1, interpolation="nearest")
        axes.spines[:].set_visible(False)
        figure.colorbar(image, ax=axes, label="probability that arm i beats arm j", shrink=0.85)
        axes.set_title(wrapped(title, side), fontweight=title_weight(title, "axes.titleweight"))
        axes.set_xlabel("arm j (column)")
        axes.set_ylabel("arm i (row)")
        name_arms(axes, matrix.names)
        if matrix.n_arms <= MOST_NUMBERS:
            _write_numbers(axes, matrix)
    return figure


def name_arms(axes: "Axes", names: tuple[str, ...], most: int = MOST_LABELS) -> None:
    """Write the names of the arms at both axes of a heat map, ``most`` of them at most."""
    step = -(-len(names) // most)
    shown = range(0, len(names), step)
    labels = []
    for arm in shown:
        name = names[arm]
        if len(name) > LONGEST_LABEL:
            name = name[: LONGEST_LABEL - 1] + "\N{HORIZONTAL ELLIPSIS}"
        labels.append(literal(name))
    longest = max(len(label) for label in labels)
    axes.set_xticks(list(shown), labels, rotation=90 if longest > 3 else 0)
    axes.set_yticks(list(shown), labels)
    axes.tick_params(length=0, labelsize=8 if len(shown) <= MOST_NUMBERS else 6)


def _write_numbers(axes: "Axes", matrix: "PreferenceMatrix") -> None:
    for i in range(matrix.n_arms):
        for j in range(matrix.n_arms):
            p = float(matrix.P[i, j])
            colour = "white" if abs(p - 0.5) > 0.33 else "black"
            axes.text(j, i, short_probability(p), ha="center", va="center", fontsize=7, color=colour)
