// External hosts: compilation of CUDA C++ with Compiler Explorer, and links to sources on other hosts. The tests intercept all external
// requests and answer them in the format of the documented APIs.
import { AxeBuilder } from "@axe-core/playwright";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { expect, test, type Page, type Route } from "@playwright/test";
import { open, paste, press, ready, text } from "./playground";

const read = (name: string) => readFileSync(`crates/view/tests/source_lines/${name}`, "utf8");
const LAUNCH = "//@ launch grid=1 block=32x8\n//@ scalar w: s32 = 32\n//@ scalar h: s32 = 32\n";
const CUDA = LAUNCH + read("transpose.cu");
/** PTX as Compiler Explorer returns it: the file has the name `example.cu`, and three annotations precede the CUDA C++ source. */
const PTX = read("transpose.ptx").replace(/"[^"]*transpose\.cu"/, '"/app/example.cu"').replace(/(\.loc\s+1\s+|inlined_at 1 )(\d+)/g, (_, start, line) => `${start}${Number(line) + 3}`);
const CORS = { "access-control-allow-origin": "*", "access-control-allow-headers": "content-type, accept" };

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const compiler = (page: Page) => card(page, "Compile CUDA C++");
const compilerStatus = (page: Page) => compiler(page).locator(".status-text");
const dialog = (page: Page) => page.locator("dialog.external-dialog");
const alert = (page: Page) => page.getByRole("alert");
const json = (route: Route, value: unknown) => route.fulfill({ headers: CORS, json: value });
const asmLines = (text: string) => text.split("\n").map((line) => ({ text: line, source: null, labels: [] }));
const SUCCESS = { code: 0, okToCache: true, timedOut: false, stdout: [], stderr: [], asm: asmLines(PTX), devices: {}, tools: [] };

/** Intercepts all requests to Compiler Explorer. `compile` answers a compilation. Returns the list of the requests. */
async function interceptCompilerExplorer(page: Page, compile: (route: Route) => unknown = (route) => json(route, SUCCESS)) {
  const requests: { method: string; path: string; body: any }[] = [];
  await page.route("https://godbolt.org/**", async (route) => {
    const request = route.request();
    const { pathname, search } = new URL(request.url());
    if (request.method() === "OPTIONS") { await route.fulfill({ status: 204, headers: CORS }); return; }
    requests.push({ method: request.method(), path: pathname + search, body: request.postDataJSON() });
    if (pathname === "/api/compilers/cuda") await json(route, [{ id: "nvcc129u1", name: "NVCC 12.9.1" }, { id: "nvcc118", name: "NVCC 11.8.0" }, { id: "cltrunk", name: "clang" }]);
    else if (pathname.startsWith("/api/shortlinkinfo/")) {
      if (pathname.endsWith("/missing")) await route.fulfill({ status: 404, headers: CORS, body: "" });
      else await json(route, { sessions: [{ id: 1, language: "c++", source: "int main() {}" }, { id: 2, language: "cuda", source: CUDA, compilers: [{ id: "nvcc118", options: "-O3 -arch=sm_80 --use_fast_math", filters: {}, libs: [] }] }] });
    } else await compile(route);
  });
  return requests;
}

async function pasteCuda(page: Page) {
  await open(page);
  await paste(page, CUDA);
  await page.getByRole("button", { name: "Compile with Compiler Explorer" }).click();
  await expect(compiler(page)).toBeVisible();
}
async function compile(page: Page) {
  await compiler(page).getByRole("button", { name: "Compile", exact: true }).click();
}
const permit = (page: Page) => dialog(page).getByRole("button", { name: "Send and compile" }).click();

/** Selects a command in the command palette. */
async function command(page: Page, name: string) {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Command" }).fill(name);
  await page.getByRole("option", { name }).first().click();
}

test("CUDA C++ is compiled after consent and runs with its source file", async ({ page }) => {
  const requests = await interceptCompilerExplorer(page);
  await pasteCuda(page);
  await expect(compiler(page).getByRole("textbox", { name: "Compiler options" })).toBeVisible();
  expect(requests).toEqual([]);
  await compiler(page).getByRole("combobox", { name: "Compilation target" }).selectOption("sm_80");
  await compiler(page).getByRole("textbox", { name: "Compiler options" }).fill("-O3");
  await compile(page);
  await expect(dialog(page)).toContainText("godbolt.org");
  await expect(dialog(page)).toContainText(`the source text (${CUDA.length.toLocaleString("en")} characters) and the options -ptx -lineinfo -arch=sm_80 -O3`);
  await expect(dialog(page).getByRole("link", { name: "Privacy policy of godbolt.org" })).toHaveAttribute("href", "https://godbolt.org/#privacy");
  expect((await new AxeBuilder({ page }).include(".external-dialog").analyze()).violations).toEqual([]);
  expect(requests).toEqual([]);
  await permit(page);
  await expect(card(page, "Source file").getByRole("listitem")).toHaveCount(20);
  await ready(page);
  const [request] = requests.filter(({ method }) => method === "POST");
  expect(request.path).toBe("/api/compiler/nvcc129u1/compile");
  expect(request.body).toMatchObject({ source: CUDA, lang: "cuda", allowStoreCodeDebug: false, options: { userArguments: "-ptx -lineinfo -arch=sm_80 -O3", compilerOptions: {} } });
  expect(requests.some(({ path }) => path === "/api/compilers/cuda?fields=id,name")).toBe(true);
  expect(await text(page)).toMatch(/^\/\/@ launch grid=1 block=32x8\n[^]*\/\/@ source example\.cu\n\/\/ \/\/@ launch/);
  await press(page, "Run to end");
  await press(page, "Previous store");
  await expect(card(page, "Source file").locator("li[data-frame=current]")).toContainText("out[flat(y + j, x, h)]");
  await expect(compilerStatus(page)).toContainText("Compiled with nvcc129u1 for sm_80");
  expect((await new AxeBuilder({ page }).include(".compiler-explorer").analyze()).violations).toEqual([]);
  // The CUDA C++ source can be edited and compiled again without another question.
  await expect(compiler(page).getByRole("textbox", { name: "Compiler options" })).toBeHidden();
  await compiler(page).getByRole("button", { name: "Edit CUDA C++" }).click();
  expect(await text(page)).toBe(CUDA);
  await compile(page);
  await expect.poll(() => text(page)).toContain(".visible .entry");
  expect(requests.filter(({ method }) => method === "POST").length).toBe(2);
  // Neither the link nor the saved file contains the consent.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("details.sharing > summary").click();
  await page.locator("details.sharing").getByRole("button", { name: "case.json" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).not.toContain("godbolt");
});

test("compiler errors are shown at the lines of the source, which is kept", async ({ page }) => {
  await interceptCompilerExplorer(page, (route) => json(route, {
    code: 2, stdout: [], asm: [{ text: "<Compilation failed>" }],
    stderr: [
      { text: '<source>(5): error: identifier "<b>ouut</b>" is undefined', tag: { line: 5, column: 0, text: 'error: identifier "<b>ouut</b>" is undefined', severity: 3, file: "example.cu" } },
      { text: "<source>(7): warning #177-D: variable \"x\" was declared but never referenced" }, { text: "1 error detected in the compilation." },
    ],
  }));
  await pasteCuda(page);
  await compile(page);
  await permit(page);
  await expect(compilerStatus(page)).toHaveText("Compilation failed with 1 error. Correct the source and compile again.");
  const messages = compiler(page).getByRole("list", { name: "Compiler messages" }).getByRole("listitem");
  await expect(messages).toHaveCount(2);
  await expect(messages.first()).toContainText('error: identifier "<b>ouut</b>" is undefined line 5');
  await expect(page.locator(".compiler-messages b b")).toHaveCount(0);
  expect(await text(page)).toBe(CUDA);
  await messages.first().getByRole("button", { name: "line 5" }).click();
  expect(await page.evaluate(() => document.querySelector(".cm-activeLine")?.textContent)).toBe(CUDA.split("\n")[4]);
  await expect(page.locator(".cm-lintRange-error").first()).toBeVisible();
});

test("nothing is sent without consent or after its withdrawal", async ({ page }) => {
  const requests = await interceptCompilerExplorer(page);
  await pasteCuda(page);
  await compile(page);
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await expect(compilerStatus(page)).toHaveText("Not compiled, because the request was not permitted. Nothing was sent.");
  await compile(page);
  await page.keyboard.press("Escape");
  expect(requests).toEqual([]);
  // A remembered consent survives a reload.
  await compile(page);
  await dialog(page).getByRole("checkbox").check();
  await permit(page);
  await expect(compilerStatus(page)).toContainText("Compiled with");
  await page.reload();
  await ready(page);
  await command(page, "Compile CUDA C++ with Compiler Explorer");
  await compile(page);
  await expect.poll(() => requests.filter(({ method }) => method === "POST").length).toBe(2);
  await command(page, "External site permissions");
  await expect(dialog(page)).toContainText("godbolt.org");
  await dialog(page).getByRole("button", { name: "Withdraw permission for godbolt.org" }).click();
  await expect(dialog(page)).toContainText("No external site is permitted.");
  await dialog(page).getByRole("button", { name: "Close" }).click();
  await compiler(page).getByRole("button", { name: "Change options" }).click();
  await compile(page);
  await expect(dialog(page)).toContainText("Send a request to godbolt.org?");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  expect(requests.filter(({ method }) => method === "POST").length).toBe(2);
});

test("failed requests state the reason, and the source is kept", async ({ page, context }) => {
  let answer: (route: Route) => unknown = () => {};
  await interceptCompilerExplorer(page, (route) => answer(route));
  await pasteCuda(page);
  const fulfill = (body: string | Buffer, contentType = "application/json", status = 200) => (route: Route) => route.fulfill({ status, headers: CORS, contentType, body });
  const cases: [(route: Route) => unknown, RegExp][] = [
    [(route) => route.abort("connectionrefused"), /Cannot reach godbolt\.org\. Check the network connection/],
    [fulfill("<!DOCTYPE html><script>globalThis.executed = true</script><h1>Sign in</h1>", "text/html"), /returned an HTML page, expected JSON/],
    [fulfill("{\"code\": 0, \"asm\": ["), /is not valid JSON/],
    [fulfill("[]"), /without the result of a compilation/],
    [fulfill(Buffer.alloc(17e6, 0x20)), /exceeds the limit of 16 MB/],
    [fulfill(Buffer.from([0x7b, 0xff])), /is not UTF-8 text/],
    [fulfill("", "application/json", 404), /the compiler nvcc129u1 does not exist/],
    [fulfill("", "application/json", 429), /the request limit is exceeded/],
    [fulfill("", "application/json", 503), /the service has a problem/],
    [(route) => json(route, { code: 0, stderr: [], stdout: [], asm: asmLines("main:\n ret") }), /returned no PTX/],
    [(route) => json(route, { code: 1, timedOut: true, stderr: [], stdout: [] }), /exceeded the time limit/],
  ];
  for (const [index, [route, reason]] of cases.entries()) {
    answer = route;
    await compile(page);
    if (index === 0) await permit(page);
    await expect(compilerStatus(page)).toHaveText(reason);
    expect(await text(page)).toBe(CUDA);
  }
  expect(await page.evaluate(() => (globalThis as any).executed)).toBeUndefined();
  await page.unroute("https://godbolt.org/**");
  await context.setOffline(true);
  await compile(page);
  await expect(compilerStatus(page)).toHaveText(/because the browser is offline/);
  await context.setOffline(false);
});

test("request without a response is aborted after 30 seconds or on demand", async ({ page }) => {
  await page.clock.install();
  await interceptCompilerExplorer(page, () => {});
  await page.goto("/");
  await expect(page.getByRole("textbox", { name: "PTX source" })).toBeVisible();
  await page.evaluate((source) => (globalThis as any).warpgridEditor.setText(source), CUDA);
  await page.getByRole("button", { name: "Compile with Compiler Explorer" }).click();
  await compile(page);
  await permit(page);
  await compiler(page).getByRole("button", { name: "Cancel" }).click();
  await expect(compilerStatus(page)).toContainText("The request was canceled.");
  await compile(page);
  await expect(compilerStatus(page)).toHaveText("Compiling with nvcc129u1…");
  await page.clock.fastForward(31_000);
  await expect(compilerStatus(page)).toContainText("godbolt.org did not respond within 30 seconds. Try again later.");
  expect(await text(page)).toBe(CUDA);
});

test("endless response of another Compiler Explorer instance is aborted at the size limit", async ({ page }) => {
  let sentBytes = 0;
  let isClosed = false;
  const chunk = Buffer.alloc(1 << 20, 0x20);
  const server = createServer((request, response) => {
    response.writeHead(200, { ...CORS, "content-type": "application/json" });
    if (request.method !== "POST") { response.end("[]"); return; }
    const send = () => { while (!isClosed && response.write(chunk)) sentBytes += chunk.length; };
    response.on("drain", send);
    response.on("close", () => { isClosed = true; });
    send();
  });
  await new Promise<void>((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  // The build writes the address of the instance and the policy into the page (`web/external/hosts.mjs`).
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await page.route(({ pathname }) => pathname === "/", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll("https://godbolt.org", address) });
  });
  await page.context().grantPermissions(["local-network-access"]);
  await pasteCuda(page);
  await expect(compiler(page)).toContainText(`with Compiler Explorer at ${new URL(address).host}`);
  await compile(page);
  await permit(page);
  await expect(compilerStatus(page)).toContainText("exceeds the limit of 16 MB");
  await expect.poll(() => isClosed).toBe(true);
  expect(sentBytes).toBeLessThan(64e6);
  expect(await text(page)).toBe(CUDA);
  server.close();
});

test("pasted Compiler Explorer link opens its CUDA session with compiler and options", async ({ page }) => {
  const requests = await interceptCompilerExplorer(page);
  await open(page);
  await paste(page, "https://godbolt.org/z/Km_340");
  await expect(dialog(page)).toContainText("/api/shortlinkinfo/Km_340");
  expect(requests).toEqual([]);
  await dialog(page).getByRole("button", { name: "Open link" }).click();
  await expect.poll(() => text(page)).toBe(CUDA);
  await expect(compiler(page).getByRole("combobox", { name: "Compiler", exact: true })).toHaveValue("nvcc118");
  await expect(compiler(page).getByRole("combobox", { name: "Compilation target" })).toHaveValue("sm_80");
  await expect(compiler(page).getByRole("textbox", { name: "Compiler options" })).toHaveValue("-O3 --use_fast_math");
  expect(page.url()).toContain("#url=https://godbolt.org/z/Km_340");
  // The link is not listed as a kernel of the user.
  await expect(page.getByRole("combobox", { name: "Example" }).locator("option", { hasText: "godbolt" })).toHaveCount(0);
  await compile(page);
  await expect.poll(() => requests.at(-1)?.body?.options.userArguments).toBe("-ptx -lineinfo -arch=sm_80 -O3 --use_fast_math");
  await expect.poll(() => page.url()).not.toContain("#");
  // The permission applies until the page is closed.
  await page.goto("/#url=https://godbolt.org/z/missing");
  await expect(alert(page)).toHaveText(/HTTP status 404: the short link does not exist/);
});

const KERNEL = ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry mine(.param .u64 out)\n{\n\t.reg .b64 %rd1;\n\tld.param.u64 %rd1, [out];\n\tst.global.u32 [%rd1], 7;\n\tret;\n}\n";

/** Copies the link that the Share menu offers. */
async function share(page: Page) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator("details.sharing > summary").click();
  await expect(page.locator("details.sharing").getByRole("status")).toContainText("Copied link");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.keyboard.press("Escape");
  return link.slice(link.indexOf("/#"));
}

test("link to a GitHub file opens after one confirmation and is shared while the source is unmodified", async ({ page }) => {
  const requests: string[] = [];
  await page.route("https://raw.githubusercontent.com/**", (route) => { requests.push(route.request().url()); return route.fulfill({ headers: CORS, contentType: "text/plain; charset=utf-8", body: KERNEL.replaceAll("\n", "\r\n") }); });
  const link = "/#gh=owner/repo@v1.0/kernels/mine.ptx";
  await page.goto(link);
  await expect(dialog(page)).toContainText("The page requests /owner/repo/v1.0/kernels/mine.ptx from raw.githubusercontent.com");
  expect((await new AxeBuilder({ page }).include(".external-dialog").analyze()).violations).toEqual([]);
  expect(requests).toEqual([]);
  await dialog(page).getByRole("button", { name: "Open file" }).click();
  await expect.poll(() => text(page)).toBe(KERNEL);
  await ready(page);
  expect(requests).toEqual(["https://raw.githubusercontent.com/owner/repo/v1.0/kernels/mine.ptx"]);
  expect(await share(page)).toBe(link);
  expect(link.length).toBeLessThan(100);
  // A reload shows the source without another request.
  await page.reload();
  await ready(page);
  expect(await text(page)).toBe(KERNEL);
  await expect(dialog(page)).toHaveCount(0);
  expect(requests.length).toBe(1);
  // An edit ends the reference.
  await page.getByRole("textbox", { name: "PTX source" }).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("// mine\n");
  await expect.poll(() => page.url()).not.toContain("#");
  await ready(page);
  expect(await share(page)).toMatch(/^\/#1=/);
});

test("gists open by their ID, and long files from their raw URL", async ({ page }) => {
  const id = "0123456789abcdef0123456789abcdef";
  let file: any = { filename: "mine.ptx", truncated: false, content: KERNEL };
  await page.route("https://api.github.com/**", (route) => json(route, { files: { "read.md": { filename: "read.md", content: "# Kernel" }, "mine.ptx": file } }));
  await page.route("https://gist.githubusercontent.com/**", (route) => route.fulfill({ headers: CORS, contentType: "text/plain", body: `${KERNEL}// long\n` }));
  await page.goto(`/#gist=${id}`);
  await expect(dialog(page)).toContainText(`/gists/${id} from api.github.com`);
  await dialog(page).getByRole("button", { name: "Open file" }).click();
  await expect.poll(() => text(page)).toBe(KERNEL);
  await ready(page);
  expect(await share(page)).toBe(`/#gist=${id}`);
  file = { filename: "mine.ptx", truncated: true, content: "cut", raw_url: "https://gist.githubusercontent.com/owner/0123/raw/mine.ptx" };
  await command(page, "Open link");
  await dialog(page).getByRole("textbox", { name: "Link" }).fill(`https://gist.github.com/owner/${id}`);
  await dialog(page).getByRole("button", { name: "Continue" }).click();
  await dialog(page).getByRole("button", { name: "Open file" }).click();
  await expect.poll(() => text(page)).toBe(`${KERNEL}// long\n`);
});

test("links that cannot be opened state the reason, and the source is kept", async ({ page }) => {
  await open(page);
  await paste(page, KERNEL);
  await ready(page);
  let answer: (route: Route) => unknown = () => {};
  await page.route("https://raw.githubusercontent.com/**", (route) => answer(route));
  const fulfill = (body: string | Buffer, contentType = "text/plain", status = 200) => (route: Route) => route.fulfill({ status, headers: CORS, contentType, body });
  const cases: [(route: Route) => unknown, RegExp][] = [
    [fulfill("404: Not Found", "text/plain", 404), /HTTP status 404: the file does not exist\. Check the owner/],
    [fulfill("<!DOCTYPE html><script>globalThis.executed = true</script>"), /returned an HTML page, expected a source file/],
    [fulfill("<p>", "text/html"), /returned an HTML page/],
    [fulfill(Buffer.alloc(9e6, 0x20)), /exceeds the limit of 8 MB/],
    [fulfill(Buffer.from([0x2e, 0x76, 0xff, 0xfe])), /is not UTF-8 text/],
    [(route) => route.abort("connectionfailed"), /Cannot reach raw\.githubusercontent\.com/],
  ];
  for (const [index, [route, reason]] of cases.entries()) {
    answer = route;
    await page.evaluate((hash) => { location.hash = hash; }, `#gh=owner/repo@main/k${index}.ptx`);
    // The permission applies until the page is closed.
    if (index === 0) await dialog(page).getByRole("button", { name: "Open file" }).click();
    await expect(alert(page)).toHaveText(reason);
    expect(await text(page)).toBe(KERNEL);
  }
  for (const [hash, reason] of [["#url=https://example.com/k.ptx", /Cannot open a file from example\.com/], ["#gh=owner", /expected #gh=owner\/repository@ref\/path/], ["#url=javascript:alert(1)", /https:/]] as const) {
    await page.evaluate((hash) => { location.hash = hash; }, hash);
    await expect(alert(page)).toHaveText(reason);
  }
  expect(await page.evaluate(() => (globalThis as any).executed)).toBeUndefined();
  // The policy of the page blocks every other host.
  const blocked = await page.evaluate(() => fetch("https://example.com/").then(() => "permitted", (error) => `${error}`));
  expect(blocked).toContain("Failed to fetch");
  await expect(page.locator('meta[http-equiv="Content-Security-Policy"]')).toHaveAttribute("content", "connect-src 'self' https://godbolt.org https://raw.githubusercontent.com https://gist.githubusercontent.com https://cdn.jsdelivr.net https://api.github.com");
});

test("unmodified examples, tours and puzzles are shared by their name", async ({ page }) => {
  await page.goto("/?example=vector-addition");
  await ready(page);
  await expect(page.getByRole("combobox", { name: "Example" })).toHaveValue("vector-addition");
  expect(await share(page)).toBe("/#example=vector-addition");
  // The link to the current view remains available, and is copied first after a step.
  await press(page, "Next store");
  expect(await share(page)).toMatch(/^\/#1=/);
  await page.locator("details.sharing > summary").click();
  await page.locator("details.sharing").getByRole("button", { name: "Unmodified source" }).click();
  await expect(page.locator("details.sharing").getByRole("textbox", { name: "Link" })).toHaveValue(/\/#example=vector-addition$/);
  await page.goto("/?tour=bank-conflicts");
  await expect(page.getByRole("complementary", { name: /^Tour/ })).toBeVisible();
  const copyLink = async () => {
    await page.getByRole("button", { name: "Copy link" }).click();
    await expect(page.getByRole("button", { name: "Link copied" })).toBeVisible();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  expect(await copyLink()).toMatch(/\/#learn=tour:bank-conflicts$/);
  await page.goto("/?puzzle=21-four-in-one");
  expect(await copyLink()).toMatch(/\/#learn=puzzle:21-four-in-one$/);
  await page.getByRole("button", { name: "Open in editor" }).click();
  await ready(page);
  expect(await share(page)).toBe("/#learn=puzzle:21-four-in-one");
});
