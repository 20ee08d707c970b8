// Syntax highlighting: splits a source and its tokens into lines of spans. If the emulator has not provided tokens (while the user is
// typing, and in pages without a recording), tokens are guessed by their shape.

const SHAPES = [
  ["comment", /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y],
  ["string", /"(?:[^"\\\n]|\\.)*"?/y],
  ["special-register", /%(?:n?tid|n?ctaid|laneid|warpid|clock|smid)\b(?:\.\w+)*|%(?:clock64|lanemask_\w+)/y],
  ["register", /%[\w$]+/y],
  ["directive", /^[ \t]*\.[a-z]\w*/my],
  ["type", /\.(?:[usbf](?:8|16|32|64|128)(?:x\d)?|bf16(?:x2)?|tf32|pred)\b/y],
  ["modifier", /\.[\w:]+/y],
  ["number", /0[xXfFdDbB][\da-fA-F]+|\d[\w.]*/y],
  ["label", /^[ \t]*[$_a-zA-Z][\w$]*:/my],
  ["opcode", /^[ \t]*[a-z]\w*(?=[.; \t])/my],
  ["name", /[$_a-zA-Z][\w$]*/y],
];

/** Maximum length of a source that is highlighted. Highlighting a longer source would block the page. */
export const MAX_HIGHLIGHT_LENGTH = 200_000;

/** Splits a text into tokens, whose classes are guessed by their shape. */
export function guessTokens(text) {
  const tokens = [];
  if (text.length > MAX_HIGHLIGHT_LENGTH) return tokens;
  for (let offset = 0; offset < text.length;) {
    let length = 0;
    for (const [name, shape] of SHAPES) {
      shape.lastIndex = offset;
      const match = shape.exec(text)?.[0];
      if (!match) continue;
      const blanks = match.length - match.trimStart().length;
      tokens.push({ start: offset + blanks, end: offset + match.length, class: name });
      length = match.length;
      break;
    }
    offset += length || 1;
  }
  return tokens;
}

/** Returns the spans of each line as `[text, class or null]`. */
export function highlightLines(text, tokens) {
  const lines = [[]];
  const add = (segment, name) => {
    segment.split("\n").forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1).push([part, name]);
    });
  };
  let offset = 0;
  for (const { start, end, class: name } of tokens) {
    // Skip tokens of an earlier source that do not match the text.
    if (start < offset || end > text.length) continue;
    add(text.slice(offset, start), null);
    add(text.slice(start, end), name);
    offset = end;
  }
  add(text.slice(offset), null);
  return lines;
}

/** Pattern of a line that starts a boilerplate section. */
const HIDDEN_START = /^\s*\/\/\s*begin-hidden\b/;
const HIDDEN_END = /^\s*\/\/\s*end-hidden\b/;

/** Returns for each line whether it is hidden as boilerplate. */
export function hiddenLines(text) {
  let isInside = false;
  return text.split("\n").map((line) => {
    if (HIDDEN_START.test(line)) isInside = true;
    const isHidden = isInside || HIDDEN_END.test(line);
    if (HIDDEN_END.test(line)) isInside = false;
    return isHidden;
  });
}

/** Removes leading and trailing empty lines and the common indentation of a text. */
export function dedent(text) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  while (lines.length > 0 && lines[0].trim() === "") lines.shift();
  while (lines.length > 0 && lines.at(-1).trim() === "") lines.pop();
  const margins = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const margin = margins.reduce((minimum, length) => Math.min(minimum, length), Infinity);
  return lines.map((line) => line.slice(margin)).join("\n");
}
