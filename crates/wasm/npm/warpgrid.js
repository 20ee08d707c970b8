// The door of the package: the same `await init()` in a page, in a worker and in Node. What the wasm cannot say in a
// sentence, because its glue fails before it is asked, is said here.
import initCore, * as core from "./core.js";

let isLoaded = false;
/** Sessions that were freed. */
const freed = new WeakSet();

function failure(code, message) {
  return Object.assign(new Error(message), { name: "WarpgridError", code, diagnostics: null });
}

function assertLoaded() {
  if (!isLoaded) throw failure("W0905", "the wasm is not loaded: call `await init()` first");
}

function assertAlive(session) {
  if (freed.has(session)) throw failure("W0905", "the session was freed: make a new one");
}

function unreadable(what, found, expected) {
  const shown = typeof found === "object" && found !== null ? "an object" : String(found);
  return failure("W0901", `the ${what} cannot be read: found ${shown}, expected ${expected}`);
}

function text(what, value) {
  if (typeof value !== "string") throw unreadable(what, value, "a string");
  return value;
}

/** A number that is not negative and not above `most`. */
function whole(what, value, most = Number.MAX_SAFE_INTEGER) {
  if (!Number.isInteger(value) || value < 0) throw unreadable(what, value, "a whole number from 0");
  if (value > most) throw unreadable(what, value, `at most ${most}`);
  return value;
}

function loaded(call) {
  return (...values) => {
    assertLoaded();
    return call(...values);
  };
}

export const check = loaded((source, options) => core.check(text("source", source), options));
export const explain = loaded((subject) => core.explain(text("subject", subject)));
export const format = loaded((source) => core.format(text("source", source)));
export const tokens = loaded((source, options) => core.tokens(text("source", source), options));
export const hover = loaded((source, offset, options) =>
  core.hover(text("source", source), whole("offset", offset, source.length), options));
export const complete = loaded((source, offset, options) =>
  core.complete(text("source", source), whole("offset", offset, source.length), options));
export const codes = loaded(core.codes);
export const forms = loaded(core.forms);
export const fragment = loaded(core.fragment);
export const product = loaded(core.product);

export class Session extends core.Session {
  constructor(scenario) {
    assertLoaded();
    super(scenario);
  }
  memory(name) {
    assertAlive(this);
    return super.memory(text("name", name));
  }
  grid(name, options) {
    assertAlive(this);
    return super.grid(text("name", name), options);
  }
  land(id) {
    assertAlive(this);
    return super.land(whole("id", id));
  }
  /** Gives the memory back; a second call does nothing. */
  free() {
    if (freed.has(this)) return;
    freed.add(this);
    super.free();
  }
}

// Every other method and getter asks whether the session is still there.
for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(core.Session.prototype))) {
  if (name === "constructor" || name.startsWith("__") || Object.hasOwn(Session.prototype, name)) continue;
  const guard = (call) => call && function (...values) {
    assertAlive(this);
    return call.apply(this, values);
  };
  const guarded = own.value ? { value: guard(own.value) } : { get: guard(own.get) };
  Object.defineProperty(Session.prototype, name, { ...guarded, configurable: true });
}

/** Loads the wasm from what is at hand. */
export function initSync(module) {
  const exports = core.initSync(module);
  isLoaded = true;
  return exports;
}

/**
 * Loads the wasm once; later calls return at once. Without an argument it takes the file beside this module;
 * otherwise a URL, a `Response`, bytes or a `WebAssembly.Module`.
 */
export default async function init(source) {
  const input = (await source) ?? (await besideThisModule());
  const exports = await initCore({ module_or_path: input });
  isLoaded = true;
  return exports;
}

async function besideThisModule() {
  const file = new URL("core_bg.wasm", import.meta.url);
  if (file.protocol !== "file:" || !globalThis.process?.versions?.node) return file;
  // Node's `fetch` reads no files. The name is no literal, so that bundlers for pages leave it alone.
  const module = "node:fs/promises";
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ module);
  return readFile(file);
}
