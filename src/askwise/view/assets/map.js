// The map. Cells are unit squares; y of the grid goes up, y of the drawing down.
const map = byId("map");
const longest = Math.max(episode.width, episode.height);
// Marks keep a readable size on large maps, where they cover several cells.
const mark = Math.max(1, longest / 40);
const goalMarks = [];
let trails;

const centre = ([x, y]) => [x + 0.5, episode.height - y - 0.5];
const at = (cell) => { const [x, y] = centre(cell); return `translate(${x}px, ${y}px) scale(${mark})`; };

function label(text, width, size, y = 0) {
  // About 0.62 of the size for each letter: long names get smaller letters.
  const fitted = Math.min(size, width / (0.62 * Math.max(text.length, 1)));
  return shape("text", { y, "font-size": fitted.toFixed(3) }, text);
}

function drawMap() {
  const { width, height } = episode;
  const margin = 0.15 * mark;
  const digits = 0.019 * longest; // the coordinates, left of the map and below it, are as large on every map
  const beside = 0.62 * digits * String(height - 1).length + margin;
  map.setAttribute("viewBox", `${-margin - beside} ${-margin} ${width + 2 * margin + beside} ${height + 2 * margin + 1.3 * digits}`);
  map.append(shape("rect", { class: "floor", width, height, "stroke-width": longest / 300 }));
  map.append(coordinates(width, height, digits));
  if (longest <= 60) map.append(gridLines(width, height));
  if (episode.walls) {
    // Where single cells are hardly seen, dark walls would drown the marks.
    const look = longest > 80 ? "walls far" : "walls";
    map.append(shape("image", { class: look, href: episode.walls, width, height, preserveAspectRatio: "none" }));
  }
  trails = ["teammate", "ego"].map((who) => {
    return shape("polyline", { class: `trail of-${who}`, "stroke-width": 0.13 * mark });
  });
  map.append(...trails);
  map.append(shape("g", { id: "landmarks" }, ...episode.landmarks.map(landmarkMark)));
  episode.goals.forEach((goal) => goalMarks.push(goalMark(goal)));
  map.append(shape("g", { id: "goals" }, ...goalMarks));
  const [, x, y] = episode.goals[episode.goal];
  const star = shape("path", { class: "truth", d: starPath(0.36, -0.36, 0.25) }, shape("title", {}, `the ${words.teammate}’s goal`));
  star.style.transform = at([x, y]);
  map.append(star, agentMark("teammate", words.teammateSign), agentMark("ego", words.egoSign));
}
