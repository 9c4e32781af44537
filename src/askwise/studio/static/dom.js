// Requests to the studio and their errors; helpers for elements and numbers that all pages share.
import { element } from "./elements.js";

export { byId, count, element, number, percent, shape } from "./elements.js";

// The texts that people read, by key, in the person's language; they arrive with the first answer of the studio.
let texts = {};
export function useTexts(found, language) {
  texts = found;
  document.documentElement.lang = language;
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = text(each.dataset.text);
  for (const each of document.querySelectorAll("[data-label]")) each.setAttribute("aria-label", text(each.dataset.label));
}
export const text = (key, values = {}) => (texts[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
// A word or name of a problem file, translated if the study has a translation.
export const word = (name) => texts[`word.${name}`] ?? name;
// On touch screens, pages show no keys.
const touch = () => document.documentElement.classList.add("touch");
if (window.matchMedia("(hover: none), (pointer: coarse)").matches || (navigator.maxTouchPoints > 0 && window.innerWidth <= 900)) touch();
window.addEventListener("pointerdown", (event) => { if (event.pointerType === "touch") touch(); });
export const paragraphs = (written) => written.split(/\n\s*\n/).filter((part) => part.trim()).map((part) => element("p", {}, part.trim().replace(/\s*\n\s*/g, " ")));

// An unusable answer: no JSON, a server error, a lost connection. Reloading the page may help.
class Broken extends Error {
  constructor() { super(texts["common.broken"] ?? "Something went wrong. Please reload."); }
}

// A button that copies a text; nothing where browsers do not allow it (without https).
export function copyButton(copied, label, done) {
  if (!navigator.clipboard) return "";
  const made = element("button", { type: "button", class: "copy" }, label);
  made.onclick = async () => { await navigator.clipboard.writeText(copied); made.textContent = done; };
  return made;
}

// Request JSON from the studio; a refusal becomes an error with the studio's text.
export async function ask(address, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let answer, found;
  try {
    answer = await fetch(address, { credentials: "same-origin", ...options });
    found = await answer.json();
  } catch {
    throw new Broken();
  }
  if (answer.status >= 500) throw new Broken();
  if (!answer.ok) throw new Error(found.error || `the studio answered ${answer.status}`);
  return found;
}

// Show an error, with a button if reloading may help.
export function complain(place, error) {
  place.replaceChildren(error.message);
  if (!(error instanceof Broken)) return;
  const button = element("button", { type: "button", class: "reload" }, texts["common.reload"] ?? "Reload");
  button.onclick = () => location.reload();
  place.append(" ", button);
}
