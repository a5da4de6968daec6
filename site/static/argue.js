// The paper's claims, judged by rules that a reader chooses, from the recorded runs. It mirrors
// mimlstudy/judge/claims.py and claim_parts.py; tests compare the two.
//
// A table of runs has `splits`, a list of [data set, split, nTrain, nTest], and `values`: by method
// and criterion a list of numbers, one for each split, null where there is none.
"use strict";

const Argue = (() => {
  const NOT_TESTED = "not tested";
  const OF_GROUPS = ["best mean", "worst mean", "boldface"];
  const NOTHING = { splits: [], values: {} };

  // Of each thing that is claimed: what supports it, and what contradicts it.
  const EVIDENCE = {
    better: ["better", ["worse", "tie"]],
    worse: ["worse", ["better", "tie"]],
    tie: ["tie", ["much better", "much worse"]],
    "not better": ["not better", ["much better"]],
    "not worse": ["not worse", ["much worse"]],
    "best mean": ["better", ["worse"]],
    "worst mean": ["worse", ["better"]],
    boldface: ["better", ["worse"]],
  };
  // By the paper's convention a tie is what is not significant.
  const BY_CONVENTION = {
    ...EVIDENCE,
    tie: ["tie", ["better", "worse"]],
    "not better": ["not better", ["better"]],
    "not worse": ["not worse", ["worse"]],
  };

  const isNumber = (value) => value !== null && value !== undefined;

  // The runs of the splits that `keeps` accepts.
  function restricted(runs, keeps) {
    const places = [...runs.splits.keys()].filter((place) => keeps(runs.splits[place]));
    const chosen = (numbers) => places.map((place) => numbers[place]);
    const values = {};
    for (const [method, byCriterion] of Object.entries(runs.values)) {
      values[method] = {};
      for (const [criterion, numbers] of Object.entries(byCriterion)) {
        values[method][criterion] = chosen(numbers);
      }
    }
    return { splits: chosen(runs.splits), values };
  }

  // Runs without some splits; where all runs share one split, it stays.
  function without(runs, leftOut) {
    const numbers = new Set(runs.splits.map(([, split]) => split));
    if (numbers.size < 2 || !leftOut.length) return runs;
    return restricted(runs, ([, split]) => !leftOut.includes(split));
  }

  const isRecorded = (numbers) => numbers.some(isNumber);

  const has = (runs, method) =>
    method in runs.values && Object.values(runs.values[method]).some(isRecorded);

  function meanOf(runs, method, criterion) {
    const numbers = (runs.values[method][criterion] ?? []).filter(isNumber);
    return numbers.length ? Statistics.mean(numbers) : null;
  }

  // The same runs with means moved to the printed ones; null where nothing is printed.
  function asPrinted(runs, printed, oneDataset) {
    const moved = { splits: runs.splits, values: {} };
    for (const [method, byCriterion] of Object.entries(runs.values)) {
      moved.values[method] = {};
      for (const [criterion, numbers] of Object.entries(byCriterion)) {
        moved.values[method][criterion] = shifted(runs.splits, numbers, (dataset) =>
          printed[oneDataset ?? dataset]?.[method]?.[criterion], oneDataset);
      }
    }
    return moved;
  }

  // Numbers moved so that their mean over a data set, or over all, is the printed one.
  function shifted(splits, numbers, printedOn, oneDataset) {
    const groupOf = (place) => oneDataset ?? splits[place][0];
    const groups = new Map();
    numbers.forEach((number, place) => {
      if (!isNumber(number)) return;
      const group = groupOf(place);
      groups.set(group, [...(groups.get(group) ?? []), number]);
    });
    return numbers.map((number, place) => {
      const printed = printedOn(splits[place][0]);
      if (!isNumber(number) || !isNumber(printed)) return null;
      return number - Statistics.mean(groups.get(groupOf(place))) + printed;
    });
  }

  // The mean sizes of the splits at some places if they are of one data set, else null.
  function sizesAt(splits, places) {
    const datasets = new Set(places.map((place) => splits[place][0]));
    if (datasets.size !== 1) return null;
    return [2, 3].map((column) => Statistics.mean(places.map((place) => splits[place][column])));
  }

  // Values at some places, the splits of one data set; of several data sets the mean of each.
  function asPairs(splits, places, values) {
    const bySet = new Map();
    places.forEach((place, i) => {
      const dataset = splits[place][0];
      bySet.set(dataset, [...(bySet.get(dataset) ?? []), values[i]]);
    });
    return bySet.size === 1 ? values : [...bySet.values()].map(Statistics.mean);
  }

  function compareMethods(runs, method, rival, criterion, lowerIsBetter, rules) {
    const ours = runs.values[method][criterion] ?? [];
    const theirs = runs.values[rival][criterion] ?? [];
    const places = [...runs.splits.keys()].filter(
      (place) => isNumber(ours[place]) && isNumber(theirs[place]));
    if (places.length < 2) return null;
    const loss = (value) => (lowerIsBetter ? value : 1 - value);
    const lossesOf = (numbers) =>
      asPairs(runs.splits, places, places.map((place) => loss(numbers[place])));
    const [lossesOfOurs, lossesOfTheirs] = [lossesOf(ours), lossesOf(theirs)];
    const differences = lossesOfTheirs.map((value, i) => value - lossesOfOurs[i]);
    const ofRival = Statistics.mean(lossesOfTheirs);
    const sizes = sizesAt(runs.splits, places);
    const comparison = Statistics.compareDifferences(differences, sizes, rules.margin * ofRival, rules);
    return { ...comparison, scale: ofRival };
  }

  // A method against an accuracy that the paper quotes, plus what it must add.
  function compareQuoted(runs, method, bound, rules) {
    const numbers = runs.values[method].accuracy;
    const places = [...runs.splits.keys()].filter((place) => isNumber(numbers[place]));
    if (places.length < 2) return null;
    const differences = places.map((place) => numbers[place] - bound);
    const sizes = sizesAt(runs.splits, places);
    const comparison = Statistics.compareDifferences(differences, sizes, rules.competitive, rules);
    return { ...comparison, scale: 1 - bound }; // the loss of what is quoted
  }

  const untested = (subject, aspect) =>
    ({ subject, aspect, paper: NOT_TESTED, paired: NOT_TESTED, corrected: NOT_TESTED });

  // Of each group the method with the best mean, or with the worst.
  function extremeMeans(runs, groups, criterion, lowerIsBetter, test) {
    const sign = lowerIsBetter === (test !== "worst mean") ? 1 : -1;
    return groups.map((methods) => {
      const means = methods.map((method) => [method, meanOf(runs, method, criterion)]);
      // Of means that are equal but for rounding, the first named counts.
      const known = means.filter(([, value]) => value !== null)
        .map(([method, value]) => [method, Math.round(value * 1e12)]);
      return known.reduce((best, each) => (sign * each[1] < sign * best[1] ? each : best))[0];
    });
  }

  // The printed difference in favour of a method; null where not both are printed.
  function printedDifference(test, method, rival, name, data) {
    const isCriterion = name in data.criteria;
    const printed = data.printed[test.printed] ?? {};
    const onDataset = printed[isCriterion ? Object.keys(printed)[0] : name] ?? {};
    const value = (each) => onDataset[each]?.[isCriterion ? name : "accuracy"];
    const quoted = (data.quoted[name] ?? {})[rival];
    const bound = isNumber(quoted) ? quoted + Statistics.sum(test.values) : value(rival);
    const [ours, theirs] = [value(method), bound];
    if (!isNumber(ours) || !isNumber(theirs)) return null;
    return isCriterion && data.criteria[name].lower ? theirs - ours : ours - theirs;
  }

  // Who is compared, and of groups by what.
  function subjectOf(test, method, rival) {
    const pair = `${method} vs ${rival}`;
    return OF_GROUPS.includes(test.test) ? `${test.test}, ${pair}` : pair;
  }

  // What a part is about: its criterion or data set, what is claimed if not "better", and by how much.
  function aspectOf(test, name) {
    const isNamed = test.test === "better" || OF_GROUPS.includes(test.test);
    const by = test.values.map((value) => `, by ${value}`).join("");
    return `${name}${isNamed ? "" : ` ${test.test}`}${by}`;
  }

  // A part that is not judged yet: a comparison, or what is not tested.
  function compared(runs, test, [methods, rivals, name], data, rules) {
    const isCriterion = name in data.criteria;
    const criterion = isCriterion ? name : "accuracy";
    const lowerIsBetter = isCriterion && data.criteria[name].lower;
    const rows = isCriterion ? runs : restricted(runs, ([dataset]) => dataset === name);
    const isQuoted = (rival) => rival in (data.quoted[name] ?? {});
    let [method, rival] = [methods.join(" or "), rivals.join(" or ")];
    const aspect = aspectOf(test, isCriterion ? data.criteria[name].symbol : name);
    const missing = [...methods, ...rivals].some((each) => !isQuoted(each) && !has(rows, each));
    if (missing) return untested(subjectOf(test, method, rival), aspect);
    if (OF_GROUPS.includes(test.test)) {
      [method, rival] = extremeMeans(rows, [methods, rivals], criterion, lowerIsBetter, test.test);
    }
    const comparison = isQuoted(rival)
      ? compareQuoted(rows, method, data.quoted[name][rival] + Statistics.sum(test.values), rules)
      : compareMethods(rows, method, rival, criterion, lowerIsBetter, rules);
    const subject = subjectOf(test, method, rival);
    if (comparison) comparison.printed = printedDifference(test, method, rival, name, data);
    return comparison ? { subject, aspect, claimed: test.test, comparison } : untested(subject, aspect);
  }

  // The cases that the chosen criteria leave; a data set of Table 5 is no criterion.
  function casesOf(test, data, rules) {
    const isChosen = (name) =>
      !(name in data.criteria) || !rules.criteria.length || rules.criteria.includes(name);
    return test.cases.filter(([, , name]) => isChosen(name));
  }

  const comparisons = (runs, test, data, rules) =>
    casesOf(test, data, rules).map((each) => compared(runs, test, each, data, rules));

  const chosenWord = (supported, contradicted) =>
    (supported ? "supported" : contradicted ? "contradicted" : "undecided");

  // The words of comparisons by the p-values of a test, adjusted for their number.
  function wordsByTest(parts, test, adjust, level) {
    const pValues = (part) => part.comparison[test];
    const supporting = adjust(parts.map((part) => pValues(part)[EVIDENCE[part.claimed][0]]));
    const contradicting = adjust(parts.map((part) =>
      Math.min(...EVIDENCE[part.claimed][1].map((outcome) => pValues(part)[outcome]))));
    return parts.map((_, i) => chosenWord(supporting[i] < level, contradicting[i] < level));
  }

  // The word of a comparison by the paired t-test, where what is not significant is a tie.
  function wordByConvention({ claimed, comparison }, level) {
    const significant = ["better", "worse"].find((outcome) => comparison.paired[outcome] < level);
    const holds = [significant ?? "tie"];
    for (const outcome of ["better", "worse"]) {
      if (outcome !== significant) holds.push(`not ${outcome}`);
    }
    const [supports, contradicts] = BY_CONVENTION[claimed];
    return chosenWord(holds.includes(supports), contradicts.some((each) => holds.includes(each)));
  }

  // Parts with their words by all three tests.
  function judged(parts, { level }, adjust = Statistics.holm) {
    const open = parts.filter((part) => part.comparison);
    const paired = wordsByTest(open, "paired", (pValues) => pValues, level);
    const corrected = wordsByTest(open, "corrected", adjust, level);
    return parts.map((part) => {
      const i = open.indexOf(part);
      if (i < 0) return part;
      const paper = wordByConvention(part, level);
      return { ...part, paper, paired: paired[i], corrected: corrected[i] };
    });
  }

  // Parts that say in what shares of the cases a method is better, and not worse.
  function shares(runs, test, data, rules) {
    const datasets = [...new Set(runs.splits.map(([dataset]) => dataset))];
    const groups = test.nDatasets
      ? datasets.map((name) => restricted(runs, ([dataset]) => dataset === name))
      : [runs];
    const each = { ...test, test: "better", values: [] };
    const cases = groups.flatMap((rows) => comparisons(rows, each, data, rules));
    const complete = cases.length > 0 && cases.every((part) => part.comparison);
    if (!complete || groups.length < test.nDatasets) return [untested("shares", "of cases")];
    return [share(cases, "better", test.shares[0], rules), share(cases, "not worse", 1 - test.shares[1], rules)];
  }

  function share(cases, claimed, least, rules) {
    const parts = judged(cases.map((part) => ({ ...part, claimed })), rules, (pValues) => pValues);
    const part = { subject: claimed, aspect: `in at least ${Math.round(100 * least)}%` };
    for (const test of ["paper", "paired", "corrected"]) {
      const shareOf = (word) => parts.filter((each) => each[test] === word).length / parts.length;
      const isReached = shareOf("supported") >= least - rules.level;
      part[test] = chosenWord(isReached, shareOf("contradicted") > 1 - least + rules.level);
    }
    return part;
  }

  // The parts of a claim, from the runs that `runsOf` has for each test.
  function partsOf(tests, runsOf, data, rules) {
    const parts = tests.flatMap((test) => {
      if (test.facts) return test.facts[rules.column];
      const runs = runsOf(test);
      if (test.swept && !runs.splits.length) return [untested(test.swept, "sweep")];
      const make = test.shares ? shares : comparisons;
      return make(runs, test, data, rules);
    });
    return judged(parts, rules);
  }

  function verdictOf(parts, printedParts, rules) {
    const count = (some, word) => some.filter((part) => part[rules.test] === word).length;
    const supported = count(parts, "supported");
    const contradicted = count(parts, "contradicted");
    const nPrinted = printedParts.length - count(printedParts, NOT_TESTED);
    const nDetected = count(printedParts, "supported");
    let word = supported ? "supported in part" : "undecided";
    if (count(parts, NOT_TESTED) === parts.length) word = NOT_TESTED;
    else if (nDetected < rules.power * nPrinted) word = "undecided";
    else if (contradicted > supported) word = "contradicted";
    else if (supported === parts.length) word = "supported";
    return { word, nParts: parts.length, supported, contradicted, nPrinted, nDetected };
  }

  // Each claim with its verdict and parts by the rules.
  function argue(data, chosen) {
    const rules = { ...chosen, simulated: data.simulated, competitive: data.competitive };
    const runsOf = (test) => without(data.runs[test.runs[rules.column]] ?? NOTHING, rules.leftOut);
    const printedOf = (test) =>
      test.printed ? asPrinted(runsOf(test), data.printed[test.printed], test.oneDataset) : NOTHING;
    return data.claims.map(({ id, tests }) => {
      const estimates = tests.filter((test) => !test.facts);
      const parts = partsOf(tests, runsOf, data, rules);
      const printedParts = partsOf(estimates, printedOf, data, rules);
      return { id, parts, ...verdictOf(parts, printedParts, rules) };
    });
  }

  function countWords(findings, words) {
    return words.map((word) => findings.filter((finding) => finding.word === word).length);
  }

  // The methods of a table by mean rank, best first, over its columns that the rules leave.
  function order(data, table, rules) {
    const runs = without(data.runs[table.runs[rules.column]] ?? NOTHING, rules.leftOut);
    const methods = table.methods.filter((method) => has(runs, method));
    const ranked = new Map(methods.map((method) => [method, []]));
    for (const [rows, criterion] of columnsOf(table, runs, data, rules)) {
      const sign = data.criteria[criterion]?.lower ? 1 : -1;
      const means = methods.map((method) => [method, meanOf(rows, method, criterion)]);
      const known = means.filter(([, value]) => value !== null);
      const ranks = Statistics.ranks(known.map(([, value]) => sign * value));
      known.forEach(([method], i) => ranked.get(method).push(ranks[i]));
    }
    const meanRanks = [...ranked].filter(([, ranks]) => ranks.length)
      .map(([method, ranks]) => [method, Statistics.mean(ranks)]);
    return meanRanks.sort((a, b) => a[1] - b[1]);
  }

  // The columns of a table: its runs and a criterion, or one data set's runs and the accuracy.
  function columnsOf(table, runs, data, rules) {
    if (table.datasets) {
      return table.datasets.map((name) =>
        [restricted(runs, ([dataset]) => dataset === name), "accuracy"]);
    }
    const chosen = Object.keys(data.criteria).filter(
      (name) => !rules.criteria.length || rules.criteria.includes(name));
    return chosen.map((criterion) => [runs, criterion]);
  }

  return { argue, countWords, order };
})();
