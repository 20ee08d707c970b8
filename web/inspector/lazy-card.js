// Frame of a card below the memories that the user opens and closes. A change of the launch keeps the card open.
import { createElement } from "../dom.js";

/** Creates a card. `update(stepContext)` renders the current step; `focus()` moves the focus into the card. Returns the interface that
 *  `main.js` expects of a card. */
export function lazyCard({ name, title, subtitle, content, update, focus }, initialStepContext) {
  let stepContext = initialStepContext;
  let isOpen = false;
  const close = createElement("button", { type: "button", class: "icon small", title: "Close", "aria-label": "Close" }, "✕");
  const head = createElement("div", { class: "head" }, createElement("h2", {}, title), createElement("small", {}, subtitle), createElement("span", { class: "spacer" }), close);
  const card = createElement("section", { class: `card ${name}`, "aria-label": title }, head, ...content);
  close.onclick = () => { isOpen = false; card.remove(); };
  return {
    node: card,
    context: () => stepContext,
    open() {
      isOpen = true;
      this.show(stepContext);
    },
    focus() {
      this.open();
      stepContext.page.showView("memory");
      card.scrollIntoView({ block: "nearest" });
      focus();
    },
    show(next) {
      stepContext = next;
      const container = isOpen ? document.querySelector(".custom-layout-slot") : null;
      if (!container) return;
      if (card.parentElement !== container) container.prepend(card);
      void update(next);
    },
  };
}
