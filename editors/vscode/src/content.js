// Decisions that depend on the content of a document.

/** Checks whether a document is XML, such as a PreTeXt document. */
export const isXml = (text) => /^\uFEFF?\s*<(?:\?xml|!--|[A-Za-z])/.test(text);

/** Checks whether a source in another language contains strings with PTX. */
export const hasInlineAssembly = (text) => /\b(?:asm|__asm|__asm__)\b|inline_asm|InlineAsm|\.version\s+\d+\.\d/.test(text);
