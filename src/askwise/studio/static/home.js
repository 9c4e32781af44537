// The home page: choose a problem and a role, and list past rounds.
import { ask, byId, complain, element } from "./dom.js";

const PAGES = [["Play", "/"], ["Explore", "/explore"]];
let uploaded = null; // the text of the chosen file
let latest = 0; // only the answer to the newest request counts

const role = () => document.querySelector("input[name=role]:checked").value;

function options(names, first) {
  const made = names.map((name) => element("option", { value: name }, name));
  return first ? [element("option", { value: "" }, first), ...made] : made;
}

async function describe() {
  const mine = ++latest;
  byId("about").textContent = "Reading …";
  byId("error").textContent = "";
  try {
    const found = await (uploaded === null ? ask(`/api/library/${byId("problem").value}`) : ask("/api/problems", { text: uploaded }));
    if (mine !== latest) return;
    byId("about").textContent = `${found.title}: ${found.size}. ${found.goals.length} ${found.words.goal}s: ${found.goals.slice(0, 6).join(", ")}${found.goals.length > 6 ? " …" : ""}`;
    byId("as-teammate").textContent = `the ${found.words.teammate}, who has a ${found.words.goal} and answers questions`;
    byId("as-ego").textContent = `the ${found.words.ego}, who can ask questions`;
    byId("goal").replaceChildren(...options(found.goals, "drawn at random"));
  } catch (error) {
    if (mine !== latest) return;
    byId("about").textContent = "";
    complain(byId("error"), error);
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
    const found = await ask("/api/rounds", { problem: uploaded === null ? Number(byId("problem").value) : uploaded, setup: setup() });
    location.assign(`/play/${found.round}`);
  } catch (error) {
    complain(byId("error"), error);
  }
}

async function choose(event) {
  const [file] = event.target.files;
  uploaded = file ? await file.text() : null;
  describe();
}

function showRounds(rounds) {
  if (!rounds.length) return;
  byId("rounds").replaceChildren(...rounds.map(({ round, title, role: as, made, end }) => {
    const when = new Date(1000 * made).toLocaleString();
    return element("li", {}, element("a", { href: `/play/${round}` }, `${title}, as the ${as === "ego" ? "ego agent" : as}`),
      element("span", { class: "note" }, ` ${when}: ${end || "unfinished"}`));
  }));
}

async function start() {
  const [library, rounds] = await Promise.all([ask("/api/library"), ask("/api/rounds")]);
  if (library.study) PAGES.push(["Study", "/study"]);
  byId("pages").replaceChildren(...PAGES.map(([title, href]) => element("a", { href, "aria-current": href === "/" ? "page" : null }, title)));
  byId("seed").value = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1000000);
  byId("problem").replaceChildren(...library.problems.map((name, k) => element("option", { value: k }, name)));
  byId("method").replaceChildren(...options(library.methods));
  byId("method").value = "planner";
  byId("teammate").replaceChildren(...options(library.teammates.filter((kind) => !["plan", "via"].includes(kind)), "as the file states"));
  showRounds(rounds);
  byId("problem").onchange = () => { byId("file").value = ""; uploaded = null; describe(); };
  byId("file").onchange = choose;
  byId("roles").onchange = showRole;
  byId("new").onsubmit = begin;
  showRole();
  describe();
}

start().catch((error) => complain(byId("error"), error));
