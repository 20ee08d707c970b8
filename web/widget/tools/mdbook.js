#!/usr/bin/env node
// mdBook preprocessor: converts fenced blocks ```` ```ptx,playground ```` to widgets with recorded runs. After `npm install warpgrid` in
// the folder of the book, in book.toml:
//
//   [preprocessor.warpgrid]
//   command = "npx --no-install warpgrid-mdbook"
//
// Reads the book as JSON from standard input and writes it to standard output. Problems of blocks are written to standard error.
import { embedding } from "../record.js";
import { oneBlock, problemLine, readFence } from "./fence.js";
import { exitOnArguments } from "./usage.js";

const FENCE = /^([ \t]*)(`{3,}|~{3,})([^\n`]*)\n([^]*?)^[ \t]*\2[`~]*[ \t]*$/gm;

/** Returns the text of a chapter in which widgets replace the code blocks. `base` is the URL of the widget files. */
async function replaceFences(text, base, file) {
  const pieces = [];
  let copiedTo = 0;
  let hasWidgets = false;
  for (const match of text.matchAll(FENCE)) {
    const fence = readFence(match[3]);
    if (!fence?.playground) continue;
    const { html, problems } = await embedding(match[4], fence.attributes);
    const line = text.slice(0, match.index).split("\n").length;
    for (const problem of problems) console.error(`warpgrid: ${problemLine(file, line, problem)}`);
    pieces.push(text.slice(copiedTo, match.index), `\n${oneBlock(html)}\n`);
    copiedTo = match.index + match[0].length;
    hasWidgets = true;
  }
  pieces.push(text.slice(copiedTo));
  // Readers may also open a book as files. From files, browsers do not load modules.
  if (hasWidgets) pieces.push(`\n\n<div><link rel="stylesheet" href="${base}warpgrid-snapshot.css"><script defer src="${base}warpgrid-widget-classic.js"></script></div>\n`);
  return pieces.join("");
}

async function replaceChapters(items, root) {
  for (const item of items) {
    const chapter = item.Chapter;
    if (!chapter) continue;
    const depth = (chapter.path ?? "").split("/").length - 1;
    const base = /^(https?:)?\//.test(root) ? root : `${"../".repeat(depth)}${root}`;
    chapter.content = await replaceFences(chapter.content, base, chapter.source_path ?? chapter.path ?? chapter.name);
    await replaceChapters(chapter.sub_items ?? [], root);
  }
}

if (process.argv[2] === "supports") process.exit(process.argv[3] === "html" ? 0 : 1);
exitOnArguments("warpgrid-mdbook [supports RENDERER] < BOOK\nPreprocessor of mdBook: set `command = \"npx --no-install warpgrid-mdbook\"` in `[preprocessor.warpgrid]` of book.toml.");
let input = "";
for await (const chunk of process.stdin) input += chunk;
const [context, book] = JSON.parse(input);
const { url = "warpgrid/" } = context.config?.preprocessor?.warpgrid ?? {};
await replaceChapters(book.items ?? book.sections, url.endsWith("/") ? url : `${url}/`);
process.stdout.write(JSON.stringify(book));
