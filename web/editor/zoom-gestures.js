// Zooming of grids by + and -, by the wheel with Ctrl, which includes touchpad pinches, and by two fingers. Clicks the zoom buttons of the
// memory, or names the element to keep in view if `web/inspector/pixel-grid.js` knows it.

/** Wheel distance of one zoom step. */
const TURN = 50;
/** Ratio of finger distances of one zoom step. */
const APART = 1.35;
/** Pause in milliseconds after which the wheel distance is reset. */
const REST = 300;

/** Registers the event listeners. `pin(words)` receives the zoom action. */
export function listenToZoom(pin) {
  function zoom(target, isCloser) {
    const card = target.closest?.(".memory:has(.rows)");
    const element = card?.querySelector(".small-cells")?.dataset.at;
    if (element !== undefined) pin(`${isCloser ? "closer" : "farther"} cell ${element} of ${card.dataset.memory}`);
    else card?.querySelectorAll(".sizes button")[isCloser ? 1 : 0]?.click();
  }

  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (!/^[-+=]$/.test(key) || event.ctrlKey || event.metaKey || event.altKey || !target.closest?.(".memory:has(.rows)")) return;
    event.preventDefault();
    // The focused cells may be replaced by cells of another size, so their container holds the focus in the meantime.
    const rows = target.closest(".scroller") && target.closest(".rows");
    if (rows) {
      rows.tabIndex = -1;
      rows.focus();
      setTimeout(() => { if (document.activeElement === rows) rows.querySelector(".scroller")?.focus(); });
    }
    zoom(target, key !== "-");
  });

  let [turned, last] = [0, 0];
  addEventListener("wheel", (event) => {
    if (!event.ctrlKey || !event.target.closest?.(".memory .rows")) return;
    event.preventDefault();
    if (event.timeStamp - last > REST || Math.sign(turned) !== Math.sign(event.deltaY)) turned = 0;
    last = event.timeStamp;
    turned += event.deltaY;
    if (Math.abs(turned) < TURN) return;
    turned = 0;
    zoom(event.target, event.deltaY < 0);
  }, { passive: false });

  const distance = ([one, other]) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
  addEventListener("touchstart", ({ target, touches }) => {
    const rows = touches.length === 2 && target.closest?.(".memory .rows");
    if (!rows) return;
    let before = distance(touches);
    const ends = new AbortController();
    // The target of a touch does not change, even if the element is removed.
    const card = rows.closest(".memory");
    target.addEventListener("touchmove", (event) => {
      if (event.touches.length !== 2) return;
      event.preventDefault();
      const share = distance(event.touches) / Math.max(before, 1);
      if (share < APART && share > 1 / APART) return;
      before = distance(event.touches);
      zoom(card, share > 1);
    }, { passive: false, signal: ends.signal });
    for (const end of ["touchend", "touchcancel"]) target.addEventListener(end, () => ends.abort(), { signal: ends.signal });
  }, { passive: true });
}
