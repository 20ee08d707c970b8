// Layout of a narrow window: one view at a time, selected by tabs below the header, and a button that shows the rest of the header. The
// style sheet hides both in wide windows (`web/style.css`), so this code does not check the window width.
import { make } from "./embed.js";

const VIEWS = [["memory", "Memory"], ["threads", "Threads"], ["source", "Source"]];
/** The view survives a reload of the tab. */
const KEPT = "warpgrid.shown";
const root = document.documentElement;
const name = (element, attributes) => {
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
};

let buttons = [];
/** Expands or collapses the header. Does nothing before the page is rendered. */
let setOpen = () => {};
export const openHeader = () => setOpen(true);

/** Checks whether the tabs are shown. */
const isNarrow = () => buttons[0]?.checkVisibility() ?? false;

/** Returns the view that contains an element, or an empty string if all views do. */
export function viewOf(element) {
  if (element.closest(".left")) return "source";
  if (element.closest(".side > :not(.cell)")) return "threads";
  return element.closest(".right") ? "memory" : "";
}

/** Returns the result of `look`, which runs while all views are rendered. */
export function withAll(look) {
  root.classList.add("reachable");
  try { return look(); } finally { root.classList.remove("reachable"); }
}

/** Shows a view in a narrow window. */
export function showView(view) {
  if (!VIEWS.some(([known]) => known === view)) return;
  root.dataset.shown = view;
  for (const button of buttons) {
    const isShown = button.dataset.view === view;
    name(button, { "aria-selected": isShown }).tabIndex = isShown ? 0 : -1;
  }
  try { sessionStorage.setItem(KEPT, view); } catch { /* the next visit starts with the first view */ }
}

function tabs() {
  const list = name(make("div", { className: "tabs-row" }), { role: "tablist", "aria-label": "View" });
  buttons = VIEWS.map(([view, title]) => {
    const button = name(make("button", { type: "button", textContent: title }), { role: "tab", "data-view": view });
    button.onclick = () => { showView(view); scrollTo(0, 0); };
    return button;
  });
  list.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    // Prevents the page's own shortcuts, which would move the run.
    event.preventDefault();
    const next = buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  };
  list.append(...buttons);
  return name(make("nav", { className: "tabs" }, list), { "aria-label": "Views" });
}

/** Creates the button that expands and collapses the header. */
function more(header) {
  const button = name(make("button", { type: "button", className: "icon more", textContent: "⋯", title: "More actions" }), { "aria-label": "More actions" });
  setOpen = (isOpen) => {
    header.classList.toggle("opened", isOpen);
    button.setAttribute("aria-expanded", isOpen);
  };
  setOpen(false);
  button.onclick = () => setOpen(!header.classList.contains("opened"));
  header.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !header.classList.contains("opened") || !isNarrow()) return;
    setOpen(false);
    button.focus();
  });
  // The description of the source and the step summary toggle between short and full where the style sheet shortens them.
  document.querySelector(".right").addEventListener("click", ({ target }) => {
    if (target.closest(".about, .say") && !target.closest("button, a")) root.classList.toggle("whole");
  });
  // The header collapses after a command that opens something else. Popovers within the header leave it expanded.
  header.addEventListener("click", ({ target }) => { if (target.closest(".text-button:not(summary)")) setOpen(false); });
  return button;
}

/** Adds both controls once the page is rendered. */
export function addNarrow() {
  const header = document.querySelector(".page > header");
  if (!header) { requestAnimationFrame(addNarrow); return; }
  header.append(more(header));
  header.after(tabs());
  let kept = null;
  try { kept = sessionStorage.getItem(KEPT); } catch { /* the first view is shown */ }
  showView(kept ?? VIEWS[0][0]);
  if (root.dataset.shown === undefined) showView(VIEWS[0][0]);
}
