// Once the page has shown what it was opened for, everything that it needs without a network is kept (`web/offline`), unless the person saves data. A page in
// a frame belongs to another document, which decides for itself.
const place = document.querySelector("meta[name=warpgrid-offline]")?.content;
const isFrame = window.top !== window;

/** Milliseconds after the page has loaded: the first grid comes before. */
const AFTER = 3000;

// While one works on the page it names the source, which is not served.
if (place && place !== "offline/page.js" && !isFrame && "serviceWorker" in navigator && !navigator.connection?.saveData) {
  const begin = () => setTimeout(() => import(new URL(place, document.baseURI).href).catch(() => {}), AFTER);
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin);
}
