//! Invariants of all entries of the PTX tables.

use std::mem::discriminant;
use warpgrid_isa::form::{
    BindError, Form, FormSyntax, OperandAccess, OperandShape, RuleKind, SlotKind, SlotName,
};
use warpgrid_isa::{
    Flag, MatrixOp, ModifierSet, ModifierValue, OperandExtension, Operation, PTX, ScalarType,
    Version,
};

fn sets() -> impl Iterator<Item = (&'static Form, &'static ModifierSet)> {
    let forms = PTX.layouts().iter().map(|layout| layout.form);
    forms.flat_map(|form| form.sets.iter().map(move |set| (form, *set)))
}

/// Every slot of a form must be found by its name, and every literal by its flag.
fn slot_named(layout: &FormSyntax, name: SlotName) -> bool {
    layout.slots.iter().any(|slot| slot.id == Some(name))
}

#[test]
fn form_syntax_round_trips() {
    for layout in PTX.layouts() {
        // The second destination of a pair is always printed as `p`.
        let syntax = layout.form.syntax.replace("|q", "|p");
        assert_eq!(layout.spelled(), syntax);
    }
}

#[test]
fn each_form_has_operation_help_and_section() {
    for layout in PTX.layouts() {
        let form = layout.form;
        assert_ne!(form.operation, Operation::Unknown, "{}", form.syntax);
        assert!(form.help.ends_with('.'), "{}: {}", form.syntax, form.help);
        assert!(form.section.contains("-instructions-"), "{}", form.syntax);
    }
}

#[test]
fn slots_have_ids_and_literals_have_flags() {
    for layout in PTX.layouts() {
        for slot in &layout.slots {
            assert!(
                slot.id.is_some(),
                "`.{}` of {}",
                slot.name,
                layout.form.syntax
            );
            if let SlotKind::Literal(text, flag) = slot.kind {
                assert_eq!(flag.map(Flag::name), Some(text), "{}", layout.form.syntax);
            }
        }
    }
}

#[test]
fn each_modifier_set_has_slot_in_form_syntax() {
    for layout in PTX.layouts() {
        for set in layout.form.sets {
            assert!(
                slot_named(layout, set.slot),
                "{} in {}",
                set.slot,
                layout.form.syntax
            );
        }
    }
}

#[test]
fn modifier_set_values_are_unique_and_of_one_kind() {
    for (form, set) in sets() {
        for (index, value) in set.values.iter().enumerate() {
            let earlier = &set.values[..index];
            let is_new = earlier.iter().all(|other| other.text != value.text);
            assert!(is_new, "`.{}` twice in {}", value.text, form.syntax);
            let kind = discriminant(&set.values[0].meaning);
            assert_eq!(discriminant(&value.meaning), kind, "{}", form.syntax);
        }
    }
}

#[test]
fn type_modifiers_are_spelled_as_type_names() {
    for (form, set) in sets() {
        for value in set.values {
            if let ModifierValue::Type(ty) = value.meaning {
                assert_eq!(value.text, ty.name(), "{}", form.syntax);
            }
        }
    }
    assert!(ScalarType::ALL.iter().all(|ty| !ty.help().is_empty()));
}

#[test]
fn gates_reference_known_versions_and_targets() {
    let values = sets().flat_map(|(form, set)| set.values.iter().map(move |v| (form, v.gate)));
    let forms = PTX
        .layouts()
        .iter()
        .map(|layout| (layout.form, layout.form.gate));
    for (form, gate) in values.chain(forms) {
        assert!(gate.ptx.is_known(), "{} in {}", gate.ptx, form.syntax);
        assert!(gate.target.lowest().is_some(), "{}", form.syntax);
    }
}

#[test]
fn modifier_help_is_nonempty_without_final_period() {
    let values = sets().flat_map(|(_, set)| set.values.iter().map(|value| value.help));
    let flags = Flag::ALL.iter().map(|flag| flag.help());
    for help in values.chain(flags) {
        assert!(!help.is_empty() && !help.ends_with('.'), "{help}");
    }
}

#[test]
fn operand_lists_reference_operands_of_form() {
    for layout in PTX.layouts() {
        let form = layout.form;
        let has = |name: &str| layout.operands.iter().any(|operand| operand.name == name);
        // Forms may share a list: every name must exist in at least one of them.
        let rows = PTX.layouts().iter();
        let sharing = rows.filter(|other| std::ptr::eq(other.form.types, form.types));
        let names: Vec<&str> = sharing
            .flat_map(|other| other.operands.iter().map(|operand| operand.name))
            .collect();
        for (name, _) in form.types {
            assert!(names.contains(name), "{name} in {}", form.syntax);
        }
        let is_default = form.destination_operands == Form::DEFAULT.destination_operands;
        for name in form.destination_operands.iter().filter(|_| !is_default) {
            assert!(has(name), "{name} in {}", form.syntax);
        }
    }
}

#[test]
fn operand_access_matches_shape_and_destinations_come_first() {
    for layout in PTX.layouts() {
        for operand in &layout.operands {
            let expected = match operand.shape {
                OperandShape::Pair { .. } => OperandAccess::Written,
                OperandShape::Address | OperandShape::Negatable => OperandAccess::Read,
                OperandShape::Plain => operand.role,
            };
            assert_eq!(operand.role, expected, "{}", layout.form.syntax);
        }
        // Destinations come first, since snippets and readers expect them there.
        let written = layout
            .operands
            .iter()
            .map(|o| o.role == OperandAccess::Read);
        assert!(written.is_sorted(), "{}", layout.form.syntax);
    }
}

#[test]
fn destination_operand_presence_matches_operation() {
    for layout in PTX.layouts() {
        let writes = layout
            .operands
            .iter()
            .any(|o| o.role == OperandAccess::Written);
        let expected = match layout.form.operation {
            Operation::Arithmetic(_)
            | Operation::Carry(_)
            | Operation::Compare(_)
            | Operation::Move(_) => true,
            Operation::Warp(_) | Operation::Video(..) => true,
            Operation::Matrix(op) => !matches!(op, MatrixOp::WmmaStore | MatrixOp::Stmatrix),
            Operation::Async(_) | Operation::Control(_) | Operation::Hint(_) => false,
            Operation::Memory(_)
            | Operation::Mbarrier(_)
            | Operation::Sync(_)
            | Operation::Unknown => writes,
            // Some of these operations return a value, others write memory.
            Operation::Unit(_) => writes,
            // No PTX form has this operation.
            Operation::Machine(_) => !writes,
        };
        assert_eq!(writes, expected, "{}", layout.form.syntax);
    }
}

#[test]
fn rules_reference_slots_and_values_of_their_forms() {
    for layout in PTX.layouts() {
        // Forms may share rules: every name must exist in at least one of them.
        let rows = || {
            let all = PTX.layouts().iter();
            all.filter(|other| std::ptr::eq(other.form.rules, layout.form.rules))
        };
        let check = |slot: SlotName, values: &[&str]| {
            assert!(
                rows().any(|row| slot_named(row, slot)),
                "{slot} in {}",
                layout.form.syntax
            );
            for value in values {
                let mut slots = rows().flat_map(|row| &row.slots);
                let found = slots.any(|s| s.id == Some(slot) && s.find(value).is_some());
                assert!(found, "`.{value}` of {slot} in {}", layout.form.syntax);
            }
        };
        for rule in layout.form.rules {
            match rule.kind {
                RuleKind::Conflict { a, b } | RuleKind::CombinationGate { a, b, .. } => {
                    check(a.slot, a.values);
                    check(b.slot, b.values);
                }
                RuleKind::Requires { when, slot, among }
                | RuleKind::Restricts { when, slot, among } => {
                    check(when.slot, when.values);
                    check(slot, among);
                }
                RuleKind::ValueGate { when, .. } | RuleKind::WideOnly { when, .. } => {
                    check(when.slot, when.values);
                }
                RuleKind::OmissionGate { slot, .. } => check(slot, &[]),
                RuleKind::Before { first, second } => {
                    check(first, &[]);
                    check(second, &[]);
                }
                RuleKind::VectorBits { .. } => check(SlotName::Vector, &[]),
                RuleKind::ForeignModifier { words } => {
                    let taken = |word| layout.slots.iter().any(|s| s.find(word).is_some());
                    let free = words.iter().all(|word| !taken(word));
                    assert!(free, "{words:?} in {}", layout.form.syntax);
                }
            }
        }
    }
}

#[test]
fn required_and_repeatable_flags_are_literals_of_their_form() {
    for layout in PTX.layouts() {
        let form = layout.form;
        for (flag, version) in form.required_from {
            let mut slots = layout.slots.iter();
            let slot = slots.find(|slot| slot.id == Some(SlotName::Literal(*flag)));
            assert!(slot.is_some_and(|slot| !slot.required), "{}", form.syntax);
            assert!(version.is_known(), "{}", form.syntax);
        }
        for flag in form.repeatable {
            assert!(
                slot_named(layout, SlotName::Literal(*flag)),
                "{}",
                form.syntax
            );
        }
        assert!(
            form.n_name_modifiers <= layout.slots.len(),
            "{}",
            form.syntax
        );
        for slot in layout.leads() {
            // `.cta` is optional between the two components of `bar.red`.
            let fixed = slot.required || slot.id == Some(SlotName::Level);
            assert!(fixed, "{}", form.syntax);
        }
    }
}

#[test]
fn opcodes_are_sorted_unique_and_have_forms() {
    let tables = PTX.tables;
    assert!(tables.opcodes.is_sorted_by(|a, b| a < b));
    for layout in PTX.layouts() {
        assert!(PTX.is_opcode(layout.opcode), "{}", layout.opcode);
    }
    for opcode in tables.opcodes {
        assert!(PTX.forms_of(opcode).next().is_some(), "{opcode} has no row");
    }
    for (_, meant) in tables.synonyms {
        assert!(PTX.is_known_word(meant), "{meant}");
    }
    for word in tables.name_modifiers {
        let takes = |layout: &FormSyntax| layout.slots.iter().any(|s| s.find(word).is_some());
        let opcodes = PTX.layouts().iter().filter(|l| takes(l)).map(|l| l.opcode);
        assert!(opcodes.clone().all(|opcode| opcode == "wmma"), "{word}");
    }
}

#[test]
fn misplaced_name_modifiers_are_detected() {
    let misplaced = |opcode, words: &[&str]| {
        let bound = PTX.bind(opcode, words, None).expect("a row");
        bound.misplaced_lead()
    };
    assert_eq!(misplaced("mul", &["lo", "s32"]), None);
    assert_eq!(misplaced("mul", &["s32", "lo"]), Some(1));
    assert_eq!(misplaced("bar", &["cta", "red", "popc", "u32"]), None);
    assert_eq!(misplaced("bar", &["red", "cta", "popc", "u32"]), Some(1));
    assert_eq!(misplaced("bar", &["sync", "cta"]), Some(1));
    assert_eq!(misplaced("cvta", &["global", "to", "u64"]), Some(1));
    assert_eq!(misplaced("st", &["async", "release", "gpu", "u32"]), None);
}

#[test]
fn instruction_names_include_leading_literals() {
    let name = |opcode, words: &[&str]| {
        let bound = PTX.bind(opcode, words, None).expect("a row");
        bound.layout.name()
    };
    assert_eq!(name("st", &["async", "release", "gpu", "u32"]), "st.async");
    assert_eq!(name("wmma", &["store", "d", "sync", "row"]), "wmma.store.d");
    assert_eq!(name("mul", &["lo", "s32"]), "mul");
    assert_eq!(name("bar", &["cta", "red", "popc", "u32"]), "bar.red");
}

#[test]
fn bound_modifiers_are_found_by_slot_name_and_flag() {
    let bound = PTX
        .bind("ld", &["global", "nc", "f32"], None)
        .expect("a row");
    assert_eq!(bound.word(SlotName::Space), Some(0));
    assert_eq!(bound.scalar(SlotName::Type), Some(ScalarType::F32));
    assert!(bound.has(Flag::NonCoherent));
    assert!(!bound.has(SlotName::Vector));
    for name in SlotName::ALL {
        assert_eq!(SlotName::from_name(name.name()), Some(*name));
    }
}

#[test]
fn forms_expose_instruction_specific_properties() {
    let form = |opcode: &str, words: &[&str]| PTX.bind(opcode, words, None).expect("a row");
    let store = form("wmma", &["store", "d", "sync", "row", "m16n16k16", "f32"]);
    let aligned = store.layout.form.required_from(Flag::Aligned);
    assert_eq!(aligned, Some(Version::new(6, 3)));
    assert_eq!(store.complaints, [] as [BindError; 0]);
    let twice = form(
        "wmma",
        &["store", "d", "sync", "sync", "row", "m16n16k16", "f32"],
    );
    assert_eq!(twice.complaints, [] as [BindError; 0]);
    let moved = form("mov", &["u32"]).layout.form;
    assert!(
        moved.operand_extensions(OperandExtension::SpecialRegister)
            && moved.operand_extensions(OperandExtension::VariableAddress)
    );
    assert!(
        !form("add", &["u32"])
            .layout
            .form
            .operand_extensions(OperandExtension::SpecialRegister)
    );
    assert!(
        form("atom", &["add", "u32"])
            .layout
            .form
            .operand_extensions(OperandExtension::Sink)
    );
    let release = form("st", &["async", "release", "gpu", "u32"]);
    assert_eq!(
        (release.layout.operands.len(), release.layout.max_operands()),
        (2, 3)
    );
}

#[test]
fn flags_fit_in_128_bits() {
    // `Flags` is a 128-bit word.
    assert!(Flag::ALL.len() <= 128);
}
