"""Tests of one pair of arms, that end with the arm that wins more often: one small file each.

All have one form, for n duels of which the first arm has won ``wins``::

    verdict(<parameters>, n, wins)       0 open, 1 the first arm, -1 the second; see `verdicts`
    rounds_left(<parameters>, n, wins)   the fewest further duels after which a verdict may fall, while it is open

The counts begin with the test, and may be of more duels than were asked for.
"""
