// A scenario as a text that says all of it: the facts of a launch go in, `//@` lines before the text come out, in place of those that say otherwise.
// So a link, or an element's text, carries the whole state, and a person can read and change it.

const MARK = /^\s*\/\/@\s*(\w+)\s*/;
const isThere = (value) => value !== null && value !== undefined;

/** `16x16`, without the extents of 1 at the end. */
const extents = (of) => isThere(of) && of.join("x").replace(/(x1){1,2}$/, "");
/** JSON has no negative zero that is an integer. */
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

/** The lines of a parameter; a member of a structure is named by its offset. */
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
    default:
      return [];
  }
}

/** The text without what the scenario says instead; and what it states of dynamic shared memory, of which the larger one counts. */
function reduced(source, launch, { name, params, registers }) {
  const replaced = { title: name, ...(params?.length && { buffer: 1, scalar: 1, start: 1, alias: 1, expect: 1 }), register: registers?.length };
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

/** The text of a scenario with everything that its launch needs. What names the language, the version and the target is not in it. */
export function stated(scenario) {
  const { source, name, grid, block, cluster, entry, seed, resident, misaligned, params, registers } = scenario;
  const launch = { grid: extents(grid) || null, block: extents(block) || null, cluster: extents(cluster) || null, entry, seed, resident, misaligned };
  if (scenario.dynamic_shared) launch.shared = scenario.dynamic_shared;
  const { text, shared } = reduced(source, launch, scenario);
  if (launch.shared) launch.shared = Math.max(launch.shared, shared);
  const pairs = Object.entries(launch).filter(([, value]) => isThere(value)).map(([key, value]) => `${key}=${value}`);
  const lines = [
    ...(name ? [`title ${name}`] : []),
    ...(pairs.length > 0 ? [`launch ${pairs.join(" ")}`] : []),
    ...(params ?? []).flatMap((parameter) => linesOf(parameter)),
    ...(registers ?? []).map((register) => `register ${register.name} = ${register.value}`),
  ];
  return lines.map((line) => `//@ ${line.replaceAll("\n", " ")}\n`).join("") + text;
}
