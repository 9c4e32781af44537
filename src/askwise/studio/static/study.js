// The researcher's page: links, where everyone is, stop and resume, export.
import { ask, byId, complain, copyButton, element } from "./dom.js";

const EVERY = 3000;
let paused = false;
let links = ""; // those that are shown

const cells = (...values) => values.map((value) => element("td", {}, value instanceof Node ? value : String(value ?? "")));
const heads = (...names) => names.map((name) => element("th", { scope: "col" }, name));
const number = (n, one, many) => `${n} ${n === 1 ? one : many}`;

function show(study) {
  paused = study.paused;
  byId("name").textContent = `Study: ${study.name}`;
  showLinks(study);
  byId("state-title").textContent = paused ? "The study is stopped" : "The study is open";
  const summary = Object.entries(study.summary).map(([state, n]) => `${n} ${state}`);
  byId("state").textContent = summary.length ? `Participants: ${summary.join(", ")}.` : "No participant has joined yet.";
  byId("pause").textContent = paused ? "Resume the study" : "Stop the study";
  showPeople(study);
  showBalance(study);
}

function showLinks({ join, pilot, adds, endings }) {
  const shown = JSON.stringify([join, pilot, endings]);
  if (shown === links) return; // keep what is selected or focused
  links = shown;
  for (const [id, link] of [["join", join], ["pilot", pilot]]) {
    byId(id).textContent = link;
    byId(id).parentElement.replaceChildren(byId(id), " ", copyButton(link, "Copy", "Copied"));
  }
  byId("join-how").textContent = [howToJoin(join, adds), ...(isLocal(join) ? ["The link works only on this computer, until you run the studio on a server."] : [])].join(" ");
  byId("endings").replaceChildren(...(endings.length ? [element("h3", {}, "What the panel has to know"), endingTable(endings)] : []));
}

const isLocal = (link) => /^(localhost|127\..*|\[::1\])$/.test(new URL(link).hostname);

function howToJoin(join, adds) {
  if (adds) return `Give this link to your panel. The panel adds the identifier of each person (${adds}); without it, people are refused.`;
  if (join.endsWith("=...")) return "Replace the three dots by the identifier of each person: with your panel's placeholder for it, or with a script in your task.";
  if (join.includes("?")) return "Give this link to your panel exactly as it is. The panel replaces the last part by the identifier of each person.";
  return "Send this link to people. Each browser that opens it is one person.";
}

const NAMES = { finished: "finished", "failed the check": "failed the check", left: "left the study", declined: "did not agree" };

function endingTable(endings) {
  const copied = (value) => element("span", {}, element("code", {}, value), " ", copyButton(value, "Copy", "Copied"));
  const rows = endings.map(({ end, code, link }) => element("tr", {}, ...cells(NAMES[end], code ? copied(code) : "no code", link ? copied(link) : "no link")));
  return element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Codes and links" },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads("people who", "get this code", "and this link"))), element("tbody", {}, ...rows)));
}

// -- people ----------------------------------------------------------------------------------------------------

const lasted = (minutes) => (minutes < 1 ? "less than a minute" : number(Math.round(minutes), "minute", "minutes"));

function lastSeen({ end, idle }) {
  if (end) return "";
  return idle < 1 ? "just now" : `${lasted(idle)} ago`;
}

function showPeople({ people, panel }) {
  byId("nobody").hidden = people.length > 0;
  byId("people").closest(".scroll").hidden = !people.length;
  byId("again").hidden = !panel || !people.length;
  const named = people.some((each) => each.panel);
  byId("columns").replaceChildren(...heads("person", ...(named ? ["identifier"] : []), "status", "where", "last active", "time so far"), element("td", {}));
  const focused = document.activeElement.dataset.number;
  byId("people").replaceChildren(...people.map((each) => element("tr", {}, ...cells(
    each.pilot ? `pilot ${each.number}` : each.number, ...(named ? [each.panel] : []), each.state, each.where, lastSeen(each), lasted(each.minutes), readmission(each)))));
  if (focused) byId("people").querySelector(`[data-number="${focused}"]`)?.focus();
}

// For a person whose browser lost its cookie: the same identifier may continue once more.
function readmission({ number: who, pilot, known, end, awaited }) {
  if (!known || end || pilot) return "";
  if (awaited) return "may continue in another browser";
  const made = element("button", { type: "button", "data-number": who, "aria-label": `Re-admit person ${who} from another browser` }, "Re-admit");
  made.onclick = () => readmit(who);
  return made;
}

const readmit = (person) => attempt("said", async () => {
  const study = await ask("/api/study/again", { person });
  show(study);
  byId("said").textContent = `Person ${study.readmitted} may continue once from another browser, with the same link.`;
});

// -- balance ---------------------------------------------------------------------------------------------------

function showBalance({ design, conditions, orders }) {
  const within = design === "within";
  byId("balance-how").textContent = within
    ? "Each person meets all conditions. A new person gets the order that the fewest people have."
    : "Each person meets one condition. A new person gets the one that the fewest people have.";
  byId("conditions-title").textContent = within ? "People who meet each condition" : "People in each condition";
  const counts = (each) => [each.finished, each["in progress"]];
  byId("conditions").replaceChildren(...conditions.map((each) => element("tr", {}, ...cells(each.name, ...counts(each)))));
  const rotated = orders.some((each) => each.first);
  byId("orders-part").hidden = !within && !rotated;
  byId("order-columns").replaceChildren(...heads(within ? "order of conditions" : "condition", ...(rotated ? ["first problem"] : []), "finished", "in progress"));
  byId("orders").replaceChildren(...orders.map((each) => element("tr", {}, ...cells(each.order.join(", then "), ...(rotated ? [each.first] : []), ...counts(each)))));
}

// -- actions ---------------------------------------------------------------------------------------------------

async function attempt(place, action) {
  try {
    await action();
  } catch (error) {
    complain(byId(place), error);
  }
}

byId("pause").onclick = () => attempt("said", async () => show(await ask("/api/study/pause", { paused: !paused })));
byId("again").onsubmit = (event) => {
  event.preventDefault();
  readmit(byId("again-who").value).then(() => { byId("again-who").value = ""; });
};
byId("export").onclick = () => attempt("exported", async () => {
  byId("exported").textContent = "Writing …";
  const { files, folder } = await ask("/api/study/export", {});
  byId("exported").replaceChildren(element("a", { href: "/study/export.zip", class: "button", download: "export.zip" }, `Download ${number(files.length, "file", "files")}`),
    element("span", { class: "note" }, ` They are also in the folder ${folder}`));
});
const refresh = () => attempt("said", async () => {
  show(await ask("/api/study"));
  if (byId("said").querySelector(".reload")) byId("said").replaceChildren(); // requests work again
});
refresh();
setInterval(refresh, EVERY);
