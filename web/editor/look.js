// The way to what is asked of a run beside what is shown, which is loaded when somebody asks for it, has watched something of this text before, or looks at a long
// memory (`web/look`).
import { CARDS, KEPT } from "../look/names.js";
import { make } from "./embed.js";
import { loadBesideCore } from "./parts.js";

let module = null;
/** It is on its way. */
let loading = null;
/** Whether the cards of watched values are there. */
let isOpen = false;
let latest = null;
/** Places beside and in place of rows that wait for it, each with its moment. */
const waiting = new Map();
/** Milliseconds after which the map of a long memory is loaded: its rows come first. */
const REST = 300;
/** The lines that state what was guessed of the present launch; none where the text states it. */
export const guessedLines = () => latest?.facts.guessed;
/** What was kept of the texts that were watched (`web/look/kept.js`), if anything. */
const isKept = (key) => { try { return (localStorage.getItem(KEPT) ?? "").includes(JSON.stringify(key)); } catch { return false; } };
/** The expressions of the present text, in their order. */
export async function watched() {
  await loading;
  return isOpen ? module.watched() : [];
}

async function load() {
  try {
    loading ??= loadBesideCore("look.js");
    module = await loading;
  } catch (error) {
    loading = null;
    latest?.page.failed(`Failed to load the inspector: ${error.message}`);
  }
  for (const moment of waiting.values()) module?.fill(moment);
  waiting.clear();
  return module !== null;
}

/** Shows the cards of watched values. */
async function open(card) {
  if (!await load()) return;
  isOpen = true;
  module.open(latest);
  if (card) module.begin(card, latest);
}

/** Shows a memory by a stride or a layout. */
export async function arrange(memory, type) {
  if (await load()) module.begin("arrange", latest, { memory, type });
}

/** Shows a moment in its place: `{ name, place, facts, source, key, generation, watch, page }`; `watch` is what a link or a file says is watched. */
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
