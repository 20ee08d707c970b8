// The person's own texts: each kept apart from the others and from the examples, in IndexedDB, which holds many megabytes.
// The text in the editor lies in local storage too, if it is short: that is written before the page goes, when IndexedDB
// may be too late. Which text a tab shows is the tab's own affair.
import { createStore, delMany, get, getMany, keys, set, setMany } from "idb-keyval";
import { fromBase64 } from "../widget/link.js";
import { isLink, readLink, RULES, textOf } from "./link.js";

/** Local storage holds about 5 million characters; a longer text is in IndexedDB alone. */
const JOURNAL_LENGTH = 2_000_000;
/** More texts are not kept, and the page says so. */
const MOST_TEXTS = 200;
const NAME_LENGTH = 48;
const JOURNAL = "warpgrid.journal";
const HERE = "warpgrid.here";
/** Before the id of a text that IndexedDB may not have yet. */
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

/** The own text in the editor; null while that is an example. */
let own = null;
/** When the text in the editor changed, and the text itself if it comes from the journal; null when it is kept. */
let unkept = null;
let name = "";
let known = new Map();
let listener = null;
let trouble = null;

const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** What the last tab wrote: `{ own, text, changed }`; the text is null when it is in IndexedDB alone. */
const journal = () => attempt(() => JSON.parse(localStorage.getItem(JOURNAL)));
/** What this tab shows: `{ own, example }`. */
const here = () => attempt(() => JSON.parse(sessionStorage.getItem(HERE)));

/** What the last link or file brought, which may be hostile but is checked: `{ shared, text, view }`, with the text as the editor shows it. */
let linked = null;
/** What it says beside the text, by the names of a link's fields; undefined where it says nothing. */
export function linkedFact(name) {
  if (name === "view") return linked?.view;
  const found = name.split(".").reduce((value, part) => value?.[part], linked?.shared) ?? undefined;
  return typeof found === "object" ? Object.entries(found).map((entry) => entry.join("\t")).join("\n") : found?.toString();
}
/** What a text is known by: its id where it is the person's own, else what is in it. */
export const keyOf = (print) => own ?? `print ${print}`;
/** What was brought, while its text is as it came; else null. */
export const brought = (text) => (linked?.text === text ? linked.shared : null);
/** Takes what a file has brought; the text that the editor shows then. */
export function bring(shared, what) {
  // The step of the text before says nothing about this one.
  attempt(() => sessionStorage.removeItem("warpgrid.step"));
  const text = textOf(shared, what);
  linked = { shared, text, view: typeof shared.widget === "string" ? shared.widget : undefined };
  return text;
}

/** Why the link in the address is not opened, until the page can say so. */
let broken = null;
export function takeBroken() {
  const why = broken;
  broken = null;
  return why;
}

/** What the address brings: a text with all that is seen (web/editor/link.js), or that of a widget (web/widget/link.js); null when there is none. */
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

/** The address is plain again afterwards, so that it does not bring back what has been changed since. */
function widgetLink() {
  const facts = new URLSearchParams(location.hash.slice(1));
  const coded = facts.get("text");
  if (coded === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  const source = attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(coded)));
  if (source === null) throw new Error(RULES.sentences.cut);
  const step = /^\d+$/.test(facts.get("step") ?? "") ? Number(facts.get("step")) : undefined;
  const fact = (name) => facts.get(name) ?? undefined;
  return { source, target: fact("target"), ptx_version: fact("version"), widget: fact("view"), view: { step } };
}

/** A link stays in the address as long as it is what one sees. */
function leaveLink() {
  if (isLink(location.hash)) history.replaceState(history.state, "", location.pathname + location.search);
}

// Another link in the same tab begins anew; what is here is kept as the page goes.
addEventListener("hashchange", () => {
  if (isLink(location.hash) || new URLSearchParams(location.hash.slice(1)).has("text")) location.reload();
});

/** The text that the editor opens with: that of the address, else this tab's, else that of the last one; null on a first visit. */
export async function firstText() {
  const text = await linkedText();
  if (text !== null) {
    // Like an example, it is no own text until it is changed.
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

/** The text of one of them, which the editor shows from now on; null when it is gone. */
export async function opened(id, before) {
  leaveLink();
  await keep(before);
  const text = await open(id);
  name = known.get(id)?.name ?? "";
  if (text !== null) remember(text);
  say();
  return text;
}

/** The text of an example. */
export async function example(file) {
  // Another build may have changed it.
  const answer = await fetch(new URL(`examples/${file}`, document.baseURI), { cache: "no-cache" });
  if (!answer.ok) throw new Error(`the server returned ${answer.status} ${answer.statusText}`.trim());
  return answer.text();
}

/** An example is in the editor: it needs no keeping. */
export function showsExample(text, before) {
  leaveLink();
  void keep(before);
  own = null;
  remember(text);
  say();
}

/** The person has changed the text; `before` is the text that it takes the place of, if little of that is left, else null. */
export function changed(before) {
  leaveLink();
  if (own === null || before !== null) {
    if (before !== null) void keep(before);
    own = newId();
    name = "";
  }
  unkept = { changed: Date.now() };
}

/** Writes down what can be written at once: the page may be gone before IndexedDB has answered. */
export function remember(text) {
  const isShort = text.length <= JOURNAL_LENGTH;
  const entry = { own, text: isShort ? text : null, changed: unkept?.changed ?? 0 };
  attempt(() => sessionStorage.setItem(HERE, JSON.stringify({ own, example: own === null ? text : null })));
  attempt(() => localStorage.setItem(JOURNAL, JSON.stringify(entry)));
}

/** Keeps the text, if it is the person's own and has changed. */
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
    // Two tabs that show the same text write two from the first change on.
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
    // The journal may have it; a browser that refuses every store keeps nothing.
    if (!known.size && journal()?.text === text) return;
    trouble?.(`The kernel could not be saved: ${error?.message || error?.name || error}`);
  } finally {
    say();
  }
}

async function write(id, text, about) {
  // Two writes of one text may overlap: the later change stays.
  if (known.get(id)?.changed > about.changed) return;
  await setMany([[textKey(id), text], [aboutKey(id), about]], store());
  known.set(id, about);
  // The page may have named the text since the write began.
  if (id === own && name && name !== about.name) {
    about.name = name;
    await set(aboutKey(id), about, store());
  }
}

/** Local storage has a short text until IndexedDB has it: the page may be gone before. */
function hold(id, held) {
  if (held.text.length <= JOURNAL_LENGTH) attempt(() => localStorage.setItem(HELD + id, JSON.stringify(held)));
}
/** Removes the held text, unless it has changed after `changed`: its own write may not have ended before the page goes. */
function release(id, changed = Infinity) {
  const held = attempt(() => JSON.parse(localStorage.getItem(HELD + id)));
  if (held?.changed > changed) return;
  attempt(() => localStorage.removeItem(HELD + id));
}
/** Keeps what an earlier page had no time for. */
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

/** An own text with the same words, so that going to and fro leaves one. */
async function sameText(id, text) {
  for (const [other, about] of known) {
    if (other !== id && about.length === text.length && await get(textKey(other), store()) === text) return other;
  }
  return null;
}

const claims = new Map();
/** Whether no other tab writes the text. The lock lasts as long as the page. */
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

/** The name of a text that has not run: its first kernel, in PTX or in a listing, else its first line. */
function nameOf(text) {
  const kernel = /\.entry\s+([\w$%]+)|\bFunction : (\S+)|^\.text\.(\S+):/m.exec(text);
  return kernel ? (kernel[1] ?? kernel[2] ?? kernel[3]).slice(0, NAME_LENGTH) : firstLine(text);
}
function firstLine(text) {
  const line = text.split("\n", 200).map((line) => line.replace(/^[\s/*@]+/, "").trim()).find((line) => line !== "");
  return (line ?? "").slice(0, NAME_LENGTH);
}

/** What the page calls the text that runs. */
export function named(given) {
  if (own === null || given === "" || given === name) return;
  name = given.slice(0, NAME_LENGTH);
  const about = known.get(own);
  if (!about) return;
  about.name = name;
  void set(aboutKey(own), about, store()).catch(() => {});
  say();
}

/** Deletes one of them for good. */
export async function remove(id) {
  if (own === id) [own, unkept] = [null, null];
  release(id);
  known.delete(id);
  await delMany([textKey(id), aboutKey(id)], store()).catch(() => {});
  say();
}

/** `changed([[id, label]], own)` is called with all texts, newest first; `failed(why)` when one could not be kept, or with "". */
export async function connectTexts(onList, onTrouble) {
  listener = onList;
  trouble = onTrouble;
  if (!onList) return;
  try {
    const ids = (await keys(store())).filter((key) => `${key}`.startsWith("about:")).map((key) => key.slice(6));
    const abouts = await getMany(ids.map(aboutKey), store());
    ids.forEach((id, index) => { if (abouts[index] && !known.has(id)) known.set(id, abouts[index]); });
    await keepHeld();
  } catch { /* without IndexedDB the journal alone keeps the text */ }
  name = known.get(own)?.name ?? "";
  // What the last page had no time to keep.
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
