// Keys: arrows and WASD move, Space waits (or stays), Y, N and ? answer, digits choose listed moves.
const DIRECTIONS = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0], w: [0, 1], s: [0, -1], a: [-1, 0], d: [1, 0] };
const ARROWS = { "0,1": "↑", "0,-1": "↓", "-1,0": "←", "1,0": "→" };

const CALLED = { up: "0,1", north: "0,1", down: "0,-1", south: "0,-1", left: "-1,0", west: "-1,0", right: "1,0", east: "1,0" };
const called = (move) => CALLED[move.name.toLowerCase()];

// The move for a direction: the one with that name, otherwise the one that points there best from `here`, because edges
// of graphs are slanted; null if there is none.
export function moveTowards(moves, here, [dx, dy]) {
  const named = moves.find((move) => called(move) === `${dx},${dy}`);
  if (named) return named;
  let best = null;
  let most = 0.5; // an edge counts for a direction within 60 degrees
  for (const move of moves) {
    if (move.waits || called(move)) continue;
    const [x, y] = [move.to[0] - here[0], move.to[1] - here[1]];
    const length = Math.hypot(x, y);
    const along = length ? (x * dx + y * dy) / length : 0;
    if (along > most + 1e-9) [best, most] = [move, along];
  }
  return best;
}

export const directionOf = (key) => DIRECTIONS[key.length === 1 ? key.toLowerCase() : key] || null;

// The key of each move, shown on its button: an arrow if possible, otherwise a digit.
export function keysOf(moves, here) {
  const arrows = new Map();
  for (const [way, sign] of Object.entries(ARROWS)) {
    const move = moveTowards(moves, here, way.split(",").map(Number));
    if (move && !arrows.has(move)) arrows.set(move, sign);
  }
  let digit = 0;
  return moves.map((move) => {
    if (arrows.has(move)) return { sign: arrows.get(move), key: null };
    if (move.waits && moves.find((each) => each.waits) === move) return { sign: "Space", key: " " };
    digit += 1;
    return digit <= 9 ? { sign: String(digit), key: String(digit) } : { sign: "", key: null };
  });
}
