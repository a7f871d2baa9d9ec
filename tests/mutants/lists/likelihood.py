"""Faults in algorithms that weigh likelihoods: RMED1, RMED2, RMED2FH, CW-RMED, ECW-RMED, Sup-KLUCB."""

from tests.mutants.mutant import Mutant

RMED1 = [
    Mutant("rmed1.py", "wins[first, second] += first_wins", "wins[second, first] += first_wins", "winner swapped"),
    Mutant("rmed1.py", "if mean <= 0.5 else 0.0", "if mean >= 0.5 else 0.0", "wins speak against an arm"),
    Mutant("rmed1.py", "plays * kl_to_half(mean) if", "kl_to_half(mean) if", "divergence not weighted with the duels"),
    Mutant("rmed1.py", "limit = math.log(t) + state.slack", "limit = math.log(t)", "f(K) missing"),
    Mutant("rmed1.py", "- total[best] <= limit", "<= limit", "I* is not subtracted"),
    Mutant("rmed1.py", "state.slack) - t + 1\n", "state.slack) - t + 2\n", "stands a round too long"),
    Mutant(
        "rmed1.py", "if total[order[a]] < total[best]:", "if total[order[a]] <= total[best]:", "ties for i* to the last"
    ),
    Mutant("rmed1.py", "mean[first, j] < least:", "mean[first, j] <= least:", "ties for m to the last"),
    Mutant("rmed1.py", "    remove_from_remaining(lists)\n    limit", "    limit", "L_R keeps the arm that was drawn"),
]

RMED2 = [
    Mutant(
        "rmed2.py", "return plays < alpha * log_log(t)", "return plays < alpha * math.log(t)", "one logarithm missing"
    ),
    Mutant(
        "rmed2.py",
        "mean[best, first] + mean[best, arm] - 1.0",
        "mean[best, first] - mean[best, arm]",
        "wrong sign in the regret",
    ),
    Mutant(
        "rmed2.py",
        "regret / information < least:",
        "regret * information < least:",
        "b(l) multiplies by the divergence",
    ),
    Mutant(
        "rmed2.py",
        "_plays(divergences, first, cheapest) / divisor",
        "_plays(divergences, first, cheapest) * divisor",
        "ln ln t times as often",
    ),
    Mutant(
        "rmed2.py",
        "if arm != first and mean[first, arm] < 0.5:",
        "if arm != first and mean[first, arm] > 0.5:",
        "b(l) is beaten by l",
    ),
    Mutant(
        "rmed2.py",
        "    if at_first(state.lists):\n",
        "    if True:\n",
        "pairs are drawn in the middle of a pass",
    ),
    Mutant(
        "rmed2.py",
        "            memo.forced = pair\n",
        "            memo.forced = pair + 1\n",
        "a pair is drawn once in a sweep",
    ),
    Mutant("rmed2.py", "min(returns + 1, state.memo[0].due) - t", "returns + 2 - t", "stands too long"),
    Mutant("rmed1.py", "if mean <= 0.5 else 0.0", "if mean >= 0.5 else 0.0", "wins speak against an arm"),
]

RMED2FH = [
    Mutant(
        "rmed2.py",
        "max(1, math.ceil(alpha * log_log(horizon)))",
        "max(1, math.floor(alpha * log_log(horizon)))",
        "L rounded down",
    ),
    Mutant(
        "rmed2.py",
        "pair = (t - 1) // state.repeats % n_pairs",
        "pair = (t - 1) % n_pairs",
        "initial phase takes pairs in turn",
    ),
    Mutant(
        "rmed2.py",
        "if fixed and t == state.first_rounds + 1:",
        "if fixed and t > state.first_rounds:",
        "b(l) is not fixed",
    ),
    Mutant(
        "rmed2.py",
        "divisor = state.log_log_horizon if fixed else max(1.0, log_log(t))",
        "divisor = 1.0",
        "ln ln T missing",
    ),
    Mutant(
        "rmed2.py",
        "first_rounds=repeats * len(state.pairs)",
        "first_rounds=repeats * len(state.pairs) - 1",
        "initial phase a round too short",
    ),
    Mutant("rmed2.py", "min(returns + 1, state.memo[0].due) - t", "returns + 2 - t", "stands a round too long"),
    Mutant(
        "rmed2.py", "regret / information < least:", "regret / information > -least:", "ties and others to the last arm"
    ),
    Mutant(
        "rmed2.py",
        "if _plays(divergences, first, best) >=",
        "if _plays(divergences, first, best) <=",
        "condition turned round",
    ),
]

ECW_RMED = [
    Mutant("evidence.py", "wins[first, second] += first_wins", "wins[second, first] += first_wins", "winner swapped"),
    Mutant("ecw_rmed.py", "math.log(t - 1)", "math.log(t)", "t off by one at the end of a step"),
    Mutant(
        "forced_draws.py",
        "distance < beta / max(1.0, math.log(log_t))",
        "distance > beta / max(1.0, math.log(log_t))",
        "clear pairs are forced",
    ),
    Mutant(
        "proofs.py",
        "        if log_t <= slack[i1]:\n",
        "        if log_t >= slack[i1]:\n",
        "confidence turned round",
    ),
    Mutant(
        "proofs.py",
        "n_s = max(0, losses_2 - level)\n",
        "n_s = max(0, losses_2 - level - 1)\n",
        "a superior too few",
    ),
    Mutant("ecw_rmed.py", "return best, 1.0 / (best - k), lowest", "return best, 1.0, lowest", "q* not shared out"),
    Mutant("ecw_rmed.py", "- (losses[i2] - losses[i1] + 1)\n", "- (losses[i2] - losses[i1])\n", "k off by one"),
    Mutant(
        "ecw_rmed_prices.py",
        "losses[i] + losses[j] - 2 * fewest",
        "losses[i] + losses[j]",
        "regret against no losses",
    ),
    Mutant(
        "ecw_rmed.py",
        "if draws * log_t > plays:",
        "if draws > plays:",
        "q* not multiplied with ln t",
    ),
    Mutant(
        "proofs.py",
        "        if losses[i1] == tally.fewest:\n",
        "        if losses[i1] >= tally.fewest:\n",
        "any arm may be proved",
    ),
    Mutant(
        "forced_draws.py",
        "return plays < alpha * math.sqrt(log_t)",
        "return plays < alpha * log_t",
        "dropped square root",
    ),
]

CW_RMED = [
    Mutant("cw_rmed.py", "math.log(t - 1)", "math.log(t)", "t off by one at the end of a step"),
    Mutant("cw_rmed.py", "draws[k] * log_t > plays", "draws[k] > plays", "q* not multiplied with ln t"),
    Mutant(
        "cw_rmed.py",
        "n_s = max(0, losses[i2] - level - flips)\n",
        "n_s = max(0, losses[i2] - level)\n",
        "a superior too many where i2 loses to i1",
    ),
    Mutant(
        "cw_rmed.py",
        "for level in range(max(0, least - 1), second + 1):",
        "for level in range(max(0, least - 1), second):",
        "the last level is missing",
    ),
    Mutant(
        "cw_rmed_prices.py",
        "evidence.losses[i] + evidence.losses[j] - 2 * least",
        "evidence.losses[i] + evidence.losses[j]",
        "regret against no losses",
    ),
    Mutant(
        "cw_rmed_several.py",
        "k = n - (losses[i2] - losses[i1] + 1)\n",
        "k = n - (losses[i2] - losses[i1])\n",
        "k off by one",
    ),
    Mutant(
        "cw_rmed_several.py",
        "    return item > other\n",
        "    return item < other\n",
        "not the lexicographically smallest e",
    ),
    Mutant(
        "cw_rmed_several.py",
        "_compare(constant, lowest) < 0",
        "_compare(constant, lowest) <= 0",
        "ties for i* to the last",
    ),
    Mutant("cw_rmed.py", "    if least == second:\n", "    if least > second:\n", "several winners taken for one"),
    Mutant(
        "cw_rmed_prices.py",
        "signs[0].program != evidence.version[0].signs",
        "signs[0].program < 0",
        "sets of other signs are kept",
    ),
    Mutant(
        "covering_lp.py",
        "            _turn(program, k)\n",
        "            pass\n",
        "negative columns are left as they are",
    ),
    Mutant(
        "covering_lp.py",
        "        if abs(difference) > tie:\n            return difference < 0.0",
        "        if abs(difference) > tie:\n            return difference > 0.0",
        "the dearest column",
    ),
    Mutant(
        "covering_lp.py",
        "while program.share[p] < -TINY_SHARE and",
        "while program.share[p] < -2.0 and",
        "shares stay negative",
    ),
    Mutant(
        "covering_lp.py",
        "slope = program.slope[p]\n        for k in range(rise.size):\n            rise[k] += price * slope[k]",
        "pass",
        "prices of shares in use are not kept up",
    ),
]

SUP_KLUCB = [
    Mutant(
        "sup_klucb.py",
        "state.wins[first, second] += first_wins",
        "state.wins[second, first] += first_wins",
        "winner swapped",
    ),
    Mutant(
        "sup_klucb.py",
        "return c1 * log_n + c2 * math.log(log_n + 1.0)",
        "return c1 * log_n",
        "second term of the budget missing",
    ),
    Mutant(
        "sup_klucb.py",
        "exploration_budget(n, state.c1",
        "exploration_budget(t, state.c1",
        "initial rounds count in the budget",
    ),
    Mutant(
        "sup_klucb.py",
        "state.plays[last] += t - state.memo[0].since",
        "state.plays[last] += 1",
        "a standing self-duel counts once",
    ),
    Mutant(
        "sup_klucb.py",
        "rounds = min(_rounds_on_top(state, pair, n), ",
        "rounds = min(_rounds_on_top(state, pair, n) + 5, ",
        "stands too long",
    ),
    Mutant("sup_klucb.py", "skip = draw_index(ties, rng)", "skip = 0", "ties to the first"),
    Mutant("sup_klucb.py", "1.0 if won > lost else 0.0", "1.0 if won >= lost else 0.0", "ties count as superiority"),
    Mutant("sup_klucb.py", "40 / (n_arms - 2) ** 2", "40 / (n_arms - 1) ** 2", "c2 off by one in K"),
    Mutant(
        "divergence.py",
        "step = (negentropy - mean * math.log(q) + ",
        "step = (negentropy + mean * math.log(q) + ",
        "wrong sign in the divergence",
    ),
]
