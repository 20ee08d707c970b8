// `<warpgrid-playground>`: a widget that steps through a source with a recorded run. The emulator is loaded only when the user edits the
// source or steps beyond the recording, or when a widget without a recording is scrolled into view.
import style from "./widget.css";
import { ATTRIBUTES, attributeErrors, ownAttributes } from "./attributes.js";
export { WarpgridLayout } from "./layout-element.js";
import { laneColorRules } from "./lane-colors.js";
import { sendRequest } from "./worker-client.js";
import { dedent, guessTokens, hiddenLines } from "./highlight.js";
import { playgroundLink } from "./link.js";
import { codeNodes, fragmentNode, gridNode, createElement, problemNodes, inlineCodeNodes } from "./dom.js";
import { Quiz } from "./quiz.js";
import { firstStore, hasRun, isRecording, lastPosition, stateAt, decodeTokens } from "./recording.js";
import { initialPosition, effectiveStep } from "./position.js";
import { withAnnotations } from "./annotate.js";

const VIEWS = ATTRIBUTES.view;
/** Interval in milliseconds between two steps of a playback. */
const PLAYBACK_INTERVAL_MS = 700;
/** Delay in milliseconds between the last key press and the check of the source. */
const CHECK_DEBOUNCE_MS = 300;
const LINE_PX = 20;

let sharedStyleSheet = null;
/** Returns the style sheet, which is shared by all widgets. */
function styleSheet() {
  if (!sharedStyleSheet) {
    sharedStyleSheet = new CSSStyleSheet();
    sharedStyleSheet.replaceSync(`${style}\n${laneColorRules()}`);
  }
  return sharedStyleSheet;
}
let lastElementId = 0;

// Sites that render their pages in Node also import this module in Node, which provides no elements.
export class WarpgridPlayground extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = ["view", "step", "target", "version", "front", "src", "recording", "height", "readonly", "controls", "memory", "columns", "rows", "type"];

  #id = (lastElementId += 1);
  #text = "";
  #original = "";
  #scenario = {};
  /** Source with annotations for the link to the playground, and the inputs from which it was created. */
  #annotatedSourceCache = null;
  #recording = null;
  /** Whether the emulator provides the frames. */
  #isLive = false;
  #openRequest = null;
  #state = null;
  #tokens = [];
  #diagnostics = [];
  #errorMessage = "";
  /** Number of the position request that was sent last. Responses to earlier requests are dropped. */
  #requestId = 0;
  #isEditing = false;
  #showsBoilerplate = false;
  #playbackTimer = null;
  #debounceTimer = null;
  #intersectionObserver = null;
  #resizeObserver = null;
  #hasStarted = false;
  #quiz = null;
  #nodes = null;

  // ---- public interface

  /** Source of the kernel. Setting the source executes the new source. */
  get text() { return this.#text; }
  set text(text) { this.#setSource(`${text}`); }
  /** Scenario of the kernel, which contains all inputs of a run. */
  get scenario() { return this.#currentScenario(); }
  get position() { return this.#state?.position ?? 0; }
  set position(position) { void this.seek(position); }
  /** Number of steps of the run. `null` until the end of the run has been reached. */
  get length() { return this.#state?.length ?? null; }
  get view() { const view = this.getAttribute("view"); return VIEWS.includes(view) ? view : "split"; }
  set view(view) { this.setAttribute("view", view); }
  get recording() { return this.#recording; }
  set recording(recording) {
    if (!isRecording(recording)) throw new TypeError("unsupported recording format");
    this.#setRecording(recording);
  }
  get diagnostics() { return this.#diagnostics; }
  /** Whether the emulator executes the kernel of this widget. */
  get isLive() { return this.#isLive; }
  get playing() { return this.#playbackTimer !== null; }

  /** Moves the run forward, back, or to a position. The promise resolves when the position is shown. */
  step() { return this.seek(this.position + 1); }
  back() { return this.seek(this.position - 1); }
  async seek(position) {
    const target = Math.max(0, Math.floor(Number(position)) || 0);
    const requestId = (this.#requestId += 1);
    const state = await this.#stateAt(target);
    if (state && this.#requestId === requestId) this.#setState(state);
  }
  /** Moves to the end of the run. */
  run() { return this.seek(this.length ?? Number.MAX_SAFE_INTEGER); }
  play() {
    if (this.#playbackTimer !== null) return;
    const next = async () => {
      const previous = this.position;
      await this.step();
      if (this.#playbackTimer === null) return;
      if (this.position === previous) this.pause();
      else this.#playbackTimer = setTimeout(next, PLAYBACK_INTERVAL_MS);
    };
    this.#playbackTimer = setTimeout(next, PLAYBACK_INTERVAL_MS);
    this.#render();
  }
  pause() {
    clearTimeout(this.#playbackTimer);
    this.#playbackTimer = null;
    this.#render();
  }
  /** Restores the source and the step that the document specified. */
  reset() {
    this.pause();
    this.#isEditing = false;
    if (this.#recording) this.#setRecording(this.#recording);
    else this.#setSource(this.#original, this.#initialPosition());
  }
  /** Opens the editor. */
  edit() {
    if (this.hasAttribute("readonly")) return;
    this.#isEditing = true;
    this.#render();
    this.#nodes?.area.focus();
    void this.#openSession(this.position);
  }
  /** Loads the emulator. */
  load() { return this.#openSession(this.position); }

  // ---- life cycle

  connectedCallback() {
    if (!this.shadowRoot) {
      this.#readContent();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [styleSheet()];
      this.#createNodes(root);
    }
    for (const message of attributeErrors(ownAttributes(this), true)) console.warn(`<warpgrid-playground>: ${message}`);
    this.#applyHeight();
    // After a change of the width, check again whether the memory fits beside the code.
    this.#resizeObserver = new ResizeObserver(() => { this.#nodes.body.classList.remove("stacked"); this.#stackIfNarrow(); });
    this.#resizeObserver.observe(this);
    if (this.#recording) this.#setRecording(this.#recording);
    else this.#render();
    this.#intersectionObserver = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#start();
    }, { rootMargin: "200px" });
    this.#intersectionObserver.observe(this);
  }

  disconnectedCallback() {
    this.#intersectionObserver?.disconnect();
    this.#resizeObserver?.disconnect();
    this.pause();
    clearTimeout(this.#debounceTimer);
    if (this.#isLive) sendRequest("close", { id: this.#id }).catch(() => {});
    this.#isLive = false;
    this.#openRequest = null;
    this.#hasStarted = false;
  }

  attributeChangedCallback(name, previous, current) {
    if (!this.shadowRoot || previous === current) return;
    if (name === "step") this.#seekToInitialPosition();
    else if (name === "height") this.#applyHeight();
    else if (name === "src" || name === "recording") { this.#hasStarted = false; this.#start(); }
    else if (["view", "readonly", "controls"].includes(name)) { this.#quiz = null; this.#render(); }
    else if (this.#hasStarted) void this.#openSession(this.position, true);
  }

  /** Reads the content of the element, which is a recording, a snapshot or plain text. */
  #readContent() {
    const script = this.querySelector('script[type="application/json"]');
    try {
      const value = JSON.parse(script?.textContent ?? "null");
      if (isRecording(value)) this.#recording = value;
    } catch { /* the recording is truncated, but the source is available */ }
    // Markdown and templates do not modify the text of these elements.
    const code = this.querySelector('script[type^="text/"],code,pre') ?? this;
    const text = [...code.childNodes].filter((node) => node !== script).map((node) => node.textContent).join("");
    this.#text = this.#original = this.#recording?.scenario.source ?? dedent(text);
    this.#tokens = this.#recording ? decodeTokens(this.#recording) : guessTokens(this.#text);
  }

  /** Starts the widget when it is scrolled into view for the first time. */
  async #start() {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    try {
      await this.#fetch();
    } catch (error) {
      // The emulator can execute the source in the document if the recording of the source is missing.
      if (this.getAttribute("recording") === null || this.#text.trim() === "") {
        this.#errorMessage = `${error.message}`;
        this.#render();
        return;
      }
      console.warn(`<warpgrid-playground>: ${error.message}`);
    }
    if (!this.#recording) await this.#openSession(this.#initialPosition());
    const prefersReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.hasAttribute("autoplay") && !prefersReducedMotion) this.play();
  }

  async #fetch() {
    const [recordingUrl, sourceUrl] = [this.getAttribute("recording"), this.getAttribute("src")];
    const url = recordingUrl ?? sourceUrl;
    if (!url) return;
    const response = await fetch(new URL(url, document.baseURI));
    if (!response.ok) throw new Error(`failed to load ${url}: ${response.status} ${response.statusText}`.trim());
    const body = await response.text();
    if (recordingUrl) this.recording = JSON.parse(body);
    else if (new URL(url, document.baseURI).pathname.endsWith(".json")) {
      const { source, ...fields } = JSON.parse(body);
      if (typeof source !== "string") throw new Error(`${url} is not a scenario: missing field \`source\``);
      this.#scenario = fields;
      this.#text = this.#original = source;
    } else this.#text = this.#original = body;
    if (!this.#recording) this.#tokens = guessTokens(this.#text);
  }

  #setRecording(recording) {
    this.#recording = recording;
    this.#isLive = false;
    this.#openRequest = null;
    this.#text = this.#original = recording.scenario.source;
    this.#tokens = decodeTokens(recording);
    this.#setDiagnostics(recording.diagnostics, recording.accept);
    const position = this.#initialPosition(lastPosition(recording), firstStore(recording));
    this.#setState(hasRun(recording) ? stateAt(recording, position) : null);
    this.#dispatch("ready", { position: this.position, length: this.length });
  }

  /** Returns the initial position. `null` represents the position after the first store, which only the emulator can determine if there is
   *  no recording. */
  #initialPosition(last = Number.MAX_SAFE_INTEGER, start = null) {
    const [step, autoplay] = [this.getAttribute("step"), this.getAttribute("autoplay")];
    return initialPosition(effectiveStep({ step, autoplay, view: this.view }), last, start);
  }

  #seekToInitialPosition() {
    const position = this.#initialPosition(undefined, this.#recording ? firstStore(this.#recording) : null);
    if (position !== null) void this.seek(position);
    else if (this.#hasStarted) void this.#openSession(null, true);
  }

  // ---- emulator

  #currentScenario() {
    const fields = { ...this.#recording?.scenario, ...this.#scenario, source: this.#text };
    const [front, target, version] = ["front", "target", "version"].map((name) => this.getAttribute(name));
    if (front) fields.front = front;
    if (target) fields.target = target;
    if (version) fields.ptx_version = version;
    return fields;
  }

  /** Returns the source with annotations for the launch of the scenario. */
  #annotatedSource() {
    const fields = { ...this.#recording?.scenario, ...this.#scenario };
    if (this.#annotatedSourceCache?.text !== this.#text || this.#annotatedSourceCache.scenario !== this.#scenario || this.#annotatedSourceCache.recording !== this.#recording) {
      const [text, scenario, recording] = [this.#text, this.#scenario, this.#recording];
      this.#annotatedSourceCache = { text, scenario, recording, all: withAnnotations({ ...fields, source: text }) };
    }
    return this.#annotatedSourceCache.all;
  }

  #gridOptions() {
    const number = (name) => Number.parseInt(this.getAttribute(name) ?? "", 10) || null;
    return { memory: this.getAttribute("memory"), type: this.getAttribute("type"), columns: number("columns"), rows: number("rows") };
  }

  /** Opens the current source in the emulator. If `reopens` is set, the source is opened again. */
  #openSession(position, reopens = false) {
    if (this.#openRequest && !reopens) return this.#openRequest;
    const scenario = this.#currentScenario();
    const openRequest = (this.#openRequest = this.#requestSession(scenario, position, () => this.#openRequest === openRequest).catch((error) => {
      if (this.#openRequest !== openRequest) return;
      this.#openRequest = null;
      this.#isLive = false;
      this.#errorMessage = `${error.message}`;
      this.#render();
    }));
    return openRequest;
  }

  async #requestSession(scenario, position, isCurrent) {
    await null;
    const { report, tokens, picture: state, problem, unknownMemories = [] } = await sendRequest("open", { id: this.#id, scenario, position, layout: this.#gridOptions() });
    if (!isCurrent()) return;
    this.#isLive = true;
    if (this.#text === scenario.source) this.#tokens = tokens;
    this.#errorMessage = problem?.message ?? unknownMemories.join("; ");
    this.#setDiagnostics(problem?.diagnostics ?? report.diagnostics, report.accept && !problem);
    this.#setState(state);
    this.#dispatch("ready", { position: this.position, length: this.length });
  }

  async #stateAt(position) {
    const recording = this.#recording;
    if (!this.#isLive && recording && hasRun(recording)) {
      const last = lastPosition(recording);
      const isComplete = recording.length === last || recording.status !== "running";
      if (position <= last || isComplete) return stateAt(recording, position);
    }
    if (!this.#openRequest) { await this.#openSession(position); return null; }
    await this.#openRequest;
    try {
      return (await sendRequest("seek", { id: this.#id, position })).picture;
    } catch (error) {
      this.#openRequest = null;
      this.#isLive = false;
      this.#errorMessage = error.message;
      this.#render();
      return null;
    }
  }

  #setSource(text, position = this.position) {
    this.#text = text;
    this.#tokens = guessTokens(text);
    this.#quiz = null;
    this.#render();
    this.#dispatch("change", { text });
    clearTimeout(this.#debounceTimer);
    this.#debounceTimer = setTimeout(() => void this.#openSession(position, true), CHECK_DEBOUNCE_MS);
  }

  #setDiagnostics(diagnostics, accept) {
    this.#diagnostics = diagnostics;
    this.#dispatch("diagnostics", { diagnostics, accept });
  }

  #dispatch(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #setState(state) {
    const previous = this.#state;
    this.#state = state;
    this.#render();
    if (!state) return;
    const { position, length, sentence, fault } = state;
    if (previous?.position !== position) this.#dispatch("step", { position, length, sentence });
    if (fault && !previous?.fault) this.#dispatch("fault", { fault });
  }

  // ---- DOM

  /** Sets the maximum height of the code, whose overflow scrolls. Without a maximum height, the source determines the height, so that the
   *  layout does not change later. */
  #applyHeight() {
    const height = this.getAttribute("height");
    if (height) this.style.setProperty("--height", /^\d+$/.test(height) ? `${height}px` : height);
    else this.style.removeProperty("--height");
  }

  #createNodes(root) {
    const button = (title, run, ...children) => createElement("button", { type: "button", "aria-label": title, title, onclick: run }, ...children);
    const arrowIcon = (text) => createElement("span", { class: "arrow", "aria-hidden": "true" }, text);
    const nodes = {
      pre: createElement("pre", { dir: "ltr" }),
      area: createElement("textarea", { "aria-label": "PTX source", spellcheck: "false", autocapitalize: "off", autocomplete: "off", dir: "ltr" }),
      memory: createElement("div", { class: "memory", dir: "ltr", tabindex: "0", role: "group", "aria-label": "Memory" }),
      summary: createElement("div", { class: "step-summary", role: "status", dir: "auto" }),
      problems: createElement("ul", { class: "problems", "aria-label": "Problems" }),
      range: createElement("input", { type: "range", min: "0", "aria-label": "Step" }),
      positionLabel: createElement("span", { class: "position-label" }),
      first: button("Go to start", () => this.seek(0), arrowIcon("«")),
      back: button("Step back", () => this.back(), arrowIcon("◂")),
      step: button("Step forward", () => this.step(), arrowIcon("▸")),
      play: button("Play", () => (this.playing ? this.pause() : this.play()), "▶"),
      editButton: createElement("button", { type: "button", onclick: () => this.edit() }, "Edit"),
      reset: createElement("button", { type: "button", onclick: () => this.reset() }, "Reset"),
      boilerplateButton: createElement("button", { type: "button", onclick: () => { this.#showsBoilerplate = !this.#showsBoilerplate; this.#render(); } }),
      link: createElement("a", { target: "_blank", rel: "noopener" }, "Open in the playground"),
    };
    nodes.code = createElement("div", { class: "code", dir: "ltr", tabindex: "0", role: "group", "aria-label": "PTX source" }, nodes.pre);
    nodes.body = createElement("div", { class: "body" }, nodes.code, nodes.memory);
    nodes.bar = createElement("div", { class: "bar", role: "toolbar", "aria-label": "Controls" }, nodes.first, nodes.back, nodes.step, nodes.play,
      nodes.range, nodes.positionLabel, createElement("span", { class: "spacer" }), nodes.boilerplateButton, nodes.editButton, nodes.reset, nodes.link);
    nodes.range.addEventListener("input", () => void this.seek(nodes.range.valueAsNumber));
    nodes.area.addEventListener("input", () => this.#setSource(nodes.area.value));
    nodes.area.addEventListener("keydown", (event) => { if (event.key === "Escape") nodes.editButton.focus(); });
    // Outside of the shadow tree, the target of an event is this element, so that keyboard shortcuts of the page would not recognize the
    // input field.
    for (const type of ["keydown", "keypress", "keyup"]) {
      for (const input of [nodes.area, nodes.range]) input.addEventListener(type, (event) => event.stopPropagation());
    }
    const label = this.getAttribute("label") ?? "PTX playground";
    root.append(createElement("section", { class: "frame", "aria-label": label }, nodes.body, nodes.problems, nodes.summary, nodes.bar));
    this.#nodes = nodes;
  }

  /** Checks whether a group of controls is shown. All groups are shown unless the `controls` attribute omits them. */
  #hasControl(name) {
    const controls = this.getAttribute("controls");
    return controls === null || controls.split(/[\s,]+/).includes(name);
  }

  #render() {
    const nodes = this.#nodes;
    if (!nodes) return;
    const { view } = this;
    const state = this.#state;
    this.#renderCode(view);
    const errors = this.#diagnostics.filter(({ severity }) => severity === "error");
    nodes.problems.replaceChildren(...problemNodes(errors));
    nodes.problems.hidden = errors.length === 0;
    nodes.memory.hidden = view === "editor";
    this.#renderMemory(view);
    const fault = state?.fault;
    const message = this.#errorMessage || (fault ? `${fault.message}${fault.help ? ` (${fault.help})` : ""}` : state?.sentence ?? "");
    if (view !== "quiz" || this.#errorMessage || !state) nodes.summary.replaceChildren(...inlineCodeNodes(message));
    nodes.summary.hidden = view === "editor" && !this.#errorMessage;
    nodes.summary.classList.toggle("bad", Boolean(this.#errorMessage || (fault && view !== "quiz")));
    this.#renderControls(view);
    this.#stackIfNarrow();
  }

  /** Moves the memory below the code if a grid does not fit beside the code. */
  #stackIfNarrow() {
    const { body, memory } = this.#nodes;
    if (memory.scrollWidth > memory.clientWidth + 1) body.classList.add("stacked");
  }

  #renderCode(view) {
    const { pre, area, code } = this.#nodes;
    code.hidden = view === "grid" && !this.#isEditing;
    const hidesBoilerplate = !this.#isEditing && !this.#showsBoilerplate;
    const errorLines = new Set(this.#diagnostics.filter(({ severity }) => severity === "error").map(({ line }) => line));
    pre.replaceChildren(...codeNodes(this.#text, this.#tokens, { done: this.#state?.done ?? null, errorLines, hidesBoilerplate }));
    if (this.#isEditing && !area.isConnected) code.append(area);
    if (!this.#isEditing) area.remove();
    // While the source is being edited, screen readers use the text field instead of the highlighted source.
    pre.toggleAttribute("inert", this.#isEditing);
    if (area.value !== this.#text) area.value = this.#text;
  }

  #renderMemory(view) {
    const { memory, summary } = this.#nodes;
    const state = this.#state;
    if (view === "editor") return;
    if (!state) {
      // Reserve the height of a typical launch, so that the layout changes little once the emulator has loaded.
      const rows = Math.max(9, Math.min(16, this.#text.split("\n").length));
      memory.style.minBlockSize = `${rows * LINE_PX}px`;
      memory.replaceChildren();
      return;
    }
    memory.style.minBlockSize = "";
    if (view === "quiz") {
      this.#quiz ??= new Quiz((position) => this.#stateAt(position), (state) => this.#setState(state));
      this.#quiz.render(state, memory, summary);
    } else if (view === "matrix") {
      const placeholder = createElement("p", {}, "This step does not store a matrix.");
      memory.replaceChildren(state.fragment ? fragmentNode(state.fragment) : placeholder, ...state.grids.map((grid) => gridNode(grid)));
    } else {
      memory.replaceChildren(...state.grids.map((grid) => gridNode(grid)));
    }
  }

  #renderControls(view) {
    const nodes = this.#nodes;
    const { position, length } = this;
    const state = this.#state;
    const knownLength = length ?? (this.#isLive ? null : this.#recording && lastPosition(this.#recording)) ?? position;
    const showsSteps = this.#hasControl("step") && !["editor", "result", "quiz"].includes(view);
    for (const node of [nodes.first, nodes.back, nodes.step, nodes.range, nodes.positionLabel]) node.hidden = !showsSteps;
    nodes.play.hidden = !(showsSteps && this.#hasControl("play"));
    nodes.play.textContent = this.playing ? "❚❚" : "▶";
    nodes.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    // A source with errors cannot be executed.
    const cannotRun = !state && (this.#errorMessage !== "" || this.#diagnostics.some(({ severity }) => severity === "error"));
    nodes.first.disabled = nodes.back.disabled = !state || position === 0;
    nodes.step.disabled = nodes.play.disabled = cannotRun || Boolean(state && state.status !== "running");
    nodes.range.disabled = cannotRun;
    nodes.range.max = `${Math.max(knownLength, position)}`;
    nodes.range.value = `${position}`;
    nodes.range.setAttribute("aria-valuetext", cannotRun ? "cannot run" : `step ${position}${length === null ? "" : ` of ${length}`}`);
    nodes.positionLabel.textContent = cannotRun ? "cannot run" : `step ${position}${length === null ? "" : ` of ${length}`}`;
    nodes.editButton.hidden = this.#isEditing || this.hasAttribute("readonly") || !this.#hasControl("edit") || view === "quiz";
    nodes.reset.hidden = this.#text === this.#original && !this.#isEditing;
    nodes.boilerplateButton.hidden = this.#isEditing || !hiddenLines(this.#text).includes(true);
    nodes.boilerplateButton.textContent = this.#showsBoilerplate ? "Hide boilerplate" : "Show all lines";
    const { target, ptx_version: version } = this.#currentScenario();
    const link = playgroundLink(this, { text: this.#annotatedSource(), position, view, target, version });
    nodes.link.hidden = !link || !this.#hasControl("open");
    if (link) nodes.link.href = link;
    nodes.bar.hidden = [...nodes.bar.children].every((node) => node.hidden || node.className === "spacer");
  }
}

if (globalThis.customElements && !customElements.get("warpgrid-playground")) customElements.define("warpgrid-playground", WarpgridPlayground);
