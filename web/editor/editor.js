// The source editor of the page, based on CodeMirror, with highlighting and checks by the worker. The user can edit the source before the
// worker has loaded, and the source is saved across reloads. The page accesses this module as `globalThis.warpgridEditor` (see
// web/src/editor.rs).
import "./worker-registry.js";
import "./offline-loader.js";
import "./tab-keys.js";
import { openPalette, registerCommands } from "./commands.js";
import { Compartment, EditorState, StateEffect, StateField, RangeSet, RangeSetBuilder } from "@codemirror/state";
import {
  EditorView, ViewPlugin, Decoration, MatchDecorator, GutterMarker, gutter, keymap, lineNumbers, lineNumberMarkers,
  drawSelection, highlightSpecialChars, rectangularSelection, highlightActiveLine,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, redo, undo } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { addLanguageFeatures, languageFeatures, connectLanguageFeatures, formatText, setLayouts } from "./language-features-loader.js";
import { chooseFiles } from "./util.js";
import { connectPalette, setReferenceEntries } from "./palette-catalog.js";
import { saveResult } from "./download.js";
import { chooseFile, importBuffer, initializesBuffer } from "./buffer-import.js";
import { addExternalCommands, followReferences, isLinkSource, offerPastedLink, openCompiler, openLinkDialog } from "./external-loader.js";
import { expandQueryAlias, followLearnLinks, openLearn } from "./learn-loader.js";
import { openCustomLayout, inferredAnnotations, isSourceOfKernel, renderInspector, reportNextFindings, watchExpressions } from "./inspector-loader.js";
import { listenToDrops, parseFile, readDroppedFiles } from "./open-files.js";
import { isCuda, withSourceFile } from "./source-file.js";
import { addViewTabs, openHeader, showView } from "./view-tabs.js";
import * as kernelStore from "./kernel-store.js";
import { listenToZoom } from "./zoom-gestures.js";
import firstExample from "first-example";

/** Length in UTF-16 units from which on a source is highlighted only after a pause in typing, and only up to the second limit. */
const IMMEDIATE_HIGHLIGHT_LENGTH = 200_000;
const MAX_HIGHLIGHT_LENGTH = 2_000_000;

/** Width of the source pane in percent that corresponds to each view. Undefined for views in which the last choice of the user applies. */
const SPLIT_PERCENTAGES = { editor: "70", grid: "20", matrix: "20", result: "20", quiz: "20" };
const splitPercentage = (view) => (Object.hasOwn(SPLIT_PERCENTAGES, view ?? "") ? SPLIT_PERCENTAGES[view] : undefined);

/** Decorations for each token class. The page provides the class names when it connects. */
let tokenDecorations = [];

/** Callbacks into the Rust code of the page. The editor remains usable if the Rust code panics. */
let tokenizer = null;
let onChange = null;
let onLine = null;
let onHeader = null;
let onOpened = null;
let onFailed = null;
let onCompiled = null;
let onBreakpointsChanged = null;
let onPin = null;
let hoveredLine = 0;

/** Tokens of an earlier source and the changes since then, which are used until the worker sends the tokens of the current source. */
const tokensChanged = StateEffect.define();
const tokens = StateField.define({
  create: () => ({ data: new Uint32Array(0), since: null }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(tokensChanged)) return effect.value;
    return transaction.docChanged ? { data: value.data, since: composeChanges(value.since, transaction.changes.desc) } : value;
  },
});
const composeChanges = (since, changes) => since?.composeDesc(changes) ?? changes;

/** Pending token request, represented by the changes since the source of the request. */
let pendingTokens = null;

async function requestTokens() {
  if (!tokenizer || pendingTokens) return;
  pendingTokens = { since: null };
  const data = await tokenizer(view.state.doc.sliceString(0, MAX_HIGHLIGHT_LENGTH));
  const { since } = pendingTokens;
  pendingTokens = null;
  if (!data) return;
  view.dispatch({ effects: tokensChanged.of({ data, since }) });
  // The source has changed since the request. For a long source, tokens are requested again after a pause in typing.
  if (since && view.state.doc.length <= IMMEDIATE_HIGHLIGHT_LENGTH) requestTokens();
}

/** Returns the first token that ends after `position`. Tokens are sorted triples of start, end and class. */
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
  const inverseChanges = since?.invertedDesc;
  const toTokenOffset = (position, side) => inverseChanges?.mapPos(position, side) ?? position;
  // Text that is typed at the end of a token is highlighted like this token until the response arrives.
  const toCurrentOffset = (position) => since?.mapPos(position, 1) ?? position;
  const builder = new RangeSetBuilder();
  const length = view.state.doc.length;
  for (const { from, to } of view.visibleRanges) {
    const end = toTokenOffset(to, 1);
    for (let i = firstTokenAfter(data, toTokenOffset(from, -1)); i < data.length && data[i] < end; i += 3) {
      const start = toCurrentOffset(data[i]);
      const stop = Math.min(toCurrentOffset(data[i + 1]), length);
      const decoration = tokenDecorations[data[i + 2]];
      if (start < stop && decoration) builder.add(start, stop, decoration);
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

const lineMarkersEffect = StateEffect.define();
const lineMarkers = StateField.define({
  create: () => ({ done: 0, next: 0, linked: [], faulted: 0 }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(lineMarkersEffect)) return effect.value;
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

class ArrowMarker extends GutterMarker {
  constructor(text, title) { super(); this.text = text; this.title = title; }
  eq(other) { return other.text === this.text; }
  toDOM() {
    const span = document.createElement("span");
    span.textContent = this.text;
    span.title = this.title;
    return span;
  }
}
const lastStepArrow = new ArrowMarker("▸", "last executed step");
const nextStepArrow = new ArrowMarker("▹", "next instruction");
const stepGutter = gutter({
  class: "cm-steps",
  lineMarker(view, block) {
    const { done, next } = view.state.field(lineMarkers);
    const line = view.state.doc.lineAt(block.from).number;
    return line === done ? lastStepArrow : line === next ? nextStepArrow : null;
  },
  lineMarkerChange: (update) => update.startState.field(lineMarkers) !== update.state.field(lineMarkers),
  initialSpacer: () => lastStepArrow,
});

/** Access costs by line: `[line, text, title, level]`. The markers move with their lines while the source is edited. */
const costMarkersEffect = StateEffect.define();
class CostMarker extends GutterMarker {
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
      if (!effect.is(costMarkersEffect)) continue;
      const { doc } = transaction.state;
      const validEntries = effect.value.filter(([line]) => line >= 1 && line <= doc.lines);
      return RangeSet.of(validEntries.map(([line, text, title, level]) => new CostMarker(text, title, level).range(doc.line(line).from)), true);
    }
    return value.map(transaction.changes);
  },
});
const costGutter = gutter({ class: "cm-costs", markers: (view) => view.state.field(costs) });

/** Lines with data races or uninitialized reads: `[line, title, level]`. */
const raceMarkersEffect = StateEffect.define();
const races = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(raceMarkersEffect)) continue;
      const { doc } = transaction.state;
      const validEntries = effect.value.filter(([line]) => line >= 1 && line <= doc.lines);
      return RangeSet.of(validEntries.map(([line, title, level]) => new CostMarker("◆", title, level).range(doc.line(line).from)), true);
    }
    return value.map(transaction.changes);
  },
});
const raceGutter = gutter({ class: "cm-races", markers: (view) => view.state.field(races) });

/** Breakpoints, which are a set of markers at line starts. The markers move with their lines, and are removed when their lines are deleted.
 *  */
const breakpointMarker = new (class extends GutterMarker { elementClass = "cm-breakpoint"; })();
const toggleBreakpointEffect = StateEffect.define();
const clearBreakpointsEffect = StateEffect.define();
const breakpoints = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    const { changes, effects, startState, state: { doc } } = transaction;
    let starts = [];
    for (const cursor = value.iter(); cursor.value; cursor.next()) starts.push(cursor.from);
    if (transaction.docChanged) {
      const survivesChange = ({ from, to }) => to === from || changes.touchesRange(from, to) !== "cover";
      starts = starts.filter((start) => survivesChange(startState.doc.lineAt(start))).map((start) => doc.lineAt(changes.mapPos(start, 1)).from);
    }
    const isChanged = transaction.docChanged || effects.some((effect) => effect.is(toggleBreakpointEffect) || effect.is(clearBreakpointsEffect));
    for (const effect of effects) {
      if (effect.is(clearBreakpointsEffect)) starts = [];
      if (effect.is(toggleBreakpointEffect)) starts = starts.includes(effect.value) ? starts.filter((start) => start !== effect.value) : [...starts, effect.value];
    }
    return isChanged ? RangeSet.of([...new Set(starts)].map((start) => breakpointMarker.range(start)), true) : value;
  },
  provide: (field) => lineNumberMarkers.from(field),
});
function breakpointLines({ doc }, set) {
  const lines = [];
  for (const cursor = set.iter(); cursor.value; cursor.next()) lines.push(doc.lineAt(cursor.from).number);
  return lines;
}
function toggleBreakpoint(view, offset = view.state.selection.main.head) {
  const { from, number } = view.state.doc.lineAt(offset);
  const isSet = breakpointLines(view.state, view.state.field(breakpoints)).includes(number);
  const announcement = isSet ? `Breakpoint removed from line ${number}` : `Breakpoint set at line ${number}`;
  view.dispatch({ effects: [toggleBreakpointEffect.of(from), EditorView.announce.of(announcement)] });
  return true;
}
const breakpointLineNumbers = lineNumbers({
  domEventHandlers: { mousedown: (view, block, event) => event.button === 0 && toggleBreakpoint(view, block.from) },
});
const breakpointListener = EditorView.updateListener.of((update) => {
  const set = update.state.field(breakpoints);
  if (update.startState.field(breakpoints) !== set) onBreakpointsChanged?.(breakpointLines(update.state, set));
});

/** Storage key of the breakpoints, which survive a reload of the tab if the source is unchanged. */
const BREAKPOINTS_STORAGE_KEY = "warpgrid.breaks";
function contentHash(text) {
  let hash = text.length;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
function saveBreakpoints() {
  const lines = breakpointLines(view.state, view.state.field(breakpoints));
  try { sessionStorage.setItem(BREAKPOINTS_STORAGE_KEY, JSON.stringify([contentHash(api.text()), lines])); } catch { /* the breakpoints are lost on reload */ }
}
function restoreBreakpoints() {
  try {
    const [savedHash, lines] = JSON.parse(sessionStorage.getItem(BREAKPOINTS_STORAGE_KEY) ?? "[]");
    if (savedHash === contentHash(api.text())) addBreakpoints(lines);
  } catch { /* no breakpoints are saved */ }
}
/** Adds breakpoints at the given lines that have no breakpoint. */
function addBreakpoints(lines) {
  const { doc } = view.state;
  const existing = new Set(breakpointLines(view.state, view.state.field(breakpoints)));
  const added = [...new Set(lines)].filter((line) => line >= 1 && line <= doc.lines && !existing.has(line));
  if (added.length > 0) view.dispatch({ effects: added.map((line) => toggleBreakpointEffect.of(doc.line(line).from)) });
}
/** Returns the `watch` or `breaks` field of a link or file, or an empty list if the source has changed. */
const sharedViewField = (name, text = api.text()) => kernelStore.sharedScenarioFor(text)?.view?.[name] ?? [];

function lineAtPointer(event, view) {
  const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
  return position === null ? 0 : view.state.doc.lineAt(position).number;
}
function setHoveredLine(line) {
  if (line === hoveredLine) return;
  hoveredLine = line;
  onLine?.(line);
}

/** Calls Rust code, unless it has panicked before. The page reports the panic, and the source is saved. */
function catchTraps(call) {
  return (...values) => {
    try {
      return call(...values);
    } catch (error) {
      handleCrash(error);
      return null;
    }
  };
}
const reportLoadFailure = (error) => onFailed?.(`Failed to load a part of the page: ${error.message}.`);
function handleCrash(error) {
  void kernelStore.save(api.text());
  if (!tokenizer && document.querySelector(".crash-banner")) return;
  tokenizer = onChange = onLine = onHeader = onOpened = onFailed = onCompiled = onBreakpointsChanged = onPin = null;
  connectLanguageFeatures(null);
  void kernelStore.connectKernelStore(null, null);
  const banner = document.createElement("div");
  banner.className = "banner crash-banner";
  banner.setAttribute("role", "alert");
  const text = document.createElement("div");
  text.textContent = `Warpgrid has crashed (${error?.message ?? error}). Your source is saved, and you can still edit the source.`;
  const button = document.createElement("button");
  button.textContent = "Reload page";
  button.onclick = () => location.reload();
  banner.append(text, button);
  document.body.prepend(banner);
}
addEventListener("error", ({ error }) => { if (error instanceof WebAssembly.RuntimeError) handleCrash(error); });
addEventListener("unhandledrejection", ({ reason }) => {
  if (reason instanceof WebAssembly.RuntimeError || reason instanceof WebAssembly.CompileError) handleCrash(reason);
});

let reportTimer = 0;
let saveTimer = 0;
/** Whether the page is currently opening another source, which does not count as an edit of the user. */
let isOpeningSource = false;
/** Whether the source that the page received last replaced most of the previous source. */
let wasReplaced = false;
/** Whether the source was replaced and has not been edited. The first step of such a source is shown even if the editor has the focus. */
let isUnedited = false;
/** Number of times that the source was replaced. */
let generation = 0;
const listener = EditorView.updateListener.of((update) => {
  if (!update.docChanged) return;
  let unchangedLength = 0;
  update.changes.iterGaps((_from, _to, length) => { unchangedLength += length; });
  const replacedSource = unchangedLength * 2 < update.startState.doc.length ? update.startState.doc.toString() : null;
  wasReplaced ||= replacedSource !== null;
  if (!isOpeningSource) kernelStore.didEdit(replacedSource);
  clearTimeout(saveTimer);
  saveTimer = setTimeout(() => void kernelStore.save(api.text()), 150);
  clearTimeout(reportTimer);
  if (pendingTokens) pendingTokens.since = composeChanges(pendingTokens.since, update.changes.desc);
  if (update.state.doc.length <= IMMEDIATE_HIGHLIGHT_LENGTH) { reportChange(); return; }
  reportTimer = setTimeout(reportChange, 250);
});
const lineWrapping = new Compartment();
/** Collapses runs of blanks in a disassembly to one blank. The columns of a disassembly are far apart, so that operands would otherwise be
 *  beyond the edge of the pane. */
const blankRuns = new MatchDecorator({ regexp: /[ \t]{2,}(?=[ \t]\S)|^[ \t](?=\/\*)/g, decoration: Decoration.replace({}) });
const collapsedBlanks = ViewPlugin.define((view) => ({
  decorations: blankRuns.createDeco(view),
  update(update) { this.decorations = blankRuns.updateDeco(update, this.decorations); },
}), { decorations: (plugin) => plugin.decorations });
/** Wraps long lines, because the pane is narrow and comments are sentences. The lines of a disassembly are not wrapped, because they
 *  consist of columns and end in encodings. */
function wrappingFor(text) {
  if (/\/\* 0x[0-9a-f]{16} \*\//.test(text)) return collapsedBlanks;
  return /^\s*\/\*[0-9a-f]{4,}\*\/\s/m.test(text) ? [collapsedBlanks, EditorView.lineWrapping] : EditorView.lineWrapping;
}
function reportChange() {
  const isReplaced = isUnedited = wasReplaced;
  wasReplaced = false;
  if (isReplaced) generation += 1;
  if (isReplaced) view.dispatch({ effects: [lineWrapping.reconfigure(wrappingFor(api.text())), clearBreakpointsEffect.of(null)] });
  if (isReplaced) addBreakpoints(sharedViewField("breaks"));
  onChange?.(api.text(), isReplaced);
  requestTokens();
  if (isReplaced) offerPastedLink(pageApi, api.text());
}
function openSource(text) {
  isOpeningSource = true;
  try { api.setText(text); } finally { isOpeningSource = false; }
}
addEventListener("pagehide", () => {
  void kernelStore.save(api.text());
  saveBreakpoints();
});

expandQueryAlias();
const storedSource = await kernelStore.initialSource();
const view = new EditorView({
  state: EditorState.create({
    doc: storedSource ?? firstExample,
    extensions: [
      breakpointLineNumbers, breakpoints, breakpointListener, costs, costGutter, races, raceGutter, stepGutter, lintGutter(), highlightSpecialChars(), history(), drawSelection(),
      rectangularSelection(), bracketMatching(), highlightActiveLine(),
      keymap.of([{ key: "F9", run: toggleBreakpoint }, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
      lineWrapping.of(wrappingFor(storedSource ?? firstExample)),
      tokens, highlighter, lineMarkers, listener, languageFeatures,
      EditorView.contentAttributes.of({
        "aria-label": "PTX source", tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off", translate: "no",
      }),
      EditorView.domEventHandlers({
        mousemove: (event, v) => setHoveredLine(lineAtPointer(event, v)),
        mouseleave: () => setHoveredLine(0),
      }),
    ],
  }),
});
addLanguageFeatures(view);

/** Source to which the shown diagnostics refer. */
let checkedDoc = view.state.doc;

/** Converts a one-based line and column in UTF-16 units to an offset in the source. */
function offset(line, column) {
  const { doc } = view.state;
  if (line < 1) return 0;
  if (line > doc.lines) return doc.length;
  const target = doc.line(line);
  return Math.min(target.from + Math.max(column - 1, 0), target.to);
}
const span = (range) => {
  const from = offset(range[0], range[1]);
  return { from, to: Math.max(from, offset(range[2], range[3])) };
};

/** Source and its hash, which is needed for each frame. */
let sourceCache = { doc: null };
function sourceWithHash() {
  const { doc } = view.state;
  if (sourceCache.doc !== doc) {
    const source = doc.toString();
    sourceCache = { doc, source, hash: contentHash(source) };
  }
  return sourceCache;
}

/** Names of the panels that `web/editor/inspector-loader.js` renders. */
const INSPECTOR_PANELS = new Set(["panel-buttons", "inspect", "minimap", "pixel-grid"]);

const api = {
  text: () => view.state.doc.toString(),
  setText(text) {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  },
  /** Fetches the sources of examples from the site. `onFetched` receives the sources, or an empty list and an error message. */
  fetchExamples(files, onFetched) {
    Promise.all(files.map(kernelStore.fetchExample)).then((sources) => onFetched(sources, ""), (error) => onFetched([], error.message));
  },
  /** Shows an example. The previous source is saved. */
  showExample(text) {
    kernelStore.didOpenExample(text, api.text());
    openSource(text);
  },
  /** Opens a saved kernel. */
  async openKernel(id) {
    const text = await kernelStore.openKernel(id, api.text());
    if (text !== null) openSource(text);
  },
  /** Returns a field of the link that contained the current source, or undefined. */
  linkedField: (name) => (name === "share" ? splitPercentage(kernelStore.linkedField("view")) : kernelStore.linkedField(name)),
  removeKernel: (id) => void kernelStore.removeKernel(id),
  /** `onList([[id, label]], id or "")` receives the saved kernels of the user, and `onError(message or "")` receives an error while saving.
   *  */
  connectKernelStore: (onList, onError) => void kernelStore.connectKernelStore(catchTraps(onList), catchTraps(onError)),
  attach(parent) {
    const hadFocus = view.hasFocus;
    const { scrollTop, scrollLeft } = view.scrollDOM;
    parent.appendChild(view.dom);
    view.scrollDOM.scrollTop = scrollTop;
    view.scrollDOM.scrollLeft = scrollLeft;
    if (hadFocus) view.focus();
    view.requestMeasure();
    addViewTabs();
  },
  /** `tokenClasses` are the names of token classes. `requestTokenTriples(text)` returns a promise of triples; `change(text, isReplaced)`
   *  and `line(number or 0)` are callbacks. */
  connect(tokenClasses, requestTokenTriples, change, line, header) {
    tokenDecorations = tokenClasses.map((name) => Decoration.mark({ class: `tok-${name}` }));
    tokenizer = catchTraps(requestTokenTriples);
    onChange = catchTraps(change);
    onLine = catchTraps(line);
    onHeader = catchTraps(header);
    requestTokens();
  },
  /** Connects the requests of web/editor/language-features.js. Each request receives the source and an offset. */
  connectLanguageFeatures(hover, complete, signature, format) {
    connectLanguageFeatures({
      hover: catchTraps(hover), complete: catchTraps(complete), signature: catchTraps(signature), format: catchTraps(format),
    });
  },
  format: () => formatText(view),
  /** Renders a panel if it is open: `inspect` with watched values, `panel-buttons` with the buttons of the bottom panel, `minimap` and
   *  `pixel-grid` with a memory or a part of it, `sharing` with
   *  a link to the current view, and `embed` with the embedding code. `linkFields` contains pairs of a name and a value. */
  renderPanel(panel, name, linkFields) {
    if (INSPECTOR_PANELS.has(name)) {
      const { source, hash } = sourceWithHash();
      renderInspector({ name, container: panel, linkFields: Object.fromEntries(linkFields), source, key: kernelStore.kernelKey(hash), generation, watch: sharedViewField("watch", source), page: pageApi });
      return;
    }
    if (!panel.open) return;
    const container = panel.querySelector(".popover");
    const source = api.text();
    if (name === "sharing") {
      const set = breakpointLines(view.state, view.state.field(breakpoints));
      void Promise.all([import("./share.js"), watchExpressions()]).then(([{ showShare }, watch]) => showShare(container, { source, linkFields, openedState: kernelStore.sharedScenarioFor(source), reference: kernelStore.referenceOf(source), watch, breakpoints: set }, { openFiles, openLink: () => void openLinkDialog(pageApi) })).catch(reportLoadFailure);
      return;
    }
    const { front, target, ptx_version: version, entry, seed, "view.step": position } = Object.fromEntries(linkFields);
    void import("./embed.js").then(({ showEmbed }) => showEmbed(container, { source, position, front, target, version, entry, seed }, kernelStore.linkedField("view"))).catch(reportLoadFailure);
  },
  /** Registers the callback for focus changes. `onPinRequested(text)` receives a focus in the notation of links, such as `cell 3 of out`,
   *  or an empty string that clears the focus. `find 7` searches for a value, and `closer cell 3 of out` and `farther …` change the zoom
   *  level. */
  connectPin(onPinRequested) {
    onPin = catchTraps(onPinRequested);
  },
  /** Shows a memory with an element type in a custom stride or layout. */
  openCustomLayout: (memory, type) => void openCustomLayout(memory, type),
  /** Opens the file picker for the initial contents of a buffer. */
  chooseFile: (name) => chooseFile(importApi, name),
  /** Shows the card that compiles CUDA C++ with Compiler Explorer. */
  openCompiler: () => void openCompiler(pageApi),
  /** Checks whether the source is CUDA C++ with a kernel. */
  isCuda: () => isCuda(api.text()),
  /** Searches for a value, an address or an element in memory. */
  find: (text) => onPin?.(`find ${text}`),
  openPalette: () => void openPalette().catch(reportLoadFailure),
  connectPalette,
  setReferenceEntries,
  createAnalysisPanel() {
    analysisPanel = Object.assign(document.createElement("div"), { className: "analysis-panel", tabIndex: -1 });
    return analysisPanel;
  },
  /** Opens the view of examples, tours and puzzles. */
  openLearn: () => void openLearn(pageApi),
  /** Opens the sharing panel and copies its link. */
  openSharePanel() {
    openHeader();
    document.querySelector("details.sharing:not([open]) summary")?.click();
  },
  /** Saves the result of a promise under a file name. */
  saveResult: (name, promise) => void saveResult(name, promise, onFailed),
  /** Registers the callbacks for files and links. `opened(text)` receives the source of a file with its view state, `failed(message)` the
   *  reason why a link or a file cannot be opened, and `compiled(name, bytes)` a compiled file. */
  connectShare(opened, failed, compiled) {
    [onOpened, onFailed, onCompiled] = [opened, failed, compiled].map(catchTraps);
    const message = kernelStore.takeLinkError();
    if (message !== null) onFailed(message);
    followReferences(pageApi, () => kernelStore.referenceOf(api.text()));
  },
  /** Shows diagnostics. Elements of `entries` are `[severity, message, range, fixes: [[title, [[range, text]], isHeader]]]`, and ranges are
   *  `[line, column, endLine, endColumn]`. */
  setDiagnostics(entries) {
    const diagnostics = entries.map(([severity, message, range, fixes]) => ({
      ...span(range), severity, message,
      actions: fixes.map(([name, edits, isHeader]) => ({ name, apply: () => api.applyEdits(edits, isHeader) })),
    }));
    checkedDoc = view.state.doc;
    view.dispatch(setDiagnostics(view.state, diagnostics));
  },
  /** Applies a fix. `isHeader` marks a fix that changes the version or the target in the source, which then replaces an override. */
  applyEdits(edits, isHeader) {
    // A fix applies only to the source that was checked. If the source has changed, new diagnostics follow.
    if (view.state.doc !== checkedDoc) return;
    const changes = edits.map(([range, insert]) => ({ ...span(range), insert }));
    reportNextFindings();
    view.dispatch({ changes, userEvent: "input.fix" });
    if (isHeader) onHeader?.();
    view.focus();
  },
  /** Applies a change of an initial value or of the schedule. The focus does not move, and the changed line is scrolled into view. */
  applyInitialValue(edits) {
    if (view.state.doc !== checkedDoc) return;
    const changes = edits.map(([range, insert]) => ({ ...span(range), insert }));
    view.dispatch({ changes, userEvent: "input.start", effects: EditorView.scrollIntoView(changes[0].from) });
  },
  setLineMarkers(done, next, faulted, linked) {
    view.dispatch({ effects: lineMarkersEffect.of({ done, next, faulted, linked: [...linked] }) });
  },
  /** Shows the access costs. Elements of `entries` are `[line, text, title, level]`. */
  setCosts(entries) {
    view.dispatch({ effects: costMarkersEffect.of(entries) });
  },
  /** Shows the lines of data races. Elements of `entries` are `[line, title, level]`. */
  setRaces(entries) {
    view.dispatch({ effects: raceMarkersEffect.of(entries) });
  },
  /** Registers a callback. `changed([line])` is called whenever the set of lines with breakpoints changes. */
  connectBreakpoints(changed) {
    onBreakpointsChanged = catchTraps(changed);
    const lines = breakpointLines(view.state, view.state.field(breakpoints));
    if (lines.length > 0) onBreakpointsChanged(lines);
  },
  toggleBreakpoint: () => void toggleBreakpoint(view),
  clearBreakpoints: () => view.dispatch({ effects: clearBreakpointsEffect.of(null) }),
  /** Returns the first and the last selected line, or null if the selection is within one line. */
  selectedLines() {
    const { from, to } = view.state.selection.main;
    const { doc } = view.state;
    const first = doc.lineAt(from).number;
    const end = doc.lineAt(to);
    const last = end.from === to && end.number > first ? end.number - 1 : end.number;
    return from < to && last > first ? [first, last] : null;
  },
  /** Sets the layouts that hover tooltips show. Elements are `[line, opcode, layout of the addresses, link to the diagram or null]`. */
  setLayouts,
  reveal(line) {
    const mayMove = isUnedited || !view.hasFocus;
    isUnedited = false;
    if (line < 1 || line > view.state.doc.lines || !mayMove) return;
    const target = view.state.doc.line(line);
    const block = view.lineBlockAt(target.from);
    const { scrollTop, clientHeight } = view.scrollDOM;
    if (block.top < scrollTop || block.bottom > scrollTop + clientHeight) {
      view.dispatch({ effects: EditorView.scrollIntoView(target.from, { y: "center" }) });
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

/** Applies a text that differs from the source in few lines as an edit of the same source. */
function changeText(text) {
  const current = api.text();
  let [from, end] = [0, 0];
  const maxCommonLength = Math.min(current.length, text.length);
  while (from < maxCommonLength && current[from] === text[from]) from += 1;
  while (end < maxCommonLength - from && current.at(-1 - end) === text.at(-1 - end)) end += 1;
  view.dispatch({ changes: { from, to: current.length - end, insert: text.slice(from, text.length - end) }, userEvent: "input.start", effects: EditorView.scrollIntoView(from) });
}

/** View that a narrow window shows for each kind of focus, by the first word of the focus. */
const VIEW_BY_FOCUS = { cell: "memory", line: "source", lane: "threads", register: "threads" };

/** Interface of the page for examples, tours, puzzles, the inspector and external sources. */
/** Element with the cards of the analyses, which Rust renders and the bottom panel shows. */
let analysisPanel = null;
const pageApi = {
  analysisPanel: () => analysisPanel,
  text: () => api.text(),
  setText: (text) => api.setText(text),
  change: changeText,
  applyFix: ({ edits, isHeader }) => api.applyEdits(edits, isHeader),
  applyInitialValue: ({ edits }) => api.applyInitialValue(edits),
  breakpointLines: () => breakpointLines(view.state, view.state.field(breakpoints)),
  toggleBreakpoints: (lines) => view.dispatch({ effects: lines.map((line) => toggleBreakpointEffect.of(view.state.doc.line(line).from)) }),
  pin(focus) {
    onPin?.(focus);
    // A narrow window shows only one view at a time, so the view that contains the focus is shown.
    showView(VIEW_BY_FOCUS[focus.split(" ")[0]]);
    const line = /^line (\d+)$/.exec(focus);
    if (line) api.reveal(Number(line[1]));
  },
  failed: (message) => onFailed?.(message),
  showView,
  /** Selects a line of the source. */
  selectLine: (line) => api.select(line, 1, line, Infinity),
  /** Shows the messages of a compiler at their lines. Elements of `messages` are `{ line, severity, text }`. */
  showDiagnostics: (messages) => api.setDiagnostics(messages.map(({ line, severity, text }) => [severity, text, [line, 1, line, Infinity], []])),
  /** Opens a text from an external host. `reference` is the URL fragment that refers to the text. */
  openExternal(name, text, reference) {
    const { shared, text: source } = parseFile(name, text.replace(/\r\n?/g, "\n"));
    // The pasted link is not a kernel of the user.
    if (isLinkSource(api.text())) kernelStore.removeCurrentKernel();
    openShared(shared ?? { source }, reference);
  },
  /** Records that a URL fragment refers to a source, as long as the source is unmodified. */
  setReference: (text, reference) => kernelStore.setReference(text, reference),
};
addExternalCommands(pageApi);
registerCommands([
  { name: "Undo edit", group: "source", help: "reset revert", run: () => { undo(view); view.focus(); } },
  { name: "Redo edit", group: "source", run: () => { redo(view); view.focus(); } },
  { name: "Open file", group: "source", help: "PTX SASS CUDA C++ cubin fatbin log kernel", run: () => chooseFiles({}, (files) => void openFiles(files)) },
]);

/** Interface of the page for files that initialize a buffer. */
const importApi = {
  text: () => api.text(),
  inferredAnnotations: () => inferredAnnotations(),
  failed: (message) => onFailed?.(message),
  change: changeText,
};

/** Opens dropped or selected files. The previous source is saved. `memory` is the drop target, if it is a memory. */
async function openFiles(files, memory) {
  if (files.length === 1 && initializesBuffer(files[0], memory)) { void importBuffer(importApi, files[0], memory); return; }
  if (files.length === 1 && await isSourceOfKernel(files[0].name)) { changeText(withSourceFile(api.text(), files[0].name, await files[0].text())); return; }
  try {
    const { shared, text, name, compiled } = await readDroppedFiles(files);
    if (compiled) { onCompiled?.(name, compiled); return; }
    if (!shared) { api.setText(text); return; }
    openShared(shared);
  } catch (error) {
    onFailed?.(error.message);
  }
}

/** Opens a source with its view. Like an example, the source does not become a saved kernel before it is edited. `reference` is the URL
 *  fragment that refers to the source. */
function openShared(shared, reference) {
  const source = kernelStore.importShared(shared, "file", reference);
  kernelStore.didOpenExample(source, api.text());
  openSource(source);
  addBreakpoints(sharedViewField("breaks"));
  onOpened?.(source);
}
listenToDrops(openFiles);
listenToZoom((text) => onPin?.(text));

const host = document.getElementById("editor-host");
if (host) api.attach(host);
restoreBreakpoints();
addBreakpoints(sharedViewField("breaks"));
followLearnLinks(pageApi);
dispatchEvent(new Event("warpgrid-editor"));
