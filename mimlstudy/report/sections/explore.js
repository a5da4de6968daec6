// Recorded means as a slider moves: seven criteria with their bands, and a story if there is one.
// Pages and notebooks hold this file as it is; explore.py brings the numbers.

const CSS = `
.miml-explore { font-variant-numeric: tabular-nums; }
.miml-explore .controls { display: flex; flex-wrap: wrap; gap: 0.4rem 1rem; align-items: center; margin: 0.5rem 0; }
.miml-explore .controls input { flex: 1 1 12rem; accent-color: #0072b2; }
.miml-explore :is(select, button) { font: inherit; color: inherit; background: none; border: 1px solid #888; border-radius: 4px; padding: 0.15rem 0.6rem; }
.miml-explore option { color: #222; background: #fff; }
.miml-explore :is(select, button, input):focus-visible { outline: 3px solid #e69f00; outline-offset: 1px; }
.miml-explore button:disabled { opacity: 0.4; }
.miml-explore .panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 46%), 1fr)); gap: 0.6rem 1rem; }
.miml-explore :is(figcaption, .head) { font-weight: 600; font-size: 0.95rem; margin: 0; }
.miml-explore figure { margin: 0; }
.miml-explore svg { display: block; width: 100%; overflow: visible; }
.miml-explore svg text { font-size: 9px; fill: currentColor; opacity: 0.8; }
html[data-theme="dark"] .miml-explore polyline, body[data-jp-theme-light="false"] .miml-explore polyline { filter: brightness(1.6); }
.miml-explore .value { display: flex; gap: 0.4rem; font-size: 0.9rem; align-items: baseline; }
.miml-explore .swatch { width: 0.8rem; height: 0.8rem; flex: none; border-radius: 2px; align-self: center; }
.miml-explore .key { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; font-size: 0.9rem; margin: 0.3rem 0; }
.miml-explore .words { min-height: 6.5em; margin: 0.5rem 0; }
.miml-explore ol { margin: 0; padding-left: 1.5rem; font-size: 0.9rem; }
.miml-explore ol .told { font-weight: 700; }`;
const [WIDTH, HEIGHT, LEFT] = [200, 80, 26];
const DASHES = ["2 3", "7 3"];

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function drawn(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

// As the paper prints numbers, halves rounded up: .215, but 1.095.
function number(value, digits = 3) {
  const rounded = Math.floor(value * 10 ** digits + 0.5 + 1e-9) / 10 ** digits;
  return rounded.toFixed(digits).replace(/^(-?)0\./, "$1.");
}

// One criterion: bands, curves, level lines, the paper's values; and the line that moves.
function panel(title, c, { curves, levels = [] }) {
  const xs = curves.flatMap((curve) => curve.x);
  const spread = (curve, sign) => curve.mean[c].map((mean, i) => mean + sign * curve.std[c][i]);
  const ys = [...curves.flatMap((curve) => [...spread(curve, 1), ...spread(curve, -1)]), ...levels.map((level) => level.values[c])];
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const across = (x) => LEFT + ((x - x0) / (x1 - x0 || 1)) * (WIDTH - LEFT);
  const down = (y) => HEIGHT - ((y - y0) / (y1 - y0 || 1)) * HEIGHT;
  const line = (values, x) => values.map((y, i) => `${across(x[i]).toFixed(1)},${down(y).toFixed(1)}`);
  const upright = (x, look) => drawn("line", { x1: across(x), x2: across(x), y1: 0, y2: HEIGHT, stroke: "currentColor", ...look });
  const svg = drawn("svg", { viewBox: `0 -4 ${WIDTH} ${HEIGHT + 18}`, "aria-hidden": "true" });
  for (const curve of curves) {
    const band = [...line(spread(curve, 1), curve.x), ...line(spread(curve, -1), curve.x).reverse()];
    svg.append(drawn("polygon", { points: band.join(" "), fill: curve.color, opacity: 0.2 }));
    svg.append(drawn("polyline", { points: line(curve.mean[c], curve.x).join(" "), fill: "none", stroke: curve.color, "stroke-width": 2 }));
    if (curve.paper) svg.append(upright(curve.paper, { stroke: curve.color, "stroke-dasharray": "3 2" }));
  }
  levels.forEach(({ values }, i) => svg.append(drawn("line", { x1: LEFT, x2: WIDTH, y1: down(values[c]), y2: down(values[c]), stroke: "currentColor", "stroke-dasharray": DASHES[i] })));
  svg.append(drawn("text", { x: 0, y: 6 }, number(y1, 2)), drawn("text", { x: 0, y: HEIGHT }, number(y0, 2)),
    drawn("text", { x: LEFT, y: HEIGHT + 11 }, x0), drawn("text", { x: WIDTH, y: HEIGHT + 11, "text-anchor": "end" }, x1));
  const here = svg.appendChild(upright(x0, { "stroke-width": 1.5 }));
  const values = curves.map(() => element("span"));
  const rows = curves.map((curve, i) => {
    const swatch = element("span", { className: "swatch", title: curve.name });
    swatch.setAttribute("role", "img");
    swatch.setAttribute("aria-label", curve.name);
    swatch.style.background = curve.color;
    return element("div", { className: "value" }, swatch, values[i]);
  });
  const move = (x) => {
    here.setAttribute("x1", across(x));
    here.setAttribute("x2", across(x));
    curves.forEach((curve, k) => {
      const i = curve.x.findLastIndex((value) => value <= x);
      values[k].textContent = `${number(curve.mean[c][Math.max(i, 0)])} ± ${number(curve.std[c][Math.max(i, 0)])}`;
    });
  };
  return { place: element("figure", {}, element("figcaption", {}, title), svg, ...rows), move };
}

function key({ curves, levels = [], parameter }) {
  const entries = curves.map((curve) => {
    const swatch = element("span", { className: "swatch" });
    swatch.style.cssText = `background: ${curve.color}; display: inline-block; margin-right: 0.3rem`;
    return element("span", {}, swatch, curve.name + (curve.paper ? `, the paper's ${curve.paper} dashed` : ""));
  });
  const lines = levels.map(({ name }, i) => element("span", {}, `${["dotted", "dashed"][i]}: ${name}`));
  return element("div", { className: "key" }, ...entries, ...lines, element("span", {}, `across: ${parameter}; band: ± one standard deviation`));
}

// A figure or a story in its place.
function show(place, criteria, shown) {
  const xs = [...new Set(shown.curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
  const { orders, chapters = [] } = shown;
  const panels = criteria.map((title, c) => panel(title, c, shown));
  const slider = element("input", { type: "range", min: 0, max: xs.length - 1, ariaLabel: shown.parameter });
  const output = element("span"); // no <output>: a screen reader would say each step twice
  const list = element("ol");
  const head = element("p", { className: "head" });
  const order = (at, words) => {
    head.textContent = `Mean ranks, ${words}`;
    list.replaceChildren(...orders[at].map(([name, rank]) =>
      element("li", { className: shown.curves.some((curve) => curve.name === name) ? "told" : "" }, `${name}, ${number(rank, 1)}`)));
  };
  const move = (i) => {
    slider.value = i;
    output.textContent = `${shown.parameter}: ${xs[i]}`;
    slider.setAttribute("aria-valuetext", output.textContent);
    panels.forEach((one) => one.move(xs[i]));
    if (orders) order(xs[i], `after ${xs[i]} ${xs[i] === 1 ? "step" : "steps"}`);
  };
  slider.oninput = () => move(Number(slider.value));
  const jumps = shown.curves.filter((curve) => curve.paper).map((curve) =>
    element("button", { type: "button", onclick: () => move(xs.indexOf(curve.paper)), disabled: !xs.includes(curve.paper) }, `${curve.name} as in the paper: ${curve.paper}`));
  const story = [];
  let begin = () => move(Math.max(0, xs.indexOf(shown.curves[0].paper)));
  if (chapters.length) {
    let now = 0;
    const words = element("p", { className: "words" });
    words.setAttribute("role", "status");
    const turn = (by) => {
      now += by;
      const { at, words: told } = chapters[now];
      words.textContent = `${now + 1} of ${chapters.length}. ${told}`;
      const step = xs.indexOf(Number(at));
      move(step < 0 ? xs.length - 1 : step);
      if (step < 0) order(at, at);
      [back.disabled, on.disabled] = [now === 0, now === chapters.length - 1];
    };
    const back = element("button", { type: "button", onclick: () => turn(-1) }, "Back");
    const on = element("button", { type: "button", onclick: () => turn(1) }, "Next");
    story.push(words, element("div", { className: "controls" }, back, on));
    begin = () => turn(0);
  }
  const controls = element("div", { className: "controls" }, output, slider, ...jumps);
  const all = element("div", { className: "panels" }, ...panels.map((one) => one.place));
  if (orders) all.append(element("div", {}, head, list));
  place.replaceChildren(...story, controls, key(shown), all);
  begin();
}

function explore(place, { criteria, shown }) {
  const body = element("div");
  const choice = element("select", { ariaLabel: "figure", onchange: () => show(body, criteria, shown[choice.value]) },
    ...shown.map(({ title }, i) => element("option", { value: i }, title)));
  const parts = shown.length > 1 ? [element("div", { className: "controls" }, choice)] : [];
  place.replaceChildren(element("style", {}, CSS), ...parts, body);
  if (shown.length) show(body, criteria, shown[0]);
  else body.textContent = "There are no records of these figures yet.";
}
