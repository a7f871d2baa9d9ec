"""Square tables are read as people have them, with a note on what they were taken for."""

import numpy as np
import pytest

from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.data.importing import import_matrix
from duelbench.data.votes import read_votes
from duelbench.errors import InputError

HALF = "only numbers above the diagonal are given"
LOWER = "only numbers below the diagonal are given"
FILLED = "0.5 was put on the diagonal; the other numbers are unchanged"
PERCENT = "percentages: divided by 100"
GAPS = "gaps p - 1/2 with 0 on the diagonal: 1/2 was added (if they are differences p_ij - p_ji, halve them first)"
RATIOS = "ratios a with 1 on the diagonal (AHP): p = a / (a + 1)"

# Text, its upper half, and the notes.
READ = [
    ("0.5,0.75,0.25\n,0.5,0.5\n,,0.5\n", [0.75, 0.25, 0.5], [HALF]),
    ("-,0.75,0.25\n-,-,0.5\n-,-,-\n", [0.75, 0.25, 0.5], [FILLED, HALF]),
    ("a b c\n0 .75 .25\n0 0 .5\n0 0 0\n", [0.75, 0.25, 0.5], [FILLED, HALF]),
    (";a;b\na;0,5;0,75\nb;0,25;0,5\n", [0.75], []),
    ("0,5 0,75\n0,25 0,5\n", [0.75], []),
    ("a\tb\n0.5\t0.75\n\t0.5\n", [0.75], [HALF]),
    ("\ttea, hot\tmilk, cold\ntea, hot\t0.5\t0.75\nmilk, cold\t0.25\t0.5\n", [0.75], []),
    ("tea; hot,coffee; black\n0.5,0.75\n0.25,0.5\n", [0.75], []),
    ("sep=;\n0,5;0,75\n0,25;0,5\n", [0.75], []),
    ("50%,75%\n25%,50%\n", [0.75], [PERCENT]),
    ("10%,20%\n50%,75%\n25%,50%\n", [0.75], [PERCENT]),
    ("50,75\n25,50\n", [0.75], [PERCENT]),
    ("-,87.25\n12.75,-\n", [0.8725], [PERCENT, FILLED]),
    ("1,3,1/3\n1/3,1,1\n3,1,1\n", [0.75, 0.25, 0.5], [RATIOS]),
    ("1,3,0.33\n0.33,1,1\n3,1,1\n", [0.75, 0.25, 0.5], [RATIOS]),
    ("1,3,1/3\n,1,1\n,,1\n", [0.75, 0.25, 0.5], [RATIOS, HALF]),
    ("1\t0\t0\n1/3\t1\t0\n3\t1\t1\n", [0.75, 0.25, 0.5], [RATIOS, LOWER]),
    ("0,0.25\n-0.25,0\n", [0.75], [GAPS]),
    ("0,0\n-0.25,0\n", [0.75], [GAPS, LOWER]),
    ("0.5,,\n0.25,0.5,\n0.75,0.5,0.5\n", [0.75, 0.25, 0.5], [LOWER]),
    ("-,-\n0.25,-\n", [0.75], [FILLED, LOWER]),
    ("50,0\n25,50\n", [0.75], [PERCENT, LOWER]),
    ("1/2,3/4\n1/4,1/2\n", [0.75], []),
    ("[[0.5, 0.75],\n [0.25, 0.5]]\n", [0.75], []),
    ("[[50, 75], [null, 50]]", [0.75], [PERCENT, HALF]),
    ('{"names": ["tea", "milk"],\n"P": [[0.5, 0.75], [0.25, 0.5]]}', [0.75], []),
    ('{"P": [[0.5, 0.75], [0.25, 0.5]], "names": ["tea", "milk"]}', [0.75], []),
]


@pytest.mark.parametrize(("text", "upper", "notes"), READ)
def test_a_square_table_may_be_written_in_many_ways(write, text, upper, notes):
    imported = import_matrix(write(text))
    P = imported.matrix.P
    assert imported.form == "matrix" and P[np.triu_indices(len(P), k=1)].tolist() == upper
    assert (P + P.T == 1).all() and list(imported.notes) == notes


def test_names_keep_their_signs_of_per_cent(write):
    assert import_matrix(write("10%,20%\n50%,75%\n25%,50%\n")).matrix.names == ("10%", "20%")


SHIFTED = "at most; both numbers were shifted by half of the difference"

# Text, a number above the diagonal, and the note.
ROUNDED = [
    ("0.5,0.6666667\n0.3333334,0.5\n", 0.66666665, "1 pair does not add up to exactly 1, by 1e-07"),
    ("0.5,0.6667\n0.3334,0.5\n", 0.66665, "1 pair does not add up to exactly 1, by 0.0001"),
    ("0.5,0.67\n0.34,0.5\n", 0.665, "1 pair does not add up to exactly 1, by 0.01"),
    ("0.5,0.66,0.5\n0.33,0.5,0.51\n0.5,0.5,0.5\n", 0.665, "2 pairs do not add up to exactly 1, by 0.01"),
    ("50,67\n34,50\n", 0.665, "1 pair does not add up to exactly 100, by 1"),
    ("-;66,7\n33,4;-\n", 0.6665, "1 pair does not add up to exactly 100, by 0.1"),
    ("0,0.17\n-0.16,0\n", 0.665, "1 pair does not add up to exactly 0, by 0.01"),
]


@pytest.mark.parametrize(("text", "number", "note"), ROUNDED)
def test_numbers_that_miss_their_sum_by_rounding_are_made_exact_with_a_note(write, text, number, note):
    imported = import_matrix(write(text))
    P = imported.matrix.P
    assert P[0, 1] == number and (P + P.T == 1).all() and f"rounded: {note} {SHIFTED}" in imported.notes
    if note.endswith("exactly 1, by 0.01"):
        with pytest.raises(InputError, match=r"within 1e-09.*if the numbers were rounded, `duelbench matrix import"):
            PreferenceMatrix.load(write(text))


def test_single_and_half_precision_count_as_rounded(tmp_path):
    for kind in (np.float32, np.float16):
        np.save(tmp_path / "P.npy", np.array([[0.5, 0.7001], [0.2999, 0.5]], dtype=kind))
        assert import_matrix(tmp_path / "P.npy").matrix.P[0, 1] == pytest.approx(0.7001, abs=1e-3)


def test_a_whole_table_stays_as_it_is(write):
    assert import_matrix(write("0,3\n0,0\n")).form == "counts"
    assert import_matrix(write("0.5,1\n0,0.5\n")).notes == ()
    assert import_matrix(write("0.5,0.9\n0.1,0.5\n")).matrix.P.tolist() == [[0.5, 0.9], [0.1, 0.5]]


WRONG = [
    ("[[0.5, 0.9], [0.1]]", {}, "line 1 has 2 numbers, line 1 has 1 numbers"),
    ("[[0.5, 0.9],\n [0.1, true]]", {}, r"row 2, column 2 .*line 2\) is 'true', not a number"),
    ('{"Q": [[0.5, 0.9], [0.1, 0.5]]}', {"form": "matrix"}, "is JSON, not a square table"),
    ('{"P": [[0.5, 0.9], [0.1, 0.5]], "names": 3}', {}, "is JSON, not a square table"),
    ('{"P": 3}', {"form": "matrix"}, "is JSON, not a square table"),
    ("0.5,0.7,\n0.3,0.5,0.6\n,0.4,0.5\n", {}, "row 1, column 3 .* is empty"),
    ("0,0.75\n-0.5,0\n", {}, r"row 1, column 2 .* is 0.75, not a gap p - 1/2 from -0\.5 to 0\.5; correct it"),
    ("0,0.7\n-0.7,0\n", {}, r"is 0\.7, not a gap .*; for differences d = p_ij - p_ji, write \(d \+ 1\) / 2"),
    ("0,0.7,0.6\n0.3,0,0.8\n0.4,-0.2,0\n", {}, "is -0.2, not a probability from 0 to 1"),
    ("0,0.3\n-0.2,0\n", {}, r"is 0.3 and .* is -0.2, together 0.1; .* add up to 0 within 1e-09: write -0.3"),
    ("0.5,0.7\n0.4,0.5\n", {}, r"is 0\.7 and .* is 0\.4, together 1\.1; they must add up to 1 within 1e-09"),
    ("0.5,0.667\n0.335,0.5\n", {}, r"together 1\.002; they must add up to 1 within 0\.001: write 0\.333"),
    ("50,70\n40,50\n", {}, r"is 70 and .* is 40, together 110; .* add up to 100 within 1e-07: write 30"),
    ("50,70\n42,50\n", {}, r"is 70 and .* is 42, together 112; they must add up to 100 within 1: write 30"),
    ("50%,70.5%\n40%,50%\n", {}, r"is 70\.5 and .* is 40, together 110\.5; they must add up to 100"),
    ("50,130\n-30,50\n", {}, "is 130, not a percentage from 0 to 100; correct it"),
    ("50,70\n30,40\n", {}, "is 40, but an arm against itself has exactly 50: write 50"),
    ("50,70,\n30,50,60\n,40,50\n", {}, "is empty; write a percentage from 0 to 100"),
    ("0,5;0,75\n0,35;0,5\n", {}, "is 0,75 and .* is 0,35, together 1,1; .* within 0,01: write 0,25"),
    ("1,3\n1/2,1\n", {}, "is 3 and .* is 0.5, multiplied 1.5; they must multiply to 1 within 0.05: write 0.333"),
    ("a,b,c\n0.5,0.6,x\n0.4,0.5,0.5\n0.3,0.5,0.5\n", {}, "row 1, column 3 .* is 'x', not a number"),
    ("x;y;n\nash;oak;3\n", {}, "the columns x, y, n do not say who won"),
]


@pytest.mark.parametrize(("text", "options", "message"), WRONG)
def test_what_cannot_be_read_is_told(write, text, options, message):
    with pytest.raises(InputError, match=message):
        import_matrix(write(text), **options)


PRINTED = [
    (
        "\\begin{tabular}{cc}\n0.5 & 0.6 \\\\\n0.4 & 0.5 \\\\\n\\end{tabular}\n",
        "line 1 looks like a LaTeX table; write",
    ),
    ("% of May\n0.5 & 0.6 \\\\ \\hline\n", "line 2 looks like a LaTeX table"),
    (
        "     [,1] [,2]\n[1,]  0.5  0.6\n[2,]  0.4  0.5\n",
        r"line 1 looks like a matrix as R prints it; .*write\.table",
    ),
    ("[1,] 0.5 0.6\n[2,] 0.4 0.5\n", "a matrix as R prints it"),
    ("[[0.5 0.6]\n [0.4 0.5]]\n", r"line 1 looks like an array as Python prints it; .*numpy\.savetxt"),
    ("array([[0.5, 0.6],\n       [0.4, 0.5]])\n", "an array as Python prints it"),
    ("P = [[0.5, 0.6], [0.4, 0.5]]\n", "an array as Python prints it"),
    ("| tea | milk |\n|---|---|\n| 0.5 | 0.6 |\n", "a Markdown table"),
    ("<!DOCTYPE html>\n<p>404\n", "an HTML page"),
]


@pytest.mark.parametrize(("text", "message"), PRINTED)
def test_a_printed_table_is_called_what_it_looks_like(write, text, message):
    for read in (import_matrix, read_votes, PreferenceMatrix.load):
        with pytest.raises(InputError, match=message):
            read(write(text))


def test_a_matrix_file_in_json_or_with_semicolons_is_told_what_reads_it(write):
    for text, words in (('[{"winner": "a"}]', "is JSON, not rows of numbers"), ("0,5;0,9\n", "decimal commas")):
        with pytest.raises(InputError, match=f"{words}.*matrix import"):
            PreferenceMatrix.load(write(text))
