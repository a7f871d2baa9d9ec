"""Counts of wins become frequencies; pairs that were compared too rarely are an error or a tie, never a guess."""

from fractions import Fraction

import numpy as np
import pytest

from duelbench.data.counts import PairCounts
from duelbench.errors import InputError


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
