// Registers the service worker and offers newer builds of the page. A newer build is activated only at the user's request, never while a
// source is being edited.
import { Workbox } from "workbox-window";

/** Interval between two update checks of an open tab, in milliseconds. */
const UPDATE_INTERVAL_MS = 3_600_000;

const workbox = new Workbox(new URL("sw.js", document.baseURI).href);
let isReloadRequested = false;

function offerUpdate() {
  if (document.querySelector(".update-banner")) return;
  const banner = document.createElement("div");
  banner.className = "banner update-banner";
  banner.setAttribute("role", "status");
  const text = document.createElement("div");
  text.textContent = "A new version of Warpgrid is available. Your source is saved.";
  const createButton = (name, onClick) => {
    const element = document.createElement("button");
    element.textContent = name;
    element.onclick = onClick;
    return element;
  };
  const reloadButton = createButton("Reload", () => {
    isReloadRequested = true;
    workbox.messageSkipWaiting();
    // The new worker is already active if another tab has requested it.
    setTimeout(() => location.reload(), 2000);
  });
  banner.append(text, reloadButton, createButton("Later", () => banner.remove()));
  document.body.append(banner);
}

workbox.addEventListener("waiting", offerUpdate);
workbox.addEventListener("controlling", ({ isUpdate, isExternal }) => {
  if (isReloadRequested) location.reload();
  else if (isUpdate || isExternal) offerUpdate();
});
// A browser that denies service workers shows the page as before.
workbox.register().catch(() => {});
setInterval(() => { if (document.visibilityState === "visible") workbox.update().catch(() => {}); }, UPDATE_INTERVAL_MS);
