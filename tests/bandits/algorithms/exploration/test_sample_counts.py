"""How long algorithms explore that commit in the end: published counts, and growth of regret with the horizon."""

import math

import numpy as np
import pytest

import duelbench

pytestmark = pytest.mark.thorough

PUBLISHED = {
    ("savage-copeland", "accept", "empty"): {
        "multisol": (1711, 21),
        "cyclic": (4681, 145),
        "strong-borda": (24733, 602),
    },
    ("savage-copeland", "accept", "singleton"): {
        "multisol": (1666, 40),
        "cyclic": (4545, 188),
        "strong-borda": (24294, 479),
    },
    ("savage-condorcet", "nested", True): {"cyclic": (1977, 74), "strong-borda": (6302, 278)},
    ("pbr-copeland", "rule", "paper"): {"multisol": (1777, 32), "cyclic": (4811, 219), "strong-borda": (26027, 581)},
    ("pbr-copeland", "rule", "tight"): {"multisol": (1732, 32), "cyclic": (5006, 162), "strong-borda": (24766, 728)},
    ("rankel-copeland", "rho", 1): {"multisol": (4236, 111), "cyclic": (7677, 215), "strong-borda": (40937, 927)},
}
"""Mean and standard error of 20 runs of another program, T = 10^6, delta = 1 / T."""


@pytest.mark.parametrize(("id", "option", "value"), PUBLISHED)
def test_explores_as_long_as_a_straightforward_program(id, option, value):
    for name, (mean, error) in PUBLISHED[id, option, value].items():
        lengths = []
        for run in range(80):
            options = {"horizon": 10**6, "seed": 21, "run": run, "shuffle_arms": True, "checkpoints": 1, option: value}
            trace = duelbench.simulate(id, duelbench.PreferenceMatrix.load(name), **options)
            lengths.append(10**6 - int(np.trace(trace.duels)))
            assert trace.recommended[-1] in ((0, 1, 2) if name == "multisol" else (0,))
        ours = np.std(lengths, ddof=1) / math.sqrt(len(lengths))
        assert abs(np.mean(lengths) - mean) < 4 * math.hypot(ours, error)


@pytest.mark.parametrize(
    ("id", "name", "regret", "horizon"),
    [
        # Of the radius, ln(2 K^2 (2T)^2) / ln(2 K^2 T^2) = 1.05; of RankEl, with n^4 in it, 1.02; of BTM 1.06.
        ("pbr-copeland", "cyclic", "copeland", 10**5),
        ("rankel-copeland", "cyclic", "copeland", 10**5),
        ("savage-borda", "strong-borda", "borda", 10**5),
        ("btm", "order", "copeland", 2 * 10**4),
    ],
)
def test_regret_grows_like_the_logarithm_of_the_horizon(id, name, regret, horizon):
    order = np.where(np.triu(np.ones((4, 4)), 1) > 0, 0.9, np.where(np.eye(4) > 0, 0.5, 0.1))
    P = order if name == "order" else duelbench.PreferenceMatrix.load(name)

    def mean_regret(T):
        options = {"shuffle_arms": True, "regret": regret, "checkpoints": 1}
        return np.mean([duelbench.simulate(id, P, horizon=T, run=run, **options).regret[0, -1] for run in range(150)])

    assert 0.95 < mean_regret(2 * horizon) / mean_regret(horizon) < 1.2
