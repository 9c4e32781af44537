// After a round: what it cost, what others would have paid on the same day, and where they would have done otherwise.
import { count, element, number } from "./dom.js";

const NAMES = { optimal: "the optimum", planner: "the planner", never: "never asking" };

export function showReview(place, review, facts, name) {
  const rows = [];
  if (review.known !== null) rows.push(["with the goal known from the start", review.known, ""]);
  for (const { method, cost, questions, finished } of review.methods) {
    if (finished) rows.push([NAMES[method] || method, cost, count(questions, "question")]);
  }
  const you = facts.role === "ego" ? "you" : `the ${facts.words.ego} with you`;
  const table = element("table", {},
    element("caption", {}, "The same day, played otherwise"),
    element("thead", {}, element("tr", {}, ...["who", "cost", "asked"].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, row([review.finished ? you : `${you}, stopped before the end`, review.cost, ""], "own"), ...rows.map((each) => row(each))));
  const parts = [table, element("p", { class: "note", id: "same-walk" }, sameWalk(review, facts))];
  if (review.judge) parts.push(...differences(review, facts));
  parts.push(element("p", {}, element("a", { href: `/review/${name}` }, "Step through it"), " · ", element("a", { href: `/api/rounds/${name}/trace`, download: `${name}.json` }, "Trace"), " · ", element("a", { href: "/" }, "Another round")));
  place.replaceChildren(...parts);
}

function sameWalk({ finished, known, optimal }, { role, words }) {
  const onward = finished ? "" : ", and then on by a shortest way";
  const walk = role === "teammate" ? `In every row you walk as you did${onward}.` : `In every row the ${words.teammate} walks as it did${onward}.`;
  if (known === null || known <= optimal) return walk;
  return `${walk} By a shortest way, and with the goal known, the cost would have been ${number(optimal)}.`;
}

const row = ([who, cost, asked], kind = "") => element("tr", { class: kind }, element("th", { scope: "row" }, who), element("td", {}, number(cost)), element("td", {}, asked));

function differences({ differences: found, judge }, facts) {
  const who = NAMES[judge] || judge;
  const whose = facts.role === "ego" ? "you" : `the ${facts.words.ego}`;
  if (!found.length) return [element("p", {}, `At every step, ${whose} did as well as ${who} would have done.`)];
  return [
    element("p", {}, `Where ${who} would have done otherwise, knowing what ${whose} knew:`),
    element("ol", { class: "differences" }, ...found.map(({ t, did, better, why }) => element("li", {},
      element("b", {}, `Step ${t}. `), `${did}. Better: ${better}. `, element("span", { class: "note" }, why)))),
  ];
}
