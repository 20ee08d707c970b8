// `<warpgrid-playground>`, as hosts use it from a script.
import type { DiagnosticView, Scenario } from "./types.js";
import type { RecordedDiagnostic, RecordedFault, Recording } from "./record.js";

export type PlaygroundView = "editor" | "grid" | "split" | "matrix" | "result" | "quiz";

export interface PlaygroundEvents {
  ready: CustomEvent<{ position: number; length: number | null }>;
  diagnostics: CustomEvent<{ diagnostics: (DiagnosticView | RecordedDiagnostic)[]; accept: boolean }>;
  step: CustomEvent<{ position: number; length: number | null; sentence: string }>;
  fault: CustomEvent<{ fault: RecordedFault }>;
  change: CustomEvent<{ text: string }>;
}

export class WarpgridPlayground extends HTMLElement {
  /** The text; setting it runs the new one. */
  text: string;
  readonly scenario: Scenario;
  position: number;
  /** Steps of the whole run; `null` until its end was seen. */
  readonly length: number | null;
  view: PlaygroundView;
  recording: Recording | null;
  readonly diagnostics: (DiagnosticView | RecordedDiagnostic)[];
  /** Whether the core runs this widget. */
  readonly isLive: boolean;
  readonly playing: boolean;
  step(): Promise<void>;
  back(): Promise<void>;
  seek(position: number): Promise<void>;
  run(): Promise<void>;
  play(): void;
  pause(): void;
  reset(): void;
  edit(): void;
  load(): Promise<void>;
  addEventListener<K extends keyof PlaygroundEvents>(type: K, listener: (event: PlaygroundEvents[K]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

/** A picture of the lens, by its address or its words. */
export class WarpgridLayout extends HTMLElement {
  query: string;
  /** Whether it was drawn when the document was built. */
  readonly isRecorded: boolean;
}

declare global {
  interface HTMLElementTagNameMap {
    "warpgrid-playground": WarpgridPlayground;
    "warpgrid-layout": WarpgridLayout;
  }
}
