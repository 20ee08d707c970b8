// Source view: the source file of a compiled kernel, with the lines that the current step belongs to. A click on a line selects the PTX
// lines that the compiler generated from it. The kernel contains the text of the file as a `//@ source` annotation.
import { pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { baseName, withSourceFile } from "../editor/source-file.js";
import { lazyCard } from "./lazy-card.js";
import { latestOnly, queryAtStep, stepOf } from "./query.js";

export function sourceViewCard(initialStepContext) {
  let table = null;
  let selectedFile = null;
  /** Cost marker of each source line whose memory accesses are not ideal, as `[text, title, level]` by file and line. */
  let costs = new Map();
  /** Index of the next PTX line to select for each source line. */
  const nextTarget = new Map();

  const tabs = createElement("div", { class: "source-files", role: "group", "aria-label": "Source files" });
  const list = createElement("ol", { class: "source-lines", tabIndex: 0, "aria-label": "Source lines" });
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const fileInput = createElement("input", { type: "file", hidden: true });
  const openButton = createElement("button", { type: "button", class: "action-button", onclick: () => fileInput.click() }, "Open source file");
  const missing = createElement("div", { class: "fixes" }, openButton, fileInput);
  missing.hidden = true;

  fileInput.onchange = async () => {
    const [file] = fileInput.files;
    if (!file) return;
    const { page } = card.context();
    page.change(withSourceFile(page.text(), table?.files.find(({ name }) => baseName(name) === file.name)?.name ?? file.name, await file.text()));
    fileInput.value = "";
  };

  /** Returns the PTX lines of each source line of a file. */
  function mappedLines(file) {
    const mapped = new Map();
    for (const { line, endLine, frames } of table.lines) {
      if (frames[0].file !== file) continue;
      const ranges = mapped.get(frames[0].line) ?? [];
      ranges.push([line, endLine]);
      mapped.set(frames[0].line, ranges);
    }
    return mapped;
  }

  function selectTarget(sourceLine, ranges) {
    const index = (nextTarget.get(sourceLine) ?? 0) % ranges.length;
    nextTarget.set(sourceLine, index + 1);
    card.context().page.pin(`line ${ranges[index][0]}`);
    const [first, last] = ranges[index];
    status.className = "status-text";
    status.replaceChildren(`Line ${sourceLine}: ${first === last ? `PTX line ${first}` : `PTX lines ${first} to ${last}`}${ranges.length > 1 ? `, range ${index + 1} of ${ranges.length}` : ""}.`);
  }

  /** Toggles the breakpoints of a source line: one in each PTX range of the line. */
  function toggleBreakpoint(sourceLine, ranges) {
    const { page } = card.context();
    const existing = new Set(page.breakpointLines());
    const isSet = ranges.some(([first, last]) => [...existing].some((line) => first <= line && line <= last));
    const lines = ranges.flatMap(([first, last]) => (isSet ? [...existing].filter((line) => first <= line && line <= last) : [first]));
    page.toggleBreakpoints(lines);
    status.className = "status-text";
    status.replaceChildren(`${isSet ? "Breakpoint removed from" : "Breakpoint set at"} line ${sourceLine}.`);
    markBreakpoints();
  }
  /** Marks the source lines with breakpoints. The user can also change breakpoints in the editor. */
  function markBreakpoints() {
    const lines = card.context().page.breakpointLines();
    for (const button of list.querySelectorAll("[data-ranges]")) {
      const ranges = JSON.parse(button.dataset.ranges);
      button.setAttribute("aria-pressed", String(ranges.some(([first, last]) => lines.some((line) => first <= line && line <= last))));
    }
  }

  /** Returns the cost marker of a source line, or null if its memory accesses are ideal. */
  function costMarker(file, line) {
    const [text, title, level] = costs.get(`${file}\n${line}`) ?? [];
    return text ? createElement("span", { class: "line-cost", title, "data-level": level }, text) : null;
  }

  function renderFile() {
    const file = table.files.find(({ name }) => name === selectedFile);
    tabs.replaceChildren(...table.files.length < 2 ? [] : table.files.map(({ name }) => {
      const button = createElement("button", { type: "button", class: "mini", title: name, "aria-pressed": String(name === selectedFile), onclick: () => { selectedFile = name; renderFile(); markCurrent(); } }, baseName(name) || "unnamed file");
      return button;
    }));
    list.hidden = !file?.text;
    missing.hidden = Boolean(file?.text) || !file;
    if (!file) { list.replaceChildren(); return; }
    if (!file.text) {
      status.className = "status-text";
      status.replaceChildren(...renderInlineCode(`The kernel refers to \`${file.name || "an unnamed file"}\`, but does not contain the text of the file.`));
      return;
    }
    const mapped = mappedLines(file.name);
    const lines = file.text.replace(/\n$/, "").split("\n");
    list.replaceChildren(...lines.map((text, index) => {
      const ranges = mapped.get(index + 1);
      const code = createElement("code", {}, text || " ");
      if (!ranges) return createElement("li", {}, code);
      const breakpoint = createElement("button", { type: "button", class: "source-breakpoint", title: "Toggle breakpoint", "aria-label": `Breakpoint at line ${index + 1}`, "aria-pressed": "false", "data-ranges": JSON.stringify(ranges), onclick: () => toggleBreakpoint(index + 1, ranges) });
      const row = createElement("button", { type: "button", title: `Show the PTX of line ${index + 1}`, onclick: () => selectTarget(index + 1, ranges) }, code);
      return createElement("li", { class: "mapped" }, breakpoint, row, costMarker(file.name, index + 1));
    }));
    markBreakpoints();
    if (lines.length < file.lastLine) {
      status.className = "status-text bad";
      status.replaceChildren(...renderInlineCode(`\`${baseName(file.name)}\` has ${pluralize(lines.length, "line")}, but the kernel refers to line ${file.lastLine}. This text is not the source of the kernel.`));
    }
  }

  /** Marks the source lines of the last step: the innermost line, and the call sites of inlined functions. */
  function markCurrent() {
    for (const item of list.querySelectorAll("[data-frame]")) { delete item.dataset.frame; item.removeAttribute("aria-current"); }
    const current = table.lines.find(({ line, endLine }) => line <= table.line && table.line <= endLine);
    if (!current) return;
    const inFile = current.frames.map((frame, depth) => ({ ...frame, depth })).filter(({ file }) => file === selectedFile);
    for (const { line, depth } of inFile.reverse()) {
      const item = list.children[line - 1];
      if (!item) continue;
      item.dataset.frame = depth === 0 ? "current" : "caller";
      if (depth === 0) {
        item.setAttribute("aria-current", "step");
        // `scrollIntoView` would scroll the page as well.
        list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
      }
    }
  }

  const update = latestOnly(async (current) => {
    try {
      const next = await queryAtStep(current, "sources", stepOf(current));
      const isNew = JSON.stringify([table?.files, table?.lines]) !== JSON.stringify([next.files, next.lines]);
      table = next;
      if (isNew) {
        nextTarget.clear();
        status.className = "status-text";
        status.replaceChildren(...table.unused.length === 0 ? [] : renderInlineCode(`The kernel contains no line of ${table.unused.map((name) => `\`${name}\``).join(", ")}.`));
        if (table.files.length === 0) status.replaceChildren(...renderInlineCode("This kernel contains no line information. Compile with `nvcc -lineinfo` (NVRTC: `-lineinfo`), or print the listing with `nvdisasm -g`."));
        const currentFile = table.lines.find(({ line, endLine }) => line <= table.line && table.line <= endLine)?.frames.at(-1).file;
        if (!table.files.some(({ name }) => name === selectedFile)) selectedFile = currentFile ?? table.files.find(({ text }) => text)?.name ?? table.files[0]?.name ?? null;
        costs = new Map();
        renderFile();
        if (table.files.some(({ text }) => text)) {
          const markers = await queryAtStep(current, "source-costs");
          costs = new Map(markers.map(([file, line, ...marker]) => [`${file}\n${line}`, marker]));
          renderFile();
        }
      }
      markCurrent();
      markBreakpoints();
    } catch (error) {
      table = null;
      list.hidden = true;
      status.className = "status-text bad";
      status.replaceChildren(...renderInlineCode(error.message));
    }
  });

  const card = lazyCard({
    name: "source-view", title: "Source file", subtitle: "select a line to show its instructions", view: "source", content: [tabs, list, missing, status], update,
    focus: () => (list.hidden ? openButton : list).focus({ preventScroll: true }),
  }, initialStepContext);
  return card;
}
