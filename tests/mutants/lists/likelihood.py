"""Faults in algorithms: likelihood."""

MUTANTS = {
    "rmed1": {
        "rmed1.py": [
            ("wins[first, second] += first_wins", "wins[second, first] += first_wins", "winner swapped"),
            ("if mean <= 0.5 else 0.0", "if mean >= 0.5 else 0.0", "wins speak against an arm"),
            ("plays * kl_to_half(mean) if", "kl_to_half(mean) if", "divergence not weighted with the duels"),
            ("limit = math.log(t) + state.slack", "limit = math.log(t)", "f(K) missing"),
            ("- total[best] <= limit", "<= limit", "I* is not subtracted"),
            ("state.slack) - t + 1\n", "state.slack) - t + 2\n", "stands a round too long"),
            ("if total[order[a]] < total[best]:", "if total[order[a]] <= total[best]:", "ties for i* to the last"),
            ("mean[first, j] < least:", "mean[first, j] <= least:", "ties for m to the last"),
            ("(lists)] = False  # L_R <-", "(lists)] = True  # L_R <-", "L_R keeps the arm that was drawn"),
        ],
    },
    "rmed2": {
        "rmed2.py": [
            ("return plays < alpha * log_log(t)", "return plays < alpha * math.log(t)", "one logarithm missing"),
            ("[best, first] + mean[best, arm] - 1.0", "[best, first] - mean[best, arm]", "wrong sign in the regret"),
            ("regret / information < least:", "regret * information < least:", "b(l) multiplies by the divergence"),
            ("(divergences, first, cheapest) / ", "(divergences, first, cheapest) * ", "ln ln t times as often"),
            (" != first and mean[first, arm] < 0.5:", " != first and mean[first, arm] > 0.5:", "b(l) is beaten by l"),
            ("    if state.lists.place[0].cursor == 0:\n", "    if True:\n", "pairs are drawn in the middle of a pass"),
            ("memo.forced = pair\n", "memo.forced = pair + 1\n", "a pair is drawn once in a sweep"),
            ("min(returns + 1, state.memo[0].due) - t", "returns + 2 - t", "stands too long"),
        ],
        "rmed1.py": [
            ("if mean <= 0.5 else 0.0", "if mean >= 0.5 else 0.0", "wins speak against an arm"),
        ],
    },
    "rmed2fh": {
        "rmed2.py": [
            ("(1, math.ceil(alpha * log_log(horizon)))", "(1, math.floor(alpha * log_log(horizon)))", "L rounded down"),
            ("pair = (t - 1) // state.repeats % ", "pair = (t - 1) % ", "initial phase takes pairs in turn"),
            ("if fixed and t == state.first_rounds + 1:", "if fixed and t > state.first_rounds:", "b(l) is not fixed"),
            ("divisor = state.log_log_horizon if fixed else max(1.0, log_log(t))", "divisor = 1.0", "ln ln T missing"),
            ("=repeats * len(state.pairs)", "=repeats * len(state.pairs) - 1", "initial phase a round too short"),
            ("min(returns + 1, state.memo[0].due) - t", "returns + 2 - t", "stands a round too long"),
            ("regret / information < least:", "regret / information > -least:", "ties and others to the last arm"),
            (" _plays(divergences, first, best) >=", " _plays(divergences, first, best) <=", "condition turned round"),
        ],
    },
    "cw-rmed": {
        "cw_rmed.py": [
            ("math.log(t - 1)", "math.log(t)", "t off by one at the end of a step"),
            ("draws[k] * log_t > plays", "draws[k] > plays", "q* not multiplied with ln t"),
            (", losses[i2] - level - flips)\n", ", losses[i2] - level)\n", "a superior too many where i2 loses to i1"),
            ("range(max(0, least - 1), second + 1):", "range(max(0, least - 1), second):", "the last level is missing"),
            ("    if least == second:\n", "    if least > second:\n", "several winners taken for one"),
            ("[i] + evidence.losses[j] - 2 * least", "[i] + evidence.losses[j]", "regret against no losses"),
            ("signs[0].program != evidence.version[0].signs", "signs[0].program < 0", "sets of other signs are kept"),
        ],
        "cw_rmed_several.py": [
            ("k = n - (losses[i2] - losses[i1] + 1)\n", "k = n - (losses[i2] - losses[i1])\n", "k off by one"),
            ("    return item > other\n", "    return item < other\n", "not the lexicographically smallest e"),
            ("_compare(constant, lowest) < 0", "_compare(constant, lowest) <= 0", "ties for i* to the last"),
        ],
        "covering_lp.py": [
            ("            _reflect(program, k)\n", "            pass\n", "negative columns are left as they are"),
            (
                "tie:\n            return difference < ",
                "tie:\n            return difference > ",
                "the costliest column",
            ),
            ("if program.share[p] >= -TINY_SHARE:", "if program.share[p] >= -2.0:", "shares stay negative"),
            (
                "for k in range(reduced.size):\n            reduced[k] += cost * tableau[k]",
                "pass",
                "costs of shares in use are not kept up",
            ),
        ],
    },
    "ecw-rmed": {
        "evidence.py": [
            ("wins[first, second] += first_wins", "wins[second, first] += first_wins", "winner swapped"),
        ],
        "ecw_rmed.py": [
            ("math.log(t - 1)", "math.log(t)", "t off by one at the end of a step"),
            ("return best, 1.0 / (best - k), lowest", "return best, 1.0, lowest", "q* not shared out"),
            ("- (losses[i2] - losses[i1] + 1)\n", "- (losses[i2] - losses[i1])\n", "k off by one"),
            ("if draws * log_t > plays:", "if draws > plays:", "q* not multiplied with ln t"),
        ],
        "forced_draws.py": [
            (" < beta / max(1.0, math.log(log_t))", " > beta / max(1.0, math.log(log_t))", "clear pairs are forced"),
            ("return plays < alpha * math.sqrt(log_t)", "return plays < alpha * log_t", "dropped square root"),
        ],
        "proofs.py": [
            ("        if log_t <= slack[i1]:\n", "        if log_t >= slack[i1]:\n", "confidence turned round"),
            ("n_s = max(0, losses_2 - level)\n", "n_s = max(0, losses_2 - level - 1)\n", "a superior too few"),
            ("if losses[i1] == tally.fewest:\n", "if losses[i1] >= tally.fewest:\n", "any arm may be proved"),
        ],
        "ecw_rmed_costs.py": [
            ("losses[i] + losses[j] - 2 * fewest", "losses[i] + losses[j]", "regret against no losses"),
        ],
    },
    "sup-klucb": {
        "sup_klucb.py": [
            ("state.wins[first, second] += first_wins", "state.wins[second, first] += first_wins", "winner swapped"),
            (" c1 * log_n + c2 * math.log(log_n + 1.0)", " c1 * log_n", "second term of the budget missing"),
            ("exploration_budget(n, state.c1", "exploration_budget(t, state.c1", "initial rounds count in the budget"),
            (".plays[last] += t - state.memo[0].since", ".plays[last] += 1", "a standing self-duel counts once"),
            ("= min(_rounds_on_top(state, pair, n), ", "= min(_rounds_on_top(state, pair, n) + 5, ", "stands too long"),
            ("skip = draw_index(ties, rng)", "skip = 0", "ties to the first"),
            ("1.0 if won > lost else 0.0", "1.0 if won >= lost else 0.0", "ties count as superiority"),
            ("40 / (n_arms - 2) ** 2", "40 / (n_arms - 1) ** 2", "c2 off by one in K"),
        ],
        "divergence.py": [
            (" - mean * math.log(q) + ", " + mean * math.log(q) + ", "wrong sign in the divergence"),
        ],
    },
}
