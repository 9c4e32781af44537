// A graph as it was laid out: its edges, arrows where there is no edge back, its nodes and their names as shapes.
import { shape } from "./elements.js";

export function edgesOf(graph, letters) {
  const down = ([x, y]) => [x, graph.height - y];
  const nodes = graph.nodes.map((node) => ({ ...node, at: down(node.at) }));
  const ways = graph.ways.map((way) => wayOf(way, nodes, down(way.through), way.arrow && way.arrow.map(down)));
  const labels = graph.labels.map(({ text, at }) => {
    const [x, y] = down(at);
    return shape("text", { class: "action", x, y, "font-size": letters.label }, text);
  });
  const names = nodes.flatMap((node) => {
    const [x, y] = node.at;
    const under = node.lines.map((text, k) => shape("text", { class: "node-name", x, y: y + letters.below + letters.line * (k + 0.5), "font-size": letters.name }, text));
    const over = node.above ? [shape("text", { class: "node-goal", x, y: y - letters.below - letters.line / 2, "font-size": letters.name }, node.above)] : [];
    return [...under, ...over];
  });
  return [...ways, ...labels, ...nodes.map(nodeOf), shape("g", { "aria-hidden": "true" }, ...names)];
}

// The shapes of class "reach" are invisible and larger, so that a pointer finds them.
function wayOf(way, nodes, through, arrow) {
  const [first, second] = [nodes[way.first], nodes[way.second]];
  const d = `M${first.at.join(" ")}Q${through.join(" ")} ${second.at.join(" ")}`;
  const title = [`${first.name} → ${second.name}: ${way.there.join(", ")}`];
  if (way.back.length) title.push(`${second.name} → ${first.name}: ${way.back.join(", ")}`);
  const made = shape("g", { class: way.back.length ? "way" : "way one" }, shape("title", {}, title.join("\n")),
    shape("path", { class: "reach", d }), shape("path", { class: "line", d }));
  if (arrow) made.append(shape("polygon", { points: arrow.map((corner) => corner.join(",")).join(" ") }));
  return made;
}

function nodeOf(node) {
  const [cx, cy] = node.at;
  return shape("g", { class: "node", "data-node": node.name }, shape("title", {}, node.name),
    shape("circle", { class: "reach", cx, cy, r: 0.5 }), shape("circle", { class: "dot-of", cx, cy, r: 0.17 }));
}
