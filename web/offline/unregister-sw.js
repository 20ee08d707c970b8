// Replacement of the service worker during development: unregisters a service worker that a release has installed at the same URL, because
// its files are older.
addEventListener("install", () => skipWaiting());
addEventListener("activate", async () => {
  await registration.unregister();
  for (const client of await clients.matchAll({ type: "window" })) client.navigate(client.url);
});
