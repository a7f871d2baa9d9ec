"""Claims about ``duelbench plot``: what is drawn, what is written, and what is refused."""

import csv
import dataclasses
import os
import re
import shutil
import subprocess
import sys

import matplotlib
import pytest

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.errors import IncompleteResults
from tests.cli.commands import content, done, failed, refused
from tests.experiments.figures.made_up import SPEC, make_results

ONE = SPEC.replace("problems: {{two: two.csv, cycle: cycle.csv}}", "matrix: two.csv")
"""With a single panel, which is drawn faster."""


def _plot(*arguments):
    return done("plot", *arguments)


def _rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _numbers(*arguments):
    """The numbers of a figure that is not drawn."""
    _plot(*arguments, "-o", "numbers.csv")
    return _rows("numbers.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Results that no test changes: demo with two problems, one and other with one."""
    folder = tmp_path_factory.mktemp("made")
    make_results(folder, "demo")
    make_results(folder, "one", spec=ONE)
    make_results(folder, "other", spec=ONE, title="Another one", factor=lambda label, run: 2 * run + 3)
    return folder / "results"


def test_regret_rounds_and_labels_can_be_chosen(folder):
    assert _numbers(folder / "demo", "--regret", "borda")[0]["mean"] == "5.0"
    assert {row["round"] for row in _numbers(folder / "demo", "--set", "x=[1e2,]")} == {"100", "1000"}
    assert {row["label"] for row in _numbers(folder / "demo", "--only", "RUCB & co")} == {"RUCB & co"}
    both = _numbers(folder / "one", folder / "other")
    assert {row["problem"] for row in both} == {"one/two", "other/two"}
    assert both == _numbers(folder / "one", folder / "other", "--together")


def test_numbers_of_another_figure_are_not_written_over_without_a_word(folder):
    _plot(folder / "one", "-o", "a.svg")
    assert "overwritten" not in _plot(folder / "one", "--regret", "borda", "-o", "a.svg").stderr
    assert "note: a.csv: held the numbers of another figure" in _plot(folder / "other", "-o", "a.pgf").stderr


def test_settings_are_those_of_a_specs_figure(folder, here):
    _plot(folder / "one", "--set", "y=[0, 4]", "--set", "width=8cm", "--set", "x_scale=linear", "-o", "set.svg")
    assert 'width="226.77' in (here / "set.svg").read_text()
    assert "write NAME=VALUE, as in width=8cm" in refused("plot", folder / "one", "--set", "width")


def test_labels_have_looks_and_axes_names_without_a_script(folder, here):
    _plot(folder / "one", "--set", "styles.RUCB & co.color=tab:red", "--set", "xlabel=$t$ of $5", "-o", "set.svg")
    assert "#d62728" in (here / "set.svg").read_text()
    styles = {"RUCB & co": {"linewidth": 3, "marker": "x"}, "D-TS": {"color": "black", "linestyle": "--"}}
    figure = duelbench.plot(folder / "one", styles=styles, ylabel="regret $R$ for $5", quiet=True)
    d_ts, rucb = figure.axes[0].lines
    assert (d_ts.get_color(), rucb.get_linewidth(), rucb.get_marker()) == ("#000000", 3, "x")
    assert figure.axes[0].get_ylabel() == r"regret $R$ for \$5"
    both = duelbench.plot([folder / "one", folder / "other"], styles=styles, together=True, quiet=True)
    assert [line.get_linewidth() for line in both.axes[0].lines if "RUCB" in line.get_label()] == [3, 3]
    results = make_results(here, spec=ONE.replace("RUCB & co", "RUCB, a=0.6. b=1"))
    _plot(results, "--set", "styles.RUCB, a=0.6. b=1.color=tab:red", "-o", "equals.svg")
    assert "#d62728" in (here / "equals.svg").read_text()
    assert "did you mean 'color'?" in refused("plot", folder / "one", "--set", "styles.D-TS.colr=red")
    assert "not the label of an algorithm" in refused("plot", folder / "one", "--set", "styles.RUBC.color=red")


def test_a_style_sheet_is_found_beside_its_spec_and_wrong_settings_have_a_line(here, monkeypatch):
    sheet = here / "specs" / "my.mplstyle"
    results = make_results(here / "specs", spec=ONE + "figure: {{style: my.mplstyle}}\n", sheet="axes.grid: False\n")
    _plot(results, "--kind", "accuracy", "-o", "plain.svg")
    grid = duelbench.plot(results, quiet=True).axes[0].xaxis.get_gridlines()[0]
    assert not grid.get_visible()
    (here / "other.mplstyle").write_text("# mine\naxes.gird: False\n")
    message = refused("plot", results, "--set", "style=other.mplstyle", "-o", "x.svg")
    assert message == "style: other.mplstyle:2: unknown setting 'axes.gird' (did you mean 'axes.grid'?)"
    sheet.write_text("axes.grid: perhaps\n")
    assert "my.mplstyle: Key axes.grid" in refused("plot", results, "-o", "x.svg")
    sheet.write_text("text.usetex: True\n")
    assert "my.mplstyle:1: figures need no LaTeX" in refused("plot", results, "-o", "x.svg")


def test_a_style_sheet_wins_over_our_settings_and_options_over_it(folder, here):
    sheet = here / "own.mplstyle"
    sheet.write_text(
        "font.size: 12\naxes.labelsize: large\nlines.linewidth: 3\nlines.markeredgewidth: 2\nfigure.figsize: 6, 5\n"
        "axes.prop_cycle: cycler('color', ['ff0000', '00ff00']) + cycler('marker', ['x', 's'])\n"
        "axes.titleweight: light\nimage.cmap: gray\nsavefig.bbox: tight\n"
    )
    figure = duelbench.plot(folder / "one", style=str(sheet), quiet=True)
    axes = figure.axes[0]
    d_ts, rucb = axes.lines
    assert [line.get_color() for line in (d_ts, rucb)] == ["#ff0000", "#00ff00"]
    assert (d_ts.get_marker(), rucb.get_marker(), d_ts.get_linewidth(), d_ts.get_markeredgewidth()) == ("x", "s", 3, 2)
    assert axes.xaxis.label.get_size() == pytest.approx(14.4) and axes.title.get_weight() == "light"
    assert axes.get_xticklabels()[0].get_size() == pytest.approx(8 * 12 / 8.5)
    assert figure.get_size_inches().tolist() == [6, 5]
    styles = {"D-TS": {"color": "black"}}
    options = {"font_size": 8.5, "width": 7, "styles": styles, "style": str(sheet)}
    figure = duelbench.plot(folder / "one", **options, quiet=True)
    assert figure.axes[0].lines[0].get_color() == "#000000" and figure.get_size_inches()[0] == 7
    assert figure.axes[0].xaxis.label.get_size() == 8.5 and figure.axes[0].lines[0].get_linewidth() == 3
    greys = duelbench.plot(folder / "one", style=str(sheet), greyscale=True, quiet=True).axes[0].lines
    assert greys[0].get_color() == "#000000"
    said = _plot(folder / "one", "--set", "style=own.mplstyle", "--set", "width=3.3in", "-o", "x.pdf").stderr
    assert "note: own.mplstyle: figures do not use image.cmap, savefig.bbox" in said
    assert b"/MediaBox [ 0 0 237.6 " in (here / "x.pdf").read_bytes()


def test_single_runs_are_the_runs(folder):
    figure = duelbench.plot(folder / "other", single_runs=3, quiet=True)
    single = [line for line in figure.axes[0].lines if line.get_gid() == "single"]
    # Run k has (2 k + 3) log10(t) duels; of four runs, three evenly spaced are 0, 1 and 2.
    assert [line.get_ydata().tolist() for line in single[:3]] == [[3, 6, 9], [5, 10, 15], [7, 14, 21]]


def test_partial_results_are_refused_and_keep_no_other_experiment_away(here):
    results = make_results(here, spec=ONE)
    other, empty = (make_results(here, name, spec=ONE) for name in ("other", "empty"))
    (other / "d-ts" / "run-00001.npz").unlink()
    shutil.rmtree(empty / "d-ts")
    shutil.rmtree(empty / "rucb-co")
    (make_results(here, "broken", spec=ONE) / "manifest.json").write_text("{}")
    before = content(other)
    message = failed(IncompleteResults, "plot", results.parent)
    assert "3 of 4 runs" in message and str(empty) in message and "broken/manifest.json is damaged" in message
    assert "`duelbench run`" in message
    assert content(other) == before
    for form, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("csv", b"problem,")):  # beside the manifest
        assert (results / f"demo.{form}").read_bytes().startswith(start)


def test_mixed_trace_versions_are_refused_unless_asked_for(folder, here, monkeypatch):
    real = registry.get
    monkeypatch.setattr(registry, "get", lambda id: dataclasses.replace(real(id), trace_version=99))
    both = ("plot", folder / "one", make_results(here, "newer", spec=ONE), "-o", "figure.csv")
    assert "rucb come from 2 trace versions" in failed(IncompleteResults, *both)
    assert not (here / "figure.csv").exists()
    assert done(*both, "--allow-partial") and (here / "figure.csv").exists()


def test_runs_of_another_spec_are_never_taken_for_those_of_the_spec(here):
    # The manifest asks for other runs than the files hold, as after a new spec that was not run to its end.
    shutil.copytree(make_results(here, spec=ONE), here / "aside")
    fresh = make_results(here, alpha=0.6, spec=ONE)
    shutil.copytree(here / "aside" / "rucb-co", fresh / "rucb-co", dirs_exist_ok=True)
    message = failed(IncompleteResults, "plot", fresh)
    assert "0 of 4 runs of RUCB & co" in message and "(4 damaged)" in message and "D-TS" not in message


@pytest.mark.thorough
def test_bytes_do_not_depend_on_the_place_the_time_or_the_settings(here):
    results = make_results(here, spec=ONE)
    assert _plot(results, "-o", "here.svg", "--format", "pdf").stdout.split() == ["here.svg", "here.pdf", "here.csv"]
    svg, pdf = (here / "here.svg").read_text(), (here / "here.pdf").read_bytes()
    assert "mean of 4 runs" in svg and re.search(r"duelbench \d", svg)
    assert b"A demonstration" in pdf and b"CreationDate" not in pdf
    elsewhere = here / "elsewhere"
    shutil.copytree(results.parent, elsewhere / "results")
    (elsewhere / "matplotlibrc").write_text("font.size: 30\naxes.grid: False\nsvg.fonttype: path\n")
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "NUMBA_DISABLE_JIT": os.environ["NUMBA_DISABLE_JIT"],
        "HOME": str(elsewhere),
        "MPLCONFIGDIR": matplotlib.get_cachedir(),  # the list of fonts, which takes seconds to make
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "de_DE.UTF-8",
        "PYTHONHASHSEED": "77",
    }
    command = [sys.executable, "-m", "duelbench", "plot", "results", "-o", "there.svg", "--format", "pdf"]
    subprocess.run(command, cwd=elsewhere, env=environment, check=True, capture_output=True)
    for form in ("csv", "svg", "pdf"):
        assert (elsewhere / f"there.{form}").read_bytes() == (here / f"here.{form}").read_bytes()


def test_the_backend_of_a_notebook_does_not_matter(folder):
    environment = {**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    command = [sys.executable, "-m", "duelbench", "plot", "one"]
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, env=environment)
    assert process.returncode == 0, process.stderr
