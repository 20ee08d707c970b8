//! Tests of hover and completion: hover texts are correct, all completions are legal, and no source or offset causes a panic.

use proptest::prelude::*;
use warpgrid_isa::{PTX, Target, Version};
use warpgrid_program::CompletionItemKind;
use warpgrid_program::Overrides;
use warpgrid_program::{Explanation, FrontEnd, ReferenceDocs, Severity};
use warpgrid_ptx::{Ptx, check, complete, hover, parse, signature};

const KERNEL: &str = ".version 8.7
.target sm_100
.address_size 64
.shared .align 16 .b8 tile[1024];
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f<2>;
    @%p1 st.global.v2.b32 [%rd1+4], {%r1, 0x10};
    st.async.release.gpu.global.u32 [%rd2], %r3;
    mov.u32 %r1, %tid.x;
LINE
DONE:
    ret;
}
";

fn lines_at(source: &str, needle: &str) -> Vec<String> {
    let offset = source.find(needle).expect("the token") as u32 + 1;
    let parse = parse(source);
    match hover(source, &parse, &Overrides::default(), offset) {
        Some(found) => [vec![found.title], found.lines].concat(),
        None => Vec::new(),
    }
}

#[test]
fn hover_describes_tokens() {
    let source = KERNEL.replace("LINE\n", "");
    let says = |needle: &str, part: &str| {
        let lines = lines_at(&source, needle);
        assert!(
            lines.iter().any(|l| l.contains(part)),
            "{needle}: {lines:?}"
        );
    };
    says("st.global", "st{.mmio}");
    says("st.global", "SASS on");
    says("global.v2", "state space: global memory");
    says("v2.b32", "vector width: two elements");
    says("b32 [%rd1", "32 untyped bits");
    says("%rd1+4", "%rd1 is a register: 64 untyped bits");
    says("%p1 st", "executed by the lanes whose predicate is true");
    says("0x10", "16, 0x10");
    says("async.release", "part of the opcode st.async");
    says("release", "since PTX 8.7, on `sm_100` and later");
    says("%tid.x", "index of the thread in its block");
    says("tile", "declares tile");
    says(".shared", "accessible to the threads of a block");
    says("%rd<3>", "%rd0 to %rd2");
    says(".entry", "a kernel");
    says(".target", "minimum target architecture");
    says("DONE", "a branch target");
    says("sm_100", "a target, supported since PTX 8.6");
    says("k(.param", ".visible .entry k(.param .u64 out)");
}

#[test]
fn completion_of_snippet_uses_target_of_check() {
    let first = "tcgen05.wait::ld.sync.aligned;\n";
    let source = format!("{first}tcgen05.");
    let document = Ptx.open(source.as_str().into(), &Overrides::default());
    let items = document.complete(source.len() as u32);
    assert!(
        items.iter().any(|item| item.text.contains("ld")),
        "{items:?}"
    );
    // The header of a module determines the target of a module.
    let module = ".version 8.7\n.target sm_90\n.visible .entry k() { tcgen05.";
    let document = Ptx.open(module.into(), &Overrides::default());
    assert_eq!(document.complete(module.len() as u32), Vec::new());
}

#[test]
fn source_without_statements_has_no_target() {
    let document = Ptx.open("// SASS for sm_90\n".into(), &Overrides::default());
    let checked = document.check();
    assert_eq!(checked.assumed_target, None);
    assert_eq!(checked.assumed_version, None);
}

#[test]
fn hover_of_snippet_uses_target_of_check() {
    let source = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];";
    let document = Ptx.open(source.into(), &Overrides::default());
    let hover = document.hover(1).expect("an opcode");
    let needed = hover.lines.iter().any(|line| line.contains("`sm_100f`"));
    assert!(needed, "{:?}", hover.lines);
    let missing = hover
        .lines
        .iter()
        .any(|line| line.contains("not available"));
    assert!(!missing, "{:?}", hover.lines);
    assert_eq!(document.check().assumed_target, Some("sm_100a"));
    // The header of a module determines the target of a module.
    let module = format!(
        ".version 8.7\n.target sm_100\n.visible .entry k() {{ .reg .b32 %r<3>; {source} ret; }}"
    );
    let document = Ptx.open(module.as_str().into(), &Overrides::default());
    let offset = module.find("tcgen05").expect("the opcode") as u32 + 1;
    let hover = document.hover(offset).expect("an opcode");
    let missing = hover
        .lines
        .iter()
        .any(|line| line.contains("not available"));
    assert!(missing, "{:?}", hover.lines);
}

/// Returns the kernel with this line.
fn with_line(line: &str) -> String {
    KERNEL.replace("LINE", line)
}

#[test]
fn hover_shows_form_specific_modifier_help() {
    let says = |line: &str, needle: &str, part: &str| {
        let lines = lines_at(&with_line(line), needle);
        assert!(lines.iter().any(|l| l.contains(part)), "{line}: {lines:?}");
    };
    says(
        "add.rn.ftz.f32 %f1, %f2, %f3;",
        "ftz",
        "flushes subnormal operands and results to zero",
    );
    says(
        "cvt.rn.relu.f16.f32 %h1, %f1;",
        "relu",
        "clamps negative results to zero",
    );
    says(
        "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
        "satfinite",
        "largest finite value",
    );
    says(
        "min.NaN.f32 %f1, %f2, %f3;",
        "NaN",
        "NaN if a source operand is",
    );
    says(
        "st.mmio.relaxed.sys.global.u32 [%rd1], %r1;",
        "mmio",
        "memory-mapped",
    );
}

#[test]
fn hover_lists_rules_without_repeated_lines() {
    let source = with_line("st.mmio.relaxed.sys.global.u32 [%rd1], %r1;");
    let lines = lines_at(&source, "mmio");
    let rules: Vec<&String> = lines.iter().filter(|l| l.contains(": ")).collect();
    assert!(!rules.is_empty(), "{lines:?}");
    let mut once = lines.clone();
    once.dedup();
    assert_eq!(once, lines);
}

#[test]
fn completion_shows_form_specific_modifier_help() {
    let source = with_line("fma.rn.");
    let offset = source.find("fma.rn.").expect("the line") + "fma.rn.".len();
    let found = complete(
        &source,
        &parse(&source),
        &Overrides::default(),
        offset as u32,
    );
    let help = |word: &str| {
        let found = found.iter().find(|c| c.text == word);
        found.map(|c| c.help.clone())
    };
    assert_eq!(
        help("ftz").as_deref(),
        Some("flushes subnormal operands and results to zero")
    );
    assert!(help("sat").is_some_and(|help| help.contains("clamps")));
}

fn offered(line: &str, options: &Overrides) -> Vec<String> {
    let source = KERNEL.replace("LINE", line);
    let offset = source.find(line).expect("the line") + line.len();
    complete(&source, &parse(&source), options, offset as u32)
        .into_iter()
        .map(|c| c.text)
        .collect()
}

#[test]
fn completion_offers_only_valid_candidates() {
    let has = |line: &str, wanted: &[&str], unwanted: &[&str]| {
        let found = offered(line, &Overrides::default());
        for word in wanted {
            assert!(
                found.iter().any(|f| f == word),
                "{line}: no {word} in {found:?}"
            );
        }
        for word in unwanted {
            assert!(
                found.iter().all(|f| f != word),
                "{line}: {word} in {found:?}"
            );
        }
    };
    has("    wm", &["wmma"], &["st"]);
    has(
        "    st.",
        &["global", "async", "u32"],
        &["const", "d", "row"],
    );
    has(
        "    st.relaxed.",
        &["gpu", "cta"],
        &["relaxed", "volatile", "cg"],
    );
    has(
        "    st.async.release.",
        &["gpu", "sys"],
        &["cta", "shared::cta", "weak", "v2"],
    );
    has("    wmma.store.", &["d"], &["row", "sync"]);
    has(
        "    wmma.store.d.sync.",
        &["aligned", "row", "m8n8k32"],
        &["sync", "d"],
    );
    has(
        "    wmma.store.d.sync.aligned.row.m8n8k32.",
        &["s32", "global"],
        &["f64", "f16", "m16n16k16"],
    );
    has(
        "    st.global.v4.",
        &["f32", "u8"],
        &["b128", "global", "cta"],
    );
    has("    @", &["%p0", "%p1"], &["%r1", "tile"]);
    has(
        "    st.shared.u32 [",
        &["tile", "%r1", "%rd1"],
        &["out", "%f1"],
    );
    has("    st.global.u32 [", &["%rd1"], &["tile", "%r1"]);
    has(
        "    st.global.f32 [%rd1], ",
        &["%f1", "%r1"],
        &["%p1", "tile"],
    );
    has("    bra D", &["DONE"], &["%r1"]);
}

#[test]
fn completion_offers_directives_targets_and_types() {
    let at_end = |source: &str| {
        let items = complete(
            source,
            &parse(source),
            &Overrides::default(),
            source.len() as u32,
        );
        items.into_iter().map(|item| item.text).collect::<Vec<_>>()
    };
    assert_eq!(at_end(".ver"), ["version"]);
    assert_eq!(at_end(".target sm_90"), ["sm_90a", "sm_90"]);
    assert_eq!(
        at_end(".version 8."),
        [
            "8.8", "8.7", "8.6", "8.5", "8.4", "8.3", "8.2", "8.1", "8.0"
        ]
    );
    assert_eq!(at_end(".address_size "), ["64", "32"]);
    assert_eq!(at_end(".visible .e"), ["entry"]);
    assert_eq!(at_end(".entry k() .maxntid 32 .minn"), ["minnctapersm"]);
    assert_eq!(at_end(".entry k(.param .u6"), ["u64"]);
    let body = ".entry k() {\n.reg .pred %p;\n";
    assert_eq!(at_end(&format!("{body}.re")), ["reg"]);
    assert_eq!(at_end(&format!("{body}.shared .align 16 .b12")), ["b128"]);
    assert_eq!(at_end(&format!("{body}.reg .b32 ")), [] as [&str; 0]);
    assert_eq!(at_end(&format!("{body}ret;\n}}\n.vis")), ["visible"]);
}

#[test]
fn required_version_of_modifier_depends_on_other_modifiers() {
    let options = Overrides {
        version: Version::parse("8.8"),
        ..Overrides::default()
    };
    let needs = |word: &str| {
        let source = KERNEL.replace("LINE", "    st.global.v8.");
        let offset = source.find("st.global.v8.").expect("the line") + "st.global.v8.".len();
        let found = complete(&source, &parse(&source), &options, offset as u32);
        let found = found.into_iter().find(|c| c.text == word).expect("offered");
        found.needs.clone().unwrap_or_default()
    };
    assert_eq!(needs("f32"), "since PTX 8.8, on `sm_100` and later");
    assert!(!needs("b8").contains("8.8"));
    let lines = lines_at(
        &KERNEL.replace(
            "LINE",
            "st.global.v8.f32 [%rd1], {%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1};",
        ),
        "v8.f32",
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("since PTX 8.8, on `sm_100` and later")),
        "{lines:?}"
    );
}

#[test]
fn signature_help_marks_active_operand() {
    let line = "    st.global.u32 [%rd1], ";
    let found = signature(line, line.len() as u32).expect("a form");
    assert_eq!(found.operands, ["a", "b", "cache-policy"]);
    assert_eq!(found.active, Some(1));
}

/// Builds an opcode from the offered words that `choices` selects, until it is complete.
fn spelled(opcode: &str, choices: &[usize], options: &Overrides) -> Option<String> {
    let mut mnemonic = opcode.to_owned();
    for choice in choices {
        let line = format!("{mnemonic}.");
        let parsed = parse(&line);
        let words = complete(&line, &parsed, options, line.len() as u32);
        let types = words
            .iter()
            .filter(|c| c.kind == CompletionItemKind::Type)
            .count();
        if words.is_empty() {
            return (mnemonic != opcode).then_some(mnemonic);
        }
        // Select types at the end, so that the opcode is eventually complete.
        let word = match types > 0 && choice % 3 == 0 {
            true => words
                .iter()
                .filter(|c| c.kind == CompletionItemKind::Type)
                .nth(choice % types)?,
            false => words.get(choice % words.len())?,
        };
        mnemonic.push('.');
        mnemonic.push_str(&word.text);
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn offered_modifiers_are_accepted_by_checker(
        choices in prop::collection::vec(0usize..1000, 14),
        opcode in prop::sample::select(vec!["st", "wmma", "setp"]),
        place in prop::sample::select(vec![("9.5", "sm_100"), ("8.3", "sm_90"), ("7.0", "sm_80"), ("6.2", "sm_70"), ("4.0", "sm_35")]),
    ) {
        let version = place.0.split_once('.').and_then(|(a, b)| Some(Version::new(a.parse().ok()?, b.parse().ok()?)));
        let options = Overrides { version, target: Target::from_name(place.1), ..Overrides::default() };
        if let Some(mnemonic) = spelled(opcode, &choices, &options) {
            let source = format!("{mnemonic};");
            let checked = check(&source, &parse(&source), &options);
            // Operand errors and missing modifiers are irrelevant here.
            let about_words = checked.diagnostics.iter().filter(|d| {
                d.severity == Severity::Error && matches!(d.code, "W0101" | "W0102" | "W0103" | "W0104" | "W0106" | "W0107")
            });
            let reported: Vec<_> = about_words.map(|d| &d.message).collect();
            prop_assert!(reported.is_empty(), "{mnemonic} at {place:?}: {reported:?}");
        }
    }

    #[test]
    fn hover_and_completion_do_not_panic_at_any_offset(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30),
    ) {
        let source: String = pieces.concat();
        let parsed = parse(&source);
        for offset in 0..=source.len() as u32 + 1 {
            let options = Overrides::default();
            if let Some(found) = hover(&source, &parsed, &options, offset) {
                prop_assert!(found.span.start <= offset && offset <= found.span.end);
            }
            complete(&source, &parsed, &options, offset);
            signature(&source, offset);
        }
    }
}

const PIECES: &[&str] = &[
    "st.",
    "global",
    ".u32 ",
    "[%rd1",
    "+4",
    "]",
    ", ",
    "%r1",
    ";",
    "\n",
    "{",
    "}",
    "@%p1 ",
    "L:",
    "wmma.store.d.",
    ".reg .b32 %r<4>;",
    ".visible .entry k(.param .u64 p) ",
    "\u{e9}",
    "\"",
    "/*",
    "//",
    "%tid.x",
    "0x10",
    "_",
    ".",
    ":",
];

#[test]
fn hover_spans_contain_offset_in_compiled_kernels() {
    for (path, source) in crate::support::corpus().into_iter().take(6) {
        let parsed = parse(&source);
        let step = (source.len() / 2000).max(1);
        for offset in (0..source.len() as u32).step_by(step) {
            if let Some(found) = hover(&source, &parsed, &Overrides::default(), offset) {
                let inside = found.span.start <= offset && offset <= found.span.end;
                assert!(inside, "{}: {found:?}", path.display());
            }
        }
    }
}

#[test]
fn each_opcode_is_explained() {
    let explained = |name: &str| match ReferenceDocs::explain(&Ptx, name) {
        Some(Explanation::Opcode(forms)) => !forms.is_empty(),
        Some(Explanation::Instruction { .. }) | None => false,
    };
    let opcodes = PTX.tables.opcodes.iter().copied();
    let missing: Vec<&str> = opcodes.filter(|name| !explained(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let Some(Explanation::Instruction { form, .. }) =
        ReferenceDocs::explain(&Ptx, "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale")
    else {
        panic!("an instruction that does not run");
    };
    assert!(
        form.syntax
            .starts_with("tcgen05.mma.cta_group.kind.block_scale")
    );
    let kinds = form.slots.iter().find(|slot| slot.name == "kind");
    let newest = kinds.and_then(|slot| slot.values.last());
    let needs = newest.map(|value| (value.text.as_str(), value.needs.as_deref()));
    assert_eq!(needs, Some(("kind::mxf4nvf4", Some("since PTX 8.7"))));
}
