"""Families of synthetic matrices: each is what its description says, and permanently the same."""

import itertools
import math
import platform
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from duelbench.errors import InputError
from duelbench.problem import winners
from duelbench.problem.families import AILON, FAMILIES, family, generate
from duelbench.problem.family import Draws
from duelbench.problem.preferences import PreferenceMatrix
from duelbench.problem.upper_triangle import from_upper

MATRICES = Path(__file__).parents[2] / "matrices"

SMALL = {
    **{name: {} for name in FAMILIES if name not in ("copeland-cycle", "flat", "submatrix")},
    "copeland-cycle": {"n_arms": 12},
    "flat": {"n_arms": 12},
    "submatrix": {"matrix": str(MATRICES / "sushi16.csv"), "n_arms": 6},
}
"""Parameters with which every family is quick."""

LINEAR_ORDERS = ("linear", "arithmetic", "flat", "random-order", "hard-condorcet", "bradley-terry", "mallows")


def test_every_family_is_antisymmetric_has_n_arms_and_describes_itself():
    for name in FAMILIES:
        P = generate(name, **SMALL[name]).P
        assert (P + P.T == 1).all()
        entry = family(name)
        assert entry.name == name and len(entry.description) > 30 and entry.source
        assert all(parameter.description for parameter in entry.parameters.values())
        defaults = entry.resolve({"matrix": "x.csv"} if name == "submatrix" else {})
        assert entry.label(defaults, 0).startswith(name)
        if "n_arms" in entry.parameters:
            for n_arms in (3 if name == "copeland-cycle" else 2, 7):
                assert generate(name, **{**SMALL[name], "n_arms": n_arms}).n_arms == n_arms


def test_in_a_linear_order_every_arm_beats_the_arms_after_it():
    for name in LINEAR_ORDERS:
        matrix = generate(name, **SMALL[name])
        assert winners.inferior_counts(matrix).tolist() == list(range(matrix.n_arms - 1, -1, -1))


FORMULAS = {
    "linear": ({"n_arms": 7}, lambda i, j: Fraction(1, 2) + Fraction(j - i, 28)),
    "arithmetic": ({"n_arms": 5}, lambda i, j: Fraction(1, 2) + Fraction(j - i, 20)),
    "flat": ({"n_arms": 5}, lambda i, j: Fraction(6, 10)),
    "hard-condorcet": ({"n_arms": 30}, lambda i, j: Fraction(1, 2) + Fraction(j + 1, 60)),
}


def test_entries_follow_their_formula_to_the_last_digit_but_one():
    for name, (parameters, formula) in FORMULAS.items():
        P = generate(name, **parameters).P
        for i, j in itertools.combinations(range(len(P)), 2):
            assert abs(Fraction(P[i, j]) - formula(i, j)) < Fraction(1, 2**52)
            assert Fraction(P[i, j]) + Fraction(P[j, i]) == 1


def test_families_make_matrices_that_ship():
    for name, parameters, file in (("arithmetic", {}, "arithmetic8"), ("cyclic-blocks", {"sizes": [1, 3]}, "cyclic")):
        shipped = PreferenceMatrix.load(MATRICES / f"{file}.csv").P
        assert np.abs(generate(name, **parameters).P - shipped).max() < 1e-15


def test_in_cyclic_blocks_an_arm_beats_half_its_block_and_all_later_ones():
    matrix = generate("cyclic-blocks", sizes=[3, 5, 1])
    assert winners.inferior_counts(matrix).tolist() == [1 + 6] * 3 + [2 + 1] * 5 + [0]
    assert winners.copeland_winners(matrix) == (0, 1, 2)
    assert matrix.P[3, [4, 5, 6, 7]].round(6).tolist() == [0.9, 0.9, 0.1, 0.1]
    assert matrix.P[7, [3, 4, 5, 6]].round(6).tolist() == [0.9, 0.9, 0.1, 0.1]


def test_the_500_armed_instance_has_the_scores_that_are_known_of_it():
    matrix = generate("copeland-cycle")
    assert winners.inferior_counts(matrix).tolist() == [498, 498, 498, *range(496, -1, -1)]
    assert (matrix.P[0, 1], matrix.P[1, 2], matrix.P[2, 0]) == (0.6, 0.6, 0.6)


def test_the_probabilities_of_the_copeland_cycle_can_be_chosen_or_drawn():
    fixed = generate("copeland-cycle", n_arms=8, n_winners=5, p_cycle=0.7, p_top=0.8, p_rest=0.9)
    assert winners.inferior_counts(fixed).tolist() == [2 + 3] * 5 + [2, 1, 0]
    assert (fixed.P[0, 2], fixed.P[0, 3].round(6), fixed.P[4, 5], fixed.P[5, 7]) == (0.7, 0.3, 0.8, 0.9)
    drawn = generate("copeland-cycle", n_arms=8, n_winners=5, law="uniform", seed=3)
    assert ((drawn.P > 0.5) == (fixed.P > 0.5)).all()
    assert len(set(np.maximum(drawn.P, drawn.P.T)[np.triu_indices(8, 1)])) == 28


def test_mallows_marginals_are_those_of_all_orders():
    phi, n_arms = 0.37, 4
    weight = np.zeros((n_arms, n_arms))
    for order in itertools.permutations(range(n_arms)):
        inversions = sum(a > b for a, b in itertools.combinations(order, 2))
        for before, after in itertools.combinations(order, 2):
            weight[before, after] += phi**inversions
    expected = weight / (weight + weight.T + np.eye(n_arms)) + 0.5 * np.eye(n_arms)
    assert np.abs(generate("mallows", n_arms=n_arms, phi=phi).P - expected).max() < 1e-15


def test_plackett_luce_marginals_are_those_of_all_orders():
    weights = (0.5, 3.0, 1.0, 2.0)
    before = np.zeros((4, 4))
    for order in itertools.permutations(range(4)):
        probability, left = 1.0, sum(weights)
        for arm in order:
            probability *= weights[arm] / left
            left -= weights[arm]
        for i, j in itertools.combinations(order, 2):
            before[i, j] += probability
    P = generate("plackett-luce", weights=weights).P
    assert np.abs(P - before - 0.5 * np.eye(4)).max() < 1e-14


def test_bradley_terry_is_the_logistic_function_of_utilities():
    P = generate("bradley-terry", utilities=[1.5, 0.0, -2.0, 0.25]).P
    for i, j in itertools.product(range(4), repeat=2):
        u = (1.5, 0.0, -2.0, 0.25)
        assert P[i, j] == pytest.approx(1 / (1 + math.exp(u[j] - u[i])), abs=1e-15)
    even = generate("bradley-terry", n_arms=3, law="even", scale=2.0).P
    assert even[0, 1] == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-15)


def test_extreme_utilities_neither_overflow_nor_tie():
    P = generate("bradley-terry", utilities=[300.0, -299.0, -300.0]).P
    assert (P[0, 1], P[0, 2]) == (1.0, 1.0)
    assert P[1, 2] == pytest.approx(1 / (1 + math.exp(-1)), abs=1e-15)


@pytest.mark.parametrize(
    ("link", "expected"),
    [("linear", (1 + 0.8 - 0.2) / 2), ("natural", 0.8 / (0.8 + 0.2)), ("logit", 1 / (1 + math.exp(0.2 - 0.8)))],
)
def test_utilities_of_ailon_and_their_links(link, expected):
    for instance, utilities in AILON.items():
        P = generate("utility", instance=instance, link=link).P
        assert P[0, 5] == pytest.approx(expected, abs=1e-15)
        assert [i for i in range(6) if P[0, i] == 0.5] == [i for i in range(6) if utilities[i] == 0.8]
    assert generate("utility", utilities=[1.0, 0.5, 0.0]).P[0].tolist() == [0.5, 0.75, 1.0]


def words(name: str, seed: int, count: int) -> np.ndarray:
    """The uniform numbers as the documentation describes them, without the code under test."""
    import hashlib

    digest = hashlib.sha256(f"duelbench family {name}".encode()).hexdigest()
    key = tuple(int(digest[k : k + 8], 16) for k in (0, 8, 16))
    raw = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)).random_raw(count)
    return np.array([int(word) // 2**11 / 2**53 for word in raw])


def test_random_entries_are_the_described_words_in_lexicographic_order():
    u = words("random", 7, 3)
    P = generate("random", n_arms=3, seed=7).P
    assert np.abs([P[0, 1], P[0, 2], P[1, 2]] - u).max() < 2**-53


def test_random_matrices_are_drawn_until_the_winners_are_as_asked():
    matrices = [words("random", 1, 6 * 200).reshape(200, 6)[k] for k in range(200)]
    for asked, holds in {
        "unique": lambda P: len(winners.copeland_winners(P)) == 1,
        "several": lambda P: len(winners.copeland_winners(P)) > 1,
        "condorcet": lambda P: winners.condorcet_winner(P) is not None,
        "no-condorcet": lambda P: winners.condorcet_winner(P) is None,
    }.items():
        first = next(P for u in matrices if holds(P := from_upper(4, u)))
        assert (first == generate("random", n_arms=4, winners=asked, seed=1).P).all()


@pytest.mark.parametrize(("n_arms", "min_gap"), [(2, 0.0), (7, 0.1), (12, 0.499)])
def test_no_random_gap_is_smaller_than_asked(n_arms, min_gap):
    for seed in range(10):
        P = generate("random", n_arms=n_arms, min_gap=min_gap, seed=seed).P
        assert winners.min_gap(P) >= min_gap - 2**-53


def test_subsets_are_the_same_drawn_at_once_or_one_by_one():
    one_by_one = Draws("submatrix", 5)
    expected = [one_by_one.subset(4, 9).tolist() for _ in range(30)]
    at_once = Draws("submatrix", 5)
    assert at_once.subsets(4, 9, 10).tolist() + at_once.subsets(4, 9, 20).tolist() == expected
    rng = Draws("submatrix", 5)
    order = list(range(9))
    for k, u in enumerate(rng.uniform(4).tolist()):
        other = k + int(u * (9 - k))
        order[k], order[other] = order[other], order[k]
    assert sorted(order[:4]) == expected[0]


def test_a_submatrix_fulfils_its_conditions_and_keeps_the_numbers_and_names_of_its_file():
    whole = PreferenceMatrix.load(MATRICES / "sushi16.csv")
    part = generate("submatrix", matrix=str(MATRICES / "sushi16.csv"), n_arms=6, min_gap=0.03, seed=4)
    arms = [int(name) for name in part.names]
    assert arms == sorted(arms)
    assert (whole.P[np.ix_(arms, arms)] == part.P).all()
    assert winners.min_gap(part) >= 0.03
    file = str(MATRICES / "noncondorcet-cyclic.csv")
    for seed in range(5):
        some = generate("submatrix", matrix=file, n_arms=4, winners="condorcet", seed=seed)
        assert winners.condorcet_winner(some) is not None
        none = generate("submatrix", matrix=file, n_arms=4, winners="no-condorcet", seed=seed)
        assert winners.condorcet_winner(none) is None


def test_a_seed_gives_one_matrix_another_seed_another_and_families_of_equal_seed_share_no_numbers():
    for name in [name for name in FAMILIES if FAMILIES[name].is_random]:
        parameters = {**SMALL[name], **({"law": "uniform"} if name == "copeland-cycle" else {})}
        first, again, other = (generate(name, seed=seed, **parameters).sha256 for seed in (3, 3, 4))
        assert first == again != other
    assert len({tuple(Draws(name, 7).uniform(4)) for name in FAMILIES}) == len(FAMILIES)


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
    ("copeland-cycle", {"law": "uniform", "n_arms": 50}, 7, "4d72939646a208e5"),
    ("random", {}, 7, "44d95b8004371b28"),
    ("random", {"winners": "unique", "n_arms": 36}, 7, "2abb3db0405a6520"),
    ("random", {"min_gap": 0.1}, 7, "ba7594c54205670d"),
    ("utility", {}, 0, "f745470af0b484e5"),
    ("utility", {"instance": "geom", "link": "natural"}, 0, "cc5899196dee9001"),
    ("submatrix", SUSHI6, 7, "e90e9cc08e5699dc"),
]
"""Family, parameters, seed and the beginning of the SHA-256: exact arithmetic, so the same on every machine."""


def test_a_family_with_its_parameters_and_seed_is_the_same_without_end():
    for name, parameters, seed, sha256 in PINNED:
        assert generate(name, seed=seed, **parameters).sha256.startswith(sha256), (name, parameters)


PINNED_WITH_THE_C_LIBRARY = [
    ("bradley-terry", {}, 7, [0.7023091146229409, 0.7118357418384187, 0.7282768827908673], "3c0f44e5795a3fa5"),
    ("bradley-terry", {"law": "uniform"}, 7, [0.5443840596169276, 0.5479449493019076], "0404d5870de57d53"),
    ("bradley-terry", {"law": "even"}, 0, [0.5166604965694114, 0.5332840382511314], "2a82c1c61723ee6b"),
    ("plackett-luce", {}, 7, [0.5081582956048427, 0.5613449782184228], "3fb597889a1ad95d"),
]


@pytest.mark.parametrize(("name", "parameters", "seed", "first", "sha256"), PINNED_WITH_THE_C_LIBRARY)
def test_logarithms_and_exponentials_differ_in_the_last_digit_at_most(name, parameters, seed, first, sha256):
    matrix = generate(name, seed=seed, **parameters)
    assert matrix.P[0, 1 : 1 + len(first)].tolist() == pytest.approx(first, abs=1e-14)
    if platform.libc_ver()[0] == "glibc" and platform.machine() == "x86_64":
        assert matrix.sha256.startswith(sha256)


def test_absurd_sizes_are_refused_before_anything_is_allocated():
    tracemalloc.start()
    for name in [name for name in FAMILIES if "n_arms" in FAMILIES[name].parameters]:
        with pytest.raises(InputError, match="n_arms must be <= 4096"):
            generate(name, **{**SMALL[name], "n_arms": 10**6})
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
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
    ],
)
def test_a_wrong_parameter_is_named(name, parameters, message):
    with pytest.raises(InputError, match=message):
        generate(name, **parameters)
