"""Figures of distributions: their numbers are those of the runs, and the drawing has them."""

import csv
import io

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import duelbench
from duelbench.cli.plot import plot
from duelbench.errors import InputError
from duelbench.figures.content.distributions import Quantiles
from duelbench.figures.drawing.distribution_figures import quantile_caption
from duelbench.figures.drawing.style import style_of
from duelbench.figures.options import FigureOptions
from duelbench.figures.picture import picture
from duelbench.results.experiments import load_experiments
from duelbench.spec.figure_key import KINDS
from tests.figures.made_up import SPEC, make_results
from tests.selection import quick

app = typer.Typer()
app.command()(plot)

RESTARTED = SPEC.replace("  - d-ts\n", "  - d-ts: {{horizons: [10, 100, 1000]}}\n")


def _experiment(tmp_path, spec=SPEC, runs=4):
    (experiment,) = load_experiments([make_results(tmp_path, spec=spec, runs=runs)])
    return experiment


def _picture(experiment, kind, only=None, **options):
    return picture(experiment, FigureOptions(kind=kind, **options), "copeland", "A title", only)


def _rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def _plot(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def _words(legend):
    return legend.get_title().get_text().replace("\n", " ")


# Survival: runs 0 to 3 end with 3, 6, 9 and 12 duels.


def test_the_shares_above_are_those_of_the_runs_and_so_is_the_drawing(tmp_path):
    drawn = _picture(_experiment(tmp_path), "survival")
    rows = _rows(drawn.numbers())
    own = [row for row in rows if (row["problem"], row["label"]) == ("two", "D-TS")]
    assert [(row["x"], row["share"], row["runs"]) for row in own] == [
        ("3.0", "0.75", "4"),
        ("6.0", "0.5", "4"),
        ("9.0", "0.25", "4"),
        ("12.0", "0.0", "4"),
    ]
    assert [float(row["high"]) for row in own] == pytest.approx([0.99369, 0.93241, 0.80588, 1 - 0.025**0.25], abs=1e-5)
    assert [float(row["low"]) for row in own] == pytest.approx([0.19412, 0.06759, 0.00631, 0], abs=1e-5)
    axes = drawn.draw().axes
    assert [panel.get_title() for panel in axes] == ["two", "cycle"]
    line = axes[0].lines[0]
    assert line.get_drawstyle() == "steps-post" and line.get_color() == style_of("d-ts").colour
    left = axes[0].get_xlim()[0]
    assert line.get_xdata().tolist() == [left, 3, 6, 9, 12] and line.get_ydata().tolist() == [1, 0.75, 0.5, 0.25, 0]
    assert axes[0].get_xscale() == axes[0].get_yscale() == "log"
    assert left < 3 and axes[0].get_xlim()[1] > 12 and 0 < axes[0].get_ylim()[0] < 0.25


def test_the_legend_says_how_many_runs_and_what_the_band_is(tmp_path):
    figure = _picture(_experiment(tmp_path), "survival").draw()
    (legend,) = figure.legends
    assert _words(legend) == "4 runs, band: 95% confidence interval of each share"
    assert [text.get_text() for text in legend.get_texts()] == ["D-TS", "RUCB & co"]


def test_only_some_labels_keep_their_looks_and_the_numbers_are_theirs_alone(tmp_path):
    experiment = _experiment(tmp_path)
    for kind in ("survival", "quantiles"):
        drawn = _picture(experiment, kind, only=["RUCB & co"])
        assert {row["label"] for row in _rows(drawn.numbers())} == {"RUCB & co"}
        assert {line.get_color() for panel in drawn.draw().axes for line in panel.lines} == {style_of("rucb").colour}


def test_a_run_without_regret_can_stand_on_logarithmic_axes(tmp_path):
    # At round 1 all made-up runs have no regret.
    spec = SPEC.replace("horizon: 1000", "horizon: 1").replace("checkpoints: [1, 10, 100]", "checkpoints: [1]")
    drawn = _picture(_experiment(tmp_path, spec), "survival")
    assert {(row["x"], row["share"]) for row in _rows(drawn.numbers())} == {("0.0", "0.0")}
    assert len(drawn.draw().axes) == 2


# Quantiles


def test_bands_are_quantiles_of_the_runs_and_those_the_runs_cannot_show_are_left_out(tmp_path):
    drawn = _picture(_experiment(tmp_path, runs=20), "quantiles")
    rows = _rows(drawn.numbers())
    assert {row["round"] for row in rows} == {"10", "100", "1000"}, "the axis begins at round 10"
    end = rows[2]
    assert (end["problem"], end["label"], end["round"], end["runs"]) == ("two", "D-TS", "1000", "20")
    # 3, 6, .., 60: the quantile q is 3 + 57 q.
    names = ("median", "low50", "high50", "low90", "high90")
    assert [float(end[name]) for name in names] == pytest.approx([31.5, 17.25, 45.75, 5.85, 57.15])
    assert [end[name] for name in ("low99", "high99", "low99.9", "high99.9")] == [""] * 4
    figure = drawn.draw()
    assert [panel.get_title() for panel in figure.axes] == [
        *("D-TS on two", "D-TS on cycle"),
        *("RUCB & co on two", "RUCB & co on cycle"),
    ]
    assert figure.axes[0].lines[0].get_ydata()[-1] == 31.5 and len(figure.axes[0].collections) == 2
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["median", "50% of the runs", "90% of the runs"]
    left_out = "left out: 99% needs 200 runs, 99.9% needs 2000 runs"
    assert _words(legend) == f"median of 20 runs, bands of the runs around it; {left_out}"


def test_one_algorithm_on_one_problem_is_one_panel_with_its_colour_in_the_legend(tmp_path):
    spec = SPEC.replace("{{two: two.csv, cycle: cycle.csv}}", "{{two: two.csv}}")
    figure = _picture(_experiment(tmp_path, spec), "quantiles", only=["D-TS"]).draw()
    (axes,) = figure.axes
    assert axes.get_title() == "A title" and axes.get_xlabel() == "round t"
    assert figure.legends[0].get_lines()[0].get_color() == style_of("d-ts").colour


def test_panels_of_one_problem_share_their_axes(tmp_path):
    axes = _picture(_experiment(tmp_path), "quantiles", y_scale="linear").draw().axes
    assert axes[0].get_ylim() == axes[2].get_ylim() and axes[0].get_ylim()[0] == 0
    logarithmic = _picture(_experiment(tmp_path), "quantiles").draw().axes
    assert {panel.get_yscale() for panel in logarithmic} == {"log"}


def test_points_with_runs_of_their_own_are_not_joined(tmp_path):
    experiment = _experiment(tmp_path, RESTARTED)
    drawn = _picture(experiment, "quantiles")
    axes = drawn.draw().axes[0]
    assert axes.lines[0].get_linestyle() == "None" and axes.lines[0].get_xdata().tolist() == [10, 100, 1000]
    ends = _rows(_picture(experiment, "survival").numbers())
    assert [row["x"] for row in ends if row["label"] == "D-TS"][:4] == ["3.0", "6.0", "9.0", "12.0"], "longest horizon"


def test_every_band_that_is_missing_somewhere_is_named():
    def one(bands):
        pair = (np.zeros(1), np.ones(1))
        return Quantiles("p", "rucb", "RUCB", *[np.ones(1)] * 2, dict.fromkeys(bands, pair), False, np.array([9]), 9, 9)

    assert quantile_caption([one(["50", "90", "99", "99.9"])]) == "median of 9 runs, bands of the runs around it"
    assert quantile_caption([one(["50", "90", "99", "99.9"]), one(["50", "90", "99"])]).endswith(
        "99.9% needs 2000 runs"
    )


# Asking for them


@pytest.mark.parametrize("kind", quick(["survival", "quantiles"], "survival"))
def test_spec_command_and_python_draw_the_same_and_twice_the_same(tmp_path, kind):
    said = make_results(tmp_path / "a", spec=SPEC + f"figure: {{{{kind: {kind}}}}}\n")
    plain = make_results(tmp_path / "b")
    for folder, options, name in ((said, [], "1"), (said, [], "2"), (plain, ["--kind", kind], "3")):
        assert _plot(folder, *options, "-o", tmp_path / f"{name}.svg").exit_code == 0
    duelbench.plot(plain, tmp_path / "4.svg", kind=kind, quiet=True)
    assert len({(tmp_path / f"{n}.csv").read_bytes() for n in "1234"}) == 1
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()
    assert (tmp_path / "3.svg").read_bytes() == (tmp_path / "4.svg").read_bytes()
    # Its numbers may be written over.
    assert _plot(plain, "-o", tmp_path / "4.csv").exit_code == 0


def test_another_kind_than_the_specs_does_not_take_its_limits(tmp_path):
    folder = make_results(tmp_path, spec=SPEC + "figure: {{kind: bars, statistic: mean, y: [0, 5]}}\n")
    figure = duelbench.plot(folder, kind="survival", quiet=True)
    assert figure.axes[0].get_ylim()[1] > 1 and figure.axes[0].get_ylim()[1] < 2
    assert duelbench.plot(folder, kind="bars", quiet=True).axes[0].get_ylim() == (0, 5)


def test_the_help_names_every_kind():
    words = " ".join(_plot("--help").output.replace("│", " ").split())
    assert all(kind in words for kind in KINDS)


def test_what_a_kind_does_not_have_is_refused_all_at_once(tmp_path):
    folder = make_results(tmp_path)
    with pytest.raises(InputError) as caught:
        _plot(folder, "--kind", "survival", "--from", 10, "--band", "sem", "--log-regret", "--ymax", 5)
    assert str(caught.value).splitlines() == [
        "--from: a figure of the kind 'survival' has no time axis",
        "--log-regret: a figure of the kind 'survival' has no regret axis to change",
        "--ymax: a figure of the kind 'survival' has no upright axis of regret",
        "--band: a figure of the kind 'survival' has no band to choose",
    ]
    for arguments, said in (
        (["--kind", "survivl"], r"--kind survivl: no kind of figure is called so \(did you mean 'survival'\?\)"),
        (["--kind", "sweep"], "--kind sweep: the spec of demo sweeps over nothing"),
        (["--kind", "quantiles", "--exploration"], "--kind: --exploration draws figures of a kind of its own"),
        (["--kind", "quantiles", "--from", 2000], "--from 2000: the longest run ends at round 1000"),
    ):
        with pytest.raises(InputError, match=said):
            _plot(folder, *arguments)
    assert not list(folder.glob("*.png"))


def test_incomplete_results_say_so_across_the_panel(tmp_path):
    folder = make_results(tmp_path)
    (folder / "two" / "d-ts" / "run-00001.npz").unlink()
    (experiment,) = load_experiments([folder], allow_partial=True)
    survival, quantiles = (_picture(experiment, kind).draw() for kind in ("survival", "quantiles"))
    assert [text.get_text() for text in survival.axes[0].texts] == ["partial: 7 of 8 runs"]
    assert [text.get_text() for text in quantiles.axes[0].texts] == ["partial: 3 of 4 runs"]
    assert not survival.axes[1].texts and not quantiles.axes[1].texts
    assert survival.legends[0].get_texts()[0].get_text() == "D-TS (3 of 4 runs)"


def test_too_many_panels_are_refused(tmp_path, monkeypatch):
    experiment = _experiment(tmp_path)
    monkeypatch.setattr("duelbench.figures.content.panels.MAX_PANELS", 3)
    assert _picture(experiment, "quantiles", only=["D-TS"]).draw().axes
    with pytest.raises(InputError, match="4 panels"):
        _picture(experiment, "quantiles")
