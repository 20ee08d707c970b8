// The documents of the project as pages: Markdown goes in, with links between its files; links between pages come out.
import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import anchor from "markdown-it-anchor";
import MarkdownIt from "markdown-it";

/** Each document, its page, and its sentence. */
const DOCUMENTS = [
  ["README.md", "docs/guide.html", "Guide", "How to run, embed and test PTX and SASS with Warpgrid, and how the emulator is validated."],
  ["docs/scenarios.md", "docs/scenarios.html", "Launch configuration", "Launch annotations, inferred launch configurations, and links."],
  ["docs/layouts.md", "docs/layouts.html", "Layouts", "Matrix fragments, descriptors, CuTe and Triton layouts, and bank conflicts."],
  ["docs/outcomes.md", "docs/outcomes.html", "Litmus tests", "All outcomes that the PTX memory model allows for a litmus test, and the weakest fixes."],
  ["docs/command-line.md", "docs/command-line.html", "Command line", "All commands of warpgrid and their options."],
  ["crates/wasm/README.md", "docs/package.html", "npm package and widget", "Check and run PTX from JavaScript, and embed an interactive widget in documents."],
  ["docs/ci-example/README.md", "docs/ci.html", "PTX tests in CI", "Example project that tests its kernels in CI without a GPU."],
  ["docs/checked.md", "docs/checked.html", "Validation and performance", "How results are validated against hardware and ptxas, and how fast the emulator is."],
  ["docs/limits.md", "docs/limits.html", "Limitations", "Unsupported features and implementation-defined behaviour."],
  ["ARCHITECTURE.md", "docs/architecture.html", "Architecture", "Code map and invariants."],
  ["CONTRIBUTING.md", "docs/contributing.html", "Contributing", "How to build, test and change Warpgrid."],
  ["CHANGELOG.md", "docs/changelog.html", "Changelog", "User-visible changes of the playground, widget, npm package and command-line tool."],
  ["SECURITY.md", "docs/security.html", "Security", "Security model and how to report a vulnerability."],
];
const PAGES = new Map(DOCUMENTS.map(([file, path]) => [file, path]));

/** Where a link of `file` leads from the page at `path`; `null` for a file that only the repository has, where none is known. */
function target(href, file, path, repository) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [name, hash] = href.split("#");
  const meant = posix.normalize(posix.join(posix.dirname(file), name));
  const page = PAGES.get(meant);
  if (page) return `${posix.relative(posix.dirname(path), page)}${hash ? `#${hash}` : ""}`;
  if (meant === "docs/playground.png") return posix.relative(posix.dirname(path), meant);
  return repository ? `${repository}/blob/HEAD/${meant}` : null;
}

/** The anchor that code hosts give a heading. */
const slugify = (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");

/** An element that a document shows as HTML, in the source of a block. */
const ELEMENT = /<warpgrid-playground([^>]*)>\n(?:\s*<pre>\n)?([^]*?)\n\s*(?:<\/pre>\n)?<\/warpgrid-playground>/;

/** Below a block that shows how an element is written, the element itself. */
function showLive(markdown, recorder) {
  const plain = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const html = plain(tokens, index, ...rest);
    const [, words, text] = (tokens[index].info.trim() === "html" && ELEMENT.exec(tokens[index].content)) || [];
    if (!text) return html;
    const attributes = Object.fromEntries([...words.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    return `${html}${recorder.embeddingNow(text, { ...attributes, playground: "../index.html" }).html}\n`;
  };
}

export async function documentPages({ root, repository, markdownPlugin, recorder }) {
  const pages = [];
  for (const [file, path, title, about] of DOCUMENTS) {
    const text = await readFile(join(root, file), "utf8");
    const markdown = new MarkdownIt({ html: true }).use(anchor, { slugify, tabIndex: false }).use(markdownPlugin);
    markdown.core.ruler.push("links", ({ tokens }) => {
      for (const { children } of tokens) {
        let leads = true;
        for (const token of children ?? []) {
          const name = { link_open: "href", image: "src" }[token.type];
          const to = name && target(token.attrGet(name), file, path, repository);
          if (token.type === "link_open") leads = to !== null;
          if (to) token.attrSet(name, to);
          // A link that leads nowhere from here is its text.
          if (!leads && token.type.startsWith("link_")) Object.assign(token, { type: "html_inline", content: "" });
        }
      }
    });
    showLive(markdown, recorder);
    const body = markdown.render(text, { path: file });
    if (!body.includes("<h1")) throw new Error(`${file}: a document begins with its title`);
    // Tables and code may be wider than a phone.
    const scrolled = body.replaceAll("<table>", `<div class="wide" tabindex="0"><table>`).replaceAll("</table>", "</table></div>").replaceAll(/<th( [^>]*)?><\/th>/g, "<td></td>");
    pages.push({ path, title, about, body: scrolled, hasWidgets: body.includes("<warpgrid-playground") });
  }
  return pages;
}
