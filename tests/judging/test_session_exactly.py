"""A session asks for the duels that `simulate` plays, of every algorithm."""

import numpy as np
import pytest

from duelbench.bandits.algorithms import registry
from duelbench.judging.settings import has_own_test
from tests.judging.playing import CYCLE, begun, simulated, that_play_duels
from tests.selection import quick

ROUNDS = 200
OTHERS = ~np.eye(len(CYCLE), dtype=bool)
DECIDED = np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.5]])
SOME = ("rucb", "d-ts", "sparring", "interleaved-filter", "rex3", "nts", "savage-copeland", "uniform")


@pytest.mark.parametrize("id", quick(that_play_duels(), *SOME, "kelly-elimination"))
def test_the_duels_of_two_arms_are_those_of_simulate_and_so_is_the_recommendation_of_the_algorithm(id):
    trace = simulated(id, CYCLE, ROUNDS)
    session, judge = begun(id, CYCLE, ROUNDS)
    while (pair := session.ask()) is not None and not pair.offered:
        t = session._history.memory.player.round - 1
        judge.answer(pair)
        assert session.arms[trace.recommended[t - 1]] == session.arms[session._memory.player.recommend()]
    assert judge.duels[OTHERS].tolist() == trace.duels[OTHERS].tolist()
    assert session.told == trace.duels[OTHERS].sum()


@pytest.mark.parametrize("id", quick([id for id in that_play_duels() if id != "kelly-elimination"], *SOME))
def test_with_self_duels_and_answers_that_come_late_all_duels_are_those_of_simulate(id):
    # Not Kelly's: her gamblers stake on the next duel by what they were told, one or several outcomes.
    for late in (5, 20) if id in ("rex3", "vdb", "sparring", "rucb", "wiwr") else (5,):
        trace = simulated(id, CYCLE, 100, standing_decisions=False, feedback_batch=late)
        _session, judge = begun(id, CYCLE, 100, self_duels=True)
        for _ in range(100 // late):
            judge.ask_and_answer(late)
        assert judge.duels.tolist() == trace.duels.tolist()


@pytest.mark.parametrize(
    ("id", "rule"),
    [
        *(("rucb", rule) for rule in ("e-condorcet", "pairs")),
        *((id, "own") for id in that_play_duels() if has_own_test(registry.get(id))),
    ],
)
def test_a_session_is_done_after_the_duels_after_which_simulate_has_the_answer(id, rule):
    order = np.where(np.triu(np.ones((4, 4)), 1) > 0, 0.9, 0.1)
    np.fill_diagonal(order, 0.5)
    trace = simulated(id if rule == "own" else f"{id}-until-{rule}", order, 10_000)
    session, judge = begun(id, order, 10_000, stop={"rule": rule})
    while (pair := session.ask()) is not None:
        judge.answer(pair)
    assert trace.finished is not None and session.done
    assert session.told == trace.duels[OTHERS].sum()
    assert session.answer == session.arms[trace.answer] == session.recommend()


@pytest.mark.parametrize(
    ("terms", "standing"), [({}, True), ({"standing_decisions": False}, False), ({"self_duels": True}, False)]
)
def test_asked_about_self_duels_it_is_the_run_of_simulate_without_standing_decisions(terms, standing):
    trace = simulated("d-ts-plus", DECIDED, 400, standing_decisions=standing)
    session, judge = begun("d-ts-plus", DECIDED, 400, **terms)
    while (pair := session.ask()) is not None and not pair.offered:
        judge.answer(pair)
    others = ~np.eye(3, dtype=bool)
    assert judge.duels[others].tolist() == trace.duels[others].tolist()
    assert not terms.get("self_duels") or judge.duels.tolist() == trace.duels.tolist()
