// Replacement of the service worker in development builds: unregisters a service worker that a release has installed at the same URL,
// because it would serve the older files of the release.
addEventListener("install", () => skipWaiting());
addEventListener("activate", async () => {
  await registration.unregister();
  for (const client of await clients.matchAll({ type: "window" })) client.navigate(client.url);
});
