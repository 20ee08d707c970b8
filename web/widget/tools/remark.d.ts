// remark plugin, for Docusaurus and other MDX hosts.

/** Converts code blocks ```` ```ptx playground ```` to widgets with recorded runs. */
export default function warpgrid(): (tree: unknown, file?: unknown) => Promise<void>;
