// Button that copies the link to a tour or to a puzzle.
import { createElement } from "../dom.js";
import { publicUrl } from "../editor/embed.js";

/** Creates a button that copies the link with a URL fragment. The label of the button states the result. */
export function copyLinkButton(fragment) {
  const label = "Copy link";
  const button = createElement("button", { type: "button", class: "action-button", onclick: async () => {
    const link = publicUrl() + fragment;
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = "Link copied";
    } catch {
      prompt("Copy this link:", link);
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  } }, label);
  button.setAttribute("aria-live", "polite");
  return button;
}
