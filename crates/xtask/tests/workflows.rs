//! Tests the CI configuration. Every file under `.github` must be valid YAML, and each `cargo xtask` command of a workflow must exist.

use std::path::{Path, PathBuf};
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the content and the name of every YAML file in a directory under `.github`.
fn documents(folder: &str) -> Vec<(String, Yaml)> {
    let files = std::fs::read_dir(root().join(".github").join(folder)).expect("a folder");
    let mut found = Vec::new();
    for file in files {
        let path = file.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let parsed =
            YamlLoader::load_from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(parsed.len(), 1, "{name}: expected one document");
        found.extend(parsed.into_iter().map(|yaml| (name.clone(), yaml)));
    }
    assert!(!found.is_empty(), "no file in .github/{folder}");
    found
}

/// Returns every step of every workflow.
fn steps() -> Vec<(String, Yaml)> {
    let mut found = Vec::new();
    for (name, workflow) in documents("workflows") {
        let jobs = workflow["jobs"].as_hash().expect("jobs").values().cloned();
        for job in jobs {
            let steps = job["steps"].as_vec().expect("steps").clone();
            found.extend(steps.into_iter().map(|step| (name.clone(), step)));
        }
    }
    found
}

#[test]
fn workflow_steps_run_existing_commands() {
    let help = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("help")
        .output()
        .expect("xtask");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let mut seen = Vec::new();
    for (file, step) in steps() {
        let Some(run) = step["run"].as_str() else {
            continue;
        };
        let words: Vec<&str> = run.split_whitespace().collect();
        match words[..] {
            ["cargo", "xtask", command, ref rest @ ..] => {
                assert!(
                    help.contains(&format!("\n  {command} ")),
                    "{file}: no command `{command}`"
                );
                for option in rest.iter().filter(|word| word.starts_with("--")) {
                    assert!(
                        help.contains(option),
                        "{file}: `{command}` has no option {option}"
                    );
                }
                seen.push(command.to_owned());
            }
            [".ci/run"] => assert!(root().join(".ci/run").is_file()),
            ["cargo", "build", ..] | ["gh", ..] | ["git", "config", ..] => {}
            _ => panic!("{file}: `{run}` is no command of the project"),
        }
    }
    assert!(seen.iter().any(|command| command == "build"), "{seen:?}");
    assert!(seen.iter().any(|command| command == "release"), "{seen:?}");
}

#[test]
fn workflow_actions_are_pinned_to_major_version() {
    for (file, step) in steps() {
        let Some(action) = step["uses"].as_str() else {
            continue;
        };
        let is_versioned = action
            .split_once("@v")
            .is_some_and(|(_, version)| version.parse::<u8>().is_ok());
        assert!(is_versioned, "{file}: {action}");
    }
}

#[test]
fn issue_templates_have_required_field() {
    for (name, template) in documents("ISSUE_TEMPLATE") {
        if name == "config.yml" {
            continue;
        }
        let fields = template["body"].as_vec().expect("a body");
        assert!(
            fields
                .iter()
                .any(|field| field["validations"]["required"].as_bool() == Some(true)),
            "{name}"
        );
    }
}
