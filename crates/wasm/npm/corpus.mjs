// Implements the conformance test of the package. The test runs kernels of real compilers and compares the final memory byte by byte with
// the final memory on a GPU. The test runs in pages, workers and Node. The caller provides the functions that read files.

/** Step limit of a run, which is far above the number of steps of any case. */
const MAX_STEPS = 50_000_000;
/** Number of steps whose stores are part of a trace, as in `crates/view/tests/corpus.rs`. */
const TRACED_STEPS = 1_000;

/** Minimum numbers of runs of kernels, compared buffers, compiled runs, runs of families, listings, and generated kernels. */
export const MIN_COUNTS = { runs: 194, buffers: 540, translated: 150, families: 195, listings: 47, generated: 500 };

/** Directories of the cases, relative to the repository root. The last directory may be absent. */
export const FOLDERS = {
  corpus: "crates/view/tests/corpus",
  machine_code: "crates/view/tests/machine_code",
  tensor: "crates/view/tests/tensor",
  corpus_sass: "../shared/corpus_sass",
};

/** Returns the PTX kernels, each with the `case.json` and the source files of its case. The function requires a file system, like
 *  `listings`. */
export async function kernels(root) {
  const { names, json } = await openFolder(root, "corpus");
  return Promise.all(names.map(async (name) => {
    const { variants } = await json(`${name}/case.json`);
    const files = ["kernel.ptx", ...variants.map((variant) => variant.file)];
    return { name, caseFile: `corpus/${name}/case.json`, files: files.map((file) => `corpus/${name}/${file}`), traces: "corpus/traces.json" };
  }));
}

/** Returns the same kernels as SASS that the emulator can execute (tiers 1 and 2). The result contains all listings if the directory of
 *  listings exists, otherwise the sample of the project. */
export async function listings(root) {
  const allCases = await openFolder(root, "corpus_sass");
  if (allCases.names.length > 0) {
    const cases = await Promise.all(allCases.names.map(async (name) => {
      const { variants } = await allCases.json(`${name}/case.json`);
      const files = variants.filter(({ tier }) => tier < 3).map(({ file }) => `corpus_sass/${name}/${file}`);
      return { name, caseFile: `corpus_sass/${name}/case.json`, files, front: "sass" };
    }));
    return cases.filter(({ files }) => files.length > 0);
  }
  const sample = await openFolder(root, "machine_code");
  return Promise.all(sample.names.map(async (name) => {
    const files = (await sample.files(name)).map((file) => `machine_code/${name}/${file}`);
    return { name, caseFile: `corpus/${name}/case.json`, files, front: "sass" };
  }));
}

/** Returns the kernels with tensor instructions. Each family has one compressed file with the fields and sources of its cases. */
export async function families(root) {
  const { readdir } = await import("node:fs/promises");
  const files = await readdir([root, FOLDERS.tensor].join("/"));
  return files.filter((file) => file.endsWith(".json.gz")).sort().map((file) => ({ name: file.replace(".json.gz", ""), packed: `tensor/${file}` }));
}

/** Decompresses the cases of a file. */
async function decompressCases(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const cases = await new Response(stream).json();
  return cases.map(({ case: caseFields, texts }) => ({ name: caseFields.name, given: caseFields, texts }));
}

/** Reads the bytes of a file by its path within a case. */
export async function readBytes(root, path) {
  const { readFile } = await import("node:fs/promises");
  const [first, ...remaining] = path.split("/");
  return readFile([root, FOLDERS[first], ...remaining].join("/"));
}

/** Reads the text of a file by its path within a case. */
export async function readCase(root, path) {
  const { readFile } = await import("node:fs/promises");
  const [first, ...remaining] = path.split("/");
  return readFile([root, FOLDERS[first], ...remaining].join("/"), "utf8");
}

/** Returns the case names of a directory, and functions for the files of a case and for a file as JSON. */
async function openFolder(root, key) {
  const { readdir } = await import("node:fs/promises");
  const entries = await readdir([root, FOLDERS[key]].join("/"), { withFileTypes: true }).catch(() => []);
  return {
    names: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name).sort(),
    files: async (name) => (await readdir([root, FOLDERS[key], name].join("/"))).sort(),
    json: async (path) => JSON.parse(await readCase(root, `${key}/${path}`)),
  };
}

/**
 * Runs all files of the cases. `read` returns the text of a path within a case, `bytes` its bytes. `engine` selects the engine. The result
 * contains one message per difference in `failures`, and the number of compiled runs in `nTranslated`.
 */
export async function runCorpus({ Session }, cases, read, { bytes, engine = "auto" } = {}) {
  const result = { nRuns: 0, nBuffers: 0, nTranslated: 0, failures: [] };
  const allCases = [];
  for (const entry of cases) allCases.push(...(entry.packed ? await decompressCases(await bytes(entry.packed)) : [entry]));
  for (const { name, caseFile, files: listedFiles, front, traces, given: embeddedFields, texts } of allCases) {
    const caseFields = embeddedFields ?? JSON.parse(await read(caseFile));
    const files = listedFiles ?? Object.keys(texts);
    const nativeTraces = traces ? JSON.parse(await read(traces)) : {};
    const expectations = await Promise.all([...caseFields.params.flatMap(expectedBuffers), ...(caseFields.arrays ?? []).flatMap(expectedBuffers)].map(expectationOf));
    // A case specifies its memory as numbers and as a digest. The comparison of both tests the conversion of the numbers.
    for (const expectation of expectations.filter(({ digest, stated }) => digest !== stated))
      result.failures.push(`${name}: \`expect\` of ${expectation.name} has the digest ${expectation.digest}, not ${expectation.stated}`);
    for (const file of files) {
      const report = (difference) => result.failures.push(`${texts ? `${name}/` : ""}${file}: ${difference}`);
      const source = texts?.[file] ?? await read(file);
      try {
        const session = new Session({ ...scenario(caseFields, source), ...(front && { front }) });
        if (!session.run({ maxSteps: MAX_STEPS, engine })) report(`not over after ${MAX_STEPS} steps`);
        result.nTranslated += Number(session.engine?.name === "translated");
        faultDifferences(session.fault, caseFields.fault).forEach(report);
        for (const expectation of expectations) {
          (await bufferDifferences(expectation, session.memory(expectation.name))).forEach(report);
          result.nBuffers += 1;
        }
        const expected = nativeTraces[file.replace(/^corpus\//, "")];
        if (traces && (await trace(session)) !== expected) report(`its steps and stores are not those of a native run, ${expected}`);
        session.free();
      } catch (error) {
        report(`${error.name}: ${error.message}`);
      }
      result.nRuns += 1;
    }
  }
  return result;
}

/**
 * Runs launches in the interpreter and in the JIT compiler. `failures` contains one message per launch with a different memory or a different number
 * of lane-instructions.
 */
export function compareEngines({ Session }, scenarios) {
  const result = { nRuns: 0, nTranslated: 0, failures: [] };
  scenarios.forEach((scenario, index) => {
    const [interpreted, translated] = ["interpreter", "translated"].map((engine) => {
      const session = new Session(scenario);
      session.run({ maxSteps: MAX_STEPS, engine });
      return session;
    });
    const buffers = scenario.params.filter(({ kind }) => kind === "buffer");
    const hasDifference = ({ name }) => hex(interpreted.memory(name)) !== hex(translated.memory(name));
    const differences = buffers.filter(hasDifference).map(({ name }) => `\`${name}\` differs`);
    const [actual, expected] = [translated, interpreted].map((session) => session.laneInstructions);
    if (actual !== expected) differences.push(`${actual} lane-instructions, expected ${expected}`);
    result.failures.push(...differences.map((difference) => `kernel ${index}: ${difference}`));
    result.nRuns += 1;
    result.nTranslated += Number(translated.engine?.name === "translated");
    interpreted.free();
    translated.free();
  });
  return result;
}

/** Returns the number of steps of a run and a digest of the stores of its first steps. */
async function trace(session) {
  const line = ({ step, instruction, lanes }) => `${step} ${instruction} ${lanes.map(({ value }) => value).join(" ")}\n`;
  const lines = session.events(0, TRACED_STEPS).map(line).join("");
  return `${session.position} ${await sha256(new TextEncoder().encode(lines))}`;
}

async function sha256(bytes) {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Returns the scenario of a case. The source specifies the PTX version. */
export function scenario({ entry, grid, block, cluster, dynamic_shared, params, arrays }, source) {
  return { source, entry, grid, block, cluster, dynamic_shared, params: params.map(replaceNegativeZeros), ...(arrays && { arrays: arrays.map(replaceNegativeZeros) }) };
}

/** Replaces negative zeros by their bits, because the sign of a zero is lost between JavaScript and Rust. */
function replaceNegativeZeros(parameter) {
  const replaceNegativeZero = (value) => (Object.is(value, -0) ? `0x${bits(parameter.type, value).toString(16)}` : value);
  const { fields, init, value } = parameter;
  return {
    ...parameter,
    ...(fields && { fields: fields.map(replaceNegativeZeros) }),
    ...(init && { init: Array.isArray(init) ? init.map(replaceNegativeZero) : init }),
    ...(value !== undefined && { value: replaceNegativeZero(value) }),
  };
}

/** Returns the buffers of a parameter with an expected final memory. */
function expectedBuffers(parameter) {
  if (parameter.fields) return parameter.fields.flatMap(expectedBuffers);
  return parameter.expect || parameter.one_of || parameter.expect_sha256 ? [parameter] : [];
}

/** Returns the possible final contents of a buffer. If stores race, the buffer has several possible contents. */
async function expectationOf({ name, type, len: declaredLength, expect, expect_sha256, one_of }) {
  // For a large buffer, a case specifies only the digest.
  if (!one_of && !expect) return { name, width: widthOf(type), images: [], digest: expect_sha256, stated: expect_sha256 };
  const choices = one_of ?? expect.map((value) => [value]);
  // An array of texels specifies extents instead of a length.
  const len = declaredLength ?? choices.length;
  const nImages = Math.max(...choices.map((values) => values.length));
  const images = Array.from({ length: nImages }, (_, i) =>
    bytesOf(type, len, choices.map((values) => values[Math.min(i, values.length - 1)])),
  );
  const digest = await sha256(images[0]);
  return { name, width: widthOf(type), images, digest, stated: expect_sha256 ?? digest };
}

/** Returns a message about the first wrong element of a buffer. Returns nothing if all elements are correct. */
async function bufferDifferences({ name, width, images, stated }, actual) {
  if (images.length === 0) {
    const digest = await sha256(actual);
    return digest === stated ? [] : [`${name} has the digest ${digest}, expected ${stated}`];
  }
  if (actual.length !== images[0].length) return [`${name} has ${actual.length} bytes, expected ${images[0].length}`];
  const matches = (image, offset) => {
    for (let i = offset; i < offset + width; i++) if (actual[i] !== image[i]) return false;
    return true;
  };
  for (let offset = 0; offset < actual.length; offset += width) {
    if (images.some((image) => matches(image, offset))) continue;
    const expected = images.map((image) => hex(image.subarray(offset, offset + width)));
    const bytes = hex(actual.subarray(offset, offset + width));
    return [`${name}[${offset / width}] has the bytes ${bytes}, expected ${[...new Set(expected)].join(" or ")}`];
  }
  return [];
}

/** Returns the differences between a fault and the fields that the case specifies. */
function faultDifferences(actual, expected) {
  if (!expected) return actual ? [`stopped: ${actual.message}`] : [];
  if (!actual) return [`ended without the fault \`${expected.kind}\``];
  const fields = { ...actual, byte_offset: actual.byteOffset };
  return Object.entries(expected)
    .filter(([field, value]) => JSON.stringify(fields[field]) !== JSON.stringify(value))
    .map(([field, value]) => `the fault's ${field} is ${JSON.stringify(fields[field])}, expected ${JSON.stringify(value)}`);
}

/** Encodes elements as little-endian bytes. Missing elements are zero. */
function bytesOf(type, len, values) {
  const width = widthOf(type);
  const bytes = new Uint8Array(len * width);
  values.forEach((value, i) => {
    let remaining = bits(type, value);
    for (let offset = i * width; offset < (i + 1) * width; offset++, remaining >>= 8n) bytes[offset] = Number(remaining & 0xffn);
  });
  return bytes;
}

/** Returns the bits of a value of a case. The value is a number that the type represents exactly, or a string with the bits. */
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

/** Returns the bits of a number that binary16 represents exactly. */
function halfBits(value) {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return sign;
  // Numbers below 2^-14 are subnormal. Their exponent is constant, and their significand has no implicit one.
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  return sign + ((exponent + 14) << 10) + magnitude * 2 ** (10 - exponent);
}

function widthOf(type) {
  return Number(type.match(/\d+$/)[0]) / 8;
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
