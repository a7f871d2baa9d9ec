"""Decisions that stand for several rounds change no bit of a trace; or no law, where a batch of duels is one draw."""

import pytest

from tests.bandits.algorithms.comparing import assert_standing_decisions_change_no_law
from tests.bandits.algorithms.odd_matrices import MATRICES, assert_standing_decisions_change_no_bit

pytestmark = pytest.mark.thorough

BITS = [
    *[("cw-rmed", 5000, options) for options in ({"beta": 0.0}, {"alpha": 0.7, "beta": 0.05}, {"forced": "loop"})],
    *[("cw-rmed", 5000, options) for options in ({"alpha": 0.3, "beta": 0.0}, {"check": "R-box"})],
    *[("ecw-rmed", 10_000, options) for options in ({"beta": 0.0}, {"alpha": 0.7, "beta": 0.05}, {"check": "E"})],
    *[("ecw-rmed", 10_000, options) for options in ({"check": "R-box"}, {"ties": "index"}, {"forced": "loop"})],
    *[("ecw-rmed", 10_000, {**options, "beta": 0.0}) for options in ({"ties": "index"}, {"forced": "loop"})],
    *[(id, horizon, {}) for id in ("rmed1", "rmed2", "rmed2fh") for horizon in (3, 20_000)],
    *[("rmed1", horizon, {"f_scale": 0.0}) for horizon in (3, 20_000)],
    *[("rmed2", 20_000, options) for options in ({"alpha": 9.0, "f_scale": 0.0}, {"forced": "once", "ratio_sign": -1})],
    *[
        ("sup-klucb", 10_000, options)
        for options in ({"score": "borda"}, {"explore_floor": 1.0}, {"c1": 1.0, "c2": 0.0})
    ],
    ("ccb", 20_000, {}),
]
"""Algorithm, rounds, options."""

SHARED = ("three winners", "cycle", "quarters", "deterministic cycle")
"""Where the winners of CCB share rounds; tests/bandits/algorithms/test_ccb.py compares laws there."""


@pytest.mark.parametrize(("id", "horizon", "options"), BITS)
def test_standing_decisions_change_no_bit_of_a_trace(id, horizon, options):
    matrices = [name for name in MATRICES if id != "ccb" or name not in SHARED]
    for batch in (1, 7) if horizon > 3 else (1,):
        assert_standing_decisions_change_no_bit(id, horizon, matrices, feedback_batch=batch, **options)


CONDORCET, CYCLIC = MATRICES["condorcet winner"], MATRICES["cyclic"]
NEAR_TIE = [[0.5, 0.53, 0.9], [0.47, 0.5, 0.9], [0.1, 0.1, 0.5]]
STEEP = [[0.5, 0.8, 0.9], [0.2, 0.5, 0.8], [0.1, 0.2, 0.5]]
PAIR = [[0.5, 0.9], [0.1, 0.5]]
REX3 = {"horizon": 600, "checkpoints": [40, 150, 600], "gamma": 0.2}
WIWR = {"scale": 1 / 4096, "horizon": 4000, "checkpoints": [30, 300, 1000, 4000]}  # epochs of some dozen rounds
ANACONDA = {"C": 0.05, "rho": 0.3, "horizon": 2000, "checkpoints": [100, 400, 1000, 2000]}

LAWS = [
    ("d-ts", CONDORCET, 2000, {"feedback_batch": 20}),
    ("rcs", CONDORCET, 1500, {}),
    ("rcs", NEAR_TIE, 1500, {}),
    ("rcs", CONDORCET, 1000, {"feedback_batch": 20}),
    ("ws-w", NEAR_TIE, 1200, {}),
    ("ws-s", NEAR_TIE, 1200, {}),
    ("scb", CONDORCET, 700, {"feedback_batch": 20}),
    ("btw", CONDORCET, 600, {}),
    ("btwr", CONDORCET, 600, {}),
    ("detect", CONDORCET, 250, {"base": "btw", "delta": 0.8}),
    ("detect", CONDORCET, 250, {"base": "rucb", "delta": 0.8}),
    ("mdb", CONDORCET, 250, {"base": "rucb", "delta": 0.8}),
    ("mdb", CONDORCET, 250, {"base": "ws-s", "delta": 0.8}),
    ("anaconda", STEEP, 300, ANACONDA),
    *[("wiwr", STEEP, 400, {**WIWR, "feedback_batch": batch}) for batch in (1, 10)],
    *[("rex3", P, 500, {**REX3, "feedback_batch": batch}) for P in (CYCLIC, PAIR) for batch in (1, 9)],
]
"""Algorithm, matrix, runs, options."""


@pytest.mark.parametrize(("id", "P", "runs", "options"), LAWS)
def test_standing_decisions_change_no_distribution(id, P, runs, options):
    assert_standing_decisions_change_no_law(id, P, runs, **options)
