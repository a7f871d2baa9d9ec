"""Faults in algorithms: identification."""

MUTANTS = {
    "kelly-elimination": {
        "kelly_elimination.py": [
            (
                "first_wins, second_wins, stake_on_i",
                "second_wins, first_wins, stake_on_i",
                "wins are paid like losses",
            ),
            ("if state.most[k] > state.most[i]:", "if state.most[k] >= state.most[i]:", "the last pair on ties"),
            ("prior = total_j / precision_j - total_i / precision_i", "prior = a_j - a_i", "the duels count twice"),
            ("known * (a_j - shown)", "known * (a_j + shown)", "winner and loser swapped"),
            ("0.5 * (1.0 + mean)", "0.5 * (1.0 - mean)", "likelihood of the other outcome"),
            ("ratio if ratio >= LEAST_WEIGHT else 0.0", "1.0", "all models weigh the same"),
            ("min(expected, missing, MOST))", "min(expected, MOST))", "more is staked than is missing"),
            (
                "        if state.is_in[i]:\n            gain",
                "        if True:\n            gain",
                "who is out goes on",
            ),
            ("if state.is_in[a] and a != i:", "if state.is_in[a]:", "i may win"),
            ("BOLDNESS = 0.5", "BOLDNESS = 0.0", "no boldness"),
            ("            _estimate(state, s, j)\n", "", "the strength of one arm alone is learnt"),
        ],
    },
}
