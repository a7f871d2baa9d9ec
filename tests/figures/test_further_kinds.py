"""Figures of accuracy, ratios, distributions, duels and aggregates: their numbers are those of the runs."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
import typer
from scipy.stats import trim_mean
from typer.testing import CliRunner

import duelbench
from duelbench.cli.plot import plot
from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.drawing.canvas import render, settle
from duelbench.figures.frame import Frame, framed
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import picture
from duelbench.problem.bounds import lower_bound
from duelbench.results.experiments import load_experiments
from duelbench.statistics.curves import confidence_interval
from duelbench.statistics.ratios import ratio_of_means
from tests.figures import made_up
from tests.figures.made_up import SPEC, make_results

app = typer.Typer()
app.command()(plot)

NEW = ("distribution", "accuracy", "relative", "duels", "aggregate")
GAMES = """
name: {name}
title: {title}
matrix: {{family: random, winners: unique, seed: 1}}
sweep: {{over: n_arms, values: [3, 4], games: 3}}
horizon: 1000
runs: {runs}
regret: {regret}
checkpoints: [1, 10, 100]
algorithms: [d-ts, rucb: {{alpha: {alpha}}}]
"""


def _uneven(label, run):
    """D-TS as it is made up, RUCB now more and now less than twice as much."""
    return run + 1 if label == "D-TS" else 2 * (run + 1) + (-1) ** run


def _experiment(tmp_path, spec=SPEC, runs=4, **more):
    (experiment,) = load_experiments([make_results(tmp_path, spec=spec, runs=runs, **more)])
    return experiment


def _picture(experiment, kind, only=None, **options):
    return picture(experiment, FigureOptions(kind=kind, **options), "copeland", "A title", only)


def _settled(drawn, frame):
    with framed(frame):
        figure = drawn.draw()
        return figure, settle(figure)


def _rows(drawn, **wanted):
    rows = csv.DictReader(io.StringIO(drawn.numbers()))
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def _plot(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def _words(text):
    return text.replace("\n", " ")


# Accuracy: of four runs two recommend arm 0, two arm 1, at every round.


def test_accuracy_is_the_share_of_the_runs_that_recommend_a_winner_with_wilsons_interval(tmp_path):
    drawn = _picture(_experiment(tmp_path), "accuracy")
    rows = _rows(drawn, problem="two", label="D-TS")
    assert [(row["round"], row["accuracy"], row["runs"]) for row in rows] == [
        (t, "0.5", "4") for t in ("10", "100", "1000")
    ]
    z_squared = 3.841458820694124
    for end in (float(rows[0]["low"]), float(rows[0]["high"])):
        assert 4 * (0.5 - end) ** 2 == pytest.approx(z_squared * end * (1 - end))
    # All three arms of the circle are Copeland winners.
    assert {row["accuracy"] for row in _rows(drawn, problem="cycle")} == {"1.0"}
    figure = drawn.draw()
    assert figure.axes[0].lines[0].get_ydata().tolist() == [0.5] * 3 and figure.axes[0].get_ylim() == (0, 1.03)
    assert _words(figure.axes[0].get_ylabel()) == "share that recommends a winner"
    caption = figure.legends[0].get_title().get_text()
    assert _words(caption) == "share of 4 runs, band: 95% confidence interval (Wilson)"


def test_the_winners_of_accuracy_are_those_of_the_regret_that_is_shown(tmp_path):
    experiment = _experiment(tmp_path)
    by_borda = picture(experiment, FigureOptions(kind="accuracy"), "borda")
    # Borda scores of the circle: 1/2, 11/20 and 9/20.
    assert {row["accuracy"] for row in _rows(by_borda, problem="cycle")} == {"0.5"}


def test_random_matrices_are_one_observation_each(tmp_path):
    drawn = _picture(_experiment(tmp_path, GAMES, runs=8), "accuracy")
    (row, *_) = _rows(drawn, label="D-TS")
    assert row["runs"] == "24"
    share, low = float(row["accuracy"]), float(row["low"])
    assert 3 * (share - low) ** 2 == pytest.approx(3.841458820694124 * low * (1 - low))
    assert "24 runs on 3 matrices" in _words(drawn.draw().legends[0].get_title().get_text())


def test_what_is_run_again_for_each_horizon_has_points_there(tmp_path):
    spec = SPEC.replace("  - d-ts\n", "  - d-ts: {{horizons: [10, 1000]}}\n")
    experiment = _experiment(tmp_path, spec, runs=9)
    for kind in ("accuracy", "relative"):
        drawn = _picture(experiment, kind, reference="RUCB & co" if kind == "relative" else None)
        assert [row["round"] for row in _rows(drawn, problem="two", label="D-TS")] == ["10", "1000"]
        assert drawn.draw().axes[0].lines
    over_restarts = _rows(_picture(experiment, "relative", reference="D-TS"), problem="two", label="RUCB & co")
    assert [(row["round"], row["ratio"]) for row in over_restarts] == [("10", "1.0"), ("1000", "1.0")]


# Relative


def test_ratios_are_those_of_the_means_of_paired_runs(tmp_path):
    experiment = _experiment(tmp_path, runs=12, factor=_uneven)
    drawn = _picture(experiment, "relative")
    rows = _rows(drawn, problem="two", label="RUCB & co")
    x, y = ([[_uneven(label, run)] for run in range(12)] for label in ("RUCB & co", "D-TS"))
    ratio, low, high = ratio_of_means(np.array(x, float), np.array(y, float))
    for row in rows:
        assert row["reference"] == "D-TS" and row["runs"] == "12"
        assert [float(row[name]) for name in ("ratio", "low", "high")] == pytest.approx([*ratio, *low, *high])
    assert {(row["ratio"], row["low"], row["high"]) for row in _rows(drawn, label="D-TS")} == {("1.0", "", "")}
    assert [row["round"] for row in rows] == ["10", "100", "1000"]
    assert _words(drawn.draw().axes[0].get_ylabel()) == "Copeland regret over that of D-TS"
    few = _rows(_picture(_experiment(tmp_path / "few", runs=7, factor=_uneven), "relative"), label="RUCB & co")
    assert {(row["low"], row["high"]) for row in few} == {("", "")}, "seven runs are too few for an interval"


def test_rounds_without_regret_of_the_reference_are_left_out(tmp_path):
    experiment = _experiment(tmp_path)
    drawn = picture(experiment, FigureOptions(kind="relative", x=(1, 1000)), "copeland")
    assert [row["round"] for row in _rows(drawn, problem="two", label="D-TS")] == ["10", "100", "1000"]


def test_a_reference_without_any_regret_is_refused(tmp_path):
    with pytest.raises(
        InputError, match="demo: D-TS has no regret at any checkpoint, by which others could be divided"
    ):
        _picture(_experiment(tmp_path, factor=lambda label, run: label != "D-TS"), "relative")


def test_only_runs_that_both_have_are_divided(tmp_path):
    folder = make_results(tmp_path, factor=_uneven)
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    drawn = _picture(experiment, "relative")
    (row, *_) = _rows(drawn, problem="two", label="RUCB & co")
    assert row["runs"] == "3" and float(row["ratio"]) == pytest.approx((3 + 7 + 7) / (1 + 3 + 4))
    assert "partial" in drawn.draw().axes[0].texts[0].get_text()
    for run in (0, 2, 3):
        (folder / "two" / "d-ts" / f"run-0000{run}.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    with pytest.raises(IncompleteResults, match="no run of D-TS on two, which regret is relative to"):
        _picture(experiment, "relative")


def test_regret_over_a_bound_is_divided_by_c_ln_t(tmp_path):
    spec = SPEC.replace("{{two: two.csv, cycle: cycle.csv}}", "{{two: two.csv}}") + "bounds: [copeland]\n"
    drawn = _picture(_experiment(tmp_path, spec, runs=9), "relative", bound="copeland")
    constant = lower_bound([[0.5, 0.75], [0.25, 0.5]]).constant
    finals = np.array([[3.0 * (run + 1)] for run in range(9)])
    low, high = confidence_interval(finals)
    row = _rows(drawn, label="D-TS")[-1]
    wanted = np.array([15, low.item(), high.item()]) / (constant * np.log(1000))
    assert [float(row[name]) for name in ("ratio", "low", "high")] == pytest.approx(wanted)
    assert _words(drawn.draw().axes[0].get_ylabel()) == "Copeland regret over C ln t, the copeland bound"


# Distributions: runs 0 to 3 end with 3, 6, 9 and 12 duels.


def test_the_share_of_the_runs_up_to_each_regret_has_a_band_for_the_whole_curve(tmp_path):
    drawn = _picture(_experiment(tmp_path), "distribution")
    rows = _rows(drawn, problem="two", label="D-TS")
    assert [(row["x"], row["share"]) for row in rows] == [
        ("3.0", "0.25"),
        ("6.0", "0.5"),
        ("9.0", "0.75"),
        ("12.0", "1.0"),
    ]
    half = (np.log(40) / 8) ** 0.5
    assert [float(row["high"]) for row in rows] == pytest.approx(np.minimum(1, np.arange(1, 5) / 4 + half))
    assert [float(row["low"]) for row in rows] == pytest.approx(np.maximum(0, np.arange(1, 5) / 4 - half))
    line = drawn.draw().axes[0].lines[0]
    assert line.get_drawstyle() == "steps-post" and line.get_ydata().tolist()[:5] == [0, 0.25, 0.5, 0.75, 1]
    assert line.get_xdata().tolist()[1:5] == [3, 6, 9, 12]
    linear = _picture(_experiment(tmp_path), "distribution", x_scale="linear").draw()
    assert linear.axes[0].get_xlim()[0] == 0


def test_boxes_show_quantiles_of_the_runs(tmp_path):
    drawn = _picture(_experiment(tmp_path, runs=21), "distribution", form="box")
    (row,) = _rows(drawn, problem="two", label="D-TS")
    # 3, 6, .., 63: the quantile q is 3 + 60 q.
    wanted = {"smallest": 3, "q05": 6, "q25": 18, "median": 33, "q75": 48, "q95": 60, "largest": 63}
    assert {name: float(row[name]) for name in wanted} == pytest.approx(wanted)
    axes = drawn.draw().axes[0]
    (box, _) = axes.patches
    assert (box.get_x(), box.get_width()) == pytest.approx((18, 30))


def test_runs_without_regret_can_be_drawn(tmp_path):
    spec = SPEC.replace("horizon: 1000", "horizon: 1").replace("checkpoints: [1, 10, 100]", "checkpoints: [1]")
    experiment = _experiment(tmp_path, spec)
    for form in ("ecdf", "box"):
        assert _picture(experiment, "distribution", form=form).draw().axes


# Duels


def test_the_duels_of_a_pair_are_counted_in_both_orders(tmp_path, monkeypatch):
    usual = made_up.made_up_trace

    def with_duels(cell, run, factor):
        trace = usual(cell, run, factor)
        duels = np.zeros_like(trace.duels)
        duels[0, 1], duels[1, 0] = 100 * (run + 1), 10
        duels[1, 1] = 1000 - duels.sum()
        return replace(trace, duels=duels)

    monkeypatch.setattr(made_up, "made_up_trace", with_duels)
    drawn = _picture(_experiment(tmp_path), "duels")
    rows = _rows(drawn, problem="two", label="D-TS")
    assert [(row["i"], row["j"], row["duels"], row["runs"]) for row in rows] == [
        ("0", "0", "0.0", "4"),
        ("0", "1", "260.0", "4"),
        ("1", "1", "740.0", "4"),
    ]
    figure = drawn.draw()
    assert [axes.get_title() for axes in figure.axes[:4]] == [
        *("D-TS on two", "D-TS on cycle"),
        *("RUCB & co on two", "RUCB & co on cycle"),
    ]
    shown = figure.axes[0].images[0].get_array()
    assert shown.mask.tolist() == [[True, False], [False, False]] and shown[1, 0] == 260
    assert len({(axes.images[0].norm.vmin, axes.images[0].norm.vmax) for axes in figure.axes[:4]}) == 1


def test_of_many_arms_some_are_named(tmp_path):
    spec = SPEC.replace("{{two: two.csv, cycle: cycle.csv}}", "{{many: {{family: random, n_arms: 30, seed: 1}}}}")
    axes = _picture(_experiment(tmp_path, spec), "duels").draw().axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == [str(arm) for arm in range(0, 30, 3)]


@pytest.mark.parametrize("frame", [Frame(style="ieee"), Frame(style="slides"), Frame(width=14.0)])
def test_the_bar_of_colours_needs_no_room_for_a_panel(tmp_path, frame):
    figure, notes = _settled(_picture(_experiment(tmp_path), "duels", ["D-TS"]), frame)
    assert notes == [] and figure.get_figwidth() == frame.settled().width


def test_a_scalar_bandit_has_no_pairs(tmp_path, monkeypatch):
    usual = made_up.made_up_trace
    samples = np.array([[100], [0]])
    monkeypatch.setattr(made_up, "made_up_trace", lambda *asked: replace(usual(*asked), duels=samples))
    spec = (
        "name: {name}\ntitle: {title}\nproblem: {{means: [0.5, 0.7], decision: argmax}}\nhorizon: 100\nruns: {runs}\n"
        "algorithms: [ucb1]\n# {regret} {alpha}\n"
    )
    with pytest.raises(InputError, match="is a scalar bandit, whose arms are sampled one by one"):
        _picture(_experiment(tmp_path, spec), "duels")


# Aggregates. Borda regret of run k is twice that of the first definition: 6 (k + 1) of D-TS.


def _borda(experiment, only=None, **options):
    return picture(experiment, FigureOptions(kind="aggregate", **options), "borda", None, only)


def test_aggregates_are_of_regret_over_that_of_uniformly_random_duels(tmp_path):
    drawn = _borda(_experiment(tmp_path, runs=8, factor=_uneven))
    # A round of two arms costs 0, 1/4, 1/4 or 1/2; one of the circle twice 0.05, 0.025, 0.075, and 0, 0.05, 0.1.
    expected = {"two": 250, "cycle": 1000 * (2 * (0.025 + 0.075 + 0.05) + 0.05 + 0.1) / 9}
    finals = {label: [6 * _uneven(label, run) for run in range(8)] for label in ("D-TS", "RUCB & co")}
    for label, own in finals.items():
        scores = [regret / scale for regret in own for scale in expected.values()]
        (row,) = _rows(drawn, statistic="interquartile mean", label=label)
        assert float(row["value"]) == pytest.approx(trim_mean(scores, 0.25))
        assert float(row["low"]) < float(row["value"]) < float(row["high"])
        assert (row["runs"], row["problems"], row["reference"]) == ("8", "2", "that of random duels")
        for row in _rows(drawn, statistic="performance profile", label=label):
            x = float(row["x"])
            assert float(row["value"]) == np.mean(np.array(scores) <= x * (1 + 1e-12))
    (row,) = _rows(drawn, statistic="probability of improvement", label="D-TS")
    below = np.mean([(a < b) + (a == b) / 2 for a in finals["D-TS"] for b in finals["RUCB & co"]])
    assert row["against"] == "RUCB & co" and float(row["value"]) == pytest.approx(below)


@pytest.mark.parametrize(("style", "rows"), [("ieee", 3), ("neurips", 2), ("slides", 2), ("ieee-double", 1)])
def test_panels_of_an_aggregate_stack_on_a_narrow_page(tmp_path, style, rows):
    figure, notes = _settled(_borda(_experiment(tmp_path, runs=8, factor=_uneven)), Frame(style=style))
    assert notes == []
    boxes = [axes.get_position() for axes in figure.axes]
    assert len({round(box.y0, 3) for box in boxes}) == rows
    (legend,) = figure.legends
    assert legend.get_window_extent().y1 < min(axes.get_tightbbox().y0 for axes in figure.axes)
    for text in figure.axes[2].texts:
        assert text.get_window_extent().width < figure.axes[2].get_window_extent().width / 2


def test_an_aggregate_that_cannot_fit_the_height_asked_for_is_refused(tmp_path):
    drawn = _borda(_experiment(tmp_path))
    for frame in (Frame(style="ieee", height=3.0), Frame(style="slides", height=5.6)):
        with pytest.raises(InputError, match=r"no room for its panels: .*; without --height a figure is as high as"):
            _settled(drawn, frame)


def test_aggregates_can_be_relative_to_an_algorithm_whose_mean_is_drawn_again_too(tmp_path):
    experiment = _experiment(tmp_path, runs=8, factor=_uneven)
    drawn = _borda(experiment, reference="D-TS")
    own = [_uneven("RUCB & co", run) / 4.5 for run in range(8)]
    (row,) = _rows(drawn, statistic="interquartile mean", label="RUCB & co")
    assert float(row["value"]) == pytest.approx(trim_mean(own * 2, 0.25))
    assert row["reference"] == "the mean of D-TS"
    alone = _borda(experiment, only=["RUCB & co"], reference="D-TS")
    assert _rows(alone, statistic="interquartile mean") == [row], "the others have no part in its interval"


def test_an_aggregate_of_few_runs_has_no_intervals(tmp_path):
    drawn = _borda(_experiment(tmp_path))
    assert {(row["low"], row["high"]) for row in _rows(drawn)} == {("", "")}
    caption = _words(drawn.draw().legends[0].get_title().get_text())
    assert caption == "4 runs on each of 2 problems, fewer than 8, no intervals"


def test_what_cannot_be_aggregated_is_refused(tmp_path):
    with pytest.raises(
        InputError, match=r"the reference has no regret on cycle, .* choose an algorithm that has with --ref"
    ):
        _picture(_experiment(tmp_path), "aggregate")
    spec = SPEC.replace("  - d-ts\n", "  - d-ts: {{horizons: [10, 100]}}\n")
    with pytest.raises(InputError, match="on two RUCB & co is run to round 1000, and D-TS to round 100"):
        _borda(_experiment(tmp_path / "short", spec))
    folder = make_results(tmp_path / "partial")
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    drawn = _borda(experiment)
    assert {row["runs"] for row in _rows(drawn, label="D-TS")} == {"3"}
    assert {axes.texts[-1].get_text() for axes in drawn.draw().axes} == {"partial: 3 of 4 runs"}
    for run in (0, 2, 3):
        (folder / "two" / "d-ts" / f"run-0000{run}.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    with pytest.raises(IncompleteResults, match="no run of D-TS on two, which is aggregated over"):
        _borda(experiment)


# Asking for them


@pytest.mark.parametrize("kind", NEW)
def test_spec_command_and_python_have_the_same_numbers_and_two_drawings_the_same_bytes(tmp_path, kind):
    said = make_results(tmp_path / "a", spec=SPEC + f"figure: {{{{kind: {kind}}}}}\n", regret="borda", runs=8)
    plain = make_results(tmp_path / "b", regret="borda", runs=8)
    assert _plot(said, "-o", tmp_path / "1.csv").exit_code == 0
    assert _plot(plain, "--kind", kind, "-o", tmp_path / "2.csv").exit_code == 0
    figure = duelbench.plot(plain, tmp_path / "3.csv", kind=kind, quiet=True)
    assert len({(tmp_path / f"{n}.csv").read_bytes() for n in "123"}) == 1
    (experiment,) = load_experiments([said])
    again = picture(experiment, FigureOptions(kind=kind), "borda", experiment.title).draw()
    about = {"title": "t", "description": "d"}
    assert render(figure, "svg", about) == render(again, "svg", about)
    assert _plot(plain, "-o", tmp_path / "3.csv").exit_code == 0, "its numbers may be written over"


@pytest.mark.parametrize("kind", NEW)
def test_what_a_kind_has_no_use_for_is_refused(tmp_path, kind):
    folder = make_results(tmp_path, regret="borda")
    lacking = {"--band": "sem", "--from": 10, "--log-regret": None, "--ymax": 5, "--form": "box", "--bound": "ecw"}
    has = {
        "accuracy": {"--from"},
        "relative": {"--from", "--log-regret", "--ymax", "--bound"},
        "distribution": {"--form"},
    }
    for option, value in lacking.items():
        if option in has.get(kind, ()):
            continue
        with pytest.raises(InputError, match=f"{option}: a figure of the kind '{kind}' has no "):
            _plot(folder, "--kind", kind, option, *([] if value is None else [value]))
    if kind not in ("relative", "aggregate"):
        with pytest.raises(InputError, match=r"--reference: a figure of the kind .* has no algorithm that regret is"):
            _plot(folder, "--kind", kind, "--reference", "D-TS")
    assert not list(folder.glob("*.png"))


def test_what_regret_is_relative_to_must_exist_and_be_one_thing(tmp_path):
    folder = make_results(tmp_path)
    for arguments, said in (
        (
            ["relative", "--reference", "D-TSS"],
            r"--reference D-TSS: no algorithm of demo has that label \(did you mean 'D-TS'",
        ),
        (["aggregate", "--reference", "Nobody"], "--reference Nobody: no algorithm of demo has that label"),
        (["relative", "--reference", "D-TS", "--bound", "ecw"], "--reference and --bound exclude each other"),
        (["relative", "--bound", "ecv"], r"--bound ecv: no bound is called so \(did you mean 'ecw'\?\)"),
        (["relative", "--bound", "ecw"], "the bound 'ecw' of copeland regret is not in the results on two; 'bounds: "),
        (["distribution", "--form", "boxes"], r"--form boxes: no form is called so \(did you mean 'box'\?\)"),
    ):
        with pytest.raises(InputError, match=said):
            _plot(folder, "--kind", *arguments)


def test_the_command_wins_over_what_the_spec_is_relative_to(tmp_path):
    spec = SPEC.replace("{{two: two.csv, cycle: cycle.csv}}", "{{two: two.csv}}")
    folder = make_results(tmp_path, spec=spec + "bounds: [copeland]\nfigure: {{kind: relative, bound: copeland}}\n")
    assert _plot(folder, "--reference", "RUCB & co", "-o", tmp_path / "1.csv").exit_code == 0
    assert ",RUCB & co,1000," in (tmp_path / "1.csv").read_text()
    assert _plot(folder, "-o", tmp_path / "2.csv").exit_code == 0
    assert ",copeland bound,1000," in (tmp_path / "2.csv").read_text()


def test_missing_runs_are_said_across_the_panel(tmp_path):
    folder = make_results(tmp_path, regret="borda")
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    for kind in ("distribution", "accuracy", "relative", "duels"):
        figure = picture(experiment, FigureOptions(kind=kind), "borda").draw()
        assert figure.axes[0].texts[-1].get_text().startswith("partial: "), kind


def test_too_many_panels_are_refused(tmp_path, monkeypatch):
    experiment = _experiment(tmp_path)
    monkeypatch.setattr("duelbench.figures.content.panels.MAX_PANELS", 1)
    for kind in ("distribution", "accuracy", "relative", "duels"):
        with pytest.raises(InputError, match="panels"):
            _picture(experiment, kind)
