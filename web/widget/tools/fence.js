// The info string of a fenced block goes in, as `ptx,playground view=grid step=3`; what a documentation tool has to do with it comes out.

/** `{ playground, attributes }` for a block of PTX, else `null`. `ptx-playground` is short for `ptx,playground`. */
export function readFence(info) {
  const [language, ...words] = `${info ?? ""}`.split(/[\s,{}]+/).filter(Boolean);
  if (language !== "ptx" && language !== "ptx-playground") return null;
  const attributes = {};
  for (const word of words) {
    const [name, value] = word.split(/=(.*)/s);
    // A host's own classes and handlers are none of a block's business.
    if (/^[a-z][a-z-]*$/.test(name) && !name.startsWith("on") && name !== "playground" && name !== "style") {
      attributes[name] = value === undefined ? true : value.replace(/^(["'])(.*)\1$/, "$2");
    }
  }
  return { playground: language === "ptx-playground" || words.includes("playground"), attributes };
}
