"""The test of position bias: its level while one looks after every duel, and its interval."""

import numpy as np
import pytest

from duelbench.bandits.statistics.tails import clopper_pearson
from duelbench.errors import InputError
from duelbench.judging.position import position_bias
from tests.statistical.studies import study

first_seen = study("certainty_error").first_seen


@pytest.mark.thorough
def test_an_order_that_plays_no_part_is_blamed_in_at_most_5_percent_of_all_runs_ever():
    """Looked at after each of 1000 duels; the lower end of the 99.8% interval of the share."""
    random = np.random.default_rng(5)
    seen = sum(first_seen(random.random(1000) < 0.5) > 0 for _ in range(150))
    low, _ = clopper_pearson(np.array([seen]), 150, 0.998)
    assert seen > 0 and low[0] <= 0.05


@pytest.mark.parametrize(("first_won", "n"), [(0, 0), (1, 1), (40, 100), (70, 100), (0, 12), (500, 1000)])
def test_the_interval_is_without_a_half_exactly_where_a_bias_is_seen(first_won, n):
    bias = position_bias(first_won, n)
    assert bias.is_seen == (not bias.low <= 0.5 <= bias.high)
    assert bias.low <= bias.share <= bias.high
    other = position_bias(n - first_won, n)
    assert ("favours" in bias.sentence) == bias.is_seen
    assert other.p_value == pytest.approx(bias.p_value) and other.low == pytest.approx(1 - bias.high)


def test_impossible_counts_are_refused():
    for first_won, n in ((-1, 5), (6, 5), (1.5, 3), ("1", 3)):
        with pytest.raises(InputError, match=r"6 of 5|whole number"):
            position_bias(first_won, n)
