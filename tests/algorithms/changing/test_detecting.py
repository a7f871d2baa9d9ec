"""Windows, DETECT and MDB: settings and schedules counted by hand, sums of windows by brute force, alarms."""

import numpy as np
import pytest

import duelbench
from duelbench.algorithms.changing import bases, detect, mdb
from duelbench.algorithms.changing.detect import DETECT
from duelbench.algorithms.changing.mdb import MDB
from duelbench.algorithms.changing.windows import clear, enter, expect, new_windows, take
from duelbench.errors import InputError
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.worlds.world import At, World
from tests.algorithms.comparing import assert_standing_decisions_change_no_law

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
    assert tell(new_windows(1, 4, 0.5), 0, 1, 1, 1, 1, 1, 0) == [False] * 5 + [True]


def test_halves_are_summed_like_the_list_of_all_outcomes():
    rng = np.random.default_rng(1)
    windows = new_windows(3, 10, 100.0)
    told = {number: [] for number in range(3)}
    for _ in range(400):
        number, outcome = int(rng.integers(3)), int(rng.random() < 0.4)
        tell(windows, number, outcome)
        told[number].append(outcome)
        latest = ([0] * 10 + told[number])[-10:]
        assert (windows.older[number], windows.newer[number]) == (sum(latest[:5]), sum(latest[5:]))
    clear(windows)
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


def test_settings_of_detect():
    settings = [detect._setting(5, T, 0.5, 0.55, "short") for T in (10**3, 10**4, 10**5)]
    assert [one[:2] for one in settings] == [(31, 98), (100, 172), (316, 248)]
    assert [one.b for one in settings] == pytest.approx([12.1384, 21.4566, 30.9675], abs=1e-4)
    assert detect._setting(5, 10**5, 0.5, 0.6, "long").base_rounds == 97161


def test_settings_of_mdb():
    settings = [mdb._setting(5, T, 4, 0.5) for T in (10**4, 10**5, 10**6)]
    assert [one.window for one in settings] == [414, 524, 634]
    assert [one.b for one in settings] == pytest.approx([51.6735, 65.4562, 79.2390], abs=1e-4)
    assert [one.block for one in settings] == [12, 34, 99]
    # Without the limit gamma would be above 1, and a block shorter than all pairs.
    assert mdb._setting(5, 1000, 4, 0.5).block == 10


def schedule(algorithm, P, horizon, n_arms=4, seed=1, **parameters):
    """Pairs round by round, where all outcomes are certain, and the state."""
    rng = np.random.default_rng(seed)
    state = algorithm.start(n_arms, horizon, rng, False, **algorithm.resolve(parameters))
    pairs = []
    for t in range(1, horizon + 1):
        first, second, _ = algorithm.select(state, t, rng)
        pairs.append((int(first), int(second)))
        if first != second:
            algorithm.update(state, first, second, int(P[first, second]), 1 - int(P[first, second]))
    return pairs, state


def test_detect_lets_the_winner_meet_the_others_in_turn_after_the_rounds_of_the_base():
    pairs, state = schedule(DETECT, ORDER[::-1, ::-1], 900)
    assert state.base_rounds == 30
    assert all(first != second for first, second in pairs)
    assert pairs[30:] == [(3, 0), (3, 1), (3, 2)] * 290
    assert state.began[0] == 1 and state.windows.seen.tolist() == [290, 290, 289, 0]


@pytest.mark.parametrize("base", list(bases.KINDS))
def test_detect_starts_again_when_the_world_has_changed(base):
    before, after = PreferenceMatrix(ORDER), PreferenceMatrix(ORDER[::-1, ::-1].copy())
    world = World((before, after), At((1, 2000)))
    for run in range(3):
        trace = duelbench.simulate("detect", world, horizon=4000, run=run, base=base, delta=0.5, checkpoints=[1900])
        assert trace.recommended.tolist() == [0, 3]


def test_mdb_watches_every_pair_once_at_the_beginning_of_each_block():
    pairs, state = schedule(MDB, ORDER, 20_000, base="ws-s", delta=1.0)
    block = state.block
    assert block > 6
    watched = [pairs[begin : begin + 6] for begin in range(0, 20_000 - block, block)]
    assert set(watched[0]) == {(i, j) for i in range(4) for j in range(i + 1, 4)}
    assert all(one == watched[0] for one in watched)
    assert state.began[0] == 1


@pytest.mark.parametrize("transfer", [True, False])
def test_the_clock_of_rucb_counts_what_it_was_told(transfer):
    # Rounds 20_001 and before: every round counts where the base learns from the windows, else its own alone.
    pairs, state = schedule(MDB, ORDER, 20_000, delta=1.0, transfer=transfer)
    blocks, rest = divmod(20_000 - 1, state.block)
    in_windows = 6 * blocks + min(rest + 1, 6)
    before = in_windows - (1 if rest < 6 else 0)
    own = 20_000 - 1 - before
    assert state.told[0] == (in_windows if transfer else 0)
    if rest >= 6:
        assert state.base.rucb.bounds.now[0] == own + 1 + (before if transfer else 0)
    duels = sum(first != second for first, second in pairs)
    learnt = int(state.base.rucb.bounds.wins.sum())
    assert learnt == duels - (0 if transfer else in_windows)


def test_an_alarm_sets_the_clock_of_the_base_back():
    rng = np.random.default_rng(1)
    state = MDB.start(4, 2000, rng, False, **MDB.resolve({"delta": 1.0}))
    state.told[0] = 50
    state.windows.seen[0] = state.windows.older[0] = state.windows.outcomes.shape[1] // 2 * 2
    expect(state.windows, 0)
    MDB.update(state, *state.pairs[0].tolist(), 0, 1)
    assert MDB.select(state, 100, rng)[:2] == tuple(state.pairs[0].tolist())
    assert (state.told[0], state.began[0], state.windows.seen.sum()) == (0, 100, 0)


@pytest.mark.parametrize("base", ["rucb", "ws-s"])
def test_mdb_starts_again_when_the_world_has_changed(base):
    before, after = PreferenceMatrix(ORDER), PreferenceMatrix(ORDER[::-1, ::-1].copy())
    world = World((before, after), At((1, 10_000)))
    for run in range(3):
        trace = duelbench.simulate("mdb", world, horizon=20_000, run=run, base=base, checkpoints=[9000])
        assert trace.recommended.tolist() == [0, 3]


@pytest.mark.parametrize("base", list(bases.KINDS))
def test_a_base_that_starts_again_is_as_it_was_before_its_first_round(base):
    rng = np.random.default_rng(2)
    used = bases.new_base(base, 4, rng, 0.51, 1.1)
    for t in range(1, 300):
        first, second, _ = bases.select(used, t, rng)
        if first != second:
            won = int(rng.random() < CONDORCET[first][second])
            bases.update(used, first, second, won, 1 - won)
    bases.restart(used, np.random.default_rng(9))
    new = bases.new_base(base, 4, np.random.default_rng(9), 0.51, 1.1)
    if base == "btw":  # the orders are drawn in two ways
        new.btw.others[:] = used.btw.others
        new.btw.race[0].incumbent = used.btw.race[0].incumbent
    played = {0: [], 1: []}
    for k, one in enumerate((used, new)):
        duels = np.random.default_rng(3)
        own = np.random.default_rng(4)
        for t in range(1, 500):
            first, second, rounds = bases.select(one, t, own)
            played[k].append((first, second, rounds))
            if first != second:
                won = int(duels.random() < CONDORCET[first][second])
                bases.update(one, first, second, won, 1 - won)
    assert played[0] == played[1]


@pytest.mark.parametrize(("id", "base"), [("detect", "btw"), ("detect", "rucb"), ("mdb", "rucb"), ("mdb", "ws-s")])
def test_standing_decisions_change_no_distribution(id, base):
    assert_standing_decisions_change_no_law(id, CONDORCET, 250, base=base, delta=0.8)


@pytest.mark.parametrize("id", ["detect", "mdb"])
def test_windows_that_do_not_fit_into_memory_are_refused(id):
    with pytest.raises(InputError, match=r"take more than a gigabyte; raise delta"):
        duelbench.simulate(id, CONDORCET, horizon=10**6, delta=1e-5)
