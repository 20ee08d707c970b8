#!/usr/bin/env node
// A preprocessor of mdBook: fenced blocks ```` ```ptx,playground ```` become widgets with their recorded runs. In book.toml:
//
//   [preprocessor.warpgrid]
//   command = "npx warpgrid-mdbook"
//
//   [output.html]
//   additional-css = ["warpgrid-snapshot.css"]
//
// The book comes in as JSON on standard input, and goes out on standard output.
import { embed } from "../record.js";
import { readFence } from "./fence.js";

const FENCE = /^([ \t]*)(`{3,}|~{3,})([^\n`]*)\n([^]*?)^[ \t]*\2[`~]*[ \t]*$/gm;

/** The text of a chapter with its blocks replaced. `script` is the address of the widget. */
async function replaced(text, script) {
  const parts = [];
  let at = 0;
  let found = false;
  for (const match of text.matchAll(FENCE)) {
    const fence = readFence(match[3]);
    if (!fence?.playground) continue;
    parts.push(text.slice(at, match.index), `\n${oneBlock(await embed(match[4], fence.attributes))}\n`);
    at = match.index + match[0].length;
    found = true;
  }
  parts.push(text.slice(at));
  if (found) parts.push(`\n\n<script type="module" src="${script}"></script>\n`);
  return parts.join("");
}

/** HTML that Markdown takes as one block and leaves as it is: one that begins with a `<div>` and has no empty line. */
const oneBlock = (html) => `<div class="warpgrid">${html.replace(/\n(?=\n)/g, "\n<span></span>")}</div>`;

async function walk(items, root) {
  for (const item of items) {
    const chapter = item.Chapter;
    if (!chapter) continue;
    const depth = (chapter.path ?? "").split("/").length - 1;
    const base = /^(https?:)?\//.test(root) ? root : `${"../".repeat(depth)}${root}`;
    chapter.content = await replaced(chapter.content, `${base}warpgrid-widget.js`);
    await walk(chapter.sub_items ?? [], root);
  }
}

if (process.argv[2] === "supports") process.exit(process.argv[3] === "html" ? 0 : 1);
let input = "";
for await (const part of process.stdin) input += part;
const [context, book] = JSON.parse(input);
const { url = "warpgrid/" } = context.config?.preprocessor?.warpgrid ?? {};
await walk(book.items ?? book.sections, url.endsWith("/") ? url : `${url}/`);
process.stdout.write(JSON.stringify(book));
