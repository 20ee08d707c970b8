// The command palette (Ctrl+K): lists the visible controls of the page and activates the selected one. Controls need no registration here,
// because each is listed under its accessible name.
import { make } from "./embed.js";
import { openHeader, showView, viewOf, withAll } from "./view-tabs.js";

/** Containers of controls and the name of that part of the page. The first matching container determines the name. */
const PARTS = [
  ["footer", "run"],
  [".views", "view"],
  ["[aria-label=Source]", "source"],
  ["header", "page"],
];
const CONTROLS = "button, summary, a[href], select, input[type=checkbox], input[type=radio]";
/** Maximum number of rows. The user can type another letter to narrow a longer list. */
const MOST = 60;

const squeezed = (text) => text.replace(/\s+/g, " ").trim();
const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("dialog, [aria-hidden=true], .cm-editor .cm-content");

/** Returns an approximation of the accessible name of a control. */
function nameOf(element) {
  const labelled = element.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const own = element.getAttribute("aria-label") ?? labelled ?? element.labels?.[0]?.textContent ?? element.textContent;
  return squeezed(own) || squeezed(element.title);
}

/** Returns the part of the page that contains a control: the heading of its card, or else the name of its container. */
function partOf(element) {
  const heading = element.closest(".card, .head")?.querySelector("h2, h3")?.textContent;
  return squeezed(heading ?? "") || (PARTS.find(([place]) => element.closest(place))?.[1] ?? "memory");
}

function pick(select, value) {
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Activates a control after its view has become visible. */
function press(element) {
  if (element.matches("summary")) openHeader();
  else if (!element.closest("header")) showView(viewOf(element));
  element.focus();
  element.click();
}

/** Returns the commands of a control. */
function commandsOf(element) {
  const part = partOf(element);
  if (element instanceof HTMLSelectElement) {
    const name = nameOf(element);
    const options = [...element.options].filter(({ disabled, selected, value }) => !disabled && !selected && value !== "");
    return options.map(({ value, label }) => ({ name: squeezed(label), part: name, run: () => pick(element, value) }));
  }
  const name = nameOf(element);
  return name === "" ? [] : [{ name, part, help: squeezed(element.title), run: () => press(element) }];
}

/** Returns the command that moves to a card. */
function placesOf(card) {
  const heading = squeezed(card.querySelector("h2")?.textContent ?? "");
  const show = () => {
    showView(viewOf(card));
    card.scrollIntoView({ block: "start" });
    (card.querySelector("[tabindex], button, summary") ?? card).focus({ preventScroll: true });
  };
  return heading === "" ? [] : [{ name: heading, part: "go to", run: show }];
}

/** Returns all current commands of the page, each name once per part, including those of views that a narrow window hides. */
const commands = () => withAll(commandsShown);
function commandsShown() {
  const controls = [...document.querySelectorAll(CONTROLS)].filter((element) => isShown(element) && !element.disabled && element.getAttribute("aria-disabled") !== "true");
  const cards = [...document.querySelectorAll(".card")].filter(isShown);
  const found = new Map();
  for (const command of [...cards.flatMap(placesOf), ...controls.flatMap(commandsOf)]) {
    const key = `${command.part}\n${command.name}`;
    if (!found.has(key)) found.set(key, command);
  }
  return [...found.values()];
}

/** A value, an address, or an element such as `out[5]`, which can be searched for in memory. */
const FINDABLE = /^(?:[-+]?(?:\d[\w.+-]*|inf)|nan|[\w:.$%]+\[\d+\])$/i;
/** Returns the command that searches for the typed text, moving to the next match each time. */
function finding(typed) {
  const text = squeezed(typed).replace(/^= ?/, "");
  return FINDABLE.test(text) ? [{ name: `Find ${text} in memory`, part: "memory", run: () => globalThis.warpgridEditor.find(text) }] : [];
}

/** Ranks a command against the typed words. Lower is better, and a command that lacks a word has an infinite rank. */
function rank({ name, part, help = "" }, words) {
  const [title, all] = [name.toLowerCase(), `${name} ${part} ${help}`.toLowerCase()];
  if (!words.every((word) => all.includes(word))) return Infinity;
  const first = words[0] ?? "";
  if (title.startsWith(first)) return 0;
  if (title.split(/[^\p{L}\p{N}_.]+/u).some((word) => word.startsWith(first))) return 1;
  return title.includes(first) ? 2 : 3;
}

function ranked(all, typed) {
  const words = squeezed(typed.toLowerCase()).split(" ").filter(Boolean);
  const fitting = all.map((command, index) => ({ command, index, rank: rank(command, words) })).filter((each) => each.rank < Infinity);
  fitting.sort((a, b) => a.rank - b.rank || a.index - b.index);
  return fitting.map(({ command }) => command);
}

/** Shows the palette. */
function open() {
  const all = commands();
  const before = document.activeElement;
  const list = make("ul", { id: "palette-list", role: "listbox" });
  list.setAttribute("aria-label", "Commands");
  const field = make("input", { type: "text", placeholder: "Type a command, example, buffer name or value", autocomplete: "off", spellcheck: false });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-label": "Command", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list" })) {
    field.setAttribute(name, value);
  }
  const count = make("div", { className: "palette-count" });
  count.setAttribute("role", "status");
  const dialog = make("dialog", { className: "palette" });
  dialog.setAttribute("aria-label", "Commands");
  dialog.append(field, list, count);

  let shown = [];
  let at = 0;
  const mark = () => {
    [...list.children].forEach((row, index) => row.setAttribute("aria-selected", String(index === at)));
    const row = list.children[at];
    row?.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", row?.id ?? "");
  };
  const fill = () => {
    const fitting = [...ranked(all, field.value), ...finding(field.value)];
    shown = fitting.slice(0, MOST);
    at = 0;
    list.replaceChildren(...shown.map(({ name, part }, index) => {
      const row = make("li", { id: `palette-${index}`, role: "option" });
      row.append(make("span", { textContent: name }), make("small", { textContent: part }));
      row.onclick = () => run(index);
      row.onpointermove = () => { if (at !== index) { at = index; mark(); } };
      return row;
    }));
    count.textContent = fitting.length === 0 ? "No matching commands" : fitting.length > MOST ? `${MOST} of ${fitting.length}` : "";
    mark();
  };
  const run = (index) => {
    const command = shown[index];
    if (!command) return;
    dialog.close();
    command.run();
  };
  field.oninput = fill;
  dialog.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) at = Math.min(Math.max(at + step, 0), Math.max(shown.length - 1, 0));
    else if (event.key === "Enter") run(at);
    else return;
    event.preventDefault();
    mark();
  };
  // A click outside closes the dialog.
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.onclose = () => {
    dialog.remove();
    if (document.activeElement === document.body) before?.focus?.();
  };
  document.body.append(dialog);
  dialog.showModal();
  fill();
}

addEventListener("keydown", (event) => {
  const isAsked = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "k";
  if (!isAsked) return;
  event.preventDefault();
  event.stopPropagation();
  const shown = document.querySelector("dialog.palette");
  if (shown) shown.close();
  // Another open dialog has its own keys.
  else if (!document.querySelector("dialog[open]")) open();
}, { capture: true });
