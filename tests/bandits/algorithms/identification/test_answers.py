"""What every search for an answer promises: it is seldom wrong, and neither batches nor late outcomes change that."""

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms.contract import NO_WINNER
from duelbench.bandits.problem.preferences import PreferenceMatrix
from tests.bandits.algorithms.identification.games import (
    CERTAIN,
    CYCLIC,
    STEEP,
    assert_no_more_wrong_answers_than,
    runs_of,
    stopping_times,
)

pytestmark = pytest.mark.thorough

CYCLE = np.array([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]])
NARROW = np.array([[0.5, 0.54, 0.56], [0.46, 0.5, 0.54], [0.44, 0.46, 0.5]])

PROMISES = [
    ("kelly-elimination", CYCLIC, {0}, 0.4, 400, {}),
    ("lucb-borda", CYCLIC, {0}, 0.2, 100, {}),
    ("lucb-borda", CYCLIC, {0}, 0.2, 100, {"feedback_batch": 7}),
    ("nts", CYCLE, {NO_WINNER}, 0.1, 600, {"h": 0.2}),
    ("random-until-pairs", NARROW, {0}, 0.3, 300, {"stop_target": "copeland"}),
    ("random-until-pairs", NARROW, {0}, 0.3, 300, {"stop_target": "ranking"}),
    ("random-until-pac-condorcet", NARROW, {0}, 0.3, 300, {"stop_epsilon": 0.01}),
    ("random-until-glr-condorcet", NARROW, {0}, 0.3, 300, {}),
    ("random-until-borda", 0.5 + 2.5 * (NARROW - 0.5), {0}, 0.3, 300, {}),
]
"""Algorithm, matrix, right answers, delta, runs, parameters."""


@pytest.mark.parametrize(("id", "P", "right", "delta", "runs", "options"), PROMISES)
def test_answers_are_wrong_no_more_often_than_delta(id, P, right, delta, runs, options):
    options = {"stop_delta" if "-until-" in id else "delta": delta, **options}
    traces = runs_of(id, P, runs, seed=5, **options)
    wrong = [trace.answer not in right for trace in traces]
    if options.get("stop_target") == "ranking":
        wrong = [trace.places.tolist() != list(range(len(P))) for trace in traces]
    assert_no_more_wrong_answers_than(delta, sum(wrong), runs)


SETTINGS = {
    "kelly-elimination": {},
    "nts": {"h": 0.1},
}
"""Those that decide for more than a round, and parameters with which they are soon done."""


@pytest.mark.parametrize("id", SETTINGS)
def test_standing_decisions_change_no_law_of_the_stopping_time(id):
    """What each of them decides is the transcription's; a batch of duels is one draw."""
    P, end = STEEP[:3, :3], {"horizon": 20_000, "checkpoints": [20_000]}
    on = stopping_times(id, P, 300, seed=1, **end, **SETTINGS[id])
    off = stopping_times(id, P, 300, seed=2, standing_decisions=False, **end, **SETTINGS[id])
    assert stats.ks_2samp(on, off).pvalue > 1e-4


@pytest.mark.parametrize("id", SETTINGS)
def test_late_outcomes_postpone_the_answer_and_do_not_mislead(id):
    for batch in (7, 50):
        prompt, late = (
            runs_of(id, CERTAIN, 5, feedback_batch=one, horizon=10**6, checkpoints=[10**6], **SETTINGS[id])
            for one in (1, batch)
        )
        assert {trace.recommended[-1] for trace in (*prompt, *late)} == {0}
        assert max(trace.finished for trace in late) > min(trace.finished for trace in prompt)


def test_a_tie_with_the_best_arm_puts_each_out_no_more_often_than_delta():
    """With p = 1/2 both arms are weak Condorcet winners: each is ever out with probability delta at most."""
    P, answers = PreferenceMatrix(np.full((2, 2), 0.5)), []
    for run in range(600):
        trace = duelbench.simulate("uniform-until-e-condorcet", P, horizon=4000, run=run, checkpoints=1, stop_delta=0.2)
        answers.append(trace.answer)
    for arm in range(2):
        assert_no_more_wrong_answers_than(0.2, answers.count(1 - arm) + answers.count(NO_WINNER), 600)
