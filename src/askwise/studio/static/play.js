// A round as one person plays it. The page shows the studio's messages and sends the person's inputs.
import { ask, byId, complain, count, element, number, percent } from "./dom.js";
import { Board, legend } from "./board.js";
import { Line } from "./line.js";
import { directionOf, keysOf, moveTowards } from "./keys.js";
import { showReview } from "./review.js";

const name = location.pathname.split("/").pop();
let board = null; // the drawing
let facts = null; // what does not change
let state = null;
let participant = false; // in a study, another page follows
let home = "/take"; // the page that follows the round
let held = null; // with a clock: the last move that was pressed
let timer = null;
const picked = new Set(); // goals chosen for a question

const own = () => state[facts.role].at;
const moving = () => state !== null && state.phase === "move";

function hear(message) {
  byId("refused").textContent = message.type === "refused" ? message.why : "";
  if (message.type === "failed") return showFailure(message.why);
  if (message.type === "board") {
    ({ participant, home } = message);
    begin(message);
  }
  if (message.state) show(message.state);
}

function begin({ board: known, trails }) {
  facts = known;
  for (const each of document.querySelectorAll("header nav, #pace")) each.hidden = participant;
  const onGoal = facts.role === "ego" ? pick : null;
  board = new Board(byId("board"), facts, { onGoal, onPlace: clickedPlace });
  board.setTrails(trails);
  byId("legend").replaceChildren(...legend(facts));
  byId("title").textContent = facts.title;
  byId("task").textContent = taskOf(facts);
  byId("asking").hidden = facts.role !== "ego";
  if (facts.role === "ego") showGoals();
}

function taskOf({ role, words, goals, goal }) {
  if (role === "teammate") {
    return `You are the ${words.teammate}. Your ${words.goal}: ${goals[goal]}. Go there and stay until the ${words.ego} is in place.`;
  }
  return `You are the ${words.ego}. Find out the ${words.teammate}'s ${words.goal} by watching and asking, and go where you are needed.`;
}

// -- what is shown ---------------------------------------------------------------------------------------------

const TURNS = {
  thinking: () => `The ${facts.words.ego} is deciding …`,
  move: () => "Your move",
  answer: () => `The ${facts.words.ego} asks`,
  over: () => "Over",
};

function show(next) {
  state = next;
  Object.assign(document.body.dataset, { phase: state.phase, t: state.t });
  byId("turn").textContent = TURNS[state.phase]();
  byId("text").textContent = state.result ? `${state.text} ${state.result.text}` : state.text;
  byId("cost").textContent = number(state.cost);
  byId("steps").textContent = `${count(state.t, "step")}${state.hands ? `; ${facts.words.ego}: ${state.hands}` : ""}`;
  const asked = state.question ? state.question.goals : [];
  board.show(state, { asked, picked: [...picked], possible: state.possible || null, moves: state.moves || [], onMove: (move) => send({ move: move.name }) });
  showMoves();
  showQuestion();
  if (facts.role === "ego") showAsking();
  byId("stop").hidden = state.phase === "over";
  byId("pace").hidden = participant || state.phase === "over";
  if (state.phase === "over") finish();
  else schedule();
}

function showMoves() {
  const moves = state.moves || [];
  const keys = moves.length ? keysOf(moves, own()) : [];
  const focused = byId("now").contains(document.activeElement) ? document.activeElement.dataset.move || "" : null;
  byId("moves").replaceChildren(...moves.map((move, k) => {
    const made = element("button", { type: "button", "data-move": move.name, "aria-keyshortcuts": keys[k].key }, move.label);
    if (keys[k].sign) made.append(" ", element("kbd", { "aria-hidden": "true" }, keys[k].sign));
    made.onclick = () => send({ move: move.name });
    return made;
  }));
  // Keep the keyboard focus on the same button, or on the section if the button is gone.
  if (focused !== null) (byId("moves").querySelector(`[data-move="${CSS.escape(focused)}"]`) || byId("now")).focus();
}

function showQuestion() {
  const place = byId("question");
  place.hidden = !state.question;
  if (!state.question) return place.replaceChildren();
  const { text, groups } = state.question;
  const choices = groups ? groups.map((group, k) => [group, k, String(k + 1)]) : [["Yes", true, "Y"], ["No", false, "N"]];
  const buttons = [...choices, ["I don’t know", null, "?"]].map(([label, reply, key]) => {
    const made = element("button", { type: "button", class: "answer", "data-key": key.toLowerCase() }, label, " ", element("kbd", { "aria-hidden": "true" }, key));
    made.onclick = () => send({ answer: reply });
    return made;
  });
  place.replaceChildren(element("p", { class: "asked" }, text), element("div", { role: "group", "aria-label": "Your answer" }, ...buttons));
  byId("text").textContent = `${state.text} The ${facts.words.ego} asks: ${text}`;
}

function showFailure(why) {
  byId("turn").textContent = "This round cannot continue";
  byId("text").textContent = why;
  byId("moves").replaceChildren();
  byId("question").hidden = true;
  if (participant) byId("moves").append(onward());
  stopTicking();
}

// -- asking, for the ego agent ---------------------------------------------------------------------------------

function showGoals() {
  byId("asking-legend").textContent = `Is it one of these ${facts.words.goals}?`;
  byId("goals").replaceChildren(...facts.goals.map((goal, k) => {
    const box = element("input", { type: "checkbox", id: `goal-${k}`, value: k });
    box.onchange = () => pick(k);
    return element("li", {}, box, element("label", { for: `goal-${k}` }, goal, " ", element("span", { class: "note" }, `${percent(facts.prior[k])} at the start`)));
  }));
}

function pick(k) {
  if (picked.has(k)) picked.delete(k);
  else picked.add(k);
  if (state) show(state);
}

function showAsking() {
  const { base, perGoal } = facts.prices;
  [...byId("goals").children].forEach((row, k) => {
    row.firstChild.checked = picked.has(k);
    row.classList.toggle("out", Boolean(state.possible) && !state.possible[k]);
  });
  const price = [...picked].reduce((sum, k) => sum + perGoal[k], base);
  byId("ask").disabled = !moving() || picked.size === 0;
  byId("price").textContent = picked.size ? `costs ${number(price)}` : "Choose goals here or on the board.";
  byId("heard").replaceChildren(...state.heard.map(({ asked, reply }) => element("li", {}, asked, " ", element("b", {}, reply))));
}

function askNow() {
  if (!moving() || !picked.size) return;
  const names = [...picked].sort((a, b) => a - b).map((k) => facts.names[k]);
  if (send({ ask: names })) picked.clear();
}

// -- what is done ----------------------------------------------------------------------------------------------

function send(input) {
  held = null;
  return line.send(input);
}

function clickedPlace(side, place) {
  if (!moving() || side !== board.sides[facts.role]) return;
  const move = state.moves.find((each) => each.to.join() === place.join() && !each.waits) ;
  if (move) send({ move: move.name });
}

function onKey(event) {
  const inside = event.target;
  if (!state || event.ctrlKey || event.altKey || event.metaKey) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(inside.tagName) && !(inside.type === "checkbox" && event.key !== " ")) return;
  if (["BUTTON", "A", "SUMMARY"].includes(inside.tagName) && [" ", "Enter"].includes(event.key)) return; // the key presses the button
  const done = state.phase === "answer" ? answerKey(event.key) : state.phase === "move" && moveKey(event.key);
  if (done) event.preventDefault();
}

function answerKey(key) {
  const button = document.querySelector(`#question button[data-key="${CSS.escape(key.toLowerCase())}"]`);
  if (button) button.click();
  return Boolean(button);
}

function moveKey(key) {
  const direction = directionOf(key);
  let move = direction ? moveTowards(state.moves, own(), direction) : null;
  if (!direction) {
    const chosen = keysOf(state.moves, own()).findIndex((each) => each.key === key);
    move = chosen >= 0 ? state.moves[chosen] : null;
  }
  if (move && ticking()) held = move.name;
  else if (move) send({ move: move.name });
  return Boolean(move || direction);
}

// -- the tick --------------------------------------------------------------------------------------------------
// The clock belongs to this page, which only sends moves. The studio itself has no clock.

const ticking = () => Number(byId("tick").value) > 0;

function stopTicking() {
  clearTimeout(timer);
  timer = null;
}

function schedule() {
  stopTicking();
  if (ticking() && moving()) timer = setTimeout(onTick, Number(byId("tick").value));
}

function onTick() {
  timer = null;
  if (!moving()) return;
  const move = state.moves.find((each) => each.name === held) || state.moves.find((each) => each.waits);
  if (move) send({ move: move.name });
  else schedule();
}

// -- the end ---------------------------------------------------------------------------------------------------

let finished = false;
function finish() {
  stopTicking();
  if (finished) return;
  finished = true;
  byId("after").hidden = false;
  if (participant) return void byId("review").replaceChildren(onward());
  ask(`/api/rounds/${name}/review`).then(
    (found) => showReview(byId("review"), found, facts, name),
    (error) => complain(byId("review"), error),
  );
}

const onward = () => element("p", {}, element("a", { href: home, class: "button", id: "onward" }, "Continue"));

function tell(status, words) {
  const place = byId("line");
  place.hidden = status === "open";
  place.replaceChildren(words);
  if (status === "closed") {
    const again = element("button", { type: "button" }, "Continue here");
    again.onclick = () => line.connect();
    place.append(" ", again);
  }
  document.body.dataset.line = status;
}

const line = new Line(`${location.origin}${location.pathname}/socket`, hear, tell);
byId("ask").onclick = askNow;
byId("stop").onclick = () => { if (window.confirm("Stop this round? It ends here.")) send({ stop: true }); };
byId("tick").onchange = () => { held = null; schedule(); };
document.addEventListener("keydown", onKey);
