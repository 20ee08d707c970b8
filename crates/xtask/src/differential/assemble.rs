//! An installed assembler and its disassembler. In: kernels; out: their listing.

use super::Result;
use super::files::write;
use super::kernel::{self, Kernel};
use std::path::Path;
use std::process::{Command, Output};

/// How kernels are assembled.
#[derive(Clone, Debug)]
pub(super) struct Build {
    /// `sm_90`
    pub(super) target: String,
    /// `-O3`
    pub(super) level: u8,
}

/// Programs that are there.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    ptxas: String,
    nvdisasm: String,
    pub(super) release: String,
}

impl Tools {
    /// Asks the assembler for its release; the disassembler is beside it unless it is named.
    pub(super) fn find(ptxas: &str, nvdisasm: Option<&str>) -> Result<Tools> {
        let beside = Path::new(ptxas).with_file_name("nvdisasm");
        let nvdisasm =
            nvdisasm.map_or_else(|| beside.to_string_lossy().into_owned(), str::to_owned);
        let output = output(Command::new(ptxas).arg("--version"), ptxas)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split(", V").nth(1);
        let version = version.and_then(|rest| rest.split_whitespace().next());
        let release = version.ok_or_else(|| format!("{ptxas} names no release"))?;
        Ok(Tools {
            ptxas: ptxas.to_owned(),
            release: release.to_owned(),
            nvdisasm,
        })
    }

    /// The kernels that the assembler takes, and their listing. Those that it refuses are counted.
    pub(super) fn assemble_all(
        &self,
        mut kernels: Vec<Kernel>,
        build: &Build,
        file: &Path,
        n_refused: &mut usize,
    ) -> Result<(Vec<Kernel>, Listing)> {
        while !kernels.is_empty() {
            let (text, starts) = kernel::module_of(&kernels, build);
            match self.assemble(&text, build, file)? {
                Ok(listing) => return Ok((kernels, listing)),
                Err(lines) => {
                    // The kernel of each line that it names; without a line it may be any of them.
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

    /// The listing of a module, or the lines that the assembler refuses.
    pub(super) fn assemble(
        &self,
        text: &str,
        build: &Build,
        file: &Path,
    ) -> Result<std::result::Result<Listing, Vec<usize>>> {
        write(file, text)?;
        let cubin = file.with_extension("cubin");
        let mut command = Command::new(&self.ptxas);
        command
            .arg(format!("-O{}", build.level))
            .args(["-arch", &build.target])
            // The manual lets it make `fma` of a product and a sum without a rounding, which has another result ("add").
            .arg("--fmad=false")
            .arg(file)
            .arg("-o")
            .arg(&cubin);
        let assembled = output(&mut command, &self.ptxas)?;
        if !assembled.status.success() {
            let said = String::from_utf8_lossy(&assembled.stderr).into_owned()
                + &String::from_utf8_lossy(&assembled.stdout);
            let line = |message: &str| {
                let (_, rest) = message.split_once(", line ")?;
                rest.split(';').next()?.trim().parse().ok()
            };
            return Ok(Err(said.lines().filter_map(line).collect()));
        }
        // With encodings, which have the payloads of NaNs.
        let mut command = Command::new(&self.nvdisasm);
        let listed = output(command.arg("-hex").arg(&cubin), &self.nvdisasm)?;
        match listed.status.success() {
            true => Ok(Ok(Listing::read(&String::from_utf8_lossy(&listed.stdout)))),
            false => Err(format!(
                "{}: {}",
                self.nvdisasm,
                String::from_utf8_lossy(&listed.stderr).trim()
            )),
        }
    }
}

fn output(command: &mut Command, program: &str) -> Result<Output> {
    command.output().map_err(|e| format!("{program}: {e}"))
}

/// A listing in sections, so that each kernel can be had alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Listing {
    preamble: String,
    /// Names and texts.
    sections: Vec<(String, String)>,
}

impl Listing {
    fn read(text: &str) -> Listing {
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

    /// The listing of one kernel: its own sections, those of its functions, and those of the module.
    pub(super) fn of_kernel(&self, kernel: &str) -> String {
        let is_own = |name: &str| {
            let owner = name.rsplit('.').next().unwrap_or("");
            let of_function = owner.strip_prefix(kernel);
            of_function.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
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

/// `.nv.constant3`, which all kernels read.
fn is_bank(name: &str) -> bool {
    let number = name.strip_prefix(".nv.constant");
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
