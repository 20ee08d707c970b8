// Loads the language features and the search of the editor after the first worker module has loaded, or when the editor receives the focus,
// because the first picture does not need them. Until then, calls are queued.
import { Compartment } from "@codemirror/state";
import { firstWorkerLoaded } from "./worker-registry.js";

const compartment = new Compartment();
/** Extension of the editor that the language features replace once they have loaded. */
export const languageFeatures = compartment.of([]);

let load;
/** Resolves to the module `language-features.js` once the loading has started. A module that cannot be loaded is requested again after the
 *  page has been reloaded; the editor works without it. */
const module = new Promise((resolve) => { load = resolve; }).then(() => import("./language-features.js"));
module.catch(() => {});

/** Adds the language features to the editor `view` as soon as they are needed. */
export function addLanguageFeatures(view) {
  view.contentDOM.addEventListener("focus", load, { once: true });
  void firstWorkerLoaded.then(load);
  module.then(({ languageFeatures: extensions }) => view.dispatch({ effects: compartment.reconfigure(extensions) }), () => {});
}

const forward = (name) => (...values) => void module.then((features) => features[name](...values), () => {});
export const connectLanguageFeatures = forward("connectLanguageFeatures");
export const setLayouts = forward("setLayouts");
export const formatText = forward("formatText");
