"""Faults in algorithms that end with an answer."""

from tests.mutants.mutant import Mutant

KELLY_ELIMINATION = [
    Mutant(
        "kelly_elimination.py",
        "if state.share[i, j] + state.share[j, i] > state.share[best_i, best_j] + state.share[best_j, best_i]:",
        "if state.share[i, j] > state.share[best_i, best_j]:",
        "one share only",
    ),
    Mutant(
        "kelly_elimination.py",
        "missing = bets.log_level - bets.log_wealth[i]",
        "missing = 1.0",
        "the way to go forgotten",
    ),
    Mutant(
        "kelly_elimination.py",
        "/ missing if bets.is_in[i] else 0.0",
        "/ missing",
        "arms that are out go on",
    ),
    Mutant(
        "e_bets.py",
        "wins * math.log1p(-stake_on_i)\n",
        "wins * math.log1p(stake_on_i)\n",
        "wins are paid like losses",
    ),
    Mutant(
        "e_bets.py",
        "expected += tests.belief[s, j] * tests.square_if_winner[s, i, j]",
        "expected += tests.belief[s, j] * tests.square[s, i, j]",
        "the winner beats nobody",
    ),
    Mutant(
        "e_bets.py",
        "tests.belief[s, j] * (first / probability)",
        "tests.belief[s, j] * first",
        "moment without its condition",
    ),
    Mutant(
        "e_bets.py",
        "tests.log_likelihood[s] += math.log((tests.wins[winner, loser] + 0.5 * c) / (n + c))",
        "tests.log_likelihood[s] += math.log((tests.wins[loser, winner] + 0.5 * c) / (n + c))",
        "likelihood of the other outcome",
    ),
    Mutant(
        "e_bets.py",
        "tests.log_ahead[s, j, i] = math.log(2.0 * probability)",
        "tests.log_ahead[s, i, j] = math.log(2.0 * probability)",
        "winner and loser swapped",
    ),
    Mutant(
        "e_bets.py",
        "return max(0.0, min(expected / whole, missing, MOST))",
        "return max(0.0, min(expected / whole, MOST))",
        "more is staked than is missing",
    ),
    Mutant("e_bets.py", "        if a != i:\n            total", "        if True:\n            total", "i may win"),
    Mutant(
        "positive_part.py",
        "((1.0 + z * z) * probability + z * density)",
        "((1.0 + z * z) * probability - z * density)",
        "sign of the density",
    ),
]

STRONGEST_SUPERIOR = [
    Mutant(
        "strongest_superior.py",
        "theta = rng.beta(wins[i, j] + 0.5, wins[j, i] + 0.5)",
        "theta = rng.beta(wins[j, i] + 0.5, wins[i, j] + 0.5)",
        "weakest superior",
    ),
    Mutant(
        "e_condorcet.py",
        "if best < 0 or value < least:",
        "if best < 0 or value > least:",
        "the least likely arm leads",
    ),
    Mutant(
        "strongest_superior.py",
        "state.turn[0] = (state.turn[0] + 1) % state.order.size",
        "state.turn[0] += 0",
        "no turns",
    ),
    Mutant(
        "strongest_superior.py",
        "if i != top and state.tests.is_in[i]:",
        "if i != top:",
        "arms that are out have turns",
    ),
    Mutant(
        "strongest_superior.py",
        "wins[i, j] + 0.5, wins[j, i] + 0.5",
        "wins[i, j] + 1.0, wins[j, i] + 1.0",
        "uniform prior",
    ),
    Mutant("e_condorcet.py", "rho=1.0 / (n_arms - 1)", "rho=1.0 / n_arms", "one opponent too many"),
    Mutant(
        "e_condorcet.py",
        "if tests.is_in[i] and log_test(tests, i) >= tests.log_level:",
        "if tests.is_in[i] and log_test(tests, i) >= tests.log_level + 1.0:",
        "out too late",
    ),
]
