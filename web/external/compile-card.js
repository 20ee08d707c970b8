// Card that compiles the CUDA C++ source in the editor with Compiler Explorer, and opens the resulting PTX together with its source file.
import { createElement, renderInlineCode } from "../dom.js";
import { formatCount, pluralize } from "../editor/util.js";
import { annotationLines, baseName, readSourceFile, withSourceFile } from "../editor/source-file.js";
import { lazyCard } from "../inspector/lazy-card.js";
import { requestConsent, showPermissions, isPermitted } from "./consent.js";
import { compile, compilerArguments, compilerExplorerHost, DEFAULT_COMPILER, listCompilers, privacyUrl, SOURCE_NAME } from "./compiler-explorer.js";

/** Storage key of the last compiler, target and options. */
const STORAGE_KEY = "warpgrid.compiler-explorer";
const TARGETS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_120", "sm_120a", "sm_121"];
const DEFAULT_TARGET = "sm_90";

/** Checks whether a text is CUDA C++ that the page can compile. */
const isCuda = (text) => /\b__global__\b/.test(text) && !/^\s*\.version\s/m.test(text);

/** Returns the CUDA C++ source of the editor: its text, or the source file of a compiled kernel. */
function cudaSource(text) {
  if (isCuda(text)) return text;
  const file = readSourceFile(text);
  return file !== null && isCuda(file.text) ? file.text : null;
}

/** Requests the consent for all requests to Compiler Explorer. `lines` describe the current request. */
export function permitCompilerExplorer(lines, action) {
  const host = compilerExplorerHost();
  return requestConsent({
    host, action, privacyUrl: privacyUrl(), title: `Send a request to ${host}?`,
    lines: [...lines, `With this permission, the page sends the complete source text and the compiler options to Compiler Explorer at \`${host}\` when you compile, requests the list of compilers, and opens Compiler Explorer links. Compiler Explorer stores compiled sources temporarily. Do not send confidential source code.`],
  });
}

function savedSettings() {
  try {
    const value = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}");
    const field = (name, fallback) => (typeof value?.[name] === "string" && value[name].length <= 1000 ? value[name] : fallback);
    return { compiler: field("compiler", DEFAULT_COMPILER), target: field("target", DEFAULT_TARGET), options: field("options", "") };
  } catch { return { compiler: DEFAULT_COMPILER, target: DEFAULT_TARGET, options: "" }; }
}
function saveSettings(settings) {
  try { localStorage.setItem(STORAGE_KEY, JSON.stringify(settings)); } catch { /* the settings apply until the page is closed */ }
}

/** Returns the name of the main source file in the line table of the PTX. */
function mainFileName(ptx) {
  const names = [...ptx.matchAll(/^\s*\.file\s+\d+\s+"([^"]+)"/gm)].map(([, name]) => baseName(name));
  return names.find((name) => name === SOURCE_NAME) ?? names.find((name) => /\.cu$/.test(name)) ?? SOURCE_NAME;
}

const field = (label, input) => createElement("label", {}, createElement("span", {}, label), input);

export function compileCard(initialContext) {
  const settings = savedSettings();
  let abort = null;
  let hasCompilers = false;

  const compilers = createElement("datalist", { id: "compiler-explorer-compilers" });
  const compiler = createElement("input", { type: "text", value: settings.compiler, spellcheck: false, autocomplete: "off", "aria-label": "Compiler" });
  compiler.setAttribute("list", compilers.id);
  const target = createElement("select", { class: "pill", "aria-label": "Compilation target" });
  const selectTarget = (name) => {
    const names = TARGETS.includes(name) ? TARGETS : [...TARGETS, name];
    target.replaceChildren(...names.map((value) => createElement("option", { value, selected: value === name }, value)));
  };
  selectTarget(settings.target);
  const options = createElement("input", { type: "text", value: settings.options, placeholder: "-O3 --use_fast_math", spellcheck: false, autocomplete: "off", "aria-label": "Compiler options" });
  const compileButton = createElement("button", { type: "submit", class: "action-button main" }, "Compile");
  const cancelButton = createElement("button", { type: "button", class: "action-button", hidden: true, onclick: () => abort?.abort() }, "Cancel");
  const editButton = createElement("button", { type: "button", class: "action-button", hidden: true, title: "Replace the PTX in the editor by its CUDA C++ source", onclick: () => editSource() }, "Edit CUDA C++");
  const permissions = createElement("button", { type: "button", class: "text-button", onclick: showPermissions }, "Permissions");
  const commandLine = createElement("p", { class: "muted command-line" });
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const list = createElement("ul", { class: "compiler-messages", "aria-label": "Compiler messages" });
  const output = createElement("details", { hidden: true }, createElement("summary", {}, "Compiler output"), createElement("pre"));
  const form = createElement("form", { class: "compile-form" },
    field("Compiler", compiler), field("Target", target), field("Options", options), compilers,
    createElement("div", { class: "fixes" }, compileButton, cancelButton, editButton, permissions));

  const page = () => card.context().page;
  const renderCommandLine = () => commandLine.replaceChildren(...renderInlineCode(`\`nvcc ${compilerArguments(target.value, options.value.trim())} ${SOURCE_NAME}\``));
  form.oninput = renderCommandLine;
  renderCommandLine();

  function setStatus(text, isError = false) {
    status.className = isError ? "status-text bad" : "status-text";
    status.replaceChildren(...renderInlineCode(text));
  }
  function clearMessages() {
    list.replaceChildren();
    output.hidden = true;
  }

  /** Renders the messages of the compiler. A message about the text in the editor links to its line. */
  function renderMessages({ messages, output: text }, source, isInEditor) {
    const lines = source.split("\n");
    list.replaceChildren(...messages.map((message) => {
      const position = isInEditor
        ? createElement("button", { type: "button", class: "line-link", onclick: () => page().selectLine(message.line) }, `line ${message.line}`)
        : createElement("span", { class: "muted" }, `line ${message.line}`);
      const code = lines[message.line - 1]?.trim();
      return createElement("li", { class: message.severity }, createElement("b", {}, message.severity === "info" ? "note" : message.severity), ": ", message.text, " ", position, code ? createElement("code", {}, code.slice(0, 200)) : null);
    }));
    output.hidden = text === "";
    output.open = messages.length === 0;
    output.lastChild.textContent = text;
    if (isInEditor) page().showDiagnostics(messages);
  }

  function showResult(result, source, isInEditor, request) {
    const nErrors = result.messages.filter(({ severity }) => severity === "error").length;
    if (result.ptx !== null) {
      const { ptx } = result;
      const annotations = annotationLines(source).map((line) => `${line}\n`).join("");
      page().setText(annotations + withSourceFile(ptx, mainFileName(ptx), source));
      renderMessages(result, source, false);
      setStatus(`Compiled with \`${request.compiler}\` for \`${request.target}\`: ${formatCount(ptx.split("\n").length)} lines of PTX.`);
      editButton.hidden = false;
      return;
    }
    renderMessages(result, source, isInEditor);
    if (result.isTimedOut) setStatus("The compiler exceeded the time limit of Compiler Explorer. Reduce the source and compile again.", true);
    else if (result.code === 0) setStatus("The compiler returned no PTX. Remove options that select another output, and compile again.", true);
    else setStatus(nErrors > 0 ? `Compilation failed with ${pluralize(nErrors, "error")}. Correct the source and compile again.` : "Compilation failed. The compiler output states the reason.", true);
  }

  async function fetchCompilers() {
    if (hasCompilers || !isPermitted(compilerExplorerHost())) return;
    hasCompilers = true;
    try {
      compilers.replaceChildren(...(await listCompilers()).map(({ id, name }) => createElement("option", { value: id }, name)));
    } catch {
      // The list is optional, because the user can type the ID of a compiler.
      hasCompilers = false;
    }
  }

  async function run() {
    const text = page().text();
    const source = cudaSource(text);
    if (source === null) { setStatus("The editor contains no CUDA C++ with a `__global__` function. Paste a CUDA C++ source first.", true); return; }
    const request = { compiler: compiler.value.trim(), target: target.value, options: options.value.trim() };
    saveSettings(request);
    if (!await permitCompilerExplorer([`The page sends the source text (${pluralize(source.length, "character")}) and the options \`${compilerArguments(request.target, request.options)}\` to the compiler \`${request.compiler}\`.`], "Send and compile")) {
      setStatus("Not compiled, because the request was not permitted. Nothing was sent.");
      return;
    }
    void fetchCompilers();
    clearMessages();
    abort = new AbortController();
    compileButton.disabled = true;
    cancelButton.hidden = false;
    setStatus(`Compiling with \`${request.compiler}\`…`);
    try {
      const result = await compile({ source, ...request, signal: abort.signal });
      // A source that was edited in the meantime is not replaced.
      if (page().text() !== text) { setStatus("The source was edited during the compilation. Compile again.", true); return; }
      showResult(result, source, text === source, request);
    } catch (error) {
      setStatus(`Not compiled. ${error.message} You can also compile with \`nvcc -ptx -lineinfo\` and paste the result.`, true);
    } finally {
      abort = null;
      compileButton.disabled = false;
      cancelButton.hidden = true;
    }
  }
  form.onsubmit = (event) => { event.preventDefault(); void run(); };

  /** Shows the CUDA C++ source of the compiled kernel in the editor. */
  function editSource() {
    const source = cudaSource(page().text());
    if (source === null) { setStatus("The kernel contains no CUDA C++ source.", true); return; }
    page().setText(source);
    editButton.hidden = true;
    clearMessages();
    setStatus("");
  }

  const card = lazyCard({
    name: "compiler-explorer", title: "Compile CUDA C++", subtitle: `with Compiler Explorer at ${compilerExplorerHost()}`, view: "source", content: [form, commandLine, status, list, output],
    update: () => {}, focus: () => { editButton.hidden = isCuda(page().text()); void fetchCompilers(); compileButton.focus({ preventScroll: true }); },
  }, initialContext);

  /** Selects the compiler, the target and the options of a Compiler Explorer link. */
  card.select = ({ compiler: id, target: name, options: text }) => {
    if (id) compiler.value = id;
    if (name) selectTarget(name);
    options.value = text;
    renderCommandLine();
    setStatus(id ? "" : `The link selects no nvcc compiler, so that \`${compiler.value}\` is used.`);
    clearMessages();
  };
  return card;
}
