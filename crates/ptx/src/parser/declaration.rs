//! Declarations of variables, registers and parameters, with their initialisers.

use super::expression::Constant;
use super::operand::starts_constant;
use super::{MAX_DEPTH, Parser, Read};
use crate::diagnostics::syntax;
use crate::lexer::number::{self, Value};
use crate::lexer::{self, TokenKind};
use crate::tree::{
    Alignment, Attribute, Declaration, DeclarationSpace, Declarator, DeclaredType, Dimension,
    InitValue, InitValueKind, Linkage, Name, Pointer, Range, StatementKind,
};
use warpgrid_isa::{ScalarType, StateSpace, VectorWidth};
use warpgrid_program::Span;

/// Words that begin a declaration.
pub(super) fn is_specifier(word: &str) -> bool {
    space_of(word).is_some()
        || matches!(
            word,
            ".sreg" | ".align" | ".attribute" | ".v2" | ".v4" | ".v8"
        )
        || type_of(word).is_some()
        || word
            .split("::")
            .next()
            .is_some_and(|first| first != word && space_of(first).is_some())
}

/// The state space that a declaration names by this word.
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

/// The type that a declaration can have by this name.
fn type_of(word: &str) -> Option<DeclaredType> {
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

/// What to declare for a type that only instructions have.
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
    /// A declaration statement; the cursor is on the dot of its first specifier.
    pub(super) fn declaration(&mut self, start: u32, linkage: Option<(Linkage, Span)>) -> Read<()> {
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

    /// State space, alignment, attributes, vector, type.
    fn specifiers(&mut self, start: u32, linkage: Option<(Linkage, Span)>) -> Read<Declaration> {
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
        if declaration.space_span.start == declaration.space_span.end {
            self.report(syntax::space_expected(declaration.type_span));
        }
        declaration.attributes = Range {
            start: attributes,
            end: self.tree.attributes.len() as u32,
        };
        Ok(declaration)
    }

    fn specifier(&mut self, declaration: &mut Declaration) -> Read<()> {
        self.cursor.skip();
        let Some(span) = self.cursor.word() else {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::type_expected(&found));
        };
        let word = span.text(self.cursor.source);
        if let Some(scalar) = type_of(word) {
            declaration.scalar = scalar;
            declaration.type_span = span;
            return Ok(());
        }
        if declaration.vector.is_some() {
            return self.specifier_behind_vector(declaration, span, word);
        }
        if let Some(space) = space_of(word) {
            return self.space(declaration, space, span);
        }
        match word {
            ".align" => declaration.alignment = Some(self.alignment(span)?),
            ".attribute" => self.attributes()?,
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
    ) -> Read<()> {
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
    fn specifier_behind_vector(
        &mut self,
        declaration: &Declaration,
        span: Span,
        word: &str,
    ) -> Read<()> {
        if is_specifier(word) {
            let vector = self.text(declaration.vector_span);
            let place = format!("before `{vector}`");
            return self.broken(syntax::declaration_order(span, word, &place));
        }
        self.bad_specifier(span, word)
    }

    /// Says why a word is no specifier.
    #[cold]
    fn bad_specifier(&mut self, span: Span, word: &str) -> Read<()> {
        let first = word.split("::").next().unwrap_or(word);
        let shown = self.text(span);
        let diagnostic = match word {
            ".sreg" => syntax::undeclarable_space(span, shown),
            ".visible" | ".extern" | ".weak" | ".common" => {
                syntax::misplaced_linkage(span, shown, "must be the first word, once")
            }
            _ if first != word && space_of(first).is_some() => {
                syntax::undeclarable_space(span, shown)
            }
            _ => syntax::undeclarable_type(span, shown, instead_of(word)),
        };
        self.broken(diagnostic)
    }

    /// The number behind `.align`.
    fn alignment(&mut self, word: Span) -> Read<Alignment> {
        let bytes = self.literal_integer("the alignment in bytes")?;
        let span = self.since(word.start);
        Ok(Alignment { span, bytes })
    }

    /// An integer literal, not an expression; the cursor is before it.
    pub(super) fn literal_integer(&mut self, what: &str) -> Read<u64> {
        if self.cursor.skip().is_ascii_digit() {
            let number = number::scan(self.cursor.text, self.cursor.at);
            if let Value::Integer { value, .. } = number.value {
                let next = self.cursor.text.get(number.end).copied().unwrap_or(0);
                if !lexer::is(next, lexer::NAME) {
                    self.cursor.at = number.end;
                    return Ok(value);
                }
            }
            let start = self.cursor.at;
            self.literal(false)?;
            self.cursor.at = start;
        }
        self.bad_token()?;
        let found = self.found();
        self.broken(syntax::array_size(
            &found,
            &format!("an integer literal for {what}"),
        ))
    }

    /// `(.managed, .unified(1, 2))` behind `.attribute`.
    pub(super) fn attributes(&mut self) -> Read<()> {
        if !self.eat(b'(') {
            return self.unexpected("`(` and the attributes");
        }
        loop {
            self.cursor.skip();
            let word = self.cursor.token();
            let text = word.span.text(self.cursor.source);
            if word.kind != TokenKind::Word || !matches!(text, ".managed" | ".unified") {
                return self.unexpected("an attribute: `.managed` or `.unified(id, id)`");
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
            if !self.eat(b',') {
                break;
            }
        }
        if self.eat(b')') {
            Ok(())
        } else {
            self.unexpected("`,` or `)`")
        }
    }

    fn unified(&mut self) -> Read<()> {
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

    /// A parameter of a function: pushes its declaration.
    pub(super) fn parameter(&mut self) -> Read<()> {
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
        let Some(span) = self.cursor.name() else {
            return self.declarator_name_expected("a parameter");
        };
        let first = self.tree.declarators.len() as u32;
        let mut declarator = self.named_declarator(span);
        let end = self.cursor.at;
        if self.cursor.skip() == b'[' {
            self.dimension(true)?;
            declarator.dimensions.end += 1;
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

    /// `.ptr .global .align 16`, the word being at the cursor.
    fn pointer(&mut self, word: Span) -> Read<Pointer> {
        self.cursor.at = word.end as usize;
        let mut pointer = Pointer {
            span: word,
            space: None,
            alignment: None,
        };
        self.cursor.skip();
        let mut next = self.cursor.token().span;
        pointer.space = match next.text(self.cursor.source) {
            ".global" => Some(StateSpace::Global),
            ".const" => Some(StateSpace::Const),
            ".local" => Some(StateSpace::Local),
            ".shared" => Some(StateSpace::Shared),
            _ => None,
        };
        if pointer.space.is_some() {
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
    fn declarator_name_expected(&mut self, what: &str) -> Read<()> {
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

    /// `name`, `name<5>`, `name[4] = {...}`.
    fn declarator(&mut self) -> Read<()> {
        self.cursor.skip();
        let start = self.cursor.offset();
        let span = match self.cursor.name() {
            Some(span) if !matches!(span.text(self.cursor.source), "_" | "WARP_SZ") => span,
            _ => {
                self.cursor.at = start as usize;
                return self.declarator_name_expected("what is declared");
            }
        };
        let mut declarator = self.named_declarator(span);
        let mut end = self.cursor.at;
        let mut byte = self.cursor.skip();
        if byte == b'<' {
            self.count(&mut declarator)?;
            end = self.cursor.at;
            byte = self.cursor.skip();
            if matches!(byte, b'[' | b'=') {
                return self.unexpected("`,` or `;` behind a number of names");
            }
        }
        while byte == b'[' {
            let first = declarator.dimensions.start == declarator.dimensions.end;
            self.dimension(first)?;
            declarator.dimensions.end += 1;
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

    /// `<5>`, the angle being at the cursor.
    fn count(&mut self, declarator: &mut Declarator) -> Read<()> {
        let open = self.cursor.offset();
        self.cursor.at += 1;
        let count = self.literal_integer("the number of names")?;
        self.close(open, b'>', "`>`")?;
        declarator.count = Some(u32::try_from(count).unwrap_or(u32::MAX));
        declarator.count_span = self.since(open);
        Ok(())
    }

    /// `[4]` or, where allowed, `[]`; the bracket is at the cursor.
    fn dimension(&mut self, may_be_empty: bool) -> Read<()> {
        let open = self.cursor.offset();
        self.cursor.at += 1;
        let size = if self.cursor.skip() == b']' && may_be_empty {
            None
        } else {
            Some(self.literal_integer("the size of the array")?)
        };
        if !self.eat(b']') {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::array_size(
                &found,
                "`]`, as the size is one integer literal",
            ));
        }
        let span = self.since(open);
        self.tree.dimensions.push(Dimension { span, size });
        Ok(())
    }

    /// One value of an initialiser, or a list.
    fn initializer(&mut self, depth: u32) -> Read<()> {
        let byte = self.cursor.skip();
        let start = self.cursor.offset();
        if byte == b'{' {
            return self.initializer_list(start, depth);
        }
        if byte.is_ascii_digit() {
            let literal = number::scan(self.cursor.text, self.cursor.at);
            let next = self.cursor.text.get(literal.end).copied().unwrap_or(0);
            if let (Value::Integer { value, unsigned }, b',' | b'}' | b';') = (literal.value, next)
            {
                self.cursor.at = literal.end;
                self.push_init_value(start, InitValueKind::Integer { value, unsigned });
                return Ok(());
            }
        }
        if self.cursor.at_name() && self.cursor.token().span.text(self.cursor.source) != "WARP_SZ" {
            return self.initializer_name(start, None);
        }
        if !starts_constant(byte) && !self.cursor.at_name() {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::initializer(
                &found,
                "a constant, a variable or a list in braces",
            ));
        }
        let (constant, end) = self.constant_expression()?;
        self.cursor.at = end as usize;
        let kind = match constant {
            Constant::Integer { value, unsigned } => {
                if self.cursor.skip() == b'(' {
                    self.cursor.at += 1;
                    self.initializer_name(start, Some(value))?;
                    return Ok(());
                }
                self.cursor.at = end as usize;
                InitValueKind::Integer { value, unsigned }
            }
            Constant::Single(bits) => InitValueKind::Single(bits),
            Constant::Double(value) => InitValueKind::Double(value.to_bits()),
        };
        self.push_init_value(start, kind);
        Ok(())
    }

    fn push_init_value(&mut self, start: u32, kind: InitValueKind) {
        let span = self.since(start);
        self.tree.init_values.push(InitValue { span, kind });
    }

    /// `{ value, value }`, the brace being at the cursor; may be empty.
    fn initializer_list(&mut self, open: u32, depth: u32) -> Read<()> {
        if depth >= MAX_DEPTH {
            return self.broken(syntax::nested_too_deep(
                Span::new(open, open + 1),
                "initialisers",
            ));
        }
        let parent = self.tree.init_values.len();
        self.cursor.at += 1;
        self.push_init_value(open, InitValueKind::List { entries: 0 });
        if self.cursor.skip() != b'}' {
            loop {
                self.initializer(depth + 1)?;
                if !self.eat(b',') {
                    break;
                }
            }
        }
        self.close(open, b'}', "`,` or `}`")?;
        let end = self.cursor.offset();
        let entries = (self.tree.init_values.len() - parent - 1) as u32;
        if let Some(list) = self.tree.init_values.get_mut(parent) {
            *list = InitValue {
                span: Span::new(open, end),
                kind: InitValueKind::List { entries },
            };
        }
        Ok(())
    }

    /// `name+4`, `generic(name)+4`, a sampler's `field = value`; with a mask the closing parenthesis too.
    fn initializer_name(&mut self, start: u32, mask: Option<u64>) -> Read<()> {
        self.cursor.skip();
        let mut name_span = self.initializer_symbol()?;
        let mut end = self.cursor.at;
        let mut byte = self.cursor.skip();
        let generic = byte == b'(' && name_span.text(self.cursor.source) == "generic";
        if generic {
            let open = self.cursor.offset();
            self.cursor.at += 1;
            self.cursor.skip();
            name_span = self.initializer_symbol()?;
            self.close(open, b')', "`)`")?;
            end = self.cursor.at;
            byte = self.cursor.skip();
        }
        let name = self.name_of(name_span);
        let mut offset = 0;
        match byte {
            b'=' if mask.is_none() && !generic => return self.initializer_setting(start, name),
            b'+' => {
                self.cursor.at += 1;
                self.cursor.skip();
                offset = self.integer_constant("an offset")?;
            }
            b'-' => {
                let minus = self.cursor.token().span;
                return self.broken(syntax::subtracted_offset(minus));
            }
            _ => self.cursor.at = end,
        }
        if mask.is_some() && !self.eat(b')') {
            return self.unexpected("`)` behind the masked address");
        }
        let kind = InitValueKind::Address {
            name,
            name_span,
            offset,
            generic,
            mask,
        };
        self.push_init_value(start, kind);
        Ok(())
    }

    fn initializer_symbol(&mut self) -> Read<Span> {
        let token = self.cursor.token();
        if token.kind != TokenKind::Name || token.span.text(self.cursor.source) == "_" {
            self.bad_token()?;
            let found = self.found();
            return self.broken(syntax::initializer(
                &found,
                "the name of a variable or function",
            ));
        }
        self.cursor.at = token.span.end as usize;
        Ok(token.span)
    }

    /// `= linear` of a sampler's field.
    fn initializer_setting(&mut self, start: u32, field: Name) -> Read<()> {
        self.cursor.at += 1;
        self.cursor.skip();
        let value = self.cursor.token();
        if !matches!(value.kind, TokenKind::Name | TokenKind::Number) {
            return self.unexpected("the value of the field");
        }
        self.cursor.at = value.span.end as usize;
        self.push_init_value(start, InitValueKind::Setting { field });
        Ok(())
    }
}
