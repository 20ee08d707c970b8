// Requests to external hosts: time limit, size limit, and error messages that state the reason and the next action. Responses are read as
// text and never interpreted as HTML or executed.

/** Time limit of a request in milliseconds, which includes the transfer of the response. */
const TIMEOUT_MS = 30_000;

/** Error of a request, whose message is a complete sentence for the user. */
export class RequestError extends Error {}

const STATUS_REASONS = {
  401: "access is denied. Only public sources can be opened.",
  403: "access is denied, or the request limit is exceeded. Try again later.",
  404: "the file does not exist. Check the owner, the repository, the reference and the path.",
  408: "the request timed out. Try again later.",
  413: "the source is too long for this service.",
  429: "the request limit is exceeded. Try again later.",
};

/** Returns the message for an HTTP error. `reasons` contains messages of a service that take precedence. */
function statusMessage(host, status, reasons) {
  const reason = reasons[status] ?? STATUS_REASONS[status] ?? (status >= 500 ? "the service has a problem. Try again later." : "the request is rejected.");
  return `\`${host}\` returned HTTP status ${status}: ${reason}`;
}

/** Reads a response up to `maxBytes` bytes. Returns null if the response is longer. */
async function readBody(response, maxBytes) {
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) return null;
  const reader = response.body.getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) return null;
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Decodes UTF-8 without replacement characters. */
function decode(host, bytes) {
  let text;
  try { text = new TextDecoder("utf-8", { fatal: true }).decode(bytes); } catch { text = "\0"; }
  if (text.includes("\0")) throw new RequestError(`The response of \`${host}\` is not UTF-8 text. Only text files can be opened.`);
  return text;
}

const isHtml = (type, text) => /\bhtml\b/i.test(type) || /^\s*<(?:!doctype|html)\b/i.test(text);

/** Fetches a text from an external host. `expected` names the expected format for the error message, and `statusReasons` contains messages
 *  for HTTP statuses. Throws a `RequestError`. */
export async function fetchText(url, { maxBytes, expected, statusReasons = {}, signal, ...options }) {
  const { host } = new URL(url);
  const abort = new AbortController();
  let isTimedOut = false;
  const timer = setTimeout(() => { isTimedOut = true; abort.abort(); }, TIMEOUT_MS);
  if (signal?.aborted) abort.abort();
  signal?.addEventListener("abort", () => abort.abort());
  try {
    const response = await fetch(url, { credentials: "omit", referrerPolicy: "no-referrer", ...options, signal: abort.signal });
    if (!response.ok) throw new RequestError(statusMessage(host, response.status, statusReasons));
    const bytes = await readBody(response, maxBytes);
    if (bytes === null) throw new RequestError(`The response of \`${host}\` exceeds the limit of ${maxBytes / 1e6} MB.`);
    const text = decode(host, bytes);
    if (isHtml(response.headers.get("content-type") ?? "", text)) {
      throw new RequestError(`\`${host}\` returned an HTML page, expected ${expected}. A proxy or a sign-in page of the network may have answered. Check the network connection and try again.`);
    }
    return text;
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (isTimedOut) throw new RequestError(`\`${host}\` did not respond within ${TIMEOUT_MS / 1000} seconds. Try again later.`);
    if (signal?.aborted) throw new RequestError("The request was canceled.");
    const isOffline = globalThis.navigator?.onLine === false;
    throw new RequestError(isOffline
      ? `Cannot reach \`${host}\`, because the browser is offline. Connect to the network and try again.`
      : `Cannot reach \`${host}\`. Check the network connection and content blockers, and try again.`);
  } finally {
    clearTimeout(timer);
    // Stops the transfer of a response that was not read to its end.
    abort.abort();
  }
}

/** Fetches and parses a JSON value. */
export async function fetchJson(url, options) {
  const text = await fetchText(url, { expected: "JSON", ...options, headers: { accept: "application/json", ...options.headers } });
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError(`The response of \`${new URL(url).host}\` is not valid JSON. Try again later.`);
  }
}
