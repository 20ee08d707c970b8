// How fast translated kernels run in Node, beside the interpreter, by the package. Usage: node translated.mjs FOLDER-OF-THE-PACKAGE LAUNCHES.json. In go name, title and
// scenario of each figure, as the harness gives them, and of the one whose blocks workers share; one JSON line a figure comes out.
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Milliseconds that one figure may take, as in `measure/timing.rs`. */
const BUDGET = 1500;
const MAX_STEPS = 1_000_000_000;

const [folder, file] = process.argv.slice(2);
const { default: init, Session } = await import(pathToFileURL(join(folder, "node.js")));
await init();

/** The best rate of many runs by an engine, in million lane-instructions a second, or why there is none. */
function best(scenario, engine) {
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

/** The least seconds that a run takes, of three, where `workers` workers share its blocks. */
async function secondsOnWorkers(scenario, workers) {
  let value = Infinity;
  for (let n = 0; n < 3; n += 1) {
    const session = new Session(scenario);
    const started = performance.now();
    await session.runOnWorkers({ maxSteps: MAX_STEPS, workers });
    value = Math.min(value, (performance.now() - started) / 1000);
    const { words } = session.engine;
    session.free();
    const isShared = words.includes(` in ${workers} parts`);
    if (isShared !== workers > 1) return { value: null, note: words };
  }
  return { value, note: null };
}

const launches = JSON.parse(await readFile(file, "utf8"));
if (launches.error) throw new Error(launches.error);
for (const { name, title, scenario } of launches.alone) {
  const unit = "M lane-instr/s";
  const figures = [
    { name: name.replace(/t$/, "i"), title: title.replace("translated", "interpreted"), ...best(scenario, "interpreter") },
    { name, title, ...best(scenario, "translated") },
  ];
  for (const figure of figures) console.log(JSON.stringify({ ...figure, unit }));
}
const { name, title, scenario } = launches.shared;
for (const workers of new Set([1, 2, Math.min(availableParallelism(), 4)])) {
  const figure = { name: `${name}${workers}`, title: workers === 1 ? `${title}, in one worker` : `the same in ${workers} workers`, unit: "s" };
  console.log(JSON.stringify({ ...figure, ...(await secondsOnWorkers(scenario, workers)) }));
}
