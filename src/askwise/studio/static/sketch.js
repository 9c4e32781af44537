// A draft ("sketch"): walls, both agents, goals, prior and prices. Functions return a changed copy, or the same object if
// nothing changes. An item has a path as its id: "teammate.now", "ego.start", "goals.2.ego.0", "boxes.0.at". It is at a
// place: a cell of a map, [x, y], or a state of a graph, by its name.
export const CURSOR = "cursor";

// The kind of a draft: "map", "tools" (a map with toolboxes) or "graph".
export const kindOf = (sketch) => sketch.kind || "map";
const isGraph = (sketch) => kindOf(sketch) === "graph";

// An empty map: both agents at the bottom, two goals at the top.
export function blank(columns, rows) {
  const [middle, top] = [Math.floor(columns / 2), rows - 1];
  const goal = (name, x) => ({ name, teammate: [[x, top]], ego: [[x, top]], weight: 1, price: null });
  const at = (x) => ({ start: [x, 0], now: [x, 0] });
  return { walls: Array(rows).fill(".".repeat(columns)), teammate: at(middle - 1), ego: at(middle + 1), goals: [goal("left", 0), goal("right", columns - 1)], query_cost: { base: 0.5, per_goal: 0, per_option: null } };
}

// The same for tool fetching: both agents at the bottom, two stations at the top, the toolbox of each next to it.
export function blankTools(columns, rows) {
  const { walls, teammate, ego, query_cost } = blank(columns, rows);
  const station = (name, box, x) => ({ name, teammate: [[x, rows - 1]], ego: [], box, weight: 1 });
  const boxes = [["T1", 0], ["T2", columns - 1]].map(([name, x]) => ({ name, at: [x, Math.floor(rows / 2)] }));
  return { kind: "tools", walls, boxes, teammate, ego: { ...ego, holding: null }, goals: [station("S1", "T1", 0), station("S2", "T2", columns - 1)], prior: null, query_cost };
}

// Whether data from an address can be drawn; the studio checks whether it is valid.
export function isSketch(given) {
  if (!Array.isArray(given?.goals) || given.goals.length > MOST || !["map", "tools", "graph"].includes(kindOf(given))) return false;
  return isGraph(given) ? isGraphSketch(given) : isMapSketch(given);
}

const MOST = 30;

function isMapSketch(given) {
  const lines = given.walls;
  if (!Array.isArray(lines) || !lines.length || lines.length > MOST) return false;
  if (!lines.every((line) => typeof line === "string" && line.length === lines[0].length && /^[#.]{1,30}$/.test(line))) return false;
  const isCell = (cell) => Array.isArray(cell) && cell.length === 2 && cell.every(Number.isInteger) && inside(given, cell);
  const isBox = (box) => typeof box?.name === "string" && isCell(box.at);
  if (kindOf(given) === "tools" && !(Array.isArray(given.boxes) && given.boxes.length <= MOST && given.boxes.every(isBox))) return false;
  return areThings(given, isCell);
}

function isGraphSketch(given) {
  const isState = (state) => ["string", "number"].includes(typeof state) || (Array.isArray(state) && state.length === 2 && state.every(Number.isInteger));
  const isEdge = (edge) => Array.isArray(edge) && edge.length === 3 && isState(edge[0]) && typeof edge[1] === "string" && isState(edge[2]);
  const isSide = (side) => Array.isArray(side?.edges) && side.edges.length <= 1000 && side.edges.every(isEdge) && (side.closed === undefined || (Array.isArray(side.closed) && side.closed.every(Number.isInteger)));
  return isSide(given.teammate) && isSide(given.ego) && areThings(given, isState);
}

function areThings(given, isPlace) {
  const arePlaces = (places) => Array.isArray(places) && places.length <= MOST * MOST && places.every(isPlace);
  const isAgent = (agent) => isPlace(agent?.start) && isPlace(agent?.now);
  const isGoal = (goal) => typeof goal?.name === "string" && arePlaces(goal.teammate) && arePlaces(goal.ego);
  return isAgent(given.teammate) && isAgent(given.ego) && given.goals.every(isGoal);
}

export const width = (sketch) => sketch.walls[0].length;
export const height = (sketch) => sketch.walls.length;
export const inside = (sketch, [x, y]) => x >= 0 && y >= 0 && x < width(sketch) && y < height(sketch);
export const isWall = (sketch, [x, y]) => sketch.walls[height(sketch) - 1 - y][x] === "#";
export const same = (one, other) => (Array.isArray(one) && Array.isArray(other) ? one[0] === other[0] && one[1] === other[1] : one === other);
export const placeName = (place) => (Array.isArray(place) ? place.join(", ") : String(place));
const copied = (sketch) => JSON.parse(JSON.stringify(sketch));

// All items with their places, the topmost last. An agent at its start is one item.
export function things(sketch) {
  const found = (sketch.boxes || []).map(({ at }, k) => ({ id: `boxes.${k}.at`, kind: "box", box: k, cell: at }));
  for (const who of ["ego", "teammate"]) {
    sketch.goals.forEach((goal, k) => goal[who].forEach((cell, n) => found.push({ id: `goals.${k}.${who}.${n}`, kind: "target", who, goal: k, cell })));
  }
  for (const who of ["ego", "teammate"]) {
    const { start, now } = sketch[who];
    if (!same(start, now)) found.push({ id: `${who}.start`, kind: "start", who, cell: start });
    found.push({ id: `${who}.now`, kind: "now", who, cell: now });
  }
  return found;
}

export const thingAt = (sketch, cell) => things(sketch).reverse().find((thing) => same(thing.cell, cell));

// An item by its id, also the start of an agent that is there.
export function thingOf(sketch, id) {
  const path = id.split(".");
  const cell = path.reduce((held, key) => held?.[key], sketch);
  if (cell === undefined || cell === null) return null;
  if (path[0] === "boxes") return { id, kind: "box", box: Number(path[1]), cell };
  return path[0] === "goals" ? { id, kind: "target", who: path[2], goal: Number(path[1]), cell } : { id, kind: path[1], who: path[0], cell };
}

export function moved(sketch, id, cell) {
  if (!isGraph(sketch) && (!inside(sketch, cell) || isWall(sketch, cell))) return sketch;
  const path = id.split(".");
  const made = copied(sketch);
  const holder = path.slice(0, -1).reduce((held, key) => held[key], made);
  const last = path[path.length - 1];
  if (same(holder[last], cell)) return sketch;
  holder[last] = cell;
  return made;
}

export function walled(sketch, cell, wall) {
  if (!inside(sketch, cell) || isWall(sketch, cell) === wall || (wall && occupied(sketch, cell))) return sketch;
  const made = copied(sketch);
  const row = height(sketch) - 1 - cell[1];
  made.walls[row] = made.walls[row].slice(0, cell[0]) + (wall ? "#" : ".") + made.walls[row].slice(cell[0] + 1);
  return made;
}

export const occupied = (sketch, cell) => things(sketch).some((thing) => same(thing.cell, cell));

export function withAgents(sketch, from, to) {
  const made = copied(sketch);
  for (const who of ["teammate", "ego"]) made[who][to] = made[who][from];
  if (from === "start" && made.ego.holding) made.ego.holding = null; // agents start with empty hands
  return made;
}

export function withGoal(sketch, k, key, value) {
  const made = copied(sketch);
  const old = made.goals[k].name;
  made.goals[k][key] = value;
  if (key === "name" && made.ego.holding === old) made.ego.holding = value;
  if (key === "name" && made.groups) for (const names of Object.values(made.groups)) names.forEach((name, n) => { if (name === old) names[n] = value; });
  return made;
}

export function withoutGoal(sketch, k) {
  const made = copied(sketch);
  const [{ name }] = made.goals.splice(k, 1);
  if (made.ego.holding === name) made.ego.holding = null;
  for (const [group, names] of Object.entries(made.groups || {})) {
    made.groups[group] = names.filter((each) => each !== name);
    if (!made.groups[group].length) delete made.groups[group];
  }
  return made;
}

export function withPrice(sketch, key, value) {
  const made = copied(sketch);
  made.query_cost = { ...made.query_cost, [key]: value };
  return made;
}

// The nearest free cell; null if there is none.
function freeNear(sketch, [x, y]) {
  let best = null;
  for (let v = 0; v < height(sketch); v++) {
    for (let u = 0; u < width(sketch); u++) {
      const far = Math.abs(u - x) + Math.abs(v - y);
      if (!isWall(sketch, [u, v]) && !occupied(sketch, [u, v]) && (!best || far < best.far)) best = { far, cell: [u, v] };
    }
  }
  return best?.cell ?? null;
}

function freeName(stem, named) {
  const names = new Set(named.map(({ name }) => name));
  let n = named.length + 1;
  while (names.has(`${stem}${n}`)) n += 1;
  return `${stem}${n}`;
}

// A new goal: on a map on the free cell nearest to a place, the same for both agents; on graphs at a state of each.
export function withNewGoal(sketch, places) {
  const made = copied(sketch);
  if (isGraph(sketch)) {
    made.goals.push({ name: freeName("goal ", sketch.goals), teammate: [places.teammate], ego: [places.ego], weight: 1, price: null });
    return made;
  }
  const cell = freeNear(sketch, places);
  if (!cell) return sketch;
  if (made.boxes) made.goals.push({ name: freeName("S", sketch.goals), teammate: [cell], ego: [], box: sketch.boxes[0].name, weight: 1 });
  else made.goals.push({ name: freeName("goal ", sketch.goals), teammate: [cell], ego: [[...cell]], weight: 1, price: null });
  return made;
}

// -- tool fetching ------------------------------------------------------------------------------------------------

export function withNewBox(sketch, near) {
  const cell = freeNear(sketch, near);
  if (!cell) return sketch;
  const made = copied(sketch);
  made.boxes.push({ name: freeName("T", sketch.boxes), at: cell });
  return made;
}

export const usesBox = (sketch, name) => sketch.goals.some((goal) => goal.box === name);

export function withoutBox(sketch, k) {
  const made = copied(sketch);
  made.boxes.splice(k, 1);
  return made;
}

// With a weight for each station, or, if a kind is given, with a prior of that kind.
export function withPrior(sketch, kind, shares) {
  const made = copied(sketch);
  made.prior = kind ? { kind, temperature: sketch.prior?.temperature ?? 1 } : null;
  if (!kind) made.goals.forEach((goal, k) => { goal.weight ??= shares?.[k] ?? 1; });
  return made;
}

export function withHolding(sketch, name) {
  const made = copied(sketch);
  made.ego.holding = name;
  return made;
}

// -- graphs -------------------------------------------------------------------------------------------------------

// The numbers of the edges that join two states, in either direction.
const joining = (side, one, other) => side.edges.flatMap(([from, , to], k) => ((same(from, one) && same(to, other)) || (same(from, other) && same(to, one)) ? [k] : []));

export const isClosed = (side, one, other) => joining(side, one, other).every((k) => (side.closed || []).includes(k));

// With the path between two states of these sides closed or reopened.
export function withWay(sketch, sides, one, other, closed) {
  const made = copied(sketch);
  for (const who of sides) {
    const edges = joining(made[who], one, other);
    const kept = (made[who].closed || []).filter((k) => !edges.includes(k));
    made[who].closed = closed ? [...kept, ...edges].sort((a, b) => a - b) : kept;
  }
  return made;
}

// A short mark for each goal: a short name itself, the beginning of a longer one if no other begins so, else its number.
export function marks(sketch) {
  const names = sketch.goals.map((goal) => goal.name);
  return names.map((name, k) => {
    if (name.trim() && [...name].length <= 3) return name;
    const mark = [...name].slice(0, 2).join("");
    const alone = names.every((other, n) => n === k || [...other].slice(0, 2).join("").toLowerCase() !== mark.toLowerCase());
    return alone && mark.trim() ? mark : String(k + 1);
  });
}
