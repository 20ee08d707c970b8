// Converts a scenario to a source with annotations: `//@` lines before the text replace the annotations that conflict with the scenario.
// Therefore, a link or the text of an element contains the complete state in a readable and editable form.

const ANNOTATION = /^\s*\/\/@\s*(\w+)\s*/;
const isDefined = (value) => value !== null && value !== undefined;

/** Formats extents as `16x16`, and omits trailing extents of 1. */
const formatExtents = (values) => isDefined(values) && values.join("x").replace(/(x1){1,2}$/, "");
/** Formats a literal. Negative zero is written as a float, because JSON has no negative zero as an integer. */
const formatLiteral = (value) => (Object.is(value, -0) ? "-0.0" : `${value}`);
const formatList = (values) => `[${values.map(formatLiteral).join(", ")}]`;

function arrayType({ type, len, shape }) {
  const fits = shape?.length > 0 && shape.reduce((product, extent) => product * extent, 1) === len;
  return `${type}${(fits ? shape : [len]).map((extent) => `[${extent}]`).join("")}`;
}

function initialValue({ init }) {
  if (!Array.isArray(init)) return formatLiteral(init ?? 0);
  return init.length > 0 ? formatList(init) : "0";
}

/** Formats the extents 64, 40 as `[40][64]`, because annotations start with the outermost extent. */
const outermostFirst = (extents) => (extents?.length ? [...extents].reverse().map((extent) => `[${extent}]`).join("") : null);

function tensorMapLine(map, name) {
  const options = {
    strides: outermostFirst(map.strides), box: outermostFirst(map.box), step: outermostFirst(map.element_strides),
    lower: outermostFirst(map.lower_corner), upper: outermostFirst(map.upper_corner), channels: map.channels_per_pixel, pixels: map.pixels_per_column,
    interleave: map.interleave, swizzle: map.swizzle, l2: map.l2_promotion, oob: map.oob_fill, passed: map.passed,
  };
  const optionText = Object.entries(options).filter(([, value]) => isDefined(value)).map(([option, value]) => ` ${option}=${value}`);
  return `tensormap ${name} = ${map.mode} ${bufferOffset(map)}: ${map.type}${outermostFirst(map.dims)}${optionText.join("")}`;
}

/** Returns the annotations of a parameter. A member of a structure is named by its offset. */
function parameterLines(parameter, name = parameter.name) {
  switch (parameter.kind) {
    case "buffer": {
      const line = `buffer ${name}: ${arrayType(parameter)} = ${initialValue(parameter)}`;
      const start = parameter.start ? [`start ${name} = ${parameter.start}`] : [];
      return [line, ...start, ...(parameter.expect ? [`expect ${name} = ${formatList(parameter.expect)}`] : [])];
    }
    case "scalar":
      return [`scalar ${name}: ${parameter.type} = ${formatLiteral(parameter.value)}`];
    case "struct":
      return parameter.fields.flatMap((field) => parameterLines(field, `${name}+${field.offset}`));
    case "alias":
      return [`alias ${name} = ${parameter.of}`];
    case "tensormap":
      return [tensorMapLine(parameter, name)];
    case "texture":
      return [`texture ${name} = ${[resourceText(parameter.resource), ...samplerOptions(parameter)].join(" ")}`];
    case "surface":
      return [`surface ${name} = ${resourceText(parameter.resource)}`];
    default:
      return [];
  }
}

const optionPairs = (options) => Object.entries(options).filter(([, value]) => isDefined(value) && value !== "").map(([option, value]) => `${option}=${value}`);
/** Formats a position within a buffer. */
const bufferOffset = ({ buffer, byte_offset }) => `${buffer}${byte_offset ? `+${byte_offset}` : ""}`;
const texelType = ({ type, channels: n }) => `${type}${n > 1 ? `x${n}` : ""}`;

function resourceText(description) {
  if (description.kind === "array") return description.array;
  const extents = description.height ? [description.width, description.height] : [description.width];
  return `${description.kind} ${bufferOffset(description)}: ${texelType(description)}${outermostFirst(extents)}${description.pitch ? ` pitch=${description.pitch}` : ""}`;
}

function samplerOptions({ filter, address_mode, read_mode, border_color, normalized }) {
  const options = optionPairs({ filter, address: (address_mode ?? []).join(","), read: read_mode, border: (border_color ?? []).join(",") });
  return normalized ? [...options, "normalized"] : options;
}

/** Returns the annotations of an array to which textures and surfaces refer. */
function arrayLines(array) {
  const extents = [array.width, array.height, array.depth || array.layers].filter(Boolean);
  const flags = [array.layers && !array.cubemap && "layered", array.cubemap && "cubemap", array.surface && "surface"].filter(Boolean);
  const line = [`array ${array.name}: ${texelType(array)}${outermostFirst(extents)}`, ...flags, "=", initialValue(array)].join(" ");
  return [line, ...(array.expect ? [`expect ${array.name} = ${formatList(array.expect)}`] : [])];
}

/** Returns the source without the annotations that the scenario replaces, and the size of dynamic shared memory in these annotations,
 *  because the larger size applies. */
function withoutReplaced(source, launch, { name, params, registers, arrays }) {
  const parameters = { buffer: 1, scalar: 1, start: 1, alias: 1, tensormap: 1, texture: 1, surface: 1, expect: 1 };
  const replaced = { title: name, ...(params?.length && parameters), register: registers?.length, array: arrays?.length };
  let shared = 0;
  const lines = source.split("\n").flatMap((line) => {
    const [annotation, keyword] = ANNOTATION.exec(line) ?? [];
    if (!annotation) return [line];
    if (keyword !== "launch") return replaced[keyword] ? [] : [line];
    const pairs = line.slice(annotation.length).split(/\s+/).filter(Boolean);
    const retained = pairs.filter((pair) => !isDefined(launch[pair.split("=")[0]]));
    shared = Math.max(shared, ...pairs.map((pair) => Number(/^shared=(\d+)$/.exec(pair)?.[1] ?? 0)));
    if (retained.length === pairs.length) return [line];
    return retained.length > 0 ? [`//@ launch ${retained.join(" ")}`] : [];
  });
  return { text: lines.join("\n"), shared };
}

/** Returns the source of a scenario with all annotations that its launch requires, except for the language, the version and the target. */
export function withAnnotations(scenario) {
  const { source, name, grid, block, cluster, entry, seed, resident, misaligned, params, registers, arrays } = scenario;
  const launch = { grid: formatExtents(grid) || null, block: formatExtents(block) || null, cluster: formatExtents(cluster) || null, entry, seed, resident, misaligned };
  if (scenario.dynamic_shared) launch.shared = scenario.dynamic_shared;
  const { text, shared } = withoutReplaced(source, launch, scenario);
  if (launch.shared) launch.shared = Math.max(launch.shared, shared);
  const pairs = Object.entries(launch).filter(([, value]) => isDefined(value)).map(([key, value]) => `${key}=${value}`);
  const lines = [
    ...(name ? [`title ${name}`] : []),
    ...(pairs.length > 0 ? [`launch ${pairs.join(" ")}`] : []),
    ...(params ?? []).flatMap((parameter) => parameterLines(parameter)),
    ...(arrays ?? []).flatMap(arrayLines),
    ...(registers ?? []).map((register) => `register ${register.name} = ${register.value}`),
  ];
  return lines.map((line) => `//@ ${line.replaceAll("\n", " ")}\n`).join("") + text;
}
