// Converts a scenario to a source with annotations: `//@` lines before the text replace those that conflict with the scenario. A link, or
// the text of an element, then contains the whole state in a readable and editable form.

const MARK = /^\s*\/\/@\s*(\w+)\s*/;
const isThere = (value) => value !== null && value !== undefined;

/** Formats extents as `16x16`, without trailing extents of 1. */
const extents = (of) => isThere(of) && of.join("x").replace(/(x1){1,2}$/, "");
/** JSON has no negative zero as an integer. */
const literal = (value) => (Object.is(value, -0) ? "-0.0" : `${value}`);
const list = (values) => `[${values.map(literal).join(", ")}]`;

function array({ type, len, shape }) {
  const fits = shape?.length > 0 && shape.reduce((product, extent) => product * extent, 1) === len;
  return `${type}${(fits ? shape : [len]).map((extent) => `[${extent}]`).join("")}`;
}

function initial({ init }) {
  if (!Array.isArray(init)) return literal(init ?? 0);
  return init.length > 0 ? list(init) : "0";
}

/** Formats the extents 64, 40 as `[40][64]`, because annotations start with the outermost extent. */
const outermostFirst = (of) => (of?.length ? [...of].reverse().map((extent) => `[${extent}]`).join("") : null);

function tensorMap(map, name) {
  const words = {
    strides: outermostFirst(map.strides), box: outermostFirst(map.box), step: outermostFirst(map.element_strides),
    lower: outermostFirst(map.lower_corner), upper: outermostFirst(map.upper_corner), channels: map.channels_per_pixel, pixels: map.pixels_per_column,
    interleave: map.interleave, swizzle: map.swizzle, l2: map.l2_promotion, oob: map.oob_fill, passed: map.passed,
  };
  const stated = Object.entries(words).filter(([, value]) => isThere(value)).map(([word, value]) => ` ${word}=${value}`);
  return `tensormap ${name} = ${map.mode} ${place(map)}: ${map.type}${outermostFirst(map.dims)}${stated.join("")}`;
}

/** Returns the annotations of a parameter. A member of a structure is named by its offset. */
function linesOf(parameter, name = parameter.name) {
  switch (parameter.kind) {
    case "buffer": {
      const line = `buffer ${name}: ${array(parameter)} = ${initial(parameter)}`;
      const start = parameter.start ? [`start ${name} = ${parameter.start}`] : [];
      return [line, ...start, ...(parameter.expect ? [`expect ${name} = ${list(parameter.expect)}`] : [])];
    }
    case "scalar":
      return [`scalar ${name}: ${parameter.type} = ${literal(parameter.value)}`];
    case "struct":
      return parameter.fields.flatMap((field) => linesOf(field, `${name}+${field.offset}`));
    case "alias":
      return [`alias ${name} = ${parameter.of}`];
    case "tensormap":
      return [tensorMap(parameter, name)];
    case "texture":
      return [`texture ${name} = ${[resource(parameter.resource), ...sampler(parameter)].join(" ")}`];
    case "surface":
      return [`surface ${name} = ${resource(parameter.resource)}`];
    default:
      return [];
  }
}

const pairsOf = (words) => Object.entries(words).filter(([, value]) => isThere(value) && value !== "").map(([word, value]) => `${word}=${value}`);
/** Formats a part of a buffer. */
const place = ({ buffer, byte_offset }) => `${buffer}${byte_offset ? `+${byte_offset}` : ""}`;
const channels = ({ type, channels: n }) => `${type}${n > 1 ? `x${n}` : ""}`;

function resource(of) {
  if (of.kind === "array") return of.array;
  const extents = of.height ? [of.width, of.height] : [of.width];
  return `${of.kind} ${place(of)}: ${channels(of)}${outermostFirst(extents)}${of.pitch ? ` pitch=${of.pitch}` : ""}`;
}

function sampler({ filter, address_mode, read_mode, border_color, normalized }) {
  const words = pairsOf({ filter, address: (address_mode ?? []).join(","), read: read_mode, border: (border_color ?? []).join(",") });
  return normalized ? [...words, "normalized"] : words;
}

/** Returns the annotations of an array for textures and surfaces. */
function linesOfArray(of) {
  const extents = [of.width, of.height, of.depth || of.layers].filter(Boolean);
  const words = [of.layers && !of.cubemap && "layered", of.cubemap && "cubemap", of.surface && "surface"].filter(Boolean);
  const line = [`array ${of.name}: ${channels(of)}${outermostFirst(extents)}`, ...words, "=", initial(of)].join(" ");
  return [line, ...(of.expect ? [`expect ${of.name} = ${list(of.expect)}`] : [])];
}

/** Returns the source without the annotations that the scenario replaces, and its size of dynamic shared memory, because the larger size
 *  applies. */
function reduced(source, launch, { name, params, registers, arrays }) {
  const parameters = { buffer: 1, scalar: 1, start: 1, alias: 1, tensormap: 1, texture: 1, surface: 1, expect: 1 };
  const replaced = { title: name, ...(params?.length && parameters), register: registers?.length, array: arrays?.length };
  let shared = 0;
  const lines = source.split("\n").flatMap((line) => {
    const [mark, word] = MARK.exec(line) ?? [];
    if (!mark) return [line];
    if (word !== "launch") return replaced[word] ? [] : [line];
    const pairs = line.slice(mark.length).split(/\s+/).filter(Boolean);
    const kept = pairs.filter((pair) => !isThere(launch[pair.split("=")[0]]));
    shared = Math.max(shared, ...pairs.map((pair) => Number(/^shared=(\d+)$/.exec(pair)?.[1] ?? 0)));
    if (kept.length === pairs.length) return [line];
    return kept.length > 0 ? [`//@ launch ${kept.join(" ")}`] : [];
  });
  return { text: lines.join("\n"), shared };
}

/** Returns the source of a scenario with all annotations that its launch needs, except for language, version and target. */
export function stated(scenario) {
  const { source, name, grid, block, cluster, entry, seed, resident, misaligned, params, registers, arrays } = scenario;
  const launch = { grid: extents(grid) || null, block: extents(block) || null, cluster: extents(cluster) || null, entry, seed, resident, misaligned };
  if (scenario.dynamic_shared) launch.shared = scenario.dynamic_shared;
  const { text, shared } = reduced(source, launch, scenario);
  if (launch.shared) launch.shared = Math.max(launch.shared, shared);
  const pairs = Object.entries(launch).filter(([, value]) => isThere(value)).map(([key, value]) => `${key}=${value}`);
  const lines = [
    ...(name ? [`title ${name}`] : []),
    ...(pairs.length > 0 ? [`launch ${pairs.join(" ")}`] : []),
    ...(params ?? []).flatMap((parameter) => linesOf(parameter)),
    ...(arrays ?? []).flatMap(linesOfArray),
    ...(registers ?? []).map((register) => `register ${register.name} = ${register.value}`),
  ];
  return lines.map((line) => `//@ ${line.replaceAll("\n", " ")}\n`).join("") + text;
}
