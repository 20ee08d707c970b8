// Details of the selected finding: its call sites, its explanation, the lines that its fix changes, and the card of the analysis that found
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

/** Renders the lines that a fix changes. */
function fixDiff({ changedLines }) {
  const rows = changedLines.map(([sign, line, text]) => createElement("li", { "data-sign": sign }, createElement("span", {}, `${sign} ${line}`), createElement("code", {}, text)));
  return createElement("ul", { class: "fix-diff", "aria-label": "Changes of the fix" }, ...rows);
}

const sourcePosition = ({ file, line }) => `${file}:${line}`;

/** Moves the card that explains a finding into its details. The tab *Analysis* contains the cards while no finding is selected. */
export function attachCard(details, finding, { page }) {
  const cards = page.analysisPanel();
  if (!cards.querySelector(`.card.${CARD_BY_KIND[finding.kind]}`) || details.contains(cards)) return;
  cards.dataset.shown = CARD_BY_KIND[finding.kind];
  details.append(cards);
}

/** Returns the element with the details of a finding. */
export function findingDetails(finding) {
  const [position, ...callSites] = finding.source.map(sourcePosition);
  const explanation = createElement("div", {},
    // The row of the finding already contains a position without call sites.
    ...callSites.length > 0 ? [createElement("p", { class: "muted" }, `${position}${callSites.map((site) => `, called at ${site}`).join("")}`)] : [],
    ...finding.details.length > 0 ? [createElement("ul", { class: "finding-explanation" }, ...finding.details.map((detail) => createElement("li", {}, ...renderInlineCode(detail))))] : [],
    ...finding.fix ? [fixDiff(finding.fix)] : []);
  return createElement("div", { class: "finding-details" }, explanation);
}
