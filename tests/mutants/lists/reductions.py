"""Faults in algorithms: reductions."""

MUTANTS = {
    "doubler": {
        "reductions.py": [
            (", 0, second, second_wins, first_wins)", ", 0, second, first_wins, second_wins)", "winner swapped"),
            ("t & (t + 1) == 0", "t & (t - 1) == 0", "epochs begin a round too late"),
            ("        ucb_bandits.reset(state.machines, 0)\n", "", "S is not reset"),
            ("            state.chosen[i] = 0\n", "", "L is not emptied"),
            ("_element(state.pool, draw_index(state.size[0], rng))", "_element(state.pool, 0)", "x is the first of L"),
        ],
        "ucb_bandits.py": [
            ("spread=(alpha + 2) / 2", "spread=alpha / 2", "alpha for alpha + 2"),
            (".sqrt(math.log(machines.observed[m] + 1))", ".log(machines.observed[m] + 1)", "dropped square root"),
            ("count += index >= largest", "count += index > largest", "no tie rule"),
        ],
    },
    "multisbm": {
        "reductions.py": [
            (" first, second, second_wins, first_wins)", " first, second, first_wins, second_wins)", "winner swapped"),
            ("(state.machines, first, second, ", "(state.machines, second, second, ", "the wrong machine observes"),
            ("    state.last[0] = y\n", "", "x never changes"),
            ("(state.machines, x, t, rng)", "(state.machines, 0, t, rng)", "one machine for all"),
            ("ucb_bandits.sure_rounds(state.machines, x) if x == y else 1", "2", "every duel is repeated"),
        ],
        "ucb_bandits.py": [
            (".observed[m] += rewards + failures", ".observed[m] += rewards", "the clock counts rewards only"),
            ("math.sqrt(machines.spread / plays)", "machines.spread / plays", "dropped square root"),
            ("machines.growth[m] if machines.own_clock else math.", "math.", "the round for the machine's own step"),
            ("math.log(machines.observed[m] + 1)", "math.log(machines.observed[m] + 2)", "step off by one"),
            ("rewards - (rewards + failures) * machines.cost[m]", "rewards", "failures do not bring the others nearer"),
            ("index - rival - ROUNDING", "index - ROUNDING", "the others are not looked at"),
            ("for place in range(k, machines", "for place in range(k + 1, machines", "played arms stay fresh"),
        ],
    },
    "sparring": {
        "reductions.py": [
            (", first, first_wins, second_wins)", ", first, second_wins, first_wins)", "L is rewarded for losing"),
            (
                "observe(state.machines, RIGHT, second, second_wins, first_wins)",
                "observe(state.machines, RIGHT, second, first_wins, second_wins)",
                "R is rewarded for losing",
            ),
            ("largest_index(machines, RIGHT, t, rng)", "largest_index(machines, LEFT, t, rng)", "L chooses both arms"),
            ("(state.machines, RIGHT, second,", "(state.machines, RIGHT, first,", "R observes the wrong arm"),
            (".failures[RIGHT, second] += first_wins", ".failures[RIGHT, second] += second_wins", "R swapped"),
            ("[RIGHT], state.failures[RIGHT]", "[LEFT], state.failures[RIGHT]", "R samples with the rewards of L"),
            (
                "min(ucb_bandits.sure_rounds(machines, LEFT), ucb_bandits.sure_rounds(machines, RIGHT))",
                "ucb_bandits.sure_rounds(machines, LEFT)",
                "R is not asked how long its choice stands",
            ),
        ],
        "ucb_bandits.py": [
            (" = lesser if lesser > second else second", " = lesser", "the last arm is taken for the second best"),
            ("math.log(machines.observed[m] + 1)", "math.log(machines.observed[m] + 2)", "step off by one"),
            ("count += index >= largest", "count += index > largest", "no tie rule"),
        ],
        "machines.py": [
            ("y = draw(right, right_factor,", "y = draw(left, left_factor,", "one player's p for both arms"),
            (" x, x, y, left_wins / duels)", " x, x, y, right_wins / duels)", "the left player is rewarded for losing"),
            ("        _share(players, 1)\n", "", "Exp3.S: the right player never learns"),
            ("right_factor * right[y] +", "left_factor * left[y] +", "the right player's reward over the left one's p"),
            (".log(n_arms) / ((math.e - 1) * horizon)", ".log(n_arms) / horizon", "Exp3: e - 1 is left out of gamma"),
            ("gamma / n_arms, 0.0, bonus, False)", "gamma, 0.0, bonus, False)", "K is left out of the rate"),
            ("2 * math.log(n_arms + 1)", "2 * math.log(n_arms)", "Exp3-IX: ln K for ln(K + 1)"),
            ("steps, rate, rate / 2, 0.0, True)", "steps, rate, 0.0, 0.0, True)", "Exp3-IX explores nothing"),
            ("reward - 1.0 if players.by_loss", "reward if players.by_loss", "Exp3-IX counts rewards"),
            ("switches * math.log(n_arms * horizon)", "math.log(n_arms * horizon)", "Exp3.S: S is left out"),
            ("bonus = math.e / horizon", "bonus = 1 / horizon", "Exp3.S: e is left out of the bonus"),
            (" + players.bonus * others", " + players.bonus", "Exp3.S: the bonus is multiplied like the weights"),
            ("        exponents[i] = 0.0\n", "", "Exp3.S: rewards are counted again"),
            ("        relative[i] /= total\n", "        pass\n", "Exp3.S: weights do not add up to 1"),
            ("    players.steps[player, x, y] = 0.0\n", "", "the step of a pair is not reset"),
        ],
    },
    "self-sparring": {
        "reductions.py": [
            ("    state.wins[first] += first_wins\n", "    state.wins[first] += second_wins\n", "winner swapped"),
            ("    state.losses[second] += first_wins\n", "", "the loser is forgotten"),
            ("state.losses[first] += second_wins", "state.losses[second] += second_wins", "the winner counts as loser"),
            (
                "return first, ucb_bandits.largest_sample(state.wins, state.losses, state.eta, rng)",
                "return first, first",
                "one sample for both arms",
            ),
            ("if first == second and not state.self_update:", "if first == second:", "self-duels are forgotten"),
        ],
        "ucb_bandits.py": [
            ("rewards[i], 1.0 + weight * failures[i]", "failures[i], 1.0 + weight * rewards[i]", "posterior reversed"),
            ("rng.beta(1.0 + weight * rewards[i]", "rng.beta(2.0 + weight * rewards[i]", "prior Beta(2, 1)"),
            ("        if theta > largest:\n", "        if theta > largest or i == 1:\n", "a sample is lost"),
        ],
    },
    "vdb": {
        "vdb.py": [
            (", first, second, second_wins / duels)", ", first, second, first_wins / duels)", "winner swapped"),
            ("eta = state.rate / math.sqrt(t)", "eta = state.rate / t", "dropped square root"),
            ('rate=4.0 if estimator == "rv" else 2.0', 'rate=2.0 if estimator == "rv" else 4.0', "rates swapped"),
            ("        if weights[k] >= eta * eta:\n", "        if weights[k] >= eta:\n", "eta for eta^2"),
            ("state.offset[side, i, j] += 0.5 / weights[arm]", "state.offset[side, i, j] += 0.5", "b is not weighted"),
            ("(state.weights[second_player], rng)", "(state.weights[0], rng)", "one player chooses both arms"),
            ("[k] += share * state.pending[side, k]", "[k] -= share * state.pending[side, k]", "wrong sign of b"),
            ("    state.inverse[side, i, j] = 0.0\n", "", "1 / w is not reset"),
            (", 1, second_player, j, i, j, eta)", ", 1, second_player, i, i, j, eta)", "1 / w of the other arm"),
        ],
    },
}
