"""Square tables are read as people have them, with a note on what they were taken for."""

import numpy as np
import pytest

from duelbench.data.importing import import_matrix
from duelbench.errors import InputError

HALF = "only numbers above the diagonal are given"
FILLED = "0.5 was put on the diagonal; the other numbers are unchanged"
PERCENT = "percentages: divided by 100"
GAPS = "gaps p - 1/2 with 0 on the diagonal: 1/2 was added"
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
    ("1,3,1/3\n,1,1\n,,1\n", [0.75, 0.25, 0.5], [RATIOS]),
    ("0,0.25\n-0.25,0\n", [0.75], [GAPS]),
    ("1/2,3/4\n1/4,1/2\n", [0.75], []),
]


@pytest.mark.parametrize(("text", "upper", "notes"), READ)
def test_a_square_table_may_be_written_in_many_ways(write, text, upper, notes):
    imported = import_matrix(write(text))
    P = imported.matrix.P
    assert imported.form == "matrix" and P[np.triu_indices(len(P), k=1)].tolist() == upper
    assert (P + P.T == 1).all() and list(imported.notes) == notes


def test_names_keep_their_signs_of_per_cent(write):
    assert import_matrix(write("10%,20%\n50%,75%\n25%,50%\n")).matrix.names == ("10%", "20%")


def test_numbers_rounded_to_seven_digits_are_made_exact_with_a_note(write):
    imported = import_matrix(write("0.5,0.6666667,0.5\n0.3333334,0.5,1\n0.5,0,0.5\n"))
    assert imported.matrix.P[0, 1] == 0.6666667 and imported.matrix.P[1, 0] == 1 - 0.6666667
    assert imported.notes == ("rounded: 1 pair does not add up to exactly 1; the numbers above the diagonal count",)
    with pytest.raises(InputError, match=r"together 1\.001; they must add up to 1"):
        import_matrix(write("0.5,0.667\n0.334,0.5\n"))


def test_a_whole_table_stays_as_it_is(write):
    assert import_matrix(write("0,3\n0,0\n")).form == "counts"
    assert import_matrix(write("0.5,1\n0,0.5\n")).notes == ()
    assert import_matrix(write("0.5,0.9\n0.1,0.5\n")).matrix.P.tolist() == [[0.5, 0.9], [0.1, 0.5]]


WRONG = [
    ('{"P": [[0.5, 0.9], [0.1, 0.5]]}', {"form": "matrix"}, "is JSON, not a square table"),
    ("0.5,0.7,\n0.3,0.5,0.6\n,0.4,0.5\n", {}, "row 1, column 3 .* is empty"),
    ("0,0.75\n-0.5,0\n", {}, "is -0.5"),
    ("a,b,c\n0.5,0.6,x\n0.4,0.5,0.5\n0.3,0.5,0.5\n", {}, "row 1, column 3 .* is 'x', not a number"),
    ("x;y;n\nash;oak;3\n", {}, "the columns x, y, n do not say who won"),
]


@pytest.mark.parametrize(("text", "options", "message"), WRONG)
def test_what_cannot_be_read_is_told(write, text, options, message):
    with pytest.raises(InputError, match=message):
        import_matrix(write(text), **options)


def test_a_matrix_file_in_json_or_with_semicolons_is_told_what_reads_it(write):
    from duelbench.bandits.problem.preferences import PreferenceMatrix

    for text, words in (('[{"winner": "a"}]', "is JSON, not rows of numbers"), ("0,5;0,9\n", "decimal commas")):
        with pytest.raises(InputError, match=f"{words}.*matrix import"):
            PreferenceMatrix.load(write(text))
