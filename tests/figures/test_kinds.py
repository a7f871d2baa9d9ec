"""The kinds of figures a spec can ask for: their numbers are those of the runs, and the drawing has them."""

import csv
import io

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from duelbench.cli.plot import plot
from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import picture
from duelbench.results.experiments import load_experiments
from tests.figures.made_up import SPEC, make_results

app = typer.Typer()
app.command()(plot)

SWEEP = SPEC + "sweep: {{over: feedback_delay, values: [1, 10, 100]}}\n"
GAMES = (
    SPEC.replace("problems: {{two: two.csv, cycle: cycle.csv}}", "matrix: {{family: random}}")
    + "sweep: {{over: n_arms, values: [3, 5], games: 2}}\n"
)


def _experiment(tmp_path, spec=SPEC, figure=""):
    (experiment,) = load_experiments([make_results(tmp_path, spec=spec + figure)])
    return experiment


def _numbers(experiment, **options):
    return list(csv.DictReader(io.StringIO(picture(experiment, FigureOptions(**options), "copeland").numbers())))


def _axes(experiment, **options):
    return picture(experiment, FigureOptions(**options), "copeland", "A title").draw().axes


def _plot(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def test_a_sweep_shows_regret_at_the_horizon_against_the_values(tmp_path):
    # Runs 0 to 3 end with 3 (run + 1) duels: mean 7.5, and quartiles 5.25 and 9.75.
    experiment = _experiment(tmp_path, SWEEP)
    rows = _numbers(experiment, kind="sweep", band="iqr")
    assert [(row["problem"], row["label"], row["value"]) for row in rows[:3]] == [
        ("two", "D-TS", "1"),
        ("two", "RUCB & co", "1"),
        ("two", "D-TS", "10"),
    ]
    assert {(row["mean"], row["low"], row["high"], row["games"], row["runs"]) for row in rows} == {
        ("7.5", "5.25", "9.75", "1", "4")
    }
    axes = _axes(experiment, kind="sweep")
    assert [panel.get_title() for panel in axes] == ["two", "cycle"]
    assert axes[0].lines[0].get_xdata().tolist() == [1, 10, 100]
    assert axes[0].get_xscale() == "log" and axes[0].get_xlabel() == "feedback delay (rounds)"


def test_games_are_pooled_and_the_error_is_that_of_their_means(tmp_path):
    rows = _numbers(_experiment(tmp_path, GAMES), kind="sweep", band="sem")
    assert [(row["value"], row["games"], row["runs"], row["mean"]) for row in rows][::2] == [
        ("3", "2", "8", "7.5"),
        ("5", "2", "8", "7.5"),
    ]
    assert {(row["low"], row["high"]) for row in rows} == {("7.5", "7.5")}  # both games have the same mean


def test_a_pool_is_one_curve_of_all_runs(tmp_path):
    experiment = _experiment(tmp_path, GAMES)
    rows = _numbers(experiment, kind="regret", pool=True, band="iqr")
    ends = [row for row in rows if row["round"] == "1000"]
    assert [(row["problem"], row["label"], row["runs"]) for row in ends] == [
        ("all problems", "D-TS", "16"),
        ("all problems", "RUCB & co", "16"),
    ]
    low, high = np.quantile([3.0, 6.0, 9.0, 12.0] * 4, [0.25, 0.75])
    assert [float(ends[0][name]) for name in ("mean", "low", "high")] == [7.5, low, high]
    assert len(_axes(experiment, kind="regret", pool=True)) == 1


def test_the_interval_of_a_pool_is_over_its_matrices(tmp_path):
    # Four matrices of the same mean, with four runs on each: their means have no spread, whatever that of the runs.
    rows = _numbers(_experiment(tmp_path, GAMES), kind="regret", pool=True, band="sem")
    assert {(row["mean"], row["low"], row["high"]) for row in rows if row["round"] == "1000"} == {("7.5", "7.5", "7.5")}
    (legend,) = _axes(_experiment(tmp_path, GAMES), kind="regret", pool=True)[0].figure.legends
    words = legend.get_title().get_text().replace("\n", " ")
    assert words == "mean of 16 runs on 4 matrices, band: smallest to largest mean of a matrix"


def test_a_sweep_of_quartiles_has_a_line_of_medians(tmp_path):
    experiment = _experiment(tmp_path, SWEEP.replace("runs: {runs}", "runs: 3"))
    rows = _numbers(experiment, kind="sweep", band="iqr")
    assert {(row["mean"], row["median"], row["low"], row["high"]) for row in rows} == {("6.0", "6.0", "4.5", "7.5")}
    (legend,) = _axes(experiment, kind="sweep", band="iqr")[0].figure.legends
    assert legend.get_title().get_text().startswith("median of 3 runs, band: quartiles")


def test_numbers_of_arms_are_whole_on_their_axis(tmp_path):
    from matplotlib.ticker import MaxNLocator

    axes = _axes(_experiment(tmp_path, GAMES), kind="sweep")[0]
    assert isinstance(axes.xaxis.get_major_locator(), MaxNLocator)
    assert all(tick == int(tick) for tick in axes.get_xticks())


def test_bars_are_the_spread_over_the_mean_of_one_algorithm(tmp_path):
    experiment = _experiment(tmp_path)
    rows = _numbers(experiment, kind="bars", normalise_to="D-TS")
    assert [(row["problem"], row["label"]) for row in rows] == [
        (problem, label) for problem in ("two", "cycle") for label in ("D-TS", "RUCB & co")
    ]
    spread = np.std([3.0, 6.0, 9.0, 12.0], ddof=1)
    assert [float(row["value"]) for row in rows] == pytest.approx([spread] * 4)
    assert [float(row["height"]) for row in rows] == pytest.approx([spread / 7.5] * 4)
    (axes,) = _axes(experiment, kind="bars", normalise_to="D-TS")
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([spread / 7.5] * 4)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["two", "cycle"]
    assert {row["height"] for row in _numbers(experiment, kind="bars", statistic="mean")} == {"7.5"}


def test_self_duels_are_those_of_one_run(tmp_path):
    # All 1000 duels are of arm 0 with itself. It is the winner of one problem, and one of three of the other.
    experiment = _experiment(tmp_path)
    rows = _numbers(experiment, kind="self-duels", run=3)
    found = [(row["problem"], row["arm"], row["self_duels"], row["share"]) for row in rows if row["label"] == "D-TS"]
    assert found == [
        ("two", "0", "1000", "1.0"),
        ("two", "others", "0", "0.0"),
        ("cycle", "0", "1000", "1.0"),
        ("cycle", "1", "0", "0.0"),
        ("cycle", "2", "0", "0.0"),
        ("cycle", "others", "0", "0.0"),
    ]
    assert {row["run"] for row in rows} == {"3"}
    first, second = _axes(experiment, kind="self-duels")
    assert [bar.get_height() for bar in first.patches] == [1, 0] * 2
    assert [label.get_text() for label in second.get_xticklabels()] == ["D-TS", "RUCB & co"]


def test_curves_may_leave_the_axes_of_the_spec(tmp_path):
    figure = "figure: {{x: [10, 100], y: [1, 5], columns: 1, band: none}}\n"
    experiment = _experiment(tmp_path, figure=figure)
    from duelbench.figures.options import options_of

    drawn = picture(experiment, options_of(experiment.results.spec), "copeland")
    top, bottom = drawn.draw().axes
    assert top.get_ylim() == (1, 5) and top.get_xlim()[0] == 10 and 100 <= top.get_xlim()[1] < 110
    assert top.get_position().y0 > bottom.get_position().y1
    rows = list(csv.DictReader(io.StringIO(drawn.numbers())))
    assert {row["round"] for row in rows} == {"10", "100"} and {row["band"] for row in rows} == {"none"}


def test_plot_obeys_the_spec_and_the_command_line_wins(tmp_path):
    folder = make_results(tmp_path, spec=SPEC + "figure: {{kind: bars, statistic: mean}}\n")
    assert _plot(folder, "-o", tmp_path / "bars.csv").exit_code == 0
    assert (tmp_path / "bars.csv").read_text().startswith("problem,algorithm,label,horizon,statistic,")
    _plot(folder, "--only", "D-TS", "--regret", "borda", "-o", tmp_path / "one.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "one.csv").read_text())))
    assert [(row["label"], row["value"]) for row in rows] == [("D-TS", "15.0")] * 2
    folder = make_results(tmp_path, spec=SPEC + "figure: {{band: iqr}}\n", name="regret")
    for band, words in (([], "iqr"), (["--band", "sem"], "sem")):
        _plot(folder, *band, "-o", tmp_path / "regret.csv")
        assert (tmp_path / "regret.csv").read_text().splitlines()[1].endswith(words)


def test_what_a_kind_of_figure_cannot_do_is_refused(tmp_path):
    folder = make_results(tmp_path, spec=SPEC + "figure: {{kind: bars}}\n")
    other = make_results(tmp_path, name="other")
    for arguments, said in (
        ([folder, "--from", "100"], "--from: a figure of the kind 'bars' has no time axis"),
        ([folder, "--only", "RUBC"], "--only RUBC: no algorithm of these results"),
        (
            [folder, other, "-o", tmp_path / "x.png"],
            "--output: only figures of the kind 'regret' can be",
        ),
    ):
        with pytest.raises(InputError, match=said):
            _plot(*arguments)


def test_incomplete_results_are_stamped_or_refused(tmp_path):
    folder = make_results(tmp_path, spec=SWEEP)
    (folder / "two" / "feedback-delay-10" / "d-ts" / "run-00001.npz").unlink()
    with pytest.raises(IncompleteResults, match="3 of 4 runs of D-TS on two, feedback_delay 10"):
        _plot(folder)
    (experiment,) = load_experiments([folder], allow_partial=True)
    drawn = picture(experiment, FigureOptions(kind="sweep"), "copeland").draw()
    assert [text.get_text() for text in drawn.axes[0].texts] == ["partial: 23 of 24 runs"]
    assert drawn.legends[0].get_title().get_text().replace("\n", " ").startswith("mean of 3 to 4 runs, band:")
    assert not drawn.axes[1].texts


def test_too_many_panels_are_refused(tmp_path, monkeypatch):
    experiment = _experiment(tmp_path, SWEEP)
    assert len(_axes(experiment, kind="regret")) == 6
    monkeypatch.setattr("duelbench.figures.content.panels.MAX_PANELS", 5)
    with pytest.raises(InputError, match="6 panels, one per matrix, are too many"):
        _axes(experiment, kind="regret")
