// Language features of the editor: hover, completion, signature help, search and the formatter. The worker responds with arrays (see
// web/src/assist.rs); without a worker, nothing is shown.
import { createElement } from "../dom.js";
import { autocompletion } from "@codemirror/autocomplete";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip } from "@codemirror/view";

/** Maximum length of a source in UTF-16 units that is sent with each request. For longer sources, the features are disabled. */
const MAX_REQUEST_LENGTH = 200_000;
/** Completion opens automatically after a letter or one of these characters, but not after a blank or other punctuation. */
const COMPLETION_TRIGGER = /[\w$.%@]$/;

let requests = null;

/** Connects the worker. `hover(text, offset)`, `complete(text, offset)`, `signature(text, offset)` and `format(text)` return promises. Null
 *  disconnects a worker that has stopped. */
export function connectLanguageFeatures(handlers) {
  requests = handlers;
}

/** Inferred access layouts by line: `[opcode, description, link or null]`. */
let layouts = new Map();
export function setLayouts(entries) {
  layouts = new Map(entries.map(([line, ...layout]) => [line, layout]));
}

async function sendRequest(name, state, offset) {
  if (!requests || state.doc.length > MAX_REQUEST_LENGTH) return null;
  const result = await requests[name](state.doc.toString(), offset);
  return result?.length ? result : null;
}

/** Appends a message of the worker to an element. Backticks in the message enclose code. */
function appendInlineCode(text, parent) {
  text.split("`").forEach((fragment, index) => {
    if (!fragment) return;
    const isCode = index % 2 === 1;
    // A link to a layout diagram is rendered as an anchor.
    const isLink = isCode && /^#(lens|layouts|matrix)\?/.test(fragment);
    const node = isCode ? document.createElement(isLink ? "a" : "code") : document.createTextNode(fragment);
    if (isCode) node.textContent = isLink ? "Layout Explorer" : fragment;
    if (isLink) node.href = fragment;
    parent.append(node);
  });
  return parent;
}

/** Returns the meaning of the token at an offset and the layout of its line, or null if neither is known. */
async function hoverInfoAt(state, offset) {
  const info = await sendRequest("hover", state, offset);
  const line = state.doc.lineAt(Math.min(offset, state.doc.length));
  const [opcode, description, link] = layouts.get(line.number) ?? [];
  if (!description) return info;
  const layoutLines = [`This access, ${description}.`, ...(link ? [`\`${link}\` draws it.`] : [])];
  if (!info) return [line.from + line.text.search(/\S|$/), line.to, opcode, layoutLines];
  const [pos, end, title, lines] = info;
  return [pos, end, title, [...lines, ...layoutLines]];
}

async function hoverTooltipAt(state, offset) {
  const info = await hoverInfoAt(state, offset);
  if (!info) return null;
  const [pos, end, title, lines] = info;
  return {
    pos, end: Math.min(end, state.doc.length), above: true, announcement: [title, ...lines].join("\n").replaceAll("`", ""),
    create() {
      const dom = createElement("div", { class: "cm-hover-info" });
      dom.append(createElement("strong", { class: "cm-hover-title" }, title));
      for (const line of lines) dom.append(appendInlineCode(line, createElement("p")));
      return { dom };
    },
  };
}
const pointerHover = hoverTooltip((view, offset) => hoverTooltipAt(view.state, offset));

/** Effect that shows the documentation of the token at the cursor until the cursor moves, which is the keyboard equivalent of the hover
 *  tooltip. */
const hoverEffect = StateEffect.define();
const cursorHover = StateField.define({
  create: () => null,
  update(current, transaction) {
    for (const effect of transaction.effects) if (effect.is(hoverEffect)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : current;
  },
  provide: (field) => showTooltip.from(field),
});
async function showHoverAtCursor(view) {
  const { state } = view;
  const { head } = state.selection.main;
  const tooltip = await hoverTooltipAt(state, head) ?? (head > 0 ? await hoverTooltipAt(state, head - 1) : null);
  if (view.state.doc !== state.doc || view.state.selection.main.head !== head) return;
  const effects = [signatureHelpEffect.of(null), hoverEffect.of(tooltip)];
  if (tooltip) effects.push(EditorView.announce.of(tooltip.announcement));
  view.dispatch({ effects });
}

async function completionSource(context) {
  const before = context.state.doc.lineAt(context.pos);
  const linePrefix = context.state.sliceDoc(before.from, context.pos);
  if (!context.explicit && !COMPLETION_TRIGGER.test(linePrefix)) return null;
  const candidates = await sendRequest("complete", context.state, context.pos);
  if (!candidates) return null;
  const from = candidates[0][0];
  const word = context.state.sliceDoc(from, context.pos);
  // No list is shown if the only candidate is the word that has been typed completely.
  if (!context.explicit && candidates.length === 1 && candidates[0][1] === word) return null;
  const options = candidates.map(([, label, kind, help, requirements]) => ({
    label, type: kind, detail: requirements?.replaceAll("`", "") ?? "", info: help ? () => appendInlineCode(help, createElement("div")) : undefined,
  }));
  // The worker has already filtered and sorted the candidates.
  return { from, options, filter: false };
}

const signatureHelpEffect = StateEffect.define();
const signatureHelp = StateField.define({
  create: () => null,
  update(current, transaction) {
    for (const effect of transaction.effects) if (effect.is(signatureHelpEffect)) return effect.value;
    // The tooltip keeps its position in the text until the worker responds.
    return current && transaction.docChanged ? { ...current, pos: transaction.changes.mapPos(current.pos) } : current;
  },
  provide: (field) => showTooltip.from(field),
});

/** Updates signature help after typing. While signature help is shown, it is also updated after cursor moves. */
const updateSignatureHelp = EditorView.updateListener.of(({ view, state, transactions, docChanged, selectionSet }) => {
  if (transactions.some(({ effects }) => effects.some((effect) => effect.is(signatureHelpEffect)))) return;
  const isTyping = docChanged && transactions.some((transaction) => transaction.isUserEvent("input") || transaction.isUserEvent("delete"));
  if (isTyping || (state.field(signatureHelp) && (docChanged || selectionSet))) showSignatureHelp(view);
});

async function showSignatureHelp(view) {
  const { state } = view;
  // Wait until the edited source has been sent to the worker for its check.
  await new Promise(requestAnimationFrame);
  if (view.state.doc !== state.doc || !view.state.selection.eq(state.selection)) return;
  const tooltip = await signatureHelpAt(state);
  if (view.state.doc !== state.doc || !view.state.selection.eq(state.selection)) return;
  if (tooltip || view.state.field(signatureHelp)) view.dispatch({ effects: signatureHelpEffect.of(tooltip) });
}

/** Returns the signature of the instruction at the cursor while the user is typing an operand. */
async function signatureHelpAt(state) {
  const { main } = state.selection;
  const signature = main.empty && state.selection.ranges.length === 1 ? await sendRequest("signature", state, main.head) : null;
  if (!signature) return null;
  const [syntax, help, operand] = signature;
  const line = state.doc.lineAt(main.head);
  const pos = line.from + (/\S/.exec(line.text)?.index ?? 0);
  return {
    pos, above: true,
    create() {
      const dom = createElement("div", { class: "cm-signature-help" });
      dom.title = `${syntax}\n${help}`;
      dom.append(...syntaxNodes(syntax, operand));
      return { dom };
    },
  };
}

/** Maximum length of a displayed opcode. Longer opcodes are shortened, because their modifiers are already visible in the source. */
const MAX_OPCODE_LENGTH = 36;

/** Returns the syntax line with the active operand in bold. */
function syntaxNodes(syntax, operand) {
  const end = syntax.indexOf(" ");
  if (end < 0) return [syntax];
  const opcode = syntax.slice(0, end);
  const firstBrace = opcode.search(/[{]/);
  const shortened = opcode.length > MAX_OPCODE_LENGTH && firstBrace > 0 ? `${opcode.slice(0, firstBrace)}…` : opcode;
  const operands = syntax.slice(end);
  const operandStart = operand ? wordAt(operands, operand, 0) : -1;
  if (operandStart < 0) return [shortened + operands];
  return [shortened + operands.slice(0, operandStart), createElement("b", {}, operand), operands.slice(operandStart + operand.length)];
}
function wordAt(text, word, from) {
  const isWord = (c) => c !== undefined && /[\w-]/.test(c);
  for (let start = text.indexOf(word, from); start >= 0; start = text.indexOf(word, start + 1)) {
    if (!isWord(text[start - 1]) && !isWord(text[start + word.length])) return start;
  }
  return -1;
}

function dismiss(view) {
  if (!view.state.field(signatureHelp) && !view.state.field(cursorHover)) return false;
  view.dispatch({ effects: [signatureHelpEffect.of(null), hoverEffect.of(null)] });
  return true;
}

/** Replaces the source by the formatted source in a single change. The cursor stays at the same token, and therefore on the same line. */
export async function formatText(view) {
  if (!requests) return;
  const { state } = view;
  const current = state.doc.toString();
  const text = await requests.format(current);
  // Text that the user has typed in the meantime is not overwritten.
  if (typeof text !== "string" || text === current || view.state.doc !== state.doc) return;
  let commonPrefix = 0;
  while (commonPrefix < current.length && commonPrefix < text.length && current[commonPrefix] === text[commonPrefix]) commonPrefix += 1;
  let commonSuffix = 0;
  const maxSuffix = Math.min(current.length, text.length) - commonPrefix;
  while (commonSuffix < maxSuffix && current.at(-1 - commonSuffix) === text.at(-1 - commonSuffix)) commonSuffix += 1;
  const { anchor, head } = view.state.selection.main;
  view.dispatch({
    changes: { from: commonPrefix, to: current.length - commonSuffix, insert: text.slice(commonPrefix, text.length - commonSuffix) },
    selection: { anchor: mapOffset(current, text, anchor), head: mapOffset(current, text, head) },
    effects: signatureHelpEffect.of(null),
    scrollIntoView: true,
    userEvent: "format",
  });
}

/** Maps an offset to the other text by the number of preceding visible characters, because the two texts differ only in whitespace. */
function mapOffset(old, text, offset) {
  const visible = /\S/;
  let visibleBefore = 0;
  for (let i = 0; i < offset; i += 1) if (visible.test(old[i])) visibleBefore += 1;
  // At a boundary between two tokens, the start of the second token takes precedence over the end of the first token.
  const isTokenStart = offset < old.length && visible.test(old[offset]);
  let i = 0;
  for (; i < text.length && (visibleBefore > 0 || (isTokenStart && !visible.test(text[i]))); i += 1) {
    if (visible.test(text[i])) visibleBefore -= 1;
  }
  return i;
}

export const languageFeatures = [
  pointerHover,
  autocompletion({ override: [completionSource], icons: false, maxRenderedOptions: 80 }),
  signatureHelp, updateSignatureHelp, cursorHover,
  Prec.high(keymap.of([{ key: "Escape", run: dismiss }, { key: "Mod-i", run: (view) => { showHoverAtCursor(view); return true; }, preventDefault: true }])),
  highlightSelectionMatches(),
  keymap.of(searchKeymap),
  keymap.of([{ key: "Shift-Alt-f", run: (view) => { formatText(view); return true; }, preventDefault: true }]),
  EditorView.domEventHandlers({
    blur: (_, view) => { setTimeout(() => { if (!view.hasFocus) dismiss(view); }); },
  }),
];
