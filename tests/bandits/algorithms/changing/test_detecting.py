"""Windows, DETECT and MDB: schedules counted by hand, sums of windows by brute force, alarms."""

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.changing import detect, mdb
from duelbench.bandits.algorithms.changing.windows import enter, expect, new_windows, take
from duelbench.errors import InputError

ORDER = np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4)
CONDORCET = [[0.5, 0.6, 0.75, 0.8], [0.4, 0.5, 0.7, 0.75], [0.25, 0.3, 0.5, 0.52], [0.2, 0.25, 0.48, 0.5]]


def tell(windows, number, *outcomes):
    """Enter outcomes one by one: in which of them a change was noticed."""
    noticed = []
    for outcome in outcomes:
        expect(windows, number)
        take(windows, number, outcome, 1)
        noticed.append(bool(enter(windows)))
    return noticed


def test_a_change_is_noticed_when_the_window_is_full_and_the_halves_differ_by_more_than_b():
    assert tell(new_windows(1, 4, 1.99), 0, 0, 0, 1, 1) == [False, False, False, True]
    assert tell(new_windows(1, 4, 2.0), 0, 0, 0, 1, 1) == [False] * 4
    # The halves of three outcomes would differ as much.
    windows = new_windows(1, 4, 0.5)
    assert tell(windows, 0, 1, 1, 1, 1, 1, 0) == [False] * 5 + [True]
    assert not windows.outcomes.any() and not windows.seen.any() and not windows.newer.any()
    assert tell(windows, 0, 1, 1) == [False, False] and windows.newer[0] == 2


def test_late_outcomes_enter_evenly_interleaved():
    windows = new_windows(1, 6, 100.0)
    for _ in range(6):
        expect(windows, 0)
    take(windows, 0, 2, 6)
    enter(windows)
    assert windows.outcomes.tolist() == [[0, 0, 1, 0, 0, 1]]


def test_outcomes_that_come_together_are_shared_out_between_window_and_base():
    windows = new_windows(1, 6, 100.0)
    assert take(windows, 0, 3, 5) == (0, 0)
    expect(windows, 0)
    expect(windows, 0)
    assert take(windows, 0, 4, 8) == (1, 2)
    assert windows.due[0] == 0
    expect(windows, 0)
    assert take(windows, 0, 1, 2) == (1, 1)


def test_settings_of_long_runs():
    settings = [detect.settings(5, T, 0.5, 0.55, "short") for T in (10**4, 10**5)]
    assert [one[:2] for one in settings] == [(100, 172), (316, 248)]
    assert [one[2] for one in settings] == pytest.approx([21.4566, 30.9675], abs=1e-4)
    assert detect.settings(5, 10**5, 0.5, 0.6, "long")[1] == 762  # even, from (16 ln T + 6) / delta^2 = 760.8 on
    # Without the limit gamma of MDB would be above 1, and a block shorter than all pairs.
    assert mdb.settings(5, 1000, 4, 0.5)[2] == 10


@pytest.mark.parametrize("id", ["detect", "mdb"])
def test_windows_that_do_not_fit_into_memory_are_refused(id):
    with pytest.raises(InputError, match=r"take more than a gigabyte; raise delta"):
        duelbench.simulate(id, CONDORCET, horizon=10**6, delta=1e-5)
