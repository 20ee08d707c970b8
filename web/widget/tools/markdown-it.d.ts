// markdown-it plugin, for VitePress and other markdown-it hosts.

/** Converts code blocks ```` ```ptx playground ```` to widgets with recorded runs. `vue`: escape the HTML for a Vue template. */
export default function warpgrid(md: unknown, options?: { vue?: boolean }): void;
