"""Faults in algorithms: sampling."""

MUTANTS = {
    "d-ts": {
        "dts.py": [
            (", i, j, rng.random() < above[i, j])", ", i, j, rng.random() > above[i, j])", "signs turned round"),
            ("fewest = min(fewest, n_below[i])", "fewest = max(fewest, n_below[i])", "C of the worst arms"),
            ("i != a and not is_below(state.bounds, a, i, t):", "i != a:", "known opponents are not left out"),
            ("not is_below(state.bounds, a, i, t):", "not is_below(state.bounds, i, a, t):", "bound of the other side"),
            ("        if theta > largest:\n", "        if theta < largest or best == a:\n", "smallest sample wins"),
            (
                "if state.candidate[i] and (all_count or state.signs.known[i]) and votes[i] >= most:",
                "if votes[i] >= most:",
                "winners of the vote need not be in C",
            ),
        ],
        "posteriors.py": [
            ("step = -0.5 * weight", "step = -0.25 * weight", "posterior moves half as far"),
            ("weight *= (won + lost) / (2.0 * won)", "weight *= (won + lost + 1) / (2.0 * won)", "off by one"),
        ],
        "dts_many_arms.py": [
            ("rng.random() < 65536.0 * above[i, j] - q:", "rng.random() < 0.5:", "undecided signs even"),
            ("                rows.bench[VOTES, j] -= 1\n", "", "an undecided pair gives two votes"),
            ("bits[j] < threshold[j]", "bits[j] > threshold[j]", "signs of a row turned round"),
            ("votes[j] += opened[j] - won[j]", "votes[j] += won[j]", "votes for those that lose"),
            ("    rows.bench[OPEN, i] = 0\n", "", "an arm votes for itself"),
            ("[j, i] = threshold_of(above[j, i])", "[j, i] = threshold_of(above[i, j])", "signs of the other arm"),
            ("            votes[i] += rows.bench[VOTES, i]\n", "", "votes against known arms are forgotten"),
        ],
    },
    "d-ts-plus": {
        "dts.py": [
            ("most - 0.5 * (votes[i] + votes[j])", "most - (votes[i] + votes[j])", "regret not halved"),
            (" / max(kl_to_half(theta), 1e-300)", " * max(kl_to_half(theta), 1e-300)", "multiplied by the divergence"),
            ("            total[j] += ratio\n", "            total[j] -= ratio\n", "wrong sign for the second arm"),
            ("if state.over_all or state.candidate[i]:", "if state.candidate[i]:", "best score of the candidates"),
            ("[j, i] + 1, wins[i, j] + 1, rng)", "[i, j] + 1, wins[j, i] + 1, rng)", "sample of the wrong side"),
            (".chosen[i] or state.chosen[j])", ".chosen[i] and state.chosen[j])", "ratios between tied arms only"),
            ("if regret is not None and count > 1:", "if regret is not None and False:", "ties at random"),
            ("state.plus or candidate[i] or candidate[j])", "candidate[i] or candidate[j])", "no signs for other arms"),
            ("fewest = min(fewest, n_below[i])", "fewest = max(fewest, n_below[i])", "C of the worst arms"),
        ],
        "dts_ties.py": [
            ("        has_deviated = left < deviates", "        has_deviated = left > deviates", "other signs deviate"),
            ("wins = number[r] < above[i, j]", "wins = number[r] > above[i, j]", "open signs turned round"),
            ("        least[r] = total\n", "        least[r] = 2.0 * total\n", "more regret wins"),
            ("weight[r] * _ratio", "(weight[r] > 0) * _ratio", "ratios are not weighted"),
            ("n_below += not sign", "n_below += sign", "samples of one sign twice"),
            ("            _compare_regret(", "            if i != 1: _compare_regret(", "a leader is left out"),
            ("_draw_samples(ties, wins, j, i,", "_draw_samples(ties, wins, i, j,", "samples of the other side"),
            ("if left[r] < ties.informs[a]:", "if left[r] < 0.5 * ties.informs[a]:", "second set half as likely"),
            ("informing += (1.0 - informing) * above[i, a]", "informing = above[i, a]", "last arm only"),
        ],
        "beta_columns.py": [
            ("number = rng.random()", "number = 0.5", "columns of rejected points are the same"),
            ("STEP] * (u - c)", "STEP] * number[k]", "place in the column depends on which it is"),
            ("n_again += u - c >= columns[c, SURE]", "n_again += 0", "points above the density are kept"),
        ],
    },
    "d-ts-pure": {
        "dts.py": [
            ("alpha=math.inf", "alpha=0.51", "the bounds are kept"),
            (".known[i]) and votes[i] >= most:", ".known[i]) and votes[i] > most:", "no tie rule for the vote"),
            ("[i, a] + 1, wins[a, i] + 1, rng)", "[a, i] + 1, wins[i, a] + 1, rng)", "sample of the wrong side"),
            ("rng.random() < above[i, a]", "rng.random() < above[a, i]", "opponents that lose to a"),
        ],
        "dts_standing.py": [
            ("    signs.votes[j] += not wins\n", "    pass\n", "only the first arm of a pair gets votes"),
        ],
        "posteriors.py": [
            ("above[second, first] - step", "above[second, first] + step", "wrong sign in the posterior"),
            ("(2.0 * (plays - fewer + 1))", "(2.0 * (plays - fewer))", "off by one in the series"),
            ("term *= k / (plays + 2.0 - k)", "term *= k / (plays + 1.0 - k)", "off by one further on in the series"),
        ],
    },
}
