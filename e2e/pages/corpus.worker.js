// Cases go in, what the package makes of them in this worker comes out.
import init, * as warpgrid from "/pkg/warpgrid.js";
import { runCorpus } from "/npm/corpus.mjs";

onmessage = async ({ data: cases }) => {
  try {
    await init();
    postMessage({ result: await runCorpus(warpgrid, cases, text) });
  } catch (error) {
    postMessage({ error: String(error?.stack ?? error) });
  }
};

async function text(file) {
  const response = await fetch(`/${file}`);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return response.text();
}
