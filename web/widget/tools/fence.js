// The info string of a fenced block goes in, as `ptx,playground view=grid step=3`; what a documentation tool has to do with it comes out.

/** What means something to the tools themselves. */
const OF_HOSTS = ["playground", "ignore", "style", "title", "name", "caption", "id", "class", "linenums", "hl_lines", "showLineNumbers", "file", "filename"];

/**
 * `{ playground, attributes }` for a block of PTX or machine code, or a picture of the lens (`warpgrid-layout`), else `null`. `ptx-playground` is short for `ptx,playground`. A value in
 * quotation marks may have blanks and commas.
 */
export function readFence(info) {
  const [word] = `${info ?? ""}`.trim().split(/[\s,{]/);
  const isLens = /^\.?warpgrid-layout$/.test(word);
  const [language, ...words] = `${info ?? ""}`.match(/[^\s,{}"'=]+(=("[^"]*"|'[^']*'|[^\s,{}]*))?/g) ?? [];
  const [, front, short] = /^\.?(ptx|sass)(-playground)?$/.exec(language ?? "") ?? [];
  if (!front && !isLens) return null;
  // The text of the block is the address of a picture of the lens, or its words.
  const attributes = isLens ? { lens: true } : front === "sass" ? { front } : {};
  for (const word of words) {
    const [name, value] = word.split(/=(.*)/s);
    // A host's own classes, marks and handlers are none of a block's business.
    if (/^[a-z][a-z-]*$/.test(name) && !name.startsWith("on") && !OF_HOSTS.includes(name)) {
      attributes[name] = value === undefined ? true : value.replace(/^(["'])(.*)\1$/, "$2");
    }
  }
  return { playground: isLens || short !== undefined || words.includes("playground"), attributes };
}

/** A problem of a block as a line; `line` is that of the fence in `file`. */
export const problemLine = (file, line, problem) => `${file}:${line + problem.line}: ${problem.severity}: ${problem.message} (${problem.code})`;

/** HTML that Markdown takes as one block and leaves as it is: one that begins with a `<div>` and has no empty line. */
export const oneBlock = (html) => `<div class="warpgrid">${html.replace(/\n(?=\n)/g, "\n<span></span>")}</div>`;
