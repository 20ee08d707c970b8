// The learning pages: examples with thumbnails, guided tours and puzzles. The page loads this module on demand. `page` is the interface to
// the page (`{ text(), setText(text), pin(target), failed(message) }`), `learn.json` contains the lessons, and a separate worker executes
// the kernels.
import css from "./learn.css";
import { examplesView } from "./examples.js";
import { createElement } from "../dom.js";
import { puzzlesView } from "./puzzles.js";
import { startTour, toursView } from "./tours.js";

const VIEWS = [["examples", "Examples", examplesView], ["tours", "Tours", toursView], ["puzzles", "Puzzles", puzzlesView]];

let lessons = null;
let dialog = null;
/** View that was open last. */
let lastView = "examples";

async function loadLessons() {
  if (lessons) return lessons;
  const response = await fetch(new URL("learn.json", import.meta.url));
  if (!response.ok) throw new Error(`the server returned ${response.status} ${response.statusText}`.trim());
  lessons = await response.json();
  document.head.append(createElement("style", {}, css));
  return lessons;
}

/** Sets the URL fragment without a history entry. */
const replaceFragment = (fragment) => history.replaceState(history.state, "", fragment);

function closeDialog() {
  dialog?.close();
}

/** Shows a view in the dialog of the learning pages. */
function showView(page, name, item) {
  lastView = name;
  const panel = dialog.querySelector("[role=tabpanel]");
  for (const tab of dialog.querySelectorAll("[role=tab]")) {
    const isOpen = tab.dataset.view === name;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
  }
  const [, title, view] = VIEWS.find(([viewName]) => viewName === name);
  panel.setAttribute("aria-label", title);
  const context = {
    lessons, page, item, close: closeDialog,
    setFragment: (suffix) => replaceFragment(suffix ? `#learn=${suffix}` : "#learn"),
    tour: (id) => { closeDialog(); void startTour(page, lessons, id); },
  };
  panel.replaceChildren(...view(context));
  panel.scrollTop = 0;
}

/** Returns the tabs of the views, between which arrow keys move. */
function createTabs(page) {
  const list = createElement("div", { class: "learn-tabs", role: "tablist", "aria-label": "Learning material" });
  list.append(...VIEWS.map(([name, title]) => {
    const tab = createElement("button", { type: "button", role: "tab", id: `learn-tab-${name}`, "aria-controls": "learn-panel" }, title);
    tab.dataset.view = name;
    tab.onclick = () => { replaceFragment("#learn"); showView(page, name); };
    return tab;
  }));
  return list;
}

function createDialog(page) {
  const previousFocus = document.activeElement;
  const element = createElement("dialog", { class: "learn", "aria-label": "Learn" },
    createElement("div", { class: "learn-head" }, createElement("h2", {}, "Learn"), createTabs(page),
      createElement("button", { type: "button", class: "icon", "aria-label": "Close", title: "Close (Esc)", onclick: closeDialog }, "✕")),
    createElement("div", { class: "learn-panel", role: "tabpanel", id: "learn-panel", tabIndex: 0 }));
  element.addEventListener("close", () => {
    element.remove();
    dialog = null;
    if (/^#learn(?:$|=puzzle)/.test(location.hash)) replaceFragment("#");
    if (document.activeElement === document.body) previousFocus?.focus?.();
  });
  element.addEventListener("click", (event) => { if (event.target === element) closeDialog(); });
  return element;
}

/** Opens the dialog: an empty string opens the view that was open last, `tour:ID` a tour, `puzzle:ID` a puzzle, and a name the view with
 *  this name. */
export async function openLearnDialog(page, target) {
  await loadLessons();
  const [targetKind, id] = target.split(":");
  if (targetKind === "tour") { closeDialog(); await startTour(page, lessons, id); return; }
  // Another dialog that is open is not replaced.
  if (!dialog && document.querySelector("dialog[open]")) return;
  if (!dialog) {
    dialog = createDialog(page);
    document.body.append(dialog);
    dialog.showModal();
  }
  const view = targetKind === "puzzle" ? "puzzles" : VIEWS.find(([name]) => name === targetKind)?.[0] ?? lastView;
  showView(page, view, targetKind === "puzzle" ? id : undefined);
  dialog.querySelector("[role=tab][aria-selected=true]").focus();
}
