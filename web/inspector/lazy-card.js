// Frame of a card that the user opens and closes, in a slot of the page. A change of the launch keeps the card open.
import { createElement } from "../dom.js";

/** Creates a card in the slot `.NAME-slot` of a view of the page. `update(stepContext)` renders the current step; `focus()` moves the focus into the card. Returns the interface that
 *  `main.js` expects of a card. */
export function lazyCard({ name, title, subtitle, view, content, update, focus }, initialStepContext) {
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
      stepContext.page.showView(view);
      card.scrollIntoView({ block: "nearest" });
      focus();
    },
    show(next) {
      stepContext = next;
      const container = isOpen ? document.querySelector(`.${name}-slot`) : null;
      if (!container) return;
      if (card.parentElement !== container) container.append(card);
      void update(next);
    },
  };
}
