"""Faults in algorithms that explore first and then play one arm: SAVAGE, preference-based racing, rank elicitation."""

from tests.mutants.mutant import Mutant

SAVAGE_COPELAND = [
    Mutant("parameter_sets.py", "explored.ones[e] += ones", "explored.ones[e] += zeros", "winner swapped"),
    Mutant(
        "parameter_sets.py",
        "return math.sqrt(log_term / (2 * samples))",
        "return log_term / (2 * samples)",
        "dropped square root",
    ),
    Mutant("savage.py", "math.log(2 * n_parameters * horizon / ", "math.log(n_parameters * horizon / ", "NT for 2NT"),
    Mutant(
        "copeland_decisions.py",
        "(decision.dominated[arms[e, 0]] and decision.dominated[arms[e, 1]])",
        "(decision.dominated[arms[e, 0]] or decision.dominated[arms[e, 1]])",
        "one dominated arm is enough",
    ),
    Mutant(
        "copeland_decisions.py",
        "is_dominated = scores.possible[i] < best",
        "is_dominated = scores.possible[i] <= best",
        "equals are dominated",
    ),
    Mutant(
        "parameter_sets.py",
        "return -1 if high < 0.5 else 0",
        "return 1 if high < 0.5 else 0",
        "verdict turned round",
    ),
    Mutant(
        "copeland_decisions.py",
        "loss = max(loss, scores.possible[i] - scores.sure[best])",
        "loss = max(loss, scores.possible[i] - scores.sure[best] - 1)",
        "certain too early",
    ),
    Mutant(
        "parameter_sets.py",
        "        if not explored.gone[e]:\n            break",
        "        if True:\n            break",
        "dropped parameters end their sweep",
    ),
    Mutant(
        "copeland_decisions.py",
        "is_decided = verdict(low[e], high[e]) != 0",
        "is_decided = False",
        "decided pairs stay",
    ),
]

SAVAGE_CONDORCET = [
    Mutant(
        "parameter_sets.py",
        "return math.sqrt(log_term / (2 * samples))",
        "return math.sqrt(log_term / samples)",
        "factor 2 missing",
    ),
    Mutant(
        "savage.py",
        "math.log(2 * n_parameters * horizon / (1 / horizon if delta is None else delta))",
        "math.log(2 * n_parameters * horizon)",
        "delta missing",
    ),
    Mutant("parameter_sets.py", "explored.ones[e] += ones", "explored.ones[e] += zeros", "winner swapped"),
    Mutant(
        "copeland_decisions.py",
        "scores.possible[scores.arms[e, 0]] < everyone_else or",
        "scores.possible[scores.arms[e, 0]] < everyone_else and",
        "both arms must have lost",
    ),
    Mutant(
        "copeland_decisions.py",
        "everyone_else = scores.possible.size - 1",
        "everyone_else = scores.possible.size - 2",
        "one defeat is forgiven",
    ),
    Mutant("copeland_decisions.py", "scores.value[i] += n_arms", "scores.value[i] -= n_arms", "candidates come last"),
    Mutant(
        "parameter_sets.py",
        "        known.sure[j] += sign\n        known.possible[i] -= sign",
        "        known.sure[j] += sign\n        known.possible[j] -= sign",
        "defeat of the wrong arm",
    ),
    Mutant(
        "parameter_sets.py",
        "place.cursor += 1\n        if not",
        "place.cursor += 2\n        if not",
        "every other parameter is passed over",
    ),
]

SAVAGE_BORDA = [
    Mutant("savage.py", "second += second >= first", "second += second > first", "an arm meets itself"),
    Mutant("savage.py", "math.log(2 * n_parameters * horizon / ", "math.log(n_parameters * horizon / ", "NT for 2NT"),
    Mutant(
        "savage.py",
        "add_samples(explored, e, first_wins, second_wins)",
        "add_samples(explored, e, second_wins, first_wins)",
        "winner swapped",
    ),
    Mutant(
        "scalar_decisions.py",
        "if high[i] <= other_low or other_high <= low[i]:",
        "if high[i] <= other_low:",
        "the best arm never leaves W",
    ),
    Mutant(
        "scalar_decisions.py",
        "high[second_high if i == first_high else first_high]",
        "high[first_high]",
        "an arm is compared with itself",
    ),
    Mutant(
        "savage.py",
        "draw_index(explored.samples.size - 1, rng)",
        "draw_index(explored.samples.size - 2, rng)",
        "the last opponent is never drawn",
    ),
    Mutant(
        "parameter_sets.py",
        "return math.sqrt(log_term / (2 * samples))",
        "return log_term / (2 * samples)",
        "dropped square root",
    ),
    Mutant(
        "scalar_decisions.py",
        "max(decision.highest_low[0], explored.low[e])",
        "min(decision.highest_low[0], explored.low[e])",
        "tests are left out",
    ),
]

SAVAGE_SAMPLING = [
    Mutant(
        "savage_sampling.py", "if now != f or not could_move:", "if now == f or not could_move:", "the others are seen"
    ),
    Mutant(
        "savage_sampling.py",
        "            f = now\n    for k in range(n_unseen):",
        "    for k in range(n_unseen):",
        "every move is compared with the start of the walk",
    ),
    Mutant(
        "savage_sampling.py",
        "n_unseen * simulations // moves",
        "simulations // moves",
        "walks of one parameter for all",
    ),
    Mutant(
        "savage_sampling.py",
        "                unseen[k] = unseen[n_unseen]\n",
        "",
        "the last one leaves in place of the one that was seen",
    ),
    Mutant(
        "copeland_decisions.py",
        "sums[j] += 1.0 - values[e]",
        "sums[j] += values[e]",
        "Borda sums of the wrong side",
    ),
    Mutant(
        "copeland_decisions.py",
        "n_above += decision.scores.sums[i] > decision.scores.sums.size / 2",
        "n_above += decision.scores.sums[i] > decision.scores.sums.size / 2 + 0.3",
        "too few points are feasible",
    ),
]

PBR_COPELAND = [
    Mutant(
        "parameter_sets.py",
        "return math.sqrt(log_term / (2 * samples))",
        "return math.sqrt(log_term / samples)",
        "factor 2 missing",
    ),
    Mutant("pbr.py", "math.log(2 * n_arms**2 * most / failure)", "math.log(2 * n_arms * most / failure)", "K for K^2"),
    Mutant("parameter_sets.py", "explored.ones[e] += ones", "explored.ones[e] += zeros", "winner swapped"),
    Mutant("pbr.py", "if both or verdict(explored.low[e], explored.high[e]) != 0:", "if both:", "decided pairs stay"),
    Mutant("pbr.py", "return count >= 1 if tight else count > 1", "return count >= 1", "D with the exact rule"),
    Mutant(
        "pbr.py", "if tight else n_arms - pairs.sure[j]", "if tight else n_arms - 1 - pairs.sure[j]", "off by one in D"
    ),
    Mutant("pbr.py", "return n_arms - 1 <= count if tight", "return n_arms <= count if tight", "off by one in C"),
    Mutant("pbr.py", "and sweep_is_over(pairs.explored):", "and True:", "A is revised within a sweep"),
    Mutant(
        "pbr.py",
        "empirical_score(state.pairs, i) == best",
        "empirical_score(state.pairs, i) != best",
        "any arm but the best",
    ),
]

RANKEL_COPELAND = [
    Mutant("rankel.py", "power=4.0", "power=2.0", "n^2 for n^4"),
    Mutant(
        "rankel.py", "math.log(5 * n_arms**2 / (4 * failure))", "math.log(5 * n_arms**2 / failure)", "factor 4 missing"
    ),
    Mutant(
        "rankel.py",
        "return state.mean[i] > state.mean[j]",
        "return state.mean[i] < state.mean[j]",
        "the lower mean first",
    ),
    Mutant(
        "rankel.py",
        "if state.low_ds[a] < state.up_d[b]:",
        "if state.low_ds[a] <= state.up_d[b]:",
        "equals are discordant",
    ),
    Mutant(
        "rankel.py",
        "state.low_ds[first] -= can[1] - could[1]",
        "state.low_ds[first] -= can[0] - could[0]",
        "bound of the other side",
    ),
    Mutant("rankel.py", "if first_may and second_may and (", "if (", "settled pairs are sampled"),
    Mutant(
        "rankel.py",
        "state.is_bad[state.arms[e, 0]] or state.is_bad",
        "state.is_bad[state.arms[e, 0]] and state.is_bad",
        "both arms must be bad",
    ),
    Mutant(
        "rankel.py",
        "if _count_bad(state) < state.rho:",
        "if _count_bad(state) <= state.rho:",
        "stops with rho pairs left",
    ),
    Mutant("rankel.py", "chosen = draw_member(state.equal, count, rng)", "chosen = best", "no draw among equals"),
]
