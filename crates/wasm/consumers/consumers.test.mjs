// Tests the packed package in Node and in TypeScript, and tests the examples in the README of the package. `e2e/consumers.spec.ts` tests
// the pages.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createProject } from "./build.mjs";

const sourceFolder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const tools = process.env.CONSUMER_TOOLS;
let folder;

before(async () => {
  folder = createProject(join(await mkdtemp(join(tmpdir(), "warpgrid-")), "project"));
  await cp(join(sourceFolder, "app.js"), join(folder, "app.js"));
  await writeFile(join(folder, "main.js"), `import { usePackage } from "./app.js";\nconsole.log(JSON.stringify(await usePackage()));\n`);
});
after(() => rm(join(folder, ".."), { recursive: true, force: true }));

/** Runs a command and returns its output. The command must succeed. */
function runCommand(command, ...commandArguments) {
  const { status, stdout, stderr } = spawnSync(command, commandArguments, { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, `${command} ${commandArguments.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}
const node = (...commandArguments) => runCommand(process.execPath, ...commandArguments);
const expectedResult = { accept: true, sum: 496, isClass: true, code: "W0901" };

test("package runs in Node without options", () => {
  assert.deepEqual(JSON.parse(node("main.js")), expectedResult);
});

test("package loads the WebAssembly as an ES module under the `bundler` condition", () => {
  assert.deepEqual(JSON.parse(node("--no-warnings", "--experimental-wasm-modules", "--conditions=bundler", "main.js")), expectedResult);
});

test("CommonJS code requires the package if Node supports `require` of ES modules", (t) => {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) return t.skip(`Node ${process.versions.node} requires no modules`);
  const code = `const { initSync, explain } = require("warpgrid"); initSync(); console.log(explain("W0901").length > 0);`;
  assert.equal(node("--no-warnings", "--input-type=commonjs", "--eval", code), "true\n");
});

test("esbuild bundle for Node loads the WebAssembly file from its own directory", async () => {
  const { build } = await import("esbuild");
  const outfile = join(folder, "dist/main.js");
  await build({ entryPoints: [join(folder, "main.js")], bundle: true, platform: "node", format: "esm", outfile, logLevel: "error" });
  await cp(join(folder, "node_modules/warpgrid/core_bg.wasm"), join(folder, "dist/core_bg.wasm"));
  assert.deepEqual(JSON.parse(node("dist/main.js")), expectedResult);
});

for (const [name, lib] of [["without the DOM", ["es2022"]], ["with the DOM", ["es2022", "dom"]]]) {
  test(`type declarations are exact and compile ${name}`, async (t) => {
    if (!tools) return t.skip("TypeScript is not installed");
    await cp(join(sourceFolder, "types.ts"), join(folder, "types.ts"));
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: false, target: "es2022", module: "nodenext", types: [], lib };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts"] }));
    runCommand(join(tools, "node_modules/.bin/tsc"), "--project", ".");
  });
}

test("CI example passes, and fails for an invalid kernel", async () => {
  const example = join(root, "docs/ci-example");
  for (const name of ["kernels", "kernels.test.js"]) await cp(join(example, name), join(folder, name), { recursive: true });
  // Without this variable, the nested test runner would report to the current test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = () => spawnSync(process.execPath, ["--test", "--test-reporter=tap", "kernels.test.js"], { cwd: folder, encoding: "utf8", env });
  const passing = run();
  assert.equal(passing.status, 0, passing.stdout);
  assert.match(passing.stdout, /^# pass 5$/m);
  const [file, text] = [join(folder, "kernels/saxpy.ptx"), await readFile(join(example, "kernels/saxpy.ptx"), "utf8")];
  const invalidKernels = { "the wrong lane": text.replace("mad.wide.u32 %py, %i, 4", "mad.wide.u32 %py, %i, 8"), "a typing error": text.replace("st.global", "st.golbal") };
  for (const [description, invalidSource] of Object.entries(invalidKernels)) {
    await writeFile(file, invalidSource);
    assert.notEqual(run().status, 0, description);
  }
});

test("type declarations do not contain `any`", async () => {
  for (const file of ["warpgrid.d.ts", "types.d.ts", "record.d.ts", "warpgrid-widget.d.ts", "tools/remark.d.ts", "tools/markdown-it.d.ts"]) {
    const text = await readFile(join(folder, "node_modules/warpgrid", file), "utf8");
    const code = text.replace(/\/\*\*?[^]*?\*\/|\/\/.*/g, "");
    assert.doesNotMatch(code, /\bany\b/, file);
  }
});

// Each example of the README is a separate module. The comment `// => value` states the value of the preceding expression.
const readme = await readFile(join(root, "crates/wasm/README.md"), "utf8");
const examples = [...readme.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code).filter((code) => !code.includes("frame.contentWindow"));
for (const [index, code] of examples.entries()) {
  test(`README example ${index + 1} produces the documented values`, async () => {
    const assertion = (_, expression, value) => `assert.deepEqual(plain(${expression}), ${value});`;
    const assertions = code.replace(/^(.*?);? +\/\/ => (.*)$/gm, assertion);
    const prelude = `import assert from "node:assert/strict";\nconst plain = (value) => ArrayBuffer.isView(value) ? [...value] : value;\n`;
    await writeFile(join(folder, "example.mjs"), prelude + assertions);
    node("example.mjs");
  });
}

test("README examples compile as strict TypeScript", async (t) => {
  if (!tools) return t.skip("TypeScript is not installed");
  const names = examples.map((_, index) => `readme-${index + 1}.ts`);
  await Promise.all(names.map((name, index) => writeFile(join(folder, name), examples[index])));
  const compilerOptions = { strict: true, noEmit: true, target: "es2022", module: "nodenext", types: [], lib: ["es2022", "dom"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: names }));
  runCommand(join(tools, "node_modules/.bin/tsc"), "--project", ".");
});

test("types of the elements in JSX contain all attributes", async () => {
  const attributes = JSON.parse(await readFile(join(root, "crates/cli/src/document/attributes.json"), "utf8"));
  const text = await readFile(join(folder, "node_modules/warpgrid/warpgrid-widget.d.ts"), "utf8");
  const [, members] = /interface PlaygroundAttributes[^{]*\{([^}]*)\}/.exec(text);
  const names = [...members.matchAll(/^ +(\w+)\?:/gm)].map(([, name]) => name);
  assert.deepEqual(names.sort(), Object.keys(attributes).sort());
});

test("README examples document their results", () => {
  assert.ok(examples.length >= 5, `${examples.length} examples`);
  assert.ok(examples.join("").match(/\/\/ => /g).length >= 10);
});
