// Floors of any kind: one, or the teammate's and the ego agent's, side by side or one below the other.
const map = byId("map");
const grounds = episode.grounds;
const narrow = window.matchMedia("(max-width: 620px)");
const BETWEEN = 1; // units between two floors
const TITLE = grounds.length > 1 ? 1.1 : 0; // units above each of two floors, for the agent's name
const longest = Math.max(...grounds.map((ground) => Math.max(ground.width, ground.height)));
// Marks keep a readable size on large maps, where they cover several cells.
const mark = Math.max(1, longest / 40);
const last = grounds.length - 1;
const sideOf = { teammate: 0, ego: last };
const isMap = (side) => grounds[side].kind === "map";
let corners; // the upper left corner of each floor
let spotMarks;
let trails;

// The font size next to the floors is a fixed fraction of the drawing's width.
const letters = () => (narrow.matches ? 0.03 * Math.max(...grounds.map((ground) => ground.width)) : 0.019 * grounds.reduce((sum, ground) => sum + ground.width, 0));
const besideOf = (side) => (isMap(side) ? 0.62 * letters() * String(grounds[side].height - 1).length + 0.2 : 0);
const belowOf = (side) => (isMap(side) ? 1.3 * letters() : 0);

// The second floor lies next to the first, or below it in a narrow window.
function arrange() {
  const wide = grounds.map((ground, side) => besideOf(side) + ground.width);
  const left = (side) => besideOf(side) + (narrow.matches ? (Math.max(...wide) - wide[side]) / 2 : 0);
  corners = [[left(0), TITLE]];
  if (last === 0) return;
  corners.push(narrow.matches ? [left(1), TITLE + grounds[0].height + belowOf(0) + BETWEEN + TITLE] : [wide[0] + BETWEEN + left(1), TITLE]);
}

// The centre of a cell or node; y increases upwards on a floor and downwards in the drawing.
function centre([x, y], side = 0) {
  const [left, top] = corners[side];
  const half = isMap(side) ? 0.5 : 0;
  return [left + x + half, top + grounds[side].height - y - half];
}

function at(place, side = 0) {
  const [x, y] = centre(place, side);
  return `translate(${x}px, ${y}px) scale(${mark})`;
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
    // On large maps, dark walls would hide the marks.
    const look = longest > 80 ? "walls far" : "walls";
    parts.push(shape("image", { class: look, href: walls, width, height, preserveAspectRatio: "none" }));
  }
  return parts;
}

// A graph also keeps the points that its edges bend towards, so that trails bend as the edges do.
function graphOf(graph) {
  graph.bends = new Map(graph.ways.flatMap(({ first, second, through }) => {
    const [one, other] = [graph.nodes[first].at, graph.nodes[second].at];
    return [[`${one}|${other}`, through], [`${other}|${one}`, through]];
  }));
  return edgesOf(graph, episode.letters);
}

// Goals, agents and their trails on floors of any kind, moment by moment.
function spotMark(spot) {
  const names = spot.goals.map(goalName).join(", ");
  const who = spot.ego ? words.ego : words.teammate;
  const made = shape("g", { class: `goal ${spot.ego ? "for-ego" : ""} ${spot.shared ? "shared" : ""}`, "data-goal": names },
    shape("title", {}, `${names}: the ${who} goes to ${spot.place}`));
  const body = shape("g", spot.shared ? { transform: "translate(-.36 .36) scale(.4)" } : {}, ...(spot.ego ? diamond() : square()));
  if (spot.label && !spot.shared) body.append(nameOn(spot));
  made.append(body);
  made.style.transform = at(spot.at, spot.ego ? last : 0);
  return made;
}

// A name that would be too small on its mark extends beyond it.
function nameOn(spot) {
  const made = label(spot.label, spot.ego ? 0.62 : 0.72, 0.4);
  if (Number(made.getAttribute("font-size")) < 0.22) {
    made.setAttribute("font-size", 0.26);
    made.setAttribute("class", "over");
  }
  return made;
}

const square = () => [
  shape("rect", { class: "ring", x: -0.54, y: -0.54, width: 1.08, height: 1.08, rx: 0.2 }),
  shape("rect", { class: "body", x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.14 }),
  shape("path", { d: "M-.16-.16l.32.32M-.16.16l.32-.32" }),
];
const diamond = () => [
  shape("polygon", { class: "ring", points: "0,-.64 .64,0 0,.64 -.64,0" }),
  shape("polygon", { class: "body", points: "0,-.5 .5,0 0,.5 -.5,0" }),
  shape("path", { d: "M-.14-.14l.28.28M-.14.14l.28-.28" }),
];

function showMap(k) {
  const frame = frames[k];
  const belief = beliefOf(frame);
  const asked = new Set(frame.ask || []);
  episode.spots.forEach((spot, n) => {
    // The probability of a mark is the sum over its goals.
    const p = belief && Math.min(1, spot.goals.reduce((sum, goal) => sum + belief[goal], 0));
    showSpot(spotMarks[n], p, spot.goals.some((goal) => asked.has(goal)));
  });
  // Goals in question are drawn on top.
  spotMarks.filter((made) => made.classList.contains("asked")).forEach((made) => made.parentNode.append(made));
  showAgents(frame);
  ["teammate", "ego"].forEach((who, n) => {
    trails[n].setAttribute("d", trailOf(sideOf[who], frames.slice(0, k + 1).map((f) => f[who])));
  });
  map.dataset.frame = k;
  byId("map-title").textContent = `${words.teammate} at ${frame.places[0]}; ${words.ego} at ${frame.places[1]}`;
}

// The trail of an agent; on a graph it follows the curves of the edges.
function trailOf(side, places) {
  const bends = grounds[side].bends || new Map();
  const to = (place) => centre(place, side).join(" ");
  return places.map((place, k) => {
    if (k === 0) return `M${to(place)}`;
    const through = bends.get(`${places[k - 1]}|${place}`);
    return through ? `Q${to(through)} ${to(place)}` : `L${to(place)}`;
  }).join("");
}

function showSpot(made, p, asked) {
  made.classList.toggle("out", p === 0);
  made.classList.toggle("asked", asked);
  made.dataset.p = p === null ? "" : p;
  const colour = shade(p === null ? 0.05 : p);
  made.querySelector(".body").style.fill = rgb(colour);
  const text = made.querySelector("text");
  if (text && !text.classList.contains("over")) text.style.fill = inkOn(colour);
}

function showAgents(frame) {
  const together = last === 0 && frame.teammate.join() === frame.ego.join();
  ["teammate", "ego"].forEach((who, n) => {
    const made = byId(who);
    made.style.transform = at(frame[who], sideOf[who]);
    made.dataset.cell = frame[who].join(",");
    made.querySelector("title").textContent = `${words[who]} at ${frame.places[n]}`;
    // Two agents in the same place are drawn off-centre.
    const aside = !together ? 0 : who === "teammate" ? -0.2 : 0.2;
    made.querySelector(".disc-of").setAttribute("transform", `translate(${aside} ${aside}) scale(${together ? 0.75 : 1})`);
  });
  const load = byId("ego").querySelector(".load");
  load.setAttribute("transform", together ? "translate(-.28 .44)" : "translate(.36 .36)");
  load.style.display = frame.carried ? "inline" : "none";
  if (frame.carried) load.lastChild.replaceWith(label(frame.carried, 0.62, 0.3));
}

// Redraw when the arrangement of two floors changes.
narrow.addEventListener("change", () => { drawMap(); show(current); });
