// Saved watch expressions by the ID of a saved kernel, or by the content of any other source.
import { KEPT } from "./card-labels.js";

/** Maximum number of sources with saved expressions. The oldest one is removed first. */
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

/** Returns the expressions of a source: those of a link or file, and the saved ones. */
export function keptOf(key, brought = []) {
  const kept = all().find(([own]) => own === key)?.[1] ?? [];
  return [...new Set([...brought, ...kept])].filter(isExpression).slice(0, MOST);
}

export function keep(key, expressions) {
  const others = all().filter(([own]) => own !== key);
  const entries = expressions.length === 0 ? others : [[key, expressions], ...others];
  try { localStorage.setItem(KEPT, JSON.stringify(entries.slice(0, MOST_TEXTS))); } catch { /* the expressions are lost on reload */ }
}
