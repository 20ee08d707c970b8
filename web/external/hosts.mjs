// External hosts that the page may contact after the consent of the user. The Content-Security-Policy of the page lists exactly these hosts.
// The module is also imported by the build (`web/finish.mjs`) and by the development server (`web/serve.mjs`).

/** Base address of Compiler Explorer. The environment variable `WARPGRID_COMPILER_EXPLORER` replaces this address in a build, and the page
 *  reads the address from its `<meta name="warpgrid-compiler-explorer">`. */
const DEFAULT_COMPILER_EXPLORER = "https://godbolt.org";

/** Hosts of raw files for links to sources. All of these hosts permit requests from other sites (CORS). */
export const RAW_HOSTS = ["raw.githubusercontent.com", "gist.githubusercontent.com", "cdn.jsdelivr.net"];

/** Host of the GitHub API, which resolves the ID of a gist to its files. */
export const GIST_API_HOST = "api.github.com";

/** Replaces the placeholder in `web/index.html` by the address of Compiler Explorer and the Content-Security-Policy. */
export function withExternalHosts(html, compilerExplorer = process.env.WARPGRID_COMPILER_EXPLORER || DEFAULT_COMPILER_EXPLORER) {
  const { origin } = new URL(compilerExplorer);
  const sources = ["'self'", origin, ...[...RAW_HOSTS, GIST_API_HOST].map((host) => `https://${host}`)];
  const elements = `<meta name="warpgrid-compiler-explorer" content="${origin}" />\n    <meta http-equiv="Content-Security-Policy" content="connect-src ${sources.join(" ")}" />`;
  // The release build removes quotation marks and reorders attributes.
  const placeholder = /<meta [^>]*\bwarpgrid-external-hosts\b[^>]*>/;
  if (!placeholder.test(html)) throw new Error("index.html has no placeholder for the external hosts");
  return html.replace(placeholder, elements);
}
