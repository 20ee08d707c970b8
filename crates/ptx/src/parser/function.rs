//! Parser of the headers of kernels, functions and prototypes.

use crate::diagnostics::syntax;
use crate::lexer::TokenKind;
use crate::parser::directive::IntegerWidth;
use crate::parser::statement::StatementContext;
use crate::parser::{ParseResult, Parser};
use crate::tree::declaration::{FunctionDirective, FunctionHeader, Linkage};
use crate::tree::{Range, StatementKind};
use warpgrid_program::Span;

/// Directive between the header and the body of a function: minimum and maximum number of arguments, and the kind of function
/// that permits the directive (`None` for both kinds).
struct PerformanceDirective {
    word: &'static str,
    arguments: (usize, usize),
    on: Option<FunctionDirective>,
}

const fn row(
    word: &'static str,
    least: usize,
    most: usize,
    on: Option<FunctionDirective>,
) -> PerformanceDirective {
    PerformanceDirective {
        word,
        arguments: (least, most),
        on,
    }
}

/// Directives of PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives". The permitted kinds of functions
/// are those of the assembler (13.5).
const PERFORMANCE: &[PerformanceDirective] = &[
    row(".maxntid", 1, 3, Some(FunctionDirective::Entry)),
    row(".reqntid", 1, 3, Some(FunctionDirective::Entry)),
    row(".maxnreg", 1, 1, Some(FunctionDirective::Entry)),
    row(".local_maxnreg", 1, 1, None),
    row(".minnctapersm", 1, 1, Some(FunctionDirective::Entry)),
    row(".maxnctapersm", 1, 1, Some(FunctionDirective::Entry)),
    row(".reqnctapercluster", 1, 3, Some(FunctionDirective::Entry)),
    row(".explicitcluster", 0, 0, Some(FunctionDirective::Entry)),
    row(".maxclusterrank", 1, 1, Some(FunctionDirective::Entry)),
    row(".blocksareclusters", 0, 0, Some(FunctionDirective::Entry)),
    row(".noreturn", 0, 0, Some(FunctionDirective::Func)),
    row(".abi_preserve", 1, 1, Some(FunctionDirective::Func)),
    row(".abi_preserve_control", 1, 1, Some(FunctionDirective::Func)),
    row(".language", 1, 1, None),
];

/// Returns whether a directive is permitted between the header and the body of a function.
pub(crate) fn is_performance(word: &str) -> bool {
    PERFORMANCE.iter().any(|row| row.word == word)
}

impl Parser<'_> {
    /// Parses a function with or without a body. The cursor is after `.entry` or `.func`.
    pub(crate) fn function(
        &mut self,
        start: u32,
        sort: FunctionDirective,
        sort_span: Span,
        linkage: Option<(Linkage, Span)>,
    ) -> ParseResult<()> {
        let mut header = self.empty_header(start, sort, sort_span, linkage);
        let mut read = self.head(&mut header);
        if read.is_ok()
            && !self.ends_without_mark(sort)
            && !matches!(self.cursor.skip(), b'{' | b';')
        {
            read = self.unexpected("`{` and the body of the function, or `;`");
        }
        if read.is_err() && !self.skip_to_body() {
            return Err(crate::parser::StatementError);
        }
        let header_end = self.header_end(start);
        header.span = Span::new(start, header_end);
        match self.cursor.skip() {
            b'{' => {
                header.has_body = true;
                if self.place == StatementContext::Body {
                    let cursor = std::mem::replace(&mut self.cursor.at, start as usize);
                    self.close_unclosed(start);
                    self.cursor.at = cursor;
                }
                let brace = self.cursor.offset();
                self.cursor.at += 1;
                self.tree.functions.push(header);
                self.function = self.tree.functions.len() as u32 - 1;
                self.open_braces.clear();
                self.open_braces.push(brace);
                self.place = StatementContext::Body;
                self.push(start, StatementKind::FunctionStart(self.function));
            }
            b';' => {
                if sort == FunctionDirective::Entry && self.place == StatementContext::Body {
                    let place = "is allowed only at module scope";
                    self.report(syntax::misplaced_directive(sort_span, ".entry", place));
                }
                if sort == FunctionDirective::Entry && !header.directives.is_empty() {
                    let found = self.found();
                    let expected = "`{`, because kernel directives must precede the body";
                    self.report(syntax::unexpected(&found, expected));
                }
                self.cursor.at += 1;
                self.push_prototype(start, header);
            }
            _ => {
                self.cursor.at = header_end as usize;
                self.push_prototype(start, header);
            }
        }
        Ok(())
    }

    /// Returns whether the declaration of a function ends without a semicolon, because the next token starts another statement. The
    /// assembler accepts such declarations, which compilers up to CUDA 4 emit.
    fn ends_without_mark(&mut self, sort: FunctionDirective) -> bool {
        let byte = self.cursor.skip();
        sort == FunctionDirective::Func
            && self.place == StatementContext::Module
            && (byte == b'.' || self.cursor.at_end())
    }

    fn push_prototype(&mut self, start: u32, header: FunctionHeader) {
        self.tree.functions.push(header);
        let index = self.tree.functions.len() as u32 - 1;
        self.push(start, StatementKind::Prototype(index));
    }

    /// Returns the end of the last token before the cursor, or `start` if this token ends before `start`.
    fn header_end(&mut self, start: u32) -> u32 {
        let after = self.cursor.at;
        self.last_end = self.last_end.max(start);
        self.cursor.skip();
        let end = self.end_before_cursor();
        self.cursor.at = after;
        end.max(start)
    }

    pub(crate) fn empty_header(
        &mut self,
        start: u32,
        sort: FunctionDirective,
        sort_span: Span,
        linkage: Option<(Linkage, Span)>,
    ) -> FunctionHeader {
        FunctionHeader {
            span: Span::at(start),
            linkage: linkage.map(|l| l.0),
            linkage_span: linkage.map_or(Span::at(start), |l| l.1),
            sort,
            sort_span,
            name: None,
            name_span: Span::at(sort_span.end),
            attributes: Range::default(),
            returns: Range::default(),
            parameters: Range::default(),
            directives: Range::default(),
            has_body: false,
        }
    }

    /// Parses a function header: attributes, return values, name, parameters and performance-tuning directives.
    fn head(&mut self, header: &mut FunctionHeader) -> ParseResult<()> {
        self.cursor.skip();
        let first = self.tree.attributes.len() as u32;
        let word = self.cursor.token().span;
        if word.text(self.cursor.source) == ".attribute" && header.sort == FunctionDirective::Func {
            self.cursor.at = word.end as usize;
            self.attributes(&[".unified"])?;
            self.cursor.skip();
        }
        header.attributes = Range {
            start: first,
            end: self.tree.attributes.len() as u32,
        };
        if self.cursor.byte() == b'(' && header.sort == FunctionDirective::Func {
            header.returns = self.parameters()?;
            self.cursor.skip();
        }
        let name = self.cursor.token();
        if name.kind != TokenKind::Name || !self.is_declarable(name.span) {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::name_expected(&found, "the function"));
        }
        self.cursor.at = name.span.end as usize;
        let span = self.whole_name(name.span);
        header.name = Some(self.name_of(span));
        header.name_span = span;
        if self.cursor.skip() == b'(' {
            header.parameters = self.parameters()?;
        }
        let directives = self.tree.directives.len() as u32;
        let read = self.performance_directives(header.sort);
        header.directives = Range {
            start: directives,
            end: self.tree.directives.len() as u32,
        };
        read
    }

    /// Parses `(.param .u32 a, .param .u32 b)`, which may be empty. The cursor is at the parenthesis.
    pub(crate) fn parameters(&mut self) -> ParseResult<Range> {
        let open = self.cursor.offset();
        let start = self.tree.declarations.len() as u32;
        self.cursor.at += 1;
        if self.cursor.skip() != b')' {
            loop {
                if self.parameter().is_err() {
                    self.skip_to(b",){;");
                }
                if self.cursor.skip() == b'.' {
                    let found = self.found();
                    self.report(syntax::unexpected(&found, "`,` or `)` after a parameter"));
                } else if !self.eat(b',') {
                    break;
                }
            }
        }
        self.close(open, b')', "`,` or `)`")?;
        Ok(Range {
            start,
            end: self.tree.declarations.len() as u32,
        })
    }

    fn performance_directives(&mut self, sort: FunctionDirective) -> ParseResult<()> {
        loop {
            self.cursor.skip();
            let word = self.cursor.token();
            if word.kind != TokenKind::Word {
                return Ok(());
            }
            let text = word.span.text(self.cursor.source);
            if text == ".pragma" {
                let sizes = (self.tree.operands.len(), self.tree.directives.len());
                self.cursor.at = word.span.end as usize;
                self.pragma(word.span)?;
                if sort == FunctionDirective::Func {
                    if self.cursor.skip() != b'{' {
                        // The pragma belongs to the module, because the declaration of the function ends without a semicolon before the
                        // pragma.
                        self.cursor.at = word.span.start as usize;
                        self.tree.operands.truncate(sizes.0);
                        self.tree.directives.truncate(sizes.1);
                        return Ok(());
                    }
                    let place = "is allowed only in the body of a `.func`";
                    self.report(syntax::misplaced_directive(word.span, text, place));
                }
                continue;
            }
            let Some(row) = PERFORMANCE.iter().find(|row| row.word == text) else {
                if self.place == StatementContext::Module
                    && crate::parser::directive::is_known(text)
                {
                    return Ok(());
                }
                let shown = self.text(word.span);
                return self.broken(syntax::unknown_directive(word.span, shown));
            };
            if row.on.is_some_and(|on| on != sort) {
                let place = if sort == FunctionDirective::Entry {
                    "is allowed for `.func` only"
                } else {
                    "is allowed for `.entry` only"
                };
                self.report(syntax::misplaced_directive(word.span, text, place));
            }
            self.cursor.at = word.span.end as usize;
            self.performance(word.span, row)?;
        }
    }

    fn performance(&mut self, word: Span, row: &PerformanceDirective) -> ParseResult<()> {
        let first = self.tree.operands.len() as u32;
        let (least, most) = row.arguments;
        for n in 0..most {
            let end = self.cursor.at;
            if n >= least && n > 0 && !self.eat(b',') {
                self.cursor.at = end;
                break;
            }
            self.integer_argument(
                row.word,
                expected_arguments(row.arguments.1),
                IntegerWidth::Word,
            )?;
        }
        self.push_directive(
            word.start,
            crate::tree::declaration::DirectiveKind::Performance,
            word,
            first,
            0,
        );
        let after = self.cursor.at;
        if self.cursor.skip() == b';' {
            let span = Span::new(self.cursor.offset(), self.cursor.offset() + 1);
            let mut ahead = self.cursor.clone();
            ahead.at += 1;
            let next = ahead.skip();
            if next == b'{' || is_performance(ahead.token().span.text(self.cursor.source)) {
                self.report(syntax::semicolon_not_allowed(span, row.word));
                self.cursor.at += 1;
                return Ok(());
            }
        }
        self.cursor.at = after;
        Ok(())
    }

    /// Recovers from a malformed header: moves the cursor to the body, to the `;`, or to the next directive of the module that
    /// starts a function. Returns `false` at the end of the source.
    #[cold]
    fn skip_to_body(&mut self) -> bool {
        let mut fresh_line = false;
        loop {
            let token = self.cursor.token();
            let text = token.span.text(self.cursor.source);
            match token.kind {
                TokenKind::End | TokenKind::OpenComment => return false,
                TokenKind::Blank => fresh_line |= text.contains('\n'),
                TokenKind::Punctuation if matches!(text, "{" | ";" | "}") => return true,
                TokenKind::Word
                    if fresh_line
                        && matches!(
                            text,
                            ".entry" | ".func" | ".visible" | ".weak" | ".extern"
                        ) =>
                {
                    return true;
                }
                _ => fresh_line = false,
            }
            self.cursor.at = token.span.end as usize;
        }
    }
}

/// Describes the expected arguments of a directive with at most `n` arguments.
fn expected_arguments(n: usize) -> &'static str {
    match n {
        3 => "one to three integer literals",
        _ => "an integer literal",
    }
}
