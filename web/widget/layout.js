// `<warpgrid-layout>`: the address of a picture of the lens, or its words, go in; the picture comes out. One that was drawn when the document was built is
// shown as it is, and costs no core; else the core draws it once it is scrolled into view.
import { ask } from "./core.js";
import { lensLink } from "./link.js";
import { make, wordNodes } from "./parts.js";
import { svgNode } from "./svg.js";

let ids = 0;

export class WarpgridLayout extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = ["query"];

  #id = `layout-${(ids += 1)}`;
  #watcher = null;
  /** Names the last question: answers about earlier ones are late. */
  #ticket = 0;
  /** What the page has between the tags, where that is the words of a picture. */
  #words = null;

  /** The address of the picture, or its words. */
  get query() { return this.getAttribute("query") ?? this.#words ?? ""; }
  set query(query) { this.setAttribute("query", query); }
  /** Whether the picture was drawn when the document was built. */
  get isRecorded() { return this.querySelector(".warpgrid-picture[data-recorded]") !== null; }

  connectedCallback() {
    if (this.isRecorded) { this.#lead(); return; }
    this.#words ??= this.textContent.trim();
    this.#watcher = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#watcher.disconnect();
      void this.#draw();
    }, { rootMargin: "200px" });
    this.#watcher.observe(this);
  }

  disconnectedCallback() { this.#watcher?.disconnect(); }

  attributeChangedCallback(_name, before, now) {
    if (before === null || before === now || !this.isConnected) return;
    void this.#draw();
  }

  async #draw() {
    const ticket = (this.#ticket += 1);
    let parts;
    try {
      const { svg, link } = await ask("picture", { id: this.#id, query: this.query });
      const drawing = svgNode(svg);
      if (!drawing) throw new Error("the diagram could not be parsed");
      parts = [drawing];
      this.dataset.link = link;
    } catch (error) {
      delete this.dataset.link;
      parts = [make("p", { role: "alert" }, ...wordNodes(`${error.message}`))];
    }
    if (ticket !== this.#ticket) return;
    const label = this.getAttribute("label");
    const caption = label ? [make("figcaption", {}, label)] : [];
    this.replaceChildren(make("figure", { class: "warpgrid-picture" }, ...parts, ...caption));
    this.#lead();
    this.dispatchEvent(new CustomEvent("ready", { detail: { query: this.query, drawn: this.dataset.link !== undefined }, bubbles: true, composed: true }));
  }

  /** The way to the playground, where one is known. */
  #lead() {
    const link = this.dataset.link && lensLink(this, this.dataset.link);
    if (!link || this.querySelector(".warpgrid-open")) return;
    this.querySelector("figure")?.append(make("a", { class: "warpgrid-open", href: link, target: "_blank", rel: "noopener" }, "Open in the playground"));
  }
}

if (globalThis.customElements && !customElements.get("warpgrid-layout")) customElements.define("warpgrid-layout", WarpgridLayout);
