// Embedding of the playground in a document: creates the embedding code from the current source and view. `web/widget/link.js` implements
// the opposite direction, from a widget to the playground.
import { base64 } from "../widget/link.js";
import { stated } from "../widget/annotate.js";

const VIEWS = {
  split: "source and memory", editor: "source only", grid: "memory only", matrix: "matrix fragments", result: "final memory", quiz: "quiz",
};

/** Width of the source in percent that is nearest to a view. Undefined where the last choice of the user applies. */
const SHARES = { editor: "70", grid: "20", matrix: "20", result: "20", quiz: "20" };
export const shareOf = (view) => (Object.hasOwn(SHARES, view ?? "") ? SHARES[view] : undefined);

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** Escapes text for HTML elements and quoted attributes. */
const escape = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

const written = (attributes, write, between) => Object.entries(attributes).map(([name, value]) => write(name, value)).join(between);

/** Returns a code fence that is longer than any in the text. */
export const fence = (text) => "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));

function fenced(language, { text, attributes }) {
  const ticks = fence(text);
  return `${ticks}${language} ${written(attributes, (name, value) => `${name}=${value}`, " ")}\n${text}\n${ticks}\n`;
}

/** The embedding code of a source by document format. Markdown passes the HTML through, too, because it treats a `<pre>` after an empty
 *  line as one block. `site` is the URL of the widget files, with a trailing slash. */
export const FORMS = {
  HTML: ({ text, attributes, site }) => `<link rel="stylesheet" href="${escape(site)}warpgrid-snapshot.css">
<script type="module" src="${escape(site)}warpgrid-widget.js"></script>
<div>
<warpgrid-playground${written(attributes, (name, value) => ` ${name}="${escape(value)}"`, "")}>

<pre>
${escape(text)}
</pre>
</warpgrid-playground>
</div>
`,
  "iframe (no scripts)": ({ text, attributes, site }) => {
    const facts = new URLSearchParams({ text: base64(new TextEncoder().encode(text)), ...attributes });
    return `<iframe title="PTX playground" width="100%" height="480" src="${escape(`${site}embed.html#${facts}`)}"></iframe>\n`;
  },
  mdBook: (shown) => fenced("ptx,playground", shown),
  MkDocs: (shown) => fenced("ptx,playground", shown),
  Sphinx: ({ text, attributes }) =>
    `.. ptx-playground::\n${written(attributes, (name, value) => `   :${name}: ${value}`, "\n")}\n\n${text.replace(/^(?=.)/gm, "   ")}\n`,
  "Docusaurus, MDX": (shown) => fenced("ptx playground", shown),
  "VitePress, markdown-it": (shown) => fenced("ptx playground", shown),
};

/** The embedding code of a layout diagram by document format. `query` contains its parameters, as in the URL of the page. */
const words = (query) => query.split("&").map(decodeURIComponent).join("\n");
const picture = (language) => ({ query }) => `\`\`\`${language}\n${words(query)}\n\`\`\`\n`;
export const PICTURES = {
  HTML: ({ query, site }) => `<link rel="stylesheet" href="${escape(site)}warpgrid-snapshot.css">
<script type="module" src="${escape(site)}warpgrid-widget.js"></script>
<warpgrid-layout query="${escape(query)}"></warpgrid-layout>
`,
  "iframe (no scripts)": ({ query, page }) => `<iframe title="Layout diagram" width="100%" height="640" src="${escape(`${page}#layouts?${query}&embed`)}"></iframe>\n`,
  mdBook: picture("warpgrid-layout"),
  MkDocs: picture("warpgrid-layout"),
  Sphinx: ({ query }) => `.. warpgrid-layout::\n\n${words(query).replace(/^/gm, "   ")}\n`,
  "Docusaurus, MDX": picture("warpgrid-layout"),
  "VitePress, markdown-it": picture("warpgrid-layout"),
};

/** Returns the parameters of the shown diagram, or `null` if the page shows a kernel. */
const queryOf = (hash) => /^#(?:lens|layouts|matrix)\?(.*)$/.exec(hash)?.[1].replace(/&embed$/, "") ?? null;

/** Returns the source and the attributes with which a widget shows the same view. */
export function shown({ source, entry, seed, view, position, target, version, front }) {
  const attributes = { view, step: position, target, version, front };
  const there = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  return { text: stated({ source, entry, seed }).trim(), attributes: Object.fromEntries(there.map(([name, value]) => [name, `${value}`])) };
}

/** Returns the public URL of the playground: its own URL, or that of the project if it is served locally. */
export function home() {
  const here = document.baseURI.split("#")[0];
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return (isLocal && document.querySelector('link[rel="canonical"]')?.href) || here;
}

export const make = (name, facts, ...inside) => {
  const element = Object.assign(document.createElement(name), facts);
  element.append(...inside);
  return element;
};
const choice = (label, entries, value, onChange) => {
  const options = entries.map(([name, text]) => make("option", { value: name, selected: name === value }, text));
  const list = make("select", { className: "pill", onchange: () => onChange(list.value) }, ...options);
  list.setAttribute("aria-label", label);
  return list;
};

let form = "HTML";
/** The last selected view, or initially that of the link. */
let view = null;

/** Renders the panel with the embedding code of the current source. */
export function showEmbed(place, facts, linkedView) {
  view ??= Object.hasOwn(VIEWS, linkedView ?? "") ? linkedView : "split";
  const query = queryOf(location.hash);
  const area = make("textarea", { readOnly: true, rows: 12, spellcheck: false, onfocus: () => area.select() });
  area.setAttribute("aria-label", "Embed code");
  const copied = make("span", { className: "quiet" });
  copied.setAttribute("role", "status");
  const copy = make("button", { type: "button", className: "fix", onclick: () => navigator.clipboard.writeText(area.value).then(
    () => { copied.textContent = "Copied."; }, () => { area.select(); copied.textContent = "Press Ctrl+C to copy."; }) }, "Copy");
  const draw = () => {
    const site = new URL("widget/", home()).href;
    area.value = query === null ? FORMS[form]({ ...shown({ ...facts, view }), site }) : PICTURES[form]({ query, site, page: home() });
    copied.textContent = "";
  };
  const forms = choice("Format", Object.keys(FORMS).map((name) => [name, name]), form, (name) => { form = name; draw(); });
  const views = choice("View", Object.entries(VIEWS), view, (name) => { view = name; draw(); });
  draw();
  place.replaceChildren(
    make("p", {}, query === null ? "Paste this code into your document to embed the kernel at the current step:" : "Paste this code into your document to embed the layout diagram:"),
    make("div", { className: "choices" }, forms, ...(query === null ? [views] : [])), area,
    make("div", { className: "choices" }, copy, copied),
    make("p", { className: "quiet" }, "Other hosts must serve the widget files themselves, from the folder ", make("code", {}, "widget"),
      ", or from the npm package, which also contains the plugins for mdBook, Sphinx and Docusaurus."),
  );
}
