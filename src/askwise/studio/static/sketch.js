// A sketch: walls, both agents, goals, prior and prices. Functions return a changed copy, or the same one if nothing can
// change. A thing is named by where it is kept: "teammate.now", "ego.start", "goals.2.ego.0".
export const CURSOR = "cursor";

// An empty map to begin with: both agents at the bottom, two goals at the top.
export function blank(columns, rows) {
  const [middle, top] = [Math.floor(columns / 2), rows - 1];
  const goal = (name, x) => ({ name, teammate: [[x, top]], ego: [[x, top]], weight: 1, price: null });
  const at = (x) => ({ start: [x, 0], now: [x, 0] });
  return { walls: Array(rows).fill(".".repeat(columns)), teammate: at(middle - 1), ego: at(middle + 1), goals: [goal("left", 0), goal("right", columns - 1)], query_cost: { base: 0.5, per_goal: 0, per_option: null } };
}

// Whether something from an address can be drawn at all; whether it makes sense is for the studio to say.
export function isSketch(given) {
  const side = 30;
  const lines = given?.walls;
  if (!Array.isArray(lines) || !lines.length || lines.length > side) return false;
  if (!lines.every((line) => typeof line === "string" && line.length === lines[0].length && /^[#.]{1,30}$/.test(line))) return false;
  const isCell = (cell) => Array.isArray(cell) && cell.length === 2 && cell.every(Number.isInteger) && inside(given, cell);
  const areCells = (cells) => Array.isArray(cells) && cells.length <= side * side && cells.every(isCell);
  const isAgent = (agent) => isCell(agent?.start) && isCell(agent?.now);
  const isGoal = (goal) => typeof goal?.name === "string" && areCells(goal.teammate) && areCells(goal.ego);
  return isAgent(given.teammate) && isAgent(given.ego) && Array.isArray(given.goals) && given.goals.length <= side && given.goals.every(isGoal);
}

export const width = (sketch) => sketch.walls[0].length;
export const height = (sketch) => sketch.walls.length;
export const inside = (sketch, [x, y]) => x >= 0 && y >= 0 && x < width(sketch) && y < height(sketch);
export const isWall = (sketch, [x, y]) => sketch.walls[height(sketch) - 1 - y][x] === "#";
export const same = (one, other) => one[0] === other[0] && one[1] === other[1];
const copied = (sketch) => JSON.parse(JSON.stringify(sketch));

// All things with their cells, those that are on top last. An agent that is at its start is one thing.
export function things(sketch) {
  const found = [];
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

// A thing by its name, also the start of an agent that is at it.
export function thingOf(sketch, id) {
  const path = id.split(".");
  const cell = path.reduce((held, key) => held?.[key], sketch);
  if (!cell) return null;
  return path[0] === "goals" ? { id, kind: "target", who: path[2], goal: Number(path[1]), cell } : { id, kind: path[1], who: path[0], cell };
}

export function moved(sketch, id, cell) {
  if (!inside(sketch, cell) || isWall(sketch, cell)) return sketch;
  const path = id.split(".");
  const made = copied(sketch);
  const holder = path.slice(0, -1).reduce((held, key) => held[key], made);
  if (same(holder[path[path.length - 1]], cell)) return sketch;
  holder[path[path.length - 1]] = [...cell];
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
  for (const who of ["teammate", "ego"]) made[who][to] = [...made[who][from]];
  return made;
}

export function withGoal(sketch, k, key, value) {
  const made = copied(sketch);
  const old = made.goals[k].name;
  made.goals[k][key] = value;
  if (key === "name" && made.groups) for (const names of Object.values(made.groups)) names.forEach((name, n) => { if (name === old) names[n] = value; });
  return made;
}

export function withoutGoal(sketch, k) {
  const made = copied(sketch);
  const [{ name }] = made.goals.splice(k, 1);
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

// A new goal on the free cell nearest to a cell, the same for both agents.
export function withNewGoal(sketch, [x, y]) {
  let best = null;
  for (let v = 0; v < height(sketch); v++) {
    for (let u = 0; u < width(sketch); u++) {
      const far = Math.abs(u - x) + Math.abs(v - y);
      if (!isWall(sketch, [u, v]) && !occupied(sketch, [u, v]) && (!best || far < best.far)) best = { far, cell: [u, v] };
    }
  }
  if (!best) return sketch;
  const names = new Set(sketch.goals.map((goal) => goal.name));
  let n = sketch.goals.length + 1;
  while (names.has(`goal ${n}`)) n += 1;
  const made = copied(sketch);
  made.goals.push({ name: `goal ${n}`, teammate: [best.cell], ego: [[...best.cell]], weight: 1, price: null });
  return made;
}

// A short mark for each goal: the beginning of its name if no other begins so, else its number.
export function marks(sketch) {
  const names = sketch.goals.map((goal) => goal.name);
  return names.map((name, k) => {
    const mark = [...name].slice(0, 2).join("");
    const alone = names.every((other, n) => n === k || [...other].slice(0, 2).join("").toLowerCase() !== mark.toLowerCase());
    return alone && mark.trim() ? mark : String(k + 1);
  });
}
