// The page of an `<iframe>`: its URL specifies the content and the origin of the host. Messages of that origin are processed, and all
// others ignored. The protocol is described in README.md of the package.
import "./element.js";

const PROTOCOL = 1;
const ATTRIBUTES = ["view", "step", "target", "version", "front", "height", "theme", "controls", "readonly", "autoplay", "memory", "columns", "rows", "type", "playground", "label"];
const EVENTS = ["ready", "diagnostics", "step", "fault", "change"];

const facts = new URLSearchParams(location.hash.slice(1));
const host = originOf(facts.get("host"));
const widget = document.createElement("warpgrid-playground");

/** Returns the serialized origin of a URL, or `null` if the text is not an origin. */
function originOf(text) {
  try {
    const { origin, href } = new URL(text);
    return origin !== "null" && (href === text || href === `${text}/`) ? origin : null;
  } catch {
    return null;
  }
}

function decoded(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

function setAttributes(given) {
  for (const name of ATTRIBUTES) {
    const value = given[name];
    if (typeof value === "string") widget.setAttribute(name, value);
    else if (value === null) widget.removeAttribute(name);
  }
}

/** Sends a message to the host. Nothing is sent without a named host. */
function tell(type, detail) {
  if (host && parent !== window) parent.postMessage({ warpgrid: PROTOCOL, type, ...detail }, host);
}

const state = () => ({ text: widget.text, position: widget.position, length: widget.length, view: widget.view, diagnostics: widget.diagnostics });

const orders = {
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
  if (!Object.hasOwn(orders, data.type)) {
    tell("refused", { id: data.id ?? null, message: `unknown message type \`${data.type}\`` });
    return;
  }
  await orders[data.type](data);
  tell("state", { id: data.id ?? null, ...state() });
});

for (const type of EVENTS) widget.addEventListener(type, ({ detail }) => tell(type, detail));
new ResizeObserver(() => tell("size", { height: Math.ceil(widget.getBoundingClientRect().height) })).observe(widget);

setAttributes(Object.fromEntries(facts));
for (const name of ["src", "recording"]) if (facts.get(name)) widget.setAttribute(name, facts.get(name));
if (facts.get("theme")) document.documentElement.dataset.theme = facts.get("theme");
try {
  widget.textContent = decoded(facts.get("text") ?? "");
  document.body.replaceChildren(widget);
} catch {
  document.body.textContent = "Cannot decode the source in the URL of this frame, because the source is truncated or corrupted.";
}
