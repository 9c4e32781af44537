// The map. Cells are unit squares; y of the grid goes up, y of the drawing down.
const map = byId("map");
const longest = Math.max(episode.width, episode.height);
// Marks keep a readable size on large maps, where they cover several cells.
const mark = Math.max(1, longest / 40);
const goalMarks = [];
let trails;

const centre = ([x, y]) => [x + 0.5, episode.height - y - 0.5];
const at = (cell) => { const [x, y] = centre(cell); return `translate(${x}px, ${y}px) scale(${mark})`; };

function label(text, width, size, y = 0) {
  // About 0.62 of the size for each letter: long names get smaller letters.
  const fitted = Math.min(size, width / (0.62 * Math.max(text.length, 1)));
  return shape("text", { y, "font-size": fitted.toFixed(3) }, text);
}

function drawMap() {
  const { width, height } = episode;
  const margin = 0.15 * mark;
  const digits = 0.019 * longest; // the coordinates, left of the map and below it, are as large on every map
  const beside = 0.62 * digits * String(height - 1).length + margin;
  map.setAttribute("viewBox", `${-margin - beside} ${-margin} ${width + 2 * margin + beside} ${height + 2 * margin + 1.3 * digits}`);
  map.append(shape("rect", { class: "floor", width, height, "stroke-width": longest / 300 }));
  map.append(coordinates(width, height, digits));
  if (longest <= 60) map.append(gridLines(width, height));
  if (episode.walls) {
    // Where single cells are hardly seen, dark walls would drown the marks.
    const look = longest > 80 ? "walls far" : "walls";
    map.append(shape("image", { class: look, href: episode.walls, width, height, preserveAspectRatio: "none" }));
  }
  trails = ["teammate", "ego"].map((who) => {
    return shape("polyline", { class: `trail of-${who}`, "stroke-width": 0.13 * mark });
  });
  map.append(...trails);
  map.append(shape("g", { id: "landmarks" }, ...episode.landmarks.map(landmarkMark)));
  episode.goals.forEach((goal) => goalMarks.push(goalMark(goal)));
  map.append(shape("g", { id: "goals" }, ...goalMarks));
  const [, x, y] = episode.goals[episode.goal];
  const star = shape("path", { class: "truth", d: starPath(0.36, -0.36, 0.25) }, shape("title", {}, `the ${words.teammate}’s goal`));
  star.style.transform = at([x, y]);
  map.append(star, agentMark("teammate", words.teammateSign), agentMark("ego", words.egoSign));
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

function starPath(x, y, radius) {
  const corners = Array.from({ length: 10 }, (_, k) => {
    const reach = k % 2 ? 0.45 * radius : radius;
    const angle = Math.PI * (k / 5 - 0.5);
    return `${(x + reach * Math.cos(angle)).toFixed(3)} ${(y + reach * Math.sin(angle)).toFixed(3)}`;
  });
  return `M${corners.join("L")}Z`;
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

function showMap(k) {
  const frame = frames[k];
  const belief = beliefOf(frame);
  const asked = new Set(frame.ask || []);
  goalMarks.forEach((made, goal) => showGoal(made, belief && belief[goal], asked.has(goal)));
  // What is asked about lies on top of its neighbours.
  for (const goal of asked) goalMarks[goal].parentNode.append(goalMarks[goal]);
  showAgents(frame);
  ["teammate", "ego"].forEach((who, n) => {
    trails[n].setAttribute("points", frames.slice(0, k + 1).map((f) => centre(f[who]).join(",")).join(" "));
  });
  map.dataset.frame = k;
  byId("map-title").textContent = describeMap(frame);
}

function showGoal(made, p, asked) {
  const out = p === 0;
  made.classList.toggle("out", out);
  made.classList.toggle("asked", asked);
  made.dataset.p = p === null ? "" : p;
  const colour = shade(p === null ? 0.05 : p);
  made.querySelector(".body").style.fill = rgb(colour);
  made.querySelector("text").style.fill = inkOn(colour);
}

function showAgents(frame) {
  const together = frame.teammate.join() === frame.ego.join();
  for (const who of ["teammate", "ego"]) {
    const made = byId(who);
    made.style.transform = at(frame[who]);
    made.dataset.cell = frame[who].join(",");
    // Two agents in one cell stand aside for each other.
    const aside = !together ? 0 : who === "teammate" ? -0.2 : 0.2;
    made.querySelector(".disc-of").setAttribute("transform", `translate(${aside} ${aside}) scale(${together ? 0.75 : 1})`);
  }
  const load = byId("ego").querySelector(".load");
  load.setAttribute("transform", together ? "translate(-.28 .44)" : "translate(.36 .36)");
  load.style.display = frame.carried ? "inline" : "none";
  load.dataset.load = frame.carried;
  if (frame.carried) load.lastChild.replaceWith(label(frame.carried, 0.62, 0.3));
}

function describeMap(frame) {
  const hands = frame.hands ? ` with ${frame.hands}` : "";
  return `Map: ${words.teammate} at ${frame.teammate.join(", ")}; ${words.ego} at ${frame.ego.join(", ")}${hands}`;
}
