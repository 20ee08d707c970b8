// List of the findings of a source and of the runs of its kernels, with filters. Each finding links to its lines and offers its fix.
import { baseName } from "../editor/source-file.js";
import { pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { attachCard, findingDetails } from "./finding-details.js";
import { latestOnly, launchKey, queryAtStep } from "./query.js";
import { schedulesBar } from "./schedules.js";

const SEVERITIES = ["error", "warning", "performance", "information"];
const VERDICT_TEXTS = {
  clean: "No errors and no warnings.",
  findings: "Errors or warnings were found.",
  incomplete: "The analysis did not cover the whole run.",
  error: "The kernel cannot run.",
};

const allFindings = ({ diagnostics, kernels }) => [...diagnostics, ...kernels.flatMap(({ findings }) => findings)];

let lastKey = null;
let lastReport = null;
/** Returns the promise of the analysis of a source. The last analysis is cached. */
export function requestFindings(stepContext) {
  const key = launchKey(stepContext);
  if (key !== lastKey) {
    lastKey = key;
    lastReport = queryAtStep(stepContext, "findings");
    lastReport.catch(() => { lastKey = null; });
  }
  return lastReport;
}

/** Returns a summary of the findings for the button of the transport: `{ verdict, text }`. The verdict `error` means that a finding is an error. */
export async function findingsSummary(stepContext) {
  const report = await requestFindings(stepContext);
  const all = allFindings(report);
  if (report.isEmpty) return { verdict: "none", text: "Findings" };
  const count = (severity) => all.filter((finding) => finding.severity === severity).length;
  const counts = [[count("error"), "error"], [count("warning"), "warning"]].filter(([n]) => n > 0).map(([n, noun]) => pluralize(n, noun));
  if (counts.length === 0 && count("performance") > 0) return { verdict: report.verdict, text: `${count("performance")} performance` };
  return { verdict: count("error") > 0 ? "error" : report.verdict, text: counts.join(", ") || (report.verdict === "clean" ? "No findings" : report.verdict) };
}

export function findingsTab(initialStepContext) {
  let stepContext = initialStepContext;
  let report = null;
  let shownReport = null;
  /** Findings in the order of the list, and the index of the selected finding. */
  let listed = [];
  let selected = -1;
  const hidden = new Set();

  const verdict = createElement("p", { class: "findings-verdict", "aria-live": "polite" });
  const filters = createElement("div", { class: "source-files", role: "group", "aria-label": "Severities" });
  const list = createElement("ul", { class: "findings-list", tabIndex: 0, "aria-label": "Findings" });
  const schedules = schedulesBar(initialStepContext);
  const node = createElement("div", { class: "findings" }, verdict, schedules.node, list);

  const lineLink = (line) => createElement("button", { type: "button", class: "line-link", title: "Show line", onclick: () => stepContext.page.pin(`line ${line}`) }, `line ${line}`);

  /** Returns the row of a finding. `kernel` is the analysis of its kernel, or null for a diagnostic of the source. */
  function findingItem(finding, kernel) {
    const location = finding.source[0];
    const lines = finding.lines.slice(0, 6).flatMap((line, index) => (index === 0 ? [lineLink(line)] : [", ", lineLink(line)]));
    if (finding.lines.length > 6) lines.push(`, and ${finding.lines.length - 6} more`);
    const entry = { finding, kernel };
    entry.toggle = createElement("button", { type: "button", class: "finding-toggle", "aria-expanded": "false", "aria-label": "Details", onclick: () => toggle(entry) });
    const summary = createElement("div", { class: "finding-summary" },
      createElement("span", { class: "finding-kind", "data-severity": finding.severity }, finding.code ?? finding.kind),
      createElement("span", {}, ...renderInlineCode(finding.message)),
      createElement("span", { class: "muted" }, ...location ? [`${baseName(location.file)}:${location.line} · `] : [], ...lines,
        ...finding.isInferred && finding.severity !== "performance" ? [" · depends on the inferred launch"] : []));
    summary.onclick = ({ target }) => { if (!target.closest("button")) toggle(entry); };
    const row = createElement("div", { class: "finding-row" }, entry.toggle, summary);
    if (finding.fix) {
      row.append(createElement("button", { type: "button", class: "action-button", onclick: () => stepContext.page.applyFix(finding.fix) }, finding.fix.title));
    }
    entry.item = createElement("li", {}, row);
    listed.push(entry);
    return entry.item;
  }

  function collapse() {
    const entry = listed[selected];
    selected = -1;
    if (!entry) return;
    entry.item.removeAttribute("aria-current");
    entry.toggle.setAttribute("aria-expanded", "false");
    entry.item.querySelector(".finding-details").remove();
  }

  /** Shows the card that explains the selected finding. The cards describe the run on the page, which executes one kernel. */
  function showCard() {
    const { finding, kernel, item } = listed[selected];
    const isLaunched = kernel !== null && (report.kernels.length === 1 || kernel.kernel === stepContext.linkFields.entry);
    if (isLaunched) attachCard(item.querySelector(".finding-details"), finding, stepContext);
  }

  /** Selects a finding, shows its details and marks its first line. */
  function expand(index) {
    collapse();
    selected = index;
    const { finding, item, toggle: button } = listed[index];
    item.setAttribute("aria-current", "true");
    button.setAttribute("aria-expanded", "true");
    item.append(findingDetails(finding));
    showCard();
    // The row remains visible if its details are taller than the panel.
    item.scrollIntoView({ block: "start" });
    if (finding.lines.length > 0) stepContext.page.pin(`line ${finding.lines[0]}`);
  }

  function toggle(entry) {
    const index = listed.indexOf(entry);
    if (index === selected) collapse();
    else expand(index);
  }

  /** Selects the next finding (`offset` 1) or the previous finding (-1). */
  function selectAt(offset) {
    if (listed.length === 0) return;
    expand(selected === -1 && offset < 0 ? listed.length - 1 : (selected + offset + listed.length) % listed.length);
  }
  list.onkeydown = (event) => {
    const offset = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!offset || event.target !== list) return;
    event.preventDefault();
    selectAt(offset);
  };

  function render() {
    const { diagnostics, kernels } = report;
    const all = allFindings(report);
    filters.replaceChildren(...SEVERITIES.filter((severity) => all.some((finding) => finding.severity === severity)).map((severity) => {
      const n = all.filter((finding) => finding.severity === severity).length;
      const button = createElement("button", { type: "button", class: "mini", "aria-pressed": String(!hidden.has(severity)) }, `${severity} ${n}`);
      button.onclick = () => { if (!hidden.delete(severity)) hidden.add(severity); render(); };
      return button;
    }));
    const isShown = ({ severity }) => !hidden.has(severity);
    [listed, selected] = [[], -1];
    verdict.dataset.verdict = report.verdict;
    verdict.replaceChildren(createElement("strong", {}, report.verdict), ` ${VERDICT_TEXTS[report.verdict]}`);
    const ofSource = diagnostics.filter(isShown).map((finding) => findingItem(finding, null));
    const sections = kernels.map((kernel) => createElement("li", { class: "finding-kernel" },
      createElement("h3", {}, kernel.kernel || "kernel", createElement("small", {}, `${kernel.launch} ${kernel.target}, ${pluralize(kernel.steps, "step")}, ${pluralize(kernel.seeds, "seed")}: ${kernel.verdict}`)),
      ...kernel.notCovered.map((reason) => createElement("p", { class: "status-text" }, ...renderInlineCode(reason))),
      createElement("ul", {}, ...kernel.findings.filter(isShown).map((finding) => findingItem(finding, kernel)))));
    list.replaceChildren(...ofSource, ...sections);
  }

  const update = latestOnly(async (current) => {
    const request = requestFindings(current);
    if (request === shownReport) return;
    shownReport = request;
    verdict.replaceChildren("Analyzing …");
    try {
      report = await request;
      render();
    } catch (error) {
      [report, listed, selected] = [null, [], -1];
      filters.replaceChildren();
      list.replaceChildren();
      verdict.dataset.verdict = "error";
      verdict.replaceChildren(...renderInlineCode(error.message));
    }
  });

  return {
    node,
    actions: [filters],
    focus: () => list.focus({ preventScroll: true }),
    show(next) {
      stepContext = next;
      schedules.show(next);
      if (selected !== -1) showCard();
      void update(next);
    },
    /** Selects the next finding (`offset` 1) or the previous finding (-1) after the analysis of the source. */
    async select(offset) {
      await update(stepContext);
      selectAt(offset);
    },
  };
}
