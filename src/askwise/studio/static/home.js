// The home page: choose a problem, by its picture, and a role; and list past rounds.
import { ask, byId, complain, element, shape, useTexts, word } from "./dom.js";
import { Board } from "./board.js";

const PAGES = [["Play", "/"], ["Explore", "/explore"]];
let uploaded = null; // the text of the chosen file
let latest = 0; // only the answer to the newest request counts
let chosen = false; // whether the person has chosen a problem

const role = () => document.querySelector("input[name=role]:checked").value;

function options(names, first) {
  const made = names.map((name) => element("option", { value: name }, name));
  return first ? [element("option", { value: "" }, first), ...made] : made;
}

const problem = () => document.querySelector("input[name=problem]:checked");

async function describe() {
  const mine = ++latest;
  byId("about").textContent = "Reading …";
  byId("error").textContent = "";
  try {
    const found = await (uploaded === null ? ask(`/api/library/${problem().value}`) : ask("/api/problems", { text: uploaded }));
    if (mine === latest) explain(found);
  } catch (error) {
    if (mine !== latest) return;
    byId("about").textContent = "";
    complain(byId("error"), error);
  }
}

function explain(found) {
  const [teammate, ego, goal] = ["teammate", "ego", "goal"].map((key) => word(found.words[key]));
  byId("about").textContent = `${found.title}: ${found.size}. Each round has one ${goal} of these: ${found.goals.slice(0, 6).join(", ")}${found.goals.length > 6 ? " …" : ""}`;
  byId("about").dataset.of = uploaded === null ? problem().dataset.name : "";
  byId("as-teammate").textContent = `the ${teammate}: only you know your ${goal}; you go there, and answer the ${ego}'s questions`;
  byId("as-ego").textContent = `the ${ego}: you find out the ${teammate}'s ${goal} by watching and asking, and help with it`;
  byId("goal").replaceChildren(...options(found.goals, "drawn at random"));
}

// A card for each problem: its picture and title. Pictures arrive one by one, because large problems take a while to read.
function card(name, k) {
  const input = element("input", { type: "radio", name: "problem", value: k, "data-name": name, checked: k === 0 });
  const title = element("span", {}, ` ${name}`);
  const picture = shape("svg", { "aria-hidden": "true", preserveAspectRatio: "xMidYMid meet" });
  return element("label", { class: "setting" }, picture, element("span", {}, input, title));
}

async function showPictures() {
  for (const each of byId("problems").querySelectorAll(".setting")) {
    const input = each.querySelector("input");
    const found = await ask(`/api/library/${input.value}`).catch(() => null);
    if (!found) continue;
    input.nextElementSibling.textContent = ` ${found.title}`;
    new Board(each.querySelector("svg"), { ...found.board, role: null }).show(found.start);
    // Maps are easier to begin with than graphs.
    if (!chosen && found.board.grounds[0].kind === "map") {
      chosen = true;
      input.checked = true;
      describe();
    }
  }
}

function showRole() {
  for (const each of document.querySelectorAll(".for-teammate")) each.hidden = role() !== "teammate";
  for (const each of document.querySelectorAll(".for-ego")) each.hidden = role() !== "ego";
}

function setup() {
  const value = (id) => byId(id).value || null;
  const common = { role: role(), seed: Number(byId("seed").value), answers: value("answers") };
  return role() === "teammate"
    ? { ...common, goal: value("goal"), method: value("method") }
    : { ...common, teammate: value("teammate") };
}

async function begin(event) {
  event.preventDefault();
  byId("error").textContent = "Preparing the round; the first one of a kind may take a minute …";
  try {
    const found = await ask("/api/rounds", { problem: uploaded === null ? Number(problem().value) : uploaded, setup: setup() });
    location.assign(`/play/${found.round}`);
  } catch (error) {
    complain(byId("error"), error);
  }
}

async function choose(event) {
  const [file] = event.target.files;
  chosen = true;
  uploaded = file ? await file.text() : null;
  for (const each of document.querySelectorAll("input[name=problem]")) each.checked = uploaded === null && each.value === "0";
  describe();
}

function showRounds(rounds) {
  if (!rounds.length) return;
  byId("rounds").replaceChildren(...rounds.map(({ round, title, role: as, made, end }) => {
    const when = new Date(1000 * made).toLocaleString();
    return element("li", {}, element("a", { href: `/play/${round}` }, `${title}, as the ${as === "ego" ? word("ego agent") : as}`),
      element("span", { class: "note" }, ` ${when}: ${end || "unfinished"}`));
  }));
}

async function start() {
  const [library, rounds] = await Promise.all([ask("/api/library"), ask("/api/rounds")]);
  if (library.study) PAGES.unshift(["Study", "/study"]);
  byId("pages").replaceChildren(...PAGES.map(([title, href]) => element("a", { href, "aria-current": href === "/" ? "page" : null }, title)));
  byId("seed").value = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1000000);
  useTexts(library.texts, "en");
  byId("problems").append(...library.problems.map(card));
  byId("method").replaceChildren(...options(library.methods));
  byId("method").value = "planner";
  byId("teammate").replaceChildren(...options(library.teammates.filter((kind) => !["plan", "via"].includes(kind)), "as the file states"));
  showRounds(rounds);
  byId("problems").onchange = () => { chosen = true; byId("file").value = ""; uploaded = null; describe(); };
  byId("file").onchange = choose;
  byId("roles").onchange = showRole;
  byId("new").onsubmit = begin;
  showRole();
  if (library.problems.length) describe();
  showPictures();
}

start().catch((error) => complain(byId("error"), error));
