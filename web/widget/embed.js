// Page for an `<iframe>`, whose URL specifies the content and the origin of the host. Messages from this origin are processed, and all
// other messages are ignored. README.md of the package describes the protocol.
import "./element.js";

const PROTOCOL = 1;
const ATTRIBUTES = ["view", "step", "target", "version", "front", "height", "theme", "controls", "readonly", "autoplay", "memory", "columns", "rows", "type", "playground", "label"];
const EVENTS = ["ready", "diagnostics", "step", "fault", "change"];

const parameters = new URLSearchParams(location.hash.slice(1));
const host = parseOrigin(parameters.get("host"));
const widget = document.createElement("warpgrid-playground");

/** Returns the serialized origin of a URL, or `null` if the text is not an origin. */
function parseOrigin(text) {
  try {
    const { origin, href } = new URL(text);
    return origin !== "null" && (href === text || href === `${text}/`) ? origin : null;
  } catch {
    return null;
  }
}

function decodeSource(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

function setAttributes(values) {
  for (const name of ATTRIBUTES) {
    const value = values[name];
    if (typeof value === "string") widget.setAttribute(name, value);
    else if (value === null) widget.removeAttribute(name);
  }
}

/** Sends a message to the host. Without an origin of the host in the URL, no message is sent. */
function postToHost(type, detail) {
  if (host && parent !== window) parent.postMessage({ warpgrid: PROTOCOL, type, ...detail }, host);
}

const state = () => ({ text: widget.text, position: widget.position, length: widget.length, view: widget.view, diagnostics: widget.diagnostics });

/** Types of the fields of each message. */
const FIELDS = { set: { text: "string", attributes: "object" }, seek: { position: "number" } };

/** Returns a message about a field of a wrong type, or `null`. */
function fieldError(data) {
  for (const [name, type] of Object.entries(FIELDS[data.type] ?? {})) {
    const value = data[name];
    const isUnset = value === undefined && data.type === "set";
    if (!isUnset && (typeof value !== type || value === null || Number.isNaN(value))) return `the field \`${name}\` of \`${data.type}\` is ${JSON.stringify(value) ?? "missing"}, expected a value of type ${type}`;
  }
  return null;
}

const commands = {
  set({ text, attributes }) {
    if (attributes !== null && typeof attributes === "object") setAttributes(attributes);
    if (typeof text === "string") widget.text = text;
  },
  seek: ({ position }) => widget.seek(position),
  step: () => widget.step(),
  back: () => widget.back(),
  run: () => widget.run(),
  play: () => widget.play(),
  pause: () => widget.pause(),
  reset: () => widget.reset(),
  load: () => widget.load(),
  get() {},
};

addEventListener("message", async ({ origin, source, data }) => {
  if (!host || origin !== host || source !== parent || data?.warpgrid !== PROTOCOL) return;
  if (!Object.hasOwn(commands, data.type)) {
    postToHost("refused", { id: data.id ?? null, message: `unknown message type \`${data.type}\`` });
    return;
  }
  const message = fieldError(data);
  if (message) {
    postToHost("refused", { id: data.id ?? null, message });
    return;
  }
  await commands[data.type](data);
  postToHost("state", { id: data.id ?? null, ...state() });
});

for (const type of EVENTS) widget.addEventListener(type, ({ detail }) => postToHost(type, detail));
new ResizeObserver(() => postToHost("size", { height: Math.ceil(widget.getBoundingClientRect().height) })).observe(widget);

setAttributes(Object.fromEntries(parameters));
for (const name of ["src", "recording"]) if (parameters.get(name)) widget.setAttribute(name, parameters.get(name));
if (parameters.get("theme")) document.documentElement.dataset.theme = parameters.get("theme");
try {
  widget.textContent = decodeSource(parameters.get("text") ?? "");
  document.body.replaceChildren(widget);
} catch {
  document.body.textContent = "Cannot decode the source in the URL of this frame, because the source is truncated or corrupted.";
}
