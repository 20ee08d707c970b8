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
