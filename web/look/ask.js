// Questions about a moment. One is under way at a time: of those that wait only the last one counts, since the run has moved on from the others.
import { core } from "../learn/core.js";

/** What a core gets of the launch, and after it the facts of the question and the text; `parts` of a run go beside them. */
export function askCore(asked, parts, { facts, source }, what, ...rest) {
  const [a = "", b = "", c = ""] = rest.map(String);
  const launch = [facts.target, facts.ptx_version, facts.entry, facts.seed].map((word) => word ?? "");
  return asked.askWith(parts, what, ...launch, a, b, c, source);
}

export const askAt = (moment, what, ...rest) => askCore(core, [], moment, what, ...rest);

/** A function that runs `update` for the latest of what it is given. */
export function latest(update) {
  let isBusy = false;
  let waiting = null;
  return async function next(what) {
    waiting = what;
    if (isBusy) return;
    isBusy = true;
    try {
      while (waiting !== null) {
        const now = waiting;
        waiting = null;
        await update(now);
      }
    } finally {
      isBusy = false;
    }
  };
}

export const positionOf = ({ facts }) => Number(facts["view.step"] ?? 0);
