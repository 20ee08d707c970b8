// Measures translated kernels and the interpreter with the npm package in Node. The command line is `node translated.mjs PACKAGE-DIR
// LAUNCHES.json`. The script reads the name, the title and the scenario of each benchmark from the file that the harness has written. This
// file also contains the benchmark that distributes its blocks among workers. The script prints one JSON line per benchmark.
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MAX_STEPS, bestRate } from "./throughput.mjs";

const [folder, file] = process.argv.slice(2);
const { default: init, Session } = await import(pathToFileURL(join(folder, "node.js")));
await init();

/** Returns the duration of the fastest of three runs in seconds. In a run, `workers` workers share the blocks. */
async function secondsOnWorkers(scenario, workers) {
  let value = Infinity;
  for (let n = 0; n < 3; n += 1) {
    const session = new Session(scenario);
    const start = performance.now();
    await session.runOnWorkers({ maxSteps: MAX_STEPS, workers });
    value = Math.min(value, (performance.now() - start) / 1000);
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
    { name: name.replace(/t$/, "i"), title: title.replace("JIT", "interpreted"), ...bestRate(Session, scenario, "interpreter") },
    { name, title, ...bestRate(Session, scenario, "translated") },
  ];
  for (const figure of figures) console.log(JSON.stringify({ ...figure, unit }));
}
const { name, title, scenario } = launches.shared;
for (const workers of new Set([1, 2, Math.min(availableParallelism(), 4)])) {
  const figure = { name: `${name}${workers}`, title: workers === 1 ? `${title}, in one worker` : `the same in ${workers} workers`, unit: "s" };
  console.log(JSON.stringify({ ...figure, ...(await secondsOnWorkers(scenario, workers)) }));
}
