// Downloads: saves contents that the worker has created as a file.
import { createElement } from "../dom.js";

const MEDIA_TYPES = { svg: "image/svg+xml", png: "image/png", csv: "text/csv", npy: "application/octet-stream", txt: "text/plain", json: "application/json" };
/** Pixel density of an exported image, which makes the image sharp on high-density screens. The next constant is the longest side of a
 *  canvas that browsers support. */
const PIXEL_DENSITY = 2;
const MAX_CANVAS_SIDE = 16_000;

/** Clicks a download link, because only a download link can set the file name. */
function clickDownloadLink(name, href) {
  createElement("a", { href, download: name }).click();
}

/** Saves text or bytes under a file name. */
export function saveFile(name, content) {
  if (typeof content === "string" && content.startsWith("data:")) { clickDownloadLink(name, content); return; }
  const url = URL.createObjectURL(new Blob([content], { type: MEDIA_TYPES[name.split(".").pop()] }));
  clickDownloadLink(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Converts an SVG image to PNG. */
async function rasterizeSvg(svg) {
  const url = URL.createObjectURL(new Blob([svg], { type: MEDIA_TYPES.svg }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(PIXEL_DENSITY, MAX_CANVAS_SIDE / Math.max(image.width, image.height));
    const canvas = createElement("canvas", { width: image.width * scale, height: image.height * scale });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the image is larger than this browser supports"))), MEDIA_TYPES.png));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Saves the result of a promise: text or bytes, an `Error` with the reason of a failure, or null if the worker has stopped. An SVG
 *  image is converted to PNG if the file name requires it. */
export async function saveResult(name, promise, onFailed) {
  try {
    const content = await promise;
    if (content === null) throw new Error("the emulator has stopped");
    if (content instanceof Error) throw content;
    saveFile(name, name.endsWith(".png") && typeof content !== "string" ? await rasterizeSvg(content) : content);
  } catch (error) {
    onFailed?.(`Failed to save ${name}: ${error.message}.`);
  }
}
