// Parses every PTX file of the repository that the checker accepts, and expects no error nodes.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import init, { check } from "../../../pkg/node.js";

const grammar = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const { TREE_SITTER: treeSitter } = process.env;
/** Files with PTX in another format, which the checker extracts: an assembler log and excerpts of the manual. */
const OTHER_FORMATS = ["public/examples/log-of-an-assembler.ptx", "crates/view/tests/data/manual/wmma_store.ptx"];
/** Checks whether a source is valid. Annotations are removed, because the annotations of test cases are valid only for their test runner. */
const isAccepted = (source) => check(source.replace(/^\/\/@.*$/gm, "")).accept;

await init();

test("accepted PTX files of the repository contain no syntax errors", () => {
  const files = execFileSync("git", ["ls-files", "*.ptx"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  const accepted = files.filter((file) => !OTHER_FORMATS.includes(file) && isAccepted(readFileSync(join(root, file), "utf8")));
  assert.ok(accepted.length > 800, `the checker accepted ${accepted.length} of ${files.length} files`);
  const list = join(mkdtempSync(join(tmpdir(), "warpgrid-")), "files.txt");
  writeFileSync(list, accepted.map((file) => join(root, file)).join("\n"));
  const { status, stdout, stderr } = spawnSync(treeSitter, ["parse", "--quiet", "--paths", list], { cwd: grammar, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
  console.log(`${accepted.length} of ${files.length} files are accepted and were parsed`);
});
