// The plugin of remark, for Docusaurus and other hosts of MDX.

/** Fenced blocks ```` ```ptx playground ```` become widgets with their recorded runs. */
export default function warpgrid(): (tree: unknown, file?: unknown) => Promise<void>;
