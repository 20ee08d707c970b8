// Embedding of the playground in a document: creates the embedding code for the current source and view. `web/widget/link.js` implements
// the opposite direction, from a widget to the playground.
import { createElement } from "../dom.js";
import { base64 } from "../widget/link.js";
import { withAnnotations } from "../widget/annotate.js";

const VIEWS = {
  split: "source and memory", editor: "source only", grid: "memory only", matrix: "matrix fragments", result: "final memory", quiz: "quiz",
};

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Escapes text for HTML elements and quoted attributes. */
const escape = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

const formatAttributes = (attributes, format, separator) => Object.entries(attributes).map(([name, value]) => format(name, value)).join(separator);

/** Returns a code fence that is longer than any fence in the text. */
export const codeFence = (text) => "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));

function fencedBlock(language, { text, attributes }) {
  const ticks = codeFence(text);
  return `${ticks}${language} ${formatAttributes(attributes, (name, value) => `${name}=${value}`, " ")}\n${text}\n${ticks}\n`;
}

/** Embedding code of a source for each document format. Markdown also passes the HTML through, because it treats a `<pre>` after an empty
 *  line as one block. `site` is the URL of the widget files with a trailing slash. */
export const EMBED_FORMATS = {
  HTML: ({ text, attributes, site }) => `<link rel="stylesheet" href="${escape(site)}warpgrid-snapshot.css">
<script type="module" src="${escape(site)}warpgrid-widget.js"></script>
<div>
<warpgrid-playground${formatAttributes(attributes, (name, value) => ` ${name}="${escape(value)}"`, "")}>

<pre>
${escape(text)}
</pre>
</warpgrid-playground>
</div>
`,
  "iframe (no scripts)": ({ text, attributes, site }) => {
    const parameters = new URLSearchParams({ text: base64(new TextEncoder().encode(text)), ...attributes });
    return `<iframe title="PTX playground" width="100%" height="480" src="${escape(`${site}embed.html#${parameters}`)}"></iframe>\n`;
  },
  mdBook: (embedded) => fencedBlock("ptx,playground", embedded),
  MkDocs: (embedded) => fencedBlock("ptx,playground", embedded),
  Sphinx: ({ text, attributes }) =>
    `.. ptx-playground::\n${formatAttributes(attributes, (name, value) => `   :${name}: ${value}`, "\n")}\n\n${text.replace(/^(?=.)/gm, "   ")}\n`,
  "Docusaurus, MDX": (embedded) => fencedBlock("ptx playground", embedded),
  "VitePress, markdown-it": (embedded) => fencedBlock("ptx playground", embedded),
};

/** Converts the parameters of a layout diagram in a URL to the lines of its embedding code. */
const queryLines = (query) => query.split("&").map(decodeURIComponent).join("\n");
const diagramBlock = (language) => ({ query }) => `\`\`\`${language}\n${queryLines(query)}\n\`\`\`\n`;
export const DIAGRAM_FORMATS = {
  HTML: ({ query, site }) => `<link rel="stylesheet" href="${escape(site)}warpgrid-snapshot.css">
<script type="module" src="${escape(site)}warpgrid-widget.js"></script>
<warpgrid-layout query="${escape(query)}"></warpgrid-layout>
`,
  "iframe (no scripts)": ({ query, page }) => `<iframe title="Layout diagram" width="100%" height="640" src="${escape(`${page}#layouts?${query}&embed`)}"></iframe>\n`,
  mdBook: diagramBlock("warpgrid-layout"),
  MkDocs: diagramBlock("warpgrid-layout"),
  Sphinx: ({ query }) => `.. warpgrid-layout::\n\n${queryLines(query).replace(/^/gm, "   ")}\n`,
  "Docusaurus, MDX": diagramBlock("warpgrid-layout"),
  "VitePress, markdown-it": diagramBlock("warpgrid-layout"),
};

/** Returns the parameters of the layout diagram that the page shows, or `null` if the page shows a kernel. */
const diagramQuery = (hash) => /^#(?:lens|layouts|matrix)\?(.*)$/.exec(hash)?.[1].replace(/&embed$/, "") ?? null;

/** Returns the source and the attributes with which a widget shows the same view. */
export function embedAttributes({ source, entry, seed, view, position, target, version, front }) {
  const attributes = { view, step: position, target, version, front };
  const definedAttributes = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  return { text: withAnnotations({ source, entry, seed }).trim(), attributes: Object.fromEntries(definedAttributes.map(([name, value]) => [name, `${value}`])) };
}

/** Returns the public URL of the playground. If the playground is served locally, the function returns the URL of the project. */
export function publicUrl() {
  const pageUrl = document.baseURI.split("#")[0];
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return (isLocal && document.querySelector('link[rel="canonical"]')?.href) || pageUrl;
}

const selectBox = (label, entries, value, onChange) => {
  const options = entries.map(([name, text]) => createElement("option", { value: name, selected: name === value }, text));
  const list = createElement("select", { className: "pill", onchange: () => onChange(list.value) }, ...options);
  list.setAttribute("aria-label", label);
  return list;
};

let selectedFormat = "HTML";
/** View that was selected last, initially the view of the link. */
let selectedView = null;

/** Renders the panel with the embedding code of the current source. */
export function showEmbed(container, embedState, linkedView) {
  selectedView ??= Object.hasOwn(VIEWS, linkedView ?? "") ? linkedView : "split";
  const query = diagramQuery(location.hash);
  const codeArea = createElement("textarea", { readOnly: true, rows: 12, spellcheck: false, onfocus: () => codeArea.select() });
  codeArea.setAttribute("aria-label", "Embed code");
  const copyStatus = createElement("span", { className: "muted" });
  copyStatus.setAttribute("role", "status");
  const copyButton = createElement("button", { type: "button", className: "action-button", onclick: () => navigator.clipboard.writeText(codeArea.value).then(
    () => { copyStatus.textContent = "Copied."; }, () => { codeArea.select(); copyStatus.textContent = "Press Ctrl+C to copy."; }) }, "Copy");
  const renderCode = () => {
    const site = new URL("widget/", publicUrl()).href;
    codeArea.value = query === null ? EMBED_FORMATS[selectedFormat]({ ...embedAttributes({ ...embedState, view: selectedView }), site }) : DIAGRAM_FORMATS[selectedFormat]({ query, site, page: publicUrl() });
    copyStatus.textContent = "";
  };
  const formatSelect = selectBox("Format", Object.keys(EMBED_FORMATS).map((name) => [name, name]), selectedFormat, (name) => { selectedFormat = name; renderCode(); });
  const viewSelect = selectBox("View", Object.entries(VIEWS), selectedView, (name) => { selectedView = name; renderCode(); });
  renderCode();
  container.replaceChildren(
    createElement("p", {}, query === null ? "Paste this code into your document to embed the kernel at the current step:" : "Paste this code into your document to embed the layout diagram:"),
    createElement("div", { className: "choices" }, formatSelect, ...(query === null ? [viewSelect] : [])), codeArea,
    createElement("div", { className: "choices" }, copyButton, copyStatus),
    createElement("p", { className: "muted" }, "Other hosts must serve the widget files themselves, from the folder ", createElement("code", {}, "widget"),
      ", or from the npm package, which also contains the plugins for mdBook, Sphinx and Docusaurus."),
  );
}
