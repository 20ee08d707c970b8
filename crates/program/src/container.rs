//! Detection of the container format of a source: inline assembly in C++ or Python code, or a module among the lines of a log.
//! Hosts use this fast check to choose the front end.

/// Format of a text that contains instructions among other text: source code of a host language, a log of the assembler, or the output of
/// `cuobjdump -ptx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerFormat {
    /// Source code with `asm` statements or calls that take assembly.
    HostSource,
    /// Messages of an assembler or a driver about a module, with or without the module.
    AssemblerLog,
    /// PTX modules with headers of fat binary entries, in the format of `cuobjdump -ptx`.
    Fatbin,
}

impl ContainerFormat {
    /// Detects the container format of a source; returns `None` for plain PTX or SASS.
    pub fn of_source(source: &str) -> Option<ContainerFormat> {
        if has_inline_assembly(source) {
            return Some(ContainerFormat::HostSource);
        }
        // With `-sass`, the same command prints listings of machine code, which the front end for SASS reads.
        if source.contains(FATBIN_PTX_HEADER) && !source.contains("code for sm_") {
            return Some(ContainerFormat::Fatbin);
        }
        // Fast path: most sources contain neither string, so that their lines are not examined.
        let may_be_log = source.contains("ptxas ") || source.contains(", line ");
        let is_log = remark_code(source).is_some() || may_be_log && source.lines().any(is_log_line);
        is_log.then_some(ContainerFormat::AssemblerLog)
    }
}

/// Programming language of a host source that contains inline assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostLanguage {
    /// C, C++ and CUDA C++.
    Cpp,
    Python,
    Julia,
    CSharp,
    Rust,
}

impl HostLanguage {
    /// Returns the language of files with this file name extension, without the dot: `cu`, `py`. Letter case is ignored.
    pub fn from_extension(extension: &str) -> Option<HostLanguage> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "cu" | "cuh" | "c" | "h" | "cc" | "hh" | "cpp" | "hpp" | "cxx" | "hxx" | "c++"
            | "h++" | "inl" | "ipp" | "tpp" | "txx" | "inc" => HostLanguage::Cpp,
            "py" | "pyi" | "pyx" => HostLanguage::Python,
            "jl" => HostLanguage::Julia,
            "cs" => HostLanguage::CSharp,
            "rs" => HostLanguage::Rust,
            _ => return None,
        })
    }

    /// Returns the language with this identifier of the Language Server Protocol: `cuda-cpp`, `python`.
    pub fn from_language_id(id: &str) -> Option<HostLanguage> {
        Some(match id {
            "c" | "cpp" | "cuda" | "cuda-cpp" => HostLanguage::Cpp,
            "python" => HostLanguage::Python,
            "julia" => HostLanguage::Julia,
            "csharp" => HostLanguage::CSharp,
            "rust" => HostLanguage::Rust,
            _ => return None,
        })
    }

    /// Returns the name of the language for messages.
    pub const fn name(self) -> &'static str {
        match self {
            HostLanguage::Cpp => "C++",
            HostLanguage::Python => "Python",
            HostLanguage::Julia => "Julia",
            HostLanguage::CSharp => "C#",
            HostLanguage::Rust => "Rust",
        }
    }

    /// Returns the characters that start a line comment in the language.
    pub const fn line_comment(self) -> &'static str {
        match self {
            HostLanguage::Cpp | HostLanguage::CSharp | HostLanguage::Rust => "//",
            HostLanguage::Python | HostLanguage::Julia => "#",
        }
    }

    /// Checks whether a source of this language can contain inline assembly. The check only searches for words, so that it is fast for
    /// sources without inline assembly. The result can be `true` for a source without inline assembly.
    pub fn may_contain_assembly(self, source: &str) -> bool {
        let has_word = |word: &str| {
            let mut found = source.match_indices(word);
            found.any(|(at, _)| {
                !source[..at].ends_with(is_part_of_word)
                    && !source[at + word.len()..].starts_with(is_part_of_word)
            })
        };
        match self {
            HostLanguage::Cpp => has_asm_keyword(source),
            // A string in a Python source can contain C++.
            HostLanguage::Python => {
                has_asm_keyword(source) || ASM_FUNCTIONS.iter().any(|name| has_word(name))
            }
            HostLanguage::Julia => source.contains(JULIA_MACRO),
            HostLanguage::CSharp => CSHARP_METHODS.iter().any(|name| has_word(name)),
            HostLanguage::Rust => source
                .match_indices(RUST_MACRO)
                .any(|(at, _)| !source[..at].ends_with(is_part_of_word)),
        }
    }
}

/// Header of a fat binary entry that contains PTX.
pub const FATBIN_PTX_HEADER: &str = "Fatbin ptx code:";

/// Keywords that start an `asm` statement.
pub const ASM_KEYWORDS: &[&str] = &["asm", "__asm__", "__asm"];

/// Keywords that are permitted between the `asm` keyword and its parenthesis.
pub const ASM_QUALIFIERS: &[&str] = &["volatile", "__volatile__", "__volatile", "inline", "goto"];

/// Python functions that take assembly and constraints as strings.
pub const ASM_FUNCTIONS: &[&str] = &[
    "inline_asm_elementwise",
    "inline_asm",
    "InlineAsm",
    "inline_ptx",
];

/// Macro of Julia that takes assembly and constraints as strings (LLVM.jl).
pub const JULIA_MACRO: &str = "@asmcall";

/// Methods of C# that take assembly as a string (ILGPU).
pub const CSHARP_METHODS: &[&str] = &["CudaAsm.EmitRef", "CudaAsm.Emit"];

/// Macro of Rust that takes assembly as strings (`core::arch::asm!`).
pub const RUST_MACRO: &str = "asm!";

/// Checks whether a source calls the macro [`JULIA_MACRO`] with a string.
pub fn has_julia_assembly(source: &str) -> bool {
    source.match_indices(JULIA_MACRO).any(|(at, _)| {
        let rest = source[at + JULIA_MACRO.len()..].trim_start();
        let inside = rest.strip_prefix('(').unwrap_or(rest).trim_start();
        inside.starts_with('"') || inside.starts_with("raw\"")
    })
}

/// Checks whether a source calls the macro [`RUST_MACRO`] with a string.
pub fn has_rust_assembly(source: &str) -> bool {
    source.match_indices(RUST_MACRO).any(|(at, _)| {
        let rest = source[at + RUST_MACRO.len()..].trim_start();
        let inside = rest.strip_prefix(['(', '{', '[']).map(str::trim_start);
        !source[..at].ends_with(is_part_of_word)
            && inside.is_some_and(|inside| {
                ["\"", "r\"", "r#", "concat!"]
                    .iter()
                    .any(|start| inside.starts_with(start))
            })
    })
}

/// Checks whether a source calls one of [`CSHARP_METHODS`].
pub fn has_csharp_assembly(source: &str) -> bool {
    CSHARP_METHODS.iter().any(|method| {
        let mut found = source.match_indices(method);
        found.any(|(at, _)| {
            source[at + method.len()..].trim_start().starts_with('(')
                && !source[..at].ends_with(is_part_of_word)
        })
    })
}

/// Returns the names to which the launch annotations of a source assign values: `//@ register %r1 = 17`, `//@ scalar x: u32 = 3`.
/// `mark` is the start of a comment.
pub fn stated_values<'s>(source: &'s str, mark: &'s str) -> impl Iterator<Item = &'s str> {
    source.lines().filter_map(move |line| {
        let annotation = line.trim_start().strip_prefix(mark)?.strip_prefix('@')?;
        let (word, rest) = annotation.trim_start().split_once(char::is_whitespace)?;
        if !matches!(word, "register" | "scalar") {
            return None;
        }
        let name = rest.split([':', '=']).next()?.trim();
        (!name.is_empty()).then_some(name)
    })
}

/// Checks whether a source contains one of [`ASM_KEYWORDS`] before a parenthesis, a qualifier or a comment.
fn has_asm_keyword(source: &str) -> bool {
    source.match_indices("asm").any(|(at, _)| {
        let start = source[..at].trim_end_matches(is_part_of_word).len();
        let (word, rest) = split_word(&source[start..]);
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
        ASM_KEYWORDS.contains(&word)
            && (rest.starts_with(['(', '/']) || ASM_QUALIFIERS.contains(&split_word(rest).0))
    })
}

/// Checks whether a source contains an `asm` statement or a call that takes assembly.
fn has_inline_assembly(source: &str) -> bool {
    let asm = source.match_indices("asm").any(|(at, _)| {
        let start = source[..at].trim_end_matches(is_part_of_word).len();
        is_statement(&source[start..])
    });
    if asm || has_julia_assembly(source) || has_csharp_assembly(source) || has_rust_assembly(source)
    {
        return true;
    }
    ASM_FUNCTIONS.iter().any(|call| {
        let mut found = source.match_indices(call);
        found.any(|(at, _)| {
            source[at + call.len()..].trim_start().starts_with('(')
                && !source[..at].ends_with(is_part_of_word)
        })
    })
}

/// Checks whether `text` starts with an `asm` statement: keyword, qualifiers, parenthesis, and the first character of a string or
/// a macro.
fn is_statement(text: &str) -> bool {
    let (first, mut rest) = split_word(text);
    if !ASM_KEYWORDS.contains(&first) {
        return false;
    }
    loop {
        let (word, after) = split_word(rest.trim_start());
        if !ASM_QUALIFIERS.contains(&word) {
            break;
        }
        rest = after;
    }
    let Some(inside) = rest.trim_start().strip_prefix('(') else {
        return false;
    };
    let inside = inside.trim_start();
    inside.starts_with(|first: char| {
        matches!(first, '"' | '#' | '/' | '\\') || is_part_of_word(first)
    })
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !is_part_of_word(c));
    text.split_at(end.unwrap_or(text.len()))
}

fn is_part_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Severity keywords of assembler and driver messages, which precede a colon.
pub const LOG_WORDS: &[&str] = &["error", "warning", "fatal", "info", "advisory"];

/// Checks whether a line is an assembler message: `ptxas a.ptx, line 12; error   : …`, `ptxas info    : …`.
pub fn is_log_line(line: &str) -> bool {
    // Comments of a module may mention the assembler.
    if line.len() > 4096 || line.trim_start().starts_with("//") {
        return false;
    }
    let after = match (line.find("ptxas "), line.find(", line ")) {
        (Some(at), _) => &line[at + "ptxas ".len()..],
        (None, Some(at)) => &line[at..],
        (None, None) => return false,
    };
    log_word(after).is_some()
}

/// Returns the number of an assembler remark if the source consists only of its code: 7510 for `C7510` and `(C7510)`.
pub fn remark_code(source: &str) -> Option<u16> {
    let code = source.trim().trim_start_matches('(').trim_end_matches(')');
    let digits = code.strip_prefix('C')?;
    let is_number = digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Checks whether a line is a message of a C++ compiler: `k.cu(12): warning #177-D: …`, `k.cu:12:5: error: …`.
pub fn is_compiler_diagnostic(line: &str) -> bool {
    if line.len() > 4096 || line.trim_start().starts_with("//") {
        return false;
    }
    const WORDS: &[&str] = &[
        "warning",
        "error",
        "fatal error",
        "catastrophic error",
        "note",
        "remark",
    ];
    line.match_indices(": ").any(|(at, _)| {
        let message = &line[at + 2..];
        let mut words = WORDS.iter().filter_map(|word| message.strip_prefix(word));
        let is_message = words.any(|rest| rest.starts_with([':', ' ']));
        is_message && ends_with_position(&line[..at])
    })
}

/// Checks whether a text ends with a position in a file: `(12)`, `(12,5)`, `:12`, `:12:5`.
fn ends_with_position(text: &str) -> bool {
    let (inside, open) = match text.strip_suffix(')') {
        Some(inside) => (inside, '('),
        None => (text, ':'),
    };
    let start = inside.trim_end_matches(|c: char| c.is_ascii_digit() || c == ',');
    start.len() < inside.len() && start.len() > 1 && start.ends_with(open)
}

/// Returns the severity keyword of a message, and the start offset of the message text after the colon.
pub fn log_word(text: &str) -> Option<(&'static str, usize)> {
    let is_placed = text.contains(", line ");
    let mut found = None;
    for word in LOG_WORDS {
        for (at, _) in text.match_indices(word) {
            let before = text[..at].trim_end();
            let after = &text[at + word.len()..];
            let blanks = after.len() - after.trim_start_matches(' ').len();
            let begins = before.ends_with(';') || (before.is_empty() && !is_placed);
            if begins && after[blanks..].starts_with(':') {
                let start = at + word.len() + blanks + 1;
                if found.is_none_or(|(_, old)| start < old) {
                    found = Some((*word, start));
                }
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_without_inline_assembly_are_detected_from_their_words() {
        for (language, source, expected) in [
            (HostLanguage::Cpp, "int plasma; // asm is a word", false),
            (HostLanguage::Cpp, "asm volatile \\\n(\"ret;\");", true),
            (HostLanguage::Cpp, "__asm__ /* text */ (\"ret;\");", true),
            (HostLanguage::Python, "inline_assembly(x)", false),
            (HostLanguage::Python, "inline_ptx(\"ret;\")", true),
            (HostLanguage::Python, "code = 'asm(\"ret;\");'", true),
            (HostLanguage::Rust, "global_asm!(\"ret\")", false),
            (HostLanguage::Rust, "core::arch::asm!(\"ret;\")", true),
            (HostLanguage::Julia, "asm(x)", false),
            (HostLanguage::CSharp, "CudaAsm.Emit(\"ret;\")", true),
        ] {
            assert_eq!(language.may_contain_assembly(source), expected, "{source}");
        }
    }

    #[test]
    fn container_format_is_detected_from_source() {
        for (source, wrapping) in [
            ("", None),
            ("st.global.u32 [p], 1;", None),
            (".version 8.0\n// begin inline asm\nret;", None),
            ("asm(\"ret;\");", Some(ContainerFormat::HostSource)),
            (
                "asm volatile (\n  \"ret;\");",
                Some(ContainerFormat::HostSource),
            ),
            (
                "__asm__ __volatile__(R\"(ret;)\");",
                Some(ContainerFormat::HostSource),
            ),
            (
                "asm volatile(LOAD \" %0;\");",
                Some(ContainerFormat::HostSource),
            ),
            ("plasma(\"x\")", None),
            ("asm (x) is a word", Some(ContainerFormat::HostSource)),
            ("asm is a word", None),
            (
                "tl.inline_asm_elementwise(\"mov.u32 $0, 1;\", \"=r\", [])",
                Some(ContainerFormat::HostSource),
            ),
            (
                "r = @asmcall(\"mov.u32 \\$0, 1;\", \"=r\", UInt32)",
                Some(ContainerFormat::HostSource),
            ),
            (
                "@asmcall \"bar.sync 0;\" \"\" true",
                Some(ContainerFormat::HostSource),
            ),
            ("// see @asmcall of LLVM.jl", None),
            (
                "CudaAsm.Emit(\"mov.u32 %0, 1;\", out uint x);",
                Some(ContainerFormat::HostSource),
            ),
            ("CudaAsm.Emit is a method", None),
            (
                "asm!(\"mov.u32 {}, 1;\", out(reg32) x);",
                Some(ContainerFormat::HostSource),
            ),
            ("global_asm!(\"ret\")", None),
            (
                "ptxas a.ptx, line 3; error   : Unknown symbol 'x'",
                Some(ContainerFormat::AssemblerLog),
            ),
            (
                "  ptxas application ptx input, line 9; fatal : x",
                Some(ContainerFormat::AssemblerLog),
            ),
            (
                "ptxas info    : 0 bytes gmem",
                Some(ContainerFormat::AssemblerLog),
            ),
            (
                "application ptx input, line 9; error : x",
                Some(ContainerFormat::AssemblerLog),
            ),
            ("// ptxas info : in a comment", None),
            ("// ptxas info    : in a comment", None),
        ] {
            assert_eq!(ContainerFormat::of_source(source), wrapping, "{source}");
        }
    }
}
