// The way to watched values and to two moments compared, which are loaded when somebody asks for them, or has watched something of this text before (`web/look`).
import { CARDS, KEPT } from "../look/names.js";
import { make } from "./embed.js";
import { loadBesideCore } from "./parts.js";

let module = null;
/** It is on its way. */
let loading = null;
let latest = null;
/** The lines that state what was guessed of the present launch; none where the text states it. */
export const guessedLines = () => latest?.facts.guessed;
/** What was kept of the texts that were watched (`web/look/kept.js`), if anything. */
const isKept = (key) => { try { return (localStorage.getItem(KEPT) ?? "").includes(JSON.stringify(key)); } catch { return false; } };

/** The expressions of the present text, in their order. */
export async function watched() {
  await loading;
  return module?.watched() ?? [];
}

async function load(card) {
  try {
    loading ??= loadBesideCore("look.js");
    module = await loading;
    module.show(latest);
    if (card) module.begin(card);
  } catch (error) {
    loading = null;
    latest.page.failed(`What is watched could not be loaded: ${error.message}`);
  }
}

/** Shows a moment in its place: `{ place, facts, source, key, generation, watch, page }`; `watch` is what a link or a file says is watched. */
export function showLook(moment) {
  latest = moment;
  if (module) { module.show(moment); return; }
  if (moment.watch.length > 0 || isKept(moment.key)) { if (!loading) void load(); return; }
  if (moment.place.firstChild) return;
  const buttons = Object.entries(CARDS).map(([card, { asks, title }]) => make("button", { type: "button", className: "fix", textContent: asks, title, onclick: () => void load(card) }));
  const card = make("section", { className: "card" }, make("h2", {}, "Watch"), make("div", { className: "fixes" }, ...buttons));
  card.setAttribute("aria-label", "Watch");
  moment.place.append(card);
}
