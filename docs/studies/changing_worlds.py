"""What changing worlds cost: the tables of docs/studies/changing-worlds.md.

make changing-worlds                                  fifteen minutes of one core
python docs/studies/changing_worlds.py           all tables
python docs/studies/changing_worlds.py flip4     one of them

The results are those of configs/changing-worlds.yaml at its scales, in the folder results.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import duelbench
from duelbench.bandits.statistics.curves import summarise

NAME = "changing-worlds"
STILL = "still"
"""What tables call the experiment at no scale."""

SURE = 0.05
"""Of two algorithms one is called better where Holm's p is below this."""


@dataclass(frozen=True)
class Table:
    """What a table shows.

    Parameters
    ----------
    definition : str
        Of regret.
    columns : tuple of str
        Scales. ``x SCALE`` is how many times regret at the horizon of SCALE is that at the horizon of SCALE-short,
        ``SCALE A-B`` regret in the rounds after A up to B, both checkpoints.
    labels : tuple of str
        The algorithms, all where there are none.
    """

    definition: str
    columns: tuple[str, ...]
    labels: tuple[str, ...] = ()


REX3 = ("REX3, g = 1/2", "REX3, g = 1/10", "REX3, anytime")
BTWR = ("BtWR, l_c = c", "BtWR, p_min = 0.035", "BtWR, p_min = 0.1")
DETECT = ("DETECT", "DETECT, p_min = 0.535, delta = 0.5")
WEAK = ("Random", "RUCB", "Sparring, UCB", "WS-S", "WS-W", "VDB", "Sparring, EXP3.S (4)", "BtW", *BTWR, *DETECT)
STATIC = ("Random", "VDB", "Sparring, EXP3", "Sparring, EXP3-IX", *REX3)
BORDA = ("Random", "D-EXP3", "D-EXP3-HP", "BCB")

TABLES = {
    "main": Table("condorcet", (STILL, f"x {STILL}", "flip4", "x flip4", "drift", "x drift", "flip20")),
    "quarters": Table("condorcet", tuple(f"flip4 {k}-{k + 250_000}" for k in range(0, 1_000_000, 250_000))),
    "flips": Table(
        "condorcet", ("short", "same-winner", "flips-100", "flips-300", "flips-1000", "flips-3000", "flips-300-long")
    ),
    "two": Table("condorcet", ("two-0", "two-50", "two-119", "two-240")),
    "weak": Table("weak-binary", (STILL, f"x {STILL}", "flip4", "x flip4", "drift"), WEAK),
    "condorcet-static": Table("condorcet-static", ("flip4", "x flip4", "drift", "x drift"), STATIC),
    "borda-static": Table("borda-static", (STILL, f"x {STILL}", "flip4", "x flip4", "drift", "x drift"), BORDA),
}

BESIDE = (
    *((world, "condorcet") for world in (STILL, "same-winner", "flip4", "drift")),
    *((world, "condorcet-static") for world in ("flip4", "drift")),
    *((world, "condorcet") for world in ("flips-100", "flips-300", "two-119")),
)
"""Worlds and definitions of regret in which VDB is beside the best."""


def shown(duels: float) -> str:
    """A number of duels with three digits, of large ones the first three.

    Examples
    --------
    >>> [shown(duels) for duels in (184.4, 77551.0, -3375.2, 2.345, 99.96, 0.0)]
    ['184', '77,600', '-3,380', '2.3', '100', '0.0']
    """
    size = abs(duels)
    if round(size, 1) < 100:
        return f"{duels:.1f}"
    return f"{round(duels, 2 - int(np.floor(np.log10(round(size, 1))))):,.0f}"


def with_interval(regret: np.ndarray) -> str:
    """The mean of the runs and its 95% interval.

    Examples
    --------
    >>> with_interval(np.full(10, 250.0))
    '250 [250, 250]'
    """
    curve = summarise(np.array([1]), regret[:, np.newaxis])
    return f"{shown(curve.mean[0])} [{shown(curve.low[0])}, {shown(curve.high[0])}]"


def not_worse(results: duelbench.Results, definition: str, labels: Sequence[str]) -> set[str]:
    """Of these algorithms the one with the smallest mean, and those that a comparison run by run does not call worse.

    Runs of one number are subtracted; Holm's correction is for the number of algorithms compared.
    """
    regret = at_horizon(results, definition)
    best = min(labels, key=lambda label: regret[label].mean())
    pairs = duelbench.compare(results, *labels, definition=definition, against=best, quiet=True)
    return {best} | {str(a) for a, p in zip(pairs["a"], pairs["p_holm"], strict=True) if p >= SURE}


def at_horizon(results: duelbench.Results, definition: str) -> dict[str, np.ndarray]:
    """Regret of each run at the horizon, by the label of the algorithm."""
    experiment = results.experiment
    which = experiment.definitions.index(definition)
    return {cell.stored.label: cell.regret[:, which, -1] for cell in experiment.cells}


def between(results: duelbench.Results, definition: str, first: int, last: int) -> dict[str, np.ndarray]:
    """Regret of each run in the rounds after ``first`` (0 or a checkpoint) up to ``last``, by the label."""
    experiment = results.experiment
    which = experiment.definitions.index(definition)
    found = {}
    for cell in experiment.cells:
        at = {0: np.zeros(cell.n_runs)} | dict(zip(cell.rounds.tolist(), cell.regret[:, which].T, strict=True))
        found[cell.stored.label] = at[last] - at[first]
    return found


def folder_of(folder: Path, scale: str) -> Path:
    """Where the results of a scale are.

    Examples
    --------
    >>> folder_of(Path("results"), "still").as_posix(), folder_of(Path("results"), "flip4").as_posix()
    ('results/changing-worlds', 'results/changing-worlds-flip4')
    """
    return folder / (NAME if scale == STILL else f"{NAME}-{scale}")


def column(folder: Path, table: Table, head: str) -> dict[str, str]:
    """What stands in a column, by the label of the algorithm; those that are `not_worse` are bold."""
    definition = table.definition
    scale, _, rounds = head.removeprefix("x ").partition(" ")
    results = duelbench.load(folder_of(folder, scale))
    if rounds:
        first, last = map(int, rounds.split("-"))
        return {label: with_interval(values) for label, values in between(results, definition, first, last).items()}
    regret = at_horizon(results, definition)
    if head.startswith("x "):
        short = folder_of(folder, "short" if scale == STILL else f"{scale}-short")
        earlier = at_horizon(duelbench.load(short), definition)
        return {label: growth(earlier[label].mean(), regret[label].mean()) for label in regret}
    best = not_worse(results, definition, table.labels or tuple(regret))
    texts = {label: with_interval(values) for label, values in regret.items()}
    return {label: f"**{text}**" if label in best else text for label, text in texts.items()}


def growth(earlier: float, later: float) -> str:
    """How many times a mean is an earlier one; nothing where one of them is not positive.

    Examples
    --------
    >>> growth(100.0, 316.0), growth(100.0, 3160.0), growth(-5.0, 20.0)
    ('3.2', '32', '')
    """
    if min(earlier, later) <= 0:
        return ""
    return f"{later / earlier:.{1 if round(later / earlier, 1) < 10 else 0}f}"


def lines(table: Table, folder: Path) -> Iterator[str]:
    """A table in Markdown."""
    columns = [column(folder, table, head) for head in table.columns]
    yield "| " + " | ".join(["algorithm", *table.columns]) + " |"
    yield "|---" + "|---:" * len(columns) + "|"
    for label in table.labels or columns[0]:
        yield "| " + " | ".join([label, *(texts[label] for texts in columns)]) + " |"


def beside_the_best(label: str, folder: Path, pairs: Sequence[tuple[str, str]] = BESIDE) -> Iterator[str]:
    """A table in Markdown: regret of an algorithm, the smallest of all, and how many times that it is."""
    yield f"| world | regret | {label} | the best | times |"
    yield "|---|---|---:|---|---:|"
    for scale, definition in pairs:
        regret = at_horizon(duelbench.load(folder_of(folder, scale)), definition)
        best = min(regret, key=lambda label: regret[label].mean())
        own = [with_interval(regret[label]), f"{best} {with_interval(regret[best])}"]
        times = growth(regret[best].mean(), regret[label].mean())
        yield "| " + " | ".join([scale, definition, *own, times]) + " |"


def main(names: Sequence[str], folder: Path = Path("results")) -> None:
    """Print tables as Markdown, all where none is named."""
    for name in names or (*TABLES, "vdb"):
        found = beside_the_best("VDB", folder) if name == "vdb" else lines(TABLES[name], folder)
        print(f"{name}\n", *found, sep="\n", end="\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
