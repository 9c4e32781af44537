// Requests to the studio and their errors; helpers for elements and numbers that all pages share.
import { element } from "./elements.js";

export { byId, count, element, number, percent, shape } from "./elements.js";

// An unusable answer: no JSON, a server error, a lost connection. Reloading the page may help.
class Broken extends Error {
  constructor() { super("Something went wrong. Please reload."); }
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
  const button = element("button", { type: "button", class: "reload" }, "Reload");
  button.onclick = () => location.reload();
  place.append(" ", button);
}
