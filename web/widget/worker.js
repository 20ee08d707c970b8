// Worker for all elements of a page: handles numbered requests, and sends responses with the same numbers. Runs are divided into slices, so
// that a long run does not block other elements.
import init, { Session, check, fragment, tokens } from "warpgrid";
// The smaller module, which is used for PTX, does not export the functions for layout diagrams.
import * as core from "warpgrid";
import { checkOptions, chooseMemories, firstStore, layoutGrids, fragmentTable, captureState, unknownMemories } from "./snapshot-state.js";

const SLICE_STEPS = 20_000;
/** Maximum duration of a run in milliseconds, after which the run pauses. */
const MAX_RUN_MS = 5_000;
const sessions = new Map();
/** Promise of the initialization, which starts once the page has sent the URL of the WebAssembly module. */
let initialization = null;

const yieldToEventLoop = () => new Promise((resolve) => setTimeout(resolve));

/** Moves the run to a position in slices. Stops early if the element has requested another position. */
async function runTo(entry, position) {
  entry.targetPosition = position;
  const { session } = entry;
  if (position < session.position) session.seek(position);
  const end = performance.now() + MAX_RUN_MS;
  const shouldContinue = () => !entry.isClosed && entry.targetPosition === position && performance.now() < end;
  while (shouldContinue() && session.position < position && !session.over) {
    session.run({ maxSteps: Math.min(SLICE_STEPS, position - session.position) });
    await yieldToEventLoop();
  }
}

const captureSessionState = ({ session, grids }) => captureState(session, grids, (request) => fragmentTable(fragment(request)));

const handlers = {
  /** Checks a scenario and opens it at the requested position. `null` represents the position after the first store. */
  async open({ id, scenario, position, layout }) {
    handlers.close({ id });
    const options = checkOptions(scenario);
    const report = check(scenario.source, options);
    const tokenList = tokens(scenario.source, options);
    const withoutRun = { report, tokens: tokenList, picture: null, problem: null };
    if (!report.accept) return withoutRun;
    let session;
    try {
      session = new Session(scenario);
    } catch (error) {
      return { ...withoutRun, problem: { message: error.message, diagnostics: error.diagnostics } };
    }
    const memories = chooseMemories(session, layout.memory);
    const grids = layoutGrids(session, memories, layout);
    const entry = { session, grids, targetPosition: null, isClosed: false };
    sessions.set(id, entry);
    await runTo(entry, position ?? firstStore(session, memories));
    const missing = entry.isClosed ? [] : unknownMemories(session, layout.memory);
    return { ...withoutRun, picture: entry.isClosed ? null : captureSessionState(entry), unknownMemories: missing };
  },
  async seek({ id, position }) {
    const entry = sessions.get(id);
    if (!entry) return { picture: null };
    await runTo(entry, position);
    return { picture: entry.isClosed ? null : captureSessionState(entry) };
  },
  /** Renders a layout diagram, and returns it with its link. */
  picture({ query }) {
    const renderPicture = Reflect.get(core, "picture");
    return { svg: renderPicture(query, "svg"), link: renderPicture(query, "link") };
  },
  close({ id }) {
    const entry = sessions.get(id);
    if (!entry) return;
    entry.isClosed = true;
    sessions.delete(id);
    entry.session.free();
  },
};

onmessage = async ({ data: { wasm, number, question: request, ...parameters } }) => {
  if (wasm) {
    initialization = init(wasm);
    // A failed initialization is reported by the following requests.
    initialization.catch(() => {});
    return;
  }
  try {
    await initialization;
    postMessage({ number, answer: await handlers[request](parameters) });
  } catch (error) {
    postMessage({ number, error: `${error?.message ?? error}` });
  }
};
