// Registers the service worker and offers newer builds of the page. A newer build is activated only at the user's request, never while a
// source is being edited.
import { Workbox } from "workbox-window";

/** Interval between two update checks of an open tab, in milliseconds. */
const HOUR = 3_600_000;

const workbox = new Workbox(new URL("sw.js", document.baseURI).href);
let isWanted = false;

function offer() {
  if (document.querySelector(".newer")) return;
  const place = document.createElement("div");
  place.className = "banner newer";
  place.setAttribute("role", "status");
  const words = document.createElement("div");
  words.textContent = "A new version of Warpgrid is available. Your source is saved.";
  const button = (name, press) => {
    const made = document.createElement("button");
    made.textContent = name;
    made.onclick = press;
    return made;
  };
  const now = button("Reload", () => {
    isWanted = true;
    workbox.messageSkipWaiting();
    // The new worker is already active if another tab has requested it.
    setTimeout(() => location.reload(), 2000);
  });
  place.append(words, now, button("Later", () => place.remove()));
  document.body.append(place);
}

workbox.addEventListener("waiting", offer);
workbox.addEventListener("controlling", ({ isUpdate, isExternal }) => {
  if (isWanted) location.reload();
  else if (isUpdate || isExternal) offer();
});
// A browser that denies service workers shows the page as before.
workbox.register().catch(() => {});
setInterval(() => { if (document.visibilityState === "visible") workbox.update().catch(() => {}); }, HOUR);
