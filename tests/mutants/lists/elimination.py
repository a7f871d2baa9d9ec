"""Faults in algorithms that drop arms: Interleaved Filter, Beat the Mean, MergeRUCB, MergeDTS; and in Winner Stays."""

from tests.mutants.mutant import Mutant

INTERLEAVED_FILTER = [
    Mutant(
        "interleaved_filter.py",
        "state.wins[second] += first_wins",
        "state.wins[second] += second_wins",
        "winner swapped",
    ),
    Mutant(
        "interleaved_filter.py", "16 * math.log(horizon * n_arms**2)", "16 * math.log(horizon * n_arms)", "K for K^2"
    ),
    Mutant(
        "interleaved_filter.py",
        "if lead * lead <= certainty * plays:",
        "if lead * lead <= certainty:",
        "the radius does not depend on n",
    ),
    Mutant(
        "interleaved_filter.py", "return 1 if lead > 0 else -1", "return -1 if lead > 0 else 1", "verdict turned round"
    ),
    Mutant(
        "interleaved_filter.py",
        "2 * state.wins[b] > state.plays[b]",
        "2 * state.wins[b] < state.plays[b]",
        "prunes the strong",
    ),
    Mutant("interleaved_filter.py", "not (state.prunes and", "not (False and", "no pruning"),
    Mutant("interleaved_filter.py", "        state.wins[b] = 0\n", "", "wins are not reset"),
    Mutant("interleaved_filter.py", "            elif p == lowest:\n", "            elif False:\n", "no tie rule"),
    Mutant(
        "interleaved_filter.py",
        "abs(2 * wins - plays)))) - 1)",
        "abs(2 * wins - plays)))) + 2)",
        "a lone rival stands too long",
    ),
]

BTM = [
    Mutant(
        "btm.py", "state.active_wins[first] += first_wins", "state.active_wins[first] += second_wins", "winner swapped"
    ),
    Mutant("btm.py", "elif n == fewest:", "elif False:", "no tie rule for b"),
    Mutant("btm.py", "c = state.scale / math.sqrt(fewest) if", "c = state.scale / fewest if", "dropped square root"),
    Mutant("btm.py", "drops = low + c <= high - c", "drops = low + c <= high", "radius on one side only"),
    Mutant("btm.py", "math.log(2 * horizon * n_arms)", "math.log(horizon * n_arms)", "delta = 1 / (T K)"),
    Mutant("btm.py", "            state.active_plays[b] -= state.plays[b, r]\n", "", "duels with a dropped arm count"),
    Mutant("btm.py", "            state.active_wins[b] -= state.wins[b, r]\n", "", "wins against a dropped arm count"),
    Mutant("btm.py", "high = mean[a] if misread else p", "high = mean[a]", "maximum read in the wrong place"),
    Mutant("btm.py", "            _average(state, b)\n", "", "means stay as they are when an arm is dropped"),
]

MERGERUCB = [
    Mutant(
        "mergerucb.py",
        "turn = t % batches.n_batches[0]\n    while",
        "turn = (t - 1) % batches.n_batches[0]\n    while",
        "t off by one",
    ),
    Mutant(
        "batches.py",
        "begin = np.append(np.arange(0, n_arms, size), n_arms)",
        "begin = np.append(np.arange(0, n_arms, size + 1), n_arms)",
        "batches an arm too large",
    ),
    Mutant(
        "mergerucb.py",
        "state.wins[first, second] += first_wins",
        "state.wins[second, first] += first_wins",
        "winner swapped",
    ),
    Mutant("batches.py", "batches.beaten[a] = True", "batches.beaten[b] = True", "the winner is eliminated"),
    Mutant(
        "batches.py",
        "n_arms / 2.0 ** batches.stage[0]",
        "n_arms / 2.0 ** (batches.stage[0] - 1)",
        "stage off by one",
    ),
    Mutant("batches.py", "2 * smallest <= batches.size:", "smallest <= batches.size:", "merges twice too often"),
    Mutant("batches.py", "<= 3 * batches.size:", "<= 5 * batches.size:", "unions too large"),
    Mutant(
        "mergerucb.py",
        "math.log((4.0 * alpha - 1.0) * n_arms**2 * exponent / delta)",
        "math.log((4.0 * alpha - 1.0) * n_arms * exponent / delta)",
        "K for K^2",
    ),
    Mutant(
        "batches.py",
        "        skip = draw_index(tied, rng)\n        k = r\n",
        "        skip = 0\n        k = r\n",
        "batches of equal size are not drawn",
    ),
]

MERGE_DTS = [
    Mutant(
        "merge_dts.py",
        "if rng.random() < above[arms[begin + a], arms[begin + b]]:",
        "if rng.random() > above[arms[begin + a], arms[begin + b]]:",
        "signs turned round",
    ),
    Mutant(
        "merge_dts.py",
        "rng.beta(wins[j, c] + 1, wins[c, j] + 1)",
        "rng.beta(wins[c, j] + 1, wins[j, c] + 1)",
        "sample of the wrong side",
    ),
    Mutant(
        "merge_dts.py",
        "state.wins[first, second] += first_wins",
        "state.wins[second, first] += first_wins",
        "winner swapped",
    ),
    Mutant("posteriors.py", "step = -0.5 * weight", "step = -0.25 * weight", "posterior moves half as far"),
    Mutant(
        "batches.py",
        "return log_offset + math.log1p(t * math.exp(-log_offset))",
        "return math.log(t)",
        "ln t for ln(t + C)",
    ),
    Mutant(
        "merge_dts.py",
        "m = t % batches.n_batches[0]  # step 1",
        "m = (t - 1) % batches.n_batches[0]  # step 1",
        "t off by one",
    ),
    Mutant(
        "merge_dts.py",
        "        if state.votes[a] == most:\n",
        "        if state.votes[a] == most and tied == 0:\n",
        "no tie rule for the vote",
    ),
    Mutant("batches.py", "    after = (m + 1) % n\n", "    after = (m - 1) % n\n", "joined with the batch before"),
    Mutant("merge_dts.py", "only_one = size_of(batches, m) == 2", "only_one = False", "draws where there is no choice"),
]

WS_W = [
    Mutant("winner_stays.py", "lead = first_wins - second_wins", "lead = second_wins - first_wins", "winner swapped"),
    Mutant(
        "winner_stays.py",
        "(points[i] - points[j]) // 2 + 1",
        "(points[i] - points[j]) // 2 + 2",
        "stands a round too long for the second",
    ),
    Mutant(
        "winner_stays.py",
        "points[j] - points[k] + 1)",
        "points[j] - points[k] + 2)",
        "stands a round too long for others",
    ),
    Mutant(
        "winner_stays.py",
        "    for arm in state.last:\n",
        "    for arm in state.last[::-1]:\n",
        "the second arm stays among equals",
    ),
    Mutant(
        "winner_stays.py",
        "if arm != NO_ARM and arm != other and points[arm] == most:",
        "if False:",
        "nobody stays among equals",
    ),
    Mutant("winner_stays.py", "    state.last[1] = j\n", "    state.last[1] = i\n", "the second arm is forgotten"),
    Mutant("winner_stays.py", "    state.points[second] -= lead\n", "", "the loser keeps its points"),
    Mutant("winner_stays.py", "count += k != other and points[k] == most", "count = 1", "no draw among equals"),
]

WS_S = [
    Mutant(
        "winner_stays.py",
        "state.exploit_end[0] = t - 1 + _length",
        "state.exploit_end[0] = t + _length",
        "exploitation a round too long",
    ),
    Mutant("winner_stays.py", "int(math.pow(beta, float(lap)))", "math.ceil(math.pow(beta, float(lap)))", "rounded up"),
    Mutant("winner_stays.py", "            state.lap[0] += 1\n", "", "the round over the arms is not counted"),
    Mutant(
        "winner_stays.py",
        "points[k] > -lap",
        "points[k] >= -lap",
        "the round over the arms ends too late",
    ),
    Mutant("winner_stays.py", "math.pow(beta, float(lap))", "beta * float(lap)", "beta l for beta^l"),
    Mutant(
        "winner_stays.py",
        "state.points[j] + state.lap[0])",
        "state.points[j] + state.lap[0] + 1)",
        "stands past the round over the arms",
    ),
    Mutant(
        "winner_stays.py",
        "state.exploit_end[0] - t + 1\n",
        "state.exploit_end[0] - t + 2\n",
        "survivor stands a round too long",
    ),
    Mutant(
        "winner_stays.py",
        "        if points[i] > points[best]:\n",
        "        if points[i] < points[best]:\n",
        "the weakest survives",
    ),
]
