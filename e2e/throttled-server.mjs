// Implements a static server for benchmarks. The server serves the site in dist/ over a simulated line with a given bandwidth and latency,
// and compresses the files like a production web server.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { typeOf } from "../web/media-types.mjs";

const site = fileURLToPath(new URL("../dist", import.meta.url));
/** Number of bytes per write. */
const CHUNK_SIZE = 4096;
const compressedFiles = new Map();

async function readCompressed(path, encoding) {
  const normalized = normalize(decodeURIComponent(path)).replace(/^(\.\.[/\\])+/, "");
  const file = join(site, normalized.endsWith("/") ? `${normalized}index.html` : normalized);
  const key = `${encoding} ${file}`;
  if (!compressedFiles.has(key)) {
    const content = await readFile(file);
    const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
    const brotliBody = readFile(`${file}.br`).catch(() => brotliCompressSync(content, brotliOptions));
    compressedFiles.set(key, { type: typeOf(file), body: encoding === "br" ? await brotliBody : gzipSync(content, { level: 9 }) });
  }
  return compressedFiles.get(key);
}

/** Serves the site. `connection.sent` counts the bytes of all responses. All connections share the bandwidth. */
export async function serveThrottled({ bitsPerSecond, delay, encoding }) {
  const connection = { free: 0, sent: 0 };
  const waitUntil = (time) => new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())));
  const send = async (response, body) => {
    // If the page has been closed, the remaining bytes of its response use no bandwidth.
    for (let offset = 0; offset < body.length && !response.destroyed; offset += CHUNK_SIZE) {
      const chunk = body.subarray(offset, offset + CHUNK_SIZE);
      connection.free = Math.max(connection.free, performance.now()) + (chunk.length * 8000) / bitsPerSecond;
      connection.sent += chunk.length;
      await waitUntil(connection.free);
      response.write(chunk);
    }
    response.end();
  };
  const server = createServer(async (request, response) => {
    await waitUntil(performance.now() + delay);
    try {
      const { type, body } = await readCompressed(new URL(request.url, "http://localhost").pathname, encoding);
      response.writeHead(200, { "content-type": type, "content-encoding": encoding, "cache-control": "max-age=600" });
      await send(response, body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, connection, address: `http://127.0.0.1:${server.address().port}/` };
}
