// Definitions that are shared by the page and the modules that it loads: the cards that the user can open, and a storage key.

/** Label and tooltip of the button that opens each card. `shortLabel` is the visible text of a button in the heading, and `label` is its
 *  accessible name. */
export const CARD_LABELS = {
  "source-view": { label: "Show source", shortLabel: "Source", title: "Show the CUDA C++, Triton or Numba source of a compiled kernel beside its run" },
  watch: { label: "Add watch", title: "Evaluate an expression over registers and memory at each step" },
  "compare-steps": { label: "Compare two steps", title: "Show the memory and registers that differ between two steps" },
  "custom-layout": { label: "Custom layout", shortLabel: "Layout", title: "Show a buffer with a custom stride or a CuTe layout" },
  "memory-overview": { label: "Memory overview", shortLabel: "Overview", title: "Show an overview of a whole buffer with its written regions, coloured by the last writer" },
  "jit-run": { label: "Run with JIT", shortLabel: "JIT", title: "Compile the launch to WebAssembly, run the compiled launch to completion, and show the final memory and the throughput" },
};
/** Label and tooltip of the buttons of the transport that open the tabs of the bottom panel. */
export const PANEL_LABELS = {
  findings: { label: "Findings", title: "List everything that is known about the kernel and its run: errors, faults, data races, hangs, bank conflicts, uncoalesced accesses (F8: next finding)" },
  timeline: { label: "Timeline", title: "Show the warps, asynchronous operations and barriers of the run over its steps" },
  analysis: { label: "Analysis", title: "Show data races, schedules, bank conflicts, uncoalesced accesses, inferred layouts and memory traffic in detail" },
};
/** Storage key of the watch expressions of each source. */
export const WATCH_STORAGE_KEY = "warpgrid.watch";
