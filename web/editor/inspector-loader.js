// Loads the inspection features of `web/inspector` on demand: when the user requests them, has watched an expression of the current source
// before, views a long memory, or opens a kernel that contains its source file.
import { CARD_LABELS, PANEL_LABELS, WATCH_STORAGE_KEY } from "../inspector/card-labels.js";
import { createElement } from "../dom.js";
import { hasSourceFile } from "./source-file.js";
import { loadModule } from "./util.js";
import { showInspectorTab } from "./view-tabs.js";
import { firstWorkerLoaded } from "./worker-registry.js";

let inspector = null;
/** Promise of the import that is in progress. */
let pendingImport = null;
/** Whether the watch cards are shown. */
let isOpen = false;
let latestStepContext = null;
/** Containers that wait for the module, each with its pending frame. A container is beside the rows of a memory or replaces them. */
const pendingContainers = new Map();
/** Delay in milliseconds before the minimap of a long memory is loaded, because the rows of the memory have priority. */
const MINIMAP_DELAY_MS = 300;
/** Returns the inferred annotations of the current launch, if there are any. */
export const inferredAnnotations = () => latestStepContext?.linkFields.guessed;
/** Checks whether watch expressions are saved for a source (`web/inspector/watch-storage.js`). */
const hasSavedWatches = (key) => { try { return (localStorage.getItem(WATCH_STORAGE_KEY) ?? "").includes(JSON.stringify(key)); } catch { return false; } };
/** Returns the watch expressions of the current source in their order. */
export async function watchExpressions() {
  await pendingImport;
  return isOpen ? inspector.watchExpressions() : [];
}

/** Loads the module. Returns whether it is loaded. `isRequested` states whether the user waits for the module, so that a failure is reported. */
async function loadInspector(isRequested = true) {
  try {
    pendingImport ??= loadModule("inspector.js");
    inspector = await pendingImport;
  } catch (error) {
    pendingImport = null;
    if (isRequested) (latestStepContext ?? checkedContext)?.page.failed(`Failed to load the inspector: ${error.message}`);
  }
  for (const stepContext of pendingContainers.values()) inspector?.renderContainer(stepContext);
  pendingContainers.clear();
  return inspector !== null;
}

/** Shows the watch cards. */
async function openInspector(card) {
  if (!await loadInspector()) return;
  isOpen = true;
  if (card === "watch" || card === "compare-steps") showInspectorTab("watch");
  inspector.openInspector(latestStepContext);
  if (card) inspector.focusCard(card, latestStepContext);
}

/** Delay in milliseconds between the check of a source and the analysis of its findings, because the run has priority. */
const FINDINGS_DELAY_MS = 600;
/** Source and settings of the last check, which the bottom panel shows. */
let checkedContext = null;
let findingsTimer = 0;

/** Renders the buttons of the transport that open the bottom panel. */
function renderPanelButtons(stepContext) {
  checkedContext = stepContext;
  const { container } = stepContext;
  if (!container.firstChild) {
    container.append(...Object.entries(PANEL_LABELS).map(([name, { label, title }]) => {
      const button = createElement("button", { type: "button", class: "mini", title, "data-panel": name, "aria-expanded": "false" }, label);
      button.onclick = () => void loadInspector().then((isLoaded) => isLoaded && inspector.togglePanel(name, currentContext()));
      return button;
    }));
  }
  openLinkedPanel();
  clearTimeout(findingsTimer);
  findingsTimer = setTimeout(() => void updateFindings(), FINDINGS_DELAY_MS);
}

/** Link that opens an example with a tab of the bottom panel: `#example=ID&panel=analysis`. */
const PANEL_LINK = /^#example=[^&]+&panel=(\w+)$/;
let openedLink = "";
/** Opens the tab of the bottom panel that the URL names, once per URL. */
function openLinkedPanel() {
  const [link, name] = PANEL_LINK.exec(location.hash) ?? [];
  if (!name || link === openedLink || !Object.hasOwn(PANEL_LABELS, name)) return;
  openedLink = link;
  void loadInspector().then((isLoaded) => isLoaded && inspector.openPanel(name, currentContext()));
}

/** Returns the context of the current step, or of the checked source if the source has not run. */
const currentContext = () => (latestStepContext?.source === checkedContext?.source ? latestStepContext : checkedContext);

/** Whether an analysis is in progress. Only the newest source is analyzed afterwards, so that analyses do not accumulate. */
let isAnalyzing = false;
/** Shows the summary of the findings of the newest source in the button of the transport. */
async function updateFindings() {
  if (isAnalyzing) return;
  isAnalyzing = true;
  // The emulator has priority: until its module has loaded, the page shows recorded responses.
  await firstWorkerLoaded;
  let analyzed = null;
  while (analyzed !== checkedContext) {
    analyzed = checkedContext;
    await showFindingsSummary(analyzed);
  }
  isAnalyzing = false;
}

/** Summary of the findings before the last fix, until the findings of the changed source are known. */
let summaryBeforeFix = null;
/** Reports the findings before and after a fix once the changed source has been analyzed. */
export function reportNextFindings() {
  const button = checkedContext?.container.querySelector("[data-panel=findings]");
  if (button?.dataset.verdict) summaryBeforeFix = { source: checkedContext.source, text: button.textContent };
}

/** Duration in milliseconds for which the effect of a fix is shown. */
const FIX_REPORT_MS = 10_000;
function reportFix(source, text) {
  if (summaryBeforeFix === null || summaryBeforeFix.source === source) return;
  const report = createElement("p", { class: "fix-report", "aria-live": "polite" });
  document.querySelector(".fix-report")?.remove();
  document.body.append(report);
  report.textContent = `Fix applied. Before: ${summaryBeforeFix.text}. Now: ${text}.`;
  summaryBeforeFix = null;
  setTimeout(() => report.remove(), FIX_REPORT_MS);
}

async function showFindingsSummary(checked) {
  const button = checked.container.querySelector("[data-panel=findings]");
  try {
    if (!await loadInspector(false)) return;
    const { verdict, text } = await inspector.showChecked(currentContext());
    if (checked !== checkedContext) return;
    button.dataset.verdict = verdict;
    button.textContent = text;
    reportFix(checked.source, text);
    button.setAttribute("aria-label", text === PANEL_LABELS.findings.label ? text : `${PANEL_LABELS.findings.label}: ${text}`);
  } catch {
    delete button.dataset.verdict;
    button.textContent = PANEL_LABELS.findings.label;
    button.removeAttribute("aria-label");
  }
}

addEventListener("keydown", (event) => {
  if (event.key !== "F8" || event.ctrlKey || event.altKey || event.metaKey || !checkedContext) return;
  event.preventDefault();
  void loadInspector().then((isLoaded) => isLoaded && inspector.selectFinding(currentContext(), event.shiftKey ? -1 : 1));
});

/** Extensions of source files of compilers. */
const SOURCE_EXTENSION = /\.(cu|cuh|c|cc|cpp|cxx|h|hpp|py)$/i;
/** Checks whether the line table of the current kernel refers to a source file of this name. */
export async function isSourceOfKernel(name) {
  return SOURCE_EXTENSION.test(name) && latestStepContext !== null && await loadInspector() && inspector.isSourceOfKernel(latestStepContext, name);
}

/** Opens the card that shows a memory in a custom stride or layout. */
export async function openCustomLayout(memory, type) {
  if (await loadInspector()) inspector.focusCard("custom-layout", latestStepContext, { memory, type });
}

/** Renders a step into a container. A step context is `{ name, container, linkFields, source, key, generation, watch, page }`, where
 *  `watch` contains the watch expressions of a link or file. */
export function renderInspector(stepContext) {
  if (stepContext.name === "panel-buttons") { renderPanelButtons(stepContext); return; }
  if (stepContext.name !== "inspect") {
    if (inspector) { inspector.renderContainer(stepContext); return; }
    pendingContainers.set(stepContext.container, stepContext);
    setTimeout(() => void loadInspector(), stepContext.name === "minimap" ? MINIMAP_DELAY_MS : 0);
    return;
  }
  latestStepContext = stepContext;
  inspector?.updateCards(stepContext);
  if (isOpen) return;
  const hasWatches = stepContext.watch.length > 0 || hasSavedWatches(stepContext.key);
  if (hasWatches) showInspectorTab("watch");
  if (hasWatches || hasSourceFile(stepContext.source)) { void openInspector(); return; }
  if (stepContext.container.firstChild) return;
  const buttons = Object.entries(CARD_LABELS).map(([card, { label, title }]) => createElement("button", { type: "button", className: "action-button", textContent: label, title, onclick: () => void openInspector(card) }));
  const card = createElement("section", { className: "card" }, createElement("h2", {}, "Watch"), createElement("div", { className: "fixes" }, ...buttons));
  card.setAttribute("aria-label", "Watch");
  stepContext.container.append(card);
}
