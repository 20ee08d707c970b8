// Sharing of the current view: the panel that creates the link and the corresponding files. Input: the source and the link
// fields of the page (`web/src/share.rs`), which `web/editor/share-link.js` encodes.
import { createElement } from "../dom.js";
import { codeFence, publicUrl } from "./embed.js";
import { saveFile } from "./download.js";
import { RULES, writeFile, writeLink } from "./share-link.js";
import { annotationLines } from "./source-file.js";
import { chooseFiles, formatCount } from "./util.js";

/** Prefix of link fields that contain the view options of a memory. The remainder of the field name is the memory ID. */
const GRID_FIELD_PREFIX = "view.grids.";

/** Returns the scenario with its view. The fields of an opened link are retained as long as its source is unchanged. `watch` contains the
 *  watch expressions, and `breakpoints` contains the lines with breakpoints. */
export function buildSharedState({ source, linkFields, openedState, watch = [], breakpoints = [] }) {
  const { view: _view, widget: _widget, ...retained } = openedState ?? {};
  const shared = { ...retained, source: openedState?.source ?? source, view: {} };
  for (const name of ["target", "ptx_version", "entry", "seed", "guessed", "beside"]) delete shared[name];
  for (const [name, text] of linkFields) {
    if (name.startsWith(GRID_FIELD_PREFIX)) { (shared.view.grids ??= {})[name.slice(GRID_FIELD_PREFIX.length)] = text; continue; }
    if (!Object.hasOwn(RULES.fields, name)) continue;
    const [field, subfield] = name.split(".");
    const value = RULES.fields[name] === "number" ? Number(text) : text;
    if (subfield) (shared[field] ??= {})[subfield] = value;
    else shared[field] = value;
  }
  for (const [name, values] of Object.entries({ watch, breaks: breakpoints })) if (values.length > 0) shared.view[name] = values.slice(0, RULES.max_words);
  return shared;
}

/** Returns the inferred annotations, followed by the annotations in a source. */
const launchAnnotations = (source, inferred) => [...(inferred ? inferred.split("\n") : []), ...annotationLines(source)];

/** Formats in which the link can be copied. Each function returns the text that is copied. */
const COPY_FORMATS = {
  Link: ({ link }) => link,
  Markdown: ({ link, title }) => `[${title.replace(/[[\]\\]/g, "\\$&")}](${link})\n`,
  Issue: ({ link, title, shared, pageState }) => {
    const { said: stepSummary, warpgrid } = pageState;
    const fence = codeFence(shared.source);
    const openLine = link ? `Open in Warpgrid: [${title.replace(/[[\]\\]/g, "\\$&")}](${link})` : "To reproduce the problem, open the attached file in Warpgrid.";
    const comparedSource = shared.beside ? `\nCompared with:\n\n${fence}\n${shared.beside.source.trimEnd()}\n${fence}\n` : "";
    const actual = stepSummary ? `Actual${shared.view.step === undefined ? "" : ` (step ${shared.view.step})`}: ${stepSummary}\n\n` : "";
    return `### ${title}\n\n${actual}Expected: \n\n${openLine}\n\n${fence}${shared.front ?? "ptx"}\n${shared.source.trimEnd()}\n${fence}\n${comparedSource}${warpgrid ? `\nWarpgrid ${warpgrid}\n` : ""}`;
  },
  "case.json": ({ shared, pageState }) => {
    const { view: _view, guessed: _guessed, ...scenario } = shared;
    if (pageState.guessed) scenario.source = `${pageState.guessed}\n${scenario.source}`;
    if (pageState["fault.kind"] && !scenario.fault) {
      scenario.fault = { kind: pageState["fault.kind"] };
      if (pageState["fault.buffer"]) scenario.fault.buffer = pageState["fault.buffer"];
      if (pageState["fault.byte_offset"]) scenario.fault.byte_offset = Number(pageState["fault.byte_offset"]);
    }
    return `${JSON.stringify({ name: pageState.title, ...scenario }, null, 2)}\n`;
  },
  "//@ lines": ({ shared, pageState }) => `${launchAnnotations(shared.source, pageState.guessed).join("\n")}\n`,
};
const FORMAT_TOOLTIPS = {
  Link: "URL", Markdown: "Markdown link", Issue: "text for an issue, with the step summary, the link and the source",
  "case.json": "test case that `warpgrid run case.json` runs", "//@ lines": "launch annotations",
};

/** Returns the title of a source, otherwise the name of its kernel. */
const titleOf = (source, kernel) => /^\s*\/\/@\s*title\s+(.+?)\s*$/m.exec(source)?.[1] ?? kernel ?? "Kernel";
const fileName = (title) => `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 48) || "kernel"}.warpgrid.json`;

/** Views whose URL contains their complete state, with the titles of these views. */
const VIEWS = { "#layouts": "Layout diagram", "#matrix": "Layout diagram", "#lens": "Layout diagram", "#product": "Tensor Core arithmetic" };

/** Maximum length of a URL fragment that is offered as a short link. */
const MAX_REFERENCE_CHARS = 100;

/** Returns the URL fragment that refers to the unmodified source: its example, its puzzle, or its file on an external host. */
function referenceFragment({ reference }, { example }) {
  const fragment = example ? `#example=${example}` : reference;
  return fragment && fragment.length <= MAX_REFERENCE_CHARS ? fragment : null;
}

/** Checks whether a source without further state opens at the current view. */
function isDefaultView({ source: _source, front: _front, guessed: _guessed, view, ...launch }, { default_step: defaultStep }) {
  const { step, ...options } = view;
  return Object.keys(launch).length === 0 && Object.keys(options).length === 0 && `${step}` === defaultStep;
}

/** Renders the choice between the link to the unmodified source and the link to the current view. `links` are pairs of a label and a link. */
function linkChoice(links, onSelect) {
  const buttons = links.map(([label, link]) => createElement("button", { type: "button", className: "action-button", onclick: () => select(link) }, label));
  const select = (selectedLink) => {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(links[index][1] === selectedLink)));
    return onSelect(selectedLink);
  };
  return { node: links.length < 2 ? null : createElement("div", { className: "choices" }, createElement("span", {}, "Link to:"), ...buttons), select };
}

/** Renders the sharing panel, and immediately copies the link. `openFiles` and `openLink` open files and links. */
export async function showShare(container, state, { openFiles, openLink }) {
  const shared = buildSharedState(state);
  const pageState = Object.fromEntries(state.linkFields);
  const view = VIEWS[location.hash.split("?")[0]];
  const kernel = titleOf(shared.source, pageState.kernel);
  pageState.title = kernel;
  const viewTitle = view ?? (shared.view.step === undefined ? kernel : `${kernel}, step ${shared.view.step}`);
  let title = viewTitle;
  const status = createElement("p", { className: "muted" });
  status.setAttribute("role", "status");
  const linkArea = createElement("textarea", { readOnly: true, rows: 3, spellcheck: false, onfocus: () => linkArea.select() });
  linkArea.setAttribute("aria-label", "Link");
  let link = "";
  const copy = (text, description) => navigator.clipboard.writeText(text).then(
    () => { status.textContent = `Copied ${description}.`; },
    () => { linkArea.value = text; linkArea.focus(); status.textContent = "Press Ctrl+C to copy."; });
  const formatButton = (name) => {
    const button = createElement("button", { type: "button", className: "action-button", title: FORMAT_TOOLTIPS[name], onclick: () => {
      const text = COPY_FORMATS[name]({ link, title, shared, pageState });
      linkArea.value = text;
      void copy(text, name === "Link" ? `link (${formatCount(text.length)} characters)` : name);
    } }, name);
    return button;
  };
  const formatButtons = Object.keys(COPY_FORMATS).slice(0, view ? 2 : undefined).map(formatButton);
  const openChosenFiles = (files) => { container.parentElement.open = false; void openFiles(files); };
  const files = createElement("div", { className: "choices" }, createElement("span", {}, "File:"),
    createElement("button", { type: "button", className: "action-button", title: "Save the kernel and the view settings to a file", onclick: () => saveFile(fileName(kernel), writeFile(shared)) }, "Save file"),
    createElement("button", { type: "button", className: "action-button", title: "Open a saved file, a PTX or SASS file, C++ or Python source code with inline assembly, a cubin or an executable. You can also drop the file on the page.", onclick: () => chooseFiles({}, openChosenFiles) }, "Open file"),
    createElement("button", { type: "button", className: "action-button", title: "Open a file on GitHub, a gist, or a Compiler Explorer link", onclick: () => { container.parentElement.open = false; openLink(); } }, "Open link"));
  const description = createElement("p", { className: "muted" });
  container.replaceChildren(status, linkArea, createElement("div", { className: "choices" }, createElement("span", {}, "Copy as:"), ...formatButtons), files, description);
  let newLink;
  try {
    newLink = view ? location.href : publicUrl() + await writeLink(shared);
  } catch (error) {
    newLink = null;
    status.textContent = `This browser cannot compress links (${error.message}). Save a file instead.`;
  }
  if (newLink?.length > RULES.max_link_chars) {
    status.textContent = `The link would have ${formatCount(newLink.length)} characters, but links of more than ${formatCount(RULES.max_link_chars)} characters are often truncated. Save a file instead.`;
    newLink = null;
  }
  const fragment = view ? null : referenceFragment(state, pageState);
  const links = [["Unmodified source", fragment && publicUrl() + fragment], ["Current view", newLink]].filter(([, each]) => each);
  if (links.length === 0) {
    linkArea.hidden = formatButtons[0].hidden = formatButtons[1].hidden = true;
    return;
  }
  const choice = linkChoice(links, (selectedLink) => {
    linkArea.value = link = selectedLink;
    const isReference = selectedLink !== newLink;
    title = isReference ? kernel : viewTitle;
    description.textContent = isReference ? REFERENCE_DESCRIPTION : view ? "The URL of the page is already the link to this view." : STATE_DESCRIPTION;
    return copy(link, `link (${formatCount(link.length)} characters)`);
  });
  if (choice.node) linkArea.before(choice.node);
  await choice.select(newLink === null || (fragment && isDefaultView(shared, pageState)) ? links[0][1] : newLink);
}

const STATE_DESCRIPTION = "The link contains the source, the step, the pins, the watch expressions, the breakpoints and the view settings. The page uploads no data.";
const REFERENCE_DESCRIPTION = "The link refers to the unmodified source and contains no further state. The page uploads no data.";
