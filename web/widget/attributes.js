// Validation of the attributes of the widget element. `warpgrid check` uses the same list of attributes for documents.
import ATTRIBUTES from "../../crates/cli/src/document/attributes.json";

export { ATTRIBUTES };

const VALUE_KINDS = {
  position: [/^(end|\d+)$/, "a step number or `end`"],
  count: [/^0*[1-9]\d*$/, "a positive integer"],
  length: [/^(\d*\.?\d+([a-z]+|%)?|.*\))$/i, "a CSS length or a number of pixels"],
};

/** Names of HTML attributes and of attributes with which a framework or a script marks an element. All other names without punctuation are
 *  probably misspelled attributes of the widget. */
const FOREIGN_NAME = /[^a-z]|^(class|hidden|id|inert|is|lang|dir|nonce|on.+|part|role|slot|style|tabindex|title|translate)$/;

/** Returns the attributes of an element that the widget supports, and the attributes whose names are probably misspelled. */
export const ownAttributes = (element) =>
  Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]).filter(([name]) => ATTRIBUTES[name] || !FOREIGN_NAME.test(name)));

/** Returns an error message for each invalid value of a known attribute and, if `rejectsUnknown` is set, for each unknown name. */
export function attributeErrors(attributes, rejectsUnknown = false) {
  return Object.entries(attributes).flatMap(([name, value]) => {
    const kind = ATTRIBUTES[name];
    if (!kind) return rejectsUnknown ? [`unknown attribute \`${name}\``] : [];
    const values = name === "controls" ? `${value}`.split(/[\s,]+/).filter(Boolean) : [`${value}`];
    if (typeof kind === "number" && !(/^\d+$/.test(value) && value >= 1 && value <= kind)) return [`found \`${name}=${value}\`, expected an integer from 1 to ${kind}`];
    const [pattern, expected] = VALUE_KINDS[kind] ?? [null, null];
    if (Array.isArray(kind) && !values.every((item) => kind.includes(item))) return [`found \`${name}=${value}\`, expected one of \`${kind.join("`, `")}\``];
    return pattern && !pattern.test(value) ? [`found \`${name}=${value}\`, expected ${expected}`] : [];
  });
}
