"""Counts of wins become frequencies; pairs that were compared too rarely are an error or a tie, never a guess."""

from fractions import Fraction

import numpy as np
import pytest

from duelbench.data.counts import SIDES, TIE_FLAGS, WEIGHTS, PairCounts, read_count_matrix, read_pairs
from duelbench.errors import InputError

SURVEY = """# a survey
loser,place,count,Winner
egg,north,3,tuna
tuna,2,1,egg
squid,,.5,tuna
tuna,,.5,squid
squid,,4,egg
"""
JUDGED = "First,second,first_wins,second_wins,ties,judges\na,b,3,1,1,A\nb,a,2,0,0,B\nc,b,0,1,3,C\n"
TABLES = [
    ("winner,loser,count\na,b,2\nb,a,1\na,b,1\na,c,0.5\nc,a,0.5\n", "a b c", [[0, 3, 0.5], [1, 0, 0], [0.5, 0, 0]]),
    *((f"winner,loser,{count}\na,b,3\nb,a,1\n", "a b", [[0, 3], [1, 0]]) for count in WEIGHTS),
    *((f"winner,loser,{tie}\na,b,true\nb,a,False\na,b,\n", "a b", [[0, 1.5], [1.5, 0]]) for tie in TIE_FLAGS),
    ("left,right,winner,count\na,b,left,3\na,b,right,1\nb,a,tie,2\n", "a b", [[0, 4], [2, 0]]),
    ("left,right,winner\nash,oak,oak\nash,oak,ash\nash,oak,right\n", "ash oak", [[0, 1], [2, 0]]),
    ("winner\tloser\tcount\na\tb\t3\nb\ta\t1\n", "a b", [[0, 3], [1, 0]]),
    ("first,second,first_wins,second_wins,draws\na,b,3,1,2\n", "a b", [[0, 4], [2, 0]]),
    ("left,right,left_wins,right_wins\na,b,3,1\n", "a b", [[0, 3], [1, 0]]),
    ("winner,loser\n#1 pick,ash\nash,#1 pick\n#1 pick,ash\n", "#1_pick ash", [[0, 2], [1, 0]]),
    (SURVEY, "egg tuna squid", [[0, 1, 4], [3, 0, 0.5], [0, 0.5, 0]]),
    ('winner,loser\n"a, 1",b\nb,"a, 1"\nb,"a, 1"\n', "a,_1 b", [[0, 1], [2, 0]]),
    *(
        (
            f"id,{one},{other},winner\nq1,x,y,{one}\nq2,y,x,{other}\nq3,x,y,tie\nq4,x,y,tie (both bad)\n",
            "x y",
            [[0, 3], [1, 0]],
        )
        for one, other in SIDES
    ),
    (JUDGED, "a b c", [[0, 3.5, 0], [3.5, 0, 2.5], [0, 1.5, 0]]),
    ("second,first,second_wins,first_wins\na,b,1,2\n", "b a", [[0, 2], [1, 0]]),
]


def test_results_of_a_pair_add_up_and_a_tie_is_half_a_win_each(write):
    for text, names, wins in TABLES:
        counts = read_pairs(write(text))
        found = [name.replace(" ", "_") for name in counts.names]
        assert sorted(found) == sorted(names.split()), text
        order = [found.index(name) for name in names.split()]
        assert counts.wins[np.ix_(order, order)].tolist() == wins, text


WRONG_TABLES = [
    ("oak,ash,1\noak,ash,0\n", "line 1", "the third one may count duels or say who won"),
    ("oak,ash,3\nash,oak,1\n", "line 1", "the columns have no names"),
    ("winner,loser,tie\na,b,maybe\n", "line 2", "the column tie holds 'maybe'"),
    ("winner,loser,count,Count\na,b,1,2\n", "line 1", "two columns 'count'"),
    ("first,second,first_wins,second_wins\na,b,1\n", "line 2", "3 cells"),
    ("first,second,first_wins,second_wins\na,a,1,2\n", "line 2", "meets itself"),
    ("first,second,first_wins\na,b,1\n", "line 1", "first,second,first_wins,sec"),
    ("red,blue\n", "line 1", "winner,loser,count"),
    ("winner,loser\n", "holds no results", "lines such as"),
    ("winner,loser,count\na,b,-1\n", "line 2", "the count is '-1'"),
    ("winner,loser,count\na,b,1_0\n", "line 2", "the count is '1_0'"),
    ("winner,loser,count\na,b,1e13\n", "line 2", "the count is '1e13'"),
    ("winner,loser\na,\n", "line 2", "a name is empty"),
    ("left,right,winner\na,b,c\n", "line 2", "left, right, tie, or its name"),
    ("a,b,winner\nb,a,a\n", "line 2", "is a column and an arm of the other column"),
    ('winner,loser\n"a,b\n', "line 2", "not valid CSV"),
    ("winner,loser\n" + "".join(f"{k},x\n" for k in range(5000)), "line 4097", "at most 4096"),
]


def test_a_wrong_table_is_refused_with_its_line(write):
    for text, place, word in WRONG_TABLES:
        path = write(text)
        with pytest.raises(InputError, match=f"^{path}.*{place}.*{word}"):
            read_pairs(path)


@pytest.mark.parametrize("column", ["2,3", "true,false", "0,1", "1e3,", "no,yes", "win,draw", "2.5,1/2"])
def test_a_column_that_is_not_used_and_may_change_counts_is_refused(write, column):
    first, second = column.split(",")
    path = write(f"winner,loser,times\na,b,{first}\nb,a,{second}\n")
    if column == "2.5,1/2":
        assert "not used: column 'times'" in read_pairs(path).notes
        return
    with pytest.raises(
        InputError, match=r"numbers, truth values or outcomes in the column 'times' would not be used.* --ignore times"
    ):
        read_pairs(path)
    counts = read_pairs(path, ignore=["Times"])
    assert counts.wins.tolist() == [[0, 1], [1, 0]]
    assert "not used: column 'times'" in counts.notes


def test_only_a_column_that_is_there_and_not_needed_can_be_ignored(write):
    path = write("winner,loser,judge\na,b,x\n")
    for name, words in (("juge", "no column 'juge' to ignore .did you mean 'judge'"), ("loser", "cannot be ignored")):
        with pytest.raises(InputError, match=words):
            read_pairs(path, ignore=[name])


def test_comments_are_counted_in_a_note(write):
    text = "# my games\n# of May\nwinner,loser\na,b\n"
    assert read_pairs(write(text)).notes[-1] == "the first 2 lines are comments (#)"


def test_a_square_table_of_counts_is_read_with_or_without_names(write):
    for text, names in (("0 3\n1 0\n", ("0", "1")), ("tuna,egg\n0,3\n1,0\n", ("tuna", "egg"))):
        counts = read_count_matrix(write(text))
        assert (counts.names, counts.wins.tolist()) == (names, [[0, 3], [1, 0]])


def made(wins) -> PairCounts:
    return PairCounts(np.array(wins, dtype=float), tuple("abcdefgh"[: len(wins)]), "made.csv")


def test_pairs_that_met_too_rarely_are_named_unless_they_shall_be_ties():
    counts = made([[0, 3, 0], [1, 0, 2], [0, 0, 0]])
    with pytest.raises(InputError, match=r"never compared: a and c; .*--missing half"):
        counts.matrix()
    assert counts.matrix(missing="half").P.tolist() == [[0.5, 0.75, 0.5], [0.25, 0.5, 1], [0.5, 0, 0.5]]
    with pytest.raises(InputError, match=r"less than 4 times: a and c \(0 times\); b and c \(2 times\)"):
        counts.matrix(min_count=4)
    assert counts.matrix(min_count=4, missing="half").P[:, 1].tolist() == [0.75, 0.5, 0.5]
    with pytest.raises(InputError, match=r"less than 1 times: a and b \(0\.75 times\)"):
        made([[0, 0.5], [0.25, 0]]).matrix()


def test_frequencies_are_exact_to_the_last_digit_but_one():
    for won, lost in [(1, 2), (0, 7), (10**6, 10**6), (123_457, 999_983), (10**6, 1)]:
        P = made([[0, won], [lost, 0]]).matrix().P
        assert abs(Fraction(P[0, 1]) - Fraction(won, won + lost)) <= Fraction(1, 2**53)
        assert Fraction(P[0, 1]) + Fraction(P[1, 0]) == 1
        assert (P[0, 1] == 0.5) == (won == lost)
