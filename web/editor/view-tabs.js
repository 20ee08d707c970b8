// Layout of a narrow window: one view at a time, which is selected by tabs below the header, and a button that expands the header. The
// style sheet hides both in wide windows (`web/style.css`), so that this code does not check the width of the window.
import { createElement } from "../dom.js";

const VIEWS = [["memory", "Memory"], ["threads", "Threads"], ["source", "Source"]];
/** Storage key of the shown view, which survives a reload of the tab. */
const VIEW_STORAGE_KEY = "warpgrid.shown";
const root = document.documentElement;
const setAttributes = (element, attributes) => {
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
};

let tabButtons = [];
/** Expands or collapses the header. This function has no effect before the page is rendered. */
let setHeaderExpanded = () => {};
export const openHeader = () => setHeaderExpanded(true);

/** Checks whether the style sheet shows the tabs, which is the case in a narrow window. */
const isNarrow = () => tabButtons[0]?.checkVisibility() ?? false;

/** Returns the view that contains an element, or an empty string if the element is outside of the views. */
export function viewContaining(element) {
  if (element.closest(".left")) return "source";
  if (element.closest(".side > :not(.cell)")) return "threads";
  return element.closest(".right") ? "memory" : "";
}

/** Returns the result of `callback`, which is executed while all views are rendered. */
export function withAllViewsRendered(callback) {
  root.classList.add("all-views-rendered");
  try { return callback(); } finally { root.classList.remove("all-views-rendered"); }
}

/** Shows a view in a narrow window, which contains only one view at a time. */
export function showView(view) {
  if (!VIEWS.some(([id]) => id === view)) return;
  root.dataset.shown = view;
  for (const button of tabButtons) {
    const isShown = button.dataset.view === view;
    setAttributes(button, { "aria-selected": isShown }).tabIndex = isShown ? 0 : -1;
  }
  try { sessionStorage.setItem(VIEW_STORAGE_KEY, view); } catch { /* the next visit starts with the first view */ }
}

/** Selects a tab of the inspector: `threads` or `watch`. */
export const showInspectorTab = (name) => document.querySelector(`.inspector-tabs [data-tab="${name}"]`)?.click();

function createTabs() {
  const list = setAttributes(createElement("div", { className: "tabs-row" }), { role: "tablist", "aria-label": "View" });
  tabButtons = VIEWS.map(([view, title]) => {
    const button = setAttributes(createElement("button", { type: "button", textContent: title }), { role: "tab", "data-view": view });
    button.onclick = () => { showView(view); scrollTo(0, 0); };
    return button;
  });
  list.append(...tabButtons);
  return setAttributes(createElement("nav", { className: "tabs" }, list), { "aria-label": "Views" });
}

/** Creates the button that expands and collapses the header. */
function moreButton(header) {
  const button = setAttributes(createElement("button", { type: "button", className: "icon more-actions", textContent: "⋯", title: "More actions" }), { "aria-label": "More actions" });
  setHeaderExpanded = (isOpen) => {
    header.classList.toggle("header-expanded", isOpen);
    button.setAttribute("aria-expanded", isOpen);
  };
  setHeaderExpanded(false);
  button.onclick = () => setHeaderExpanded(!header.classList.contains("header-expanded"));
  header.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !header.classList.contains("header-expanded") || !isNarrow()) return;
    setHeaderExpanded(false);
    button.focus();
  });
  // Where the style sheet shortens the description of the source and the step summary, a click toggles between the short text and the full
  // text.
  document.querySelector(".right").addEventListener("click", ({ target }) => {
    if (target.closest(".about, .step-summary") && !target.closest("button, a")) root.classList.toggle("expanded-summary");
  });
  // The header is collapsed after a command that opens another view. Popovers within the header leave it expanded.
  header.addEventListener("click", ({ target }) => { if (target.closest(".text-button:not(summary)")) setHeaderExpanded(false); });
  return button;
}

/** Adds both controls once the page is rendered. */
export function addViewTabs() {
  const header = document.querySelector(".page > header");
  if (!header) { requestAnimationFrame(addViewTabs); return; }
  header.append(moreButton(header));
  header.after(createTabs());
  let savedView = null;
  try { savedView = sessionStorage.getItem(VIEW_STORAGE_KEY); } catch { /* the first view is shown */ }
  showView(savedView ?? VIEWS[0][0]);
  if (root.dataset.shown === undefined) showView(VIEWS[0][0]);
}
