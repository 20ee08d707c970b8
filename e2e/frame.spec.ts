// Tests the widget in an `<iframe>`: the message protocol, and the origins that the widget accepts.
import { expect, test, type Page } from "@playwright/test";

const receivedMessages = (page: Page, type: string) => page.evaluate((type) => (globalThis as any).heard.filter((message: any) => message.type === type), type);
const postToFrame = (page: Page, message: object) => page.evaluate((message) => (globalThis as any).send(message), message);

test("embedded frame is controlled by messages from its named cross-origin host", async ({ page, baseURL }) => {
  // The same server under another host name has a different origin.
  const site = baseURL!.replace("127.0.0.1", "localhost");
  await page.goto(`/pages/frame.html?site=${encodeURIComponent(site)}`);
  await expect.poll(async () => (await receivedMessages(page, "ready")).length).toBeGreaterThan(0);
  await postToFrame(page, { type: "seek", position: 2, id: "a" });
  await expect.poll(async () => (await receivedMessages(page, "state")).at(-1)).toMatchObject({ id: "a", position: 2, length: 3, view: "split", origin: site, warpgrid: 1 });
  await postToFrame(page, { type: "set", text: "st.global.u32 [p], 5;", attributes: { view: "grid" } });
  await postToFrame(page, { type: "run" });
  await expect(page.frameLocator("iframe").getByRole("cell", { name: "5 lane 31", exact: true })).toBeVisible();
  expect((await receivedMessages(page, "size")).at(-1).height).toBeGreaterThan(100);
  await postToFrame(page, { type: "eval", text: "alert(1)" });
  await expect.poll(async () => (await receivedMessages(page, "refused")).length).toBe(1);
});

test("embedded frame ignores messages from other origins and sends them nothing", async ({ page }) => {
  await page.goto(`/pages/frame.html?host=${encodeURIComponent("https://elsewhere.example")}`);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByText(/^step 0/)).toBeVisible();
  await postToFrame(page, { type: "set", text: "st.global.u32 [p], 5;" });
  await postToFrame(page, { type: "step" });
  await frame.getByRole("button", { name: "Step forward" }).click();
  await expect(frame.getByText(/^step 1/)).toBeVisible();
  await expect(frame.getByRole("group", { name: "PTX source" })).toContainText("%tid.x");
  expect(await page.evaluate(() => (globalThis as any).heard)).toEqual([]);
});

/** Opens a page with a sandboxed frame, which has an opaque origin. In pages that Playwright creates, Chromium does not load frames from
 *  this server. */
async function openSandboxedFrame(page: Page, frame: string) {
  await page.goto("/pages/frame.html");
  await page.evaluate((frame) => { document.body.innerHTML = frame; }, frame);
}

test("sandboxed frame runs edited source", async ({ page, baseURL }) => {
  const text = Buffer.from("mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;").toString("base64url");
  await openSandboxedFrame(page, `<iframe sandbox="allow-scripts" width="800" height="500" src="${baseURL}/widget/embed.html#text=${text}"></iframe>`);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByRole("cell", { name: "31 lane 31", exact: true })).toBeVisible();
  await frame.getByRole("button", { name: "Edit" }).click();
  await frame.getByRole("textbox", { name: "PTX source" }).fill("st.global.u32 [p], 6;");
  await expect(frame.getByRole("cell", { name: "6 lane 31", exact: true })).toBeVisible();
});

test("widget within a sandboxed srcdoc frame runs", async ({ page, baseURL }) => {
  const widget = `<script type='module' src='${baseURL}/widget/warpgrid-widget.js'></script><warpgrid-playground>st.global.u32 [p], 7;</warpgrid-playground>`;
  await openSandboxedFrame(page, `<iframe sandbox="allow-scripts" width="800" height="500" srcdoc="${widget}"></iframe>`);
  await expect(page.frameLocator("iframe").getByRole("cell", { name: "7 lane 31", exact: true })).toBeVisible();
});

test("embedded frame reports a missing CORS header and an invalid URL", async ({ page, baseURL }) => {
  await page.goto("/widget/embed.html#text=@@@");
  await expect(page.locator("body")).toHaveText("Cannot decode the source in the URL of this frame, because the source is truncated or corrupted.");
  // The test simulates a server that does not permit frames with an opaque origin to load its script.
  await page.route("**/widget/warpgrid-embed.js", (route) => route.abort());
  await openSandboxedFrame(page, `<iframe sandbox="allow-scripts" src="${baseURL}/widget/embed.html#text=cmV0Ow"></iframe>`);
  await expect(page.frameLocator("iframe").locator("body")).toContainText("Access-Control-Allow-Origin");
});
