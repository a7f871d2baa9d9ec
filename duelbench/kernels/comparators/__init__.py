"""Tests of one pair of arms, that end with the arm that wins more often: one small file each.

All have one form, for n duels of which the first arm has won ``wins``::

    winner(<parameters>, n, wins)        FIRST, SECOND, MIDDLE or OPEN of `running_test`
    rounds_left(<parameters>, n, wins)   the fewest further duels after which it may end, while it is open

The counts begin with the test, and may be of more duels than were asked for.
"""
