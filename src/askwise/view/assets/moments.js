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
