"""NTS: when its tests end."""

import math

import pytest

from duelbench.bandits.algorithms.identification.nts import lead_needed


def test_walds_lead_is_the_first_that_makes_the_likelihood_ratio_large_enough():
    assert lead_needed(0.1, 0.0125) == 11  # ln 79 / ln 1.5 = 10.7764
    for h, error in [(0.02, 0.1), (0.1, 0.0125), (0.4, 0.3), (0.499999, 0.01)]:
        lead, odds = lead_needed(h, error), (0.5 + h) / (0.5 - h)
        assert 1 / (1 + odds**lead) < error
        assert lead == 1 or 1 / (1 + odds ** (lead - 1)) >= error
    # No run reaches this one, 30 ln 10 / (4e-7): ln((1/2 + h) / (1/2 - h)) is 4h for small h.
    assert lead_needed(1e-7, 1e-30) == pytest.approx(30 * math.log(10) / 4e-7, rel=1e-6)
