"""``duelbench show``: the facts of a matrix as text, as JSON and as a picture."""

from pathlib import Path

import pytest

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.experiments.figures.drawing.heat_map import LONGEST_LABEL, heat_map
from tests.cli.commands import ROOT, document, done

MATRICES = ROOT / "matrices"


def lines_of(*arguments: object) -> list[str]:
    return done("show", *arguments).stdout.splitlines()


@pytest.fixture
def named(here) -> Path:
    (here / "named.csv").write_text("tuna,egg,$quid\n0.5,0.6,0.5\n0.4,0.5,0.75\n0.5,0.25,0.5\n")
    return Path("named.csv")


def test_json_is_one_document_with_the_promised_keys(named):
    facts = document("show", named)
    assert facts.pop("sha256") == PreferenceMatrix.load(named).sha256
    assert facts == {
        "n_arms": 3,
        "names": ["tuna", "egg", "$quid"],
        "condorcet_winner": None,
        "copeland_winners": [0, 1],
        "copeland_scores": [0.5, 0.5, 0.0],
        "borda_winners": [1],
        "borda_scores": [0.55, 0.575, 0.375],
        "min_gap": 0.0,
        "ties": [[0, 2]],
    }
    assert document("show", MATRICES / "cyclic.csv")["condorcet_winner"] == 0


def test_text_names_winners_gap_ties_and_scores(named):
    lines = lines_of(named)
    assert lines[1:6] == [
        "Condorcet winner  none",
        "Copeland winners  0 (tuna), 1 (egg)",
        "Borda winner      1 (egg)",
        "smallest gap      0, between 0 (tuna) and 2 ($quid)",
        "ties              1: 0 (tuna) and 2 ($quid)",
    ]
    assert [line.split() for line in lines[8:]] == [
        ["0", "1/2", "=", "0.5", "0.55", "tuna"],
        ["1", "1/2", "=", "0.5", "0.575", "egg"],
        ["2", "0/2", "=", "0", "0.375", "$quid"],
    ]
    assert lines_of(MATRICES / "gap.csv")[4] == "smallest gap      0.01, between 0 and 3"


def test_plot_writes_the_same_picture_each_time_and_says_so_on_stderr(here, named):
    pictures = [Path("new") / f"{name}.SVG" for name in "ab"]
    for picture in pictures:
        assert done("show", named, "--plot", picture).stderr == f"wrote {picture}\n"
    assert pictures[0].read_bytes() == pictures[1].read_bytes()


def test_small_matrices_carry_numbers_and_names_are_cut_and_no_formulas():
    matrix = PreferenceMatrix([[0.5, 0.5001], [0.4999, 0.5]], names=["x" * 100, "$5 or $6"])
    axes = heat_map(matrix, "narrow").axes[0]
    assert [text.get_text() for text in axes.texts] == ["0.5", ">0.5", "<0.5", "0.5"]  # no tie
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["x" * (LONGEST_LABEL - 1) + "…", r"\$5 or \$6"]
    large = heat_map(PreferenceMatrix([[0.5] * 130 for _ in range(130)]), "large").axes[0]
    assert not large.texts and [label.get_text() for label in large.get_yticklabels()][:3] == ["0", "3", "6"]


def test_bounds_are_a_table_below_and_numbers_in_json():
    plain, lines = lines_of(MATRICES / "cyclic.csv"), lines_of(MATRICES / "cyclic.csv", "--bounds")
    assert lines[: len(plain)] == plain
    assert [line.split()[:3] for line in lines[len(plain) + 2 :]] == [
        ["copeland", "27.5487", "0"],
        ["ecw", "49.6635", "0"],
        ["condorcet", "0.815075", "0"],
        ["rmed1", "7.44952", "0"],
        ["ccb", "1600", "-"],
    ]
    lines = lines_of(MATRICES / "mslr5-noncondorcet.csv", "--bounds")
    assert "copeland, by Copeland winner: 727.128 for 0, 261.954 for 1, 9114.37 for 2" in lines
    assert any(line.split()[:4] == ["condorcet", "-", "-", "-"] for line in lines)


def test_the_segments_of_the_worlds_of_a_spec_are_shown(here):
    (here / "there.csv").write_text("tuna,egg\n0.5,0.9\n0.1,0.5\n")
    (here / "back.csv").write_text("tuna,egg\n0.5,0.1\n0.9,0.5\n")
    (here / "w.yaml").write_text(
        "worlds:\n  flip: {segments: [there.csv, back.csv]}\n"
        "  hurt: {segments: [there.csv], corruption: {rounds: [1, 9]}}\n"
        "horizon: 100\nalgorithms: [random]\n"
    )
    flip, hurt = document("show", "w.yaml")["worlds"]
    assert [(one["start"], one["condorcet_winner"]) for one in flip["segments"]] == [(1, 0), (51, 1)]
    assert [(one["start"], one["flipped"]) for one in hurt["segments"]] == [(1, True), (10, False)]
    assert lines_of("w.yaml")[3].split() == ["51", "1", "(egg)", "1", "(egg)", "0.4", "as", "they", "are"]


def test_bounds_in_json_have_null_where_there_is_none_and_ties_are_noted():
    facts = document("show", MATRICES / "gap.csv", "--bounds")["bounds"]
    assert list(facts) == ["copeland", "ecw", "condorcet", "rmed1", "ccb"]
    assert round(facts["copeland"]["constant"], 4) == 11.0249
    assert round(facts["ecw"]["constant"], 3) == 1252.511
    assert (facts["copeland"]["winner"], facts["condorcet"], facts["rmed1"]) == (0, None, None)
    tied = document("show", MATRICES / "arxiv.csv", "--bounds")["bounds"]
    assert (tied["ccb"]["constant"], tied["ccb"]["winner"], tied["condorcet"]["winner"]) == (None, None, 0)
    assert any("1 tied pair (p = 1/2) is left out" in line for line in lines_of(MATRICES / "arxiv.csv", "--bounds"))
