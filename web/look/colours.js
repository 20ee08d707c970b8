// Colours of the page as a canvas takes them.
import { make } from "../learn/parts.js";
import { laneColour } from "./watch.js";

/** The colour of a lane; of what no lane is known for. */
export const colourOf = (lane) => (lane === undefined ? "var(--ink3)" : laneColour(lane));

/** Colours of a place, in the words of a style sheet, as their red, green, blue and alpha: four bytes each. */
export function bytesOf(place, colours) {
  const canvas = make("canvas", { width: colours.length, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const probe = make("i", {});
  // Where colours are forced, what they tell of values and lanes stays.
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

/** Places, each with what paints it. */
const painted = new Map();
function paintAll() {
  for (const [place, paint] of painted) {
    if (place.isConnected) paint();
    else painted.delete(place);
  }
}
new MutationObserver(paintAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintAll);

/** Calls `paint` when the page becomes light or dark, as long as a place is there. */
export function onTheme(place, paint) {
  for (const [other] of painted) if (!other.isConnected) painted.delete(other);
  painted.set(place, paint);
}
