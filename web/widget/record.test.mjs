// The recorder and the documentation tools of the npm package.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { guessTokens, hiddenLines, dedent } from "./highlight.js";

const root = new URL("../../", import.meta.url);
const { elementHtml, embed, embedding, isRecording, lastPosition, layout, pictureAt, record } = await import(new URL("pkg/record.js", root));
const { default: init, Session } = await import(new URL("pkg/node.js", root));
const example = (name) => readFile(new URL(`public/examples/${name}.ptx`, root), "utf8");
await init();

for (const name of ["row-and-column-stores", "bank-conflicts", "half-a-warp", "cluster-messages"]) {
  test(`recording of ${name} equals the frames of a session at every step`, async () => {
    const source = await example(name);
    const recording = JSON.parse(JSON.stringify(await record(source)));
    assert.ok(isRecording(recording));
    const session = new Session({ source });
    // A run that faults must be executed to its end, because only then the last position has the fault instead of the step before.
    session.run();
    for (let position = 0; position <= lastPosition(recording); position += 1) {
      session.seek(position);
      const state = pictureAt(recording, position);
      const gridRequests = state.grids.map(({ id, columns, cells }) => ({ memory: id, columns, nRows: Math.ceil(cells.length / columns) }));
      const frame = session.frame({ grids: gridRequests });
      assert.equal(state.position, frame.position);
      assert.equal(state.sentence, frame.sentence.map(({ text }) => text).join(""));
      assert.equal(state.done, frame.last?.range.line ?? null);
      frame.grids.forEach((grid, index) => {
        const expected = grid.cells.map(({ text, lane, written, conflict }) => ({ text, lane, now: written === "now", conflict }));
        assert.deepEqual(state.grids[index].cells, expected, `${name}, step ${position}`);
      });
    }
    assert.equal(session.over, true);
    session.free();
  });
}

test("recording of a rejected source contains its tokens and diagnostics", async () => {
  const recording = await record("st.shred.u32 [p], x;");
  assert.equal(recording.accept, false);
  assert.ok(recording.diagnostics.some(({ code }) => code === "W0101"));
  assert.deepEqual(recording.steps, []);
  assert.ok(recording.tokens.length > 0);
});

test("endless run is recorded up to the step limit", async () => {
  const recording = await record(await example("endless-loop"), { steps: 10 });
  assert.equal(lastPosition(recording), 10);
  assert.equal(recording.status, "running");
});

test("source and label are escaped in the embedding HTML", async () => {
  const hostileSource = `// </script><script>alert(1)</script> <img src=x onerror=alert(1)> & "'\nst.global.u32 [p], x;`;
  const html = await embed(hostileSource, { view: "split", label: `"><b>` });
  assert.equal(html.match(/<script/g).length, 1);
  assert.doesNotMatch(html, /<img|<b>|alert\(1\)<\/script>/);
  const recording = JSON.parse(/<script type="application\/json">(.*?)<\/script>/s.exec(html)[1]);
  assert.equal(recording.scenario.source, hostileSource);
});

test("snapshot contains highlighted source and a table without scripts and inline styles", async () => {
  const html = await embed("mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;", { step: "end" });
  assert.match(html, /<span class="tok-opcode">st<\/span>/);
  assert.match(html, /<td class="lane-31" title="lane 31">31<\/td>/);
  assert.doesNotMatch(html, /style=/);
});

test("boilerplate is hidden in the snapshot and executed in the run", async () => {
  const text = "// begin-hidden\nmov.u32 %t, %tid.x;\n// end-hidden\nst.global.u32 [p], %t;";
  const recording = await record(text);
  const html = elementHtml(recording, { view: "editor" });
  assert.doesNotMatch(html.split("<script")[0], /tid/);
  assert.deepEqual(hiddenLines(text), [true, true, true, false]);
  assert.equal(lastPosition(recording), 3);
});

test("guessed tokens classify the words of a line", () => {
  const text = "  @%p st.global.v4.f32 [%rd1], 0x10; // note";
  const words = guessTokens(text).map(({ start, end, class: name }) => `${name} ${text.slice(start, end)}`);
  assert.ok(words.includes("type .f32") && words.includes("register %rd1") && words.includes("number 0x10"));
  assert.equal(words.at(-1), "comment // note");
  assert.equal(dedent("\n    a\n      b\n  "), "a\n  b");
});

test("mdBook preprocessor replaces playground blocks by widgets", async () => {
  const mdbook = fileURLToPath(new URL("pkg/tools/mdbook.js", root));
  assert.equal(spawnSync("node", [mdbook, "supports", "html"]).status, 0);
  assert.equal(spawnSync("node", [mdbook, "supports", "epub"]).status, 1);
  const content = "# A\n\n```ptx,playground view=grid step=end\nst.global.u32 [p], x;\n\nret;\n```\n\n```ptx\nret;\n```\n";
  const chapter = (name, path) => ({ Chapter: { name, content, path, sub_items: [] } });
  const book = [{ config: {} }, { sections: [chapter("A", "a.md"), "Separator", chapter("B", "deep/b.md")] }];
  const finished = spawnSync("node", [mdbook], { input: JSON.stringify(book), encoding: "utf8" });
  assert.equal(finished.status, 0, finished.stderr);
  const { sections } = JSON.parse(finished.stdout);
  assert.match(sections[0].Chapter.content, /<warpgrid-playground view="grid" step="end">/);
  // A single HTML block, in which Markdown changes nothing.
  const html = /^<div class="warpgrid">[^]*?<\/warpgrid-playground><\/div>$/m.exec(sections[0].Chapter.content)[0];
  assert.doesNotMatch(html, /\n\s*\n/);
  assert.match(sections[0].Chapter.content, /```ptx\nret;/);
  assert.match(sections[0].Chapter.content, /src="warpgrid\/warpgrid-widget-classic.js"/);
  assert.match(sections[2].Chapter.content, /src="\.\.\/warpgrid\/warpgrid-widget-classic.js"/);
});

test("recording that exceeds the limits or is malformed is rejected", async () => {
  const valid = JSON.parse(JSON.stringify(await record("mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;")));
  assert.ok(isRecording(valid));
  const modified = (change) => { const copy = structuredClone(valid); change(copy); return copy; };
  for (const columns of [0, -1, 0.5, NaN, 1e9, "8"]) assert.equal(isRecording(modified((it) => { it.grids[0].columns = columns; })), false, `${columns}`);
  for (const corrupt of [
    (it) => { it.grids = Array(1000).fill(it.grids[0]); }, (it) => { it.steps = [[0, 0, "", [[0, 1, 2, 3]]]]; }, (it) => { it.steps = [null]; },
    (it) => { it.tokens = ["1e9"]; }, (it) => { delete it.diagnostics; }, (it) => { it.fragments = [{}]; }, (it) => { it.warpgrid = 2; },
  ]) assert.equal(isRecording(modified(corrupt)), false, `${corrupt}`);
  // Counts are limited to the maximum number of cells.
  const oversized = modified((it) => { it.grids[0].cells = ["0", 1e12]; it.steps[1][3][0][3] = ["7", 1e12]; });
  assert.ok(pictureAt(oversized, 2).grids[0].cells.length <= 16_384);
});

test("dedent removes the indentation of a million lines", () => {
  assert.equal(dedent("  ret;\n".repeat(1_000_000)).length, 5 * 1_000_000 - 1);
});

test("widget module can be imported in Node", async () => {
  const { WarpgridPlayground } = await import(new URL("pkg/warpgrid-widget.js", root));
  assert.equal(typeof WarpgridPlayground, "function");
});

const invalidSource = "\nst.shred.u32 [p], 5;";

test("problems of a block are reported with their lines", async () => {
  const { embedding } = await import(new URL("pkg/record.js", root));
  const { problems, html } = await embedding(invalidSource, { veiw: "grid", step: "x", target: "sm_90" });
  assert.match(html, /^<warpgrid-playground/);
  assert.deepEqual(problems.map(({ line, code, severity, message }) => [line, code, severity, message]), [
    [0, "W0906", "warning", "unknown attribute `veiw`"],
    [0, "W0906", "warning", "found `step=x`, expected a step number or `end`"],
    [2, "W0101", "error", "unknown modifier `.shred`"],
  ]);
  const target = (await embedding("ret;", { target: "sm_9000" })).problems;
  assert.match(target[0].message, /sm_9000/);
});

test("unknown memory of a block is reported with the known memories", async () => {
  const { problems, html } = await embedding("mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;", { memory: "nope" });
  assert.match(html, /^<warpgrid-playground/);
  assert.deepEqual(problems.map(({ code, message }) => [code, message]), [["W0906", "the launch has no buffer or variable `nope`, expected one of `p`"]]);
});

test("arguments of the recorder that are no sources are rejected", async () => {
  for (const call of [() => record(), () => record(5), () => record({}), () => embed(5)]) {
    await assert.rejects(call, { name: "WarpgridError", code: "W0901" });
  }
});

test("documentation tools print their usage", () => {
  for (const name of ["embed", "mdbook"]) {
    const run = (argument) => spawnSync("node", [fileURLToPath(new URL(`pkg/tools/${name}.js`, root)), argument], { input: "", encoding: "utf8" });
    const help = run("--help");
    assert.deepEqual([help.status, help.stderr], [0, ""]);
    assert.match(help.stdout, new RegExp(`^usage: warpgrid-${name}`));
    assert.equal(run("--nothing").status, 2);
  }
});

test("embed tool processes several blocks in one process and reports their problems", () => {
  const lines = ["ret;", invalidSource].map((text) => `${JSON.stringify({ text, attributes: {} })}\n`).join("");
  const { stdout } = spawnSync("node", [fileURLToPath(new URL("pkg/tools/embed.js", root))], { input: lines, encoding: "utf8" });
  const responses = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(responses.map(({ problems }) => problems.map(({ line }) => line)), [[], [2]]);
});

test("mdBook preprocessor reports problems with file and line and still renders the block", () => {
  const chapter = { name: "A", path: "x/a.md", source_path: "x/a.md", content: `# A\n\n\`\`\`ptx,playground veiw=grid${invalidSource}\n\`\`\`\n`, sub_items: [] };
  const book = JSON.stringify([{ config: { preprocessor: { warpgrid: {} } } }, { items: [{ Chapter: chapter }] }]);
  const { stdout, stderr } = spawnSync("node", [fileURLToPath(new URL("pkg/tools/mdbook.js", root))], { input: book, encoding: "utf8" });
  assert.equal(stderr, "warpgrid: x/a.md:3: warning: unknown attribute `veiw` (W0906)\nwarpgrid: x/a.md:4: error: unknown modifier `.shred` (W0101)\n");
  const { content } = JSON.parse(stdout).items[0].Chapter;
  assert.match(content, /<link rel="stylesheet" href="\.\.\/warpgrid\/warpgrid-snapshot.css"><script defer src="\.\.\/warpgrid\/warpgrid-widget-classic.js">/);
});

test("remark plugin reports problems as messages of the file", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const { default: warpgrid } = await import(new URL("pkg/tools/remark.js", root));
  const tree = { type: "root", children: [{ type: "code", lang: "ptx", meta: "playground", value: invalidSource, position: { start: { line: 7 } } }] };
  const messages = [];
  await warpgrid()(tree, { path: "a.mdx", message: (...words) => messages.push(words) });
  assert.deepEqual(messages, [["unknown modifier `.shred` (W0101)", { line: 9, column: 1 }, "warpgrid"]]);
  assert.equal(warn.mock.calls[0].arguments[0], "warpgrid: a.mdx:9: error: unknown modifier `.shred` (W0101)");
});

test("markdown-it plugin renders HTML, or a `v-html` attribute for Vue", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const { default: warpgrid } = await import(new URL("pkg/tools/markdown-it.js", root));
  const render = (info, content, options) => {
    const md = { renderer: { rules: { fence: () => "plain" } } };
    warpgrid(md, options);
    return md.renderer.rules.fence([{ info, content, map: [4, 7] }], 0, {}, { relativePath: "a.md" }, md.renderer);
  };
  assert.equal(render("ptx", "ret;"), "plain");
  assert.match(render("ptx playground", "ret;\n\nret;"), /^<div class="warpgrid"><warpgrid-playground>[^]*<\/div>\n$/);
  assert.doesNotMatch(render("ptx playground", "ret;\n\nret;"), /\n\n/);
  assert.match(render("ptx playground", "ret;", { vue: true }), /^<div class="warpgrid" v-html="[^"]*"><\/div>\n$/);
  render("ptx playground view=gird", "st.shred.u32 [p], 5;");
  assert.deepEqual(warn.mock.calls.map(({ arguments: [line] }) => line), [
    "warpgrid: a.md:5: warning: found `view=gird`, expected one of `split`, `editor`, `grid`, `matrix`, `result`, `quiz` (W0906)",
    "warpgrid: a.md:6: error: unknown modifier `.shred` (W0101)",
  ]);
});

test("info strings of SASS fences and quoted values are parsed", async () => {
  const { readFence } = await import(new URL("pkg/tools/fence.js", root));
  assert.deepEqual(readFence("sass,playground target=sm_90"), { playground: true, attributes: { front: "sass", target: "sm_90" } });
  assert.deepEqual(readFence(`{.ptx-playground memory="p,q" label='a b' title="x" .wide #id}`), { playground: true, attributes: { memory: "p,q", label: "a b" } });
  assert.equal(readFence("python playground"), null);
});

test("layout diagram contains its text version and link, and errors have positions", async () => {
  const { html, problems } = await layout("op=layout\n  expression = (8,4):(4,1)\n", { label: "Rows & columns" });
  assert.deepEqual(problems, []);
  assert.match(html, /^<warpgrid-layout label="Rows &amp; columns" query="#layouts\?op=layout&amp;expression=%288%2C4%29:%284%2C1%29" data-link="#layouts/);
  assert.match(html, /<svg [^]*<\/svg><details><summary>Text version<\/summary><pre>\(8,4\):\(4,1\): 32 elements/);
  assert.equal(html.includes("<script"), false);
  const again = await layout(/query="([^"]*)"/.exec(html)[1].replaceAll("&amp;", "&"), { label: "Rows & columns" });
  assert.equal(again.html, html);
  for (const [query, message] of [
    ["expression=(8,4", /^column 5: found the end/],
    ["op=layout&expression=%zz", /^part 2 of the query \(`expression=%zz`\)/],
    ["op=<script>", /`<script>`/],
    ["expression=(128,256)", /32768 cells, expected at most 8192/],
  ]) {
    const { html: failedHtml, problems: [problem] } = await layout(query);
    assert.match(problem.message, message);
    assert.equal(problem.severity, "error");
    assert.equal(failedHtml.includes("<script>"), false, failedHtml);
  }
  const { problems: [unknown] } = await layout("op=chain", { odd: "1" });
  assert.equal(unknown.message, "unknown attribute `odd`");
});

test("`warpgrid-layout` fence is rendered as a layout diagram", async () => {
  const { readFence } = await import(new URL("pkg/tools/fence.js", root));
  assert.deepEqual(readFence("warpgrid-layout label=A"), { playground: true, attributes: { lens: true, label: "A" } });
  assert.equal(readFence("warpgrid-layouts"), null);
  const { html } = await embedding("op=chain", { lens: true });
  assert.match(html, /^<warpgrid-layout query="#layouts\?op=chain"/);
});
