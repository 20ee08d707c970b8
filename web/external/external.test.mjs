// Tests of the external hosts: references, responses of Compiler Explorer and of the GitHub API, and bounded requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, test } from "node:test";
import { fetchJson, fetchText, RequestError } from "./bounded-fetch.js";
import { compilerArguments, parseCompilation, parseCompilers, parseShortLink, splitOptions } from "./compiler-explorer.js";
import { withExternalHosts } from "./hosts.mjs";
import { gistFile } from "./open-reference.js";
import { parseReference } from "./references.js";
import { annotationLines, readSourceFile, withSourceFile } from "../editor/source-file.js";

const BASE = "https://godbolt.org";
const parse = (text) => parseReference(text, BASE);
const originalFetch = globalThis.fetch;
afterEach(() => { globalThis.fetch = originalFetch; });

/** References that earlier versions have created, with the URL of their request. A reference must remain valid in all later versions. */
const REFERENCES = [
  ["#gh=owner/repo@main/kernels/a.ptx", "https://raw.githubusercontent.com/owner/repo/main/kernels/a.ptx"],
  ["#gh=owner/repo.js@feature%2Fx/a%20b.cu", "https://raw.githubusercontent.com/owner/repo.js/feature/x/a%20b.cu"],
  ["#gh=o/r@0123456789abcdef0123456789abcdef01234567/k.sass", "https://raw.githubusercontent.com/o/r/0123456789abcdef0123456789abcdef01234567/k.sass"],
  ["#gist=0123456789abcdef0123456789abcdef", "https://api.github.com/gists/0123456789abcdef0123456789abcdef"],
  ["#gist=0123456789abcdef0123456789abcdef/k.ptx", "https://api.github.com/gists/0123456789abcdef0123456789abcdef"],
  ["#url=https://gist.githubusercontent.com/o/0123/raw/k.ptx", "https://gist.githubusercontent.com/o/0123/raw/k.ptx"],
  ["#url=https://cdn.jsdelivr.net/gh/o/r@1.2/k.ptx", "https://cdn.jsdelivr.net/gh/o/r@1.2/k.ptx"],
  ["#url=https://godbolt.org/z/Km_340", "https://godbolt.org/api/shortlinkinfo/Km_340"],
];

test("references of earlier versions are valid and canonical", () => {
  for (const [fragment, url] of REFERENCES) {
    const { host, path, fragment: canonical } = parse(fragment);
    assert.equal(`https://${host}/${path}`, url);
    assert.equal(canonical, fragment);
    assert.ok(fragment.length <= 100, fragment);
  }
});

test("URLs of pages and raw files are converted to short references", () => {
  for (const [url, fragment] of [
    ["https://github.com/o/r/blob/main/a/k.ptx", "#gh=o/r@main/a/k.ptx"],
    ["https://github.com/o/r/blob/main/a/k.ptx#L10", "#gh=o/r@main/a/k.ptx"],
    ["https://raw.githubusercontent.com/o/r/main/k.ptx", "#gh=o/r@main/k.ptx"],
    ["https://raw.githubusercontent.com/o/r/refs/heads/main/k.ptx", "#gh=o/r@main/k.ptx"],
    ["#url=https%3A%2F%2Fraw.githubusercontent.com%2Fo%2Fr%2Fmain%2Fk.ptx", "#gh=o/r@main/k.ptx"],
    ["https://gist.github.com/o/0123456789abcdef", "#gist=0123456789abcdef"],
    [" https://godbolt.org/z/abc \n", "#url=https://godbolt.org/z/abc"],
  ]) assert.equal(parse(url).fragment, fragment, url);
});

test("invalid references are rejected with the reason", () => {
  for (const [text, reason] of [
    ["#gh=owner/repo/main/k.ptx", /expected `#gh=owner/],
    ["#gh=owner/repo@main/../../other/main/k.ptx", /expected `#gh=owner/],
    ["#gh=owner/repo@main/%2e%2e/k.ptx", /expected `#gh=owner/],
    ["#gh=owner/repo@main/%E0%A4%A.ptx", /percent encoding/],
    ["#gist=nothex", /hexadecimal/],
    ["#url=https://example.com/k.ptx", /Cannot open a file from `example.com`/],
    ["#url=https://raw.githubusercontent.com.example.com/o/r/main/k", /Cannot open a file from/],
    ["#url=https://raw.githubusercontent.com@example.com/o/r/main/k", /Cannot open a file from `example.com`/],
    ["#url=http://raw.githubusercontent.com/o/r/main/k.ptx", /https:/],
    ["#url=javascript:alert(1)", /https:/],
    ["#url=k.ptx", /complete URL/],
    ["https://godbolt.org/", /godbolt.org\/z\//],
  ]) assert.throws(() => parse(text), ({ message }) => reason.test(message), text);
});

test("page lists exactly the external hosts in its policy", () => {
  const html = readFileSync(new URL("../index.html", import.meta.url), "utf8");
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/;
  assert.equal(policy.exec(withExternalHosts(html))[1], "connect-src 'self' https://godbolt.org https://raw.githubusercontent.com https://gist.githubusercontent.com https://cdn.jsdelivr.net https://api.github.com");
  const own = withExternalHosts(html, "http://127.0.0.1:10240/");
  assert.match(own, /<meta name="warpgrid-compiler-explorer" content="http:\/\/127\.0\.0\.1:10240" \/>/);
  assert.doesNotMatch(own, /godbolt/);
  assert.throws(() => withExternalHosts("<html>"), /placeholder/);
});

const PTX = [".version 8.8", ".target sm_90", ".address_size 64", "\t.file\t1 \"/app/example.cu\"", ".visible .entry k() { ret; }"];
const lines = (texts) => texts.map((text) => ({ text, source: null, labels: [] }));

test("PTX is read from the output, or from the device code for the target", () => {
  assert.equal(parseCompilation({ code: 0, stderr: [], asm: lines(PTX) }, "sm_90").ptx, PTX.join("\n"));
  const devices = { "SASS (sm_90)": { asm: lines(["MOV R1, c[0x0][0x28] ;"]) }, "PTX (compute_80)": { asm: lines([...PTX, "// 80"]) }, "PTX (compute_90)": { asm: lines([...PTX, "// 90"]) } };
  assert.match(parseCompilation({ code: 0, stderr: [], asm: lines(["main:", " ret"]), devices }, "sm_90").ptx, /\/\/ 90$/);
  assert.match(parseCompilation({ code: 0, stderr: [], asm: "<No output file>", devices: { PTX: { asm: PTX.join("\n") } } }, "sm_90").ptx, /\.entry k/);
});

test("compilation without PTX is not a success", () => {
  for (const value of [
    { code: 0, asm: lines(["main:", " ret"]) }, { code: 0, asm: [{ text: 7 }, null, 3] }, { code: 0, devices: { PTX: null, "PTX 2": "x" } },
    { code: 1, asm: lines(PTX) },
  ]) assert.equal(parseCompilation(value, "sm_90").ptx, null);
  for (const value of [null, 7, "text", [], {}, { code: "0" }]) assert.equal(parseCompilation(value, "sm_90"), null);
});

test("compiler messages have the lines and severities of the compiler", () => {
  const { messages, output } = parseCompilation({
    code: 2,
    stderr: [
      { text: "\u001b[31m<source>(4): error: identifier \"arrray\" is undefined\u001b[0m", tag: { line: 4, column: 0, text: "error: identifier \"arrray\" is undefined", severity: 3, file: "example.cu" } },
      { text: "          array[tid] = arrray[tid];" },
      { text: "<source>(2): warning #177-D: variable \"x\" was declared but never referenced" },
      { text: "/app/example.cu(7): catastrophic error: cannot open source file \"a.h\"" },
      { text: "<source>:9:5: note: declared here" },
      { text: "/opt/cuda/include/cuda.h(12): error: header", tag: { line: 12, text: "error: header", file: "cuda.h" } },
      { text: "something else", tag: { line: 3, text: "error: tagged" } },
      { text: "1 error detected in the compilation of \"<source>\"." }, null, { text: 5 },
    ],
  }, "sm_90");
  assert.deepEqual(messages, [
    { line: 4, severity: "error", text: "identifier \"arrray\" is undefined" },
    { line: 2, severity: "warning", text: "variable \"x\" was declared but never referenced" },
    { line: 7, severity: "error", text: "cannot open source file \"a.h\"" },
    { line: 9, severity: "info", text: "declared here" },
    { line: 3, severity: "error", text: "tagged" },
  ]);
  assert.doesNotMatch(output, /\u001b/);
  assert.match(output, /cuda\.h\(12\): error: header/);
});

test("compiler list contains only valid nvcc compilers", () => {
  const value = [{ id: "nvcc129u1", name: "NVCC 12.9.1" }, { id: "clang_trunk", name: "clang" }, { id: "nvcc<img>", name: "x" }, { id: "nvcc118" }, null];
  assert.deepEqual(parseCompilers(value), [{ id: "nvcc129u1", name: "NVCC 12.9.1" }, { id: "nvcc118", name: "nvcc118" }]);
  assert.equal(parseCompilers({}), null);
});

test("options of a short link are split into target and further options", () => {
  assert.deepEqual(splitOptions("-O3 -arch=sm_80 --use_fast_math -ptx"), { target: "sm_80", options: "-O3 --use_fast_math" });
  assert.deepEqual(splitOptions("-gencode arch=compute_90a,code=sm_90a -DN=4"), { target: "sm_90a", options: "-DN=4" });
  assert.deepEqual(splitOptions("-arch sm_75"), { target: "sm_75", options: "" });
  assert.equal(compilerArguments("sm_90", "-O3"), "-ptx -lineinfo -arch=sm_90 -O3");
  const link = { sessions: [{ language: "c++", source: "int x;" }, { id: 2, language: "cuda", source: "__global__ void k() {}", compilers: [{ id: "clang" }, { id: "nvcc125u1", options: "-arch=sm_90a" }] }] };
  assert.deepEqual(parseShortLink(link), { source: "__global__ void k() {}", compiler: "nvcc125u1", target: "sm_90a", options: "" });
  for (const value of [null, {}, { sessions: 7 }, { sessions: [{ language: "c++", source: "x" }] }, { sessions: [{ language: "cuda", source: 7 }] }]) assert.equal(parseShortLink(value), null);
});

test("gist file is selected by name or by extension", () => {
  const gist = { files: { "a.md": { filename: "a.md", content: "x" }, "k.ptx": { filename: "k.ptx", content: "ret;" } } };
  assert.equal(gistFile(gist).filename, "k.ptx");
  assert.equal(gistFile(gist, "a.md").filename, "a.md");
  assert.throws(() => gistFile(gist, "b.ptx"), /contains no file `b\.ptx`/);
  for (const value of [null, {}, { files: [] }, { files: { a: 7 } }]) assert.throws(() => gistFile(value), /contains no files/);
});

test("source file of a kernel is read back, without its annotations", () => {
  const source = "//@ launch grid=1 block=32\n__global__ void k()\n{\n\n}\n";
  const kernel = `//@ launch grid=1 block=32\n${withSourceFile(".version 8.0\n// comment\n", "a/example.cu", source)}`;
  assert.deepEqual(readSourceFile(kernel), { name: "example.cu", text: source });
  assert.deepEqual(annotationLines(kernel), ["//@ launch grid=1 block=32"]);
  assert.equal(readSourceFile(".version 8.0"), null);
});

test("responses are bounded, and each failure states its reason", async () => {
  const respond = (body, init) => { globalThis.fetch = async () => new Response(body, init); };
  const options = { maxBytes: 1000, expected: "JSON" };
  const fails = (reason) => assert.rejects(fetchJson("https://godbolt.org/api", options), (error) => error instanceof RequestError && reason.test(error.message));
  respond('{"a":1}');
  assert.deepEqual(await fetchJson("https://godbolt.org/api", options), { a: 1 });
  respond("{");
  await fails(/not valid JSON/);
  respond("<!doctype html><title>Sign in</title>");
  await fails(/returned an HTML page, expected JSON/);
  respond("x", { headers: { "content-type": "text/html" } });
  await fails(/returned an HTML page/);
  respond("x".repeat(2000));
  await fails(/exceeds the limit of 0\.001 MB/);
  let pulled = 0;
  respond(new ReadableStream({ pull(controller) { pulled += 1; controller.enqueue(new Uint8Array(600)); } }));
  await fails(/exceeds the limit/);
  assert.ok(pulled < 10);
  respond(new Uint8Array([0x2e, 0xff, 0xfe]));
  await fails(/not UTF-8/);
  for (const [status, reason] of [[404, /does not exist/], [403, /limit/], [429, /limit/], [503, /has a problem/], [418, /rejected/]]) {
    respond("", { status });
    await fails(reason);
  }
  globalThis.fetch = async () => { throw new TypeError("Failed to fetch"); };
  await fails(/Cannot reach `godbolt\.org`/);
  const abort = new AbortController();
  abort.abort();
  globalThis.fetch = async (_url, { signal }) => { signal.throwIfAborted(); await new Promise(() => {}); };
  await assert.rejects(fetchText("https://godbolt.org/", { ...options, signal: abort.signal }), /canceled/);
});

test("placeholder of the external hosts is replaced in source and minified pages", () => {
  for (const placeholder of ['<meta name="warpgrid-external-hosts" content="" />', "<meta name=warpgrid-external-hosts>", '<meta content="" name=warpgrid-external-hosts>']) {
    const html = withExternalHosts(`<head>${placeholder}</head>`, BASE);
    assert.ok(html.includes("connect-src 'self' https://godbolt.org"), html);
    assert.ok(!html.includes("warpgrid-external-hosts"), html);
  }
  assert.throws(() => withExternalHosts("<head></head>", BASE), /no placeholder/);
});
