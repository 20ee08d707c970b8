// Links and files that contain a view: converts a scenario with its view to a URL fragment, and back. `crates/share` implements the same
// format according to the same rules. Compression uses the streams of the browser.
import RULES from "../../crates/share/src/rules.json" with { type: "json" };
import { base64, fromBase64 } from "../widget/link.js";
import { withAnnotations } from "../widget/annotate.js";

export { RULES };

/** Error with the reason why a link or a file cannot be opened, as a sentence. */
export class LinkError extends Error {}
const linkError = (message, values = {}) => new LinkError(RULES.messages[message].replace(/\{(\w+)\}/g, (_, name) => values[name]));

const LINK_PATTERN = /^#?(\d+)=([\w-]*)/;
/** Checks whether a URL fragment is a Warpgrid link of any version. */
export const isLink = (hash) => LINK_PATTERN.test(hash);

/** Returns the URL fragment of a link, including `#`. */
export async function writeLink(shared) {
  const json = new TextEncoder().encode(JSON.stringify(withoutEmptyFields(shared)));
  return `#${RULES.version}=${base64(await pipeBytes(new CompressionStream("deflate"), json))}`;
}

/** Decodes the URL fragment of a link, which is untrusted input. Text that other software or surrounding prose has appended is ignored. */
export async function readLink(hash) {
  const [, digits, encoded] = LINK_PATTERN.exec(hash) ?? [];
  const version = (digits ?? "").replace(/^0+/, "");
  if (version === "") throw linkError("truncated");
  if (version !== `${RULES.version}`) throw linkError("newer_version", { what: "link", version: version.slice(0, 12), own: RULES.version });
  if (encoded.length > RULES.max_input_chars) throw linkError("too_large", { what: "link" });
  let bytes;
  try {
    bytes = await pipeBytes(new DecompressionStream("deflate"), fromBase64(encoded), RULES.max_bytes);
  } catch (error) {
    throw error instanceof LinkError ? error : linkError("truncated");
  }
  let value = null;
  try { value = JSON.parse(new TextDecoder().decode(bytes)); } catch { /* handled below as an invalid value */ }
  return validate(value, "link");
}

/** Returns a human-readable file that the page and the command-line tool can open. */
export const writeFile = (shared) => `${JSON.stringify({ warpgrid: RULES.version, ...withoutEmptyFields(shared) }, null, 2)}\n`;

/** Parses such a file, or a scenario file that contains its source. */
export function readFile(text) {
  if (text.length > RULES.max_bytes) throw linkError("too_large", { what: "file" });
  let value;
  try { value = JSON.parse(text); } catch { throw linkError("invalid_json"); }
  const version = value?.warpgrid;
  if (version !== undefined && !(Number.isSafeInteger(version) && version >= 0 && version <= RULES.version)) {
    throw linkError("newer_version", { what: "file", version: `${JSON.stringify(version)}`.slice(0, 12), own: RULES.version });
  }
  return validate(value, "file");
}

/** Returns the source with all annotations that its launch requires. The selected kernel and seed remain separate. */
export function annotatedSource(shared, what = "link") {
  const { entry, seed, ...scenario } = shared;
  try {
    return withAnnotations(scenario);
  } catch (error) {
    throw linkError("invalid_field", { what, part: "scenario", expected: `a valid launch configuration (${error.message})` });
  }
}

/** Pipes bytes through a stream. Throws if the output exceeds `maxBytes` bytes. */
async function pipeBytes(stream, bytes, maxBytes = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      void reader.cancel().catch(() => {});
      throw linkError("too_large", { what: "link" });
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Removes the empty fields of an object. */
function withoutEmptyFields(shared) {
  const isNonEmpty = (value) => value !== null && value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(shared).filter(([name, value]) => name === "source" || isNonEmpty(value)));
}

const isWord = (value) => typeof value === "string" && value.length <= RULES.max_word_chars;
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const listOf = (isValidItem) => (value) => Array.isArray(value) && value.length <= RULES.max_words && value.every(isValidItem);
const VALIDATORS = {
  text: (value) => typeof value === "string",
  word: isWord,
  number: isNumber,
  list: listOf(isWord),
  numbers: listOf(isNumber),
  words: (value) => typeof value === "object" && !Array.isArray(value) && Object.keys(value).length <= RULES.max_words &&
    Object.entries(value).every(([name, word]) => isWord(name) && isWord(word)),
};

const fieldOf = (value, name) => (typeof value === "object" && value !== null && Object.hasOwn(value, name) ? value[name] : undefined);

/** Returns the value if all of its fields are valid, otherwise throws a `LinkError`. */
function validate(value, what) {
  for (const part of Object.keys(RULES.fields).sort()) {
    const kind = RULES.fields[part];
    const fieldValue = part.split(".").reduce(fieldOf, value) ?? undefined;
    const isValid = fieldValue === undefined ? part !== "source" : VALIDATORS[kind](fieldValue);
    if (!isValid) throw linkError("invalid_field", { what, part, expected: RULES.field_kinds[kind] });
  }
  return value;
}
