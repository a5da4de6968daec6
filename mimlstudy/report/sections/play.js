// Which part of an image brings a label: features as ImageBags, scores as
// D-MimlSvm and NoisyOr compute them.
// The site's page holds this file as it is; notebooks load the same one, as an anywidget.

const SIDE = 8; // the image is smoothed and shrunk to SIDE x SIDE pixels, and 7 x 7 blobs
const CENTRES = [2, 3, 4]; // rows and columns of the nine centres among the blobs
const NEIGHBOURS = [[0, -2], [-2, 0], [0, 2], [2, 0]]; // rows and columns: left, up, right, down
const SMOOTHING = 0.5;
const NEGLIGIBLE = 1e-20; // a weight that changes no digit of a sum

// Weights (8, size) that smooth `size` pixels and take 8 evenly spaced samples.
function gaussianSamples(size) {
  const pitch = size / SIDE;
  return Array.from({ length: SIDE }, (_, i) => {
    const centre = (i + 0.5) * pitch - 0.5;
    const squared = Float64Array.from({ length: size }, (_, x) => ((x - centre) / (SMOOTHING * pitch)) ** 2);
    const nearest = squared.reduce((a, b) => Math.min(a, b));
    const weights = squared.map((value) => Math.exp((nearest - value) / 2));
    const total = weights.reduce((a, b) => a + b);
    return weights.map((weight) => weight / total);
  });
}

// Smooth and shrink RGBA pixels, on a white ground: (8, 8, 3) as one array.
function subsampled(rgba, width, height) {
  const rows = gaussianSamples(height);
  const columns = gaussianSamples(width);
  const line = new Float64Array(3 * width);
  const strips = Array.from({ length: SIDE }, () => new Float64Array(3 * width));
  for (let y = 0; y < height; y++) {
    for (let x = 0, p = 4 * y * width; x < width; x++, p += 4) {
      const opacity = rgba[p + 3] / 255;
      for (let c = 0; c < 3; c++) line[3 * x + c] = opacity * rgba[p + c] + (1 - opacity) * 255;
    }
    for (let i = 0; i < SIDE; i++) {
      const weight = rows[i][y];
      if (weight < NEGLIGIBLE) continue;
      const strip = strips[i];
      for (let k = 0; k < strip.length; k++) strip[k] += weight * line[k];
    }
  }
  const small = new Float64Array(SIDE * SIDE * 3);
  strips.forEach((strip, i) => columns.forEach((weights, j) => {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) small[3 * (SIDE * i + j) + c] += weights[x] * strip[3 * x + c];
    }
  }));
  return small;
}

// The bag of an image: nine instances of 15 features, see ImageBags.
export function features(rgba, width, height) {
  const small = subsampled(rgba, width, height);
  const at = (row, column, c) => small[3 * (SIDE * row + column) + c];
  const blob = (row, column) => [0, 1, 2].map((c) =>
    (at(row, column, c) + at(row + 1, column, c) + at(row, column + 1, c) + at(row + 1, column + 1, c)) / 4);
  return CENTRES.flatMap((row) => CENTRES.map((column) => {
    const centre = blob(row, column);
    const differences = NEIGHBOURS.map(([down, right]) =>
      blob(row + down, column + right).map((value, c) => value - centre[c]));
    return [centre, ...differences].flat();
  }));
}

const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);

// φ(x) of an instance: L φ = (k(x, l_1), ..., k(x, l_r)), from the first row of the triangle on.
function kernelFeatures({ scale, shift, gamma, landmarks, triangle }, instance) {
  const scaled = instance.map((value, j) => value * scale[j] + shift[j]);
  const phi = [];
  landmarks.forEach((landmark, k) => {
    const squared = landmark.reduce((sum, value, j) => sum + (value - scaled[j]) ** 2, 0);
    phi.push((Math.exp(-gamma * squared) - dot(phi, triangle[k])) / triangle[k][k]);
  });
  return phi;
}

// A score for each label: <w_y, φ> + b_y.
const linear = ({ weights, intercept }, phi) => intercept.map((b, y) => b + phi.reduce((sum, value, k) => sum + value * weights[k][y], 0));

function unit(phi) {
  const norm = Math.sqrt(dot(phi, phi)) || 1;
  return phi.map((value) => value / norm);
}

// Of each learner: scores of a bag, (n_labels), and of its instances, from their features.
const LEARNERS = {
  // f_y(X) = <w_y, φ(X)> + b_y with φ(X) the sum of the φ(x), of unit length.
  "D-MimlSvm": (network, phis) => ({
    bag: linear(network, unit(phis.reduce((sum, phi) => sum.map((value, k) => value + phi[k])))),
    parts: phis.map((phi) => linear(network, unit(phi))),
  }),
  // Log odds, by P(y | X) = 1 - Π (1 - p_y(x)).
  NoisyOr(network, phis) {
    const parts = phis.map((phi) => linear(network, phi));
    const bag = network.intercept.map((_, y) => {
      const total = parts.reduce((sum, row) => sum + Math.max(row[y], 0) + Math.log1p(Math.exp(-Math.abs(row[y]))), 0);
      return total + Math.log(-Math.expm1(-total));
    });
    return { bag, parts };
  },
};

export function scores(network, instances) {
  return LEARNERS[network.learner](network, instances.map((instance) => kernelFeatures(network, instance)));
}

const PLACES = ["top", "middle", "bottom"].flatMap((row) =>
  ["left", "centre", "right"].map((column) => `${row} ${column}`));
const GREY = 128; // of a covered part
const CSS = `
.miml-play { display: grid; gap: 0.5rem 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
.miml-play fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
.miml-play legend { font-size: 1rem; font-weight: 600; margin: 0 0 0.3rem; }
.miml-play .images { grid-column: 1 / -1; }
.miml-play .scenes { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.miml-play .scenes label { cursor: pointer; line-height: 0; border: 3px solid transparent; border-radius: 4px; }
.miml-play .scenes img { width: 3.5rem; height: 3.5rem; border-radius: 2px; margin: 0; }
.miml-play .scenes label:has(:checked) { border-color: #0072b2; }
.miml-play :is(label, button):is(:focus-visible, :has(:focus-visible)) { outline: 3px solid #e69f00; outline-offset: 1px; }
.miml-play input[type="radio"] { position: absolute; opacity: 0; width: 1px; height: 1px; }
.miml-play .learners { display: flex; gap: 0.3rem; align-items: baseline; }
.miml-play .learners legend { float: left; width: auto; margin-right: 0.5rem; }
.miml-play .learners label { cursor: pointer; padding: 0 0.5rem; border: 2px solid transparent; border-radius: 4px; }
.miml-play .learners label:has(:checked) { border-color: #0072b2; font-weight: 600; }
.miml-play .learners[hidden] { display: none; }
.miml-play .labels label { display: grid; grid-template-columns: 6.5rem 3.5rem 1fr; align-items: center; gap: 0.5rem;
  cursor: pointer; padding: 0.15rem 0.5rem; border: 2px solid transparent; border-radius: 4px; position: relative; }
.miml-play .labels label:has(:checked) { border-color: #0072b2; font-weight: 600; }
.miml-play .labels .score { text-align: right; font-variant-numeric: tabular-nums; }
.miml-play .bar { display: block; height: 0.8rem; border: 1px solid rgb(128 128 128 / 50%); }
.miml-play .bar i { display: block; height: 100%; background: #0072b2; }
.miml-play .picture { position: relative; max-width: 26rem; align-self: start; }
.miml-play .picture canvas { display: block; width: 100%; border-radius: 4px; }
.miml-play .part { position: absolute; width: 12.5%; height: 12.5%; transform: translate(-50%, -50%); padding: 0;
  border: 1px solid rgb(255 255 255 / 60%); background: none; display: grid; place-items: center; cursor: pointer; }
.miml-play .part i { display: block; aspect-ratio: 1; border-radius: 50%; background: #0072b2; border: 1px solid #fff; box-shadow: 0 0 0 1px #222; }
.miml-play .part.top { outline: 3px solid #fff; box-shadow: 0 0 0 5px #222; z-index: 1; }
.miml-play .part[aria-pressed="true"] { background: repeating-linear-gradient(45deg, #888 0 4px, #666 4px 8px); }
.miml-play .own { cursor: pointer; text-decoration: underline; }
.miml-play .own input { width: 100%; max-width: 20rem; display: block; }
.miml-play p { margin: 0.5rem 0; }`;

// How a learner's scores are shown: a share from 0 to 1 for discs and bars, a text, and its name.
const probability = (score) => 1 / (1 + Math.exp(-score));
const SHOWN = {
  "D-MimlSvm": {
    name: "Score",
    share: (score) => Math.min(Math.max((2 + score) / 4, 0), 1), // two margins below 0 to two above
    text: (score) => `${score < 0 ? "−" : "+"}${Math.abs(score).toFixed(2)}`,
  },
  NoisyOr: {
    name: "Probability",
    share: probability,
    text: (score) => `${(100 * probability(score)).toFixed(probability(score) < 0.1 ? 1 : 0)}%`,
  },
};

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

async function pixelsOf(source) {
  const bitmap = await createImageBitmap(source); // upright, as the camera held it
  const canvas = element("canvas", { width: bitmap.width, height: bitmap.height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

async function pixelsOfScene(source) {
  const bytes = Uint8Array.from(atob(source.split(",")[1]), (char) => char.charCodeAt(0));
  return pixelsOf(new Blob([bytes], { type: "image/png" }));
}

// A copy of the image whose covered parts are grey.
function coveredPixels({ data, width, height }, covered) {
  const pixels = new ImageData(data.slice(), width, height);
  for (const part of covered) {
    const [row, column] = [CENTRES[Math.floor(part / 3)], CENTRES[part % 3]];
    const [top, left] = [(row / SIDE) * height, (column / SIDE) * width];
    for (let y = Math.round(top); y < Math.round(top + height / 4); y++) {
      const start = 4 * (y * width + Math.round(left));
      pixels.data.fill(GREY, start, start + 4 * Math.round(width / 4));
      for (let p = start + 3; p < start + 4 * Math.round(width / 4); p += 4) pixels.data[p] = 255;
    }
  }
  return pixels;
}

function radios(name, legend, entries, chosen, change) {
  const inputs = entries.map((_, i) =>
    element("input", { type: "radio", name, value: i, checked: i === chosen, onchange: () => change(i) }));
  const labels = entries.map((entry, i) => element("label", {}, inputs[i], ...entry));
  return [element("fieldset", {}, element("legend", {}, legend), ...labels), inputs];
}

function render({ model, el }) {
  const [networks, scenes] = [[model.get("networks")].flat(), model.get("scenes")];
  let network = networks[model.get("learner")];
  const as = () => SHOWN[network.learner];
  const state = { learner: model.get("learner"), image: null, covered: new Set(), label: model.get("label"), before: null, name: "" };
  const group = `miml-${Math.random().toString(36).slice(2)}`; // radio buttons of this place only

  const shown = { learner: showLearner, label: showLabel, scene: showScene };
  const choose = (name) => (value) => { model.set(name, value); model.save_changes(); shown[name](value); };
  const canvas = element("canvas");
  const parts = PLACES.map((_, i) => {
    const part = element("button", { type: "button", className: "part", onclick: () => cover(i) }, element("i"));
    part.style.left = `${(100 * (CENTRES[i % 3] + 1)) / SIDE}%`;
    part.style.top = `${(100 * (CENTRES[Math.floor(i / 3)] + 1)) / SIDE}%`;
    return part;
  });
  const words = element("p");
  words.setAttribute("role", "status");
  const bars = network.labels.map(() => element("i"));
  const outputs = network.labels.map(() => element("span", { className: "score" }));
  const [labels, labelInputs] = radios(
    `${group}-label`, "Label", network.labels.map((name, y) =>
      [element("span", {}, name), outputs[y], element("span", { className: "bar" }, bars[y])]),
    state.label, choose("label"));
  labels.className = "labels";
  const [learners, learnerInputs] = radios(
    `${group}-learner`, "Learner", networks.map(({ learner }) => [element("span", {}, learner)]), state.learner, choose("learner"));
  learners.className = "learners";
  learners.hidden = networks.length === 1;
  const [pictures, sceneInputs] = radios(
    `${group}-scene`, "Image", scenes.map(({ name, source }) => [element("img", { src: source, alt: name })]),
    model.get("scene"), choose("scene"));
  pictures.replaceChildren(pictures.firstChild, element("div", { className: "scenes" }, ...[...pictures.children].slice(1)));
  const file = element("input", { type: "file", accept: "image/*", onchange: () => file.files[0] && showPhoto(file.files[0]) });
  const again = element("button", { type: "button", onclick: () => { state.covered.clear(); draw(); parts[0].focus(); } }, "uncover all");
  const own = element("label", { className: "own" }, "or a photo of your own (it stays on this machine): ", file);

  function score() {
    const pixels = coveredPixels(state.image, state.covered);
    const found = scores(network, features(pixels.data, pixels.width, pixels.height));
    return { pixels, ...found };
  }

  function draw() {
    if (!state.image) return;
    const { pixels, bag, parts: ofParts } = score();
    if (!state.covered.size) state.before = bag;
    Object.assign(canvas, { width: pixels.width, height: pixels.height });
    canvas.getContext("2d").putImageData(pixels, 0, 0);
    const column = ofParts.map((row) => row[state.label]);
    const top = column.indexOf(Math.max(...column));
    parts.forEach((part, i) => {
      part.firstChild.style.width = `${86 * Math.sqrt(as().share(column[i]))}%`;
      part.classList.toggle("top", i === top);
      part.setAttribute("aria-pressed", state.covered.has(i));
      part.setAttribute("aria-label", `${PLACES[i]}: ${as().text(column[i])}, cover`);
      part.title = `${PLACES[i]}: ${as().text(column[i])}`;
    });
    bag.forEach((score, y) => {
      outputs[y].textContent = as().text(score);
      bars[y].style.width = `${100 * as().share(score)}%`;
    });
    el.dataset.scores = JSON.stringify(bag);
    tell(bag[state.label], PLACES[top], column[top]);
  }

  function tell(score, place, highest) {
    const name = network.labels[state.label];
    const change = state.covered.size
      ? ` Before ${state.covered.size === 1 ? "a part was" : "parts were"} covered: ${as().text(state.before[state.label])}.` : "";
    words.textContent = `${state.name}. ${as().name} of ${name}: ${as().text(score)}.${change} ` +
      `The part that speaks most for it: ${place}, ${as().text(highest)}.`;
    again.hidden = !state.covered.size;
  }

  function cover(i) {
    if (!state.covered.delete(i)) state.covered.add(i);
    draw();
  }

  function showLearner(i) {
    state.learner = i;
    network = networks[i];
    learnerInputs[i].checked = true;
    if (!state.image) return;
    state.before = scores(network, features(state.image.data, state.image.width, state.image.height)).bag;
    draw();
  }

  function showLabel(y) {
    state.label = y;
    labelInputs[y].checked = true;
    draw();
  }

  function show(image, name) {
    if (Math.min(image.width, image.height) < SIDE) throw new Error(`at least ${SIDE} x ${SIDE} pixels are needed`);
    Object.assign(state, { image, name });
    state.covered.clear();
    const { bag } = score();
    choose("label")(bag.indexOf(Math.max(...bag)));
  }

  async function showScene(i) {
    state.scene = i;
    sceneInputs[i].checked = true;
    file.value = "";
    show(await pixelsOfScene(scenes[i].source), scenes[i].name);
  }

  async function showPhoto(photo) {
    try {
      show(await pixelsOf(photo), "Your photo");
      for (const input of pictures.querySelectorAll("input")) input.checked = false;
    } catch (error) {
      words.textContent = `${photo.name} cannot be shown: ${error.message}`;
    }
  }

  const place = element("div", { className: "miml-play" },
    element("div", { className: "images" }, pictures, own),
    element("div", { className: "picture" }, canvas, ...parts),
    element("div", {}, learners, labels, words, again));
  place.addEventListener("dragover", (event) => event.preventDefault());
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) showPhoto(event.dataTransfer.files[0]);
  });
  el.append(element("style", {}, CSS), place);
  for (const name of Object.keys(shown)) model.on(`change:${name}`, () => model.get(name) === state[name] || shown[name](model.get(name)));
  showScene(model.get("scene"));
}

export default { render };
