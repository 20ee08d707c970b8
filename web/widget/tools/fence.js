// Parses the info string of a fenced block, such as `ptx,playground view=grid step=3`, for documentation tools.

/** Words that the tools themselves interpret. */
const OF_HOSTS = ["playground", "ignore", "style", "title", "name", "caption", "id", "class", "linenums", "hl_lines", "showLineNumbers", "file", "filename"];

/** Returns `{ playground, attributes }` for a block of PTX or SASS, or a layout diagram (`warpgrid-layout`), or else `null`.
 *  `ptx-playground` is short for `ptx,playground`. A quoted value can contain blanks and commas. */
export function readFence(info) {
  const [word] = `${info ?? ""}`.trim().split(/[\s,{]/);
  const isLens = /^\.?warpgrid-layout$/.test(word);
  const [language, ...words] = `${info ?? ""}`.match(/[^\s,{}"'=]+(=("[^"]*"|'[^']*'|[^\s,{}]*))?/g) ?? [];
  const [, front, short] = /^\.?(ptx|sass)(-playground)?$/.exec(language ?? "") ?? [];
  if (!front && !isLens) return null;
  // The text of the block is the link of a layout diagram, or its parameters.
  const attributes = isLens ? { lens: true } : front === "sass" ? { front } : {};
  for (const word of words) {
    const [name, value] = word.split(/=(.*)/s);
    // Classes, marks and event handlers of the host are not attributes of the block.
    if (/^[a-z][a-z-]*$/.test(name) && !name.startsWith("on") && !OF_HOSTS.includes(name)) {
      attributes[name] = value === undefined ? true : value.replace(/^(["'])(.*)\1$/, "$2");
    }
  }
  return { playground: isLens || short !== undefined || words.includes("playground"), attributes };
}

/** Formats a problem of a block as a line. `line` is that of the fence in `file`. */
export const problemLine = (file, line, problem) => `${file}:${line + problem.line}: ${problem.severity}: ${problem.message} (${problem.code})`;

/** Converts HTML to a form that Markdown passes through as one block, which starts with a `<div>` and contains no empty line. */
export const oneBlock = (html) => `<div class="warpgrid">${html.replace(/\n(?=\n)/g, "\n<span></span>")}</div>`;
