// Registers the service worker, and offers newer builds of the page to the user. A newer build is activated only at the request of the
// user, and never while a source is being edited.
import { Workbox } from "workbox-window";

/** Interval in milliseconds between two update checks of an open tab. */
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
    // If another tab has requested it, the new service worker is already active.
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
// If the browser denies service workers, the page works without offline caching.
workbox.register().catch(() => {});
setInterval(() => { if (document.visibilityState === "visible") workbox.update().catch(() => {}); }, UPDATE_INTERVAL_MS);
