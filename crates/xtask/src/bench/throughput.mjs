// Throughput of the npm package for one launch, in Node and in a browser.

/** Time budget of one benchmark in milliseconds, as in `measure/timing.rs`. */
const BUDGET = 1500;
export const MAX_STEPS = 1_000_000_000;

/** Returns the maximum rate of many runs by an engine, in million lane-instructions per second, or the reason for a missing value. */
export function best(Session, scenario, engine) {
  const started = performance.now();
  let value = 0;
  do {
    const session = new Session(scenario);
    try {
      session.run({ maxSteps: MAX_STEPS, engine });
      if (session.engine.name !== (engine === "auto" ? "translated" : engine)) return { value: null, note: session.engine.words };
      value = Math.max(value, session.engine.rate);
    } finally {
      session.free();
    }
  } while (performance.now() - started < BUDGET);
  return { value, note: null };
}
