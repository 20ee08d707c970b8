// What the core knows of the text, at the place where one reads and writes it: hover, completion, the form being
// written, the formatter. Answers come from the core as arrays (see web/src/assist.rs); without a core nothing shows.
import { autocompletion } from "@codemirror/autocomplete";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip } from "@codemirror/view";

/** Beyond this many units a text is not read again for each question. */
const ASKED_LENGTH = 200_000;
/** After one of these, or a letter, completion opens by itself; a blank and punctuation leave it closed. */
const OPENS = /[\w$.%@]$/;

let answers = null;

/** `hover(text, at)`, `complete(text, at)`, `signature(text, at)` and `format(text)`, or null when the core has stopped. */
export function connectAssist(functions) {
  answers = functions;
}

function ask(name, state, at) {
  if (!answers || state.doc.length > ASKED_LENGTH) return null;
  const found = answers[name](state.doc.toString(), at);
  return found?.length ? found : null;
}

/** Text of the core: what stands in backticks is code. */
function prose(text, parent) {
  text.split("`").forEach((piece, index) => {
    if (!piece) return;
    const node = index % 2 ? document.createElement("code") : document.createTextNode(piece);
    if (index % 2) node.textContent = piece;
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

function meaningAt(state, at) {
  const found = ask("hover", state, at);
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

/** The same for those who have no pointer: the token at the cursor, until the cursor moves. */
const setMeaning = StateEffect.define();
const meaning = StateField.define({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMeaning)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});
function explain(view) {
  const { head } = view.state.selection.main;
  const found = meaningAt(view.state, head) ?? (head > 0 ? meaningAt(view.state, head - 1) : null);
  const effects = [closeForm.of(null), setMeaning.of(found)];
  if (found) effects.push(EditorView.announce.of(found.said));
  view.dispatch({ effects });
  return true;
}

function completions(context) {
  const before = context.state.doc.lineAt(context.pos);
  const written = context.state.sliceDoc(before.from, context.pos);
  if (!context.explicit && !OPENS.test(written)) return null;
  const found = ask("complete", context.state, context.pos);
  if (!found) return null;
  const from = found[0][0];
  const begun = context.state.sliceDoc(from, context.pos);
  // A word that is finished, and the only one possible, needs no list.
  if (!context.explicit && found.length === 1 && found[0][1] === begun) return null;
  const options = found.map(([, label, sort, help, needs]) => ({
    label, type: sort, detail: needs?.replaceAll("`", "") ?? "", info: help ? () => prose(help, element("div", "")) : undefined,
  }));
  // The core has chosen and ordered them.
  return { from, options, filter: false };
}

const closeForm = StateEffect.define();
const form = StateField.define({
  create: () => null,
  update(shown, transaction) {
    if (transaction.effects.some((effect) => effect.is(closeForm))) return null;
    const typed = transaction.docChanged && (transaction.isUserEvent("input") || transaction.isUserEvent("delete"));
    const moved = shown && (transaction.docChanged || transaction.selection);
    return typed || moved ? formAt(transaction.state) : shown;
  },
  provide: (field) => showTooltip.from(field),
});

/** The form written at the cursor, while an operand of it is written. */
function formAt(state) {
  const { main } = state.selection;
  const found = main.empty && state.selection.ranges.length === 1 ? ask("signature", state, main.head) : null;
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

/** Opcodes longer than this are shortened: their modifiers are written already. */
const OPCODE_LENGTH = 36;

/** The syntax line with the operand that is being written made strong. */
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
  view.dispatch({ effects: [closeForm.of(null), setMeaning.of(null)] });
  return true;
}

/** Replaces the text by the formatted one: one change, the cursor stays at its token, and so on its line. */
export function formatText(view) {
  if (!answers) return false;
  const { state } = view;
  const old = state.doc.toString();
  const text = answers.format(old);
  if (typeof text !== "string" || text === old) return typeof text === "string";
  let from = 0;
  while (from < old.length && from < text.length && old[from] === text[from]) from += 1;
  let same = 0;
  const most = Math.min(old.length, text.length) - from;
  while (same < most && old.at(-1 - same) === text.at(-1 - same)) same += 1;
  const { anchor, head } = state.selection.main;
  view.dispatch({
    changes: { from, to: old.length - same, insert: text.slice(from, text.length - same) },
    selection: { anchor: samePlace(old, text, anchor), head: samePlace(old, text, head) },
    effects: closeForm.of(null),
    scrollIntoView: true,
    userEvent: "format",
  });
  return true;
}

/** The place in `text` with as many visible characters before it as `at` has in `old`: blanks are all that differs. */
function samePlace(old, text, at) {
  const visible = /\S/;
  let n_before = 0;
  for (let i = 0; i < at; i += 1) if (visible.test(old[i])) n_before += 1;
  // At the start of a token rather than at the end of the one before.
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
  form, meaning,
  Prec.high(keymap.of([{ key: "Escape", run: dismiss }, { key: "Mod-i", run: explain, preventDefault: true }])),
  keymap.of([{ key: "Shift-Alt-f", run: formatText, preventDefault: true }]),
  EditorView.domEventHandlers({
    blur: (_, view) => { setTimeout(() => { if (!view.hasFocus) dismiss(view); }); },
  }),
];
