// The text editor of the page: CodeMirror, coloured and checked by the Rust core.
// It works before the core has arrived: the text can be edited and is kept over a reload.
// The page reaches it as `globalThis.warpgridEditor` (see web/src/editor.rs).
import "./core.js";
import "./offline.js";
import "./palette.js";
import { Compartment, EditorState, StateEffect, StateField, RangeSet, RangeSetBuilder } from "@codemirror/state";
import {
  EditorView, ViewPlugin, Decoration, MatchDecorator, GutterMarker, gutter, keymap, lineNumbers, lineNumberMarkers,
  drawSelection, highlightSpecialChars, rectangularSelection, highlightActiveLine,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import { assist, connectAssist, formatText, setLayouts } from "./assist.js";
import { shareOf, showEmbed } from "./embed.js";
import { savePromised } from "./files.js";
import { chooseFile, fillFrom, isFilling } from "./fill.js";
import { followLearn, openLearn } from "./learn.js";
import { arrange, guessedLines, showLook, watched } from "./look.js";
import { fromFiles, listenToDrops, showShare } from "./share.js";
import { addNarrow, openHeader, showView } from "./narrow.js";
import * as texts from "./texts.js";
import { listenToZoom } from "./zoom.js";
import firstExample from "first-example";

/** Beyond this many units a text is coloured only after a pause, and only so far. */
const EAGER_LENGTH = 200_000;
const COLOURED_LENGTH = 2_000_000;

/** A mark for each class of tokens, by its number; the page names the classes when it connects. */
let tokenMarks = [];

/** Called into the page's Rust: when it breaks there, the editor lives on without it. */
let tokenizer = null;
let onChange = null;
let onLine = null;
let onHeader = null;
let onOpened = null;
let onFailed = null;
let onCompiled = null;
let onBreaks = null;
let onPin = null;
let hoveredLine = 0;

/** The tokens of a text that was here, and what has changed since; the worker sends those of the text that is here. */
const tokensChanged = StateEffect.define();
const tokens = StateField.define({
  create: () => ({ data: new Uint32Array(0), since: null }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(tokensChanged)) return effect.value;
    return transaction.docChanged ? { data: value.data, since: composed(value.since, transaction.changes.desc) } : value;
  },
});
const composed = (since, changes) => since?.composeDesc(changes) ?? changes;

/** The text whose tokens are being asked for, as changes from it to the present one. */
let asked = null;

async function colour() {
  if (!tokenizer || asked) return;
  asked = { since: null };
  const data = await tokenizer(view.state.doc.sliceString(0, COLOURED_LENGTH));
  const { since } = asked;
  asked = null;
  if (!data) return;
  view.dispatch({ effects: tokensChanged.of({ data, since }) });
  // Typed while the answer was on its way. A long text is asked about when it rests.
  if (since && view.state.doc.length <= EAGER_LENGTH) colour();
}

/** The first token that ends after `position`; tokens are triples (start, end, class) in order. */
function firstTokenAfter(data, position) {
  let low = 0;
  let high = data.length / 3;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (data[middle * 3 + 1] <= position) low = middle + 1;
    else high = middle;
  }
  return low * 3;
}

function visibleTokens(view) {
  const { data, since } = view.state.field(tokens);
  const back = since?.invertedDesc;
  const then = (position, side) => back?.mapPos(position, side) ?? position;
  // What is typed at the end of a token looks like the token until the answer comes.
  const now = (position) => since?.mapPos(position, 1) ?? position;
  const builder = new RangeSetBuilder();
  const length = view.state.doc.length;
  for (const { from, to } of view.visibleRanges) {
    const end = then(to, 1);
    for (let i = firstTokenAfter(data, then(from, -1)); i < data.length && data[i] < end; i += 3) {
      const start = now(data[i]);
      const stop = Math.min(now(data[i + 1]), length);
      const mark = tokenMarks[data[i + 2]];
      if (start < stop && mark) builder.add(start, stop, mark);
    }
  }
  return builder.finish();
}

const highlighter = ViewPlugin.fromClass(class {
  constructor(view) { this.decorations = visibleTokens(view); }
  update(update) {
    const changed = update.startState.field(tokens) !== update.state.field(tokens);
    if (changed || update.docChanged || update.viewportChanged) this.decorations = visibleTokens(update.view);
  }
}, { decorations: (plugin) => plugin.decorations });

const marksChanged = StateEffect.define();
const marks = StateField.define({
  create: () => ({ done: 0, next: 0, linked: [], faulted: 0 }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(marksChanged)) return effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.compute([field, "doc"], (state) => {
    const { done, linked, faulted } = state.field(field);
    const classes = new Map();
    const add = (line, name) => {
      if (line >= 1 && line <= state.doc.lines) classes.set(line, `${classes.get(line) ?? ""} ${name}`.trim());
    };
    add(done, "line-done");
    add(faulted, "line-faulted");
    for (const line of linked) add(line, "line-linked");
    const ordered = [...classes].sort((a, b) => a[0] - b[0]);
    return Decoration.set(ordered.map(([line, name]) => Decoration.line({ class: name }).range(state.doc.line(line).from)));
  }),
});

class Arrow extends GutterMarker {
  constructor(text, title) { super(); this.text = text; this.title = title; }
  eq(other) { return other.text === this.text; }
  toDOM() {
    const span = document.createElement("span");
    span.textContent = this.text;
    span.title = this.title;
    return span;
  }
}
const doneArrow = new Arrow("▸", "last executed step");
const nextArrow = new Arrow("▹", "next instruction");
const stepGutter = gutter({
  class: "cm-steps",
  lineMarker(view, block) {
    const { done, next } = view.state.field(marks);
    const line = view.state.doc.lineAt(block.from).number;
    return line === done ? doneArrow : line === next ? nextArrow : null;
  },
  lineMarkerChange: (update) => update.startState.field(marks) !== update.state.field(marks),
  initialSpacer: () => doneArrow,
});

/** What the accesses of each line cost: `[line, text, title, level]`. They keep their lines while the text is edited. */
const costsChanged = StateEffect.define();
class CostMark extends GutterMarker {
  constructor(text, title, level) { super(); Object.assign(this, { text, title, level }); }
  eq(other) { return other.text === this.text && other.title === this.title; }
  toDOM() {
    const span = document.createElement("span");
    span.className = this.level;
    span.textContent = this.text;
    span.title = this.title;
    return span;
  }
}
const costs = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(costsChanged)) continue;
      const { doc } = transaction.state;
      const inText = effect.value.filter(([line]) => line >= 1 && line <= doc.lines);
      return RangeSet.of(inText.map(([line, text, title, level]) => new CostMark(text, title, level).range(doc.line(line).from)), true);
    }
    return value.map(transaction.changes);
  },
});
const costGutter = gutter({ class: "cm-costs", markers: (view) => view.state.field(costs) });

/** Lines whose accesses race, or read what nothing has written: `[line, title, level]`. */
const racesChanged = StateEffect.define();
const races = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(racesChanged)) continue;
      const { doc } = transaction.state;
      const inText = effect.value.filter(([line]) => line >= 1 && line <= doc.lines);
      return RangeSet.of(inText.map(([line, title, level]) => new CostMark("◆", title, level).range(doc.line(line).from)), true);
    }
    return value.map(transaction.changes);
  },
});
const raceGutter = gutter({ class: "cm-races", markers: (view) => view.state.field(races) });

/** Breakpoints: a set of marks at the starts of lines. They keep their lines while the text is edited, and go with a line that is deleted. */
const breakMark = new (class extends GutterMarker { elementClass = "cm-break"; })();
const breakToggled = StateEffect.define();
const breaksCleared = StateEffect.define();
const breaks = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    const { changes, effects, startState, state: { doc } } = transaction;
    let starts = [];
    for (const cursor = value.iter(); cursor.value; cursor.next()) starts.push(cursor.from);
    if (transaction.docChanged) {
      const stays = ({ from, to }) => to === from || changes.touchesRange(from, to) !== "cover";
      starts = starts.filter((at) => stays(startState.doc.lineAt(at))).map((at) => doc.lineAt(changes.mapPos(at, 1)).from);
    }
    const isOther = transaction.docChanged || effects.some((effect) => effect.is(breakToggled) || effect.is(breaksCleared));
    for (const effect of effects) {
      if (effect.is(breaksCleared)) starts = [];
      if (effect.is(breakToggled)) starts = starts.includes(effect.value) ? starts.filter((at) => at !== effect.value) : [...starts, effect.value];
    }
    return isOther ? RangeSet.of([...new Set(starts)].map((at) => breakMark.range(at)), true) : value;
  },
  provide: (field) => lineNumberMarkers.from(field),
});
function breakLines({ doc }, set) {
  const lines = [];
  for (const cursor = set.iter(); cursor.value; cursor.next()) lines.push(doc.lineAt(cursor.from).number);
  return lines;
}
function toggleBreak(view, at = view.state.selection.main.head) {
  const { from, number } = view.state.doc.lineAt(at);
  const isSet = breakLines(view.state, view.state.field(breaks)).includes(number);
  const said = isSet ? `Breakpoint removed from line ${number}` : `Breakpoint set at line ${number}`;
  view.dispatch({ effects: [breakToggled.of(from), EditorView.announce.of(said)] });
  return true;
}
const breakNumbers = lineNumbers({
  domEventHandlers: { mousedown: (view, block, event) => event.button === 0 && toggleBreak(view, block.from) },
});
const breakListener = EditorView.updateListener.of((update) => {
  const set = update.state.field(breaks);
  if (update.startState.field(breaks) !== set) onBreaks?.(breakLines(update.state, set));
});

/** Breakpoints outlast a reload of their tab, where the text is the same then. */
const BREAKS = "warpgrid.breaks";
function printOf(text) {
  let hash = text.length;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
function keepBreaks() {
  const lines = breakLines(view.state, view.state.field(breaks));
  try { sessionStorage.setItem(BREAKS, JSON.stringify([printOf(api.text()), lines])); } catch { /* they are gone then */ }
}
function restoreBreaks() {
  try {
    const [print, lines] = JSON.parse(sessionStorage.getItem(BREAKS) ?? "[]");
    if (print === printOf(api.text())) addBreaks(lines);
  } catch { /* none were kept */ }
}
/** Sets breakpoints at lines that have none. */
function addBreaks(lines) {
  const { doc } = view.state;
  const known = new Set(breakLines(view.state, view.state.field(breaks)));
  const added = [...new Set(lines)].filter((line) => line >= 1 && line <= doc.lines && !known.has(line));
  if (added.length > 0) view.dispatch({ effects: added.map((line) => breakToggled.of(doc.line(line).from)) });
}
/** What a link or a file says of the text beside it: `watch` or `breaks`; none where the text is another one. */
const broughtView = (name, text = api.text()) => texts.brought(text)?.view?.[name] ?? [];

function lineUnder(event, view) {
  const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
  return position === null ? 0 : view.state.doc.lineAt(position).number;
}
function hover(line) {
  if (line === hoveredLine) return;
  hoveredLine = line;
  onLine?.(line);
}

/** Rust that has trapped must not be called again: the page says so, and the text is kept. */
function guarded(call) {
  return (...values) => {
    try {
      return call(...values);
    } catch (error) {
      broken(error);
      return null;
    }
  };
}
function broken(error) {
  void texts.keep(api.text());
  if (!tokenizer && document.querySelector(".core-broken")) return;
  tokenizer = onChange = onLine = onHeader = onOpened = onFailed = onCompiled = onBreaks = onPin = null;
  connectAssist(null);
  void texts.connectTexts(null, null);
  const banner = document.createElement("div");
  banner.className = "banner core-broken";
  banner.setAttribute("role", "alert");
  const text = document.createElement("div");
  text.textContent = `Warpgrid has crashed (${error?.message ?? error}). Your source is saved, and you can still edit the source.`;
  const button = document.createElement("button");
  button.textContent = "Reload page";
  button.onclick = () => location.reload();
  banner.append(text, button);
  document.body.prepend(banner);
}
addEventListener("error", ({ error }) => { if (error instanceof WebAssembly.RuntimeError) broken(error); });
addEventListener("unhandledrejection", ({ reason }) => {
  if (reason instanceof WebAssembly.RuntimeError || reason instanceof WebAssembly.CompileError) broken(reason);
});

let later = 0;
let keepLater = 0;
/** The page opens another text: that is no change of a person's. */
let opening = false;
/** Little was left of the text that the page knows of. */
let replaced = false;
/** The text took the place of another and is as it came: its first step is shown though the editor has the focus. */
let isNew = false;
/** Counts the texts that took the place of another. */
let generation = 0;
const listener = EditorView.updateListener.of((update) => {
  if (!update.docChanged) return;
  let n_left = 0;
  update.changes.iterGaps((_from, _to, length) => { n_left += length; });
  const before = n_left * 2 < update.startState.doc.length ? update.startState.doc.toString() : null;
  replaced ||= before !== null;
  if (!opening) texts.changed(before);
  clearTimeout(keepLater);
  keepLater = setTimeout(() => void texts.keep(api.text()), 150);
  clearTimeout(later);
  if (asked) asked.since = composed(asked.since, update.changes.desc);
  if (update.state.doc.length <= EAGER_LENGTH) { report(); return; }
  later = setTimeout(report, 250);
});
const wrapping = new Compartment();
/** Blanks of a disassembly but one of each run: its columns are far apart, and operands would lie beyond the edge of the pane. */
const gaps = new MatchDecorator({ regexp: /[ \t]{2,}(?=[ \t]\S)|^[ \t](?=\/\*)/g, decoration: Decoration.replace({}) });
const narrowGaps = ViewPlugin.define((view) => ({
  decorations: gaps.createDeco(view),
  update(update) { this.decorations = gaps.updateDeco(update, this.decorations); },
}), { decorations: (plugin) => plugin.decorations });
/** The pane is narrow, and comments are sentences: lines wrap. Those of a disassembly are columns, with encodings at their end. */
function wrappingOf(text) {
  if (/\/\* 0x[0-9a-f]{16} \*\//.test(text)) return narrowGaps;
  return /^\s*\/\*[0-9a-f]{4,}\*\/\s/m.test(text) ? [narrowGaps, EditorView.lineWrapping] : EditorView.lineWrapping;
}
function report() {
  const isAnother = isNew = replaced;
  replaced = false;
  if (isAnother) generation += 1;
  if (isAnother) view.dispatch({ effects: [wrapping.reconfigure(wrappingOf(api.text())), breaksCleared.of(null)] });
  if (isAnother) addBreaks(broughtView("breaks"));
  onChange?.(api.text(), isAnother);
  colour();
}
function show(text) {
  opening = true;
  try { api.setText(text); } finally { opening = false; }
}
addEventListener("pagehide", () => {
  void texts.keep(api.text());
  keepBreaks();
});

const saved = await texts.firstText();
const view = new EditorView({
  state: EditorState.create({
    doc: saved ?? firstExample,
    extensions: [
      breakNumbers, breaks, breakListener, costs, costGutter, races, raceGutter, stepGutter, lintGutter(), highlightSpecialChars(), history(), drawSelection(),
      rectangularSelection(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches(),
      keymap.of([{ key: "F9", run: toggleBreak }, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
      wrapping.of(wrappingOf(saved ?? firstExample)),
      tokens, highlighter, marks, listener, assist,
      EditorView.contentAttributes.of({
        "aria-label": "PTX source", tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off", translate: "no",
      }),
      EditorView.domEventHandlers({
        mousemove: (event, v) => hover(lineUnder(event, v)),
        mouseleave: () => hover(0),
      }),
    ],
  }),
});

/** The text that the diagnostics are about. */
let checkedDoc = view.state.doc;

/** Lines and columns from 1, in UTF-16 units, clamped to the text. */
function offset(line, column) {
  const { doc } = view.state;
  if (line < 1) return 0;
  if (line > doc.lines) return doc.length;
  const at = doc.line(line);
  return Math.min(at.from + Math.max(column - 1, 0), at.to);
}
const span = (range) => {
  const from = offset(range[0], range[1]);
  return { from, to: Math.max(from, offset(range[2], range[3])) };
};

/** The text and its print, which each frame asks for. */
let present = { doc: null };
function presentText() {
  const { doc } = view.state;
  if (present.doc !== doc) {
    const source = doc.toString();
    present = { doc, source, print: printOf(source) };
  }
  return present;
}

/** The panels that `web/editor/look.js` fills. */
const LOOKED_AT = new Set(["inspect", "memory-map", "small-cells"]);

const api = {
  text: () => view.state.doc.toString(),
  setText(text) {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  },
  /** The texts of some examples, which lie beside the page: `done` gets them, or none and the reason why one could not be loaded. */
  fetchExamples(files, done) {
    Promise.all(files.map(texts.example)).then((found) => done(found, ""), (error) => done([], error.message));
  },
  /** Shows an example; what was there is kept. */
  showExample(text) {
    texts.showsExample(text, api.text());
    show(text);
  },
  /** Shows one of the person's own texts. */
  async openText(id) {
    const text = await texts.opened(id, api.text());
    if (text !== null) show(text);
  },
  /** What the link to the present text states beside it; undefined without one. */
  linkedFact: (name) => (name === "share" ? shareOf(texts.linkedFact("view")) : texts.linkedFact(name)),
  removeText: (id) => void texts.remove(id),
  /** What the text in the editor is called in the list of texts. */
  nameText: (name) => texts.named(name),
  /** `list([[id, label]], id or "")` is called with the person's own texts, `trouble(why or "")` when one cannot be kept. */
  connectTexts: (list, trouble) => void texts.connectTexts(guarded(list), guarded(trouble)),
  attach(parent) {
    const had = view.hasFocus;
    const { scrollTop, scrollLeft } = view.scrollDOM;
    parent.appendChild(view.dom);
    view.scrollDOM.scrollTop = scrollTop;
    view.scrollDOM.scrollLeft = scrollLeft;
    if (had) view.focus();
    view.requestMeasure();
    addNarrow();
  },
  /** `classes` are the names of token classes; `tokenize(text)` promises triples; `change(text, whether it takes the place of another)` and `line(number or 0)`
   *  are called. */
  connect(classes, tokenize, change, line, header) {
    tokenMarks = classes.map((name) => Decoration.mark({ class: `tok-${name}` }));
    tokenizer = guarded(tokenize);
    onChange = guarded(change);
    onLine = guarded(line);
    onHeader = guarded(header);
    colour();
  },
  /** What web/editor/assist.js asks; each is given the text and a place in it. */
  connectAssist(hover, complete, signature, format) {
    connectAssist({
      hover: guarded(hover), complete: guarded(complete), signature: guarded(signature), format: guarded(format),
    });
  },
  format: () => void formatText(view),
  /** Fills a panel, if it is open: `inspect` with what is watched, `memory-map` and `small-cells` with all or a part of a memory, `sharing` with a link to what is seen, `embed` with the lines that embed it. `facts` are pairs of a name and its words. */
  fillPanel(panel, name, facts) {
    if (LOOKED_AT.has(name)) {
      const { source, print } = presentText();
      showLook({ name, place: panel, facts: Object.fromEntries(facts), source, key: texts.keyOf(print), generation, watch: broughtView("watch", source), page: learner });
      return;
    }
    if (!panel.open) return;
    const place = panel.querySelector(".popover");
    const source = api.text();
    if (name === "sharing") {
      const set = breakLines(view.state, view.state.field(breaks));
      void watched().then((watch) => showShare(place, { source, facts, brought: texts.brought(source), watch, breaks: set }, openFiles));
      return;
    }
    const { front, target, ptx_version: version, entry, seed, "view.step": position } = Object.fromEntries(facts);
    showEmbed(place, { source, position, front, target, version, entry, seed }, texts.linkedFact("view"));
  },
  /** `pinned(words)` is called with what is to be pointed at, in the words of a link: `cell 3 of out`; empty words for nothing. `find 7` looks for a value, and
   *  `closer cell 3 of out` and `farther …` change the size of cells. */
  connectPin(pinned) {
    onPin = guarded(pinned);
  },
  /** Shows a memory by a stride or a layout, as a type. */
  arrange: (memory, type) => void arrange(memory, type),
  /** Lets a person choose the file that a buffer starts with. */
  chooseFile: (name) => chooseFile(filler, name),
  /** Looks for a value, an address or an element in memory. */
  find: (text) => onPin?.(`find ${text}`),
  /** Opens examples, tours and puzzles. */
  openLearn: () => void openLearn(learner),
  /** Opens the panel with the link, which is copied then. */
  pressShare() {
    openHeader();
    document.querySelector("details.sharing:not([open]) summary")?.click();
  },
  /** Saves what is promised under a name. */
  savePromised: (name, promise) => void savePromised(name, promise, onFailed),
  /** `opened(text)` is called when a file has brought a text with how it is shown, `failed(why)` when a link or a file is not opened,
   *  `compiled(name, bytes)` with a file of a compiler. */
  connectShare(opened, failed, compiled) {
    [onOpened, onFailed, onCompiled] = [opened, failed, compiled].map(guarded);
    const why = texts.takeBroken();
    if (why !== null) onFailed(why);
  },
  /** `[severity, message, range, fixes: [[title, [[range, text]], isHeader]]]` each; ranges are `[line, column, endLine, endColumn]`. */
  setDiagnostics(list) {
    const diagnostics = list.map(([severity, message, range, fixes]) => ({
      ...span(range), severity, message,
      actions: fixes.map(([name, edits, isHeader]) => ({ name, apply: () => api.applyEdits(edits, isHeader) })),
    }));
    checkedDoc = view.state.doc;
    view.dispatch(setDiagnostics(view.state, diagnostics));
  },
  /** `isHeader`: the fix changes the version or the target that the text states, which counts from now on. */
  applyEdits(edits, isHeader) {
    // A fix belongs to the text that was checked; another text will have other diagnostics.
    if (view.state.doc !== checkedDoc) return;
    const changes = edits.map(([range, insert]) => ({ ...span(range), insert }));
    view.dispatch({ changes, userEvent: "input.fix" });
    if (isHeader) onHeader?.();
    view.focus();
  },
  /** The focus stays where the change was asked for, and the line that is changed comes into sight. */
  applyStart(edits) {
    if (view.state.doc !== checkedDoc) return;
    const changes = edits.map(([range, insert]) => ({ ...span(range), insert }));
    view.dispatch({ changes, userEvent: "input.start", effects: EditorView.scrollIntoView(changes[0].from) });
  },
  setMarks(done, next, faulted, linked) {
    view.dispatch({ effects: marksChanged.of({ done, next, faulted, linked: [...linked] }) });
  },
  /** `[line, text, title, level]` each. */
  setCosts(list) {
    view.dispatch({ effects: costsChanged.of(list) });
  },
  /** `[line, title, level]` each. */
  setRaces(list) {
    view.dispatch({ effects: racesChanged.of(list) });
  },
  /** `changed([line])` is called whenever other lines have breakpoints. */
  connectBreaks(changed) {
    onBreaks = guarded(changed);
    const lines = breakLines(view.state, view.state.field(breaks));
    if (lines.length > 0) onBreaks(lines);
  },
  toggleBreak: () => void toggleBreak(view),
  clearBreaks: () => view.dispatch({ effects: breaksCleared.of(null) }),
  /** First and last line of what is selected; null where that is less than two lines. */
  chosenLines() {
    const { from, to } = view.state.selection.main;
    const { doc } = view.state;
    const first = doc.lineAt(from).number;
    const end = doc.lineAt(to);
    const last = end.from === to && end.number > first ? end.number - 1 : end.number;
    return from < to && last > first ? [first, last] : null;
  },
  /** Each `[line, opcode, which layout its addresses have, link to its picture or null]`. */
  setLayouts,
  reveal(line) {
    const mayMove = isNew || !view.hasFocus;
    isNew = false;
    if (line < 1 || line > view.state.doc.lines || !mayMove) return;
    const at = view.state.doc.line(line);
    const block = view.lineBlockAt(at.from);
    const { scrollTop, clientHeight } = view.scrollDOM;
    if (block.top < scrollTop || block.bottom > scrollTop + clientHeight) {
      view.dispatch({ effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
    }
  },
  select(line, column, endLine, endColumn) {
    showView("source");
    const { from, to } = span([line, column, endLine, endColumn]);
    view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    view.focus();
  },
};
globalThis.warpgridEditor = api;

/** The views of what is pointed at, by its first word. */
const VIEW_OF = { cell: "memory", line: "source", lane: "threads", register: "threads" };

/** What examples, tours and puzzles need of the page. */
const learner = {
  text: () => api.text(),
  setText: (text) => api.setText(text),
  pin(words) {
    onPin?.(words);
    // Where one view is shown at a time, it is the one with what is pointed at.
    showView(VIEW_OF[words.split(" ")[0]]);
    const line = /^line (\d+)$/.exec(words);
    if (line) api.reveal(Number(line[1]));
  },
  failed: (why) => onFailed?.(why),
  showView,
};

/** What a file that fills a buffer needs of the page. */
const filler = {
  text: () => api.text(),
  guessed: () => guessedLines(),
  failed: (why) => onFailed?.(why),
  /** Another text that differs in few lines: it stays the same text for its reader. */
  change(text) {
    const old = api.text();
    let [from, end] = [0, 0];
    const most = Math.min(old.length, text.length);
    while (from < most && old[from] === text[from]) from += 1;
    while (end < most - from && old.at(-1 - end) === text.at(-1 - end)) end += 1;
    view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) }, userEvent: "input.start", effects: EditorView.scrollIntoView(from) });
  },
};

/** Opens what a person has dropped or chosen; what is here is kept. `memory` is the one that it was dropped on. */
async function openFiles(files, memory) {
  if (files.length === 1 && isFilling(files[0], memory)) { void fillFrom(filler, files[0], memory); return; }
  try {
    const { shared, text, name, compiled } = await fromFiles(files);
    if (compiled) { onCompiled?.(name, compiled); return; }
    if (!shared) { api.setText(text); return; }
    const brought = texts.bring(shared, "file");
    texts.showsExample(brought, api.text());
    show(brought);
    addBreaks(broughtView("breaks"));
    onOpened?.(brought);
  } catch (error) {
    onFailed?.(error.message);
  }
}
listenToDrops(openFiles);
listenToZoom((words) => onPin?.(words));

const host = document.getElementById("editor-host");
if (host) api.attach(host);
restoreBreaks();
addBreaks(broughtView("breaks"));
followLearn(learner);
dispatchEvent(new Event("warpgrid-editor"));
