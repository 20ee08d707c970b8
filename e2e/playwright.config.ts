// How the journeys run: Chromium of the system, the release site from `dist/`, one worker a core.
import { defineConfig, devices } from "@playwright/test";

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: "test-results",
  fullyParallel: true,
  // Half of the cores otherwise.
  workers: "100%",
  forbidOnly: !!process.env.CI,
  // A journey that fails once and passes then is reported as flaky, and still looked at.
  retries: process.env.CI ? 1 : 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: "list",
  use: {
    // What the server said at its start.
    baseURL: `http://127.0.0.1:${process.env.JOURNEYS_PORT}`,
    ...devices["Desktop Chrome"],
    viewport: { width: 1440, height: 900 },
    // Each journey gets the files of this build from the server; `offline.spec.ts` allows what keeps them.
    serviceWorkers: "block",
    screenshot: "only-on-failure",
    // A trace of every journey takes a fifth of their time.
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
    wait: { stdout: /served on port (?<journeys_port>\d+)/ },
  },
});
