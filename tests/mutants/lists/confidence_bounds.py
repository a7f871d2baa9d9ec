"""Faults in algorithms that compare confidence bounds: RUCB, CCB, RCS, SCB."""

from tests.mutants.mutant import Mutant

RUCB = [
    Mutant(
        "confidence_bounds.py",
        "wins[first, second] += first_wins",
        "wins[second, first] += first_wins",
        "winner swapped",
    ),
    Mutant("rucb.py", "bounds.n_below[i] == 0", "bounds.n_below[i] <= 1", "one certain defeat is forgiven"),
    Mutant("rucb.py", "elif rng.random() >= 0.5:  # line 11", "elif rng.random() >= 0.0:  # line 11", "no coin"),
    Mutant("rucb.py", "if b != NO_ARM and not contender[b]:", "if b != NO_ARM and contender[b]:", "B is kept wrongly"),
    Mutant("confidence_bounds.py", "math.sqrt(scale / plays[j])", "math.sqrt(scale) / plays[j]", "sqrt(x) / n"),
    Mutant("confidence_bounds.py", "unplayed, 0.5)", "unplayed, 0.0)", "the challenger is never the champion"),
    Mutant(
        "confidence_bounds.py",
        "        if u == largest:\n",
        "        if u == largest and count == 0:\n",
        "no tie rule for the challenger",
    ),
    Mutant(
        "confidence_bounds.py", "room * room * plays[j] > scale", "room * plays[j] > scale", "bounds left out wrongly"
    ),
    Mutant(
        "confidence_bounds.py", "    if before > now:\n", "    if before >= now:\n", "a bound at 1/2 counts as below"
    ),
    Mutant(
        "rucb.py", "column_crossing(bounds, c) - t", "column_crossing(bounds, c) - t + 1", "stands a round too long"
    ),
    Mutant(
        "rucb.py",
        "math.log(t), state.unplayed, rng)  # line 12",
        "math.log(t + 1), state.unplayed, rng)",
        "t off by one",
    ),
]

CCB = [
    Mutant(
        "confidence_bounds.py",
        "        if u == largest:\n",
        "        if u == largest and count == 0:\n",
        "no tie rule for the challenger",
    ),
    Mutant(
        "confidence_bounds.py",
        "wins[first, second] += first_wins",
        "wins[second, first] += first_wins",
        "winner swapped",
    ),
    Mutant("ccb.py", "rng.random() < 0.25:  # line 10", "rng.random() < 0.5:  # line 10", "coin of line 10 is fair"),
    Mutant(
        "ccb.py", "rng.random() < 2 / 3:  # line 11", "rng.random() < 1 / 3:  # line 11", "coin of line 11 turned round"
    ),
    Mutant(
        "ccb.py", "n_arms - 1 - n_below[i] < most_wins:", "n_arms - 1 - n_below[i] <= most_wins:", "9B drops equals"
    ),
    Mutant("ccb.py", "state.n_open[c] > 0 and rng.random() < 0.5", "state.n_open[c] > 0", "no coin in line 13"),
    Mutant(
        "ccb.py",
        "_resize(state, j, losses + 1, rng)",
        "_resize(state, j, losses, rng)",
        "B^j has L_C arms, not L_C + 1",
    ),
    Mutant("ccb.py", "decided[d] or (only_superiors and not superiors[d])", "decided[d]", "line 13 knows no B^c"),
    Mutant("ccb.py", "    if below == state.below[i, j]:\n", "    if below:\n", "no bound falls below 1/2"),
    Mutant("ccb.py", "        state.disproved[0] = True", "        state.disproved[0] = False", "9A never resets"),
    Mutant("ccb.py", "if state.n_superiors[i] != state.losses[0] + 1:", "if False:", "9B leaves B^i empty"),
    Mutant(
        "ccb.py",
        "if n_below[i] != losses or n_below[i] + state.n_beaten[i] != n_arms - 1:",
        "if n_below[i] != losses:",
        "9C does not wait until a score is certain",
    ),
    Mutant("ccb.py", "return c, c, bounds.event[0] - t", "return c, c, NEVER", "settled permanently"),
    Mutant("ccb.py", "return c, c, bounds.event[0] - t", "return c, c, bounds.event[0] - t + 1", "a round too long"),
    Mutant(
        "ccb.py",
        "state.settled[0] = _is_settled(state)",
        "state.settled[0] = state.settled[0] or _is_settled(state)",
        "once settled, always settled",
    ),
    Mutant(
        "ccb.py",
        "if state.open_pairs[0] > 0 or state.unfinished[0] or (",
        "if state.unfinished[0] or (",
        "settled in spite of line 10",
    ),
    Mutant(
        "ccb.py",
        "    for k in range(state.n_contenders[0]):\n        c = state.contenders[k]\n        if state.bounds",
        "    for k in range(1):\n        c = state.contenders[k]\n        if state.bounds",
        "settled as soon as the first arm of C is certain",
    ),
    Mutant(
        "ccb.py",
        "if state.bounds.n_below[c] + state.n_beaten[c] != state.shortlist.size - 1:",
        "if state.bounds.n_below[c] + state.n_beaten[c] < state.shortlist.size - 2:",
        "settled while one opponent is left",
    ),
    Mutant(
        "ccb.py",
        "if n_below[arm] == n_below[state.contenders[0]] else 0.0",
        "if arm < state.n_contenders[0] else 0.0",
        "the first arms share the rounds, not those of C",
    ),
    Mutant("ccb.py", "return 1.0 / state.n_contenders[0] if", "return 1.0 / n_below.size if", "shares are too small"),
]

RCS = [
    Mutant(
        "rcs.py",
        "if rng.random() < state.posterior.above[i, j]:",
        "if rng.random() > state.posterior.above[i, j]:",
        "signs turned round",
    ),
    Mutant(
        "rcs.py", "state.sign_wins[c] == n_arms - 1:", "state.sign_wins[c] >= n_arms - 2:", "one defeat is forgiven"
    ),
    Mutant(
        "rcs.py", "min(smallest, state.championships[i])", "max(smallest, state.championships[i])", "most championships"
    ),
    Mutant("rcs.py", 'count_wins=fallback == "fewest"', "count_wins=False", "tournaments won do not count"),
    Mutant("rcs.py", "state.count_wins or not won)", "state.count_wins and won)", "fallbacks do not count"),
    Mutant(
        "rcs.py",
        "return draw_member(state.fewest, count, rng)",
        "return draw_index(n_arms, rng)",
        "fallback to any arm",
    ),
    Mutant("confidence_bounds.py", "math.sqrt(scale / plays[j])", "scale / plays[j]", "dropped square root"),
    Mutant("confidence_bounds.py", "unplayed, 0.5)", "unplayed, 0.0)", "the challenger is never the champion"),
    Mutant("rcs.py", "math.log(t), state.unplayed", "math.log(2 * t), state.unplayed", "t doubled in the bounds"),
]

SCB = [
    Mutant(
        "scb.py",
        "return j if j < state.now[0].arm else j + 1",
        "return j if j <= state.now[0].arm else j + 1",
        "an arm meets itself",
    ),
    Mutant("scb.py", "verdict = 1 if won > lost else -1", "verdict = 1 if won < lost else -1", "verdict turned round"),
    Mutant(
        "scb.py",
        "math.log(4.0 * plays * plays * n_arms * n_arms)",
        "math.log(4.0 * plays * n_arms * n_arms)",
        "n for n^2",
    ),
    Mutant("scb.py", "math.log(budget) - math.log(math.log(budget))", "math.log(budget)", "delta = 1 / T_r"),
    Mutant("scb_pairs.py", "        pairs.verdict[a, b] = 0\n", "", "verdicts outlive their epoch"),
    Mutant("scb_pairs.py", "        if not pairs.reuse_stats:\n", "        if False:\n", "duels outlive their epoch"),
    Mutant("scb_pairs.py", "missing / math.log(2.0))))", "missing / math.log(2.0)))) + 2", "a pair stands too long"),
    Mutant("scb.py", "[now.epoch] - t + 1\n", "[now.epoch] - t + 2\n", "an answer stands a round too long"),
    Mutant(
        "scb.py", "    for i in state.order:\n", "    for i in range(state.order.size):\n", "ties to the lowest index"
    ),
]
