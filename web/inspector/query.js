// Requests about a frame. Only one request is pending at a time. Of the waiting requests, only the last one is sent, because the run has
// moved on from the positions of the others.
import { sharedClient } from "../learn/worker-client.js";

/** Sends a request with the launch, its arguments and the source. `runParts` contains the partitions that other workers executed, which are
 *  transferred with the request. */
export function sendQuery(workerClient, runParts, { linkFields, source }, request, ...rest) {
  const [a = "", b = "", c = ""] = rest.map(String);
  const launch = [linkFields.target, linkFields.ptx_version, linkFields.entry, linkFields.seed].map((value) => value ?? "");
  return workerClient.sendWith(runParts, request, ...launch, a, b, c, source);
}

/** Returns a key that is equal for step contexts of the same source and launch. */
export const launchKey = ({ linkFields, source }) => JSON.stringify([source, linkFields.target, linkFields.ptx_version, linkFields.entry, linkFields.seed]);

export const queryAtStep = (stepContext, request, ...rest) => sendQuery(sharedClient, [], stepContext, request, ...rest);

/** Returns a function that executes `update` for the latest of its arguments, and skips arguments that arrive during an update. */
export function latestOnly(update) {
  let isBusy = false;
  let pending = null;
  return async function schedule(argument) {
    pending = argument;
    if (isBusy) return;
    isBusy = true;
    try {
      while (pending !== null) {
        const current = pending;
        pending = null;
        await update(current);
      }
    } finally {
      isBusy = false;
    }
  };
}

export const stepOf = ({ linkFields }) => Number(linkFields["view.step"] ?? 0);
