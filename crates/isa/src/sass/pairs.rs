//! PTX stores and machine code side by side: the words of one go in, the words that `ptxas` 13.5 chooses for it come out, by
//! architecture, and back. Learnt from compiled kernels, and an approximation: the assembler also turns generic stores into others
//! when it knows where they point, joins neighbouring ones, and moves the address into other registers.

use super::stores::{Store, Word, WordMeaning, find_store};
use crate::does::{Does, MemoryOp};
use crate::modifier::{CacheOp, EvictionPriority, Flag, Scope, Sem};
use crate::modifiers::Modifiers;
use crate::space::StateSpace;
use crate::target::{Feature, Target, TargetGate};
use crate::types::ScalarType;

/// What is said beside every pair.
pub const APPROXIMATION: &str =
    "as `ptxas` 13.5 chooses it; it may also know more about the address and choose another store";

/// What is said beside PTX for machine code.
pub const AMONG_OTHERS: &str = "one store of several that the assembler makes this of: types and some cache operators are not in the machine code";

/// Architectures that spell stores alike, oldest first, each by one of its targets.
pub const GENERATIONS: &[(&str, TargetGate)] = &[
    ("sm_35", TargetGate::Between(35, 37)),
    ("sm_50", TargetGate::Between(50, 62)),
    ("sm_70", TargetGate::Between(70, 75)),
    ("sm_80", TargetGate::Between(80, 89)),
    ("sm_90", TargetGate::Between(90, 90)),
    ("sm_100", TargetGate::From(100)),
];

/// The machine code of a PTX store: `STG.E.64 desc[UR4][R2.64], R4`. `None` for what is no plain store, or does not exist on
/// the architecture.
pub fn machine_code(does: Does, modifiers: &Modifiers, target: &Target) -> Option<String> {
    let is_store = does.memory().is_some_and(MemoryOp::is_plain_store);
    if !is_store || !TargetGate::From(35).met_by(target) {
        return None;
    }
    let opcode = match modifiers.space {
        None | Some(StateSpace::Generic) => "ST",
        Some(StateSpace::Global) if TargetGate::From(50).met_by(target) => "STG",
        Some(StateSpace::Global) => "ST",
        Some(StateSpace::Local) => "STL",
        Some(StateSpace::Shared) => "STS",
        Some(
            StateSpace::Const
            | StateSpace::ParamEntry
            | StateSpace::ParamFunc
            | StateSpace::SharedCluster,
        ) => return None,
    };
    let is_window = matches!(opcode, "STL" | "STS");
    let ty = modifiers.ty?;
    let n_elements = modifiers.vector.map_or(1, |vector| vector.n_elements());
    let bits = ty.width_bits() * n_elements as u32;
    if bits == 256 && !target.has(Feature::Vector256) {
        return None;
    }
    let mut words = vec![opcode];
    if !is_window {
        words.push("E");
        words.extend(cache(modifiers, target));
    }
    match bits {
        256 => words.push(wide(modifiers)),
        _ => words.extend(width(ty, bits)?),
    }
    if !is_window {
        words.extend(order(modifiers, target));
    }
    let address = match is_window {
        true => "[R2]",
        false => address(target),
    };
    let data = match bits {
        256 => "R4, R8",
        _ => "R4",
    };
    Some(format!("{} {address}, {data}", words.join(".")))
}

/// The address in a pair of registers, as disassemblers print it.
fn address(target: &Target) -> &'static str {
    if TargetGate::From(90).met_by(target) {
        "desc[UR4][R2.64]"
    } else if TargetGate::From(80).met_by(target) {
        "[R2.64]"
    } else {
        "[R2]"
    }
}

/// The cache operator of old architectures, the eviction priority of new ones.
fn cache(modifiers: &Modifiers, target: &Target) -> Option<&'static str> {
    if !target.has(Feature::MemoryModel) {
        return match modifiers.cache? {
            CacheOp::Cg => Some("CG"),
            CacheOp::Cs => Some("CS"),
            CacheOp::Wt => Some("WT"),
            CacheOp::Wb | CacheOp::Ca | CacheOp::Lu | CacheOp::Cv => None,
        };
    }
    match (modifiers.cache, modifiers.evict_l1) {
        (Some(CacheOp::Cs), _) | (_, Some(EvictionPriority::First)) => Some("EF"),
        (_, Some(EvictionPriority::Last)) => Some("EL"),
        (_, Some(EvictionPriority::Unchanged)) => Some("EU"),
        (_, Some(EvictionPriority::NoAllocate)) => Some("NA"),
        (_, Some(EvictionPriority::Normal) | None) => None,
    }
}

/// The width, which 32 bits leave out; `None` where there is none.
fn width(ty: ScalarType, bits: u32) -> Option<Option<&'static str>> {
    Some(match (bits, ty.is_signed() && ty.width_bits() == bits) {
        (8, true) => Some("S8"),
        (8, false) => Some("U8"),
        (16, true) => Some("S16"),
        (16, false) => Some("U16"),
        (32, _) => None,
        (64, _) => Some("64"),
        (128, _) => Some("128"),
        _ => return None,
    })
}

/// The width of 256 bits, which says how the line is evicted from L2.
fn wide(modifiers: &Modifiers) -> &'static str {
    match modifiers.evict_l2 {
        Some(EvictionPriority::First) => "EFL2.256",
        Some(EvictionPriority::Last) => "ELL2.256",
        Some(
            EvictionPriority::Normal | EvictionPriority::Unchanged | EvictionPriority::NoAllocate,
        )
        | None => "ENL2.256",
    }
}

/// The scope of a store to global memory.
fn order(modifiers: &Modifiers, target: &Target) -> Option<&'static str> {
    if !target.has(Feature::MemoryModel) {
        return None;
    }
    let block = match TargetGate::From(80).met_by(target) {
        true => "STRONG.SM",
        false => "STRONG.CTA",
    };
    let plain = (!TargetGate::From(80).met_by(target)).then_some("SYS");
    if modifiers.flags.has(Flag::Mmio) {
        return Some("MMIO.SYS");
    }
    match modifiers.sem {
        Some(Sem::Volatile) => Some("STRONG.SYS"),
        Some(Sem::Relaxed | Sem::Release | Sem::Acquire | Sem::AcqRel | Sem::Sc) => {
            match modifiers.scope {
                Some(Scope::Cta) => Some(block),
                Some(Scope::Cluster | Scope::Gpu) => Some("STRONG.GPU"),
                Some(Scope::Sys) | None => Some("STRONG.SYS"),
            }
        }
        Some(Sem::Weak) | None => match modifiers.cache {
            Some(CacheOp::Cg) => Some("STRONG.GPU"),
            Some(CacheOp::Wt) => Some("STRONG.SYS"),
            Some(CacheOp::Wb) => Some(block),
            Some(CacheOp::Cs | CacheOp::Ca | CacheOp::Lu | CacheOp::Cv) | None => plain,
        },
    }
}

/// A PTX store that the assembler makes this machine code of: `st.relaxed.gpu.global.v2.b32`. There are others: types and
/// cache operators are not in the machine code.
pub fn ptx(store: &Store, words: &[&Word]) -> String {
    let mut mmio = "";
    let mut order = String::new();
    let mut cache = String::new();
    let mut level_2 = "";
    let mut ty = ".b32";
    for word in words {
        match word.meaning {
            WordMeaning::Extended | WordMeaning::Plain => {}
            WordMeaning::Cache(op) => cache = format!(".{}", op.name()),
            WordMeaning::Evict(EvictionPriority::NoAllocate) => {
                cache = ".L1::no_allocate".to_owned();
            }
            WordMeaning::Evict(priority) => cache = format!(".L1::{}", priority.name()),
            WordMeaning::Strong(scope) => order = format!(".relaxed.{}", scope.name()),
            WordMeaning::Mmio => {
                mmio = ".mmio";
                order = ".relaxed.sys".to_owned();
            }
            WordMeaning::Width(bits) => {
                level_2 = match word.text {
                    "EFL2.256" => ".L2::evict_first",
                    "ELL2.256" => ".L2::evict_last",
                    _ => "",
                };
                ty = match (bits, word.text.starts_with('S')) {
                    (8, true) => ".s8",
                    (8, false) => ".u8",
                    (16, true) => ".s16",
                    (16, false) => ".u16",
                    (64, _) => ".v2.b32",
                    (128, _) => ".v4.b32",
                    (256, _) => ".v8.b32",
                    _ => ".b32",
                }
            }
        }
    }
    let space = match store.space {
        StateSpace::Generic => String::new(),
        space => format!(".{}", space.name()),
    };
    format!("st{mmio}{order}{space}{cache}{level_2}{ty}")
}

/// The same of an opcode with its words as they are printed: `STG.E.64.STRONG.GPU`. `None` for what is no store.
pub fn ptx_of(mnemonic: &str) -> Option<String> {
    let (opcode, mut rest) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
    let store = find_store(opcode)?;
    let mut words = Vec::new();
    while !rest.is_empty() {
        let begins = |word: &&Word| {
            let after = rest.strip_prefix(word.text);
            after.is_some_and(|after| after.is_empty() || after.starts_with('.'))
        };
        // `STRONG.GPU` is one word of the table.
        let found = store
            .slots
            .iter()
            .flat_map(|slot| slot.words)
            .filter(begins);
        let found = found.max_by_key(|word| word.text.len());
        let n_bytes = match found {
            Some(word) => word.text.len(),
            None => rest.find('.').unwrap_or(rest.len()),
        };
        words.extend(found);
        rest = rest[n_bytes..].trim_start_matches('.');
    }
    Some(ptx(store, &words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::bind;

    fn of_ptx(mnemonic: &str, arch: &str) -> Option<String> {
        let words: Vec<&str> = mnemonic.split('.').skip(1).collect();
        let bound = bind("st", &words, None).expect("a store");
        let target = Target::from_name(arch).expect("a target");
        machine_code(bound.layout.form.does, &bound.modifiers(), target)
    }

    /// Stores of compiled kernels, with what `ptxas` 13.5 made of them.
    #[test]
    fn the_assembler_chooses_these_words() {
        for (mnemonic, arch, expected) in [
            ("st.global.cg.s8", "sm_75", "STG.E.S8.STRONG.GPU"),
            ("st.global.cs.s16", "sm_75", "STG.E.EF.S16.SYS"),
            ("st.global.wt.v2.s32", "sm_75", "STG.E.64.STRONG.SYS"),
            ("st.global.cs.v4.f32", "sm_75", "STG.E.EF.128.SYS"),
            ("st.global.cg.v2.f64", "sm_75", "STG.E.128.STRONG.GPU"),
            ("st.global.wb.s64", "sm_75", "STG.E.64.STRONG.CTA"),
            ("st.global.wb.s64", "sm_80", "STG.E.64.STRONG.SM"),
            ("st.global.cs.s16", "sm_89", "STG.E.EF.S16"),
            ("st.global.cg.v2.f64", "sm_100", "STG.E.128.STRONG.GPU"),
            ("st.volatile.global.u32", "sm_90", "STG.E.STRONG.SYS"),
            ("st.volatile.shared.u16", "sm_120", "STS.U16"),
            ("st.global.L1::no_allocate.v4.f32", "sm_80", "STG.E.NA.128"),
            (
                "st.relaxed.sys.global.L1::evict_last.f32",
                "sm_90",
                "STG.E.EL.STRONG.SYS",
            ),
            ("st.relaxed.gpu.b32", "sm_80", "ST.E.STRONG.GPU"),
            ("st.release.sys.b32", "sm_90", "ST.E.STRONG.SYS"),
            ("st.relaxed.cta.b64", "sm_100", "ST.E.64.STRONG.SM"),
            ("st.global.u32", "sm_75", "STG.E.SYS"),
            (
                "st.global.L1::evict_last.L2::evict_last.v4.b64",
                "sm_100",
                "STG.E.EL.ELL2.256",
            ),
            ("st.global.u32", "sm_90", "STG.E"),
            ("st.global.u32", "sm_61", "STG.E"),
            ("st.global.u32", "sm_35", "ST.E"),
            ("st.local.v4.u32", "sm_120", "STL.128"),
        ] {
            let found = of_ptx(mnemonic, arch).expect("machine code");
            let words = found.split(' ').next();
            assert_eq!(words, Some(expected), "{mnemonic} on {arch}");
        }
    }

    #[test]
    fn addresses_are_those_of_the_architecture() {
        for (arch, expected) in [
            ("sm_61", "STG.E.64 [R2], R4"),
            ("sm_80", "STG.E.64 [R2.64], R4"),
            ("sm_90", "STG.E.64 desc[UR4][R2.64], R4"),
        ] {
            assert_eq!(of_ptx("st.global.b64", arch).as_deref(), Some(expected));
        }
        let wide = of_ptx("st.global.v8.b32", "sm_100");
        let expected = "STG.E.ENL2.256 desc[UR4][R2.64], R4, R8";
        assert_eq!(wide.as_deref(), Some(expected));
        assert_eq!(of_ptx("st.global.v8.b32", "sm_90"), None);
        assert_eq!(of_ptx("st.param.b32", "sm_90"), None);
    }

    #[test]
    fn an_opcode_with_its_words_leads_back_to_ptx() {
        for (mnemonic, expected) in [
            ("STG.E.64.STRONG.GPU", Some("st.relaxed.gpu.global.v2.b32")),
            ("STG.E.EF.S16.SYS", Some("st.global.L1::evict_first.s16")),
            ("STG.E.ENL2.256", Some("st.global.v8.b32")),
            (
                "STG.E.NA.EFL2.256",
                Some("st.global.L1::no_allocate.L2::evict_first.v8.b32"),
            ),
            ("ST.E.MMIO.SYS", Some("st.mmio.relaxed.sys.b32")),
            ("STS", Some("st.shared.b32")),
            ("STG.E.ODD.128", Some("st.global.v4.b32")),
            ("LDG.E", None),
            ("", None),
        ] {
            assert_eq!(ptx_of(mnemonic).as_deref(), expected, "{mnemonic}");
        }
    }

    #[test]
    fn machine_code_leads_back_to_ptx_that_gives_it() {
        for (opcode, words) in [
            ("STG", &["E", "64", "STRONG.GPU"][..]),
            ("STG", &["E", "EF", "128"]),
            ("STG", &["E", "NA", "S16"]),
            ("ST", &["E", "U8", "STRONG.SYS"]),
            ("STG", &["E", "MMIO.SYS"]),
            ("STS", &["128"]),
            ("STL", &["S8"]),
            ("STG", &["E", "ENL2.256"]),
        ] {
            let store = find_store(opcode).expect("a store");
            let all = || store.slots.iter().flat_map(|slot| slot.words);
            let found: Vec<&Word> = words
                .iter()
                .map(|text| all().find(|word| word.text == *text).expect("a word"))
                .collect();
            let mnemonic = ptx(store, &found);
            let again = of_ptx(&mnemonic, "sm_100").expect("machine code");
            let expected = [&[opcode], words].concat().join(".");
            assert_eq!(again.split(' ').next(), Some(&*expected), "{mnemonic}");
        }
    }
}
