function coordinates(width, height, size) {
  const number = (n, x, y, side) => shape("text", { x, y, "font-size": size.toFixed(3), class: side }, String(n));
  // At round distances, as many as there is room for.
  const apart = (room) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((k) => k >= room) || 10000;
  const made = shape("g", { id: "coordinates", "aria-hidden": "true" });
  const alongX = apart(0.62 * size * String(width - 1).length + 0.4 * size);
  for (let x = 0; x < width; x += alongX) made.append(number(x, x + 0.5, height + 0.9 * size, "below"));
  const alongY = apart(1.3 * size);
  for (let y = 0; y < height; y += alongY) made.append(number(y, -0.4 * size, height - y - 0.5, "beside"));
  return made;
}

function gridLines(width, height) {
  let d = "";
  for (let x = 1; x < width; x++) d += `M${x} 0V${height}`;
  for (let y = 1; y < height; y++) d += `M0 ${y}H${width}`;
  return shape("g", { class: "lines" }, shape("path", { d, "stroke-width": 0.03 }));
}

function landmarkMark([name, x, y]) {
  const made = shape("g", { class: "landmark", "data-landmark": name },
    shape("title", {}, `${words.landmark} ${name} at (${x}, ${y})`),
    shape("path", { d: "M-.17-.16v-.12a.08.08 0 0 1 .08-.08h.18a.08.08 0 0 1 .08.08v.12" }),
    shape("rect", { x: -0.42, y: -0.2, width: 0.84, height: 0.62, rx: 0.1 }),
    label(name, 0.72, 0.38, 0.11));
  made.style.transform = at([x, y]);
  return made;
}

function goalMark([name, x, y, landmark]) {
  const beside = landmark === null ? "" : `, ${words.load} in ${episode.landmarks[landmark][0]}`;
  const made = shape("g", { class: "goal", "data-goal": name },
    shape("title", {}, `${words.goal} ${name} at (${x}, ${y})${beside}`),
    shape("rect", { class: "ring", x: -0.54, y: -0.54, width: 1.08, height: 1.08, rx: 0.2 }),
    shape("rect", { class: "body", x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.14 }),
    shape("path", { d: "M-.16-.16l.32.32M-.16.16l.32-.32" }),
    label(name, 0.72, 0.4));
  made.style.transform = at([x, y]);
  return made;
}

function starPath(x, y, radius) {
  const corners = Array.from({ length: 10 }, (_, k) => {
    const reach = k % 2 ? 0.45 * radius : radius;
    const angle = Math.PI * (k / 5 - 0.5);
    return `${(x + reach * Math.cos(angle)).toFixed(3)} ${(y + reach * Math.sin(angle)).toFixed(3)}`;
  });
  return `M${corners.join("L")}Z`;
}

function agentMark(id, letter) {
  const disc = shape("g", { class: "disc-of" }, shape("circle", { r: 0.4 }), label(letter, 0.6, 0.46));
  const made = shape("g", { class: "agent", id }, shape("title", {}, words[id]), disc);
  if (id === "ego") {
    made.append(shape("g", { class: "load" },
      shape("rect", { x: -0.36, y: -0.2, width: 0.72, height: 0.4, rx: 0.08 }), shape("text", {})));
  }
  return made;
}
