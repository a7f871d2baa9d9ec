"""Faults in algorithms for adversarial outcomes, and in the machines that Sparring has for them."""

from tests.mutants.mutant import Mutant

SPARRING_MACHINES = [
    Mutant(
        "machines.py", "y = draw(right, right_factor,", "y = draw(left, left_factor,", "one player's p for both arms"
    ),
    Mutant(
        "machines.py",
        "_observe(players, 0, x, x, y, left_wins / duels)",
        "_observe(players, 0, x, x, y, right_wins / duels)",
        "the left player is rewarded for losing",
    ),
    Mutant("machines.py", "        _share(players, 1)\n", "", "Exp3.S: the right player never learns"),
    Mutant(
        "machines.py",
        "(right_factor * right[y] + floor + players.implicit)",
        "(left_factor * left[y] + floor + players.implicit)",
        "the right player's reward over the left one's p",
    ),
    Mutant(
        "machines.py",
        "n_arms * math.log(n_arms) / ((math.e - 1) * horizon)",
        "n_arms * math.log(n_arms) / horizon",
        "Exp3: e - 1 is left out of gamma",
    ),
    Mutant(
        "machines.py", "gamma / n_arms, 0.0, bonus, False)", "gamma, 0.0, bonus, False)", "K is left out of the rate"
    ),
    Mutant("machines.py", "2 * math.log(n_arms + 1)", "2 * math.log(n_arms)", "Exp3-IX: ln K for ln(K + 1)"),
    Mutant(
        "machines.py", "worth, rate, rate / 2, 0.0, True)", "worth, rate, 0.0, 0.0, True)", "Exp3-IX explores nothing"
    ),
    Mutant("machines.py", "reward - 1.0 if players.by_loss", "reward if players.by_loss", "Exp3-IX counts rewards"),
    Mutant(
        "machines.py", "switches * math.log(n_arms * horizon)", "math.log(n_arms * horizon)", "Exp3.S: S is left out"
    ),
    Mutant("machines.py", "bonus = math.e / horizon", "bonus = 1 / horizon", "Exp3.S: e is left out of the bonus"),
    Mutant(
        "machines.py",
        "relative[i] * factor + players.bonus * others",
        "relative[i] * factor + players.bonus",
        "Exp3.S: the bonus is multiplied like the weights",
    ),
    Mutant("machines.py", "        exponents[i] = 0.0\n", "", "Exp3.S: rewards are counted again"),
    Mutant("machines.py", "        relative[i] /= total\n", "        pass\n", "Exp3.S: weights do not add up to 1"),
    Mutant("machines.py", "    players.worth[player, x, y] = 0.0\n", "", "the worth of a pair is not reset"),
]

REX3 = [
    Mutant(
        "rex3.py",
        "psi = (first_wins - second_wins) /",
        "psi = (second_wins - first_wins) /",
        "winner swapped",
    ),
    Mutant(
        "rex3.py",
        "    add(state.weights, 0, second, -psi * state.worth[1, first, second])\n",
        "",
        "the second arm's weight never changes",
    ),
    Mutant(
        "rex3.py",
        "state.worth[1, a, b] += 0.5 * floor / (factor * relative[b] + floor)",
        "state.worth[1, a, b] += 0.5 * floor / (factor * relative[a] + floor)",
        "the second arm's change over the first one's p",
    ),
    Mutant(
        "rex3.py",
        "state.worth[0, a, b] += 0.5 * floor",
        "state.worth[0, a, b] += floor",
        "1/2 is left out for the first arm",
    ),
    Mutant("rex3.py", "-psi * state.worth[1, first, second]", "psi * state.worth[1, first, second]", "both arms grow"),
    Mutant("rex3.py", "(math.e * g * horizon)", "(g * horizon)", "e is left out of gamma"),
    Mutant("rex3.py", "(math.e * g * horizon)", "(math.e * horizon)", "g is left out of gamma"),
    Mutant("rex3.py", "math.sqrt(state.ratio / t)", "state.ratio / t", "the anytime form without its square root"),
    Mutant("rex3.py", "/ (math.e * g),", "/ math.e,", "the anytime form without g"),
    Mutant("rex3.py", "    state.worth[0, first, second] = 0.0\n", "", "the worth of a pair is not reset"),
]

D_EXP3 = [
    Mutant(
        "d_exp3.py",
        "if first_wins > 0:\n        share = first_wins",
        "if second_wins > 0:\n        share = second_wins",
        "winner swapped",
    ),
    Mutant("d_exp3.py", "add(state.weights, 0, first,", "add(state.weights, 0, second,", "S of the second arm grows"),
    Mutant("d_exp3.py", "state.eta / (n_arms * q_x * q_y)", "state.eta / (q_x * q_y)", "K is left out"),
    Mutant("d_exp3.py", "state.eta / (n_arms * q_x * q_y)", "state.eta / (n_arms * q_x)", "q_y is left out"),
    Mutant("d_exp3.py", "if first_wins > 0:", "if first_wins > 0 and first != second:", "self-duels teach nothing"),
    Mutant("d_exp3.py", "    state.worth[first, second] = 0.0\n", "", "the worth of a pair is not reset"),
    Mutant("d_exp3.py", "(horizon * math.sqrt(n_arms))", "(horizon * n_arms)", "K for its square root in eta"),
    Mutant("d_exp3.py", "** (2 / 3)", "** 0.5", "another power in eta"),
    Mutant("d_exp3.py", "min(1.0, math.sqrt(eta * n_arms))", "min(1.0, eta * n_arms)", "gamma without its square root"),
    Mutant("weights.py", "return (1.0 - gamma) / total", "return 1.0 / total", "p adds up to more than 1"),
    Mutant("weights.py", "factor * relative[i] + floor\n", "factor * relative[i]\n", "no uniform draws"),
]

D_EXP3_HP = [
    Mutant(
        "d_exp3.py",
        "if first_wins > 0:\n        share = first_wins",
        "if second_wins > 0:\n        share = second_wins",
        "winner swapped",
    ),
    Mutant("d_exp3.py", "state.bonus / (factor * relative[i] + floor)", "state.bonus", "beta is not divided by q"),
    Mutant("d_exp3.py", "for i in range(n_arms):", "for i in (x, y):", "only who duels is given beta / q"),
    Mutant("d_exp3.py", "math.log(n_arms / delta)", "math.log(1 / delta)", "K is left out of beta"),
    Mutant("d_exp3.py", "/ (n_arms * horizon))", "/ horizon)", "K T is T in beta"),
    Mutant("d_exp3.py", "state.eta * optimism(", "optimism(", "eta is left out"),
    Mutant("d_exp3.py", "        follow(weights, 0)\n", "", "weights do not follow their logarithms"),
    Mutant("d_exp3.py", "add(state.weights, 0, first,", "add(state.weights, 0, second,", "S of the second arm grows"),
]

BCB = [
    Mutant(
        "bcb.py", "return x, y + 1 if y >= x else y, 1", "return x, y + 1 if y > x else y, 1", "arms duel themselves"
    ),
    Mutant("bcb.py", "state.wins[first] += first_wins", "state.wins[first] += second_wins", "winner swapped"),
    Mutant("bcb.py", "spread=2 * width(", "spread=width(", "one width between the arms"),
    Mutant("bcb.py", "n_arms / t * math.log", "1 / t * math.log", "K is left out of the width"),
    Mutant(
        "bcb.py", "math.log(2 * n_arms * horizon / delta)", "math.log(horizon / delta)", "2 K is left out of the width"
    ),
    Mutant("bcb.py", "ahead = n_arms * (state", "ahead = (state", "S is not K times the wins"),
    Mutant(
        "bcb.py",
        "state.seen[0] += first_wins + second_wins",
        "state.seen[0] += first_wins",
        "only wins are counted as rounds",
    ),
    Mutant(
        "bcb.py", "second = max(second, state.wins[i])", "second = state.wins[i]", "the last arm for the second best"
    ),
    Mutant("bcb.py", "/ n_arms))  # no", "))  # no", "the end is looked for too late"),
]
