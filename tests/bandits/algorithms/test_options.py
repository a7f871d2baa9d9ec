"""Duels are the transcription's with options that the games of `tests.conformance` leave at their defaults, too."""

from functools import partial

import numpy as np
import pytest

from duelbench.bandits.algorithms import registry
from duelbench.bandits.kernels.confidence_bounds import MANY
from tests.bandits.algorithms.comparing import assert_same_duels
from tests.bandits.algorithms.odd_matrices import MATRICES
from tests.conformance.games import ORACLES
from tests.conformance.literal import ecw_rmed
from tests.conformance.literal.by_hand import CIRCLE

ALL = tuple(MATRICES)
SOME = ("condorcet winner", "three winners")
NO_WINNER = ("cycle", "cyclic", "all equal")
MORE = {
    "circle": CIRCLE,
    "nine arms": 0.5 + 0.05 * (np.arange(9)[None, :] - np.arange(9)[:, None]),
    # Of twenty arms the lowest scores are eliminated, after some 30 sweeps, long before all pairs are decided.
    "twenty arms": np.triu(np.full((20, 20), 0.98), 1) + np.tril(np.full((20, 20), 0.02), -1) + 0.5 * np.eye(20),
    "many arms": 0.5 + 0.02 * (np.arange(MANY + 3)[None, :] - np.arange(MANY + 3)[:, None]),
    "many steep arms": 0.5 + 0.47 * np.sign(np.arange(MANY + 3)[None, :] - np.arange(MANY + 3)[:, None]),
}

SETTINGS = [
    ("rmed1", ALL, 120, {"f_scale": 0.0}),
    ("rmed1", ALL, 120, {"f_scale": 2.0, "f_exponent": 0.5}),
    ("rmed2", ALL, 120, {"alpha": 12.0}),
    ("rmed2", ALL, 120, {"floor": 0.01, "alpha": 1.0}),
    ("rmed2fh", ALL, 120, {"alpha": 12.0}),
    ("rmed2fh", ALL, 120, {"floor": 0.01, "alpha": 1.0}),
    ("ecw-rmed", ALL, 80, {"beta": 0.0}),
    ("ecw-rmed", ALL, 80, {"alpha": 0.7, "beta": 0.05}),
    ("ecw-rmed", ALL, 80, {"check": "E"}),
    ("ecw-rmed", ALL, 80, {"check": "R-box"}),
    ("ecw-rmed", ALL, 80, {"ties": "index"}),
    ("ecw-rmed", ALL, 80, {"ties": "index", "beta": 0.0}),
    ("cw-rmed", ALL, 60, {"beta": 0.0}),
    ("cw-rmed", ALL, 60, {"alpha": 0.7, "beta": 0.05}),
    ("cw-rmed", ALL, 60, {"alpha": 0.3, "beta": 0.0}),
    ("vdb", SOME, 500, {"estimator": "iw"}),  # no longer: a rounding error doubles every 35 rounds or so
    ("vdb", SOME, 500, {"single": True}),
    ("vdb", SOME, 500, {"estimator": "iw", "single": True}),
    ("rcs", SOME, 400, {"fallback": "fewest"}),
    ("rcs", SOME, 400, {"fallback": "fewest-fallbacks"}),
    ("ws-s", SOME, 600, {"beta_ws": 1.5}),
    ("btm", SOME, 800, {"const": 0.2, "gamma": 1.3, "self_duels": False}),
    ("interleaved-filter", SOME, 800, {"variant": "if1"}),
    ("sup-klucb", SOME, 300, {"explore_floor": 1.5}),
    ("sup-klucb", SOME, 300, {"c1": 0.5, "c2": 0.1}),
    ("sup-klucb", SOME, 300, {"c1": 0.0, "c2": 0.0}),
    ("scb", SOME, 800, {"preset": "wu"}),
    ("scb", SOME, 800, {"reuse_stats": True}),
    ("scb", ("twenty arms",), 8000, {}),
    ("scb", ("twenty arms",), 4000, {"preset": "wu"}),
    ("pbr-copeland", (*NO_WINNER, "circle"), 700, {"rule": "tight", "delta": 0.99}),
    ("rankel-copeland", NO_WINNER, 500, {"delta": 0.99, "eps": 0.05}),
    ("rankel-copeland", NO_WINNER, 500, {"delta": 0.99, "eps": 0.2, "rho": 2}),
    ("rankel-copeland", NO_WINNER, 500, {"delta": 0.99, "rho": 4}),
    ("mergerucb", ("nine arms",), 500, {"lerot_compat": True}),
    ("mergerucb", ("nine arms",), 500, {"alpha": 0.6, "batch_size": 2, "delta": 0.5}),
    ("mergerucb", ("nine arms",), 500, {"alpha": 0.7, "batch_size": 3}),
    ("merge-dts", ("nine arms",), 500, {"alpha": 0.2, "offset": 100.0, "batch_size": 3}),
    ("rucb", ("many arms",), 400, {}),
    ("ccb", ("many steep arms",), 1000, {}),
]
"""Algorithm, matrices, rounds, options."""

RENAMED = {
    "f_scale": "f_factor",
    "fallback": "chi",
    "offset": "C",
    "self_duels": "own_opponent",
    "variant": "prune",
    "fewest": "all",
    "fewest-fallbacks": "fallback",
    "if1": False,
}
"""Names of options, and of their values, that a transcription calls otherwise."""


def transcription(id, options):
    """What makes the oracle of an algorithm with these options."""
    given = {RENAMED.get(name, name): RENAMED.get(str(value), value) for name, value in options.items()}
    if given.get("check") != "R-box":
        return partial(ORACLES[id].make, **given)

    def boxed(n_arms, horizon, rng):
        made = ecw_rmed.ECWRMED(n_arms, horizon, rng)
        made.confident = lambda p, G, i, log_t: ecw_rmed.confident(p, G, i, log_t) and G.max() <= log_t
        return made

    return boxed


@pytest.mark.parametrize(("id", "matrices", "rounds", "options"), SETTINGS)
def test_plays_the_same_duels_as_the_literal_transcription(id, matrices, rounds, options):
    for name in matrices:
        P = {**MATRICES, **MORE}[name]
        standing = ORACLES[id].standing
        assert_same_duels(registry.get(id), transcription(id, options), P, 1, rounds, standing, **options)
