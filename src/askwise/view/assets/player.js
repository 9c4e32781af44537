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
  // A screen reader should not be made to talk over every step of an animation.
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
  // A click with the mouse leaves the focus where it was, so that the space bar goes on to play and pause.
  byId("controls").addEventListener("mousedown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
  dark.addEventListener("change", () => { showRamp(); show(current); });
  // page.html#12 opens at step 12.
  show((Number.parseInt(location.hash.slice(1), 10) || 1) - 1);
}

start();
