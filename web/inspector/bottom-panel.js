// Panel between the kernel view and the transport, with tabs for the list of findings, the timeline and the analyses of the run. The
// buttons of the transport open the panel, and its upper edge resizes it.
import { createElement } from "../dom.js";

const MIN_HEIGHT = 120;
/** Fraction of the window height that the panel may occupy. */
const MAX_HEIGHT_FRACTION = 0.7;
const HEIGHT_STORAGE_KEY = "warpgrid.panel-height";
/** Change of the height in pixels per key press. */
const KEY_STEP = 24;

const storedHeight = () => { try { return Number(localStorage.getItem(HEIGHT_STORAGE_KEY)) || 280; } catch { return 280; } };

/** Creates the panel. `tabs` maps the name of each tab to `{ label, create(stepContext) }`, where `create` returns
 *  `{ node, actions, show(stepContext), focus() }`. `onToggle(name)` receives the name of the open tab, or null. */
export function bottomPanel(tabs, onToggle) {
  let openName = null;
  let height = storedHeight();
  const created = {};
  const resizer = createElement("div", { class: "panel-resizer", role: "separator", tabIndex: 0, "aria-orientation": "horizontal", "aria-label": "Panel height" });
  const tabButtons = Object.fromEntries(Object.entries(tabs).map(([name, { label }]) => [name, createElement("button", { type: "button", role: "tab", id: `panel-tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => open(name) }, label)]));
  const tabList = createElement("div", { role: "tablist", "aria-label": "Panel" }, ...Object.values(tabButtons));
  const actions = createElement("div", { class: "panel-actions" });
  const closeButton = createElement("button", { type: "button", class: "icon small", title: "Close (Esc)", "aria-label": "Close panel", onclick: close }, "✕");
  const body = createElement("div", { class: "panel-body", role: "tabpanel", tabIndex: -1 });
  const panel = createElement("section", { class: "bottom-panel", "aria-label": "Findings, timeline and analysis" }, resizer, createElement("div", { class: "panel-head" }, tabList, actions, closeButton), body);

  function resize(next) {
    height = Math.round(Math.min(Math.max(next, MIN_HEIGHT), innerHeight * MAX_HEIGHT_FRACTION));
    panel.style.height = `${height}px`;
    resizer.setAttribute("aria-valuenow", String(height));
    resizer.setAttribute("aria-valuemin", String(MIN_HEIGHT));
    resizer.setAttribute("aria-valuemax", String(Math.round(innerHeight * MAX_HEIGHT_FRACTION)));
  }
  const storeHeight = () => { try { localStorage.setItem(HEIGHT_STORAGE_KEY, String(height)); } catch { /* the next visit starts with the default height */ } };
  resizer.onpointerdown = (event) => {
    const [start, startHeight] = [event.clientY, height];
    resizer.setPointerCapture(event.pointerId);
    resizer.onpointermove = ({ clientY }) => resize(startHeight + start - clientY);
    resizer.onpointerup = () => { resizer.onpointermove = null; storeHeight(); };
  };
  resizer.onkeydown = (event) => {
    const offset = { ArrowUp: KEY_STEP, ArrowDown: -KEY_STEP }[event.key];
    if (!offset) return;
    event.preventDefault();
    resize(height + offset);
    storeHeight();
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) { event.stopPropagation(); close(); }
  });

  let stepContext = null;
  function open(name) {
    const slot = document.querySelector(".bottom-panel-slot");
    if (!slot || !stepContext) return;
    created[name] ??= tabs[name].create(stepContext);
    openName = name;
    for (const [each, button] of Object.entries(tabButtons)) {
      button.setAttribute("aria-selected", String(each === name));
      button.tabIndex = each === name ? 0 : -1;
    }
    body.id = `panel-${name}`;
    body.setAttribute("aria-labelledby", `panel-tab-${name}`);
    body.replaceChildren(created[name].node);
    actions.replaceChildren(...created[name].actions);
    resize(height);
    if (panel.parentElement !== slot) slot.append(panel);
    created[name].show(stepContext);
    onToggle(name);
  }
  function close() {
    const button = document.querySelector(`.panel-buttons [data-panel="${openName}"]`);
    openName = null;
    panel.remove();
    onToggle(null);
    button?.focus();
  }

  return {
    close,
    openName: () => openName,
    /** Opens a tab. */
    open(name, next) {
      stepContext = next;
      open(name);
    },
    /** Opens a tab and moves the focus to its content. */
    focus(name, next) {
      stepContext = next;
      open(name);
      created[name].focus();
    },
    /** Shows a step in the open tab. */
    show(next) {
      stepContext = next;
      if (openName) created[openName].show(next);
    },
    /** Returns the tab of a name, or undefined before the tab has been opened. */
    tab: (name) => created[name],
  };
}
