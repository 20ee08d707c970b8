// Client of the REST API of Compiler Explorer: https://github.com/compiler-explorer/compiler-explorer/blob/main/docs/API.md. All responses
// are untrusted, so that each field is validated before its use.
import { fetchJson, RequestError } from "./bounded-fetch.js";

/** Base address of the instance, which the build writes into the page (`web/external/hosts.mjs`). */
export const baseAddress = () => document.querySelector("meta[name=warpgrid-compiler-explorer]").content;
export const compilerExplorerHost = () => new URL(baseAddress()).host;
export const privacyUrl = () => `${baseAddress()}/#privacy`;

export const DEFAULT_COMPILER = "nvcc129u1";
/** Name of the file in which Compiler Explorer compiles CUDA C++. The line tables of the PTX contain this name. */
export const SOURCE_NAME = "example.cu";

/** Maximum size of a response in bytes. */
const MAX_RESPONSE_BYTES = 16e6;
/** Maximum number of compiler messages that are shown. */
const MAX_MESSAGES = 100;

const isCompilerId = (id) => typeof id === "string" && /^[\w.+-]{1,64}$/.test(id);
const isObject = (value) => typeof value === "object" && value !== null;
const listOf = (value) => (Array.isArray(value) ? value : []);
const unexpectedResponse = (missing) => new RequestError(`\`${compilerExplorerHost()}\` returned JSON without ${missing}. The API may have changed. Compile with \`nvcc -ptx -lineinfo\` and paste the result.`);

const request = (path, options = {}) => fetchJson(`${baseAddress()}/api/${path}`, { maxBytes: MAX_RESPONSE_BYTES, ...options });

/** Returns the nvcc compilers of a compiler list as pairs of ID and name. */
export function parseCompilers(value) {
  if (!Array.isArray(value)) return null;
  return value.filter((entry) => isObject(entry) && isCompilerId(entry.id) && entry.id.startsWith("nvcc"))
    .map(({ id, name }) => ({ id, name: typeof name === "string" ? name.slice(0, 80) : id }));
}

export async function listCompilers(signal) {
  const compilers = parseCompilers(await request("compilers/cuda?fields=id,name", { signal }));
  if (compilers === null) throw unexpectedResponse("a list of compilers");
  return compilers;
}

/** Returns the compiler options of a compilation: PTX with line information for a target, followed by the options of the user. */
export const compilerArguments = (target, userOptions) => `-ptx -lineinfo -arch=${target} ${userOptions}`.trim();

/** Filters that leave the output of the compiler unchanged. `libraryCode` is disabled, because this filter removes declarations of external
 *  functions from PTX. */
const FILTERS = { binary: false, commentOnly: false, demangle: false, directives: false, execute: false, intel: false, labels: false, libraryCode: false, trim: false };

const lineText = (line) => (isObject(line) && typeof line.text === "string" ? line.text : "");
const textOf = (asm) => (typeof asm === "string" ? asm : listOf(asm).map(lineText).join("\n"));
const isPtx = (text) => /^\s*\.version\s/m.test(text) && /^\s*\.target\s/m.test(text);

/** Returns the PTX of a response: the output if the options contain `-ptx`, otherwise the device code, preferably for the target. */
function ptxOf({ asm, devices }, target) {
  const entries = Object.entries(isObject(devices) ? devices : {}).filter(([name]) => /^ptx/i.test(name));
  entries.sort(([a], [b]) => Number(b.includes(target.replace(/^sm_/, ""))) - Number(a.includes(target.replace(/^sm_/, ""))));
  return [textOf(asm), ...entries.map(([, device]) => textOf(device?.asm))].find(isPtx) ?? null;
}

/** Removes escape sequences for colors. */
const withoutEscapes = (text) => text.replaceAll(/\u001b\[[0-9;]*[A-Za-z]/g, "");
/** Position in the source: `<source>(12): error: …`, `/app/example.cu(12): …`, `<source>:12:5: …`. Messages about other files have no position. */
const POSITION = /^\s*(?:<source>|(?:\S*\/)?example\.cu)[(:](\d+)(?:[:,]\d+)?\)?\s*:\s*(.*)$/;
const MESSAGE = /^((?:catastrophic |fatal )?error|warning|remark|note)\b([^:]*):\s*(.*)$/;
const SEVERITIES = { warning: "warning", remark: "info", note: "info" };

/** Parses a line of the compiler output to `{ line, severity, text }`, or returns null for a line without a position in the source. */
function parseMessage(entry) {
  const text = withoutEscapes(lineText(entry));
  const { tag } = isObject(entry) ? entry : {};
  const isTagged = isObject(tag) && Number.isSafeInteger(tag.line) && tag.line > 0 && typeof tag.text === "string" && [undefined, "<source>", SOURCE_NAME].includes(tag.file);
  const [, line, message] = POSITION.exec(text) ?? (isTagged ? [text, tag.line, withoutEscapes(tag.text)] : []);
  if (message === undefined) return null;
  const [, kind, , content] = MESSAGE.exec(message) ?? [];
  return { line: Number(line), severity: SEVERITIES[kind] ?? "error", text: content ?? message };
}

/** Parses the response of a compilation to `{ ptx, messages, output }`. `messages` have positions in the source, `output` is the complete
 *  output of the compiler, and `ptx` is null if the compilation failed. */
export function parseCompilation(value, target) {
  if (!isObject(value) || !Number.isSafeInteger(value.code)) return null;
  const lines = [...listOf(value.stderr), ...listOf(value.stdout)];
  const messages = lines.map(parseMessage).filter(Boolean).slice(0, MAX_MESSAGES);
  const output = lines.map((line) => withoutEscapes(lineText(line))).join("\n").trim().slice(0, 20_000);
  const ptx = value.code === 0 ? ptxOf(value, target) : null;
  return { ptx, messages, output, isTimedOut: value.timedOut === true, code: value.code };
}

/** Compiles a source with Compiler Explorer. */
export async function compile({ source, compiler, target, options, signal }) {
  if (!isCompilerId(compiler)) throw new RequestError(`Invalid compiler ID \`${compiler.slice(0, 64)}\`: expected letters and digits, as in \`${DEFAULT_COMPILER}\`.`);
  const body = {
    source, lang: "cuda", allowStoreCodeDebug: false,
    options: { userArguments: compilerArguments(target, options), filters: FILTERS, compilerOptions: {} },
  };
  const response = await request(`compiler/${encodeURIComponent(compiler)}/compile`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
    statusReasons: { 404: `the compiler \`${compiler}\` does not exist. Select another compiler.` },
  });
  const compilation = parseCompilation(response, target);
  if (compilation === null) throw unexpectedResponse("the result of a compilation");
  return compilation;
}

/** Splits compiler options into the target, and the options without target and output format. */
export function splitOptions(options) {
  const words = options.split(/\s+/).filter(Boolean);
  let target = null;
  const rest = [];
  for (let index = 0; index < words.length; index += 1) {
    const [, value] = /^(?:-arch|--gpu-architecture|-gencode|--generate-code)(?:=(.*))?$/.exec(words[index]) ?? [];
    if (/^(?:-arch|--gpu-architecture|-gencode|--generate-code)(?:=|$)/.test(words[index])) {
      const architecture = value ?? words[index += 1] ?? "";
      target = /(?:sm|compute)_(\d+[af]?)/.exec(architecture)?.[1] ?? target;
    } else if (!/^(?:-ptx|--ptx|-lineinfo|--generate-line-info|-cubin|--cubin|-c|-G)$/.test(words[index])) {
      rest.push(words[index]);
    }
  }
  return { target: target === null ? null : `sm_${target}`, options: rest.join(" ") };
}

/** Returns the first CUDA session of a short link as `{ source, compiler, target, options }`, or null. */
export function parseShortLink(value) {
  const sessions = listOf(isObject(value) ? value.sessions : null).filter(isObject);
  const session = sessions.find(({ language }) => language === "cuda");
  if (!session || typeof session.source !== "string") return null;
  const compilers = listOf(session.compilers).filter((compiler) => isObject(compiler) && isCompilerId(compiler.id));
  const compiler = compilers.find(({ id }) => id.startsWith("nvcc"));
  const { target, options } = splitOptions(typeof compiler?.options === "string" ? compiler.options.slice(0, 2000) : "");
  return { source: session.source, compiler: compiler?.id ?? null, target, options };
}

/** Fetches a short link. */
export async function fetchShortLink(id) {
  const link = parseShortLink(await request(`shortlinkinfo/${encodeURIComponent(id)}`, { statusReasons: { 404: "the short link does not exist. Check the link." } }));
  if (link === null) throw new RequestError("The Compiler Explorer link contains no CUDA C++ source. Open a link with a CUDA editor.");
  return link;
}
