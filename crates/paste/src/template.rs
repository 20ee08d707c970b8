//! Expansion of assembly templates. The result is the text that the assembler receives, in which operand names replace placeholders.
//!
//! The expansion of `%` follows release 13 of the CUDA compiler: `%0` is an operand, and `%%` is `%`. The compiler removes `%{`, `%|`, `%}`
//! and a percent sign with any other punctuation character. It rejects a letter before a number (`%r1`), and keeps a percent sign before
//! any other word (`%tid`).

use crate::block::AsmOperand;
use crate::constraint::{AsmDialect, OperandKind};
use crate::diagnostics as diagnose;
use warpgrid_program::{Diagnostic, MappedSource, Span};

/// Symbolic name of an operand (`[name]`), with the index of the operand, for the expansion of templates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SymbolicOperand<'a> {
    pub(crate) name: &'a str,
    pub(crate) operand: usize,
}

/// Expands a template, and returns the text with a source map. Records the spans at which the template uses each operand, and adds
/// diagnostics to `found`.
pub(crate) fn expand(
    template: &MappedSource,
    operands: &mut [AsmOperand],
    symbols: &[SymbolicOperand<'_>],
    dialect: AsmDialect,
    found: &mut Vec<Diagnostic>,
) -> MappedSource {
    let marks: &[char] = match dialect {
        AsmDialect::Cuda | AsmDialect::Ilgpu => &['%'],
        AsmDialect::Llvm => &['$'],
        AsmDialect::Rust => &['{', '}'],
    };
    let mut filled = TemplateExpander {
        template,
        operands,
        symbols,
        dialect,
        found,
        filled: MappedSource::default(),
        alternative: None,
        n_positional: 0,
    };
    let text = &template.text;
    let mut done = 0;
    while let Some(next) = text[done..].find(marks) {
        let at = done + next;
        filled.keep(done, at);
        done = match dialect {
            AsmDialect::Cuda | AsmDialect::Ilgpu => filled.percent(at),
            AsmDialect::Llvm => filled.dollar(at),
            AsmDialect::Rust => filled.brace(at),
        };
    }
    filled.keep(done, text.len());
    filled.filled
}

struct TemplateExpander<'a> {
    template: &'a MappedSource,
    operands: &'a mut [AsmOperand],
    symbols: &'a [SymbolicOperand<'a>],
    dialect: AsmDialect,
    found: &'a mut Vec<Diagnostic>,
    filled: MappedSource,
    /// Index of the current alternative between `$(` and `$)`, or `None` outside of alternatives.
    alternative: Option<usize>,
    /// Number of placeholders without a number and a name that have been expanded.
    n_positional: usize,
}

impl TemplateExpander<'_> {
    /// Checks whether the current text belongs to an alternative that the AT&T dialect omits.
    fn is_left_out(&self) -> bool {
        self.alternative.is_some_and(|number| number > 0)
    }

    fn keep(&mut self, from: usize, to: usize) {
        if self.is_left_out() {
            return;
        }
        self.filled
            .append(self.template, Span::new(from as u32, to as u32));
    }

    fn place(&self, from: usize, to: usize) -> Span {
        self.template.map.span(Span::new(from as u32, to as u32))
    }

    /// Expands the placeholder that starts with the `%` at byte offset `at`. Returns the offset after the placeholder.
    fn percent(&mut self, at: usize) -> usize {
        let template = self.template;
        let rest = &template.text[at + 1..];
        let digits = n_digits(rest);
        if digits > 0 {
            return self.numbered(at, &rest[..digits], at + 1 + digits);
        }
        match rest.chars().next() {
            Some('%') => {
                self.escaped(at, &rest[1..]);
                self.keep(at + 1, at + 2);
                at + 2
            }
            Some('[') => self.symbolic(at, rest),
            Some(letter)
                if self.dialect == AsmDialect::Cuda
                    && letter.is_ascii_alphabetic()
                    && n_digits(&rest[1..]) > 0 =>
            {
                let end = at + 2 + n_digits(&rest[1..]);
                let place = self.place(at, end);
                let name = &rest[..end - at - 1];
                self.found.push(diagnose::bare_register(name, place));
                self.keep(at, end);
                end
            }
            Some(letter) if letter.is_ascii_alphanumeric() || letter == '_' => {
                self.keep(at, at + 1);
                at + 1
            }
            Some(sign) if !sign.is_whitespace() => at + 1 + sign.len_utf8(),
            Some(_) => {
                self.keep(at, at + 1);
                at + 1
            }
            None => {
                self.found
                    .push(diagnose::lone_percent(self.place(at, at + 1)));
                at + 1
            }
        }
    }

    /// Reports `%%0`. The resulting `%0` is not a register name, so an operand was probably intended.
    fn escaped(&mut self, at: usize, rest: &str) {
        let digits = n_digits(rest);
        let line = self.template.text[..at].rsplit('\n').next().unwrap_or("");
        if digits > 0 && !line.contains("//") {
            let place = self.place(at, at + 2 + digits);
            self.found
                .push(diagnose::escaped_operand(&rest[..digits], place));
        }
    }

    /// Expands the placeholder that starts with the `$` at byte offset `at`, according to the rules of LLVM. Returns the offset after the
    /// placeholder.
    fn dollar(&mut self, at: usize) -> usize {
        let template = self.template;
        let rest = &template.text[at + 1..];
        let digits = n_digits(rest);
        if digits > 0 {
            return self.numbered(at, &rest[..digits], at + 1 + digits);
        }
        if let Some(inside) = rest.strip_prefix('{')
            && let digits @ 1.. = n_digits(inside)
            && let Some(close) = inside.find('}')
        {
            return self.numbered(at, &inside[..digits], at + 2 + close + 1);
        }
        if rest.starts_with('$') {
            self.keep(at + 1, at + 2);
            return at + 2;
        }
        // Only braces after `$` form alternatives, and all other braces are literal (LLVM, `AsmPrinterInlineAsm.cpp`).
        match (rest.as_bytes().first(), self.alternative) {
            (Some(b'('), None) => {
                let place = self.place(at, at + 2);
                self.found.push(diagnose::alternatives(place));
                self.alternative = Some(0);
                return at + 2;
            }
            (Some(b'|'), Some(number)) => {
                self.alternative = Some(number + 1);
                return at + 2;
            }
            (Some(b')'), Some(_)) => {
                self.alternative = None;
                return at + 2;
            }
            // Outside of alternatives, `$|` denotes a literal bar, and `$)` denotes a literal closing brace.
            (Some(b'|'), None) => {
                self.keep(at + 1, at + 2);
                return at + 2;
            }
            (Some(b')'), None) => {
                let place = self.place(at, at + 2);
                self.filled.stand_in("}", place);
                return at + 2;
            }
            _ => {}
        }
        self.keep(at, at + 1);
        at + 1
    }

    /// Expands the placeholder that starts with the brace at byte offset `at`, according to the rules of Rust: `{}`, `{0}`, `{name}`, `{{` and
    /// `}}`. Returns the offset after the placeholder.
    fn brace(&mut self, at: usize) -> usize {
        let template = self.template;
        let sign = &template.text[at..=at];
        let rest = &template.text[at + 1..];
        if rest.starts_with(sign) {
            self.filled.stand_in(sign, self.place(at, at + 2));
            return at + 2;
        }
        let close = rest.find(['}', '\n', ';']).filter(|_| sign == "{");
        let Some(close) = close.filter(|close| rest[*close..].starts_with('}')) else {
            self.keep(at, at + 1);
            return at + 1;
        };
        let end = at + 1 + close + 1;
        let place = self.place(at, end);
        // A modifier such as `{0:e}` exists only on other processors.
        let name = rest[..close].split(':').next().unwrap_or("").trim();
        match name.parse() {
            Ok(number) => self.operand(number, place),
            Err(_) if name.is_empty() => {
                self.n_positional += 1;
                self.operand(self.n_positional - 1, place);
            }
            Err(_) => self.named(name, place),
        }
        end
    }

    fn numbered(&mut self, at: usize, number: &str, end: usize) -> usize {
        let place = self.place(at, end);
        let number = number.parse().unwrap_or(usize::MAX);
        self.operand(number, place);
        end
    }

    /// Expands a symbolic operand (`%[name]`).
    fn symbolic(&mut self, at: usize, rest: &str) -> usize {
        let Some(close) = rest.find(']') else {
            self.keep(at, at + 1);
            return at + 1;
        };
        let name = rest[1..close].trim();
        let end = at + 1 + close + 1;
        let place = self.place(at, end);
        self.named(name, place);
        end
    }

    /// Appends the operand with a symbolic name.
    fn named(&mut self, name: &str, place: Span) {
        match self.symbols.iter().find(|symbol| symbol.name == name) {
            Some(symbol) => self.operand(symbol.operand, place),
            None => {
                let names: Vec<&str> = self.symbols.iter().map(|symbol| symbol.name).collect();
                self.found
                    .push(diagnose::no_such_name(self.dialect, name, &names, place));
                self.filled.stand_in(&stand_in(name), place);
            }
        }
    }

    fn operand(&mut self, number: usize, place: Span) {
        if self.is_left_out() {
            return;
        }
        let n = self.operands.len();
        match self.operands.get_mut(number) {
            Some(operand) => {
                operand.uses.push(place);
                self.filled.stand_in(&operand.name, place);
            }
            None => {
                self.found
                    .push(diagnose::no_such_operand(self.dialect, number, n, place));
                self.filled.stand_in(&stand_in(&number.to_string()), place);
            }
        }
    }
}

/// Prefix of the placeholder names for nonexistent operands.
pub(crate) const MISSING: &str = "missing_operand_";

/// Prefix of the names of operands of `nvvm.inline_ptx`, whose types the checker infers.
pub(crate) const INLINE_PTX: &str = "inline_ptx_";

/// Returns a placeholder name for a nonexistent operand, so that the checker can parse the remaining assembly.
fn stand_in(name: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    format!("{MISSING}{}", name.chars().filter(fits).collect::<String>())
}

fn n_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the text that replaces a constant operand in the assembly.
pub(crate) fn constant_text(kind: OperandKind, value: Option<&str>, choice: i64) -> String {
    match (kind, value) {
        (_, Some(value)) => value.to_owned(),
        (OperandKind::Text, None) => String::new(),
        (_, None) => choice.to_string(),
    }
}
