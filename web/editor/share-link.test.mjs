// Tests that links and files of the current format and of earlier formats can be opened, and that invalid ones produce the same error
// messages as in `crates/share`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isLink, readFile, readLink, annotatedSource, writeFile, writeLink } from "./share-link.js";

const readData = (name) => readFileSync(new URL(`../../crates/share/tests/data/${name}`, import.meta.url), "utf8");
const dataLines = (name) => readData(name).split("\n").filter((line) => line !== "" && !line.startsWith("//"));
const savedLinks = dataLines("links.txt").map((line) => line.split(" "));

test("links and files of earlier versions can be read", async () => {
  assert.ok(savedLinks.length >= 6);
  for (const [name, link] of savedLinks) {
    const { warpgrid, ...file } = readFile(readData(`${name}.warpgrid.json`));
    assert.equal(warpgrid, 1);
    assert.deepEqual(await readLink(link), file, name);
  }
});

test("encoding and decoding a link or a file preserves its contents", async () => {
  for (const [, link] of savedLinks) {
    const shared = await readLink(link);
    assert.deepEqual(await readLink(await writeLink(shared)), shared);
    const { warpgrid, ...file } = readFile(writeFile(shared));
    assert.deepEqual(file, shared);
  }
});

test("invalid links are rejected with the expected message", async () => {
  for (const line of dataLines("refused.txt")) {
    const [link, sentence] = line.split("\t");
    await assert.rejects(readLink(link), { message: sentence }, link.slice(0, 60));
  }
});

test("truncated link is rejected, and text after a link is ignored", async () => {
  const [, link] = savedLinks[0];
  const complete = await readLink(link);
  for (let length = 3; length < link.length; length += 7) await assert.rejects(readLink(link.slice(0, length)), /incomplete/);
  for (const suffix of [".", ")", "=", ", as I said", "%20"]) assert.deepEqual(await readLink(link + suffix), complete);
});

test("other URL fragments of the page are not links", () => {
  for (const hash of ["", "#", "#matrix?op=store.d", "#product", "#beside=vector-addition", "#lens?op=layout", "#outcomes=message", "#layouts?op=store.d", "#compare=vector-addition", "#litmus=message", "#text=QQ&step=2"]) assert.equal(isLink(hash), false, hash);
  assert.equal(isLink("#1=eNo"), true);
  assert.equal(isLink("#27="), true);
});

test("scenario is converted to a source with launch annotations", async () => {
  const [, link] = savedLinks.find(([name]) => name === "scenario");
  const shared = await readLink(link);
  assert.match(annotatedSource(shared), /^\/\/@ title a case\n\/\/@ launch grid=2 block=32\n\/\/@ buffer out: u32\[4\] = \[1, 2, 3, 4\]\n\/\/@ scalar n: u32 = 7\n\.version/);
  assert.throws(() => annotatedSource({ source: "", params: [{ kind: "buffer", shape: 3 }, 7, null] }), { message: /Invalid link: `scenario` must be a valid launch configuration/ });
});
