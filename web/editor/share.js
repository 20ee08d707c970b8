// Sharing of the current view: the panel that creates the link, the corresponding files, and dropped files. The inputs are the source and
// the named facts of the page (`web/src/share.rs`); `web/editor/share-link.js` encodes them.
import { fence, home, make } from "./embed.js";
import { saveFile } from "./download.js";
import { readFile, RULES, writeFile, writeLink } from "./share-link.js";
import { grouped } from "./util.js";

/** Prefix of the view options of a memory; the rest of the field name is the memory ID. */
const GRIDS = "view.grids.";

/** Returns the scenario with its view. The fields of an opened link are retained as long as its source is unchanged. `watch` contains
 *  the watch expressions, `breaks` the breakpoint lines. */
export function sharedOf({ source, facts, brought, watch = [], breaks = [] }) {
  const { view: _view, widget: _widget, ...before } = brought ?? {};
  const shared = { ...before, source: brought?.source ?? source, view: {} };
  for (const name of ["target", "ptx_version", "entry", "seed", "guessed", "beside"]) delete shared[name];
  for (const [name, words] of facts) {
    if (name.startsWith(GRIDS)) { (shared.view.grids ??= {})[name.slice(GRIDS.length)] = words; continue; }
    if (!Object.hasOwn(RULES.fields, name)) continue;
    const [field, part] = name.split(".");
    const value = RULES.fields[name] === "number" ? Number(words) : words;
    if (part) (shared[field] ??= {})[part] = value;
    else shared[field] = value;
  }
  for (const [name, values] of Object.entries({ watch, breaks })) if (values.length > 0) shared.view[name] = values.slice(0, RULES.max_words);
  return shared;
}

/** Returns the annotations of a source, and the inferred ones. */
const launchLines = (source, guessed) => [...(guessed ? guessed.split("\n") : []), ...source.split("\n").filter((line) => /^\s*(?:\/\/|#)@/.test(line)).map((line) => line.trim())];

/** The formats in which the link can be copied. Each function returns the text to copy. */
const FORMS = {
  Link: ({ link }) => link,
  Markdown: ({ link, title }) => `[${title.replace(/[[\]\\]/g, "\\$&")}](${link})\n`,
  Issue: ({ link, title, shared, facts }) => {
    const { said, warpgrid } = facts;
    const ticks = fence(shared.source);
    const place = link ? `Open in Warpgrid: [${title.replace(/[[\]\\]/g, "\\$&")}](${link})` : "To reproduce the problem, open the attached file in Warpgrid.";
    const other = shared.beside ? `\nCompared with:\n\n${ticks}\n${shared.beside.source.trimEnd()}\n${ticks}\n` : "";
    const seen = said ? `Actual${shared.view.step === undefined ? "" : ` (step ${shared.view.step})`}: ${said}\n\n` : "";
    return `### ${title}\n\n${seen}Expected: \n\n${place}\n\n${ticks}${shared.front ?? "ptx"}\n${shared.source.trimEnd()}\n${ticks}\n${other}${warpgrid ? `\nWarpgrid ${warpgrid}\n` : ""}`;
  },
  "case.json": ({ shared, facts }) => {
    const { view: _view, guessed: _guessed, ...scenario } = shared;
    if (facts.guessed) scenario.source = `${facts.guessed}\n${scenario.source}`;
    if (facts["fault.kind"] && !scenario.fault) {
      scenario.fault = { kind: facts["fault.kind"] };
      if (facts["fault.buffer"]) scenario.fault.buffer = facts["fault.buffer"];
      if (facts["fault.byte_offset"]) scenario.fault.byte_offset = Number(facts["fault.byte_offset"]);
    }
    return `${JSON.stringify({ name: facts.title, ...scenario }, null, 2)}\n`;
  },
  "//@ lines": ({ shared, facts }) => `${launchLines(shared.source, facts.guessed).join("\n")}\n`,
};
const HINTS = {
  Link: "URL", Markdown: "Markdown link", Issue: "text for an issue, with the step summary, the link and the source",
  "case.json": "test case that `warpgrid run case.json` runs", "//@ lines": "launch annotations",
};

/** Returns the title of a source, or else its kernel. */
const titleOf = (source, kernel) => /^\s*\/\/@\s*title\s+(.+?)\s*$/m.exec(source)?.[1] ?? kernel ?? "Kernel";
const fileName = (title) => `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 48) || "kernel"}.warpgrid.json`;

/** Views whose URL contains their complete state, and their titles. */
const VIEWS = { "#layouts": "Layout diagram", "#matrix": "Layout diagram", "#lens": "Layout diagram", "#product": "Tensor Core arithmetic" };

/** Renders the panel and copies the link immediately. */
export async function showShare(place, seen, openFiles) {
  const shared = sharedOf(seen);
  const facts = Object.fromEntries(seen.facts);
  const view = VIEWS[location.hash.split("?")[0]];
  const kernel = titleOf(shared.source, facts.kernel);
  facts.title = kernel;
  const title = view ?? (shared.view.step === undefined ? kernel : `${kernel}, step ${shared.view.step}`);
  const status = make("p", { className: "quiet" });
  status.setAttribute("role", "status");
  const area = make("textarea", { readOnly: true, rows: 3, spellcheck: false, onfocus: () => area.select() });
  area.setAttribute("aria-label", "Link");
  let link = "";
  const copy = (text, words) => navigator.clipboard.writeText(text).then(
    () => { status.textContent = `Copied ${words}.`; },
    () => { area.value = text; area.focus(); status.textContent = "Press Ctrl+C to copy."; });
  const form = (name) => {
    const button = make("button", { type: "button", className: "fix", title: HINTS[name], onclick: () => {
      const text = FORMS[name]({ link, title, shared, facts });
      area.value = text;
      void copy(text, name === "Link" ? `link (${grouped(text.length)} characters)` : name);
    } }, name);
    return button;
  };
  const forms = Object.keys(FORMS).slice(0, view ? 2 : undefined).map(form);
  const chosen = make("input", { type: "file", hidden: true, onchange: () => { place.parentElement.open = false; void openFiles([...chosen.files]); } });
  const files = make("div", { className: "choices" }, make("span", {}, "File:"),
    make("button", { type: "button", className: "fix", title: "Save the kernel and the view settings to a file", onclick: () => saveFile(fileName(kernel), writeFile(shared)) }, "Save file"),
    make("button", { type: "button", className: "fix", title: "Open a saved file, a PTX or SASS file, C++ or Python source code with inline assembly, a cubin or an executable. You can also drop the file on the page.", onclick: () => chosen.click() }, "Open file"), chosen);
  place.replaceChildren(status, area, make("div", { className: "choices" }, make("span", {}, "Copy as:"), ...forms), files,
    make("p", { className: "quiet" }, view ? "The URL of the page is already the link to this view." : "The link contains the source, the step, the pins, the watch expressions, the breakpoints and the view settings. The page uploads no data."));
  let made;
  try {
    made = view ? location.href : home() + await writeLink(shared);
  } catch (error) {
    made = null;
    status.textContent = `This browser cannot compress links (${error.message}). Save a file instead.`;
  }
  if (made?.length > RULES.max_link_chars) {
    status.textContent = `The link would have ${grouped(made.length)} characters, but links of more than ${grouped(RULES.max_link_chars)} characters are often truncated. Save a file instead.`;
    made = null;
  }
  if (made === null) {
    area.hidden = forms[0].hidden = forms[1].hidden = true;
    return;
  }
  area.value = link = made;
  await copy(link, `link (${grouped(link.length)} characters)`);
}

/** Maximum size of a source in bytes. */
const MAX_BYTES = RULES.max_bytes;

/** Maximum size of a compiled file in bytes, because the file is copied between threads. The command line tool reads larger ones. */
const MOST_COMPILED = 64e6;

/** Checks whether a file is a compiled file by its magic number: ELF, or a fatbin. Other files with NUL bytes are inspected as well,
 *  because executables contain fatbins. */
const isCompiled = (bytes) => [[0x7f, 0x45, 0x4c, 0x46], [0x50, 0xed, 0x55, 0xba]].some((magic) => magic.every((byte, at) => bytes[at] === byte));

/** Returns the contents of a file: `{ text }`, `{ shared }` if it contains a view, or `{ name, compiled }` for a compiled file. Throws
 *  an error message if the file cannot be opened. */
export async function fromFiles(files) {
  if (files.length !== 1) throw new Error(`Cannot open ${files.length} files at once. Drop a single file.`);
  const [file] = files;
  const name = `“${file.name.length > 60 ? `${file.name.slice(0, 60)}…` : file.name}”`;
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer().catch(() => new ArrayBuffer(0)));
  if (isCompiled(head)) {
    if (file.size > MOST_COMPILED) throw new Error(`Cannot open ${name}: the file has ${grouped(Math.ceil(file.size / 1e6))} MB, but the limit is ${MOST_COMPILED / 1e6} MB. Use \`warpgrid check --list FILE\` for larger files.`);
    return { name: file.name.slice(0, 60), compiled: new Uint8Array(await file.arrayBuffer()) };
  }
  if (file.size > MAX_BYTES) throw new Error(`Cannot open ${name}: the file has ${grouped(Math.ceil(file.size / 1e6))} MB, but the limit for source files is ${MAX_BYTES / 1e6} MB.`);
  const bytes = await file.arrayBuffer().catch((error) => { throw new Error(`Cannot open ${name}: ${error.message}`); });
  const text = new TextDecoder().decode(bytes);
  // Comments in another encoding are accepted; bytes that occur in no text file are not.
  const n_odd = text.match(/[\0\ufffd]/g)?.length ?? 0;
  if (text.includes("\0") || n_odd * 50 > text.length) throw new Error(`Cannot open ${name}: the file is not valid UTF-8.`);
  const isJson = /\.json$/i.test(file.name) || /^\s*\{\s*"warpgrid"/.test(text);
  return isJson ? { shared: readFile(text) } : { text };
}

/** Opens files that are dropped anywhere on the page. */
export function listenToDrops(openFiles) {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  const mark = (isOver) => document.documentElement.classList.toggle("dropping", isOver);
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    mark(true);
  }, true);
  addEventListener("dragleave", (event) => { if (event.relatedTarget === null) mark(false); }, true);
  addEventListener("drop", (event) => {
    mark(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    void openFiles([...event.dataTransfer.files], event.target.closest?.("[data-memory]")?.dataset.memory);
  }, true);
}
