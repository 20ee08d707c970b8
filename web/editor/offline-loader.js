// Starts offline caching after the page has shown its initial content (`web/offline`), unless the user has enabled data saving. A page in a
// frame belongs to another document, which decides for itself.
const place = document.querySelector("meta[name=warpgrid-offline]")?.content;
const isFrame = window.top !== window;

/** Delay after the load event in milliseconds, because the first grid has priority. */
const AFTER = 3000;

// During development the meta element contains the path of the source file, which is not served.
if (place && place !== "offline/register-sw.js" && !isFrame && "serviceWorker" in navigator && !navigator.connection?.saveData) {
  const begin = () => setTimeout(() => import(new URL(place, document.baseURI).href).catch(() => {}), AFTER);
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin);
}
