// What the page and what it loads have in common: the cards that are asked for, and where expressions are kept.

/** By its name: what the page calls it before it is there, what its button is called then, and what it is for. */
export const CARDS = {
  watch: { asks: "Add watch", title: "Evaluate an expression over registers and memory at each step" },
  moments: { asks: "Compare two steps", title: "Show the memory and registers that differ between two steps" },
  arrange: { asks: "Custom layout", words: "Layout", title: "Show a buffer with a custom stride or a CuTe layout" },
  map: { asks: "Memory overview", words: "Overview", title: "Show an overview of a whole buffer with its written regions, coloured by the last writer" },
  run: { asks: "Run with JIT", words: "JIT", title: "Compile the launch to WebAssembly, run the compiled launch to completion, and show the final memory and the throughput" },
};
/** The expressions of each text, in the browser. */
export const KEPT = "warpgrid.watch";
