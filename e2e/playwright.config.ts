// Configures the end-to-end tests. The tests run the installed Chromium on the release site in `dist/` with one worker per core.
import { defineConfig, devices } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "test-results",
  fullyParallel: true,
  // By default, Playwright uses half of the cores.
  workers: "100%",
  forbidOnly: !!process.env.CI,
  // If a test fails once and then passes, Playwright reports the test as flaky. The cause of a flaky test must be investigated.
  retries: process.env.CI ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: "list",
  use: {
    // The server prints its port when the server starts.
    baseURL: `http://127.0.0.1:${process.env.E2E_PORT}`,
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    // Each test loads the files of this build from the server. Only `offline.spec.ts` permits the service worker, which caches these files.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    // A trace of every test would increase the test time by a fifth.
    trace: "on-first-retry",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  webServer: {
    command: "node server.mjs",
    wait: { stdout: /served on port (?<e2e_port>\d+)/ },
  },
});
