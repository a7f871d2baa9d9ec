"""Faults in algorithms: tournaments."""

MUTANTS = {
    "select": {
        "bracket.py": [
            ("match.first if won == FIRST", "match.second if won == FIRST", "losers go on"),
            (".n_matches, bracket.arms[place])", ".n_matches, bracket.arms[place - 1])", "the wrong arm passes free"),
            (
                "begin(bracket.test, bracket.arms[2 * tally.n_over], bracket.arms[2 * tally.n_over + 1])",
                "begin(bracket.test, bracket.arms[2 * tally.n_over + 1], bracket.arms[2 * tally.n_over])",
                "the second arm of a match comes first",
            ),
        ],
        "majority.py": [
            ("FIRST if 2 * wins >= n else", "FIRST if 2 * wins > n else", "ties go to the second arm"),
            ("n < most and", "n <= most and", "one duel more"),
        ],
        "select.py": [
            ("math.log(math.log2(n_arms) / delta)", "math.log(n_arms / delta)", "ln K for ln log2 K"),
            ("/ (2 * h * h))", "/ (2 * h))", "gap not squared"),
        ],
    },
    "select-then-verify": {
        "bracket.py": [
            ("match.first if won == FIRST", "match.second if won == FIRST", "losers go on"),
        ],
        "select.py": [
            ("match_duels(n_arms, delta / 2, h)", "match_duels(n_arms, delta, h)", "delta not halved"),
            ("delta / (2 * (n_arms - 1))", "delta / (n_arms - 1)", "delta of a test not halved"),
            ("winner, order[progress.n_verified]", "order[progress.n_verified], winner", "the candidate comes second"),
            ("[0].is_refuted = True", "[0].n_verified += 1\n            _begin_test(state)", "a defeat is forgiven"),
        ],
        "sprt.py": [
            ("return math.floor(lead) + 1", "return math.ceil(lead) + 1", "one win more is needed"),
            ("ahead = 2 * wins - n", "ahead = wins", "wins are counted, and not the lead"),
        ],
        "majority.py": [
            ("FIRST if 2 * wins >= n else", "FIRST if 2 * wins > n else", "ties go to the second arm"),
        ],
    },
    "nts": {
        "bracket.py": [
            ("match.first if won == FIRST", "match.second if won == FIRST", "losers go on"),
            (
                "begin(bracket.test, bracket.arms[2 * tally.n_over], bracket.arms[2 * tally.n_over + 1])",
                "begin(bracket.test, bracket.arms[2 * tally.n_over + 1], bracket.arms[2 * tally.n_over])",
                "the second arm of a match comes first",
            ),
        ],
        "sprt.py": [
            ("return math.floor(lead) + 1", "return math.ceil(lead) + 1", "one win more is needed"),
            ("ahead = 2 * wins - n", "ahead = wins", "wins are counted, and not the lead"),
        ],
        "nts.py": [
            ("sprt.lead_needed)(h, delta / n_arms)", "sprt.lead_needed)(h, delta)", "delta not shared out"),
            ("    return n_arms - left", "    return n_arms // 2", "no preliminary round"),
            (" or state.beaten_by[order[place]] == candidate:", ":", "arms are met again"),
            ("n_beaten.size - 1 or state.beaten_by[candidate] != NOBODY", "n_beaten.size - 1", "a defeat is forgiven"),
        ],
    },
    "knockout": {
        "bracket.py": [
            ("match.first if won == FIRST", "match.second if won == FIRST", "losers go on"),
            (".n_matches, bracket.arms[place])", ".n_matches, bracket.arms[place - 1])", "the wrong arm passes free"),
        ],
        "interval.py": [
            ("/ (2.0 * n)) - slack", "/ (2.0 * n))", "no slack"),
            ("(level + 2.0 * math.log(n))", "(level + math.log(n))", "n for n^2"),
        ],
        "knockout.py": [
            ("2.0 ** (round / 3.0)", "2.0 ** (1.0 / 3.0)", "epsilon stays as it is"),
            ("state.delta / 2.0**round", "state.delta", "delta stays as it is"),
            ("(state.gamma * 2.0", "(2.0", "gamma missing"),
            ("        shuffle(bracket.arms, tally.n_in, rng)\n", "", "no shuffling"),
        ],
    },
    "seq-eliminate": {
        "interval.py": [
            ("return 0.5 * (low + high), 0.0,", "return low, 0.0,", "compared with the lower gap"),
            ("math.log(4.0 / delta), math.ceil", "math.log(2.0 / delta), math.ceil", "2 for 4 in the radius"),
            ("(level + 2.0 * math.log(n))", "(level + math.log(n))", "n for n^2"),
            ("FIRST if ahead > 0.0 else SECOND", "SECOND if ahead > 0.0 else FIRST", "winner turned round"),
        ],
        "seq_eliminate.py": [
            ("epsilon, state.sweep_delta / progress.n_listed)", "epsilon, state.sweep_delta)", "delta not shared out"),
            ("        now.incumbent = test.first\n", "        pass\n", "the incumbent stays"),
            (
                "begin(state.test, state.listed[now.n_met], now.incumbent)",
                "begin(state.test, now.incumbent, state.listed[now.n_met])",
                "the incumbent comes first",
            ),
        ],
    },
    "opt-maximize": {
        "interval.py": [
            ("return 0.5 * (low + high), 0.0,", "return low, 0.0,", "compared with the lower gap"),
        ],
        "seq_eliminate.py": [
            ("epsilon / 3.0, delta / (8.0 * progress", "epsilon, delta / (8.0 * progress", "epsilon of step 2"),
            ("delta / (4.0 * state.order.size)", "delta / 4.0", "delta of step 4 not shared out"),
            ("sweep_delta=delta / 4)", "sweep_delta=delta)", "delta of the last sweep not divided"),
            ("delta / 4.0 / 2.0 ** (progress.n_prunings + 1)", "delta / 4.0", "delta of step 3 not divided"),
            ("        now.n_listed = now.n_kept\n", "        pass\n", "no arm is dropped"),
            ("math.log(8 / delta)))", "math.log(4 / delta)))", "4 for 8 in the size of the sample"),
            (" CHECK\n        shuffle(state.listed, now.n_listed, rng)\n", " CHECK\n", "step 4 in private order"),
        ],
    },
}
