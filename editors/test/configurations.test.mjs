// Tests the configuration files of Emacs, Neovim and Kate with these editors or with their parsers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const editors = fileURLToPath(new URL("..", import.meta.url));
const { EMACS: emacs, NVIM: nvim, KATE_HIGHLIGHTER: kateHighlighter } = process.env;
const folder = mkdtempSync(join(tmpdir(), "warpgrid-"));
const write = (name, text) => { writeFileSync(join(folder, name), text); return join(folder, name); };
const PTX = write("kernel.ptx", ".version 8.0\n.target sm_80\n.visible .entry k()\n{\nL:\n@%p1 bra L;\nmov.u32 %r1, %tid.x;\nret;\n}\n");
const PRETEXT = write("book.ptx", '<?xml version="1.0"?>\n<pretext/>\n');
const LISTING = write("kernel.sass", '\t.headerflags\t@"EF_CUDA_SM80"\n');
const STYLE = write("style.sass", "$color: red\n");

const runEmacs = (...parameters) => execFileSync(emacs, ["-Q", "--batch", ...parameters], { encoding: "utf8", stdio: "pipe" });

test("Emacs Lisp files compile without warnings", () => {
  const copy = join(folder, "emacs");
  cpSync(join(editors, "emacs"), copy, { recursive: true });
  const files = ["warpgrid-tables.el", "warpgrid.el"].map((name) => join(copy, name));
  runEmacs("-L", copy, "--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile", ...files);
});

test("Emacs selects the mode, highlights and indents PTX", () => {
  const expression = `(with-temp-buffer
    (insert-file-contents ${JSON.stringify(PTX)})
    (warpgrid-ptx-mode)
    (font-lock-ensure)
    (indent-region (point-min) (point-max))
    (dolist (word '(".version" "k()" "bra" ".u32" "%r1" "%tid"))
      (goto-char (point-min))
      (search-forward word)
      (princ (format "%s %s\\n" word (get-text-property (match-beginning 0) 'face))))
    (goto-char (point-min))
    (search-forward "mov")
    (princ (format "indentation %d\\n" (current-indentation))))`;
  const output = runEmacs("-L", join(editors, "emacs"), "-l", "warpgrid", "--eval", expression);
  assert.deepEqual(output.trim().split("\n"), [
    ".version font-lock-preprocessor-face",
    "k() font-lock-function-name-face",
    "bra font-lock-keyword-face",
    ".u32 font-lock-type-face",
    "%r1 font-lock-variable-name-face",
    "%tid font-lock-builtin-face",
    "indentation 4",
  ]);
});

test("Emacs opens PreTeXt documents as XML", () => {
  const modes = [PTX, PRETEXT].map((file) =>
    runEmacs("-L", join(editors, "emacs"), "-l", "warpgrid", "--visit", file, "--eval", "(princ major-mode)"));
  assert.deepEqual(modes, ["warpgrid-ptx-mode", "nxml-mode"]);
});

test("Emacs registers the language server when Eglot is loaded", () => {
  const expression = "(progn (defvar eglot-server-programs nil) (provide 'eglot) (princ eglot-server-programs))";
  assert.equal(runEmacs("-L", join(editors, "emacs"), "-l", "warpgrid", "--eval", expression), "(((warpgrid-ptx-mode :language-id ptx) warpgrid lsp))");
});

test("Kate highlights the parts of instructions", () => {
  const home = join(folder, "kate");
  cpSync(join(editors, "kate/ptx.xml"), join(home, "org.kde.syntax-highlighting/syntax/ptx.xml"));
  const options = { encoding: "utf8", env: { ...process.env, XDG_DATA_HOME: home } };
  const html = execFileSync(kateHighlighter, ["--output-format", "html", "--syntax", "PTX", PTX], options);
  const styles = Object.fromEntries([...html.matchAll(/<span style="([^"]+)">([^<]+)<\/span>/g)].map(([, style, text]) => [text, style]));
  assert.equal(styles.mov, styles.ret, "an opcode is highlighted with and without modifiers");
  assert.match(styles.mov, /font-weight:bold/);
  const colors = [".version", ".entry", ".u32", "%r1", "%tid.x", "mov", "L:"].map((text) => [text, styles[text] !== undefined]);
  assert.deepEqual(colors.filter(([, isHighlighted]) => !isHighlighted), []);
});

test("Neovim detects the file types and loads the syntax file and the server configuration", () => {
  const script = `
    local function inspect(file)
      vim.cmd('edit ' .. file)
      io.write(vim.bo.filetype, ' ', tostring(vim.b.current_syntax), '\\n')
    end
    for _, file in ipairs(${JSON.stringify([PTX, PRETEXT, LISTING, STYLE]).replace("[", "{").replace("]", "}")}) do
      inspect(file)
    end
    vim.cmd('edit ${PTX}')
    local function group(line, column)
      return vim.fn.synIDattr(vim.fn.synID(line, column, 1), 'name')
    end
    io.write(table.concat({ group(1, 1), group(6, 1), group(7, 1), group(7, 5), group(7, 9), group(7, 14) }, ' '), '\\n')
    local config = dofile('${join(editors, "neovim/lsp/warpgrid.lua")}')
    io.write(table.concat(config.cmd, ' '), ' ', config.get_language_id(0, 'cuda'), '\\n')
  `;
  const runtime = join(editors, "neovim");
  const parameters = ["--headless", "-u", "NONE", "--cmd", `set rtp^=${runtime}`, "-c", "filetype on | syntax on"];
  // The output of the script is on standard output, and messages of Neovim are on standard error.
  const output = execFileSync(nvim, [...parameters, "-c", `luafile ${write("test.lua", script)}`, "-c", "qall!"], { encoding: "utf8", stdio: "pipe" });
  assert.deepEqual(output.trim().split("\n"), [
    "ptx ptx",
    "xml xml",
    "nvsass nil",
    "sass sass",
    "ptxDirective ptxGuard ptxOpcode ptxType ptxRegister ptxSpecialRegister",
    "warpgrid lsp cuda-cpp",
  ]);
});

// The editors start `warpgrid` from the search path.
const WRONG = write("wrong.ptx", ".version 8.0\n.target sm_80\n.entry k() {\n  .reg .b64 %p;\n  st.gobal.u32 [%p], 1;\n}\n");
const withServer = { encoding: "utf8", stdio: "pipe", env: { ...process.env, PATH: `${dirname(process.env.WARPGRID)}:${process.env.PATH}` } };

test("Neovim shows the diagnostics and the hover text of the language server", () => {
  const script = `
    vim.cmd('edit ${WRONG}')
    vim.wait(10000, function() return #vim.diagnostic.get(0) > 0 end)
    for _, found in ipairs(vim.diagnostic.get(0)) do
      io.write(found.lnum, ':', found.col, ' ', found.code, '\\n')
    end
    local params = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 4, character = 2 } }
    for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 10000)) do
      io.write(vim.split(answer.result.contents.value, '\\n')[2]:sub(1, 10), '\\n')
    end
  `;
  const parameters = ["--headless", "-u", "NONE", "--cmd", `set rtp^=${join(editors, "neovim")}`, "-c", "filetype on", "-c", "runtime plugin/warpgrid.lua"];
  const output = execFileSync(nvim, [...parameters, "-c", `luafile ${write("server.lua", script)}`, "-c", "qall!"], withServer);
  assert.deepEqual(output.trim().split("\n"), ["4:5 W0101", "st{.mmio}{"]);
});

test("Eglot shows the diagnostics of the language server and renames a register", () => {
  const expression = `(progn
    (package-initialize)
    (require 'eglot)
    (require 'warpgrid)
    (find-file ${JSON.stringify(WRONG)})
    (call-interactively 'eglot)
    (let ((rounds 0))
      (while (and (< rounds 100) (null (flymake-diagnostics)))
        (accept-process-output nil 0.1)
        (flymake-start)
        (setq rounds (1+ rounds))))
    (dolist (found (flymake-diagnostics))
      (princ (format "%s\n" (car (split-string (flymake-diagnostic-text found) ":")))))
    (search-forward "[%")
    (eglot-rename "%address")
    (princ (buffer-substring (line-beginning-position) (line-end-position)))
    (set-buffer-modified-p nil))`;
  const output = execFileSync(emacs, ["--batch", "-L", join(editors, "emacs"), "--eval", expression], withServer);
  assert.deepEqual(output.trim().split("\n"), ["warpgrid [W0101]", "  st.gobal.u32 [%address], 1;"]);
});
