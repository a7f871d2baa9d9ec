"""Claims about ranks over several matrices."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy import stats

from duelbench.bandits.statistics.ranks import Scores, across, compared, ranks


def _scores(seed, n_algorithms=7, n_matrices=4, most=60, factor=0.15):
    rng = np.random.default_rng(seed)
    shape = (n_algorithms, n_matrices)
    noise = rng.uniform(-1, 1, (n_matrices, n_algorithms, n_algorithms))
    return Scores(
        means=rng.lognormal(4, 2, n_matrices) * np.exp(factor * rng.normal(size=shape)),
        errors=rng.uniform(0.01, 0.2, shape),
        skewness=rng.normal(1, 2, shape),
        runs=rng.integers(5, most, shape),
        correlations=(noise + noise.transpose(0, 2, 1)) / 2,
        across=rng.uniform(0, 0.3, n_algorithms),
    )


def _hall(t, a):
    root = max(1 + a * t / 3, 0.45)
    return t * (root**2 + root + 1) / 3 + a / 6


def _plain_test(scores, a, b, relative):
    """One of the two tests of a pair, matrix by matrix: the value, its standard error, freedom and p."""
    n_matrices = scores.means.shape[1]
    value, parts, products_a, products_b, third, fewest = 0.0, [], 0.0, 0.0, 0.0, []
    errors = []
    for m in range(n_matrices):
        one, other = scores.means[a, m], scores.means[b, m]
        middle = (one + other) / 2
        weights = (one / middle, other / middle) if relative else (1.0, 1.0)
        e, f = weights[0] * scores.errors[a, m], weights[1] * scores.errors[b, m]
        n, k = int(scores.runs[a, m]), int(scores.runs[b, m])
        rho = scores.correlations[m, a, b] * (min(n, k) / max(n, k)) ** 0.5
        value += ((one - other) / middle if relative else np.log(one / other)) / n_matrices
        parts.append((max(e * e + f * f - 2 * rho * e * f, 0) / n_matrices**2, min(n, k)))
        third += (scores.skewness[a, m] * e**3 / n**0.5 - scores.skewness[b, m] * f**3 / k**0.5) / n_matrices**3
        fewest.append(min(n, k))
        errors.append((e, f))
    for (e, f), (other_e, other_f) in combinations(errors, 2):
        products_a += 2 * e * other_e
        products_b += 2 * f * other_f
    shared = (scores.across[a] * products_a + scores.across[b] * products_b) / n_matrices**2
    variance = sum(v for v, _ in parts) + shared
    freedom = variance**2 / (sum(v * v / (n - 1) for v, n in parts) + shared * variance / (min(fewest) - 1))
    t = value / variance**0.5
    skewed = _hall(t, third / variance**1.5)
    law = stats.t(freedom)
    p = min(1.0, 2 * min(law.sf(min(t, skewed)), law.cdf(max(t, skewed))))
    return value, variance**0.5, freedom, p


def _plain(scores, level=0.95):
    """Ranks by the formulas of docs/studies/leaderboard-ranks.md, with loops."""
    n = len(scores.means)
    score = [float(np.mean([np.log(mean) for mean in row])) for row in scores.means]
    pairs = {}
    for a, b in combinations(range(n), 2):
        value, *_, p = _plain_test(scores, a, b, relative=False)
        parts, *_, p_parts = _plain_test(scores, a, b, relative=True)
        pairs[a, b] = value, (max(p, p_parts) if value * parts > 0 else 1.0)
    better = np.zeros((n, n), bool)
    for k, ((a, b), (value, p)) in enumerate(sorted(pairs.items(), key=lambda item: item[1][1])):
        if p * (len(pairs) - k) >= 1 - level:
            break
        better[(a, b) if value < 0 else (b, a)] = True
    order = sorted(range(n), key=lambda a: score[a])
    group, head, number = [0] * n, order[0], 1
    for a in order:
        if better[head, a]:
            head, number = a, number + 1
        group[a] = number
    needed = []
    for a, b in pairwise(order):
        _, error, freedom, _ = _plain_test(scores, a, b, relative=False)
        needed.append(stats.t.ppf(1 - (1 - level) / (2 * len(pairs)), freedom) * error)
    return score, order, better, group, float(np.exp(np.median(needed)) - 1)


@pytest.mark.parametrize("seed", range(6))
def test_ranks_are_those_of_the_plain_computation(seed):
    scores = _scores(seed, factor=(0.15, 0.6, 2)[seed % 3])
    found, (score, order, better, group, floor) = ranks(scores), _plain(scores)
    assert found.score == pytest.approx(score) and found.order.tolist() == order
    assert found.better.tolist() == better.tolist() and found.group.tolist() == group
    assert found.low.tolist() == [1 + int(better[:, a].sum()) for a in range(7)]
    assert found.high.tolist() == [7 - int(better[a].sum()) for a in range(7)]
    assert found.floor == pytest.approx(floor)


def _of(regret):
    n_entries, n_matrices, n = regret.shape
    from_mean = regret - regret.mean(axis=2, keepdims=True)
    spread = regret.std(axis=2)
    return Scores(
        regret.mean(axis=2),
        spread / (n - 1) ** 0.5 / regret.mean(axis=2),
        (from_mean**3).mean(axis=2) / spread**3,
        np.full((n_entries, n_matrices), n),
        np.array([np.corrcoef(regret[:, m]) for m in range(n_matrices)]),
        np.array([across(one) for one in regret]),
    )


def test_a_matrix_on_which_an_algorithm_has_no_regret_is_left_out():
    scores = _scores(5, factor=1)
    means = scores.means.copy()
    means[2, 1] = 0
    found = ranks(replace(scores, means=means))
    rest = [0, 2, 3]
    alone = ranks(
        Scores(
            *(part[:, rest] for part in (scores.means, scores.errors, scores.skewness, scores.runs)),
            scores.correlations[rest],
            scores.across,
        )
    )
    assert found.used.tolist() == [True, False, True, True]
    assert (found.better == alone.better).all() and found.score.tolist() == alone.score.tolist()
    with pytest.raises(ValueError, match="no regret at all"):
        ranks(replace(scores, means=0 * means))


def test_disasters_that_one_of_two_means_happens_not_to_have_do_not_tell_them_apart():
    """Two of twenty runs cost a hundred times as much; of the first algorithm none happened to."""
    lucky, usual = np.linspace(0.9, 1.1, 20), np.append(np.linspace(0.9, 1.1, 18), [100.0] * 2)
    scores = _of(np.array([[lucky], [np.roll(usual, 3)]]))
    assert _plain_test(scores, 0, 1, relative=False)[-1] < 0.05
    assert not ranks(scores).better.any()


def test_runs_that_go_together_on_all_matrices_are_worth_those_of_one():
    """Four matrices show the same runs, so that the error of the mean over them is that of one."""
    runs = np.random.default_rng(7).gamma(4, size=(2, 1, 30))
    one, four = (
        replace(scores, correlations=0 * scores.correlations) for scores in (_of(runs), _of(np.repeat(runs, 4, axis=1)))
    )
    assert four.across == pytest.approx([1, 1])
    pair = np.array([0]), np.array([1])
    assert compared(four, *pair).error == pytest.approx(compared(one, *pair).error)


def test_the_correlation_across_matrices_is_the_one_that_was_put_in():
    rng, shared = np.random.default_rng(9), 0.3
    common, own = rng.normal(size=(1, 40_000)), rng.normal(size=(5, 40_000))
    regret = np.arange(1, 6)[:, None] * (10 + shared**0.5 * common + (1 - shared) ** 0.5 * own)
    assert across(regret) == pytest.approx(shared, abs=0.01)
    assert across(10 + own) == pytest.approx(0, abs=0.01) and across(regret[:1]) == 0


def test_equal_means_without_spread_share_a_rank_one_algorithm_alone_is_the_first_and_one_run_is_refused():
    means, runs = np.array([[10.0], [10.0], [11.0]]), np.full((3, 1), 2)
    scores = Scores(means, 0 * means, 0 * means, runs, np.zeros((1, 3, 3)), np.zeros(3))
    found = ranks(scores)
    assert found.group.tolist() == [1, 1, 2] and found.low.tolist() == [1, 1, 3] and found.floor == 0
    alone = ranks(Scores(means[:1], *[0 * means[:1]] * 2, runs[:1], np.zeros((1, 1, 1)), np.zeros(1)))
    assert (alone.low.item(), alone.high.item(), alone.group.item(), alone.floor) == (1, 1, 1, None)
    with pytest.raises(ValueError, match="two runs"):
        ranks(replace(scores, runs=runs - 1))
