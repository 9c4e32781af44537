// The screens of a study, one after the other. Entries are sent with their number, so that nothing counts twice and
// nothing is lost; a reopened tab continues where it was.
import { ask, byId, complain, copyButton, element, paragraphs, text, useTexts } from "./dom.js";

const HERE = `/api${location.pathname}`; // for participants or for pilots
let screen = null;
let shown = 0; // when the screen was shown
let times = {}; // milliseconds from then until each answer was last changed

// -- items -----------------------------------------------------------------------------------------------------

function scale(item, name) {
  const points = [];
  for (let at = item.lowest; at <= item.highest; at += item.step) points.push(at);
  if (points.length > 11) return slider(item, name, points);
  // All points in one row.
  const row = element("div", { class: "scale" });
  row.style.setProperty("--points", points.length);
  for (const at of points) {
    const id = `${name}-${at}`;
    row.append(element("label", { class: "point", for: id }, element("input", { type: "radio", name, id, value: at }), element("span", {}, String(at))));
  }
  const ends = element("p", { class: "ends note" }, element("span", {}, `${points[0]}: ${item.low}`), element("span", {}, `${points[points.length - 1]}: ${item.high}`));
  return element("div", {}, ends, row);
}

// A long scale. It has no answer until the person touches it or presses a key, so that nobody accepts the middle unseen.
function slider(item, name, points) {
  const first = points[Math.floor(points.length / 2)];
  const value = element("output", { for: name }, text("take.not_answered"));
  const made = element("input", { type: "range", id: name, name, min: item.lowest, max: points[points.length - 1], step: item.step, value: first, class: "slider", "aria-label": item.text, "aria-valuetext": text("take.not_answered") });
  const answered = () => {
    made.dataset.answered = "yes";
    value.textContent = made.value;
    made.setAttribute("aria-valuetext", made.value);
  };
  made.addEventListener("input", answered);
  made.addEventListener("pointerup", answered);
  made.addEventListener("keydown", (event) => { if (event.key === " ") { event.preventDefault(); made.dispatchEvent(new Event("input", { bubbles: true })); } });
  const ends = element("p", { class: "ends note" }, element("span", {}, `${points[0]}: ${item.low}`), element("span", {}, `${points[points.length - 1]}: ${item.high}`));
  return element("div", {}, made, element("p", { class: "given" }, value), ends);
}

function choice(item, name) {
  return element("div", { class: "choice" }, ...item.options.map((option, k) => element("label", { for: `${name}-${k}` }, element("input", { type: "radio", name, id: `${name}-${k}`, value: option }), ` ${item.labels[k]}`)));
}

function itemOf(item, k) {
  const name = `item-${k}`;
  if (item.kind === "text") {
    return element("div", { class: "item" }, element("label", { for: name }, item.text), element("textarea", { id: name, name, rows: 3, maxlength: 2000 }));
  }
  return element("fieldset", { class: "item" }, element("legend", {}, item.text), item.kind === "scale" ? scale(item, name) : choice(item, name));
}

function answers() {
  const found = {};
  screen.items.forEach((item, k) => {
    const name = `item-${k}`;
    if (item.kind === "text") {
      found[item.name] = byId(name).value || (item.optional ? null : "");
      return;
    }
    const range = document.querySelector(`input.slider[name="${name}"]`);
    if (range) {
      found[item.name] = range.dataset.answered ? Number(range.value) : null;
      return;
    }
    const chosen = document.querySelector(`input[name="${name}"]:checked`);
    found[item.name] = !chosen ? null : item.kind === "scale" ? Number(chosen.value) : chosen.value;
  });
  return found;
}

// -- screens ---------------------------------------------------------------------------------------------------

const CONTENT = {
  consent: () => [...paragraphs(screen.text), element("p", {}, element("input", { type: "checkbox", id: "agreed" }), " ", element("label", { for: "agreed" }, text("take.agree")))],
  text: () => paragraphs(screen.text),
  check: () => [instructions(screen.wrong), element("p", {}, text("take.check", { tries: screen.tries })), ...screen.items.map(itemOf)].filter(Boolean),
  form: () => screen.items.map(itemOf),
  round: () => [element("p", {}, text(screen.practice ? "take.practice" : "take.round")), instructions(false), element("p", {}, element("a", { href: `/play/${screen.round}`, class: "button", id: "play" }, text("take.start")))].filter(Boolean),
  end: () => [...paragraphs(screen.text || text("take.end")), ...ending()],
  paused: () => paragraphs(screen.text),
  gone: () => [...paragraphs(screen.text), ...ending()],
};

// The instructions, folded; open after a wrong answer.
function instructions(open) {
  if (!screen.instructions.length) return null;
  return element("details", { id: "instructions", open }, element("summary", {}, text("take.instructions")), ...screen.instructions.flatMap(paragraphs));
}

function ending() {
  const parts = [];
  if (screen.code) {
    parts.push(element("p", {}, text("take.code"), " ", element("output", { id: "code" }, screen.code), " ", copyButton(screen.code, text("take.copy"), text("take.copied"))));
    parts.push(element("p", {}, text(screen.link ? "take.code_or_link" : "take.code_use")));
  }
  if (screen.link) parts.push(element("p", {}, element("a", { href: screen.link, class: "button", id: "panel", rel: "noreferrer" }, text("take.back"))));
  return parts.length ? parts : [element("p", {}, text("take.close"))];
}

const ENTRY = {
  consent: () => ({ agreed: byId("agreed").checked }),
  check: () => ({ answers: answers() }),
  form: () => ({ answers: answers() }),
};

function show(next) {
  const first = screen === null;
  screen = next;
  useTexts(screen.texts, screen.language);
  showLanguages();
  document.body.dataset.kind = screen.kind;
  document.body.dataset.n = screen.n;
  if (screen.kind === "round" && screen.over) return void enter();
  byId("title").textContent = document.title = screen.title;
  byId("place").textContent = screen.place ? text("take.step", screen) : "";
  byId("content").replaceChildren(...CONTENT[screen.kind]());
  byId("error").textContent = screen.wrong ? text("take.check_wrong") : "";
  byId("next").hidden = ["round", "end", "gone"].includes(screen.kind);
  byId("next").textContent = text(screen.kind === "paused" ? "common.try_again" : "common.continue");
  byId("leave").hidden = ["end", "gone"].includes(screen.kind);
  shown = performance.now();
  times = {};
  byId("leave").textContent = text(screen.kind === "consent" ? "take.decline" : "take.leave");
  window.scrollTo(0, 0);
  // Screen readers start at the top of a new screen.
  if (!first) byId("title").focus();
}

function showLanguages() {
  const codes = Object.entries(screen.languages);
  byId("languages").hidden = codes.length < 2;
  byId("language").replaceChildren(...codes.map(([code, name]) => element("option", { value: code, lang: code, selected: code === screen.language }, name)));
}

async function attempt(action) {
  const next = byId("next");
  const label = next.textContent;
  const slow = setTimeout(() => { next.textContent = text("take.wait"); }, 500); // a method may have to be compiled
  next.disabled = true;
  try {
    show(await action());
  } catch (error) {
    next.textContent = label;
    complain(byId("error"), error);
  } finally {
    clearTimeout(slow);
    next.disabled = false;
  }
}

async function enter() {
  if (screen.kind === "paused") return attempt(() => ask(HERE));
  const entry = screen.kind in ENTRY ? ENTRY[screen.kind]() : {};
  const { n } = screen;
  await attempt(() => ask(HERE, { n, entry, times: { page: Math.round(performance.now() - shown), items: times } }));
  if (screen.n === n && screen.items) showUnanswered(entry.answers);
}

// Mark the questions without an answer, and go to the first: a page may be longer than the screen.
function showUnanswered(given) {
  const open = screen.items.map(({ name, optional }) => !optional && !String(given[name] ?? "").trim());
  const items = [...document.querySelectorAll(".item")];
  items.forEach((each, k) => each.classList.toggle("unanswered", open[k]));
  if (open.includes(true)) items[open.indexOf(true)].querySelector("input, textarea").focus();
}

function showAnswered(item) {
  if (!item.classList.contains("unanswered")) return;
  item.classList.remove("unanswered");
  byId("error").replaceChildren(); // it may name this question; the others are still marked
}

for (const kind of ["input", "change", "pointerup"]) {
  byId("content").addEventListener(kind, (event) => {
    const found = /^item-(\d+)/.exec(event.target.name || "");
    if (!found || !screen.items) return;
    times[screen.items[Number(found[1])].name] = Math.round(performance.now() - shown);
    if (kind !== "pointerup" || event.target.type === "range") showAnswered(event.target.closest(".item"));
  });
}
byId("language").onchange = () => attempt(() => ask(`${HERE}/language`, { language: byId("language").value }));
byId("form").onsubmit = (event) => { event.preventDefault(); enter(); };
byId("leave").onclick = () => { if (screen.kind === "consent" || window.confirm(text("take.leave_sure"))) attempt(() => ask(`${HERE}/leave`, {})); };
attempt(() => ask(HERE));
