// What stands on grounds of any kind, moment by moment: places of goals, agents, the ways they came.
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

// A name that would be too small to read on its mark reaches over the edges.
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
    // Where several goals meet, any of them will do: their probabilities add up.
    const p = belief && Math.min(1, spot.goals.reduce((sum, goal) => sum + belief[goal], 0));
    showSpot(spotMarks[n], p, spot.goals.some((goal) => asked.has(goal)));
  });
  // What is asked about lies on top of its neighbours.
  spotMarks.filter((made) => made.classList.contains("asked")).forEach((made) => made.parentNode.append(made));
  showAgents(frame);
  ["teammate", "ego"].forEach((who, n) => {
    trails[n].setAttribute("d", trailOf(sideOf[who], frames.slice(0, k + 1).map((f) => f[who])));
  });
  map.dataset.frame = k;
  byId("map-title").textContent = `${words.teammate} at ${frame.places[0]}; ${words.ego} at ${frame.places[1]}`;
}

// The way that an agent came; on a graph it bends as the graph's own ways do.
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
    // Two agents in one place stand aside for each other.
    const aside = !together ? 0 : who === "teammate" ? -0.2 : 0.2;
    made.querySelector(".disc-of").setAttribute("transform", `translate(${aside} ${aside}) scale(${together ? 0.75 : 1})`);
  });
  const load = byId("ego").querySelector(".load");
  load.setAttribute("transform", together ? "translate(-.28 .44)" : "translate(.36 .36)");
  load.style.display = frame.carried ? "inline" : "none";
  if (frame.carried) load.lastChild.replaceWith(label(frame.carried, 0.62, 0.3));
}

// In a narrow window two grounds lie one below the other.
narrow.addEventListener("change", () => { drawMap(); show(current); });
