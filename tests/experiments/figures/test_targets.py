"""Every figure of the papers is a make target, a spec and a part of a page; one of each kind is made at quick scale."""

import csv
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
from typer.testing import CliRunner

from duelbench.cli.app import app
from duelbench.errors import InputError
from duelbench.experiments.results.cells import cells
from duelbench.experiments.spec.load import load
from tests.docs.following import ROOT
from tests.optional_data import optional
from tests.statistical.studies import study

page_numbers, page_tables = study("page_numbers"), study("page_tables")

CONFIGS = ROOT / "configs"
SPECS = {
    f"{path.parent.name}-{path.stem}": path
    for path in sorted(CONFIGS.glob("*/*.yaml"))
    if re.fullmatch(r"\d+[a-z]?|[a-z]", path.stem)
}
"""The specs that are named after a figure of their paper: 4c, 2, a; others lie beside them."""

PAGES = ROOT / "docs" / "figures"
NUMBERS = page_numbers.read()
RECIPES = (CONFIGS / "figures.mk").read_text(encoding="utf-8")
TARGETS = dict(re.findall(r"^fig-([a-z0-9-]+):[^#\n]*## (.+)$", RECIPES, re.MULTILINE))
"""Name of a figure -> what `make help` says of its target."""


def duelbench(*arguments: object) -> str:
    """Standard output of a command in this process; errors come as exceptions."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def needs_data(path: Path) -> bool:
    """Whether the spec asks for data that cannot ship."""
    return "mslr-informational" in path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A folder that make takes for a finished virtual environment."""
    if shutil.which("make") is None:
        pytest.skip("make is not there")
    folder = tmp_path_factory.mktemp("venv")
    (folder / "installed").touch()
    return folder


def recipes_of(targets: list[str], environment: Path, *settings: str) -> list[list[str]]:
    """The commands of duelbench that make would give, dry runs left out, as lists of words without ``duelbench``."""
    command = ["make", "-n", "-C", str(ROOT), *targets, f"VENV={environment}", "DUELBENCH=duelbench", *settings]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.replace("\\\n", " ")
    commands = [line for line in said.splitlines() if line.startswith("duelbench ") and "--dry-run" not in line]
    return [shlex.split(line)[1:] for line in commands]


def test_every_spec_has_a_target_of_its_own_a_size_in_the_help_and_a_title_on_its_papers_page():
    assert set(TARGETS) == {*SPECS, "zoghi2015-c", "urvoy2013-12"}
    for name, path in SPECS.items():
        text = path.read_text(encoding="utf-8")
        horizon, runs = (re.search(rf"^{key}: (\S+)$", text, re.MULTILINE)[1] for key in ("horizon", "runs"))
        assert f"to {horizon}" in TARGETS[name] and (f"{runs} run" in TARGETS[name] or runs == "1"), name
        page = (PAGES / f"{path.parent.name}.md").read_text(encoding="utf-8")
        assert f"`make fig-{name}`" in page, f"docs/figures/{path.parent.name}.md does not speak of {name}"


def test_make_figures_makes_all_of_them_and_all_are_phony():
    listed = [
        re.search(rf"^{name} := ((?:.*\\\n)*.*)$", RECIPES, re.MULTILINE)[1].replace("\\", "").split()
        for name in ("FIGURES", "EXPLORATION", "OTHERS")
    ]
    tables = re.findall(r"^(table-[a-z0-9-]+):", RECIPES, re.MULTILINE)
    assert {*chain.from_iterable(listed)} == {f"fig-{name}" for name in TARGETS} | {*tables}
    assert re.search(r"^\.PHONY: figures .*\$\(FIGURES\) \$\(EXPLORATION\) \$\(OTHERS\)$", RECIPES, re.MULTILINE)
    assert re.search(r"^figures: \$\(FIGURES\) \$\(EXPLORATION\) \$\(OTHERS\)  ##", RECIPES, re.MULTILINE)


@pytest.mark.parametrize(("settings", "end"), [((), ""), (("SCALE=quick",), "-quick")])
def test_a_target_runs_its_spec_at_the_scale_asked_for_and_draws_the_results(environment, settings, end):
    names = sorted(SPECS)
    recipes = recipes_of([f"fig-{name}" for name in names], environment, *settings)
    scale = ["--scale", "quick"] if settings else []
    assert [words for words in recipes if words[0] == "run"] == [
        ["run", str(SPECS[name].relative_to(ROOT)), *scale] for name in names
    ]
    assert [words[-1] for words in recipes if words[0] == "plot"] == [f"results/{name}{end}" for name in names]


def test_figures_can_be_drawn_with_other_options(environment):
    for target in ("fig-komiyama2016-1e", "fig-urvoy2013-4"):
        (*_, plot) = recipes_of([target], environment, "PLOT=--set y=[0,500]")
        assert plot[-3:-1] == ["--set", "y=[0,500]"]


@pytest.mark.parametrize("name", [*(name for name in SPECS if not needs_data(SPECS[name])), "urvoy2013-4-tests"])
def test_the_numbers_on_the_pages_are_of_what_a_spec_asks_for(name):
    spec = load(page_tables.spec_of(name))
    own = page_numbers.curves(cells(spec), page_numbers.is_pooled(spec.canonical()))
    now = {curve: page_numbers.made_by(of_curve) for curve, of_curve in own.items()}
    recorded = [number for number in NUMBERS if number.experiment == name]
    page = (page_tables.PAGES / page_tables.page_of(name)).read_text(encoding="utf-8")
    not_here = (page_tables.PAGES.parent / "gallery.md").read_text(encoding="utf-8").partition("## Limits")[2]
    labels = {number.curve.label for number in recorded}
    assert labels == {entry.label for entry in spec.entries} or (not labels and f"`make fig-{name}` |" in not_here)
    for number in recorded:
        if number.made.cell and number.made.trace_version == now[number.curve].trace_version:  # or the page says so
            asked, runs = now[number.curve], number.made.runs
            again = f"run it again and fill its page: make fig-{name} page-numbers"
            assert number.made._replace(runs=asked.runs) == asked, again
            assert runs == asked.runs or f"{runs} runs here; `make`" in page, again  # fewer, and the page says so


ONE_OF_A_KIND = ("urvoy2013-11", "wu2016-4b", "wu2016-5a", "wu2016-6a", "wu2016-7a")
"""Curves with all algorithms, sweeps, self-duels, spreads, explorers."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name in ONE_OF_A_KIND else pytest.mark.slow)
        for name in SPECS
        if not needs_data(SPECS[name])
    ],
)
def test_a_target_is_drawn_at_quick_scale_from_nothing(name, tmp_path, environment):
    run, plot = recipes_of([f"fig-{name}"], environment, "SCALE=quick", "URVOY_CURVES=/nowhere")
    duelbench(run[0], ROOT / run[1], *run[2:], "--out", tmp_path, "-j", 1, "-q")
    folder = tmp_path / f"{name}-quick"
    duelbench(*plot[:-1], folder, "-o", folder / "figure.svg")
    rows = list(csv.DictReader((folder / "figure.csv").read_text(encoding="utf-8").splitlines()))
    assert {entry.label for entry in load(SPECS[name], "quick").entries} <= {row["label"] for row in rows}
    heights = [float(row[column]) for row in rows for column in ("mean", "height", "share") if row.get(column)]
    assert heights and all(height >= 0 for height in heights)


MADE = {
    "fig-urvoy2013-12": ["urvoy2013-12-quick/urvoy2013-12-quick.png"],
    "fig-zoghi2015-c": ["zoghi2015-c-quick/zoghi2015-c-quick.png", "zoghi2015-c-quick/zoghi2015-c-quick.csv"],
    "table-wu2016-9": ["wu2016-table-9/mslr32-noncondorcet.csv"],
    "table-komiyama2016-1": ["komiyama2016-table-1/mslr32-noncondorcet.csv"],
    "table-komiyama2016-4": [],
}
"""A target of each kind of recipe that is no experiment -> what it leaves in ``results``."""


@pytest.mark.slow
def test_make_makes_what_is_no_experiment(tmp_path, environment, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    duelbench("matrix", "fetch", "mslr", "--from", optional("data", "mslr"))
    for name in ("Makefile", "configs", "matrices", "pyproject.toml", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    command = ["make", *MADE, "SCALE=quick", f"VENV={environment}", f"DUELBENCH={sys.executable} -m duelbench"]
    command.append(f"BIN={Path(sys.executable).parent}")
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "URVOY_CURVES": "/nowhere"}
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in chain.from_iterable(MADE.values()):
        assert (tmp_path / "results" / name).stat().st_size > 0
    table_9 = json.loads(optional("data", "mslr", "subsets.json").read_text(encoding="utf-8"))
    for matrix in (tmp_path / "results" / "wu2016-table-9").glob("*.csv"):
        shown = json.loads(duelbench("show", matrix, "--json"))
        kind = "non-Condorcet" if "non" in matrix.stem else "Condorcet"
        printed = table_9[f"wu2016 K = {shown['n_arms']}, {kind}"]
        assert shown["names"] == [f"ranker {ranker}" for ranker in printed["rankers"]]
        scores = [round(share * (shown["n_arms"] - 1)) for share in shown["copeland_scores"]]
        assert scores == printed["copeland"], "the scores of the paper's Table 9"


def test_specs_that_need_data_say_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    paths = [path for path in SPECS.values() if needs_data(path)]
    for path in paths:
        assert "Needs `duelbench matrix fetch mslr`." in " ".join(re.sub(r"\n# ", " ", path.read_text()).split())
    with pytest.raises(InputError, match="get it with `duelbench matrix fetch mslr`"):
        load(paths[0])


def test_komiyama_and_others_table_4_follows_from_the_draws_that_the_paper_lists():
    per_win = {p: p * math.log(2 * p) + (1 - p) * math.log(2 * (1 - p)) for p in (0.6, 0.9)}
    winner, circle = 3 * (1 - (1 + 1 / 3) / 2), 3 * (1 - 1 / 3)  # regret of one draw of each of the three pairs
    found = json.loads(duelbench("show", ROOT / "matrices" / "cyclic.csv", "--bounds", "--json"))["bounds"]
    assert found["copeland"]["constant"] == pytest.approx(winner / (2 * per_win[0.6]) + circle / (2 * per_win[0.9]))
    assert found["ecw"]["constant"] == pytest.approx(winner / per_win[0.6])
    assert found["ccb"]["constant"] == pytest.approx(1600)
