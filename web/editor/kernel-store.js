// The saved kernels of the user, stored separately from each other and from the examples in IndexedDB, which holds many megabytes. A short
// source in the editor is also stored in local storage, which can be written synchronously while the page is being closed, when IndexedDB
// may be too late. Each tab stores separately which kernel it shows.
import { createStore, delMany, get, getMany, keys, set, setMany } from "idb-keyval";
import { fromBase64 } from "../widget/link.js";
import { isLink, readLink, RULES, textOf } from "./share-link.js";

/** Maximum length of a source in local storage, which holds about 5 million characters. A longer source is only in IndexedDB. */
const JOURNAL_LENGTH = 2_000_000;
/** Maximum number of saved kernels. The page reports an error beyond it. */
const MOST_TEXTS = 200;
const NAME_LENGTH = 48;
const JOURNAL = "warpgrid.journal";
const HERE = "warpgrid.here";
/** Key prefix of a source that IndexedDB may not contain yet. */
const HELD = "warpgrid.held.";

const store = lazily(() => createStore("warpgrid-texts", "texts"));
const textKey = (id) => `text:${id}`;
const aboutKey = (id) => `about:${id}`;

function lazily(make) {
  let made = null;
  return () => (made ??= make());
}
function attempt(call) {
  try { return call(); } catch { return null; }
}

/** ID of the saved kernel in the editor, or null for an example. */
let own = null;
/** Unsaved changes: the time of the last change, and the source if it is from the journal. Null if the source is saved. */
let unkept = null;
let name = "";
let known = new Map();
let listener = null;
let trouble = null;

const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** Returns the journal, the last state that any tab has written: `{ own, text, changed }`. The source is null if it is only in
 *  IndexedDB. */
const journal = () => attempt(() => JSON.parse(localStorage.getItem(JOURNAL)));
/** Returns the state of this tab: `{ own, example }`. */
const here = () => attempt(() => JSON.parse(sessionStorage.getItem(HERE)));

/** The contents of the last opened link or file, which are untrusted but validated: `{ shared, text, view }`, with the source as shown
 *  in the editor. */
let linked = null;
/** Returns a field of the link or file by name, or undefined. */
export function linkedFact(name) {
  if (name === "view") return linked?.view;
  const found = name.split(".").reduce((value, part) => value?.[part], linked?.shared) ?? undefined;
  return typeof found === "object" ? Object.entries(found).map((entry) => entry.join("\t")).join("\n") : found?.toString();
}
/** Returns the key of a source: the ID of a saved kernel, or else its fingerprint. */
export const keyOf = (print) => own ?? `print ${print}`;
/** Returns the contents of the link or file while its source is unchanged, or else null. */
export const brought = (text) => (linked?.text === text ? linked.shared : null);
/** Stores the contents of a file and returns the source for the editor. */
export function bring(shared, what) {
  // The step of the previous source does not apply to this one.
  attempt(() => sessionStorage.removeItem("warpgrid.step"));
  const text = textOf(shared, what);
  linked = { shared, text, view: typeof shared.widget === "string" ? shared.widget : undefined };
  return text;
}

/** The reason for which the link in the URL cannot be opened, until the page can report it. */
let broken = null;
export function takeBroken() {
  const why = broken;
  broken = null;
  return why;
}

/** Returns the source in the URL, of a link with a view (web/editor/share-link.js) or of a widget (web/widget/link.js), or null. */
async function linkedText() {
  try {
    const shared = isLink(location.hash) ? await readLink(location.hash) : widgetLink();
    return shared && bring(shared, "link");
  } catch (error) {
    broken = error.message;
    leaveLink();
    return null;
  }
}

/** Removes the fragment from the URL, so that a reload does not discard later edits. */
function widgetLink() {
  const facts = new URLSearchParams(location.hash.slice(1));
  const coded = facts.get("text");
  if (coded === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  const source = attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(coded)));
  if (source === null) throw new Error(RULES.messages.truncated);
  const step = /^\d+$/.test(facts.get("step") ?? "") ? Number(facts.get("step")) : undefined;
  const fact = (name) => facts.get(name) ?? undefined;
  return { source, target: fact("target"), ptx_version: fact("version"), widget: fact("view"), view: { step } };
}

/** Removes the link from the URL, which keeps it only as long as it matches the current view. */
function leaveLink() {
  if (isLink(location.hash)) history.replaceState(history.state, "", location.pathname + location.search);
}

// Another link in the same tab reloads the page. The current source is saved when the page is unloaded.
addEventListener("hashchange", () => {
  if (isLink(location.hash) || new URLSearchParams(location.hash.slice(1)).has("text")) location.reload();
});

/** Returns the initial source of the editor: that of the URL, or else that of this tab, or else that of the last tab. Null on the first
 *  visit. */
export async function firstText() {
  const text = await linkedText();
  if (text !== null) {
    // Like an example, a linked source is not a saved kernel until it is edited.
    attempt(() => sessionStorage.setItem(HERE, JSON.stringify({ own: null, example: text })));
    return text;
  }
  const [mine, last] = [here(), journal()];
  if (mine && mine.own === null) return mine.example;
  const id = mine ? mine.own : last?.own;
  if (typeof last?.text !== "string" || last.own !== id) return id ? open(id) : null;
  own = id;
  if (own) unkept = { text: last.text, changed: last.changed };
  return last.text;
}

async function open(id) {
  const text = await get(textKey(id), store()).catch(() => null) ?? null;
  if (text !== null) own = id;
  return text;
}

/** Opens a saved kernel and returns its source, or null if it was deleted. */
export async function opened(id, before) {
  leaveLink();
  await keep(before);
  const text = await open(id);
  name = known.get(id)?.name ?? "";
  if (text !== null) remember(text);
  say();
  return text;
}

/** Fetches the source of an example. */
export async function example(file) {
  // A later build may have changed the example.
  const answer = await fetch(new URL(`examples/${file}`, document.baseURI), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`the server returned ${answer.status} ${answer.statusText}`.trim());
  return answer.text();
}

/** Records that the editor shows an example, which does not need to be saved. */
export function showsExample(text, before) {
  leaveLink();
  void keep(before);
  own = null;
  remember(text);
  say();
}

/** Records an edit of the user. `before` is the previous source if it was mostly replaced, or else null. */
export function changed(before) {
  leaveLink();
  if (own === null || before !== null) {
    if (before !== null) void keep(before);
    own = newId();
    name = "";
  }
  unkept = { changed: Date.now() };
}

/** Saves synchronously what can be saved, because the page may be closed before IndexedDB responds. */
export function remember(text) {
  const isShort = text.length <= JOURNAL_LENGTH;
  const entry = { own, text: isShort ? text : null, changed: unkept?.changed ?? 0 };
  attempt(() => sessionStorage.setItem(HERE, JSON.stringify({ own, example: own === null ? text : null })));
  attempt(() => localStorage.setItem(JOURNAL, JSON.stringify(entry)));
}

/** Saves the source if it is a kernel of the user and has changed. */
export async function keep(text) {
  remember(text);
  if (own === null || unkept === null || text.trim() === "") return;
  const { changed } = unkept;
  let id = own;
  const first = id;
  const title = name || known.get(id)?.name || nameOf(text);
  unkept = null;
  hold(first, { text, name: title, changed });
  try {
    // From the first edit on, two tabs that show the same kernel save two separate kernels.
    if (!(await isAlone(id))) id = await renamed(id, newId());
    if (!known.has(id)) {
      const twin = await sameText(id, text);
      if (twin) { id = await renamed(id, twin); release(first, changed); return; }
      if (known.size >= MOST_TEXTS) throw new Error(`the limit of ${MOST_TEXTS} saved kernels is reached: delete a saved kernel first`);
    }
    await write(id, text, { name: (id === own && name) || title, changed, length: text.length });
    release(first, changed);
    trouble?.("");
  } catch (error) {
    // The journal may contain the source. A browser that denies all storage saves nothing.
    if (!known.size && journal()?.text === text) return;
    trouble?.(`The kernel could not be saved: ${error?.message || error?.name || error}`);
  } finally {
    say();
  }
}

async function write(id, text, about) {
  // Two writes of the same kernel may overlap. The later change wins.
  if (known.get(id)?.changed > about.changed) return;
  await setMany([[textKey(id), text], [aboutKey(id), about]], store());
  known.set(id, about);
  // The page may have set the name since the write began.
  if (id === own && name && name !== about.name) {
    about.name = name;
    await set(aboutKey(id), about, store());
  }
}

/** Stores a short source in local storage until IndexedDB has it, because the page may be closed before. */
function hold(id, held) {
  if (held.text.length <= JOURNAL_LENGTH) attempt(() => localStorage.setItem(HELD + id, JSON.stringify(held)));
}
/** Removes the stored source unless it was changed after `changed`, because the write of that change may not complete before the page is
 *  closed. */
function release(id, changed = Infinity) {
  const held = attempt(() => JSON.parse(localStorage.getItem(HELD + id)));
  if (held?.changed > changed) return;
  attempt(() => localStorage.removeItem(HELD + id));
}
/** Saves the sources that an earlier page had no time to save. */
async function keepHeld() {
  const all = attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(HELD))) ?? [];
  for (const id of all.map((key) => key.slice(HELD.length))) {
    const held = attempt(() => JSON.parse(localStorage.getItem(HELD + id)));
    const { text, name, changed } = held ?? {};
    if (typeof text === "string" && changed > (known.get(id)?.changed ?? 0)) {
      await write(id, text, { name, changed, length: text.length });
    }
    release(id, changed);
  }
}

async function renamed(id, other) {
  if (own === id) own = other;
  return other;
}

/** Returns a saved kernel with the same source, so that switching back and forth creates only one. */
async function sameText(id, text) {
  for (const [other, about] of known) {
    if (other !== id && about.length === text.length && await get(textKey(other), store()) === text) return other;
  }
  return null;
}

const claims = new Map();
/** Checks whether no other tab writes the kernel. The lock is held for the lifetime of the page. */
function isAlone(id) {
  if (!claims.has(id)) {
    claims.set(id, new Promise((resolve) => {
      if (!navigator.locks) { resolve(true); return; }
      const held = (lock) => { resolve(lock !== null); return lock ? new Promise(() => {}) : undefined; };
      navigator.locks.request(`warpgrid-text-${id}`, { ifAvailable: true }, held).catch(() => resolve(true));
    }));
  }
  return claims.get(id);
}

/** Returns the name of a kernel that has not run: its first entry in PTX or in a listing, or else its first line. */
function nameOf(text) {
  const kernel = /\.entry\s+([\w$%]+)|\bFunction : (\S+)|^\.text\.(\S+):/m.exec(text);
  return kernel ? (kernel[1] ?? kernel[2] ?? kernel[3]).slice(0, NAME_LENGTH) : firstLine(text);
}
function firstLine(text) {
  const line = text.split("\n", 200).map((line) => line.replace(/^[\s/*@]+/, "").trim()).find((line) => line !== "");
  return (line ?? "").slice(0, NAME_LENGTH);
}

/** Sets the name that the page has determined for the running kernel. */
export function named(given) {
  if (own === null || given === "" || given === name) return;
  name = given.slice(0, NAME_LENGTH);
  const about = known.get(own);
  if (!about) return;
  about.name = name;
  void set(aboutKey(own), about, store()).catch(() => {});
  say();
}

/** Deletes a saved kernel permanently. */
export async function remove(id) {
  if (own === id) [own, unkept] = [null, null];
  release(id);
  known.delete(id);
  await delMany([textKey(id), aboutKey(id)], store()).catch(() => {});
  say();
}

/** `onList([[id, label]], own)` receives all saved kernels, newest first; `onTrouble(why)` an error while saving, or "". */
export async function connectTexts(onList, onTrouble) {
  listener = onList;
  trouble = onTrouble;
  if (!onList) return;
  try {
    const ids = (await keys(store())).filter((key) => `${key}`.startsWith("about:")).map((key) => key.slice(6));
    const abouts = await getMany(ids.map(aboutKey), store());
    ids.forEach((id, index) => { if (abouts[index] && !known.has(id)) known.set(id, abouts[index]); });
    await keepHeld();
  } catch { /* without IndexedDB only the journal stores the source */ }
  name = known.get(own)?.name ?? "";
  // A source that the last page had no time to save.
  if (typeof unkept?.text === "string") {
    if (unkept.changed > (known.get(own)?.changed ?? 0)) await keep(unkept.text);
    else unkept = null;
  }
  say();
}

function say() {
  const list = [...known].sort((a, b) => b[1].changed - a[1].changed);
  const labels = new Map();
  const entries = list.map(([id, { name, changed }]) => {
    const label = `${name || "untitled"} · ${when(changed)}`;
    const n = (labels.get(label) ?? 0) + 1;
    labels.set(label, n);
    return [id, n > 1 ? `${label} (${n})` : label];
  });
  listener?.(entries, own ?? "");
}
function when(time) {
  const [then, now] = [new Date(time), new Date()];
  const today = then.toDateString() === now.toDateString();
  return today ? then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : then.toLocaleDateString([], { day: "numeric", month: "short" });
}
