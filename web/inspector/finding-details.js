// Details of the selected finding: its positions, its explanation, the lines that its fix changes, and the card of the analysis that found
// it.
import { createElement, renderInlineCode } from "../dom.js";

/** Card of the analyses that explains findings of a kind, by its class. The page renders the cards (`web/src/components/app.rs`). */
const CARD_BY_KIND = {
  "bank conflict": "conflicts",
  "data race": "races",
  "hang": "fault",
  "schedule dependence": "schedules",
  "uncoalesced access": "sectors",
  "uninitialized read": "uninitialized",
};

/** Returns the changed lines of a source as `[{ sign, line, text }]`, where `sign` is "−" for a removed line and "+" for an inserted line.
 *  `edits` is a list of `[[line, column, end line, end column], text]`. Lines and columns start at 1. */
export function diffOfFix(source, edits) {
  const lines = source.split("\n");
  return edits.flatMap(([[line, column, endLine, endColumn], inserted]) => {
    const removed = lines.slice(line - 1, endLine);
    const before = (lines[line - 1] ?? "").slice(0, column - 1);
    const after = (lines[endLine - 1] ?? "").slice(endColumn - 1);
    const next = `${before}${inserted}${after}`.split("\n");
    // Lines that the edit does not change are not part of the difference.
    while (removed.length > 0 && next.length > 0 && removed.at(-1) === next.at(-1)) { removed.pop(); next.pop(); }
    let first = line;
    while (removed.length > 0 && next.length > 0 && removed[0] === next[0]) { removed.shift(); next.shift(); first += 1; }
    const rows = (sign, texts) => texts.map((text, index) => ({ sign, line: first + index, text }));
    // An edit that removes a whole line leaves an empty line.
    return [...rows("−", removed), ...rows("+", removed.length > 0 && next.every((text) => text === "") ? [] : next)];
  });
}

/** Renders the lines that a fix changes. */
function fixDiff(fix, source) {
  const rows = diffOfFix(source, fix.edits).map(({ sign, line, text }) => createElement("li", { "data-sign": sign }, createElement("span", {}, `${sign} ${line}`), createElement("code", {}, text)));
  return createElement("ul", { class: "fix-diff", "aria-label": "Changes of the fix" }, ...rows);
}

const sourcePosition = ({ file, line }) => `${file}:${line}`;

/** Scrolls the item of a card that refers to one of the given lines into view. */
function showItemOfLines(card, lines) {
  const links = [...card.querySelectorAll(".line-link")];
  links.find((link) => lines.some((line) => link.textContent === `line ${line}`))?.scrollIntoView({ block: "nearest" });
}

/** Moves the card that explains a finding into its details. The tab *Analysis* contains the cards while no finding is selected. */
export function attachCard(details, finding, { page }) {
  const cards = page.analysisPanel();
  const card = cards.querySelector(`.card.${CARD_BY_KIND[finding.kind]}`);
  if (!card || details.contains(cards)) return;
  cards.dataset.shown = CARD_BY_KIND[finding.kind];
  details.append(cards);
  requestAnimationFrame(() => showItemOfLines(card, finding.lines));
}

/** Returns the element with the details of a finding. */
export function findingDetails(finding, source) {
  const [position, ...callSites] = finding.source.map(sourcePosition);
  const facts = [
    // The row of the finding already contains a position without call sites.
    ...callSites.length > 0 ? [`${position}${callSites.map((site) => `, called at ${site}`).join("")}`] : [],
    ...finding.isInferred ? ["This finding depends on the inferred launch."] : [],
  ];
  const explanation = createElement("div", {},
    ...facts.map((text) => createElement("p", { class: "muted" }, text)),
    ...finding.details.length > 0 ? [createElement("ul", { class: "finding-explanation" }, ...finding.details.map((detail) => createElement("li", {}, ...renderInlineCode(detail))))] : [],
    ...finding.fix ? [fixDiff(finding.fix, source)] : []);
  return createElement("div", { class: "finding-details" }, explanation);
}
