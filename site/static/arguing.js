// The page of claims: a form of rules, and what follows from them at once. The rules stand in the
// address, so that an argument can be shared.
"use strict";

(() => {
  const form = document.getElementById("rules");
  if (!form) return;
  const { text: textColor, ...tints } = JSON.parse(form.dataset.tints);
  const WORDS = Object.keys(tints);
  let findings = new Map();

  function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  }

  const percent = (share) => `${(100 * share).toFixed(1).replace("-", "−")}%`;

  // What the form says, as rules.
  function rulesOf() {
    const fields = new FormData(form);
    const whole = /\d+/g;
    return {
      level: Number(fields.get("level")),
      margin: Number(fields.get("margin")) / 100,
      power: Number(fields.get("power")) / 100,
      test: fields.get("test"),
      column: fields.get("column"),
      criteria: fields.getAll("criteria"),
      leftOut: (fields.get("left_out").match(whole) ?? []).map(Number),
    };
  }

  // The form's fields from an address such as ?level=0.01&criteria=coverage.
  function readAddress() {
    const asked = new URLSearchParams(location.search);
    for (const field of form.elements) {
      if (!field.name || !asked.has(field.name)) continue;
      if (field.type === "checkbox") field.checked = asked.getAll(field.name).includes(field.value);
      else field.value = asked.get(field.name);
      // What the form does not offer leaves the project's own choice.
      if (field.selectedIndex === -1) field.selectedIndex = 0;
    }
  }

  function writeAddress() {
    const asked = new URLSearchParams(new FormData(form));
    try {
      history.replaceState(null, "", `?${asked}${location.hash}`);
    } catch {
      // A page of a file system keeps its address.
    }
  }

  function showCounts(counted) {
    const texts = WORDS.map((word, i) => `${counted[i]} ${word}`);
    document.getElementById("counts").textContent = `By your rules: ${texts.join(", ")}.`;
  }

  // The last column has the reader's words.
  function showWord({ id, word }) {
    const cell = [...document.getElementById(id).closest("tr").cells].at(-1);
    cell.textContent = word;
    cell.style.background = tints[word];
    cell.style.color = textColor;
  }

  // One part of a claim as a row: what it is about, its interval on a line, its word.
  function partRow(part, test, most) {
    const word = part[test];
    const label = element("span", {}, `${part.subject}, ${part.aspect}`);
    const chip = element("span", { className: "chip" }, word);
    chip.style.background = tints[word];
    chip.style.color = textColor;
    return [label, part.comparison ? line(part.comparison, test, most) : element("span"), chip];
  }

  const halfOf = (comparison, test) => (test === "corrected" ? comparison.half : comparison.pairedHalf);

  // A difference with its interval, in shares of the rival's loss.
  function line(comparison, test, most) {
    const [difference, half] = [comparison.difference, halfOf(comparison, test)].map((x) => x / comparison.scale);
    const across = (share) => 50 + (50 * Math.max(-most, Math.min(most, share))) / most;
    const [left, right] = [across(difference - half), across(difference + half)];
    const interval = element("span", { className: "interval" });
    interval.style.cssText = `left: ${left}%; width: ${right - left}%`;
    const ours = element("span", { className: "ours" });
    ours.style.left = `${across(difference)}%`;
    const track = element("span", { className: "track" }, interval, ours);
    let words = `${percent(difference)} ± ${percent(half)} of the rival's loss`;
    if (comparison.printed !== null) {
      const share = comparison.printed / comparison.scale;
      const printed = element("span", { className: "printed" });
      printed.style.left = `${across(share)}%`;
      track.append(printed);
      words += `; printed: ${percent(share)}`;
    }
    track.setAttribute("role", "img");
    track.setAttribute("aria-label", words);
    track.title = words;
    return track;
  }

  // How far the lines of a claim reach: to its widest interval or printed difference, at most to
  // the whole loss.
  function reachOf(parts, test) {
    const ends = parts.filter((part) => part.comparison).map(({ comparison }) => {
      const farthest = Math.abs(comparison.difference) + halfOf(comparison, test);
      return Math.max(farthest, Math.abs(comparison.printed ?? 0)) / comparison.scale;
    });
    return Math.min(1, Math.max(0.01, ...ends));
  }

  function drawForest(record) {
    const place = record.querySelector(".forest");
    const finding = findings.get(record.querySelector("a[id]").id);
    if (!place || !finding) return;
    const { test } = rulesOf();
    const most = reachOf(finding.parts, test);
    const rows = finding.parts.flatMap((part) => partRow(part, test, most));
    const power = finding.nPrinted
      ? ` The test would show ${finding.nDetected} of ${finding.nPrinted} printed differences.` : "";
    const hasLines = finding.parts.some((part) => part.comparison);
    const key = hasLines ? " Right of the middle the first method is better. The ends of a line are "
      + `${percent(most)} of the rival's loss. ● is our difference, on the line of its interval; `
      + "◆ is the printed difference." : "";
    const head = element("p", {}, `${finding.supported} of ${finding.nParts} parts are supported, `
      + `${finding.contradicted} contradicted.${power}${key}`);
    place.replaceChildren(head, element("div", { className: "parts" }, ...rows));
  }

  function showOrders(rules) {
    const lists = ARGUMENT.tables.map((table) => {
      const methods = Argue.order(ARGUMENT, table, rules).map(([method, rank]) =>
        element("li", {}, `${method}, ${rank.toFixed(1)}`));
      return element("div", {}, element("p", {}, table.title), element("ol", {}, ...methods));
    });
    document.getElementById("orders").replaceChildren(...lists);
  }

  function judge() {
    const wrong = form.querySelector("input:invalid");
    if (wrong) {
      const name = wrong.labels[0].textContent.trim();
      document.getElementById("counts").textContent =
        `${name}: ${wrong.validationMessage} The verdicts are still those of the last valid rules, at first the project's.`;
      return;
    }
    const rules = rulesOf();
    const judged = Argue.argue(ARGUMENT, rules);
    findings = new Map(judged.map((finding) => [finding.id, finding]));
    showCounts(Argue.countWords(judged, WORDS));
    judged.forEach(showWord);
    showOrders(rules);
    document.querySelectorAll("table.sortable tbody").forEach((record) => {
      if (!record.rows[1]?.hidden) drawForest(record);
    });
    form.dataset.judged = JSON.stringify(rules);
  }

  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      writeAddress();
      judge();
    }, 200);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => form.dispatchEvent(new Event("input"))));
  document.addEventListener("unfold", (event) => drawForest(event.target));
  readAddress();
  judge();
})();
