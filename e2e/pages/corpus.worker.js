// Cases go in, what the package makes of them in this worker comes out.
import init, * as warpgrid from "/pkg/warpgrid.js";
import { runCorpus } from "/npm/corpus.mjs";

onmessage = async ({ data: cases }) => {
  try {
    await init();
    postMessage({ result: await runCorpus(warpgrid, cases, text, bytes) });
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
