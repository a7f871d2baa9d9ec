"""Claims about how a leaderboard is made of results."""

import hashlib
import json

import numpy as np
import pytest

from duelbench.errors import IncompleteResults, InputError
from duelbench.leaderboard import building, tables
from duelbench.leaderboard.summary import Setting, Summary, decode_correlations, encode_correlations
from duelbench.results.experiments import load_experiments
from duelbench.results.store import read_run
from duelbench.statistics.ranks import ranks
from tests.figures.made_up import make_results

LONGER = """
name: {name}
title: {title}
problems: {{two: two.csv, cycle: cycle.csv}}
horizon: 10000
runs: {runs}
seed: 5
regret: {regret}
checkpoints: [1, 10, 100, 1000]
algorithms:
  - d-ts
  - uniform
  - savage-copeland: {{horizons: [1000]}}
  - rmed2fh: {{horizons: [10000]}}
"""


def _summary(*folders, allow_partial=False):
    return building.build(load_experiments(folders, allow_partial=allow_partial))


def _cell(summary, problem, label, horizon):
    found = [
        cell
        for cell in summary.cells
        if summary.problems[cell.problem].name == problem
        and summary.algorithms[cell.algorithm].label == label
        and cell.horizon == horizon
    ]
    return found[0] if found else None


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    return make_results(tmp_path_factory.mktemp("short"))


@pytest.fixture(scope="module")
def longer(tmp_path_factory):
    return make_results(tmp_path_factory.mktemp("longer"), name="longer", spec=LONGER, runs=6)


def test_a_cell_says_what_its_runs_show(short):
    """Runs have 3, 6, 9 and 12 duels of regret: their squares from 7.5 add up to 45, so the deviation is sqrt(15)."""
    cell = _cell(_summary(short), "two", "D-TS", 1000)
    assert cell.regret["copeland"] == (7.5, round(15**0.5 / 4**0.5 / 7.5, 4), 0, 7.5, 11.55, 12)
    assert cell.curve["copeland"] == [0, 2.5, 5, 7.5]
    assert cell.curve["borda"] == [0, 5, 10, 15]
    assert cell.runs == 4
    assert (cell.right, cell.locked_in) == (0.5, 0.5), "runs 1 and 3 recommend the loser after all rounds"
    digests = [read_run(path).digest for path in sorted((short / "two" / "d-ts").glob("run-*.npz"))]
    assert cell.digest == hashlib.sha256("".join(digests).encode()).hexdigest()


def test_a_cell_is_read_from_the_shortest_runs_that_come_there(short, longer):
    found = _summary(longer, short)
    assert found.horizons == [1000, 10_000]
    assert _cell(found, "two", "D-TS", 1000).experiment == "demo"
    assert _cell(found, "two", "D-TS", 10_000).experiment == "longer"
    assert _cell(found, "two", "Uniform", 1000).experiment == "longer", "looked at on its way"
    assert _cell(found, "two", "SAVAGE (Copeland)", 1000).experiment == "longer", "a horizon of its own"
    assert _cell(found, "two", "SAVAGE (Copeland)", 10_000) is None
    assert _cell(found, "two", "RMED2FH", 1000) is None, "it knew that there would be 10,000 rounds"
    # Only the last cell of runs has their curve.
    assert _cell(found, "two", "D-TS", 1000).curve is not None
    assert _cell(found, "two", "Uniform", 1000).curve is None
    assert len(_cell(found, "two", "Uniform", 10_000).curve["borda"]) == 5
    rows = [row for row in found.left_out if row.horizon == 10_000 and row.setting == "order"]
    assert [(sorted(row.algorithms), row.n_arms) for row in rows if row.rule == "not played"] == [
        (["rucb", "savage-copeland"], [2])
    ]


def test_the_same_results_give_the_same_bytes_in_whatever_order_they_are_named(short, longer):
    found = _summary(short, longer)
    assert found.encode() == _summary(longer, short).encode()
    assert Summary.from_content(json.loads(found.encode())).encode() == found.encode()


def test_a_table_is_what_its_cells_say():
    """Ten runs of each on one matrix; the second has twice the regret of the first, run by run."""
    first = np.linspace(90, 110, 10)
    found = _of_samples([first, 2 * first])
    known = tables.scores(found, [0], [0, 1], 100, "copeland", [0, 0])
    assert known.means[:, 0].tolist() == [100, 200]
    assert known.correlations[0, 0, 1] == 1
    (table,) = [table for table in tables.tables(found) if table.size is None]
    again = ranks(known)
    assert (table.low, table.high) == (again.low.tolist(), again.high.tolist()) == ([1, 2], [1, 2])
    assert table.score == [round(np.log(100), 5), round(np.log(200), 5)]


def _of_samples(samples):
    """A summary of one problem and one horizon, of the regret of some algorithms."""
    algorithms = [
        building.Algorithm(f"{k}", f"{k}", f"{k}", f"{k}", "nothing", True, None, 1) for k in range(len(samples))
    ]
    runs = [dict(enumerate(sample.tolist())) for sample in samples]
    cells = [
        building.Cell(
            0, k, 100, "demo", None, None, len(sample), 1, 0, "", 0, {"copeland": building.figures_of(sample)}, None
        )
        for k, sample in enumerate(samples)
    ]
    return Summary(
        made_with={},
        level=0.95,
        horizons=[100],
        regrets=["copeland"],
        settings=[Setting("order", "")],
        algorithms=algorithms,
        problems=[building.Problem("two", "order", 2, [0], "two", "", None)],
        rounds=[[100]],
        cells=cells,
        correlations={"0/100/copeland": encode_correlations(building.correlations(runs, [1] * len(runs)))},
        across={"order/all/100/copeland": [0] * len(runs), "order/small/100/copeland": [0] * len(runs)},
    )


def test_correlations_are_those_of_the_runs_that_both_have_and_are_kept_in_hundredths_rounded_down():
    rng = np.random.default_rng(1)
    x, y, z = rng.normal(size=(3, 30)) + rng.normal(size=30)
    samples = [dict(enumerate(x)), dict(enumerate(y)), dict(enumerate(z[:20]))]
    found = building.correlations(samples, [3, 3, 3])
    assert found[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
    assert found[0, 2] == pytest.approx(np.corrcoef(x[:20], z[:20])[0, 1], abs=1e-12)
    partly = building.correlations([samples[0], {k: z[k - 15] for k in range(15, 45)}], [3, 3])
    assert partly[0, 1] == pytest.approx(np.corrcoef(x[15:], z[:15])[0, 1] / 2, abs=1e-12)
    kept = encode_correlations(np.array([[1, 0.999, -0.001], [0.999, 1, 0.5], [-0.001, 0.5, 1]]))
    assert decode_correlations(kept, 3)[0, 1:].tolist() == [0.99, -0.01]
    with pytest.raises(ValueError, match="not the correlations of 4 algorithms"):
        decode_correlations(kept, 4)


def test_bounds_who_is_missing_and_what_goes_together_are_said(short):
    """Two arms with a gap of 1/4: regret 1/2 a duel of both, and kl(1/4, 1/2) = 0.1308; of a circle all arms win."""
    found = _summary(short)
    two, cycle = found.problems
    assert [(one.setting, one.winners) for one in (two, cycle)] == [("order", [0]), ("copeland", [0, 1, 2])]
    assert two.bound == round(0.5 / (0.25 * np.log(0.5) + 0.75 * np.log(1.5)), 3) and cycle.bound is None
    on_cycle = {row.rule: row.algorithms for row in found.left_out if row.setting == "copeland"}
    assert "rmed1" in on_cycle["assumes"] and "nts" in on_cycle["identification"]
    assert "rucb" not in on_cycle["assumes"], "it was played all the same"
    # Made-up runs have the same regret on both matrices, that is on one of each setting, and none has two.
    assert found.across["order/all/1000/copeland"] == [0, 0]
    sources = [building.Source(e, c) for e in load_experiments([short]) for c in e.cells if c.stored.label == "D-TS"]
    assert building.together(sources, 1000, "copeland") == 1


LATE = """
name: {name}
title: {title}
matrix: two.csv
horizon: 100
runs: {runs}
feedback_batch: 5
checkpoints: [1, 10]
algorithms: [d-ts]
"""


def test_results_that_make_no_cells_are_refused(short, tmp_path):
    with pytest.raises(InputError, match="one run of D-TS on two"):
        _summary(make_results(tmp_path / "one", runs=1))
    with pytest.raises(InputError, match="demo has late feedback"):
        _summary(make_results(tmp_path / "late", spec=LATE))
    with pytest.raises(InputError, match=r"RUCB & co is one thing in .*demo and another in .*other"):
        _summary(short, make_results(tmp_path / "other", name="other", alpha=0.9))
    results = make_results(tmp_path / "part")
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    with pytest.raises(IncompleteResults, match="3 of 4 runs of D-TS on two"):
        _summary(results)
    assert _cell(_summary(results, allow_partial=True), "two", "D-TS", 1000).runs == 3
