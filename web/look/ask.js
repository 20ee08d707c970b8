// Questions about a moment. One is under way at a time: of those that wait only the last one counts, since the run has moved on from the others.
import { ask } from "../learn/core.js";

/** What the core gets of the launch, and after it the facts of the question and the text. */
export function askAt({ facts, source }, what, ...rest) {
  const [a = "", b = "", c = ""] = rest.map(String);
  const launch = [facts.target, facts.ptx_version, facts.entry, facts.seed].map((word) => word ?? "");
  return ask(what, ...launch, a, b, c, source);
}

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
