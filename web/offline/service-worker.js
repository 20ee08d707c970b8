// Implements the service worker, which `web/finish.mjs` bundles with the list of files in a build. The service worker precaches and serves
// all files, so that a page uses either all files of a build or none. A newer build waits until the user requests it.
import { cleanupOutdatedCaches, precacheAndRoute } from "workbox-precaching";

addEventListener("message", ({ data }) => { if (data?.type === "SKIP_WAITING") skipWaiting(); });
cleanupOutdatedCaches();
// The query string is evaluated by the page, and does not select another file.
precacheAndRoute(self.__FILES, { ignoreURLParametersMatching: [/./], cleanURLs: false });
