"""Claims about ``duelbench plot``."""

import csv
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import sys
import warnings

import pytest
import typer
from typer.testing import CliRunner

from duelbench.actions.drawing import spare_other_data
from duelbench.cli.app import app as commands
from duelbench.cli.pictures import Band
from duelbench.cli.plot import plot
from duelbench.errors import IncompleteResults, InputError
from duelbench.figures.drawing import (
    bars,
    distribution_figures,
    exploration_figure,
    regret_figure,
    slice_figure,
    sweep_figure,
    winner_figure,
)
from duelbench.problem.bounds import lower_bound
from duelbench.statistics.curves import BANDS
from tests.figures.made_up import SPEC, make_results
from tests.selection import quick

app = typer.Typer()
app.command()(plot)

PNG = b"\x89PNG"


def _plot(*arguments, fails=None):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if fails is None:
        assert result.exit_code == 0, result.exception or result.output
    else:
        assert isinstance(result.exception, fails), result.output
    return result


def _rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def results(tmp_path):
    return make_results(tmp_path)


def test_each_experiment_gets_its_figures_beside_its_manifest(results):
    make_results(results.parent.parent, "other")
    printed = _plot(results.parent).stdout.splitlines()
    forms = ("png", "pdf", "csv")
    assert printed == [f"{results.parent}/{name}/{name}.{form}" for name in ("demo", "other") for form in forms]
    assert (results / "demo.png").read_bytes().startswith(PNG)
    assert (results / "demo.pdf").read_bytes().startswith(b"%PDF")


def test_the_csv_has_the_means_of_the_runs(results):
    _plot(results, "--band", "sem")
    rows = [row for row in _rows(results / "demo.csv") if (row["problem"], row["label"]) == ("two", "D-TS")]
    # Runs 0 to 3 have (run + 1) log10(t): mean 2.5 log10(t), standard error sqrt(5 / 3) / 2 log10(t).
    assert [(row["round"], float(row["mean"])) for row in rows] == [("10", 2.5), ("100", 5.0), ("1000", 7.5)]
    assert float(rows[0]["high"]) - 2.5 == pytest.approx((5 / 3) ** 0.5 / 2)
    assert {(row["runs"], row["band"]) for row in rows} == {("4", "sem")}


def test_the_regret_asked_for_is_drawn(results):
    _plot(results, "--regret", "borda", "-o", results / "other.csv")
    assert _rows(results / "other.csv")[0]["mean"] == "5.0"


def test_the_help_names_every_ending_that_the_output_may_have(results):
    said = " ".join(re.sub(r"[│\s]+", " ", CliRunner().invoke(app, ["--help"]).stdout).split())
    refusal = str(_plot(results, "-o", "x.txt", fails=InputError).exception)
    endings = re.findall(r"\.(\w+)", refusal.partition("one of")[2])
    assert endings == ["png", "pdf", "svg", "pgf", "csv"]
    assert all(f".{ending}" in said for ending in endings) and "FILE.csv is its numbers alone" in said


def test_from_takes_numbers_as_specs_do(results):
    assert _plot(results, "--from", "1e2", "-o", results / "late.csv").stdout == f"{results / 'late.csv'}\n"
    assert {row["round"] for row in _rows(results / "late.csv")} == {"100", "1000"}


@pytest.mark.parametrize("form", ["png", "pdf", "svg"])
def test_the_ending_of_the_output_is_its_format(results, tmp_path, form):
    printed = _plot(results, "-o", tmp_path / "new" / f"figure.v2.{form}").stdout.splitlines()
    assert printed == [str(tmp_path / "new" / f"figure.v2.{ending}") for ending in (form, "csv")]
    start = {"png": PNG, "pdf": b"%PDF", "svg": b"<?xml"}[form]
    assert (tmp_path / "new" / f"figure.v2.{form}").read_bytes().startswith(start)
    assert not (results / "demo.png").exists()


@pytest.mark.parametrize("output", ["two.png", "two.csv", None])
def test_the_numbers_of_a_figure_take_the_place_of_such_numbers_only(results, tmp_path, monkeypatch, output):
    lost = tmp_path / "two.csv" if output else results / "demo.csv"
    lost.write_text("0.5,0.75\n0.25,0.5\n")
    before = _files(tmp_path)
    asked = ["-o", tmp_path / output] if output else []
    with monkeypatch.context() as context:
        context.setattr("duelbench.figures.drawing.canvas.new_grid", None)  # nothing is drawn
        said = str(_plot(results, *asked, fails=InputError).exception)
    assert said.startswith(f"{lost} is there and holds no numbers of a figure")
    assert "choose another name with --output" in said
    assert lost.read_text() == "0.5,0.75\n0.25,0.5\n" and _files(tmp_path) == before
    lost.unlink()
    assert _plot(results, *asked).stdout == _plot(results, *asked).stdout


def test_the_numbers_of_every_kind_of_figure_are_known_as_such(tmp_path):
    kinds = (regret_figure.CSV_COLUMNS, sweep_figure.CSV_COLUMNS, winner_figure.CSV_COLUMNS, slice_figure.CSV_COLUMNS)
    kinds += (distribution_figures.SURVIVAL_COLUMNS, distribution_figures.QUANTILE_COLUMNS)
    for columns in (*kinds, bars.SPREAD_COLUMNS, bars.SELF_DUEL_COLUMNS, exploration_figure.COLUMNS):
        (tmp_path / "x.csv").write_text(",".join(columns) + "\n")
        spare_other_data(tmp_path / "x.png")


def test_characters_that_the_font_lacks_are_named_in_one_sentence(tmp_path):
    spec = SPEC.replace("RUCB & co", "日本").replace("{title}", "日")
    results = make_results(tmp_path, spec=spec)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = _plot(results).stderr
        assert said.splitlines().count("note: the font of figures has no 日, 本: boxes stand for them") == 1
        assert "font" not in _plot(results, "-o", tmp_path / "x.svg").stderr
        assert "font" not in _plot(results, "--only", "D-TS", "-o", tmp_path / "x.csv").stderr


def test_an_output_shows_several_experiments_together(results, tmp_path):
    other = make_results(tmp_path, "other", title="Another one")
    _plot(results, other, "-o", tmp_path / "both.svg")
    problems = list(dict.fromkeys(row["problem"] for row in _rows(tmp_path / "both.csv")))
    assert problems == ["demo/two", "demo/cycle", "other/two", "other/cycle"]
    assert "Another one: cycle" in (tmp_path / "both.svg").read_text()


def test_the_figure_has_the_title_of_the_spec(results, tmp_path):
    _plot(results, "-o", tmp_path / "figure.svg")
    svg = (tmp_path / "figure.svg").read_text()
    assert "A demonstration" in svg
    assert "mean of 4 runs, band: smallest to largest run" in svg
    assert re.search(r"duelbench \d", svg)


def test_only_the_labels_asked_for_are_drawn(results):
    _plot(results, "--only", "RUCB & co", "-o", results / "one.csv")
    assert {row["label"] for row in _rows(results / "one.csv")} == {"RUCB & co"}


def test_an_experiment_without_the_label_keeps_no_other_from_being_drawn(results, tmp_path):
    other = make_results(tmp_path, "other", spec=SPEC.replace("RUCB & co", "RUCB"))
    shown = _plot(results.parent, "--only", "RUCB")
    assert shown.stdout.splitlines() == [f"{other}/other.{form}" for form in ("png", "pdf", "csv")]
    assert shown.stderr == f"note: --only RUCB: no algorithm of {results} has that label\n"
    both = _plot(results.parent, "--only", "RUCB", "--only", "RUCB & co", "-o", tmp_path / "both.csv")
    assert [(row["problem"], row["label"]) for row in _rows(tmp_path / "both.csv")[::3]] == [
        ("demo/two", "RUCB & co"),
        ("demo/cycle", "RUCB & co"),
        ("other/two", "RUCB"),
        ("other/cycle", "RUCB"),
    ]
    assert both.stderr.count("note: --only") == 2


def test_the_bands_offered_are_the_bands_there_are():
    assert [band.value for band in Band] == list(BANDS)


WRONG = {
    "a band": (["--band", "ci90"], None),
    "a regret": (["--regret", "copland"], r"--regret copland: demo recorded .*did you mean 'copeland'"),
    "a label": (["--only", "RUCB"], r"--only RUCB: no algorithm .*did you mean 'RUCB & co'"),
    "an ending": (["-o", "figure.gif"], r"--output figure.gif: .*\.png, \.pdf, \.svg"),
    "a folder": (["-o", "."], r"--output \.: name a file"),
    "no number": (["--from", "ten"], None),
    "round 0": (["--from", "0"], None),
    "more rounds than a spec can have": (["--from", "2e15"], None),
    "a late round": (["--from", "1000"], r"--from 1000: the longest run ends at round 1000"),
    "a negative top": (["--ymax", "-1"], r"--ymax -1.0: must be a positive number"),
    "no top": (["--ymax", "nan"], r"--ymax nan: must be a positive number"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_named_and_nothing_is_written(results, mistake):
    arguments, message = WRONG[mistake]
    before = _files(results.parent)
    if message is None:
        assert CliRunner().invoke(app, [str(results), *arguments]).exit_code == 2
    else:
        error = _plot(results, *arguments, fails=InputError).exception
        assert error.exit_code == 2
        assert re.search(message, str(error))
    assert _files(results.parent) == before


def test_no_results_are_the_users_mistake(tmp_path):
    assert _plot(tmp_path / "nowhere", fails=InputError).exception.exit_code == 2
    assert "manifest.json" in str(_plot(tmp_path, fails=InputError).exception)


def test_a_place_that_cannot_be_written_is_named(results, tmp_path):
    (tmp_path / "file").write_text("in the way")
    error = _plot(results, "-o", tmp_path / "file" / "figure.svg", fails=InputError).exception
    assert "figure.svg cannot be written" in str(error)


def test_incomplete_results_are_refused_and_nothing_is_written(results):
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    before = _files(results)
    error = _plot(results, fails=IncompleteResults).exception
    assert error.exit_code == 4
    assert "3 of 4 runs of D-TS on two" in str(error)
    assert _files(results) == before


def test_an_experiment_that_is_not_complete_keeps_no_other_away(results, tmp_path):
    other, empty = (make_results(results.parent.parent, name) for name in ("other", "empty"))
    next(other.rglob("run-00001.npz")).unlink()
    shutil.rmtree(empty / "two")
    shutil.rmtree(empty / "cycle")
    (make_results(results.parent.parent, "broken") / "manifest.json").write_text("{}")
    shown = _plot(results.parent, fails=IncompleteResults)
    assert shown.exception.exit_code == 4
    assert shown.stdout.splitlines() == [str(results / f"demo.{form}") for form in ("png", "pdf", "csv")]
    message = str(shown.exception)
    assert f"{other}/two/d-ts: 3 of 4 runs" in message and str(empty) in message
    assert "broken/manifest.json is damaged" in message and "`duelbench run`" in message


def test_a_spec_stands_for_its_results(results, monkeypatch):
    monkeypatch.chdir(results.parent.parent)
    assert _plot("demo.yaml", "-o", "one.csv").stdout == "one.csv\n"
    _plot("results/demo", "-o", "other.csv")
    assert _rows(results.parent.parent / "one.csv") == _rows(results.parent.parent / "other.csv")


def test_every_experiment_keeps_its_own_limits_in_a_figure_of_several(tmp_path):
    limited = make_results(tmp_path, "limited", spec=SPEC + "figure: {{x: [100, 1000], y: [0, 50]}}\n")
    free = make_results(tmp_path, "free")
    _plot(limited, free, "-o", tmp_path / "both.csv")
    firsts = {row["problem"]: int(row["round"]) for row in reversed(_rows(tmp_path / "both.csv"))}
    assert firsts == {"limited/two": 100, "limited/cycle": 100, "free/two": 10, "free/cycle": 10}


def test_figures_with_different_bands_need_a_choice(tmp_path):
    quartiles = make_results(tmp_path, "quartiles", spec=SPEC + "figure: {{band: iqr}}\n")
    both = (quartiles, make_results(tmp_path, "usual"), "-o", tmp_path / "both.csv")
    assert "choose one with --band" in str(_plot(*both, fails=InputError).exception)
    _plot(*both, "--band", "sem")
    assert {row["band"] for row in _rows(tmp_path / "both.csv")} == {"sem"}


def test_a_partial_figure_says_so_on_its_face_and_on_the_terminal(results, tmp_path):
    (results / "two" / "d-ts" / "run-00001.npz").unlink()
    shown = _plot(results, "--allow-partial", "-o", tmp_path / "figure.svg")
    svg = (tmp_path / "figure.svg").read_text()
    assert "partial: 7 of 8 runs" in svg
    assert "D-TS (3 of 4 runs in two)" in svg
    assert "note: partial:" in shown.stderr
    assert "note" not in shown.stdout


def test_mixed_trace_versions_are_refused_or_stamped(results, tmp_path, monkeypatch):
    import dataclasses

    from duelbench.algorithms import registry

    real = registry.get
    monkeypatch.setattr(registry, "get", lambda id: dataclasses.replace(real(id), trace_version=99))
    other = make_results(tmp_path, "other")
    figure = tmp_path / "figure.svg"
    error = _plot(results, other, "-o", figure, fails=IncompleteResults).exception
    assert "rucb come from 2 trace versions" in str(error)
    assert not figure.exists()
    _plot(results, other, "-o", figure, "--allow-partial")
    assert "mixed trace versions" in figure.read_text()


def test_runs_of_another_seed_are_never_taken_for_those_of_the_spec(results):
    # The manifest asks for other runs than the files hold, as after a new spec that was not run to its end.
    aside = results.parent.parent / "aside"
    shutil.copytree(results, aside)
    fresh = make_results(results.parent.parent, alpha=0.6)
    shutil.copytree(aside / "two", fresh / "two", dirs_exist_ok=True)
    error = _plot(fresh, fails=IncompleteResults).exception
    assert "0 of 4 runs of RUCB & co on two (4 damaged)" in str(error)
    assert "D-TS" not in str(error)


def test_metadata_name_the_spec_and_no_date(results):
    _plot(results)
    pdf = (results / "demo.pdf").read_bytes()
    assert b"A demonstration" in pdf
    assert b"CreationDate" not in pdf
    assert b"spec SHA-256" in (results / "demo.png").read_bytes()


def test_bytes_do_not_depend_on_the_place_the_time_or_the_settings(results, tmp_path):
    import matplotlib

    _plot(results, "-o", tmp_path / "here.svg")
    _plot(results, "-o", tmp_path / "here.pdf")
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(results.parent, elsewhere / "results")
    (elsewhere / "matplotlibrc").write_text("font.size: 30\naxes.grid: False\nsvg.fonttype: path\n")
    code = (
        "from pathlib import Path; from duelbench.cli.plot import plot;"
        "plot([Path('results')], output=Path('there.svg'));"
        "plot([Path('results/demo')], output=Path('there.pdf'))"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "HOME": str(elsewhere),
        "MPLCONFIGDIR": matplotlib.get_cachedir(),  # the list of fonts, which takes seconds to make
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "de_DE.UTF-8",
        "PYTHONHASHSEED": "77",
    }
    command = [sys.executable, "-c", code]
    subprocess.run(command, cwd=elsewhere, env=environment, check=True, capture_output=True)
    for form in ("csv", "svg", "pdf"):
        assert (elsewhere / f"there.{form}").read_bytes() == (tmp_path / f"here.{form}").read_bytes()


def test_help_does_not_wait_for_heavy_libraries():
    code = (
        "import sys, duelbench.cli.plot, duelbench.cli.report;"
        "print([name for name in ('numpy', 'matplotlib', 'scipy', 'numba') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


BOUNDED = """
name: {name}
title: {title}
problems: {{two: two.csv, cycle: cycle.csv}}
horizon: 1000
runs: {runs}
regret: [copeland, copeland-zoghi, borda]
checkpoints: [1, 10, 100]
bounds: [copeland, ecw, condorcet]
algorithms: [d-ts, {{rucb: {{alpha: {alpha}}}}}]
# {regret}
"""


def _bound_rows(path):
    return [(row["problem"], row["label"], float(row["mean"])) for row in _rows(path) if row["algorithm"] == "bound"]


@pytest.mark.parametrize(("regret", "factor"), [("copeland", 1), ("copeland-zoghi", 2)])
def test_the_bounds_of_a_spec_are_drawn_against_the_regret_that_they_bound(tmp_path, regret, factor):
    constant = factor * lower_bound([[0.5, 0.75], [0.25, 0.5]]).constant
    _plot(make_results(tmp_path, spec=BOUNDED), "--regret", regret, "-o", tmp_path / "bounded.svg")
    rows = [row for row in _bound_rows(tmp_path / "bounded.csv") if row[0] == "two"]
    assert rows == [
        ("two", name, constant * math.log(t)) for name in ("lower bound", "bound of ECW-RMED") for t in (10, 1000)
    ]


def test_no_bound_is_drawn_against_another_regret(tmp_path):
    _plot(make_results(tmp_path, spec=BOUNDED), "--regret", "borda", "-o", tmp_path / "borda.svg")
    assert _bound_rows(tmp_path / "borda.csv") == []


def test_results_without_constants_are_drawn_without_lines_and_say_so(tmp_path):
    results = make_results(tmp_path, spec=BOUNDED)
    manifest = json.loads((results / "manifest.json").read_text())
    for problem in manifest["problems"]:
        del problem["bounds"]
    del manifest["sha256"]
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
    (results / "manifest.json").write_text(json.dumps({**manifest, "sha256": digest}))
    shown = _plot(results)
    assert "note: demo: its bounds are not computed yet; `duelbench run` its spec" in shown.stderr
    assert _bound_rows(results / "demo.csv") == []
    page = tmp_path / "page.html"
    CliRunner().invoke(commands, ["report", str(results), "--html", str(page)], catch_exceptions=False)
    assert "its bounds are not computed yet" in page.read_text()


@pytest.mark.parametrize("deaf", quick([["stdout"], ["stdout", "stderr"]], ["stdout", "stderr"]))
def test_all_files_are_written_though_nobody_reads_their_names(results, deaf):
    make_results(results.parent.parent, "other")
    next((results.parent / "other").rglob("run-*.npz")).unlink()  # so that there is a note, too
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "duelbench", "plot", results.parent, "--allow-partial"]
    try:
        done = subprocess.run(command, check=False, **dict.fromkeys(deaf, writing))
    finally:
        os.close(writing)
    assert done.returncode == 0
    written = {path.name for path in _files(results.parent) if path.stem in ("demo", "other")}
    assert written == {f"{name}.{form}" for name in ("demo", "other") for form in ("png", "pdf", "csv")}
