// List of the findings of a source and of the runs of its kernels, with filters. Each finding links to its lines and offers its fix.
import { baseName } from "../editor/source-file.js";
import { pluralize } from "../editor/util.js";
import { createElement, renderInlineCode } from "../dom.js";
import { lazyCard } from "./lazy-card.js";
import { latestOnly, queryAtStep } from "./query.js";

const SEVERITIES = ["error", "warning", "performance", "information"];
const VERDICT_TEXTS = {
  clean: "No errors and no warnings.",
  findings: "Errors or warnings were found.",
  incomplete: "The analysis did not cover the whole run.",
  error: "The kernel cannot run.",
};

export function findingsCard(initialStepContext) {
  let report = null;
  let analyzedKey = null;
  const hidden = new Set();

  const verdict = createElement("p", { class: "findings-verdict", "aria-live": "polite" });
  const filters = createElement("div", { class: "source-files", role: "group", "aria-label": "Severities" });
  const list = createElement("ul", { class: "findings-list", tabIndex: 0, "aria-label": "Findings" });

  const lineLink = (line) => createElement("button", { type: "button", class: "line-link", title: "Show line", onclick: () => card.context().page.pin(`line ${line}`) }, `line ${line}`);

  function findingItem(finding) {
    const location = finding.source[0];
    const lines = finding.lines.slice(0, 6).flatMap((line, index) => (index === 0 ? [lineLink(line)] : [", ", lineLink(line)]));
    if (finding.lines.length > 6) lines.push(`, and ${finding.lines.length - 6} more`);
    const summary = createElement("div", { class: "finding-summary" },
      createElement("span", { class: "finding-kind", "data-severity": finding.severity }, finding.code ?? finding.kind),
      createElement("span", {}, ...renderInlineCode(finding.message)),
      createElement("span", { class: "muted" }, ...location ? [`${baseName(location.file)}:${location.line} · `] : [], ...lines,
        ...finding.isInferred && finding.severity !== "performance" ? [" · depends on the inferred launch"] : []));
    const item = createElement("li", {}, summary);
    if (finding.details.length > 0) {
      item.append(createElement("details", {}, createElement("summary", {}, pluralize(finding.details.length, "detail")),
        createElement("ul", {}, ...finding.details.map((detail) => createElement("li", {}, ...renderInlineCode(detail))))));
    }
    if (finding.fix) {
      const preview = finding.fix.edits.map(([[line], text]) => `line ${line}: ${text.trim() === "" ? "remove" : text.trim()}`).join("; ");
      item.append(createElement("div", { class: "fixes" },
        createElement("button", { type: "button", class: "action-button", title: preview, onclick: () => card.context().page.applyFix(finding.fix) }, finding.fix.title),
        createElement("code", { class: "muted" }, preview)));
    }
    return item;
  }

  function render() {
    const { diagnostics, kernels } = report;
    const all = [...diagnostics, ...kernels.flatMap(({ findings }) => findings)];
    filters.replaceChildren(...SEVERITIES.filter((severity) => all.some((finding) => finding.severity === severity)).map((severity) => {
      const n = all.filter((finding) => finding.severity === severity).length;
      const button = createElement("button", { type: "button", class: "mini", "aria-pressed": String(!hidden.has(severity)) }, `${severity} ${n}`);
      button.onclick = () => { if (!hidden.delete(severity)) hidden.add(severity); render(); };
      return button;
    }));
    const isShown = ({ severity }) => !hidden.has(severity);
    verdict.dataset.verdict = report.verdict;
    verdict.replaceChildren(createElement("strong", {}, report.verdict), ` ${VERDICT_TEXTS[report.verdict]}`);
    const sections = kernels.map((kernel) => createElement("li", { class: "finding-kernel" },
      createElement("h3", {}, kernel.kernel || "kernel", createElement("small", {}, `${kernel.launch} ${kernel.target}, ${pluralize(kernel.steps, "step")}, ${pluralize(kernel.seeds, "seed")}: ${kernel.verdict}`)),
      ...kernel.notCovered.map((reason) => createElement("p", { class: "status-text" }, ...renderInlineCode(reason))),
      createElement("ul", {}, ...kernel.findings.filter(isShown).map(findingItem))));
    list.replaceChildren(...diagnostics.filter(isShown).map(findingItem), ...sections);
  }

  const update = latestOnly(async (current) => {
    const { linkFields, source } = current;
    const key = JSON.stringify([source, linkFields.target, linkFields.ptx_version, linkFields.entry]);
    if (key === analyzedKey) return;
    analyzedKey = key;
    verdict.replaceChildren("Analyzing …");
    try {
      report = await queryAtStep(current, "findings");
      render();
    } catch (error) {
      report = null;
      filters.replaceChildren();
      list.replaceChildren();
      verdict.dataset.verdict = "error";
      verdict.replaceChildren(...renderInlineCode(error.message));
    }
  });

  const card = lazyCard({
    name: "findings", title: "Findings", subtitle: "all kernels, most severe first", view: "memory", content: [verdict, filters, list], update,
    focus: () => list.focus({ preventScroll: true }),
  }, initialStepContext);
  return card;
}
