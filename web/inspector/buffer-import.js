// Initialization of a buffer from a file, which is a NumPy array (`.npy`) or contains raw bytes: creates the `//@ buffer` line that lists
// the elements of the file. The page loads this module when a file is selected or dropped (`web/editor/buffer-import.js`).
import WIDTHS from "../../crates/launch/src/widths.json" with { type: "json" };
import { formatCount, pluralize } from "../editor/util.js";

/** Maximum line length in characters that an editor handles without delay. */
const MAX_LINE_LENGTH = 250_000;
const MAX_FILE_BYTES = 4e6;

/** Reads an element as the hexadecimal literal of its bits. */
const hex = (bits, width) => `0x${bits.toString(16).padStart(width * 2, "0")}`;
const integer = (read) => () => (view, offset) => String(view[read](offset, true));
const bitsOf = (view, offset, width) => {
  let value = 0n;
  for (let byte = width - 1; byte >= 0; byte -= 1) value = value << 8n | BigInt(view.getUint8(offset + byte));
  return value;
};
const bitsLiteral = (width) => (view, offset) => hex(bitsOf(view, offset, width), width);
const float = (read, format) => (width) => (view, offset) => {
  const value = read(view, offset);
  if (!Number.isFinite(value)) return hex(bitsOf(view, offset, width), width);
  return Object.is(value, -0) ? "-0.0" : format(value);
};

/** Returns the value of a 16-bit float. */
function readHalf(view, offset) {
  const word = view.getUint16(offset, true);
  const [exponent, fraction] = [word >> 10 & 31, word & 1023];
  const magnitude = exponent === 31 ? (fraction ? NaN : Infinity) : exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return word >> 15 ? -magnitude : magnitude;
}

/** Returns the shortest decimal number that rounds to the given 32-bit float. */
function shortestSingle(value) {
  for (let digits = 1; digits < 9; digits += 1) {
    const text = String(Number(value.toPrecision(digits)));
    if (Math.fround(Number(text)) === value) return text;
  }
  return String(value);
}

/** Types whose elements are written as decimal numbers. Elements of all other types are written as bits. */
const NUMBER_READERS = {
  u8: integer("getUint8"), s8: integer("getInt8"), u16: integer("getUint16"), s16: integer("getInt16"), u32: integer("getUint32"), s32: integer("getInt32"),
  u64: integer("getBigUint64"), s64: integer("getBigInt64"),
  f16: float(readHalf, String), f32: float((view, offset) => view.getFloat32(offset, true), shortestSingle), f64: float((view, offset) => view.getFloat64(offset, true), String),
};
/** Returns the width of an element type and the function that reads an element, or null for an unknown type. */
const elementReader = (type) => {
  const width = WIDTHS[type];
  return width === undefined ? null : { width, text: (NUMBER_READERS[type] ?? bitsLiteral)(width) };
};

/** NumPy types without byte order, which precedes the type in `<f4` and `|u1`. */
const NUMPY_TYPES = { f2: "f16", f4: "f32", f8: "f64", i1: "s8", i2: "s16", i4: "s32", i8: "s64", u1: "u8", u2: "u16", u4: "u32", u8: "u64", b1: "u8", V2: "b16", V1: "b8" };

const isNumpy = (bytes) => bytes[0] === 0x93 && new TextDecoder("latin1").decode(bytes.subarray(1, 6)) === "NUMPY";

/** Parses a NumPy array as `{ type, shape, bytes }`, with elements in row-major and little-endian order. */
function readNumpy(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [start, length] = bytes[6] >= 2 ? [12, view.getUint32(8, true)] : [10, view.getUint16(8, true)];
  const header = new TextDecoder("latin1").decode(bytes.subarray(start, start + length));
  const descr = /'descr':\s*'([<>|=]?)(\w+)'/.exec(header);
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1].split(",").map((part) => part.trim()).filter(Boolean).map(Number);
  const type = descr && NUMPY_TYPES[descr[2]];
  if (!shape) throw new Error("the header of the .npy file has no field `shape`");
  if (!type) throw new Error(`the elements have the type \`${descr?.[2] ?? "records"}\`, but buffers can contain only scalar integers or floats`);
  const { width } = elementReader(type);
  const n = shape.reduce((product, extent) => product * extent, 1);
  const body = bytes.slice(start + length, start + length + n * width);
  if (body.length < n * width) throw new Error(`the file is truncated: found ${formatCount(body.length)} of ${formatCount(n * width)} bytes`);
  if (descr[1] === ">") for (let offset = 0; offset < body.length; offset += width) body.subarray(offset, offset + width).reverse();
  const isColumnMajor = /'fortran_order':\s*True/.test(header) && shape.length > 1;
  return { type, shape: shape.length > 0 ? shape : [1], bytes: isColumnMajor ? toRowMajor(body, shape, width) : body };
}

/** Converts column-major elements to row-major order. */
function toRowMajor(bytes, shape, width) {
  const rowMajor = new Uint8Array(bytes.length);
  const index = shape.map(() => 0);
  for (let offset = 0; offset < bytes.length; offset += width) {
    const target = index.reduce((sum, coordinate, axis) => sum * shape[axis] + coordinate, 0) * width;
    rowMajor.set(bytes.subarray(offset, offset + width), target);
    for (let axis = 0; axis < shape.length; axis += 1) {
      index[axis] += 1;
      if (index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return rowMajor;
}

/** Returns a pattern for the annotation of a buffer, whose groups are the parts of the annotation. */
const annotationPattern = (name) => new RegExp(`^([ \\t]*(?://|#)@[ \\t]*buffer[ \\t]+${name.replace(/[^\w]/g, "\\$&")}[ \\t]*:[ \\t]*)(\\w+)((?:[ \\t]*\\[[^\\]\\n]*\\])+)[^\\n]*$`, "m");

/** Returns the names of the buffers that the source declares in annotations. */
export const bufferNames = (source) => [...source.matchAll(/^[ \t]*(?:\/\/|#)@[ \t]*buffer[ \t]+([^\s:]+)[ \t]*:/gm)].map(([, name]) => name);

/** Returns the source in which a buffer is initialized with the contents of a file. `inferredAnnotations` contains the inferred
 *  annotations. */
export async function initializedSource({ source, inferredAnnotations = "" }, name, file) {
  if (file.size > MAX_FILE_BYTES) throw new Error(`the file has ${formatCount(file.size)} bytes, but the limit is ${formatCount(MAX_FILE_BYTES)}: use an initializer such as \`random 7\``);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const annotatedSource = annotationPattern(name).test(source) ? source : `${inferredAnnotations}\n${source}`;
  const line = annotationPattern(name).exec(annotatedSource);
  if (!line) throw new Error(`the source has no \`//@ buffer\` annotation for \`${name}\``);
  const array = isNumpy(bytes) ? readNumpy(bytes) : rawBytes(bytes, line[2], line[3]);
  const { width, text } = elementReader(array.type);
  const n = array.bytes.length / width;
  if (n === 0) throw new Error("the file is empty");
  const view = new DataView(array.bytes.buffer, array.bytes.byteOffset, array.bytes.byteLength);
  const values = [];
  let length = 0;
  for (let index = 0; index < n; index += 1) {
    const value = text(view, index * width);
    length += value.length + 2;
    if (length > MAX_LINE_LENGTH) throw new Error(`${formatCount(n)} elements need an annotation of more than ${formatCount(MAX_LINE_LENGTH)} characters: use an initializer such as \`random 7\``);
    values.push(value);
  }
  const extents = array.shape.map((extent) => `[${extent}]`).join("");
  // A single value would initialize all elements, so that it must be enclosed in braces.
  const list = n === 1 ? `{${values[0]}}` : values.join(", ");
  return { text: annotatedSource.replace(annotationPattern(name), () => `${line[1]}${array.type}${extents} = ${list}`), n };
}

/** Returns raw bytes as elements of the declared type. The declared extents are kept if the number of elements matches them. */
function rawBytes(bytes, type, extents) {
  const reader = elementReader(type);
  if (!reader) throw new Error(`\`${type}\` is not a buffer element type`);
  if (bytes.length % reader.width !== 0) throw new Error(`the file size (${pluralize(bytes.length, "byte")}) is not a multiple of the size of type \`${type}\``);
  const shape = [...extents.matchAll(/\[\s*(\d+)\s*\]/g)].map(([, extent]) => Number(extent));
  const n = bytes.length / reader.width;
  const matchesExtents = shape.length > 0 && shape.reduce((product, extent) => product * extent, 1) === n;
  return { type, shape: matchesExtents ? shape : [n], bytes };
}
