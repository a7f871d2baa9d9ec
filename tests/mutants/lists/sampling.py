"""Faults in algorithms that draw from posteriors: D-TS, D-TS+, pure D-TS."""

from tests.mutants.mutant import Mutant

DTS = [
    Mutant(
        "dts.py",
        "continue\n            count_vote(state.signs, i, j, rng.random() < above[i, j])",
        "continue\n            count_vote(state.signs, i, j, rng.random() > above[i, j])",
        "signs turned round",
    ),
    Mutant("dts.py", "fewest = min(fewest, n_below[i])", "fewest = max(fewest, n_below[i])", "C of the worst arms"),
    Mutant("dts.py", "i != a and not is_below(state.bounds, a, i, t):", "i != a:", "known opponents are not left out"),
    Mutant(
        "dts.py",
        "not is_below(state.bounds, a, i, t):",
        "not is_below(state.bounds, i, a, t):",
        "bound of the other side",
    ),
    Mutant(
        "dts.py",
        "        if theta > largest:\n",
        "        if theta < largest or best == a:\n",
        "smallest sample wins",
    ),
    Mutant(
        "dts.py",
        "if state.candidate[i] and (all_count or state.signs.known[i]) and votes[i] >= most:",
        "if votes[i] >= most:",
        "winners of the vote need not be in C",
    ),
    Mutant("posteriors.py", "step = -0.5 * weight", "step = -0.25 * weight", "posterior moves half as far"),
    Mutant(
        "posteriors.py",
        "weight *= (won + lost) / (2.0 * won)",
        "weight *= (won + lost + 1) / (2.0 * won)",
        "off by one",
    ),
    Mutant(
        "dts_many_arms.py", "rng.random() < 65536.0 * above[i, j] - q:", "rng.random() < 0.5:", "undecided signs even"
    ),
    Mutant(
        "dts_many_arms.py",
        "                rows.bench[VOTES, j] -= 1\n",
        "",
        "an undecided pair gives two votes",
    ),
    Mutant("dts_many_arms.py", "bits[j] < threshold[j]", "bits[j] > threshold[j]", "signs of a row turned round"),
    Mutant("dts_many_arms.py", "votes[j] += opened[j] - won[j]", "votes[j] += won[j]", "votes for those that lose"),
    Mutant("dts_many_arms.py", "    rows.bench[OPEN, i] = 0\n", "", "an arm votes for itself"),
    Mutant(
        "dts_many_arms.py",
        "many.rows.threshold[j, i] = threshold_of(above[j, i])",
        "many.rows.threshold[j, i] = threshold_of(above[i, j])",
        "signs of the other arm",
    ),
    Mutant(
        "dts_many_arms.py",
        "            votes[i] += rows.bench[VOTES, i]\n",
        "",
        "votes against known arms are forgotten",
    ),
]

DTS_PLUS = [
    Mutant(
        "sampled_regret.py",
        "most - 0.5 * (votes[i] + votes[j])",
        "most - (votes[i] + votes[j])",
        "regret not halved",
    ),
    Mutant("dts.py", "if regret is not None and count > 1:", "if regret is not None and False:", "ties at random"),
    Mutant(
        "sampled_regret.py",
        "ratio = regret / max(kl_to_half(theta), 1e-300)",
        "ratio = regret * max(kl_to_half(theta), 1e-300)",
        "multiplied by the divergence",
    ),
    Mutant(
        "sampled_regret.py",
        "            total[j] += ratio\n",
        "            total[j] -= ratio\n",
        "wrong sign for the second arm",
    ),
    Mutant(
        "dts.py",
        "not (state.plus or candidate[i] or candidate[j])",
        "not (candidate[i] or candidate[j])",
        "no signs for other arms",
    ),
    Mutant(
        "sampled_regret.py",
        "if state.over_all or state.candidate[i]:",
        "if state.candidate[i]:",
        "best score of the candidates",
    ),
    Mutant(
        "sampled_regret.py",
        "theta = beta_above_half(wins[j, i] + 1, wins[i, j] + 1, rng)",
        "theta = beta_above_half(wins[i, j] + 1, wins[j, i] + 1, rng)",
        "sample of the wrong side",
    ),
    Mutant(
        "sampled_regret.py",
        "not (state.chosen[i] or state.chosen[j])",
        "not (state.chosen[i] and state.chosen[j])",
        "ratios between tied arms only",
    ),
    Mutant("dts.py", "fewest = min(fewest, n_below[i])", "fewest = max(fewest, n_below[i])", "C of the worst arms"),
    Mutant(
        "dts_ties.py",
        "        has_deviated = left < deviates",
        "        has_deviated = left > deviates",
        "other signs deviate",
    ),
    Mutant(
        "dts_ties.py", "wins = number[r] < above[i, j]", "wins = number[r] > above[i, j]", "open signs turned round"
    ),
    Mutant("dts_ties.py", "ties.sums[LEAST, r] = total\n", "ties.sums[LEAST, r] = 2.0 * total\n", "more regret wins"),
    Mutant("dts_ties.py", "(most[r] - votes[j, r]) * _ratio", "_ratio", "ratios are not weighted"),
    Mutant("dts_ties.py", "n_below += counts & (not sign)", "n_below += counts & sign", "samples of one sign twice"),
    Mutant(
        "dts_ties.py", "        if candidate[i]:\n", "        if candidate[i] and i != 1:\n", "a leader is left out"
    ),
    Mutant(
        "dts_ties.py", "_draw_samples(ties, wins, j, i,", "_draw_samples(ties, wins, i, j,", "samples of the other side"
    ),
    Mutant(
        "dts_ties.py",
        "if left[r] < ties.informs[a]:",
        "if left[r] < 0.5 * ties.informs[a]:",
        "second set half as likely",
    ),
    Mutant("dts_ties.py", "informing += (1.0 - informing) * above[i, a]", "informing = above[i, a]", "last arm only"),
    Mutant("beta_columns.py", "number = rng.random()", "number = 0.5", "columns of rejected points are the same"),
    Mutant("beta_columns.py", "STEP] * (u - c)", "STEP] * number[k]", "place in the column depends on which it is"),
    Mutant(
        "beta_columns.py", "n_again += u - c >= columns[c, SURE]", "n_again += 0", "points above the density are kept"
    ),
]

DTS_PURE = [
    Mutant("dts.py", "alpha=math.inf", "alpha=0.51", "the bounds are kept"),
    Mutant(
        "dts.py",
        "if state.candidate[i] and (all_count or state.signs.known[i]) and votes[i] >= most:",
        "if state.candidate[i] and (all_count or state.signs.known[i]) and votes[i] > most:",
        "no tie rule for the vote",
    ),
    Mutant(
        "dts_signs.py",
        "    signs.votes[j] += not wins\n",
        "    pass\n",
        "only the first arm of a pair gets votes",
    ),
    Mutant(
        "dts.py",
        "beta_above_half(wins[i, a] + 1, wins[a, i] + 1, rng)",
        "beta_above_half(wins[a, i] + 1, wins[i, a] + 1, rng)",
        "sample of the wrong side",
    ),
    Mutant("dts.py", "rng.random() < above[i, a]", "rng.random() < above[a, i]", "opponents that lose to a"),
    Mutant(
        "posteriors.py", "above[second, first] - step", "above[second, first] + step", "wrong sign in the posterior"
    ),
    Mutant("posteriors.py", "(2.0 * (plays - fewer + 1))", "(2.0 * (plays - fewer))", "off by one in the series"),
    Mutant(
        "posteriors.py",
        "term *= k / (plays + 2.0 - k)",
        "term *= k / (plays + 1.0 - k)",
        "off by one further on in the series",
    ),
]
