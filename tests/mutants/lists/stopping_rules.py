"""Faults in algorithms: stopping rules."""

MUTANTS = {
    "e-bets": {
        "e_bets.py": [
            ("wins * math.log1p(-stake_on_i)\n", "wins * math.log1p(stake_on_i)\n", "wins are paid like losses"),
            (".belief[s, j] * (first / probability)", ".belief[s, j] * first", "moment without its condition"),
            ("winner, loser] + 0.5 * c) / (n +", "loser, winner] + 0.5 * c) / (n +", "likelihood of the other outcome"),
            ("j, i] = math.log(2.0 * probability)", "i, j] = math.log(2.0 * probability)", "winner and loser swapped"),
            ("        if a != i:\n            total", "        if True:\n            total", "i may win"),
        ],
    },
    "e-condorcet": {
        "duels.py": [
            ("] += wins\n    duels.wins[j, i] += losses", "] += losses\n    duels.wins[j, i] += wins", "swapped"),
            (
                "k, 0], duels.pairs[k, 1]] = False\n",
                "k, 0], duels.pairs[k, 1]]\n",
                "a pair counts only once",
            ),
        ],
        "e_condorcet.py": [
            ("log_level=-math.log(delta)", "log_level=-math.log(0.5 * delta)", "delta is halved"),
            ("rho=1.0 / (n_arms - 1)", "rho=1.0 / n_arms", "rho = 1 / K"),
            ("        _test(tests, duels.pairs[k, 1])\n", "", "one arm of each pair is not tested"),
            ("high + math.log1p(math.exp(min(evidence, rest) - high))", "high", "the lesser part of a sum is left out"),
            ("min(_losses_left(tests, i, j),", "max(_losses_left(tests, i, j),", "waits for the arm that is out later"),
            ("            others += tests.log_factor[i, a]", "            pass", "other opponents put nobody out"),
        ],
    },
    "glr-condorcet": {
        "duels.py": [
            ("] += wins\n    duels.wins[j, i] += losses", "] += losses\n    duels.wins[j, i] += wins", "swapped"),
        ],
        "e_condorcet.py": [
            ("if wins >= losses:", "if wins <= losses:", "who wins is out"),
            ("n * kl_to_half(wins / n)", "kl_to_half(wins / n)", "n is left out"),
            ("- math.log(2.0 * math.sqrt(n))", "- math.log(2.0)", "sqrt n is left out"),
            ("- math.log(2.0 * math.sqrt(n))", "- math.log(math.sqrt(n))", "2 is left out"),
            ("new_tests, is_glr=True)", "new_tests, is_glr=False)", "it is e-condorcet"),
        ],
    },
    "pac-condorcet": {
        "duels.py": [
            ("] += wins\n    duels.wins[j, i] += losses", "] += losses\n    duels.wins[j, i] += wins", "swapped"),
        ],
        "pac_condorcet.py": [
            ("math.log(2 * n_arms / delta)", "math.log(n_arms / delta)", "all of delta for pairs"),
            ("new_tests(n_arms, delta / 2)", "new_tests(n_arms, delta)", "all of delta for e-condorcet"),
            ("threshold=0.5 - epsilon", "threshold=0.5", "no epsilon"),
            ("        _show(tests, exact.duels.pairs[k, 1], exact.duels.pairs[k, 0])\n", "", "one arm of each pair"),
            (
                "tests.shown[i].all():",
                "tests.shown[i].sum() >= tests.shown.shape[0] - 1:",
                "an opponent need not be",
            ),
            (
                "return min(fewest, min(_wins_left(tests, i, j), _wins_left(tests, j, i)))",
                "return fewest",
                "waits for e-condorcet alone",
            ),
        ],
    },
    "pairs": {
        "duels.py": [
            ("] += wins\n    duels.wins[j, i] += losses", "] += losses\n    duels.wins[j, i] += wins", "swapped"),
        ],
        "pairs.py": [
            ("n_arms * (n_arms - 1) / 2 / delta", "n_arms * (n_arms - 1) / delta", "pairs counted twice"),
            ("_decide(tests, j, i)", "_decide(tests, i, j)", "one direction only is ever decided"),
            ("if b == j or tests.above[j, b]:", "if b == j:", "nothing follows below"),
            ("if a == i or tests.above[a, i]:", "if a == i:", "nothing follows above"),
            (
                "(others, n_arms - 1 - tests.beats[:, i].sum())",
                "(others, tests.beats[i].sum())",
                "open is lost",
            ),
            ("if n_unbeaten == 0:", "if n_unbeaten < 0:", "it never says that there is no winner"),
            ("if n_in == tests.k and are_apart:", "if n_in == tests.k - 1:", "a set with a gap"),
            (">= tests.above.shape[0] - tests.k", ">= tests.above.shape[0] - 1", "k is 1"),
            ("return max(1, fewest)", "return 2 * max(1, fewest)", "waits twice as long"),
        ],
    },
    "borda": {
        "duels.py": [
            ("] += wins\n    duels.wins[j, i] += losses", "] += losses\n    duels.wins[j, i] += wins", "swapped"),
        ],
        "borda.py": [
            ("n_arms * (n_arms - 1) / 2 / delta", "n_arms * (n_arms - 1) / delta", "pairs counted twice"),
            ("lowest / (n_arms - 1)", "lowest / n_arms", "low ends over K"),
            ("loses += tests.low[j, i]", "loses += tests.low[i, j]", "high ends from the wrong side"),
            ("n_forced <= k <= n_forced + n_able", "n_forced <= k", "low ends do not matter"),
            ("if high[i] > bar:", "if high[i] < bar:", "the bar is turned round"),
            ("tests.best_low[i] += risen", "tests.best_low[i] -= risen", "wins bring no end nearer"),
        ],
    },
}
