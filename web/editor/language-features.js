// Language features of the editor: hover, completion, signature help and the formatter. The worker responds with arrays (see
// web/src/assist.rs); without a worker, nothing is shown.
import { autocompletion } from "@codemirror/autocomplete";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip } from "@codemirror/view";

/** Maximum source length in UTF-16 units. Longer sources are not sent for each request. */
const ASKED_LENGTH = 200_000;
/** Completion opens automatically after a letter or one of these characters, but not after a blank or other punctuation. */
const OPENS = /[\w$.%@]$/;

let answers = null;

/** `hover(text, at)`, `complete(text, at)`, `signature(text, at)` and `format(text)` return promises. Null if the page has stopped. */
export function connectAssist(functions) {
  answers = functions;
}

/** Inferred access layouts by line: `[opcode, words, link or null]`. */
let layouts = new Map();
export function setLayouts(found) {
  layouts = new Map(found.map(([line, ...rest]) => [line, rest]));
}

async function ask(name, state, at) {
  if (!answers || state.doc.length > ASKED_LENGTH) return null;
  const found = await answers[name](state.doc.toString(), at);
  return found?.length ? found : null;
}

/** Appends a message of the worker, in which backticks enclose code. */
function prose(text, parent) {
  text.split("`").forEach((piece, index) => {
    if (!piece) return;
    const isCode = index % 2 === 1;
    // A layout link becomes an anchor to its diagram.
    const isLink = isCode && /^#(lens|layouts|matrix)\?/.test(piece);
    const node = isCode ? document.createElement(isLink ? "a" : "code") : document.createTextNode(piece);
    if (isCode) node.textContent = isLink ? "Layout Explorer" : piece;
    if (isLink) node.href = piece;
    parent.append(node);
  });
  return parent;
}
function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** Returns the meaning of the token at an offset and the layout of its line, or null if neither is known. */
async function whatIsAt(state, at) {
  const found = await ask("hover", state, at);
  const line = state.doc.lineAt(Math.min(at, state.doc.length));
  const [opcode, words, link] = layouts.get(line.number) ?? [];
  if (!words) return found;
  const said = [`This access, ${words}.`, ...(link ? [`\`${link}\` draws it.`] : [])];
  if (!found) return [line.from + line.text.search(/\S|$/), line.to, opcode, said];
  const [pos, end, title, lines] = found;
  return [pos, end, title, [...lines, ...said]];
}

async function meaningAt(state, at) {
  const found = await whatIsAt(state, at);
  if (!found) return null;
  const [pos, end, title, lines] = found;
  return {
    pos, end: Math.min(end, state.doc.length), above: true, said: [title, ...lines].join("\n").replaceAll("`", ""),
    create() {
      const dom = element("div", "cm-meaning");
      dom.append(element("strong", "cm-meaning-title", title));
      for (const line of lines) dom.append(prose(line, element("p", "")));
      return { dom };
    },
  };
}
const hovers = hoverTooltip((view, at) => meaningAt(view.state, at));

/** Keyboard equivalent of the hover tooltip: shows the token at the cursor until the cursor moves. */
const setMeaning = StateEffect.define();
const meaning = StateField.define({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMeaning)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});
async function explain(view) {
  const { state } = view;
  const { head } = state.selection.main;
  const found = await meaningAt(state, head) ?? (head > 0 ? await meaningAt(state, head - 1) : null);
  if (view.state.doc !== state.doc || view.state.selection.main.head !== head) return;
  const effects = [setForm.of(null), setMeaning.of(found)];
  if (found) effects.push(EditorView.announce.of(found.said));
  view.dispatch({ effects });
}

async function completions(context) {
  const before = context.state.doc.lineAt(context.pos);
  const written = context.state.sliceDoc(before.from, context.pos);
  if (!context.explicit && !OPENS.test(written)) return null;
  const found = await ask("complete", context.state, context.pos);
  if (!found) return null;
  const from = found[0][0];
  const begun = context.state.sliceDoc(from, context.pos);
  // A complete word that is the only candidate needs no list.
  if (!context.explicit && found.length === 1 && found[0][1] === begun) return null;
  const options = found.map(([, label, sort, help, needs]) => ({
    label, type: sort, detail: needs?.replaceAll("`", "") ?? "", info: help ? () => prose(help, element("div", "")) : undefined,
  }));
  // The worker has filtered and sorted the options.
  return { from, options, filter: false };
}

const setForm = StateEffect.define();
const form = StateField.define({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setForm)) return effect.value;
    // Keeps the tooltip in place until the worker responds.
    return shown && transaction.docChanged ? { ...shown, pos: transaction.changes.mapPos(shown.pos) } : shown;
  },
  provide: (field) => showTooltip.from(field),
});

/** Updates signature help after typing, and while it is shown, after cursor moves, too. */
const followForm = EditorView.updateListener.of(({ view, state, transactions, docChanged, selectionSet }) => {
  if (transactions.some(({ effects }) => effects.some((effect) => effect.is(setForm)))) return;
  const typed = docChanged && transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete"));
  if (typed || (state.field(form) && (docChanged || selectionSet))) showForm(view);
});

async function showForm(view) {
  const { state } = view;
  // The check of the edited source is sent first.
  await new Promise(requestAnimationFrame);
  if (view.state.doc !== state.doc || !view.state.selection.eq(state.selection)) return;
  const found = await formAt(state);
  if (view.state.doc !== state.doc || !view.state.selection.eq(state.selection)) return;
  if (found || view.state.field(form)) view.dispatch({ effects: setForm.of(found) });
}

/** Returns the signature of the instruction at the cursor while an operand is being written. */
async function formAt(state) {
  const { main } = state.selection;
  const found = main.empty && state.selection.ranges.length === 1 ? await ask("signature", state, main.head) : null;
  if (!found) return null;
  const [syntax, help, operand] = found;
  const line = state.doc.lineAt(main.head);
  const pos = line.from + (/\S/.exec(line.text)?.index ?? 0);
  return {
    pos, above: true,
    create() {
      const dom = element("div", "cm-form");
      dom.title = `${syntax}\n${help}`;
      dom.append(...syntaxNodes(syntax, operand));
      return { dom };
    },
  };
}

/** Maximum length of a displayed opcode. Longer ones are shortened, because their modifiers are already written. */
const OPCODE_LENGTH = 36;

/** Returns the syntax line with the active operand in bold. */
function syntaxNodes(syntax, operand) {
  const end = syntax.indexOf(" ");
  if (end < 0) return [syntax];
  const opcode = syntax.slice(0, end);
  const first = opcode.search(/[{]/);
  const shown = opcode.length > OPCODE_LENGTH && first > 0 ? `${opcode.slice(0, first)}…` : opcode;
  const operands = syntax.slice(end);
  const at = operand ? wordAt(operands, operand, 0) : -1;
  if (at < 0) return [shown + operands];
  return [shown + operands.slice(0, at), element("b", "", operand), operands.slice(at + operand.length)];
}
function wordAt(text, word, from) {
  const isWord = (c) => c !== undefined && /[\w-]/.test(c);
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + word.length])) return at;
  }
  return -1;
}

function dismiss(view) {
  if (!view.state.field(form) && !view.state.field(meaning)) return false;
  view.dispatch({ effects: [setForm.of(null), setMeaning.of(null)] });
  return true;
}

/** Replaces the source by the formatted one in a single change. The cursor stays at its token, and thus on its line. */
export async function formatText(view) {
  if (!answers) return;
  const { state } = view;
  const old = state.doc.toString();
  const text = await answers.format(old);
  // Text that was typed in the meantime is not overwritten.
  if (typeof text !== "string" || text === old || view.state.doc !== state.doc) return;
  let from = 0;
  while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
  let same = 0;
  const most = Math.min(old.length, text.length) - from;
  while (same < most && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  const { anchor, head } = view.state.selection.main;
  view.dispatch({
    changes: { from, to: old.length - same, insert: text.slice(from, text.length - same) },
    selection: { anchor: samePlace(old, text, anchor), head: samePlace(old, text, head) },
    effects: setForm.of(null),
    scrollIntoView: true,
    userEvent: "format",
  });
}

/** Maps an offset by the number of preceding visible characters, because the texts differ only in whitespace. */
function samePlace(old, text, at) {
  const visible = /\S/;
  let n_before = 0;
  for (let i = 0; i < at; i += 1) if (visible.test(old[i])) n_before += 1;
  // Prefers the start of a token to the end of the previous one.
  const starts = at < old.length && visible.test(old[at]);
  let i = 0;
  for (; i < text.length && (n_before > 0 || (starts && !visible.test(text[i]))); i += 1) {
    if (visible.test(text[i])) n_before -= 1;
  }
  return i;
}

export const assist = [
  hovers,
  autocompletion({ override: [completions], icons: false, maxRenderedOptions: 80 }),
  form, followForm, meaning,
  Prec.high(keymap.of([{ key: "Escape", run: dismiss }, { key: "Mod-i", run: (view) => { explain(view); return true; }, preventDefault: true }])),
  keymap.of([{ key: "Shift-Alt-f", run: (view) => { formatText(view); return true; }, preventDefault: true }]),
  EditorView.domEventHandlers({
    blur: (_, view) => { setTimeout(() => { if (!view.hasFocus) dismiss(view); }); },
  }),
];
