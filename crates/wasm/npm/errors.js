// The one class of errors that the package throws.

/** A call that cannot be answered: its `code` has a page (`explain(code)`), and `diagnostics` say where in the text, if they can. */
export class WarpgridError extends Error {
  constructor(message, code, diagnostics = null) {
    super(message);
    this.code = code;
    this.diagnostics = diagnostics;
  }
}
// Not the name of the class: who minifies a page renames that.
Object.defineProperty(WarpgridError.prototype, "name", { value: "WarpgridError", configurable: true, writable: true });

/** The error for a trap of the core. An allocation that fails traps; no other trap of the core is known. */
function trapped(error) {
  const found = new WarpgridError(
    `the emulator crashed (${error.message}), possibly because memory is exhausted: free unused sessions or use smaller buffers`, "W0713");
  found.cause = error;
  return found;
}

/** A copy of what the core threw, in the class; anything else as it is. */
export function asWarpgridError(error) {
  if (error instanceof WebAssembly.RuntimeError) return trapped(error);
  if (error instanceof WarpgridError || error?.name !== "WarpgridError") return error;
  return new WarpgridError(error.message, error.code, error.diagnostics);
}

/** What loading the wasm came to: the host's own words for a missing file, a broken address or wrong bytes are the reason. */
export function notLoaded(error) {
  if (error instanceof WarpgridError) return error;
  const found = new WarpgridError(`failed to load the WebAssembly module: ${error?.message ?? error}`, "W0905");
  found.cause = error;
  return found;
}

/** The package, or a session, is not ready. */
export const notReady = (message) => new WarpgridError(message, "W0905");

/** An argument of a wrong kind. */
export const unreadable = (what, found, expected) => new WarpgridError(`cannot read the ${what}: found ${shown(found)}, expected ${expected}`, "W0901");

/** A value in words, as short as they tell it apart. */
export function shown(value) {
  if (Array.isArray(value)) return "an array";
  if (value instanceof Map) return "a `Map`";
  if (value instanceof Set) return "a `Set`";
  if (typeof value === "function") return "a function";
  if (typeof value === "string") return value.length > 40 ? "a string of more than 40 characters" : JSON.stringify(value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
