// The cards next to the map: this step, cost, zones, belief.
const ZONE_STEPS = 40;

function showFacts() {
  const facts = [["", episode.size], ["method", episode.method], ["teammate", episode.teammate],
    ["goal", goalName(episode.goal)]];
  if (episode.seed !== null) facts.push(["seed", episode.seed]);
  byId("facts").append(...facts.map(([what, value]) => element("li", {}, what ? `${what} ` : "", element("b", {}, value))));
}

function showNow(k) {
  const frame = frames[k];
  const ended = episode.finished ? `Done after ${count(nSteps, "step")}` : `Stopped after ${count(nSteps, "step")}`;
  byId("step").textContent = k < nSteps ? `Step ${k + 1} of ${nSteps}` : ended;
  byId("happening").replaceChildren(...(k === nSteps ? ending() : frame.ask ? question(frame) : moves(frame)));
}

function line(who, text) {
  const letter = who === "teammate" ? words.teammateSign : words.egoSign;
  return element("p", {}, element("span", { class: `dot ${who}`, "aria-label": words[who] }, letter), element("span", {}, text));
}

function moves(frame) {
  // "NORTH: optimal for all ..." says the move and the reason in one sentence.
  const hands = frame.hands ? [element("p", { class: "note" }, `The ${words.ego} has ${frame.hands}.`)] : [];
  return [line("ego", frame.why || frame.does), ...worth(frame), line("teammate", frame.teammateDoes), ...gate(frame),
    ...hands];
}

function question(frame) {
  return [line("ego", frame.why || "asks"), element("div", { class: "question", id: "question" }, frame.asks),
    element("p", { class: "answer", id: "answer" }, `${frame.reply}.`), ...worth(frame), ...gate(frame),
    element("p", { class: "note" }, `The question costs ${number(frame.price)}; no agent moves.`)];
}

// Whether a question was allowed.
function gate(frame) {
  return frame.gate ? [element("p", { class: "note", id: "gate" }, `Gate ${frame.gate}.`)] : [];
}

// The value and the price of a question that was asked or considered: two bars on the same scale.
function worth(frame) {
  if (frame.value === undefined || frame.price === undefined) return [];
  const scale = Math.max(frame.value, frame.price) || 1;
  const row = (kind, what, amount) => {
    const fill = element("div", { class: `fill ${kind}` });
    fill.style.width = `${(100 * Math.max(amount, 0)) / scale}%`;
    return [element("dt", {}, what), element("dd", { class: "rail" }, fill), element("dd", { class: "amount" }, hundredths(amount))];
  };
  const net = frame.value - frame.price;
  const facts = [["net", `${hundredths(net)}, ${net > 0 ? "so it is asked" : "so it is not asked"}`]];
  if (frame.runnerUp) facts.push(["runner-up", `${frame.runnerUp[0]}: net ${hundredths(frame.runnerUp[1])}`]);
  if (frame.verdict) facts.push(["verdict", frame.verdict]);
  const said = facts.map(([what, text]) => [element("dt", {}, what), element("dd", { class: "wide" }, text)]);
  return [element("dl", { id: "worth" }, ...row("saves", "expected to save", frame.value), ...row("costs", "costs", frame.price), ...said.flat())];
}

function ending() {
  const asked = frames.filter((frame) => frame.ask);
  const price = asked.reduce((sum, frame) => sum + frame.price, 0);
  const said = asked.length ? `${count(asked.length, "question")}, for ${number(price)}.` : "No question was asked.";
  const done = episode.finished ? words.achieved : "The work was not finished.";
  return [element("p", {}, done), element("p", {}, said)];
}

function showCost(k) {
  const total = frames[nSteps].cost;
  const scale = Math.max(total, episode.optimal) || 1;
  const asking = frames.slice(0, k).reduce((sum, frame) => sum + (frame.ask ? frame.price : 0), 0);
  byId("cost").textContent = number(frames[k].cost);
  byId("when").textContent = k === nSteps ? "in all" : "before this step";
  byId("optimal").textContent = number(episode.optimal);
  byId("moves").style.width = `${(100 * (frames[k].cost - asking)) / scale}%`;
  byId("asking").style.width = `${(100 * asking) / scale}%`;
  byId("best").style.left = `calc(${(100 * episode.optimal) / scale}% - 1px)`;
  const end = `Marginal cost of not knowing the goal: ${number(total - episode.optimal)}`;
  byId("cost-note").textContent = k === nSteps && episode.finished ? end : `steps ${number(frames[k].cost - asking)}, questions ${number(asking)}`;
}

// The pairs of goals of a frame; null in JSON means an infinite step.
function zonesOf(frame) {
  const pairs = episode.zones[frame.zones];
  return pairs && pairs.map(([first, second, ...ends]) => [first, second, ...ends.map((step) => step ?? Infinity)]);
}

function showZones(k) {
  const holder = byId("zones");
  const pairs = zonesOf(frames[k]);
  if (!episode.zonesKnown || !pairs || !pairs.length) {
    const reason = episode.zonesKnown ? "Only one goal is left." : "Omitted: this problem is too large to compute zones for every step.";
    holder.replaceChildren(element("p", { class: "note" }, frames[k].belief === undefined ? "This method shows no belief." : reason));
    return;
  }
  const farthest = Math.max(0, ...pairs.flatMap(([, , ...ends]) => ends.filter(Number.isFinite)));
  const steps = Math.min(Math.max(farthest + 1, 8), ZONE_STEPS);
  holder.replaceChildren(...pairs.map((pair) => zoneRow(pair, steps)), zoneAxis(steps));
}

function zoneRow([first, second, informed, branching], steps) {
  const pays = branching <= informed;
  const bar = (kind, from, to, y) => {
    const end = Math.min(to, steps);
    return end < from ? "" : shape("rect", { class: `bar-${kind}`, x: from - 1, width: end - from + 1, y, height: 6 });
  };
  const rest = [1, 9, 17].map((y) => shape("rect", { class: "bar-rest", width: steps, y, height: 6 }));
  const drawing = shape("svg", { viewBox: `0 0 ${steps} 24`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...rest,
    bar("i", 1, informed, 1), bar("b", branching, Infinity, 9), bar("q", branching, informed, 17));
  const until = informed === Infinity ? `from step ${branching}` : `steps ${branching}–${informed}`;
  const span = branching === informed ? `step ${informed}` : until;
  const names = `${goalName(first)}, ${goalName(second)}`;
  return element("div", { class: pays ? "pair pays" : "pair", "data-informed": informed, "data-branching": branching },
    element("span", { class: "names", title: names }, names), drawing, element("span", { class: "says" }, pays ? span : "—"));
}

function zoneAxis(steps) {
  const apart = steps <= 8 ? 1 : steps <= 10 ? 2 : 5;
  const row = element("div", { class: "pair" }, element("span", { class: "says" }, "steps from now"));
  const holder = element("div", { class: "axis", style: "position:relative;height:14px" });
  for (let t = 1; t <= steps; t += 1) {
    if (t !== 1 && (t % apart || t === 2 && apart === 2)) continue; // avoid overlapping numbers
    holder.append(element("span", { class: "note", style: `position:absolute;transform:translateX(-50%);left:${(100 * (t - 0.5)) / steps}%` }, String(t)));
  }
  row.append(holder, element("span", { class: "says" }, "Z", element("sub", {}, "Q")));
  return row;
}

function showBelief(k) {
  const frame = frames[k];
  const belief = beliefOf(frame);
  const holder = byId("belief");
  if (belief === null) {
    byId("possible").textContent = "";
    holder.replaceChildren(element("li", { class: "note" }, "This method shows no belief."));
    return;
  }
  const possible = belief.filter((p) => p > 0).length;
  byId("possible").textContent = `${possible} of ${belief.length} possible${k === nSteps ? "" : " before this step"}`;
  const asked = new Set(frame.ask || []);
  // Array.sort is stable: equally likely goals keep their order.
  const order = belief.map((_, goal) => goal).sort((a, b) => belief[b] - belief[a]);
  const scrolled = holder.scrollTop;
  holder.replaceChildren(...order.map((goal) => {
    return beliefRow(goal, belief[goal], asked.has(goal));
  }));
  holder.scrollTop = scrolled;
}

// The bar is relative to the likeliest goal, the number and the colour are not.
function beliefRow(goal, p, asked) {
  const [name, , , landmark] = episode.goals[goal];
  const beside = landmark === null ? "" : episode.landmarks[landmark][0];
  const truth = goal === episode.goal;
  const sign = asked ? "?" : truth ? "★" : "";
  const row = element("li", { class: `${p === 0 ? "out" : ""} ${asked ? "asked" : ""}`, "data-goal": name, "data-p": p },
    element("span", { class: asked ? "sign" : "sign star", title: asked ? "in the question" : truth ? "the goal" : "" }, sign),
    element("span", { class: "name", title: name }, name),
    element("span", { class: "of", title: beside && `its ${words.load} is in ${beside}` }, beside),
    element("span", { class: "rail" }, element("div", { class: "fill" })),
    element("span", { class: "share" }, p === 0 ? "out" : percent(p)));
  const fill = row.querySelector(".fill");
  fill.style.width = `${100 * p}%`;
  fill.style.background = rgb(shade(p));
  return row;
}

// Playing, pausing, stepping, scrubbing.
const STEP_LASTS = 600;
const QUESTION_LASTS = 2400;
let current = 0;
let timer = null;

function show(k) {
  current = Math.min(Math.max(k, 0), nSteps);
  showMap(current);
  showNow(current);
  showCost(current);
  showZones(current);
  showBelief(current);
  byId("scrub").value = current;
  byId("scrub").setAttribute("aria-valuetext", current < nSteps ? `step ${current + 1} of ${nSteps}` : "the end");
  byId("first").disabled = byId("previous").disabled = current === 0;
  byId("last").disabled = byId("next").disabled = current === nSteps;
}

const playing = () => timer !== null;

function pause() {
  clearTimeout(timer);
  timer = null;
  showPlaying();
}

function play() {
  if (current === nSteps) show(0);
  schedule();
  showPlaying();
}

function schedule() {
  const lasts = frames[current].ask ? QUESTION_LASTS : STEP_LASTS;
  timer = setTimeout(() => {
    show(current + 1);
    if (current < nSteps) schedule(); else pause();
  }, lasts / Number(byId("speed").value));
}

function showPlaying() {
  byId("play").textContent = playing() ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(playing()));
  // A screen reader should not announce every step of an animation.
  byId("now").setAttribute("aria-live", playing() ? "off" : "polite");
}

const toggle = () => (playing() ? pause() : play());

function go(k) {
  pause();
  show(k);
}

const KEYS = {
  ArrowRight: () => go(current + 1), ArrowLeft: () => go(current - 1),
  Home: () => go(0), End: () => go(nSteps), " ": toggle,
};

function onKey(event) {
  const inside = event.target.tagName;
  const pressesButton = inside === "BUTTON" && event.key === " ";
  if (!(event.key in KEYS) || inside === "SELECT" || pressesButton || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  KEYS[event.key]();
}

function showTicks() {
  byId("ticks").append(...frames.flatMap((frame, k) => {
    return frame.ask ? [element("span", { style: `left:${(100 * k) / nSteps}%`, title: "a question" })] : [];
  }));
}

function showRamp() {
  const stops = Array.from({ length: 11 }, (_, k) => rgb(shade((k / 10) ** 2)));
  byId("ramp").style.background = `linear-gradient(to right, ${stops.join(",")})`;
}

function start() {
  showFacts();
  drawMap();
  showRamp();
  showTicks();
  byId("scrub").max = nSteps;
  byId("first").onclick = () => go(0);
  byId("previous").onclick = () => go(current - 1);
  byId("next").onclick = () => go(current + 1);
  byId("last").onclick = () => go(nSteps);
  byId("play").onclick = toggle;
  byId("scrub").oninput = (event) => go(Number(event.target.value));
  document.addEventListener("keydown", onKey);
  // A mouse click does not move the focus, so that the space bar still plays and pauses.
  byId("controls").addEventListener("mousedown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
  dark.addEventListener("change", () => { showRamp(); show(current); });
  // page.html#12 opens at step 12.
  show((Number.parseInt(location.hash.slice(1), 10) || 1) - 1);
}

start();
