"""What must hold for every algorithm of the registry, whatever it does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import duelbench
from duelbench.algorithms import registry
from duelbench.errors import InputError
from duelbench.simulation.streams import streams

ROOT = Path(__file__).parents[2]
MSLR = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "mslr5-condorcet.csv")
CYCLE = duelbench.PreferenceMatrix.load(ROOT / "matrices" / "multisol.csv")
TIES = duelbench.PreferenceMatrix(np.full((4, 4), 0.5))
IDS = [id for id in registry.ids() if "duels" in registry.get(id).plays]
ANYTIME = [id for id in IDS if registry.get(id).anytime]

ODD_MATRICES = {
    "two arms": [[0.5, 0.7], [0.3, 0.5]],
    "three arms and a tie": [[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]],
    "all equal": TIES.P,
    "deterministic order": np.triu(np.ones((4, 4)), 1) + 0.5 * np.eye(4),
    "deterministic cycle": [[0.5, 1.0, 0.0], [0.0, 0.5, 1.0], [1.0, 0.0, 0.5]],
}


def same(a, b):
    """Whether two traces are bitwise the same, decisions aside."""
    return (
        np.array_equal(a.rounds, b.rounds)
        and a.regret.tobytes() == b.regret.tobytes()
        and np.array_equal(a.duels, b.duels)
        and np.array_equal(a.recommended, b.recommended)
    )


@pytest.mark.parametrize("id", IDS)
class TestEveryAlgorithm:
    def test_says_what_it_is(self, id):
        algorithm = registry.get(id)
        assert algorithm.id == id
        assert algorithm.name and algorithm.reference
        assert all(parameter.description for parameter in algorithm.parameters.values())
        assert algorithm.resolve({}) == {name: p.default for name, p in algorithm.parameters.items()}

    def test_has_a_page_in_the_documentation(self, id):
        assert (ROOT / "docs" / "algorithms" / f"{id}.md").is_file()

    def test_refuses_unknown_parameters(self, id):
        with pytest.raises(InputError, match="unknown parameter 'aplha'"):
            duelbench.simulate(id, MSLR, horizon=10, aplha=1)

    def test_plays_every_round_once(self, id):
        trace = duelbench.simulate(id, MSLR, horizon=1234)
        assert trace.duels.sum() == 1234
        assert trace.rounds[-1] == 1234
        assert 1 <= trace.decisions <= 1234

    def test_trace_has_the_stated_shapes(self, id):
        trace = duelbench.simulate(id, MSLR, horizon=500, regret=("copeland", "weak"), checkpoints=[1, 20, 500])
        assert trace.rounds.dtype == np.int64 and trace.rounds.tolist() == [1, 20, 500]
        assert trace.regret.dtype == np.float64 and trace.regret.shape == (2, 3)
        assert trace.duels.dtype == np.int64 and trace.duels.shape == (5, 5)
        assert trace.recommended.dtype == np.int64 and trace.recommended.shape == (3,)
        assert set(trace.recommended) <= set(range(5))
        assert np.all(np.diff(trace.regret, axis=1) >= 0)

    def test_runs_share_no_memory(self, id):
        first = duelbench.simulate(id, MSLR, horizon=400, run=1)
        copy = first.duels.copy(), first.regret.copy()
        duelbench.simulate(id, MSLR, horizon=400, run=2)
        assert np.array_equal(first.duels, copy[0]) and np.array_equal(first.regret, copy[1])

    def test_same_seed_same_duels_and_another_run_other_duels(self, id):
        trace = duelbench.simulate(id, MSLR, horizon=2000, seed=3, run=4, shuffle_arms=True)
        assert same(trace, duelbench.simulate(id, MSLR, horizon=2000, seed=3, run=4, shuffle_arms=True))
        other = duelbench.simulate(id, MSLR, horizon=2000, seed=3, run=5, shuffle_arms=True)
        assert not np.array_equal(trace.duels, other.duels)

    def test_sees_duel_outcomes_only(self, id):
        # As long as the outcomes are the same, another matrix changes nothing but the regret.
        certain = np.array(ODD_MATRICES["deterministic order"])
        close = np.where(np.eye(4) == 1, 0.5, np.where(certain == 1, 1 - 1e-12, 1e-12))
        a = duelbench.simulate(id, certain, horizon=600, seed=1)
        b = duelbench.simulate(id, close, horizon=600, seed=1)
        assert np.array_equal(a.duels, b.duels)

    @pytest.mark.parametrize("matrix", ODD_MATRICES)
    @pytest.mark.parametrize("delay", [1, 7])
    def test_copes_with_odd_matrices(self, id, matrix, delay):
        trace = duelbench.simulate(id, ODD_MATRICES[matrix], horizon=3000, shuffle_arms=True, feedback_delay=delay)
        assert trace.duels.sum() == 3000

    def test_copes_with_fewer_rounds_than_pairs(self, id):
        for horizon in (1, 2, 7):
            assert duelbench.simulate(id, MSLR, horizon=horizon).duels.sum() == horizon

    def test_plays_a_horizon_of_a_billion_when_nothing_is_left_to_learn(self, id):
        if id in NEVER_SETTLES:
            pytest.skip(f"{id} takes a decision every round: {NEVER_SETTLES[id]}")
        trace = duelbench.simulate(id, ODD_MATRICES["deterministic order"], horizon=10**9)
        assert trace.duels.sum() == 10**9
        assert trace.decisions < 10**6
        assert trace.duels[0, 0] > 0.99 * 10**9

    @pytest.mark.parametrize("delay", [1, 7])
    def test_standing_decisions_change_nothing(self, id, delay):
        if id in DRAWS_DIFFER:
            pytest.skip(f"{id}: {DRAWS_DIFFER[id]}")
        for matrix in (MSLR, CYCLE, *ODD_MATRICES.values()):
            for run in range(2):
                options = {"horizon": 5000, "run": run, "shuffle_arms": True, "feedback_delay": delay}
                on = duelbench.simulate(id, matrix, **options)
                off = duelbench.simulate(id, matrix, standing_decisions=False, **options)
                assert same(on, off)
                assert off.decisions == 5000 and on.decisions <= 5000

    def test_delayed_feedback_of_one_is_immediate_feedback(self, id):
        a = duelbench.simulate(id, CYCLE, horizon=2000, feedback_delay=1)
        assert same(a, duelbench.simulate(id, CYCLE, horizon=2000))

    def test_learns_nothing_before_the_first_delivery(self, id):
        # Until round 500 no outcome has arrived, so the outcomes cannot matter.
        a = duelbench.simulate(id, MSLR, horizon=500, seed=2, feedback_delay=500)
        b = duelbench.simulate(id, CYCLE, horizon=500, seed=2, feedback_delay=500)
        assert np.array_equal(a.duels, b.duels)

    def test_compiled_equals_interpreted(self, id, interpreted):
        for name, matrix in (("mslr", MSLR), ("cycle", CYCLE)):
            for delay in (1, 5):
                trace = duelbench.simulate(id, matrix, horizon=700, seed=9, shuffle_arms=True, feedback_delay=delay)
                expected = interpreted[f"{id} {name} {delay}"]
                assert [trace.duels.tolist(), trace.regret.tolist(), trace.recommended.tolist()] == expected


@pytest.mark.parametrize("id", ANYTIME)
def test_raising_the_horizon_keeps_what_came_before(id):
    for delay in (1, 10):
        rounds = [1, 10, 100, 777, 1500]
        short = duelbench.simulate(id, MSLR, horizon=1500, checkpoints=rounds, feedback_delay=delay)
        long = duelbench.simulate(id, MSLR, horizon=20000, checkpoints=rounds, feedback_delay=delay)
        assert short.regret.tobytes() == long.regret[:, :5].tobytes()
        assert np.array_equal(short.recommended, long.recommended[:5])


NEVER_SETTLES = {
    "random": "it never learns",
    "uniform": "it never learns",
    "doubler": "its machine explores without end",
    "multisbm": "its machines explore without end",
    "sparring": "its machines explore without end",
    "self-sparring": "it samples without end",
    "vdb": "it draws both arms permanently",
    **dict.fromkeys(("d-exp3", "d-exp3-hp"), "it draws both arms permanently"),
    "ws-w": "winner stays: it never settles for one arm",
    **dict.fromkeys(("btw", "btwr"), "the incumbent meets a challenger in every round"),
    **dict.fromkeys(("detect", "mdb"), "pairs are watched without end"),
    "anaconda": "all arms are replayed without end",
    "wiwr": "all arms have their share of the rounds",
}

DRAWS_DIFFER = {
    "random": "pairs are played from checkpoint to checkpoint at once; see tests/algorithms/test_baselines.py",
    **dict.fromkeys(
        ("d-ts", "d-ts-plus", "d-ts-pure"), "it draws for how long it stands; see tests/algorithms/thompson/test_dts.py"
    ),
    "ccb": "rounds are shared out among several winners at once; see tests/algorithms/test_ccb.py",
    "rcs": "it draws for how long it stands; see tests/algorithms/test_rcs.py",
    "rex3": "it draws for how long it stands; see tests/algorithms/adversarial/test_adversarial.py",
    "interleaved-filter": "a batch of duels is one draw; see tests/algorithms/exploration/test_interleaved_filter.py",
    **dict.fromkeys(("btw", "btwr"), "a batch of duels is one draw; see tests/algorithms/changing/test_btw.py"),
    "detect": "its base draws so; see tests/algorithms/changing/test_detecting.py",
    "anaconda": "replays are drawn ahead; see tests/algorithms/changing/test_anaconda.py",
    "wiwr": "runs of self-duels are one draw; see tests/algorithms/changing/test_wiwr.py",
    **{
        id: f"a batch of duels is one draw; see tests/algorithms/identification/test_{id.replace('-', '_')}.py"
        for id in ("e-elimination", "batched-elimination")
    },
    "scb": "a batch of duels is one draw; see tests/algorithms/test_scb.py",
    "seebs": "a batch of duels is one draw; see tests/algorithms/identification/test_seebs.py",
    "iir": "a batch of duels is one draw; see tests/algorithms/identification/test_iir.py",
    **dict.fromkeys(
        ("pocowista", "tra-pocowista"),
        "a batch of duels is one draw; see tests/algorithms/identification/test_pocowista.py",
    ),
    **dict.fromkeys(
        ("dkwt", "kt-knockout"),
        "a batch of duels is one draw; see tests/algorithms/identification/test_succession.py",
    ),
    **dict.fromkeys(
        ("select", "select-then-verify", "nts", "knockout", "seq-eliminate", "opt-maximize"),
        "a batch of duels is one draw; see tests/algorithms/identification/test_tournaments.py",
    ),
    **dict.fromkeys(("ws-w", "ws-s"), "a batch of duels is one draw; see tests/algorithms/test_winner_stays.py"),
}
"""Algorithms that draw other numbers with standing decisions than without: their laws are compared elsewhere."""

INTERPRETED = """
import json, sys
import duelbench
from tests.conformance.test_every_algorithm import CYCLE, IDS, MSLR
result = {}
for id in IDS:
    for name, matrix in (("mslr", MSLR), ("cycle", CYCLE)):
        for delay in (1, 5):
            trace = duelbench.simulate(id, matrix, horizon=700, seed=9, shuffle_arms=True, feedback_delay=delay)
            result[f"{id} {name} {delay}"] = [trace.duels.tolist(), trace.regret.tolist(), trace.recommended.tolist()]
print(json.dumps(result))
"""


@pytest.fixture(scope="module")
def interpreted():
    """The same runs in a process that compiles nothing."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", INTERPRETED], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_streams_do_not_change():
    # The scheme is fixed permanently: seed, run -> first numbers of the four streams.
    first = [generator.integers(0, 2**63) for generator in streams(20161205, 3)]
    assert [int(x) for x in first] == [
        8215036280278108969,
        7419361919877420822,
        7317457269306683131,
        2446734100694594815,
    ]
    assert len({int(streams(seed, run).duels.integers(0, 2**63)) for seed in range(50) for run in range(50)}) == 2500
