// `<warpgrid-layout>`: a layout diagram, which is selected by a Layout Explorer link or by its parameters. A diagram that was rendered when
// the document was built is shown without the emulator. Otherwise, the emulator renders the diagram when it is scrolled into view.
import { sendRequest } from "./worker-client.js";
import { diagramLink } from "./link.js";
import { createElement, inlineCodeNodes } from "./dom.js";
import { svgNode } from "./svg.js";

let lastElementId = 0;

export class WarpgridLayout extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = ["query"];

  #id = `layout-${(lastElementId += 1)}`;
  #intersectionObserver = null;
  /** Number of the request that was sent last. Responses to earlier requests are dropped. */
  #requestId = 0;
  /** Parameters between the tags of the element, or null. */
  #contentQuery = null;

  /** Link of the diagram, or its parameters. */
  get query() { return this.getAttribute("query") ?? this.#contentQuery ?? ""; }
  set query(query) { this.setAttribute("query", query); }
  /** Whether the diagram was rendered when the document was built. */
  get isRecorded() { return this.querySelector(".warpgrid-picture[data-recorded]") !== null; }

  connectedCallback() {
    if (this.isRecorded) { this.#addPlaygroundLink(); return; }
    this.#contentQuery ??= this.textContent.trim();
    this.#intersectionObserver = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      this.#intersectionObserver.disconnect();
      void this.#render();
    }, { rootMargin: "200px" });
    this.#intersectionObserver.observe(this);
  }

  disconnectedCallback() { this.#intersectionObserver?.disconnect(); }

  attributeChangedCallback(_name, previous, current) {
    if (previous === null || previous === current || !this.isConnected) return;
    void this.#render();
  }

  async #render() {
    const requestId = (this.#requestId += 1);
    let nodes;
    try {
      const { svg, link } = await sendRequest("picture", { id: this.#id, query: this.query });
      const drawing = svgNode(svg);
      if (!drawing) throw new Error("the diagram could not be parsed");
      nodes = [drawing];
      this.dataset.link = link;
    } catch (error) {
      delete this.dataset.link;
      nodes = [createElement("p", { role: "alert" }, ...inlineCodeNodes(`${error.message}`))];
    }
    if (requestId !== this.#requestId) return;
    const label = this.getAttribute("label");
    const caption = label ? [createElement("figcaption", {}, label)] : [];
    this.replaceChildren(createElement("figure", { class: "warpgrid-picture" }, ...nodes, ...caption));
    this.#addPlaygroundLink();
    this.dispatchEvent(new CustomEvent("ready", { detail: { query: this.query, drawn: this.dataset.link !== undefined }, bubbles: true, composed: true }));
  }

  /** Adds the link to the playground if its URL is known. */
  #addPlaygroundLink() {
    const link = this.dataset.link && diagramLink(this, this.dataset.link);
    if (!link || this.querySelector(".warpgrid-open")) return;
    this.querySelector("figure")?.append(createElement("a", { class: "warpgrid-open", href: link, target: "_blank", rel: "noopener" }, "Open in the playground"));
  }
}

if (globalThis.customElements && !customElements.get("warpgrid-layout")) customElements.define("warpgrid-layout", WarpgridLayout);
