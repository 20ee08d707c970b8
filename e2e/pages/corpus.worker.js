// Receives cases and the engine that runs them, or launches for both engines, and sends the results of the package in this worker.
import init, * as warpgrid from "/pkg/warpgrid.js";
import { compareEngines, runCorpus } from "/npm/corpus.mjs";

onmessage = async ({ data: { cases, engine, launches } }) => {
  try {
    await init();
    postMessage({ result: launches ? compareEngines(warpgrid, launches) : await runCorpus(warpgrid, cases, text, { bytes, engine }) });
  } catch (error) {
    postMessage({ error: String(error?.stack ?? error) });
  }
};

async function found(file) {
  const response = await fetch(`/${file}`);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response;
}

const text = async (file) => (await found(file)).text();
const bytes = async (file) => (await found(file)).arrayBuffer();
