"""Faults in algorithms: confidence bounds."""

MUTANTS = {
    "rucb": {
        "confidence_bounds.py": [
            ("wins[first, second] += first_wins", "wins[second, first] += first_wins", "winner swapped"),
            ("math.sqrt(scale / plays[j])", "math.sqrt(scale) / plays[j]", "sqrt(x) / n"),
            ("unplayed, 0.5)", "unplayed, 0.0)", "the challenger is never the champion"),
            ("if u == largest:\n", "if u == largest and count == 0:\n", "no tie rule for the challenger"),
            ("room * room * plays[j] > scale", "room * plays[j] > scale", "bounds left out wrongly"),
            ("    if before > now:\n", "    if before >= now:\n", "a bound at 1/2 counts as below"),
        ],
        "rucb.py": [
            ("bounds.n_below[i] == 0", "bounds.n_below[i] <= 1", "one certain defeat is forgiven"),
            ("elif rng.random() >= 0.5:  # line 11", "elif rng.random() >= 0.0:  # line 11", "no coin"),
            ("if b != NO_ARM and not contender[b]:", "if b != NO_ARM and contender[b]:", "B is kept wrongly"),
            ("column_crossing(bounds, c) - t", "column_crossing(bounds, c) - t + 1", "stands a round too long"),
            ("math.log(t), state.unplayed, rng)  # line 12", "math.log(t + 1), state.unplayed, rng)", "t off by one"),
        ],
    },
    "ccb": {
        "confidence_bounds.py": [
            ("if u == largest:\n", "if u == largest and count == 0:\n", "no tie rule for the challenger"),
            ("wins[first, second] += first_wins", "wins[second, first] += first_wins", "winner swapped"),
        ],
        "ccb.py": [
            ("rng.random() < 0.25:  # line 10", "rng.random() < 0.5:  # line 10", "coin of line 10 is fair"),
            ("rng.random() < 2 / 3:  # line 11", "rng.random() < 1 / 3:  # line 11", "coin of line 11 turned round"),
            ("n_arms - 1 - n_below[i] < most_wins:", "n_arms - 1 - n_below[i] <= most_wins:", "9B drops equals"),
            ("state.n_open[c] > 0 and rng.random() < 0.5", "state.n_open[c] > 0", "no coin in line 13"),
            ("_resize(state, j, losses + 1, rng)", "_resize(state, j, losses, rng)", "B^j has L_C arms, not L_C + 1"),
            ("decided[d] or (only_superiors and not superiors[d])", "decided[d]", "line 13 knows no B^c"),
            ("    if below == state.below[i, j]:\n", "    if below:\n", "no bound falls below 1/2"),
            ("        state.memo[0].disproved = True", "        state.memo[0].disproved = False", "9A never resets"),
            ("if state.n_superiors[i] != state.memo[0].losses + 1:", "if False:", "9B leaves B^i empty"),
            (" or n_below[i] + state.n_beaten[i] != n_arms - 1:", ":", "9C does not wait until a score is certain"),
            ("return c, c, bounds.event[0] - t", "return c, c, NEVER", "settled permanently"),
            ("return c, c, bounds.event[0] - t", "return c, c, bounds.event[0] - t + 1", "a round too long"),
            (" = _is_settled(state)", " = state.memo[0].settled or _is_settled(state)", "once settled, always settled"),
            ("memo.open_pairs > 0 or memo.unfinished or (", "memo.unfinished or (", "settled in spite of line 10"),
            ("(memo.n_contenders):\n        ", "(1):\n        ", "settled as soon as the first arm of C is certain"),
            ("c] != state.shortlist.size - 1:", "c] < state.shortlist.size - 2:", "settled while one opponent is left"),
            (
                "if n_below[arm] == n_below[state.contenders[0]] else 0.0",
                "if arm < state.memo[0].n_contenders else 0.0",
                "the first arms share the rounds, not those of C",
            ),
            ("return 1.0 / state.memo[0].n_contenders if", "return 1.0 / n_below.size if", "shares are too small"),
        ],
    },
    "rcs": {
        "rcs.py": [
            ("() < state.posterior.above[i, j]:", "() > state.posterior.above[i, j]:", "signs turned round"),
            ("state.sign_wins[c] == n_arms - 1:", "state.sign_wins[c] >= n_arms - 2:", "one defeat is forgiven"),
            ("min(smallest, state.championships[i])", "max(smallest, state.championships[i])", "most championships"),
            ('count_wins=fallback == "fewest"', "count_wins=False", "tournaments won do not count"),
            ("state.count_wins or not won)", "state.count_wins and won)", "fallbacks do not count"),
            ("return draw_member(state.fewest, count, rng)", "return draw_index(n_arms, rng)", "fallback to any arm"),
            ("math.log(t), state.unplayed", "math.log(2 * t), state.unplayed", "t doubled in the bounds"),
        ],
        "confidence_bounds.py": [
            ("math.sqrt(scale / plays[j])", "scale / plays[j]", "dropped square root"),
            ("unplayed, 0.5)", "unplayed, 0.0)", "the challenger is never the champion"),
        ],
    },
    "scb": {
        "scb.py": [
            ("now.opponent >= now.arm", "now.opponent > now.arm", "an arm meets itself"),
            ("outcome = 1 if won > lost else -1", "outcome = 1 if won < lost else -1", "outcome turned round"),
            ("math.log(4.0 * plays * plays * n_arms * n_arms)", "math.log(4.0 * plays * n_arms * n_arms)", "n for n^2"),
            ("math.log(budget) - math.log(math.log(budget))", "math.log(budget)", "delta = 1 / T_r"),
            ("[now.epoch] - t + 1\n", "[now.epoch] - t + 2\n", "an answer stands a round too long"),
            ("    for i in state.order:\n", "    for i in range(state.order.size):\n", "ties to the lowest index"),
            ("        pairs.outcome[a, b] = 0\n", "", "outcomes outlive their epoch"),
            ("        if not pairs.reuse_stats:\n", "        if False:\n", "duels outlive their epoch"),
            ("missing / math.log(2.0))))", "missing / math.log(2.0)))) + 2", "a pair stands too long"),
        ],
    },
}
