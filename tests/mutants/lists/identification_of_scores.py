"""Faults in algorithms that look for the best Borda scores, and in elimination with an answer."""

from tests.mutants.mutant import Mutant

BR = [
    Mutant("secs.py", "state.won[first] += first_wins", "state.won[first] += second_wins", "winner swapped"),
    Mutant("secs.py", "math.sqrt(2.0 * math.log(4.0", "math.sqrt(math.log(4.0", "2 forgotten in the radius"),
    Mutant(
        "secs.py", "return n_arms / (n_arms - 1.0) * math.sqrt", "return math.sqrt", "radius not scaled as the scores"
    ),
    Mutant(
        "secs.py", "draw_index(state.order.size, rng)", "draw_index(state.order.size - 1, rng)", "an arm is no opponent"
    ),
    Mutant("secs.py", " and arm != p.opponent", "", "the opponent duels itself"),
    Mutant("secs.py", "highest > _score(state, j) + radius", "highest > _score(state, j)", "no radius"),
    Mutant("secs.py", "        p.place = 0\n", "", "turns do not begin again"),
]

SECS = [
    Mutant(
        "secs.py", "state.Z[first, second] += first_wins", "state.Z[first, second] += second_wins", "winner swapped"
    ),
    Mutant("secs.py", "2 * state.Z[i, j] + signed > threshold", "state.Z[i, j] + signed > threshold", "2 forgotten"),
    Mutant("secs.py", "state.const * (state.k + 1)", "state.const * state.k", "k + 1 is k"),
    Mutant("secs.py", "max(1, int(0.5 * short))", "max(1, int(50 * short))", "pairs are looked at too seldom"),
    Mutant("secs.py", "signed += _lead", "signed -= _lead", "differences against other arms turned round"),
    Mutant("secs.py", "if o in (i, j) or state", "if state", "the two arms themselves are compared with"),
    Mutant("secs.py", "j, o)) > abs(", "j, o)) < abs(", "the arms that tell least are compared with"),
    Mutant("secs.py", "math.sqrt(per_turn) + per_turn / 3.0", "math.sqrt(per_turn)", "no second term of the radius"),
]

ACTIVE_RANKING = [
    Mutant("scores.py", "scores.wins[arm] += wins", "scores.wins[arm] += losses", "winner swapped"),
    Mutant("scores.py", "opponent + (opponent >= arm)", "opponent", "opponents that are not uniform"),
    Mutant("scores.py", "0.75 * math.log(math.log", "0.5 * math.log(math.log", "another constant in the radius"),
    Mutant("active_ranking.py", "state.factor * radius", "radius", "f forgotten"),
    Mutant("active_ranking.py", "mean[ranked[p.places_left]] + width", "mean[ranked[p.places_left]]", "in too soon"),
    Mutant("active_ranking.py", "elif mean[arm] < most_out:", "elif False:", "no arm is out by itself"),
    Mutant("active_ranking.py", "            p.places_left -= 1\n", "", "places are not filled"),
]

LUCB_BORDA = [
    Mutant("lucb_borda.py", "state.scores.samples[first], state", "1, state", "the radius does not depend on n"),
    Mutant("lucb_borda.py", "mean[i] - state.width[i]", "mean[i]", "no lower bounds"),
    Mutant("lucb_borda.py", "mean[i] + state.width[i]", "mean[i]", "no upper bounds"),
    Mutant("lucb_borda.py", "p.next = u\n", "p.next = NO_ARM\n", "only one arm is sampled"),
    Mutant("lucb_borda.py", "range(state.k + 1, state", "range(state.k + 2, state", "an arm of the rest is forgotten"),
    Mutant("scores.py", "1.5 * math.log(1.0 + math", "1.5 * math.log(2.0 + math", "another constant in the radius"),
    Mutant("scores.py", "scores.place[i] < scores.place[j]", "scores.place[i] > scores.place[j]", "ties the other way"),
]

E_ELIMINATION = [
    Mutant(
        "e_elimination.py",
        "tell(state.tests, first, second, first_wins, second_wins)",
        "tell(state.tests, first, second, second_wins, first_wins)",
        "winner swapped",
    ),
    Mutant("e_elimination.py", "if is_in[state.order[a]] and is_in[state.order[b]]:", "if True:", "no pair is skipped"),
    Mutant(
        "e_elimination.py",
        "if b < last and is_in[state.order[a]]:",
        "if b < last - 1 and is_in[state.order[a]]:",
        "the last arm is forgotten",
    ),
    Mutant("e_elimination.py", "            b = a + 1\n", "            b = 0\n", "pairs begin with the first arm"),
    Mutant("e_elimination.py", " if n_left(state.tests) == 2 else 1", "", "a pair stays while others are in"),
    Mutant("e_condorcet.py", "log_level=-math.log(delta)", "log_level=-math.log(0.5 * delta)", "delta is halved"),
    Mutant("e_condorcet.py", "rho=1.0 / (n_arms - 1)", "rho=1.0 / n_arms", "rho = 1 / K"),
]

BATCHED_ELIMINATION = [
    Mutant(
        "batched_elimination.py",
        "state.wins[first, second] += first_wins",
        "state.wins[first, second] += second_wins",
        "winner swapped",
    ),
    Mutant("batched_elimination.py", "(n_arms - 1) * batches / delta", "n_arms * batches / delta", "K for K - 1"),
    Mutant("batched_elimination.py", "state.log_term / (2.0 * m)", "state.log_term / m", "2 forgotten in the radius"),
    Mutant("batched_elimination.py", "max(last + 1, ", "max(last, ", "batches without duels"),
    Mutant("batched_elimination.py", "state.wins[b, a] / m", "state.wins[a, b] / m", "winners leave"),
    Mutant(
        "batched_elimination.py",
        "state.sizes[r] - (state.sizes[r - 1] if r > 0 else 0)",
        "state.sizes[r]",
        "earlier batches do not count",
    ),
    Mutant("batched_elimination.py", "    p.begins = t\n", "", "batches do not begin"),
    Mutant("batched_elimination.py", "while left >= row:", "while left > row:", "pairs miscounted"),
]
