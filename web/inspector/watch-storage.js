// Saved watch expressions, by the ID of a saved kernel, or by the fingerprint of any other source.
import { WATCH_STORAGE_KEY } from "./card-labels.js";

/** Maximum number of sources with saved watch expressions. The expressions of the oldest source are removed first. */
const MAX_SOURCES = 50;
export const MAX_EXPRESSIONS = 32;
export const MAX_EXPRESSION_LENGTH = 500;

const isExpression = (text) => typeof text === "string" && text.length <= MAX_EXPRESSION_LENGTH && !/[\n\0]/.test(text);

function readEntries() {
  try {
    const stored = JSON.parse(localStorage.getItem(WATCH_STORAGE_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((entry) => Array.isArray(entry) && typeof entry[0] === "string" && Array.isArray(entry[1])) : [];
  } catch {
    return [];
  }
}

/** Returns the watch expressions of a source: the expressions of a link or file, followed by the saved expressions. */
export function loadWatches(key, shared = []) {
  const saved = readEntries().find(([entryKey]) => entryKey === key)?.[1] ?? [];
  return [...new Set([...shared, ...saved])].filter(isExpression).slice(0, MAX_EXPRESSIONS);
}

export function saveWatches(key, expressions) {
  const otherEntries = readEntries().filter(([entryKey]) => entryKey !== key);
  const entries = expressions.length === 0 ? otherEntries : [[key, expressions], ...otherEntries];
  try { localStorage.setItem(WATCH_STORAGE_KEY, JSON.stringify(entries.slice(0, MAX_SOURCES))); } catch { /* the expressions are lost on reload */ }
}
