"""Beat the Winner and Beat the Winner Reset: races counted by hand, late outcomes."""

import numpy as np

from duelbench.bandits.algorithms.changing import btw

CONDORCET = [[0.5, 0.6, 0.75, 0.8], [0.4, 0.5, 0.7, 0.75], [0.25, 0.3, 0.5, 0.52], [0.2, 0.25, 0.48, 0.5]]
RNG = np.random.default_rng(0)


def order(arms, resets, p_min=0.0):
    return btw._start(np.array(arms), p_min=p_min, resets=resets)


def test_late_outcomes_decide_a_race_by_more_wins_and_the_incumbent_keeps_its_place_at_equality():
    for wins, incumbent in (((5, 7), 1), ((7, 5), 0), ((6, 6), 0)):
        state = order([0, 1, 2], resets=False)
        btw.update(state, 0, 1, *wins)
        assert btw.recommend(state) == incumbent
        assert btw.select(state, 13, RNG) == (incumbent, 2, 2)
