// Tests the initialization of a buffer from a file, which the user selects in the launch form or drops on the memory grid of the buffer.
import { expect, test, type Page } from "@playwright/test";
import { cells, open, paste, pick, press, ready } from "./playground";

const KERNEL = "//@ launch grid=1 block=4\n//@ buffer x: f32[2][2] = 0\n//@ buffer y: u8[4] = 0\n.reg .b32 %r;\nld.global.b32 %r, [x];\nst.global.b32 [x], %r;\nst.global.u8 [y], 5;\n";

/** Returns an array of four floats in the NumPy format. */
const npyFile = (values: number[]) => {
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${values.length},), }`.padEnd(117) + "\n";
  return [0x93, ..."NUMPY".split("").map((c) => c.charCodeAt(0)), 1, 0, 118, 0, ...header.split("").map((c) => c.charCodeAt(0)), ...new Uint8Array(new Float32Array(values).buffer)];
};

async function drop(page: Page, target: string, name: string, bytes: number[]) {
  const data = await page.evaluateHandle(([name, bytes]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes as number[])], name as string));
    return data;
  }, [name, bytes] as const);
  await page.dispatchEvent(target, "dragover", { dataTransfer: data });
  await page.dispatchEvent(target, "drop", { dataTransfer: data });
}

test("file selected in the launch menu is written into the buffer annotation", async ({ page }) => {
  await open(page);
  await paste(page, KERNEL);
  await ready(page);
  await page.locator("header details.launch:not(.js-popover) > summary").click();
  const fileChooser = page.waitForEvent("filechooser");
  await page.getByRole("combobox", { name: "Initial contents of x" }).selectOption({ label: "from file…" });
  await (await fileChooser).setFiles({ name: "values.npy", mimeType: "application/octet-stream", buffer: Buffer.from(npyFile([1.5, 2.5, -3, 0.1])) });
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("//@ buffer x: f32[4] = 1.5, 2.5, -3, 0.1");
  await ready(page);
  await press(page, "Go to start");
  expect(await cells(page, "x")).toEqual(["1.5", "2.5", "-3.0", "0.1"]);
  // The initialization is a single change that the user can undo.
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("//@ buffer x: f32[2][2] = 0");
});

test("file dropped on a grid initializes its buffer, and an .npy file also matches a buffer by name", async ({ page }) => {
  await open(page);
  await paste(page, KERNEL);
  await ready(page);
  await drop(page, "[data-memory=y] h2", "bytes.bin", [9, 8, 7, 6]);
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("//@ buffer y: u8[4] = 9, 8, 7, 6");
  await ready(page);
  await drop(page, "body", "x.npy", npyFile([4, 3, 2, 1]));
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("//@ buffer x: f32[4] = 4, 3, 2, 1");
  await ready(page);
  expect(await cells(page, "y")).toEqual(["9", "8", "7", "6"]);
  // The edited source belongs to the same saved kernel, which has one entry in the list.
  await drop(page, "body", "other.npy", npyFile([1, 2]));
  await expect(page.locator(".banner")).toContainText("drop the file on a buffer, or rename the file to the name of one of the buffers: x, y");
});

test("initializing a buffer from a file inserts the inferred annotations and warns about links that are too long", async ({ page }) => {
  await open(page);
  await paste(page, ".reg .b32 %r;\nld.global.f32 %r, [p];\nst.global.f32 [p+4], %r;\n");
  await ready(page);
  let randomState = 1;
  const randomValues = Array.from({ length: 9_000 }, () => { randomState = (randomState * 48_271) % 2_147_483_647; return randomState / 2_147_483_647; });
  await drop(page, "[data-memory=p] h2", "noise.npy", npyFile(randomValues).map((byte) => byte));
  await expect(page.getByRole("alert")).toContainText("select Save file in the Share menu");
  await expect(page.getByRole("textbox", { name: "PTX source" })).toContainText("//@ buffer p: f32[9000] =");
  await ready(page);
});

test("file that matches no buffer leaves the source unchanged", async ({ page }) => {
  await open(page);
  await pick(page, "Coalesced and strided stores");
  await drop(page, "[data-memory=rows] h2", "odd.bin", [1, 2, 3]);
  await expect(page.getByRole("alert")).toContainText("the file size (3 bytes) is not a multiple of the size of type `u32`");
  await expect(page.getByRole("combobox", { name: "Example" }).locator("option:checked")).toHaveText("Coalesced and strided stores");
});
