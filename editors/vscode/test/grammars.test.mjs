// Tests the TextMate grammars: tokenizes small sources with the tokenizer of VS Code, and compares the scopes of words. The grammars of the
// host languages are those of VS Code, from the package `tm-grammars`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const tools = createRequire(join(process.env.EDITOR_TOOLS, "package.json"));
const { Registry, INITIAL, parseRawGrammar } = tools("vscode-textmate");
const oniguruma = tools("vscode-oniguruma");

const folder = fileURLToPath(new URL("..", import.meta.url));
const { grammars } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).contributes;
const hostGrammar = (name) => tools.resolve(`tm-grammars/grammars/${name}.json`);
const FILES = new Map([
  ...grammars.map(({ scopeName, path }) => [scopeName, join(folder, path)]),
  ...["c", "cpp", "python", "rust"].map((name) => [`source.${name}`, hostGrammar(name)]),
]);

await oniguruma.loadWASM(readFileSync(tools.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    const file = FILES.get(scope);
    return file ? parseRawGrammar(readFileSync(file, "utf8"), file) : null;
  },
  getInjections: (scope) => grammars.filter(({ injectTo }) => injectTo?.includes(scope)).map(({ scopeName }) => scopeName),
});

/** Checks the scope of each word. The words are searched from left to right. */
async function check(language, text, expected) {
  const grammar = await registry.loadGrammar(`source.${language}`);
  let state = INITIAL;
  const words = [];
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    words.push(...tokens.map(({ startIndex, endIndex, scopes }) => ({ text: line.slice(startIndex, endIndex), scopes })));
    state = ruleStack;
  }
  let next = 0;
  for (const [word, scope] of expected) {
    const found = words.findIndex((token, index) => index >= next && token.text === word);
    assert.notEqual(found, -1, `no token \`${word}\` in ${JSON.stringify(words.slice(next).map((token) => token.text))}`);
    assert.ok(words[found].scopes.some((name) => name.startsWith(scope)), `\`${word}\`: found ${words[found].scopes.join(" ")}, expected ${scope}`);
    next = found + 1;
  }
}

test("header and function of a PTX module", () => check("ptx", ".version 8.8\n.target sm_90a\n.visible .entry store(.param .u64 out)\n{", [
  [".version", "keyword.control.directive"], ["8.8", "constant.numeric.float"], [".target", "keyword.control.directive"],
  ["sm_90a", "constant.language.target"], [".visible", "storage.modifier.linkage"], [".entry", "storage.type.function"],
  ["store", "entity.name.function"], [".param", "storage.modifier.state-space"], [".u64", "storage.type"],
]));

test("function with results", () => check("ptx", ".func (.param .b32 result) add(.param .b32 a)\n{\nadd.u32 %r1, 1, 2;", [
  [".func", "storage.type.function"], [".param", "storage.modifier.state-space"], ["add", "entity.name.function"], ["add", "keyword.mnemonic"],
]));

test("instruction with modifiers and operands", () => check("ptx", "  @!%p1 ld.shared::cluster.L2::128B.v2.u32 {%r1, %r2}, [%rd1+0x10];", [
  ["@", "keyword.operator.guard"], ["!", "keyword.operator.negation"], ["%p1", "variable.other.predicate"], ["ld", "keyword.mnemonic"],
  [".shared::cluster", "storage.modifier.state-space"], [".L2::128B", "support.constant.modifier"], [".v2", "support.constant.modifier"],
  [".u32", "storage.type"], ["%r1", "variable.other.register"], ["0x10", "constant.numeric.hex"],
]));

test("labels, branches and special registers", () => check("ptx", "$L__BB0_1:\n  mov.u32 %r1, %tid.x;\n  bra.uni $L__BB0_1;", [
  ["$L__BB0_1", "entity.name.label"], ["%tid.x", "variable.language.special-register"], ["bra", "keyword.control"],
]));

test("numbers", () => check("ptx", "add.f32 a, 0f3F800000, 0d3FF0000000000000; mov.b32 b, 017; mov.b32 c, 12U; mov.f32 d, 1.5e-3;", [
  ["0f3F800000", "constant.numeric.float.hex"], ["0d3FF0000000000000", "constant.numeric.float.hex"], ["017", "constant.numeric.octal"],
  ["12U", "constant.numeric.decimal"], ["1.5e-3", "constant.numeric.float"],
]));

test("comments, annotations and strings", () => check("ptx", "//@ launch grid=1 block=32\n/* mov */ .pragma \"nounroll\"; // add", [
  ["launch", "keyword.other.annotation"], [" mov ", "comment.block"], ["nounroll", "string.quoted.double"], [" add", "comment.line"],
]));

test("opcode as the name of a variable", () => check("ptx", "  ld.param.u64 %rd1, [min];\n  .reg .u32 max, abs;", [
  ["ld", "keyword.mnemonic"], ["%rd1", "variable.other.register"], [", [min];", "source.ptx"], [".u32", "storage.type"],
  [" max, abs;", "source.ptx"],
]));

test("SASS instruction", () => check("sass-gpu", "        /*0010*/  @!P0 STG.E.64 desc[UR4][R2.64+0x8], R4.reuse ;  // store", [
  ["0010", "constant.numeric.hex"], ["@", "keyword.operator.guard"], ["P0", "variable.other.predicate"], ["STG", "keyword.mnemonic"],
  ["UR4", "variable.other.register"], ["R2.64", "variable.other.register"], ["R4.reuse", "variable.other.register"], [" store", "comment.line"],
]));

test("SASS constant bank, special register and label", () => check("sass-gpu", ".L_x_1:\n S2R R0, SR_TID.X ;\n IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;\n BRA `(.L_x_1) ;", [
  [".L_x_1", "entity.name.label"], ["S2R", "keyword.mnemonic"], ["SR_TID.X", "variable.language.special-register"],
  [".U32", "storage.type"], ["RZ", "variable.language.register"], ["c", "storage.modifier.constant-bank"], ["0x28", "constant.numeric.hex"],
  ["BRA", "keyword.control"], ["`(.L_x_1)", "entity.name.label"],
]));

test("inline PTX in C++", () => check("cpp", 'void f() { asm volatile("{\\n\\t.reg .pred p;\\n\\t@p st.global.u32 [%0], %1;\\n\\t}" :: "l"(a), "r"(b)); mov.u32(c); }', [
  [".reg", "storage.modifier.state-space"], [".pred", "storage.type"], ["@", "keyword.operator.guard"], ["st", "keyword.mnemonic"],
  [".u32", "storage.type"], ["%0", "variable.parameter.operand"],
]));

test("strings outside of assembly in C++", () => check("cpp", 'auto s = "mov.u32";', [["mov.u32", "string.quoted.double"]]));

test("inline PTX in C", () => check("c", 'void f(void) { __asm__ __volatile__("mov.u32 %0, %%tid.x;" : "=r"(x)); g("mov.u32"); }', [
  ["mov", "keyword.mnemonic"], ["%%tid.x", "variable.language.special-register"], ["mov.u32", "string.quoted.double"],
]));

test("inline PTX in Python", () => check("python", 'y = tl.inline_asm_elementwise("""\n{ .reg .b32 t;\nshl.b32 $0, $1, 3; }\n""", "=r,r", [x], dtype=tl.int32, pack=1)\nz = "mov.u32"', [
  [".b32", "storage.type"], ["shl", "keyword.mnemonic"], ["$0", "variable.parameter.operand"], ["mov.u32", "string.quoted"],
]));

test("inline PTX in Rust", () => check("rust", 'asm!("mov.u32 {}, %laneid;", out(reg32) lane); f("mov.u32");', [
  ["mov", "keyword.mnemonic"], ["{}", "variable.parameter.operand"], ["%laneid", "variable.language.special-register"], ["mov.u32", "string.quoted"],
]));

test("patterns of the Sublime Text grammar are valid", () => {
  const source = readFileSync(join(folder, "../sublime/PTX.sublime-syntax"), "utf8");
  const patterns = [...source.matchAll(/- match: (?:'(.*)'|(.*))$/gm)].map(([, quoted, plain]) => quoted ?? plain);
  assert.ok(patterns.length > 20, `${patterns.length} patterns`);
  for (const pattern of patterns) {
    const scanner = new oniguruma.OnigScanner([pattern]);
    scanner.dispose();
  }
  const [opcode] = patterns.filter((pattern) => pattern.includes("|mov|"));
  const found = new oniguruma.OnigScanner([opcode]).findNextMatchSync("  mov.u32 %r1, 1;", 0);
  assert.equal(found?.captureIndices[0].start, 2);
});
