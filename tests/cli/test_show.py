"""``duelbench show``: the facts of a matrix as text, as JSON and as a picture."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from duelbench.cli import dry_run
from duelbench.cli.matrix.commands import summary
from duelbench.cli.show import show
from duelbench.errors import InputError
from duelbench.figures.drawing.heat_map import LONGEST_LABEL, heat_map
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.spec.experiment_spec import Problem

MATRICES = Path(__file__).parents[2] / "matrices"

app = typer.Typer()
app.command()(show)


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def lines_of(*arguments: object) -> list[str]:
    result = run(*arguments)
    assert result.exit_code == 0
    return result.stdout.splitlines()


@pytest.fixture
def named(tmp_path) -> Path:
    file = tmp_path / "named.csv"
    file.write_text("tuna,egg,$quid\n0.5,0.6,0.5\n0.4,0.5,0.75\n0.5,0.25,0.5\n")
    return file


def test_text_names_winners_gap_ties_and_scores(named):
    assert lines_of(named) == [
        f"{named}: 3 arms, counted from 0",
        "Condorcet winner  none",
        "Copeland winners  0 (tuna), 1 (egg)",
        "Borda winner      1 (egg)",
        "smallest gap      0, between 0 (tuna) and 2 ($quid)",
        "ties              1: 0 (tuna) and 2 ($quid)",
        "",
        "arm  Copeland score   Borda score  name",
        "  0  1/2 = 0.5        0.55         tuna",
        "  1  1/2 = 0.5        0.575        egg",
        "  2  0/2 = 0          0.375        $quid",
    ]


def test_names_that_a_list_would_mix_up_are_quoted(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text('"Bob, Jr",Al Wu,Al and Bo\n0.5,0.5,0.6\n0.5,0.5,0.6\n0.4,0.4,0.5\n')
    lines = lines_of(file)
    assert lines[2] == 'Copeland winners  0 ("Bob, Jr"), 1 (Al Wu)'
    assert lines[5] == 'ties              1: 0 ("Bob, Jr") and 1 (Al Wu)'
    matrix = PreferenceMatrix.load(file)
    assert summary(matrix, Path("x.csv")).startswith('x.csv: K=3, Copeland winners 0 ("Bob, Jr"), 1 (Al Wu), smallest')
    described = dry_run._matrix(Problem("", matrix, file), matrix)
    assert described.startswith('K=3, no Condorcet winner, Copeland 0 ("Bob, Jr"), 1 (Al Wu), min gap 0 ')


def test_text_of_a_matrix_without_names_has_indices_alone():
    lines = lines_of(MATRICES / "gap.csv")
    assert lines[1:6] == [
        "Condorcet winner  none",
        "Copeland winner   0",
        "Borda winner      0",
        "smallest gap      0.01, between 0 and 3",
        "ties              none",
    ]
    assert lines[8] == "  0  3/4 = 0.75       0.5775"


def test_json_is_one_document_with_the_promised_keys(named):
    result = run(named, "--json")
    assert result.stderr == ""
    facts = json.loads(result.stdout)
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


def test_json_gives_a_condorcet_winner_as_a_number():
    assert json.loads(run(MATRICES / "cyclic.csv", "--json").stdout)["condorcet_winner"] == 0


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("SVG", b"<?xml")])
def test_plot_writes_the_picture_and_says_so_on_stderr(tmp_path, named, ending, start):
    picture = tmp_path / "new" / f"map.{ending}"
    result = run(named, "--json", "--plot", picture)
    assert json.loads(result.stdout)["n_arms"] == 3
    assert result.stderr == f"wrote {picture}\n"
    assert picture.read_bytes().startswith(start)


def test_the_same_matrix_gives_the_same_picture(tmp_path, named):
    for name in ("a.svg", "b.svg"):
        run(named, "--plot", tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_small_matrices_carry_numbers_and_large_ones_fewer_names():
    small = heat_map(PreferenceMatrix.load(MATRICES / "cyclic.csv"), "cyclic").axes[0]
    assert [text.get_text() for text in small.texts[:5]] == ["0.5", "0.6", "0.6", "0.6", "0.4"]
    assert [label.get_text() for label in small.get_xticklabels()] == ["0", "1", "2", "3"]
    even = [[0.5] * 130 for _ in range(130)]
    large = heat_map(PreferenceMatrix(even), "large").axes[0]
    assert not large.texts
    assert [label.get_text() for label in large.get_yticklabels()][:3] == ["0", "3", "6"]


def test_a_narrow_win_does_not_look_like_a_tie():
    axes = heat_map(PreferenceMatrix([[0.5, 0.5001], [0.4999, 0.5]]), "narrow").axes[0]
    assert [text.get_text() for text in axes.texts] == ["0.5", ">0.5", "<0.5", "0.5"]


def test_long_names_are_cut_and_dollar_signs_are_no_formulas():
    matrix = PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]], names=["x" * 100, "$5 or $6"])
    labels = [label.get_text() for label in heat_map(matrix, "names").axes[0].get_xticklabels()]
    assert labels == ["x" * (LONGEST_LABEL - 1) + "…", r"\$5 or \$6"]


def test_wrong_input_is_one_message_and_nothing_is_written(tmp_path, named):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=r"--plot .*map\.xlsx: the name must end with one of \.png, \.pdf, \.svg"):
        run(named, "--plot", tmp_path / "map.xlsx")
    with pytest.raises(InputError, match=r"there is no such file \(did you mean 'named\.csv'\?\)"):
        run(tmp_path / "nmaed.csv", "--plot", tmp_path / "map.png")
    with pytest.raises(InputError, match=r"--plot .*map\.png: cannot be written: "):
        run(named, "--plot", named / "map.png")
    assert sorted(tmp_path.iterdir()) == before


def test_importing_the_command_loads_nothing_heavy():
    heavy = ("numpy", "scipy", "matplotlib", "numba", "pydantic")
    code = f"import sys, duelbench.cli.show; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_bounds_are_a_table_below():
    plain, lines = lines_of(MATRICES / "cyclic.csv"), lines_of(MATRICES / "cyclic.csv", "--bounds")
    assert lines[: len(plain)] == plain
    assert lines[len(plain) :] == [
        "",
        "bound      C in C ln T  winner  regret          what it is",
        "copeland   27.5487      0       copeland        lower bound (Komiyama et al. 2016)",
        "ecw        49.6635      0       copeland        what ECW-RMED needs",
        "condorcet  0.815075     0       condorcet       lower bound (Komiyama et al. 2015)",
        "rmed1      7.44952      0       condorcet       what RMED1 needs",
        "ccb        1600         -       copeland-zoghi  of CCB's guarantee",
    ]


def test_bounds_of_several_winners_and_of_none(tmp_path):
    lines = lines_of(MATRICES / "mslr5-noncondorcet.csv", "--bounds")
    assert "copeland, by Copeland winner: 727.128 for 0, 261.954 for 1, 9114.37 for 2" in lines
    assert any(line.split()[:4] == ["condorcet", "-", "-", "-"] for line in lines)
    assert sum("there is no Condorcet winner" in line for line in lines) == 2


def test_bounds_say_that_ties_are_left_out():
    lines = lines_of(MATRICES / "arxiv.csv", "--bounds")
    note = "1 tied pair (p = 1/2) is left out: the theory assumes that there is none, and a larger constant may hold"
    assert f"note on copeland and ecw: {note}" in lines
    assert any(line.split()[:4] == ["copeland", "172.554", "0", "copeland-komiyama"] for line in lines)


def test_bounds_in_json_have_null_where_there_is_none():
    facts = json.loads(run(MATRICES / "gap.csv", "--bounds", "--json").stdout)["bounds"]
    assert list(facts) == ["copeland", "ecw", "condorcet", "rmed1", "ccb"]
    assert round(facts["copeland"]["constant"], 4) == 11.0249
    assert round(facts["ecw"]["constant"], 3) == 1252.511
    assert (facts["copeland"]["winner"], facts["condorcet"], facts["rmed1"]) == (0, None, None)
    assert facts["copeland"]["gap"] <= 1e-9
    tied = json.loads(run(MATRICES / "arxiv.csv", "--bounds", "--json").stdout)["bounds"]
    assert (tied["ccb"]["constant"], tied["ccb"]["winner"]) == (None, None)
    assert tied["condorcet"]["winner"] == 0


def test_bounds_are_not_computed_unless_asked_for(named):
    assert "bounds" not in json.loads(run(named, "--json").stdout)
    code = (
        "import sys; from duelbench.cli.app import app;"
        f"app(['show', {str(named)!r}], standalone_mode=False); assert 'scipy.optimize' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_many_arms_are_announced(tmp_path):
    file = tmp_path / "many.csv"
    rows = [["0.5" if i == j else "0.6" if i < j else "0.4" for j in range(101)] for i in range(101)]
    file.write_text("\n".join(map(",".join, rows)) + "\n")
    result = run(file, "--bounds", "--json")
    assert result.stderr == "computing the bounds of 101 arms ...\n"
    assert json.loads(result.stdout)["bounds"]["copeland"]["winner"] == 0


class TestWorlds:
    SPEC = (
        "worlds:\n  flip: {segments: [there.csv, back.csv]}\n"
        "  hurt: {segments: [there.csv], corruption: {rounds: [1, 9]}}\n"
        "horizon: 100\nalgorithms: [random]\n"
    )

    @pytest.fixture
    def spec(self, tmp_path):
        (tmp_path / "there.csv").write_text("0.5,0.9\n0.1,0.5\n")
        (tmp_path / "back.csv").write_text("0.5,0.1\n0.9,0.5\n")
        (tmp_path / "w.yaml").write_text(self.SPEC)
        return tmp_path / "w.yaml"

    def test_the_segments_of_the_worlds_of_a_spec_are_listed(self, spec):
        from duelbench.cli.matrix.worlds import describe_worlds, worlds_facts

        flip, hurt = worlds_facts(str(spec))
        assert [(one["start"], one["condorcet_winner"]) for one in flip["segments"]] == [(1, 0), (51, 1)]
        assert [(one["start"], one["flipped"]) for one in hurt["segments"]] == [(1, True), (10, False)]
        assert "51          1                 1" in describe_worlds([flip, hurt])

    def test_a_budget_is_said_to_be_spent_while_it_lasts(self, spec):
        from duelbench.cli.matrix.worlds import describe_worlds, worlds_facts

        spec.write_text(
            "world: {segments: [there.csv], corruption: {budget: 500}}\nhorizon: 100\nalgorithms: [random]\n"
        )
        shown = describe_worlds(worlds_facts(str(spec)))
        assert "there, up to 500 outcomes flipped" in shown and "flipped while the budget lasts" in shown

    def test_a_spec_without_a_world_is_refused(self, spec):
        from duelbench.cli.matrix.worlds import worlds_facts

        spec.write_text("matrix: there.csv\nhorizon: 10\nalgorithms: [random]\n")
        with pytest.raises(InputError, match="has no world that changes"):
            worlds_facts(str(spec))
