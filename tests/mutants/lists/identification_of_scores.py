"""Faults in algorithms: identification of scores."""

MUTANTS = {
    "br": {
        "secs.py": [
            ("state.won[first] += first_wins", "state.won[first] += second_wins", "winner swapped"),
            ("math.sqrt(2.0 * math.log(4.0", "math.sqrt(math.log(4.0", "2 forgotten in the radius"),
            ("radius = n_arms / (n_arms - 1.0) * math", "radius = math", "radius not scaled as the scores"),
            ("draw_index(state.order.size, rng)", "draw_index(state.order.size - 1, rng)", "an arm is no opponent"),
            (" and arm != p.opponent", "", "the opponent duels itself"),
            ("highest > _score(state, j) + radius", "highest > _score(state, j)", "no radius"),
            ("        p.place = 0\n", "", "turns do not begin again"),
        ],
    },
    "secs": {
        "secs.py": [
            ("state.Z[first, second] += first_wins", "state.Z[first, second] += second_wins", "winner swapped"),
            ("2 * state.Z[i, j] + signed > threshold", "state.Z[i, j] + signed > threshold", "2 forgotten"),
            ("state.const * (state.k + 1)", "state.const * state.k", "k + 1 is k"),
            ("max(1, int(0.5 * short))", "max(1, int(50 * short))", "pairs are tested too seldom"),
            ("signed += _lead", "signed -= _lead", "differences against other arms turned round"),
            ("if o in (i, j) or state", "if state", "the two arms themselves are compared with"),
            ("j, o)) > abs(", "j, o)) < abs(", "the arms that tell least are compared with"),
            ("math.sqrt(per_turn) + per_turn / 3.0", "math.sqrt(per_turn)", "no second term of the radius"),
        ],
    },
    "active-ranking": {
        "scores.py": [
            ("scores.wins[arm] += wins", "scores.wins[arm] += losses", "winner swapped"),
            ("opponent + (opponent >= arm)", "opponent", "opponents that are not uniform"),
            ("0.75 * math.log(math.log", "0.5 * math.log(math.log", "another constant in the radius"),
        ],
        "active_ranking.py": [
            ("state.factor * sampling", "sampling", "f forgotten"),
            ("mean[ranked[p.places_left]] + width", "mean[ranked[p.places_left]]", "in too soon"),
            ("elif mean[arm] < most_out:", "elif False:", "no arm is out by itself"),
            ("            p.places_left -= 1\n", "", "places are not filled"),
        ],
    },
    "lucb-borda": {
        "lucb_borda.py": [
            ("state.scores.samples[first], state", "1, state", "the radius does not depend on n"),
            ("+ side * state.width[i]", "+ (side > 0.0) * state.width[i]", "no lower bounds"),
            ("+ side * state.width[i]", "- (side < 0.0) * state.width[i]", "no upper bounds"),
            ("p.next = u\n", "p.next = NO_ARM\n", "only one arm is sampled"),
            ("(state, state.k, state.ranked.size, 1.0)", "(state, state.k + 1, state.ranked.size, 1.0)", "an arm less"),
        ],
        "scores.py": [
            ("1.5 * math.log(1.0 + math", "1.5 * math.log(2.0 + math", "another constant in the radius"),
            ("scores.place[i] < scores.place[j]", "scores.place[i] > scores.place[j]", "ties the other way"),
        ],
    },
    "batched-elimination": {
        "batched_elimination.py": [
            ("state.wins[first, second] += first_wins", "state.wins[first, second] += second_wins", "winner swapped"),
            ("(n_arms - 1) * batches / delta", "n_arms * batches / delta", "K for K - 1"),
            ("state.log_term / (2.0 * m)", "state.log_term / m", "2 forgotten in the radius"),
            ("max(last + 1, ", "max(last, ", "batches without duels"),
            ("state.wins[b, a] / m", "state.wins[a, b] / m", "winners leave"),
            ("state.sizes[r] - (state.sizes[r - 1] if r > 0 else 0)", "state.sizes[r]", "earlier batches do not count"),
            ("    p.begins = t\n", "", "batches do not begin"),
            ("while left >= row:", "while left > row:", "pairs miscounted"),
        ],
    },
}
