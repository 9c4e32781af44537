// The Explore page: one state (a draft, a method, a selected pair of goals), its history, its address, and the results
// of the studio. There is one request at a time; later changes are requested next.
import { read, written } from "./address.js";
import { ask as request, byId, complain, element } from "./dom.js";
import { SketchBoard } from "./explore-board.js";
import { GraphBoard } from "./explore-graph.js";
import { showAdvice, showBelief, showGoals, showMatrix, showPair, showTools, showWays, showZones } from "./explore-panels.js";
import { blank, blankTools, CURSOR, isWall, kindOf, marks, occupied, placeName, things, thingOf, walled, withAgents, withGoal, withHolding, withNewBox, withNewGoal, withoutBox, withoutGoal, withPrice, withPrior } from "./sketch.js";

const MOST_UNDONE = 500;
const sized = (make, what) => (size) => [`${what}, ${size.join(" x ")}`, () => make(...size)];
const EMPTY = [...[[10, 8], [20, 15], [30, 30]].map(sized(blank, "an empty map")), sized(blankTools, "an empty map for tool fetching")([12, 10])];
const SLOW = 1500; // milliseconds after which the page explains the delay
const tab = crypto.randomUUID();
const past = [];
const future = [];
let state = null; // { sketch, method, pair }
let committed = null; // the same as text, after the last complete change
let shown = null; // the results of the last valid state
let planned = []; // walls that are suggested
let library = []; // number and name of each problem that can be opened here
let remark = ""; // the error in the address; it stays until the next change

const heard = { change, select, say };
const onMap = new SketchBoard(byId("sketch"), heard);
const onGraph = new GraphBoard(byId("sketch"), heard);
let board = onMap; // the one that is drawn on

// An invalid draft (such as a goal behind walls) gets an error text; the request itself succeeds.
async function ask(address, body) {
  const found = await request(address, body);
  if (found.refused) throw Object.assign(new Error(found.refused), { found });
  return found;
}

function say(text) { byId("said").textContent = text; }

// -- changing -----------------------------------------------------------------------------------------------------

function change(sketch, { over = true, said = "" } = {}) {
  planned = [];
  byId("suggested").replaceChildren();
  remark = "";
  state = { ...state, sketch };
  if (over) commit();
  if (said) say(said);
  draw();
  follow();
}

function commit() {
  const text = JSON.stringify(state);
  if (text === committed) return;
  if (committed !== null) past.push(committed);
  if (past.length > MOST_UNDONE) past.shift();
  future.length = 0;
  committed = text;
  writeAddress();
}

async function writeAddress() {
  const fragment = await written(state);
  if (JSON.stringify(state) !== committed) return; // the next change is being written
  try { history.replaceState(null, "", `#${fragment}`); } catch { /* some browsers limit these calls per minute; the next one will succeed */ }
}

function restore(from, to, said) {
  if (!from.length) return;
  to.push(committed);
  committed = from.pop();
  const before = kindOf(state.sketch);
  state = JSON.parse(committed);
  if (kindOf(state.sketch) !== before) shown = null;
  planned = [];
  byId("suggested").replaceChildren();
  select(CURSOR);
  say(said);
  writeAddress();
  draw();
  follow();
}

const undo = () => restore(past, future, "Undone.");
const redo = () => restore(future, past, "Redone.");

// -- showing ------------------------------------------------------------------------------------------------------

function nameOf({ kind, who, goal, box, cell }) {
  const at = `at ${placeName(cell)}`;
  if (kind === "box") return `${shown?.landmark || "toolbox"} ${state.sketch.boxes[box].name}, ${at}`;
  const called = shown?.words?.[who] || (who === "ego" ? "ego agent" : "teammate");
  if (kind === "target") return `${state.sketch.goals[goal].name}: the ${called} goes here, ${at}`;
  const held = kind === "now" && who === "ego" && state.sketch.ego.holding ? `, with the tool of ${state.sketch.ego.holding}` : "";
  return kind === "start" ? `start of the ${called}, ${at}` : `${called} ${at}${held}`;
}

function draw() {
  const { sketch } = state;
  const signs = marks(sketch);
  document.body.dataset.kind = kindOf(sketch);
  board = kindOf(sketch) === "graph" ? onGraph : onMap;
  (board === onMap ? onGraph : onMap).sketch = null;
  board.draw(sketch, shown, { marks: signs, names: nameOf, planned });
  showGoals(sketch, signs, shown, { edit, remove });
  showTools(sketch, shown, { removeBox });
  showWays(board === onGraph ? onGraph.ways() : [], shown, (id) => onGraph.toggle(id));
  fillThings();
  fillGoals("truth", state.pair?.[0]);
  fillGoals("other", state.pair?.[1]);
  byId("method").value = state.method;
  byId("undo").disabled = !past.length;
  byId("redo").disabled = !future.length;
  byId("build").hidden = !planned.length;
}

function show() {
  const { sketch } = state;
  byId("title").textContent = `Explore: ${shown.title}`;
  showAdvice(shown);
  showBelief(sketch, shown);
  showMatrix(sketch, shown, marks(sketch), (truth, other) => look([truth, other]));
  showPair(sketch, shown);
  showZones(sketch, shown);
  byId("legend").replaceChildren(...legend());
}

function legend() {
  const { teammate, ego } = shown.words;
  const rows = [["disc teammate", shown.signs.teammate, `${teammate} now`], ["disc ego", shown.signs.ego, `${ego} now`],
    ["ring", "", "start of an agent that has left it"], ["square", "", `where the ${teammate} goes`], ["for-ego", "", `where the ${ego} goes`],
    ["ringed", "", "in the question"], ["out", "×", "ruled out"], ["tag", "T", `${shown.landmark}, where tools are`], ["block", "", "wall"], ["dashes", "", "closed path"]];
  return rows.filter(([kind]) => suits(kind)).map(([kind, sign, name]) => element("li", {}, element("b", { class: kind, "aria-hidden": "true" }, sign), name));
}

// Whether a row of the legend applies to this kind of draft.
function suits(row) {
  const kinds = { tag: ["tools"], "for-ego": ["map", "graph"], block: ["map", "tools"], dashes: ["graph"] };
  return !kinds[row] || kinds[row].includes(kindOf(state.sketch));
}

function fillThings() {
  const chosen = board.selected;
  const found = things(state.sketch);
  if (chosen !== CURSOR && !found.some((thing) => thing.id === chosen) && thingOf(state.sketch, chosen)) found.push(thingOf(state.sketch, chosen));
  byId("thing").replaceChildren(element("option", { value: CURSOR }, board === onGraph ? "the cursor" : "the cursor: draw walls"), ...found.reverse().map((thing) => element("option", { value: thing.id }, nameOf(thing))));
  byId("thing").value = chosen;
}

function fillGoals(id, chosen) {
  byId(id).replaceChildren(element("option", { value: "" }, "none"), ...state.sketch.goals.map((goal, k) => element("option", { value: k }, goal.name)));
  byId(id).value = chosen ?? "";
}

function select(id) {
  const thing = id === CURSOR ? null : thingOf(state.sketch, id);
  board.selected = thing ? id : CURSOR;
  if (thing) board.to(thing);
  draw();
  say(thing ? `Selected: ${nameOf(thing)}.` : `Cursor at ${board.described()}`);
}

// -- asking the studio --------------------------------------------------------------------------------------------

let busy = false;
let wanted = false;

async function follow() {
  wanted = true;
  document.body.dataset.busy = "yes";
  if (busy) return;
  busy = true;
  const slow = setTimeout(() => { if (busy) byId("why").textContent = "Computing … Compiling a method for the first time may take a minute."; }, SLOW);
  while (wanted) {
    wanted = false;
    await followOnce();
  }
  clearTimeout(slow);
  busy = false;
  document.body.dataset.busy = "no";
}

async function followOnce() {
  try {
    const found = await ask("/api/explore/follow", { tab, ...state });
    if (found.dropped) return;
    shown = found;
    byId("error").textContent = remark;
    document.body.classList.remove("stale");
    draw();
    show();
  } catch (error) {
    if (wanted) return; // the next one may be fine
    complain(byId("error"), error);
    document.body.classList.add("stale");
    // An invalid graph is drawn all the same, so that it can be corrected.
    if (error.found?.grounds) { shown = { ...shown, ...error.found }; draw(); }
  }
}

// -- controls next to the map --------------------------------------------------------------------------------

function look(pair) {
  state = { ...state, pair };
  commit();
  draw();
  follow();
}

function choosePair() {
  const [truth, other] = [byId("truth").value, byId("other").value];
  if (truth !== "" && other !== "" && truth !== other) look([Number(truth), Number(other)]);
  else if (state.pair && (truth === "" || other === "")) look(null);
}

function edit(k, key, input) {
  const value = ["name", "box"].includes(key) ? input.value : key === "price" && input.value === "" ? null : input.valueAsNumber;
  change(withGoal(state.sketch, k, key, value), {});
}

function remove(k) {
  select(CURSOR);
  state = { ...state, pair: null };
  change(withoutGoal(state.sketch, k), { said: `Removed ${state.sketch.goals[k].name}.` });
}

function removeBox(k) {
  select(CURSOR);
  change(withoutBox(state.sketch, k), { said: `Removed ${state.sketch.boxes[k].name}.` });
}

async function suggest() {
  byId("suggested").textContent = "Searching …";
  byId("suggest").disabled = true;
  const before = JSON.stringify(state.sketch);
  try {
    const design = { minimise: byId("minimise").value, most: Number(byId("most").value), budget: Number(byId("budget").value) };
    const found = await ask("/api/explore/suggest", { tab, sketch: state.sketch, design });
    const still = JSON.stringify(state.sketch) === before;
    planned = still ? found.things.filter((cell) => !occupied(state.sketch, cell)) : [];
    byId("suggested").textContent = still ? told(found) : "The map has changed; please search again.";
    draw();
  } catch (error) {
    complain(byId("suggested"), error);
  }
  byId("suggest").disabled = false;
}

function told({ things: cells, inTheWay, before, after, verdict }) {
  if (!cells.length) return `No wall would help (${verdict}).`;
  const where = cells.map((cell) => `(${cell.join(", ")})`).join(", ");
  const blocked = inTheWay.length ? ` An agent is at (${inTheWay[0].join(", ")}) now; move it away first.` : "";
  return `${cells.length === 1 ? "A wall" : "Walls"} at ${where}: expected EDP ${before.edp.toFixed(2)} → ${after.edp.toFixed(2)}, WCD ${before.wcd} → ${after.wcd}; ${verdict}.${blocked}`;
}

function build() {
  const cells = planned.filter((cell) => !isWall(state.sketch, cell));
  change(cells.reduce((sketch, cell) => walled(sketch, cell, true), state.sketch), { said: "Walls added." });
}

async function save() {
  try {
    const { name, text } = await ask("/api/explore/file", { sketch: state.sketch });
    const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
    link.click();
    const away = ["teammate", "ego"].some((who) => String(state.sketch[who].start) !== String(state.sketch[who].now));
    if (away) say("Saved. The file holds the starts of both agents; their present places are only in the address.");
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  } catch (error) {
    complain(byId("error"), error);
  }
}

// Loading a file can be undone like any change.
async function load(problem) {
  byId("error").textContent = "";
  try {
    const found = await ask("/api/explore/read", { problem });
    take({ sketch: found.sketch, method: state?.method || found.methods[0], pair: null });
  } catch (error) {
    complain(byId("error"), error);
  }
}

// Texts about the previous problem, which are removed until the results of the next one arrive.
const TEXTS = ["said", "suggested", "why", "inferred", "facts", "edp", "pair-text", "pair-zones", "zones", "zones-key", "legend"];

function clear() {
  for (const id of TEXTS) byId(id).replaceChildren();
  byId("title").textContent = "Explore";
  byId("headline").textContent = "One moment …";
}

function take(found) {
  state = found;
  planned = [];
  shown = null;
  clear();
  for (const each of [onMap, onGraph]) each.selected = CURSOR;
  commit();
  draw();
  follow();
}

// -- beginning ----------------------------------------------------------------------------------------------------

// Invalid maps are accepted, too: they may be work in progress.
async function fromAddress() {
  try {
    const found = await read(location.hash);
    if (!found) return false;
    const { sketch, method, pair } = found;
    const looked = Array.isArray(pair) && pair.length === 2 && pair.every((k) => sketch.goals[k]) ? pair : null;
    remark = "";
    take({ sketch, method, pair: looked });
    return true;
  } catch (error) {
    remark = error.message;
    byId("error").textContent = remark;
    return state !== null;
  }
}

async function fromLibrary() {
  if (library.length) await load(library[0][0]);
  if (!state) begin(EMPTY[0][1]());
  byId("error").textContent = remark;
}

function begin(sketch) { take({ sketch, method: state?.method || byId("method").options[0].value, pair: null }); }

// Open the chosen problem of the library, or an empty map.
async function choose() {
  remark = "";
  const chosen = Number(byId("from").value);
  byId("from").value = "";
  if (chosen < library.length) await load(library[chosen][0]);
  else begin(EMPTY[chosen - library.length][1]());
}

function listen() {
  byId("from").onchange = choose;
  byId("load").onchange = async ({ target }) => { const [file] = target.files; remark = ""; if (file) await load(await file.text()); target.value = ""; };
  byId("save").onclick = save;
  byId("undo").onclick = undo;
  byId("redo").onclick = redo;
  byId("thing").onchange = () => select(byId("thing").value);
  byId("method").onchange = () => { state = { ...state, method: byId("method").value }; commit(); follow(); };
  byId("back").onclick = () => change(withAgents(state.sketch, "start", "now"), { said: "Both agents are at their starts." });
  byId("here").onclick = () => change(withAgents(state.sketch, "now", "start"), { said: "Both agents now start at their present places." });
  byId("add").onclick = () => change(withNewGoal(state.sketch, board.places()), { said: "Goal added." });
  byId("add-box").onclick = () => change(withNewBox(state.sketch, board.cursor), { said: "Toolbox added." });
  byId("prior").onchange = () => change(withPrior(state.sketch, byId("prior").value, shown?.prior));
  byId("holding").onchange = () => change(withHolding(state.sketch, byId("holding").value || null));
  byId("truth").onchange = choosePair;
  byId("other").onchange = choosePair;
  byId("base").onchange = () => change(withPrice(state.sketch, "base", byId("base").valueAsNumber));
  byId("per-goal").onchange = () => change(withPrice(state.sketch, "per_goal", byId("per-goal").valueAsNumber));
  byId("suggest").onclick = suggest;
  byId("build").onclick = build;
  window.addEventListener("hashchange", fromAddress);
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || !["z", "y"].includes(key) || event.target.matches("input[type=text], input[type=number]")) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo(); else undo();
  });
}

async function start() {
  const { methods, problems, study } = await ask("/api/explore/start");
  byId("study").hidden = !study;
  library = problems;
  const starts = [...library.map(([, name]) => name), ...EMPTY.map(([name]) => name)];
  byId("from").replaceChildren(element("option", { value: "", disabled: true }, "choose …"), ...starts.map((name, k) => element("option", { value: k }, name)));
  byId("from").value = "";
  byId("method").replaceChildren(...methods.map((name) => element("option", { value: name }, name)));
  listen();
  if (!(await fromAddress())) await fromLibrary();
}

start().catch((error) => complain(byId("error"), error));
