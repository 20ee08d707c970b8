// Entries of the command palette that are not controls of the page: the tours, puzzles and questions in `learn.json`, and the reference
// pages, which Rust provides (web/src/hooks/palette_entries.rs).
import { headerField } from "../learn/lesson-header.js";
import { deployedUrl } from "./util.js";

const openLink = (link) => { location.hash = link; };

/** Returns the commands that open the tours, puzzles and questions of a parsed `learn.json`. */
export function lessonCommands({ tours, puzzles, questions }) {
  return [
    ...questions.map(({ question, about, link }) => ({ name: question, group: "question", help: about, run: () => openLink(link) })),
    ...tours.map(([id, text]) => ({ name: headerField(text, "title"), group: "tour", help: text, run: () => openLink(`#learn=tour:${id}`) })),
    ...puzzles.map(([id, text]) => ({ name: headerField(text, "title"), group: "puzzle", help: headerField(text, "chapter"), run: () => openLink(`#learn=puzzle:${id}`) })),
  ];
}

let lessons = null;
async function loadLessons() {
  try {
    const response = await fetch(deployedUrl("learn.json"));
    return lessonCommands(await response.json());
  } catch {
    // If the file cannot be loaded, the palette lists the other entries. The next opening repeats the request.
    lessons = null;
    return [];
  }
}

let requestReference = null;
let openReferencePage = null;
let resolveReference;
const reference = new Promise((resolve) => { resolveReference = resolve; });
/** Registers the callbacks of Rust: `opened()` requests the reference pages, and `openPage(key)` opens one. */
export function connectPalette(opened, openPage) {
  [requestReference, openReferencePage] = [opened, openPage];
}
/** Receives the reference pages: `[key, title, help]`. */
export function setReferenceEntries(entries) {
  resolveReference(entries.map(([key, title, help]) => ({ name: title, group: `reference · ${key.split(" ")[0]}`, help, run: () => openReferencePage(key) })));
}

/** Loads the entries. `onLoaded` receives each list of commands when it is available. */
export function loadCatalog(onLoaded) {
  lessons ??= loadLessons();
  void lessons.then(onLoaded);
  requestReference?.();
  void reference.then(onLoaded);
}
