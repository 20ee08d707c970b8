//! Detection of sources in other languages, and of surrounding text that was copied together with PTX. For such a source, the parser
//! reports one diagnostic with instructions for obtaining PTX, instead of syntax errors for each line.

use crate::diagnostics::syntax;
use crate::lexer;
use crate::lexer::TokenKind;
use crate::parser::{Parser, reports};
use crate::tree::SourceKind;
use warpgrid_program::{Diagnostic, Span};

/// Identifiers that do not occur in PTX, their language, and instructions for obtaining PTX from this language.
const LANGUAGES: &[(&[&str], &str, &str)] = &[
    (
        &[
            "__global__",
            "__device__",
            "__shared__",
            "threadIdx",
            "blockIdx",
            "__syncthreads",
        ],
        "CUDA C++",
        "compile the source with `nvcc -ptx`, or with PTX output in Compiler Explorer, and paste the result",
    ),
    (
        &["asm", "__asm__", "__asm"],
        "inline assembly",
        "paste the PTX between the quotation marks with `%0` and `%1` replaced by names, or compile the whole source with `nvcc -ptx` and paste the result",
    ),
    (
        &["__kernel", "get_global_id", "get_local_id"],
        "OpenCL C",
        "compile the source with `clang --target=nvptx64-nvidia-nvcl -S` and paste the result",
    ),
    (
        &["getelementptr", "source_filename", "addrspace"],
        "LLVM IR",
        "compile the source with `llc -march=nvptx64` and paste the result",
    ),
    (
        &["triton", "numba", "cupy"],
        "Python",
        "compile the kernel and paste its PTX, which is available as `kernel.asm[\"ptx\"]` in Triton and as `kernel.inspect_asm()` in Numba",
    ),
];

/// Maximum number of tokens to examine. This number is sufficient, because the first lines of a kernel identify its language.
const N_TOKENS: usize = 4000;

/// Maximum number of lines to examine in the search for surrounding text.
const N_LINES: usize = 400;

impl Parser<'_> {
    /// Returns the diagnostic for a source in another language, or `None` if no other language is detected.
    #[cold]
    pub(crate) fn other_language(&self) -> Option<Diagnostic> {
        if self.diagnostics.is_empty() {
            return None;
        }
        if let Some(copied) = copied(self.cursor.source, self.tree.kind) {
            return Some(copied);
        }
        if self.tree.kind != SourceKind::Snippet {
            return None;
        }
        if let Some(span) = bare_constant(self.cursor.source) {
            let constant = span.text(self.cursor.source);
            return Some(syntax::bare_constant(span, constant));
        }
        let mut at = 0;
        for _ in 0..N_TOKENS {
            let token = lexer::token_at(self.cursor.source, at);
            at = token.span.end as usize;
            match token.kind {
                TokenKind::End => return None,
                TokenKind::Word | TokenKind::Name => {}
                _ => continue,
            }
            let word = token.span.text(self.cursor.source);
            let known = LANGUAGES.iter().find(|(words, ..)| words.contains(&word));
            if let Some((_, language, way)) = known {
                return Some(syntax::other_language(token.span, language, way));
            }
        }
        None
    }
}

/// Returns the span of a hexadecimal constant that is the whole source, such as the matrix descriptor `0x4000004000010040`.
fn bare_constant(source: &str) -> Option<Span> {
    let text = source.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    let is_constant = !digits.is_empty()
        && digits
            .bytes()
            .all(|digit| digit.is_ascii_hexdigit() || digit == b'_');
    let start = source.len() - source.trim_start().len();
    is_constant.then(|| Span::new(start as u32, (start + text.len()) as u32))
}

/// Returns the diagnostic for PTX with surrounding text or demangled names, or for a report of a tool, at the first line that identifies
/// the text.
fn copied(source: &str, kind: SourceKind) -> Option<Diagnostic> {
    if source.starts_with("\u{7f}ELF") {
        return Some(syntax::compiled_file(Span::new(1, 4)));
    }
    let mut at = 0;
    let mut marked = None;
    let mut n_lines = 0;
    let mut n_numbered = 0;
    let mut n_added = 0;
    for line in source.split_inclusive('\n').take(N_LINES) {
        let text = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        if text.is_empty() {
            continue;
        }
        let span = Span::new(start as u32, (start + text.len()) as u32);
        if text.starts_with("```") || text.starts_with("~~~") {
            return Some(syntax::wrapped(span, "a Markdown code fence"));
        }
        if text.starts_with("<pre") || text.starts_with("<code") || text.starts_with("<!DOCTYPE") {
            return Some(syntax::wrapped(span, "HTML"));
        }
        if is_message(text) {
            return Some(syntax::assembler_message(span));
        }
        if let Some(report) = reports::of_line(text, kind) {
            return Some(syntax::other_language(span, &report.kind, report.help));
        }
        if text.contains(")_param_") && !text.starts_with("//") {
            return Some(syntax::demangled(span));
        }
        n_lines += 1;
        marked = marked.or(Some(span));
        n_added += u32::from(text.starts_with(['+', '-']));
        n_numbered += u32::from(line_number(text).is_some());
    }
    match marked {
        Some(span) if n_lines > 2 && n_numbered == n_lines => {
            Some(syntax::numbered_lines(span, line_numbers(source)))
        }
        Some(span) if n_lines > 2 && n_added == n_lines => {
            Some(syntax::wrapped(span, "diff markers"))
        }
        _ => None,
    }
}

/// Returns the length of the line number at the start of a line, with the separator that follows it.
fn line_number(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        rest.len() < line.len() && (rest.is_empty() || rest.starts_with([' ', '\t', ':', '|']));
    let code = rest.strip_prefix([':', '|']).unwrap_or(rest);
    is_numbered.then_some(line.len() - code.len())
}

/// Returns the spans of all line numbers.
fn line_numbers(source: &str) -> Vec<Span> {
    let mut at = 0;
    let mut spans = Vec::new();
    for line in source.split_inclusive('\n') {
        let text = line.trim_start();
        let start = (at + line.len() - text.len()) as u32;
        spans.extend(line_number(text.trim_end()).map(|len| Span::new(start, start + len as u32)));
        at += line.len();
    }
    spans
}

/// Returns whether a line is a message of the assembler or the driver about a module.
fn is_message(line: &str) -> bool {
    let is_about_line = line.contains(", line ") && line.contains("; ");
    let is_refusal = line.starts_with("Instruction '") || line.starts_with("Feature '");
    let is_code = line
        .trim_start_matches("info")
        .trim_start()
        .starts_with("(C7");
    line.starts_with("ptxas ")
        || is_code
        || (is_refusal && line.ends_with('\''))
        || (is_about_line && line.starts_with("ptxas"))
}

/// Typographic characters that chats, documents and web pages substitute for ASCII characters, with the ASCII equivalents.
const TYPESET: &[(char, &str)] = &[
    ('\u{a0}', " "),
    // Soft hyphen.
    ('\u{ad}', ""),
    ('\u{2007}', " "),
    ('\u{202f}', " "),
    ('\u{200b}', ""),
    ('\u{200c}', ""),
    ('\u{200d}', ""),
    ('\u{2060}', ""),
    ('\u{2018}', "'"),
    ('\u{2019}', "'"),
    ('\u{201c}', "\""),
    ('\u{201d}', "\""),
    ('\u{2010}', "-"),
    ('\u{2011}', "-"),
    ('\u{2013}', "-"),
    ('\u{2212}', "-"),
    // Ligatures of PDF files.
    ('\u{fb00}', "ff"),
    ('\u{fb01}', "fi"),
    ('\u{fb02}', "fl"),
    ('\u{fb03}', "ffi"),
    ('\u{fb04}', "ffl"),
];

/// Returns a diagnostic for each string that contains non-ASCII characters.
#[cold]
pub(crate) fn strings_outside_ascii(source: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let token = lexer::token_at(source, at);
        match token.kind {
            TokenKind::End | TokenKind::OpenComment => return found,
            TokenKind::String if !token.span.text(source).is_ascii() => {
                found.extend(syntax::string_outside_ascii(token.span, source));
            }
            _ => {}
        }
        at = token.span.end as usize;
    }
}

/// Replaces typographic characters outside of comments and strings. Returns the resulting source, and one diagnostic for all of the
/// characters, with a fix. Returns `None` if the source contains no typographic characters.
#[cold]
pub(crate) fn typeset(source: &str) -> Option<(String, Diagnostic)> {
    let mut found: Vec<(Span, &str)> = Vec::new();
    let mut at = 0;
    loop {
        let token = lexer::token_at(source, at);
        match token.kind {
            TokenKind::End | TokenKind::OpenComment => break,
            TokenKind::Comment | TokenKind::String => {}
            _ => {
                let start = token.span.start as usize;
                let characters = token.span.text(source).char_indices();
                found.extend(characters.filter_map(|(offset, c)| {
                    let (_, text) = TYPESET.iter().find(|(of, _)| *of == c)?;
                    let from = (start + offset) as u32;
                    Some((Span::new(from, from + c.len_utf8() as u32), *text))
                }));
            }
        }
        at = token.span.end as usize;
    }
    if found.is_empty() {
        return None;
    }
    // The replacement does not change the length of the source, so that spans are valid in both versions.
    let mut plain = source.to_owned();
    for (span, text) in &found {
        let (start, end) = (span.start as usize, span.end as usize);
        let width = end - start;
        plain.replace_range(start..end, &format!("{text:width$}"));
    }
    Some((plain, syntax::typeset(&found)))
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::syntax::{BARE_CONSTANT, OTHER_LANGUAGE};

    fn is_other(source: &str) -> bool {
        let parse = crate::parser::parse(source);
        let found =
            crate::check(source, &parse, &warpgrid_program::Overrides::default()).diagnostics;
        assert!(found.len() == 1 || found.iter().all(|d| d.code != OTHER_LANGUAGE));
        found.iter().any(|d| d.code == OTHER_LANGUAGE)
    }

    #[test]
    fn sources_of_other_languages_are_detected() {
        for source in [
            "#include <cstdint>\n__global__ void k(int *x)\n{\n  x[threadIdx.x] = 1;\n}\n",
            "x[blockIdx.x * blockDim.x + threadIdx.x] = y;",
            "template <typename T>\nextern \"C\" __global__ void k(T *x) { *x = {}; }",
            "__kernel void k(__global float *x) { x[get_global_id(0)] = 1; }",
            "define void @k(ptr addrspace(1) %x) {\n  ret void\n}",
            "import triton\n\n@triton.jit\ndef k(x):\n    pass\n",
            "asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(x) : \"memory\");",
            "  asm(\"mov.u32 %0, %laneid;\" : \"=r\"(lane));\n",
            "__asm__ __volatile__(\n  \"bar.sync 0;\\n\"\n);",
            ".visible .entry f(int*, int)(\n  .param .u64 f(int*, int)_param_0\n)\n{\n  ld.param.u64 %rd1, [f(int*, int)_param_0];\n}\n",
        ] {
            assert!(is_other(source), "{source}");
        }
    }

    #[test]
    fn hexadecimal_constant_is_the_only_diagnostic_of_its_source() {
        let codes = |source: &str| {
            let options = warpgrid_program::Overrides::default();
            let checked = crate::check(source, &crate::parser::parse(source), &options);
            let codes = checked.diagnostics.iter().map(|found| found.code);
            codes.collect::<Vec<_>>()
        };
        assert_eq!(codes("0x4000004000010040\n"), [BARE_CONSTANT]);
        assert!(!codes("0x40 0x41").contains(&BARE_CONSTANT));
    }

    /// Returns the source after the fixes of its diagnostics.
    fn fixed(source: &str) -> String {
        let parse = crate::parser::parse(source);
        let options = warpgrid_program::Overrides::default();
        let found = crate::check(source, &parse, &options).diagnostics;
        let fixes = found.into_iter().flat_map(|found| found.fixes);
        let mut edits: Vec<_> = fixes.flat_map(|fix| fix.edits).collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
        let mut text = source.to_owned();
        for edit in edits {
            let range = edit.span.start as usize..edit.span.end as usize;
            text.replace_range(range, &edit.text);
        }
        text
    }

    #[test]
    fn line_numbers_soft_hyphens_and_ligatures_are_removed_by_fixes() {
        assert_eq!(
            fixed(
                "  1: .version 8.0\n  2: .target sm_80\n\n  3: .visible .entry k()\n  4: { ret; }\n"
            ),
            "   .version 8.0\n   .target sm_80\n\n   .visible .entry k()\n   { ret; }\n"
        );
        assert_eq!(fixed("mov.u32 \u{fb02}ag, 5;\n"), "mov.u32 flag, 5;\n");
        assert_eq!(fixed("mov.u32 %a\u{ad}b, 5;\n"), "mov.u32 %ab, 5;\n");
    }

    #[test]
    fn formatting_around_ptx_is_reported_by_kind() {
        let kernel = ".version 8.0\n.target sm_80\n.visible .entry k()\n{\nret;\n}\n";
        let each = |mark: &dyn Fn(usize) -> String| -> String {
            let lines = kernel.lines().enumerate();
            lines
                .map(|(i, line)| format!("{}{line}\n", mark(i)))
                .collect()
        };
        for (source, what) in [
            (
                format!("The kernel:\n```ptx\n{kernel}```\n"),
                "a Markdown code fence",
            ),
            (format!("<pre><code>{kernel}</code></pre>\n"), "HTML"),
            (each(&|i| format!("{:3}  ", i + 1)), "line numbers"),
            (each(&|_| "+".to_owned()), "diff markers"),
        ] {
            let parse = crate::parser::parse(&source);
            let found =
                crate::check(&source, &parse, &warpgrid_program::Overrides::default()).diagnostics;
            let messages: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
            assert_eq!(
                messages,
                [format!("found {what} around the source, expected only PTX")]
            );
        }
        assert!(!is_other(kernel));
        assert!(!is_other("+ret;\nadd.u32 %r1, %r2;\n-exit;\nfoo;"));
    }

    #[test]
    fn tool_reports_are_detected_as_foreign_source() {
        for source in [
            "========= COMPUTE-SANITIZER\n========= Error: Race reported",
            "PTX JIT compilation failed (218)",
            "CUDA error 218: CUDA_ERROR_INVALID_PTX",
            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)",
            "kernel.cu(12): warning #177-D: variable \"x\" was declared but never referenced\n      int x;\n          ^\n\n",
            "CUDA Exception: Warp Illegal Address\n\nThread 1 \"a.out\" received signal CUDA_EXCEPTION_14, Warp Illegal Address.\n[Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (0,0,0), device 0, sm 0, warp 0, lane 0]\n0x0000555555c08620 in k<<<(1,1,1),(32,1,1)>>> () at k.cu:17\n(cuda-gdb) ",
        ] {
            assert!(is_other(source), "{source}");
        }
    }

    #[test]
    fn ptx_is_not_detected_as_foreign_source() {
        for source in [
            "",
            "// __global__ void k(int *x)\nst.global.u32 [%rd1] %r1;",
            "/* x[threadIdx.x] = 1; */ ret",
            ".version 8.0\n.target sm_90\n.entry __global__() { ret }",
            "mov.u32 threadIdx, %tid.x;",
            "mov.u32 asm, %tid.x;",
            ".entry k(.param .u64 k_param_0) { ret }\n// f(int*)_param_0",
        ] {
            assert!(!is_other(source), "{source}");
        }
    }
}
