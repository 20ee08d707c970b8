// The core in a worker, one for all elements of a page: questions with a number come in, answers with the same number go out. Runs are
// cut into slices, so that a long one keeps no other element waiting.
import init, { Session, check, fragment, tokens } from "warpgrid";
// The smaller core has no pictures of the lens.
import * as core from "warpgrid";
import { checkOptions, chooseMemories, firstStore, layOut, tableOfFragment, takePicture } from "./picture.js";

const SLICE = 20_000;
/** A run that takes longer pauses where it is. */
const LONGEST_MS = 5_000;
const sessions = new Map();
/** The core, once the page has said where it is. */
let loaded = null;

const pause = () => new Promise((resolve) => setTimeout(resolve));

/** Runs to a position in slices; stops early when the element has asked for something else. */
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
  /** Checks a scenario and makes it ready, at the position that is asked for; `null` is that after the first store. */
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
  /** A picture of the lens, as a drawing and with its address. */
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
    // Who asks hears why there is none.
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
