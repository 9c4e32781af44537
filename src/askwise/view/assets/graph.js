// A graph: its ways, arrows where there is no way back, its nodes and their names. Hovering tells whole names.
function graphOf(graph) {
  const down = ([x, y]) => [x, graph.height - y];
  const nodes = graph.nodes.map((node) => ({ ...node, at: down(node.at) }));
  const ways = graph.ways.map((way) => wayShape(way, nodes, down(way.through), way.arrow && way.arrow.map(down)));
  const labels = graph.labels.map(({ text, at: place }) => {
    const [x, y] = down(place);
    return shape("text", { class: "action", x, y, "font-size": episode.letters.label }, text);
  });
  graph.bends = new Map(graph.ways.flatMap(({ first, second, through }) => {
    const [one, other] = [graph.nodes[first].at, graph.nodes[second].at];
    return [[`${one}|${other}`, through], [`${other}|${one}`, through]];
  }));
  const { name: size, below, line: apart } = episode.letters;
  const names = nodes.flatMap((node) => {
    const [x, y] = node.at;
    const under = node.lines.map((text, k) => shape("text", { class: "node-name", x, y: y + below + apart * (k + 0.5), "font-size": size }, text));
    const over = node.above ? [shape("text", { class: "node-goal", x, y: y - below - apart / 2, "font-size": size }, node.above)] : [];
    return [...under, ...over];
  });
  return [...ways, ...labels, ...nodes.map((node) => nodeShape(node)), shape("g", { "aria-hidden": "true" }, ...names)];
}

function wayShape(way, nodes, through, arrow) {
  const [first, second] = [nodes[way.first], nodes[way.second]];
  const d = `M${first.at.join(" ")}Q${through.join(" ")} ${second.at.join(" ")}`;
  const told = [`${first.name} → ${second.name}: ${way.there.join(", ")}`];
  if (way.back.length) told.push(`${second.name} → ${first.name}: ${way.back.join(", ")}`);
  const made = shape("g", { class: way.back.length ? "way" : "way one" }, shape("title", {}, told.join("\n")),
    shape("path", { class: "reach", d }), shape("path", { class: "line", d }));
  if (arrow) made.append(shape("polygon", { points: arrow.map((corner) => corner.join(",")).join(" ") }));
  return made;
}

function nodeShape(node) {
  const [cx, cy] = node.at;
  return shape("g", { class: "node", "data-node": node.name }, shape("title", {}, node.name),
    shape("circle", { class: "reach", cx, cy, r: 0.5 }), shape("circle", { class: "dot-of", cx, cy, r: 0.17 }));
}
