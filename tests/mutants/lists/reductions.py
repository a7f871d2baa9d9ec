"""Faults in reductions to ordinary bandits: Doubler, MultiSBM, Sparring, Self-Sparring, VDB."""

from tests.mutants.mutant import Mutant

DOUBLER = [
    Mutant(
        "reductions.py",
        "observe(state.machines, 0, second, second_wins, first_wins)",
        "observe(state.machines, 0, second, first_wins, second_wins)",
        "winner swapped",
    ),
    Mutant("reductions.py", "t & (t + 1) == 0", "t & (t - 1) == 0", "epochs begin a round too late"),
    Mutant("reductions.py", "    reset(state.machines, 0)\n", "", "S is not reset"),
    Mutant("reductions.py", "        state.chosen[i] = 0\n", "", "L is not emptied"),
    Mutant(
        "reductions.py",
        "_element(state.pool, draw_index(state.size[0], rng))",
        "_element(state.pool, 0)",
        "x is the first of L",
    ),
    Mutant("ucb_bandits.py", "spread=(alpha + 2) / 2", "spread=alpha / 2", "alpha for alpha + 2"),
    Mutant(
        "ucb_bandits.py",
        "math.sqrt(math.log(machines.observed[m] + 1))",
        "math.log(machines.observed[m] + 1)",
        "dropped square root",
    ),
    Mutant("ucb_bandits.py", "count += index >= largest", "count += index > largest", "no tie rule"),
]

MULTISBM = [
    Mutant(
        "reductions.py",
        "observe(state.machines, first, second, second_wins, first_wins)",
        "observe(state.machines, first, second, first_wins, second_wins)",
        "winner swapped",
    ),
    Mutant(
        "reductions.py",
        "observe(state.machines, first, second, second_wins",
        "observe(state.machines, second, second, second_wins",
        "the wrong machine observes",
    ),
    Mutant("reductions.py", "    state.last[0] = y\n", "", "x never changes"),
    Mutant(
        "reductions.py",
        "largest_index(state.machines, x, t, rng)",
        "largest_index(state.machines, 0, t, rng)",
        "one machine for all",
    ),
    Mutant(
        "ucb_bandits.py",
        "machines.observed[m] += rewards + blanks",
        "machines.observed[m] += rewards",
        "the clock counts rewards only",
    ),
    Mutant("ucb_bandits.py", "math.sqrt(machines.spread / plays)", "machines.spread / plays", "dropped square root"),
    Mutant(
        "ucb_bandits.py",
        "machines.growth[m] if machines.own_clock else math.sqrt(math.log(t))",
        "math.sqrt(math.log(t))",
        "the round for the machine's own step",
    ),
    Mutant(
        "ucb_bandits.py", "math.log(machines.observed[m] + 1)", "math.log(machines.observed[m] + 2)", "step off by one"
    ),
    Mutant("reductions.py", "sure_rounds(state.machines, x) if x == y else 1", "2", "every duel is repeated"),
    Mutant(
        "ucb_bandits.py",
        "rewards - (rewards + blanks) * machines.price[m]",
        "rewards",
        "blanks do not bring the others nearer",
    ),
    Mutant("ucb_bandits.py", "index - rival - ROUNDING", "index - ROUNDING", "the others are not looked at"),
    Mutant(
        "ucb_bandits.py",
        "for place in range(k, machines",
        "for place in range(k + 1, machines",
        "played arms stay fresh",
    ),
]

SPARRING = [
    Mutant(
        "reductions.py",
        "observe(state.machines, LEFT, first, first_wins, second_wins)",
        "observe(state.machines, LEFT, first, second_wins, first_wins)",
        "L is rewarded for losing",
    ),
    Mutant(
        "reductions.py",
        "observe(state.machines, RIGHT, second, second_wins, first_wins)",
        "observe(state.machines, RIGHT, second, first_wins, second_wins)",
        "R is rewarded for losing",
    ),
    Mutant(
        "reductions.py",
        "largest_index(machines, RIGHT, t, rng)",
        "largest_index(machines, LEFT, t, rng)",
        "L chooses both arms",
    ),
    Mutant(
        "reductions.py",
        "observe(state.machines, RIGHT, second,",
        "observe(state.machines, RIGHT, first,",
        "R observes the wrong arm",
    ),
    Mutant(
        "reductions.py",
        "state.blanks[RIGHT, second] += first_wins",
        "state.blanks[RIGHT, second] += second_wins",
        "blanks of R swapped",
    ),
    Mutant(
        "reductions.py",
        "return x, largest_sample(machines.rewards[RIGHT], state.blanks[RIGHT]",
        "return x, largest_sample(machines.rewards[LEFT], state.blanks[RIGHT]",
        "R samples with the rewards of L",
    ),
    Mutant(
        "reductions.py",
        "min(sure_rounds(machines, LEFT), sure_rounds(machines, RIGHT))",
        "sure_rounds(machines, LEFT)",
        "R is not asked how long its choice stands",
    ),
    Mutant(
        "ucb_bandits.py",
        "second = lesser if lesser > second else second",
        "second = lesser",
        "the last arm is taken for the second best",
    ),
    Mutant(
        "ucb_bandits.py", "math.log(machines.observed[m] + 1)", "math.log(machines.observed[m] + 2)", "step off by one"
    ),
    Mutant("ucb_bandits.py", "count += index >= largest", "count += index > largest", "no tie rule"),
]

SELF_SPARRING = [
    Mutant(
        "reductions.py",
        "    state.wins[first] += first_wins\n",
        "    state.wins[first] += second_wins\n",
        "winner swapped",
    ),
    Mutant("reductions.py", "    state.losses[second] += first_wins\n", "", "the loser is forgotten"),
    Mutant(
        "reductions.py",
        "state.losses[first] += second_wins",
        "state.losses[second] += second_wins",
        "the winner counts as loser",
    ),
    Mutant(
        "ucb_bandits.py",
        "rng.beta(1.0 + weight * rewards[i], 1.0 + weight * blanks[i])",
        "rng.beta(1.0 + weight * blanks[i], 1.0 + weight * rewards[i])",
        "posterior turned round",
    ),
    Mutant(
        "ucb_bandits.py", "rng.beta(1.0 + weight * rewards[i]", "rng.beta(2.0 + weight * rewards[i]", "prior Beta(2, 1)"
    ),
    Mutant(
        "reductions.py",
        "return first, largest_sample(state.wins, state.losses, state.eta, rng), 1",
        "return first, first, 1",
        "one sample for both arms",
    ),
    Mutant(
        "reductions.py",
        "if first == second and not state.self_update:",
        "if first == second:",
        "self-duels are forgotten",
    ),
    Mutant(
        "ucb_bandits.py", "        if theta > largest:\n", "        if theta > largest or i == 1:\n", "a sample is lost"
    ),
]

VDB = [
    Mutant(
        "vdb.py",
        "_suffer(state, 0, first, first, second, second_wins / duels)",
        "_suffer(state, 0, first, first, second, first_wins / duels)",
        "winner swapped",
    ),
    Mutant("vdb.py", "eta = state.rate / math.sqrt(t)", "eta = state.rate / t", "dropped square root"),
    Mutant(
        "vdb.py", 'rate=4.0 if estimator == "rv" else 2.0', 'rate=2.0 if estimator == "rv" else 4.0', "rates swapped"
    ),
    Mutant("vdb.py", "        if weights[k] >= eta * eta:\n", "        if weights[k] >= eta:\n", "eta for eta^2"),
    Mutant(
        "vdb.py",
        "state.offset[side, i, j] += 0.5 / weights[arm]",
        "state.offset[side, i, j] += 0.5",
        "b is not weighted",
    ),
    Mutant(
        "vdb.py",
        "_draw(state.weights[second_player], rng)",
        "_draw(state.weights[0], rng)",
        "one player chooses both arms",
    ),
    Mutant(
        "vdb.py",
        "losses[k] += share * state.pending[side, k]",
        "losses[k] -= share * state.pending[side, k]",
        "wrong sign of b",
    ),
    Mutant("vdb.py", "    state.inverse[side, i, j] = 0.0\n", "", "1 / w is not reset"),
    Mutant(
        "vdb.py",
        "_expect(state, 1, second_player, j, i, j, eta)",
        "_expect(state, 1, second_player, i, i, j, eta)",
        "1 / w of the other arm",
    ),
]
