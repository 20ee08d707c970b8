// The way to watched values and to two moments compared, which are loaded when somebody asks for them, or has watched something of this text before (`web/look`).
import { make } from "./embed.js";

let module = null;
let latest = null;
/** The lines that state what was guessed of the present launch; none where the text states it. */
export const guessedLines = () => latest?.facts.guessed;
/** What was kept of the texts that were watched (`web/look/kept.js`), if anything. */
const isKept = (key) => { try { return (localStorage.getItem("warpgrid.watch") ?? "").includes(JSON.stringify(key)); } catch { return false; } };

async function load(card) {
  try {
    // It lies beside the core.
    const core = new URL(document.querySelector("meta[name=warpgrid-core]").content, document.baseURI);
    module = await import(new URL("look.js", core).href);
    module.show(latest);
    if (card) module.begin(card);
  } catch (error) {
    latest.page.failed(`What is watched could not be loaded: ${error.message}`);
  }
}

/** Shows a moment in its place: `{ place, facts, source, key, generation, page }`. */
export function showLook(moment) {
  latest = moment;
  if (module) { module.show(moment); return; }
  if (isKept(moment.key)) { void load(); return; }
  if (moment.place.firstChild) return;
  const button = (name, card, title) => make("button", { type: "button", className: "fix", textContent: name, title, onclick: () => void load(card) });
  const card = make("section", { className: "card" }, make("h2", {}, "Watch"), make("div", { className: "fixes" },
    button("watch a value", "watch", "Registers, cells and what is computed of them, at each step"),
    button("compare two moments", "moments", "Which cells and registers differ between two steps"),
    button("view by a layout", "arrange", "A memory in rows and columns by any stride, or by a layout of CuTe"),
    button("map of a memory", "map", "All of a memory, part by part: what was written, and by which lane last")));
  card.setAttribute("aria-label", "Watch");
  moment.place.append(card);
}
