// Registers the service worker, and offers a newer build of the page: it takes over when a person asks for it, never under a text that is worked on.
import { Workbox } from "workbox-window";

/** Milliseconds between two looks for a newer build while a tab stays open. */
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
    // It has taken over already where another tab asked for it.
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
// A browser that forbids it has the page as before.
workbox.register().catch(() => {});
setInterval(() => { if (document.visibilityState === "visible") workbox.update().catch(() => {}); }, HOUR);
