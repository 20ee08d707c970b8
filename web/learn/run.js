// The run of the page, by the controls that a person has.

/** The control that knows the position. */
export const slider = () => document.querySelector("footer input[type=range]");
export const isReady = () => document.querySelector("footer [data-ready=true]") !== null;

export function goTo(position) {
  const control = slider();
  if (!control || control.disabled) return;
  control.value = String(position);
  control.dispatchEvent(new Event("input", { bubbles: true }));
}
