// The view `quiz`: the reader marks the cells that the next store will write, and sees whether the marks are correct.
import { gridNode, make, wordNodes } from "./dom.js";

/** Maximum distance of the next store in steps. */
const LOOK_AHEAD = 200;

export class Quiz {
  #pictureOf;
  #show;
  #marked = new Set();
  #answer = null;
  #asked = null;
  #after = null;
  #isLooking = false;
  /** The position for which the next store is known. */
  #looked = null;

  /** `pictureOf(position)` returns a promise of a view state; `show(picture)` makes it current. */
  constructor(pictureOf, show) {
    this.#pictureOf = pictureOf;
    this.#show = show;
  }

  /** Renders the question about the next store, or searches for that store. */
  draw(picture, memory, say) {
    if (this.#looked !== picture.position) void this.#look(picture);
    const { grids } = this.#asked ?? picture;
    memory.replaceChildren(...grids.map((grid, index) => gridNode(grid, (cell, at) => this.#cell(index, cell, at))));
    say.replaceChildren(...this.#words());
  }

  async #look(from) {
    if (this.#isLooking) return;
    this.#isLooking = true;
    [this.#marked, this.#answer, this.#asked, this.#after] = [new Set(), null, null, null];
    let before = from;
    for (let n = 0; n < LOOK_AHEAD && before?.status === "running"; n += 1) {
      const after = await this.#pictureOf(before.position + 1);
      if (!after || after.position === before.position) break;
      const written = after.grids.flatMap(({ cells }, grid) => cells.flatMap(({ now }, at) => (now ? [`${grid}.${at}`] : [])));
      if (written.length > 0) {
        [this.#asked, this.#after, this.#answer] = [before, after, { written: new Set(written), shown: false }];
        break;
      }
      before = after;
    }
    this.#isLooking = false;
    const found = this.#asked ?? before ?? from;
    this.#looked = found.position;
    this.#show(found);
  }

  #cell(grid, { text, lane }, at) {
    const key = `${grid}.${at}`;
    if (!this.#answer) return [{ class: lane === null ? null : `lane-${lane}` }, text];
    const [marked, written] = [this.#marked.has(key), this.#answer.written.has(key)];
    if (this.#answer.shown) {
      const verdict = marked && written ? "right" : written ? "missed" : marked ? "excess" : null;
      const cell = this.#after.grids[grid].cells[at];
      const colour = cell.lane === null ? null : `lane-${cell.lane}`;
      return [{ class: [verdict, colour].filter(Boolean).join(" ") || null, title: verdict }, cell.text];
    }
    const button = make("button", { type: "button", "aria-pressed": `${marked}`, "aria-label": `cell ${at}: ${text}` }, text);
    button.addEventListener("click", () => {
      if (this.#marked.has(key)) this.#marked.delete(key);
      else this.#marked.add(key);
      button.setAttribute("aria-pressed", `${this.#marked.has(key)}`);
    });
    return [{}, button];
  }

  #words() {
    if (!this.#answer) return ["No more stores."];
    const { written, shown } = this.#answer;
    if (!shown) {
      const check = make("button", { type: "button", onclick: () => { this.#answer.shown = true; this.#show(this.#asked); } }, "Check");
      return [`Select the cells that line ${this.#after.done} writes. `, check];
    }
    const hits = [...this.#marked].filter((key) => written.has(key)).length;
    const excess = this.#marked.size - hits;
    const next = make("button", { type: "button", onclick: () => this.#show(this.#after) }, "Next store");
    return [`${hits} of ${written.size} correct${excess ? `, ${excess} wrong` : ""}. `, ...wordNodes(`${this.#after.sentence} `), next];
  }
}
