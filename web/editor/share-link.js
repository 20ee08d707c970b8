// Links and files of a view: converts a scenario with its view to a URL fragment, and back. The rules are those of `crates/share`, which
// implements the same format. Compression uses the browser's streams.
import RULES from "../../crates/share/src/rules.json" with { type: "json" };
import { base64, fromBase64 } from "../widget/link.js";
import { stated } from "../widget/annotate.js";

export { RULES };

/** The reason for which a link or a file cannot be opened, as a sentence. */
export class LinkError extends Error {}
const linkError = (message, facts = {}) => new LinkError(RULES.messages[message].replace(/\{(\w+)\}/g, (_, name) => facts[name]));

const LINK = /^#?(\d+)=([\w-]*)/;
/** Checks whether a URL fragment is a Warpgrid link of any version. */
export const isLink = (hash) => LINK.test(hash);

/** Returns the URL fragment, including `#`. */
export async function writeLink(shared) {
  const json = new TextEncoder().encode(JSON.stringify(plain(shared)));
  return `#${RULES.version}=${base64(await through(new CompressionStream("deflate"), json))}`;
}

/** Reads a URL fragment from an untrusted source. Ignores text that other software or surrounding prose has appended. */
export async function readLink(hash) {
  const [, digits, code] = LINK.exec(hash) ?? [];
  const version = (digits ?? "").replace(/^0+/, "");
  if (version === "") throw linkError("truncated");
  if (version !== `${RULES.version}`) throw linkError("newer_version", { what: "link", version: version.slice(0, 12), own: RULES.version });
  if (code.length > RULES.max_input_chars) throw linkError("too_large", { what: "link" });
  let bytes;
  try {
    bytes = await through(new DecompressionStream("deflate"), fromBase64(code), RULES.max_bytes);
  } catch (error) {
    throw error instanceof LinkError ? error : linkError("truncated");
  }
  let value = null;
  try { value = JSON.parse(new TextDecoder().decode(bytes)); } catch { /* handled below as an invalid value */ }
  return checked(value, "link");
}

/** Returns a human-readable file that the page and the command line tool open. */
export const writeFile = (shared) => `${JSON.stringify({ warpgrid: RULES.version, ...plain(shared) }, null, 2)}\n`;

/** Reads such a file, or a scenario that contains its source. */
export function readFile(text) {
  if (text.length > RULES.max_bytes) throw linkError("too_large", { what: "file" });
  let value;
  try { value = JSON.parse(text); } catch { throw linkError("invalid_json"); }
  const version = value?.warpgrid;
  if (version !== undefined && !(Number.isSafeInteger(version) && version >= 0 && version <= RULES.version)) {
    throw linkError("newer_version", { what: "file", version: `${JSON.stringify(version)}`.slice(0, 12), own: RULES.version });
  }
  return checked(value, "file");
}

/** Returns the source with all annotations that its launch needs. The selected kernel and seed remain separate. */
export function textOf(shared, what = "link") {
  const { entry, seed, ...scenario } = shared;
  try {
    return stated(scenario);
  } catch (error) {
    throw linkError("invalid_field", { what, part: "scenario", expected: `a valid launch configuration (${error.message})` });
  }
}

/** Pipes bytes through a stream. Throws if the output exceeds `most` bytes. */
async function through(stream, bytes, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      void reader.cancel().catch(() => {});
      throw linkError("too_large", { what: "link" });
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Removes empty fields. */
function plain(shared) {
  const isThere = (value) => value !== null && value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(shared).filter(([name, value]) => name === "source" || isThere(value)));
}

const isWord = (value) => typeof value === "string" && value.length <= RULES.max_word_chars;
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const listOf = (has) => (value) => Array.isArray(value) && value.length <= RULES.max_words && value.every(has);
const HAS = {
  text: (value) => typeof value === "string",
  word: isWord,
  number: isNumber,
  list: listOf(isWord),
  numbers: listOf(isNumber),
  words: (value) => typeof value === "object" && !Array.isArray(value) && Object.keys(value).length <= RULES.max_words &&
    Object.entries(value).every(([name, word]) => isWord(name) && isWord(word)),
};

const inside = (value, name) => (typeof value === "object" && value !== null && Object.hasOwn(value, name) ? value[name] : undefined);

/** Returns the value if each of its fields is valid, or else throws a `LinkError`. */
function checked(value, what) {
  for (const part of Object.keys(RULES.fields).sort()) {
    const kind = RULES.fields[part];
    const found = part.split(".").reduce(inside, value) ?? undefined;
    const isRight = found === undefined ? part !== "source" : HAS[kind](found);
    if (!isRight) throw linkError("invalid_field", { what, part, expected: RULES.field_kinds[kind] });
  }
  return value;
}
