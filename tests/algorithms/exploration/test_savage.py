"""SAVAGE: the paper's worked examples, facts derived by hand, published sample counts and curves, growth of regret."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NEVER
from duelbench.algorithms.dispatch import register
from duelbench.algorithms.exploration.parameter_sets import add_samples, new_exploration
from duelbench.algorithms.exploration.savage import explored_parameters, log_term
from duelbench.algorithms.exploration.savage_winners import SAVAGE_BORDA, SAVAGE_CONDORCET, SAVAGE_COPELAND
from duelbench.simulation import game
from duelbench.simulation.run_log import new_log
from duelbench.simulation.streams import Streams
from tests.conformance.literal import play, savage
from tests.conformance.players import OneDrawIntegers, pairs_played
from tests.optional_data import ROOT, optional

CERTAIN_ORDER = np.triu(np.ones((3, 3)), 1) + 0.5 * np.eye(3)
CERTAIN_CYCLE = np.array([[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]])


def matrix(name):
    return duelbench.PreferenceMatrix.load(ROOT / "matrices" / f"{name}.csv")


def begin(algorithm, n_arms, seed=0, horizon=10**6, **parameters):
    rng = np.random.default_rng(seed)
    return algorithm.start(n_arms, horizon, rng, True, **algorithm.resolve(parameters)), rng


def after(algorithm, table, **parameters):
    """The state when the outcomes of ``table`` are known, 1 or 0 for the row's arm, and the next decision."""
    state, rng = begin(algorithm, len(table), **parameters)
    for i, row in enumerate(table):
        for j, known in enumerate(row):
            if i < j and known in "01":
                assert table[j][i] == "10"[int(known)]
                algorithm.update(state, i, j, 10**5 * int(known), 10**5 * (1 - int(known)))
    return state, tuple(int(x) for x in algorithm.select(state, 1, rng))


def undecided_and_active(state):
    return [tuple(state.arms[e].tolist()) for e in np.flatnonzero(~state.explored.gone)]


def explorations(algorithm, P, runs, horizon=10**6, **parameters):
    """Rounds until exploration ended, and the arms decided on."""
    lengths, arms = [], []
    for run in range(runs):
        trace = duelbench.simulate(
            algorithm, P, horizon=horizon, seed=21, run=run, shuffle_arms=True, checkpoints=1, **parameters
        )
        lengths.append(horizon - int(np.trace(trace.duels)))
        arms.append(int(trace.recommended[-1]))
    return np.array(lengths), arms


class TestWorkedExamples:
    B3 = (".1110", "0.110", "00.??", "00?.1", "11?0.")
    B4 = (".???1", "?.0??", "?1.0?", "??1.0", "0??1.")

    def test_b3_bounds_on_the_scores(self):
        state, _ = after(SAVAGE_COPELAND, self.B3)
        assert state.decision.scores.sure.tolist() == [3, 2, 0, 1, 2]
        assert state.decision.scores.possible.tolist() == [3, 2, 2, 2, 3]

    def test_b3_one_undecided_pair_is_dominated_and_the_other_is_not(self):
        state, decision = after(SAVAGE_COPELAND, self.B3, accept="empty")
        assert undecided_and_active(state) == [(2, 4)]
        assert explored_parameters(state) == 1
        assert decision == (2, 4, 1)

    def test_b3_the_winner_is_certain_although_a_pair_is_left(self):
        state, decision = after(SAVAGE_COPELAND, self.B3, accept="singleton")
        assert undecided_and_active(state) == [(2, 4)]
        assert decision == (0, 0, NEVER)

    def test_b4_only_one_arm_may_win_although_six_pairs_are_undecided(self):
        state, decision = after(SAVAGE_CONDORCET, self.B4)
        assert state.decision.scores.sure.tolist() == [1, 0, 1, 1, 1]
        assert state.decision.scores.possible.tolist() == [4, 3, 3, 3, 3]
        assert explored_parameters(state) == 0
        assert decision == (0, 0, NEVER)

    def test_b4_is_far_from_decided_for_copeland(self):
        state, _ = after(SAVAGE_COPELAND, self.B4)
        assert explored_parameters(state) == 6


class TestExploration:
    def test_the_radius_is_that_of_delta_1_over_t_unless_given(self):
        assert log_term(10, 10**4, None) == pytest.approx(math.log(2 * 10 * 10**8))
        assert log_term(10, 10**4, 0.05) == pytest.approx(math.log(2 * 10 * 10**4 / 0.05))

    def test_nested_intervals_never_widen_and_others_do(self):
        nested, plain = (new_exploration(1, 0.5, nested=nested) for nested in (True, False))
        for explored in (nested, plain):
            add_samples(explored, 0, 100, 0)  # c(100) = 1/20
            add_samples(explored, 0, 40, 60)  # mean 0.7, c(200) = 1/20 / sqrt 2
        assert nested.low[0] == nested.high[0] == 0.95
        assert plain.low[0] == pytest.approx(0.7 - 0.05 / math.sqrt(2))
        assert plain.high[0] == pytest.approx(0.7 + 0.05 / math.sqrt(2))

    @pytest.mark.parametrize("algorithm", [SAVAGE_COPELAND, SAVAGE_CONDORCET], ids=lambda a: a.id)
    def test_nesting_matters_to_pairs_only_where_tests_are_put_off(self, algorithm):
        # A pair that is decided is dropped at once, so that no later sample can widen its interval.
        P = matrix("cyclic").P

        def play(seed, **parameters):
            rngs = np.random.default_rng(seed), np.random.default_rng([seed, 1])
            return pairs_played(algorithm, P, 4000, *rngs, delta=0.9, **parameters)

        seeds = range(20)
        assert all(play(seed) == play(seed, nested=False) for seed in seeds)
        late = {"test_every": 40}
        assert any(play(seed, **late) != play(seed, nested=False, **late) for seed in seeds)

    def test_every_step_is_tested_by_default_and_every_other_sweep_if_asked(self):
        certain = np.array([[0.5, 1.0], [0.0, 0.5]])
        n = math.floor(2 * math.log(2 * 10**12)) + 1
        for test_every, expected in ((0, n), (1, n), (7, 7 * math.ceil(n / 7)), (10**5, 10**5)):
            lengths, arms = explorations(SAVAGE_COPELAND, certain, 3, test_every=test_every)
            assert set(lengths) == {expected} and set(arms) == {0}

    def test_late_reports_do_not_hold_up_a_sweep(self):
        state, rng = begin(SAVAGE_COPELAND, 3)
        asked = [tuple(int(x) for x in SAVAGE_COPELAND.select(state, t, rng)) for t in range(1, 7)]
        assert asked == 2 * [(0, 1, 1), (0, 2, 1), (1, 2, 1)]


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize(
    ("algorithm", "literal"),
    [
        (SAVAGE_COPELAND, savage.CopelandSAVAGE),
        (SAVAGE_CONDORCET, savage.CondorcetSAVAGE),
        (SAVAGE_BORDA, savage.BordaSAVAGE),
    ],
    ids=["copeland", "condorcet", "borda"],
)
def test_plays_like_the_literal_transcription_also_where_intervals_fail(algorithm, literal, nested):
    # With the radius of horizon 1 many an interval misses its parameter, comes out empty or contradicts another.
    class Oracle(literal):
        def narrow(self, i):
            if nested:
                super().narrow(i)
            else:
                self.a[i] = self.mean(i) - self.radius(self.plays[i])
                self.b[i] = self.mean(i) + self.radius(self.plays[i])

    random = np.random.default_rng(31)
    committed = 0
    for seed in range(24):
        n_arms = int(random.integers(2, 7))
        P = np.triu(random.choice([0.1, 0.3, 0.45, 0.5, 0.55, 0.7, 0.9], (n_arms, n_arms)), 1)
        P = P + np.tril(1 - P.T, -1)
        P[np.diag_indices(n_arms)] = 0.5
        parameters = {"delta": 0.99, "test_every": (0, 1, 4, 13)[seed % 4]}
        if algorithm is SAVAGE_COPELAND:
            parameters["accept"] = ("singleton", "empty")[seed // 4 % 2]
        oracle = Oracle(n_arms, 1, OneDrawIntegers(np.random.default_rng(seed)), **parameters)
        expected = play(oracle, P, 300, np.random.default_rng([seed, 1]))
        state, rng = begin(algorithm, n_arms, seed, horizon=1, nested=nested, **parameters)
        duel_rng = np.random.default_rng([seed, 1])
        for t, pair in enumerate(expected, start=1):
            first, second, rounds = algorithm.select(state, t, rng)
            assert (first, second) == pair, f"seed {seed}, round {t}"
            if rounds == NEVER:
                assert set(expected[t - 1 :]) == {pair}
                committed += 1
                break
            won = int(duel_rng.random() < P[first, second])
            algorithm.update(state, first, second, won, 1 - won)
    assert committed >= 6


class TestCertainOutcomes:
    """c(n) < 1/2 exactly when n > 2 ln(2NT / delta): every pair is decided by that many samples."""

    @pytest.mark.parametrize("accept", ["singleton", "empty"])
    @pytest.mark.parametrize("horizon", [10**4, 10**9])
    def test_copeland_ends_in_the_sweep_that_decides(self, horizon, accept):
        # The pairs 01 and 02 of the last sweep make arm 0 the winner of both; 12 is dominated by then.
        n = math.floor(2 * math.log(2 * 3 * horizon**2)) + 1
        trace = duelbench.simulate(SAVAGE_COPELAND, CERTAIN_ORDER, horizon=horizon, accept=accept)
        assert trace.duels.tolist() == [[horizon - 3 * n + 1, n, n], [0, 0, n - 1], [0, 0, 0]]

    def test_condorcet_drops_an_arm_with_all_its_pairs_at_its_first_defeat(self):
        # Reversed, so that 12 is the pair that is missing: 01 rules out 0, thus 02; 12 rules out 1.
        horizon = 10**6
        n = math.floor(2 * math.log(2 * 3 * horizon**2)) + 1
        trace = duelbench.simulate(SAVAGE_CONDORCET, CERTAIN_ORDER.T, horizon=horizon)
        assert trace.duels.tolist() == [[0, n, n - 1], [0, 0, n], [0, 0, horizon - 3 * n + 1]]

    def test_a_cycle_is_decided_at_random(self):
        n = math.floor(2 * math.log(2 * 3 * 10**8)) + 1
        arms = []
        for run in range(300):
            trace = duelbench.simulate(SAVAGE_COPELAND, CERTAIN_CYCLE, horizon=10**4, run=run, accept="empty")
            assert [trace.duels[0, 1], trace.duels[0, 2], trace.duels[1, 2]] == [n, n, n]
            arms.append(trace.recommended[-1])
        assert stats.chisquare(np.bincount(arms, minlength=3)).pvalue > 1e-4

    def test_in_a_cycle_two_results_make_one_winner_certain(self):
        # 0 beats 1 and 2 beats 0: no arm can win more than one duel, but for 2, which has won one.
        n = math.floor(2 * math.log(2 * 3 * 10**8)) + 1
        trace = duelbench.simulate(SAVAGE_COPELAND, CERTAIN_CYCLE, horizon=10**4)
        assert trace.duels.tolist() == [[0, n, n], [0, 0, n - 1], [0, 0, 10**4 - 3 * n + 1]]

    def test_borda_ends_when_the_intervals_are_apart(self):
        # Two arms, means 1 and 0: apart when 2 c(n) <= 1, arm 0 being one sample ahead of arm 1: c(n) + c(n - 1) <= 1.
        horizon = 10**6
        term = math.log(2 * 2 * horizon**2)

        def c(n):
            return math.sqrt(term / (2 * n))

        first = next(n for n in range(2, 10**3) if c(n) + c(n - 1) <= 1)
        second = next(n for n in range(2, 10**3) if 2 * c(n) <= 1)
        trace = duelbench.simulate(SAVAGE_BORDA, np.array([[0.5, 1.0], [0.0, 0.5]]), horizon=horizon)
        assert trace.duels[0, 0] == horizon - min(2 * first - 1, 2 * second)


class TestDecisions:
    @pytest.mark.parametrize(
        ("algorithm", "parameters", "published"),
        [
            (
                SAVAGE_COPELAND,
                {"accept": "empty"},
                {"multisol": (1711, 21), "cyclic": (4681, 145), "strong-borda": (24733, 602)},
            ),
            (
                SAVAGE_COPELAND,
                {"accept": "singleton"},
                {"multisol": (1666, 40), "cyclic": (4545, 188), "strong-borda": (24294, 479)},
            ),
            (SAVAGE_CONDORCET, {}, {"cyclic": (1977, 74), "strong-borda": (6302, 278)}),
        ],
        ids=["copeland-empty", "copeland-singleton", "condorcet"],
    )
    def test_explores_as_long_as_a_straightforward_program(self, algorithm, parameters, published):
        # Mean and standard error of 20 runs of another program, T = 10^6, delta = 1 / T.
        for name, (mean, error) in published.items():
            lengths, arms = explorations(algorithm, matrix(name), 80, **parameters)
            assert set(arms) <= set({"multisol": (0, 1, 2)}.get(name, (0,)))
            ours = lengths.std(ddof=1) / math.sqrt(lengths.size)
            assert abs(lengths.mean() - mean) < 4 * math.hypot(ours, error)

    def test_a_certain_winner_ends_exploration_earlier(self):
        empty, _ = explorations(SAVAGE_COPELAND, matrix("strong-borda"), 40, accept="empty")
        singleton, _ = explorations(SAVAGE_COPELAND, matrix("strong-borda"), 40, accept="singleton")
        assert np.all(singleton <= empty) and np.any(singleton < empty)

    def test_without_a_condorcet_winner_condorcet_savage_collapses(self):
        # Every arm loses some duel for sure, and long before much else is known the best in the counts is taken.
        lengths, arms = explorations(SAVAGE_CONDORCET, matrix("noncondorcet-cyclic"), 60, horizon=10**6)
        patient, right = explorations(SAVAGE_COPELAND, matrix("noncondorcet-cyclic"), 60, horizon=10**6)
        assert lengths.max() < patient.min()
        assert set(right) <= {0, 1, 2} and not set(arms) <= {0, 1, 2}

    def test_borda_savage_takes_the_borda_winner_not_the_condorcet_winner(self):
        lengths, arms = explorations(SAVAGE_BORDA, matrix("strong-borda"), 20)
        assert set(arms) == {1} and lengths.max() < 10**5

    def test_borda_savage_counts_the_first_arm_against_all_others_equally(self):
        trace = duelbench.simulate(SAVAGE_BORDA, np.full((4, 4), 0.5), horizon=12000, delta=1e-9)
        assert trace.duels.sum(axis=1).tolist() == [3000] * 4
        assert stats.chisquare(trace.duels[~np.eye(4, dtype=bool)]).pvalue > 1e-4
        state, _ = begin(SAVAGE_BORDA, 4)
        SAVAGE_BORDA.update(state, 2, 0, 5, 3)
        assert state.explored.samples.tolist() == [0, 0, 8, 0]

    def test_a_borda_arm_left_alone_is_explored_until_it_is_surely_the_best(self):
        # Only intervals that widen again can leave one alone that is not; ln(eta / delta) = 2, so c(100) = 1/10.
        state, rng = begin(SAVAGE_BORDA, 3, horizon=1, delta=6 / math.exp(2), nested=False)  # eta = 2NT = 6
        update, select = SAVAGE_BORDA.update, SAVAGE_BORDA.select
        update(state, 0, 1, 2, 2)  # [0, 1]
        update(state, 1, 0, 90, 10)  # [0.8, 1]
        update(state, 2, 0, 50, 50)  # [0.4, 0.6]: leaves
        select(state, 1, rng)
        assert explored_parameters(state) == 2
        update(state, 1, 0, 0, 300)  # [0.175, 0.275]
        update(state, 0, 1, 178, 218)  # [0.4, 0.5]: 1 leaves
        for _ in range(3):
            assert select(state, 1, rng)[0] == 0
        assert explored_parameters(state) == 1
        update(state, 0, 1, 3600, 0)  # above 0.9
        assert select(state, 1, rng) == (0, 0, NEVER)


def active_pairs(algorithm, at, runs, **parameters):
    """Pairs that are still explored after ``at`` rounds of Figure 4: K = 30, p_ij = 1/2 + j / (2K), T = 2e6."""
    n_arms = 30
    P = np.full((n_arms, n_arms), 0.5) + np.arange(n_arms) / (2 * n_arms)
    P = np.triu(P, 1) + np.tril(1 - P.T, -1) + 0.5 * np.eye(n_arms)
    register(algorithm)
    problem = duelbench.PreferenceMatrix(P)
    left = []
    for run in range(runs):
        rng = np.random.default_rng([4, run])
        state = algorithm.start(n_arms, 2 * 10**6, rng, True, **algorithm.resolve(parameters))
        log = new_log(np.array([at]), np.zeros((1, n_arms, n_arms)))
        arms = rng.permutation(n_arms)
        game.play(algorithm, state, problem, log, Streams(rng, rng, rng, rng), arms)
        left.append(explored_parameters(state))
    return np.array(left)


@pytest.mark.parametrize(
    ("at", "expected", "accuracy"),
    [(39_400, 423.0, 0.5), (61_600, 423.0, 0.5), (96_300, 108.2, 3), (150_000, 18.1, 0.5), (201_000, 3.9, 0.3)],
)
def test_explored_pairs_follow_figure_4(at, expected, accuracy):
    # Read off the figure, of 500 runs; its tests were run every 75 sweeps.
    left = active_pairs(SAVAGE_COPELAND, at, 24, accept="empty", test_every=75)
    assert abs(left.mean() - expected) < 4 * left.std(ddof=1) / math.sqrt(left.size) + accuracy


@pytest.mark.parametrize("algorithm", [SAVAGE_COPELAND, SAVAGE_CONDORCET, SAVAGE_BORDA], ids=lambda a: a.id)
def test_regret_grows_like_the_logarithm_of_the_horizon(algorithm):
    definition = "borda" if algorithm is SAVAGE_BORDA else "copeland"
    P = matrix("cyclic" if algorithm is not SAVAGE_BORDA else "strong-borda")

    def regret(horizon):
        runs = (
            duelbench.simulate(
                algorithm, P, horizon=horizon, run=run, shuffle_arms=True, regret=definition, checkpoints=1
            )
            for run in range(150)
        )
        return np.mean([trace.regret[0, -1] for trace in runs])

    # ln(2N (2T)^2) / ln(2N T^2) = 1.05, for a new run at each horizon.
    assert 0.95 < regret(2 * 10**5) / regret(10**5) < 1.2


def test_regret_agrees_with_the_published_program_that_is_told_the_kind_of_winner():
    # Condorcet SAVAGE where there is a Condorcet winner, else Copeland SAVAGE to the end; intervals not nested.
    rows = [row for row in json.loads(optional("reference", "regret.json").read_text()) if row["algorithm"] == "savage"]
    assert len(rows) == 13
    wrong = []
    for row in rows:
        P = matrix(row["matrix"])
        condorcet = row["matrix"] != "noncondorcet-strong-borda"
        algorithm, parameters = (SAVAGE_CONDORCET, {}) if condorcet else (SAVAGE_COPELAND, {"accept": "empty"})
        at = sorted(int(t) for t in row["at"])
        regret = np.array(
            [
                duelbench.simulate(
                    algorithm,
                    P,
                    horizon=row["horizon"],
                    seed=1605,
                    run=run,
                    checkpoints=at,
                    shuffle_arms=True,
                    nested=False,
                    **parameters,
                ).regret[0]
                for run in range(200)
            ]
        )
        for k, t in enumerate(at):
            theirs = row["at"][str(t)]
            error = math.hypot(regret[:, k].std(ddof=1) / math.sqrt(len(regret)), theirs["sem"])
            if abs(regret[:, k].mean() - theirs["mean"]) > 4 * error + 1e-4:  # figures are rounded to 4 decimals
                wrong.append(f"{row['matrix']} T = {row['horizon']} at {t}: {regret[:, k].mean():.1f}")
    assert not wrong, "; ".join(wrong)
