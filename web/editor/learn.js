// The way to where people learn: examples, tours and puzzles, which are loaded when they are opened (`web/learn`). `#learn` opens them, `#learn=tour:ID` a tour, `#learn=puzzle:ID` a puzzle.
import { loadBesideCore } from "./parts.js";

const LINK = /^#learn(?:=(.*))?$/;

/** Opens a place of it; `page` is what it needs of the page. */
export async function openLearn(page, place = "") {
  try {
    const { open } = await loadBesideCore("learn.js");
    await open(page, place);
  } catch (error) {
    page.failed(`Failed to load examples, tours and puzzles: ${error.message}.`);
  }
}

/** Follows the address for the life of the page. */
export function followLearn(page) {
  const follow = () => {
    const found = LINK.exec(location.hash);
    if (found) void openLearn(page, decodeURIComponent(found[1] ?? ""));
  };
  addEventListener("hashchange", follow);
  follow();
}
