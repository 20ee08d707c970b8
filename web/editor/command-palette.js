// The command palette (Ctrl+K) lists the visible controls of the page and activates the selected control. Controls need not be registered,
// because each control is listed under its accessible name. Commands without a control are registered. Tours, puzzles, questions and
// reference pages follow the controls (`web/editor/palette-catalog.js`).
import { createElement } from "../dom.js";
import { registeredCommands } from "./commands.js";
import { loadCatalog } from "./palette-catalog.js";
import { openHeader, showInspectorTab, showView, viewContaining, withAllViewsRendered } from "./view-tabs.js";

/** Containers of controls, and the name of the corresponding part of the page. The first container that matches a control determines the
 *  name. */
const GROUPS = [
  ["footer", "run"],
  [".views", "view"],
  ["[aria-label=Source]", "source"],
  ["header", "page"],
];
const CONTROL_SELECTOR = "button, summary, a[href], select, input[type=checkbox], input[type=radio]";
/** Maximum number of listed commands. The user can type another letter to narrow a longer list. */
const MAX_RESULTS = 60;

const normalizeSpace = (text) => text.replace(/\s+/g, " ").trim();
const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("dialog, [aria-hidden=true], .cm-editor .cm-content");

/** Returns an approximation of the accessible name of a control. */
function accessibleName(element) {
  const labelledBy = element.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const label = element.getAttribute("aria-label") ?? labelledBy ?? element.labels?.[0]?.textContent ?? element.textContent;
  return normalizeSpace(label) || normalizeSpace(element.title);
}

/** Returns the text of the heading of a card without the controls and the details in the heading. */
function headingOf(card) {
  const heading = card?.querySelector("h2, h3");
  const parts = [...heading?.childNodes ?? []].filter((node) => !node.matches?.("small, .segmented-control, .icon, .mini, .line-link, .spacer"));
  return normalizeSpace(parts.map(({ textContent }) => textContent).join(" "));
}

/** Returns the part of the page that contains a control: the heading of its card, otherwise the name of its container. */
function groupOf(element) {
  return headingOf(element.closest(".card, .head")) || (GROUPS.find(([selector]) => element.closest(selector))?.[1] ?? "memory");
}

function selectOption(select, value) {
  select.value = value;
  select.dispatchEvent(new Event("change", { bubbles: true }));
}

/** Shows the view and the tab of the inspector that contain an element. */
function reveal(element) {
  showView(viewContaining(element));
  const group = element.closest(".inspector-group");
  if (group) showInspectorTab(group.dataset.tab);
}

/** Activates a control after its view has become visible. */
function activate(element) {
  if (element.matches("summary")) openHeader();
  else if (!element.closest("header")) reveal(element);
  element.focus();
  element.click();
}

/** Returns the commands that a control provides. */
function controlCommands(element) {
  const group = groupOf(element);
  if (element instanceof HTMLSelectElement) {
    const name = accessibleName(element);
    const options = [...element.options].filter(({ disabled, selected, value }) => !disabled && !selected && value !== "");
    return options.map(({ value, label }) => ({ name: normalizeSpace(label), group: name, run: () => selectOption(element, value) }));
  }
  const name = accessibleName(element);
  return name === "" ? [] : [{ name, group, help: normalizeSpace(element.title), run: () => activate(element) }];
}

/** Returns the command that moves to a card. */
function cardCommands(card) {
  const heading = headingOf(card);
  const show = () => {
    reveal(card);
    card.scrollIntoView({ block: "start" });
    (card.querySelector("[tabindex], button, summary") ?? card).focus({ preventScroll: true });
  };
  return heading === "" ? [] : [{ name: heading, group: "go to", run: show }];
}

/** Returns all current commands of the page, including commands of views that a narrow window hides. Each name occurs once per part of the
 *  page. */
const commands = () => withAllViewsRendered(visibleCommands);
function visibleCommands() {
  const controls = [...document.querySelectorAll(CONTROL_SELECTOR)].filter((element) => isVisible(element) && !element.disabled && element.getAttribute("aria-disabled") !== "true");
  const cards = [...document.querySelectorAll(".card")].filter(isVisible);
  const commandByKey = new Map();
  for (const command of [...cards.flatMap(cardCommands), ...controls.flatMap(controlCommands), ...registeredCommands]) {
    const key = `${command.group}\n${command.name}`;
    if (!commandByKey.has(key)) commandByKey.set(key, command);
  }
  return [...commandByKey.values()];
}

/** Pattern of a value, an address, or an element such as `out[5]`, which can be searched for in memory. */
const SEARCHABLE = /^(?:[-+]?(?:\d[\w.+-]*|inf)|nan|[\w:.$%]+\[\d+\])$/i;
/** Returns the command that searches memory for the typed text. Each activation of the command moves to the next match. */
function searchCommands(query) {
  const text = normalizeSpace(query).replace(/^= ?/, "");
  return SEARCHABLE.test(text) ? [{ name: `Find ${text} in memory`, group: "memory", run: () => globalThis.warpgridEditor.find(text) }] : [];
}

/** Ranks a command against the typed words. A lower rank is better, and a command that does not contain one of the words has an infinite
 *  rank. */
function rank({ name, group, help = "" }, terms) {
  const [title, searchText] = [name.toLowerCase(), `${name} ${group} ${help}`.toLowerCase()];
  if (!terms.every((term) => searchText.includes(term))) return Infinity;
  const firstTerm = terms[0] ?? "";
  if (title.startsWith(firstTerm)) return 0;
  if (title.split(/[^\p{L}\p{N}_.]+/u).some((term) => term.startsWith(firstTerm))) return 1;
  return title.includes(firstTerm) ? 2 : 3;
}

function rankCommands(candidates, query) {
  const terms = normalizeSpace(query.toLowerCase()).split(" ").filter(Boolean);
  const matches = candidates.map((command, index) => ({ command, index, rank: rank(command, terms) })).filter((each) => each.rank < Infinity);
  matches.sort((a, b) => a.rank - b.rank || a.index - b.index);
  return matches.map(({ command }) => command);
}

/** Opens the command palette. */
export function openPalette() {
  const candidates = commands();
  const previousFocus = document.activeElement;
  const list = createElement("ul", { id: "palette-list", role: "listbox" });
  list.setAttribute("aria-label", "Commands");
  const input = createElement("input", { type: "text", placeholder: "Search commands, examples, reference pages, buffers and values", autocomplete: "off", spellcheck: false });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-label": "Command", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list" })) {
    input.setAttribute(name, value);
  }
  const count = createElement("div", { className: "palette-count" });
  count.setAttribute("role", "status");
  const dialog = createElement("dialog", { className: "palette" });
  dialog.setAttribute("aria-label", "Commands");
  dialog.append(input, list, count);

  let results = [];
  let selectedIndex = 0;
  loadCatalog((more) => {
    candidates.push(...more);
    if (dialog.isConnected) updateResults(selectedIndex);
  });
  const updateSelection = () => {
    [...list.children].forEach((row, index) => row.setAttribute("aria-selected", String(index === selectedIndex)));
    const row = list.children[selectedIndex];
    row?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", row?.id ?? "");
  };
  const updateResults = (selected = 0) => {
    const matches = [...rankCommands(candidates, input.value), ...searchCommands(input.value)];
    results = matches.slice(0, MAX_RESULTS);
    selectedIndex = Math.min(selected, Math.max(results.length - 1, 0));
    list.replaceChildren(...results.map(({ name, group }, index) => {
      const row = createElement("li", { id: `palette-${index}`, role: "option" });
      row.append(createElement("span", { textContent: name }), createElement("small", { textContent: group }));
      row.onclick = () => runCommand(index);
      row.onpointermove = () => { if (selectedIndex !== index) { selectedIndex = index; updateSelection(); } };
      return row;
    }));
    count.textContent = matches.length === 0 ? "No matching entries" : matches.length > MAX_RESULTS ? `${MAX_RESULTS} of ${matches.length}` : "";
    updateSelection();
  };
  const runCommand = (index) => {
    const command = results[index];
    if (!command) return;
    dialog.close();
    command.run();
  };
  input.oninput = () => updateResults();
  dialog.onkeydown = (event) => {
    const offset = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (offset) selectedIndex = Math.min(Math.max(selectedIndex + offset, 0), Math.max(results.length - 1, 0));
    else if (event.key === "Enter") runCommand(selectedIndex);
    else return;
    event.preventDefault();
    updateSelection();
  };
  // A click outside of the palette closes the dialog.
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.onclose = () => {
    dialog.remove();
    if (document.activeElement === document.body) previousFocus?.focus?.();
  };
  document.body.append(dialog);
  dialog.showModal();
  updateResults();
}
