"""Zoghi et al. 2015, appendix C: winners of random sets of a matrix's arms, against the size of the sets.

    python docs/studies/winners_of_parts.py FIGURE.png DRAWS SIZES MATRIX...

draws DRAWS sets of each of the SIZES (3,6,12) from each MATRIX, a file, a name such as cyclic, or fetched data such as
mslr-informational. The figure says how often a set has a Condorcet winner, how many Copeland winners, how often these
lose, and whether winners of other notions are among them; the numbers go to a .csv beside it. `make fig-zoghi2015-c`
does that with the matrices of the paper.
"""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

import duelbench
from duelbench.bandits.problem.family import Draws
from duelbench.bandits.problem.winners import borda_winners, condorcet_winner, copeland_winners, superior_counts
from duelbench.common.atomic import write_asked
from duelbench.data.datasets import DATASETS
from duelbench.data.importing import load_dataset
from duelbench.experiments.figures.drawing import canvas
from duelbench.experiments.figures.drawing.style import COLOURS, DASHES
from duelbench.version import VERSION

SEED = 2015
FACTS = (
    *("condorcet", "winners", "losses"),  # whether there is one; how many Copeland winners; their losses in the mean
    *("winners_1", "winners_2", "winners_more"),  # whether there are one, two, or more Copeland winners
    *("losses_0", "losses_1", "losses_more"),  # of the Copeland winner that most arms beat
    *("borda", "random_walk", "von_neumann"),  # whether a winner by that notion is a Copeland winner
)
PANELS = (
    ("a Condorcet winner exists (share)", {"": "condorcet"}),
    ("number of Copeland winners (mean)", {"": "winners"}),
    ("losses of a Copeland winner (mean)", {"": "losses"}),
    (
        "winner is a Copeland winner (share)",
        {"Borda": "borda", "random walk": "random_walk", "von Neumann": "von_neumann"},
    ),
    ("sets by winners (share)", {"1 winner": "winners_1", "2 winners": "winners_2", "3+ winners": "winners_more"}),
    ("sets by losses (share)", {"no loss": "losses_0", "1 loss": "losses_1", "2+ losses": "losses_more"}),
)
"""Titles, and the curves of each: name -> one of `FACTS`."""

Study = list[dict[str, Any]]
"""For each size what its sets have in the mean: ``n_arms``, ``draws`` and `FACTS`."""


def study(P: np.ndarray, sizes: Sequence[int], draws: int, seed: int = SEED) -> Study:
    """Draw sets of arms, all alike, and look at their winners; the sets of a size do not depend on the other sizes."""
    rows = []
    for size in sizes:
        random = Draws(f"winner-study {size}", seed)
        sets = [random.subsets(size, len(P), 1)[0] for _ in range(draws)]
        means = np.array([_facts(P[np.ix_(arms, arms)]) for arms in sets], dtype=float).mean(axis=0).tolist()
        rows.append({"n_arms": size, "draws": draws, **dict(zip(FACTS, means, strict=True))})
    return rows


def _facts(P: np.ndarray) -> tuple[float, ...]:
    """`FACTS` of one set."""
    winners = copeland_winners(P)
    losses = superior_counts(P)[list(winners)]
    most = losses.max()
    return (
        *(condorcet_winner(P) is not None, len(winners), float(losses.mean())),
        *(len(winners) == 1, len(winners) == 2, len(winners) > 2),
        *(most == 0, most == 1, most > 1),
        bool(set(borda_winners(P)) & set(winners)),
        *(int(np.argmax(often)) in winners for often in (random_walk(P), von_neumann_winner(P))),
    )


def von_neumann_winner(P: np.ndarray) -> np.ndarray:
    """A mixture of arms that no arm beats: an arm drawn from it beats every arm with probability >= 1/2.

    The maximin strategy of the game with pay-off P (Dudik et al. 2015), by a linear program.
    """
    from scipy.optimize import linprog

    n_arms = len(P)
    # Unknowns: the K probabilities x and the value v. Maximise v such that (x P)_j >= v for every arm j.
    result = linprog(
        c=np.append(np.zeros(n_arms), -1.0),
        A_ub=np.column_stack([-P.T, np.ones(n_arms)]),
        b_ub=np.zeros(n_arms),
        A_eq=np.append(np.ones(n_arms), 0.0)[np.newaxis],
        b_eq=[1.0],
        bounds=[(0, 1)] * (n_arms + 1),
        method="highs",
    )
    # Any mixture is feasible and v is bounded, so that only a wrong matrix can have no solution.
    assert result.success, result.message
    mixture = np.clip(result.x[:n_arms], 0, None)
    return mixture / mixture.sum()


def random_walk(P: np.ndarray) -> np.ndarray:
    """How often a random walk visits each arm: from i it meets an arm j drawn uniformly, and goes there where j wins.

    Where there are several stationary distributions, it is the one of least Euclidean norm: (K,) float64.
    """
    n_arms = len(P)
    step = np.asarray(P, dtype=float).T / n_arms
    np.fill_diagonal(step, 0)
    np.fill_diagonal(step, 1 - step.sum(axis=1))
    equations = np.vstack([step.T - np.eye(n_arms), np.ones(n_arms)])
    return np.linalg.lstsq(equations, np.append(np.zeros(n_arms), 1.0), rcond=None)[0]


def drawn(studies: Mapping[str, Study], title: str) -> Figure:
    """The six panels."""
    sizes = sorted({row["n_arms"] for rows in studies.values() for row in rows})
    hues = dict(zip(studies, ("blue", "orange", "green", "pink", "wine", "black"), strict=False))
    looks = [
        {"linestyle": (0, DASHES[dash] or None), "marker": marker}
        for dash, marker in (("solid", "o"), ("dashed", "s"), ("dotted", "^"))
    ]
    with canvas.house_style():
        grid = canvas.new_grid(list(PANELS), title)
        for axes, (name, curves) in zip(grid.panels, PANELS, strict=True):
            for matrix, rows in studies.items():
                for look, fact in zip(looks, curves.values(), strict=False):
                    x, y = [row["n_arms"] for row in rows], [row[fact] for row in rows]
                    axes.plot(x, y, color=COLOURS[hues[matrix]], **look)
            if len(sizes) <= 10:
                axes.set_xticks(sizes)
            else:
                axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_ylim(bottom=0)
            if "share" in name:
                axes.set_ylim(0, 1.03)
        for axes in grid.panels[-grid.columns :]:
            axes.set_xlabel("number of arms K")
        of_looks = ["; ".join(list(curves)[k] for _, curves in PANELS if len(curves) > 1) for k in range(len(looks))]
        handles = [
            *(Line2D([], [], color=COLOURS[hue], label=canvas.literal(matrix)) for matrix, hue in hues.items()),
            *(
                Line2D([], [], color=canvas.INK, label=label, **look)
                for label, look in zip(of_looks, looks, strict=True)
            ),
        ]
        draws = max(row["draws"] for rows in studies.values() for row in rows)
        canvas.add_legend(grid, handles, f"{draws} random sets of arms of each size")
    return grid.figure


def numbers(studies: Mapping[str, Study]) -> str:
    """The means as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("matrix", "n_arms", "draws", *FACTS))
    for matrix, rows in studies.items():
        writer.writerows([matrix, *row.values()] for row in rows)
    return text.getvalue()


def main(output: Path, draws: int, sizes: Sequence[int], matrices: Sequence[str]) -> None:
    """Write the figure and its numbers."""
    loaded = {
        Path(name).stem: load_dataset(name) if name in DATASETS else duelbench.PreferenceMatrix.load(name)
        for name in matrices
    }
    studies = {name: study(matrix.P, sizes, draws) for name, matrix in loaded.items()}
    hashes = ", ".join(f"{name} (SHA-256 {matrix.sha256})" for name, matrix in loaded.items())
    title = "Zoghi et al. 2015, appendix C"
    about = {"title": title, "description": f"sets drawn with seed {SEED} from {hashes}; duelbench {VERSION}"}
    write_asked(output, canvas.render(drawn(studies, title), output.suffix[1:], about), str(output))
    write_asked(output.with_suffix(".csv"), numbers(studies).encode(), str(output))
    print(output)


if __name__ == "__main__":
    _, figure, n_draws, of_sizes, *names = sys.argv
    main(Path(figure), int(n_draws), [int(size) for size in of_sizes.split(",")], names)
