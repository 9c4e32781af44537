// The map. Cells are unit squares; y increases upwards on the map and downwards in the drawing.
const map = byId("map");
const longest = Math.max(episode.width, episode.height);
// Marks keep a readable size on large maps, where they cover several cells.
const mark = Math.max(1, longest / 40);
const goalMarks = [];
let trails;

const centre = ([x, y]) => [x + 0.5, episode.height - y - 0.5];
const at = (cell) => { const [x, y] = centre(cell); return `translate(${x}px, ${y}px) scale(${mark})`; };

function drawMap() {
  const { width, height } = episode;
  const margin = 0.15 * mark;
  const digits = 0.019 * longest; // font size of the coordinates, a fixed fraction of the map
  const beside = 0.62 * digits * String(height - 1).length + margin;
  map.setAttribute("viewBox", `${-margin - beside} ${-margin} ${width + 2 * margin + beside} ${height + 2 * margin + 1.3 * digits}`);
  map.append(shape("rect", { class: "floor", width, height, "stroke-width": longest / 300 }));
  map.append(coordinates(width, height, digits));
  if (longest <= 60) map.append(gridLines(width, height));
  if (episode.walls) {
    // On large maps, dark walls would hide the marks.
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

function showMap(k) {
  const frame = frames[k];
  const belief = beliefOf(frame);
  const asked = new Set(frame.ask || []);
  goalMarks.forEach((made, goal) => showGoal(made, belief && belief[goal], asked.has(goal)));
  // Goals in question are drawn on top.
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
    // Two agents in the same cell are drawn off-centre.
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
