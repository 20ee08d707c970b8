//! Runs subprocesses. For each subprocess, the module prints one progress line with the duration, and prints the captured output if the
//! subprocess fails.

use std::ffi::OsStr;
use std::fmt;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Result whose error is a sentence that states the cause and a remedy.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// Interval between the progress lines of a long step, if the output is not a terminal.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// Exit status and output of a process. The output interleaves standard output and standard error.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    pub(crate) status: ExitStatus,
    pub(crate) transcript: String,
}

/// Returns the root directory of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest_directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest_directory
        .ancestors()
        .nth(2)
        .unwrap_or(manifest_directory)
        .to_path_buf()
}

/// Creates a command that runs in the repository root. The function removes the variables that the outer cargo sets for the package
/// `xtask`, since build scripts watch these variables and would rerun needlessly.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Creates a command that runs the same cargo executable as the outer cargo command.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Title of a step, and the expected duration if the step is long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepLabel<'a> {
    what: &'a str,
    duration: Option<&'a str>,
}

impl<'a> StepLabel<'a> {
    /// Creates the title of a long step. `duration` states the approximate duration, and the factors that the duration depends on.
    pub(crate) fn lasting(what: &'a str, duration: &'a str) -> StepLabel<'a> {
        StepLabel {
            what,
            duration: Some(duration),
        }
    }

    /// Returns the text that is printed before the step starts.
    fn announce(&self) -> String {
        match self.duration {
            Some(duration) => format!("{}: {duration}", self.what),
            None => self.what.to_string(),
        }
    }
}

impl<'a, T: AsRef<str> + ?Sized> From<&'a T> for StepLabel<'a> {
    fn from(what: &'a T) -> StepLabel<'a> {
        StepLabel {
            what: what.as_ref(),
            duration: None,
        }
    }
}

impl fmt::Display for StepLabel<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.what)
    }
}

/// Runs a program to completion and prints one progress line. If the program fails, the function returns an error with the transcript.
pub(crate) fn step<'a>(
    title: impl Into<StepLabel<'a>>,
    command: &mut Command,
) -> Result<ProcessOutput> {
    let title = title.into();
    let outcome = observe(title, command)?;
    if outcome.status.success() {
        return Ok(outcome);
    }
    let for_people = |line: &&str| !line.starts_with('{');
    eprintln!(
        "{}",
        outcome
            .transcript
            .lines()
            .filter(for_people)
            .collect::<Vec<_>>()
            .join("\n")
    );
    Err(format!("{title} failed ({})", describe(command)))
}

/// Runs a program to completion and prints one progress line, independently of the exit status.
pub(crate) fn observe<'a>(
    title: impl Into<StepLabel<'a>>,
    command: &mut Command,
) -> Result<ProcessOutput> {
    let mut progress = Progress::start(title.into());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    let (sender, receiver) = channel();
    let readers = [
        child
            .stdout
            .take()
            .map(|pipe| read_lines(pipe, sender.clone())),
        child.stderr.take().map(|pipe| read_lines(pipe, sender)),
    ];
    let mut transcript = String::new();
    loop {
        match receiver.recv_timeout(HEARTBEAT) {
            Ok(line) => {
                progress.line(&line);
                transcript.push_str(&line);
                transcript.push('\n');
            }
            Err(RecvTimeoutError::Timeout) => progress.heartbeat(),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    for reader in readers.into_iter().flatten() {
        // A reader thread ends when its pipe closes. If a reader thread panicked, its output is lost.
        let _ = reader.join();
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    progress.end(status.success());
    Ok(ProcessOutput { status, transcript })
}

/// Runs a program without a progress line and returns its standard output. Returns `None` if the program is missing or fails.
pub(crate) fn capture_stdout(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program that inherits the terminal. Returns whether the program succeeds.
pub(crate) fn run_interactive(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .map_err(|error| cannot_start(command, &error))?;
    Ok(status.success())
}

/// Returns the path of the first file with this name on the search path.
pub(crate) fn find_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// Returns the search path, preceded by additional directories.
pub(crate) fn path_with(folders: &[PathBuf]) -> std::ffi::OsString {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&old));
    std::env::join_paths(all).unwrap_or(old)
}

/// Formats a duration, as in `0.4 s`, `12.0 s` or `3 min 05 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    let whole_seconds = duration.as_secs();
    if whole_seconds < 100 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {:02} s", whole_seconds / 60, whole_seconds % 60)
    }
}

fn read_lines(pipe: impl Read + Send + 'static, sender: Sender<String>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        for line in BufReader::new(pipe)
            .split(b'\n')
            .map_while(|line| line.ok())
        {
            let text = String::from_utf8_lossy(&line)
                .trim_end_matches('\r')
                .to_string();
            if sender.send(text).is_err() {
                return;
            }
        }
    })
}

fn cannot_start(command: &Command, error: &std::io::Error) -> String {
    format!(
        "cannot start `{}`: {error}",
        command.get_program().to_string_lossy()
    )
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Progress line on standard error. The line contains the title and the current activity, and finally the duration. If the output is not a
/// terminal, an additional line is printed before a long step.
struct Progress {
    title: String,
    announcement: String,
    started: Instant,
    spoke: Instant,
    last: String,
    terminal: bool,
}

impl Progress {
    fn start(title: StepLabel<'_>) -> Progress {
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        let progress = Progress {
            title: title.to_string(),
            announcement: title.announce(),
            started: now,
            spoke: now,
            last: String::new(),
            terminal,
        };
        if !terminal && title.duration.is_some() {
            eprintln!("  {}", progress.announcement);
        }
        progress.repaint();
        progress
    }

    fn line(&mut self, line: &str) {
        // Lines with JSON messages are intended for programs, so that the progress line omits these lines.
        if !line.trim().is_empty() && !line.starts_with('{') {
            self.last = plain(line);
        }
        if self.terminal {
            if self.spoke.elapsed() > Duration::from_millis(80) {
                self.spoke = Instant::now();
                self.repaint();
            }
        } else {
            self.heartbeat();
        }
    }

    fn heartbeat(&mut self) {
        if !self.terminal && self.spoke.elapsed() >= HEARTBEAT {
            self.spoke = Instant::now();
            eprintln!(
                "  ... {} ({}) {}",
                self.title,
                seconds(self.started.elapsed()),
                self.last
            );
        }
    }

    fn repaint(&self) {
        if self.terminal {
            let tail: String = self.last.chars().take(60).collect();
            eprint!("\r\x1b[K  {:<46} {tail}", self.announcement);
            // A failed flush only delays the output of the progress line.
            let _ = std::io::stderr().flush();
        }
    }

    fn end(self, good: bool) {
        let duration = self.started.elapsed();
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        let mark = if good { "" } else { "  FAILED" };
        eprintln!(
            "{clear}  {:<46} {:>12}{mark}",
            self.title,
            seconds(duration)
        );
    }
}

/// Returns a line without its escape sequences and without surrounding whitespace.
pub(crate) fn plain(line: &str) -> String {
    let mut out = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\x1b' {
            // The loop skips all characters up to the letter that ends the escape sequence.
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else if !character.is_control() {
            out.push(character);
        }
    }
    out.trim().to_string()
}

/// Reads a file as text.
pub(crate) fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns the files below a directory, except files and directories with one of the ignored names. The function does not follow symbolic
/// links.
pub(crate) fn files_below(folder: &Path, ignored: &[&str]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let error = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            let kind = entry.file_type().map_err(error)?;
            let is_ignored = ignored.iter().any(|name| entry.file_name() == *name);
            match (kind.is_dir(), kind.is_file()) {
                _ if is_ignored => {}
                (true, _) => folders.push(entry.path()),
                (_, true) => files.push(entry.path()),
                _ => {}
            }
        }
    }
    Ok(files)
}

/// Writes a text to a file.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::{StepLabel, plain, seconds};
    use std::time::Duration;

    #[test]
    fn durations_are_formatted_as_seconds_or_minutes() {
        assert_eq!(seconds(Duration::from_millis(420)), "0.4 s");
        assert_eq!(seconds(Duration::from_secs(185)), "3 min 05 s");
    }

    #[test]
    fn step_label_announces_title_and_duration() {
        let title = StepLabel::lasting("compiling the page", "about 80 s");
        assert_eq!(title.announce(), "compiling the page: about 80 s");
        assert_eq!(title.to_string(), "compiling the page");
        assert_eq!(StepLabel::from("bundling").announce(), "bundling");
    }

    #[test]
    fn plain_strips_ansi_escapes() {
        assert_eq!(
            plain("\x1b[1m\x1b[32m   Compiling\x1b[0m x\r"),
            "Compiling x"
        );
    }
}
