// Creates a page for each question about layouts, with the diagram that answers it. The questions are read from `web/questions.txt`, which
// the playground also uses.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { escape, renderInlineCode } from "./page-template.mjs";

/** Converts a question to the name of its page, for example `Why is this?` to `why-is-this`. */
const slugOf = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

/** Parses the questions in the file: `{ question, link, about }`. */
export async function readQuestions(root) {
  const lines = (await readFile(join(root, "web/questions.txt"), "utf8")).trim().split("\n");
  return lines.map((line) => {
    const [, question, link, about] = line.split(" | ");
    return { question, link, about };
  });
}

/** Creates the pages of the questions that a diagram answers, and a card for each question. */
export async function questionPages({ root, recorder }) {
  const pages = [];
  const cards = [];
  for (const { question, link, about } of await readQuestions(root)) {
    const example = /^#example=([^&]+)/.exec(link)?.[1];
    const isTest = link.startsWith("#litmus");
    const path = isTest ? `index.html${link}` : example ? `examples/${example}.html` : `examples/${slugOf(question)}.html`;
    cards.push(`<li><a href="../${path}">${escape(question)}</a><p>${renderInlineCode(about)}</p></li>`);
    if (example || isTest) continue;
    const { html, problems } = await recorder.layout(link, { label: question, playground: "../index.html" });
    if (problems.length > 0) throw new Error(`web/questions.txt: ${question}: ${problems[0].message}`);
    pages.push({
      path, navigationEntry: "docs/examples.html", title: question, about, hasWidgets: true,
      body: `<h1>${escape(question)}</h1>\n<p class="about">${renderInlineCode(about)}</p>\n<p class="actions"><a class="button" href="../index.html${escape(link)}">Open in the playground</a></p>\n${html}\n`,
    });
  }
  return { pages, cards: cards.join("\n") };
}
