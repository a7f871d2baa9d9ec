"""Counts of wins become frequencies; pairs that were compared too rarely are an error or a tie, never a guess."""

from fractions import Fraction

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem.sources.counts import PairCounts, read_count_matrix, read_pairs

SURVEY = """# a survey
loser,year,count,Winner
egg,1,3,tuna
tuna,2,1,egg
squid,3,.5,tuna
tuna,4,.5,squid
squid,5,4,egg
"""
JUDGED = "First,second,first_wins,second_wins,ties,judges\na,b,3,1,1,5\nb,a,2,0,0,2\nc,b,0,1,3,4\n"
TABLES = [
    ("winner,loser,count\na,b,2\nb,a,1\na,b,1\na,c,0.5\nc,a,0.5\n", "a b c", [[0, 3, 0.5], [1, 0, 0], [0.5, 0, 0]]),
    ("a,b,3\nb,a,1\na,c,.5\nc,a,5e-1\n", "a b c", [[0, 3, 0.5], [1, 0, 0], [0.5, 0, 0]]),
    (SURVEY, "egg tuna squid", [[0, 1, 4], [3, 0, 0.5], [0, 0.5, 0]]),
    ('winner,loser\n"a, 1",b\nb,"a, 1"\nb,"a, 1"\n', "a,_1 b", [[0, 1], [2, 0]]),
    *(
        (
            f"id,{one},{other},winner\n1,x,y,{one}\n2,y,x,{other}\n3,x,y,tie\n4,x,y,tie (both bad)\n",
            "x y",
            [[0, 3], [1, 0]],
        )
        for one, other in (("left", "right"), ("model_a", "model_b"), ("a", "b"))
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
    ("first,second,first_wins,second_wins\na,b,1\n", "line 2", "3 cells"),
    ("first,second,first_wins,second_wins\na,a,1,2\n", "line 2", "meets itself"),
    ("first,second,first_wins\na,b,1\n", "line 1", "first,second,first_wins,sec"),
    ("red,blue\n", "line 1", "winner,loser,count"),
    ("winner,loser\n", "holds no results", "lines such as"),
    ("winner,loser,count\na,b,-1\n", "line 2", "the count is '-1'"),
    ("winner,loser,count\na,b,1_0\n", "line 2", "the count is '1_0'"),
    ("winner,loser,count\na,b,1e13\n", "line 2", "the count is '1e13'"),
    ("winner,loser\na,\n", "line 2", "a name is empty"),
    ("left,right,winner\na,b,a\n", "line 2", "left, right or tie"),
    ('winner,loser\n"a,b\n', "line 2", "not valid CSV"),
    ("winner,loser\n" + "".join(f"{k},x\n" for k in range(5000)), "line 4097", "at most 4096"),
]


def test_a_wrong_table_is_refused_with_its_line(write):
    for text, place, word in WRONG_TABLES:
        path = write(text)
        with pytest.raises(InputError, match=f"^{path}.*{place}.*{word}"):
            read_pairs(path)


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
