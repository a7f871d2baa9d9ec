"""The three panels of pure exploration: what they show, published curves beside them, what is refused."""

import csv
import io
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import IncompleteResults, InputError
from duelbench.execution.plan import make_plan, prepare
from duelbench.execution.runner import execute
from duelbench.figures.content.explorers import PANELS, read_explorers, read_published
from duelbench.figures.drawing.exploration_figure import COLUMNS, exploration_figure, plotted_numbers
from duelbench.results.manifest import open_results
from duelbench.spec.load import load
from tests.execution.experiments import play

SPEC = """
problem: {means: [0.9, 0.1, 0.2]}
horizon: 3000
runs: 5
checkpoints: [100, 500, 1000, 3000]
algorithms:
  - savage: {label: SAVAGE, delta: 0.5, horizons: 3000}
  - round-robin: {label: Uniform}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    base = tmp_path_factory.mktemp("exploration")
    (base / "s.yaml").write_text(SPEC)
    plan = make_plan(load(base / "s.yaml"), base / "results" / "s")
    prepare(plan)
    execute(plan, jobs=1)
    (base / "curves.csv").write_text(
        "figure,panel,algorithm,samples,value\nfig3,accuracy,SAVAGE,500,0.75\nfig3,explored,Uniform,1000,3\n"
    )
    return base


def test_the_panels_are_means_of_the_runs(folder):
    results = open_results(folder / "results" / "s")
    savage, uniform = read_explorers(results)
    traces = [results.cells[0].read(run).trace for run in range(5)]
    assert savage.rounds.tolist() == [100, 500, 1000, 3000] and savage.found == 5
    assert savage.mean["accuracy"].tolist() == np.mean([t.recommended == 0 for t in traces], axis=0).tolist()
    assert savage.mean["regret"].tolist() == np.mean([t.regret[0] for t in traces], axis=0).tolist()
    assert savage.mean["explored"][-1] == 1  # the arm decided on
    assert savage.finished.tolist() == [t.finished for t in traces]
    assert uniform.mean["explored"].tolist() == [3, 3, 3, 3] and not uniform.finished.any()


def test_published_curves_stand_beside_those_of_their_label(folder):
    explorers = read_explorers(open_results(folder / "results" / "s"))
    published = read_published(folder / "curves.csv", "fig3")
    rows = list(csv.DictReader(io.StringIO(plotted_numbers(explorers, published))))
    assert [(r["panel"], r["label"], r["round"], r["published"]) for r in rows if r["published"]] == [
        ("accuracy", "SAVAGE", "500", "0.75"),
        ("explored", "Uniform", "1000", "3.0"),
    ]
    axes = exploration_figure(explorers, "A title", 100, published).axes
    marks = [line.get_xydata().tolist() for line in axes[0].lines if line.get_linestyle() == "None"]
    assert [[500.0, 0.75]] in marks and axes[2].get_yscale() == "log" and axes[0].get_xscale() == "log"


def test_accuracy_has_a_band_also_where_all_runs_are_right(folder):
    savage, _ = read_explorers(open_results(folder / "results" / "s"))
    assert savage.mean["accuracy"][-1] == 1 and savage.sem["accuracy"][-1] == 0
    z = 1.96**2
    assert savage.low["accuracy"][-1] == pytest.approx(5 / (5 + z), rel=1e-4) and savage.high["accuracy"][-1] == 1
    assert savage.band == "range"  # of regret: five runs are too few for an interval


def _drawn(folder, *options):
    arguments = ["plot", str(folder / "results" / "s"), "--exploration", *options, "-o", str(folder / "asked.csv")]
    CliRunner().invoke(app, arguments, standalone_mode=False, catch_exceptions=False)
    return list(csv.DictReader(io.StringIO((folder / "asked.csv").read_text())))


def test_the_options_of_a_figure_of_regret_are_honoured(folder):
    assert {row["label"] for row in _drawn(folder, "--only", "Uniform")} == {"Uniform"}
    assert {(row["low"], row["high"]) for row in _drawn(folder, "--band", "none")} == {("", "")}
    assert _drawn(folder, "--regret", "announced") == _drawn(folder)
    explorers = read_explorers(open_results(folder / "results" / "s"))
    assert exploration_figure(explorers, "A title", log_regret=True).axes[1].get_yscale() == "log"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "NOSUCH"], "--only NOSUCH: no algorithm of these results"),
        (["--regret", "nosuch"], "--regret nosuch: s recorded announced only"),
        (["--band", "iqr"], "--band iqr: a figure of exploration has the band ci95 or none"),
    ],
)
def test_options_that_cannot_be_honoured_are_refused(folder, options, message):
    with pytest.raises(InputError, match=message):
        _drawn(folder, *options)


def test_every_band_of_the_figure_is_in_its_csv(folder):
    explorers = read_explorers(open_results(folder / "results" / "s"))
    rows = list(csv.DictReader(io.StringIO(plotted_numbers(explorers))))
    assert {name for row in rows for name in row} == set(COLUMNS)
    axes = exploration_figure(explorers, "A title", 100).axes
    for panel, ax in zip(PANELS, axes, strict=True):
        ends = [(float(r["low"]), float(r["high"])) for r in rows if r["panel"] == panel and r["low"]]
        drawn = {y for band in ax.collections for y in band.get_paths()[0].vertices[:, 1].tolist()}
        assert {end for both in ends for end in both} == drawn


def test_experiments_that_explore_nothing_have_no_such_figure(tmp_path):
    play(tmp_path)
    with pytest.raises(InputError, match="demo has no algorithm that says what it still explores; leave the option"):
        arguments = ["plot", str(tmp_path / "results"), "--exploration"]
        CliRunner().invoke(app, arguments, standalone_mode=False, catch_exceptions=False)
    assert not list(tmp_path.rglob("*.png"))


def test_experiments_that_explore_nothing_keep_no_other_away(folder):
    play(folder)  # demo, which stands before s
    done = CliRunner().invoke(app, ["plot", str(folder / "results"), "--exploration"])
    shutil.rmtree(folder / "results" / "demo")
    assert done.exit_code == 0, done.output
    written = [f"{folder / 'results' / 's' / 's-exploration'}.{form}" for form in ("png", "pdf", "csv")]
    assert done.stdout.splitlines() == written
    idle = f"{folder / 'results' / 'demo'} has no algorithm that says what it still explores"
    assert done.stderr.splitlines()[-1] == f"note: --exploration: {idle}"


def test_the_command_writes_the_figure(folder):
    done = CliRunner().invoke(
        app, ["plot", str(folder / "results"), "--exploration", "--beside", f"{folder / 'curves.csv'}:fig3"]
    )
    assert done.exit_code == 0, done.output
    written = {path.name for path in (folder / "results" / "s").glob("s-exploration.*")}
    assert written == {"s-exploration.png", "s-exploration.pdf", "s-exploration.csv"}


@pytest.mark.parametrize(
    ("figure", "message"), [("fig4", "has no figure 'fig4'"), ("", "write FILE:FIGURE"), (None, "with|only")]
)
def test_wrong_published_curves_are_refused(folder, figure, message):
    beside = ["--beside", f"{folder / 'curves.csv'}:{figure}"]
    with pytest.raises(InputError, match=message):
        arguments = ["plot", str(folder / "results"), *beside, *(["--exploration"] if figure is not None else [])]
        CliRunner().invoke(app, arguments, standalone_mode=False, catch_exceptions=False)


def test_a_figure_of_exploration_has_a_page_like_others_and_keeps_its_numbers(folder, tmp_path):
    results = str(folder / "results" / "s")

    def plotted(name, *options):
        done = CliRunner().invoke(app, ["plot", results, "--exploration", "-o", str(tmp_path / name), *options])
        assert (done.exit_code, done.stderr) == (0, ""), done.output
        return (tmp_path / name).read_text()

    numbers = plotted("plain.csv")
    drawn = plotted("page.svg", "--style", "ieee", "--title", "Other", "--legend", "below", "--greyscale")
    assert 'width="252pt"' in drawn and ">Other<" in drawn and "#0072b2" not in drawn
    assert (tmp_path / "page.csv").read_text() == numbers


def test_incomplete_results_are_refused_unless_allowed(folder):
    (folder / "results" / "s" / "savage" / "run-00004.npz").rename(folder / "gone.npz")
    results = open_results(folder / "results" / "s")
    with pytest.raises(IncompleteResults, match=r"SAVAGE on .*: 4 of 5 runs"):
        read_explorers(results)
    assert [explorer.found for explorer in read_explorers(results, allow_partial=True)] == [4, 5]


GAMES = """
matrix: {family: random, seed: 3}
horizon: 400
runs: 2
checkpoints: [100, 400]
regret: announced-copeland
algorithms: [uniform, btm]
sweep: {over: n_arms, values: [3, 5], games: 4}
"""


def test_random_matrices_at_one_value_of_a_sweep_are_taken_together(tmp_path):
    (tmp_path / "s.yaml").write_text(GAMES)
    plan = make_plan(load(tmp_path / "s.yaml"), tmp_path / "results")
    prepare(plan)
    execute(plan, jobs=1)
    results = open_results(tmp_path / "results")
    explorers = read_explorers(results)
    assert [(e.algorithm, e.problem.rpartition(" ")[2], e.found, e.matrices) for e in explorers] == [
        (algorithm, value, 8, 4) for value in "35" for algorithm in ("uniform", "btm")
    ]
    cells = [cell for cell in results.cells if cell.algorithm == "btm" and cell.point.value == 5]
    games = np.array([np.mean([cell.read(run).trace.regret[0] for run in range(2)], axis=0) for cell in cells])
    btm = explorers[-1]
    assert len(games) == 4 and btm.mean["regret"] == pytest.approx(games.mean(axis=0))
    assert btm.sem["regret"] == pytest.approx(games.std(axis=0, ddof=1) / 2)
    last = list(csv.DictReader(io.StringIO(plotted_numbers(explorers))))[-3]
    assert (last["panel"], last["label"], last["round"]) == ("regret", "BTM", "400")
    assert float(last["low"]) == games[:, -1].min() and float(last["high"]) == games[:, -1].max()  # of few means: all
    figure = exploration_figure(explorers, "A title")
    assert figure.legends[0].get_title().get_text().replace("\n", " ") == (
        "mean of 8 runs on 4 matrices, bands: 95% confidence intervals"
        " (of regret: smallest to largest mean of a matrix)"
    )
    names = [axes.get_ylabel().replace("\n", " ") for axes in figure.axes[::2]]
    assert names[:2] == ["share of runs with an optimal decision", "cumulative announced-copeland regret (duels)"]
    assert {axes.get_xlabel() for axes in figure.axes[-2:]} == {"round t"}
