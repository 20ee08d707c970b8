// The source editor of the page: CodeMirror, with highlighting and checks by the worker. Editing and saving across reloads work before the
// worker has loaded. The page accesses this module as `globalThis.warpgridEditor` (see web/src/editor.rs).
import "./worker-registry.js";
import "./offline-loader.js";
import "./command-palette.js";
import { Compartment, EditorState, StateEffect, StateField, RangeSet, RangeSetBuilder } from "@codemirror/state";
import {
  EditorView, ViewPlugin, Decoration, MatchDecorator, GutterMarker, gutter, keymap, lineNumbers, lineNumberMarkers,
  drawSelection, highlightSpecialChars, rectangularSelection, highlightActiveLine,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import { assist, connectAssist, formatText, setLayouts } from "./language-features.js";
import { shareOf, showEmbed } from "./embed.js";
import { savePromised } from "./download.js";
import { chooseFile, fillFrom, isFilling } from "./buffer-import.js";
import { followLearn, openLearn } from "./learn-loader.js";
import { arrange, guessedLines, showLook, watched } from "./inspector-loader.js";
import { fromFiles, listenToDrops, showShare } from "./share.js";
import { addNarrow, openHeader, showView } from "./view-tabs.js";
import * as texts from "./kernel-store.js";
import { listenToZoom } from "./zoom-gestures.js";
import firstExample from "first-example";

/** A longer source, in UTF-16 units, is highlighted only after a pause in typing and only up to the second limit. */
const EAGER_LENGTH = 200_000;
const COLOURED_LENGTH = 2_000_000;

/** Decorations by token class. The page provides the class names when it connects. */
let tokenMarks = [];

/** Callbacks into the Rust code of the page. The editor keeps working if that code panics. */
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

/** The tokens of an earlier source and the changes since then, until the worker sends the tokens of the current source. */
const tokensChanged = StateEffect.define();
const tokens = StateField.define({
  create: () => ({ data: new Uint32Array(0), since: null }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(tokensChanged)) return effect.value;
    return transaction.docChanged ? { data: value.data, since: composed(value.since, transaction.changes.desc) } : value;
  },
});
const composed = (since, changes) => since?.composeDesc(changes) ?? changes;

/** The pending token request, as the changes since its source. */
let asked = null;

async function colour() {
  if (!tokenizer || asked) return;
  asked = { since: null };
  const data = await tokenizer(view.state.doc.sliceString(0, COLOURED_LENGTH));
  const { since } = asked;
  asked = null;
  if (!data) return;
  view.dispatch({ effects: tokensChanged.of({ data, since }) });
  // The source has changed since the request. A long source is requested again after a pause in typing.
  if (since && view.state.doc.length <= EAGER_LENGTH) colour();
}

/** Returns the first token that ends after `position`. Tokens are sorted triples (start, end, class). */
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
  // Text that is typed at the end of a token is highlighted like the token until the response arrives.
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

/** Access costs by line: `[line, text, title, level]`. They move with their lines while the source is edited. */
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

/** Lines with data races or uninitialized reads: `[line, title, level]`. */
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

/** Breakpoints: a set of markers at line starts. They move with their lines, and are removed with a deleted line. */
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

/** Breakpoints survive a reload of the tab if the source is unchanged. */
const BREAKS = "warpgrid.breaks";
function printOf(text) {
  let hash = text.length;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
function keepBreaks() {
  const lines = breakLines(view.state, view.state.field(breaks));
  try { sessionStorage.setItem(BREAKS, JSON.stringify([printOf(api.text()), lines])); } catch { /* the breakpoints are lost on reload */ }
}
function restoreBreaks() {
  try {
    const [print, lines] = JSON.parse(sessionStorage.getItem(BREAKS) ?? "[]");
    if (print === printOf(api.text())) addBreaks(lines);
  } catch { /* no breakpoints are saved */ }
}
/** Adds breakpoints at lines that have none. */
function addBreaks(lines) {
  const { doc } = view.state;
  const known = new Set(breakLines(view.state, view.state.field(breaks)));
  const added = [...new Set(lines)].filter((line) => line >= 1 && line <= doc.lines && !known.has(line));
  if (added.length > 0) view.dispatch({ effects: added.map((line) => breakToggled.of(doc.line(line).from)) });
}
/** Returns the `watch` or `breaks` field of a link or file, or an empty list if the source has changed. */
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

/** Rust code that has panicked must not be called again. The page reports the panic, and the source is saved. */
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
/** Whether the page is opening another source, which is not an edit of the user. */
let opening = false;
/** Whether the source that the page has last received was mostly replaced. */
let replaced = false;
/** Whether the source was replaced and is unedited. Its first step is then shown although the editor has the focus. */
let isNew = false;
/** Number of replaced sources. */
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
/** Collapses runs of blanks in a disassembly to one blank. Its columns are far apart, so that operands would be beyond the edge of the
 *  pane. */
const gaps = new MatchDecorator({ regexp: /[ \t]{2,}(?=[ \t]\S)|^[ \t](?=\/\*)/g, decoration: Decoration.replace({}) });
const narrowGaps = ViewPlugin.define((view) => ({
  decorations: gaps.createDeco(view),
  update(update) { this.decorations = gaps.updateDeco(update, this.decorations); },
}), { decorations: (plugin) => plugin.decorations });
/** Wraps lines, because the pane is narrow and comments are sentences. The lines of a disassembly are columns that end in encodings. */
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

/** The source that the diagnostics refer to. */
let checkedDoc = view.state.doc;

/** Converts a line and column, starting at 1 and in UTF-16 units, to an offset within the source. */
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

/** The source and its fingerprint, which each frame needs. */
let present = { doc: null };
function presentText() {
  const { doc } = view.state;
  if (present.doc !== doc) {
    const source = doc.toString();
    present = { doc, source, print: printOf(source) };
  }
  return present;
}

/** The panels that `web/editor/inspector-loader.js` renders. */
const LOOKED_AT = new Set(["inspect", "memory-map", "small-cells"]);

const api = {
  text: () => view.state.doc.toString(),
  setText(text) {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  },
  /** Fetches the sources of examples from the site. `done` receives the sources, or an empty list and an error message. */
  fetchExamples(files, done) {
    Promise.all(files.map(texts.example)).then((found) => done(found, ""), (error) => done([], error.message));
  },
  /** Shows an example. The previous source is saved. */
  showExample(text) {
    texts.showsExample(text, api.text());
    show(text);
  },
  /** Opens a saved kernel. */
  async openText(id) {
    const text = await texts.opened(id, api.text());
    if (text !== null) show(text);
  },
  /** Returns a field of the link to the current source, or undefined. */
  linkedFact: (name) => (name === "share" ? shareOf(texts.linkedFact("view")) : texts.linkedFact(name)),
  removeText: (id) => void texts.remove(id),
  /** Sets the name of the current kernel in the list of saved kernels. */
  nameText: (name) => texts.named(name),
  /** `list([[id, label]], id or "")` receives the saved kernels of the user, `trouble(why or "")` an error while saving. */
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
  /** `classes` are the names of token classes. `tokenize(text)` returns a promise of triples; `change(text, isReplaced)` and
   *  `line(number or 0)` are callbacks. */
  connect(classes, tokenize, change, line, header) {
    tokenMarks = classes.map((name) => Decoration.mark({ class: `tok-${name}` }));
    tokenizer = guarded(tokenize);
    onChange = guarded(change);
    onLine = guarded(line);
    onHeader = guarded(header);
    colour();
  },
  /** Connects the requests of web/editor/language-features.js. Each receives the source and an offset. */
  connectAssist(hover, complete, signature, format) {
    connectAssist({
      hover: guarded(hover), complete: guarded(complete), signature: guarded(signature), format: guarded(format),
    });
  },
  format: () => void formatText(view),
  /** Renders a panel, if it is open: `inspect` with watched values, `memory-map` and `small-cells` with a memory or a part of it,
   *  `sharing` with a link to the current view, `embed` with the embedding code. `facts` are pairs of a name and a value. */
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
  /** `pinned(words)` receives a focus in the spelling of links, such as `cell 3 of out`, or an empty string to clear the focus. `find 7`
   *  searches for a value, and `closer cell 3 of out` and `farther …` change the zoom level. */
  connectPin(pinned) {
    onPin = guarded(pinned);
  },
  /** Shows a memory in a custom stride or layout and with an element type. */
  arrange: (memory, type) => void arrange(memory, type),
  /** Opens the file picker for the initial contents of a buffer. */
  chooseFile: (name) => chooseFile(filler, name),
  /** Searches for a value, an address or an element in memory. */
  find: (text) => onPin?.(`find ${text}`),
  /** Opens examples, tours and puzzles. */
  openLearn: () => void openLearn(learner),
  /** Opens the sharing panel and copies its link. */
  pressShare() {
    openHeader();
    document.querySelector("details.sharing:not([open]) summary")?.click();
  },
  /** Saves the result of a promise under a file name. */
  savePromised: (name, promise) => void savePromised(name, promise, onFailed),
  /** `opened(text)` receives the source of a file with its view state, `failed(why)` the reason for which a link or a file cannot be
   *  opened, `compiled(name, bytes)` a compiled file. */
  connectShare(opened, failed, compiled) {
    [onOpened, onFailed, onCompiled] = [opened, failed, compiled].map(guarded);
    const why = texts.takeBroken();
    if (why !== null) onFailed(why);
  },
  /** Elements are `[severity, message, range, fixes: [[title, [[range, text]], isHeader]]]`; ranges are `[line, column, endLine,
   *  endColumn]`. */
  setDiagnostics(list) {
    const diagnostics = list.map(([severity, message, range, fixes]) => ({
      ...span(range), severity, message,
      actions: fixes.map(([name, edits, isHeader]) => ({ name, apply: () => api.applyEdits(edits, isHeader) })),
    }));
    checkedDoc = view.state.doc;
    view.dispatch(setDiagnostics(view.state, diagnostics));
  },
  /** `isHeader` marks a fix that changes the version or the target in the source, which then replaces an override. */
  applyEdits(edits, isHeader) {
    // A fix applies only to the checked source. A changed source gets new diagnostics.
    if (view.state.doc !== checkedDoc) return;
    const changes = edits.map(([range, insert]) => ({ ...span(range), insert }));
    view.dispatch({ changes, userEvent: "input.fix" });
    if (isHeader) onHeader?.();
    view.focus();
  },
  /** The focus does not move, and the changed line is scrolled into view. */
  applyStart(edits) {
    if (view.state.doc !== checkedDoc) return;
    const changes = edits.map(([range, insert]) => ({ ...span(range), insert }));
    view.dispatch({ changes, userEvent: "input.start", effects: EditorView.scrollIntoView(changes[0].from) });
  },
  setMarks(done, next, faulted, linked) {
    view.dispatch({ effects: marksChanged.of({ done, next, faulted, linked: [...linked] }) });
  },
  /** Elements are `[line, text, title, level]`. */
  setCosts(list) {
    view.dispatch({ effects: costsChanged.of(list) });
  },
  /** Elements are `[line, title, level]`. */
  setRaces(list) {
    view.dispatch({ effects: racesChanged.of(list) });
  },
  /** `changed([line])` is called whenever the set of breakpoint lines changes. */
  connectBreaks(changed) {
    onBreaks = guarded(changed);
    const lines = breakLines(view.state, view.state.field(breaks));
    if (lines.length > 0) onBreaks(lines);
  },
  toggleBreak: () => void toggleBreak(view),
  clearBreaks: () => view.dispatch({ effects: breaksCleared.of(null) }),
  /** Returns the first and last selected line, or null if the selection is within one line. */
  chosenLines() {
    const { from, to } = view.state.selection.main;
    const { doc } = view.state;
    const first = doc.lineAt(from).number;
    const end = doc.lineAt(to);
    const last = end.from === to && end.number > first ? end.number - 1 : end.number;
    return from < to && last > first ? [first, last] : null;
  },
  /** Elements are `[line, opcode, layout of the addresses, link to the diagram or null]`. */
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

/** The view of each kind of focus, by its first word. */
const VIEW_OF = { cell: "memory", line: "source", lane: "threads", register: "threads" };

/** The interface of the page for examples, tours and puzzles. */
const learner = {
  text: () => api.text(),
  setText: (text) => api.setText(text),
  pin(words) {
    onPin?.(words);
    // A narrow window shows one view at a time, so it changes to the view of the focus.
    showView(VIEW_OF[words.split(" ")[0]]);
    const line = /^line (\d+)$/.exec(words);
    if (line) api.reveal(Number(line[1]));
  },
  failed: (why) => onFailed?.(why),
  showView,
};

/** The interface of the page for files that initialize a buffer. */
const filler = {
  text: () => api.text(),
  guessed: () => guessedLines(),
  failed: (why) => onFailed?.(why),
  /** Applies a text that differs in few lines as a change of the same source. */
  change(text) {
    const old = api.text();
    let [from, end] = [0, 0];
    const most = Math.min(old.length, text.length);
    while (from < most && old[from] === text[from]) from += 1;
    while (end < most - from && old.at(-1 - end) === text.at(-1 - end)) end += 1;
    view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) }, userEvent: "input.start", effects: EditorView.scrollIntoView(from) });
  },
};

/** Opens dropped or selected files. The previous source is saved. `memory` is the drop target, if it is a memory. */
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
