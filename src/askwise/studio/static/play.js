// A round as one person plays it. The page shows the studio's messages and sends the person's inputs.
import { ask, byId, complain, element, number, paragraphs, percent, text, useTexts, word } from "./dom.js";
import { Board, landmarkOf, legend } from "./board.js";
import { Line } from "./line.js";
import { directionOf, keysOf, moveTowards } from "./keys.js";
import { showReview } from "./review.js";

const name = location.pathname.split("/").pop();
let board = null; // the drawing
let facts = null; // what does not change
let state = null;
let participant = false; // in a study, another page follows
let home = "/take"; // the page that follows the round
let words = {}; // the nouns of the problem, in the person's language
let answered = false; // whether the last input was an answer
let held = null; // with a clock: the last move that was pressed
let timer = null;
const picked = new Set(); // goals chosen for a question

const own = () => state[facts.role].at;
const moving = () => state !== null && state.phase === "move";

function refusal(why) {
  if (answered && facts.role === "teammate") return text("play.truthful", { ...words, name: facts.goals[facts.goal] });
  return participant ? text("play.refused") : why;
}

function hear(message) {
  byId("refused").textContent = message.type !== "refused" ? "" : refusal(message.why);
  if (message.type === "failed") return showFailure(participant ? text("play.failed_why") : message.why);
  if (message.type === "board") {
    ({ participant, home } = message);
    useTexts(message.texts, message.language);
    begin(message);
  }
  if (message.state) show(message.state);
}

function begin({ board: known, trails, heading, instructions }) {
  words = Object.fromEntries(Object.entries(known.words).map(([key, noun]) => [key, word(noun)]));
  const [mine, other] = ["teammate", "ego"].map((who) => (words[who] === known.words[who] ? words[`${who}Sign`] : words[who][0].toUpperCase()));
  if (mine !== other) Object.assign(words, { teammateSign: mine, egoSign: other });
  facts = { ...known, words, goals: known.goals.map(word) };
  for (const each of document.querySelectorAll("header nav, #pace")) each.hidden = participant;
  const onGoal = facts.role === "ego" ? pick : null;
  board = new Board(byId("board"), facts, { onGoal, onPlace: clickedPlace });
  board.setTrails(trails);
  byId("legend").replaceChildren(...legend(facts));
  byId("title").textContent = heading || facts.title;
  if (participant) document.title = byId("title").textContent;
  byId("task").replaceChildren(...taskOf(facts).map((line) => element("p", {}, line)));
  byId("instructions").hidden = !instructions.length;
  byId("instructions").lastElementChild.replaceChildren(...instructions.flatMap(paragraphs));
  byId("cost-why").textContent = text(facts.role === "ego" ? "play.cost_why_ego" : "play.cost_why");
  byId("asking").hidden = facts.role !== "ego";
  if (facts.role === "ego") showGoals();
}

function taskOf({ role, goals, goal, landmarks, spots }) {
  if (role === "teammate") {
    const values = { ...words, name: goals[goal], mark: spots.some((spot) => spot.ego) ? "◆ ★" : "★" };
    return [text("play.teammate_task", values), text("play.teammate_rest", values)];
  }
  return [text("play.ego_task", words), text(landmarks.length && words.load ? "play.ego_fetch" : "play.ego_rest", words)];
}

// -- what is shown ---------------------------------------------------------------------------------------------

const TURNS = { thinking: "play.thinking", move: "play.your_move", answer: "play.asks", over: "play.over" };
const WAYS = { north: "up", south: "down", west: "left", east: "right", up: "up", down: "down", left: "left", right: "right", noop: "wait", wait: "wait", stay: "stay" };

const PAST = { wait: "waited", stay: "stayed", pick_up: "picked_up" };

const amount = (value) => number(value).replace(".", text("common.decimal"));

// An action in plain words: a direction, waiting, taking a load; otherwise its own name. In the past once it happened.
function plain(name, past = false) {
  const [, taken] = name.match(/^PICKUP (.+)$/) || [];
  const way = taken ? "pick_up" : WAYS[name.toLowerCase()];
  return way ? text(`play.${(past && PAST[way]) || way}`, { ...words, name: word(taken || "") }) : word(name);
}

function either(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${text("common.or")} ${names[names.length - 1]}`;
}

const choicesOf = ({ groups, others }) => [...groups.map(word), ...(others ? [text("play.none")] : [])];
const questionText = (asked) => (asked.groups ? text("play.which", { goals: either(choicesOf(asked)) }) : text("play.is_it", { goals: either(asked.names.map(word)) }));

function replyText(asked, reply) {
  if (reply === null) return text("play.unsure");
  return asked.groups ? choicesOf(asked)[reply] : text(reply ? "play.yes" : "play.no");
}

function happened({ phase, last, result, t, questions, cost }) {
  const said = [];
  const [own, other] = facts.role === "ego" ? ["ego", "teammate"] : ["teammate", "ego"];
  if (last?.asked) said.push(text(facts.role === "ego" ? "play.you_asked" : "play.it_asked", { ...words, question: questionText(last.asked), reply: replyText(last.asked, last.reply) }));
  else if (last) said.push(text("play.moved", { own: plain(last[own], true), other: words[other], others: plain(last[other], true) }));
  else if (!result) said.push(text(phase === "answer" ? "play.asked" : "play.start"));
  if (result) said.push(text(`play.${result.finished ? "done" : result.stopped ? "stopped" : "limit"}`, { other: words[other], name: word(result.goal || ""), n: t - questions, cost: amount(cost) }));
  return said.join(" ");
}

function show(next) {
  state = next;
  Object.assign(document.body.dataset, { phase: state.phase, t: state.t });
  byId("turn").textContent = text(TURNS[state.phase], words);
  byId("text").textContent = happened(state);
  byId("cost").textContent = text("play.cost", { cost: amount(state.cost) });
  byId("steps").textContent = [text("play.steps", { n: state.t - state.questions, questions: state.questions }), ...(state.hands ? [text("play.hands", { ...words, hands: state.hands })] : [])].join("; ");
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
    const made = element("button", { type: "button", "data-move": move.name, "aria-keyshortcuts": keys[k].key }, plain(move.name));
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
  const asked = state.question;
  const choices = asked.groups ? choicesOf(asked).map((group, k) => [group, k, String(k + 1)]) : [[text("play.yes"), true, "Y"], [text("play.no"), false, "N"]];
  const buttons = [...choices, [text("play.unsure"), null, "?"]].map(([label, reply, key]) => {
    const made = element("button", { type: "button", class: "answer", "data-key": key.toLowerCase() }, label, " ", element("kbd", { "aria-hidden": "true" }, key));
    made.onclick = () => send({ answer: reply });
    return made;
  });
  place.replaceChildren(element("p", { class: "asked", role: "status" }, questionText(asked)), element("div", { role: "group", "aria-label": text("play.answer_group") }, ...buttons));
}

function showFailure(why) {
  byId("turn").textContent = text("play.failed");
  byId("text").textContent = why;
  byId("moves").replaceChildren();
  byId("question").hidden = true;
  if (participant) byId("moves").append(onward());
  stopTicking();
}

// -- asking, for the ego agent ---------------------------------------------------------------------------------

function showGoals() {
  byId("asking-legend").textContent = text("play.ask_legend", words);
  const likeliest = facts.goals.map((_, k) => k).sort((a, b) => facts.prior[b] - facts.prior[a] || a - b);
  byId("goals").replaceChildren(...likeliest.map((k) => {
    const box = element("input", { type: "checkbox", id: `goal-${k}`, value: k });
    box.onchange = () => pick(k);
    return element("li", {}, box, element("label", { for: `goal-${k}` }, facts.goals[k], " ", element("span", { class: "note" }, [boxOf(k), text("play.at_start", { share: percent(facts.prior[k]) })].filter(Boolean).join(", ")), element("span", { class: "crossed" })));
  }));
}

const boxOf = (k) => (landmarkOf(facts, k) ? `${words.landmark} ${landmarkOf(facts, k)}` : "");

function pick(k) {
  if (picked.has(k)) picked.delete(k);
  else picked.add(k);
  if (state) show(state);
}

function showAsking() {
  const { base, perGoal } = facts.prices;
  for (const row of byId("goals").children) {
    const k = Number(row.firstChild.value);
    const out = Boolean(state.possible) && !state.possible[k];
    row.firstChild.checked = picked.has(k);
    row.classList.toggle("out", out);
    row.querySelector(".crossed").textContent = out ? ` (${text("play.ruled_out")})` : "";
  }
  const price = [...picked].reduce((sum, k) => sum + perGoal[k], base);
  byId("ask").disabled = !moving() || picked.size === 0;
  byId("price").textContent = picked.size ? text("play.ask_cost", { cost: amount(price) }) : text("play.ask_choose");
  byId("heard").replaceChildren(...state.heard.map(({ asked, reply }) => element("li", {}, questionText(asked), " ", element("b", {}, replyText(asked, reply)))));
}

function askNow() {
  if (!moving() || !picked.size) return;
  const names = [...picked].sort((a, b) => a - b).map((k) => facts.names[k]);
  if (send({ ask: names })) picked.clear();
}

// -- what is done ----------------------------------------------------------------------------------------------

function send(input) {
  held = null;
  answered = "answer" in input;
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
  if (participant) {
    byId("asking").hidden = true;
    return void byId("moves").replaceChildren(onward());
  }
  byId("after").hidden = false;
  ask(`/api/rounds/${name}/review`).then(
    (found) => showReview(byId("review"), found, facts, name),
    (error) => complain(byId("review"), error),
  );
}

const onward = () => element("p", {}, element("a", { href: home, class: "button", id: "onward" }, text("common.continue")));

function tell(status, words) {
  const place = byId("line");
  place.hidden = status === "open";
  place.replaceChildren(words);
  if (status === "closed") {
    const again = element("button", { type: "button" }, text("play.here"));
    again.onclick = () => line.connect();
    place.append(" ", again);
  }
  document.body.dataset.line = status;
}

const line = new Line(`${location.origin}${location.pathname}/socket`, hear, tell);
byId("ask").onclick = askNow;
byId("stop").onclick = () => { if (window.confirm(text("play.stop_sure"))) send({ stop: true }); };
byId("tick").onchange = () => { held = null; schedule(); };
document.addEventListener("keydown", onKey);
