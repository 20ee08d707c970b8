// Access to the run of the page through the controls of the page.

const stepSlider = () => document.querySelector("footer input[type=range]");
export const isPlaybackReady = () => document.querySelector("footer [data-ready=true]") !== null;
/** Returns the current step. The handle of the slider is not used, because it is updated later. */
export const currentStep = () => Number(document.querySelector("footer [data-position]")?.dataset.position ?? 0);

export function seekTo(step) {
  const control = stepSlider();
  if (!control || control.disabled) return;
  // The maximum of the slider may still belong to the previous source.
  control.max = String(Math.max(Number(control.max), step));
  control.value = String(step);
  control.dispatchEvent(new Event("input", { bubbles: true }));
}
