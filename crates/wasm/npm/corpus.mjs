// Kernels that real compilers made go in, with the package that shall run them; how memory differs from what a GPU
// leaves comes out, byte for byte. For pages, workers and Node alike: whoever calls says how a file is read.

/** Far more than any case needs; a case that gets here is stuck. */
const MAX_STEPS = 50_000_000;
/** Steps whose stores are part of a trace, as in `crates/view/tests/corpus.rs`. */
const TRACED_STEPS = 1_000;

/** How many there are at least: runs of kernels, buffers that they leave, and how many of the runs are translated; runs of families; listings; generated kernels. */
export const LEAST = { runs: 194, buffers: 540, translated: 150, families: 195, listings: 47, generated: 500 };

/** Where cases lie, from the root of the project; the last folder is not there in every checkout. */
export const FOLDERS = {
  corpus: "crates/view/tests/corpus",
  machine_code: "crates/view/tests/machine_code",
  tensor: "crates/view/tests/tensor",
  corpus_sass: "../shared/corpus_sass",
};

/** The kernels in PTX: what a case says, and its files. Only where there is a file system, as the next one. */
export async function kernels(root) {
  const { names, json } = await folder(root, "corpus");
  return Promise.all(names.map(async (name) => {
    const { variants } = await json(`${name}/case.json`);
    const files = ["kernel.ptx", ...variants.map((variant) => variant.file)];
    return { name, facts: `corpus/${name}/case.json`, files: files.map((file) => `corpus/${name}/${file}`), traces: "corpus/traces.json" };
  }));
}

/** The same kernels as machine code that runs (tiers 1 and 2): all listings where they are, else the sample of the project. */
export async function listings(root) {
  const all = await folder(root, "corpus_sass");
  if (all.names.length > 0) {
    const cases = await Promise.all(all.names.map(async (name) => {
      const { variants } = await all.json(`${name}/case.json`);
      const files = variants.filter(({ tier }) => tier < 3).map(({ file }) => `corpus_sass/${name}/${file}`);
      return { name, facts: `corpus_sass/${name}/case.json`, files, front: "sass" };
    }));
    return cases.filter(({ files }) => files.length > 0);
  }
  const sample = await folder(root, "machine_code");
  return Promise.all(sample.names.map(async (name) => {
    const files = (await sample.files(name)).map((file) => `machine_code/${name}/${file}`);
    return { name, facts: `corpus/${name}/case.json`, files, front: "sass" };
  }));
}

/** Kernels of tensor instructions: a packed file for each family, with what its cases say and their texts. */
export async function families(root) {
  const { readdir } = await import("node:fs/promises");
  const files = await readdir([root, FOLDERS.tensor].join("/"));
  return files.filter((file) => file.endsWith(".json.gz")).sort().map((file) => ({ name: file.replace(".json.gz", ""), packed: `tensor/${file}` }));
}

/** The cases of a packed file, whose bytes go in. */
async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const cases = await new Response(stream).json();
  return cases.map(({ case: given, texts }) => ({ name: given.name, given, texts }));
}

/** The bytes of a file by the path that a case gives it. */
export async function readBytes(root, path) {
  const { readFile } = await import("node:fs/promises");
  const [first, ...rest] = path.split("/");
  return readFile([root, FOLDERS[first], ...rest].join("/"));
}

/** A file by the path that a case gives it. */
export async function readCase(root, path) {
  const { readFile } = await import("node:fs/promises");
  const [first, ...rest] = path.split("/");
  return readFile([root, FOLDERS[first], ...rest].join("/"), "utf8");
}

/** One of the folders: the cases in it, the files of a case, and a file as JSON. */
async function folder(root, which) {
  const { readdir } = await import("node:fs/promises");
  const entries = await readdir([root, FOLDERS[which]].join("/"), { withFileTypes: true }).catch(() => []);
  return {
    names: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort(),
    files: async (name) => (await readdir([root, FOLDERS[which], name].join("/"))).sort(),
    json: async (path) => JSON.parse(await readCase(root, `${which}/${path}`)),
  };
}

/**
 * Runs every file of the cases. `read` takes a path that a case gives and brings the file's text, `bytes` brings its bytes.
 * `wrong` has a sentence for whatever is not as the case says; it is empty when all is well. `engine` says what runs them, and `nTranslated` how many
 * were translated.
 */
export async function runCorpus({ Session }, cases, read, { bytes, engine = "auto" } = {}) {
  const result = { nRuns: 0, nBuffers: 0, nTranslated: 0, wrong: [] };
  const all = [];
  for (const each of cases) all.push(...(each.packed ? await unpacked(await bytes(each.packed)) : [each]));
  for (const { name, facts, files: named, front, traces, given: said, texts } of all) {
    const given = said ?? JSON.parse(await read(facts));
    const files = named ?? Object.keys(texts);
    const native = traces ? JSON.parse(await read(traces)) : {};
    const promises = await Promise.all([...given.params.flatMap(buffers), ...(given.arrays ?? []).flatMap(buffers)].map(promised));
    // A case says its memory twice, so that our reading of its numbers is held to account as well.
    for (const promise of promises.filter(({ digest, stated }) => digest !== stated))
      result.wrong.push(`${name}: \`expect\` of ${promise.name} has the digest ${promise.digest}, not ${promise.stated}`);
    for (const file of files) {
      const say = (what) => result.wrong.push(`${texts ? `${name}/` : ""}${file}: ${what}`);
      const source = texts?.[file] ?? await read(file);
      try {
        const session = new Session({ ...scenario(given, source), ...(front && { front }) });
        if (!session.run({ maxSteps: MAX_STEPS, engine })) say(`not over after ${MAX_STEPS} steps`);
        result.nTranslated += Number(session.engine?.name === "translated");
        faultDifferences(session.fault, given.fault).forEach(say);
        for (const promise of promises) {
          (await bufferDifferences(promise, session.memory(promise.name))).forEach(say);
          result.nBuffers += 1;
        }
        const expected = native[file.replace(/^corpus\//, "")];
        if (traces && (await trace(session)) !== expected) say(`its steps and stores are not those of a native run, ${expected}`);
        session.free();
      } catch (error) {
        say(`${error.name}: ${error.message}`);
      }
      result.nRuns += 1;
    }
  }
  return result;
}

/**
 * Runs launches by the interpreter and by translated code. `wrong` has a sentence for each launch that does not leave the same memory after as many lane-instructions.
 */
export function compareEngines({ Session }, scenarios) {
  const result = { nRuns: 0, nTranslated: 0, wrong: [] };
  scenarios.forEach((scenario, number) => {
    const [interpreted, translated] = ["interpreter", "translated"].map((engine) => {
      const session = new Session(scenario);
      session.run({ maxSteps: MAX_STEPS, engine });
      return session;
    });
    const buffers = scenario.params.filter(({ kind }) => kind === "buffer");
    const differs = ({ name }) => hex(interpreted.memory(name)) !== hex(translated.memory(name));
    const wrong = buffers.filter(differs).map(({ name }) => `\`${name}\` differs`);
    const [found, expected] = [translated, interpreted].map((session) => session.laneInstructions);
    if (found !== expected) wrong.push(`${found} lane-instructions, expected ${expected}`);
    result.wrong.push(...wrong.map((what) => `kernel ${number}: ${what}`));
    result.nRuns += 1;
    result.nTranslated += Number(translated.engine?.name === "translated");
    interpreted.free();
    translated.free();
  });
  return result;
}

/** How many steps a run has, and a digest of what its first steps stored. */
async function trace(session) {
  const line = ({ step, instruction, lanes }) => `${step} ${instruction} ${lanes.map(({ value }) => value).join(" ")}\n`;
  const lines = session.events(0, TRACED_STEPS).map(line).join("");
  return `${session.position} ${await sha256(new TextEncoder().encode(lines))}`;
}

async function sha256(bytes) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** What the package needs of a case. The module itself says its version. */
export function scenario({ entry, grid, block, cluster, dynamic_shared, params, arrays }, source) {
  return { source, entry, grid, block, cluster, dynamic_shared, params: params.map(signed), ...(arrays && { arrays: arrays.map(signed) }) };
}

/** A number that JavaScript and Rust both call zero loses its sign on the way; its bits do not. */
function signed(parameter) {
  const literal = (value) => (Object.is(value, -0) ? `0x${bits(parameter.type, value).toString(16)}` : value);
  const { fields, init, value } = parameter;
  return {
    ...parameter,
    ...(fields && { fields: fields.map(signed) }),
    ...(init && { init: Array.isArray(init) ? init.map(literal) : init }),
    ...(value !== undefined && { value: literal(value) }),
  };
}

/** The buffers of a parameter whose memory after the launch is promised. */
function buffers(parameter) {
  if (parameter.fields) return parameter.fields.flatMap(buffers);
  return parameter.expect || parameter.one_of || parameter.expect_sha256 ? [parameter] : [];
}

/** The memory that a buffer may end with: one image of bytes, or several where writers race. */
async function promised({ name, type, len: said, expect, expect_sha256, one_of }) {
  // Of much memory the digest is all that a case says.
  if (!one_of && !expect) return { name, width: widthOf(type), images: [], digest: expect_sha256, stated: expect_sha256 };
  const choices = one_of ?? expect.map((value) => [value]);
  // An array of texels says its extents instead.
  const len = said ?? choices.length;
  const nImages = Math.max(...choices.map((values) => values.length));
  const images = Array.from({ length: nImages }, (_, i) =>
    bytesOf(type, len, choices.map((values) => values[Math.min(i, values.length - 1)])),
  );
  const digest = await sha256(images[0]);
  return { name, width: widthOf(type), images, digest, stated: expect_sha256 ?? digest };
}

/** How a buffer differs: nothing, or its first wrong element. */
async function bufferDifferences({ name, width, images, stated }, found) {
  if (images.length === 0) {
    const digest = await sha256(found);
    return digest === stated ? [] : [`${name} has the digest ${digest}, expected ${stated}`];
  }
  if (found.length !== images[0].length) return [`${name} has ${found.length} bytes, expected ${images[0].length}`];
  const matches = (image, at) => {
    for (let i = at; i < at + width; i++) if (found[i] !== image[i]) return false;
    return true;
  };
  for (let at = 0; at < found.length; at += width) {
    if (images.some((image) => matches(image, at))) continue;
    const expected = images.map((image) => hex(image.subarray(at, at + width)));
    const bytes = hex(found.subarray(at, at + width));
    return [`${name}[${at / width}] has the bytes ${bytes}, expected ${[...new Set(expected)].join(" or ")}`];
  }
  return [];
}

/** How a fault differs from the one that the case states, in the fields that it states. */
function faultDifferences(found, expected) {
  if (!expected) return found ? [`stopped: ${found.message}`] : [];
  if (!found) return [`ended without the fault \`${expected.kind}\``];
  const stated = { ...found, byte_offset: found.byteOffset };
  return Object.entries(expected)
    .filter(([field, value]) => JSON.stringify(stated[field]) !== JSON.stringify(value))
    .map(([field, value]) => `the fault's ${field} is ${JSON.stringify(stated[field])}, expected ${JSON.stringify(value)}`);
}

/** Elements as bytes, little-endian; missing ones are zero. */
function bytesOf(type, len, values) {
  const width = widthOf(type);
  const bytes = new Uint8Array(len * width);
  values.forEach((value, i) => {
    let rest = bits(type, value);
    for (let at = i * width; at < (i + 1) * width; at++, rest >>= 8n) bytes[at] = Number(rest & 0xffn);
  });
  return bytes;
}

/** The bits of a value as a case writes it: a number exact for its type, or the bits themselves. */
function bits(type, value) {
  if (typeof value === "string") return BigInt(value);
  switch (type) {
    case "f64": return new BigUint64Array(Float64Array.of(value).buffer)[0];
    case "f32": return BigInt(new Uint32Array(Float32Array.of(value).buffer)[0]);
    case "bf16": return bits("f32", value) >> 16n;
    case "f16": return BigInt(halfBits(value));
    default: return BigInt.asUintN(8 * widthOf(type), BigInt(value));
  }
}

/** The bits of a number that binary16 holds exactly. */
function halfBits(value) {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return sign;
  // Below 2^-14 the exponent stays, and the fraction loses its leading one.
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  return sign + ((exponent + 14) << 10) + magnitude * 2 ** (10 - exponent);
}

function widthOf(type) {
  return Number(type.match(/\d+$/)[0]) / 8;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
