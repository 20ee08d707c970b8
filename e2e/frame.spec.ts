// The widget in an `<iframe>`: its protocol, and whom it listens to.
import { expect, test, type Page } from "@playwright/test";

const heard = (page: Page, type: string) => page.evaluate((type) => (globalThis as any).heard.filter((message: any) => message.type === type), type);
const send = (page: Page, message: object) => page.evaluate((message) => (globalThis as any).send(message), message);

test("a named host drives the frame by messages, from another origin", async ({ page, baseURL }) => {
  // The same server by another name is another origin.
  const site = baseURL!.replace("127.0.0.1", "localhost");
  await page.goto(`/pages/frame.html?site=${encodeURIComponent(site)}`);
  await expect.poll(async () => (await heard(page, "ready")).length).toBeGreaterThan(0);
  await send(page, { type: "seek", position: 2, id: "a" });
  await expect.poll(async () => (await heard(page, "state")).at(-1)).toMatchObject({ id: "a", position: 2, length: 3, view: "split", origin: site, warpgrid: 1 });
  await send(page, { type: "set", text: "st.global.u32 [p], 5;", attributes: { view: "grid" } });
  await send(page, { type: "run" });
  await expect(page.frameLocator("iframe").getByRole("cell", { name: "5 lane 31", exact: true })).toBeVisible();
  expect((await heard(page, "size")).at(-1).height).toBeGreaterThan(100);
  await send(page, { type: "eval", text: "alert(1)" });
  await expect.poll(async () => (await heard(page, "refused")).length).toBe(1);
});

test("messages of another origin than the named one change nothing, and it hears nothing", async ({ page }) => {
  await page.goto(`/pages/frame.html?host=${encodeURIComponent("https://elsewhere.example")}`);
  const frame = page.frameLocator("iframe");
  await expect(frame.getByText(/^step 0/)).toBeVisible();
  await send(page, { type: "set", text: "st.global.u32 [p], 5;" });
  await send(page, { type: "step" });
  await frame.getByRole("button", { name: "One step forward" }).click();
  await expect(frame.getByText(/^step 1/)).toBeVisible();
  await expect(frame.getByRole("group", { name: "PTX source" })).toContainText("%tid.x");
  expect(await page.evaluate(() => (globalThis as any).heard)).toEqual([]);
});
