// Validates arguments. The input is a value of the host. The output is a plain copy, or an error with the field, its value and the expected
// type. The core rejects unknown field names. A field name may have the spelling of scenario files or may be in camel case.
import { WarpgridError, describeValue } from "./errors.js";

const reject = (argument, reason) => { throw new WarpgridError(`cannot read the ${argument}: ${reason}`, "W0901"); };

/** Type of an argument: the description for messages, the predicate, the types of the members, and the conversion of an accepted value. */
const valueType = (description, accepts, members, convert) => ({ description, accepts, members, convert });
const isCount = (value) => typeof value === "bigint" ? value >= 0n : Number.isInteger(value) && value >= 0;
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

const STRING = valueType("a string", (value) => typeof value === "string");
const BOOLEAN = valueType("`true` or `false`", (value) => typeof value === "boolean");
const COUNT = valueType("a nonnegative integer", isCount);
const UINT32 = valueType("an integer from 0 to 4294967295", (value) => isCount(value) && value <= 4294967295);
const POSITIVE = valueType("an integer from 1 to 4294967295", (value) => UINT32.accepts(value) && value >= 1);
const INTEGER = valueType("an integer", (value) => typeof value === "bigint" || Number.isInteger(value));
const NUMBER_OR_STRING = valueType("a number or a string", (value) => ["number", "string", "bigint"].includes(typeof value));
/** The core reads these numbers as `f64`, which cannot be deserialized from a `bigint`. */
const STEP_LIMIT = valueType("a nonnegative integer or `Infinity`", (value) => value === Infinity || isCount(value), undefined, Number);
const SEED_COUNT = valueType("a nonnegative integer", isCount, undefined, Number);
const oneOf = (...choices) => valueType(`one of "${choices.join('", "')}"`, (value) => choices.includes(value));
const list = (shape) => valueType("an array", (value) => Array.isArray(value) || ArrayBuffer.isView(value), shape);
const object = (shape, required = []) => ({ ...valueType("an object", isObject, shape), required });
/** Type of an object with arbitrary field names, whose values have one type. */
const record = (each) => ({ ...valueType("an object", isObject), each });
const isTriple = (value) => Array.isArray(value) && value.length === 3;
const EXTENTS = valueType("an array of three integers", isTriple, UINT32);
const FRONT = oneOf("ptx", "sass");

const PARAMETER = {
  kind: STRING, name: STRING, type: STRING, len: COUNT, shape: list(COUNT), start: COUNT, expect: list(NUMBER_OR_STRING), expect_sha256: STRING, one_of: list(list(NUMBER_OR_STRING)),
  init: valueType("a number, a string, or an array of numbers and strings", (value) => NUMBER_OR_STRING.accepts(value) || Array.isArray(value) || ArrayBuffer.isView(value), NUMBER_OR_STRING),
  value: NUMBER_OR_STRING, size: COUNT, align: COUNT, of: STRING, offset: COUNT, buffers: list(STRING),
  mode: STRING, buffer: STRING, byte_offset: COUNT, dims: list(COUNT), strides: list(COUNT), box: list(COUNT), element_strides: list(COUNT),
  lower_corner: list(INTEGER), upper_corner: list(INTEGER), channels_per_pixel: COUNT, pixels_per_column: COUNT,
  interleave: STRING, swizzle: STRING, l2_promotion: STRING, oob_fill: STRING, passed: STRING,
  address_mode: list(STRING), filter: STRING, read_mode: STRING, normalized: BOOLEAN, border_color: list(NUMBER_OR_STRING),
  resource: object({
    kind: STRING, array: STRING, buffer: STRING, byte_offset: COUNT, type: STRING, channels: COUNT, width: COUNT, height: COUNT, pitch: COUNT,
  }),
};
PARAMETER.fields = list(object(PARAMETER, ["kind"]));

const ARRAY = {
  name: STRING, type: STRING, channels: COUNT, width: COUNT, height: COUNT, depth: COUNT, layers: COUNT, cubemap: BOOLEAN, surface: BOOLEAN,
  init: PARAMETER.init, expect: list(NUMBER_OR_STRING), expect_sha256: STRING,
};

const FAULT = { kind: STRING, buffer: STRING, space: STRING, byte_offset: INTEGER, width: UINT32, thread: EXTENTS, block: EXTENTS };
const GRID = { type: STRING, columns: UINT32, firstRow: COUNT, nRows: COUNT };
const ENGINE = oneOf("auto", "interpreter", "translated");
export const SHAPES = {
  check: { front: FRONT, target: STRING, ptx_version: STRING },
  analyze: { maxSteps: STEP_LIMIT, seeds: SEED_COUNT },
  run: { maxSteps: STEP_LIMIT },
  sessionRun: { maxSteps: STEP_LIMIT, engine: ENGINE },
  runOnWorkers: { maxSteps: STEP_LIMIT, engine: ENGINE, workers: valueType("an integer from 1 to 64", (value) => isCount(value) && value >= 1 && value <= 64) },
  report: { maxSteps: STEP_LIMIT, engine: ENGINE, traffic: BOOLEAN, races: BOOLEAN, layouts: BOOLEAN, digests: BOOLEAN, allowUndefined: BOOLEAN },
  history: { type: STRING, bytes: COUNT },
  until: { condition: STRING, lines: list(UINT32), memory: STRING, offset: COUNT, bytes: COUNT, back: BOOLEAN, maxSteps: STEP_LIMIT },
  cut: {
    lines: valueType("an array of two integers", (value) => Array.isArray(value) && value.length === 2, UINT32),
    threads: list(object({ block: EXTENTS, thread: EXTENTS, line: UINT32 })), before: COUNT,
  },
  grid: GRID,
  frame: { grids: list(object({ memory: STRING, ...GRID })), warp: valueType("an array of two integers", (value) => Array.isArray(value) && value.length === 2, UINT32) },
  fragment: { op: STRING, shape: STRING, type: STRING, target: STRING, layout: STRING, stride: UINT32, with: record(STRING) },
  product: { op: STRING, shape: STRING, types: list(STRING), target: STRING, a: list(STRING), b: list(STRING), c: STRING },
  scenario: {
    name: STRING, source: STRING, front: FRONT, target: STRING, ptx_version: STRING, entry: STRING, grid: EXTENTS, block: EXTENTS, cluster: EXTENTS,
    dynamic_shared: COUNT, params: list(object(PARAMETER, ["kind"])), arrays: list(object(ARRAY)), seed: COUNT, resident: POSITIVE, registers: list(object({ name: STRING, value: NUMBER_OR_STRING })),
    misaligned: oneOf("fault", "force"), beside: object({ source: STRING, front: FRONT, target: STRING, entry: STRING }), fault: object(FAULT),
    sources: list(object({ name: STRING, text: STRING })),
  },
};

/**
 * Returns a plain copy of an argument without its unset fields. Getters of the host run during the copy and thus before the call into the core,
 * because they can throw or call the session.
 */
export function readArgument(argument, value, shape, isRequired = false) {
  if (value === undefined || value === null) return isRequired ? reject(argument, `found ${describeValue(value)}, expected an object`) : undefined;
  return copyValue(argument, value, "", object(shape));
}

/** Throws an error for a field that the shape does not declare. The core rejects the unknown fields of all other arguments. */
export function assertKnownFields(argument, value, shape) {
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(shape, name));
  if (unknown) reject(argument, `unknown field \`${unknown}\`, expected one of \`${Object.keys(shape).join("`, `")}\``);
}

/** Returns the start of a message about a field, such as `params[2].init`. */
const fieldPrefix = (path) => (path === "" ? "" : `\`${path}\` is `);

function copyValue(argument, value, path, shape) {
  const isKeyed = value instanceof Map || value instanceof Set || value instanceof WeakMap || value instanceof WeakSet;
  if (shape && (isKeyed || !shape.accepts(value))) {
    reject(argument, path === "" ? `found ${describeValue(value)}, expected ${shape.description}` : `${fieldPrefix(path)}${describeValue(value)}, expected ${shape.description}`);
  }
  if (ArrayBuffer.isView(value)) return Array.from(value);
  // `Array.from` also visits the holes of a sparse array, which the core would reject without a path.
  if (Array.isArray(value)) return Array.from(value, (member, index) => copyValue(argument, member, `${path}[${index}]`, shape?.members));
  if (!isObject(value)) return shape?.convert ? shape.convert(value) : value;
  const result = {};
  for (const name of Object.keys(value)) {
    const memberPath = path === "" ? name : `${path}.${name}`;
    const member = readField(argument, value, name, memberPath);
    if (member === undefined || member === null) continue;
    const declared = shape?.each ? name : declaredName(name, shape?.members ?? {});
    result[declared] = copyValue(argument, member, memberPath, shape?.each ?? shape?.members?.[declared]);
  }
  const missing = shape?.required?.find((name) => !Object.hasOwn(result, name));
  if (missing) reject(argument, `missing field \`${missing}\` in \`${path}\``);
  return result;
}

/** Returns the declared spelling of a field name. For example, `ptxVersion` and `ptx_version` denote the same field. */
function declaredName(name, fields) {
  const spellings = [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())];
  return spellings.find((spelling) => Object.hasOwn(fields, spelling)) ?? name;
}

function readField(argument, value, name, path) {
  try {
    return value[name];
  } catch (error) {
    return reject(argument, `\`${path}\` cannot be read: ${error?.message ?? error}`);
  }
}
