// The results next to the map: advice, goals with prior, prices and belief, EDP between goals, zones.
import { byId, element, percent, shape } from "./dom.js";
import { usesBox } from "./sketch.js";

const ZONES = { Z_I: "teammate", eZ_I: "teammate", Z_B: "ego", eZ_B: "ego", Z_Q: "pays", eZ_Q: "pays" };

export function showAdvice(shown) {
  byId("headline").textContent = shown.headline;
  byId("why").textContent = shown.why;
  const { by, of } = shown.explained || {};
  const came = !shown.explained ? "" : by ? `The ${shown.words.teammate} came from its start by a shortest path, which ${by} of ${of} ${shown.words.goals} explain${by === 1 ? "s" : ""}.`
    : `The ${shown.words.teammate} is on no shortest path from its start, whichever of the ${shown.words.goals} it is after.`;
  const robust = shown.robust ? " So detours are treated as unlikely here, not as impossible." : "";
  byId("inferred").textContent = came + robust;
  byId("facts").replaceChildren(...shown.facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
}

// -- goals --------------------------------------------------------------------------------------------------------

// Rows are kept while only numbers change, so that the focused field stays.
export function showGoals(sketch, marks, shown, heard) {
  const body = document.querySelector("#goal-table tbody");
  const names = JSON.stringify([sketch.goals.map((goal) => goal.name), sketch.boxes?.map((box) => box.name)]);
  byId("price-head").textContent = sketch.boxes ? "Toolbox" : "Price";
  if (body.dataset.names !== names) {
    body.dataset.names = names;
    body.replaceChildren(...sketch.goals.map((goal, k) => goalRow(goal, k, marks[k], sketch.boxes, heard)));
  }
  sketch.goals.forEach((goal, k) => {
    const row = body.children[k];
    const weight = row.querySelector("[data-key=weight]");
    weight.disabled = Boolean(sketch.prior); // then it follows from the map
    setValue(weight, sketch.prior && shown?.prior ? Number(shown.prior[k]?.toFixed(3)) : goal.weight);
    if (sketch.boxes) setValue(row.querySelector("[data-key=box]"), goal.box);
    else {
      const price = row.querySelector("[data-key=price]");
      price.placeholder = String(sketch.query_cost?.per_goal ?? 0); // what applies if the goal has no price of its own
      setValue(price, goal.price);
    }
  });
  for (const button of body.querySelectorAll("button")) button.disabled = sketch.goals.length < 2;
  setValue(byId("base"), sketch.query_cost?.base);
  setValue(byId("per-goal"), sketch.query_cost?.per_goal);
}

export function setValue(input, value) {
  if (document.activeElement !== input) input.value = value ?? "";
}

function goalRow(goal, k, mark, boxes, heard) {
  const field = (key, options) => {
    const input = element("input", { "data-key": key, "aria-label": `${key} of ${goal.name}`, ...options });
    input.addEventListener("change", () => heard.edit(k, key, input));
    return input;
  };
  const chosen = () => {
    const select = element("select", { "data-key": "box", "aria-label": `toolbox of ${goal.name}` }, ...boxes.map(({ name }) => element("option", { value: name }, name)));
    select.addEventListener("change", () => heard.edit(k, "box", select));
    return select;
  };
  const number = { type: "number", min: 0, step: 0.1 };
  const remove = element("button", { type: "button", "aria-label": `Remove ${goal.name}` }, "×");
  remove.addEventListener("click", () => heard.remove(k));
  const name = field("name", { type: "text", maxlength: 200 });
  name.value = goal.name;
  return element("tr", {}, element("td", {}, element("b", { class: "sign" }, mark)), element("td", {}, name),
    element("td", {}, field("weight", number)), element("td", {}, boxes ? chosen() : field("price", number)),
    element("td", { class: "belief" }), element("td", {}, remove));
}

export function showBelief(sketch, shown) {
  if (shown.belief.length !== sketch.goals.length) return;
  document.querySelectorAll("#goal-table td.belief").forEach((cell, k) => {
    const bar = element("span", { class: `bar belief-${Math.round(5 * Math.sqrt(shown.belief[k]))}`, "aria-hidden": "true" });
    bar.style.width = `${Math.round(36 * shown.belief[k])}px`;
    cell.replaceChildren(bar, element("span", {}, shown.belief[k] === 0 ? "ruled out" : percent(shown.belief[k])), shown.asked.includes(k) ? element("b", {}, " asked") : "");
  });
}

// -- tool fetching and graphs ---------------------------------------------------------------------------------------

export function showTools(sketch, shown, heard) {
  if (!sketch.boxes) return;
  const kinds = shown?.priors || (sketch.prior ? [sketch.prior.kind] : []);
  byId("prior").replaceChildren(element("option", { value: "" }, "the weights above"), ...kinds.map((kind) => element("option", { value: kind }, PRIORS[kind] || kind)));
  byId("prior").value = sketch.prior?.kind ?? "";
  byId("holding").replaceChildren(element("option", { value: "" }, "nothing"), ...sketch.goals.map(({ name }) => element("option", { value: name }, `the tool of ${name}`)));
  byId("holding").value = sketch.ego.holding ?? "";
  byId("boxes").replaceChildren(...sketch.boxes.map(({ name }, k) => {
    const remove = element("button", { type: "button", "aria-label": `Remove toolbox ${name}`, disabled: usesBox(sketch, name) }, "×");
    remove.addEventListener("click", () => heard.removeBox(k));
    return element("li", {}, element("b", { class: "sign" }, name), remove);
  }));
}

const PRIORS = { uniform: "all equally likely", far: "stations far from the worker", near: "stations near the worker", "fetcher-far": "tools far from the fetcher", "fetcher-near": "tools near the fetcher" };

// Checkboxes are kept while only their states change, so that the focused one stays.
export function showWays(ways, shown, toggle) {
  const list = byId("ways");
  const names = JSON.stringify(ways.map(({ id, name, whose }) => [id, name, whose && shown?.words?.[whose]]));
  if (list.dataset.names !== names) {
    list.dataset.names = names;
    list.replaceChildren(...ways.map(({ id, name, whose }) => {
      const box = element("input", { type: "checkbox", "data-way": id });
      box.addEventListener("change", () => toggle(id));
      return element("li", {}, element("label", {}, box, whose ? ` ${shown?.words?.[whose] ?? whose}: ${name}` : ` ${name}`));
    }));
  }
  ways.forEach(({ closed }, k) => { list.children[k].querySelector("input").checked = !closed; });
}

// -- EDP ----------------------------------------------------------------------------------------------------------

export function showMatrix(sketch, shown, marks, choose) {
  const goals = sketch.goals.map((goal) => goal.name);
  if (shown.edp.length !== goals.length) return;
  const most = Math.max(1, ...shown.edp.flat().filter((value) => value !== null));
  const chosen = shown.pair ? [shown.pair.other, shown.pair.truth] : [-1, -1];
  const heads = marks.map((mark, k) => element("th", { scope: "col", title: goals[k] }, mark));
  const rows = shown.edp.map((row, i) => element("tr", {}, element("th", { scope: "row", title: goals[i] }, marks[i]), ...row.map((value, j) => {
    if (i === j) return element("td", { class: "none" }, "–");
    if (value === null) return element("td", { class: "none" }, "");
    const cell = element("td", { class: `alike-${Math.round((4 * value) / most)}${i === chosen[0] && j === chosen[1] ? " chosen" : ""}`, title: `EDP(${goals[i]} | ${goals[j]}), WCD ${shown.wcd[i][j]}` }, value.toFixed(1));
    cell.addEventListener("click", () => choose(j, i));
    return cell;
  })));
  byId("edp").replaceChildren(element("thead", {}, element("tr", {}, element("td", {}, ""), ...heads)), element("tbody", {}, ...rows));
}

export function showPair(sketch, shown) {
  const pair = shown.pair;
  byId("pair-zones").replaceChildren();
  byId("pair-text").textContent = "";
  if (!pair || !sketch.goals[pair.truth] || !sketch.goals[pair.other]) return;
  const [truth, other] = [sketch.goals[pair.truth].name, sketch.goals[pair.other].name];
  byId("pair-text").textContent = `While ${truth} is pursued, ${other} is ruled out after ${pair.edp === null ? "no" : pair.edp.toFixed(2)} steps on average. ${sketch.kind === "graph" ? "The graph shows this for every state" : "The map shows this for every cell"}: the darker, the longer.`;
  if (matchMedia("(prefers-color-scheme: dark)").matches) byId("pair-text").textContent = byId("pair-text").textContent.replace("darker", "brighter");
  byId("pair-zones").replaceChildren(zoneChart(pair.zones));
}

// -- zones --------------------------------------------------------------------------------------------------------

export function showZones(sketch, shown) {
  const { ego } = shown.words;
  byId("zones-key").textContent = `Z_I: watching may not have told the goals apart yet. Z_B: the ${ego}'s paths have branched. Z_Q: both, so a question may pay off. Step 1 is the next one.`;
  const known = shown.pairs.filter(({ goals }) => goals.every((k) => sketch.goals[k]));
  byId("zones").replaceChildren(...(known.length ? known.map((pair) => element("div", { class: "pair" },
    element("h3", {}, pair.goals.map((k) => sketch.goals[k].name).join(", "), element("span", { class: "note" }, pair.now ? " a question may pay off now" : "")), zoneChart(pair.zones)))
    : [element("p", {}, "Only one goal is left, so there is nothing to find out.")]));
}

// Bars over steps, with the same information as text.
function zoneChart(zones) {
  const last = Math.max(6, ...zones.map((zone) => zone.to || 0), ...zones.map((zone) => zone.from || 0)) + 1;
  return element("ul", { class: "zone-chart" }, ...zones.map((zone) => {
    const from = zone.empty ? 1 : Math.max(1, zone.from);
    const to = zone.empty ? 1 : (zone.to ?? last) + 1;
    const bar = shape("svg", { viewBox: `1 0 ${last} 1`, preserveAspectRatio: "none", "aria-hidden": "true" }, shape("rect", { class: "rail", x: 1, y: 0.4, width: last, height: 0.2 }));
    if (!zone.empty) bar.append(shape("rect", { class: `zone ${ZONES[zone.name]}`, x: from, y: 0.1, width: Math.max(0.15, Math.min(to, last + 1) - from), height: 0.8 }));
    return element("li", {}, element("b", {}, zone.name), bar, element("span", {}, zone.text));
  }));
}
