// Exploration of all schedules of the launch: starts and stops the exploration, shows its progress and its verdict, and plays the schedule of
// a witness.
import { pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { launchKey, queryAtStep } from "./query.js";

export function schedulesBar(initialStepContext) {
  let stepContext = initialStepContext;
  /** Number of the current exploration. The responses of an earlier exploration are discarded. */
  let runId = 0;
  let isRunning = false;
  let isStopRequested = false;

  const button = createElement("button", { type: "button", class: "action-button", title: "Prove that every schedule ends without an error and with the same memory, or find a schedule with an error" });
  const status = createElement("span", { class: "schedules-status", "aria-live": "polite" });
  const details = createElement("ul", { class: "finding-explanation", hidden: true });
  const node = createElement("section", { class: "schedules-bar", "aria-label": "All schedules" }, createElement("div", { class: "finding-row" }, button, status), details);

  function reset() {
    isRunning = false;
    button.textContent = "Explore all schedules";
  }

  function showReport({ hasWitness, notCovered, play, summary }) {
    node.dataset.verdict = hasWitness ? "error" : notCovered.length > 0 ? "incomplete" : "clean";
    status.replaceChildren(...renderInlineCode(`${summary[0].toUpperCase()}${summary.slice(1)}`));
    details.replaceChildren(...notCovered.slice(1).map((reason) => createElement("li", {}, ...renderInlineCode(reason))));
    details.hidden = notCovered.length < 2;
    if (play) {
      status.append(" ", createElement("button", { type: "button", class: "action-button", title: "Add the schedule to the launch annotation and run it", onclick: () => stepContext.page.applyInitialValue(play) }, play.title));
    }
  }

  async function explore() {
    runId += 1;
    const ownId = runId;
    const explored = stepContext;
    [isRunning, isStopRequested] = [true, false];
    button.textContent = "Stop";
    delete node.dataset.verdict;
    details.hidden = true;
    status.replaceChildren("Exploring schedules …");
    try {
      let answer = await queryAtStep(explored, "schedules", "start");
      while (answer.report === null && ownId === runId) {
        status.replaceChildren(`Exploring schedules: ${pluralize(answer.done, "execution")}, ${answer.pending} pending`);
        answer = await queryAtStep(explored, "schedules", isStopRequested ? "stop" : "continue");
      }
      if (ownId === runId) showReport(answer.report);
    } catch (error) {
      if (ownId !== runId) return;
      node.dataset.verdict = "error";
      status.replaceChildren(...renderInlineCode(error.message));
    } finally {
      if (ownId === runId) reset();
    }
  }

  button.onclick = () => {
    if (isRunning) isStopRequested = true;
    else void explore();
  };
  reset();

  return {
    node,
    show(next) {
      // The verdict belongs to the previous launch.
      if (launchKey(next) !== launchKey(stepContext)) {
        runId += 1;
        delete node.dataset.verdict;
        status.replaceChildren();
        details.hidden = true;
        reset();
      }
      stepContext = next;
    },
  };
}
