"""CCB: its sets against facts derived by hand and against a literal transcription; standing decisions."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.ccb import CCB, self_duel_probability
from duelbench.algorithms.contract import NEVER, SEVERAL
from duelbench.kernels.confidence_bounds import MANY
from tests.algorithms.comparing import assert_same_duels, assert_same_law
from tests.conformance.literal.ccb import CCB as LiteralCCB
from tests.conformance.players import OneDrawIntegers, one_of_several, pairs_played
from tests.selection import quick

SHIPPED = Path(__file__).parents[2] / "matrices"

MATRICES = {
    "two arms": [[0.5, 0.7], [0.3, 0.5]],
    "condorcet winner": [
        [0.5, 0.6, 0.75, 0.8],
        [0.4, 0.5, 0.7, 0.75],
        [0.25, 0.3, 0.5, 0.52],
        [0.2, 0.25, 0.48, 0.5],
    ],
    "one winner that loses a duel": [
        [0.5, 0.8, 0.8, 0.8, 0.3],
        [0.2, 0.5, 0.7, 0.2, 0.8],
        [0.2, 0.3, 0.5, 0.8, 0.8],
        [0.2, 0.8, 0.2, 0.5, 0.2],
        [0.7, 0.2, 0.2, 0.8, 0.5],
    ],
    "three winners": [[0.5, 0.2, 0.8, 0.8], [0.8, 0.5, 0.2, 0.8], [0.2, 0.8, 0.5, 0.8], [0.2, 0.2, 0.2, 0.5]],
    "a tie at the top": [[0.5, 0.5, 0.9], [0.5, 0.5, 0.9], [0.1, 0.1, 0.5]],
    "all equal": np.full((4, 4), 0.5),
    "deterministic order": np.triu(np.ones((6, 6)), 1) + 0.5 * np.eye(6),
    "deterministic cycle": [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]],
}
SHARED = ("three winners", "deterministic cycle")
"""Matrices with several winners, which soon share rounds out among themselves."""


def state_after(n_arms, wins, standing=True):
    """A fresh state that has been told ``wins[i, j]`` victories of i over j, and has decided nothing yet."""
    state = CCB.start(n_arms, 1, None, standing, **CCB.resolve({}))
    for (i, j), count in wins.items():
        CCB.update(state, i, j, count, 0)
    return state


def arms(row):
    return set(np.flatnonzero(row).tolist())


def decide(state, t, seed=0):
    return tuple(int(x) for x in CCB.select(state, t, np.random.default_rng(seed)))


def frequencies(state, t, draws=4000):
    """Relative frequency of every pair when round ``t`` is decided again and again, and nothing is learnt."""
    rng = np.random.default_rng(20151207)
    counts = np.zeros((state.shortlist.size, state.shortlist.size))
    for _ in range(draws):
        i, j, _ = CCB.select(state, t, rng)
        counts[i, j] += 1
    return counts / draws


def same_law(frequency, law, draws=4000):
    expected = np.zeros_like(frequency)
    for pair, probability in law.items():
        expected[pair] = probability
    return np.all(np.abs(frequency - expected) <= 5 * np.sqrt(expected * (1 - expected) / draws))


def believes_0_beats_3(wins, seed):
    state = state_after(4, wins)
    decide(state, 10, seed)
    return state.superiors[3, 0]


ORDER = {(0, 1): 100, (0, 2): 100, (1, 2): 100}


class TestSets:
    """Of 100 wins to 0 the bound stays below 1/2 until t = exp(100 / 4 / 0.51) = 2e21: they decide permanently."""

    def test_at_first_every_arm_may_win_and_no_arm_duels_itself(self):
        state = state_after(3, {})
        law = dict.fromkeys([(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)], 1 / 6)
        assert same_law(frequencies(state, 1), law)
        assert arms(state.shortlist) == {0, 1, 2}
        assert state.losses[0] == 3

    def test_a_certain_winner_is_shortlisted_alone_and_plays_itself_without_end(self):
        state = state_after(3, ORDER)
        assert decide(state, 10) == (0, 0, NEVER - 10)
        assert arms(state.shortlist) == {0}
        assert state.losses[0] == 0

    def test_every_other_arm_keeps_one_superior_more_than_a_winner_loses_duels(self):
        state = state_after(3, ORDER)
        decide(state, 10)
        assert arms(state.superiors[0]) == set()
        assert arms(state.superiors[1]) == {0}
        assert len(arms(state.superiors[2])) == 1  # 0 or 1

    @pytest.mark.parametrize("standing", [False, True])
    def test_in_a_cycle_all_arms_are_winners_and_play_themselves_in_turn(self, standing):
        state = state_after(3, {(0, 1): 100, (1, 2): 100, (2, 0): 100}, standing)
        first, second, rounds = decide(state, 10)
        assert first == second
        assert not state.superiors.any()
        assert state.losses[0] == 1
        if standing:
            assert (first, rounds) == (SEVERAL, NEVER - 10)
            assert [self_duel_probability(state, arm) for arm in range(3)] == [1 / 3, 1 / 3, 1 / 3]
        else:
            assert rounds == 1  # which of them plays is drawn every round
            assert same_law(frequencies(state, 10), {(0, 0): 1 / 3, (1, 1): 1 / 3, (2, 2): 1 / 3})

    def test_arms_that_are_no_winners_have_no_share(self):
        beaten = dict.fromkeys([(1, 2), (2, 3), (3, 1), (1, 0), (2, 0), (3, 0)], 100)
        state = state_after(4, beaten)
        assert decide(state, 10) == (SEVERAL, SEVERAL, NEVER - 10)
        assert [self_duel_probability(state, arm) for arm in range(4)] == [0.0, 1 / 3, 1 / 3, 1 / 3]

    def test_an_arm_with_too_few_superiors_forgets_them(self):
        order = {(i, j): 100 for i in range(4) for j in range(i + 1, 4)}
        state = state_after(4, order)
        decide(state, 10, seed=next(seed for seed in range(20) if not believes_0_beats_3(order, seed)))
        assert [len(arms(row)) for row in state.superiors] == [0, 1, 1, 1]
        CCB.update(state, 3, 0, 300, 0)  # now 0 and 1 lose one duel each, 2 and 3 lose two
        decide(state, 11)
        assert arms(state.shortlist) == {0, 1}
        assert state.losses[0] == 1
        assert not state.superiors.any()

    def test_superiors_are_trimmed_uniformly(self):
        kept = []
        for seed in range(400):
            state = state_after(3, ORDER)
            decide(state, 10, seed)
            kept.append(next(iter(arms(state.superiors[2]))))
        assert abs(np.mean(kept) - 0.5) < 5 * 0.5 / 20

    def test_a_disproved_belief_resets_all_sets(self):
        state = state_after(3, ORDER)
        decide(state, 10)
        CCB.update(state, 1, 0, 300, 0)  # 0 is in B^1, but 1 beats it
        CCB.update(state, 2, 1, 100, 0)  # 100 to 100: undecided, so that the score of 1 is not certain
        assert decide(state, 11)[:2] == (1, 2)  # 1 may beat both, and only 2 can still refute it
        assert arms(state.shortlist) == {0, 1, 2}
        assert not state.superiors.any()
        assert state.losses[0] == 3

    def test_an_emptied_shortlist_is_refilled_and_sifted_in_the_next_round(self):
        state = state_after(3, ORDER)
        state.shortlist[:] = [False, True, True]
        assert decide(state, 10) == (0, 0, 1)  # does not stand: the sets are not yet at rest
        assert arms(state.shortlist) == {0, 1, 2}
        assert not state.superiors.any()
        assert decide(state, 11) == (0, 0, NEVER - 11)
        assert arms(state.shortlist) == {0}
        assert arms(state.superiors[1]) == {0}

    def test_the_settled_decision_stands_until_a_bound_reaches_one_half(self):
        # 5 to 0 is decided until t = exp(5 / 4 / 0.51) = 11.6.
        state = state_after(3, {(0, 1): 5, (0, 2): 100, (1, 2): 100})
        assert decide(state, 10) == (0, 0, 2)
        assert decide(state, 12)[0] != decide(state, 12)[1]

    def test_several_winners_stand_until_one_of_them_may_win_more(self):
        state = state_after(3, {(0, 1): 5, (1, 2): 100, (2, 0): 100})
        assert decide(state, 10) == (SEVERAL, SEVERAL, 2)  # 5 to 0 is decided until t = 11.6
        assert decide(state, 12) == (1, 0, 1)

    @pytest.mark.parametrize("standing", [False, True])
    def test_several_winners_do_not_stand_while_one_of_them_has_an_opponent(self, standing):
        beaten = dict.fromkeys([(0, 1), (1, 2), (2, 0), (0, 3), (1, 3)], 100)
        state = state_after(4, beaten | {(2, 3): 1, (3, 2): 1}, standing)
        assert same_law(frequencies(state, 10), {(0, 0): 1 / 3, (1, 1): 1 / 3, (2, 3): 1 / 3})

    def test_several_winners_stand_while_a_pair_is_open_unless_it_is_believed_to_be_decided(self):
        circle = {(0, 1): 100, (1, 2): 100, (2, 0): 100}
        beaten = circle | {(i, j): 100 for i in range(3) for j in (3, 4)} | {(3, 4): 5}  # decided until t = 11.6
        believed = set()
        for seed in range(8):
            state = state_after(5, beaten)
            assert decide(state, 10, seed) == (SEVERAL, SEVERAL, 2)
            believes = bool(state.superiors[4, 3])  # two of the four arms that beat it are in B^4
            believed.add(believes)
            if believes:
                law = {(4, 3): 1 / 4, (0, 0): 1 / 4, (1, 1): 1 / 4, (2, 2): 1 / 4}
                assert same_law(frequencies(state, 12), law)
            else:
                assert decide(state, 12) == (SEVERAL, SEVERAL, NEVER - 12)
        assert believed == {False, True}


class TestDraws:
    def test_a_doubtful_belief_is_checked_in_a_quarter_of_the_rounds_and_the_shortlist_is_favoured(self):
        state = state_after(3, {(0, 1): 5, (0, 2): 100, (1, 2): 100})
        decide(state, 10)  # settles: B = {0}, B^1 = {0}
        # From round 12 on, 0 against 1 is open: line 10 plays (1, 0), else C = {0, 1}, of which 0 is in B.
        law = {(1, 0): 1 / 4 + 3 / 4 * 1 / 6, (0, 1): 3 / 4 * 5 / 6}
        assert same_law(frequencies(state, 12), law)

    def test_the_challenger_is_a_believed_superior_in_half_of_the_rounds(self):
        state = state_after(3, {(0, 1): 10, (1, 0): 10})
        state.superiors[0, 1] = True
        state.n_superiors[0] = state.n_open[0] = state.open_pairs[0] = 1
        state.losses[0] = 0
        # Line 10 plays (0, 1). Else c is any arm, and its challenger an arm it never met; for c = 0 that is 2,
        # unless the coin of line 13 restricts the choice to B^0 = {1}.
        law = {(0, 1): 1 / 4 + 1 / 8, (0, 2): 1 / 8, (1, 2): 1 / 4, (2, 0): 1 / 8, (2, 1): 1 / 8}
        assert same_law(frequencies(state, 12), law)


class WatchedOracle(LiteralCCB):
    """The transcription, counting how often line 9 did what it rarely does."""

    resets = 0
    disproved = 0
    trimmed = 0

    def _reset(self):
        self.resets += 1
        super()._reset()

    def _revise_hypotheses(self, u, up, lo, Ct):
        self.disproved += any(u[j, i] < 0.5 for i in range(self.K) for j in self.Bo[i])
        super()._revise_hypotheses(u, up, lo, Ct)

    def _fit(self, j):
        self.trimmed += len(self.Bo[j]) > self.LC + 1
        super()._fit(j)


def play_in_a_changing_world(n_arms, change_every, seed, horizon=600):
    """Play both in a world whose preferences are drawn again now and then, so that beliefs are disproved."""
    world = np.random.default_rng(seed)
    ours, theirs = (np.random.default_rng([seed, 1]) for _ in range(2))
    oracle = WatchedOracle(n_arms, horizon, OneDrawIntegers(theirs))
    state = CCB.start(n_arms, horizon, ours, True, **CCB.resolve({}))
    stands_until = 1
    for t in range(1, horizon + 1):
        if t % change_every == 1:
            upper = np.triu(world.choice([0.0, 0.1, 0.9, 1.0], size=(n_arms, n_arms)), 1)
            P = upper + np.tril(1 - upper.T, -1)
        expected = oracle.choose(t)
        if t == stands_until:
            decided, second, rounds = CCB.select(state, t, ours)
            stands_until = t + rounds
        first = decided
        if decided == SEVERAL:
            first = second = one_of_several(CCB, state, n_arms, ours.random())
        assert (first, second) == expected, f"round {t}"
        won = bool(world.random() < P[first, second]) if first != second else None
        oracle.observe(t, first, second, won)
        if won is not None:
            CCB.update(state, first, second, int(won), int(not won))
    assert arms(state.shortlist) == oracle.B
    assert [arms(row) for row in state.superiors] == oracle.Bo
    assert state.losses[0] == oracle.LC
    return oracle


def test_equals_the_literal_transcription_through_resets_of_both_kinds_and_trimming():
    # Beliefs that empty the shortlist are rare: seeds 132 and 164 are runs in which it happens.
    runs = [
        (4, 60, 132),
        (5, 120, 164),
        *((n_arms, 100, seed) for n_arms, seed in product((3, 4), range(15))),
    ]
    oracles = [play_in_a_changing_world(*run) for run in runs]
    assert sum(oracle.disproved for oracle in oracles) > 10
    assert sum(oracle.trimmed for oracle in oracles) > 10
    emptied = [oracle.resets - 1 - oracle.disproved for oracle in oracles]
    assert emptied[:2] == [1, 1]


@pytest.mark.parametrize("feedback_delay", [1, 7])
@pytest.mark.parametrize("matrix", [matrix for matrix in MATRICES if matrix not in SHARED])
def test_standing_decisions_change_nothing(matrix, feedback_delay):
    for run, horizon in [*((run, 2000) for run in range(6)), (6, 20_000)]:
        options = {"horizon": horizon, "run": run, "shuffle_arms": True, "feedback_delay": feedback_delay}
        standing = duelbench.simulate("ccb", MATRICES[matrix], **options)
        plain = duelbench.simulate("ccb", MATRICES[matrix], standing_decisions=False, **options)
        assert standing.regret.tobytes() == plain.regret.tobytes()
        assert np.array_equal(standing.duels, plain.duels)
        assert np.array_equal(standing.recommended, plain.recommended)


@pytest.mark.parametrize("matrix", MATRICES)
def test_standing_decisions_change_nothing_if_rounds_are_shared_out_one_by_one(matrix):
    for seed in range(3):
        on, off = (
            pairs_played(CCB, np.array(MATRICES[matrix]), 3000, *numbers(seed), standing=standing)
            for standing in (True, False)
        )
        assert on == off


def numbers(seed):
    return np.random.default_rng(seed), np.random.default_rng([seed, 1])


LAWS = {
    "three winners": (MATRICES["three winners"], 1, {100: 1000, 1000: 1000, 10_000: 600}),
    "three winners, delayed": (MATRICES["three winners"], 7, {100: 1000, 1000: 1000, 10_000: 600}),
    "deterministic cycle": (MATRICES["deterministic cycle"], 1, {100: 1000, 1000: 1000, 10_000: 600}),
    "noncondorcet-cyclic": (SHIPPED / "noncondorcet-cyclic.csv", 1, {30_000: 200, 100_000: 200}),
    "mslr5-noncondorcet": (SHIPPED / "mslr5-noncondorcet.csv", 1, {10**6: 60}),
}
"""Matrix, delay of feedback, and how many runs to which horizon."""


def looks(P, horizon, runs, **options):
    """Of each run: its regret, how many self-duels there were of each arm, of all, and how unevenly shared."""
    rows = []
    for run in range(runs):
        trace = duelbench.simulate("ccb", P, horizon=horizon, run=run, checkpoints=1, shuffle_arms=True, **options)
        selves = np.diag(trace.duels)
        uneven = np.square(selves - selves.sum() / 3).sum() / max(1, selves.sum())
        rows.append([trace.regret[0, -1], *selves, selves.sum(), uneven])
    return np.array(rows)


@pytest.mark.parametrize("setting", quick(LAWS, "deterministic cycle"))
def test_standing_decisions_of_several_winners_change_no_distribution(setting):
    matrix, delay, runs_to = LAWS[setting]
    P = duelbench.PreferenceMatrix.load(matrix) if isinstance(matrix, Path) else matrix
    for horizon, runs in runs_to.items():
        on = looks(P, horizon, runs, seed=1, feedback_delay=delay)
        off = looks(P, horizon, runs, seed=2, feedback_delay=delay, standing_decisions=False)
        assert_same_law(on, off)


def test_several_winners_share_settled_rounds_like_independent_draws():
    # 10^6 rounds less 40 or so, in which others duel.
    rows = []
    for run in range(300):
        trace = duelbench.simulate("ccb", MATRICES["deterministic cycle"], horizon=10**6, run=run)
        rows.append(np.diag(trace.duels))
    assert trace.decisions < 200
    table = np.array(rows)
    assert stats.chisquare(table.sum(axis=0)).pvalue > 1e-5
    expected = table.sum(axis=1, keepdims=True) / 3
    dispersion = (np.square(table - expected) / expected).sum()
    assert 1e-5 < stats.chi2(2 * len(table)).cdf(dispersion) < 1 - 1e-5


def test_shared_out_rounds_are_those_recorded():
    # The golden traces end before rounds are shared out. Whoever changes this has to raise the trace_version.
    trace = duelbench.simulate("ccb", MATRICES["deterministic cycle"], horizon=10**6, seed=7)
    assert CCB.trace_version == 2
    assert trace.duels.tolist() == [[332908, 1, 28], [28, 333632, 1], [1, 28, 333373]]
    assert trace.decisions == 110


def test_checkpoints_change_no_decision():
    few = duelbench.simulate("ccb", MATRICES["three winners"], horizon=10**5, checkpoints=2)
    many = duelbench.simulate("ccb", MATRICES["three winners"], horizon=10**5, checkpoints=300)
    off_diagonal = ~np.eye(4, dtype=bool)
    assert few.decisions == many.decisions
    assert np.array_equal(few.duels[off_diagonal], many.duels[off_diagonal])


@pytest.mark.parametrize("delay", [1, 20])
def test_settles_where_winners_tie(delay):
    trace = duelbench.simulate("ccb", MATRICES["three winners"], horizon=10**7, feedback_delay=delay)
    assert trace.duels.sum() == 10**7
    assert np.all(np.diag(trace.duels)[:3] > 0.3 * 10**7)
    assert trace.decisions < 20_000


def test_a_settled_run_takes_few_decisions():
    trace = duelbench.simulate("ccb", MATRICES["condorcet winner"], horizon=10**9, seed=1)
    assert trace.decisions < 20_000
    assert trace.duels[0, 0] > 0.9999 * 10**9


@pytest.mark.parametrize("horizon", [1, 2, 3])
@pytest.mark.parametrize("matrix", MATRICES)
def test_plays_horizons_shorter_than_anything(matrix, horizon):
    trace = duelbench.simulate("ccb", MATRICES[matrix], horizon=horizon, feedback_delay=5)
    assert trace.duels.sum() == horizon


def test_five_hundred_arms_need_nine_megabytes():
    state = CCB.start(500, 1, None, True, **CCB.resolve({}))
    own = [member for member in state if isinstance(member, np.ndarray)]
    shared = [member for member in state.bounds if isinstance(member, np.ndarray)]
    assert sum(array.nbytes for array in own + shared) < 9_000_000


def test_many_arms_duel_as_in_the_literal_transcription():
    n_arms = MANY + 3
    steep = np.triu(np.full((n_arms, n_arms), 0.97), 1) + np.tril(np.full((n_arms, n_arms), 0.03), -1)
    assert_same_duels(CCB, LiteralCCB, steep + 0.5 * np.eye(n_arms), 3, 4000)
