// What the page knows, and small helpers for making elements. User text goes in as text, never as markup.
const episode = JSON.parse(document.getElementById("episode").textContent);
const frames = episode.frames;
const nSteps = frames.length - 1;
const SVG = "http://www.w3.org/2000/svg";
const dark = window.matchMedia("(prefers-color-scheme: dark)");

const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const words = episode.words; // what the domain calls things
const goalName = (k) => episode.goals[k][0];

// Costs are sums of decimal fractions; ten digits hide the noise of binary ones.
const number = (value) => String(Number(value.toPrecision(10)));

// Values of questions are expectations: two digits are enough.
const hundredths = (value) => String(Math.round(100 * value) / 100);

function percent(p) {
  const shown = Math.round(100 * p);
  if (shown === 0 && p > 0) return "<1 %";
  if (shown === 100 && p < 1) return ">99 %";
  return `${shown} %`;
}

const count = (n, what) => `${n || "no"} ${what}${n === 1 ? "" : "s"}`;

// Probability of each goal in a frame, null if the method shows no belief.
function beliefOf(frame) {
  if (frame.belief === undefined) return null;
  const all = new Array(episode.goals.length).fill(0);
  const [goals, shares] = episode.beliefs[frame.belief];
  goals.forEach((goal, k) => { all[goal] = shares[k]; });
  return all;
}

// The colour of a probability; the square root tells small ones apart (as in the other drawings).
function shade(p) {
  const ramp = dark.matches ? episode.ramps.dark : episode.ramps.light;
  const place = Math.sqrt(Math.min(Math.max(p, 0), 1)) * (ramp.length - 1);
  const low = Math.min(Math.floor(place), ramp.length - 2);
  return ramp[low].map((part, k) => Math.round(part + (ramp[low + 1][k] - part) * (place - low)));
}

const rgb = (colour) => `rgb(${colour.join(",")})`;

// Black or white, whichever reads better.
function inkOn(colour) {
  const [red, green, blue] = colour.map((part) => (part / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.2 ? episode.inks.dark : episode.inks.light;
}
