// Validation of arguments. Input: a value of the host. Output: a plain copy, or an error with the field, its value and the expected type. The
// core rejects unknown field names. A field name is accepted in the spelling of scenario files and in camel case.
import { WarpgridError, shown } from "./errors.js";

const refuse = (what, why) => { throw new WarpgridError(`cannot read the ${what}: ${why}`, "W0901"); };

/** A type: its description for messages, its predicate, and the types of its members. */
const kind = (words, fits, inside) => ({ words, fits, inside });
const isCount = (value) => typeof value === "bigint" ? value >= 0n : Number.isInteger(value) && value >= 0;
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

const TEXT = kind("a string", (value) => typeof value === "string");
const FLAG = kind("`true` or `false`", (value) => typeof value === "boolean");
const COUNT = kind("a nonnegative integer", isCount);
const SMALL = kind("an integer from 0 to 4294967295", (value) => isCount(value) && value <= 4294967295);
const WHOLE = kind("an integer", (value) => typeof value === "bigint" || Number.isInteger(value));
const VALUE = kind("a number or a string", (value) => ["number", "string", "bigint"].includes(typeof value));
const STEPS = kind("a nonnegative integer or `Infinity`", (value) => value === Infinity || isCount(value));
const oneOf = (...words) => kind(`one of "${words.join('", "')}"`, (value) => words.includes(value));
const list = (shape) => kind("an array", (value) => Array.isArray(value) || ArrayBuffer.isView(value), shape);
const object = (shape) => kind("an object", isObject, shape);
/** An object with arbitrary field names, whose values have one type. */
const record = (each) => ({ ...kind("an object", isObject), each });
const three = (value) => Array.isArray(value) && value.length === 3;
const EXTENTS = kind("an array of three integers", three, SMALL);
const FRONT = oneOf("ptx", "sass");

const PARAMETER = {
  kind: TEXT, name: TEXT, type: TEXT, len: COUNT, shape: list(COUNT), start: COUNT, expect: list(VALUE), expect_sha256: TEXT, one_of: list(list(VALUE)),
  init: kind("a number, a string, or an array of numbers and strings", (value) => VALUE.fits(value) || Array.isArray(value) || ArrayBuffer.isView(value), VALUE),
  value: VALUE, size: COUNT, align: COUNT, of: TEXT, offset: COUNT, buffers: list(TEXT),
  mode: TEXT, buffer: TEXT, byte_offset: COUNT, dims: list(COUNT), strides: list(COUNT), box: list(COUNT), element_strides: list(COUNT),
  lower_corner: list(WHOLE), upper_corner: list(WHOLE), channels_per_pixel: COUNT, pixels_per_column: COUNT,
  interleave: TEXT, swizzle: TEXT, l2_promotion: TEXT, oob_fill: TEXT, passed: TEXT,
  address_mode: list(TEXT), filter: TEXT, read_mode: TEXT, normalized: FLAG, border_color: list(VALUE),
  resource: object({
    kind: TEXT, array: TEXT, buffer: TEXT, byte_offset: COUNT, type: TEXT, channels: COUNT, width: COUNT, height: COUNT, pitch: COUNT,
  }),
};
PARAMETER.fields = list(object(PARAMETER));

const ARRAY = {
  name: TEXT, type: TEXT, channels: COUNT, width: COUNT, height: COUNT, depth: COUNT, layers: COUNT, cubemap: FLAG, surface: FLAG,
  init: PARAMETER.init, expect: list(VALUE), expect_sha256: TEXT,
};

const FAULT = { kind: TEXT, buffer: TEXT, space: TEXT, byte_offset: WHOLE, width: SMALL, thread: EXTENTS, block: EXTENTS };
const GRID = { type: TEXT, columns: SMALL, firstRow: COUNT, nRows: COUNT };
const ENGINE = oneOf("auto", "interpreter", "translated");
export const SHAPES = {
  check: { front: FRONT, target: TEXT, ptx_version: TEXT },
  run: { maxSteps: STEPS },
  sessionRun: { maxSteps: STEPS, engine: ENGINE },
  runOnWorkers: { maxSteps: STEPS, engine: ENGINE, workers: kind("an integer from 1 to 64", (value) => isCount(value) && value >= 1 && value <= 64) },
  report: { maxSteps: STEPS, engine: ENGINE, traffic: FLAG, races: FLAG, layouts: FLAG, digests: FLAG, allowUndefined: FLAG },
  history: { type: TEXT, bytes: COUNT },
  until: { condition: TEXT, lines: list(SMALL), memory: TEXT, offset: COUNT, bytes: COUNT, back: FLAG, maxSteps: STEPS },
  cut: {
    lines: kind("an array of two integers", (value) => Array.isArray(value) && value.length === 2, SMALL),
    threads: list(object({ block: EXTENTS, thread: EXTENTS, line: SMALL })), before: COUNT,
  },
  grid: GRID,
  frame: { grids: list(object({ memory: TEXT, ...GRID })), warp: kind("an array of two integers", (value) => Array.isArray(value) && value.length === 2, SMALL) },
  fragment: { op: TEXT, shape: TEXT, type: TEXT, target: TEXT, layout: TEXT, stride: SMALL, with: record(TEXT) },
  product: { op: TEXT, shape: TEXT, types: list(TEXT), target: TEXT, a: list(TEXT), b: list(TEXT), c: TEXT },
  scenario: {
    name: TEXT, source: TEXT, front: FRONT, target: TEXT, ptx_version: TEXT, entry: TEXT, grid: EXTENTS, block: EXTENTS, cluster: EXTENTS,
    dynamic_shared: COUNT, params: list(object(PARAMETER)), arrays: list(object(ARRAY)), seed: COUNT, resident: SMALL, registers: list(object({ name: TEXT, value: VALUE })),
    misaligned: oneOf("fault", "force"), beside: object({ source: TEXT, front: FRONT, target: TEXT, entry: TEXT }), fault: object(FAULT),
  },
};

/**
 * Returns a plain copy of an argument without its unset fields. Getters of the host run during the copy and thus before the call into the core,
 * because they can throw or call the session.
 */
export function readArgument(what, value, shape, isNeeded = false) {
  if (value === undefined || value === null) return isNeeded ? refuse(what, `found ${shown(value)}, expected an object`) : undefined;
  return copy(what, value, "", object(shape));
}

/** Returns the start of a message about a field, such as `params[2].init`. */
const placed = (path) => (path === "" ? "" : `\`${path}\` is `);

function copy(what, value, path, shape) {
  const isKeyed = value instanceof Map || value instanceof Set || value instanceof WeakMap || value instanceof WeakSet;
  if (shape && (isKeyed || !shape.fits(value))) {
    refuse(what, path === "" ? `found ${shown(value)}, expected ${shape.words}` : `${placed(path)}${shown(value)}, expected ${shape.words}`);
  }
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (Array.isArray(value)) return value.map((member, index) => copy(what, member, `${path}[${index}]`, shape?.inside));
  if (!isObject(value)) return value;
  const fresh = {};
  for (const name of Object.keys(value)) {
    const inner = path === "" ? name : `${path}.${name}`;
    const member = read(what, value, name, inner);
    if (member === undefined || member === null) continue;
    const spelling = shape?.each ? name : spelledAs(name, shape?.inside ?? {});
    fresh[spelling] = copy(what, member, inner, shape?.each ?? shape?.inside?.[spelling]);
  }
  return fresh;
}

/** Returns the declared spelling of a field name. `ptxVersion` and `ptx_version` are the same field. */
function spelledAs(name, fields) {
  const spellings = [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())];
  return spellings.find((spelling) => Object.hasOwn(fields, spelling)) ?? name;
}

function read(what, value, name, path) {
  try {
    return value[name];
  } catch (error) {
    return refuse(what, `\`${path}\` cannot be read: ${error?.message ?? error}`);
  }
}
