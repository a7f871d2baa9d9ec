"""What a run has ended with: the answer and the places of arms, as the matrix calls them."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

import duelbench
from duelbench.bandits.algorithms.contract import NEVER, NO_WINNER, UNANSWERED, Algorithm
from duelbench.bandits.algorithms.dispatch import WrongAnswer
from duelbench.bandits.algorithms.exploration.uniform import UNIFORM
from duelbench.bandits.simulation.game import concluded
from duelbench.bandits.simulation.run_log import new_log
from duelbench.bandits.simulation.terms import Identity, Settings, Terms
from duelbench.bandits.simulation.trace import Trace
from duelbench.experiments.results.identity import differences
from duelbench.experiments.results.store import encode, read_run

CERTAIN = np.array([[0.5, 0.0, 0.0], [1.0, 0.5, 0.0], [1.0, 1.0, 0.5]])
"""Arm 2 always wins, and arm 1 against arm 0."""


def test_a_run_that_has_ended_has_an_answer_in_the_matrix_s_own_order_and_others_have_none():
    for run in range(4):
        trace = duelbench.simulate("savage-condorcet", CERTAIN, horizon=10**5, run=run, shuffle_arms=True)
        assert trace.finished > 0 and trace.answer == 2 and trace.places is None
    cut_short = duelbench.simulate("savage-condorcet", CERTAIN, horizon=3)
    assert cut_short.finished == 0 and cut_short.answer == UNANSWERED
    assert duelbench.simulate("rucb", CERTAIN, horizon=10).answer is None
    assert duelbench.simulate("savage", duelbench.scalar_bandit([1.0, 0.0]), horizon=10**4).answer is None


def asked(answer, rank=None, finished=5, arms=(2, 0, 1)) -> tuple[int | None, np.ndarray | None]:
    """What is kept of a run of which an algorithm says this at the end."""
    algorithm = Algorithm(**{**vars_of(UNIFORM), "answer": answer, "rank": rank})
    log = new_log(np.array([9]), np.zeros((1, 3, 3)), explores=True)
    log.finished[0] = finished
    return concluded(algorithm, duelbench.PreferenceMatrix(CERTAIN), None, log, np.array(arms))


def vars_of(algorithm: Algorithm) -> dict:
    """The fields of an algorithm that has an exploration to end."""
    fields = {name: getattr(algorithm, name) for name in algorithm.__dataclass_fields__}
    return {**fields, "explored": lambda state: 0}


def test_arms_and_places_go_back_through_the_shuffle():
    def rank(state, places):
        places[:] = [0, 2, 1]

    answer, places = asked(lambda state: 0, rank)
    assert answer == 2  # the algorithm's arm 0 is the matrix's 2
    assert places.tolist() == [2, 1, 0]
    assert asked(None)[0] == 0 and asked(None, finished=0)[0] == UNANSWERED  # what is recommended
    assert asked(lambda state: NO_WINNER)[0] == NO_WINNER
    for said in (3, -2, NEVER):
        with pytest.raises(WrongAnswer, match="it must answer an arm, 0 to 2, or NO_WINNER"):
            asked(lambda state, said=said: said)
    with pytest.raises(WrongAnswer, match="places are 0 to 2"):
        asked(lambda state: 0, lambda state, places: None)


def identity_of(P: duelbench.PreferenceMatrix, id: str, checkpoints: list[int]) -> Identity:
    """The identity of the runs of `duelbench.simulate` with these arguments."""
    terms = Terms(
        problem=P,
        algorithm=id,
        parameters={},
        horizon=checkpoints[-1],
        checkpoints=checkpoints,
        regret=("copeland",),
        seed=0,
        settings=Settings(shuffle_arms=False),
    )
    return terms.identity


def test_answers_and_places_are_kept_and_results_from_before_are_read_without_them(tmp_path):
    def kept_of(one):
        path = tmp_path / "run-00000.npz"
        path.write_bytes(encode(one, identity, 0))
        return read_run(path, identity, 0).trace

    P = duelbench.PreferenceMatrix(CERTAIN)
    trace = duelbench.simulate("rucb-until-e-condorcet", P, horizon=3000, checkpoints=[1, 3000])
    identity = identity_of(P, "rucb-until-e-condorcet", [1, 3000])
    kept = kept_of(trace)
    assert kept.answer == trace.answer == 2 and kept.places.tolist() == trace.places.tolist() == [2, 1, 0]
    before = Trace(**{**vars(trace), "answer": None, "places": None})
    old = kept_of(before)
    assert old.answer is None and old.places is None and old.finished == trace.finished


class Told(NamedTuple):
    """How many outcomes an algorithm was told, (1,) int64."""

    outcomes: np.ndarray


def count(state, first, second, first_wins, second_wins):
    state.outcomes[0] += first_wins + second_wins


BATCHES = Algorithm(
    id="batches",
    name="Batches",
    assumes="nothing",
    anytime=True,
    parameters={},
    reference="here",
    state=Told,
    start=lambda n_arms, horizon, rng, standing: Told(np.zeros(1, np.int64)),
    select=lambda state, t, rng: (0, 1, 20 - (t - 1) % 20),
    update=count,
    recommend=lambda state: int(state.outcomes[0] in (5, 30, 47)),
    compiled=False,
)
"""Batches of 20 duels; it recommends arm 1 where it was told of 5, 30 or 47."""


@pytest.mark.parametrize("is_cut", [False, True])
def test_what_is_recommended_after_a_budget_rests_on_all_duels_of_it(is_cut):
    P = np.full((2, 2), 0.5)
    trace = duelbench.simulate(BATCHES, P, horizon=47, checkpoints=[5, 30, 47], cut_at_checkpoints=is_cut)
    assert trace.recommended.tolist() == ([1, 1, 1] if is_cut else [0, 0, 0])
    assert trace.duels[0, 1] == 47


def test_budgets_are_a_part_of_the_identity_and_nothing_else_is_new():
    P = duelbench.PreferenceMatrix(CERTAIN)
    plain = identity_of(P, "rucb", [5, 9])
    cut = replace(plain, settings={**plain.settings, "cut_at_checkpoints": True})
    assert "cut_at_checkpoints" not in plain.settings and cut.key(0) != plain.key(0)
    assert Identity.from_content(cut.content()) == cut
    assert differences(plain, cut) == ["checkpoints are budgets now"]
