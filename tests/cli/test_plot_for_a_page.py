"""Claims about the options of ``duelbench plot`` that fit a figure to a page."""

import csv
from pathlib import Path

import pytest
import typer
from matplotlib.figure import Figure
from typer.testing import CliRunner

import duelbench
from duelbench.cli.plot import plot
from duelbench.errors import InputError
from tests.figures.made_up import SPEC, make_results
from tests.selection import quick

app = typer.Typer()
app.command()(plot)

ONE = SPEC.replace("problems: {{two: two.csv, cycle: cycle.csv}}", "matrix: two.csv")
EVERY = ("regret", "bars", "self-duels", "survival", "quantiles")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    make_results(folder, "demo")
    make_results(folder, "one", spec=ONE)
    make_results(folder, "other", spec=ONE, factor=lambda label, run: 2 * run + 3)
    return folder / "results"


def _plot(*arguments, fails=None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
    return result


@pytest.mark.parametrize("kind", quick(EVERY, "regret", "bars"))
def test_every_kind_has_a_page_and_keeps_its_numbers(folder, tmp_path, kind):
    _plot(folder / "demo", "--kind", kind, "-o", tmp_path / "plain.csv")
    page = ["--style", "ieee", "--width", "4in", "--font-size", "7", "--title", "Other", "--greyscale"]
    _plot(folder / "demo", "--kind", kind, *page, "--format", "svg", "-o", tmp_path / "page.pgf")
    assert (tmp_path / "page.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    svg = (tmp_path / "page.svg").read_text()
    assert 'width="288pt"' in svg and ">Other<" in svg and "A demonstration" not in svg.partition("</metadata>")[2]
    assert b"pgfqpoint{4.000000in}" in (tmp_path / "page.pgf").read_bytes()


def test_no_title_leaves_it_out(folder, tmp_path):
    _plot(folder / "demo", "--no-title", "-o", tmp_path / "bare.svg")
    assert "A demonstration" not in (tmp_path / "bare.svg").read_text().partition("</metadata>")[2]


def test_formats_replace_the_usual_ones_and_stand_beside_that_of_the_output(folder, tmp_path):
    printed = _plot(folder / "one", "--format", "svg", "--format", "pgf").stdout.split()
    assert [Path(path).suffix for path in printed] == [".svg", ".pgf", ".csv"]
    printed = _plot(folder / "one", "--format", "svg", "-o", tmp_path / "x.pgf").stdout.split()
    assert [Path(path).suffix for path in printed] == [".pgf", ".svg", ".csv"]


WRONG = {
    "--style iee": "--style iee: no style is called so",
    "--width 3.25": "--width 3.25: must be a length with its unit",
    "--font-size 100": "--font-size 100.0: must be a number of points from 4 to 72",
    "--legend top": "--legend top: no legend is called so",
    "--panels arm": "--panels arm: no panels are called so",
    "--columns 0": "--columns 0: must be a whole number from 1 to 6",
    "--single-runs 0": "--single-runs 0: must be a whole number from 1",
    "--format eps": "--format eps: no format is called so",
    "--title x --no-title": "--title and --no-title exclude each other",
    "--together": "--together: name the file of the one figure with --output",
    "--kind bars --band sem": "--band: a figure of the kind 'bars' has no band",
    "--kind self-duels --band sem": "--band: a figure of the kind 'self-duels' has no band",
    "--kind survival --legend ends": "--legend ends: a figure of the kind 'survival' has no lines",
    "--kind bars --columns 2": "--columns: a figure of the kind 'bars' has no panels in several columns",
    "--kind quantiles --panels algorithm": "--panels: a figure of the kind 'quantiles' has no panels to choose",
    "--kind survival --single-runs 3": "--single-runs: a figure of the kind 'survival' has no lines of single runs",
    "--exploration --single-runs 3": "--single-runs: a figure of exploration has no lines of single runs",
    "--width 1in --font-size 20": "has no room for its panels",
    "--font-size 60": "has no room for its panels",
}


@pytest.mark.parametrize("options", WRONG)
def test_what_cannot_be_is_refused_and_nothing_is_written(folder, options):
    before = sorted(folder.rglob("*"))
    assert WRONG[options] in str(_plot(folder / "demo", *options.split(), fails=InputError).exception)
    assert sorted(folder.rglob("*")) == before


def _rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_experiments_together_have_one_panel_and_the_numbers_of_both(folder, tmp_path):
    figure = duelbench.plot([folder / "one", folder / "other"], tmp_path / "both.csv", together=True, quiet=True)
    assert len(figure.axes) == 1
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["D-TS (one)", "RUCB & co (one)", "D-TS (other)", "RUCB & co (other)"]
    together = _rows(tmp_path / "both.csv")
    _plot(folder / "one", folder / "other", "-o", tmp_path / "beside.csv")
    assert together == _rows(tmp_path / "beside.csv")
    alone = duelbench.plot([folder / "one", folder / "other"], together=True, only="D-TS", quiet=True)
    assert [text.get_text() for text in alone.legends[0].get_texts()] == ["D-TS (one)", "D-TS (other)"]


def test_single_runs_are_the_runs(folder):
    figure = duelbench.plot(folder / "other", only="D-TS", single_runs=3, quiet=True)
    single = [line for line in figure.axes[0].lines if line.get_gid() == "single"]
    # Run k has (2 k + 3) log10(t) duels; of four runs, three evenly spaced are 0, 1 and 2.
    assert [line.get_ydata().tolist() for line in single] == [[3, 6, 9], [5, 10, 15], [7, 14, 21]]
    assert [line.get_xdata().tolist() for line in single] == [[10, 100, 1000]] * 3
    assert "thin lines: 3 runs of each" in figure.legends[0].get_title().get_text().replace("\n", " ")
    assert len(duelbench.plot(folder / "other", only="D-TS", single_runs=99, quiet=True).axes[0].lines) == 5


def test_a_panel_per_algorithm_follows_only(folder):
    figure = duelbench.plot(folder / "demo", panels="algorithm", only="D-TS", quiet=True)
    assert [axes.get_title() for axes in figure.axes] == ["D-TS on two", "D-TS on cycle"]


def test_plot_returns_a_matplotlib_figure_that_is_saved_as_the_command_saves_it(folder, tmp_path):
    figure = duelbench.plot(folder / "one", tmp_path / "a.png", style="slides", title=False, quiet=True)
    _plot(folder / "one", "--style", "slides", "--no-title", "-o", tmp_path / "b.png")
    assert isinstance(figure, Figure) and figure.get_size_inches().tolist() == [10.0, 5.6]
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes() == figure._repr_png_()


def test_the_page_of_a_spec_is_that_of_its_figure_whatever_the_kind(tmp_path):
    own = "figure: {y: [0, 20], width: 8cm, font_size: 7, legend: ends}\n"
    results = make_results(tmp_path, "own", spec=ONE + own.replace("{", "{{").replace("}", "}}"))
    figure = duelbench.plot(results, quiet=True)
    assert figure.get_figwidth() == pytest.approx(8 / 2.54) and figure.axes[0].xaxis.label.get_fontsize() == 7
    survival = duelbench.plot(results, kind="survival", quiet=True)
    assert survival.get_figwidth() == pytest.approx(8 / 2.54)
    assert duelbench.plot(results, style="neurips", quiet=True).get_figwidth() == 5.5
