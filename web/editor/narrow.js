// What only a narrow window has: one view at a time, chosen by tabs below the header, and a button that shows what else the header holds.
// The style sheet hides both where there is room (`web/style.css`), so nothing here asks how wide the window is.
import { make } from "./embed.js";

const VIEWS = [["memory", "Memory"], ["threads", "Threads"], ["source", "Source"]];
/** The view stays over a reload of its tab. */
const KEPT = "warpgrid.shown";
const root = document.documentElement;
const name = (element, attributes) => {
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
};

let buttons = [];
/** Shows what the header holds, or hides it again; nothing before the page is there. */
let setOpen = () => {};
export const openHeader = () => setOpen(true);

/** Whether tabs choose what is shown. */
const isNarrow = () => buttons[0]?.checkVisibility() ?? false;

/** The view that a part of the page is in; none where it is in all of them. */
export function viewOf(element) {
  if (element.closest(".left")) return "source";
  if (element.closest(".side > :not(.cell)")) return "threads";
  return element.closest(".right") ? "memory" : "";
}

/** What `look` finds while all views are there at once. */
export function withAll(look) {
  root.classList.add("reachable");
  try { return look(); } finally { root.classList.remove("reachable"); }
}

/** Shows one of the views, where only one is shown. */
export function showView(view) {
  if (!VIEWS.some(([known]) => known === view)) return;
  root.dataset.shown = view;
  for (const button of buttons) {
    const isShown = button.dataset.view === view;
    name(button, { "aria-selected": isShown }).tabIndex = isShown ? 0 : -1;
  }
  try { sessionStorage.setItem(KEPT, view); } catch { /* the first one next time */ }
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
    // The page's own keys go along the run.
    event.preventDefault();
    const next = buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  };
  list.append(...buttons);
  return name(make("nav", { className: "tabs" }, list), { "aria-label": "Views" });
}

/** A button that shows and hides what the header has no room for. */
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
  // What is said of the text and of the step is short or whole, where the style sheet shortens it.
  document.querySelector(".right").addEventListener("click", ({ target }) => {
    if (target.closest(".about, .say") && !target.closest("button, a")) root.classList.toggle("whole");
  });
  // What opens something else has been chosen; what opens within the header stays there.
  header.addEventListener("click", ({ target }) => { if (target.closest(".text-button:not(summary)")) setOpen(false); });
  return button;
}

/** Adds both, as soon as the page is there. */
export function addNarrow() {
  const header = document.querySelector(".page > header");
  if (!header) { requestAnimationFrame(addNarrow); return; }
  header.append(more(header));
  header.after(tabs());
  let kept = null;
  try { kept = sessionStorage.getItem(KEPT); } catch { /* the first one */ }
  showView(kept ?? VIEWS[0][0]);
  if (root.dataset.shown === undefined) showView(VIEWS[0][0]);
}
