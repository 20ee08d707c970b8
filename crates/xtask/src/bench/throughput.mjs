// Measures the throughput of the npm package for one launch, in Node and in a browser.

/** Time budget of one benchmark in milliseconds, as in `measure/timing.rs`. */
const BUDGET_MS = 1500;
export const MAX_STEPS = 1_000_000_000;

/** Returns the maximum throughput of many runs with an engine in million lane-instructions per second, or the reason for a missing value.
 *  */
export function bestRate(Session, scenario, engine) {
  const start = performance.now();
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
  } while (performance.now() - start < BUDGET_MS);
  return { value, note: null };
}
