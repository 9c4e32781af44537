// The map of the Explore page: draws a draft, and turns pointer and key events into changes.
import { shape } from "./dom.js";
import { marksOf } from "./explore-marks.js";
import { CURSOR, height, inside, isWall, moved, occupied, same, thingAt, thingOf, things, walled, width } from "./sketch.js";

const MARGIN = 0.15;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class SketchBoard {
  // `change(sketch, {over})` is called for every change; `over` is false while something is being dragged.
  constructor(svg, { change, select, say }) {
    Object.assign(this, { svg, change, select, say });
    this.cursor = [0, 0];
    this.selected = CURSOR;
    this.drag = null;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", () => this.up());
    svg.addEventListener("pointercancel", () => this.up());
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  // `shown` are the results of an earlier draft, drawn as far as they still apply.
  draw(sketch, shown, { marks, names, planned = [] }) {
    Object.assign(this, { sketch, shown, marks, names, planned });
    const [w, h] = [width(sketch), height(sketch)];
    if (!inside(sketch, this.cursor)) this.cursor = [0, 0];
    this.svg.style.aspectRatio = `${w + 2 * MARGIN} / ${h + 2 * MARGIN}`;
    this.svg.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${w + 2 * MARGIN} ${h + 2 * MARGIN}`);
    this.svg.replaceChildren(
      shape("rect", { class: "floor", width: w, height: h, "stroke-width": 0.05 }),
      shape("g", { class: "heat" }, ...this.heat()),
      this.lines(w, h),
      shape("g", { class: "built" }, ...this.walls()),
      ...planned.map((cell) => this.plannedWall(cell)),
      ...marksOf(things(sketch), ({ cell }) => this.middle(cell), this),
      shape("rect", { class: "cursor", ...this.corner(this.cursor), width: 1, height: 1 }),
    );
  }

  middle([x, y]) { return [x + 0.5, height(this.sketch) - y - 0.5]; }

  corner([x, y]) { return { x, y: height(this.sketch) - 1 - y }; }

  lines(w, h) {
    let d = "";
    for (let x = 1; x < w; x++) d += `M${x} 0V${h}`;
    for (let y = 1; y < h; y++) d += `M0 ${y}H${w}`;
    return shape("path", { class: "lines", d, "stroke-width": 0.03 });
  }

  walls() {
    const found = [];
    this.sketch.walls.forEach((line, row) => [...line].forEach((sign, x) => {
      if (sign === "#") found.push(shape("rect", { class: "wall", x, y: row, width: 1, height: 1 }));
    }));
    return found;
  }

  plannedWall(cell) {
    const { x, y } = this.corner(cell);
    return shape("g", { class: "planned" }, shape("title", {}, "suggested wall"),
      shape("rect", { x: x + 0.06, y: y + 0.06, width: 0.88, height: 0.88 }),
      shape("path", { d: `M${x + 0.2} ${y + 0.8}L${x + 0.8} ${y + 0.2}` }));
  }

  // EDP from every cell for the selected pair, as shade and as number.
  heat() {
    const values = this.shown?.pair?.heat;
    if (!values || values.length !== height(this.sketch) || values[0].length !== width(this.sketch)) return [];
    const most = Math.max(1, ...values.flat().filter((value) => value !== null));
    const digits = width(this.sketch) <= 16;
    return values.flatMap((row, y) => row.flatMap((value, x) => {
      if (value === null) return [];
      const at = this.corner([x, y]);
      const step = `alike-${Math.round((4 * value) / most)}`;
      const tile = shape("rect", { class: step, ...at, width: 1, height: 1 }, shape("title", {}, `EDP ${value.toFixed(2)}`));
      return digits && !occupied(this.sketch, [x, y]) ? [tile, shape("text", { class: step, x: at.x + 0.95, y: at.y + 0.14, "font-size": 0.2 }, value.toFixed(1))] : [tile];
    }));
  }

  // -- pointer --------------------------------------------------------------------------------------------------

  cellUnder(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [Math.floor(point.x), height(this.sketch) - 1 - Math.floor(point.y)];
  }

  down(event) {
    if (!this.sketch || event.button > 0) return;
    const cell = this.cellUnder(event);
    if (!inside(this.sketch, cell)) return;
    this.svg.setPointerCapture(event.pointerId);
    const id = event.target.closest?.("[data-thing]")?.dataset.thing || thingAt(this.sketch, cell)?.id;
    this.drag = { before: this.sketch, id, last: cell, wall: id ? null : !isWall(this.sketch, cell) };
    this.cursor = cell;
    this.select(id || CURSOR);
    if (!id) this.paint(cell);
  }

  move(event) {
    if (!this.drag) return;
    const cell = this.cellUnder(event);
    if (same(cell, this.drag.last) || !inside(this.sketch, cell)) return;
    this.drag.last = cell;
    this.cursor = cell;
    if (!this.drag.id) return this.paint(cell);
    const made = moved(this.sketch, this.drag.id, cell);
    if (made !== this.sketch) this.change(made, { over: false });
  }

  paint(cell) {
    const made = walled(this.sketch, cell, this.drag.wall);
    if (made !== this.sketch) this.change(made, { over: false });
    else this.draw(this.sketch, this.shown, this);
  }

  up() {
    if (!this.drag) return;
    const { before, id } = this.drag;
    this.drag = null;
    if (this.sketch !== before) this.change(this.sketch, { over: true, said: id ? `${this.names(thingOf(this.sketch, id))}.` : "Walls changed." });
  }

  // -- keys -----------------------------------------------------------------------------------------------------

  key(event) {
    if (!this.sketch || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step) this.step(step);
    else if (event.key === " ") this.toggle();
    else if (event.key === "Enter") this.pick();
    else if (event.key === "Escape" && this.selected !== CURSOR) this.select(CURSOR);
    else return;
    event.preventDefault();
  }

  step([dx, dy]) {
    const from = this.selected === CURSOR ? this.cursor : thingOf(this.sketch, this.selected).cell;
    const cell = [from[0] + dx, from[1] + dy];
    if (!inside(this.sketch, cell)) return this.say("This is the edge of the map.");
    if (this.selected === CURSOR) {
      this.cursor = cell;
      this.draw(this.sketch, this.shown, this);
      return this.say(this.described(cell));
    }
    const made = moved(this.sketch, this.selected, cell);
    if (made === this.sketch) return this.say("There is a wall here.");
    this.cursor = cell;
    return this.change(made, { over: true, said: `${this.names(thingOf(made, this.selected))}.` });
  }

  toggle() {
    const wall = !isWall(this.sketch, this.cursor);
    const made = walled(this.sketch, this.cursor, wall);
    if (made === this.sketch) return this.say(`No wall here: ${this.described(this.cursor)}`);
    return this.change(made, { over: true, said: `${wall ? "Wall added" : "Wall removed"} at ${this.cursor.join(", ")}.` });
  }

  pick() {
    const found = this.selected === CURSOR ? thingAt(this.sketch, this.cursor) : null;
    this.select(found ? found.id : CURSOR);
  }

  to({ cell }) { this.cursor = [...cell]; }

  places() { return this.cursor; }

  described(cell = this.cursor) {
    const here = things(this.sketch).filter((thing) => same(thing.cell, cell)).map((thing) => this.names(thing));
    const edp = this.shown?.pair?.heat?.[cell[1]]?.[cell[0]];
    const heat = edp === null || edp === undefined ? "" : `, EDP ${edp.toFixed(2)}`;
    return `${cell.join(", ")}: ${isWall(this.sketch, cell) ? "wall" : here.join("; ") || "free"}${heat}.`;
  }
}
