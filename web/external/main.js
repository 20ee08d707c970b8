// Features that contact external hosts after the consent of the user: compilation with Compiler Explorer, and links to sources on other
// hosts. The page loads this module on demand (`web/editor/external-loader.js`). `page` is the interface to the page.
import css from "./external.css";
import { createElement } from "../dom.js";
import { compileCard } from "./compile-card.js";
import { openReference, showOpenDialog } from "./open-reference.js";

export { showPermissions } from "./consent.js";

document.head.append(createElement("style", {}, css));

let card = null;

/** Shows the card that compiles CUDA C++. */
export function showCompiler(page, settings) {
  card ??= compileCard({ page });
  if (settings) card.select(settings);
  card.focus();
}

/** Opens a reference: a URL fragment, or a URL. */
export const openLink = (page, text) => openReference(page, text, (settings) => showCompiler(page, settings));

/** Opens the dialog in which the user enters a link. */
export const showOpenLink = (page) => showOpenDialog(page, (settings) => showCompiler(page, settings));
