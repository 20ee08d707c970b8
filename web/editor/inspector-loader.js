// Loads the inspection features of `web/inspector` on demand: when the user requests them, has watched an expression of this source before, or
// views a long memory.
import { CARDS, KEPT } from "../inspector/card-labels.js";
import { make } from "./embed.js";
import { loadBesideCore } from "./util.js";

let module = null;
/** The pending import. */
let loading = null;
/** Whether the watch cards are shown. */
let isOpen = false;
let latest = null;
/** Containers beside rows or in place of rows that wait for the module, each with its pending frame. */
const waiting = new Map();
/** Delay in milliseconds before the minimap of a long memory is loaded, because its rows have priority. */
const REST = 300;
/** Returns the inferred annotations of the current launch, if there are any. */
export const guessedLines = () => latest?.facts.guessed;
/** Checks whether there are saved watch expressions for a source (`web/inspector/watch-storage.js`). */
const isKept = (key) => { try { return (localStorage.getItem(KEPT) ?? "").includes(JSON.stringify(key)); } catch { return false; } };
/** Returns the watch expressions of the current source, in order. */
export async function watched() {
  await loading;
  return isOpen ? module.watched() : [];
}

async function load() {
  try {
    loading ??= loadBesideCore("inspector.js");
    module = await loading;
  } catch (error) {
    loading = null;
    latest?.page.failed(`Failed to load the inspector: ${error.message}`);
  }
  for (const moment of waiting.values()) module?.fill(moment);
  waiting.clear();
  return module !== null;
}

/** Shows the watch cards. */
async function open(card) {
  if (!await load()) return;
  isOpen = true;
  module.open(latest);
  if (card) module.begin(card, latest);
}

/** Shows a memory in a custom stride or layout. */
export async function arrange(memory, type) {
  if (await load()) module.begin("arrange", latest, { memory, type });
}

/** Renders a frame into a container: `{ name, place, facts, source, key, generation, watch, page }`. `watch` contains the watch
 *  expressions of a link or file. */
export function showLook(moment) {
  if (moment.name !== "inspect") {
    if (module) { module.fill(moment); return; }
    waiting.set(moment.place, moment);
    setTimeout(() => void load(), moment.name === "memory-map" ? REST : 0);
    return;
  }
  latest = moment;
  module?.show(moment);
  if (isOpen) return;
  if (moment.watch.length > 0 || isKept(moment.key)) { void open(); return; }
  if (moment.place.firstChild) return;
  const buttons = Object.entries(CARDS).map(([card, { asks, title }]) => make("button", { type: "button", className: "fix", textContent: asks, title, onclick: () => void open(card) }));
  const card = make("section", { className: "card" }, make("h2", {}, "Watch"), make("div", { className: "fixes" }, ...buttons));
  card.setAttribute("aria-label", "Watch");
  moment.place.append(card);
}
