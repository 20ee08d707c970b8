// Loads the features that contact external hosts (`web/external`) when the user requests them, opens a link to a source on another host, or
// pastes such a link in place of the source. The module does not contact a host before the user has given consent.
import { registerCommands } from "./commands.js";
import { loadModule } from "./util.js";

/** Checks whether a URL fragment refers to a source on an external host (`web/external/references.js`). */
export const isReference = (hash) => /^#(?:gh|gist|url)=/.test(hash);

/** Checks whether a source consists only of a link. */
export const isLinkSource = (text) => /^\s*https?:\/\/\S{4,2000}\s*$/.test(text);

async function callModule(page, call) {
  let external;
  try {
    external = await loadModule("external.js");
  } catch (error) {
    page.failed(`Failed to load the module for external sites: ${error.message}`);
    return;
  }
  call(external);
}

/** Shows the card that compiles CUDA C++ with Compiler Explorer. */
export const openCompiler = (page) => callModule(page, (external) => external.showCompiler(page));
/** Opens the dialog in which the user enters a link to a source. */
export const openLinkDialog = (page) => callModule(page, (external) => external.showOpenLink(page));
/** Offers to open a source that consists only of a link. */
export function offerPastedLink(page, text) {
  if (isLinkSource(text)) void callModule(page, (external) => external.openLink(page, text));
}

/** Adds the commands of this module to the command palette. */
export function addExternalCommands(page) {
  registerCommands([
    { name: "Compile CUDA C++ with Compiler Explorer", group: "source", help: "godbolt nvcc PTX", run: () => void openCompiler(page) },
    { name: "Open link", group: "source", help: "GitHub file, gist, URL, Compiler Explorer, godbolt", run: () => void openLinkDialog(page) },
    { name: "External site permissions", group: "page", help: "consent privacy withdraw godbolt GitHub", run: () => void callModule(page, (external) => external.showPermissions()) },
  ]);
}

/** Opens the reference in the URL fragment unless `openedReference()` already is this reference, and observes the URL fragment for the
 *  lifetime of the page. */
export function followReferences(page, openedReference) {
  const open = () => {
    const { hash } = location;
    if (isReference(hash) && openedReference() !== hash) void callModule(page, (external) => external.openLink(page, hash));
  };
  addEventListener("hashchange", open);
  open();
}
