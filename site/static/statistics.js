// Tests of differences and of ties, as mimlstudy/judge/statistics.py has them, to the last digits
// that matter: the browser and Python give each part of a claim the same word.
"use strict";

const Statistics = (() => {
  const ZERO = 1e-12; // what rounding leaves of a difference that is none
  const LANCZOS = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
  ];

  const sum = (values) => values.reduce((total, value) => total + value, 0);

  const mean = (values) => sum(values) / values.length;

  // The standard deviation of a sample, with n - 1.
  function deviation(values) {
    const center = mean(values);
    return Math.sqrt(sum(values.map((value) => (value - center) ** 2)) / (values.length - 1));
  }

  // The logarithm of Γ(x) for x > 0, by Lanczos' approximation.
  function logGamma(x) {
    const shifted = x - 1;
    let series = LANCZOS[0];
    for (let i = 1; i < LANCZOS.length; i += 1) series += LANCZOS[i] / (shifted + i);
    const t = shifted + LANCZOS.length - 1.5;
    return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(series);
  }

  // The continued fraction of the incomplete beta function, by Lentz' method.
  function betaFraction(a, b, x) {
    const tiny = 1e-300;
    const away = (value) => (Math.abs(value) < tiny ? tiny : value);
    let c = 1;
    let d = 1 / away(1 - ((a + b) * x) / (a + 1));
    let fraction = d;
    for (let m = 1; m < 1000; m += 1) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      let step = 1;
      for (const term of [even, odd]) {
        d = 1 / away(1 + term * d);
        c = away(1 + term / c);
        step = d * c;
        fraction *= step;
      }
      if (step === 1) break;
    }
    return fraction;
  }

  // The regularized incomplete beta function I_x(a, b).
  function incompleteBeta(a, b, x) {
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    const logarithm = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
    const front = Math.exp(logarithm);
    return x < (a + 1) / (a + b + 2)
      ? (front * betaFraction(a, b, x)) / a
      : 1 - (front * betaFraction(b, a, 1 - x)) / b;
  }

  // P(T <= t) of Student's distribution.
  function studentBelow(freedom, t) {
    const tail = incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
    return t > 0 ? 1 - tail : tail;
  }

  // The t with P(T <= t) = p, for p above one half, by halving an interval.
  function studentQuantile(freedom, p) {
    let [low, high] = [0, 1];
    while (studentBelow(freedom, high) < p) high *= 2;
    for (let i = 0; i < 200 && high - low > 1e-15 * high; i += 1) {
      const middle = (low + high) / 2;
      if (studentBelow(freedom, middle) < p) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  // One-sided p of a mean above 0; `extra` is for examples that splits share (Nadeau and Bengio).
  function tTest(values, extra = 0) {
    const center = mean(values);
    const error = deviation(values) * Math.sqrt(1 / values.length + extra);
    // Equal values have no variance: theirs is the p of a sign test.
    if (error <= ZERO * Math.max(1, Math.abs(center))) {
      return center > ZERO ? 0.5 ** values.length : 1;
    }
    return studentBelow(values.length - 1, -center / error);
  }

  // Ranks from 1, the mean rank for equal values.
  function ranks(values) {
    return values.map((value) => {
      const below = values.filter((other) => other < value).length;
      const equal = values.filter((other) => other === value).length;
      return below + (equal + 1) / 2;
    });
  }

  // The chance that a sum of some whole numbers is at least w: each counts or not, at equal chances.
  function chanceOfSum(numbers, w) {
    let chances = [1];
    for (const number of numbers) {
      const next = new Array(chances.length + number).fill(0);
      chances.forEach((chance, total) => {
        next[total] += chance / 2;
        next[total + number] += chance / 2;
      });
      chances = next;
    }
    return sum(chances.slice(w));
  }

  // One-sided p of values above 0 by Wilcoxon's exact test; 1 where all are 0.
  function signedRankTest(values) {
    const rounded = values.map((value) => Math.round(value * 1e12) / 1e12);
    const nonzero = rounded.filter((value) => value !== 0);
    // Values of one size share their mean rank, which doubled is a whole number.
    const doubledRanks = ranks(nonzero.map(Math.abs)).map((rank) => 2 * rank);
    const positive = doubledRanks.filter((_, i) => nonzero[i] > 0);
    return chanceOfSum(doubledRanks, sum(positive));
  }

  // p-values adjusted for their number by Holm's step-down rule.
  function holm(pValues) {
    const order = pValues.map((_, i) => i).sort((i, j) => pValues[i] - pValues[j]);
    const adjusted = new Array(pValues.length);
    let largest = 0;
    order.forEach((place, rank) => {
      largest = Math.max(largest, (pValues.length - rank) * pValues[place]);
      adjusted[place] = Math.min(1, largest);
    });
    return adjusted;
  }

  // The simulated correlation of differences, linear between the sizes that were simulated.
  function correlation(nTrain, simulated) {
    const [[fewest, low], [most, high]] = simulated;
    return low + ((nTrain - fewest) / (most - fewest)) * (high - low);
  }

  // What shared examples add to 1/n. `sizes` are [nTrain, nTest] of the splits of one data set, or
  // null for independent data sets; `simulated` are two pairs of a size and a correlation.
  function extraVariance(sizes, simulated) {
    if (sizes === null) return 0;
    const [nTrain, nTest] = sizes;
    const isSimulated = simulated[0][0] <= nTrain && nTrain <= simulated[1][0];
    if (nTest <= nTrain || !isSimulated) return nTest / nTrain;
    const rho = correlation(nTrain, simulated);
    return rho / (1 - rho);
  }

  // P-values by outcome. Leads ("better", "worse", "much …") are two-sided.
  function byOutcome(differences, margin, test) {
    const opposite = differences.map((value) => -value);
    const shifted = (values, by) => values.map((value) => value + by);
    const twice = (p) => Math.min(1, 2 * p);
    const notBetter = test(shifted(opposite, margin));
    const notWorse = test(shifted(differences, margin));
    return {
      better: twice(test(differences)),
      worse: twice(test(opposite)),
      tie: Math.max(notWorse, notBetter),
      "not better": notBetter,
      "not worse": notWorse,
      "much better": twice(test(shifted(differences, -margin))),
      "much worse": twice(test(shifted(opposite, -margin))),
    };
  }

  // A comparison from the differences in favour of a method. Half an interval is at `level`.
  function compareDifferences(differences, sizes, margin, { level, simulated }) {
    const n = differences.length;
    const extra = extraVariance(sizes, simulated);
    const error = studentQuantile(n - 1, 1 - level / 2) * deviation(differences);
    const correctedTest = sizes === null ? signedRankTest : (values) => tTest(values, extra);
    return {
      difference: mean(differences),
      half: error * Math.sqrt(1 / n + extra),
      pairedHalf: error * Math.sqrt(1 / n),
      paired: byOutcome(differences, margin, tTest),
      corrected: byOutcome(differences, margin, correctedTest),
    };
  }

  return {
    compareDifferences, holm, mean, ranks, signedRankTest,
    studentBelow, studentQuantile, sum, tTest,
  };
})();
