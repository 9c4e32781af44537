// The screens of a study, one after the other. Entries are sent with their number, so that nothing counts twice and
// nothing is lost; a reopened tab continues where it was.
import { ask, byId, complain, element } from "./dom.js";

const HERE = `/api${location.pathname}`; // for participants or for pilots
let screen = null;
let shown = 0; // when the screen was shown
let times = {}; // milliseconds from then until each answer was last changed

const paragraphs = (text) => text.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => element("p", {}, part.trim().replace(/\s*\n\s*/g, " ")));

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
  const value = element("output", { for: name, id: `${name}-value` }, "not answered yet");
  const made = element("input", { type: "range", id: name, name, min: item.lowest, max: points[points.length - 1], step: item.step, value: first, class: "slider", "aria-label": item.text, "aria-valuetext": "not answered yet" });
  const answered = () => {
    made.dataset.answered = "yes";
    value.textContent = made.value;
    made.setAttribute("aria-valuetext", made.value);
  };
  made.addEventListener("input", answered);
  made.addEventListener("pointerup", answered);
  made.addEventListener("keydown", (event) => { if (event.key === " ") { event.preventDefault(); made.dispatchEvent(new Event("input", { bubbles: true })); } });
  const ends = element("p", { class: "ends note" }, element("span", {}, `${points[0]}: ${item.low}`), value, element("span", {}, `${points[points.length - 1]}: ${item.high}`));
  return element("div", {}, made, ends);
}

function choice(item, name) {
  return element("div", { class: "choice" }, ...item.options.map((option, k) => element("label", { for: `${name}-${k}` }, element("input", { type: "radio", name, id: `${name}-${k}`, value: option }), ` ${option}`)));
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
  consent: () => [...paragraphs(screen.text), element("p", {}, element("input", { type: "checkbox", id: "agreed" }), " ", element("label", { for: "agreed" }, "I have read this, I am an adult, and I agree to take part."))],
  text: () => paragraphs(screen.text),
  check: () => [element("p", {}, `Please answer these questions. Attempts left: ${screen.tries}.`), ...screen.items.map(itemOf)],
  form: () => screen.items.map(itemOf),
  round: () => [element("p", {}, screen.practice ? "This round is for practice; it does not count." : "This round counts."), element("p", {}, element("a", { href: `/play/${screen.round}`, class: "button", id: "play" }, "Start"))],
  end: () => [...paragraphs(screen.text || "You have reached the end. Thank you for taking part."), ...ending()],
  paused: () => paragraphs(screen.text),
  gone: () => paragraphs(screen.text),
};

function ending() {
  const parts = [];
  if (screen.code) parts.push(element("p", {}, "Your completion code: ", element("output", { id: "code" }, screen.code)));
  if (screen.link) parts.push(element("p", {}, element("a", { href: screen.link, class: "button", rel: "noreferrer" }, "Back to the panel")));
  return parts;
}

const ENTRY = {
  consent: () => ({ agreed: byId("agreed").checked }),
  check: () => ({ answers: answers() }),
  form: () => ({ answers: answers() }),
};

function show(next) {
  const first = screen === null;
  screen = next;
  document.body.dataset.kind = screen.kind;
  document.body.dataset.n = screen.n;
  if (screen.kind === "round" && screen.over) return void enter();
  byId("title").textContent = document.title = screen.title;
  byId("place").textContent = screen.place ? `Step ${screen.place} of ${screen.of}` : "";
  byId("content").replaceChildren(...CONTENT[screen.kind]());
  byId("error").textContent = screen.wrong ? "Not all answers were right. Please read the instructions again and retry." : "";
  byId("next").hidden = ["round", "end", "gone"].includes(screen.kind);
  byId("next").textContent = screen.kind === "paused" ? "Try again" : "Continue";
  byId("leave").hidden = ["end", "gone"].includes(screen.kind);
  shown = performance.now();
  times = {};
  window.scrollTo(0, 0);
  // Screen readers start at the top of a new screen.
  if (!first) byId("title").focus();
}

async function attempt(action) {
  byId("next").disabled = true;
  try {
    show(await action());
  } catch (error) {
    complain(byId("error"), error);
  } finally {
    byId("next").disabled = false;
  }
}

function enter() {
  if (screen.kind === "paused") return attempt(() => ask(HERE));
  const entry = screen.kind in ENTRY ? ENTRY[screen.kind]() : {};
  return attempt(() => ask(HERE, { n: screen.n, entry, times: { page: Math.round(performance.now() - shown), items: times } }));
}

for (const kind of ["input", "change", "pointerup"]) {
  byId("content").addEventListener(kind, (event) => {
    const found = /^item-(\d+)/.exec(event.target.name || "");
    if (found && screen.items) times[screen.items[Number(found[1])].name] = Math.round(performance.now() - shown);
  });
}
byId("form").onsubmit = (event) => { event.preventDefault(); enter(); };
byId("leave").onclick = () => { if (window.confirm("Leave the study? You cannot come back.")) attempt(() => ask(`${HERE}/leave`, {})); };
attempt(() => ask(HERE));
