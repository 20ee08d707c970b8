// References to sources on external hosts: `#gh=owner/repo@ref/path`, `#gist=ID` and `#url=https://…`. A reference is parsed to
// `{ fragment, host, path, name, … }`, where `fragment` is the canonical URL fragment, and `host` and `path` describe the request.
import { GIST_API_HOST, RAW_HOSTS } from "./hosts.mjs";

/** Error with the reason why a reference is invalid, as a sentence. */
export class InvalidReferenceError extends Error {}

const OWNER = /^[A-Za-z0-9][A-Za-z0-9-]{0,38}$/;
const REPOSITORY = /^[\w.-]{1,100}$/;
const isSegment = (segment) => segment !== "" && segment !== "." && segment !== ".." && !/[\0-\x1f\\]/.test(segment);
const isPath = (path) => path.length <= 1000 && path.split("/").every(isSegment);

/** Percent-encodes the characters of a path that have a meaning in URLs. */
const encodePath = (path) => path.split("/").map((segment) => encodeURIComponent(segment).replace(/%(?:40|2B|2C|3A|3D|24)/g, decodeURIComponent)).join("/");
function decode(text) {
  try { return decodeURIComponent(text); } catch { throw new InvalidReferenceError("The link contains an invalid percent encoding. Copy the complete link and open it again."); }
}

function gitHubReference(owner, repository, ref, path) {
  if (!OWNER.test(owner) || !REPOSITORY.test(repository) || !isPath(ref) || !isPath(path)) {
    throw new InvalidReferenceError("Invalid link: expected `#gh=owner/repository@ref/path`, where `ref` is a branch, a tag or a commit.");
  }
  return {
    kind: "file", host: RAW_HOSTS[0], path: `${owner}/${repository}/${encodePath(ref)}/${encodePath(path)}`, name: path.split("/").pop(),
    // The first slash ends the ref, so that a slash within the ref is encoded.
    fragment: `#gh=${owner}/${repository}@${encodePath(ref).replaceAll("/", "%2F")}/${encodePath(path)}`,
  };
}

/** Parses `owner/repo@ref/path`. */
function parseGitHub(text) {
  const [, owner, repository, ref, path] = /^([^/@]+)\/([^/@]+)@([^/]+)\/(.+)$/.exec(text) ?? [];
  return gitHubReference(owner ?? "", repository ?? "", decode(ref ?? ""), decode(path ?? ""));
}

/** Parses `ID` or `ID/file`, where `file` selects one of several files. */
function parseGist(text) {
  const [, id, file] = /^([0-9a-fA-F]{5,40})(?:\/([^/]+))?$/.exec(text) ?? [];
  if (!id) throw new InvalidReferenceError("Invalid link: expected `#gist=ID` or `#gist=ID/file`, where `ID` consists of hexadecimal digits.");
  const name = file === undefined ? undefined : decode(file);
  if (name !== undefined && !isSegment(name)) throw new InvalidReferenceError("Invalid link: the file name of the gist is invalid.");
  return { kind: "gist", host: GIST_API_HOST, path: `gists/${id}`, name, fragment: `#gist=${id}${name === undefined ? "" : `/${encodePath(name)}`}` };
}

/** Parses the URL of a file, of a page of GitHub that shows a file, or of a short link of Compiler Explorer. */
function parseUrl(text, compilerExplorer) {
  let url;
  try { url = new URL(text); } catch { throw new InvalidReferenceError("Invalid link: expected a complete URL, such as `https://raw.githubusercontent.com/…`."); }
  const { host, pathname } = url;
  const segments = pathname.split("/").slice(1).map(decode);
  if (host === new URL(compilerExplorer).host) {
    const [, id] = /^\/z\/([\w-]{1,32})\/?$/.exec(pathname) ?? [];
    if (!id) throw new InvalidReferenceError(`Invalid link: only links of the form \`${host}/z/…\` can be opened.`);
    return { kind: "short link", host, path: `api/shortlinkinfo/${id}`, id, name: "example.cu", fragment: `#url=${url.origin}/z/${id}` };
  }
  if (url.protocol !== "https:") throw new InvalidReferenceError("Invalid link: expected a URL that starts with `https://`.");
  if (host === "github.com" && (segments[2] === "blob" || segments[2] === "raw")) return gitHubReference(segments[0], segments[1], segments[3] ?? "", segments.slice(4).join("/"));
  if (host === "gist.github.com" && segments.length >= 2) return parseGist(segments[1]);
  if (!RAW_HOSTS.includes(host)) {
    throw new InvalidReferenceError(`Cannot open a file from \`${host}\`. The page opens files from \`github.com\`, \`gist.github.com\`, ${RAW_HOSTS.map((name) => `\`${name}\``).join(", ")} and \`${new URL(compilerExplorer).host}/z/…\`. For other files, download the file and drop it on the page.`);
  }
  if (host === RAW_HOSTS[0]) {
    const parts = segments[2] === "refs" && ["heads", "tags"].includes(segments[3]) ? [...segments.slice(0, 2), ...segments.slice(4)] : segments;
    return gitHubReference(parts[0] ?? "", parts[1] ?? "", parts[2] ?? "", parts.slice(3).join("/"));
  }
  if (!isPath(segments.join("/"))) throw new InvalidReferenceError("Invalid link: the path of the file is invalid.");
  const path = encodePath(segments.join("/"));
  return { kind: "file", host, path, name: segments.at(-1), fragment: `#url=https://${host}/${path}` };
}

/** Parses a URL fragment or a URL that the user has pasted. Throws a `InvalidReferenceError`. */
export function parseReference(text, compilerExplorer) {
  const [, kind, value] = /^#(gh|gist|url)=(.*)$/s.exec(text.trim()) ?? [];
  if (kind === "gh") return parseGitHub(value);
  if (kind === "gist") return parseGist(value);
  return parseUrl(kind === "url" && /^https?%3a/i.test(value) ? decode(value) : value ?? text.trim(), compilerExplorer);
}
