// Configuration of the end-to-end tests: the installed Chromium, the release site from `dist/`, and one worker per core.
import { defineConfig, devices } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "test-results",
  fullyParallel: true,
  // The default is half of the cores.
  workers: "100%",
  forbidOnly: !!process.env.CI,
  // A test that fails once and then passes is reported as flaky, and still investigated.
  retries: process.env.CI ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: "list",
  use: {
    // The port that the server printed at its start.
    baseURL: `http://127.0.0.1:${process.env.E2E_PORT}`,
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    // Each test receives the files of this build from the server; `offline.spec.ts` allows the service worker that caches them.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    // Tracing every test would add a fifth of the test time.
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
