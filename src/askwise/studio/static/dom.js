// Small helpers for making elements. Text of users and files goes in as text, never as markup.
const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export const element = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
export const shape = (name, attributes = {}, ...children) => filled(document.createElementNS(SVG, name), attributes, children);

// Costs are sums of decimal fractions; ten digits hide the noise of binary ones.
export const number = (value) => String(Number(value.toPrecision(10)));
export const count = (n, what) => `${n || "no"} ${what}${n === 1 ? "" : "s"}`;

export function percent(p) {
  const shown = Math.round(100 * p);
  if (shown === 0 && p > 0) return "<1 %";
  if (shown === 100 && p < 1) return ">99 %";
  return `${shown} %`;
}

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
