// Opens sources on external hosts: files on GitHub and other hosts, gists, and short links of Compiler Explorer. The user confirms each host.
import RULES from "../../crates/share/src/rules.json" with { type: "json" };
import { createElement, renderInlineCode } from "../dom.js";
import { fetchJson, fetchText, RequestError } from "./bounded-fetch.js";
import { permitCompilerExplorer } from "./compile-card.js";
import { baseAddress, compilerExplorerHost, fetchShortLink } from "./compiler-explorer.js";
import { requestConsent, showDialog } from "./consent.js";
import { GIST_API_HOST, RAW_HOSTS } from "./hosts.mjs";
import { parseReference } from "./references.js";

/** Maximum size of a response of the GitHub API, whose strings are escaped. */
const MAX_GIST_BYTES = 16e6;

const PRIVACY_URLS = {
  "cdn.jsdelivr.net": "https://www.jsdelivr.com/terms/privacy-policy",
  [GIST_API_HOST]: "https://docs.github.com/site-policy/privacy-policies/github-general-privacy-statement",
  "raw.githubusercontent.com": "https://docs.github.com/site-policy/privacy-policies/github-general-privacy-statement",
};

const fetchFile = (host, path) => fetchText(`https://${host}/${path}`, { maxBytes: RULES.max_bytes, expected: "a source file" });

/** Extensions of the files that the page prefers in a gist with several files. */
const SOURCE_EXTENSION = /\.(?:ptx|sass|cu|cuh)$/i;

/** Selects a file of a gist. The response of the API is untrusted. */
export function gistFile(value, name) {
  const files = Object.values(typeof value?.files === "object" && value.files !== null ? value.files : {}).filter((file) => typeof file?.filename === "string");
  const file = name === undefined ? files.find(({ filename }) => SOURCE_EXTENSION.test(filename)) ?? files[0] : files.find(({ filename }) => filename === name);
  if (!file) throw new RequestError(name === undefined ? "The gist contains no files." : `The gist contains no file \`${name}\`. Check the link.`);
  return file;
}

async function fetchGist({ path, name }) {
  const file = gistFile(await fetchJson(`https://${GIST_API_HOST}/${path}`, { maxBytes: MAX_GIST_BYTES, statusReasons: { 404: "the gist does not exist. Check the ID." } }), name);
  if (!file.truncated && typeof file.content === "string") return { name: file.filename, text: file.content };
  // The API returns long files without their contents.
  const rawFile = parseReference(String(file.raw_url), baseAddress());
  if (!await permitReference(rawFile)) return null;
  return { name: file.filename, text: await fetchFile(rawFile.host, rawFile.path) };
}

/** Fetches a reference. Returns `{ name, text }`, and for short links also the compiler settings `settings`. Returns null if the user has not
 *  permitted a request. */
async function fetchReference(reference) {
  if (reference.kind === "gist") return fetchGist(reference);
  if (reference.kind === "file") return { name: reference.name, text: await fetchFile(reference.host, reference.path) };
  const { source, ...settings } = await fetchShortLink(reference.id);
  return { name: reference.name, text: source, settings };
}

/** Requests the consent for a reference. The question names the host and the path. */
function permitReference({ kind, host, path }) {
  const line = `The page requests \`/${path}\` from \`${host}\` and opens the file in the editor. Your current kernel is saved first.`;
  if (kind === "short link") return permitCompilerExplorer(line, "Open link");
  return requestConsent({ host, title: `Open a file from ${host}?`, lines: [line, "The request contains no part of your sources."], privacyUrl: PRIVACY_URLS[host], action: "Open file" });
}

/** Opens a reference after the consent of the user. `onSettings` receives the compiler settings of a short link. */
export async function openReference(page, text, onSettings) {
  try {
    const reference = parseReference(text, baseAddress());
    if (!await permitReference(reference)) return;
    const fetched = await fetchReference(reference);
    if (fetched === null) return;
    const { name, text: content, settings } = fetched;
    // The source in a JSON response may be longer than a file of the maximum size.
    if (content.length > RULES.max_bytes) throw new RequestError(`The source exceeds the limit of ${RULES.max_bytes / 1e6} MB.`);
    page.openExternal(name, content, reference.fragment);
    if (settings) onSettings(settings);
  } catch (error) {
    // The messages of all errors are sentences. The banner shows plain text.
    page.failed(error.message.replaceAll("`", ""));
  }
}

/** Opens the dialog in which the user enters a link to a source. */
export function showOpenDialog(page, onSettings) {
  const input = createElement("input", { type: "text", "aria-label": "Link", placeholder: "https://github.com/owner/repository/blob/main/kernel.ptx", spellcheck: false, autocomplete: "off" });
  const form = createElement("form", {}, input,
    createElement("div", { class: "fixes" }, createElement("button", { type: "submit", class: "action-button main" }, "Continue"),
      createElement("button", { type: "button", class: "action-button", onclick: () => dialog.close() }, "Cancel")));
  form.onsubmit = (event) => {
    event.preventDefault();
    dialog.close();
    if (input.value.trim() !== "") void openReference(page, input.value, onSettings);
  };
  const dialog = showDialog("Open link", [
    createElement("p", {}, ...renderInlineCode(`Enter the link of a file on GitHub, of a gist, of a file on ${RAW_HOSTS.map((host) => `\`${host}\``).join(", ")}, or of a Compiler Explorer session (\`${compilerExplorerHost()}/z/…\`).`)),
    form,
  ]);
  input.focus();
}
