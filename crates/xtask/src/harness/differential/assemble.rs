//! Invokes an installed assembler and disassembler to convert kernels to a SASS listing.

use super::Result;
use super::kernel::{self, Kernel};
use crate::files::write;
use std::fmt;
use std::path::Path;
use std::process::{Command, Output};

/// Options for the assembly of a batch of kernels.
#[derive(Clone, Debug)]
pub(super) struct AssemblyOptions {
    /// Name of the target architecture, such as `sm_90`.
    pub(super) target: String,
    /// Optimization level of the assembler, such as 3 for `-O3`.
    pub(super) level: u8,
    /// Whether the assembler generates debug information, which disables optimization.
    pub(super) debug: bool,
    pub(super) form: Form,
}

/// Disassembler program and options that produce a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
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
    pub(super) const ALL: &'static [Form] = &[
        Form::Encodings,
        Form::Encodings,
        Form::Encodings,
        Form::Plain,
        Form::Code,
        Form::Lines,
        Form::Instructions,
    ];

    /// Returns whether the listing contains the initial values of variables.
    pub(super) const fn has_data(self) -> bool {
        !matches!(self, Form::Code | Form::Instructions)
    }

    /// Returns whether the listing contains instruction encodings.
    pub(super) const fn has_encodings(self) -> bool {
        matches!(self, Form::Encodings | Form::Instructions)
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
pub(super) struct AssemblerTools {
    ptxas: String,
    nvdisasm: String,
    cuobjdump: String,
    pub(super) release: String,
}

impl AssemblerTools {
    /// Queries the release of the assembler. By default, the disassembler is the `nvdisasm` in the directory of the assembler.
    pub(super) fn find(ptxas: &str, nvdisasm: Option<&str>) -> Result<AssemblerTools> {
        let beside = Path::new(ptxas).with_file_name("nvdisasm");
        let nvdisasm =
            nvdisasm.map_or_else(|| beside.to_string_lossy().into_owned(), str::to_owned);
        let output = output(Command::new(ptxas).arg("--version"), ptxas)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split(", V").nth(1);
        let version = version.and_then(|rest| rest.split_whitespace().next());
        let release = version.ok_or_else(|| format!("{ptxas} names no release"))?;
        Ok(AssemblerTools {
            ptxas: ptxas.to_owned(),
            release: release.to_owned(),
            cuobjdump: Path::new(&nvdisasm)
                .with_file_name("cuobjdump")
                .to_string_lossy()
                .into_owned(),
            nvdisasm,
        })
    }

    /// Assembles the kernels and returns the accepted kernels with their listing. The function removes and counts the rejected kernels.
    pub(super) fn assemble_all(
        &self,
        mut kernels: Vec<Kernel>,
        build: &AssemblyOptions,
        file: &Path,
        n_refused: &mut usize,
    ) -> Result<(Vec<Kernel>, Listing)> {
        while !kernels.is_empty() {
            let (text, starts) = kernel::module_of(&kernels, build);
            match self.assemble(&text, build, file)? {
                Ok(listing) => return Ok((kernels, listing)),
                Err(lines) => {
                    // The code maps each reported line to its kernel. If the assembler reports no line, any kernel may be the cause, so
                    // that all kernels are rejected.
                    let kernel_at =
                        |line: &usize| starts.partition_point(|start| start <= line).checked_sub(1);
                    let mut refused: Vec<usize> = lines.iter().filter_map(kernel_at).collect();
                    refused.sort_unstable();
                    refused.dedup();
                    if refused.is_empty() {
                        refused = (0..kernels.len()).collect();
                    }
                    *n_refused += refused.len();
                    for index in refused.into_iter().rev() {
                        kernels.remove(index);
                    }
                }
            }
        }
        Ok((Vec::new(), Listing::default()))
    }

    /// Returns the listing of a module, or the lines that the assembler rejects.
    pub(super) fn assemble(
        &self,
        text: &str,
        build: &AssemblyOptions,
        file: &Path,
    ) -> Result<std::result::Result<Listing, Vec<usize>>> {
        write(file, text)?;
        let cubin = file.with_extension("cubin");
        let mut command = Command::new(&self.ptxas);
        command
            .arg(format!("-O{}", build.level))
            .args(["-arch", &build.target])
            // By default, the assembler may contract a product and a sum into `fma`, which rounds once and has a different result (PTX ISA,
            // "add").
            .arg("--fmad=false")
            .args(build.debug.then_some("-g"))
            .arg(file)
            .arg("-o")
            .arg(&cubin);
        let assembled = output(&mut command, &self.ptxas)?;
        if !assembled.status.success() {
            let messages = String::from_utf8_lossy(&assembled.stderr).into_owned()
                + &String::from_utf8_lossy(&assembled.stdout);
            let line = |message: &str| {
                let (_, rest) = message.split_once(", line ")?;
                rest.split(';').next()?.trim().parse().ok()
            };
            return Ok(Err(messages.lines().filter_map(line).collect()));
        }
        let (program, options): (&str, &[&str]) = match build.form {
            Form::Encodings => (&self.nvdisasm, &["-hex"]),
            Form::Plain => (&self.nvdisasm, &[]),
            Form::Code => (&self.nvdisasm, &["-c"]),
            Form::Lines => (&self.nvdisasm, &["-g"]),
            Form::Instructions => (&self.cuobjdump, &["-sass"]),
        };
        let mut command = Command::new(program);
        let listed = output(command.args(options).arg(&cubin), program)?;
        let text = String::from_utf8_lossy(&listed.stdout);
        match listed.status.success() {
            true => Ok(Ok(Listing::read(&text))),
            false => Err(format!(
                "{program}: {}",
                String::from_utf8_lossy(&listed.stderr).trim()
            )),
        }
    }
}

fn output(command: &mut Command, program: &str) -> Result<Output> {
    command.output().map_err(|e| format!("{program}: {e}"))
}

/// Text that precedes the name of a function in the output of `cuobjdump -sass`.
const FUNCTION: &str = "\t\tFunction : ";

/// Listing that is split into sections, so that the sections of one kernel can be extracted.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
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

    /// Returns the listing of one kernel, which consists of the sections of the kernel, of its functions, and of the module.
    pub(super) fn of_kernel(&self, kernel: &str) -> String {
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
