// The learning pages: examples with thumbnails, guided tours and puzzles. The page loads this module on demand. `page` is its interface to
// the page (`{ text(), setText(text), pin(words), failed(why) }`), `learn.json` contains the lessons, and a separate worker runs the
// kernels.
import css from "./learn.css";
import { examplesView } from "./examples.js";
import { make } from "./dom.js";
import { puzzlesView } from "./puzzles.js";
import { startTour, toursView } from "./tours.js";

const VIEWS = [["examples", "Examples", examplesView], ["tours", "Tours", toursView], ["puzzles", "Puzzles", puzzlesView]];

let lessons = null;
let dialog = null;
/** The last open view. */
let last = "examples";

async function load() {
  if (lessons) return lessons;
  const answer = await fetch(new URL("learn.json", import.meta.url));
  if (!answer.ok) throw new Error(`the server returned ${answer.status} ${answer.statusText}`.trim());
  lessons = await answer.json();
  document.head.append(make("style", {}, css));
  return lessons;
}

/** Sets the URL fragment without a history entry. */
const say = (place) => history.replaceState(null, "", place);

function close() {
  dialog?.close();
}

/** Shows a view in the dialog. */
function show(page, name, item) {
  last = name;
  const panel = dialog.querySelector("[role=tabpanel]");
  for (const tab of dialog.querySelectorAll("[role=tab]")) {
    const isOpen = tab.dataset.view === name;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
  }
  const [, title, view] = VIEWS.find(([own]) => own === name);
  panel.setAttribute("aria-label", title);
  const context = {
    lessons, page, item, close,
    said: (place) => say(place ? `#learn=${place}` : "#learn"),
    tour: (id) => { close(); void startTour(page, lessons, id); },
  };
  panel.replaceChildren(...view(context));
  panel.scrollTop = 0;
}

/** Returns the tabs, between which arrow keys move. */
function tabs(page) {
  const list = make("div", { class: "learn-tabs", role: "tablist", "aria-label": "Learning material" });
  list.append(...VIEWS.map(([name, title]) => {
    const tab = make("button", { type: "button", role: "tab", id: `learn-tab-${name}`, "aria-controls": "learn-panel" }, title);
    tab.dataset.view = name;
    tab.onclick = () => { say("#learn"); show(page, name); };
    return tab;
  }));
  list.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...list.children];
    const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    next.click();
  };
  return list;
}

function makeDialog(page) {
  const before = document.activeElement;
  const made = make("dialog", { class: "learn", "aria-label": "Learn" },
    make("div", { class: "learn-head" }, make("h2", {}, "Learn"), tabs(page),
      make("button", { type: "button", class: "icon", "aria-label": "Close", title: "Close (Esc)", onclick: close }, "✕")),
    make("div", { class: "learn-panel", role: "tabpanel", id: "learn-panel", tabIndex: 0 }));
  made.addEventListener("close", () => {
    made.remove();
    dialog = null;
    if (/^#learn(?:$|=puzzle)/.test(location.hash)) say("#");
    if (document.activeElement === document.body) before?.focus?.();
  });
  made.addEventListener("click", (event) => { if (event.target === made) close(); });
  return made;
}

/** Opens a page: the last open view for an empty string, or `tour:ID`, `puzzle:ID`, or the name of a view. */
export async function open(page, place) {
  await load();
  const [kind, id] = place.split(":");
  if (kind === "tour") { close(); await startTour(page, lessons, id); return; }
  // Another open dialog is kept.
  if (!dialog && document.querySelector("dialog[open]")) return;
  if (!dialog) {
    dialog = makeDialog(page);
    document.body.append(dialog);
    dialog.showModal();
  }
  const view = kind === "puzzle" ? "puzzles" : VIEWS.find(([name]) => name === kind)?.[0] ?? last;
  show(page, view, kind === "puzzle" ? id : undefined);
  dialog.querySelector("[role=tab][aria-selected=true]").focus();
}
