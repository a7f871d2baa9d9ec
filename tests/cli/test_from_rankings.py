"""``duelbench matrix from-rankings``: matrices from judged documents, interrupted and not."""

import hashlib
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.cli.app import app
from duelbench.cli.matrix.from_rankings import _doubt
from duelbench.data import judgements, rankers
from duelbench.data.rankings import reading
from duelbench.data.rankings.clicks import named
from duelbench.data.rankings.comparing import Procedure, compare
from duelbench.data.rankings.orders import collected


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Commands run in an empty folder, and keep what they read in another one."""
    monkeypatch.setattr(judgements, "user_cache", lambda: tmp_path / "cache")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """A small collection."""
    path = tmp_path_factory.mktemp("collection") / "letor.txt"
    assert told("generate", "rankings", "queries=12", "documents=6", "features=5", "-o", path)[0] == 0
    return path


@pytest.fixture
def letor(collection, own_folders):
    """A copy of it in the working folder."""
    return Path(shutil.copy(collection, "letor.txt"))


def told(*arguments):
    """Exit code and all that a command has said."""
    result = CliRunner().invoke(app, ["matrix", *map(str, arguments)])
    said = result.output + (str(result.exception) if result.exception else "")
    code = getattr(result.exception, "exit_code", result.exit_code)
    return code, said


def test_the_matrix_is_that_of_comparisons_one_by_one(letor):
    code, said = told("from-rankings", letor, "-o", "all.csv", "--clicks", "navigational", "--standard-error", "0.02")
    assert code == 0, said
    assert "12 queries with 72 documents, 5 rankers; grades 0 to" in said and "all.errors.csv" in said
    matrix, errors = PreferenceMatrix.load("all.csv"), np.loadtxt("all.errors.csv", delimiter=",", skiprows=7)
    assert matrix.names == tuple(f"feature {k}" for k in range(1, 6))
    lines = [line.split() for line in letor.read_text().splitlines()[1:]]
    grades = [[int(line[0]) for line in lines[q : q + 6]] for q in range(0, 72, 6)]
    values = [
        np.array([[float(word.split(":")[1]) for word in line[2:]] for line in lines[q : q + 6]]).T
        for q in range(0, 72, 6)
    ]
    made = collected(grades, values)
    for i, j in ((0, 1), (1, 4), (3, 4)):
        one = compare(made, i, j, Procedure("probabilistic", named("navigational", 5), 0.02))
        assert (matrix.P[i, j], errors[i, j]) == (one.probability, one.standard_error)
        assert 0 < errors[i, j] == errors[j, i] <= 0.02


@pytest.mark.thorough
def test_neither_workers_nor_an_interruption_change_a_byte(letor, monkeypatch):
    asked = ("from-rankings", letor, "--standard-error", "0.03")
    assert told(*asked, "-o", "whole.csv", "-j", "1")[0] == 0
    assert told(*asked, "-o", "two.csv", "-j", "2")[0] == 0
    calls = []

    def interrupted(*given):
        calls.append(given)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return compare(*given)

    monkeypatch.setattr(rankers, "compare", interrupted)
    code, said = told(*asked, "-o", "again.csv", "-j", "1")
    assert code == 130 and "interrupted; the same command resumes" in said
    assert sorted(os.listdir()) == [
        "again.csv.part",
        *sorted(["letor.txt", "two.csv", "two.errors.csv", "whole.csv", "whole.errors.csv"]),
    ]
    monkeypatch.setattr(rankers, "compare", compare)
    code, said = told(*asked, "-o", "again.csv", "--seed", "1")
    assert code == 2 and "was started with different settings (seed); remove it to start again" in said
    code, said = told(*asked, "-o", "again.csv", "-j", "1")
    assert code == 0 and " of 10 pairs are already computed" in said
    for name in ("two", "again"):
        for ending in (".csv", ".errors.csv"):
            assert Path(name + ending).read_bytes() == Path("whole" + ending).read_bytes()
    assert not Path("again.csv.part").exists()


def test_what_was_read_is_kept_and_reading_goes_on_where_it_was(letor, monkeypatch, tmp_path):
    monkeypatch.setattr(reading, "BLOCK_BYTES", 500)
    blocks_read = []

    def counted(index, scores):
        blocks_read.append(index.queries[0].line)
        if len(blocks_read) == 3:
            raise KeyboardInterrupt
        return reading.read_block(index, scores)

    monkeypatch.setattr(judgements, "read_block", counted)
    asked = ("from-rankings", letor, "--standard-error", "0.05", "-j", "1")
    assert told(*asked, "-o", "a.csv")[0] == 130
    assert told(*asked, "-o", "a.csv")[0] == 0
    n_blocks = len(reading.blocks(reading.scan([str(letor)])))
    assert n_blocks > 4 and len(blocks_read) == n_blocks + 1  # the one that was interrupted was read again
    assert told(*asked, "-o", "b.csv", "--clicks", "perfect")[0] == 0
    assert len(blocks_read) == n_blocks + 1
    monkeypatch.setattr(judgements, "read_block", reading.read_block)
    monkeypatch.setattr(judgements, "user_cache", lambda: tmp_path / "other")
    assert told(*asked, "-o", "c.csv")[0] == 0
    assert Path("a.csv").read_bytes() == Path("c.csv").read_bytes()


def test_some_features_and_scores_of_ones_own_are_rankers(letor):
    grades = [line.split()[0] for line in letor.read_text().splitlines()[1:]]
    Path("ideal.txt").write_text("".join(f"{grade}\n" for grade in grades))
    asked = ("--standard-error", "0.05", "-o", "a.csv", "--clicks", "perfect", "--interleaving", "balanced")
    code, said = told("from-rankings", letor, *asked, "--features", "2,4", "--scores", "ideal=ideal.txt", "-j", 1)
    assert code == 0, said
    matrix = PreferenceMatrix.load("a.csv")
    assert matrix.names == ("feature 2", "feature 4", "ideal") and (matrix.P[2, :2] > 0.6).all()


def test_only_features_that_occur_are_rankers():
    Path("a.txt").write_text("0 qid:1 3:0.5 700:0.3\n0 qid:1 3:0.2 700:0.4\n")
    code, said = told("from-rankings", "a.txt", "-o", "a.csv", "--interleaving", "balanced")
    assert code == 0 and "all documents have grade 0: the results say nothing about relevance" in said
    assert PreferenceMatrix.load("a.csv").names == ("feature 3", "feature 700")


def test_a_pair_near_one_half_is_told():
    P, errors = np.array([[0.5, 0.505], [0.495, 0.5]]), np.array([[0, 0.005], [0.005, 0]])
    assert _doubt(P, errors, 0.005).startswith("1 of 1 pairs is within two standard errors")


def test_a_grade_that_the_click_model_lacks_is_named_with_its_line():
    Path("a.txt").write_text("0 qid:1 1:1 2:2\n# between\n7 qid:1 1:2 2:1\n")
    code, said = told("from-rankings", "a.txt", "-o", "a.csv")
    assert code == 2 and "a.txt: line 3 has grade 7, but" in said and "give --click and --stop" in said


def test_a_damaged_cache_is_said_and_made_again(letor, tmp_path):
    asked = ("from-rankings", letor, "--standard-error", "0.05", "--interleaving", "balanced", "-j", "1")
    assert told(*asked, "-o", "a.csv")[0] == 0
    for name in ("block-0.npz", "queries.npz"):
        [file] = (tmp_path / "cache").rglob(name)
        whole = file.read_bytes()
        middle = len(whole) * 3 // 4
        file.write_bytes(whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
        code, said = told(*asked, "-o", "b.csv")
        assert code == 0 and "is damaged; it is built again" in said
        assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


def test_a_file_that_changes_while_it_is_read_is_told_as_such(letor, monkeypatch):
    def changed(index, scores):
        letor.write_text(letor.read_text().replace("4 qid", "3 qid"))
        return reading.read_block(index, scores)

    monkeypatch.setattr(judgements, "read_block", changed)
    code, said = told("from-rankings", letor, "-o", "a.csv", "-j", "1")
    assert code == 2 and "changed while being read; try again" in said
    assert os.listdir() == ["letor.txt"]


def test_what_is_read_again_depends_on_content_and_not_on_names_or_times(letor, monkeypatch):
    asked = ("--standard-error", "0.05", "--interleaving", "balanced", "-j", "1")
    assert told("from-rankings", letor, *asked, "-o", "a.csv")[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr(judgements, "read_block", lambda *given: 1 / 0)
        Path("copy.txt").write_bytes(letor.read_bytes())
        assert told("from-rankings", "copy.txt", *asked, "-o", "b.csv")[0] == 0
    before = letor.stat()
    first, *lines = letor.read_text().splitlines(keepends=True)
    letor.write_text(first + "".join(f"{4 - int(line[0])}{line[1:]}" for line in lines))
    os.utime(letor, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert letor.stat().st_size == before.st_size
    assert told("from-rankings", letor, *asked, "-o", "c.csv")[0] == 0
    assert hashlib.sha256(letor.read_bytes()).hexdigest() in Path("c.csv").read_text()
    assert (PreferenceMatrix.load("a.csv").P != PreferenceMatrix.load("c.csv").P).any()
