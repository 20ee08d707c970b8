//! Glossary terms for PTX ISA versions, toolkits, drivers and targets, which state the releases that correspond to each other.

use crate::source::glossary::term;
use warpgrid_isa::release::{RELEASES, Release};
use warpgrid_isa::target::{TARGETS, Target};
use warpgrid_isa::{TargetKind, Version};
use warpgrid_program::TermDoc;

/// Returns the terms of all versions, toolkits, drivers and targets. A term with a table of all versions precedes these terms.
pub(crate) fn terms() -> impl Iterator<Item = TermDoc> {
    let versions = Version::all().map(version);
    let toolkits = RELEASES.iter().filter_map(toolkit);
    let drivers = RELEASES.iter().filter_map(driver);
    [table()]
        .into_iter()
        .chain(versions)
        .chain(toolkits)
        .chain(drivers)
        .chain(TARGETS.iter().map(target))
}

/// Returns a term with a table of all versions. The table has one line per version, the newest version first.
fn table() -> TermDoc {
    let versions: Vec<Version> = Version::all().collect();
    let line = |version: &Version| format!("PTX {version}: {}", support(*version));
    let lines: Vec<String> = versions.iter().rev().map(line).collect();
    let help = format!(
        "Each PTX ISA version is listed with the first toolkit and driver that accept the version, and with the targets that the version adds.\n{}",
        lines.join("\n")
    );
    let aliases = [
        "releases",
        "toolkits",
        "drivers",
        "targets",
        "PTX versions",
        ".version",
        ".target",
    ];
    term("versions", &aliases, help)
}

fn version(version: Version) -> TermDoc {
    let aliases = [
        version.to_string(),
        format!("PTX ISA {version}"),
        format!(".version {version}"),
    ];
    let help = format!(
        "This PTX ISA version was introduced with {}",
        support(version)
    );
    term(&format!("PTX {version}"), &aliases, help)
}

/// Formats the toolkits and drivers that support a version, and the targets that the version adds.
fn support(version: Version) -> String {
    let own = RELEASES.iter().filter(|release| release.version == version);
    let mut names: Vec<String> = own.map(named).collect();
    if names.is_empty() {
        let first = Release::of_version(version).map(named);
        names.extend(first.map(|first| {
            format!("no toolkit, but {first} is the first toolkit that accepts this version")
        }));
    }
    let added = TARGETS.iter().filter(|target| target.since == version);
    let added: Vec<String> = added.map(|target| format!("`{}`", target.name)).collect();
    match added.is_empty() {
        true => format!("{}.", names.join("; ")),
        false => format!("{}. New targets: {}.", names.join("; "), added.join(", ")),
    }
}

/// Formats the name of a release: `CUDA 12.8 (driver r570)`.
fn named(release: &Release) -> String {
    let driver = release.driver.map(|branch| format!("driver r{branch}"));
    match (release.toolkit, driver) {
        ("", driver) => driver.unwrap_or_default(),
        (toolkit, None) => format!("CUDA {toolkit}"),
        (toolkit, Some(driver)) => format!("CUDA {toolkit} ({driver})"),
    }
}

fn toolkit(release: &Release) -> Option<TermDoc> {
    let Release {
        version,
        toolkit,
        driver,
    } = release;
    if toolkit.is_empty() {
        return None;
    }
    let mut aliases = vec![format!("toolkit {toolkit}")];
    // Do not add a toolkit number as an alias if it is also the number of a PTX ISA version, because it then refers to this version.
    let is_version = Version::parse(toolkit).is_some_and(Version::is_known);
    if !is_version {
        aliases.push((*toolkit).to_owned());
    }
    let driver = driver
        .map(|branch| format!(" The driver branch of this toolkit is r{branch}. Older drivers reject PTX of this version."));
    let help = format!(
        "The compiler of this CUDA toolkit writes PTX {version}, and `ptxas` reads PTX up to this version.{}",
        driver.unwrap_or_default()
    );
    Some(term(&format!("CUDA {toolkit}"), &aliases, help))
}

fn driver(release: &Release) -> Option<TermDoc> {
    let branch = release.driver?;
    let aliases = [
        format!("r{branch}"),
        branch.to_string(),
        format!("driver {branch}"),
    ];
    let toolkit = match release.toolkit {
        "" => String::new(),
        toolkit => format!(" of CUDA {toolkit}"),
    };
    let help = format!(
        "This driver branch{toolkit} loads PTX up to version {}. Newer PTX fails with error 222 (unsupported PTX version).",
        release.version
    );
    Some(term(&format!("driver r{branch}"), &aliases, help))
}

fn target(target: &Target) -> TermDoc {
    let number = &target.name["sm_".len()..];
    let aliases = [
        format!("compute_{number}"),
        format!(".target {}", target.name),
    ];
    let sm = target.sm;
    let capability = format!("{}.{}", sm / 10, sm % 10);
    let family = target.family;
    let runs_on = match target.kind {
        TargetKind::Plain => {
            format!("PTX for this target runs on compute capability {capability} and later")
        }
        TargetKind::Architecture => format!(
            "PTX for this target has architecture-specific features and runs only on compute capability {capability}"
        ),
        TargetKind::Family => {
            let of_family = TARGETS.iter().filter(|other| {
                other.family == family && other.sm >= sm && other.kind == TargetKind::Plain
            });
            let capabilities: Vec<String> = of_family
                .map(|other| format!("{}.{}", other.sm / 10, other.sm % 10))
                .collect();
            format!(
                "PTX for this target has family-specific features and runs on compute capability {}",
                capabilities.join(", ")
            )
        }
    };
    let since = Release::of_version(target.since)
        .map(named)
        .unwrap_or_default();
    let limits = target.limits;
    let cluster = match limits.cluster_blocks {
        1 => String::new(),
        n => format!(". A cluster has at most {n} blocks"),
    };
    let help = format!(
        "{runs_on}. The target requires PTX {} or later. This version requires {since} or later. The limits are {} threads per block, {} KiB of shared memory per block, and {} warps per multiprocessor{cluster}.",
        target.since,
        limits.block_threads,
        limits.shared_bytes / 1024,
        limits.warps
    );
    term(target.name, &aliases, help)
}
