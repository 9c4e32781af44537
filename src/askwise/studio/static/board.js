// The board: one map or graph, or two (the teammate's and the ego agent's), goals, landmarks, both agents and their trails.
// Every mark also has its own shape or letter, so that no information depends on colour alone.
import { text, word } from "./dom.js";
import { element, shape, starPath } from "./elements.js";
import { edgesOf } from "./graph.js";

const MOST_APART = 9; // goals at one place that get their own marks
const BETWEEN = 1; // units between two grounds
const narrow = window.matchMedia("(max-width: 700px)");

export class Board {
  // `svg` is cleared; `onPlace(side, place)` is called for clicks on places, `onGoal(k)` for clicks on goals.
  constructor(svg, board, { onPlace = () => {}, onGoal = null } = {}) {
    Object.assign(this, { svg, board, onPlace, onGoal });
    this.grounds = board.grounds;
    this.last = this.grounds.length - 1;
    this.sides = { teammate: 0, ego: this.last };
    this.mark = Math.max(1, Math.max(...this.grounds.map((g) => Math.max(g.width, g.height))) / 40);
    this.trails = { teammate: [], ego: [] };
    this.draw();
    narrow.addEventListener("change", () => { this.draw(); if (this.shown) this.show(this.shown, this.options); });
  }

  // -- what does not change -------------------------------------------------------------------------------------

  draw() {
    this.arrange();
    const margin = 0.35 * this.mark;
    const right = Math.max(...this.grounds.map((g, side) => this.corners[side][0] + g.width));
    const bottom = Math.max(...this.grounds.map((g, side) => this.corners[side][1] + g.height));
    this.svg.setAttribute("viewBox", `${-margin} ${-margin} ${right + 2 * margin} ${bottom + 2 * margin}`);
    this.title = shape("title", {}, "Board");
    this.paths = Object.fromEntries(["teammate", "ego"].map((who) => [who, shape("path", { class: `trail of-${who}`, "stroke-width": 0.13 * this.mark })]));
    this.marks = this.arrangeMarks();
    this.spots = this.marks.map((spot) => this.spot(spot));
    this.agents = { teammate: this.agent("teammate", this.board.words.teammateSign), ego: this.agent("ego", this.board.words.egoSign) };
    this.targets = shape("g", { class: "targets" });
    this.svg.replaceChildren(
      this.title,
      ...this.grounds.map((ground, side) => this.ground(ground, side)),
      ...Object.values(this.paths),
      shape("g", {}, ...this.board.landmarks.map((each) => this.landmark(each))),
      shape("g", {}, ...this.spots),
      ...this.stars(),
      this.targets,
      ...Object.values(this.agents),
    );
  }

  arrange() {
    const top = this.last ? 1.1 : 0;
    const [first, second] = this.grounds;
    this.corners = [[0, top]];
    if (!this.last) return;
    if (narrow.matches) this.corners.push([Math.max(0, (first.width - second.width) / 2), 2 * top + first.height + 0.3]);
    else this.corners.push([first.width + BETWEEN, top]);
  }

  isMap(side) { return this.grounds[side].kind === "map"; }

  // A cell of a map by its centre, a node of a graph by its own place; y goes up on the ground, down in the drawing.
  centre([x, y], side) {
    const [left, top] = this.corners[side];
    const half = this.isMap(side) ? 0.5 : 0;
    return [left + x + half, top + this.grounds[side].height - y - half];
  }

  at(place, side) {
    const [x, y] = this.centre(place, side);
    return `translate(${x} ${y}) scale(${this.mark})`;
  }

  ground(ground, side) {
    const [left, top] = this.corners[side];
    const made = shape("g", { class: `ground ${ground.kind}`, transform: `translate(${left} ${top})` });
    if (this.last) made.append(shape("text", { class: "whose", x: ground.width / 2, y: -0.5, "font-size": 0.6 }, this.board.words[side ? "ego" : "teammate"]));
    made.append(...(ground.kind === "map" ? this.floor(ground) : edgesOf(ground, this.board.letters)));
    if (ground.kind === "map") made.addEventListener("click", (event) => this.clicked(event, side));
    return made;
  }

  floor({ width, height, walls }) {
    const parts = [shape("rect", { class: "floor", width, height, "stroke-width": 0.05 })];
    if (Math.max(width, height) <= 60) {
      let d = "";
      for (let x = 1; x < width; x++) d += `M${x} 0V${height}`;
      for (let y = 1; y < height; y++) d += `M0 ${y}H${width}`;
      parts.push(shape("path", { class: "lines", d, "stroke-width": 0.03 }));
    }
    if (walls) parts.push(shape("image", { class: "walls", href: walls, width, height, preserveAspectRatio: "none" }));
    return parts;
  }

  clicked(event, side) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [left, top] = this.corners[side];
    this.onPlace(side, [Math.floor(point.x - left), Math.floor(this.grounds[side].height - (point.y - top))]);
  }

  landmark([name, x, y]) {
    return shape("g", { class: "landmark", transform: this.at([x, y], 0) },
      shape("title", {}, `${this.board.words.landmark} ${name}`),
      shape("path", { d: "M-.17-.16v-.12a.08.08 0 0 1 .08-.08h.18a.08.08 0 0 1 .08.08v.12" }),
      shape("rect", { x: -0.42, y: -0.2, width: 0.84, height: 0.62, rx: 0.1 }), lettered(name, 0.72, 0.38, 0.11));
  }

  // On maps, each goal has its own labelled mark for each agent; marks at the same place share the cell, as in Explore.
  arrangeMarks() {
    const found = [];
    const places = new Map();
    for (const spot of this.board.spots) {
      const side = spot.ego ? this.last : 0;
      if (!this.isMap(side)) {
        found.push({ ...spot, aside: [0, 0], size: spot.shared ? 0.4 : 1 });
        continue;
      }
      const key = `${side}:${spot.at.join()}`;
      if (!places.has(key)) places.set(key, []);
      const apart = spot.goals.length <= MOST_APART ? spot.goals.map((k) => ({ ...spot, goals: [k], label: this.board.goals[k] })) : [spot];
      places.get(key).push(...apart);
    }
    for (const here of places.values()) {
      const side = Math.ceil(Math.sqrt(here.length));
      const rows = Math.ceil(here.length / side);
      here.forEach((spot, k) => found.push({ ...spot, size: 1 / side, aside: [((k % side) + 0.5) / side - 0.5, (Math.floor(k / side) + 0.5 - rows / 2) / side] }));
    }
    return found;
  }

  markAt({ at, ego, aside, size }) {
    const [x, y] = this.centre(at, ego ? this.last : 0);
    return `translate(${x + aside[0] * this.mark} ${y + aside[1] * this.mark}) scale(${size * this.mark})`;
  }

  spot(spot) {
    const names = spot.goals.map((k) => this.board.goals[k]).join(", ");
    const who = text(spot.ego ? "play.where_ego" : "play.where_teammate", this.board.words);
    const body = spot.ego
      ? [shape("polygon", { class: "ring", points: "0,-.64 .64,0 0,.64 -.64,0" }), shape("polygon", { class: "body", points: "0,-.5 .5,0 0,.5 -.5,0" })]
      : [shape("rect", { class: "ring", x: -0.54, y: -0.54, width: 1.08, height: 1.08, rx: 0.2 }), shape("rect", { class: "body", x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.14 })];
    body.push(shape("path", { class: "cross", d: "M-.16-.16l.32.32M-.16.16l.32-.32" }));
    const inside = shape("g", {}, ...body);
    const box = spot.ego || spot.goals.length > 1 ? "" : landmarkOf(this.board, spot.goals[0]);
    if (spot.label) inside.append(lettered(spot.label, (spot.ego ? 0.66 : 0.74) * (spot.size < 1 ? 1.25 : 1), box ? 0.32 : 0.4, box ? -0.14 : 0));
    if (box) inside.append(shape("g", { class: "box-of", transform: "translate(0 .22)" }, shape("rect", { x: -0.3, y: -0.14, width: 0.6, height: 0.28, rx: 0.05 }), lettered(box, 0.5, 0.24)));
    const made = shape("g", { class: `goal ${spot.ego ? "for-ego" : ""}`, transform: this.markAt(spot) },
      shape("title", {}, `${names}: ${who}`), inside);
    if (this.onGoal && !spot.ego) {
      made.classList.add("pickable");
      made.addEventListener("click", (event) => { event.stopPropagation(); spot.goals.forEach((k) => this.onGoal(k)); });
    }
    return made;
  }

  // The star at the goal; before the end, only the teammate's page knows it.
  stars() {
    if (this.board.goal === undefined) return [];
    return this.marks.filter((spot) => spot.goals.includes(this.board.goal)).map((spot) => {
      // Large also on small marks, and at the corner that is away from the other marks in the cell.
      const size = Math.max(spot.size, 0.8);
      const corner = 0.36 * spot.size / size;
      const d = starPath(spot.aside[0] < 0 ? -corner : corner, spot.aside[1] > 0 ? corner : -corner, 0.27);
      return shape("path", { class: "truth", d, transform: this.markAt({ ...spot, size }) }, shape("title", {}, text("play.your_goal", this.board.words)));
    });
  }

  agent(who, letter) {
    const made = shape("g", { class: `agent ${who}` }, shape("title", {}, this.board.words[who]),
      shape("g", { class: "disc" }, shape("circle", { r: 0.4 }), lettered(letter, 0.6, 0.46)));
    if (who === "ego") made.append(shape("g", { class: "load" }, shape("rect", { x: -0.36, y: -0.2, width: 0.72, height: 0.4, rx: 0.08 }), shape("text", {})));
    if ((this.board.role === who)) made.querySelector(".disc").append(shape("circle", { class: "you", r: 0.49 }));
    return made;
  }

  // -- what does ------------------------------------------------------------------------------------------------

  setTrails(trails) { this.trails = { teammate: [...trails.teammate], ego: [...trails.ego] }; }

  // `asked` and `picked` are goals in the present question and in the one being composed; `possible` are those not ruled out.
  show(state, { asked = [], picked = [], possible = null, moves = [], onMove = () => {} } = {}) {
    this.shown = state;
    this.options = { asked, picked, possible, moves, onMove };
    const ringed = new Set([...asked, ...picked]);
    this.marks.forEach((spot, k) => {
      this.spots[k].classList.toggle("asked", spot.goals.some((goal) => ringed.has(goal)));
      this.spots[k].classList.toggle("out", possible !== null && spot.goals.every((goal) => !possible[goal]));
    });
    const together = !this.last && state.teammate.at.join() === state.ego.at.join();
    for (const who of ["teammate", "ego"]) this.place(who, state[who], together);
    this.load(state.carried, together);
    const where = (who) => (this.isMap(this.sides[who]) ? this.named(who, state[who].at) : state[who].place);
    this.title.textContent = ["teammate", "ego"].map((who) => `${this.board.words[who]}: ${where(who)}`).join("; ");
    const own = this.sides[this.board.role];
    this.targets.replaceChildren(...moves.filter((move) => !move.waits).map((move) => {
      const made = shape("circle", { class: "target", r: 0.3, transform: this.at(move.to, own) }, shape("title", {}, word(move.label)));
      made.addEventListener("click", (event) => { event.stopPropagation(); onMove(move); });
      return made;
    }));
  }

  // The goals at a place, or its column and row, for screen readers.
  named(who, at) {
    const here = this.marks.filter((spot) => spot.ego === (who === "ego") && spot.at.join() === at.join());
    return here.flatMap((spot) => spot.goals.map((k) => this.board.goals[k])).join(", ") || `${at[0] + 1} | ${this.grounds[this.sides[who]].height - at[1]}`;
  }

  place(who, { at }, together) {
    const side = this.sides[who];
    const [x, y] = this.centre(at, side);
    this.agents[who].style.transform = `translate(${x}px, ${y}px) scale(${this.mark})`;
    this.agents[who].querySelector("title").textContent = this.board.words[who];
    const aside = together ? (who === "teammate" ? -0.2 : 0.2) : 0;
    this.agents[who].querySelector(".disc").setAttribute("transform", `translate(${aside} ${aside}) scale(${together ? 0.75 : 1})`);
    const trail = this.trails[who];
    if (!trail.length || trail[trail.length - 1].join() !== at.join()) trail.push(at);
    this.paths[who].setAttribute("d", trail.map((place, k) => `${k ? "L" : "M"}${this.centre(place, side).join(" ")}`).join(""));
  }

  load(carried, together) {
    const load = this.agents.ego.querySelector(".load");
    load.setAttribute("transform", together ? "translate(-.28 .44)" : "translate(.36 .36)");
    load.classList.toggle("hidden", !carried);
    if (carried) load.lastChild.replaceWith(lettered(carried, 0.62, 0.3));
  }
}

// A letter is about 0.62 of the font size wide, so long names get smaller letters.
export function lettered(text, width, size, y = 0) {
  const fitted = Math.max(0.2, Math.min(size, width / (0.62 * Math.max(text.length, 1))));
  return shape("text", { y, "font-size": fitted.toFixed(3) }, text);
}

// The name of the landmark (toolbox) of a goal; empty if it has none.
export function landmarkOf(board, k) {
  const number = board.goalLandmarks[k];
  return Number.isInteger(number) && board.landmarks[number] ? board.landmarks[number][0] : "";
}

// The legend: the meaning of the marks, as a list.
export function legend(board) {
  const { words, role } = board;
  const you = (who) => (role === who ? ` (${text("play.you")})` : "");
  const rows = [["disc teammate", words.teammateSign, words.teammate + you("teammate")], ["disc ego", words.egoSign, words.ego + you("ego")]];
  if (words.landmark) rows.push(["tag", words.landmark[0].toUpperCase(), words.landmark]);
  if (board.spots.some((spot) => spot.ego)) rows.push(["for-ego", "", text("play.where_ego", words)]);
  if (board.goal !== undefined) rows.push(["star", "★", text("play.your_goal", words)]);
  if (role) rows.push(["next", "", text("play.next_step")]);
  rows.push(["ringed", "", text("play.in_question")]);
  if (role === "ego") rows.push(["out", "×", text("play.ruled_out")]);
  return rows.map(([kind, sign, name]) => element("li", {}, element("b", { class: kind, "aria-hidden": "true" }, sign), name));
}
