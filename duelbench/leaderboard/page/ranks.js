"use strict";
// Ranks as duelbench/statistics/ranks.py makes them, for matrices that the reader chooses; the tests compare the two.

const SMALLEST_ROOT = 0.45;  // of Hall's transformation, as in duelbench/statistics/differences.py

function mapSquare(n, value) {
  return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => value(i, j)));
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function median(values) {
  const ordered = [...values].sort((a, b) => a - b);
  const half = ordered.length / 2;
  return ordered.length % 2 ? ordered[Math.floor(half)] : (ordered[half - 1] + ordered[half]) / 2;
}

// ln Gamma(x + 1/2) - ln Gamma(x), x > 0: upwards by the recurrence, then by its asymptotic series.
function logGammaStep(x) {
  let shift = 0;
  while (x < 20) {
    shift += Math.log(x / (x + 0.5));
    x += 1;
  }
  const inverse = 1 / x;
  return shift + 0.5 * Math.log(x) - inverse / 8 + inverse ** 3 / 192 - inverse ** 5 / 640 + 17 * inverse ** 7 / 14336;
}

// The continued fraction of the incomplete beta function, by Lentz's method.
function betaFraction(a, b, x) {
  const TINY = 1e-300;
  const away = (value) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), value = d;
  for (let m = 1; m < 10000; m += 1) {
    let step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + step * d);
    c = away(1 + step / c);
    value *= c * d;
    step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + step * d);
    c = away(1 + step / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

// The chance of Student's t to be above t >= 0: half the incomplete beta function I_x(freedom / 2, 1 / 2).
function tailOfT(t, freedom) {
  if (t === 0 || t === Infinity) return t === 0 ? 0.5 : 0;
  const a = freedom / 2, b = 0.5;
  const x = freedom / (freedom + t * t), rest = t * t / (freedom + t * t);
  const logBeta = 0.5 * Math.log(Math.PI) - logGammaStep(a);
  const front = Math.exp(-a * Math.log1p(t * t / freedom) + b * Math.log(rest) - logBeta);
  return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / (2 * a)
                                   : 0.5 * (1 - front * betaFraction(b, a, rest) / b);
}

function belowT(t, freedom) {
  return t < 0 ? tailOfT(-t, freedom) : 1 - tailOfT(t, freedom);
}

// The t above which Student's t is with this chance, below 1/2; by halving.
function quantileOfT(chance, freedom) {
  let low = 0, high = 1;
  while (tailOfT(high, freedom) > chance && high < 1e300) high *= 2;
  for (let k = 0; k < 200 && high - low > 1e-14 * high; k += 1) {
    const middle = (low + high) / 2;
    if (tailOfT(middle, freedom) > chance) low = middle; else high = middle;
  }
  return (low + high) / 2;
}

// Hall's g1 of a t statistic, and its inverse; a is the skewness of the estimate.
function skewed(t, a) {
  const root = Math.max(1 + a * t / 3, SMALLEST_ROOT);
  return t * (root * root + root + 1) / 3 + a / 6;
}

function unskewed(quantile, a) {
  const shift = quantile - a / 6;
  const root = Math.max(Math.cbrt(1 + a * shift), SMALLEST_ROOT);
  return 3 * shift / (root * root + root + 1);
}

// The farther of Student's t and Hall's, as a two-sided p-value.
function pOf(pair) {
  if (pair.error === 0) return pair.value === 0 ? 1 : 0;
  const students = pair.value / pair.error;
  const halls = skewed(students, pair.skewness);
  const above = belowT(-Math.min(students, halls), pair.freedom);
  const below = belowT(Math.max(students, halls), pair.freedom);
  return Math.min(1, 2 * Math.min(above, below));
}

// Ends of the interval of a difference alone, at a level such as 0.95.
function intervalOf(pair, level) {
  if (pair.error === 0) return [pair.value, pair.value];
  const t = quantileOfT((1 - level) / 2, pair.freedom);
  return [pair.value - pair.error * Math.max(t, unskewed(t, pair.skewness)),
          pair.value - pair.error * Math.min(-t, unskewed(-t, pair.skewness))];
}

// The mean of differences over the matrices, each of which moves by a weight times the part by which a mean moves.
function tested(scores, [a, b], differences, weights) {
  const { errors, skewness, runs, correlations, across } = scores;
  const matrices = [...differences.keys()], n = matrices.length;
  const [own, other] = [a, b].map((k, place) => matrices.map((m) => weights[place][m] * errors[k][m]));
  const fewer = matrices.map((m) => Math.min(runs[a][m], runs[b][m]));
  // Of the runs of one number there are only as many as the fewer.
  const together = (m) => correlations[m][a][b] * Math.sqrt(fewer[m] / Math.max(runs[a][m], runs[b][m]));
  const alone = matrices.map((m) => Math.max(0, own[m] ** 2 + other[m] ** 2 - 2 * together(m) * own[m] * other[m]));
  // Sums of the products of the errors on different matrices, each pair of matrices twice.
  const products = (parts) => sum(parts) ** 2 - sum(parts.map((part) => part ** 2));
  const common = across[a] * products(own) + across[b] * products(other);
  const total = sum(alone) + common, variance = total / n ** 2;
  // What goes together on different matrices is known no better than the whole is from runs of one matrix.
  const fourth = sum(alone.map((part, m) => part ** 2 / (fewer[m] - 1))) + common * total / (Math.min(...fewer) - 1);
  const third = (m) => skewness[a][m] / Math.sqrt(runs[a][m]) * own[m] ** 3
    - skewness[b][m] / Math.sqrt(runs[b][m]) * other[m] ** 3;
  return {
    value: sum(differences) / n,
    error: Math.sqrt(variance),
    freedom: variance ** 2 / (fourth / n ** 4),
    skewness: sum(matrices.map(third)) / n ** 3 / variance ** 1.5,
  };
}

// The difference between the scores of two algorithms, a minus b, and its p-value: the larger of those of logarithms
// and of relative differences. A logarithm alone makes too much of a small mean that happened to have no disaster.
function pairOf(scores, a, b) {
  const matrices = [...scores.means[a].keys()];
  const [own, other] = [scores.means[a], scores.means[b]];
  const logarithms = tested(scores, [a, b], matrices.map((m) => Math.log(own[m]) - Math.log(other[m])),
    [own.map(() => 1), own.map(() => 1)]);
  const half = matrices.map((m) => (own[m] + other[m]) / 2);
  const parts = tested(scores, [a, b], matrices.map((m) => (own[m] - other[m]) / half[m]),
    [own.map((value, m) => value / half[m]), other.map((value, m) => value / half[m])]);
  const agree = Math.sign(logarithms.value) === Math.sign(parts.value);
  return { ...logarithms, p: agree ? Math.max(pOf(logarithms), pOf(parts)) : 1 };
}

// Holm's adjusted p-values.
function holm(p) {
  const order = p.map((_, k) => k).sort((i, j) => p[i] - p[j]);
  const adjusted = Array(p.length);
  let most = 0;
  order.forEach((k, place) => {
    most = Math.max(most, Math.min(1, (p.length - place) * p[k]));
    adjusted[k] = most;
  });
  return adjusted;
}

// From the first in the order of score on: the next group begins at the first that is worse than the head of this one.
function groupsOf(order, better) {
  const group = Array(order.length);
  let head = order[0], number = 1;
  for (const k of order) {
    if (better[head][k]) {
      head = k;
      number += 1;
    }
    group[k] = number;
  }
  return group;
}

// scores: means above 0, errors as parts of them, skewness, and runs, two at least, each [algorithm][matrix];
// correlations [matrix][algorithm][algorithm]; across [algorithm], how far runs of one number go together on different
// matrices.
function ranks(scores, level = 0.95) {
  const n = scores.means.length;
  const score = scores.means.map((own) => sum(own.map(Math.log)) / own.length);
  const order = score.map((_, k) => k).sort((i, j) => score[i] - score[j]);
  const places = [];
  for (let i = 0; i < n; i += 1) for (let j = i + 1; j < n; j += 1) places.push([i, j]);
  const pairs = places.map(([i, j]) => pairOf(scores, i, j));
  const adjusted = holm(pairs.map(({ p }) => p));
  const better = mapSquare(n, () => false);
  places.forEach(([i, j], k) => {
    if (adjusted[k] < 1 - level) {
      if (pairs[k].value < 0) better[i][j] = true; else better[j][i] = true;
    }
  });
  const count = (one) => better.filter((_, k) => one(k)).length;
  const reach = order.slice(1).map((k, place) => {
    const pair = pairOf(scores, order[place], k);
    return pair.error === 0 ? 0 : pair.error * quantileOfT((1 - level) / (2 * pairs.length), pair.freedom);
  });
  return {
    score,
    order,
    better,
    low: score.map((_, a) => 1 + count((k) => better[k][a])),
    high: score.map((_, a) => n - count((k) => better[a][k])),
    group: n ? groupsOf(order, better) : [],
    floor: reach.length ? Math.exp(median(reach)) - 1 : null,
  };
}
