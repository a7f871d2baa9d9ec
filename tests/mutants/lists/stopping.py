"""Faults in stopping rules."""

from tests.mutants.mutant import Mutant

SWAPPED = Mutant(
    "e_condorcet.py",
    "tests.wins[i, j] += wins\n    tests.wins[j, i] += losses",
    "tests.wins[i, j] += losses\n    tests.wins[j, i] += wins",
    "winner swapped",
)
TOLD_SWAPPED = Mutant(
    "told.py",
    "told.wins[i, j] += wins\n    told.wins[j, i] += losses",
    "told.wins[i, j] += losses\n    told.wins[j, i] += wins",
    "winner swapped",
)

E_CONDORCET = [
    SWAPPED,
    Mutant("e_condorcet.py", "log_level=-math.log(delta)", "log_level=-math.log(0.5 * delta)", "delta is halved"),
    Mutant("e_condorcet.py", "rho=1.0 / (n_arms - 1)", "rho=1.0 / n_arms", "rho = 1 / K"),
    Mutant("e_condorcet.py", "        _judge(tests, tests.told[k, 1])\n", "", "one arm of each pair is not judged"),
    Mutant("e_condorcet.py", "        tests.is_told[i, j] = False\n", "", "a pair is told once and no more"),
    Mutant("e_condorcet.py", "        tests.tally[0].n_in -= 1\n", "", "who is out is not counted"),
    Mutant(
        "e_condorcet.py",
        "return high + math.log1p(math.exp(min(evidence, rest) - high))",
        "return high",
        "the lesser part of a sum is left out",
    ),
    Mutant(
        "e_condorcet.py",
        "return min(_losses_left(tests, i, j), _losses_left(tests, j, i))",
        "return max(_losses_left(tests, i, j), _losses_left(tests, j, i))",
        "waits for the arm that is out later",
    ),
    Mutant("e_condorcet.py", "others = _sum_but_one(tests, i, j)", "others = 0.0", "other opponents put nobody out"),
]

GLR_CONDORCET = [
    SWAPPED,
    Mutant("e_condorcet.py", "if wins >= losses:", "if wins <= losses:", "who wins is out"),
    Mutant("e_condorcet.py", "n * kl_to_half(wins / n)", "kl_to_half(wins / n)", "n is left out"),
    Mutant("e_condorcet.py", "- math.log(2.0 * math.sqrt(n))", "- math.log(2.0)", "sqrt n is left out"),
    Mutant("e_condorcet.py", "- math.log(2.0 * math.sqrt(n))", "- math.log(math.sqrt(n))", "2 is left out"),
    Mutant("e_condorcet.py", "n_arms, delta, is_glr=True)", "n_arms, delta, is_glr=False)", "it is e-condorcet"),
]

PAC_CONDORCET = [
    SWAPPED,
    Mutant("pac_condorcet.py", "math.log(2 * n_arms / delta)", "math.log(n_arms / delta)", "all of delta for pairs"),
    Mutant(
        "pac_condorcet.py", "new_tests(n_arms, delta / 2)", "new_tests(n_arms, delta)", "all of delta for e-condorcet"
    ),
    Mutant("pac_condorcet.py", "threshold=0.5 - epsilon", "threshold=0.5", "no epsilon"),
    Mutant(
        "pac_condorcet.py",
        "        _show(tests, exact.told[k, 1], exact.told[k, 0])\n",
        "",
        "one arm of each pair only",
    ),
    Mutant(
        "pac_condorcet.py",
        "if _n_shown(tests, i) == tests.shown.shape[0]:",
        "if _n_shown(tests, i) >= tests.shown.shape[0] - 1:",
        "one opponent need not be shown",
    ),
    Mutant(
        "pac_condorcet.py",
        "return min(fewest, min(_wins_left(tests, i, j), _wins_left(tests, j, i)))",
        "return fewest",
        "waits for e-condorcet alone",
    ),
]

PAIRS = [
    TOLD_SWAPPED,
    Mutant("pairs.py", "n_arms * (n_arms - 1) / 2 / delta", "n_arms * (n_arms - 1) / delta", "pairs counted twice"),
    Mutant("pairs.py", "_decide(tests, j, i)", "_decide(tests, i, j)", "one direction only is ever decided"),
    Mutant("pairs.py", "if b == j or tests.above[j, b]:", "if b == j:", "nothing follows below"),
    Mutant("pairs.py", "if a == i or tests.above[a, i]:", "if a == i:", "nothing follows above"),
    Mutant(
        "pairs.py",
        "others = max(others, n_arms - 1 - _n_beating(tests.beats, i))",
        "others = max(others, _n_beaten(tests.beats, i))",
        "what is open is lost",
    ),
    Mutant("pairs.py", "if n_unbeaten == 0:", "if n_unbeaten < 0:", "it never says that there is no winner"),
    Mutant("pairs.py", "if n_in == tests.k and _are_apart(tests):", "if n_in == tests.k - 1:", "a set with a gap"),
    Mutant("pairs.py", ">= tests.above.shape[0] - tests.k", ">= tests.above.shape[0] - 1", "k is 1"),
    Mutant("pairs.py", "return max(1, fewest)", "return 2 * max(1, fewest)", "waits twice as long"),
]

BORDA = [
    TOLD_SWAPPED,
    Mutant("borda.py", "n_arms * (n_arms - 1) / 2 / delta", "n_arms * (n_arms - 1) / delta", "pairs counted twice"),
    Mutant("borda.py", "lowest / (n_arms - 1)", "lowest / n_arms", "low ends over K"),
    Mutant("borda.py", "loses += tests.low[j, i]", "loses += tests.low[i, j]", "high ends from the wrong side"),
    Mutant("borda.py", "n_forced <= k <= n_forced + n_able", "n_forced <= k", "low ends do not matter"),
    Mutant("borda.py", "if high[i] > bar:", "if high[i] < bar:", "the bar is turned round"),
    Mutant("borda.py", "tests.best_low[i] += risen", "tests.best_low[i] -= risen", "wins bring no end nearer"),
]
