// Static server for benchmarks: serves the site in dist/ over a simulated line with a given bandwidth and latency, compressed as by a good
// host.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { typeOf } from "../web/media-types.mjs";

const site = fileURLToPath(new URL("../dist", import.meta.url));
/** Bytes per write. */
const PIECE = 4096;
const packed = new Map();

async function read(path, encoding) {
  const clean = normalize(decodeURIComponent(path)).replace(/^(\.\.[/\\])+/, "");
  const file = join(site, clean.endsWith("/") ? `${clean}index.html` : clean);
  const key = `${encoding} ${file}`;
  if (!packed.has(key)) {
    const plain = await readFile(file);
    const best = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } };
    const done = readFile(`${file}.br`).catch(() => brotliCompressSync(plain, best));
    packed.set(key, { type: typeOf(file), body: encoding === "br" ? await done : gzipSync(plain, { level: 9 }) });
  }
  return packed.get(key);
}

/** Serves the site. `sent` is the number of bytes of all responses. All connections share the line. */
export async function serveOver({ bitsPerSecond, delay, encoding }) {
  const line = { free: 0, sent: 0 };
  const pause = (until) => new Promise((done) => setTimeout(done, Math.max(0, until - performance.now())));
  const send = async (response, body) => {
    // The rest of a response to a closed page takes no time of the line.
    for (let at = 0; at < body.length && !response.destroyed; at += PIECE) {
      const piece = body.subarray(at, at + PIECE);
      line.free = Math.max(line.free, performance.now()) + (piece.length * 8000) / bitsPerSecond;
      line.sent += piece.length;
      await pause(line.free);
      response.write(piece);
    }
    response.end();
  };
  const server = createServer(async (request, response) => {
    await pause(performance.now() + delay);
    try {
      const { type, body } = await read(new URL(request.url, "http://localhost").pathname, encoding);
      response.writeHead(200, { "content-type": type, "content-encoding": encoding, "cache-control": "max-age=600" });
      await send(response, body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, line, address: `http://127.0.0.1:${server.address().port}/` };
}
