// Card that compiles the CUDA C++ source in the editor with Compiler Explorer, and opens the resulting PTX together with its source file.
import { createElement, renderInlineCode } from "../dom.js";
import { formatCount, pluralize } from "../editor/util.js";
import { annotationLines, baseName, isCuda, readSourceFile, withSourceFile } from "../editor/source-file.js";
import { lazyCard } from "../inspector/lazy-card.js";
import { compileForm } from "./compile-form.js";
import { requestConsent, showPermissions, isPermitted } from "./consent.js";
import { compile, compilerArguments, compilerExplorerHost, listCompilers, privacyUrl, SOURCE_NAME } from "./compiler-explorer.js";

/** Returns the CUDA C++ source of the editor: its text, or the source file of a compiled kernel. */
function cudaSource(text) {
  if (isCuda(text)) return text;
  const file = readSourceFile(text);
  return file !== null && isCuda(file.text) ? file.text : null;
}

/** Requests the consent for all requests to Compiler Explorer. `line` describes the current request. */
export function permitCompilerExplorer(line, action) {
  const host = compilerExplorerHost();
  return requestConsent({
    host, action, privacyUrl: privacyUrl(), title: `Send a request to ${host}?`,
    lines: [line, `With this permission, the page sends the complete source text and the compiler options to Compiler Explorer at \`${host}\` when you compile, requests the list of compilers, and opens Compiler Explorer links. Compiler Explorer stores compiled sources temporarily. Do not send confidential source code.`],
  });
}

/** Returns the name of the main source file in the line table of the PTX. */
function mainFileName(ptx) {
  const names = [...ptx.matchAll(/^\s*\.file\s+\d+\s+"([^"]+)"/gm)].map(([, name]) => baseName(name));
  return names.find((name) => name === SOURCE_NAME) ?? names.find((name) => /\.cu$/.test(name)) ?? SOURCE_NAME;
}

/** Returns the PTX with the launch annotations and the text of its source. */
const kernelOf = (ptx, source) => annotationLines(source).map((line) => `${line}\n`).join("") + withSourceFile(ptx, mainFileName(ptx), source);

/** Returns the reason why a compilation has no PTX. */
function failureReason({ isTimedOut, code, messages }) {
  if (isTimedOut) return "The compiler exceeded the time limit of Compiler Explorer. Shorten the source and compile again.";
  if (code === 0) return "The compiler returned no PTX. Remove options that select another output, and compile again.";
  const nErrors = messages.filter(({ severity }) => severity === "error").length;
  return nErrors > 0 ? `Compilation failed with ${pluralize(nErrors, "error")}. Correct the source and compile again.` : "Compilation failed. The compiler output states the reason.";
}

/** Renders the messages of the compiler. `selectLine` selects a line of the editor, and is null if the editor does not contain the source. */
function messageItems(messages, source, selectLine) {
  const lines = source.split("\n");
  return messages.map(({ line, severity, text }) => {
    const position = selectLine
      ? createElement("button", { type: "button", class: "line-link", onclick: () => selectLine(line) }, `line ${line}`)
      : createElement("span", { class: "muted" }, `line ${line}`);
    const code = lines[line - 1]?.trim().slice(0, 200);
    return createElement("li", { class: severity }, createElement("b", {}, severity === "info" ? "note" : severity), ": ", text, " ", position, code ? createElement("code", {}, code) : null);
  });
}

export function compileCard(initialContext) {
  let abort = null;
  let hasCompilers = false;
  const page = () => card.context().page;
  const button = (label, title, onclick) => createElement("button", { type: "button", class: "action-button", hidden: true, title, onclick }, label);

  const cancelButton = button("Cancel", "Cancel the compilation", () => abort?.abort());
  const editButton = button("Edit CUDA C++", "Replace the PTX in the editor by its CUDA C++ source", () => editSource());
  const optionsButton = button("Change options", "Show the compiler, the target and the options", () => { setCompact(false); form.submit.focus(); });
  const permissions = createElement("button", { type: "button", class: "text-button", onclick: showPermissions }, "Permissions");
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const list = createElement("ul", { class: "compiler-messages", "aria-label": "Compiler messages" });
  const output = createElement("details", { hidden: true }, createElement("summary", {}, "Compiler output"), createElement("pre"));
  const form = compileForm((settings) => void run(settings), [cancelButton, editButton, optionsButton, permissions]);

  /** Hides the fields of the form after a compilation, because the source file is shown below the card. */
  function setCompact(isCompact) {
    form.node.classList.toggle("compact", isCompact);
    optionsButton.hidden = !isCompact;
  }
  function setStatus(text, isError = false) {
    status.className = isError ? "status-text bad" : "status-text";
    status.replaceChildren(...renderInlineCode(text));
  }
  function setBusy(isBusy) {
    form.submit.disabled = isBusy;
    cancelButton.hidden = !isBusy;
  }
  function showMessages({ messages, output: text }, source, isInEditor) {
    list.replaceChildren(...messageItems(messages, source, isInEditor ? page().selectLine : null));
    output.hidden = text === "";
    output.open = text !== "" && messages.length === 0;
    output.lastChild.textContent = text;
    if (isInEditor) page().showDiagnostics(messages);
  }
  const clearMessages = () => showMessages({ messages: [], output: "" }, "", false);

  function showResult(result, source, { compiler, target }) {
    const { ptx } = result;
    const isInEditor = page().text() === source;
    if (ptx === null) { showMessages(result, source, isInEditor); setStatus(failureReason(result), true); return; }
    page().setText(kernelOf(ptx, source));
    showMessages(result, source, false);
    setStatus(`Compiled with \`${compiler}\` for \`${target}\`: ${formatCount(ptx.split("\n").length)} lines of PTX.`);
    editButton.hidden = false;
    setCompact(true);
  }

  async function fetchCompilers() {
    if (hasCompilers || !isPermitted(compilerExplorerHost())) return;
    hasCompilers = true;
    // The list is optional, because the user can type the ID of a compiler.
    try { form.setCompilers(await listCompilers()); } catch { hasCompilers = false; }
  }

  async function run(settings) {
    const text = page().text();
    const source = cudaSource(text);
    if (source === null) { setStatus("The editor contains no CUDA C++ with a `__global__` function. Paste a CUDA C++ source first.", true); return; }
    const request = `The page sends the source text (${pluralize(source.length, "character")}) and the options \`${compilerArguments(settings.target, settings.options)}\` to the compiler \`${settings.compiler}\`.`;
    if (!await permitCompilerExplorer(request, "Send and compile")) { setStatus("Not compiled, because the request was not permitted. Nothing was sent."); return; }
    void fetchCompilers();
    clearMessages();
    abort = new AbortController();
    setBusy(true);
    setStatus(`Compiling with \`${settings.compiler}\`…`);
    try {
      const result = await compile({ source, ...settings, signal: abort.signal });
      // A source that was edited in the meantime is not replaced.
      if (page().text() === text) showResult(result, source, settings);
      else setStatus("The source was edited during the compilation. Compile again.", true);
    } catch (error) {
      setStatus(`Not compiled. ${error.message} You can also compile with \`nvcc -ptx -lineinfo\` and paste the result.`, true);
    } finally {
      setBusy(false);
    }
  }

  /** Shows the CUDA C++ source of the compiled kernel in the editor. */
  function editSource() {
    const source = cudaSource(page().text());
    if (source === null) { setStatus("The kernel contains no CUDA C++ source.", true); return; }
    page().setText(source);
    editButton.hidden = true;
    setCompact(false);
    clearMessages();
    setStatus("");
  }

  const card = lazyCard({
    name: "compiler-explorer", title: "Compile CUDA C++", subtitle: `with Compiler Explorer at ${compilerExplorerHost()}`, view: "source", content: [form.node, status, list, output],
    update: () => {},
    focus() {
      const text = page().text();
      editButton.hidden = isCuda(text) || cudaSource(text) === null;
      setCompact(false);
      void fetchCompilers();
      form.submit.focus({ preventScroll: true });
    },
  }, initialContext);

  /** Selects the compiler, the target and the options of a Compiler Explorer link. */
  card.select = (settings) => {
    form.select(settings);
    clearMessages();
    setStatus(settings.compiler ? "" : `The link selects no nvcc compiler. Selected \`${form.settings().compiler}\` instead.`);
  };
  return card;
}
