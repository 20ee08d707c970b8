// `<warpgrid-layout>`: a layout diagram, selected by a Layout Explorer link or its parameters. A diagram that was rendered when the
// document was built is shown without the emulator; otherwise the emulator renders it when it is scrolled into view.
import { ask } from "./worker-client.js";
import { lensLink } from "./link.js";
import { make, wordNodes } from "./dom.js";
import { svgNode } from "./svg.js";

let ids = 0;

export class WarpgridLayout extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = ["query"];

  #id = `layout-${(ids += 1)}`;
  #watcher = null;
  /** Number of the last request. Responses to earlier requests are dropped. */
  #ticket = 0;
  /** The parameters between the tags, if there are any. */
  #words = null;

  /** The link of the diagram, or its parameters. */
  get query() { return this.getAttribute("query") ?? this.#words ?? ""; }
  set query(query) { this.setAttribute("query", query); }
  /** Whether the diagram was rendered when the document was built. */
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

  /** Adds the link to the playground if its URL is known. */
  #lead() {
    const link = this.dataset.link && lensLink(this, this.dataset.link);
    if (!link || this.querySelector(".warpgrid-open")) return;
    this.querySelector("figure")?.append(make("a", { class: "warpgrid-open", href: link, target: "_blank", rel: "noopener" }, "Open in the playground"));
  }
}

if (globalThis.customElements && !customElements.get("warpgrid-layout")) customElements.define("warpgrid-layout", WarpgridLayout);
