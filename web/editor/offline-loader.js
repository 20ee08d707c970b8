// Starts offline caching (`web/offline`) after the page has shown its initial content, unless the user has enabled data saving. A page in a
// frame is not cached, because it belongs to another document, which controls its own caching.
const moduleUrl = document.querySelector("meta[name=warpgrid-offline]")?.content;
const isFramed = window.top !== window;

/** Delay in milliseconds between the load event and the start of offline caching, because the first grid has priority. */
const DELAY_MS = 3000;

// In development builds, the meta element contains the path of the source file, which is not served.
if (moduleUrl && moduleUrl !== "offline/register-sw.js" && !isFramed && "serviceWorker" in navigator && !navigator.connection?.saveData) {
  const scheduleImport = () => setTimeout(() => import(new URL(moduleUrl, document.baseURI).href).catch(() => {}), DELAY_MS);
  if (document.readyState === "complete") scheduleImport();
  else addEventListener("load", scheduleImport);
}
