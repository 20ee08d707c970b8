// Colors of the page for canvases.
import { make } from "../learn/dom.js";
import { laneColour } from "./watch.js";

/** Returns the color of a lane, or the color for an unknown lane. */
export const colourOf = (lane) => (lane === undefined ? "var(--ink3)" : laneColour(lane));

/** Resolves CSS colors in the context of an element to RGBA bytes. */
export function bytesOf(place, colours) {
  const canvas = make("canvas", { width: colours.length, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const probe = make("i", {});
  // In forced-colors mode, the colors of values and lanes are preserved, because they carry information.
  probe.style.forcedColorAdjust = "none";
  place.append(probe);
  colours.forEach((colour, at) => {
    probe.style.color = colour;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(at, 0, 1, 1);
  });
  probe.remove();
  return context.getImageData(0, 0, colours.length, 1).data;
}

/** Containers and their paint functions. */
const painted = new Map();
function paintAll() {
  for (const [place, paint] of painted) {
    if (place.isConnected) paint();
    else painted.delete(place);
  }
}
new MutationObserver(paintAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintAll);

/** Calls `paint` when the theme changes, as long as the container is in the document. */
export function onTheme(place, paint) {
  for (const [other] of painted) if (!other.isConnected) painted.delete(other);
  painted.set(place, paint);
}
