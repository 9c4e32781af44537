// The graphs of the Explore page, in the studio's layout, one for both agents or one for each. Pointer and
// keys move items to other states; a click on a path closes or reopens it.
import { shape } from "./dom.js";
import { marksOf } from "./explore-marks.js";
import { edgesOf } from "./graph.js";
import { CURSOR, isClosed, moved, placeName, same, thingOf, things, withWay } from "./sketch.js";

const MARGIN = 0.6;
const BETWEEN = 1; // units between two graphs
const ROOM = 1.5; // units for all marks at a state; nodes are further apart
const REACH = 1.2; // distance in units within which a pointer selects a node
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SIDES = ["teammate", "ego"];
const narrow = window.matchMedia("(max-width: 700px)");

// A cross in the middle of a path, which is a quadratic curve.
function crossed(ground, { first, second, through }) {
  const [one, other] = [first, second].map((node) => ground.nodes[node].at);
  const [x, y] = [0, 1].map((k) => (one[k] + other[k]) / 4 + through[k] / 2);
  return shape("path", { class: "closing", d: `M${x - 0.16} ${ground.height - y - 0.16}l.32.32m-.32 0l.32-.32` });
}

export class GraphBoard {
  // `change(sketch, {over})` is called for every change; `over` is false while something is being dragged.
  constructor(svg, { change, select, say }) {
    Object.assign(this, { svg, change, select, say });
    this.cursor = [0, 0]; // the graph and the node
    this.selected = CURSOR;
    this.sketch = null;
    this.drag = null;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", () => this.up());
    svg.addEventListener("pointercancel", () => this.up());
    svg.addEventListener("keydown", (event) => this.key(event));
    narrow.addEventListener("change", () => { if (this.sketch) this.draw(this.sketch, this.shown, this); });
  }

  draw(sketch, shown, { marks, names }) {
    Object.assign(this, { sketch, shown, marks, names });
    if (!shown?.grounds) return this.svg.replaceChildren();
    this.grounds = shown.grounds;
    this.arrange();
    if (!this.grounds[this.cursor[0]]?.nodes[this.cursor[1]]) this.cursor = [0, 0];
    const [right, bottom] = ["width", "height"].map((size, k) => Math.max(...this.grounds.map((ground, side) => this.corners[side][k] + ground[size])));
    this.svg.style.aspectRatio = `${right + 2 * MARGIN} / ${bottom + 2 * MARGIN}`;
    this.svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${right + 2 * MARGIN} ${bottom + 2 * MARGIN}`);
    const known = things(sketch).filter((thing) => this.nodeOf(thing) >= 0);
    const [x, y] = this.centre(...this.cursor);
    this.svg.replaceChildren(...this.grounds.map((ground, side) => this.ground(ground, side)), shape("g", { class: "heat" }, ...this.heat(known)),
      ...marksOf(known, (thing) => this.centre(this.sideOf(thing), this.nodeOf(thing)), this, ROOM),
      shape("circle", { class: "cursor", cx: x, cy: y, r: 0.62 }));
  }

  arrange() {
    const top = this.grounds.length > 1 ? 1.1 : 0;
    const [first, second] = this.grounds;
    this.corners = [[0, top]];
    if (second) this.corners.push(narrow.matches || first.width > 2 * first.height ? [Math.max(0, (first.width - second.width) / 2), 2 * top + first.height + 0.3] : [first.width + BETWEEN, top]);
  }

  // -- where things are -----------------------------------------------------------------------------------------

  sideOf({ who }) { return who === "ego" ? this.grounds.length - 1 : 0; }
  nodeOf(thing) { return this.shown.states[this.sideOf(thing)].findIndex((state) => same(state, thing.cell)); }
  stateAt([side, node]) { return this.shown.states[side][node]; }

  centre(side, node) {
    const [[left, top], [x, y]] = [this.corners[side], this.grounds[side].nodes[node].at];
    return [left + x, top + this.grounds[side].height - y];
  }

  all(side = null) {
    return this.grounds.flatMap(({ nodes }, k) => (side === null || side === k ? nodes.map((_, node) => [k, node]) : []));
  }

  // Where a new goal is added: at the cursor on its graph, and at the other agent's place on the other graph.
  places() {
    const found = { teammate: this.sketch.teammate.now, ego: this.sketch.ego.now };
    if (this.grounds) for (const who of SIDES) if (this.sideOf({ who }) === this.cursor[0]) found[who] = this.stateAt(this.cursor);
    return found;
  }

  // -- drawing --------------------------------------------------------------------------------------------------

  ground(ground, side) {
    const [left, top] = this.corners[side];
    const made = shape("g", { class: "ground graph", transform: `translate(${left} ${top})` });
    if (this.grounds.length > 1) made.append(shape("text", { class: "whose", x: ground.width / 2, y: -0.6, "font-size": 0.6 }, this.shown.words?.[SIDES[side]] ?? SIDES[side]));
    const parts = edgesOf(ground, this.shown.letters);
    ground.ways.forEach((way, k) => {
      parts[k].dataset.way = `${side}.${k}`;
      parts[k].classList.toggle("closed", this.closed(side, way));
      if (this.closed(side, way)) parts[k].append(crossed(ground, way));
      parts[k].append(shape("path", { class: "grip", d: parts[k].querySelector("path").getAttribute("d") }));
    });
    made.append(...parts);
    return made;
  }

  // EDP from every state for the selected pair, as shade and as number.
  heat(known) {
    const values = this.shown.pair?.heat;
    if (!values || values.length !== this.grounds[0].nodes.length) return [];
    const most = Math.max(1, ...values.filter((value) => value !== null));
    return values.flatMap((value, node) => {
      if (value === null) return [];
      const [cx, cy] = this.centre(0, node);
      const step = `alike-${Math.round((4 * value) / most)}`;
      const disc = shape("circle", { class: step, cx, cy, r: 0.58 }, shape("title", {}, `${this.grounds[0].nodes[node].name}: EDP ${value.toFixed(2)}`));
      const empty = !known.some((thing) => this.sideOf(thing) === 0 && this.nodeOf(thing) === node);
      return empty ? [disc, shape("text", { class: step, x: cx, y: cy, "font-size": 0.36 }, value.toFixed(1))] : [disc];
    });
  }

  // -- paths -----------------------------------------------------------------------------------------------------

  whose(side) { return this.grounds.length > 1 ? [SIDES[side]] : SIDES; }
  ends(side, way) { return [way.first, way.second].map((node) => this.stateAt([side, node])); }
  closed(side, way) { return isClosed(this.sketch[SIDES[side]], ...this.ends(side, way)); }

  // All paths with their names, and whether they are closed.
  ways() {
    return (this.shown?.grounds || []).flatMap((ground, side) => ground.ways.map((way, k) => {
      const name = this.ends(side, way).map(placeName).join(way.back.length ? " – " : " → ");
      return { id: `${side}.${k}`, whose: this.grounds.length > 1 ? SIDES[side] : null, name, closed: this.closed(side, way) };
    }));
  }

  toggle(id) {
    const [side, k] = id.split(".").map(Number);
    const way = this.grounds[side].ways[k];
    const closed = !this.closed(side, way);
    const ends = this.ends(side, way);
    this.change(withWay(this.sketch, this.whose(side), ...ends, closed), { said: `${closed ? "Closed" : "Reopened"}: ${ends.map(placeName).join(" – ")}.` });
  }

  // -- pointer --------------------------------------------------------------------------------------------------

  nearest(event, side = null) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const far = ([k, node]) => { const [x, y] = this.centre(k, node); return Math.hypot(x - point.x, y - point.y); };
    return this.all(side).map((at) => ({ at, far: far(at) })).sort((one, other) => one.far - other.far)[0];
  }

  down(event) {
    if (!this.sketch || !this.shown?.grounds || event.button > 0) return;
    const id = event.target.closest?.("[data-thing]")?.dataset.thing;
    const way = event.target.closest?.("[data-way]")?.dataset.way;
    const { at, far } = this.nearest(event);
    if (!id && way && far > 0.5) return this.toggle(way);
    if (!id && far > REACH) return undefined;
    this.svg.setPointerCapture(event.pointerId);
    this.cursor = at;
    this.drag = id ? { id, before: this.sketch } : null;
    return this.select(id || CURSOR);
  }

  move(event) {
    if (!this.drag) return;
    const { at } = this.nearest(event, this.sideOf(thingOf(this.sketch, this.drag.id)));
    this.cursor = at;
    const made = moved(this.sketch, this.drag.id, this.stateAt(at));
    if (made !== this.sketch) this.change(made, { over: false });
  }

  up() {
    if (!this.drag) return;
    const { before, id } = this.drag;
    this.drag = null;
    if (this.sketch !== before) this.change(this.sketch, { over: true, said: `${this.names(thingOf(this.sketch, id))}.` });
  }

  // -- keys -----------------------------------------------------------------------------------------------------

  key(event) {
    if (!this.sketch || !this.shown?.grounds || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step) this.step(step);
    else if (event.key === " ") this.say("Close and reopen paths in the list of paths.");
    else if (event.key === "Enter") this.pick();
    else if (event.key === "Escape" && this.selected !== CURSOR) this.select(CURSOR);
    else return;
    event.preventDefault();
  }

  // To the nearest state in that direction; deviating from the direction counts as distance.
  step([dx, dy]) {
    const thing = this.selected === CURSOR ? null : thingOf(this.sketch, this.selected);
    const side = thing ? this.sideOf(thing) : null;
    const [x, y] = this.centre(...(thing ? [side, this.nodeOf(thing)] : this.cursor));
    const found = this.all(side).map((at) => {
      const [u, v] = this.centre(...at);
      const [along, aside] = [(u - x) * dx + (v - y) * dy, Math.abs((u - x) * dy) + Math.abs((v - y) * dx)];
      return { at, along, far: along + 2 * aside };
    }).filter(({ along }) => along > 0.1).sort((one, other) => one.far - other.far)[0];
    if (!found) return this.say("There is no state in that direction.");
    this.cursor = found.at;
    if (thing) return this.change(moved(this.sketch, thing.id, this.stateAt(found.at)), { over: true, said: `${this.names(thingOf(moved(this.sketch, thing.id, this.stateAt(found.at)), thing.id))}.` });
    this.draw(this.sketch, this.shown, this);
    return this.say(this.described());
  }

  pick() {
    const found = this.selected === CURSOR ? things(this.sketch).reverse().find((thing) => this.sideOf(thing) === this.cursor[0] && this.nodeOf(thing) === this.cursor[1]) : null;
    this.select(found ? found.id : CURSOR);
  }

  to(thing) { if (this.shown?.grounds && this.nodeOf(thing) >= 0) this.cursor = [this.sideOf(thing), this.nodeOf(thing)]; }

  described() {
    if (!this.shown?.grounds) return "";
    const [side, node] = this.cursor;
    const here = things(this.sketch).filter((thing) => this.sideOf(thing) === side && this.nodeOf(thing) === node).map((thing) => this.names(thing));
    const edp = side === 0 ? this.shown.pair?.heat?.[node] : null;
    return `${placeName(this.stateAt(this.cursor))}: ${here.join("; ") || "empty"}${edp === null || edp === undefined ? "" : `, EDP ${edp.toFixed(2)}`}.`;
  }
}
