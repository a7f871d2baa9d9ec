"""SELECT, SELECT-then-verify, NTS, Knockout, Seq-Eliminate and Opt-Maximize against their exact laws."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.algorithms.contract import NO_WINNER
from duelbench.algorithms.identification.knockout import KNOCKOUT
from duelbench.algorithms.identification.nts import NTS
from duelbench.algorithms.identification.select import SELECT, SELECT_THEN_VERIFY
from duelbench.algorithms.identification.seq_eliminate import OPT_MAXIMIZE, SEQ_ELIMINATE
from duelbench.errors import InputError
from duelbench.kernels.comparators import interval
from duelbench.simulation.streams import streams
from tests.algorithms.identification import exact
from tests.algorithms.identification.games import CERTAIN, CYCLIC, runs_of, stopping_times
from tests.kernels.comparators.slow import straight

CYCLE = np.array([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]])
FIVE = 0.5 + 0.1 * np.subtract.outer(range(5), range(5))[::-1, ::-1]
"""A total order: arm i beats arm j with probability 1/2 + (j - i) / 10."""

LAWS = {
    "SELECT": (SELECT, {"h": 0.2, "delta": 0.4}, CYCLIC, partial(exact.select, most=21)),
    "SELECT, five arms": (SELECT, {"budget": 36}, FIVE, partial(exact.select, most=9)),
    "SELECT-then-verify": (
        SELECT_THEN_VERIFY,
        {"h": 0.2, "delta": 0.5},
        CYCLIC,
        partial(exact.select_then_verify, most=26, test=exact.until_ahead(0.2, 0.5 / 6)),
    ),
    "SELECT-then-verify, no winner": (
        SELECT_THEN_VERIFY,
        {"h": 0.2, "delta": 0.6},
        CYCLE,
        partial(exact.select_then_verify, most=21, test=exact.until_ahead(0.2, 0.6 / 4)),
    ),
    "NTS": (NTS, {"h": 0.1, "delta": 0.4}, CYCLIC, partial(exact.nts, test=exact.until_ahead(0.1, 0.1))),
    "NTS, five arms": (NTS, {"h": 0.1, "delta": 0.5}, FIVE, partial(exact.nts, test=exact.until_ahead(0.1, 0.1))),
    "NTS, no winner": (NTS, {"h": 0.2, "delta": 0.3}, CYCLE, partial(exact.nts, test=exact.until_ahead(0.2, 0.1))),
    "Knockout": (KNOCKOUT, {"epsilon": 0.5, "delta": 0.5}, CYCLIC, partial(exact.knockout, epsilon=0.5, delta=0.5)),
    "Seq-Eliminate": (
        SEQ_ELIMINATE,
        {"epsilon": 0.4, "delta": 0.4},
        FIVE,
        partial(exact.seq_eliminate, arms=range(5), epsilon=0.4, delta=0.4),
    ),
    "Opt-Maximize": (
        OPT_MAXIMIZE,
        {"epsilon": 0.5, "delta": 0.9},
        CYCLE,
        partial(exact.opt_maximize, epsilon=0.5, delta=0.9),
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_duels_and_answers_have_the_law_of_the_plain_program(name):
    algorithm, parameters, P, program = LAWS[name]
    law = exact.exact(lambda: program(P))
    runs = 1000
    played = runs_of(algorithm, P, runs, **parameters)
    duels = np.array([trace.finished - 1 for trace in played])
    error = max(stats.sem(duels), 1e-9)
    assert abs(duels.mean() - law.duels) < 4.5 * error + 1e-6, (duels.mean(), law.duels, error)
    for answer in range(-1, len(P)):
        share = law.answers.get(answer, 0.0)
        count = sum(trace.answer == answer for trace in played)
        assert stats.binomtest(count, runs, min(1.0, share)).pvalue > 1e-5, (answer, count / runs, share)


def test_on_the_cyclic_matrix_nts_needs_175_duels_where_no_test_errs():
    # The winner meets three arms at .6, and two of these meet at .9: c = 11, so that 3 * 53.743 + 13.750 duels.
    def without_errors(p):
        return exact.Chance([(1.0, p > 0.5)], exact.until_ahead(0.1, 0.0125)(p).duels)

    law = exact.exact(lambda: exact.nts(CYCLIC, without_errors))
    assert law == (pytest.approx(3 * 53.743 + 13.750, abs=2e-3), {0: pytest.approx(1.0)})


def test_select_plays_each_of_its_matches_to_the_end():
    # ln(2 / .05) / (2 .01) = 184.4, ln(log2(5) / .05) / (2 .035^2) = 1566.9, ln(4 / .05) 64^2 / 2 = 8974.5.
    for P, h, most in ((CYCLIC, 0.1, 185), (FIVE, 0.035, 1567), (np.full((16, 16), 0.5), 1 / 64, 8975)):
        assert {*stopping_times(SELECT, P, 5, h=h)} == {(len(P) - 1) * most}


def test_a_budget_is_shared_out_among_the_matches():
    assert stopping_times(SELECT, FIVE, 3, budget=43).tolist() == [40] * 3
    with pytest.raises(InputError, match=r"a budget of 3 duels is too small for the 4 matches of 5 arms"):
        duelbench.simulate("select", FIVE, horizon=100, budget=3)


def test_curtailed_matches_have_the_same_answers_and_take_fewer_duels():
    runs = 1000
    whole, early = (
        runs_of(SELECT, FIVE, runs, budget=36, curtail=curtail, seed=int(curtail)) for curtail in (False, True)
    )
    counts = [np.bincount([trace.answer for trace in those], minlength=5) for those in (whole, early)]
    assert stats.chi2_contingency(np.array(counts)[:, np.sum(counts, axis=0) > 0]).pvalue > 1e-4
    assert np.mean([trace.finished - 1 for trace in early]) < 0.9 * 36


SETTINGS = {
    "SELECT-then-verify": (SELECT_THEN_VERIFY, {"h": 0.2, "delta": 0.3}, CYCLE),
    "NTS": (NTS, {"h": 0.1}, CYCLIC),
    "Knockout": (KNOCKOUT, {"epsilon": 0.3, "delta": 0.3}, CYCLIC),
    "Seq-Eliminate": (SEQ_ELIMINATE, {"epsilon": 0.3, "delta": 0.3}, FIVE),
    "Opt-Maximize": (OPT_MAXIMIZE, {"epsilon": 0.5, "delta": 0.9}, CYCLE),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_law_of_the_duels_is_that_of_a_play_round_by_round(name):
    algorithm, parameters, P = SETTINGS[name]
    on = stopping_times(algorithm, P, 250, seed=1, **parameters)
    off = stopping_times(
        algorithm, P, 250, seed=2, standing_decisions=False, horizon=20_000, checkpoints=[20_000], **parameters
    )
    assert stats.ks_2samp(on, off).pvalue > 1e-4


@pytest.mark.parametrize("name", SETTINGS)
def test_how_arms_are_called_changes_nothing(name):
    algorithm, parameters, P = SETTINGS[name]
    order = np.arange(len(P))[::-1]
    one = stopping_times(algorithm, P, 300, seed=1, shuffle_arms=False, **parameters)
    other = stopping_times(algorithm, P[np.ix_(order, order)], 300, seed=2, shuffle_arms=False, **parameters)
    assert stats.ks_2samp(one, other).pvalue > 1e-4


@pytest.mark.parametrize("name", ["SELECT-then-verify", "NTS"])
def test_where_there_is_no_winner_the_answer_is_that_there_is_none(name):
    algorithm = SETTINGS[name][0]
    wrong = sum(trace.answer != NO_WINNER for trace in runs_of(algorithm, CYCLE, 600, h=0.2, delta=0.1))
    assert stats.binomtest(wrong, 600, 0.1, alternative="greater").pvalue > 1e-3


@pytest.mark.parametrize("name", SETTINGS)
def test_late_outcomes_delay_the_answer_and_do_not_change_it(name):
    algorithm, parameters, _ = SETTINGS[name]
    prompt, late = (runs_of(algorithm, CERTAIN, 8, feedback_delay=delay, **parameters) for delay in (1, 7))
    assert {trace.answer for trace in (*prompt, *late)} == {trace.recommended[-1] for trace in (*prompt, *late)} == {0}
    for at_once, in_sevens in zip(prompt, late, strict=True):
        assert in_sevens.finished >= at_once.finished and in_sevens.finished % 7 == 1


@pytest.mark.parametrize("n_arms", [2, 3, 9])
def test_a_certain_order_is_found_by_everyone(n_arms):
    certain = np.triu(np.ones((n_arms, n_arms)), 1) + 0.5 * np.eye(n_arms)
    for algorithm in (SELECT, SELECT_THEN_VERIFY, NTS, KNOCKOUT, SEQ_ELIMINATE, OPT_MAXIMIZE):
        assert runs_of(algorithm, certain, 1)[0].answer == 0


def test_nts_tests_a_certain_order_in_straight_wins():
    # h = .1, delta = .3, three arms: leads of floor(ln 9 / ln 1.5) + 1 = 6; two matches, and the arm not met, if any.
    assert {*stopping_times(NTS, CERTAIN[:3, :3], 30, h=0.1, delta=0.3)} == {12, 18}


def test_opt_maximize_is_seq_eliminate_where_delta_is_small():
    for delta, same in ((0.2, True), (0.21, False)):
        one, other = (stopping_times(algorithm, FIVE, 5, delta=delta) for algorithm in (OPT_MAXIMIZE, SEQ_ELIMINATE))
        assert np.array_equal(one, other) == same


def test_opt_maximize_drops_the_arms_that_a_good_one_beats():
    # 128 arms, delta .1: n' = 63, so that the anchor is the best of the first 128 / 63 ln 80 = 8.9 arms, and arms are
    # dropped once, for 128 > 2 n'. All outcomes are certain: a test takes a number of duels that depends on its winner.
    certain = np.triu(np.ones((128, 128)), 1) + 0.5 * np.eye(128)
    epsilon, delta = 0.3, 0.1
    for run in range(20):
        order = OPT_MAXIMIZE.start(128, 1, streams(0, run).algorithm, True, epsilon=epsilon, delta=delta).order
        better_than_before = sum(order[k] < order[:k].min() for k in range(1, 9))
        better_than_anchor = order[:9].min()
        duels = better_than_before * won(0.0, epsilon / 3, delta / 72)
        duels += (8 - better_than_before) * lost(0.0, epsilon / 3, delta / 72)
        duels += better_than_anchor * won(epsilon / 3, 2 * epsilon / 3, delta / 16)
        duels += (127 - better_than_anchor) * lost(epsilon / 3, 2 * epsilon / 3, delta / 16)
        trace = duelbench.simulate(
            OPT_MAXIMIZE, certain, horizon=10**6, checkpoints=[10**6], run=run, epsilon=epsilon, delta=delta
        )
        assert trace.answer == 0
        if better_than_anchor == 0:
            assert trace.finished - 1 == duels
            continue
        duels += won(2 * epsilon / 3, epsilon, delta / 512)  # the first of those left is better for certain
        last = 0.0, epsilon, delta / 4 / (better_than_anchor + 1)
        in_the_last_sweep = [
            k * won(*last) + (better_than_anchor - k) * lost(*last) for k in range(better_than_anchor + 1)
        ]
        assert trace.finished - 1 - duels in in_the_last_sweep


def won(low, high, delta):
    """The duels of a test of which the first arm wins all."""
    return straight(partial(interval.verdict, *interval.between(low, high, delta)), True)


def lost(low, high, delta):
    return straight(partial(interval.verdict, *interval.between(low, high, delta)), False)


MSLR = duelbench.PreferenceMatrix.load(Path(__file__).parents[3] / "matrices" / "mslr5-condorcet.csv").P
ORDER = 0.5 + (np.arange(16)[None, :] - np.arange(16)[:, None]) / 64
MEASURED = [
    (SELECT_THEN_VERIFY, CYCLIC, {"h": 0.1}, 834, 3),
    (SELECT_THEN_VERIFY, MSLR, {"h": 0.035}, 8227, 16),
    (SELECT_THEN_VERIFY, ORDER, {"h": 1 / 64}, 166467, 173),
    (NTS, CYCLIC, {"h": 0.1}, 178.1, 3.1),
    (NTS, MSLR, {"h": 0.035}, 1133, 32),
    (NTS, ORDER, {"h": 1 / 64}, 22085, 435),
    (KNOCKOUT, CYCLIC, {"epsilon": 0.05}, 1566, 20),
    (KNOCKOUT, MSLR, {"epsilon": 0.0175}, 23101, 1439),
    (KNOCKOUT, ORDER, {"epsilon": 1 / 128}, 174156, 5102),
    (SEQ_ELIMINATE, CYCLIC, {"epsilon": 0.05}, 2244, 38),
    (SEQ_ELIMINATE, MSLR, {"epsilon": 0.0175}, 16705, 675),
    (SEQ_ELIMINATE, ORDER, {"epsilon": 1 / 128}, 153521, 10071),
    (OPT_MAXIMIZE, CYCLIC, {"epsilon": 0.05, "delta": 0.1}, 2149, 36),
    (OPT_MAXIMIZE, MSLR, {"epsilon": 0.0175, "delta": 0.1}, 15786, 619),
    (OPT_MAXIMIZE, ORDER, {"epsilon": 1 / 128, "delta": 0.1}, 281966, 17785),
]
"""Algorithm, matrix, parameters, and a prototype's mean and standard error, of 400 runs or, for 16 arms, 100."""


@pytest.mark.parametrize(("algorithm", "P", "parameters", "mean", "error"), MEASURED)
def test_it_takes_as_many_duels_as_a_prototype_and_is_as_seldom_wrong_as_it_says(algorithm, P, parameters, mean, error):
    runs = 400 if len(P) < 16 else 100
    played = runs_of(algorithm, P, runs, seed=11, **parameters)
    duels = np.array([trace.finished - 1 for trace in played])
    assert abs(duels.mean() - mean) < 3 * np.hypot(error, stats.sem(duels))
    wrong = sum(trace.answer != 0 for trace in played)
    assert stats.binomtest(wrong, runs, parameters.get("delta", 0.05), alternative="greater").pvalue > 1e-3
