//! Parser of declarations and their specifiers: state space, alignment, attributes, vector width and type.

use crate::diagnostics::syntax;
use crate::lexer::TokenKind;
use crate::parser::{ParseResult, Parser};
use crate::tree::declaration::{
    Alignment, Attribute, Declaration, DeclarationSpace, DeclaredType, Linkage,
};
use crate::tree::{Range, StatementKind};
use warpgrid_isa::{ScalarType, VectorWidth};
use warpgrid_program::Span;

/// Returns whether a keyword starts a declaration.
pub(crate) fn is_specifier(word: &str) -> bool {
    space_of(word).is_some()
        || matches!(
            word,
            ".sreg" | ".align" | ".attribute" | ".v2" | ".v4" | ".v8"
        )
        || declared_type(word).is_some()
        || word
            .split(':')
            .next()
            .is_some_and(|first| first != word && space_of(first).is_some())
}

/// Returns the state space that a keyword denotes in a declaration.
fn space_of(word: &str) -> Option<DeclarationSpace> {
    Some(match word {
        ".reg" => DeclarationSpace::Reg,
        ".const" => DeclarationSpace::Const,
        ".global" => DeclarationSpace::Global,
        ".local" => DeclarationSpace::Local,
        ".param" => DeclarationSpace::Param,
        ".shared" => DeclarationSpace::Shared,
        ".tex" => DeclarationSpace::Tex,
        _ => return None,
    })
}

/// Returns the type that a keyword denotes in a declaration.
pub(crate) fn declared_type(word: &str) -> Option<DeclaredType> {
    Some(match word {
        ".texref" => DeclaredType::TexRef,
        ".samplerref" => DeclaredType::SamplerRef,
        ".surfref" => DeclaredType::SurfRef,
        ".pred" | ".b8" | ".b16" | ".b32" | ".b64" | ".b128" | ".u8" | ".u16" | ".u32" | ".u64"
        | ".s8" | ".s16" | ".s32" | ".s64" | ".f16" | ".f16x2" | ".f32" | ".f64" => {
            DeclaredType::Scalar(ScalarType::from_name(word.get(1..)?)?)
        }
        _ => return None,
    })
}

/// Returns the type of a register declaration that replaces a type which only instructions support.
fn instead_of(word: &str) -> Option<&'static str> {
    let scalar = ScalarType::from_name(word.get(1..)?)?;
    Some(match scalar.width_bits() {
        16 => ".b16",
        32 => ".b32",
        64 => ".b64",
        128 => ".b128",
        _ => ".b8",
    })
}

impl Parser<'_> {
    /// Parses a declaration. The cursor is at the dot of its first specifier.
    pub(crate) fn declaration(
        &mut self,
        start: u32,
        linkage: Option<(Linkage, Span)>,
    ) -> ParseResult<()> {
        let mut declaration = self.specifiers(start, linkage)?;
        let first = self.tree.declarators.len() as u32;
        if self.cursor.skip() != b';' {
            loop {
                self.declarator()?;
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.cursor.skip();
        if !self.eat(b';') {
            self.missing_semicolon("declaration")?;
        }
        declaration.declarators = Range {
            start: first,
            end: self.tree.declarators.len() as u32,
        };
        declaration.span = self.since(start);
        self.tree.declarations.push(declaration);
        let index = self.tree.declarations.len() as u32 - 1;
        self.push(start, StatementKind::Declaration(index));
        Ok(())
    }

    /// Parses the specifiers of a declaration: state space, alignment, attributes, vector width and type.
    pub(crate) fn specifiers(
        &mut self,
        start: u32,
        linkage: Option<(Linkage, Span)>,
    ) -> ParseResult<Declaration> {
        let attributes = self.tree.attributes.len() as u32;
        let mut declaration = Declaration {
            span: Span::at(start),
            linkage: linkage.map(|l| l.0),
            linkage_span: linkage.map_or(Span::at(start), |l| l.1),
            space: DeclarationSpace::Reg,
            space_span: Span::at(start),
            bank: None,
            alignment: None,
            vector: None,
            vector_span: Span::at(start),
            scalar: DeclaredType::Missing,
            type_span: Span::at(start),
            pointer: None,
            attributes: Range::default(),
            declarators: Range::default(),
        };
        while declaration.scalar == DeclaredType::Missing {
            self.specifier(&mut declaration)?;
        }
        // A declaration without names declares no variable, so the assembler does not require a state space (assembler 13.5).
        let declares_nothing = self.cursor.skip() == b';';
        if declaration.space_span.start == declaration.space_span.end && !declares_nothing {
            self.report(syntax::space_expected(declaration.type_span));
        }
        declaration.attributes = Range {
            start: attributes,
            end: self.tree.attributes.len() as u32,
        };
        Ok(declaration)
    }

    fn specifier(&mut self, declaration: &mut Declaration) -> ParseResult<()> {
        self.cursor.skip();
        let Some(span) = self.cursor.word() else {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::type_expected(&found));
        };
        let word = span.text(self.cursor.source);
        if let Some(scalar) = declared_type(word) {
            declaration.scalar = scalar;
            declaration.type_span = span;
            return Ok(());
        }
        if declaration.vector.is_some() {
            return self.specifier_after_vector(declaration, span, word);
        }
        if let Some(space) = space_of(word) {
            return self.space(declaration, space, span);
        }
        match word {
            ".align" => declaration.alignment = Some(self.alignment(span)?),
            ".attribute" => self.attributes(&[".managed", ".unified"])?,
            ".v2" => (declaration.vector, declaration.vector_span) = (Some(VectorWidth::V2), span),
            ".v4" => (declaration.vector, declaration.vector_span) = (Some(VectorWidth::V4), span),
            _ => return self.bad_specifier(span, word),
        }
        Ok(())
    }

    fn space(
        &mut self,
        declaration: &mut Declaration,
        space: DeclarationSpace,
        span: Span,
    ) -> ParseResult<()> {
        if !declaration.space_span.text(self.cursor.source).is_empty() {
            self.report(syntax::several_spaces(span, declaration.space_span));
        }
        declaration.space = space;
        declaration.space_span = span;
        if space == DeclarationSpace::Const && self.cursor.byte() == b'[' {
            let open = self.cursor.offset();
            self.cursor.at += 1;
            declaration.bank = Some(self.literal_integer("the number of a constant bank")?);
            self.close(open, b']', "`]`")?;
        }
        Ok(())
    }

    #[cold]
    fn specifier_after_vector(
        &mut self,
        declaration: &Declaration,
        span: Span,
        word: &str,
    ) -> ParseResult<()> {
        if is_specifier(word) {
            let vector = self.text(declaration.vector_span);
            let place = format!("before `{vector}`");
            return self.broken(syntax::declaration_order(span, word, &place));
        }
        self.bad_specifier(span, word)
    }

    /// Reports why a keyword is not a specifier.
    #[cold]
    fn bad_specifier(&mut self, span: Span, word: &str) -> ParseResult<()> {
        let first = word.split(':').next().unwrap_or(word);
        let shown = self.text(span);
        let diagnostic = match word {
            ".sreg" => syntax::undeclarable_space(span, shown),
            ".visible" | ".extern" | ".weak" | ".common" => syntax::misplaced_linkage(
                span,
                shown,
                "must be the first keyword of the declaration and appear only once",
            ),
            _ if first != word && space_of(first).is_some() => {
                syntax::undeclarable_space(span, shown)
            }
            _ => syntax::undeclarable_type(span, shown, instead_of(word)),
        };
        self.broken(diagnostic)
    }

    /// Parses the number after `.align`.
    pub(crate) fn alignment(&mut self, word: Span) -> ParseResult<Alignment> {
        let bytes = self.literal_integer("the alignment in bytes")?;
        let span = self.since(word.start);
        let bytes = self.word(bytes, span);
        Ok(Alignment { span, bytes })
    }

    /// Parses an integer literal. Expressions are not accepted. The cursor is before the literal.
    pub(crate) fn literal_integer(&mut self, what: &str) -> ParseResult<u64> {
        let byte = self.cursor.skip();
        if let Some((value, _)) = self.eat_integer() {
            return Ok(value);
        }
        if byte.is_ascii_digit() {
            let start = self.cursor.at;
            self.literal_in_expression()?;
            self.cursor.at = start;
        }
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::array_size(
            &found,
            &format!("an integer literal for {what}"),
        ))
    }

    /// Parses `(.managed, .unified(1, 2))` after `.attribute`. A variable may have a list of attributes, and a function may have one
    /// attribute.
    pub(crate) fn attributes(&mut self, known: &[&str]) -> ParseResult<()> {
        if !self.eat(b'(') {
            return self.unexpected("`(` and the attributes");
        }
        loop {
            self.cursor.skip();
            let word = self.cursor.token();
            let text = word.span.text(self.cursor.source);
            if word.kind != TokenKind::Word || !known.contains(&text) {
                return self.unexpected(match known {
                    [_] => "the attribute `.unified(id, id)`",
                    _ => "an attribute: `.managed` or `.unified(id, id)`",
                });
            }
            self.cursor.at = word.span.end as usize;
            if text == ".unified" {
                self.unified()?;
            }
            let span = self.since(word.span.start);
            self.tree.attributes.push(Attribute {
                span,
                word: word.span,
            });
            if known.len() == 1 || !self.eat(b',') {
                break;
            }
        }
        if self.eat(b')') {
            Ok(())
        } else {
            self.unexpected("`,` or `)`")
        }
    }

    fn unified(&mut self) -> ParseResult<()> {
        if !self.eat(b'(') {
            return self.unexpected("`(` and two numbers");
        }
        self.literal_integer("a unified identifier")?;
        if !self.eat(b',') {
            return self.unexpected("`,` and a second number");
        }
        self.literal_integer("a unified identifier")?;
        if self.eat(b')') {
            Ok(())
        } else {
            self.unexpected("`)`")
        }
    }
}
