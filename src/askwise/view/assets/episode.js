// The episode that the page shows, its colours, and the marks that stand on maps and graphs.
const episode = JSON.parse(document.getElementById("episode").textContent);
const frames = episode.frames;
const nSteps = frames.length - 1;
const dark = window.matchMedia("(prefers-color-scheme: dark)");

const words = episode.words; // the vocabulary of the domain
const goalName = (k) => episode.goals[k][0];

// Values of questions are expectations: two digits are enough.
const hundredths = (value) => String(Math.round(100 * value) / 100);

// Probability of each goal in a frame, null if the method shows no belief.
function beliefOf(frame) {
  if (frame.belief === undefined) return null;
  const all = new Array(episode.goals.length).fill(0);
  const [goals, shares] = episode.beliefs[frame.belief];
  goals.forEach((goal, k) => { all[goal] = shares[k]; });
  return all;
}

// The colour of a probability; the square root makes small ones distinguishable (as in all drawings).
function shade(p) {
  const ramp = dark.matches ? episode.ramps.dark : episode.ramps.light;
  const place = Math.sqrt(Math.min(Math.max(p, 0), 1)) * (ramp.length - 1);
  const low = Math.min(Math.floor(place), ramp.length - 2);
  return ramp[low].map((part, k) => Math.round(part + (ramp[low + 1][k] - part) * (place - low)));
}

const rgb = (colour) => `rgb(${colour.join(",")})`;

// The text colour, dark or white, that is easier to read.
function inkOn(colour) {
  const [red, green, blue] = colour.map((part) => (part / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.2 ? episode.inks.dark : episode.inks.light;
}

function label(text, width, size, y = 0) {
  // A letter is about 0.62 of the font size wide, so long names get smaller letters.
  const fitted = Math.min(size, width / (0.62 * Math.max(text.length, 1)));
  return shape("text", { y, "font-size": fitted.toFixed(3) }, text);
}

function coordinates(width, height, size) {
  const number = (n, x, y, side) => shape("text", { x, y, "font-size": size.toFixed(3), class: side }, String(n));
  // At round distances, as many as there is room for.
  const apart = (room) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((k) => k >= room) || 10000;
  const made = shape("g", { id: "coordinates", "aria-hidden": "true" });
  const alongX = apart(0.62 * size * String(width - 1).length + 0.4 * size);
  for (let x = 0; x < width; x += alongX) made.append(number(x, x + 0.5, height + 0.9 * size, "below"));
  const alongY = apart(1.3 * size);
  for (let y = 0; y < height; y += alongY) made.append(number(y, -0.4 * size, height - y - 0.5, "beside"));
  return made;
}

function gridLines(width, height) {
  let d = "";
  for (let x = 1; x < width; x++) d += `M${x} 0V${height}`;
  for (let y = 1; y < height; y++) d += `M0 ${y}H${width}`;
  return shape("g", { class: "lines" }, shape("path", { d, "stroke-width": 0.03 }));
}

function landmarkMark([name, x, y]) {
  const made = shape("g", { class: "landmark", "data-landmark": name },
    shape("title", {}, `${words.landmark} ${name} at (${x}, ${y})`),
    shape("path", { d: "M-.17-.16v-.12a.08.08 0 0 1 .08-.08h.18a.08.08 0 0 1 .08.08v.12" }),
    shape("rect", { x: -0.42, y: -0.2, width: 0.84, height: 0.62, rx: 0.1 }),
    label(name, 0.72, 0.38, 0.11));
  made.style.transform = at([x, y]);
  return made;
}

function goalMark([name, x, y, landmark]) {
  const beside = landmark === null ? "" : `, ${words.load} in ${episode.landmarks[landmark][0]}`;
  const made = shape("g", { class: "goal", "data-goal": name },
    shape("title", {}, `${words.goal} ${name} at (${x}, ${y})${beside}`),
    shape("rect", { class: "ring", x: -0.54, y: -0.54, width: 1.08, height: 1.08, rx: 0.2 }),
    shape("rect", { class: "body", x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.14 }),
    shape("path", { d: "M-.16-.16l.32.32M-.16.16l.32-.32" }),
    label(name, 0.72, 0.4));
  made.style.transform = at([x, y]);
  return made;
}

function agentMark(id, letter) {
  const disc = shape("g", { class: "disc-of" }, shape("circle", { r: 0.4 }), label(letter, 0.6, 0.46));
  const made = shape("g", { class: "agent", id }, shape("title", {}, words[id]), disc);
  if (id === "ego") {
    made.append(shape("g", { class: "load" },
      shape("rect", { x: -0.36, y: -0.2, width: 0.72, height: 0.4, rx: 0.08 }), shape("text", {})));
  }
  return made;
}
