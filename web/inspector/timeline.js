// Timeline tab: the warps, asynchronous operations, barriers and mbarriers of the run over its steps. The worker returns the visible range at
// the resolution of the canvas, so that the drawing time does not depend on the length of the run.
import { saveFile } from "../editor/download.js";
import { formatCount, pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { seekTo } from "../learn/playback.js";
import { fittedContext } from "./canvas.js";
import { onThemeChange, toRgba } from "./colors.js";
import { latestOnly, launchKey, queryAtStep, stepOf } from "./query.js";
import { AXIS_HEIGHT, COLORS, LABEL_WIDTH, itemAt, layoutTracks, paintTimeline } from "./timeline-layout.js";

/** Factor of one zoom step. */
const ZOOM_FACTOR = 1.6;
/** Number of steps of the narrowest range. */
const MIN_RANGE = 8;
/** Distance in pixels from which on a pointer movement pans the timeline instead of selecting a step. */
const PAN_DISTANCE = 4;
/** Fraction of the visible range by which one key press pans. */
const KEY_PAN = 0.2;

/** Fraction of the run that is shown after the end of a run that hangs. */
const HANG_MARGIN = 0.06;

const LEGEND = [["running", "running"], ["diverged", "some lanes"], ["waiting", "waiting"], ["in-flight", "in flight"], ["phase", "barrier phase"]];

export function timelineTab(initialStepContext) {
  let stepContext = initialStepContext;
  /** Source and settings to which the view belongs. */
  let shownKey = null;
  let view = null;
  let layout = null;
  /** Visible range in steps, or null to show the whole run. */
  let range = null;
  let block = "";
  let selection = null;
  let colors = null;
  let isPaintScheduled = false;

  const canvas = createElement("canvas", { "aria-hidden": "true" });
  const content = createElement("div", { class: "timeline-content" }, canvas);
  const scroller = createElement("div", { class: "scroller", tabIndex: 0, role: "group", "aria-label": "Timeline: arrow keys select a span, Enter goes to its step, plus and minus zoom" }, content);
  const status = createElement("p", { class: "status-text", "aria-live": "polite" });
  const node = createElement("div", { class: "timeline" }, scroller, status);
  const blockSelect = createElement("select", { class: "mini", "aria-label": "Blocks", hidden: true });
  blockSelect.onchange = () => { block = blockSelect.value; selection = null; void update(stepContext); };
  const button = (text, title, onclick) => createElement("button", { type: "button", class: "mini", title, ...text.length === 1 ? { "aria-label": title } : {}, onclick }, text);
  const exportButton = button("Export trace", "Save the timeline in the Trace Event Format, which Perfetto opens", () => void exportTrace());
  const legend = createElement("span", { class: "timeline-legend", "aria-hidden": "true" }, ...LEGEND.map(([state, text]) => createElement("span", { "data-state": state }, text)));

  async function exportTrace() {
    try {
      saveFile("timeline.json", await queryAtStep(stepContext, "trace"));
    } catch (error) {
      showError(error);
    }
  }

  /** Returns the range of the whole run. The range of a hang continues after the last step, because some states never end. */
  const wholeRange = () => { const steps = Math.max(view?.steps ?? 1, 1); return [0, view?.tracks.some(({ spans }) => spans.some(([, to]) => to === null)) ? steps + Math.max(1, steps * HANG_MARGIN) : steps]; };
  const shownRange = () => range ?? wholeRange();
  const scene = () => ({
    view, layout, range: shownRange(), width: scroller.clientWidth, height: scroller.clientHeight, top: scroller.scrollTop, colors, step: stepOf(stepContext), selection,
  });

  function paint() {
    isPaintScheduled = false;
    if (!view || !node.isConnected) return;
    paintTimeline(fittedContext(canvas, scroller.clientWidth, scroller.clientHeight), scene());
  }
  const schedulePaint = () => {
    if (isPaintScheduled) return;
    isPaintScheduled = true;
    requestAnimationFrame(paint);
  };

  function updateColors() {
    const names = Object.keys(COLORS);
    const bytes = toRgba(node, Object.values(COLORS));
    colors = Object.fromEntries(names.map((name, index) => [name, `rgb(${bytes.subarray(index * 4, index * 4 + 3).join(" ")})`]));
  }

  /** Returns the text of a line of the kernel, without its comment. */
  const lineText = (line) => (stepContext.source.split("\n")[line - 1] ?? "").replace(/\/\/.*/, "").trim();
  const location = (line, source) => [...line ? [` · line ${line} `, createElement("code", {}, lineText(line))] : [], ...source ? [` · ${source}`] : []];
  function describe(item) {
    if (!item) return summary();
    const track = view.tracks[item.trackIndex];
    const place = view.blocks.length > 1 ? `${track.name} of block ${track.block}` : track.name;
    if (item.markIndex !== undefined) {
      const { at, text, line } = view.marks[item.markIndex];
      return [`${place}, step ${formatCount(at[2])}: `, ...renderInlineCode(text), ...location(line)];
    }
    if (item.spanIndex === undefined) return [place];
    const [from, to, , , text, line, source] = track.spans[item.spanIndex];
    const steps = to === null ? `from step ${formatCount(from)}, never ends` : `steps ${formatCount(from)} to ${formatCount(Math.max(to - 1, from))} (${formatCount(to - from)})`;
    return [`${place}, ${steps}: ${text}`, ...location(line, source)];
  }
  function summary() {
    const notes = [`${pluralize(view.steps, "step")}, ${pluralize(view.tracks.length, "track")}`];
    if (!view.isComplete) notes.push("the timeline ends before the end of the run");
    if (view.omittedTracks > 0) notes.push(`${pluralize(view.omittedTracks, "further track")}: select a block`);
    return [`${notes.join(" · ")}. The unit is one step, which executes one instruction of one warp.`];
  }
  function updateStatus() {
    status.className = "status-text";
    status.replaceChildren(...describe(selection));
  }

  function showError(error) {
    status.className = "status-text bad";
    status.replaceChildren(...renderInlineCode(error.message));
  }

  const update = latestOnly(async (current) => {
    const key = launchKey(current);
    if (key !== shownKey) {
      [range, selection, block] = [null, null, ""];
      status.className = "status-text";
      status.replaceChildren("Recording the timeline …");
    }
    const [from, to] = range ? [Math.max(0, Math.floor(range[0])), Math.ceil(range[1])] : ["", ""];
    const columns = Math.max(scroller.clientWidth - LABEL_WIDTH, 1);
    try {
      const next = await queryAtStep(current, "timeline", from, to, `${columns} ${block}`.trim());
      const isNew = key !== shownKey;
      shownKey = key;
      // The indices of the previous selection refer to the previous view.
      selection = null;
      view = next;
      layout = layoutTracks(view);
      content.style.height = `${layout.height}px`;
      if (isNew) {
        blockSelect.replaceChildren(createElement("option", { value: "" }, pluralize(view.blocks.length, "block")), ...view.blocks.map((each) => createElement("option", { value: String(each) }, `block ${each}`)));
        blockSelect.hidden = view.blocks.length < 2;
        scroller.scrollTop = 0;
      }
      updateStatus();
    } catch (error) {
      [view, shownKey] = [null, null];
      canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
      showError(error);
    }
    schedulePaint();
  });

  /** Shows a range of steps, limited to the run. */
  function setRange(from, to) {
    if (!view) return;
    const [, end] = wholeRange();
    const length = Math.min(Math.max(to - from, MIN_RANGE), Math.max(end, MIN_RANGE));
    const start = Math.min(Math.max(from, 0), Math.max(end - length, 0));
    range = length >= end ? null : [start, start + length];
    schedulePaint();
    void update(stepContext);
  }
  function zoom(factor, center) {
    const [from, to] = shownRange();
    const middle = center ?? (from + to) / 2;
    setRange(middle - (middle - from) / factor, middle + (to - middle) / factor);
  }
  function pan(steps) {
    const [from, to] = shownRange();
    setRange(from + steps, to + steps);
  }
  const pointerPosition = ({ clientX, clientY }) => {
    const { left, top } = scroller.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  const stepAt = (x) => {
    const [from, to] = shownRange();
    return from + (x - LABEL_WIDTH) / Math.max(scroller.clientWidth - LABEL_WIDTH, 1) * (to - from);
  };
  const stepsPerPixel = () => { const [from, to] = shownRange(); return (to - from) / Math.max(scroller.clientWidth - LABEL_WIDTH, 1); };

  function select(item) {
    selection = item;
    updateStatus();
    schedulePaint();
  }

  /** Goes to a step of the run. The position after the step shows its effect. */
  function goTo(step) {
    seekTo(Math.min(Math.max(Math.floor(step) + 1, 0), view.steps));
    const line = selection?.markIndex !== undefined ? view.marks[selection.markIndex].line : view.tracks[selection?.trackIndex]?.spans[selection.spanIndex]?.[5];
    if (line) stepContext.page.pin(`line ${line}`);
  }

  let drag = null;
  scroller.onpointerdown = (event) => {
    const [x, y] = pointerPosition(event);
    if (event.button !== 0 || x > scroller.clientWidth || !view) return;
    drag = { x, y, range: shownRange(), isPan: false };
    scroller.setPointerCapture(event.pointerId);
  };
  scroller.onpointermove = (event) => {
    if (!view) return;
    const [x, y] = pointerPosition(event);
    if (!drag) { select(itemAt(scene(), x, y)); return; }
    if (Math.abs(x - drag.x) < PAN_DISTANCE && !drag.isPan) return;
    drag.isPan = true;
    const offset = (drag.x - x) * stepsPerPixel();
    setRange(drag.range[0] + offset, drag.range[1] + offset);
  };
  scroller.onpointerup = (event) => {
    const [x, y] = pointerPosition(event);
    const wasClick = drag && !drag.isPan;
    drag = null;
    if (!wasClick || x < LABEL_WIDTH) return;
    select(itemAt(scene(), x, y));
    const { markIndex } = selection ?? {};
    goTo(markIndex === undefined ? stepAt(x) : view.marks[markIndex].at[2]);
  };
  scroller.onpointerleave = () => { if (!drag && view) select(null); };
  scroller.addEventListener("wheel", (event) => {
    if (!view) return;
    const [x] = pointerPosition(event);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 200), Math.max(stepAt(x), 0));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      pan((event.deltaX || event.deltaY) * stepsPerPixel());
    }
  }, { passive: false });
  scroller.ondblclick = (event) => zoom(ZOOM_FACTOR ** 2, stepAt(pointerPosition(event)[0]));

  /** Moves the selection to the next span of the track (`spans`), or to the nearest span of the next track (`tracks`). */
  function moveSelection(spans, tracks) {
    const current = selection ?? { trackIndex: 0, spanIndex: spans > 0 ? -1 : 0 };
    const trackIndex = Math.min(Math.max(current.trackIndex + tracks, 0), view.tracks.length - 1);
    const list = view.tracks[trackIndex]?.spans ?? [];
    const [from] = view.tracks[current.trackIndex]?.spans[current.spanIndex] ?? [shownRange()[0]];
    const nearest = Math.max(list.findIndex(([, end]) => end === null || end > from), 0);
    const spanIndex = tracks === 0 ? Math.min(Math.max((current.spanIndex ?? 0) + spans, 0), list.length - 1) : nearest;
    select(list.length > 0 ? { trackIndex, spanIndex } : { trackIndex });
    const { y, height } = layout.tracks[trackIndex];
    if (y - AXIS_HEIGHT < scroller.scrollTop) scroller.scrollTop = y - AXIS_HEIGHT;
    else if (y + height > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = y + height - scroller.clientHeight;
  }
  const KEYS = {
    ArrowRight: () => moveSelection(1, 0), ArrowLeft: () => moveSelection(-1, 0), ArrowDown: () => moveSelection(0, 1), ArrowUp: () => moveSelection(0, -1),
    "+": () => zoom(ZOOM_FACTOR), "=": () => zoom(ZOOM_FACTOR), "-": () => zoom(1 / ZOOM_FACTOR), 0: () => { range = null; void update(stepContext); },
    PageDown: () => { const [from, to] = shownRange(); pan((to - from) * KEY_PAN); }, PageUp: () => { const [from, to] = shownRange(); pan((from - to) * KEY_PAN); },
    Enter: () => { const span = view.tracks[selection?.trackIndex]?.spans[selection?.spanIndex]; if (span) goTo(span[0]); },
  };
  scroller.onkeydown = (event) => {
    if (!view || !KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    // Elsewhere on the page, the arrow keys move the run.
    event.preventDefault();
    event.stopPropagation();
    KEYS[event.key]();
  };
  scroller.onscroll = schedulePaint;
  new ResizeObserver(() => {
    if (!view || scroller.clientWidth === 0) return;
    schedulePaint();
    void update(stepContext);
  }).observe(scroller);

  return {
    node,
    actions: [legend, blockSelect, button("−", "Zoom out", () => zoom(1 / ZOOM_FACTOR)), button("+", "Zoom in", () => zoom(ZOOM_FACTOR)), button("Fit", "Show the whole run", () => { range = null; void update(stepContext); }), exportButton],
    focus: () => scroller.focus({ preventScroll: true }),
    show(next) {
      stepContext = next;
      if (!colors) {
        updateColors();
        onThemeChange(node, () => { updateColors(); schedulePaint(); });
      }
      if (launchKey(next) === shownKey) schedulePaint();
      else void update(next);
    },
  };
}
