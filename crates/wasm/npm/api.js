// Exports of all entry points of the package: the functions and the session of the core. This module validates arguments and rejects calls
// before `init` and after `free`, for which the generated bindings would throw an unclear error before the core is called.
import * as core from "./core_bg.js";
import { SHAPES, readArgument } from "./arguments.js";
import { asWarpgridError, notReady, unreadable } from "./errors.js";
import { assertLoaded } from "./load.js";
import { runOnWorkers } from "./workers.js";

export { WarpgridError } from "./errors.js";

/** Sessions that were freed. */
const freed = new WeakSet();

function assertAlive(session) {
  if (!(session instanceof core.Session)) throw notReady("a method of `Session` was called without a session object: write `session.step()`");
  if (freed.has(session)) throw notReady("the session was freed: create a new session");
}

function text(what, value) {
  if (typeof value !== "string") throw unreadable(what, value, "a string");
}

/** Throws unless the value is an integer from 0 to `most`. */
function whole(what, value, most = Number.MAX_SAFE_INTEGER) {
  if (!Number.isInteger(value) || value < 0) throw unreadable(what, value, "a nonnegative integer");
  if (value > most) throw unreadable(what, value, `at most ${most}`);
}

function answer(call) {
  try {
    return call();
  } catch (error) {
    throw asWarpgridError(error);
  }
}

/** Wraps a function of the core. `read` validates the arguments and returns the arguments for the core. */
const guarded = (call, read = (...values) => values) => (...values) => {
  assertLoaded();
  const given = read(...values);
  return answer(() => call(...given));
};
/** Reads a string and options. */
const withOptions = (what, shape) => (source, options) => {
  text(what, source);
  return [source, readArgument("options", options, shape)];
};
const alone = (what) => (value) => {
  text(what, value);
  return [value];
};
const query = (shape) => (value) => [readArgument("query", value, shape, true)];

export const check = guarded(core.check, withOptions("source", SHAPES.check));
export const compare = guarded(core.compare, (scenario, options) =>
  [readArgument("scenario", scenario, SHAPES.scenario, true), readArgument("options", options, SHAPES.run)]);
export const explain = guarded(core.explain, alone("subject"));
export const format = guarded(core.format, alone("source"));
export const tokens = guarded(core.tokens, withOptions("source", SHAPES.check));
const atOffset = (source, offset, options) => {
  text("source", source);
  whole("offset", offset, source.length);
  return [source, offset, readArgument("options", options, SHAPES.check)];
};
export const hover = guarded(core.hover, atOffset);
export const complete = guarded(core.complete, atOffset);
export const codes = guarded(core.codes);
export const forms = guarded(core.forms);
export const fragment = guarded(core.fragment, query(SHAPES.fragment));
export const layout = guarded(core.layout, query(SHAPES.fragment));
export const lens = guarded(core.lens, query(SHAPES.fragment));
export const picture = guarded(core.picture, (query, form) => {
  text("query", query);
  text("form", form);
  return [query, form];
});
export const exploreLitmus = guarded(core.exploreLitmus, alone("source"));
export const repairLitmus = guarded(core.repairLitmus, alone("source"));
const bytes = (what, value) => {
  if (!(value instanceof Uint8Array)) throw unreadable(what, value, "a `Uint8Array`");
};
export const openFile = guarded(core.openFile, (file) => {
  bytes("file", file);
  return [file];
});
export const fileText = guarded(core.fileText, (file, program) => {
  bytes("file", file);
  whole("program", program);
  return [file, program];
});
export const cutLitmus = guarded(core.cutLitmus, (scenario, cut, options) => [
  readArgument("scenario", scenario, SHAPES.scenario, true), readArgument("cut", cut, SHAPES.cut, true), readArgument("options", options, SHAPES.run),
]);
export const cure = guarded(core.cure, (scenario, options) =>
  [readArgument("scenario", scenario, SHAPES.scenario, true), readArgument("options", options, SHAPES.run)]);
export const product = guarded(core.product, query(SHAPES.product));

export class Session extends core.Session {
  /** The scenario, which each worker opens as well. */
  #scenario;

  constructor(scenario) {
    assertLoaded();
    const given = readArgument("scenario", scenario, SHAPES.scenario, true);
    try {
      super(given);
      this.#scenario = given;
    } catch (error) {
      throw asWarpgridError(error);
    }
  }

  /** Frees the memory. A second call has no effect. */
  free() {
    if (freed.has(this)) return;
    freed.add(this);
    this.#scenario = null;
    super.free();
  }

  /** Like `run`, but distributes the blocks of a long run to the end over workers. */
  async runOnWorkers(options) {
    const assertReady = () => assertAlive(this);
    assertReady();
    const given = readArgument("options", options, SHAPES.runOnWorkers) ?? {};
    return answer(() => runOnWorkers(this, this.#scenario, given, assertReady));
  }
}
if (Symbol.dispose) Session.prototype[Symbol.dispose] = Session.prototype.free;

/** Validation of the arguments of a method. A returned array replaces the arguments. */
const METHODS = {
  cluster: (block) => whole("block", block),
  events(from, to) {
    whole("start", from);
    whole("end", to);
  },
  frame: (request) => [readArgument("request", request, SHAPES.frame)],
  grid: withOptions("name", SHAPES.grid),
  history(name, offset, options) {
    text("name", name);
    whole("offset", offset);
    return [name, offset, readArgument("options", options, SHAPES.history)];
  },
  land: (id) => whole("id", id),
  lanes(block, warp) {
    whole("block", block);
    whole("warp", warp);
  },
  memory: (name) => text("name", name),
  memoryFile(name, form, options) {
    text("name", name);
    text("form", form);
    return [name, form, readArgument("options", options, SHAPES.grid)];
  },
  memoryView: (name) => text("name", name),
  report: (options) => [readArgument("options", options, SHAPES.report)],
  run: (options) => [readArgument("options", options, SHAPES.sessionRun)],
  runUntil: (options) => [readArgument("options", options, SHAPES.until, true)],
  seek: (position) => whole("position", position),
};

// Each method and getter checks that the session has not been freed.
for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(core.Session.prototype))) {
  if (name === "constructor" || name.startsWith("__") || Object.hasOwn(Session.prototype, name)) continue;
  const guard = (call) => call && function (...values) {
    assertAlive(this);
    const given = METHODS[name]?.(...values) ?? values;
    return answer(() => call.apply(this, given));
  };
  const accessor = own.value ? { value: guard(own.value) } : { get: guard(own.get) };
  Object.defineProperty(Session.prototype, name, { ...accessor, configurable: true });
}
