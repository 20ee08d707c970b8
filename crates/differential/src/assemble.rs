//! Invokes an installed assembler and disassembler to convert kernels to a SASS listing.

use crate::Result;
use crate::batch::{Rejection, RejectionKind};
use crate::files::{TempDir, write};
use crate::kernel::{self, Kernel};
use crate::run::refused_lines;
use crate::threads::lock;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
pub use warpgrid_isa::Version;
use warpgrid_isa::release::RELEASES;

/// Options for the assembly of a batch of kernels.
#[derive(Clone, Debug)]
pub struct AssemblyOptions {
    /// Name of the target architecture, such as `sm_90`.
    pub target: String,
    /// Optimization level of the assembler, such as 3 for `-O3`.
    pub level: u8,
    /// PTX ISA version of the module.
    pub ptx_version: Version,
    /// Whether the assembler generates debug information, which disables optimization.
    pub debug: bool,
    pub form: Form,
}

/// Disassembler program and options that produce a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `nvdisasm -hex`: the listing contains instruction encodings, which include the payloads of NaNs.
    Encodings,
    /// `nvdisasm` without options: the listing contains all sections without instruction encodings.
    Plain,
    /// `nvdisasm -c`: the listing contains only code sections.
    Code,
    /// `nvdisasm -g`: the listing contains line information.
    Lines,
    /// `cuobjdump -sass`: the listing contains instructions with their encodings, but no data sections.
    Instructions,
}

impl Form {
    /// Listing forms from which the generator selects. `Encodings` is repeated because the other forms omit data.
    pub const ALL: &'static [Form] = &[
        Form::Encodings,
        Form::Encodings,
        Form::Encodings,
        Form::Plain,
        Form::Code,
        Form::Lines,
        Form::Instructions,
    ];

    /// Returns whether the listing contains the initial values of variables.
    pub(crate) const fn has_data(self) -> bool {
        !matches!(self, Form::Code | Form::Instructions)
    }

    /// Returns whether the listing contains instruction encodings.
    pub(crate) const fn has_encodings(self) -> bool {
        matches!(self, Form::Encodings | Form::Instructions)
    }
}

/// Version of generated modules if the caller specifies no version.
pub const DEFAULT_PTX_VERSION: Version = Version::new(9, 0);

impl AssemblyOptions {
    /// Returns the command-line arguments of the assembler without the names of the files.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![
            format!("-O{}", self.level),
            format!("-arch={}", self.target),
            // By default, the assembler may contract a product and a sum into `fma`, which rounds once and has a different result (PTX ISA,
            // "add").
            "--fmad=false".to_owned(),
        ];
        arguments.extend(self.debug.then(|| "-g".to_owned()));
        arguments
    }
}

impl fmt::Display for AssemblyOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let debug = if self.debug { " -g" } else { "" };
        write!(
            f,
            "{} -O{}{debug}, {:?}",
            self.target, self.level, self.form
        )
    }
}

/// Installed assembler and disassembler.
#[derive(Clone, Debug)]
pub struct AssemblerTools {
    ptxas: PathBuf,
    nvdisasm: PathBuf,
    cuobjdump: PathBuf,
    /// Release of the assembler, such as `13.5.37`.
    pub release: String,
    /// Time limit of one invocation of the assembler or disassembler.
    time_limit: Duration,
    /// Listings of the latest cubins. The candidates of a reduction often have the same code, and the startup of the disassembler takes
    /// longer than the other steps of a comparison.
    listings: Arc<Mutex<VecDeque<CachedListing>>>,
}

/// Maximum number of cached listings.
const MAX_CACHED_LISTINGS: usize = 32;

#[derive(Clone, Debug)]
struct CachedListing {
    form: Form,
    cubin: Vec<u8>,
    listing: Listing,
}

/// Default time limit of one invocation of the assembler or disassembler.
pub const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Result of the assembly of a module.
#[derive(Clone, Debug)]
pub enum AssemblyOutcome {
    Assembled(Listing),
    /// The assembler reports errors.
    Rejected(Vec<AssemblerError>),
    /// The assembler or the disassembler crashes or exceeds its time limit. The message describes the failure.
    Failed(String),
}

/// Error message of the assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblerError {
    /// 1-based line of the module, if the message contains a line.
    pub line: Option<usize>,
    pub message: String,
}

impl AssemblerError {
    /// Parses a message such as `ptxas k.ptx, line 7; error   : …`.
    fn parse(text: &str) -> Option<AssemblerError> {
        let (place, message) = text
            .split_once("error   : ")
            .or_else(|| text.split_once("fatal   : "))?;
        let line = place.split_once(", line ").and_then(|(_, rest)| {
            let number = rest.split(';').next()?;
            number.trim().parse().ok()
        });
        Some(AssemblerError {
            line,
            message: message.to_owned(),
        })
    }
}

impl AssemblerTools {
    /// Queries the release of the assembler. By default, the disassembler is the `nvdisasm` in the directory of the assembler.
    pub fn find(
        ptxas: &Path,
        nvdisasm: Option<&Path>,
        time_limit: Duration,
    ) -> Result<AssemblerTools> {
        let beside =
            |name: &str| ptxas.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let nvdisasm = nvdisasm.map_or_else(|| beside("nvdisasm"), Path::to_path_buf);
        let folder = TempDir::new("release")?;
        let mut command = Command::new(ptxas);
        let output = run_with_limit(command.arg("--version"), &folder.file(0), time_limit)?;
        let version = output.text.split(", V").nth(1);
        let version = version.and_then(|rest| rest.split_whitespace().next());
        let release =
            version.ok_or_else(|| format!("`{} --version` prints no release", ptxas.display()))?;
        Ok(AssemblerTools {
            ptxas: ptxas.to_owned(),
            release: release.to_owned(),
            cuobjdump: nvdisasm
                .with_file_name(format!("cuobjdump{}", std::env::consts::EXE_SUFFIX)),
            nvdisasm,
            time_limit,
            listings: Arc::default(),
        })
    }

    /// Returns the PTX ISA version of the toolkit to which the assembler belongs, or `None` if the toolkit is unknown.
    pub fn ptx_version(&self) -> Option<Version> {
        let mut numbers = self.release.split('.');
        let toolkit = format!("{}.{}", numbers.next()?, numbers.next()?);
        let mut releases = RELEASES.iter();
        let found = releases.find(|release| release.toolkit == toolkit);
        found.map(|release| release.version)
    }

    /// Returns the targets of a PTX ISA version that the assembler and the checker support.
    pub fn supported_targets<'t>(
        &self,
        targets: &[&'t str],
        ptx_version: Version,
    ) -> Result<Vec<&'t str>> {
        let folder = TempDir::new("targets")?;
        let mut supported = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            let build = AssemblyOptions {
                target: (*target).to_owned(),
                level: 0,
                ptx_version,
                debug: false,
                form: Form::Encodings,
            };
            let (module, _) = kernel::module_of(&[], &build);
            if !refused_lines(&module).is_empty() {
                continue;
            }
            match self.run_assembler(&module, &build, &folder.file(number))? {
                Ok(_) => supported.push(*target),
                Err(AssemblyOutcome::Failed(reason)) => {
                    return Err(format!("{reason} for a module without kernels"));
                }
                Err(_) => {}
            }
        }
        Ok(supported)
    }

    /// Assembles the kernels and returns the accepted kernels with their listing. The function removes the other kernels and appends them to
    /// `rejected`.
    pub(crate) fn assemble_all(
        &self,
        mut kernels: Vec<Kernel>,
        build: &AssemblyOptions,
        file: &Path,
        rejected: &mut Vec<Rejection>,
    ) -> Result<(Vec<Kernel>, Listing)> {
        while !kernels.is_empty() {
            let (text, starts) = kernel::module_of(&kernels, build);
            match self.assemble(&text, build, file)? {
                AssemblyOutcome::Assembled(listing) => return Ok((kernels, listing)),
                AssemblyOutcome::Rejected(errors) => {
                    // The code maps each reported line to its kernel. If the assembler reports no line, any kernel may be the cause, so
                    // that all kernels are rejected.
                    let kernel_at = |line: usize| {
                        starts
                            .partition_point(|start| *start <= line)
                            .checked_sub(1)
                    };
                    let mut by_kernel: BTreeMap<usize, Vec<String>> = BTreeMap::new();
                    for error in &errors {
                        if let Some(index) = error.line.and_then(kernel_at) {
                            by_kernel
                                .entry(index)
                                .or_default()
                                .push(error.message.clone());
                        }
                    }
                    if by_kernel.is_empty() {
                        let messages: Vec<String> =
                            errors.into_iter().map(|error| error.message).collect();
                        by_kernel = (0..kernels.len())
                            .map(|index| (index, messages.clone()))
                            .collect();
                    }
                    for (index, messages) in by_kernel.into_iter().rev() {
                        rejected.push(Rejection {
                            kernel: kernels.remove(index),
                            kind: RejectionKind::Rejected(messages),
                        });
                    }
                }
                AssemblyOutcome::Failed(reason) if kernels.len() == 1 => {
                    rejected.push(Rejection {
                        kernel: kernels.remove(0),
                        kind: RejectionKind::Failed(reason),
                    });
                }
                AssemblyOutcome::Failed(_) => {
                    // The message of a failure does not name the kernel. Each half is assembled separately, and the kernels without a
                    // failure are then assembled together.
                    let second = kernels.split_off(kernels.len() / 2);
                    let (mut accepted, _) = self.assemble_all(kernels, build, file, rejected)?;
                    let (others, _) = self.assemble_all(second, build, file, rejected)?;
                    accepted.extend(others);
                    let (text, _) = kernel::module_of(&accepted, build);
                    return match self.assemble(&text, build, file)? {
                        AssemblyOutcome::Assembled(listing) => Ok((accepted, listing)),
                        // The failure depends on several kernels, so that none of the kernels is compared.
                        AssemblyOutcome::Rejected(_) | AssemblyOutcome::Failed(_) => {
                            Ok((Vec::new(), Listing::default()))
                        }
                    };
                }
            }
        }
        Ok((Vec::new(), Listing::default()))
    }

    /// Assembles and disassembles a module. `file` is the path of the temporary PTX file. The error describes a program that cannot be
    /// started.
    pub fn assemble(
        &self,
        text: &str,
        build: &AssemblyOptions,
        file: &Path,
    ) -> Result<AssemblyOutcome> {
        let cubin = match self.run_assembler(text, build, file)? {
            Ok(cubin) => cubin,
            Err(outcome) => return Ok(outcome),
        };
        let bytes = std::fs::read(&cubin).map_err(|e| format!("{}: {e}", cubin.display()))?;
        let is_same = |cached: &&CachedListing| cached.form == build.form && cached.cubin == bytes;
        let cached = self.with_listings(|listings| {
            let cached = listings.iter().find(is_same);
            cached.map(|cached| cached.listing.clone())
        });
        if let Some(listing) = cached {
            return Ok(AssemblyOutcome::Assembled(listing));
        }
        let listing = match self.disassemble(build.form, &cubin)? {
            Ok(listing) => listing,
            Err(reason) => return Ok(AssemblyOutcome::Failed(reason)),
        };
        self.with_listings(|listings| {
            listings.truncate(MAX_CACHED_LISTINGS - 1);
            listings.push_front(CachedListing {
                form: build.form,
                cubin: bytes,
                listing: listing.clone(),
            });
        });
        Ok(AssemblyOutcome::Assembled(listing))
    }

    fn with_listings<R>(&self, change: impl FnOnce(&mut VecDeque<CachedListing>) -> R) -> R {
        change(&mut lock(&self.listings))
    }

    /// Disassembles a cubin, and returns the listing or the failure of the disassembler.
    fn disassemble(
        &self,
        form: Form,
        cubin: &Path,
    ) -> Result<std::result::Result<Listing, String>> {
        let log = cubin.with_extension("log");
        let (program, options): (&Path, &[&str]) = match form {
            Form::Encodings => (&self.nvdisasm, &["-hex"]),
            Form::Plain => (&self.nvdisasm, &[]),
            Form::Code => (&self.nvdisasm, &["-c"]),
            Form::Lines => (&self.nvdisasm, &["-g"]),
            Form::Instructions => (&self.cuobjdump, &["-sass"]),
        };
        let mut command = Command::new(program);
        let listed = run_with_limit(command.args(options).arg(cubin), &log, self.time_limit)?;
        let name = program.file_stem().unwrap_or_default().display();
        Ok(match listed.end {
            ProcessEnd::Exited(status) if status.success() => Ok(Listing::read(&listed.text)),
            ProcessEnd::Exited(status) => {
                Err(format!("{name} fails ({status}): {}", listed.text.trim()))
            }
            ProcessEnd::TimedOut => {
                let seconds = self.time_limit.as_secs();
                Err(format!("{name} does not end within {seconds} s"))
            }
        })
    }

    /// Assembles a module, and returns the path of the cubin or the reason why the assembler generates none.
    fn run_assembler(
        &self,
        text: &str,
        build: &AssemblyOptions,
        file: &Path,
    ) -> Result<std::result::Result<PathBuf, AssemblyOutcome>> {
        write(file, text)?;
        let cubin = file.with_extension("cubin");
        let log = file.with_extension("log");
        let mut command = Command::new(&self.ptxas);
        command
            .args(build.arguments())
            .arg(file)
            .arg("-o")
            .arg(&cubin);
        let assembled = run_with_limit(&mut command, &log, self.time_limit)?;
        match assembled.end {
            ProcessEnd::TimedOut => {
                let seconds = self.time_limit.as_secs();
                return Ok(Err(AssemblyOutcome::Failed(format!(
                    "the assembler does not end within {seconds} s"
                ))));
            }
            ProcessEnd::Exited(status) => {
                let errors: Vec<AssemblerError> = assembled
                    .text
                    .lines()
                    .filter_map(AssemblerError::parse)
                    .collect();
                let is_internal = |error: &AssemblerError| error.message.contains("nternal");
                // The assembler rejects a module with status 255 or 1. Other values indicate signals and internal failures.
                if !matches!(status.code(), Some(0 | 1 | 255)) || errors.iter().any(is_internal) {
                    let message = errors.first().map(|error| format!(": {}", error.message));
                    return Ok(Err(AssemblyOutcome::Failed(format!(
                        "the assembler crashes ({status}){}",
                        message.unwrap_or_default()
                    ))));
                }
                if !status.success() {
                    return Ok(Err(AssemblyOutcome::Rejected(errors)));
                }
            }
        }
        Ok(Ok(cubin))
    }
}

/// Output of a finished process: standard output and standard error together.
struct ProcessOutput {
    end: ProcessEnd,
    text: String,
}

enum ProcessEnd {
    Exited(ExitStatus),
    /// The process exceeded its time limit and was killed.
    TimedOut,
}

/// Interval between two queries for the end of a process.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Runs a process with a time limit. The process writes its output to the file `log`, because a full pipe without a reader would block the
/// process.
fn run_with_limit(command: &mut Command, log: &Path, limit: Duration) -> Result<ProcessOutput> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let program = PathBuf::from(command.get_program());
    let file = File::create(log).map_err(|error| failed(log, error))?;
    let again = file.try_clone().map_err(|error| failed(log, error))?;
    command.stdin(Stdio::null()).stdout(file).stderr(again);
    let mut child = command.spawn().map_err(|error| failed(&program, error))?;
    let start = Instant::now();
    let end = loop {
        if let Some(status) = child.try_wait().map_err(|error| failed(&program, error))? {
            break ProcessEnd::Exited(status);
        }
        if start.elapsed() > limit {
            // The process may already have exited, so that an error of `kill` is harmless.
            let _ = child.kill();
            let _ = child.wait();
            break ProcessEnd::TimedOut;
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    let bytes = std::fs::read(log).map_err(|error| failed(log, error))?;
    Ok(ProcessOutput {
        end,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

/// Text that precedes the name of a function in the output of `cuobjdump -sass`.
const FUNCTION: &str = "\t\tFunction : ";

/// Listing that is split into sections, so that the sections of one kernel can be extracted.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    preamble: String,
    /// Names and contents of the sections, in the order of the listing.
    sections: Vec<(String, String)>,
}

impl Listing {
    fn read(text: &str) -> Listing {
        if let Some((preamble, functions)) = text.split_once(FUNCTION) {
            // In the output of `cuobjdump`, each function begins with its name.
            let functions = functions.split(FUNCTION).map(|part| {
                let name = part.split_whitespace().next().unwrap_or("");
                (format!(".text.{name}"), format!("{FUNCTION}{part}"))
            });
            return Listing {
                preamble: preamble.to_owned(),
                sections: functions.collect(),
            };
        }
        let mut parts = text.split("//---------------------");
        let preamble = parts.next().unwrap_or("").to_owned();
        let sections = parts.map(|part| {
            let name = part.split_whitespace().next().unwrap_or("");
            (name.to_owned(), format!("//---------------------{part}"))
        });
        Listing {
            preamble,
            sections: sections.collect(),
        }
    }

    /// Returns the whole listing.
    pub fn text(&self) -> String {
        let sections = self.sections.iter().map(|(_, text)| text.as_str());
        std::iter::once(self.preamble.as_str())
            .chain(sections)
            .collect()
    }

    /// Returns the listing of one kernel, which consists of the sections of the kernel, of its functions, and of the module.
    pub fn of_kernel(&self, kernel: &str) -> String {
        let is_own = |name: &str| {
            let owner = name.rsplit('.').next().unwrap_or("");
            // The names of a kernel and of its functions start with `k` and a number. Library functions belong to all kernels.
            match owner
                .strip_prefix('k')
                .and_then(|rest| rest.split('_').next())
            {
                Some(number) if number.parse::<usize>().is_ok() => {
                    kernel.strip_prefix('k') == Some(number)
                }
                _ => name.starts_with(".text."),
            }
        };
        let is_shared =
            |name: &str| name == ".nv.info" || name.starts_with(".nv.global") || is_bank(name);
        let own = self.sections.iter();
        let own = own.filter(|(name, _)| is_own(name) || is_shared(name));
        let texts = own.map(|(_, text)| text.as_str());
        std::iter::once(self.preamble.as_str())
            .chain(texts)
            .collect()
    }
}

/// Checks whether a section is a constant bank such as `.nv.constant3`, which all kernels read.
fn is_bank(name: &str) -> bool {
    let number = name.strip_prefix(".nv.constant");
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
