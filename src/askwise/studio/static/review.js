// The review of a round: its cost, the costs of other players with the same moves of the teammate, and mistakes.
import { count, element, number } from "./dom.js";

const NAMES = { optimal: "the optimum", planner: "the planner", never: "never asking" };

export function showReview(place, review, facts, name) {
  const rows = [];
  if (review.known !== null) rows.push(["if the goal had been known", review.known, ""]);
  for (const { method, cost, questions, finished } of review.methods) {
    if (finished) rows.push([NAMES[method] || method, cost, count(questions, "question")]);
  }
  const you = facts.role === "ego" ? "you" : `the ${facts.words.ego} with you`;
  const table = element("table", {},
    element("caption", {}, "How else this round could have gone"),
    element("thead", {}, element("tr", {}, ...["player", "cost", "questions"].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, row([review.finished ? you : `${you}, stopped before the end`, review.cost, ""], "own"), ...rows.map((each) => row(each))));
  const parts = [table, element("p", { class: "note", id: "same-walk" }, sameWalk(review, facts))];
  if (review.judge) parts.push(...differences(review, facts));
  parts.push(element("p", {}, element("a", { href: `/review/${name}` }, "Show step by step"), " · ", element("a", { href: `/api/rounds/${name}/trace`, download: `${name}.json` }, "Trace"), " · ", element("a", { href: "/" }, "Another round")));
  place.replaceChildren(...parts);
}

function sameWalk({ finished, known, optimal }, { role, words }) {
  const onward = finished ? "" : ", and then continue by a shortest path";
  const walk = role === "teammate" ? `In every row, your moves are the same${onward}.` : `In every row, the ${words.teammate}'s moves are the same${onward}.`;
  if (known === null || known <= optimal) return walk;
  return `${walk} By a shortest path, and with the goal known, the cost would have been ${number(optimal)}.`;
}

const row = ([who, cost, asked], kind = "") => element("tr", { class: kind }, element("th", { scope: "row" }, who), element("td", {}, number(cost)), element("td", {}, asked));

function differences({ differences: found, judge }, facts) {
  const who = NAMES[judge] || judge;
  const whose = facts.role === "ego" ? "you" : `the ${facts.words.ego}`;
  if (!found.length) return [element("p", {}, `No mistakes: ${who} would not have decided better than ${whose}.`)];
  return [
    element("p", {}, `Mistakes, according to ${who}, given what ${whose} knew:`),
    element("ol", { class: "differences" }, ...found.map(({ t, did, better, why }) => element("li", {},
      element("b", {}, `Step ${t}. `), `${did}. Better: ${better}. `, element("span", { class: "note" }, why)))),
  ];
}
