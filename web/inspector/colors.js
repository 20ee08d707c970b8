// Colors of the page, resolved for drawing on canvases.
import { createElement } from "../dom.js";
import { laneColor } from "./watch.js";

/** Returns the color of a lane, or the color that represents an unknown lane. */
export const laneColorOrUnknown = (lane) => (lane === undefined ? "var(--ink3)" : laneColor(lane));

/** Resolves CSS colors to RGBA bytes, in the context of an element. */
export function toRgba(container, colors) {
  const canvas = createElement("canvas", { width: colors.length, height: 1 });
  const canvasContext = canvas.getContext("2d", { willReadFrequently: true });
  const probe = createElement("i", {});
  // In forced-colors mode, the colors of values and lanes are kept, because they carry information.
  probe.style.forcedColorAdjust = "none";
  container.append(probe);
  colors.forEach((color, index) => {
    probe.style.color = color;
    canvasContext.fillStyle = getComputedStyle(probe).color;
    canvasContext.fillRect(index, 0, 1, 1);
  });
  probe.remove();
  return canvasContext.getImageData(0, 0, colors.length, 1).data;
}

/** Maps each container to the function that paints it. */
const paintByContainer = new Map();
function paintAll() {
  for (const [container, paint] of paintByContainer) {
    if (container.isConnected) paint();
    else paintByContainer.delete(container);
  }
}
new MutationObserver(paintAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintAll);

/** Calls `paint` when the theme changes, as long as the document contains the container. */
export function onThemeChange(container, paint) {
  for (const [other] of paintByContainer) if (!other.isConnected) paintByContainer.delete(other);
  paintByContainer.set(container, paint);
}
