"""Faults in algorithms: elimination."""

MUTANTS = {
    "interleaved-filter": {
        "interleaved_filter.py": [
            ("state.wins[second] += first_wins", "state.wins[second] += second_wins", "winner swapped"),
            ("16 * math.log(horizon * n_arms**2)", "16 * math.log(horizon * n_arms)", "K for K^2"),
            ("if lead * lead <= certainty * plays:", "if lead * lead <= certainty:", "the radius does not depend on n"),
            ("return 1 if lead > 0 else -1", "return -1 if lead > 0 else 1", "sign turned round"),
            ("2 * state.wins[b] > state.plays[b]", "2 * state.wins[b] < state.plays[b]", "prunes the strong"),
            ("not (state.prunes and", "not (False and", "no pruning"),
            ("        state.wins[b] = 0\n", "", "wins are not reset"),
            ("state.surest.sum(), rng)", "1, rng)", "no tie rule"),
            ("abs(2 * wins - plays)))) - 1)", "abs(2 * wins - plays)))) + 2)", "a lone rival stands too long"),
        ],
    },
    "btm": {
        "btm.py": [
            ("state.active_wins[first] += first_wins", "state.active_wins[first] += second_wins", "winner swapped"),
            ("elif n == fewest:", "elif False:", "no tie rule for b"),
            ("c = state.scale / math.sqrt(fewest) if", "c = state.scale / fewest if", "dropped square root"),
            ("drops = low + c <= high - c", "drops = low + c <= high", "radius on one side only"),
            ("math.log(2 * horizon * n_arms)", "math.log(horizon * n_arms)", "delta = 1 / (T K)"),
            ("            state.active_plays[b] -= state.plays[b, r]\n", "", "duels with a dropped arm count"),
            ("            state.active_wins[b] -= state.wins[b, r]\n", "", "wins against a dropped arm count"),
            ("high = mean[a] if misread else p", "high = mean[a]", "maximum read in the wrong place"),
            ("            _average(state, b)\n", "", "means stay as they are when an arm is dropped"),
        ],
    },
    "mergerucb": {
        "mergerucb.py": [
            (" = t % batches.n_batches[0]\n    while", " = (t - 1) % batches.n_batches[0]\n    while", "t off by one"),
            ("state.wins[first, second] += first_wins", "state.wins[second, first] += first_wins", "winner swapped"),
            ("alpha - 1.0) * n_arms**2 * exponent / delta)", "alpha - 1.0) * n_arms * exponent / delta)", "K for K^2"),
        ],
        "batches.py": [
            (".arange(0, n_arms, size), n_arms)", ".arange(0, n_arms, size + 1), n_arms)", "batches an arm too large"),
            ("batches.beaten[a] = True", "batches.beaten[b] = True", "the winner is eliminated"),
            ("n_arms / 2.0 ** batches.stage[0]", "n_arms / 2.0 ** (batches.stage[0] - 1)", "stage off by one"),
            ("2 * smallest <= batches.size:", "smallest <= batches.size:", "merges twice too often"),
            ("<= 3 * batches.size:", "<= 5 * batches.size:", "unions too large"),
            ("= draw_index(tied, rng)\n        k = r\n", "= 0\n        k = r\n", "batches of equal size are not drawn"),
        ],
    },
    "merge-dts": {
        "merge_dts.py": [
            ("< above[arms[begin + a], arms[begin + ", "> above[arms[begin + a], arms[begin + ", "signs turned round"),
            ("(wins[j, c] + 1, wins[c, j] + 1)", "(wins[c, j] + 1, wins[j, c] + 1)", "sample of the wrong side"),
            ("state.wins[first, second] += first_wins", "state.wins[second, first] += first_wins", "winner swapped"),
            ("m = t % batches.n_batches[0]  # step 1", "m = (t - 1) % batches.n_batches[0]  # step 1", "t off by one"),
            ("only_one = merging.size_of(batches, m) == 2", "only_one = False", "draws where there is no choice"),
        ],
        "sampling.py": [("        count += values[i] == most\n", "        count = 1\n", "no tie rule for the vote")],
        "posteriors.py": [
            ("step = -0.5 * weight", "step = -0.25 * weight", "posterior moves half as far"),
        ],
        "batches.py": [
            ("return log_offset + math.log1p(t * math.exp(-log_offset))", "return math.log(t)", "ln t for ln(t + C)"),
            ("    after = (m + 1) % n\n", "    after = (m - 1) % n\n", "joined with the batch before"),
        ],
    },
    "ws-w": {
        "winner_stays.py": [
            ("lead = first_wins - second_wins", "lead = second_wins - first_wins", "winner swapped"),
            ("[i] - points[j]) // 2 + 1", "[i] - points[j]) // 2 + 2", "stands a round too long for the second"),
            ("points[j] - points[k] + 1)", "points[j] - points[k] + 2)", "stands a round too long for others"),
            ("    for arm in state.last:\n", "    for arm in state.last[::-1]:\n", "the second arm stays among equals"),
            ("if arm != NO_ARM and arm != other and points[arm] == most:", "if False:", "nobody stays among equals"),
            ("    state.last[1] = j\n", "    state.last[1] = i\n", "the second arm is forgotten"),
            ("    state.points[second] -= lead\n", "", "the loser keeps its points"),
            ("count += k != other and points[k] == most", "count = 1", "no draw among equals"),
        ],
    },
    "ws-s": {
        "winner_stays.py": [
            ("state.exploit_end[0] = t - 1 + ", "state.exploit_end[0] = t + ", "exploitation a round too long"),
            ("int(math.pow(state.beta, ", "math.ceil(math.pow(state.beta, ", "rounded up"),
            ("            state.lap[0] += 1\n", "", "the round over the arms is not counted"),
            ("points[k] > -lap", "points[k] >= -lap", "the round over the arms ends too late"),
            ("math.pow(state.beta, float(", "(state.beta * float(", "beta l for beta^l"),
            (".points[j] + state.lap[0])", ".points[j] + state.lap[0] + 1)", "stands past the round over the arms"),
            ("state.exploit_end[0] - t + 1\n", "state.exploit_end[0] - t + 2\n", "survivor stands a round too long"),
            ("survivor = highest(state.points)", "survivor = highest(-state.points)", "the weakest survives"),
        ],
    },
}
