// Source files of compiled kernels: the text of a file as a `//@ source` annotation of the kernel that a compiler generated from it.

/** Returns the last component of a path. */
export const baseName = (path) => path.split(/[\\/]/).pop();

/** Checks whether a kernel contains the text of a source file. The source view of such a kernel opens without a request. */
export const hasSourceFile = (kernel) => /^\s*(?:\/\/|#)@ ?source \S/m.test(kernel);

/** Checks whether a text is CUDA C++ with a kernel, which Compiler Explorer can compile. */
export const isCuda = (text) => /\b__global__\b/.test(text) && !/^\s*\.version\s/m.test(text);

/** Returns the launch annotations of a source, without the texts of its source files. */
export const annotationLines = (source) => source.split("\n").filter((line) => /^\s*(?:\/\/|#)@(?! ?source \S)/.test(line)).map((line) => line.trim());

/** Returns the first source file that a kernel contains as `{ name, text }`, or null. */
export function readSourceFile(kernel) {
  const lines = kernel.split("\n");
  const start = lines.findIndex((line) => hasSourceFile(line));
  if (start < 0) return null;
  const isEnd = (line) => !/^\s*(?:\/\/|#)(?!@)/.test(line);
  const length = lines.slice(start + 1).findIndex(isEnd);
  const text = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).map((line) => line.replace(/^\s*(?:\/\/|#) ?/, ""));
  return { name: lines[start].replace(/^\s*(?:\/\/|#)@ ?source /, "").trim(), text: `${text.join("\n")}\n` };
}

/** Adds the text of a source file to a kernel. */
export function withSourceFile(kernel, name, text) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  // An empty line ends the file, because compilers start a kernel with comments.
  return `//@ source ${baseName(name)}\n${lines.map((line) => `// ${line}`.trimEnd()).join("\n")}\n\n${kernel}`;
}
