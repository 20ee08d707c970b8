// What every door of the package gives: the functions of the core and its session. What the core cannot say in a sentence, because the
// glue fails before it is asked, is said here: arguments of a wrong kind, calls before `init` and after `free`.
import * as core from "./core_bg.js";
import { asWarpgridError, notReady, unreadable } from "./errors.js";
import { assertLoaded } from "./load.js";

export { WarpgridError } from "./errors.js";

/** Sessions that were freed. */
const freed = new WeakSet();

function assertAlive(session) {
  if (freed.has(session)) throw notReady("the session was freed: make a new one");
}

function text(what, value) {
  if (typeof value !== "string") throw unreadable(what, value, "a string");
}

/** A number that is not negative and not above `most`. */
function whole(what, value, most = Number.MAX_SAFE_INTEGER) {
  if (!Number.isInteger(value) || value < 0) throw unreadable(what, value, "a whole number from 0");
  if (value > most) throw unreadable(what, value, `at most ${most}`);
}

/** Options may be left out; a value of another kind is no object with every option left out. */
function options(what, value) {
  if (value === undefined || value === null) return;
  if (typeof value !== "object" || Array.isArray(value)) throw unreadable(what, value, "an object");
}

function given(what, value) {
  if (value === undefined || value === null) throw unreadable(what, value, "an object");
  options(what, value);
}

function answer(call) {
  try {
    return call();
  } catch (error) {
    throw asWarpgridError(error);
  }
}

/** A function of the core; `check` looks at its arguments. */
const guarded = (call, check = () => {}) => (...values) => {
  assertLoaded();
  check(...values);
  return answer(() => call(...values));
};

export const check = guarded(core.check, (source, choice) => {
  text("source", source);
  options("options", choice);
});
export const compare = guarded(core.compare, (scenario, choice) => {
  given("scenario", scenario);
  options("options", choice);
});
export const explain = guarded(core.explain, (subject) => text("subject", subject));
export const format = guarded(core.format, (source) => text("source", source));
export const tokens = guarded(core.tokens, (source, choice) => {
  text("source", source);
  options("options", choice);
});
const atOffset = (source, offset, choice) => {
  text("source", source);
  whole("offset", offset, source.length);
  options("options", choice);
};
export const hover = guarded(core.hover, atOffset);
export const complete = guarded(core.complete, atOffset);
export const codes = guarded(core.codes);
export const forms = guarded(core.forms);
export const fragment = guarded(core.fragment, (query) => given("query", query));
export const product = guarded(core.product, (query) => given("query", query));

export class Session extends core.Session {
  constructor(scenario) {
    assertLoaded();
    given("scenario", scenario);
    try {
      super(scenario);
    } catch (error) {
      throw asWarpgridError(error);
    }
  }

  /** Gives the memory back; a second call does nothing. */
  free() {
    if (freed.has(this)) return;
    freed.add(this);
    super.free();
  }
}
if (Symbol.dispose) Session.prototype[Symbol.dispose] = Session.prototype.free;

/** What a method has to be given. */
const METHODS = {
  cluster: (block) => whole("block", block),
  events(from, to) {
    whole("start", from);
    whole("end", to);
  },
  frame: (request) => options("request", request),
  grid(name, choice) {
    text("name", name);
    options("options", choice);
  },
  land: (id) => whole("id", id),
  lanes(block, warp) {
    whole("block", block);
    whole("warp", warp);
  },
  memory: (name) => text("name", name),
  memoryView: (name) => text("name", name),
  run: (choice) => options("options", choice),
  seek: (position) => whole("position", position),
};

// Every method and getter asks whether the session is still there.
for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(core.Session.prototype))) {
  if (name === "constructor" || name.startsWith("__") || Object.hasOwn(Session.prototype, name)) continue;
  const guard = (call) => call && function (...values) {
    assertAlive(this);
    METHODS[name]?.(...values);
    return answer(() => call.apply(this, values));
  };
  const accessor = own.value ? { value: guard(own.value) } : { get: guard(own.get) };
  Object.defineProperty(Session.prototype, name, { ...accessor, configurable: true });
}
