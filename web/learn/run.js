// The run of the page, by the controls that a person has.

const slider = () => document.querySelector("footer input[type=range]");
export const isReady = () => document.querySelector("footer [data-ready=true]") !== null;
/** Steps that the run has made. The handle of the slider follows a moment later. */
export const currentStep = () => Number(document.querySelector("footer [data-position]")?.dataset.position ?? 0);

export function goTo(step) {
  const control = slider();
  if (!control || control.disabled) return;
  // Its range may be that of the text before.
  control.max = String(Math.max(Number(control.max), step));
  control.value = String(step);
  control.dispatchEvent(new Event("input", { bubbles: true }));
}
