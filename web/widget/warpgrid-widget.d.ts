// Script interface of the custom elements `<warpgrid-playground>` and `<warpgrid-layout>`.
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
  /** Source of the kernel; setting it runs the new source. */
  text: string;
  readonly scenario: Scenario;
  position: number;
  /** Total number of steps; `null` until the run has reached its end once. */
  readonly length: number | null;
  view: PlaygroundView;
  recording: Recording | null;
  readonly diagnostics: (DiagnosticView | RecordedDiagnostic)[];
  /** True if the emulator runs this widget, false if the widget plays a recording. */
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

/** Layout diagram, selected by a Layout Explorer link or its parameters. */
export class WarpgridLayout extends HTMLElement {
  query: string;
  /** True if the diagram was rendered when the document was built. */
  readonly isRecorded: boolean;
}

/** Attributes that each element has in JSX. */
interface ElementAttributes {
  id?: string;
  class?: string;
  className?: string;
  key?: string | number | null;
  children?: unknown;
}

/** Attributes of `<warpgrid-playground>` in JSX. */
export interface PlaygroundAttributes extends ElementAttributes {
  src?: string;
  recording?: string;
  target?: string;
  version?: string;
  front?: "ptx" | "sass";
  view?: PlaygroundView;
  step?: number | string;
  memory?: string;
  columns?: number | string;
  rows?: number | string;
  type?: string;
  autoplay?: boolean | string;
  readonly?: boolean | string;
  height?: number | string;
  theme?: "light" | "dark";
  controls?: string;
  playground?: string;
  label?: string;
}

/** Attributes of `<warpgrid-layout>` in JSX. */
export interface LayoutAttributes extends ElementAttributes {
  query?: string;
  label?: string;
  playground?: string;
  theme?: "light" | "dark";
}

/** Elements of the package in JSX. React 19 requires `declare module "react" { namespace JSX { interface IntrinsicElements extends WarpgridElements {} } }`. */
export interface WarpgridElements {
  "warpgrid-playground": PlaygroundAttributes;
  "warpgrid-layout": LayoutAttributes;
}

declare global {
  interface HTMLElementTagNameMap {
    "warpgrid-playground": WarpgridPlayground;
    "warpgrid-layout": WarpgridLayout;
  }
  namespace JSX {
    interface IntrinsicElements extends WarpgridElements {}
  }
}
