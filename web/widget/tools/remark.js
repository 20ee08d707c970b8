// A remark plugin for Docusaurus and other MDX hosts: converts fenced blocks ```` ```ptx playground ```` to widgets with recorded runs. In
// docusaurus.config.js: `remarkPlugins: [warpgrid]`, with `import warpgrid from "warpgrid/remark"`.
import { embedding } from "../record.js";
import { readFence } from "./fence.js";

/** Returns a JSX attribute. */
const jsxAttribute = (name, value) => ({ type: "mdxJsxAttribute", name, value });
const jsxObject = (value) => ({
  type: "mdxJsxAttributeValueExpression",
  value: JSON.stringify(value),
  data: { estree: { type: "Program", sourceType: "module", comments: [], body: [{ type: "ExpressionStatement", expression: objectExpression(value) }] } },
});

/** Returns the syntax tree of the expression `{ __html: "..." }`. */
const objectExpression = (fields) => ({
  type: "ObjectExpression",
  properties: Object.entries(fields).map(([name, value]) => ({
    type: "Property", kind: "init", computed: false, method: false, shorthand: false,
    key: { type: "Identifier", name }, value: { type: "Literal", value, raw: JSON.stringify(value) },
  })),
});

export default function warpgrid() {
  return async (tree, file) => {
    for (const [parent, index] of [...codeBlocks(tree)]) {
      const node = parent.children[index];
      const fence = readFence(`${node.lang ?? ""} ${node.meta ?? ""}`);
      if (!fence?.playground) continue;
      const { html, problems } = await embedding(node.value, fence.attributes);
      for (const { line, severity, message, code } of problems) {
        const position = node.position && { line: node.position.start.line + line, column: 1 };
        const text = `${message} (${code})`;
        file?.message(text, position, "warpgrid");
        // Some hosts do not print the messages of a file, so that the problem is also written to the console.
        console.warn(`warpgrid: ${file?.path ?? "document"}:${position?.line ?? "?"}: ${severity}: ${text}`);
      }
      parent.children[index] = {
        type: "mdxJsxFlowElement", name: "div", children: [],
        attributes: [jsxAttribute("className", "warpgrid"), jsxAttribute("dangerouslySetInnerHTML", jsxObject({ __html: html }))],
      };
    }
  };
}

function* codeBlocks(node) {
  for (const [index, child] of (node.children ?? []).entries()) {
    if (child.type === "code") yield [node, index];
    else yield* codeBlocks(child);
  }
}
