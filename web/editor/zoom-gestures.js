// Zooming of grids with + and -, with the wheel and Ctrl, which includes touchpad pinches, and with two fingers. A gesture clicks the zoom
// buttons of the memory. If `web/inspector/pixel-grid.js` knows the element under the pointer, the gesture also keeps this element in view.

/** Wheel distance that corresponds to one zoom step. */
const WHEEL_STEP = 50;
/** Ratio of finger distances that corresponds to one zoom step. */
const PINCH_RATIO = 1.35;
/** Pause in milliseconds after which the accumulated wheel distance is reset. */
const WHEEL_IDLE_MS = 300;

/** Registers the event listeners. `pin(text)` receives the zoom action. */
export function listenToZoom(pin) {
  function zoom(target, isZoomIn) {
    const card = target.closest?.(".memory:has(.rows)");
    const element = card?.querySelector(".pixel-grid")?.dataset.at;
    if (element !== undefined) pin(`${isZoomIn ? "closer" : "farther"} cell ${element} of ${card.dataset.memory}`);
    else card?.querySelectorAll(".sizes button")[isZoomIn ? 1 : 0]?.click();
  }

  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (!/^[-+=]$/.test(key) || event.ctrlKey || event.metaKey || event.altKey || !target.closest?.(".memory:has(.rows)")) return;
    event.preventDefault();
    // The focused cells may be replaced by cells of another size. In the meantime, their container has the focus.
    const rows = target.closest(".scroller") && target.closest(".rows");
    if (rows) {
      rows.tabIndex = -1;
      rows.focus();
      setTimeout(() => { if (document.activeElement === rows) rows.querySelector(".scroller")?.focus(); });
    }
    zoom(target, key !== "-");
  });

  let [wheelDistance, lastWheelTime] = [0, 0];
  addEventListener("wheel", (event) => {
    if (!event.ctrlKey || !event.target.closest?.(".memory .rows")) return;
    event.preventDefault();
    if (event.timeStamp - lastWheelTime > WHEEL_IDLE_MS || Math.sign(wheelDistance) !== Math.sign(event.deltaY)) wheelDistance = 0;
    lastWheelTime = event.timeStamp;
    wheelDistance += event.deltaY;
    if (Math.abs(wheelDistance) < WHEEL_STEP) return;
    wheelDistance = 0;
    zoom(event.target, event.deltaY < 0);
  }, { passive: false });

  const fingerDistance = ([first, second]) => Math.hypot(first.clientX - second.clientX, first.clientY - second.clientY);
  addEventListener("touchstart", ({ target, touches }) => {
    const rows = touches.length === 2 && target.closest?.(".memory .rows");
    if (!rows) return;
    let startDistance = fingerDistance(touches);
    const touchEnd = new AbortController();
    // The target of a touch does not change, even if the element is removed.
    const card = rows.closest(".memory");
    target.addEventListener("touchmove", (event) => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const ratio = fingerDistance(event.touches) / Math.max(startDistance, 1);
      if (ratio < PINCH_RATIO && ratio > 1 / PINCH_RATIO) return;
      startDistance = fingerDistance(event.touches);
      zoom(card, ratio > 1);
    }, { passive: false, signal: touchEnd.signal });
    for (const end of ["touchend", "touchcancel"]) target.addEventListener(end, () => touchEnd.abort(), { signal: touchEnd.signal });
  }, { passive: true });
}
