"""A world that changes: the engine plays it segment by segment, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import duelbench
from duelbench.bandits.algorithms import registry
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.bandits.problem.regret import DEFINITIONS, loss
from duelbench.bandits.problem.round_losses import Costs
from duelbench.bandits.problem.winners import borda_scores
from duelbench.bandits.problem.worlds.world import At, Flipped, World, equal
from duelbench.bandits.simulation.game import begin, play
from duelbench.bandits.simulation.run_log import new_log
from duelbench.bandits.simulation.streams import streams
from duelbench.errors import InputError

P = PreferenceMatrix.load("mslr5-condorcet")
REVERSED = PreferenceMatrix(P.P[::-1, ::-1].copy(), names=P.names)
FLIP = World((P, REVERSED, P, REVERSED), equal(4))
HORIZON = 800


def test_one_segment_leaves_the_trace_of_the_plain_matrix():
    for algorithm in ("random", "rucb"):
        plain = duelbench.simulate(algorithm, P, horizon=HORIZON, seed=5)
        world = duelbench.simulate(algorithm, World((P,), equal(1)), horizon=HORIZON, seed=5)
        assert world.regret.tobytes() == plain.regret.tobytes()
        assert world.duels.tobytes() == plain.duels.tobytes()
        assert world.recommended.tobytes() == plain.recommended.tobytes()


@pytest.mark.parametrize(("algorithm", "feedback_batch"), [("rucb", 1), ("rcs", 7), ("d-ts", 1)])
def test_many_segments_with_one_matrix_leave_the_same_duels_where_only_self_duels_stand(algorithm, feedback_batch):
    easy = PreferenceMatrix([[0.5, 0.9, 0.9], [0.1, 0.5, 0.8], [0.1, 0.2, 0.5]])
    same = World((easy,) * 80, equal(80))
    options = {"horizon": HORIZON, "seed": 5, "shuffle_arms": True, "feedback_batch": feedback_batch}
    for run in range(2):
        plain = duelbench.simulate(algorithm, easy, run=run, **options)
        world = duelbench.simulate(algorithm, same, run=run, **options)
        assert world.decisions == plain.decisions < HORIZON
        assert world.duels.tolist() == plain.duels.tolist()
        assert world.recommended.tolist() == plain.recommended.tolist()
        np.testing.assert_allclose(world.regret, plain.regret, rtol=0, atol=1e-9)


@pytest.mark.thorough
def test_many_segments_with_one_matrix_leave_the_same_law_where_lengths_are_drawn():
    same = World((P,) * 13, equal(13))
    looks = {"horizon": HORIZON, "seed": 8, "checkpoints": [100, 500, HORIZON]}
    plain, world = (
        np.array([duelbench.simulate("random", problem, run=run + shift, **looks).regret[0] for run in range(400)])
        for problem, shift in ((P, 0), (same, 10_000))
    )
    for look in range(3):
        assert stats.ks_2samp(plain[:, look], world[:, look]).pvalue > 1e-4


@pytest.mark.parametrize("batch", [1, 5])
def test_regret_is_the_sum_over_the_rounds_each_by_its_own_matrix(batch):
    every = list(range(1, 201))
    names = ["condorcet", "copeland", "weak-binary", "borda-static", "condorcet-static"]
    trace = duelbench.simulate(
        "rucb", FLIP, horizon=200, seed=2, regret=names, checkpoints=every, feedback_batch=batch, shuffle_arms=True
    )
    pairs = _pairs_of(200, batch)
    expected = np.zeros((5, 200))
    in_hindsight, against = np.zeros(5), np.zeros(5)
    dynamic, had = np.zeros(3), 0.0
    for t, (i, j) in enumerate(pairs):
        matrix = FLIP.matrices[t // 50]
        dynamic += [loss(name, matrix)[i, j] for name in names[:3]]
        scores = borda_scores(matrix)
        in_hindsight += scores
        had += (scores[i] + scores[j]) / 2
        against += (matrix.P[:, i] + matrix.P[:, j] - 1) / 2
        expected[:, t] = *dynamic, (in_hindsight - had).max(), against.max()
    np.testing.assert_allclose(trace.regret, expected, rtol=0, atol=1e-9)


def _pairs_of(horizon: int, batch: int) -> list[tuple[int, int]]:
    """The pair of each round: each pair has a regret of its own, in a world of which only that is different."""
    numbered = np.arange(25.0).reshape(5, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DEFINITIONS, "copeland", replace(DEFINITIONS["copeland"], formula=lambda P: numbered))
        trace = duelbench.simulate(
            "rucb",
            FLIP,
            horizon=horizon,
            seed=2,
            regret="copeland",
            checkpoints=range(1, horizon + 1),
            feedback_batch=batch,
            shuffle_arms=True,
        )
    return [divmod(round(number), 5) for number in np.diff(trace.regret[0], prepend=0.0)]


def test_a_change_in_every_round_is_played():
    there_and_back = World((P, REVERSED) * 150, At(tuple(range(1, 301))))
    trace = duelbench.simulate("random", there_and_back, horizon=300, seed=1, regret="condorcet")
    assert trace.duels.sum() == 300
    # Uniform play costs .134 in either matrix.
    assert trace.regret[0, -1] == pytest.approx(0.134 * 300, abs=6)


def test_an_adversary_without_limit_reverses_the_winners_duels():
    # RUCB then follows the reversed pair, alpha ln T / D^2 duels of which are not of arm 1 with itself.
    pair = PreferenceMatrix([[0.5, 0.6], [0.4, 0.5]])
    world = World((pair,), equal(1), flips=10**9)
    last = {"horizon": 4_000, "regret": "condorcet", "checkpoints": 1}
    corrupted = [duelbench.simulate("rucb", world, run=run, **last).recommended[-1] for run in range(5)]
    assert corrupted == [1] * 5


def _defeats_told(world: World) -> int:
    algorithm = registry.get("random")
    random = streams(3, 0)
    _, state = begin(algorithm, world.matrices[0], 500, random.algorithm, True, algorithm.resolve({}))
    log = new_log(np.array([500]), np.zeros((1, 2, 2)))
    free = Costs(np.zeros((1, 2, 2)), np.zeros((1, 0)))
    segments = [(segment, free) for segment in world.segments(500, random.arms)]
    play(algorithm, state, world.matrices[0], log, random, segments=segments, flips=world.flips)
    return int(state.wins[1, 0])


def test_an_adversary_flips_no_more_than_allowed_and_in_their_rounds_alone():
    # Arm 0 always wins, so that each of its defeats was flipped.
    pair = PreferenceMatrix([[0.5, 1.0], [0.0, 0.5]])
    for flips in (0, 1, 7):
        assert _defeats_told(World((pair,), equal(1), flips=flips)) == flips
    always, between = (
        _defeats_told(World((pair,), equal(1), flipped=flipped)) for flipped in (Flipped(1, 500), Flipped(101, 200))
    )
    assert 200 < always < 300 and 30 < between < 70  # about half of the rounds


def test_wrong_regrets_name_their_reason_and_segment():
    cyclic = PreferenceMatrix([[0.5, 0.9, 0.1], [0.1, 0.5, 0.9], [0.9, 0.1, 0.5]])
    ordered = PreferenceMatrix([[0.5, 0.9, 0.9], [0.1, 0.5, 0.9], [0.1, 0.1, 0.5]])
    for problem, regret, says in (
        (World((ordered, cyclic), equal(2)), "condorcet", r"segment 2 of the world: .*needs a Condorcet winner"),
        (P, "borda-static", "'borda-static' is for a world that changes"),
        (FLIP, "weak_binary", r"^there is no regret 'weak_binary'"),
    ):
        with pytest.raises(InputError, match=says):
            duelbench.simulate("random", problem, horizon=10, regret=regret)


def test_progress_counts_the_rounds_of_all_segments():
    seen = []
    trace = duelbench.simulate("random", FLIP, horizon=1000, seed=1, watch=seen.append)
    assert seen[0].sum() == trace.duels.sum() == 1000
