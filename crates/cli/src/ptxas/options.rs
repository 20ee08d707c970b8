//! Options of `ptxas`: the table of all options, their syntax and their validation (assembler 13.5).

use std::path::Path;
use warpgrid_view::assembler::CodeArchitecture;

/// Option of `ptxas`.
#[derive(Debug)]
pub(super) struct OptionDescription {
    /// Name after `--`.
    pub(super) name: &'static str,
    /// Name after `-`.
    short: &'static str,
    value: ValueKind,
    /// Effect of the option, or an empty text for an option that only affects generated machine code.
    effect: &'static str,
}

/// Syntax of the value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    /// The option has no value.
    None,
    /// Any text.
    Text,
    /// List of texts. Repeated options extend the list.
    List,
    Number,
    /// Number that may directly follow the short name, as in `-O3`.
    AttachedNumber,
    /// `true` or `false`.
    Boolean,
    /// Number, `archmax` or `archmin`.
    RegisterLimit,
    /// One of these texts, which may directly follow the short name, as in `-m64`.
    Choice(&'static [&'static str]),
    /// Name of an architecture.
    Architecture,
}

const fn option(
    name: &'static str,
    short: &'static str,
    value: ValueKind,
    effect: &'static str,
) -> OptionDescription {
    OptionDescription {
        name,
        short,
        value,
        effect,
    }
}

/// All options in the order of their names. Assembler 13.5 accepts `regAllocOptLevel` without documentation.
#[rustfmt::skip]
static OPTIONS: &[OptionDescription] = &[
    option("Ofast-compile",                  "Ofc",                            ValueKind::Choice(&["0", "min", "mid", "max"]), ""),
    option("allow-expensive-optimizations",  "allow-expensive-optimizations",  ValueKind::Boolean, ""),
    option("apply-controls",                 "apply-controls",                 ValueKind::Text, ""),
    option("compile-as-tools-patch",         "astoolspatch",                   ValueKind::None, ""),
    option("compile-only",                   "c",                              ValueKind::None, "Write a relocatable object."),
    option("compiler-annotations",           "annotate",                       ValueKind::None, ""),
    option("def-load-cache",                 "dlcm",                           ValueKind::Text, ""),
    option("def-store-cache",                "dscm",                           ValueKind::Text, ""),
    option("device-debug",                   "g",                              ValueKind::None, ""),
    option("device-function-maxrregcount",   "func-maxrregcount",              ValueKind::RegisterLimit, ""),
    option("device-stack-protector",         "device-stack-protector",         ValueKind::Boolean, ""),
    option("disable-optimizer-constants",    "disable-optimizer-consts",       ValueKind::None, ""),
    option("disable-warnings",               "w",                              ValueKind::None, "Suppress all warnings."),
    option("dont-merge-basicblocks",         "no-bb-merge",                    ValueKind::None, ""),
    option("enable-func-clone-sc",           "enable-func-clone-sc",           ValueKind::Boolean, ""),
    option("entry",                          "e",                              ValueKind::List, "Require a kernel with this name. The option is repeatable."),
    option("extensible-whole-program",       "ewp",                            ValueKind::None, ""),
    option("fmad",                           "fmad",                           ValueKind::Boolean, ""),
    option("force-load-cache",               "flcm",                           ValueKind::Text, ""),
    option("force-store-cache",              "fscm",                           ValueKind::Text, ""),
    option("g-tensor-memory-access-check",   "g-tmem-access-check",            ValueKind::None, ""),
    option("generate-line-info",             "lineinfo",                       ValueKind::None, ""),
    option("gno-fabric-access-check",        "gno-fabric-access-check",        ValueKind::None, ""),
    option("gno-tensor-memory-access-check", "gno-tmem-access-check",          ValueKind::None, ""),
    option("gpu-name",                       "arch",                           ValueKind::Architecture, "Architecture of the generated code, such as `sm_90a` (default: `sm_75`). For a virtual architecture, such as `compute_90`, the command only checks the modules."),
    option("help",                           "h",                              ValueKind::None, "Print this help."),
    option("input-as-string",                "ias",                            ValueKind::List, "Assemble this text instead of a file."),
    option("jobserver",                      "jobserver",                      ValueKind::None, ""),
    option("legacy-bar-warp-wide-behavior",  "legacy-bar-warp-wide-behavior",  ValueKind::None, ""),
    option("list-arch",                      "arch-ls",                        ValueKind::None, "Print the architecture numbers."),
    option("list-version",                   "version-ls",                     ValueKind::None, "Print the PTX ISA versions."),
    option("machine",                        "m",                              ValueKind::Choice(&["64"]), ""),
    option("make-errors-visible-at-exit",    "make-errors-visible-at-exit",    ValueKind::None, ""),
    option("maxntid",                        "maxntid",                        ValueKind::List, ""),
    option("maxrregcount",                   "maxrregcount",                   ValueKind::RegisterLimit, ""),
    option("minnctapersm",                   "minnctapersm",                   ValueKind::Number, ""),
    option("opt-level",                      "O",                              ValueKind::AttachedNumber, ""),
    option("optimize-float-atomics",         "opt-fp-atomics",                 ValueKind::None, ""),
    option("options-file",                   "optf",                           ValueKind::List, "Read options from this file."),
    option("output-file",                    "o",                              ValueKind::Text, "Name of the object (default: `elf.o`)."),
    option("override-directive-values",      "override-directive-values",      ValueKind::None, ""),
    option("position-independent-code",      "pic",                            ValueKind::Boolean, ""),
    option("preserve-relocs",                "preserve-relocs",                ValueKind::None, ""),
    option("regAllocOptLevel",               "regAllocOptLevel",               ValueKind::Number, ""),
    option("register-usage-level",           "regUsageLevel",                  ValueKind::Number, ""),
    option("return-at-end",                  "ret-end",                        ValueKind::None, ""),
    option("sanitize",                       "sanitize",                       ValueKind::Choice(&["memcheck", "threadsteer"]), ""),
    option("sp-bounds-check",                "sp-bounds-check",                ValueKind::None, ""),
    option("split-compile",                  "split-compile",                  ValueKind::Number, ""),
    option("suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning", ValueKind::None, ""),
    option("suppress-debug-info",            "suppress-debug-info",            ValueKind::None, ""),
    option("suppress-double-demote-warning", "suppress-double-demote-warning", ValueKind::None, ""),
    option("suppress-position-independent-code-warning", "suppress-position-independent-code-warning", ValueKind::None, ""),
    option("suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", ValueKind::None, ""),
    option("suppress-stack-size-warning",    "suppress-stack-size-warning",    ValueKind::None, ""),
    option("verbose",                        "v",                              ValueKind::None, "Print the names of the kernels, and notes of the check."),
    option("verbose2",                       "v2",                             ValueKind::None, "Equivalent to `--verbose`."),
    option("version",                        "V",                              ValueKind::None, "Print the version."),
    option("warn-on-double-precision-use",   "warn-double-usage",              ValueKind::None, ""),
    option("warn-on-local-memory-usage",     "warn-lmem-usage",                ValueKind::None, ""),
    option("warn-on-spills",                 "warn-spills",                    ValueKind::None, ""),
    option("warning-as-error",               "Werror",                         ValueKind::None, "Treat all warnings as errors."),
];

/// Parsed command line of `ptxas`.
#[derive(Debug, Default)]
pub(super) struct ParsedOptions {
    /// Options with their values in the order of the command line. The value of an option without a value is empty.
    values: Vec<(&'static OptionDescription, String)>,
    /// Input files. `-` selects standard input.
    pub(super) files: Vec<String>,
    /// Names of options with several different values, of which the last value applies.
    pub(super) redefined: Vec<&'static str>,
}

/// Maximum number of nested options files, so that an options file that includes itself is an error.
const MAX_NESTED_FILES: u32 = 16;

impl ParsedOptions {
    /// Parses the arguments of the command. The error is a message of the assembler.
    pub(super) fn parse(arguments: Vec<String>) -> Result<ParsedOptions, String> {
        let mut parsed = ParsedOptions::default();
        parsed.extend(arguments, MAX_NESTED_FILES)?;
        Ok(parsed)
    }

    /// Checks whether the command line contains an option, which the table must list.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.last(name).is_some()
    }

    /// Returns the last value of an option.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    /// Returns all values of an option.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let own = self
            .values
            .iter()
            .filter(move |(option, _)| option.name == name);
        own.map(|(_, value)| value.as_str())
    }

    fn extend(&mut self, arguments: Vec<String>, n_nested: u32) -> Result<(), String> {
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let Some((option, attached)) = split(&argument)? else {
                self.files.push(argument);
                continue;
            };
            let value = match (option.value, attached) {
                (ValueKind::None, None) => String::new(),
                (ValueKind::None, Some(_)) => {
                    let name = argument.split('=').next().unwrap_or_default();
                    return Err(format!("no argument expected after '{name}'"));
                }
                (_, Some(value)) => value.to_owned(),
                // `-O` without a level is valid.
                (ValueKind::AttachedNumber, None) if !argument.starts_with("--") => {
                    self.values.push((option, String::new()));
                    continue;
                }
                (_, None) => arguments
                    .next()
                    .ok_or_else(|| format!("argument expected after '{argument}'"))?,
            };
            option.validate(&value)?;
            if option.name == "options-file" {
                let n_nested = n_nested.checked_sub(1);
                let text = n_nested.zip(std::fs::read_to_string(Path::new(&value)).ok());
                let (n_nested, text) =
                    text.ok_or_else(|| format!("Could not open options file '{value}'"))?;
                self.extend(words(&text), n_nested)?;
                continue;
            }
            let is_single = option.value != ValueKind::List;
            if is_single && self.last(option.name).is_some_and(|last| last != value) {
                self.redefined.push(option.name);
            }
            self.values.push((option, value));
        }
        Ok(())
    }
}

/// Splits an argument into the option and the value that the argument contains. Returns `None` for the name of an input file.
fn split(argument: &str) -> Result<Option<(&'static OptionDescription, Option<&str>)>, String> {
    let Some(text) = argument.strip_prefix('-').filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let unknown = || format!("Unknown option '{name}'");
    if let Some(long) = name.strip_prefix('-') {
        let option = OPTIONS.iter().find(|option| option.name == long);
        return Ok(Some((option.ok_or_else(unknown)?, value)));
    }
    if let Some(option) = OPTIONS.iter().find(|option| option.short == name) {
        return Ok(Some((option, value)));
    }
    let attached = OPTIONS.iter().find_map(|option| {
        let may_follow = option.short.len() == 1
            && matches!(
                option.value,
                ValueKind::AttachedNumber | ValueKind::Choice(_)
            );
        let value = text.strip_prefix(option.short).filter(|_| may_follow)?;
        Some((option, Some(value)))
    });
    attached.map(Some).ok_or_else(unknown)
}

impl OptionDescription {
    /// Returns an error if a value is invalid.
    fn validate(&self, value: &str) -> Result<(), String> {
        let is_number = || value.parse::<i64>().is_ok();
        let is_limit = || is_number() || matches!(value, "archmax" | "archmin");
        let name = self.name;
        match self.value {
            ValueKind::None | ValueKind::Text | ValueKind::List => Ok(()),
            ValueKind::Number | ValueKind::AttachedNumber if is_number() => Ok(()),
            ValueKind::Number | ValueKind::AttachedNumber => {
                Err(format!("'{value}': expected a number"))
            }
            ValueKind::Boolean if matches!(value, "true" | "false") => Ok(()),
            ValueKind::Boolean => Err(format!("'{value}': expected true or false")),
            ValueKind::RegisterLimit if is_limit() => Ok(()),
            ValueKind::RegisterLimit => Err(format!("Invalid value '{value}' for option '{name}'")),
            ValueKind::Choice(choices) if choices.contains(&value) => Ok(()),
            ValueKind::Architecture if CodeArchitecture::from_name(value).is_some() => Ok(()),
            ValueKind::Choice(_) | ValueKind::Architecture => Err(format!(
                "Value '{value}' is not defined for option '{name}'"
            )),
        }
    }

    /// Formats the names of the option and its value.
    fn usage(&self) -> String {
        let value = match self.value {
            ValueKind::None => String::new(),
            ValueKind::Text => " <text>".to_owned(),
            ValueKind::List => " <text>,...".to_owned(),
            ValueKind::Number | ValueKind::AttachedNumber => " <N>".to_owned(),
            ValueKind::Boolean => " <true|false>".to_owned(),
            ValueKind::RegisterLimit => " <archmax/archmin/N>".to_owned(),
            ValueKind::Choice(choices) => format!(" <{}>", choices.join("|")),
            ValueKind::Architecture => " <architecture>".to_owned(),
        };
        format!("--{}{value} (-{})", self.name, self.short)
    }
}

/// Splits the text of an options file at white space. A word in double quotes can contain white space.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for character in text.chars() {
        match character {
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            _ if character.is_whitespace() && !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// Returns the text of `--help`.
pub(super) fn help() -> String {
    let mut text = "Usage: ptxas [options] <ptx file>...\n\n\
        Checks PTX modules with the decisions of ptxas, and writes an object that contains the PTX instead of\n\
        machine code. `warpgrid run` executes the object. `-` reads standard input.\n\nOptions:\n"
        .to_owned();
    let with_effect = OPTIONS.iter().filter(|option| !option.effect.is_empty());
    for option in with_effect {
        text += &format!("  {}\n        {}\n", option.usage(), option.effect);
    }
    text += "\nOptions of ptxas for the generation of machine code, which have no effect:\n";
    for option in OPTIONS.iter().filter(|option| option.effect.is_empty()) {
        text += &format!("  {}\n", option.usage());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_names_are_unique_and_sorted() {
        assert!(OPTIONS.is_sorted_by_key(|option| option.name));
        for (index, option) in OPTIONS.iter().enumerate() {
            let mut others = OPTIONS.iter().skip(index + 1);
            assert!(
                others.all(|other| other.short != option.short),
                "{option:?}"
            );
        }
    }

    #[test]
    fn options_file_is_split_at_white_space_outside_quotes() {
        assert_eq!(
            words("-arch=sm_80  \"-v\"\n-o \"a b.o\" \"\"\n"),
            ["-arch=sm_80", "-v", "-o", "a b.o", ""]
        );
    }
}
