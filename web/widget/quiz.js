// The view `quiz`: the reader marks the cells to which the next store will write, and the widget shows whether the marks are correct.
import { gridNode, createElement, inlineCodeNodes } from "./dom.js";

/** Maximum number of steps in which the next store is searched. */
const MAX_SEARCH_STEPS = 200;

export class Quiz {
  #stateAt;
  #setState;
  #selectedCells = new Set();
  #solution = null;
  #questionState = null;
  #stateAfterStore = null;
  #isSearching = false;
  /** Position for which the next store is known. */
  #searchedPosition = null;

  /** `stateAt(position)` returns a promise of the view state at a position, and `setState(state)` makes a view state current. */
  constructor(stateAt, setState) {
    this.#stateAt = stateAt;
    this.#setState = setState;
  }

  /** Renders the question about the next store, or searches for the next store. */
  render(state, memory, summary) {
    if (this.#searchedPosition !== state.position) void this.#findNextStore(state);
    const { grids } = this.#questionState ?? state;
    memory.replaceChildren(...grids.map((grid, gridIndex) => gridNode(grid, (cell, cellIndex) => this.#cellNode(gridIndex, cell, cellIndex))));
    summary.replaceChildren(...this.#messageNodes());
  }

  async #findNextStore(start) {
    if (this.#isSearching) return;
    this.#isSearching = true;
    [this.#selectedCells, this.#solution, this.#questionState, this.#stateAfterStore] = [new Set(), null, null, null];
    let current = start;
    for (let n = 0; n < MAX_SEARCH_STEPS && current?.status === "running"; n += 1) {
      const next = await this.#stateAt(current.position + 1);
      if (!next || next.position === current.position) break;
      const written = next.grids.flatMap(({ cells }, gridIndex) => cells.flatMap(({ now }, cellIndex) => (now ? [`${gridIndex}.${cellIndex}`] : [])));
      if (written.length > 0) {
        [this.#questionState, this.#stateAfterStore, this.#solution] = [current, next, { written: new Set(written), isRevealed: false }];
        break;
      }
      current = next;
    }
    this.#isSearching = false;
    const result = this.#questionState ?? current ?? start;
    this.#searchedPosition = result.position;
    this.#setState(result);
  }

  #cellNode(gridIndex, { text, lane }, cellIndex) {
    const key = `${gridIndex}.${cellIndex}`;
    if (!this.#solution) return [{ class: lane === null ? null : `lane-${lane}` }, text];
    const [isSelected, isWritten] = [this.#selectedCells.has(key), this.#solution.written.has(key)];
    if (this.#solution.isRevealed) {
      const [verdict, title] = isSelected && isWritten ? ["correct", "correct"] : isWritten ? ["false-negative", "missed"] : isSelected ? ["false-positive", "not written"] : [null, null];
      const cell = this.#stateAfterStore.grids[gridIndex].cells[cellIndex];
      const laneClass = cell.lane === null ? null : `lane-${cell.lane}`;
      return [{ class: [verdict, laneClass].filter(Boolean).join(" ") || null, title }, cell.text];
    }
    const button = createElement("button", { type: "button", "aria-pressed": `${isSelected}`, "aria-label": `cell ${cellIndex}: ${text}` }, text);
    button.addEventListener("click", () => {
      if (this.#selectedCells.has(key)) this.#selectedCells.delete(key);
      else this.#selectedCells.add(key);
      button.setAttribute("aria-pressed", `${this.#selectedCells.has(key)}`);
    });
    return [{}, button];
  }

  #messageNodes() {
    if (!this.#solution) return ["No more stores."];
    const { written, isRevealed } = this.#solution;
    if (!isRevealed) {
      const check = createElement("button", { type: "button", onclick: () => { this.#solution.isRevealed = true; this.#setState(this.#questionState); } }, "Check");
      return [`Select the cells that line ${this.#stateAfterStore.done} writes. `, check];
    }
    const hits = [...this.#selectedCells].filter((key) => written.has(key)).length;
    const wrongCount = this.#selectedCells.size - hits;
    const next = createElement("button", { type: "button", onclick: () => this.#setState(this.#stateAfterStore) }, "Next store");
    return [`${hits} of ${written.size} correct${wrongCount ? `, ${wrongCount} wrong` : ""}. `, ...inlineCodeNodes(`${this.#stateAfterStore.sentence} `), next];
  }
}
