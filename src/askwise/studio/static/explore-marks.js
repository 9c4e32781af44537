// The marks of the Explore page, centred at (0, 0), about one unit large: squares are the teammate's targets, diamonds
// the ego agent's, discs agents, dashed rings their starts, boxes with a handle toolboxes. Each has its letters.
import { lettered } from "./board.js";
import { shape } from "./dom.js";

// `shown` are the results of an earlier draft, used as far as they still apply.
export function markOf(thing, { sketch, shown, marks, selected, names }) {
  const made = thing.kind === "target" ? target(thing, sketch, shown, marks) : thing.kind === "box" ? box(sketch.boxes[thing.box].name) : agent(thing, sketch, shown);
  made.dataset.thing = thing.id;
  made.classList.toggle("selected", thing.id === selected);
  made.prepend(shape("title", {}, names(thing)));
  return made;
}

// Marks at the same place (`at(thing)`) share `room` units around it.
export function marksOf(things, at, drawn, room = 1) {
  const places = new Map();
  for (const thing of things) {
    const key = at(thing).join();
    places.set(key, [...(places.get(key) || []), thing]);
  }
  return [...places.values()].flatMap((here) => here.map((thing, k) => {
    const side = Math.ceil(Math.sqrt(here.length));
    const rows = Math.ceil(here.length / side);
    const size = (side > 1 ? room : 1) / side;
    const [x, y] = at(thing);
    const made = markOf(thing, drawn);
    made.setAttribute("transform", `translate(${x + ((k % side) + 0.5 - side / 2) * size} ${y + (Math.floor(k / side) + 0.5 - rows / 2) * size}) scale(${size})`);
    return made;
  }));
}

function target({ who, goal }, sketch, shown, marks) {
  const belief = shown?.belief?.[goal];
  const fresh = shown?.belief?.length === sketch.goals.length;
  const step = fresh && belief !== undefined ? `belief-${Math.round(5 * Math.sqrt(belief))}` : "belief-none";
  const asked = fresh && shown.asked.includes(goal);
  const body = who === "ego"
    ? [shape("polygon", { class: "ring", points: "0,-.5 .5,0 0,.5 -.5,0" }), shape("polygon", { class: "body", points: "0,-.42 .42,0 0,.42 -.42,0" })]
    : [shape("rect", { class: "ring", x: -0.48, y: -0.48, width: 0.96, height: 0.96, rx: 0.16 }), shape("rect", { class: "body", x: -0.4, y: -0.4, width: 0.8, height: 0.8, rx: 0.12 })];
  const out = fresh && belief === 0;
  const made = shape("g", { class: `mark place of-${who} ${step}${asked ? " asked" : ""}${out ? " out" : ""}` }, ...body,
    lettered(marks[goal], who === "ego" ? 0.44 : 0.64, who === "ego" ? 0.34 : 0.42, 0.02));
  if (out) made.append(shape("path", { class: "cross", d: "M-.28-.28l.56.56M-.28.28l.56-.56" }));
  return made;
}

function agent({ who, kind }, sketch, shown) {
  const sign = shown?.signs?.[who] || (who === "ego" ? "E" : "T");
  const made = shape("g", { class: `mark agent-mark ${kind} of-${who}` }, shape("circle", { r: 0.4 }), shape("text", { y: 0.02, "font-size": 0.46 }, sign));
  const held = who === "ego" && kind === "now" && sketch.ego.holding;
  if (held) made.append(shape("g", { class: "in-hand", transform: "translate(.22 .28)" }, shape("rect", { x: -0.26, y: -0.17, width: 0.52, height: 0.34, rx: 0.07 }), lettered(held, 0.46, 0.26)));
  return made;
}

function box(name) {
  return shape("g", { class: "mark landmark" }, shape("path", { d: "M-.17-.16v-.12a.08.08 0 0 1 .08-.08h.18a.08.08 0 0 1 .08.08v.12" }),
    shape("rect", { class: "body", x: -0.42, y: -0.2, width: 0.84, height: 0.62, rx: 0.1 }), lettered(name, 0.72, 0.38, 0.11));
}
