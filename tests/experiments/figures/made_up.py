"""Results folders with runs made up for tests: real files of the store, with regret of known means."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from duelbench.bandits.simulation.trace import Trace
from duelbench.experiments.figures.figure import Drawable, Request
from duelbench.experiments.results.cells import cells, run_file
from duelbench.experiments.results.experiments import Experiment
from duelbench.experiments.results.manifest import write_manifest
from duelbench.experiments.spec.figure_key import read_figure
from duelbench.experiments.spec.load import load
from tests.experiments.results.writing import write_run

TWO_ARMS = "0.5,0.75\n0.25,0.5\n"
CYCLE = "0.5,0.6,0.4\n0.4,0.5,0.7\n0.6,0.3,0.5\n"

SPEC = """
name: {name}
title: {title}
problems: {{two: two.csv, cycle: cycle.csv}}
horizon: 1000
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10, 100]
algorithms:
  - d-ts
  - rucb: {{alpha: {alpha}, label: "RUCB & co"}}
"""


def make_results(
    folder: Path,
    name: str = "demo",
    title: str = "A demonstration",
    runs: int = 4,
    regret: str = "[copeland, borda]",
    alpha: float = 0.51,
    spec: str = SPEC,
    factor: Callable[[str, int], float] = lambda label, run: run + 1,
    sheet: str = "",
) -> Path:
    """Write a spec and complete results for it; return ``<folder>/results/<name>``.

    ``factor`` says of a label and a run how many duels of first regret there are in each decade; ``sheet`` is the text
    of a style sheet ``my.mplstyle`` beside the spec.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "two.csv").write_text(TWO_ARMS)
    (folder / "cycle.csv").write_text(CYCLE)
    (folder / f"{name}.yaml").write_text(spec.format(name=name, title=title, runs=runs, regret=regret, alpha=alpha))
    if sheet:
        (folder / "my.mplstyle").write_text(sheet)
    loaded = load(folder / f"{name}.yaml")
    own = cells(loaded)
    results = folder / "results" / name
    write_manifest(results, loaded, own)
    for cell in own:
        for run in range(cell.n_runs):
            trace = made_up_trace(cell, run, factor(cell.label, run))
            write_run(results / cell.folder / run_file(run), trace, cell.identity, run)
    return results


def made_up_trace(cell, run: int, factor: float | None = None) -> Trace:
    """Run k has (k + 1) log10(t) duels of first regret, twice that of second, and answers arm k mod 2."""
    rounds = np.array(cell.terms.checkpoints, dtype=np.int64)
    first = (run + 1 if factor is None else factor) * np.log10(rounds)
    definitions = cell.identity.regret
    n_arms = cell.matrix.n_arms
    duels = np.zeros((n_arms, n_arms), dtype=np.int64)
    duels[0, 0] = cell.identity.horizon
    return Trace(
        rounds=rounds,
        regret=np.array([first * (k + 1) for k in range(len(definitions))]),
        duels=duels,
        recommended=np.full(len(rounds), run % 2, dtype=np.int64),
        decisions=7,
        definitions=definitions,
    )


def figure_of(
    experiment: Experiment, kind: str = "regret", regret: str = "copeland", only: list[str] | None = None, **options
) -> Drawable:
    """A figure of an experiment, with the title "A title"."""
    return Drawable([Request(experiment, read_figure({"kind": kind, **options}), regret, "A title", only)])
