"""``duelbench matrix``: generate, import and fetch; mistakes write nothing."""

import hashlib
import io
import zipfile
from pathlib import Path
from typing import get_args

import pytest

from duelbench.bandits.problem.families import generate
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.cli.matrix.commands import Format
from duelbench.data import datasets
from duelbench.data.votes import FORMATS
from tests.cli.commands import done, refused

ORDERS = {"sushi3a.5000.10.order": b"3 1\n0 3 1 0 2\n0 3 1 2 0\n", "sushi3b.5000.10.order": b"4 1\n0 2 1 0\n"}


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Commands run in an empty folder, with an empty data folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data-home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def run(*words):
    return done("matrix", *words)


def matrix_of(*words):
    """The matrix that a command writes."""
    run(*words, "-o", "made.csv")
    return PreferenceMatrix.load("made.csv")


def test_generate_writes_the_matrix_of_the_family_and_says_what_it_is():
    result = run("generate", "cyclic-blocks", "sizes=1,3", "p_within=0.8", "-o", "blocks.csv")
    assert result.stdout == "blocks.csv: K=4, Condorcet winner 0, smallest gap 0.1, no ties\n"
    assert PreferenceMatrix.load("blocks.csv").sha256 == generate("cyclic-blocks", sizes=[1, 3], p_within=0.8).sha256
    first = Path("blocks.csv").read_text().splitlines()[0]
    assert first == "# family cyclic-blocks: sizes=1,3, p_within=0.8, p_between=0.6; nothing is random"
    random = matrix_of("generate", "random", "n_arms=1e1", "winners=unique", "--seed", "1_0")
    assert random.sha256 == generate("random", n_arms=10, winners="unique", seed=10).sha256
    hard = matrix_of("generate", "hard-condorcet", "zero_based=true")
    assert hard.sha256 == generate("hard-condorcet", zero_based=True).sha256


def test_import_says_what_it_found_and_stores_it_in_the_file():
    text = "# NUMBER ALTERNATIVES: 3\n# DATA TYPE: toi\n# ALTERNATIVE NAME 1: tea\n3: 1,{2,3}\n1: 2\n"
    Path("votes.toi").write_text(text)
    result = run("import", "votes.toi", "-o", "votes.csv")
    assert "4 orders of 3 arms" in result.stderr and "each pair was compared 3 to 4 times" in result.stderr
    assert result.stdout == "votes.csv: K=3, Condorcet winner 0 (tea), smallest gap 0.125, no ties\n"
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    assert Path("votes.csv").read_text().splitlines()[0] == f"# from votes.toi (SHA-256 {sha256}), preflib"
    written = PreferenceMatrix.load("votes.csv")
    assert written.names == ("tea", "alternative 2", "alternative 3")
    assert written.P.tolist() == [[0.5, 0.75, 1.0], [0.25, 0.5, 0.625], [0.0, 0.375, 0.5]]
    assert "is the input; name another file" in refused("matrix", "import", "votes.csv", "-o", "votes.csv")


def test_import_options_reach_the_importer():
    Path("orders.txt").write_text("3 1\n0 2 0 1\n0 2 1 0\n0 1 2\n")
    assert "never compared: item 0 and item 2" in refused("matrix", "import", "orders.txt", "-o", "a.csv")
    lost = matrix_of("import", "orders.txt", "--unranked", "lose", "--format", "sushi")
    assert lost.P[0].round(6).tolist() == [0.5, 0.5, 0.666667]
    assert (matrix_of("import", "orders.txt", "--missing", "half", "--min-count", "2").P == 0.5).all()
    Path("names.txt").write_text("# sorts\ntuna\negg\nsquid\n")
    assert matrix_of("import", "orders.txt", "--arms", "2,1", "--names", "names.txt").names == ("egg", "tuna")
    assert get_args(Format) == tuple(FORMATS)


def test_fetch_takes_a_copy_and_import_finds_it_by_name(tmp_path):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        for name, content in ORDERS.items():
            opened.writestr(f"sushi3-2016/{name}", content)
    (tmp_path / "sushi.zip").write_bytes(archive.getvalue())
    run("fetch", "sushi", "--from", tmp_path / "sushi.zip")
    assert matrix_of("import", "sushi-a").P.tolist() == [[0.5, 0.0, 0.5], [1.0, 0.5, 1.0], [0.5, 0.0, 0.5]]
    one = tmp_path / "sushi3a.5000.10.order"
    one.write_bytes(b"2 1\n0 2 1 0\n")
    (datasets.data_folder() / "sushi" / "sushi3b.5000.10.order").unlink()
    assert "already exists and differs; --force" in refused("matrix", "fetch", "sushi", "--from", one)
    run("fetch", "sushi", "--from", one, "--force")
    assert (datasets.data_folder() / "sushi" / one.name).read_bytes() == one.read_bytes()


def test_columns_and_judges_reach_the_reader():
    Path("votes.csv").write_text("links,rechts,wahl,judge,n\nash,oak,ash,me,7\noak,ash,links,you,8\n")
    options = ("--columns", "a=links,b=rechts,winner=wahl", "--ignore", "n")
    assert matrix_of("import", "votes.csv", *options).P.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert matrix_of("import", "votes.csv", *options, "--without-judge", "you").P.tolist() == [[0.5, 1], [0, 0.5]]
    for columns, words in (("a", "write NAME=VALUE"), ("a=x", "the columns are links, rechts, wahl, judge, n")):
        assert words in refused("matrix", "import", "votes.csv", "-o", "made.csv", "--columns", columns)
