// Loads examples, tours and puzzles when they are opened (`web/learn`). `#learn` opens them, `#learn=tour:ID` a tour, `#learn=puzzle:ID` a
// puzzle.
import { loadModule } from "./util.js";

const LEARN_LINK = /^#learn(?:=(.*))?$/;

/** Opens a page of `web/learn`. `page` is its interface to the playground. */
export async function openLearn(page, view = "") {
  try {
    const { openLearnDialog } = await loadModule("learn.js");
    await openLearnDialog(page, view);
  } catch (error) {
    page.failed(`Failed to load examples, tours and puzzles: ${error.message}.`);
  }
}

/** Follows the URL fragment for the lifetime of the page. */
export function followLearnLinks(page) {
  const openLinkedView = () => {
    const match = LEARN_LINK.exec(location.hash);
    if (match) void openLearn(page, decodeURIComponent(match[1] ?? ""));
  };
  addEventListener("hashchange", openLinkedView);
  openLinkedView();
}
