//! Implements `cargo xtask release`, which publishes the crates and the npm package or performs a dry run. The command also builds the
//! Python wheel, and creates the archives and the notes of a release.

use crate::arguments::Arguments;
use crate::editors;
use crate::package;
use crate::project_urls::ProjectUrls;
use crate::python;
use crate::setup::npm;
use crate::shell::{self, Result, read};
use std::path::PathBuf;

/// Version of all crates in the workspace.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs `cargo xtask release` with at most one of its switches.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let tag = arguments.option("--check")?;
    let archive = arguments.option("--archive")?;
    let (notes, dry_run, verify) = (
        arguments.switch("--notes"),
        arguments.switch("--dry-run"),
        arguments.switch("--verify"),
    );
    arguments.done()?;
    match (tag, archive, notes, dry_run) {
        (Some(tag), None, false, false) => check(&tag)?,
        (None, Some(name), false, false) => println!("  {}", pack_command(&name)?.display()),
        (None, None, true, false) => println!("{}", section(&changelog()?)?),
        (None, None, false, true) => {
            section(&changelog()?)?;
            try_crates(verify)?;
            try_package()?;
            println!("  {}", python::wheel()?.display());
            println!("  {}", editors::pack_extension()?.display());
            editors::try_grammar()?;
        }
        (None, None, false, false) => publish()?,
        _ => {
            return Err(
                "`release` requires exactly one of --dry-run, --check TAG, --archive NAME and --notes"
                    .to_owned(),
            );
        }
    }
    Ok(true)
}

/// Checks whether a release may have the given tag. The tag must match the version of the workspace, CHANGELOG.md must contain a section
/// for this version, and the URLs of the project must be configured.
fn check(tag: &str) -> Result<()> {
    if tag != format!("v{VERSION}") {
        return Err(format!(
            "found the tag {tag}, expected v{VERSION} according to the version in Cargo.toml"
        ));
    }
    section(&changelog()?)?;
    let address = ProjectUrls::of_project()?;
    if address.site.is_empty() || address.repository.is_empty() {
        return Err("`homepage` and `repository` are missing in Cargo.toml: set both fields before a release, because the packages contain these URLs".to_owned());
    }
    Ok(())
}

/// Packages the published crates with their dependencies in the form that the registry receives. If `verify` is set, the function also
/// compiles each crate from its package.
pub(crate) fn try_crates(verify: bool) -> Result<()> {
    let mut command = shell::cargo();
    // The packages contain the uncommitted changes of the working tree.
    command.args([
        "publish",
        "--workspace",
        "--dry-run",
        "--allow-dirty",
        "--locked",
    ]);
    if !verify {
        command.arg("--no-verify");
    }
    shell::step("packing the crates", &mut command).map(drop)
}

/// Packs the npm package in the form that the registry receives.
pub(crate) fn try_package() -> Result<()> {
    let package = package::built()?;
    npm::packages()?;
    let mut command = shell::command("npm");
    command.args(["pack", "--dry-run"]).arg(package);
    shell::step("packing the npm package", &mut command).map(drop)
}

/// Publishes the crates and the npm package.
fn publish() -> Result<()> {
    check(&format!("v{VERSION}"))?;
    let package = package::built()?;
    shell::step(
        "publishing the crates",
        shell::cargo().args(["publish", "--workspace", "--locked"]),
    )?;
    let mut command = shell::command("npm");
    command.args(["publish", "--access", "public"]).arg(package);
    shell::step("publishing the npm package", &mut command).map(drop)
}

/// Packs the executable of `cargo build --release` with the README and the licenses as `warpgrid-VERSION-NAME.tar.gz`. Returns the path of
/// the archive.
fn pack_command(name: &str) -> Result<PathBuf> {
    let root = shell::root();
    let program = root
        .join("target/release")
        .join(format!("warpgrid{}", std::env::consts::EXE_SUFFIX));
    let folder = format!("warpgrid-{VERSION}-{name}");
    let file = root.join("target/archive").join(format!("{folder}.tar.gz"));
    std::fs::create_dir_all(root.join("target/archive"))
        .map_err(|error| format!("target/archive: {error}"))?;
    let write = || -> std::io::Result<()> {
        let packed = flate2::write::GzEncoder::new(
            std::fs::File::create(&file)?,
            flate2::Compression::best(),
        );
        let mut archive = tar::Builder::new(packed);
        for path in [
            program.clone(),
            root.join("README.md"),
            root.join("LICENSE-MIT"),
            root.join("LICENSE-APACHE"),
        ] {
            let name = path.file_name().unwrap_or_default();
            archive.append_path_with_name(&path, PathBuf::from(&folder).join(name))?;
        }
        archive.into_inner()?.finish().map(drop)
    };
    if !program.is_file() {
        return Err(
            "the command is not built: run `cargo build --release --locked --package warpgrid` first"
                .to_owned(),
        );
    }
    write().map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(file)
}

fn changelog() -> Result<String> {
    read(&shell::root().join("CHANGELOG.md"))
}

/// Returns the section of CHANGELOG.md for the workspace version.
fn section(changelog: &str) -> Result<String> {
    let title = format!("## {VERSION}");
    let mut lines = changelog
        .lines()
        .skip_while(|line| !line.starts_with(&title));
    lines
        .next()
        .ok_or_else(|| format!("CHANGELOG.md has no section `{title}`"))?;
    let text: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    Ok(text.join("\n").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_notes_are_changelog_section_of_version() {
        let text = format!(
            "# Changelog\n\n## Unreleased\n\nnew\n\n## {VERSION} (2026-01-01)\n\nfirst\n\n## 0.0.1\n\nold\n"
        );
        assert_eq!(section(&text).expect("a section"), "first");
        assert!(section("# Changelog\n\n## Unreleased\n").is_err());
    }

    #[test]
    fn tag_not_matching_version_is_rejected() {
        let error = check("v99.0.0").expect_err("another version");
        assert!(error.contains(&format!("expected v{VERSION}")), "{error}");
    }

    #[test]
    fn changelog_has_nonempty_section_for_version() {
        let notes = section(&changelog().expect("CHANGELOG.md")).expect("a section");
        assert!(!notes.is_empty());
    }
}
