// Cards of the inspector that the user opens and closes, in a slot of the page.
import { createElement } from "../dom.js";

/** Creates the frame of a card with a close button. `actions` are further controls of the heading. */
export function cardFrame({ classes, title, subtitle, actions = [], content, onClose }) {
  const close = createElement("button", { type: "button", class: "icon small", title: "Close", "aria-label": "Close", onclick: onClose }, "✕");
  const head = createElement("div", { class: "head" }, createElement("h2", {}, title), createElement("small", {}, subtitle), createElement("span", { class: "spacer" }), ...actions, close);
  return createElement("section", { class: `card ${classes}`, "aria-label": title }, head, ...content);
}

/** Creates a card in the slot `.NAME-slot` of a view of the page. `update(stepContext)` renders the current step; `focus()` moves the focus into the card. Returns the interface that
 *  `main.js` expects of a card. */
export function lazyCard({ name, title, subtitle, view, content, update, focus }, initialStepContext) {
  let stepContext = initialStepContext;
  let isOpen = false;
  const card = cardFrame({ classes: name, title, subtitle, content, onClose: () => { isOpen = false; card.remove(); } });
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
