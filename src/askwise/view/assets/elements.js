// Helpers that all pages share: elements, numbers, a star. Text of users and files is inserted as text, never as markup.
const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

// Attributes that are null, undefined or false are left out; true stands for an attribute without a value.
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

export function starPath(x, y, radius) {
  const corners = Array.from({ length: 10 }, (_, k) => {
    const reach = k % 2 ? 0.45 * radius : radius;
    const angle = Math.PI * (k / 5 - 0.5);
    return `${(x + reach * Math.cos(angle)).toFixed(3)} ${(y + reach * Math.sin(angle)).toFixed(3)}`;
  });
  return `M${corners.join("L")}Z`;
}
