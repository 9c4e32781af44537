// Requests to the studio and what may go wrong with them; helpers for elements and numbers that all pages share.
import { element } from "./elements.js";

export { byId, count, element, number, percent, shape } from "./elements.js";

// An answer that is no answer: no JSON, an error of the server, a line that broke. Loading the page again may help.
class Broken extends Error {
  constructor() { super("Something went wrong. Please reload."); }
}

// Ask the studio for JSON; what it refuses is an error with its own words.
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

// Say in words what went wrong, with a button where reloading may help.
export function complain(place, error) {
  place.replaceChildren(error.message);
  if (!(error instanceof Broken)) return;
  const button = element("button", { type: "button", class: "reload" }, "Reload");
  button.onclick = () => location.reload();
  place.append(" ", button);
}
