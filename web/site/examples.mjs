// Creates a page for each example of the playground, with its run in a live widget, and the list of examples.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { escape, renderInlineCode } from "./page-template.mjs";
import { questionPages } from "./questions.mjs";

/** Returns the value of a `//@` line in a source. */
const annotation = (text, word) => text.match(new RegExp(`^//@ ${word} (.+)$`, "m"))?.[1].trim() ?? "";

export async function examplePages({ root, recorder }) {
  const folder = join(root, "public/examples");
  const pages = [];
  for (const file of (await readdir(folder)).sort()) {
    const [, id, front] = /^(.+)\.(ptx|sass|cu)$/.exec(file);
    const text = await readFile(join(folder, file), "utf8");
    const [title, about] = [annotation(text, "title"), annotation(text, "about")];
    if (!title || !about) throw new Error(`public/examples/${file}: a page needs \`//@ title\` and \`//@ about\``);
    const { html } = front === "cu" ? { html: `<pre><code>${escape(text)}</code></pre>` } : await recorder.embedding(text, { view: "split", height: 560, label: title, playground: "../index.html", ...(front === "sass" ? { front } : {}) });
    pages.push({
      path: `examples/${id}.html`, navigationEntry: "docs/examples.html", title, about, hasWidgets: front !== "cu",
      body: `<h1>${escape(title)}</h1>\n<p class="about">${renderInlineCode(about)}</p>\n<p class="actions"><a class="button" href="../index.html#example=${id}">Open in the playground</a> <a href="${file}">View source</a></p>\n${html}\n`,
    });
  }
  const entries = pages.map(({ path, title, about }) => `<li><a href="../${path}">${escape(title)}</a><p>${renderInlineCode(about)}</p></li>`).join("\n");
  const questions = await questionPages({ root, recorder });
  return [
    ...pages,
    ...questions.pages,
    {
      path: "docs/examples.html", title: "Examples", about: "Runnable kernels. Each kernel demonstrates one technique, instruction or bug.",
      body: `<h1>Examples</h1>\n<p class="about">Every example runs in the browser. Most examples are compiler-generated PTX. Some examples are SASS, and one example is CUDA C++ with inline assembly.</p>\n<h2>Questions about layouts</h2>\n<ul class="cards">\n${questions.cards}\n</ul>\n<h2>Kernels</h2>\n<ul class="cards">\n${entries}\n</ul>\n`,
    },
  ];
}
