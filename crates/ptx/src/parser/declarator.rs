//! Parser of declarators (names with register counts, array dimensions and initializers) and of parameters.

use crate::diagnostics::syntax;
use crate::parser::declaration::is_specifier;
use crate::parser::directive::is_reserved;
use crate::parser::{ParseResult, Parser};
use crate::tree::Range;
use crate::tree::declaration::{Declarator, Dimension, Pointer};
use warpgrid_isa::StateSpace;
use warpgrid_program::Span;

impl Parser<'_> {
    /// Parses a parameter of a function, and adds its declaration to the tree.
    pub(crate) fn parameter(&mut self) -> ParseResult<()> {
        self.cursor.skip();
        let start = self.cursor.offset();
        let mut declaration = self.specifiers(start, None)?;
        if self.cursor.skip() == b'.' {
            let word = self.cursor.token().span;
            match word.text(self.cursor.source) {
                ".ptr" => declaration.pointer = Some(self.pointer(word)?),
                ".align" => {
                    self.cursor.at = word.end as usize;
                    declaration.alignment = Some(self.alignment(word)?);
                }
                _ => {}
            }
            self.cursor.skip();
        }
        let name = self.cursor.at;
        let span = self.cursor.name();
        let Some(span) = span.filter(|span| !is_reserved(span.text(self.cursor.source))) else {
            self.cursor.at = name;
            return self.declarator_name_expected("a parameter");
        };
        let span = self.whole_name(span);
        let first = self.tree.declarators.len() as u32;
        let mut declarator = self.named_declarator(span);
        let end = self.cursor.at;
        if self.cursor.skip() == b'[' {
            self.dimension(&mut declarator)?;
            let dimension = self.tree.dimensions.last().copied();
            if let Some(Dimension {
                span,
                size: Some(size),
            }) = dimension
            {
                let size = self.word(size, span);
                if let Some(dimension) = self.tree.dimensions.last_mut() {
                    dimension.size = Some(size);
                }
            }
        } else {
            self.cursor.at = end;
        }
        declarator.span = self.since(span.start);
        self.tree.declarators.push(declarator);
        declaration.declarators = Range {
            start: first,
            end: first + 1,
        };
        declaration.span = self.since(start);
        self.tree.declarations.push(declaration);
        Ok(())
    }

    /// Parses `.ptr .global .align 16`. The cursor is at `.ptr`.
    fn pointer(&mut self, word: Span) -> ParseResult<Pointer> {
        self.cursor.at = word.end as usize;
        let mut pointer = Pointer {
            span: word,
            space: None,
            alignment: None,
        };
        self.cursor.skip();
        let mut next = self.cursor.token().span;
        let text = next.text(self.cursor.source);
        pointer.space = match text {
            ".global" => Some(StateSpace::Global),
            ".const" => Some(StateSpace::Const),
            ".local" => Some(StateSpace::Local),
            ".shared" => Some(StateSpace::Shared),
            _ => None,
        };
        // The handle types of textures, samplers and surfaces are permitted in place of a state space, but they do not denote a state
        // space.
        let is_handle = matches!(text, ".texref" | ".samplerref" | ".surfref");
        if pointer.space.is_some() || is_handle {
            self.cursor.at = next.end as usize;
            pointer.span.end = next.end;
            self.cursor.skip();
            next = self.cursor.token().span;
        }
        if next.text(self.cursor.source) == ".align" {
            self.cursor.at = next.end as usize;
            pointer.alignment = Some(self.alignment(next)?);
            pointer.span.end = self.cursor.offset();
        }
        Ok(pointer)
    }

    fn named_declarator(&mut self, span: Span) -> Declarator {
        let name = match span.text(self.cursor.source) {
            "_" => None,
            _ => Some(self.name_of(span)),
        };
        Declarator {
            span,
            name,
            name_span: span,
            count: None,
            count_span: Span::at(span.end),
            dimensions: Range {
                start: self.tree.dimensions.len() as u32,
                end: self.tree.dimensions.len() as u32,
            },
            initializer: Range::default(),
        }
    }

    #[cold]
    fn declarator_name_expected(&mut self, what: &str) -> ParseResult<()> {
        self.bad_token()?;
        let found = self.found();
        let word = found.span.text(self.cursor.source);
        if is_specifier(word) {
            return self.broken(syntax::declaration_order(
                found.span,
                word,
                "before the type",
            ));
        }
        self.broken(syntax::name_expected(&found, what))
    }

    /// Parses a declarator: `name`, `name<5>` or `name[4] = {...}`.
    pub(crate) fn declarator(&mut self) -> ParseResult<()> {
        self.cursor.skip();
        let start = self.cursor.offset();
        let span = match self.cursor.name() {
            Some(span) if self.is_declarable(span) => span,
            _ => {
                self.cursor.at = start as usize;
                return self.declarator_name_expected("the variable or register");
            }
        };
        let span = self.whole_name(span);
        let mut declarator = self.named_declarator(span);
        let mut end = self.cursor.at;
        let mut byte = self.cursor.skip();
        if byte == b'<' {
            self.count(&mut declarator)?;
            end = self.cursor.at;
            byte = self.cursor.skip();
            if matches!(byte, b'[' | b'=') {
                return self.unexpected("`,` or `;` after a register count");
            }
        }
        while byte == b'[' {
            self.dimension(&mut declarator)?;
            end = self.cursor.at;
            byte = self.cursor.skip();
        }
        if byte == b'=' && self.cursor.byte_at(1) != b'=' {
            self.cursor.at += 1;
            let values = self.tree.init_values.len() as u32;
            self.initializer(0)?;
            declarator.initializer = Range {
                start: values,
                end: self.tree.init_values.len() as u32,
            };
        } else {
            self.cursor.at = end;
        }
        declarator.span = self.since(start);
        self.tree.declarators.push(declarator);
        Ok(())
    }

    /// Parses `<5>`. The cursor is at the angle bracket.
    fn count(&mut self, declarator: &mut Declarator) -> ParseResult<()> {
        let open = self.cursor.offset();
        self.cursor.at += 1;
        let count = self.literal_integer("the register count")?;
        self.close(open, b'>', "`>`")?;
        declarator.count_span = self.since(open);
        let count = self.word(count, declarator.count_span);
        declarator.count = Some(u32::try_from(count).unwrap_or(u32::MAX));
        Ok(())
    }

    /// Parses the next dimension of a declarator: `[4]`, or `[]` as the first dimension. The cursor is at the bracket.
    fn dimension(&mut self, declarator: &mut Declarator) -> ParseResult<()> {
        let open = self.cursor.offset();
        self.cursor.at += 1;
        let is_first = declarator.dimensions.start == declarator.dimensions.end;
        let size = if self.cursor.skip() == b']' && is_first {
            None
        } else {
            Some(self.literal_integer("the size of the array")?)
        };
        if !self.eat(b']') {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::array_size(
                &found,
                "`]`, because the size must be a single integer literal",
            ));
        }
        let span = self.since(open);
        self.tree.dimensions.push(Dimension { span, size });
        declarator.dimensions.end += 1;
        Ok(())
    }
}
