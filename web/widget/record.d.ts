// The recorder of documentation tools.
import type { Scenario } from "./types.js";

/** The version of the form of recordings. A reader refuses others. */
export const VERSION: 1;

/** A text repeated: `["0", 2, "1", 1]` is `0 0 1`. */
export type Runs = (string | number)[];

/** A memory at the start of the run. */
export interface RecordedGrid {
  id: string;
  title: string;
  type: string;
  columns: number;
  totalRows: number;
  cells: Runs;
}

/** What a step changes in a grid: the grid, its cells and the lanes that wrote them (-1: none), each as the distance from the one before,
 * the new texts, the cells over which lanes disagreed, and those that changed without a store of the step. */
export type RecordedChange = [grid: number, cells: number[], lanes: number[], texts: Runs, conflicts?: number[], quiet?: number[]];

/** The line just done, the line that comes next, the sentence about the step, its changes, and the fragment that it stores. */
export type RecordedStep = [done: number | null, next: number | null, sentence: string, changes: RecordedChange[], fragment?: number];

/** A diagnostic, with lines and columns from 1, columns in UTF-16 units. */
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

/** Which lane and register holds each element of a matrix. */
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

/** A recorded run: plain JSON. */
export interface Recording {
  /** The version of this form. */
  warpgrid: 1;
  /** What was run: enough to run it again. */
  scenario: Scenario;
  /** Names of token classes. */
  classes: string[];
  /** Tokens as triples: units since the last one, length, index of the class. */
  tokens: number[];
  accept: boolean;
  diagnostics: RecordedDiagnostic[];
  grids: RecordedGrid[];
  fragments: RecordedFragment[];
  steps: RecordedStep[];
  /** The line that comes first. */
  next: number | null;
  sentence: string;
  /** Steps of the whole run; `null` when its end was not recorded. */
  length: number | null;
  status: "running" | "finished" | "faulted";
  fault: RecordedFault | null;
}

/** How a run is recorded. */
export interface RecordOptions {
  /** Steps to record; 250 when absent. */
  steps?: number;
  /** Ids of the memories to show, separated by commas; those that the run stores to when absent. */
  memory?: string;
  columns?: number;
  /** The element type of the grids. */
  type?: string;
  /** Rows of each grid; 16 when absent. */
  rows?: number;
}

/** Attributes of the element; `true` for one without a value. */
export type Attributes = Record<string, string | number | boolean | null | undefined>;

/** One cell of a picture. */
export interface PictureCell {
  text: string;
  lane: number | null;
  now: boolean;
  conflict: boolean;
}

/** What a widget shows at one position. */
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

/** Runs a text or a scenario and records it. A text that is rejected has a recording too, of its colours and diagnostics. */
export function record(scenario: string | Scenario, options?: RecordOptions): Promise<Recording>;
/** The element with recording and static snapshot, as HTML. */
export function elementHtml(recording: Recording, attributes?: Attributes): string;
/** The static snapshot alone. */
export function snapshotHtml(recording: Recording, attributes?: { step?: string | number; view?: string }): string;
/** Records a text and gives its element as HTML: what documentation tools call. */
/** What is wrong with a block: a line of its text from 1, or 0 for the attributes beside it. */
export interface Problem {
  line: number;
  code: string;
  severity: "error" | "warning";
  message: string;
}

/** The element with what is wrong with its text and its attributes. */
export function embedding(text: string, attributes?: Attributes, options?: RecordOptions): Promise<{ html: string; problems: Problem[] }>;

/** The same at once, for tools that wait for nothing; in Node alone, unless `init` has loaded the wasm. */
export function embeddingNow(text: string, attributes?: Attributes, options?: RecordOptions): { html: string; problems: Problem[] };

/** A picture of the lens with what is wrong: `query` is its address (`#lens?op=…`), or its words, one a line. */
export function layout(query: string, attributes?: Attributes): Promise<{ html: string; problems: Problem[] }>;
/** The element of a picture that is drawn already. */
export function layoutHtml(drawn: { svg?: string; link?: string; text?: string; query?: string; problem?: string }, attributes?: Attributes): string;

export function embed(text: string, attributes?: Attributes, options?: RecordOptions): Promise<string>;
/** Whether a value is a recording of this version. */
export function isRecording(value: unknown): value is Recording;
/** Positions 0 to this have pictures. */
export function lastPosition(recording: Recording): number;
export function pictureAt(recording: Recording, position: number): Picture;
/** A text without empty first and last lines and without the margin that its lines share. */
export function dedent(text: string): string;
