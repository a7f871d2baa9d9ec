"""``duelbench matrix from-rankings``: matrices from judged documents, interrupted and not."""

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from duelbench.actions import judgements, rankers
from duelbench.cli.app import app
from duelbench.cli.matrix.from_rankings import _doubt
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.rankings import comparing, reading
from duelbench.rankings.clicks import named
from duelbench.rankings.collection import collected
from duelbench.rankings.comparing import Procedure, compare


@pytest.fixture(autouse=True)
def own_folders(tmp_path, monkeypatch):
    """Commands run in an empty folder, and keep what they read in another one."""
    monkeypatch.setattr(judgements, "user_cache", lambda: tmp_path / "cache")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


@pytest.fixture
def letor(own_folders):
    """A small collection."""
    assert told("generate", "rankings", "queries=12", "documents=6", "features=5", "-o", "letor.txt")[0] == 0
    return Path("letor.txt")


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
    assert code == 130 and "interrupted; the same command goes on where it was" in said
    assert sorted(os.listdir()) == [
        "again.csv.part",
        *sorted(["letor.txt", "two.csv", "two.errors.csv", "whole.csv", "whole.errors.csv"]),
    ]
    monkeypatch.setattr(rankers, "compare", compare)
    code, said = told(*asked, "-o", "again.csv", "--seed", "1")
    assert code == 2 and "was begun with another seed; --force begins again" in said
    code, said = told(*asked, "-o", "again.csv", "-j", "1")
    assert code == 0 and " of 10 pairs are there already" in said
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
    assert told(*asked, "-o", "c.csv", "--cache", tmp_path / "other")[0] == 0
    assert Path("a.csv").read_bytes() == Path("c.csv").read_bytes()


def test_some_features_and_scores_of_ones_own_are_rankers(letor):
    grades = [line.split()[0] for line in letor.read_text().splitlines()[1:]]
    Path("ideal.txt").write_text("".join(f"{grade}\n" for grade in grades))
    asked = ("--standard-error", "0.03", "-o", "a.csv", "--clicks", "perfect", "--interleaving", "balanced")
    code, said = told("from-rankings", letor, *asked, "--features", "2,4", "--scores", "ideal=ideal.txt")
    assert code == 0, said
    matrix = PreferenceMatrix.load("a.csv")
    assert matrix.names == ("feature 2", "feature 4", "ideal")
    assert (matrix.P[2, :2] > 0.6).all()
    assert told("from-rankings", letor, *asked[:2], "-o", "b.csv", *asked[4:])[0] == 0
    assert PreferenceMatrix.load("b.csv").P[1, 3] == matrix.P[0, 1]


def test_clicks_of_ones_own_are_used(letor):
    asked = ("from-rankings", letor, "-o", "a.csv", "--click", "0,0,0,0,0", "--stop", "0,0,0,0,0")
    assert told(*asked)[0] == 0
    assert (PreferenceMatrix.load("a.csv").P == 0.5).all()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--click", "0,1"], "--click and --stop go together"),
        (["--click", "0,x", "--stop", "0,1"], "--click 0,x: write one probability per grade"),
        (["--click", "0,1", "--stop", "0,1"], "knows the grades 0 to 1, but a document has grade"),
        (["--grades", "2"], "knows the grades 0 to 1, but a document has grade"),
        (["--grades", "4"], "2, 3 or 5 grades, not 4"),
        (["--features", "2,9"], "there is no feature 9; they are 1 to 5"),
        (["--features", "2"], "there is one ranker only"),
        (["--features", "best"], "write numbers and increasing ranges"),
        (["--scores", "ideal"], "write NAME=FILE"),
        (["--scores", "a=letor.txt", "--scores", "a=letor.txt"], "there are two of the name a"),
        (["--scores", "a=letor.txt"], "line 2 is"),
        (["--scores", "a=none.txt"], "there is no such file"),
        (["--standard-error", "0"], "it must be from 0.00001 to 0.1"),
        (["--standard-error", "nan"], "it must be from 0.00001 to 0.1"),
        (["--interleaving", "team-draft", "--length", "30"], "team-draft interleaving shows 1 to 20"),
        (["--seed", "-1"], "--seed"),
        (["-o", "a.txt"], "the name must end with .csv"),
        (["--cache", "letor.txt"], "cannot be written"),
    ],
)
def test_a_wrong_option_is_one_message_and_nothing_is_written(letor, options, why):
    code, said = told("from-rankings", letor, "-o", "a.csv", *options)
    assert code == 2 and why in said and "Traceback" not in said
    assert os.listdir() == ["letor.txt"]


def test_a_name_that_is_taken_is_refused_before_anything_is_compared(letor, monkeypatch):
    Path("scores.txt").write_text("1\n" * 72)
    monkeypatch.setattr(rankers, "compare", lambda *given: 1 / 0)
    code, said = told("from-rankings", letor, "-o", "a.csv", "--scores", "feature 1=scores.txt")
    assert code == 2 and "--scores: " in said


def test_what_is_no_file_is_told_as_such(letor):
    code, said = told("from-rankings", ".", "-o", "a.csv")
    assert code == 2 and "is a folder; name the judgements file in it" in said
    Path("empty.txt").touch()
    code, said = told("from-rankings", "empty.txt", "-o", "a.csv")
    assert code == 2 and "empty.txt" in said


def test_where_the_data_of_the_papers_are_is_said_and_nothing_is_fetched(monkeypatch):
    monkeypatch.setattr("duelbench.problem.sources.datasets.download", lambda *given: 1 / 0)
    code, said = told("fetch", "mslr-web10k")
    assert code == 0 and "https://www.microsoft.com/en-us/research/project/mslr/" in said and "terms" in said
    code, said = told("fetch", "mslr-web10")
    assert code == 2 and "did you mean 'mslr-web10k'" in said


def test_nothing_is_written_over_unasked(letor):
    Path("a.errors.csv").write_text("mine")
    code, said = told("from-rankings", letor, "-o", "a.csv")
    assert code == 2 and "a.errors.csv: is there already" in said
    code, said = told("generate", "rankings", "-o", "letor.txt")
    assert code == 2 and "is there already" in said
    code, said = told("generate", "rankings", "-o", "matrix.csv")
    assert code == 2 and "call the file matrix.txt" in said


def test_a_file_of_the_same_size_and_time_but_other_content_is_read_again(letor):
    asked = ("from-rankings", letor, "--standard-error", "0.05", "--interleaving", "balanced")
    assert told(*asked, "-o", "a.csv")[0] == 0
    before = letor.stat()
    first, *lines = letor.read_text().splitlines(keepends=True)
    letor.write_text(first + "".join(f"{4 - int(line[0])}{line[1:]}" for line in lines))
    os.utime(letor, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert letor.stat().st_size == before.st_size
    assert told(*asked, "-o", "b.csv")[0] == 0
    assert hashlib.sha256(letor.read_bytes()).hexdigest() in Path("b.csv").read_text()
    assert (PreferenceMatrix.load("a.csv").P != PreferenceMatrix.load("b.csv").P).any()


def test_a_copy_of_a_file_is_not_read_again_and_the_matrix_names_the_copy(letor, monkeypatch):
    asked = ("--standard-error", "0.05", "--interleaving", "balanced")
    assert told("from-rankings", letor, *asked, "-o", "a.csv")[0] == 0
    monkeypatch.setattr(judgements, "read_block", lambda *given: 1 / 0)
    Path("copy.txt").write_bytes(letor.read_bytes())
    assert told("from-rankings", "copy.txt", *asked, "-o", "b.csv")[0] == 0
    assert "from copy.txt (SHA-256 " in Path("b.csv").read_text()


def test_a_file_that_changes_while_it_is_read_is_told_as_such(letor, monkeypatch):
    def changed(index, scores):
        letor.write_text(letor.read_text().replace("4 qid", "3 qid"))
        return reading.read_block(index, scores)

    monkeypatch.setattr(judgements, "read_block", changed)
    code, said = told("from-rankings", letor, "-o", "a.csv", "-j", "1")
    assert code == 2 and "changed while being read; try again" in said
    assert os.listdir() == ["letor.txt"]


@pytest.mark.parametrize("name", ["orders.npy", "grades.npy", "starts.npy", "whole.json"])
@pytest.mark.parametrize("damage", ["flipped", "short", "empty"])
def test_a_damaged_cache_is_said_and_made_again(letor, tmp_path, name, damage):
    asked = ("from-rankings", letor, "--standard-error", "0.05", "--interleaving", "balanced", "-j", "1")
    assert told(*asked, "-o", "a.csv")[0] == 0
    [file] = (tmp_path / "cache").rglob(name)
    whole = file.read_bytes()
    middle = len(whole) * 3 // 4
    flipped = whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :]
    file.write_bytes({"flipped": flipped, "short": whole[:-1], "empty": b""}[damage])
    code, said = told(*asked, "-o", "b.csv")
    assert code == 0 and "what was kept here is damaged; it is made again" in said
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    code, said = told(*asked, "-o", "c.csv")
    assert code == 0 and "damaged" not in said


def test_blocks_that_were_damaged_before_reading_went_on_are_read_again(letor, monkeypatch, tmp_path):
    monkeypatch.setattr(reading, "BLOCK_BYTES", 500)
    calls = []

    def interrupted(index, scores):
        calls.append(index)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return reading.read_block(index, scores)

    monkeypatch.setattr(judgements, "read_block", interrupted)
    asked = ("from-rankings", letor, "--standard-error", "0.05", "--interleaving", "balanced", "-j", "1")
    assert told(*asked, "-o", "a.csv")[0] == 130
    [file] = (tmp_path / "cache").rglob("grades.npy")
    grades = np.load(file)
    grades[0] ^= 1
    np.save(file, grades)
    assert told(*asked, "-o", "a.csv")[0] == 0
    assert told(*asked, "-o", "b.csv", "--cache", tmp_path / "other")[0] == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


def test_a_damaged_part_is_told_as_such(letor):
    Path("c.csv.part").write_bytes(b"PK")
    code, said = told("from-rankings", letor, "--standard-error", "0.05", "-o", "c.csv")
    assert code == 2 and "is damaged; --force begins again" in said


def test_a_pair_that_takes_long_is_given_up_for_the_estimate_and_the_matrix_is_the_same(letor, monkeypatch):
    asked = ("from-rankings", letor, "--standard-error", "0.01", "-j", "2")
    assert told(*asked, "-o", "a.csv")[0] == 0
    monkeypatch.setattr(rankers, "TRIAL_SECONDS", 0.0)
    monkeypatch.setattr(comparing, "FIRST_BUDGET", 1.0)
    code, said = told(*asked, "-o", "b.csv")
    assert code == 0 and "10 pairs to compare, 0 of them done for an estimate: about" in said
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


def test_threads_end_at_their_next_block_when_they_are_to_stop():
    heard = []
    under_way = rankers._UnderWay(1, 4, lambda what, share: heard.append(share))
    under_way.tell(2, 0.5)
    under_way.add(2)
    assert heard == [1.5 / 4, 2 / 4]
    under_way.stop()
    with pytest.raises(rankers._Stopped):
        under_way.tell(3, 0.5)


def test_what_may_be_chance_is_said(letor):
    code, said = told("from-rankings", letor, "-o", "rough.csv", "--standard-error", "0.05", "--exact-up-to", "0")
    assert code == 0, said
    P = PreferenceMatrix.load("rough.csv").P
    errors = np.loadtxt("rough.errors.csv", delimiter=",", skiprows=7)
    n_open = int((np.abs(P - 0.5) <= 2 * errors)[np.triu_indices(5, 1)].sum())
    assert n_open and f"{n_open} of 10 pairs are within two standard errors of 1/2" in said
    assert "--standard-error 0.025 takes about four times as long" in said


def test_who_wins_most_is_sure_or_may_be_chance():
    P = np.array([[0.5, 0.9, 0.9], [0.1, 0.5, 0.51], [0.1, 0.49, 0.5]])
    errors = np.full((3, 3), 0.02) - 0.02 * np.eye(3)
    assert "1 of 3 pairs" in _doubt(P, errors, 0.02) and "chance" not in _doubt(P, errors, 0.02)
    P[0, 1], P[1, 0] = 0.52, 0.48
    assert "2 of 3 pairs" in _doubt(P, errors, 0.02) and "and so who wins most may be chance" in _doubt(P, errors, 0.02)
    assert _doubt(P, np.zeros((3, 3)), 0.02) is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--clicks", "perfect", "--click", "0,1", "--stop", "0,0"], "--clicks is for the models that have a name"),
        (["--grades", "3", "--click", "0,1", "--stop", "0,0"], "--grades is for the models that have a name"),
        (["--features", "3-1"], "--features 3-1: write numbers and increasing ranges"),
        (["--features", "a"], "--features a: write numbers and increasing ranges"),
        (["--features", "mslr5-condorcet"], "--features mslr5-condorcet: write numbers"),
        (["--features", "1,1,2"], "--features 1,1,2: feature 1 stands twice"),
        (["--features", "1,9"], "--features: there is no feature 9; they are 1 to 5"),
    ],
)
def test_options_that_make_no_sense_are_refused(letor, options, words):
    code, said = told("from-rankings", letor, "-o", "no.csv", *options)
    assert code != 0 and words in said, said
    assert not Path("no.csv").exists()
