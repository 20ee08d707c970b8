// Access to the run of the page through its controls.

const stepSlider = () => document.querySelector("footer input[type=range]");
export const isPlaybackReady = () => document.querySelector("footer [data-ready=true]") !== null;
/** Returns the current step. The handle of the slider is updated later. */
export const currentStep = () => Number(document.querySelector("footer [data-position]")?.dataset.position ?? 0);

export function seekTo(step) {
  const control = stepSlider();
  if (!control || control.disabled) return;
  // The maximum of the slider may still be that of the previous source.
  control.max = String(Math.max(Number(control.max), step));
  control.value = String(step);
  control.dispatchEvent(new Event("input", { bubbles: true }));
}
