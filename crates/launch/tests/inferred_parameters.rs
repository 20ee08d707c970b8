//! Listings that do not declare the parameters of their kernels: the parameters are inferred from constant bank accesses.

use std::fs;
use std::path::Path;
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Returns the inferred values and the number of stores of a pasted listing.
fn paste(source: &str) -> (Vec<String>, usize) {
    let scenario = Scenario {
        source: source.to_owned(),
        front: SourceLanguage::Sass,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{error:?}"));
    session.run(100_000);
    assert_eq!(session.fault(), None);
    let stores = session.events(0, session.position()).len();
    (session.inferred_annotations().to_vec(), stores)
}

fn example() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join("public/examples/machine-code-of-a-kernel.sass"));
    text.expect("an example")
}

#[test]
fn sass_parameters_are_inferred_from_constant_bank_loads() {
    let text = example();
    let stated: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("//@"))
        .collect();
    assert!(!stated.is_empty());
    let bare: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("//@"))
        .collect();
    let (guesses, stores) = paste(&bare.join("\n"));
    assert!(stores > 0, "{guesses:?}");
    let of_parameter = |name: &str| guesses.iter().any(|line| line.contains(name));
    assert!(
        of_parameter("buffer param_0") && of_parameter("scalar param_3"),
        "{guesses:?}"
    );
}

#[test]
fn declared_parameters_suppress_inference() {
    let (guesses, stores) = paste(&example());
    assert!(stores > 0);
    assert!(
        !guesses.iter().any(|line| line.contains("param_")),
        "{guesses:?}"
    );
}

#[test]
fn undeclared_parameters_are_inferred_next_to_declared_one() {
    let text = example();
    let bare: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("//@"))
        .collect();
    let (guesses, stores) = paste(&format!("//@ scalar param_3: s32 = 7\n{}", bare.join("\n")));
    assert!(stores > 0, "{guesses:?}");
    let of_parameter = |name: &str| guesses.iter().any(|line| line.contains(name));
    assert!(
        of_parameter("buffer param_0") && !of_parameter("param_3"),
        "{guesses:?}"
    );
}

#[test]
fn declared_structure_field_suppresses_parameter_inference() {
    let text = example().replace("scalar n: s32", "scalar n+0: s32");
    let (guesses, stores) = paste(&text);
    assert!(stores > 0);
    assert!(
        !guesses.iter().any(|line| line.contains("param_")),
        "{guesses:?}"
    );
}

#[test]
fn sass_buffers_have_the_format_of_the_computations_with_their_elements() {
    let of = |source: &str| {
        let (guesses, _) = paste(source);
        let buffers = guesses.iter().filter(|line| line.contains("//@ buffer "));
        let ty = |line: &String| {
            let (_, rest) = line.split_once(": ")?;
            Some(rest.split('[').next()?.to_owned())
        };
        buffers.filter_map(ty).collect::<Vec<String>>()
    };
    let bare: Vec<String> = example()
        .lines()
        .filter(|line| !line.starts_with("//@"))
        .map(str::to_owned)
        .collect();
    assert_eq!(of(&bare.join("\n")), ["f32", "f32", "f32"]);
    let integers = bare
        .join("\n")
        .replace("FADD R9, R4, R3", "IADD3 R9, R4, R3, RZ");
    assert_eq!(of(&integers), ["u32", "u32", "u32"]);
    for (load, compute, store, ty) in [
        (
            "LDG.E R4, [R2.64]",
            "FFMA R5, R4, R4, R4",
            "STG.E [R6.64], R5",
            "f32",
        ),
        (
            "LDG.E R4, [R2.64]",
            "MUFU.RCP R5, R4",
            "STG.E [R6.64], R5",
            "f32",
        ),
        (
            "LDG.E R4, [R2.64]",
            "HFMA2 R5, R4, R4, R4",
            "STG.E [R6.64], R5",
            "f16",
        ),
        (
            "LDG.E.64 R4, [R2.64]",
            "DFMA R8, R4, R4, R4",
            "STG.E.64 [R6.64], R8",
            "f64",
        ),
        (
            "LDG.E R4, [R2.64]",
            "MOV R9, R4 ;\nFADD R5, R9, R9",
            "STG.E [R6.64], R5",
            "f32",
        ),
        (
            "LDG.E R4, [R2.64]",
            "IMAD R5, R4, R4, R4",
            "STG.E [R6.64], R5",
            "u32",
        ),
    ] {
        let types = of(&format!("{load} ;\n{compute} ;\n{store} ;\n"));
        assert_eq!(types, [ty, ty], "{compute}");
    }
}
