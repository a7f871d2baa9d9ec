"""Figures mark the rounds in which a world changes, or say that it does."""

import csv
import io

import pytest

from duelbench.experiments.figures.changes import DIFFERENT, MARKED, MARKED_FOR_LONGEST, NONE, Changes, changes_of
from duelbench.experiments.figures.numbers import as_csv
from duelbench.experiments.results.experiments import load_experiments
from tests.experiments.figures.made_up import figure_of, make_results

SPEC = """
name: {{name}}
title: {{title}}
worlds: {worlds}
horizon: 1000
runs: {{runs}}
seed: 5
regret: {{regret}}
checkpoints: [1, 10, 100]
algorithms:
  - rucb: {{{{alpha: {{alpha}}}}}}
  - rex3: {{{{horizons: {horizons}}}}}
"""
FLIP = "segments: [two.csv, back.csv, two.csv, back.csv]"


def experiment_of(folder, worlds, horizons="[1000]"):
    (folder / "back.csv").write_text("0.5,0.25\n0.75,0.5\n")
    escaped = worlds.replace("{", "{{").replace("}", "}}")
    (found,) = load_experiments([make_results(folder, spec=SPEC.format(worlds=escaped, horizons=horizons))])
    return found


def changes(folder, world, horizons="[1000]"):
    return changes_of(experiment_of(folder, f"{{w: {{{world}}}}}", horizons).cells)


@pytest.mark.parametrize(
    ("world", "rounds"),
    [
        (FLIP, (251, 501, 751)),
        (f"{FLIP}, starts: [1, 7, 8, 1000]", (7, 8, 1000)),
        ("segments: [two.csv, two.csv, back.csv], starts: [1, 7, 8]", (8,)),
        ("segments: [two.csv], corruption: {rounds: [5, 9]}", (5, 10)),
        ("segments: [two.csv, back.csv], repeat: 48", tuple(range(49, 1000, 48))),
    ],
)
def test_the_first_rounds_of_other_matrices_are_marked(tmp_path, world, rounds):
    assert changes(tmp_path, world) == Changes(rounds, MARKED)


@pytest.mark.parametrize(
    ("world", "said"),
    [
        (f"{FLIP}, starts: random, per_run: true", "the world changes 3 times, in different rounds in each run"),
        ("segments: [two.csv, back.csv], repeat: 47", "the world changes 21 times, too often to be marked"),
    ],
)
def test_what_cannot_be_marked_is_said(tmp_path, world, said):
    assert changes(tmp_path, world) == Changes((), said)


def test_drawn_rounds_that_all_runs_share_are_marked(tmp_path):
    found = changes(tmp_path, f"{FLIP}, starts: random")
    assert len(found.rounds) == 3 and found.words == MARKED


def test_nothing_is_said_where_nothing_changes(tmp_path):
    assert changes(tmp_path, "segments: [two.csv]") == NONE


def test_on_a_scaled_timeline_the_rounds_of_the_longest_runs_are_marked(tmp_path):
    assert changes(tmp_path, f"{FLIP}, timeline: scaled") == Changes((251, 501, 751), MARKED)
    several = changes(tmp_path, f"{FLIP}, timeline: scaled", "[100, 1000]")
    assert several == Changes((251, 501, 751), MARKED_FOR_LONGEST)
    drawn = changes(tmp_path, f"{FLIP}, starts: random, timeline: scaled", "[100, 1000]")
    assert len(drawn.rounds) == 3 and drawn.words == MARKED_FOR_LONGEST
    assert changes(tmp_path, FLIP, "[100, 1000]") == Changes((251, 501, 751), MARKED)


def test_worlds_that_differ_share_no_rounds(tmp_path):
    assert changes_of(experiment_of(tmp_path, f"{{a: {{{FLIP}}}, b: {{segments: [two.csv]}}}}").cells) == DIFFERENT


def test_figures_draw_the_rounds_as_lines_and_list_them(tmp_path):
    experiment = experiment_of(tmp_path, f"{{a: {{{FLIP}}}, b: {{segments: [two.csv]}}}}")
    drawing = figure_of(experiment)
    first, second = ([line for line in axes.lines if line.get_gid() == "change"] for axes in drawing.draw().axes[:2])
    assert [line.get_xdata()[0] for line in first] == [251, 501, 751] and not second
    rows = list(csv.DictReader(io.StringIO(as_csv(drawing.numbers))))
    marked = [(row["problem"], row["round"]) for row in rows if row["algorithm"] == "change"]
    assert marked == [("a", "251"), ("a", "501"), ("a", "751")]
