//! Inline assembly block after parsing and before the interpretation of its operands. All spans refer to the source that contains the
//! block. If this source is a string literal, a source map converts the spans to the enclosing source.

use crate::block::{AsmBlock, AsmOperand, Purity, Unresolved, UnresolvedKind};
use crate::constraint::{AsmDialect, Constraint, ConstraintAccess, OperandKind};
use crate::cpp::constants::ConstantTable;
use crate::diagnostics as diagnose;
use crate::initializer::Initializer;
use crate::operand_names::NameAllocator;
use crate::template::{SymbolicOperand, constant_text, expand};
use warpgrid_program::{Diagnostic, MappedSource, SourceMap, Span};

/// Candidate values for unknown constants, in search order.
pub(crate) const CHOICES: &[i64] = &[1, 16, 0, 4, 8, 2, 32, 64, 128, -1];

/// Parsed asm block whose operands have not been resolved. [`ParsedAsmBlock::resolve_operands`] converts it to an [`AsmBlock`].
#[derive(Clone, Debug)]
pub(crate) struct ParsedAsmBlock {
    /// Name of the enclosing function.
    pub(crate) function: String,
    pub(crate) span: Span,
    pub(crate) word: Span,
    pub(crate) dialect: AsmDialect,
    pub(crate) template: MappedSource,
    pub(crate) operands: Vec<ParsedAsmOperand>,
    pub(crate) is_volatile: bool,
    /// Purity of assembly that Triton applies to each element of a tensor.
    pub(crate) elementwise: Option<Purity>,
    pub(crate) clobbers: Vec<(String, Span)>,
    pub(crate) unknown: Vec<Unresolved>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Operand of a [`ParsedAsmBlock`]: the texts of its constraint and expression.
#[derive(Clone, Debug)]
pub(crate) struct ParsedAsmOperand {
    /// Symbolic name in brackets (`[name]`), and its span.
    pub(crate) symbol: Option<(String, Span)>,
    pub(crate) constraint: String,
    pub(crate) place: Span,
    pub(crate) expression: String,
    /// Value of a constant operand, if the source defines it.
    pub(crate) value: Option<String>,
    /// Initializer of the operand, if the source states the initial value of the operand.
    pub(crate) initializer: Option<Initializer>,
    pub(crate) section: OperandSection,
}

/// Section of an asm statement that contains an operand: the outputs or the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandSection {
    Outputs,
    Inputs,
    /// The operand is in a constraint list without sections, in which only the modifier determines the direction.
    Either,
}

impl ParsedAsmBlock {
    /// Creates a block without assembly and operands.
    pub(crate) fn new(function: &str, word: Span, dialect: AsmDialect) -> ParsedAsmBlock {
        ParsedAsmBlock {
            function: function.to_owned(),
            span: word,
            word,
            dialect,
            template: MappedSource::default(),
            operands: Vec::new(),
            is_volatile: false,
            elementwise: None,
            clobbers: Vec::new(),
            unknown: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Sets the values of constant operands that the source defines.
    pub(crate) fn settle(&mut self, constants: &ConstantTable<'_>) {
        for operand in &mut self.operands {
            operand.value = match Constraint::read(&operand.constraint, self.dialect) {
                Ok(constraint) => match constraint.kind {
                    OperandKind::Constant => {
                        let number = constants.number(&operand.expression);
                        number.map(|number| number.to_string())
                    }
                    OperandKind::Text => constants.text(&operand.expression).map(str::to_owned),
                    OperandKind::Register(_) => None,
                },
                Err(_) => None,
            };
        }
    }

    /// Converts the spans of the block to the enclosing source.
    pub(crate) fn through(mut self, map: &SourceMap) -> ParsedAsmBlock {
        let mend = |span: &mut Span| *span = map.span(*span);
        mend(&mut self.span);
        mend(&mut self.word);
        self.template = self.template.compose(map);
        for operand in &mut self.operands {
            mend(&mut operand.place);
            if let Some((_, span)) = &mut operand.symbol {
                mend(span);
            }
        }
        self.clobbers.iter_mut().for_each(|(_, span)| mend(span));
        self.unknown
            .iter_mut()
            .for_each(|unknown| mend(&mut unknown.span));
        for found in &mut self.diagnostics {
            mend(&mut found.span);
            found
                .labels
                .iter_mut()
                .for_each(|label| mend(&mut label.span));
        }
        self
    }

    /// Interprets the operands, and returns the block with the given name. `choices` are the values of the unknown constants in order.
    pub(crate) fn resolve_operands(&self, name: String, choices: &[i64]) -> AsmBlock {
        let mut diagnostics = self.diagnostics.clone();
        let mut unknown = self.unknown.clone();
        let mut names = NameAllocator::avoiding(&self.template.text);
        let mut operands = Vec::with_capacity(self.operands.len());
        let mut choices = choices.iter().copied();
        let mut last = CHOICES[0];
        for (number, raw) in self.operands.iter().enumerate() {
            let is_open = raw.value.is_none() && self.is_constant(raw);
            let choice = match is_open {
                true => choices.next().unwrap_or(last),
                false => last,
            };
            last = choice;
            let operand = self.operand(raw, number, &mut names, choice, &mut diagnostics);
            let is_missing = !operand.is_known && !raw.expression.is_empty();
            if is_missing && operand.kind == OperandKind::Constant {
                unknown.push(Unresolved {
                    name: raw.expression.clone(),
                    span: raw.place,
                    what: UnresolvedKind::Number,
                });
            } else if is_missing && operand.kind == OperandKind::Text {
                unknown.push(Unresolved {
                    name: raw.expression.clone(),
                    span: raw.place,
                    what: UnresolvedKind::Assembly,
                });
            }
            operands.push(operand);
        }
        let mut clobbers_memory = false;
        for (text, span) in &self.clobbers {
            match text.as_str() {
                "memory" => clobbers_memory = true,
                _ => diagnostics.push(diagnose::unknown_clobber(text, *span)),
            }
        }
        let symbols: Vec<SymbolicOperand<'_>> = self.symbols().collect();
        let snippet = expand(
            &self.template,
            &mut operands,
            &symbols,
            self.dialect,
            &mut diagnostics,
        );
        AsmBlock {
            name,
            span: self.span,
            word: self.word,
            snippet,
            operands,
            is_volatile: self.is_volatile,
            elementwise: self.elementwise,
            dialect: self.dialect,
            clobbers_memory,
            unknown,
            diagnostics,
        }
    }

    /// Checks whether an operand is a compile-time integer constant.
    fn is_constant(&self, raw: &ParsedAsmOperand) -> bool {
        let read = Constraint::read(&raw.constraint, self.dialect);
        read.is_ok_and(|constraint| constraint.kind == OperandKind::Constant)
    }

    fn symbols(&self) -> impl Iterator<Item = SymbolicOperand<'_>> {
        let all = self.operands.iter().enumerate();
        all.filter_map(|(operand, raw)| {
            let (name, _) = raw.symbol.as_ref()?;
            Some(SymbolicOperand { name, operand })
        })
    }

    fn operand(
        &self,
        raw: &ParsedAsmOperand,
        number: usize,
        names: &mut NameAllocator,
        choice: i64,
        found: &mut Vec<Diagnostic>,
    ) -> AsmOperand {
        let text = raw.constraint.as_str();
        if let Some((name, span)) = &raw.symbol
            && self.dialect != AsmDialect::Rust
        {
            found.push(diagnose::symbolic_name(name, number, *span));
        }
        let read = self.constraint(text, number);
        let (role, kind) = match read {
            Ok(constraint) => (constraint.role, constraint.kind),
            Err(mistake) => {
                found.push(diagnose::constraint(text, mistake, raw.place));
                let role = match text.as_bytes().first() {
                    Some(b'=') => ConstraintAccess::Written,
                    Some(b'+') => ConstraintAccess::ReadAndWritten,
                    _ => ConstraintAccess::Read,
                };
                (role, OperandKind::Register(warpgrid_isa::ScalarType::B32))
            }
        };
        match (raw.section, role) {
            (OperandSection::Outputs, ConstraintAccess::Read) => {
                found.push(diagnose::output_without_modifier(text, raw.place));
            }
            (
                OperandSection::Inputs,
                ConstraintAccess::Written | ConstraintAccess::ReadAndWritten,
            ) => {
                found.push(diagnose::input_with_modifier(text, raw.place));
            }
            (OperandSection::Outputs | OperandSection::Either, _)
            | (OperandSection::Inputs, ConstraintAccess::Read) => {}
        }
        let name = match kind {
            OperandKind::Register(_) => {
                let wanted = raw
                    .symbol
                    .as_ref()
                    .map_or(&raw.expression, |(name, _)| name);
                names.name(wanted, number)
            }
            OperandKind::Constant | OperandKind::Text => {
                constant_text(kind, raw.value.as_deref(), choice)
            }
        };
        AsmOperand {
            name,
            kind,
            role,
            constraint: raw.constraint.clone(),
            place: raw.place,
            expression: raw.expression.clone(),
            initializer: raw.initializer.clone(),
            is_known: raw.value.is_some() || matches!(kind, OperandKind::Register(_)),
            uses: Vec::new(),
        }
    }

    /// Parses a constraint. If the constraint is a number, the result is the constraint of the operand with this number.
    fn constraint(
        &self,
        text: &str,
        number: usize,
    ) -> Result<Constraint, crate::constraint::ConstraintError> {
        let other = text.parse::<usize>().ok().filter(|other| *other < number);
        match other.filter(|_| self.dialect == AsmDialect::Llvm) {
            Some(other) => {
                let own = self.operands.get(other).map_or("", |raw| &raw.constraint);
                let letters = own.trim_start_matches(['=', '+', '&']);
                Constraint::read(letters, self.dialect)
            }
            None => Constraint::read(text, self.dialect),
        }
    }
}
