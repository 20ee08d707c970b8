// Stores the saved kernels of the user. Each kernel is stored separately from the other kernels and from the examples in IndexedDB, which
// holds many megabytes. A short source in the editor is also stored in local storage. Local storage can be written synchronously while the
// page is being closed, when a write to IndexedDB may be too late. Each tab stores the ID of its kernel separately.
import { createStore, delMany, get, getMany, keys, setMany } from "idb-keyval";
import { fromBase64 } from "../widget/link.js";
import { isReference } from "./external-loader.js";
import { kernelName } from "./kernel-name.js";
import { isLink, readLink, RULES, annotatedSource } from "./share-link.js";

/** Maximum length of a source that is stored in local storage, which holds about 5 million characters. A longer source is stored only in
 *  IndexedDB. */
const MAX_JOURNAL_LENGTH = 2_000_000;
/** Maximum number of saved kernels. The page reports an error if the user saves more kernels. */
const MAX_KERNELS = 200;
const JOURNAL_STORAGE_KEY = "warpgrid.journal";
const TAB_STORAGE_KEY = "warpgrid.here";
/** Key prefix of a staged source, which IndexedDB may not contain yet. */
const STAGED_KEY_PREFIX = "warpgrid.held.";

const store = lazily(() => createStore("warpgrid-texts", "texts"));
const sourceKey = (id) => `text:${id}`;
const metadataKey = (id) => `about:${id}`;

function lazily(create) {
  let value = null;
  return () => (value ??= create());
}
function attempt(call) {
  try { return call(); } catch { return null; }
}

/** ID of the saved kernel in the editor, or null for an example. */
let currentId = null;
/** Unsaved changes: the time of the last change, and the source if it comes from the journal. Null if the source is saved. */
let unsavedChange = null;
let savedKernels = new Map();
let listListener = null;
let errorListener = null;

const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** Returns the journal, which is the last state that any tab has written: `{ own, text, changed }`. The source is null if it is stored only
 *  in IndexedDB. */
const readJournal = () => attempt(() => JSON.parse(localStorage.getItem(JOURNAL_STORAGE_KEY)));
/** Returns the state of this tab: `{ own, example, reference }`. */
const readTabState = () => attempt(() => JSON.parse(sessionStorage.getItem(TAB_STORAGE_KEY)));

/** Contents of the link or file that was opened last: `{ shared, text, view, reference }`, with the source as shown in the editor, and the
 *  URL fragment of a source on an external host. The contents are untrusted, but have been validated. */
let openedLink = null;
/** Returns a field of the opened link or file by name, or undefined. */
export function linkedField(name) {
  if (name === "view") return openedLink?.view;
  const value = name.split(".").reduce((object, part) => object?.[part], openedLink?.shared) ?? undefined;
  return typeof value === "object" ? Object.entries(value).map((entry) => entry.join("\t")).join("\n") : value?.toString();
}
/** Returns the storage key of a source: the ID of a saved kernel, otherwise the fingerprint of the source. */
export const kernelKey = (hash) => currentId ?? `print ${hash}`;
/** Returns the contents of the opened link or file while its source is unchanged, otherwise null. */
export const sharedScenarioFor = (text) => (openedLink?.text === text ? openedLink.shared : null);
/** Returns the URL fragment that refers to the source, or undefined. An edited source has no reference. */
export const referenceOf = (text) => (openedLink?.text === text ? openedLink.reference : undefined);
/** Records that a URL fragment refers to a source. */
export function setReference(text, reference) {
  openedLink = { shared: { source: text }, text, reference };
}
/** Stores the contents of a file and returns the source for the editor. `reference` is the URL fragment of a file on an external host. */
export function importShared(shared, origin, reference) {
  // The saved step belongs to the previous source.
  attempt(() => sessionStorage.removeItem("warpgrid.step"));
  const text = annotatedSource(shared, origin);
  openedLink = { shared, text, view: typeof shared.widget === "string" ? shared.widget : undefined, reference };
  return text;
}

/** Reason why the link in the URL cannot be opened, which is kept until the page can report it. */
let linkErrorMessage = null;
export function takeLinkError() {
  const message = linkErrorMessage;
  linkErrorMessage = null;
  return message;
}

/** Returns the source in the URL, or null. The URL may be a link with a view (web/editor/share-link.js) or the link of a widget
 *  (web/widget/link.js). */
async function readLinkedSource() {
  try {
    const shared = isLink(location.hash) ? await readLink(location.hash) : readWidgetLink();
    return shared && importShared(shared, "link");
  } catch (error) {
    linkErrorMessage = error.message;
    removeLinkFromUrl();
    return null;
  }
}

/** Reads the link of a widget and removes the fragment from the URL, so that a reload does not discard later edits. */
function readWidgetLink() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const encoded = parameters.get("text");
  if (encoded === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  const source = attempt(() => new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(encoded)));
  if (source === null) throw new Error(RULES.messages.truncated);
  const step = /^\d+$/.test(parameters.get("step") ?? "") ? Number(parameters.get("step")) : undefined;
  const parameter = (name) => parameters.get(name) ?? undefined;
  return { source, target: parameter("target"), ptx_version: parameter("version"), widget: parameter("view"), view: { step } };
}

/** Removes the link from the URL, which contains a link only as long as it matches the current view. */
function removeLinkFromUrl() {
  if (isLink(location.hash) || isReference(location.hash)) history.replaceState(history.state, "", location.pathname + location.search);
}

// Opening another link in the same tab reloads the page. The current source is saved when the page is unloaded.
addEventListener("hashchange", () => {
  if (isLink(location.hash) || new URLSearchParams(location.hash.slice(1)).has("text")) location.reload();
});

/** Returns the initial source of the editor: the source in the URL, otherwise the source of this tab, otherwise the source of the last tab.
 *  Returns null on the first visit. */
export async function initialSource() {
  const text = await readLinkedSource();
  if (text !== null) {
    // Like an example, a linked source does not become a saved kernel before it is edited.
    attempt(() => sessionStorage.setItem(TAB_STORAGE_KEY, JSON.stringify({ own: null, example: text })));
    return text;
  }
  const [tabState, journal] = [readTabState(), readJournal()];
  if (tabState && tabState.own === null) {
    if (typeof tabState.reference === "string" && typeof tabState.example === "string") setReference(tabState.example, tabState.reference);
    return tabState.example;
  }
  const id = tabState ? tabState.own : journal?.own;
  if (typeof journal?.text !== "string" || journal.own !== id) return id ? readKernel(id) : null;
  currentId = id;
  if (currentId) unsavedChange = { text: journal.text, changed: journal.changed };
  return journal.text;
}

async function readKernel(id) {
  const text = await get(sourceKey(id), store()).catch(() => null) ?? null;
  if (text !== null) currentId = id;
  return text;
}

/** Opens a saved kernel and returns its source, or null if it was deleted. */
export async function openKernel(id, previousSource) {
  removeLinkFromUrl();
  await save(previousSource);
  const text = await readKernel(id);
  if (text !== null) writeJournal(text);
  notifyListener();
  return text;
}

/** Fetches the source of an example. */
export async function fetchExample(file) {
  // The cached response is revalidated, because a later build may have changed the example.
  const response = await fetch(new URL(`examples/${file}`, document.baseURI), { cache: "no-cache" });
  if (!response.ok) throw new Error(`the server returned ${response.status} ${response.statusText}`.trim());
  return response.text();
}

/** Records that the editor shows an example or an opened file, which need not be saved. */
export function didOpenExample(text, previousSource) {
  removeLinkFromUrl();
  const reference = referenceOf(text);
  if (reference) history.replaceState(history.state, "", location.pathname + location.search + reference);
  void save(previousSource);
  currentId = null;
  writeJournal(text);
  notifyListener();
}

/** Records an edit of the user. `previousSource` is the previous source if the edit replaced most of it, otherwise null. */
export function didEdit(previousSource) {
  removeLinkFromUrl();
  if (currentId === null || previousSource !== null) {
    if (previousSource !== null) void save(previousSource);
    currentId = newId();
  }
  unsavedChange = { changed: Date.now() };
}

/** Saves synchronously as much as possible, because the page may be closed before IndexedDB responds. */
export function writeJournal(text) {
  const isShort = text.length <= MAX_JOURNAL_LENGTH;
  const entry = { own: currentId, text: isShort ? text : null, changed: unsavedChange?.changed ?? 0 };
  attempt(() => sessionStorage.setItem(TAB_STORAGE_KEY, JSON.stringify({ own: currentId, example: currentId === null ? text : null, reference: referenceOf(text) })));
  attempt(() => localStorage.setItem(JOURNAL_STORAGE_KEY, JSON.stringify(entry)));
}

/** Saves the source to IndexedDB if it is a kernel of the user and has changed. */
export async function save(text) {
  writeJournal(text);
  if (currentId === null || unsavedChange === null || text.trim() === "") return;
  const { changed } = unsavedChange;
  let id = currentId;
  const initialId = id;
  const name = kernelName(text);
  unsavedChange = null;
  stageInLocalStorage(initialId, { text, name, changed });
  try {
    // Two tabs that show the same kernel save two separate kernels from the first edit on.
    if (!(await acquireWriteLock(id))) id = await changeId(id, newId());
    if (!savedKernels.has(id)) {
      const duplicate = await findDuplicate(id, text);
      if (duplicate) { id = await changeId(id, duplicate); clearStaged(initialId, changed); return; }
      if (savedKernels.size >= MAX_KERNELS) throw new Error(`the limit of ${MAX_KERNELS} saved kernels is reached: delete a saved kernel first`);
    }
    await writeKernel(id, text, { name, changed, length: text.length });
    clearStaged(initialId, changed);
    errorListener?.("");
  } catch (error) {
    // The journal may already contain the source. A browser that denies all storage saves nothing.
    if (!savedKernels.size && readJournal()?.text === text) return;
    errorListener?.(`The kernel could not be saved: ${error?.message || error?.name || error}`);
  } finally {
    notifyListener();
  }
}

async function writeKernel(id, text, metadata) {
  // Two writes of the same kernel may overlap. The later change takes precedence.
  if (savedKernels.get(id)?.changed > metadata.changed) return;
  await setMany([[sourceKey(id), text], [metadataKey(id), metadata]], store());
  savedKernels.set(id, metadata);
}

/** Stores a short source in local storage until IndexedDB contains it, because the page may be closed before. */
function stageInLocalStorage(id, staged) {
  if (staged.text.length <= MAX_JOURNAL_LENGTH) attempt(() => localStorage.setItem(STAGED_KEY_PREFIX + id, JSON.stringify(staged)));
}
/** Removes the staged source unless it was changed after `changed`. A later change remains staged, because its write may not complete
 *  before the page is closed. */
function clearStaged(id, changed = Infinity) {
  const staged = attempt(() => JSON.parse(localStorage.getItem(STAGED_KEY_PREFIX + id)));
  if (staged?.changed > changed) return;
  attempt(() => localStorage.removeItem(STAGED_KEY_PREFIX + id));
}
/** Saves the staged sources, which an earlier page had no time to write to IndexedDB. */
async function saveStaged() {
  const stagedKeys = attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(STAGED_KEY_PREFIX))) ?? [];
  for (const id of stagedKeys.map((key) => key.slice(STAGED_KEY_PREFIX.length))) {
    const staged = attempt(() => JSON.parse(localStorage.getItem(STAGED_KEY_PREFIX + id)));
    const { text, name, changed } = staged ?? {};
    if (typeof text === "string" && changed > (savedKernels.get(id)?.changed ?? 0)) {
      await writeKernel(id, text, { name, changed, length: text.length });
    }
    clearStaged(id, changed);
  }
}

async function changeId(id, other) {
  if (currentId === id) currentId = other;
  return other;
}

/** Returns the saved kernel with the same source, if there is one, so that reopening a source does not create a second kernel. */
async function findDuplicate(id, text) {
  for (const [other, metadata] of savedKernels) {
    if (other !== id && metadata.length === text.length && await get(sourceKey(other), store()) === text) return other;
  }
  return null;
}

const writeLocks = new Map();
/** Checks whether no other tab writes the kernel, and acquires a lock. The lock is held for the lifetime of the page. */
function acquireWriteLock(id) {
  if (!writeLocks.has(id)) {
    writeLocks.set(id, new Promise((resolve) => {
      if (!navigator.locks) { resolve(true); return; }
      const onAcquired = (lock) => { resolve(lock !== null); return lock ? new Promise(() => {}) : undefined; };
      navigator.locks.request(`warpgrid-text-${id}`, { ifAvailable: true }, onAcquired).catch(() => resolve(true));
    }));
  }
  return writeLocks.get(id);
}

/** Deletes the kernel in the editor, if it is a saved kernel. */
export function removeCurrentKernel() {
  if (currentId !== null) void removeKernel(currentId);
}

/** Deletes a saved kernel permanently. */
export async function removeKernel(id) {
  if (currentId === id) [currentId, unsavedChange] = [null, null];
  clearStaged(id);
  savedKernels.delete(id);
  await delMany([sourceKey(id), metadataKey(id)], store()).catch(() => {});
  notifyListener();
}

/** `onList([[id, label]], own)` receives all saved kernels, newest first. `onError(message)` receives an error while saving, or "" when
 *  saving succeeds again. */
export async function connectKernelStore(onList, onError) {
  listListener = onList;
  errorListener = onError;
  if (!onList) return;
  try {
    const ids = (await keys(store())).filter((key) => `${key}`.startsWith("about:")).map((key) => key.slice(6));
    const allMetadata = await getMany(ids.map(metadataKey), store());
    ids.forEach((id, index) => { if (allMetadata[index] && !savedKernels.has(id)) savedKernels.set(id, allMetadata[index]); });
    await saveStaged();
  } catch { /* without IndexedDB only the journal stores the source */ }
  // The journal contains a source that the last page had no time to save.
  if (typeof unsavedChange?.text === "string") {
    if (unsavedChange.changed > (savedKernels.get(currentId)?.changed ?? 0)) await save(unsavedChange.text);
    else unsavedChange = null;
  }
  notifyListener();
}

function notifyListener() {
  const list = [...savedKernels].sort((a, b) => b[1].changed - a[1].changed);
  const labels = new Map();
  const entries = list.map(([id, { name, changed }]) => {
    const label = `${name || "untitled"} · ${formatTime(changed)}`;
    const n = (labels.get(label) ?? 0) + 1;
    labels.set(label, n);
    return [id, n > 1 ? `${label} (${n})` : label];
  });
  listListener?.(entries, currentId ?? "");
}
function formatTime(time) {
  const [date, now] = [new Date(time), new Date()];
  const today = date.toDateString() === now.toDateString();
  return today ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString([], { day: "numeric", month: "short" });
}
