// Names of saved kernels, which are derived from their sources.

const MAX_NAME_LENGTH = 48;
/** Number of characters in which kernels are searched, because the search runs at every save. */
const MAX_SEARCHED_LENGTH = 1_000_000;
/** Declaration of a kernel in PTX, in a listing of cuobjdump or nvdisasm, and in CUDA C++. */
const KERNELS = /\.entry\s+([\w$%]+)|\bFunction : (\S+)|^\.text\.(\S+):|\b__global__\s(?:[^;{(]*__launch_bounds__\s*\([^)]*\))?[^;{(]*?(\w+)\s*\(/gm;
/** Line without an instruction: a comment, a preprocessor line, a directive or a brace. */
const WITHOUT_INSTRUCTION = /^(?:$|\/[/*]|\*|#|\.|[{}()]+$)/;

/** Returns the last identifier of a mangled C++ name without its parameters (`_ZN4test4copyEPf` → `copy`). Other names are returned
 *  unchanged. */
export function demangledName(symbol) {
  let rest = /^_ZN?K?(?=\d)(.*)$/.exec(symbol)?.[1];
  if (rest === undefined) return symbol;
  let name = symbol;
  for (let length = /^\d+/.exec(rest); length; length = /^\d+/.exec(rest)) {
    const start = length[0].length;
    name = rest.slice(start, start + Number(length[0]));
    rest = rest.slice(start + Number(length[0]));
  }
  return name;
}

/** Returns the name of a source: its kernel, with the number of further kernels, otherwise its first instruction, otherwise its first
 *  comment. */
export function kernelName(text) {
  const [first, ...more] = new Set([...text.slice(0, MAX_SEARCHED_LENGTH).matchAll(KERNELS)].map((match) => demangledName(match.slice(1).find((name) => name !== undefined))));
  if (first !== undefined) {
    const suffix = more.length > 0 ? ` and ${more.length} more` : "";
    return first.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
  }
  const lines = text.split("\n", 200).map((line) => line.trim());
  const instruction = lines.find((line) => !WITHOUT_INSTRUCTION.test(line))?.replace(/;$/, "");
  const comment = lines.map((line) => line.replace(/^[\s/*@]+/, "")).find((line) => line !== "");
  return (instruction ?? comment ?? "").slice(0, MAX_NAME_LENGTH);
}
