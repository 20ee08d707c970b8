// What is watched of each text, kept in the browser: by the text's id, or by its content where it is no text of a person's own.
import { KEPT } from "./names.js";

/** Texts whose expressions are kept; the oldest goes first. */
const MOST_TEXTS = 50;
export const MOST = 32;
export const LONGEST = 500;

const isExpression = (text) => typeof text === "string" && text.length <= LONGEST && !/[\n\0]/.test(text);

function all() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.filter((entry) => Array.isArray(entry) && typeof entry[0] === "string" && Array.isArray(entry[1])) : [];
  } catch {
    return [];
  }
}

/** The expressions of a text: those that a link or a file has brought, and those that were kept. */
export function keptOf(key, brought = []) {
  const kept = all().find(([own]) => own === key)?.[1] ?? [];
  return [...new Set([...brought, ...kept])].filter(isExpression).slice(0, MOST);
}

export function keep(key, expressions) {
  const others = all().filter(([own]) => own !== key);
  const entries = expressions.length === 0 ? others : [[key, expressions], ...others];
  try { localStorage.setItem(KEPT, JSON.stringify(entries.slice(0, MOST_TEXTS))); } catch { /* they last as long as the page */ }
}
