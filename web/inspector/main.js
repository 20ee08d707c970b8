// Inspection features beyond the main page: watched values, comparison of two steps, custom layouts, memory overviews, pixel grids, and JIT
// runs. The page loads this module on demand (`web/editor/inspector-loader.js`). `page` is the interface to the page, and a dedicated
// worker answers the requests of this module (`web/worker/src/inspector.rs`).
import css from "./inspector.css";
import { createElement } from "../dom.js";
import { customLayoutCard } from "./custom-layout.js";
import { minimap } from "./minimap.js";
import { memoryOverviewCard } from "./memory-overview.js";
import { compareStepsCard } from "./compare-steps.js";
import { baseName, hasSourceFile } from "../editor/source-file.js";
import { CARD_LABELS, PANEL_LABELS } from "./card-labels.js";
import { pixelGrid } from "./pixel-grid.js";
import { queryAtStep, stepOf } from "./query.js";
import { bottomPanel } from "./bottom-panel.js";
import { findingsSummary, findingsTab } from "./findings.js";
import { jitRunCard } from "./jit-run.js";
import { sourceViewCard } from "./source-view.js";
import { timelineTab } from "./timeline.js";
import { watchCard } from "./watch.js";

document.head.append(createElement("style", {}, css));

let sideCards = null;
let latestStepContext = null;
/** Cards below the memories, by name. */
const LAZY_CARDS = { "source-view": sourceViewCard, "custom-layout": customLayoutCard, "memory-overview": memoryOverviewCard, "jit-run": jitRunCard };
const lazyCards = {};
/** Marks the button of the open tab in the transport. */
function markPanelButton(openName) {
  for (const button of document.querySelectorAll(".panel-buttons button")) button.setAttribute("aria-expanded", String(button.dataset.panel === openName));
}
/** Creates the tab of the analyses, whose cards the page renders. */
function analysisTab({ page }) {
  const node = page.analysisPanel();
  // The list of findings shows only the card of the selected finding.
  return { node, actions: [], show: () => { delete node.dataset.shown; }, focus: () => node.focus() };
}
const panel = bottomPanel({
  findings: { label: PANEL_LABELS.findings.label, create: findingsTab },
  timeline: { label: PANEL_LABELS.timeline.label, create: timelineTab },
  analysis: { label: PANEL_LABELS.analysis.label, create: analysisTab },
}, markPanelButton);

/** Opens a tab of the bottom panel. */
export const openPanel = panel.open;

/** Opens a tab of the bottom panel, or closes the panel if the tab is open. */
export function togglePanel(name, stepContext) {
  if (panel.openName() === name) panel.close();
  else panel.focus(name, stepContext);
}

/** Shows a checked source in the bottom panel. Returns the summary of its findings, `{ verdict, text }`. */
export function showChecked(stepContext) {
  panel.show(stepContext);
  return findingsSummary(stepContext);
}

/** Opens the list of findings, and selects the next finding (`offset` 1) or the previous finding (-1). */
export async function selectFinding(stepContext, offset) {
  if (panel.openName() !== "findings") panel.focus("findings", stepContext);
  await panel.tab("findings").select(offset);
}

/** Returns the current watch expressions. */
export const watchExpressions = () => sideCards?.[0].watchExpressions() ?? [];

/** Shows the cards for a step context `{ container, linkFields, source, key, generation, watch, page }`. */
export function openInspector(stepContext) {
  if (!sideCards) {
    sideCards = [watchCard(stepContext), compareStepsCard(stepContext)];
    const buttons = Object.keys(LAZY_CARDS).map((name) => {
      const { label, shortLabel, title } = CARD_LABELS[name];
      return createElement("button", { type: "button", class: "mini", title, "aria-label": label, onclick: () => focusCard(name, latestStepContext) }, shortLabel);
    });
    sideCards[0].node.querySelector("h2").append(createElement("span", { class: "spacer" }), ...buttons);
  }
  if (hasSourceFile(stepContext.source)) {
    lazyCards["source-view"] ??= sourceViewCard(stepContext);
    lazyCards["source-view"].open();
  }
  updateCards(stepContext);
}

/** Updates the open cards after a step. */
export function updateCards(stepContext) {
  latestStepContext = stepContext;
  const nodes = sideCards?.map(({ node }) => node) ?? [];
  if (nodes[0] && nodes[0].parentElement !== stepContext.container) stepContext.container.replaceChildren(...nodes);
  for (const card of [...sideCards ?? [], ...Object.values(lazyCards), panel]) card.show(stepContext);
}

/** Focuses a card: `source-view`, `watch`, `compare-steps`, `custom-layout`, `memory-overview` or `jit-run`. `initialValues`
 *  contains the initial values of the card's fields. */
export function focusCard(name, stepContext, initialValues) {
  if (LAZY_CARDS[name]) {
    lazyCards[name] ??= LAZY_CARDS[name](stepContext);
    lazyCards[name].focus(initialValues);
    return;
  }
  sideCards?.find(({ node }) => node.classList.contains(name))?.focus();
}

/** Checks whether the line table of a kernel refers to a source file of this name. A kernel that cannot run has no line table. */
export async function isSourceOfKernel(stepContext, name) {
  try {
    const { files } = await queryAtStep(stepContext, "sources", stepOf(stepContext));
    return files.some((file) => baseName(file.name) === name);
  } catch {
    return false;
  }
}

/** Renderers of the containers that are beside the rows of a memory or replace them. */
const CONTAINER_RENDERERS = { minimap, "pixel-grid": pixelGrid };
const renderers = new WeakMap();
/** Renders a step into the container of a minimap or a pixel grid. */
export function renderContainer(stepContext) {
  const { container, name } = stepContext;
  if (!renderers.has(container)) renderers.set(container, CONTAINER_RENDERERS[name](container));
  renderers.get(container).show(stepContext);
}
