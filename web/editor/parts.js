// What several modules of the page need: numbers as a person reads them, and what is loaded when it is asked for.

/** A number in groups of three digits. */
export const grouped = (n) => `${n}`.replace(/\B(?=(\d{3})+$)/g, ",");

/** A number with its noun: `1 store`, `1,024 stores`. */
export const plural = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

/** A module that lies beside the core. */
export function loadBesideCore(name) {
  const core = new URL(document.querySelector("meta[name=warpgrid-core]").content, document.baseURI);
  return import(new URL(name, core).href);
}
