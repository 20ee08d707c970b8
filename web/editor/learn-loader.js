// Loads examples, tours and puzzles when they are opened (`web/learn`). `#learn` opens them, `#learn=tour:ID` a tour, `#learn=puzzle:ID` a
// puzzle.
import { loadBesideCore } from "./util.js";

const LINK = /^#learn(?:=(.*))?$/;

/** Opens a page of `web/learn`. `page` is its interface to the playground. */
export async function openLearn(page, place = "") {
  try {
    const { open } = await loadBesideCore("learn.js");
    await open(page, place);
  } catch (error) {
    page.failed(`Failed to load examples, tours and puzzles: ${error.message}.`);
  }
}

/** Follows the URL fragment for the lifetime of the page. */
export function followLearn(page) {
  const follow = () => {
    const found = LINK.exec(location.hash);
    if (found) void openLearn(page, decodeURIComponent(found[1] ?? ""));
  };
  addEventListener("hashchange", follow);
  follow();
}
