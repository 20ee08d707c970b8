// Definitions shared by the page and the modules that it loads: the cards that can be requested, and a storage key.

/** For each card, its accessible name and its button label before it is loaded, and its tooltip. */
export const CARDS = {
  watch: { asks: "Add watch", title: "Evaluate an expression over registers and memory at each step" },
  moments: { asks: "Compare two steps", title: "Show the memory and registers that differ between two steps" },
  arrange: { asks: "Custom layout", words: "Layout", title: "Show a buffer with a custom stride or a CuTe layout" },
  map: { asks: "Memory overview", words: "Overview", title: "Show an overview of a whole buffer with its written regions, coloured by the last writer" },
  run: { asks: "Run with JIT", words: "JIT", title: "Compile the launch to WebAssembly, run the compiled launch to completion, and show the final memory and the throughput" },
};
/** Storage key of the watch expressions of each source. */
export const KEPT = "warpgrid.watch";
