// The page of an `<iframe>`: the address says what to show and which origin may talk to it; messages of that origin, and of no other, are
// carried out. The protocol is in README.md of the package.
import "./element.js";

const PROTOCOL = 1;
const ATTRIBUTES = ["view", "step", "target", "version", "front", "height", "theme", "controls", "readonly", "autoplay", "memory", "columns", "rows", "type", "playground", "label"];
const EVENTS = ["ready", "diagnostics", "step", "fault", "change"];

const facts = new URLSearchParams(location.hash.slice(1));
const host = originOf(facts.get("host"));
const widget = document.createElement("warpgrid-playground");

/** An origin as browsers write it; `null` for anything else. */
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

/** What the host learns; nothing leaves without a named host. */
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
