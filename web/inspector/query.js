// Requests about a frame. One request is pending at a time. Of the waiting ones only the last is sent, because the run has moved on from
// the others.
import { core } from "../learn/worker-client.js";

/** Sends a request with the launch, its arguments and the source. `parts` of a run are transferred with it. */
export function askCore(asked, parts, { facts, source }, what, ...rest) {
  const [a = "", b = "", c = ""] = rest.map(String);
  const launch = [facts.target, facts.ptx_version, facts.entry, facts.seed].map((word) => word ?? "");
  return asked.askWith(parts, what, ...launch, a, b, c, source);
}

export const askAt = (moment, what, ...rest) => askCore(core, [], moment, what, ...rest);

/** Returns a function that runs `update` for the latest of its arguments. */
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
