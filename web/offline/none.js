// In place of the service worker while one works on the page: ends one that a release left at the same address, whose files are older.
addEventListener("install", () => skipWaiting());
addEventListener("activate", async () => {
  await registration.unregister();
  for (const client of await clients.matchAll({ type: "window" })) client.navigate(client.url);
});
