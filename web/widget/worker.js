// The worker of all elements of a page: handles numbered requests and sends responses with the same numbers. Runs are divided into slices,
// so that a long run does not block other elements.
import init, { Session, check, fragment, tokens } from "warpgrid";
// The smaller module has no layout diagrams.
import * as core from "warpgrid";
import { checkOptions, chooseMemories, firstStore, layOut, tableOfFragment, takePicture } from "./snapshot-state.js";

const SLICE = 20_000;
/** Maximum duration of a run in milliseconds, after which it pauses. */
const LONGEST_MS = 5_000;
const sessions = new Map();
/** The initialization of the module, once the page has sent its URL. */
let loaded = null;

const pause = () => new Promise((resolve) => setTimeout(resolve));

/** Runs to a position in slices. Stops early if the element has requested another position. */
async function travel(entry, position) {
  entry.travel = position;
  const { session } = entry;
  if (position < session.position) session.seek(position);
  const end = performance.now() + LONGEST_MS;
  const goesOn = () => !entry.gone && entry.travel === position && performance.now() < end;
  while (goesOn() && session.position < position && !session.over) {
    session.run({ maxSteps: Math.min(SLICE, position - session.position) });
    await pause();
  }
}

const picture = ({ session, grids }) => takePicture(session, grids, (request) => tableOfFragment(fragment(request)));

const answers = {
  /** Checks a scenario and opens it at the requested position; `null` stands for the position after the first store. */
  async open({ id, scenario, position, layout }) {
    answers.close({ id });
    const options = checkOptions(scenario);
    const report = check(scenario.source, options);
    const coloured = tokens(scenario.source, options);
    const none = { report, tokens: coloured, picture: null, problem: null };
    if (!report.accept) return none;
    let session;
    try {
      session = new Session(scenario);
    } catch (error) {
      return { ...none, problem: { message: error.message, diagnostics: error.diagnostics } };
    }
    const memories = chooseMemories(session, layout.memory);
    const grids = layOut(session, memories, layout);
    const entry = { session, grids, travel: null, gone: false };
    sessions.set(id, entry);
    await travel(entry, position ?? firstStore(session, memories));
    return { ...none, picture: entry.gone ? null : picture(entry) };
  },
  async seek({ id, position }) {
    const entry = sessions.get(id);
    if (!entry) return { picture: null };
    await travel(entry, position);
    return { picture: entry.gone ? null : picture(entry) };
  },
  /** Renders a layout diagram with its link. */
  picture({ query }) {
    const picture = Reflect.get(core, "picture");
    return { svg: picture(query, "svg"), link: picture(query, "link") };
  },
  close({ id }) {
    const entry = sessions.get(id);
    if (!entry) return;
    entry.gone = true;
    sessions.delete(id);
    entry.session.free();
  },
};

onmessage = async ({ data: { wasm, number, question, ...facts } }) => {
  if (wasm) {
    loaded = init(wasm);
    // Requests report the error.
    loaded.catch(() => {});
    return;
  }
  try {
    await loaded;
    postMessage({ number, answer: await answers[question](facts) });
  } catch (error) {
    postMessage({ number, error: `${error?.message ?? error}` });
  }
};
