// Recorder for documentation tools.
import type { Scenario } from "./types.js";

/** Version of the recording format. Readers reject other versions. */
export const VERSION: 1;

/** Run-length encoded texts: `["0", 2, "1", 1]` is `0 0 1`. */
export type Runs = (string | number)[];

/** Initial contents of a buffer or memory. */
export interface RecordedGrid {
  id: string;
  title: string;
  type: string;
  columns: number;
  totalRows: number;
  cells: Runs;
}

/** Changes of a grid in one step: index of the grid, cells and last writers (lane, -1: none) as differences to the previous entry,
 * new texts, cells with conflicting writes, and cells that changed without a store of the step. */
export type RecordedChange = [grid: number, cells: number[], lanes: number[], texts: Runs, conflicts?: number[], quiet?: number[]];

/** Executed line, next line, step summary, changes, and index of the stored fragment. */
export type RecordedStep = [done: number | null, next: number | null, sentence: string, changes: RecordedChange[], fragment?: number];

/** Diagnostic with one-based lines and columns; columns count UTF-16 code units. */
export interface RecordedDiagnostic {
  code: string;
  severity: "error" | "warning" | "information";
  message: string;
  help: string | null;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

/** Lane and register of each element of a matrix fragment. */
export interface RecordedFragment {
  title: string;
  formula: string;
  registers: string[][];
  lanes: (number | null)[][];
}

export interface RecordedFault {
  message: string;
  help: string | null;
  line: number;
}

/** Recorded run as plain JSON. */
export interface Recording {
  /** Version of the recording format. */
  warpgrid: 1;
  /** Scenario of the run, sufficient to rerun it. */
  scenario: Scenario;
  /** Names of the token classes. */
  classes: string[];
  /** Tokens as triples: distance from the previous token and length in UTF-16 code units, and index of the class. */
  tokens: number[];
  accept: boolean;
  diagnostics: RecordedDiagnostic[];
  grids: RecordedGrid[];
  fragments: RecordedFragment[];
  steps: RecordedStep[];
  /** First line to execute. */
  next: number | null;
  sentence: string;
  /** Total number of steps; `null` if the end was not recorded. */
  length: number | null;
  status: "running" | "finished" | "faulted";
  fault: RecordedFault | null;
}

/** Recording options. */
export interface RecordOptions {
  /** Maximum number of recorded steps. Default: 250. */
  steps?: number;
  /** Comma-separated ids of the grids to record. Default: all buffers that the run writes. */
  memory?: string;
  columns?: number;
  /** Element type of the grids. */
  type?: string;
  /** Number of rows per grid. Default: 16. */
  rows?: number;
}

/** Attributes of the element; `true` for an attribute without a value. */
export type Attributes = Record<string, string | number | boolean | null | undefined>;

/** Cell of a grid. */
export interface PictureCell {
  text: string;
  lane: number | null;
  now: boolean;
  conflict: boolean;
}

/** View state of a widget at one position. */
export interface Picture {
  position: number;
  length: number | null;
  status: "running" | "finished" | "faulted";
  sentence: string;
  done: number | null;
  next: number | null;
  fault: RecordedFault | null;
  fragment: RecordedFragment | null;
  grids: { id: string; title: string; type: string; columns: number; totalRows: number; cells: PictureCell[] }[];
}

/** Runs a source or a scenario and records it. The recording of a rejected source contains its tokens and diagnostics. */
export function record(scenario: string | Scenario, options?: RecordOptions): Promise<Recording>;
/** Returns the element with its recording and a static snapshot as HTML. */
export function elementHtml(recording: Recording, attributes?: Attributes): string;
/** Returns the static snapshot only. */
export function snapshotHtml(recording: Recording, attributes?: { step?: string | number; view?: string }): string;
/** Problem in a code block: one-based line of its source, or 0 for its attributes. */
export interface Problem {
  line: number;
  code: string;
  severity: "error" | "warning";
  message: string;
}

/** Records a source and returns its element as HTML together with the problems of source and attributes. */
export function embedding(text: string, attributes?: Attributes, options?: RecordOptions): Promise<{ html: string; problems: Problem[] }>;

/** Synchronous variant of `embedding`; outside Node it requires a previous call of `init`. */
export function embeddingNow(text: string, attributes?: Attributes, options?: RecordOptions): { html: string; problems: Problem[] };

/** Renders a layout diagram and returns its problems: `query` is a Layout Explorer link (`#layouts?op=…`) or its parameters, one per line. */
export function layout(query: string, attributes?: Attributes): Promise<{ html: string; problems: Problem[] }>;
/** Returns the element of a rendered diagram. */
export function layoutHtml(drawn: { svg?: string; link?: string; text?: string; query?: string; problem?: string }, attributes?: Attributes): string;

/** Records a source and returns its element as HTML; used by documentation tools. */
export function embed(text: string, attributes?: Attributes, options?: RecordOptions): Promise<string>;
/** Checks whether a value is a recording of this version. */
export function isRecording(value: unknown): value is Recording;
/** Last recorded position. */
export function lastPosition(recording: Recording): number;
export function pictureAt(recording: Recording, position: number): Picture;
/** Removes leading and trailing empty lines and the common indentation. */
export function dedent(text: string): string;
