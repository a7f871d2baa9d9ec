"""Faults in algorithms: identification."""

MUTANTS = {
    "strongest-superior": {
        "e_elimination.py": [
            ("(wins[i, j] + 0.5, wins[j, i] + 0.5)", "(wins[j, i] + 0.5, wins[i, j] + 0.5)", "weakest superior"),
            ("state.turn[0] = (state.turn[0] + 1) % state.order.size", "state.turn[0] += 0", "no turns"),
            ("if i != top and state.tests.is_in[i]:", "if i != top:", "arms that are out have turns"),
            ("wins[i, j] + 0.5, wins[j, i] + 0.5", "wins[i, j] + 1.0, wins[j, i] + 1.0", "uniform prior"),
        ],
        "e_condorcet.py": [
            ("if best < 0 or value < least:", "if best < 0 or value > least:", "the least likely arm leads"),
            ("rho=1.0 / (n_arms - 1)", "rho=1.0 / n_arms", "one opponent too many"),
            ("log_test(tests, i) >= tests.log_level:", "log_test(tests, i) >= tests.log_level + 1.0:", "out too late"),
        ],
    },
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
