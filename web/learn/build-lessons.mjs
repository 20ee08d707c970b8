// Collects the lessons: the examples by chapter, the tours, the puzzles and the questions. The list of examples is read from the kernel menu
// (`web/src/examples.rs`), and their descriptions are read from their `//@ about` lines.
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readQuestions } from "../site/questions.mjs";

/** Reads the Markdown files of a folder: `[[name, text]]`, sorted by name. */
async function readDocuments(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".md")).sort();
  return Promise.all(files.map(async (file) => [file.slice(0, -3), await readFile(join(folder, file), "utf8")]));
}

/** Returns the chapters of the kernel menu: `[{ title, examples: [{ id, file, title }] }]`. */
function chaptersOf(source) {
  const chapters = [];
  const table = source.slice(source.indexOf("examples! {\n"));
  for (const line of table.split("\n")) {
    const [, group, extension] = /^ {4}"(.+)" "(\.\w+)" \{$/.exec(line) ?? [];
    if (group && chapters.at(-1)?.title !== group) chapters.push({ title: group, ending: extension, examples: [] });
    if (group) chapters.at(-1).ending = extension;
    const [, id, title] = /^ {8}"([\w-]+)" "(.+)"$/.exec(line) ?? [];
    if (id) chapters.at(-1).examples.push({ id, file: id + chapters.at(-1).ending, title });
  }
  return chapters.map(({ title, examples }) => ({ title, examples }));
}

export async function readLessons(root) {
  const chapters = chaptersOf(await readFile(join(root, "web/src/examples.rs"), "utf8"));
  if (chapters.length === 0) throw new Error("web/src/examples.rs has no table of examples");
  for (const example of chapters.flatMap(({ examples }) => examples)) {
    const text = await readFile(join(root, "public/examples", example.file), "utf8");
    example.about = /^\/\/@ about (.+)$/m.exec(text)?.[1].trim() ?? "";
  }
  return { chapters, tours: await readDocuments(join(root, "web/learn/tours")), puzzles: await readDocuments(join(root, "web/learn/puzzles")), questions: await readQuestions(root) };
}
