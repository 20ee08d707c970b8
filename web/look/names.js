// What the page and what it loads have in common: the cards that are asked for, and where expressions are kept.

/** By its name: what the page calls it before it is there, what its button is called then, and what it is for. */
export const CARDS = {
  watch: { asks: "watch a value", title: "Registers, cells and what is computed of them, at each step" },
  moments: { asks: "compare two moments", title: "Which cells and registers differ between two steps" },
  arrange: { asks: "view by a layout", words: "by a layout", title: "A memory in rows and columns by any stride, or by a layout of CuTe" },
  map: { asks: "map of a memory", words: "map", title: "All of a memory, part by part: what was written, and by which lane last" },
  run: { asks: "run translated", words: "run translated", title: "The whole launch translated to WebAssembly: memory at the end, and how fast it ran" },
};
/** The expressions of each text, in the browser. */
export const KEPT = "warpgrid.watch";
