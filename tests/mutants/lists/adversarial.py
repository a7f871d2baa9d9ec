"""Faults in algorithms: adversarial."""

MUTANTS = {
    "rex3": {
        "rex3.py": [
            ("psi = (first_wins - second_wins) /", "psi = (second_wins - first_wins) /", "winner swapped"),
            (
                "    add(state.weights, 0, second, -psi * state.steps[1, first, second])\n",
                "",
                "the second arm's weight never changes",
            ),
            (" * relative[b] + floor)", " * relative[a] + floor)", "the second arm's change over the first one's p"),
            (".steps[0, a, b] += 0.5 * floor", ".steps[0, a, b] += floor", "1/2 is left out for the first arm"),
            ("-psi * state.steps[1, first, second]", "psi * state.steps[1, first, second]", "both arms grow"),
            ("(math.e * g * horizon)", "(g * horizon)", "e is left out of gamma"),
            ("(math.e * g * horizon)", "(math.e * horizon)", "g is left out of gamma"),
            ("math.sqrt(state.ratio / t)", "state.ratio / t", "the anytime form without its square root"),
            ("/ (math.e * g),", "/ math.e,", "the anytime form without g"),
            ("    state.steps[0, first, second] = 0.0\n", "", "the step of a pair is not reset"),
        ],
    },
    "d-exp3": {
        "d_exp3.py": [
            (
                "if first_wins > 0:\n        share = first_wins",
                "if second_wins > 0:\n        share = second_wins",
                "winner swapped",
            ),
            ("add(state.weights, 0, first,", "add(state.weights, 0, second,", "S of the second arm grows"),
            ("state.eta / (n_arms * q_x * q_y)", "state.eta / (q_x * q_y)", "K is left out"),
            ("state.eta / (n_arms * q_x * q_y)", "state.eta / (n_arms * q_x)", "q_y is left out"),
            ("if first_wins > 0:", "if first_wins > 0 and first != second:", "self-duels teach nothing"),
            ("    state.steps[first, second] = 0.0\n", "", "the step of a pair is not reset"),
            ("(horizon * math.sqrt(n_arms))", "(horizon * n_arms)", "K for its square root in eta"),
            ("** (2 / 3)", "** 0.5", "another power in eta"),
            ("min(1.0, math.sqrt(eta * n_arms))", "min(1.0, eta * n_arms)", "gamma without its square root"),
        ],
        "weights.py": [
            ("return (1.0 - gamma) / total", "return 1.0 / total", "p adds up to more than 1"),
            ("factor * relative[i] + floor\n", "factor * relative[i]\n", "no uniform draws"),
        ],
    },
    "d-exp3-hp": {
        "d_exp3.py": [
            (
                "if first_wins > 0:\n        share = first_wins",
                "if second_wins > 0:\n        share = second_wins",
                "winner swapped",
            ),
            ("state.bonus / (factor * relative[i] + floor)", "state.bonus", "beta is not divided by q"),
            ("for i in range(n_arms):", "for i in (x, y):", "only who duels is given beta / q"),
            ("math.log(n_arms / delta)", "math.log(1 / delta)", "K is left out of beta"),
            ("/ (n_arms * horizon))", "/ horizon)", "K T is T in beta"),
            ("state.eta * beta", "beta", "eta is left out"),
            ("        follow(weights, 0)\n", "", "weights do not follow their logarithms"),
            ("add(state.weights, 0, first,", "add(state.weights, 0, second,", "S of the second arm grows"),
        ],
    },
    "bcb": {
        "bcb.py": [
            ("return x, y + 1 if y >= x else y, 1", "return x, y + 1 if y > x else y, 1", "arms duel themselves"),
            ("state.wins[first] += first_wins", "state.wins[first] += second_wins", "winner swapped"),
            ("spread=4 * math.sqrt(", "spread=2 * math.sqrt(", "one width between the arms"),
            ("math.sqrt(n_arms * math.log", "math.sqrt(math.log", "K is left out of the width"),
            ("math.log(2 * n_arms * horizon / delta)", "math.log(horizon / delta)", "2 K is left out of the width"),
            ("ahead = n_arms * (state", "ahead = (state", "S is not K times the wins"),
            (".seen[0] += first_wins + second_wins", ".seen[0] += first_wins", "only wins are counted as rounds"),
            ("second = max(second, state.wins[i])", "second = state.wins[i]", "the last arm for the second best"),
            ("/ n_arms))  # no", "))  # no", "the end is looked for too late"),
        ],
    },
}
