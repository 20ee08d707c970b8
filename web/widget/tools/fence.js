// Parses the info string of a fenced block, such as `ptx,playground view=grid step=3`, for documentation tools.

/** Words that the tools themselves interpret. */
const HOST_ATTRIBUTES = ["playground", "ignore", "style", "title", "name", "caption", "id", "class", "linenums", "hl_lines", "showLineNumbers", "file", "filename"];

/** Returns `{ playground, attributes }` for a block of PTX or SASS, or a layout diagram (`warpgrid-layout`), or else `null`.
 *  `ptx-playground` is short for `ptx,playground`. A quoted value can contain blanks and commas. */
export function readFence(info) {
  const [firstWord] = `${info ?? ""}`.trim().split(/[\s,{]/);
  const isDiagram = /^\.?warpgrid-layout$/.test(firstWord);
  const [language, ...options] = `${info ?? ""}`.match(/[^\s,{}"'=]+(=("[^"]*"|'[^']*'|[^\s,{}]*))?/g) ?? [];
  const [, front, suffix] = /^\.?(ptx|sass)(-playground)?$/.exec(language ?? "") ?? [];
  if (!front && !isDiagram) return null;
  // The text of the block is the link of a layout diagram, or its parameters.
  const attributes = isDiagram ? { lens: true } : front === "sass" ? { front } : {};
  for (const option of options) {
    const [name, value] = option.split(/=(.*)/s);
    // Classes, marks and event handlers of the host are not attributes of the block.
    if (/^[a-z][a-z-]*$/.test(name) && !name.startsWith("on") && !HOST_ATTRIBUTES.includes(name)) {
      attributes[name] = value === undefined ? true : value.replace(/^(["'])(.*)\1$/, "$2");
    }
  }
  return { playground: isDiagram || suffix !== undefined || options.includes("playground"), attributes };
}

/** Formats a problem of a block as a line. `line` is that of the fence in `file`. */
export const problemLine = (file, line, problem) => `${file}:${line + problem.line}: ${problem.severity}: ${problem.message} (${problem.code})`;

/** Converts HTML to a form that Markdown passes through as one block, which starts with a `<div>` and contains no empty line. */
export const oneBlock = (html) => `<div class="warpgrid">${html.replace(/\n(?=\n)/g, "\n<span></span>")}</div>`;
