"""Every figure of the papers is a make target, a spec and a part of a page, and is drawn at quick scale."""

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
from duelbench.results.cells import cells
from duelbench.spec.load import load
from tests.docs import page_numbers
from tests.docs.page_numbers import curves, is_pooled, made_by
from tests.docs.page_tables import spec_of
from tests.optional_data import optional
from tests.selection import quick

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "configs"
SPECS = {
    f"{path.parent.name}-{path.stem}": path
    for path in sorted(CONFIGS.glob("*/*.yaml"))
    if re.fullmatch(r"\d+[a-z]?|[a-z]", path.stem)
}
"""The specs that are named after a figure of their paper: 4c, 2, a; others lie beside them."""

PAGES = ROOT / "docs" / "figures"
NUMBERS = page_numbers.read()

runner = CliRunner()


def duelbench(*arguments: object) -> str:
    """Standard output of a command in this process; errors come as exceptions."""
    result = runner.invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
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


def recipe_of(target: str, environment: Path, *settings: str) -> list[list[str]]:
    """The commands of duelbench that make would give, dry runs left out, as lists of words without ``duelbench``."""
    command = ["make", "-n", "-C", str(ROOT), target, f"VENV={environment}", "DUELBENCH=duelbench", *settings]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.replace("\\\n", " ")
    commands = [line for line in told.splitlines() if line.startswith("duelbench ") and "--dry-run" not in line]
    return [shlex.split(line)[1:] for line in commands]


@pytest.fixture(scope="module")
def data_home(tmp_path_factory):
    """A data folder with the matrices of the MSLR rankers."""
    home = tmp_path_factory.mktemp("data-home")
    before = os.environ.get("XDG_DATA_HOME")
    os.environ["XDG_DATA_HOME"] = str(home)
    try:
        duelbench("matrix", "fetch", "mslr", "--from", optional("data", "mslr"))
        yield home
    finally:
        os.environ.pop("XDG_DATA_HOME") if before is None else os.environ.update(XDG_DATA_HOME=before)


ONE_OF_A_KIND = (
    "agrawal2019-a",
    "komiyama2016-1a",
    "urvoy2013-11",
    "wu2016-3f",
    "wu2016-4b",
    "wu2016-5a",
    "wu2016-6a",
    "wu2016-7a",
    "zoghi2015-1",
)
"""Curves with all algorithms, sweeps, self-duels, spreads, slices, explorers."""


@pytest.mark.parametrize("name", quick(SPECS, *ONE_OF_A_KIND, slow=["wu2016-6b"]))
def test_a_target_is_drawn_at_quick_scale_from_nothing(name, tmp_path, environment, request):
    path = SPECS[name]
    if needs_data(path):
        request.getfixturevalue("data_home")
    assert load(path).name == name
    spec = load(path, "quick")
    run, plot = recipe_of(f"fig-{name}", environment, "SCALE=quick", "URVOY_CURVES=/nowhere")
    assert run == ["run", str(path.relative_to(ROOT)), "--scale", "quick"]
    assert plot[0] == "plot" and plot[-1] == f"results/{name}-quick"
    duelbench("run", path, *run[2:], "--out", tmp_path, "-j", 1, "-q")
    folder = tmp_path / f"{name}-quick"
    duelbench(*plot[:-1], folder, "-o", folder / "figure.svg")
    with open(folder / "figure.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {entry.label for entry in spec.entries} <= {row["label"] for row in rows}
    heights = [float(row[column]) for row in rows for column in ("mean", "height", "share") if row.get(column)]
    assert len(heights) >= len(spec.entries) and all(height >= 0 for height in heights)
    assert (folder / "figure.svg").read_bytes().startswith(b"<?xml")


def test_at_the_papers_size_a_target_has_no_scale(environment):
    for name, path in SPECS.items():
        run, plot = recipe_of(f"fig-{name}", environment, "URVOY_CURVES=/nowhere")
        assert (run, plot[-1]) == (["run", str(path.relative_to(ROOT))], f"results/{name}"), name


def make(target: str, environment: Path, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Make a target at quick scale in ``folder``, which stands in for the repository and gets the results."""
    for name in ("Makefile", "configs", "matrices", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    command = ["make", target, "SCALE=quick", f"VENV={environment}", f"DUELBENCH={sys.executable} -m duelbench"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "URVOY_CURVES": "/nowhere", **variables}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)


MADE = {
    "fig-wu2016-7a": ["wu2016-7a-quick/wu2016-7a-quick.png"],
    "fig-urvoy2013-9": ["urvoy2013-9-quick/urvoy2013-9-quick-exploration.png"],
    "fig-urvoy2013-12": ["urvoy2013-12-quick/urvoy2013-12-quick.png"],
    "fig-zoghi2015-c": ["zoghi2015-c-quick/zoghi2015-c-quick.png", "zoghi2015-c-quick/zoghi2015-c-quick.csv"],
    "table-wu2016-9": ["wu2016-table-9/mslr32-noncondorcet.csv"],
    "table-komiyama2016-1": ["komiyama2016-table-1/mslr32-noncondorcet.csv"],
    "table-komiyama2016-4": [],
}
"""A target of each kind of recipe -> what it leaves in ``results``."""


@pytest.mark.parametrize("target", quick(MADE, "table-komiyama2016-4"))
def test_make_makes_one_target_of_each_recipe(target, tmp_path, environment, data_home):
    done = make(target, environment, tmp_path)
    assert done.returncode == 0, done.stderr
    assert ("There is no /nowhere (URVOY_CURVES): drawn without" in done.stdout) == (target == "fig-urvoy2013-9")
    for name in MADE[target]:
        assert (tmp_path / "results" / name).stat().st_size > 0
    if target == "table-wu2016-9":
        assert done.stdout.count("Copeland winner") >= 4


NEED_DATA = ("fig-wu2016-3e", "fig-zoghi2015-c", "table-wu2016-9", "table-komiyama2016-1")


@pytest.mark.parametrize("target", quick(NEED_DATA, "fig-wu2016-3e", "table-komiyama2016-1"))
def test_a_target_without_its_data_says_so_in_one_line(target, tmp_path, environment):
    (tmp_path / "empty").mkdir()
    done = make(target, environment, tmp_path, XDG_DATA_HOME=str(tmp_path / "empty"))
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(said) == 1 and "get it with `duelbench matrix fetch mslr`" in said[0]


def test_specs_that_need_data_say_how_to_get_it_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for path in filter(needs_data, SPECS.values()):
        assert "Needs `duelbench matrix fetch mslr`." in " ".join(re.sub(r"\n# ", " ", path.read_text()).split())
        with pytest.raises(InputError) as caught:
            load(path)
        *places, last = str(caught.value).splitlines()  # the spec's matrix, and that of its smaller scale
        assert places and all("get it with `duelbench matrix fetch mslr`" in place for place in places)
        assert last.endswith("; nothing was run.")


def targets() -> dict[str, str]:
    """Name of a figure -> what ``make help`` says of its target."""
    text = (CONFIGS / "figures.mk").read_text(encoding="utf-8")
    return dict(re.findall(r"^fig-([a-z0-9-]+):[^#\n]*## (.+)$", text, re.MULTILINE))


@pytest.mark.parametrize("name", [*SPECS, "urvoy2013-4-tests"])
def test_the_numbers_on_the_pages_are_of_what_a_spec_asks_for(name, request):
    path = spec_of(name)
    if needs_data(path):
        request.getfixturevalue("data_home")
    spec = load(path)
    now = {curve: made_by(own) for curve, own in curves(cells(spec), is_pooled(spec.canonical())).items()}
    recorded = [number for number in NUMBERS if number.experiment == name]
    assert {number.curve.label for number in recorded} == {entry.label for entry in spec.entries}
    for number in recorded:
        if number.made.cell and number.made.trace_version == now[number.curve].trace_version:  # or the page says so
            assert number.made == now[number.curve], f"play it again and fill its page: make fig-{name} page-numbers"


def test_every_spec_has_a_target_and_a_title_on_its_papers_page():
    assert set(targets()) == {*SPECS, "zoghi2015-c", "urvoy2013-12"}
    for name, path in SPECS.items():
        page = (PAGES / f"{path.parent.name}.md").read_text(encoding="utf-8")
        assert f"`make fig-{name}`" in page, f"docs/figures/{path.parent.name}.md does not speak of {name}"


def test_the_help_says_the_size_of_every_target():
    for name in SPECS:
        said = targets()[name]
        spec_text = SPECS[name].read_text(encoding="utf-8")
        horizon = re.search(r"^horizon: (\S+)$", spec_text, re.MULTILINE)[1]
        runs = re.search(r"^runs: (\S+)$", spec_text, re.MULTILINE)[1]
        assert f"to {horizon}" in said and (f"{runs} run" in said or runs == "1"), name


def test_make_figures_makes_all_of_them_and_all_are_phony():
    text = (CONFIGS / "figures.mk").read_text(encoding="utf-8")
    listed = [
        re.search(rf"^{name} := ((?:.*\\\n)*.*)$", text, re.MULTILINE)[1].replace("\\", "").split()
        for name in ("FIGURES", "EXPLORATION", "OTHERS")
    ]
    tables = re.findall(r"^(table-[a-z0-9-]+):", text, re.MULTILINE)
    assert {*chain.from_iterable(listed)} == {f"fig-{name}" for name in targets()} | {*tables}
    assert ".PHONY: figures page-numbers $(FIGURES) $(EXPLORATION) $(OTHERS)\n" in text
    assert "\nfigures: $(FIGURES) $(EXPLORATION) $(OTHERS)  ##" in text


TABLE_9 = {
    "mslr16-condorcet": (15, ["ranker 115"]),
    "mslr32-condorcet": (31, ["ranker 115"]),
    "mslr16-noncondorcet": (14, ["ranker 60", "ranker 106", "ranker 130"]),
    "mslr32-noncondorcet": (30, ["ranker 60", "ranker 120"]),
}
"""Set of rankers -> the score of its winners, and which they are."""


def test_wu_and_lius_table_9_has_the_rankers_and_scores_that_they_print(data_home, tmp_path):
    printed = json.loads(optional("data", "mslr", "subsets.json").read_text(encoding="utf-8"))
    recipe = (CONFIGS / "figures.mk").read_text(encoding="utf-8")
    assert set(re.search(r"^MSLR_SETS := (.*)$", recipe, re.MULTILINE)[1].split()) == set(TABLE_9)
    for name, (score, winners) in TABLE_9.items():
        duelbench("matrix", "import", "mslr-informational", "--arms", name, "-o", tmp_path / f"{name}.csv")
        shown = json.loads(duelbench("show", tmp_path / f"{name}.csv", "--json"))
        size = int("".join(filter(str.isdigit, name)))
        scores = [round(share * (size - 1)) for share in shown["copeland_scores"]]
        assert [shown["names"][arm] for arm in shown["copeland_winners"]] == winners
        assert {scores[arm] for arm in shown["copeland_winners"]} == {score} == {max(scores)}
        table = printed[f"wu2016 K = {size}, {'non-Condorcet' if 'non' in name else 'Condorcet'}"]
        assert shown["names"] == [f"ranker {ranker}" for ranker in table["rankers"]]
        assert (scores, size) == (table["copeland"], shown["n_arms"])


def written_recipe_of(target: str) -> str:
    """The commands of a target of configs/figures.mk."""
    text = (CONFIGS / "figures.mk").read_text(encoding="utf-8")
    return re.search(rf"^{target}:.*\n((?:\t.*\n?)+)", text, re.MULTILINE)[1]


def bounds(matrix: Path) -> dict[str, float]:
    """The constants that ``duelbench show --bounds`` prints of a matrix."""
    shown = json.loads(duelbench("show", matrix, "--bounds", "--json"))["bounds"]
    return {kind: bound["constant"] for kind, bound in shown.items() if bound is not None}


def test_komiyama_and_others_table_4_follows_from_the_draws_that_the_paper_lists():
    assert "show --bounds matrices/cyclic.csv" in written_recipe_of("table-komiyama2016-4")
    per_win = {p: p * math.log(2 * p) + (1 - p) * math.log(2 * (1 - p)) for p in (0.6, 0.9)}
    winner, circle = 3 * (1 - (1 + 1 / 3) / 2), 3 * (1 - 1 / 3)  # regret of one draw of each of the three pairs
    found = bounds(ROOT / "matrices" / "cyclic.csv")
    assert found["copeland"] == pytest.approx(winner / (2 * per_win[0.6]) + circle / (2 * per_win[0.9]), rel=1e-9)
    assert found["ecw"] == pytest.approx(winner / per_win[0.6], rel=1e-9)
    assert found["ccb"] == pytest.approx(1600)


def test_komiyama_and_others_table_1_has_ccb_orders_of_magnitude_above_the_optimal_bound(data_home, tmp_path):
    assert "matrix import mslr-informational --arms mslr$$K-$$winner" in written_recipe_of("table-komiyama2016-1")
    page = (PAGES / "komiyama2016.md").read_text(encoding="utf-8").replace(",", "")
    for name in ("mslr5-condorcet", "mslr5-noncondorcet", *TABLE_9):
        matrix = ROOT / "matrices" / f"{name}.csv"
        if name in TABLE_9:
            matrix = tmp_path / f"{name}.csv"
            duelbench("matrix", "import", "mslr-informational", "--arms", name, "-o", matrix)
        found = bounds(matrix)
        assert found["ccb"] > 1000 * 2 * found["ecw"], name  # CCB's guarantee counts regret twice
        assert found["ecw"] == pytest.approx(found["copeland"], rel=1e-6), name
        assert any(f"| {found['ecw']:{form}} |" in page for form in (".2f", ".1f", ".0f")), name


def test_zoghi_and_others_appendix_c_is_drawn_at_quick_scale(data_home, tmp_path):
    recipe = (CONFIGS / "figures.mk").read_text(encoding="utf-8")
    quick = re.search(r"^WINNERS_QUICK := (.*)$", recipe, re.MULTILINE)[1].split()
    matrices = ["mslr-informational", "mslr-navigational", "mslr-perfect"]
    assert " ".join(["matrix winners", *matrices, "--seed 2015"]) in recipe
    duelbench("matrix", "winners", *matrices, *quick, "--seed", 2015, "-o", tmp_path / "c.svg")
    rows = list(csv.DictReader((tmp_path / "c.csv").read_text().splitlines()))
    assert [(row["matrix"], row["n_arms"]) for row in rows] == [
        (name, k) for name in matrices for k in ("3", "6", "12")
    ]
    assert all(float(row["condorcet"]) >= 0.8 for row in rows)


def test_published_curves_stand_beside_ours_where_there_is_a_file_of_them(tmp_path, environment):
    curves = tmp_path / "curves.csv"
    _, without = recipe_of("fig-urvoy2013-4", environment, f"URVOY_CURVES={curves}")
    assert without[:6] == ["plot", "--exploration", "--from", "100", "--ymax", "2e5"] and "--beside" not in without
    curves.touch()
    _, beside = recipe_of("fig-urvoy2013-4", environment, f"URVOY_CURVES={curves}")
    assert beside[6:8] == ["--beside", f"{curves}:fig4"]
    _, quick = recipe_of("fig-urvoy2013-4", environment, "SCALE=quick", f"URVOY_CURVES={curves}")
    assert "--ymax" not in quick


def test_a_figure_can_be_drawn_with_other_options(environment):
    for target in ("fig-komiyama2016-1e", "fig-urvoy2013-4"):
        _, plot = recipe_of(target, environment, "PLOT=--ymax 500")
        assert plot[-3:-1] == ["--ymax", "500"]


def test_komiyama_and_others_figures_can_be_drawn_log_log_as_in_their_script(tmp_path):
    page = (PAGES / "komiyama2016.md").read_text(encoding="utf-8")
    options = re.search(r"`make fig-komiyama2016-1e PLOT=\"(.*)\"`", page)[1].split()
    folder = tmp_path / "komiyama2016-1e-quick"
    duelbench("run", CONFIGS / "komiyama2016" / "1e.yaml", "--scale", "quick", "--out", tmp_path, "-j", 1, "-q")
    duelbench("plot", *options, folder, "-o", folder / "figure.svg")
    assert "--log-regret" in options and (folder / "figure.svg").stat().st_size > 0


def test_urvoy_and_others_figure_12_is_drawn_at_quick_scale(tmp_path):
    recipe = (CONFIGS / "figures.mk").read_text(encoding="utf-8")
    steps = re.search(r"matrix slice .*--steps (\d+)", recipe)[1]
    duelbench("matrix", "slice", "--title", "A title", "--steps", steps, "-o", tmp_path / "12.svg")
    rows = csv.DictReader((tmp_path / "12.csv").read_text().splitlines())
    shares = {(row["notion"], row["winner"]): float(row["share"]) for row in rows}
    # Copeland: p_02 > 1/2 is won by arm 0 (all score 1), p_12 > 1/2 by arm 1, the rest by arm 2.
    assert [shares["Copeland", arm] for arm in "012"] == [0.25, 0.25, 0.5]
    # Borda: arm 2 has 1 + p_01, arm 1 has 1 - p_01 + p_12, arm 0 has 1 - p_12, which is never more than arm 2 has.
    # p_12 > 2 p_01 is a triangle on a third of the edge p_02 = 0.
    assert [shares["Borda", arm] for arm in "012"] == pytest.approx([0, 1 / 3, 2 / 3], abs=2 / int(steps))


@pytest.mark.parametrize(("arguments", "message"), [(["-o", "slice.txt"], "name a file that ends with")])
def test_a_slice_that_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        runner.invoke(app, ["matrix", "slice", *arguments], standalone_mode=False, catch_exceptions=False)
