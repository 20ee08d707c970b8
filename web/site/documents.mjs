// Converts the Markdown documents of the project to pages, and links between the documents to links between the pages.
import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import anchor from "markdown-it-anchor";
import MarkdownIt from "markdown-it";

/** Sections of the manual. Each document has a file, a page, a title and a description. */
const SECTIONS = [
  ["Getting started", [
    ["docs/getting-started.md", "docs/getting-started.html", "Getting started", "Paste a kernel, step through the run, specify the launch configuration and share the result, in five minutes."],
    ["README.md", "docs/guide.html", "Overview", "How to run, embed and test PTX and SASS with Warpgrid, and how the emulator is validated."],
  ]],
  ["Guides", [
    ["docs/guides/check-in-ci.md", "docs/guides/check-in-ci.html", "Check PTX in CI", "Fail a CI build on invalid PTX, wrong memory contents, data races and bank conflicts."],
    ["docs/guides/find-a-data-race.md", "docs/guides/find-a-data-race.html", "Find a data race", "Detect a data race, apply the weakest fix, and enumerate the outcomes."],
    ["docs/guides/understand-a-hang.md", "docs/guides/understand-a-hang.html", "Understand a hang", "Find the waiting threads and the root cause of a kernel that never terminates, and fix the kernel."],
    ["docs/guides/fix-bank-conflicts.md", "docs/guides/fix-bank-conflicts.html", "Fix bank conflicts", "Measure bank conflicts, and rewrite a kernel so that it has no bank conflicts."],
    ["docs/guides/read-a-descriptor.md", "docs/guides/read-a-descriptor.html", "Read a descriptor", "Decode, build and debug matrix descriptors of wgmma and tcgen05."],
    ["docs/guides/compare-ptx-and-sass.md", "docs/guides/compare-ptx-and-sass.html", "Compare PTX and SASS", "Run a kernel and its SASS with one launch configuration, and compare memory contents."],
    ["docs/guides/find-ptxas-miscompiles.md", "docs/guides/find-ptxas-miscompiles.html", "Find ptxas miscompiles", "Find errors of ptxas with random kernels, and reduce a PTX test case, without a GPU."],
    ["docs/guides/embed-a-figure.md", "docs/guides/embed-a-figure.html", "Embed a figure", "Embed interactive kernels and layout diagrams in documentation."],
    ["docs/guides/teach-a-lesson.md", "docs/guides/teach-a-lesson.html", "Teach a lesson", "Write exercises, tours and puzzles, which Warpgrid verifies by running the kernel."],
    ["docs/ci-example/README.md", "docs/ci.html", "PTX tests in CI", "An example project that tests its kernels in CI without a GPU."],
  ]],
  ["Concepts", [
    ["docs/concepts.md", "docs/concepts.html", "Concepts", "Explanations of scenarios, launch inference, the scheduler, the memory model and the scope of the emulator."],
    ["docs/glossary.md", "docs/glossary.html", "Glossary", "The terms of the playground, the command-line tool and the diagnostics."],
  ]],
  ["Reference", [
    ["docs/command-line.md", "docs/command-line.html", "Command line", "All commands of warpgrid and their options."],
    ["docs/editors.md", "docs/editors.html", "Editors", "The language server, the extension for VS Code, and the configuration of Neovim, Helix, Zed, Emacs, Kate and Sublime Text."],
    ["docs/python.md", "docs/python.html", "Python", "Check, run and analyze PTX with NumPy arrays and PyTorch tensors, without a GPU."],
    ["docs/scenarios.md", "docs/scenarios.html", "Annotations", "Launch annotations, inferred launch configurations, and links."],
    ["docs/schedules.md", "docs/schedules.html", "Schedules", "Prove that every schedule of a launch ends without an error and with the same memory, or find a schedule with an error."],
    ["docs/layouts.md", "docs/layouts.html", "Layouts", "Matrix fragments, descriptors, CuTe and Triton layouts, and bank conflicts."],
    ["docs/outcomes.md", "docs/outcomes.html", "Litmus tests", "How to enumerate all outcomes that the PTX memory model allows for a litmus test, and how to find the weakest fixes."],
    ["crates/wasm/README.md", "docs/package.html", "npm package and widget", "Check and run PTX from JavaScript, and embed an interactive widget in documents."],
    ["docs/limits.md", "docs/limits.html", "Limitations", "Unsupported features and implementation-defined behaviour."],
  ]],
  ["Project", [
    ["docs/checked.md", "docs/checked.html", "Validation and performance", "How the results are validated against hardware and ptxas, and the performance of the emulator."],
    ["docs/assembler-quirks.md", "docs/assembler-quirks.html", "Quirks of ptxas", "Inputs for which a release of ptxas fails or behaves inconsistently."],
    ["ARCHITECTURE.md", "docs/architecture.html", "Architecture", "The crates of the project, and the invariants that tests enforce."],
    ["CONTRIBUTING.md", "docs/contributing.html", "Contributing", "How to build, test and change Warpgrid."],
    ["CHANGELOG.md", "docs/changelog.html", "Changelog", "User-visible changes of the playground, widget, npm package and command-line tool."],
    ["SECURITY.md", "docs/security.html", "Security", "The security guarantees of Warpgrid, and how to report a vulnerability."],
  ]],
];
const DOCUMENTS = SECTIONS.flatMap(([, documents]) => documents);
const PAGES = new Map(DOCUMENTS.map(([file, path]) => [file, path]));

/** Returns the target of a link in `file`, relative to the page at `path`. Returns `null` for a file of the repository if the URL of the
 *  repository is unknown. */
function linkTarget(href, file, path, repository) {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [name, hash] = href.split("#");
  const resolved = posix.normalize(posix.join(posix.dirname(file), name));
  const pagePath = PAGES.get(resolved);
  if (pagePath) return `${posix.relative(posix.dirname(path), pagePath)}${hash ? `#${hash}` : ""}`;
  if (resolved === "docs/playground.png") return posix.relative(posix.dirname(path), resolved);
  const example = /^public\/examples\/([^/]+)\.[a-z]+$/.exec(resolved);
  if (example) return posix.relative(posix.dirname(path), `examples/${example[1]}.html`);
  return repository ? `${repository}/blob/HEAD/${resolved}` : null;
}

/** Returns the anchor that code hosts assign to a heading. */
const slugify = (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");

/** Pattern of a widget element in the HTML code of a code block. */
const ELEMENT = /<warpgrid-playground([^>]*)>\n(?:\s*<pre>\n)?([^]*?)\n\s*(?:<\/pre>\n)?<\/warpgrid-playground>/;

/** Adds a live widget below each code block that shows the HTML code of a widget. */
function addLiveWidgets(markdown, recorder) {
  const renderFence = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const html = renderFence(tokens, index, ...rest);
    const [, attributeText, text] = (tokens[index].info.trim() === "html" && ELEMENT.exec(tokens[index].content)) || [];
    if (!text) return html;
    const attributes = Object.fromEntries([...attributeText.matchAll(/([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    return `${html}${recorder.embeddingNow(text, { ...attributes, playground: "../index.html" }).html}\n`;
  };
}

/** Returns the navigation of the manual for the page at `path`. */
function manualNavigation(path) {
  const link = ([, to, title]) => `<li><a href="${posix.relative(posix.dirname(path), to)}"${to === path ? ' aria-current="page"' : ""}>${title}</a></li>`;
  const sections = SECTIONS.map(([name, documents]) => `<p>${name}</p>\n<ul>${documents.map(link).join("")}</ul>`);
  return `<nav class="manual" aria-label="Manual">\n${sections.join("\n")}\n</nav>`;
}

export async function documentPages({ root, repository, markdownPlugin, recorder }) {
  const pages = [];
  for (const [file, path, title, about] of DOCUMENTS) {
    const text = await readFile(join(root, file), "utf8");
    const markdown = new MarkdownIt({ html: true }).use(anchor, { slugify, tabIndex: false }).use(markdownPlugin);
    markdown.core.ruler.push("links", ({ tokens }) => {
      for (const { children } of tokens) {
        let hasTarget = true;
        for (const token of children ?? []) {
          const name = { link_open: "href", image: "src" }[token.type];
          const to = name && linkTarget(token.attrGet(name), file, path, repository);
          if (token.type === "link_open") hasTarget = to !== null;
          if (to) token.attrSet(name, to);
          // A link without a target is replaced by the text of the link.
          if (!hasTarget && token.type.startsWith("link_")) Object.assign(token, { type: "html_inline", content: "" });
        }
      }
    });
    addLiveWidgets(markdown, recorder);
    const body = markdown.render(text, { path: file });
    if (!body.includes("<h1")) throw new Error(`${file}: a document begins with its title`);
    // Tables are enclosed in scrollable containers, because they may be wider than the screen of a phone.
    const scrollable = body.replaceAll(/<table>[^]*?<\/table>/g, (table) => `<div class="wide" tabindex="0">${table}</div>`).replaceAll(/<th( [^>]*)?><\/th>/g, "<td></td>");
    const article = `<div class="with-manual">\n<article>\n${scrollable}\n</article>\n${manualNavigation(path)}\n</div>`;
    pages.push({ path, title, about, body: article, hasWidgets: body.includes("<warpgrid-playground") });
  }
  return pages;
}
