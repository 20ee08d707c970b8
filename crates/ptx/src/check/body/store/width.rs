//! Vectors that are too wide for one access, and fixes that split the store.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::body::statement::moved;
use crate::check::resolved_opcodes::rules;
use crate::check::resolved_opcodes::store::StoreConstraints;
use crate::opcode::Opcode;
use crate::tree::operand::OperandKind;
use warpgrid_isa::ScalarType;
use warpgrid_isa::SlotName;
use warpgrid_program::{Diagnostic, Edit, Fix, Span};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the total width of the elements, and offers a fix that splits the store into two halves.
    pub(crate) fn check_width(&mut self, site: &InstructionSite<'a>, store: &StoreConstraints) {
        let bits = store.ty.width_bits() * store.n_elements as u32;
        if store.n_elements == 1 || bits <= MAX_BITS {
            return;
        }
        let Some(bound) = site.plan.bound.as_ref() else {
            return;
        };
        let opcode = Opcode::read(self.source, self.tree, site.instruction.mnemonic);
        for problem in rules::find_too_wide(&opcode, bound, self.module) {
            let mut problem = moved(&problem, opcode.span, site.instruction.mnemonic_start);
            if bits / 2 <= MAX_BITS {
                self.offer_halves(site, &opcode, store, &mut problem);
            }
            self.report(problem);
        }
    }

    /// Returns the span of a `.b128` type and a fix, if the version of the module does not support `.b128`. The fix stores the 128-bit
    /// integer as two 64-bit values.
    #[cold]
    pub(crate) fn as_two_words(&self, site: &InstructionSite<'a>) -> Option<(Span, Fix)> {
        let bound = site.plan.bound.as_ref()?;
        if site.plan.store?.ty != ScalarType::B128 || bound.has(SlotName::Vector) {
            return None;
        }
        let (operand, _) = site.operand(1)?;
        let OperandKind::Integer { value, unsigned } = operand.kind else {
            return None;
        };
        if !unsigned && value >> 63 != 0 {
            return None;
        }
        let word = bound.word(SlotName::Type)?;
        let span = self.tree.word_span(site.instruction, word + 1);
        let low = operand.span.text(self.source);
        let edits = vec![
            Edit {
                span,
                text: "v2.b64".to_owned(),
            },
            Edit {
                span: operand.span,
                text: format!("{{{low}, 0}}"),
            },
        ];
        let title = "store two `.b64`".to_owned();
        Some((span, Fix { title, edits }))
    }

    fn offer_halves(
        &self,
        site: &InstructionSite<'a>,
        opcode: &Opcode<'_>,
        store: &StoreConstraints,
        problem: &mut Diagnostic,
    ) {
        if let Some(text) = self.halves(site, opcode, store) {
            problem.fixes.push(Fix {
                title: "split the store into two".to_owned(),
                edits: vec![Edit {
                    span: site.span,
                    text,
                }],
            });
        }
    }

    /// Returns the source text of two stores, each of which stores half of the elements. Returns `None` if the store cannot be split in a
    /// simple way.
    fn halves(
        &self,
        site: &InstructionSite<'a>,
        opcode: &Opcode<'_>,
        store: &StoreConstraints,
    ) -> Option<String> {
        let (address, _) = site.operand(0)?;
        let OperandKind::Address { base, offset } = address.kind else {
            return None;
        };
        let (vector, children) = site.operand(1)?;
        let OperandKind::Vector { .. } = vector.kind else {
            return None;
        };
        let mut elements = Vec::with_capacity(store.n_elements);
        for (child, _) in children {
            if child.kind == OperandKind::Sink {
                return None;
            }
            elements.push(child.span.text(self.source));
        }
        if elements.len() != store.n_elements {
            return None;
        }
        let n_half = store.n_elements / 2;
        let bytes = i64::from(store.ty.width_bytes()) * n_half as i64;
        let mnemonic = halved(opcode, n_half);
        let guard = self.tree.guard(site.instruction);
        let guard = guard.map_or(String::new(), |g| format!("{} ", g.span.text(self.source)));
        let policy = site.operand(2).map_or(String::new(), |(operand, _)| {
            format!(", {}", operand.span.text(self.source))
        });
        let name = self.context().name_text(base);
        let one = |offset: i64, elements: &[&str]| {
            let place = match offset {
                0 => format!("[{name}]"),
                _ => format!("[{name}+{offset}]"),
            };
            let value = match elements {
                [one] => (*one).to_owned(),
                _ => format!("{{{}}}", elements.join(", ")),
            };
            format!("{guard}{mnemonic} {place}, {value}{policy};")
        };
        let (first, second) = elements.split_at(n_half);
        let next = offset.checked_add(bytes)?;
        Some(format!("{} {}", one(offset, first), one(next, second)))
    }
}

/// Returns the opcode with half of the vector width, and without the modifiers that only 256-bit stores accept.
fn halved(opcode: &Opcode<'_>, n_half: usize) -> String {
    let mut text = opcode.name().to_owned();
    for word in opcode.modifiers() {
        match *word {
            "v2" | "v4" | "v8" if n_half == 1 => {}
            "v2" | "v4" | "v8" => text.push_str(&format!(".v{n_half}")),
            word if word.starts_with("L2::evict") => {}
            word => {
                text.push('.');
                text.push_str(word);
            }
        }
    }
    text
}

/// Maximum access size in bits, except for 256-bit accesses.
const MAX_BITS: u32 = 128;
