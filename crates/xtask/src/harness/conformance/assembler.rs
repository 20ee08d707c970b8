//! Invokes an installed assembler on a module and parses the decision of the assembler.

use super::Result;
use super::case::VerdictCase;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use warpgrid_differential::files::write;

/// Decision of the assembler on a module.
#[derive(Clone, Debug)]
pub(super) enum AssemblerVerdict {
    Said {
        accept: bool,
        messages: Vec<String>,
    },
    /// The assembler crashed, or exceeded the time limit.
    Crashed,
}

/// Installed reference assembler.
#[derive(Clone, Debug)]
pub(super) struct Assembler {
    program: String,
    pub(super) release: String,
}

/// Time limit of one assembler invocation.
const TIMEOUT: Duration = Duration::from_secs(20);

impl Assembler {
    /// Locates the assembler and queries its release number.
    pub(super) fn find(program: &str) -> Result<Assembler> {
        let output = Command::new(program)
            .arg("--version")
            .output()
            .map_err(|e| format!("{program}: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text
            .split(", V")
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next());
        let release = version.ok_or_else(|| format!("{program} prints no release"))?;
        Ok(Assembler {
            program: program.to_owned(),
            release: release.to_owned(),
        })
    }

    /// Writes the module to `file` and returns the decision of the assembler. A complete module is assembled as relocatable code, so that
    /// its functions follow the ABI.
    pub(super) fn ask(&self, case: &VerdictCase, file: &Path) -> Result<AssemblerVerdict> {
        write(file, &case.module())?;
        if case.source.is_empty() {
            return self.run(case, file, &[]);
        }
        let verdict = self.run(case, file, &["-c"])?;
        match &verdict {
            AssemblerVerdict::Said { messages, .. }
                if messages.iter().any(|m| m.contains("ABI")) =>
            {
                self.run(case, file, &[])
            }
            AssemblerVerdict::Said { .. } | AssemblerVerdict::Crashed => Ok(verdict),
        }
    }

    fn run(&self, case: &VerdictCase, file: &Path, options: &[&str]) -> Result<AssemblerVerdict> {
        let log = file.with_extension("txt");
        let stderr = File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let mut child = Command::new(&self.program)
            .args(options)
            .args(["-arch", &architecture(case)])
            .arg(file)
            .args(["-o", if cfg!(windows) { "NUL" } else { "/dev/null" }])
            .stdout(Stdio::null())
            .stderr(stderr)
            .spawn()
            .map_err(|e| format!("{}: {e}", self.program))?;
        let start = Instant::now();
        let status = loop {
            let status = child.try_wait().map_err(|e| e.to_string())?;
            if let Some(status) = status {
                break status;
            }
            if start.elapsed() > TIMEOUT {
                // The process may already have exited, so that an error of `kill` is harmless.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(AssemblerVerdict::Crashed);
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        // The assembler rejects a module with status 255 or 1. Other values indicate signals and internal failures.
        if !matches!(status.code(), Some(0 | 1 | 255)) {
            return Ok(AssemblerVerdict::Crashed);
        }
        let bytes = std::fs::read(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let messages = text
            .lines()
            .filter(|line| !line.contains("aborted due to errors"))
            .filter_map(|line| {
                line.split_once("error   : ")
                    .or_else(|| line.split_once("fatal   : "))
            })
            .map(|(_, message)| message.to_owned());
        Ok(AssemblerVerdict::Said {
            accept: status.success(),
            messages: messages.collect(),
        })
    }
}

/// Checks whether the release rejects the whole module because of its version, target or 32-bit addresses, or because of an internal
/// failure.
pub(super) fn cannot_say(messages: &[String]) -> bool {
    const REFUSALS: &[&str] = &[
        "Unsupported .version",
        "is not defined for option",
        "32-Bit compilation is no longer supported",
        "32-Bit ABI",
        "not supported in .version",
        // These messages report linker errors, which do not concern a single module.
        "'Compile only(-c)' requires",
        "Unresolved extern variable",
        "requires command line option",
        // The assembler fails to allocate registers for the parameters of a function with `.abi_preserve`: 11 words overlap with the return
        // address, but 13 words do not overlap.
        "overlap with return address",
        "Parameter register ",
        // The assembler parses debug sections as DWARF, although PTX has no such rule.
        "Dwarf version",
        "dwarf version",
        "Malformed .debug",
        "Invalid abbrev offset",
        "Dereference Out of Bounds",
        "Checked Data was Invalid",
        "Attempted to truncate larger",
        // The assembler reports this failure for modules with millions of variables.
        "Memory allocation failure",
        // The assembler reports its own crash with these messages.
        "nternal compiler error",
        "nternal error",
    ];
    let is_of_debug_data =
        |message: &str| message.starts_with("label '") && message.ends_with("' invalid");
    messages.iter().any(|message| {
        let mut refusals = REFUSALS.iter();
        refusals.any(|refusal| message.contains(refusal)) || is_of_debug_data(message)
    })
}

/// Returns the target for code generation, which is the latest target of the module without its target options, or the oldest target that
/// the assembler supports.
fn architecture(case: &VerdictCase) -> String {
    let module = without_comments(&case.module());
    let words = module.split(".target").skip(1).flat_map(|rest| {
        let words = rest.split(|c: char| c.is_whitespace() || c == ',');
        words.take_while(|word| !word.starts_with('.'))
    });
    let names = words.filter_map(|word| word.strip_prefix("sm_").or(word.strip_prefix("compute_")));
    let number = |name: &&str| -> u32 {
        let digits = name.trim_end_matches(['a', 'f']);
        digits.parse().unwrap_or(0)
    };
    match names.max_by_key(number) {
        Some(name) if number(&name) >= 75 => format!("sm_{name}"),
        _ => "sm_75".to_owned(),
    }
}

/// Returns a source without comments.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        let (before, comment) = rest.split_at(start);
        code.push_str(before);
        let end = match comment.starts_with("//") {
            true => comment.find('\n'),
            false => comment.find("*/").map(|end| end + 2),
        };
        rest = end.and_then(|end| comment.get(end..)).unwrap_or("");
    }
    code + rest
}

/// Appends text to the end of a file.
pub(super) fn append(path: &Path, text: &str) -> Result<()> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .create(true)
        .append(true)
        .open(path)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn without_comments_preserves_target_directive() {
        let text = ".target // c\n sm_90 /* .target sm_80 */\n.entry";
        assert_eq!(without_comments(text), ".target \n sm_90 \n.entry");
    }
}
