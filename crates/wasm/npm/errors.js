// Defines the error class of the package.

/** Error of a call. `explain(code)` returns the documentation of `code`. `diagnostics` contains positions in the source, if the source caused the error. */
export class WarpgridError extends Error {
  constructor(message, code, diagnostics = null) {
    super(message);
    this.code = code;
    this.diagnostics = diagnostics;
  }
}
// The name is a string, because minifiers rename the class.
Object.defineProperty(WarpgridError.prototype, "name", { value: "WarpgridError", configurable: true, writable: true });

/** Returns the error for a trap of the core. A failed allocation is the only known cause of a trap. `usage` describes the memory in use. */
function trapError(error, usage) {
  const warpgridError = new WarpgridError(
    `the emulator crashed (${error.message}), possibly because memory is exhausted: ${usage}; free unused sessions or use smaller buffers`, "W0713");
  warpgridError.cause = error;
  return warpgridError;
}

/** Returns the message with the position, the help and the code of the diagnostic that caused the error. Test runners show only the
 *  message of an error. */
function locatedMessage(message, code, diagnostics) {
  const cause = diagnostics?.find((diagnostic) => diagnostic.severity === "error" && diagnostic.code === code);
  if (!cause) return message;
  return `${cause.line}:${cause.column}: ${message}${cause.help ? `; ${cause.help}` : ""} (${code})`;
}

/** Converts an error of the core to a `WarpgridError`. Returns other errors unchanged. `usage` describes the memory in use. */
export function asWarpgridError(error, usage) {
  if (error instanceof WebAssembly.RuntimeError) return trapError(error, usage());
  if (error instanceof WarpgridError || error?.name !== "WarpgridError") return error;
  const diagnostics = error.diagnostics?.length > 0 ? error.diagnostics : null;
  return new WarpgridError(locatedMessage(error.message, error.code, diagnostics), error.code, diagnostics);
}

/** Returns the error for a failed load. The message contains the reason of the host: a missing file, an invalid URL or invalid bytes. */
export function loadError(error) {
  if (error instanceof WarpgridError) return error;
  const warpgridError = new WarpgridError(`failed to load the WebAssembly module: ${error?.message ?? error}`, "W0905");
  warpgridError.cause = error;
  return warpgridError;
}

/** Returns the error for a call before `init` or for a freed session. */
export const notReadyError = (message) => new WarpgridError(message, "W0905");

/** Returns the error for an argument of a wrong type. */
export const argumentError = (argument, found, expected) => new WarpgridError(`cannot read the ${argument}: found ${describeValue(found)}, expected ${expected}`, "W0901");

/** Returns a short description of a value. */
export function describeValue(value) {
  if (Array.isArray(value)) return "an array";
  if (value instanceof Map) return "a `Map`";
  if (value instanceof Set) return "a `Set`";
  if (typeof value === "function") return "a function";
  if (typeof value === "string") return value.length > 40 ? "a string of more than 40 characters" : JSON.stringify(value);
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
