// Loads examples, tours and puzzles (`web/learn`) when they are opened. `#learn` opens their list, `#learn=tour:ID` opens a tour, and
// `#learn=puzzle:ID` opens a puzzle.
import { loadModule } from "./util.js";

const LEARN_LINK = /^#learn(?:=(.*))?$/;

/** Query parameters that are aliases of URL fragments: `?example=ID`, `?tour=ID` and `?puzzle=ID`. */
const QUERY_ALIASES = { example: "#example=", tour: "#learn=tour:", puzzle: "#learn=puzzle:" };

/** Replaces an alias in the query of the URL by its fragment. A fragment in the URL takes precedence. */
export function expandQueryAlias() {
  const [name, id] = [...new URLSearchParams(location.search)].find(([key]) => Object.hasOwn(QUERY_ALIASES, key)) ?? [];
  if (name && location.hash === "") history.replaceState(history.state, "", location.pathname + QUERY_ALIASES[name] + encodeURIComponent(id));
}

/** Opens a view of `web/learn`. `page` is the interface of the playground. */
export async function openLearn(page, view = "") {
  try {
    const { openLearnDialog } = await loadModule("learn.js");
    await openLearnDialog(page, view);
  } catch (error) {
    page.failed(`Failed to load examples, tours and puzzles: ${error.message}.`);
  }
}

/** Opens the view in the URL fragment, and observes the URL fragment for the lifetime of the page. */
export function followLearnLinks(page) {
  const openLinkedView = () => {
    const match = LEARN_LINK.exec(location.hash);
    if (match) void openLearn(page, decodeURIComponent(match[1] ?? ""));
  };
  addEventListener("hashchange", openLinkedView);
  openLinkedView();
}
