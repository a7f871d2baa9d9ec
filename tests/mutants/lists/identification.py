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
                "if share[i, j] + share[j, i] > share[best_i, best_j] + share[best_j, best_i]:",
                "if share[i, j] > share[best_i, best_j]:",
                "one share only",
            ),
            ("missing = bets.log_level - bets.log_wealth[i]", "missing = 1.0", "the way to go forgotten"),
            ("/ missing if bets.is_in[i] else 0.0", "/ missing", "arms that are out go on"),
        ],
        "e_bets.py": [
            ("wins * math.log1p(-stake_on_i)\n", "wins * math.log1p(stake_on_i)\n", "wins are paid like losses"),
            ("[s, j] * tests.square_if_winner[s, i, j]", "[s, j] * tests.square[s, i, j]", "the winner beats nobody"),
            (".belief[s, j] * (first / probability)", ".belief[s, j] * first", "moment without its condition"),
            ("winner, loser] + 0.5 * c) / (n +", "loser, winner] + 0.5 * c) / (n +", "likelihood of the other outcome"),
            ("j, i] = math.log(2.0 * probability)", "i, j] = math.log(2.0 * probability)", "winner and loser swapped"),
            ("min(expected / whole, missing, MOST))", "min(expected / whole, MOST))", "more is staked than is missing"),
            ("        if a != i:\n            total", "        if True:\n            total", "i may win"),
            (" + z * z) * probability + z * density)", " + z * z) * probability - z * density)", "sign of the density"),
        ],
    },
}
