"""Stopping rules: evidence, intervals and ends by hand, and their standing decisions against play round by round."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import ks_2samp

import duelbench
from duelbench.bandits.algorithms.contract import NO_WINNER, Algorithm
from duelbench.bandits.algorithms.stopping.rules import RULES
from duelbench.bandits.algorithms.stopping.stopped import stopped
from duelbench.bandits.kernels.never import NEVER
from duelbench.bandits.kernels.threshold_evidence import (
    MIXTURE,
    STITCHED,
    UNION,
    lower_end,
    upper_end,
)
from tests.bandits.algorithms.stopping.plain import ends


def places_of(rule, tests, n_arms: int) -> list[int]:
    places = np.full(n_arms, -1)
    rule.rank(tests, places)
    return places.tolist()


def after(rule, n_arms: int, duels: dict[tuple[int, int], int], **parameters):
    """The tests after these wins of one arm over another."""
    tests = rule.start(n_arms, delta=0.1, **parameters)
    for (i, j), wins in duels.items():
        rule.update(tests, i, j, wins, 0)
    rule.settle(tests)
    return tests


def test_a_copeland_winner_may_be_worse_by_epsilon():
    rule, duels = RULES["pairs"], {(0, 1): 20, (0, 2): 20}
    # Arm 0 has won 2 of 3 pairs, arm 3 may win 3: by one third it is no better.
    assert rule.n_left(after(rule, 4, duels, target="copeland", epsilon=0.3, k=1)) > 0
    assert rule.n_left(after(rule, 4, duels, target="copeland", epsilon=0.34, k=1)) == 0


def test_the_borda_rule_names_sets_and_tolerates_epsilon():
    rule = RULES["borda"]
    duels = dict.fromkeys(itertools.combinations(range(4), 2), 400)
    tests = after(rule, 4, duels, epsilon=0.0, k=2, intervals="mixture")
    assert rule.n_left(tests) == 0 and places_of(rule, tests, 4) == [0, 0, 1, 1] and rule.answer(tests) == 0
    alike = dict.fromkeys(itertools.permutations(range(3), 2), 2000)
    for epsilon, is_over in ((0.0, False), (0.2, True)):
        tests = after(rule, 3, alike, epsilon=epsilon, k=1, intervals="mixture")
        assert (rule.n_left(tests) == 0) == is_over


def test_rules_refuse_sets_of_all_arms():
    assert RULES["pairs"].refuses(3, delta=0.1, target="top-k", epsilon=0.0, k=3)
    assert RULES["borda"].refuses(3, delta=0.1, epsilon=0.0, k=3, intervals="union")
    assert RULES["pairs"].refuses(3, delta=0.1, target="copeland", epsilon=0.0, k=3) is None


@pytest.mark.parametrize("kind", [MIXTURE, STITCHED, UNION])
def test_ends_of_intervals_move_with_wins_and_losses(kind):
    level = math.log(100.0)
    for wins, losses in itertools.product((0, 1, 4, 30, 200), repeat=2):
        low, high = lower_end(wins, losses, level, kind), upper_end(wins, losses, level, kind)
        assert 0 <= low <= high <= 1
        assert lower_end(wins + 1, losses, level, kind) >= low >= lower_end(wins, losses + 1, level, kind)
        if kind == MIXTURE and wins + losses:
            assert (low, high) == pytest.approx(ends(wins, losses, 0.01), abs=1e-4)


class Blocks(NamedTuple):
    """Memory of the algorithm below: how many arms there are."""

    n_arms: int


LENGTH = 40


def pair_of(t: int, n_arms: int) -> tuple[int, int]:
    pairs = list(itertools.combinations(range(n_arms), 2))
    return pairs[(t - 1) // LENGTH % len(pairs)]


def block(state, t, rng):
    return *pair_of(t, state.n_arms), LENGTH - (t - 1) % LENGTH


BLOCKS = Algorithm(
    id="blocks",
    name="Blocks",
    assumes="nothing",
    anytime=True,
    parameters={},
    reference="here",
    state=Blocks,
    start=lambda n_arms, horizon, rng, standing: Blocks(n_arms),
    select=block,
    update=lambda state, first, second, first_wins, second_wins: None,
    recommend=lambda state: 0,
    compiled=False,
)
"""All pairs in turn, each for so many rounds: decisions that stand, and that a rule has to cut."""

ENDED = {
    "e-condorcet": {},
    "glr-condorcet": {},
    "pac-condorcet": {"stop_epsilon": 0.1},
    "pairs": {"stop_target": "copeland"},
    "borda": {"stop_intervals": "union"},  # closed forms are quick; all kinds move alike
}


def ended(rule: str, P, run: int, standing: bool, **options):
    algorithm = stopped(BLOCKS, rule)
    named = {"standing_decisions": standing, "stop_delta": 0.2, **ENDED[rule], **options}
    return duelbench.simulate(algorithm, P, horizon=3000, checkpoints=1, seed=3, run=run, shuffle_arms=True, **named)


@pytest.mark.parametrize("rule", ENDED)
def test_where_duels_are_certain_standing_decisions_end_in_the_very_round(rule):
    P = np.triu(np.ones((3, 3)), 1) + 0.5 * np.eye(3)
    for run, batch in enumerate((1, 7)):
        on, off = (ended(rule, P, run, standing, feedback_batch=batch) for standing in (True, False))
        assert on.finished == off.finished > 0 and on.answer == off.answer == 0
        assert np.array_equal(on.duels, off.duels) and on.decisions < off.decisions / 2


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["e-condorcet", "pairs", "borda"])
def test_standing_decisions_leave_the_law_of_the_end_as_it_is(rule):
    P = np.array([[0.5, 0.9, 0.95], [0.1, 0.5, 0.9], [0.05, 0.1, 0.5]])
    n = {True: 60, False: 30}
    ends_of = {on: [ended(rule, P, run + 1000 * on, on).finished for run in range(n[on])] for on in n}
    assert min(ends_of[True] + ends_of[False]) > 0
    assert ks_2samp(ends_of[True], ends_of[False]).pvalue > 1e-3


def test_the_end_remains_the_end():
    P = np.triu(np.ones((3, 3)), 1) + 0.5 * np.eye(3)
    trace = ended("e-condorcet", P, 0, True, feedback_batch=50)
    assert trace.duels[0, 0] == 3000 - trace.finished + 1
    tests = RULES["e-condorcet"].start(2, delta=0.2)
    RULES["e-condorcet"].update(tests, 0, 1, 4, 0)
    RULES["e-condorcet"].settle(tests)
    assert RULES["e-condorcet"].answer(tests) == 0
    RULES["e-condorcet"].update(tests, 0, 1, 0, 100)
    RULES["e-condorcet"].settle(tests)
    assert RULES["e-condorcet"].answer(tests) == 0


def test_where_all_arms_are_out_at_once_there_is_no_winner():
    tests = RULES["e-condorcet"].start(3, delta=0.05)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        RULES["e-condorcet"].update(tests, i, j, 50, 0)
    RULES["e-condorcet"].settle(tests)
    assert RULES["e-condorcet"].n_left(tests) == 0 and RULES["e-condorcet"].answer(tests) == NO_WINNER


def test_a_rule_leaves_the_rounds_before_its_end_as_they_are():
    P = [[0.5, 0.8, 0.8], [0.2, 0.5, 0.6], [0.2, 0.4, 0.5]]
    with_rule = duelbench.simulate("rucb-until-e-condorcet", P, horizon=400, checkpoints=range(1, 401), seed=4)
    without = duelbench.simulate("rucb", P, horizon=400, checkpoints=range(1, 401), seed=4)
    before = with_rule.finished - 2 if with_rule.finished else 400
    assert before > 20
    assert np.array_equal(with_rule.regret[:, :before], without.regret[:, :before])


def test_an_end_of_the_algorithm_s_own_is_no_answer():
    settled = Algorithm(**{**{f: getattr(BLOCKS, f) for f in BLOCKS.__dataclass_fields__}, "id": "settled"})
    object.__setattr__(settled, "select", lambda state, t, rng: (1, 1, NEVER))
    trace = duelbench.simulate(stopped(settled), np.full((2, 2), 0.5), horizon=100)
    assert trace.finished == 0 and trace.answer == -2


def test_a_rule_ends_explorers_too_and_nothing_that_plays_no_duels():
    ended = stopped(duelbench.algorithms()["uniform"])
    trace = duelbench.simulate(ended, [[0.5, 0.9], [0.1, 0.5]], horizon=10**4)
    assert 0 < trace.finished < 200 and trace.answer == 0
    with pytest.raises(ValueError, match="ucb1 plays no duels"):
        stopped(duelbench.algorithms()["ucb1"])


def test_a_stopped_algorithm_needs_the_horizon_and_has_the_name_as_without_the_rule():
    from duelbench.bandits.algorithms import registry

    rex3, btwr = (stopped(registry.get(id)) for id in ("rex3", "btwr"))
    assert not rex3.is_anytime(rex3.resolve({}))
    assert rex3.is_anytime(rex3.resolve({"anytime": True, "stop_delta": 0.1}))
    assert btwr.named({"p_min": 0.05}) == "BtWR, p_min = 0.05 until e-condorcet"
    assert stopped(registry.get("rucb")).named({}) == "RUCB until e-condorcet"
