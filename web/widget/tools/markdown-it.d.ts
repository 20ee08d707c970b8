// The plugin of markdown-it, for VitePress and other hosts of it.

/** Fenced blocks ```` ```ptx playground ```` become widgets with their recorded runs. `vue`: the HTML becomes a part of a template of Vue. */
export default function warpgrid(md: unknown, options?: { vue?: boolean }): void;
