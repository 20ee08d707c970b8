// Form of the compile card: compiler, target and options, and the resulting command line. The browser stores the last settings.
import { createElement, renderInlineCode } from "../dom.js";
import { compilerArguments, DEFAULT_COMPILER, SOURCE_NAME } from "./compiler-explorer.js";

/** Storage key of the last compiler, target and options. */
const STORAGE_KEY = "warpgrid.compiler-explorer";
const MAX_SETTING_LENGTH = 1000;
const TARGETS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103", "sm_120", "sm_120a", "sm_121"];
const DEFAULT_SETTINGS = { compiler: DEFAULT_COMPILER, target: "sm_90", options: "" };

function savedSettings() {
  try {
    const saved = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "{}");
    const isValid = (value) => typeof value === "string" && value.length <= MAX_SETTING_LENGTH;
    return Object.fromEntries(Object.entries(DEFAULT_SETTINGS).map(([name, value]) => [name, isValid(saved?.[name]) ? saved[name] : value]));
  } catch { return DEFAULT_SETTINGS; }
}
function saveSettings(settings) {
  try { localStorage.setItem(STORAGE_KEY, JSON.stringify(settings)); } catch { /* the settings apply until the page is closed */ }
}

const labeled = (label, input) => createElement("label", {}, createElement("span", {}, label), input);
const textInput = (label, properties) => createElement("input", { type: "text", spellcheck: false, autocomplete: "off", "aria-label": label, ...properties });

/** Creates the form. `onSubmit` is called to compile, and `buttons` follow the submit button. */
export function compileForm(onSubmit, buttons) {
  const compilers = createElement("datalist", { id: "compiler-explorer-compilers" });
  const compiler = textInput("Compiler");
  compiler.setAttribute("list", compilers.id);
  const target = createElement("select", { class: "pill", "aria-label": "Compilation target" });
  const options = textInput("Compiler options", { placeholder: "-O3 --use_fast_math" });
  const submit = createElement("button", { type: "submit", class: "action-button main" }, "Compile");
  const commandLine = createElement("p", { class: "muted command-line" });
  const node = createElement("form", { class: "compile-form" },
    labeled("Compiler", compiler), labeled("Target", target), labeled("Options", options), compilers, commandLine, createElement("div", { class: "fixes" }, submit, ...buttons));

  const settings = () => ({ compiler: compiler.value.trim(), target: target.value, options: options.value.trim() });
  const update = () => commandLine.replaceChildren(...renderInlineCode(`\`nvcc ${compilerArguments(settings().target, settings().options)} ${SOURCE_NAME}\``));
  node.oninput = update;
  node.onsubmit = (event) => { event.preventDefault(); saveSettings(settings()); onSubmit(settings()); };

  const form = {
    node, submit, settings,
    /** Shows settings. Settings that are null remain unchanged. */
    select({ compiler: id, target: name, options: text }) {
      compiler.value = id ?? compiler.value;
      options.value = text ?? options.value;
      const selected = name ?? target.value;
      const names = TARGETS.includes(selected) ? TARGETS : [...TARGETS, selected];
      target.replaceChildren(...names.map((value) => createElement("option", { value, selected: value === selected }, value)));
      update();
    },
    setCompilers: (list) => compilers.replaceChildren(...list.map(({ id, name }) => createElement("option", { value: id }, name))),
  };
  form.select(savedSettings());
  return form;
}
