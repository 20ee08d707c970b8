// Starts offline caching after the page has shown its initial content (`web/offline`), unless the user has enabled data saving. A page in a
// frame belongs to another document, which decides for itself.
const moduleUrl = document.querySelector("meta[name=warpgrid-offline]")?.content;
const isFramed = window.top !== window;

/** Delay after the load event in milliseconds, because the first grid has priority. */
const DELAY_MS = 3000;

// During development the meta element contains the path of the source file, which is not served.
if (moduleUrl && moduleUrl !== "offline/register-sw.js" && !isFramed && "serviceWorker" in navigator && !navigator.connection?.saveData) {
  const scheduleImport = () => setTimeout(() => import(new URL(moduleUrl, document.baseURI).href).catch(() => {}), DELAY_MS);
  if (document.readyState === "complete") scheduleImport();
  else addEventListener("load", scheduleImport);
}
