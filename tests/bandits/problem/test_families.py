"""Families of synthetic matrices: each is what its description says, and permanently the same."""

import hashlib
import itertools
import math
import platform
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from duelbench.bandits.problem import winners
from duelbench.bandits.problem.families import FAMILIES, generate
from duelbench.bandits.problem.family import Draws
from duelbench.bandits.problem.labelled import from_upper
from duelbench.bandits.problem.preferences import PreferenceMatrix
from duelbench.errors import InputError

MATRICES = Path(__file__).parents[3] / "matrices"

SMALL = {
    **{name: {} for name in FAMILIES if name not in ("copeland-cycle", "flat", "submatrix")},
    "copeland-cycle": {"n_arms": 12},
    "flat": {"n_arms": 12},
    "submatrix": {"matrix": str(MATRICES / "sushi16.csv"), "n_arms": 6},
}
"""Parameters with which every family is quick."""


def test_every_family_is_antisymmetric_refuses_absurd_sizes_and_draws_its_own_numbers_from_the_seed():
    for name, entry in FAMILIES.items():
        parameters = SMALL[name] | ({"distribution": "uniform"} if name == "copeland-cycle" else {})
        matrix = generate(name, seed=3 * entry.is_random, **parameters)
        assert (matrix.P + matrix.P.T == 1).all()
        if entry.is_random:
            again, other = (generate(name, seed=seed, **parameters) for seed in (3, 4))
            assert matrix.sha256 == again.sha256 != other.sha256, name
        if "n_arms" in entry.parameters:
            assert generate(name, **{**SMALL[name], "n_arms": 5}).n_arms == 5
            tracemalloc.start()
            with pytest.raises(InputError, match="n_arms must be <= 4096"):
                generate(name, **{**SMALL[name], "n_arms": 10**6})
            assert tracemalloc.get_traced_memory()[1] < 2**20
            tracemalloc.stop()
    assert len({tuple(Draws(name, 7).uniform(4)) for name in FAMILIES}) == len(FAMILIES)


HARD = {"n_arms": 30}
CYCLE = {"n_arms": 8, "n_winners": 5, "p_cycle": 0.7, "p_top": 0.8, "p_rest": 0.9}
PAIR = {"n_arms": 2}
SPREAD = {"utilities": [300, -299, -300]}
LOGISTIC = 1 / (1 + math.exp(-1))
# Family, parameters, i, j and p_ij, worked out by hand.
ENTRIES = [
    ("linear", {"n_arms": 7}, 1, 4, 0.5 + 3 / 28),
    ("arithmetic", {"n_arms": 5}, 0, 4, 0.7),
    ("flat", {"n_arms": 5}, 2, 3, 0.6),
    ("hard-condorcet", HARD, 0, 1, 0.5 + 2 / 60),
    ("hard-condorcet", HARD, 3, 29, 1.0),
    ("mallows", PAIR | {"phi": 0.25}, 0, 1, 1 / 1.25),
    ("mallows", {"n_arms": 3, "phi": 0.5}, 0, 2, (1 + 0.5 + 0.5) / (1 + 0.5 + 0.5 + 0.25 + 0.25 + 0.125)),
    ("plackett-luce", {"weights": [0.5, 3, 1]}, 1, 0, 3 / 3.5),
    ("bradley-terry", {"utilities": [1.5, 0, -2, 0.5]}, 3, 0, 1 / (1 + math.exp(1))),
    ("bradley-terry", {"n_arms": 3, "distribution": "even", "scale": 2}, 0, 1, LOGISTIC),
    ("bradley-terry", SPREAD, 0, 1, 1.0),  # neither overflows nor ties
    ("bradley-terry", SPREAD, 1, 2, LOGISTIC),
    ("cyclic-blocks", {"sizes": [3, 5, 1]}, 3, 5, 0.9),
    ("cyclic-blocks", {"sizes": [3, 5, 1]}, 7, 4, 0.9),
    ("cyclic-blocks", {"sizes": [3, 5, 1]}, 3, 6, 0.1),
    ("copeland-cycle", {}, 2, 0, 0.6),
    ("copeland-cycle", CYCLE, 0, 2, 0.7),
    ("copeland-cycle", CYCLE, 0, 3, 0.3),
    ("copeland-cycle", CYCLE, 4, 5, 0.8),
    ("copeland-cycle", CYCLE, 5, 7, 0.9),
    ("utility", {"link": "linear"}, 0, 5, (1 + 0.8 - 0.2) / 2),
    ("utility", {"link": "natural", "instance": "geom"}, 0, 5, 0.8 / (0.8 + 0.2)),
    ("utility", {"link": "logit"}, 0, 5, 1 / (1 + math.exp(0.2 - 0.8))),
    ("utility", {"utilities": [1.0, 0.5, 0.0]}, 0, 1, 0.75),
]


def test_entries_are_those_worked_out_by_hand():
    for name, parameters, i, j, expected in ENTRIES:
        assert abs(generate(name, **parameters).P[i, j] - expected) < 2**-50, (name, parameters)


def test_arms_beat_as_many_others_as_the_family_says():
    for name, parameters, beaten in (
        ("cyclic-blocks", {"sizes": [3, 5, 1]}, [1 + 6] * 3 + [2 + 1] * 5 + [0]),
        ("copeland-cycle", {}, [498, 498, 498, *range(496, -1, -1)]),
        ("copeland-cycle", CYCLE, [2 + 3] * 5 + [2, 1, 0]),
        (
            "copeland-cycle",
            {"n_arms": 8, "n_winners": 5, "distribution": "uniform", "seed": 3},
            [2 + 3] * 5 + [2, 1, 0],
        ),
    ):
        assert winners.inferior_counts(generate(name, **parameters)).tolist() == beaten
    for name, parameters, file in (("arithmetic", {}, "arithmetic8"), ("cyclic-blocks", {"sizes": [1, 3]}, "cyclic")):
        assert np.abs(generate(name, **parameters).P - PreferenceMatrix.load(file).P).max() < 1e-15


def test_random_entries_are_the_described_words_and_drawn_until_they_are_as_asked():
    key = [int(hashlib.sha256(b"duelbench family random").hexdigest()[k : k + 8], 16) for k in (0, 8, 16)]
    raw = np.random.PCG64(np.random.SeedSequence(1, spawn_key=key)).random_raw(6 * 200)
    drawn = [from_upper(4, u) for u in (raw // 2**11 / 2**53).reshape(200, 6)]
    for asked, holds in {
        "any": lambda P: True,
        "unique": lambda P: len(winners.copeland_winners(P)) == 1,
        "several": lambda P: len(winners.copeland_winners(P)) > 1,
        "condorcet": lambda P: winners.condorcet_winner(P) is not None,
        "no-condorcet": lambda P: winners.condorcet_winner(P) is None,
    }.items():
        first = next(P for P in drawn if holds(P))
        assert (first == generate("random", n_arms=4, winners=asked, seed=1).P).all(), asked
    for seed in range(10):
        assert winners.min_gap(generate("random", n_arms=7, min_gap=0.499, seed=seed)) >= 0.499 - 2**-53


def test_a_submatrix_is_of_a_random_subset_with_the_numbers_and_names_of_its_file():
    one_by_one, at_once, plain = (Draws("submatrix", 5) for _ in range(3))
    expected = [one_by_one.subsets(4, 9, 1)[0].tolist() for _ in range(30)]
    assert at_once.subsets(4, 9, 10).tolist() + at_once.subsets(4, 9, 20).tolist() == expected
    order = list(range(9))
    for k, u in enumerate(plain.uniform(4).tolist()):
        other = k + int(u * (9 - k))
        order[k], order[other] = order[other], order[k]
    assert sorted(order[:4]) == expected[0]

    part = generate("submatrix", **{**SUSHI6, "min_gap": 0.03}, seed=4)
    arms = [int(name) for name in part.names]
    assert arms == sorted(arms) and winners.min_gap(part) >= 0.03
    assert (PreferenceMatrix.load("sushi16").P[np.ix_(arms, arms)] == part.P).all()
    file = str(MATRICES / "noncondorcet-cyclic.csv")
    for seed, asked in itertools.product(range(5), ("condorcet", "no-condorcet")):
        some = generate("submatrix", matrix=file, n_arms=4, winners=asked, seed=seed)
        assert (winners.condorcet_winner(some) is not None) == (asked == "condorcet")


SUSHI6 = {"matrix": str(MATRICES / "sushi16.csv"), "n_arms": 6, "min_gap": 0.02}
PINNED = [
    ("linear", {}, 0, "d04f68d7930234bd"),
    ("arithmetic", {}, 0, "8740ddc054984463"),
    ("flat", {}, 0, "c32e91b82c6ae797"),
    ("random-order", {}, 7, "3477d6224acf1a37"),
    ("hard-condorcet", {}, 0, "61350136124ca927"),
    ("hard-condorcet", {"zero_based": True}, 0, "9f77f021f84d98bc"),
    ("plackett-luce", {"weights": [4, 2, 1]}, 0, "bdbe9a47ab13168c"),
    ("mallows", {}, 0, "1207c9560bb0ccdb"),
    ("cyclic-blocks", {}, 0, "6e3eebc44bd9cfd0"),
    ("copeland-cycle", {}, 0, "ed8109e5a4706e5f"),
    ("copeland-cycle", {"distribution": "uniform", "n_arms": 50}, 7, "4d72939646a208e5"),
    ("random", {}, 7, "44d95b8004371b28"),
    ("random", {"winners": "unique", "n_arms": 36}, 7, "2abb3db0405a6520"),
    ("random", {"min_gap": 0.1}, 7, "ba7594c54205670d"),
    ("utility", {}, 0, "f745470af0b484e5"),
    ("utility", {"instance": "geom", "link": "natural"}, 0, "cc5899196dee9001"),
    ("submatrix", SUSHI6, 7, "e90e9cc08e5699dc"),
]
"""Family, parameters, seed and the beginning of the SHA-256: exact, so the same on every machine."""


C_LIBRARY = [
    ("bradley-terry", {}, 7, [0.7023091146229409, 0.7118357418384187, 0.7282768827908673], "3c0f44e5795a3fa5"),
    ("bradley-terry", {"distribution": "uniform"}, 7, [0.5443840596169276, 0.5479449493019076], "0404d5870de57d53"),
    ("bradley-terry", {"distribution": "even"}, 0, [0.5166604965694114, 0.5332840382511314], "2a82c1c61723ee6b"),
    ("plackett-luce", {}, 7, [0.5081582956048427, 0.5613449782184228], "3fb597889a1ad95d"),
]


def test_a_family_with_its_parameters_and_seed_is_the_same_without_end():
    for name, parameters, seed, sha256 in PINNED:
        assert generate(name, seed=seed, **parameters).sha256.startswith(sha256), (name, parameters)
    for name, parameters, seed, first, sha256 in C_LIBRARY:  # others may differ in the last digit
        matrix = generate(name, seed=seed, **parameters)
        assert matrix.P[0, 1 : 1 + len(first)].tolist() == pytest.approx(first, abs=1e-14)
        if platform.libc_ver()[0] == "glibc" and platform.machine() in ("x86_64", "aarch64"):
            assert matrix.sha256.startswith(sha256)


WRONG = [
    ("lineal", {}, "'linear'"),
    ("linear", {"slop": 0.1}, "'slope'"),
    ("linear", {"n_arms": 2.5}, "whole number"),
    ("linear", {"seed": 3}, "draws nothing"),
    ("random", {"seed": -1}, "seed is a whole number"),
    ("arithmetic", {"n_arms": 12}, "step is at most"),
    ("random-order", {"low": 0.9, "high": 0.8}, "low is at most high"),
    ("cyclic-blocks", {"sizes": [4095] * 4096}, "sizes add up to 16773120"),
    ("copeland-cycle", {"n_winners": 4}, "n_winners is odd"),
    ("utility", {"utilities": [0.5, 0.0], "link": "natural"}, "'natural' needs utilities above 0"),
    ("bradley-terry", {"utilities": [1, 2], "n_arms": 3}, "2 utilities, but n_arms=3"),
    ("plackett-luce", {"weights": [1, float("nan")]}, "a number, got nan"),
    ("submatrix", {"matrix": str(MATRICES / "cyclic.csv")}, "n_arms=16, but .* has 4 arms"),
    ("random", {"n_arms": 40, "winners": "condorcet"}, "none of 10000 matrices drawn"),
    ("submatrix", {**SUSHI6, "min_gap": 0.4}, "none of 100000 random sets"),
]


def test_a_wrong_parameter_is_named():
    for name, parameters, message in WRONG:
        with pytest.raises(InputError, match=message):
            generate(name, **parameters)
