// Grounds of any kind: one, or the teammate's and the ego agent's, side by side or one below the other.
const map = byId("map");
const grounds = episode.grounds;
const narrow = window.matchMedia("(max-width: 620px)");
const BETWEEN = 1; // units between two grounds
const TITLE = grounds.length > 1 ? 1.1 : 0; // units above each of two for whose it is
const longest = Math.max(...grounds.map((ground) => Math.max(ground.width, ground.height)));
// Marks keep a readable size on large maps, where they cover several cells.
const mark = Math.max(1, longest / 40);
const last = grounds.length - 1;
const sideOf = { teammate: 0, ego: last };
const isMap = (side) => grounds[side].kind === "map";
let corners; // the upper left corner of each ground
let spotMarks;
let trails;

// Letters beside the grounds are as large in every window: a share of the whole drawing's width.
const letters = () => (narrow.matches ? 0.03 * Math.max(...grounds.map((ground) => ground.width)) : 0.019 * grounds.reduce((sum, ground) => sum + ground.width, 0));
const besideOf = (side) => (isMap(side) ? 0.62 * letters() * String(grounds[side].height - 1).length + 0.2 : 0);
const belowOf = (side) => (isMap(side) ? 1.3 * letters() : 0);

// Where the second ground lies: beside the first, or below it in a narrow window.
function arrange() {
  const wide = grounds.map((ground, side) => besideOf(side) + ground.width);
  const left = (side) => besideOf(side) + (narrow.matches ? (Math.max(...wide) - wide[side]) / 2 : 0);
  corners = [[left(0), TITLE]];
  if (last === 0) return;
  corners.push(narrow.matches ? [left(1), TITLE + grounds[0].height + belowOf(0) + BETWEEN + TITLE] : [wide[0] + BETWEEN + left(1), TITLE]);
}

// A cell of a map by its centre, a node of a graph by its own place; y of a ground goes up, y of the drawing down.
function centre([x, y], side = 0) {
  const [left, top] = corners[side];
  const half = isMap(side) ? 0.5 : 0;
  return [left + x + half, top + grounds[side].height - y - half];
}

function at(place, side = 0) {
  const [x, y] = centre(place, side);
  return `translate(${x}px, ${y}px) scale(${mark})`;
}

function label(text, width, size, y = 0) {
  // About 0.62 of the size for each letter: long names get smaller letters.
  const fitted = Math.min(size, width / (0.62 * Math.max(text.length, 1)));
  return shape("text", { y, "font-size": fitted.toFixed(3) }, text);
}

function drawMap() {
  arrange();
  const margin = 0.3 * mark;
  const right = Math.max(...grounds.map((ground, side) => corners[side][0] + ground.width));
  const bottom = Math.max(...grounds.map((ground, side) => corners[side][1] + ground.height + belowOf(side)));
  map.setAttribute("viewBox", `${-margin} ${-margin} ${right + 2 * margin} ${bottom + 2 * margin}`);
  map.replaceChildren(byId("map-title"), ...grounds.map(groundOf));
  trails = ["teammate", "ego"].map((who) => shape("path", { class: `trail of-${who}`, "stroke-width": 0.13 * mark }));
  spotMarks = episode.spots.map(spotMark);
  map.append(...trails, shape("g", { id: "landmarks" }, ...episode.landmarks.map(landmarkMark)));
  map.append(shape("g", { id: "goals" }, ...spotMarks));
  episode.spots.filter((spot) => spot.goals.includes(episode.goal) && (!spot.ego || last === 1)).forEach((spot) => {
    const star = shape("path", { class: "truth", d: starPath(0.36, -0.36, 0.25) }, shape("title", {}, `the ${words.teammate}’s goal`));
    star.style.transform = at(spot.at, spot.ego ? last : 0);
    map.append(star);
  });
  map.append(agentMark("teammate", words.teammateSign), agentMark("ego", words.egoSign));
}

function groundOf(ground, side) {
  const [left, top] = corners[side];
  const made = shape("g", { class: `ground ${ground.kind}`, transform: `translate(${left} ${top})` });
  if (last === 1) {
    made.append(shape("text", { class: "whose", x: ground.width / 2, y: -0.5, "font-size": (1.3 * letters()).toFixed(3) }, words[side === 0 ? "teammate" : "ego"]));
  }
  made.append(...(isMap(side) ? floorOf(ground) : graphOf(ground)));
  return made;
}

function floorOf({ width, height, walls }) {
  const parts = [shape("rect", { class: "floor", width, height, "stroke-width": longest / 300 })];
  const numbers = coordinates(width, height, letters());
  numbers.removeAttribute("id"); // there may be two of them
  numbers.setAttribute("class", "coordinates");
  parts.push(numbers);
  if (longest <= 60) parts.push(gridLines(width, height));
  if (walls) {
    // Where single cells are hardly seen, dark walls would drown the marks.
    const look = longest > 80 ? "walls far" : "walls";
    parts.push(shape("image", { class: look, href: walls, width, height, preserveAspectRatio: "none" }));
  }
  return parts;
}
