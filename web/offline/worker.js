// The page without a network: the service worker, which `web/finish.mjs` bundles with the list of the files of a build. It keeps all of them and
// answers with them, so that a build is used whole or not at all. A newer build waits until a person asks for it.
import { cleanupOutdatedCaches, precacheAndRoute } from "workbox-precaching";

addEventListener("message", ({ data }) => { if (data?.type === "SKIP_WAITING") skipWaiting(); });
cleanupOutdatedCaches();
// What is after `?` is for the page to read, and names no other file.
precacheAndRoute(self.__FILES, { ignoreURLParametersMatching: [/./], cleanURLs: false });
