"""RankEl: rankings and lists derived by hand, and facts about certain outcomes."""

import math

import pytest

import duelbench
from duelbench.bandits.algorithms.exploration.rankel import RANKEL_COPELAND
from tests.conformance.literal.by_hand import make
from tests.conformance.literal.rankel import RankElCopeland


def simulate(P, **options):
    return duelbench.simulate(RANKEL_COPELAND, P, **options)


def radius(n, n_arms, horizon):
    return math.sqrt(math.log(5 * n_arms**2 * n**4 * horizon / 4) / (2 * n))


class TestTheOrder:
    @pytest.mark.parametrize(("first", "sweep"), [(0, [(3, 4)]), (2, [(0, 2), (3, 4)])])
    def test_an_unsettled_pair_of_arms_in_their_places_is_not_sampled(self, first, sweep):
        """Arms 0, 1, 2 have three wins each, over 3, 4 and one another in a circle, of which (0, 2) is not sure.

        So 0 has at least three wins, and 1 and 2 have no more: with 0 first, only (3, 4) may be misplaced. Arm 2
        has no more than two sure wins.
        """
        wins = {(i, j): 999 for i in range(3) for j in (3, 4)} | {(0, 1): 999, (1, 2): 999, (2, 0): 1}
        draws = [("integers", 3, first), ("integers", 2, 0), ("integers", 2, 0)]
        oracle = make(RankElCopeland, 5, *draws, wins=wins)
        assert [oracle.choose(1) for _ in sweep] == sweep
        assert oracle.rng.answers == []


@pytest.mark.parametrize("horizon", [10**4, 10**9])
def test_two_arms_of_which_one_always_wins_duel_until_the_interval_is_above_one_half(horizon):
    n = next(n for n in range(1, 10**4) if radius(n, 2, horizon) <= 0.5)
    trace = simulate([[0.5, 1.0], [0.0, 0.5]], horizon=horizon, shuffle_arms=True)
    assert trace.duels[0, 0] == horizon - n
