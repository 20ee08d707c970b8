//! Reads the URLs of the project. The URLs are the fields `homepage` and `repository` of the workspace, or the environment variables that
//! override these fields. The module also writes the README lines and the `package.json` fields that contain the URLs.

use crate::shell::{self, Result, read, write};
use std::process::Command;

/// URLs of the project. A URL is empty if the operator has not configured this URL.
pub(crate) struct ProjectUrls {
    /// URL of the published site, with a trailing slash.
    pub(crate) site: String,
    /// URL of the source repository, without a trailing slash.
    pub(crate) repository: String,
}

/// Environment variables that override `homepage` and `repository` of `Cargo.toml` for one build.
const SITE: &str = "WARPGRID_SITE";
const REPOSITORY: &str = "WARPGRID_REPOSITORY";

impl ProjectUrls {
    /// Reads both URLs from the environment variables. If a variable is not set, the URL is read from the workspace manifest. Each URL must
    /// be empty or start with `https://` or `http://`.
    pub(crate) fn of_project() -> Result<ProjectUrls> {
        let site = value(SITE, env!("CARGO_PKG_HOMEPAGE"))?;
        let repository = value(REPOSITORY, env!("CARGO_PKG_REPOSITORY"))?;
        let slash = if site.is_empty() { "" } else { "/" };
        Ok(ProjectUrls {
            site: format!("{}{slash}", site.trim_end_matches('/')),
            repository: repository.trim_end_matches('/').to_owned(),
        })
    }

    /// Sets both environment variables of a command. Scripts that build the site and crates that print links read these variables.
    pub(crate) fn lend(&self, command: &mut Command) {
        command
            .env(SITE, &self.site)
            .env(REPOSITORY, &self.repository);
    }

    /// Returns the `homepage` and `repository` fields of `package.json`, each with a trailing comma. Unset URLs are omitted.
    pub(crate) fn manifest(&self) -> String {
        let fields = [("homepage", &self.site), ("repository", &self.repository)];
        let set = fields.iter().filter(|(_, value)| !value.is_empty());
        set.map(|(name, value)| format!("  \"{name}\": \"{value}\",\n"))
            .collect()
    }

    /// Returns the README lines between the two markers.
    fn lines(&self) -> String {
        match (self.site.as_str(), self.repository.as_str()) {
            ("", "") => "\n".to_owned(),
            (site, "") => format!(
                "\n**[Open the playground]({site})** · [documents]({site}docs/guide.html)\n\n"
            ),
            ("", repository) => format!("\n[Sources]({repository})\n\n"),
            (site, repository) => format!(
                "\n**[Open the playground]({site})** · [documents]({site}docs/guide.html) · [sources]({repository}) · [releases]({repository}/releases)\n\n"
            ),
        }
    }
}

fn value(variable: &str, default: &str) -> Result<String> {
    let value = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
    if value.is_empty() || value.starts_with("https://") || value.starts_with("http://") {
        return Ok(value);
    }
    Err(format!(
        "the variable {variable} is `{value}`, expected a URL with `https://`, or an empty value"
    ))
}

const BEGIN: &str = "<!-- address: `cargo xtask ready` writes these lines from Cargo.toml -->";
const END: &str = "<!-- /address -->";

/// Returns the README with updated link lines. Returns an error if a marker is missing.
fn readme(text: &str, address: &ProjectUrls) -> Result<String> {
    let marks = text
        .split_once(BEGIN)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = marks.ok_or("README.md lacks the comments that enclose the address")?;
    Ok(format!("{before}{BEGIN}\n{}{END}{after}", address.lines()))
}

/// Updates the link lines of the README with the URLs in `Cargo.toml`.
pub(crate) fn write_readme() -> Result<()> {
    let file = shell::root().join("README.md");
    write(&file, &readme(&read(&file)?, &ProjectUrls::of_project()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readme_urls_match_manifest() {
        let file = shell::root().join("README.md");
        let text = read(&file).expect("README.md");
        let stated = ProjectUrls {
            site: env!("CARGO_PKG_HOMEPAGE").to_owned(),
            repository: env!("CARGO_PKG_REPOSITORY").to_owned(),
        };
        let expected = readme(&text, &stated).expect("marks");
        assert!(
            text == expected,
            "run `cargo xtask ready`: the address in Cargo.toml has changed"
        );
    }

    #[test]
    fn manifest_and_readme_derive_from_project_urls() {
        let address = ProjectUrls {
            site: "https://warpgrid.example/".to_owned(),
            repository: "https://code.example/warpgrid".to_owned(),
        };
        assert!(
            address
                .manifest()
                .contains("\"homepage\": \"https://warpgrid.example/\",\n")
        );
        let text = readme(&format!("# Title\n{BEGIN}\nold\n{END}\nrest"), &address).expect("marks");
        assert!(
            text.contains("(https://warpgrid.example/docs/guide.html)"),
            "{text}"
        );
        assert!(text.ends_with("rest") && !text.contains("old"), "{text}");
        let none = ProjectUrls {
            site: String::new(),
            repository: String::new(),
        };
        assert_eq!(none.manifest(), "");
    }
}
