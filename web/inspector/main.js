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
import { CARD_LABELS } from "./card-labels.js";
import { pixelGrid } from "./pixel-grid.js";
import { queryAtStep, stepOf } from "./query.js";
import { findingsCard } from "./findings.js";
import { jitRunCard } from "./jit-run.js";
import { sourceViewCard } from "./source-view.js";
import { watchCard } from "./watch.js";

document.head.append(createElement("style", {}, css));

let sideCards = null;
let latestStepContext = null;
/** Cards below the memories, by name. */
const LAZY_CARDS = { findings: findingsCard, "source-view": sourceViewCard, "custom-layout": customLayoutCard, "memory-overview": memoryOverviewCard, "jit-run": jitRunCard };
const lazyCards = {};

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
  for (const card of [...sideCards ?? [], ...Object.values(lazyCards)]) card.show(stepContext);
}

/** Focuses a card: `findings`, `source-view`, `watch`, `compare-steps`, `custom-layout`, `memory-overview` or `jit-run`. `initialValues`
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
