// Layout and drawing of the timeline: rows of tracks over steps, with spans, links and marks.

/** Width of the names of tracks, height of the axis, and height of a row, in pixels. */
export const LABEL_WIDTH = 132;
export const AXIS_HEIGHT = 20;
const ROW_HEIGHT = 18;
const TRACK_GAP = 4;
const BLOCK_HEIGHT = 20;
/** Minimum width in pixels of a span that contains its text. */
const MIN_TEXT_WIDTH = 42;
/** Maximum number of links that are drawn without a selection. */
const MAX_FAINT_LINKS = 200;
/** Distance in pixels within which the pointer selects a mark. */
const MARK_DISTANCE = 5;

/** CSS colors of the drawing, by name. */
export const COLORS = {
  running: "var(--span-running)",
  diverged: "var(--span-diverged)",
  waiting: "var(--span-waiting)",
  "in-flight": "var(--span-in-flight)",
  phase: "var(--span-phase)",
  panel: "var(--panel)", line: "var(--line)", edge: "var(--line2)", ink: "var(--ink)", muted: "var(--ink2)", bad: "var(--bad)", badBackground: "var(--bad-bg)", link: "var(--ink3)", now: "var(--now)", selection: "var(--accent)",
};

/** Returns the rows of a view: `{ tracks: [{ track, index, y, height }], blocks: [{ block, y }], height }`. A view of several blocks has a
 *  heading for each block. */
export function layoutTracks(view) {
  let y = AXIS_HEIGHT;
  let block = null;
  const [tracks, blocks] = [[], []];
  const hasHeadings = new Set(view.tracks.map((track) => track.block)).size > 1;
  view.tracks.forEach((track, index) => {
    if (hasHeadings && track.block !== block) {
      blocks.push({ block: track.block, y });
      y += BLOCK_HEIGHT;
    }
    block = track.block;
    const height = track.rows * ROW_HEIGHT;
    tracks.push({ track, index, y, height });
    y += height + TRACK_GAP;
  });
  return { tracks, blocks, height: y + TRACK_GAP };
}

/** Returns the middle of a row of a track. */
const rowMiddle = (layout, trackIndex, row) => layout.tracks[trackIndex].y + (row + 0.5) * ROW_HEIGHT;

/** Returns a step interval of 1, 2 or 5 times a power of ten, so that axis labels are at least 70 pixels apart. */
function tickInterval(stepsPerPixel) {
  const least = Math.max(1, stepsPerPixel * 70);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((interval) => interval >= least);
}

/** Draws the visible part of a timeline. `scene` contains `view`, `layout`, `range` (`[from, to]` in steps), `width`, `height`, `top` (the
 *  scroll offset), `colors`, `step` (the current step) and `selection` (the result of `itemAt`, or null). */
export function paintTimeline(canvasContext, scene) {
  const { layout, range: [from, to], width, height, top, colors, view } = scene;
  const plotWidth = width - LABEL_WIDTH;
  const x = (step) => LABEL_WIDTH + (step - from) / (to - from) * plotWidth;
  const isVisible = ({ y, height: trackHeight }) => y + trackHeight > top && y < top + height;
  canvasContext.clearRect(0, 0, width, height);
  canvasContext.save();
  canvasContext.translate(0, -top);
  canvasContext.font = "11px sans-serif";
  canvasContext.textBaseline = "middle";

  canvasContext.save();
  canvasContext.beginPath();
  canvasContext.rect(LABEL_WIDTH, top, plotWidth, height);
  canvasContext.clip();
  const interval = tickInterval((to - from) / plotWidth);
  canvasContext.fillStyle = colors.line;
  for (let step = Math.ceil(from / interval) * interval; step <= to; step += interval) canvasContext.fillRect(x(step), top, 1, height);
  for (const each of layout.tracks.filter(isVisible)) paintTrack(canvasContext, scene, each, x);
  paintLinks(canvasContext, scene, x);
  paintMarks(canvasContext, scene, x);
  canvasContext.fillStyle = colors.now;
  canvasContext.fillRect(Math.round(x(scene.step)) - 1, top, 2, height);
  if (to > view.steps) {
    canvasContext.fillStyle = colors.edge;
    canvasContext.fillRect(x(view.steps), top, 1, height);
  }
  canvasContext.restore();

  canvasContext.fillStyle = colors.panel;
  canvasContext.fillRect(0, top, LABEL_WIDTH, height);
  for (const { track, index, y, height: trackHeight } of layout.tracks.filter(isVisible)) {
    canvasContext.fillStyle = scene.selection?.trackIndex === index ? colors.selection : colors.ink;
    canvasContext.fillText(track.name, 10, y + Math.min(trackHeight, ROW_HEIGHT) / 2, LABEL_WIDTH - 16);
  }
  canvasContext.font = "600 11px sans-serif";
  canvasContext.fillStyle = colors.muted;
  for (const { block, y } of layout.blocks) canvasContext.fillText(`block ${block}`, 6, y + BLOCK_HEIGHT / 2);

  // The axis remains visible during vertical scrolling.
  canvasContext.fillStyle = colors.panel;
  canvasContext.fillRect(0, top, width, AXIS_HEIGHT);
  canvasContext.font = "11px sans-serif";
  canvasContext.fillStyle = colors.muted;
  canvasContext.fillText("step", 10, top + AXIS_HEIGHT / 2);
  for (let step = Math.ceil(from / interval) * interval; step <= to; step += interval) canvasContext.fillText(String(step), x(step) + 3, top + AXIS_HEIGHT / 2);
  canvasContext.fillStyle = colors.edge;
  canvasContext.fillRect(0, top + AXIS_HEIGHT - 1, width, 1);
  canvasContext.restore();
}

function paintTrack(canvasContext, scene, { track, index, y }, x) {
  const { range: [from, to], colors, selection } = scene;
  track.spans.forEach((span, spanIndex) => {
    const [start, end, row, state, text] = span;
    const neverEnds = end === null;
    if (start > to || (!neverEnds && end < from)) return;
    const [left, right] = [Math.max(x(start), LABEL_WIDTH - 2), neverEnds ? x(to) : x(end)];
    const width = Math.max(right - left, 1);
    const rowTop = y + row * ROW_HEIGHT + 1;
    canvasContext.fillStyle = colors[state];
    canvasContext.fillRect(left, rowTop, width, ROW_HEIGHT - 2);
    if (neverEnds) {
      canvasContext.fillStyle = colors.bad;
      for (let dash = left; dash < right; dash += 8) canvasContext.fillRect(dash, rowTop + ROW_HEIGHT - 4, 5, 2);
    }
    if (width >= 4) {
      canvasContext.fillStyle = colors.edge;
      canvasContext.fillRect(left, rowTop, 1, ROW_HEIGHT - 2);
    }
    if (selection?.trackIndex === index && selection.spanIndex === spanIndex) {
      canvasContext.strokeStyle = colors.selection;
      canvasContext.lineWidth = 2;
      canvasContext.strokeRect(left + 1, rowTop + 1, Math.max(width - 2, 1), ROW_HEIGHT - 4);
    }
    if (width < MIN_TEXT_WIDTH || state === "running") return;
    canvasContext.save();
    canvasContext.beginPath();
    canvasContext.rect(left, rowTop, width - 3, ROW_HEIGHT);
    canvasContext.clip();
    canvasContext.fillStyle = neverEnds ? colors.bad : colors.ink;
    canvasContext.fillText(text, left + 5, rowTop + ROW_HEIGHT / 2 - 0.5);
    canvasContext.restore();
  });
}

/** Checks whether a link starts or ends in the selected span. */
function touchesSelection({ from, to }, { selection, view }) {
  if (!selection || selection.spanIndex === undefined) return false;
  const [start, end, row] = view.tracks[selection.trackIndex].spans[selection.spanIndex];
  return [from, to].some(([track, pointRow, step]) => track === selection.trackIndex && pointRow === row && step >= start - 1 && step <= (end ?? Infinity));
}

function paintLinks(canvasContext, scene, x) {
  const { layout, view, range: [from, to], colors } = scene;
  const visible = view.links.filter((link) => link.to[2] >= from && link.from[2] <= to);
  const showsAll = visible.length <= MAX_FAINT_LINKS;
  for (const link of visible) {
    const isSelected = touchesSelection(link, scene);
    const isRace = link.kind === "race";
    if (!showsAll && !isSelected && !isRace) continue;
    const [x1, x2] = [x(link.from[2] + (link.kind === "issue" ? 0.5 : 1)), x(link.to[2])];
    const [y1, y2] = [rowMiddle(layout, link.from[0], link.from[1]), rowMiddle(layout, link.to[0], link.to[1])];
    canvasContext.strokeStyle = isRace ? colors.bad : isSelected ? colors.selection : colors.link;
    canvasContext.globalAlpha = isSelected || isRace ? 1 : 0.45;
    canvasContext.lineWidth = isSelected || isRace ? 1.8 : 1;
    canvasContext.setLineDash(isRace ? [5, 4] : []);
    const bend = Math.min(Math.max(Math.abs(x2 - x1) / 2, 8), 60);
    canvasContext.beginPath();
    canvasContext.moveTo(x1, y1);
    canvasContext.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    canvasContext.stroke();
    canvasContext.setLineDash([]);
    if (isRace) { canvasContext.globalAlpha = 1; continue; }
    canvasContext.beginPath();
    canvasContext.moveTo(x2, y2);
    canvasContext.lineTo(x2 - 5, y2 - 3);
    canvasContext.lineTo(x2 - 5, y2 + 3);
    canvasContext.fillStyle = canvasContext.strokeStyle;
    canvasContext.fill();
    canvasContext.globalAlpha = 1;
  }
}

function paintMarks(canvasContext, scene, x) {
  const { layout, view, range: [from, to], colors } = scene;
  for (const { kind, at: [trackIndex, row, step] } of view.marks) {
    if (step < from || step > to) continue;
    const [left, middle] = [x(step + (kind === "missing" || kind === "fault" ? 0 : 0.5)), rowMiddle(layout, trackIndex, row)];
    if (kind === "arrival") {
      canvasContext.fillStyle = colors.ink;
      canvasContext.fillRect(left - 1, middle + ROW_HEIGHT / 2 - 7, 2, 6);
      continue;
    }
    canvasContext.fillStyle = colors.bad;
    canvasContext.beginPath();
    if (kind === "race") canvasContext.arc(left, middle, 4.5, 0, 2 * Math.PI);
    else {
      // A cross at the end of the recorded steps.
      for (const [dx, dy] of [[-4, -4], [0, -1.5], [4, -4], [1.5, 0], [4, 4], [0, 1.5], [-4, 4], [-1.5, 0]]) canvasContext.lineTo(left - 6 + dx, middle + dy);
    }
    canvasContext.fill();
  }
}

/** Returns the item at a position of the canvas: `{ trackIndex, markIndex }`, `{ trackIndex, spanIndex }`, `{ trackIndex }` or null. */
export function itemAt(scene, pointerX, pointerY) {
  const { layout, view, range: [from, to], width, top } = scene;
  const y = pointerY + top;
  if (pointerX < LABEL_WIDTH || pointerY < AXIS_HEIGHT) return null;
  const found = layout.tracks.find((track) => y >= track.y && y < track.y + track.height);
  if (!found) return null;
  const { index: trackIndex, track } = found;
  const row = Math.floor((y - found.y) / ROW_HEIGHT);
  const stepsPerPixel = (to - from) / (width - LABEL_WIDTH);
  const step = from + (pointerX - LABEL_WIDTH) * stepsPerPixel;
  const distance = (mark) => Math.abs(mark.at[2] + (mark.kind === "missing" || mark.kind === "fault" ? -6 * stepsPerPixel : 0.5) - step);
  const marks = view.marks.map((mark, markIndex) => ({ mark, markIndex })).filter(({ mark }) => mark.at[0] === trackIndex && mark.at[1] === row && distance(mark) <= MARK_DISTANCE * stepsPerPixel);
  // Problems precede arrivals at the same step.
  const mark = marks.sort((a, b) => (a.mark.kind === "arrival") - (b.mark.kind === "arrival") || distance(a.mark) - distance(b.mark))[0];
  if (mark) return { trackIndex, markIndex: mark.markIndex };
  const spanIndex = track.spans.findIndex(([start, end, spanRow]) => spanRow === row && start <= step && step < (end ?? Infinity));
  return spanIndex === -1 ? { trackIndex } : { trackIndex, spanIndex };
}
