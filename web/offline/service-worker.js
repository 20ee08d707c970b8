// The service worker, which `web/finish.mjs` bundles with the list of the files of a build. It precaches all files and serves them, so that
// a build is used as a whole or not at all. A newer build waits until the user requests it.
import { cleanupOutdatedCaches, precacheAndRoute } from "workbox-precaching";

addEventListener("message", ({ data }) => { if (data?.type === "SKIP_WAITING") skipWaiting(); });
cleanupOutdatedCaches();
// The query string is for the page to read, and does not select another file.
precacheAndRoute(self.__FILES, { ignoreURLParametersMatching: [/./], cleanURLs: false });
