// Files to keep: a name and what the core has made of it come in; the browser's own way to save a file comes out.
import { make } from "./embed.js";

const MEDIA = { svg: "image/svg+xml", png: "image/png", csv: "text/csv", npy: "application/octet-stream", txt: "text/plain", json: "application/json" };
/** Pixels of a picture for one of a drawing, so that it is sharp on dense screens; and the longest side that browsers paint. */
const DENSITY = 2;
const LONGEST_SIDE = 16_000;

/** Presses a link to the file, which is the only way to name it. */
function press(name, href) {
  make("a", { href, download: name }).click();
}

/** Saves a text or bytes under a name. */
export function saveFile(name, content) {
  if (typeof content === "string" && content.startsWith("data:")) { press(name, content); return; }
  const address = URL.createObjectURL(new Blob([content], { type: MEDIA[name.split(".").pop()] }));
  press(name, address);
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A drawing (SVG) as a picture (PNG). */
async function painted(drawing) {
  const address = URL.createObjectURL(new Blob([drawing], { type: MEDIA.svg }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(DENSITY, LONGEST_SIDE / Math.max(image.width, image.height));
    const canvas = make("canvas", { width: image.width * scale, height: image.height * scale });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the image is larger than this browser supports"))), MEDIA.png));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Saves what is promised: text or bytes, an `Error` that says why there are none, or null where the core has ended. A drawing becomes a picture where the name says so. */
export async function savePromised(name, promise, onFailed) {
  try {
    const content = await promise;
    if (content === null) throw new Error("the emulator has stopped");
    if (content instanceof Error) throw content;
    saveFile(name, name.endsWith(".png") && typeof content !== "string" ? await painted(content) : content);
  } catch (error) {
    onFailed?.(`Failed to save ${name}: ${error.message}.`);
  }
}
