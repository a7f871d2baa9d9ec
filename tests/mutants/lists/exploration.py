"""Faults in algorithms: exploration."""

MUTANTS = {
    "savage-copeland": {
        "parameter_sets.py": [
            ("explored.ones[e] += ones", "explored.ones[e] += zeros", "winner swapped"),
            ("return math.sqrt(log_term / (2 * samples))", "return log_term / (2 * samples)", "dropped square root"),
            ("return -1 if high < 0.5 else 0", "return 1 if high < 0.5 else 0", "sign turned round"),
            (
                "        if not explored.gone[e]:\n            break",
                "        if True:\n            break",
                "dropped parameters end their sweep",
            ),
        ],
        "savage.py": [
            ("math.log(2 * len(arms) * horizon / ", "math.log(len(arms) * horizon / ", "NT for 2NT"),
        ],
        "copeland_decisions.py": [
            ("and decision.dominated[arms[e, 1]]", "or decision.dominated[arms[e, 1]]", "one dominated arm is enough"),
            (" = certain.possible[i] < best", " = certain.possible[i] <= best", "equals are dominated"),
            ("possible[i] - sure[best])", "possible[i] - sure[best] - 1)", "certain too early"),
            ("is_decided = settled(low[e], high[e]) != 0", "is_decided = False", "decided pairs stay"),
        ],
    },
    "savage-condorcet": {
        "parameter_sets.py": [
            ("return math.sqrt(log_term / (2 * samples))", "return math.sqrt(log_term / samples)", "factor 2 missing"),
            ("explored.ones[e] += ones", "explored.ones[e] += zeros", "winner swapped"),
            (" sign\n        known.possible[i] -= ", " sign\n        known.possible[j] -= ", "defeat of the wrong arm"),
            (".cursor += 1\n        if not", ".cursor += 2\n        if not", "every other parameter is passed over"),
        ],
        "savage.py": [
            (" * horizon / failure)", " * horizon)", "delta missing"),
        ],
        "copeland_decisions.py": [
            ("[arms[e, 0]] < everyone_else or", "[arms[e, 0]] < everyone_else and", "both arms must have lost"),
            (" = certain.possible.size - 1", " = certain.possible.size - 2", "one defeat is forgiven"),
            ("decision.value[i] += n_arms", "decision.value[i] -= n_arms", "candidates come last"),
        ],
    },
    "savage-borda": {
        "savage.py": [
            ("second += second >= first", "second += second > first", "an arm meets itself"),
            ("math.log(2 * len(arms) * horizon / ", "math.log(len(arms) * horizon / ", "NT for 2NT"),
            ("(explored, e, first_wins, second_wins)", "(explored, e, second_wins, first_wins)", "winner swapped"),
            ("explored.samples.size - 1, rng)", "explored.samples.size - 2, rng)", "the last opponent is never drawn"),
        ],
        "scalar_decisions.py": [
            ("high[e] <= other_low or other_high <= low[e]", "high[e] <= other_low", "the best arm never leaves W"),
            (
                "        if k != e:\n            other_low",
                "        if True:\n            other_low",
                "an arm is compared with itself",
            ),
            ("max(decision.highest_low[0], explored.", "min(decision.highest_low[0], explored.", "tests are left out"),
        ],
        "parameter_sets.py": [
            ("return math.sqrt(log_term / (2 * samples))", "return log_term / (2 * samples)", "dropped square root"),
        ],
    },
    "savage-sampling": {
        "savage_sampling.py": [
            ("if now != f or not could_move:", "if now == f or not could_move:", "the others are seen"),
            ("            f = now\n    for k in", "    for k in", "every move is compared with the start of the walk"),
            (
                "n_unseen * state.simulations // state.moves",
                "state.simulations // state.moves",
                "walks of one parameter for all",
            ),
            (
                "                unseen[k] = unseen[n_unseen]\n",
                "",
                "the last one leaves in place of the one that was seen",
            ),
            ("if t > 1 and core.final", "if core.final", "a test before the first sample"),
            ("1]] += 1.0 - state.point[e]", "1]] += state.point[e]", "Borda sums of the wrong side"),
            ("> state.row_sums.size / 2", "> state.row_sums.size / 2 + 0.3", "too few points are feasible"),
            ("max(1, n_unseen * state.simulations", "max(0, n_unseen * state.simulations", "no walk at all"),
            ("        f = decide(state.twin, state.point)\n", "        f = 0\n", "walks do not begin with f"),
        ],
        "parameter_sets.py": [
            ("low = max(0.0, mean - c)", "low = mean - c", "intervals reach below 0"),
            ("high = min(1.0, mean + c)", "high = mean + c", "intervals reach above 1"),
        ],
    },
    "pbr-copeland": {
        "parameter_sets.py": [
            ("return math.sqrt(log_term / (2 * samples))", "return math.sqrt(log_term / samples)", "factor 2 missing"),
            ("explored.ones[e] += ones", "explored.ones[e] += zeros", "winner swapped"),
        ],
        "pbr.py": [
            ("math.log(2 * n_arms**2 * most / failure)", "math.log(2 * n_arms * most / failure)", "K for K^2"),
            ("if both or sets.settled(explored.low[e], explored.high[e]) != 0:", "if both:", "decided pairs stay"),
            (", better >= 1 + margin", ", better >= 1", "D with the exact rule"),
            ("better += certain.possible[i] + margin", "better += certain.possible[i]", "off by one in D"),
            ("return worse >= certain.sure.size - 1", "return worse >= certain.sure.size", "off by one in C"),
            ("and sets.sweep_is_over(explored):", "and True:", "A is revised within a sweep"),
            ("score[arms[e, 1]] += lead < 0", "score[arms[e, 1]] += lead > 0", "losses count as wins"),
        ],
    },
    "rankel-copeland": {
        "rankel.py": [
            ("power=4.0", "power=2.0", "n^2 for n^4"),
            ("math.log(5 * n_arms**2 / (4 * failure))", "math.log(5 * n_arms**2 / failure)", "factor 4 missing"),
            ("return state.mean[i] > state.mean[j]", "return state.mean[i] < state.mean[j]", "the lower mean first"),
            ("if state.low_ds[a] < state.up_d[b]:", "if state.low_ds[a] <= state.up_d[b]:", "equals are discordant"),
            (".low_ds[first] -= can[1] - could[1]", ".low_ds[first] -= can[0] - could[0]", "bound of the other side"),
            ("if first_may and second_may and (", "if (", "settled pairs are sampled"),
            (".is_bad[state.arms[e, 0]] or state.", ".is_bad[state.arms[e, 0]] and state.", "both arms must be bad"),
            ("if _count_bad(state) < state.rho:", "if _count_bad(state) <= state.rho:", "stops with rho pairs left"),
            ("chosen = draw_member(state.equal, count, rng)", "chosen = best", "no draw among equals"),
        ],
    },
}
