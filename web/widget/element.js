// `<warpgrid-playground>`: a widget that steps through a source with a recorded run. The emulator is loaded only when the user edits the
// source or steps beyond the recording, or when a widget without a recording is scrolled into view.
import style from "./widget.css";
import { ATTRIBUTES, mistakes } from "./attributes.js";
export { WarpgridLayout } from "./layout-element.js";
import { laneColours } from "./lane-colors.js";
import { ask } from "./worker-client.js";
import { dedent, guessTokens, hiddenLines } from "./highlight.js";
import { playgroundLink } from "./link.js";
import { codeNodes, fragmentNode, gridNode, make, problemNodes, wordNodes } from "./dom.js";
import { Quiz } from "./quiz.js";
import { firstStore, hasRun, isRecording, lastPosition, pictureAt, tokensOf } from "./recording.js";
import { positionOf, stepOf } from "./position.js";
import { stated } from "./annotate.js";

const VIEWS = ATTRIBUTES.view;
/** Milliseconds between two steps of a playback. */
const TEMPO_MS = 700;
/** Milliseconds between the last key and the check of the source. */
const REST_MS = 300;
const LINE_PX = 20;

let sheet = null;
/** Returns the style sheet that all widgets share. */
function styleSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(`${style}\n${laneColours()}`);
  }
  return sheet;
}
let ids = 0;

// A site that renders its pages in Node also imports this module there, where elements do not exist.
export class WarpgridPlayground extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = ["view", "step", "target", "version", "front", "src", "recording", "height", "readonly", "controls", "memory", "columns", "rows", "type"];

  #id = (ids += 1);
  #text = "";
  #original = "";
  #scenario = {};
  /** The source with annotations for the link to the playground, and its inputs. */
  #stated = null;
  #recording = null;
  /** Whether the frames come from the emulator. */
  #live = false;
  #opened = null;
  #picture = null;
  #tokens = [];
  #diagnostics = [];
  #problem = "";
  /** Number of the last requested position. Responses for earlier requests are dropped. */
  #ticket = 0;
  #edits = false;
  #shows = false;
  #player = null;
  #rest = null;
  #watcher = null;
  #resized = null;
  #begun = false;
  #quiz = null;
  #parts = null;

  // ---- public interface

  /** The source. Setting it runs the new source. */
  get text() { return this.#text; }
  set text(text) { this.#change(`${text}`); }
  /** The scenario, with everything that a run needs. */
  get scenario() { return this.#scenarioNow(); }
  get position() { return this.#picture?.position ?? 0; }
  set position(position) { void this.seek(position); }
  /** Number of steps of the run; `null` until its end was reached. */
  get length() { return this.#picture?.length ?? null; }
  get view() { const view = this.getAttribute("view"); return VIEWS.includes(view) ? view : "split"; }
  set view(view) { this.setAttribute("view", view); }
  get recording() { return this.#recording; }
  set recording(recording) {
    if (!isRecording(recording)) throw new TypeError("unsupported recording format");
    this.#take(recording);
  }
  get diagnostics() { return this.#diagnostics; }
  /** Whether the emulator runs this widget. */
  get isLive() { return this.#live; }
  get playing() { return this.#player !== null; }

  /** Steps forward, back, or to a position. The promise resolves when the position is shown. */
  step() { return this.seek(this.position + 1); }
  back() { return this.seek(this.position - 1); }
  async seek(position) {
    const wanted = Math.max(0, Math.floor(Number(position)) || 0);
    const ticket = (this.#ticket += 1);
    const picture = await this.#pictureOf(wanted);
    if (picture && this.#ticket === ticket) this.#show(picture);
  }
  /** Moves to the end of the run. */
  run() { return this.seek(this.length ?? Number.MAX_SAFE_INTEGER); }
  play() {
    if (this.#player !== null) return;
    const next = async () => {
      const before = this.position;
      await this.step();
      if (this.#player === null) return;
      if (this.position === before) this.pause();
      else this.#player = setTimeout(next, TEMPO_MS);
    };
    this.#player = setTimeout(next, TEMPO_MS);
    this.#draw();
  }
  pause() {
    clearTimeout(this.#player);
    this.#player = null;
    this.#draw();
  }
  /** Restores the source and the step that the page specified. */
  reset() {
    this.pause();
    this.#edits = false;
    if (this.#recording) this.#take(this.#recording);
    else this.#change(this.#original, this.#firstStep());
  }
  /** Opens the editor. */
  edit() {
    if (this.hasAttribute("readonly")) return;
    this.#edits = true;
    this.#draw();
    this.#parts?.area.focus();
    void this.#open(this.position);
  }
  /** Loads the emulator. */
  load() { return this.#open(this.position); }

  // ---- life cycle

  connectedCallback() {
    if (!this.shadowRoot) {
      this.#readContent();
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [styleSheet()];
      this.#build(root);
    }
    for (const mistake of mistakes(Object.fromEntries([...this.attributes].map(({ name, value }) => [name, value])))) {
      console.warn(`<warpgrid-playground>: ${mistake}`);
    }
    this.#fit();
    // A new width requires another check of whether the memory fits beside the code.
    this.#resized = new ResizeObserver(() => { this.#parts.body.classList.remove("stacked"); this.#stack(); });
    this.#resized.observe(this);
    if (this.#recording) this.#take(this.#recording);
    else this.#draw();
    this.#watcher = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#begin();
    }, { rootMargin: "200px" });
    this.#watcher.observe(this);
  }

  disconnectedCallback() {
    this.#watcher?.disconnect();
    this.#resized?.disconnect();
    this.pause();
    clearTimeout(this.#rest);
    if (this.#live) ask("close", { id: this.#id }).catch(() => {});
    this.#live = false;
    this.#opened = null;
    this.#begun = false;
  }

  attributeChangedCallback(name, before, now) {
    if (!this.shadowRoot || before === now) return;
    if (name === "step") this.#goToFirstStep();
    else if (name === "height") this.#fit();
    else if (name === "src" || name === "recording") { this.#begun = false; this.#begin(); }
    else if (["view", "readonly", "controls"].includes(name)) { this.#quiz = null; this.#draw(); }
    else if (this.#begun) void this.#open(this.position, true);
  }

  /** Reads the content of the element: a recording, a snapshot or plain text. */
  #readContent() {
    const script = this.querySelector('script[type="application/json"]');
    try {
      const value = JSON.parse(script?.textContent ?? "null");
      if (isRecording(value)) this.#recording = value;
    } catch { /* the recording is truncated, but the source is available */ }
    // Markdown and templates leave the text of these elements unchanged.
    const code = this.querySelector('script[type^="text/"],code,pre') ?? this;
    const text = [...code.childNodes].filter((node) => node !== script).map((node) => node.textContent).join("");
    this.#text = this.#original = this.#recording?.scenario.source ?? dedent(text);
    this.#tokens = this.#recording ? tokensOf(this.#recording) : guessTokens(this.#text);
  }

  /** Starts the widget when it is first scrolled into view. */
  async #begin() {
    if (this.#begun) return;
    this.#begun = true;
    try {
      await this.#fetch();
    } catch (error) {
      this.#problem = `${error.message}`;
      this.#draw();
      return;
    }
    if (!this.#recording) await this.#open(this.#firstStep());
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (this.hasAttribute("autoplay") && !still) this.play();
  }

  async #fetch() {
    const [from, text] = [this.getAttribute("recording"), this.getAttribute("src")];
    const address = from ?? text;
    if (!address) return;
    const answer = await fetch(new URL(address, document.baseURI));
    if (!answer.ok) throw new Error(`failed to load ${address}: ${answer.status} ${answer.statusText}`.trim());
    const body = await answer.text();
    if (from) this.recording = JSON.parse(body);
    else if (new URL(address, document.baseURI).pathname.endsWith(".json")) {
      const { source, ...facts } = JSON.parse(body);
      if (typeof source !== "string") throw new Error(`${address} is not a scenario: missing field \`source\``);
      this.#scenario = facts;
      this.#text = this.#original = source;
    } else this.#text = this.#original = body;
    if (!this.#recording) this.#tokens = guessTokens(this.#text);
  }

  #take(recording) {
    this.#recording = recording;
    this.#live = false;
    this.#opened = null;
    this.#text = this.#original = recording.scenario.source;
    this.#tokens = tokensOf(recording);
    this.#diagnose(recording.diagnostics, recording.accept);
    const position = this.#firstStep(lastPosition(recording), firstStore(recording));
    this.#show(hasRun(recording) ? pictureAt(recording, position) : null);
    this.#tell("ready", { position: this.position, length: this.length });
  }

  /** Returns the initial position; `null` stands for the position after the first store, which only the emulator knows without a
   *  recording. */
  #firstStep(last = Number.MAX_SAFE_INTEGER, start = null) {
    const [step, autoplay] = [this.getAttribute("step"), this.getAttribute("autoplay")];
    return positionOf(stepOf({ step, autoplay, view: this.view }), last, start);
  }

  #goToFirstStep() {
    const position = this.#firstStep(undefined, this.#recording ? firstStore(this.#recording) : null);
    if (position !== null) void this.seek(position);
    else if (this.#begun) void this.#open(null, true);
  }

  // ---- emulator

  #scenarioNow() {
    const facts = { ...this.#recording?.scenario, ...this.#scenario, source: this.#text };
    const [front, target, version] = ["front", "target", "version"].map((name) => this.getAttribute(name));
    if (front) facts.front = front;
    if (target) facts.target = target;
    if (version) facts.ptx_version = version;
    return facts;
  }

  /** Returns the source with annotations for the launch of its scenario. */
  #statedText() {
    const facts = { ...this.#recording?.scenario, ...this.#scenario };
    if (this.#stated?.text !== this.#text || this.#stated.scenario !== this.#scenario || this.#stated.recording !== this.#recording) {
      const [text, scenario, recording] = [this.#text, this.#scenario, this.#recording];
      this.#stated = { text, scenario, recording, all: stated({ ...facts, source: text }) };
    }
    return this.#stated.all;
  }

  #layout() {
    const number = (name) => Number.parseInt(this.getAttribute(name) ?? "", 10) || null;
    return { memory: this.getAttribute("memory"), type: this.getAttribute("type"), columns: number("columns"), rows: number("rows") };
  }

  /** Opens the current source in the emulator, again if `anew` is set. */
  #open(position, anew = false) {
    if (this.#opened && !anew) return this.#opened;
    const scenario = this.#scenarioNow();
    const opened = (this.#opened = this.#openNow(scenario, position, () => this.#opened === opened).catch((error) => {
      if (this.#opened !== opened) return;
      this.#opened = null;
      this.#live = false;
      this.#problem = `${error.message}`;
      this.#draw();
    }));
    return opened;
  }

  async #openNow(scenario, position, isCurrent) {
    await null;
    const { report, tokens, picture, problem } = await ask("open", { id: this.#id, scenario, position, layout: this.#layout() });
    if (!isCurrent()) return;
    this.#live = true;
    if (this.#text === scenario.source) this.#tokens = tokens;
    this.#problem = problem?.message ?? "";
    this.#diagnose(problem?.diagnostics ?? report.diagnostics, report.accept && !problem);
    this.#show(picture);
    this.#tell("ready", { position: this.position, length: this.length });
  }

  async #pictureOf(position) {
    const recording = this.#recording;
    if (!this.#live && recording && hasRun(recording)) {
      const last = lastPosition(recording);
      const isWhole = recording.length === last || recording.status !== "running";
      if (position <= last || isWhole) return pictureAt(recording, position);
    }
    if (!this.#opened) { await this.#open(position); return null; }
    await this.#opened;
    try {
      return (await ask("seek", { id: this.#id, position })).picture;
    } catch (error) {
      this.#opened = null;
      this.#live = false;
      this.#problem = error.message;
      this.#draw();
      return null;
    }
  }

  #change(text, position = this.position) {
    this.#text = text;
    this.#tokens = guessTokens(text);
    this.#quiz = null;
    this.#draw();
    this.#tell("change", { text });
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.#open(position, true), REST_MS);
  }

  #diagnose(diagnostics, accept) {
    this.#diagnostics = diagnostics;
    this.#tell("diagnostics", { diagnostics, accept });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #show(picture) {
    const before = this.#picture;
    this.#picture = picture;
    this.#draw();
    if (!picture) return;
    const { position, length, sentence, fault } = picture;
    if (before?.position !== position) this.#tell("step", { position, length, sentence });
    if (fault && !before?.fault) this.#tell("fault", { fault });
  }

  // ---- DOM

  /** Sets the maximum height of the code, which scrolls inside. Without one, the source determines the height, so that nothing moves
   *  later. */
  #fit() {
    const height = this.getAttribute("height");
    if (height) this.style.setProperty("--height", /^\d+$/.test(height) ? `${height}px` : height);
    else this.style.removeProperty("--height");
  }

  #build(root) {
    const button = (title, run, ...inside) => make("button", { type: "button", "aria-label": title, title, onclick: run }, ...inside);
    const arrow = (text) => make("span", { class: "arrow", "aria-hidden": "true" }, text);
    const parts = {
      pre: make("pre", { dir: "ltr" }),
      area: make("textarea", { "aria-label": "PTX source", spellcheck: "false", autocapitalize: "off", autocomplete: "off", dir: "ltr" }),
      memory: make("div", { class: "memory", dir: "ltr", tabindex: "0", role: "group", "aria-label": "Memory" }),
      say: make("div", { class: "say", role: "status", dir: "auto" }),
      problems: make("ul", { class: "problems", "aria-label": "Problems" }),
      range: make("input", { type: "range", min: "0", "aria-label": "Step" }),
      place: make("span", { class: "place" }),
      first: button("Go to start", () => this.seek(0), arrow("«")),
      back: button("Step back", () => this.back(), arrow("◂")),
      step: button("Step forward", () => this.step(), arrow("▸")),
      play: button("Play", () => (this.playing ? this.pause() : this.play()), "▶"),
      editor: make("button", { type: "button", onclick: () => this.edit() }, "Edit"),
      reset: make("button", { type: "button", onclick: () => this.reset() }, "Reset"),
      all: make("button", { type: "button", onclick: () => { this.#shows = !this.#shows; this.#draw(); } }),
      link: make("a", { target: "_blank", rel: "noopener" }, "Open in the playground"),
    };
    parts.code = make("div", { class: "code", dir: "ltr", tabindex: "0", role: "group", "aria-label": "PTX source" }, parts.pre);
    parts.body = make("div", { class: "body" }, parts.code, parts.memory);
    parts.bar = make("div", { class: "bar", role: "toolbar", "aria-label": "Controls" }, parts.first, parts.back, parts.step, parts.play,
      parts.range, parts.place, make("span", { class: "spring" }), parts.all, parts.editor, parts.reset, parts.link);
    parts.range.addEventListener("input", () => void this.seek(parts.range.valueAsNumber));
    parts.area.addEventListener("input", () => this.#change(parts.area.value));
    parts.area.addEventListener("keydown", (event) => { if (event.key === "Escape") parts.editor.focus(); });
    // Outside of the shadow tree, this element is the target of an event, so keyboard shortcuts of the page would not detect the input
    // field.
    for (const type of ["keydown", "keypress", "keyup"]) {
      for (const input of [parts.area, parts.range]) input.addEventListener(type, (event) => event.stopPropagation());
    }
    const label = this.getAttribute("label") ?? "PTX playground";
    root.append(make("section", { class: "frame", "aria-label": label }, parts.body, parts.problems, parts.say, parts.bar));
    this.#parts = parts;
  }

  /** Checks whether a group of controls is shown. All are shown unless `controls` omits them. */
  #has(name) {
    const controls = this.getAttribute("controls");
    return controls === null || controls.split(/[\s,]+/).includes(name);
  }

  #draw() {
    const parts = this.#parts;
    if (!parts) return;
    const { view } = this;
    const picture = this.#picture;
    this.#drawCode(view);
    const errors = this.#diagnostics.filter(({ severity }) => severity === "error");
    parts.problems.replaceChildren(...problemNodes(errors));
    parts.problems.hidden = errors.length === 0;
    parts.memory.hidden = view === "editor";
    this.#drawMemory(view);
    const fault = picture?.fault;
    const words = this.#problem || (fault ? `${fault.message}${fault.help ? ` (${fault.help})` : ""}` : picture?.sentence ?? "");
    if (view !== "quiz" || this.#problem || !picture) parts.say.replaceChildren(...wordNodes(words));
    parts.say.hidden = view === "editor" && !this.#problem;
    parts.say.classList.toggle("bad", Boolean(this.#problem || (fault && view !== "quiz")));
    this.#drawBar(view);
    this.#stack();
  }

  /** Moves the memory below the code if a grid does not fit beside it. */
  #stack() {
    const { body, memory } = this.#parts;
    if (memory.scrollWidth > memory.clientWidth + 1) body.classList.add("stacked");
  }

  #drawCode(view) {
    const { pre, area, code } = this.#parts;
    code.hidden = view === "grid" && !this.#edits;
    const hides = !this.#edits && !this.#shows;
    const wrong = new Set(this.#diagnostics.filter(({ severity }) => severity === "error").map(({ line }) => line));
    pre.replaceChildren(...codeNodes(this.#text, this.#tokens, { done: this.#picture?.done ?? null, wrong, hides }));
    if (this.#edits && !area.isConnected) code.append(area);
    if (!this.#edits) area.remove();
    // While the source is edited, screen readers use the text field.
    pre.toggleAttribute("inert", this.#edits);
    if (area.value !== this.#text) area.value = this.#text;
  }

  #drawMemory(view) {
    const { memory, say } = this.#parts;
    const picture = this.#picture;
    if (view === "editor") return;
    if (!picture) {
      // Reserves the height of a typical launch, so that little moves once the emulator has loaded.
      const rows = Math.max(9, Math.min(16, this.#text.split("\n").length));
      memory.style.minBlockSize = `${rows * LINE_PX}px`;
      memory.replaceChildren();
      return;
    }
    memory.style.minBlockSize = "";
    if (view === "quiz") {
      this.#quiz ??= new Quiz((position) => this.#pictureOf(position), (picture) => this.#show(picture));
      this.#quiz.draw(picture, memory, say);
    } else if (view === "matrix") {
      const none = make("p", {}, "This step does not store a matrix.");
      memory.replaceChildren(picture.fragment ? fragmentNode(picture.fragment) : none, ...picture.grids.map((grid) => gridNode(grid)));
    } else {
      memory.replaceChildren(...picture.grids.map((grid) => gridNode(grid)));
    }
  }

  #drawBar(view) {
    const parts = this.#parts;
    const { position, length } = this;
    const picture = this.#picture;
    const known = length ?? (this.#live ? null : this.#recording && lastPosition(this.#recording)) ?? position;
    const steps = this.#has("step") && !["editor", "result", "quiz"].includes(view);
    for (const part of [parts.first, parts.back, parts.step, parts.range, parts.place]) part.hidden = !steps;
    parts.play.hidden = !(steps && this.#has("play"));
    parts.play.textContent = this.playing ? "❚❚" : "▶";
    parts.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    // A source with errors has no run.
    const isWrong = !picture && (this.#problem !== "" || this.#diagnostics.some(({ severity }) => severity === "error"));
    parts.first.disabled = parts.back.disabled = !picture || position === 0;
    parts.step.disabled = parts.play.disabled = isWrong || Boolean(picture && picture.status !== "running");
    parts.range.disabled = isWrong;
    parts.range.max = `${Math.max(known, position)}`;
    parts.range.value = `${position}`;
    parts.range.setAttribute("aria-valuetext", isWrong ? "cannot run" : `step ${position}${length === null ? "" : ` of ${length}`}`);
    parts.place.textContent = isWrong ? "cannot run" : `step ${position}${length === null ? "" : ` of ${length}`}`;
    parts.editor.hidden = this.#edits || this.hasAttribute("readonly") || !this.#has("edit") || view === "quiz";
    parts.reset.hidden = this.#text === this.#original && !this.#edits;
    parts.all.hidden = this.#edits || !hiddenLines(this.#text).includes(true);
    parts.all.textContent = this.#shows ? "Hide boilerplate" : "Show all lines";
    const { target, ptx_version: version } = this.#scenarioNow();
    const link = playgroundLink(this, { text: this.#statedText(), position, view, target, version });
    parts.link.hidden = !link || !this.#has("open");
    if (link) parts.link.href = link;
    parts.bar.hidden = [...parts.bar.children].every((part) => part.hidden || part.className === "spring");
  }
}

if (globalThis.customElements && !customElements.get("warpgrid-playground")) customElements.define("warpgrid-playground", WarpgridPlayground);
