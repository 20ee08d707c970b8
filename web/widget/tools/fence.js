// Parses the info string of a fenced code block for documentation tools, such as `ptx,playground view=grid step=3`.

/** Attributes that the documentation tools themselves interpret. */
const HOST_ATTRIBUTES = ["playground", "ignore", "style", "title", "name", "caption", "id", "class", "linenums", "hl_lines", "showLineNumbers", "file", "filename"];

/** Returns `{ playground, attributes }` for a code block that contains PTX, SASS or a layout diagram (`warpgrid-layout`), otherwise `null`.
 *  `ptx-playground` is short for `ptx,playground`. A quoted value may contain blanks and commas. */
export function readFence(info) {
  const [firstWord] = `${info ?? ""}`.trim().split(/[\s,{]/);
  const isDiagram = /^\.?warpgrid-layout$/.test(firstWord);
  const [language, ...options] = `${info ?? ""}`.match(/[^\s,{}"'=]+(=("[^"]*"|'[^']*'|[^\s,{}]*))?/g) ?? [];
  const [, front, suffix] = /^\.?(ptx|sass)(-playground)?$/.exec(language ?? "") ?? [];
  if (!front && !isDiagram) return null;
  // The text of the code block is the link of a layout diagram, or its parameters.
  const attributes = isDiagram ? { lens: true } : front === "sass" ? { front } : {};
  for (const option of options) {
    const [name, value] = option.split(/=(.*)/s);
    // Classes, marks and event handlers of the host are not attributes of the widget.
    if (/^[a-z][a-z-]*$/.test(name) && !name.startsWith("on") && !HOST_ATTRIBUTES.includes(name)) {
      attributes[name] = value === undefined ? true : value.replace(/^(["'])(.*)\1$/, "$2");
    }
  }
  return { playground: isDiagram || suffix !== undefined || options.includes("playground"), attributes };
}

/** Formats a problem of a code block as a line of text. `line` is the line of the fence in `file`. */
export const problemLine = (file, line, problem) => `${file}:${line + problem.line}: ${problem.severity}: ${problem.message} (${problem.code})`;

/** Converts HTML to a form that Markdown passes through as one block, which starts with `<div>` and contains no empty line. */
export const oneBlock = (html) => `<div class="warpgrid">${html.replace(/\n(?=\n)/g, "\n<span></span>")}</div>`;
