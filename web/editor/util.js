// Helpers shared by several modules: number formatting, the file dialog, and imports on demand.

/** Formats a number with commas between groups of three digits. */
export const formatCount = (n) => `${n}`.replace(/\B(?=(\d{3})+$)/g, ",");

/** Formats a number with its noun: `1 store`, `1,024 stores`. */
export const pluralize = (n, noun) => `${formatCount(n)} ${noun}${n === 1 ? "" : "s"}`;

/** Opens the file dialog. `attributes` are attributes of the input element, and `onChosen` receives the selected files. */
export function chooseFiles(attributes, onChosen) {
  const input = Object.assign(document.createElement("input"), { ...attributes, type: "file" });
  input.onchange = () => onChosen([...input.files]);
  input.click();
}

/** Returns the URL of a file that is deployed next to the worker modules. */
export function deployedUrl(name) {
  const workerScript = new URL(document.querySelector("meta[name=warpgrid-core]").content, document.baseURI);
  return new URL(name, workerScript);
}

/** Imports a module that is deployed next to the worker modules. */
export const loadModule = (name) => import(deployedUrl(name).href);
