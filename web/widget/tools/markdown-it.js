// A markdown-it plugin for VitePress and other hosts: converts fenced blocks ```` ```ptx playground ```` to widgets with recorded runs:
// `md.use(warpgrid)`. In VitePress `markdown: { config: (md) => md.use(warpgrid, { vue: true }) }`, because Vue joins the lines of its
// templates and allows no script in them.
import { embeddingNow } from "../record.js";
import { oneBlock, problemLine, readFence } from "./fence.js";

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

export default function warpgrid(md, { vue = false } = {}) {
  const renderFence = md.renderer.rules.fence ?? ((tokens, index, options, env, self) => self.renderToken(tokens, index, options));
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info, content, map } = tokens[index];
    const fence = readFence(info);
    if (!fence?.playground) return renderFence(tokens, index, options, env, self);
    const { html, problems } = embeddingNow(content, fence.attributes);
    const file = env?.relativePath ?? env?.path ?? "document";
    for (const problem of problems) console.warn(`warpgrid: ${problemLine(file, (map?.[0] ?? 0) + 1, problem)}`);
    return vue ? `<div class="warpgrid" v-html="${escape(JSON.stringify(html))}"></div>\n` : `${oneBlock(html)}\n`;
  };
}
