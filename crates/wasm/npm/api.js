// Exports the functions and the session of the core from all entry points of the package. This module validates arguments, and rejects
// calls before `init` and after `free`. Without this check, the generated bindings would throw an unclear error before they call the core.
import * as core from "./core_bg.js";
import { SHAPES, assertKnownFields, readArgument } from "./arguments.js";
import { asWarpgridError, notReadyError, argumentError } from "./errors.js";
import { assertLoaded, memorySize } from "./load.js";
import { runOnWorkers } from "./workers.js";

export { WarpgridError } from "./errors.js";

/** Sessions whose memory has been freed. */
const freed = new WeakSet();
/** Number of sessions whose memory has not been freed. */
let nOpenSessions = 0;

/** Describes the memory of the open sessions, for the error message of a failed allocation. */
function memoryUsage() {
  const sessions = nOpenSessions === 1 ? "1 open session holds" : `${nOpenSessions} open sessions hold`;
  return `${sessions} up to ${Math.round(memorySize() / 2 ** 20)} MiB`;
}

function assertAlive(session) {
  if (!(session instanceof core.Session)) throw notReadyError("a method of `Session` was called without a session object: write `session.step()`");
  if (freed.has(session)) throw notReadyError("the session was freed: create a new session");
}

function assertString(argument, value) {
  if (typeof value !== "string") throw argumentError(argument, value, "a string");
}

/** Throws an error unless the value is an integer from 0 to `most`. */
function assertCount(argument, value, maximum = Number.MAX_SAFE_INTEGER) {
  if (!Number.isInteger(value) || value < 0) throw argumentError(argument, value, "a nonnegative integer");
  if (value > maximum) throw argumentError(argument, value, `at most ${maximum}`);
}

function callCore(call) {
  try {
    return call();
  } catch (error) {
    throw asWarpgridError(error, memoryUsage);
  }
}

/** Wraps a function of the core. `read` validates the arguments and returns the arguments for the core. */
const wrap = (call, read = (...callArguments) => callArguments) => (...callArguments) => {
  assertLoaded();
  const coreArguments = read(...callArguments);
  return callCore(() => call(...coreArguments));
};
/** Validates a string argument and an options argument. */
const withOptions = (argument, shape) => (source, options) => {
  assertString(argument, source);
  return [source, readArgument("options", options, shape)];
};
const stringArgument = (argument) => (value) => {
  assertString(argument, value);
  return [value];
};
const queryArgument = (shape) => (value) => [readArgument("query", value, shape, true)];

export const analyze = wrap(core.analyze, (scenario, options) =>
  [readArgument("scenario", scenario, SHAPES.scenario, true), readArgument("options", options, SHAPES.analyze)]);
export const check = wrap(core.check, withOptions("source", SHAPES.check));
export const compare = wrap(core.compare, (scenario, options) =>
  [readArgument("scenario", scenario, SHAPES.scenario, true), readArgument("options", options, SHAPES.run)]);
export const explain = wrap(core.explain, stringArgument("subject"));
export const format = wrap(core.format, stringArgument("source"));
export const tokens = wrap(core.tokens, withOptions("source", SHAPES.check));
const atOffset = (source, offset, options) => {
  assertString("source", source);
  assertCount("offset", offset, source.length);
  return [source, offset, readArgument("options", options, SHAPES.check)];
};
export const hover = wrap(core.hover, atOffset);
export const complete = wrap(core.complete, atOffset);
export const codes = wrap(core.codes);
export const forms = wrap(core.forms);
export const fragment = wrap(core.fragment, queryArgument(SHAPES.fragment));
export const layout = wrap(core.layout, queryArgument(SHAPES.fragment));
export const lens = wrap(core.lens, queryArgument(SHAPES.fragment));
export const picture = wrap(core.picture, (query, form) => {
  assertString("query", query);
  assertString("form", form);
  return [query, form];
});
export const exploreLitmus = wrap(core.exploreLitmus, stringArgument("source"));
export const repairLitmus = wrap(core.repairLitmus, stringArgument("source"));
const assertBytes = (argument, value) => {
  if (!(value instanceof Uint8Array)) throw argumentError(argument, value, "a `Uint8Array`");
};
export const openFile = wrap(core.openFile, (file) => {
  assertBytes("file", file);
  return [file];
});
export const fileText = wrap(core.fileText, (file, program) => {
  assertBytes("file", file);
  assertCount("program", program);
  return [file, program];
});
export const cutLitmus = wrap(core.cutLitmus, (scenario, cut, options) => [
  readArgument("scenario", scenario, SHAPES.scenario, true), readArgument("cut", cut, SHAPES.cut, true), readArgument("options", options, SHAPES.run),
]);
export const cure = wrap(core.cure, (scenario, options) =>
  [readArgument("scenario", scenario, SHAPES.scenario, true), readArgument("options", options, SHAPES.run)]);
export const product = wrap(core.product, queryArgument(SHAPES.product));

export class Session extends core.Session {
  /** Scenario of the session, which each worker also opens. */
  #scenario;

  constructor(scenario) {
    assertLoaded();
    const coreArguments = readArgument("scenario", scenario, SHAPES.scenario, true);
    try {
      super(coreArguments);
      this.#scenario = coreArguments;
      nOpenSessions += 1;
    } catch (error) {
      throw asWarpgridError(error, memoryUsage);
    }
  }

  /** Frees the memory of the session. A second call has no effect. */
  free() {
    if (freed.has(this)) return;
    freed.add(this);
    nOpenSessions -= 1;
    this.#scenario = null;
    super.free();
  }

  /** Runs the session like `run`, but distributes the blocks of a long run to the end among workers. */
  async runOnWorkers(options) {
    const assertReady = () => assertAlive(this);
    assertReady();
    const coreArguments = readArgument("options", options, SHAPES.runOnWorkers) ?? {};
    assertKnownFields("options", coreArguments, SHAPES.runOnWorkers);
    return callCore(() => runOnWorkers(this, this.#scenario, coreArguments, assertReady));
  }
}
if (Symbol.dispose) Session.prototype[Symbol.dispose] = Session.prototype.free;

/** Validates the arguments of a method that returns the events of the steps `from..to`. */
function assertStepRange(from, to) {
  assertCount("start", from);
  assertCount("end", to);
}

/** Functions that validate the arguments of each method. If a function returns an array, this array replaces the arguments. */
const METHODS = {
  cluster: (block) => assertCount("block", block),
  compactEvents: assertStepRange,
  events: assertStepRange,
  frame: (request) => [readArgument("request", request, SHAPES.frame)],
  grid: withOptions("name", SHAPES.grid),
  history(name, offset, options) {
    assertString("name", name);
    assertCount("offset", offset);
    return [name, offset, readArgument("options", options, SHAPES.history)];
  },
  land: (id) => assertCount("id", id),
  lanes(block, warp) {
    assertCount("block", block);
    assertCount("warp", warp);
  },
  memory: (name) => assertString("name", name),
  memoryFile(name, form, options) {
    assertString("name", name);
    assertString("form", form);
    return [name, form, readArgument("options", options, SHAPES.grid)];
  },
  memoryView: (name) => assertString("name", name),
  report: (options) => [readArgument("options", options, SHAPES.report)],
  run: (options) => [readArgument("options", options, SHAPES.sessionRun)],
  runUntil: (options) => [readArgument("options", options, SHAPES.until, true)],
  seek: (position) => assertCount("position", position),
};

// Each method and each getter checks that the session has not been freed.
for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(core.Session.prototype))) {
  if (name === "constructor" || name.startsWith("__") || Object.hasOwn(Session.prototype, name)) continue;
  const guardMethod = (call) => call && function (...callArguments) {
    assertAlive(this);
    const coreArguments = METHODS[name]?.(...callArguments) ?? callArguments;
    return callCore(() => call.apply(this, coreArguments));
  };
  const accessor = descriptor.value ? { value: guardMethod(descriptor.value) } : { get: guardMethod(descriptor.get) };
  Object.defineProperty(Session.prototype, name, { ...accessor, configurable: true });
}
