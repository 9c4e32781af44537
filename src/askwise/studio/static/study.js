// The researcher's page: progress of all people, pause, export.
import { ask, byId, complain, element } from "./dom.js";

const EVERY = 3000;
let paused = false;

const row = (...cells) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell === null ? "" : cell instanceof Node ? cell : String(cell))));

function show(study) {
  paused = study.paused;
  byId("name").textContent = `Study: ${study.name}`;
  byId("join").textContent = study.join;
  byId("pilot").textContent = study.pilot;
  byId("pause").textContent = paused ? "Resume the study" : "Pause the study";
  byId("cells").replaceChildren(...study.cells.map(({ order, rotation }, k) => row(order.join(", then "), rotation, study.counts[k])));
  byId("people").replaceChildren(...study.people.map((each) => row(each.pilot ? `pilot ${each.number}` : each.number, each.panel, each.cell, each.place, each.minutes, each.end ? "" : `${each.quiet} min`, each.end || "in progress", each.panel && !each.end && !each.pilot ? again(each.number) : "")));
}

// For a person whose browser lost its cookie: the same identifier may continue once more.
function again(number) {
  const made = element("button", { type: "button", "aria-label": `Re-admit number ${number} from another browser` }, "Re-admit");
  made.onclick = () => attempt(async () => {
    show(await ask("/api/study/again", { number }));
    byId("said").textContent = `Number ${number} may continue once from another browser.`;
  });
  return made;
}

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    complain(byId("said"), error);
  }
}

byId("pause").onclick = () => attempt(async () => show(await ask("/api/study/pause", { paused: !paused })));
byId("export").onclick = () => attempt(async () => {
  byId("said").textContent = "Writing …";
  const { files } = await ask("/api/study/export", {});
  byId("said").textContent = `${files.length} files were written to the folder "export" in the studio's folder.`;
});
const refresh = () => attempt(async () => {
  show(await ask("/api/study"));
  if (byId("said").querySelector(".reload")) byId("said").replaceChildren(); // requests work again
});
refresh();
setInterval(refresh, EVERY);
