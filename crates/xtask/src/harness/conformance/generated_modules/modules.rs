//! Generates complete modules with directives, declarations, prototypes, initializers, calls, debug sections, and varying order and scope.
//! The same seed yields the same modules. In some modules, one line or one word is mutated.
//!
//! The generator uses few names, so that declarations are repeated, shadowed, and referenced before their declaration.

use super::super::case::VerdictCase;
use warpgrid_differential::random::SplitMix64;
use warpgrid_isa::{Target, Version, target::TARGETS};

const NAMES: &[&str] = &["a", "b", "f", "g", "k", "s", "t"];
const LINKAGES: &[&str] = &[
    "",
    "",
    "",
    "",
    ".visible ",
    ".extern ",
    ".weak ",
    ".common ",
];
const SPACES: &[&str] = &[
    ".global", ".global", ".global", ".const", ".shared", ".local", ".param", ".reg",
];
const TYPES: &[&str] = &[
    ".u8",
    ".b8",
    ".s16",
    ".u16",
    ".b16",
    ".u32",
    ".u32",
    ".b32",
    ".s32",
    ".f32",
    ".u64",
    ".u64",
    ".b64",
    ".f64",
    ".b128",
    ".f16",
    ".f16x2",
    ".pred",
    ".texref",
    ".samplerref",
    ".surfref",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "1",
    "2",
    "3",
    "4",
    "4",
    "8",
    "16",
    "32",
    "255",
    "256",
    "1024",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "0x10",
    "017",
    "0b11",
    "4U",
    "-1",
    "WARP_SZ",
    "1.0",
];
const VALUES: &[&str] = &[
    "0",
    "1",
    "-1",
    "0x1F",
    "4294967296",
    "1.0",
    "-2.5",
    "0f3F800000",
    "0d3FF0000000000000",
    "(1+2)*3",
    "1<2?3:4",
    "~0",
    "!1",
    "a",
    "b",
    "g",
    "t",
    "f",
    "k",
    "g+4",
    "g-4",
    "generic(g)",
    "generic(g)+4",
    "0xFF(g)",
    "0xFF00(g+4)",
    "0xFF2(g)",
    "0xFF(4)",
    "{}",
    "{1}",
    "{1,2}",
    "{1,2,3,4,5}",
    "{{1},{2}}",
    "{g,0}",
    "{generic(g),g+8}",
    "{width=1}",
    "{filter_mode=linear, addr_mode_0=-1}",
    "{1.0,2.0}",
    "WARP_SZ",
    "(.u64)1",
    "nosuch",
    "\"text\"",
];
const ATTRIBUTES: &[&str] = &[
    ".managed",
    ".unified(1,2)",
    ".managed, .unified(3,4)",
    ".unified(1)",
];
/// Words that mutations insert in place of other words.
const WORDS: &[&str] = &[
    ".visible",
    ".extern",
    ".weak",
    ".common",
    ".global",
    ".const",
    ".shared",
    ".local",
    ".param",
    ".reg",
    ".u32",
    ".b64",
    ".f32",
    ".pred",
    ".b8",
    ".texref",
    ".v2",
    ".v4",
    ".align",
    ".ptr",
    ".func",
    ".entry",
    ".alias",
    ".pragma",
    ".file",
    ".loc",
    ".section",
    ".target",
    ".version",
    ".address_size",
    ".maxntid",
    ".reqntid",
    ".noreturn",
    ".abi_preserve",
    ".callprototype",
    ".calltargets",
    ".branchtargets",
    ".attribute",
    "_",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "=",
    "+",
    "-",
    "1",
    "0",
    "4294967296",
    "a",
    "f",
    "k",
    "r1",
    "rd1",
    "\"x\"",
    "# 3 \"x\"\n",
    "#",
    "\\",
    "// c\n",
    "/* c */",
    "sm_80",
    "debug",
];

/// Generates the module with the number `index`.
pub(super) fn module(index: usize, random: &mut SplitMix64) -> VerdictCase {
    let mut text = ModuleText {
        random,
        lines: Vec::new(),
        version: Version::NEWEST,
    };
    text.module();
    let mut lines = text.lines;
    let n_changes = random.below(6);
    for _ in 0..n_changes.saturating_sub(3) {
        change(&mut lines, random);
    }
    VerdictCase {
        id: format!("module-fresh-{index}"),
        family: "module".to_owned(),
        group: "fresh".to_owned(),
        source: lines.join("\n") + "\n",
        ..VerdictCase::default()
    }
}

/// Checks whether a module is excluded from the comparison. A source without a header is a snippet for Warpgrid. The assembler also has two
/// behaviors that cannot be expressed as rules. The assembler applies a `.target` directive within a body to the following code as if the
/// directive were in the header, and the assembler computes a wrapped size for an array of 2^31 elements or more.
pub(super) fn is_left_out(case: &VerdictCase) -> bool {
    let mut inner = case.source.lines().skip_while(|line| !line.contains('{'));
    let sizes = case.source.split('[').skip(1);
    let mut numbers = sizes.map(|size| size.split(']').next().unwrap_or("").trim());
    let is_huge = |text: &str| text.parse::<u128>().is_ok_and(|size| size >= 1 << 31);
    let is_snippet = !case.source.contains(".version") && !case.source.contains(".target");
    is_snippet || inner.any(|line| line.contains(".target")) || numbers.any(is_huge)
}

/// Mutates one line or one word of the module.
fn change(lines: &mut Vec<String>, random: &mut SplitMix64) {
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    let Some(line) = lines.get(at).cloned() else {
        return;
    };
    match random.below(10) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(other, line),
        2 => lines.swap(at, other),
        3 => {
            lines.remove(at);
            lines.insert(other.min(lines.len()), line);
        }
        kind => {
            let mut words = words(&line);
            let (at, other) = (random.below(words.len()), random.below(words.len()));
            let word = random.pick(WORDS).copied().unwrap_or("").to_owned();
            match (kind, at < words.len()) {
                (_, false) => return,
                (4, _) => drop(words.remove(at)),
                (5, _) => words.swap(at, other),
                (6, _) => words.insert(at, word),
                (_, _) => words[at] = word,
            }
            if let Some(line) = lines.iter_mut().find(|known| **known == line) {
                *line = words.join(" ");
            }
        }
    }
}

/// Splits a line into names, numbers, string literals and punctuation.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_open = false;
    let mut is_text = false;
    for letter in line.chars() {
        let is_name = letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '%' | '.');
        let starts = letter == '.'
            && !words
                .last()
                .is_some_and(|word| word.ends_with(|c: char| c.is_ascii_digit()));
        match words.last_mut() {
            Some(word) if is_text || (is_open && is_name && !starts) => word.push(letter),
            _ if letter == ' ' => {}
            _ => words.push(letter.to_string()),
        }
        if letter == '"' {
            is_text = !is_text;
        }
        is_open = is_name;
    }
    words
}

/// Module during its generation.
struct ModuleText<'r> {
    random: &'r mut SplitMix64,
    lines: Vec<String>,
    version: Version,
}

impl ModuleText<'_> {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        self.random.pick(of).copied().unwrap_or("")
    }

    fn name(&mut self) -> &'static str {
        self.one(NAMES)
    }

    /// Returns true with the probability 1/`n`.
    fn once_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn push(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    fn module(&mut self) {
        self.header();
        for _ in 0..1 + self.random.below(6) {
            self.attempt(&[], ModuleText::statement);
        }
    }

    /// Generates a part of the module, with up to four attempts until the checker accepts this part, because accepted and almost accepted
    /// modules are the most informative test inputs. A rejected part is occasionally retained. `rest` contains the lines that close the
    /// open constructs.
    fn attempt(&mut self, rest: &[&str], write: fn(&mut Self)) {
        let n_lines = self.lines.len();
        for _ in 0..4 {
            write(self);
            let source = self.lines.join("\n") + "\n" + &rest.join("\n");
            if VerdictCase::of_source(source).check().accept || self.once_in(40) {
                return;
            }
            self.lines.truncate(n_lines);
        }
    }

    /// Generates a function that is declared and then defined, or a function with an alias. The two declarations occasionally differ.
    fn pair(&mut self) {
        let sort = self.one(&[".func", ".func", ".entry"]);
        let head = self.head(sort);
        let again = match self.once_in(3) {
            true => self.head(sort),
            false => head.clone(),
        };
        self.push(format!("{head};"));
        if self.once_in(2) {
            self.attempt(&[], ModuleText::statement);
        }
        let (a, b) = (self.name(), self.name());
        match self.random.below(4) {
            0 => self.push(format!("{again};")),
            1 => {
                let other = head.replace(&format!(" {a}"), &format!(" {b}"));
                self.push(format!("{other} {{ ret; }}"));
                self.push(format!(".alias {a}, {b};"));
            }
            _ => self.body(again),
        }
    }

    fn header(&mut self) {
        let (target, version) = match self.random.below(4) {
            0 => self.target(),
            _ => ("sm_90".to_owned(), Version::new(9, 0)),
        };
        self.version = version;
        self.push(format!(".version {version}"));
        let option = match self.random.below(12) {
            0 => ", debug",
            1 => ", texmode_independent",
            2 => ", texmode_unified",
            3 if self.once_in(4) => ", map_f64_to_f32",
            _ => "",
        };
        self.push(format!(".target {target}{option}"));
        if self.once_in(20) {
            let again = self.one(&["sm_80", "texmode_independent", "compute_75", "sm_75, debug"]);
            self.push(format!(".target {again}"));
        }
        if self.once_in(3) {
            self.push(".address_size 64");
        }
    }

    /// Returns a target and a PTX version that supports this target. The function never returns `sm_88`, because releases of the assembler
    /// disagree about this target.
    fn target(&mut self) -> (String, Version) {
        let known: Vec<&Target> = TARGETS.iter().filter(|target| target.sm != 88).collect();
        let Some(target) = self.random.pick(&known).copied() else {
            return ("sm_90".to_owned(), Version::NEWEST);
        };
        // Modules of versions before PTX 3.1 cannot be compiled without linking.
        let versions: Vec<Version> = Version::all()
            .filter(|version| *version >= target.since.max(Version::new(3, 1)))
            .collect();
        let version = self.random.pick(&versions).copied();
        (target.name.to_owned(), version.unwrap_or(Version::NEWEST))
    }

    fn statement(&mut self) {
        match self.random.below(28) {
            24.. => self.pair(),
            0..8 => {
                let line = self.variable();
                self.push(line);
            }
            8..12 => {
                let head = self.head(".func");
                self.push(format!("{head};"));
            }
            12..15 => self.definition(".func"),
            15..17 => self.definition(".entry"),
            17 => {
                let head = self.head(".entry");
                self.push(format!("{head};"));
            }
            18..20 => {
                let (a, b) = (self.name(), self.name());
                self.push(format!(".alias {a}, {b};"));
            }
            20 => {
                let (number, more) = (self.number(), self.one(&["", ", 5, 6", ", 1"]));
                self.push(format!(".file {number} \"a.cu\"{more}"));
            }
            21..=22 => self.section(),
            _ => {
                let line = self.one(&[
                    ".pragma \"nounroll\";",
                    ".pragma \"other\";",
                    "# 7 \"a.cu\" 1",
                    "#line 3 \"b.cu\"",
                    "// a comment",
                    ".u32;",
                    "\\",
                    ".global .u32;",
                ]);
                self.push(line);
            }
        }
    }

    fn number(&mut self) -> &'static str {
        match self.random.below(3) {
            0 => self.one(NUMBERS),
            _ => self.one(&["1", "2", "4", "8", "16"]),
        }
    }

    /// Returns a scalar type, which is a common type in most cases.
    fn scalar(&mut self) -> &'static str {
        match self.random.below(4) {
            0 => self.one(TYPES),
            _ => self.one(&[".u32", ".b32", ".u64", ".b8", ".f32", ".b64"]),
        }
    }

    fn dimensions(&mut self) -> String {
        match self.random.below(8) {
            0 | 1 => format!("[{}]", self.number()),
            2 => "[]".to_owned(),
            3 => format!("[{}][2]", self.number()),
            _ => String::new(),
        }
    }

    fn variable(&mut self) -> String {
        let linkage = self.one(LINKAGES);
        let space = match self.random.below(3) {
            0 => self.one(SPACES),
            _ => ".global",
        };
        let line = self.declaration(space);
        format!("{linkage}{line};")
    }

    fn declaration(&mut self, space: &str) -> String {
        let mut line = space.to_owned();
        if self.once_in(8) {
            line += &format!(" .align {}", self.number());
        }
        if self.once_in(14) {
            line += &format!(" .attribute({})", self.one(ATTRIBUTES));
        }
        if self.once_in(12) {
            line += self.one(&[" .v2", " .v4", " .v8"]);
        }
        line += &format!(" {} {}{}", self.scalar(), self.name(), self.dimensions());
        if self.once_in(12) {
            line += &format!("<{}>", self.number());
        }
        if self.once_in(3) {
            line += &format!(" = {}", self.one(VALUES));
        }
        if self.once_in(10) {
            line += &format!(", {}", self.name());
        }
        line
    }

    fn parameters(&mut self, most: usize) -> String {
        let mut all = Vec::new();
        for index in 0..self.random.below(most + 1) {
            let space = match self.random.below(10) {
                0 => self.one(SPACES),
                1 => ".reg",
                _ => ".param",
            };
            let align = match self.once_in(8) {
                true => format!(" .align {}", self.number()),
                false => String::new(),
            };
            let pointer = self.one(&["", "", "", "", "", "", " .ptr", " .ptr .global .align 8"]);
            let name = match self.random.below(12) {
                0 => "_".to_owned(),
                1 => self.name().to_owned(),
                _ => format!("p{index}"),
            };
            let (ty, dimensions) = (self.scalar(), self.dimensions());
            all.push(format!("{space}{align} {ty}{pointer} {name}{dimensions}"));
        }
        all.join(", ")
    }

    fn head(&mut self, sort: &str) -> String {
        let linkage = match self.random.below(3) {
            0 => self.one(LINKAGES),
            1 => ".visible ",
            _ => "",
        };
        let attribute = match self.once_in(20) {
            true => format!(" .attribute({})", self.one(ATTRIBUTES)),
            false => String::new(),
        };
        let results = match self.random.below(4) {
            0 if sort == ".func" => format!(" ({})", self.parameters(1)),
            1 if self.once_in(8) => format!(" ({})", self.parameters(2)),
            _ => String::new(),
        };
        let name = self.name();
        let parameters = match self.random.below(3) {
            0 => String::new(),
            1 => "()".to_owned(),
            _ => format!("({})", self.parameters(2)),
        };
        let mut directives = String::new();
        for _ in 0..self.random.below(6).saturating_sub(3) {
            let number = self.number();
            let pragma = ".pragma \"nounroll\";".to_owned();
            let of_kernel = [
                ".maxntid",
                ".reqntid",
                ".maxnreg",
                ".minnctapersm",
                ".reqnctapercluster",
                ".maxclusterrank",
            ];
            let of_function = [".noreturn", ".abi_preserve", ".abi_preserve_control"];
            let word = match (sort, self.once_in(10)) {
                (".entry", false) | (".func", true) => self.one(&of_kernel),
                _ => self.one(&of_function),
            };
            directives += &match (word, self.random.below(12)) {
                (_, 0) => format!(" {pragma}"),
                (".noreturn", _) => " .noreturn".to_owned(),
                (word, 1) => format!(" {word} {number}, 1"),
                (word, _) => format!(" {word} {number}"),
            };
        }
        format!("{linkage}{sort}{attribute}{results} {name}{parameters}{directives}")
    }

    fn definition(&mut self, sort: &str) {
        let head = self.head(sort);
        self.body(head);
    }

    fn body(&mut self, head: String) {
        self.push(head);
        self.push("{");
        self.push(".reg .b32 r<4>; .reg .b64 rd<4>; .reg .f32 x<4>; .reg .pred p<4>;");
        for _ in 0..self.random.below(6) {
            self.attempt(&["ret;", "}"], ModuleText::body_statement);
        }
        self.push("ret;");
        self.push("}");
    }

    fn body_statement(&mut self) {
        match self.random.below(22) {
            0..3 => {
                let space = self.one(&[".reg", ".shared", ".local", ".param", ".global", ".const"]);
                let line = self.declaration(space);
                self.push(format!("{line};"));
            }
            3..7 => self.call(),
            7..10 => self.table(),
            10..12 => self.location(),
            12 => {
                self.push("{");
                self.body_statement();
                self.push("}");
            }
            13 => {
                let name = self.name();
                self.push(format!("{name}:"));
            }
            14 => {
                let head = self.head(".func");
                self.push(format!("{head};"));
            }
            15 => {
                let line = self.one(&[
                    ".pragma \"nounroll\";",
                    ".pragma \"used_bytes_mask 15\";",
                    ".pragma \"frequency 3\";",
                    "# 9 \"b.cu\"",
                    "\\",
                    ".u32;",
                    ".alias a, f;",
                    ".file 3 \"c.cu\"",
                    ";",
                ]);
                self.push(line);
            }
            _ => {
                let (register, name) = (self.one(&["r1", "rd1", "rd1", "rd1", "x1"]), self.name());
                let line = match self.random.below(7) {
                    0 => format!("mov.u64 {register}, {name};"),
                    1 => format!("mov.b32 {register}, {name};"),
                    2 => format!("ld.global.b32 r1, [{name}];"),
                    3 => format!("ld.param.b32 r1, [{name}];"),
                    4 => format!("st.param.b32 [{name}], r1;"),
                    5 => format!("bra {name};"),
                    _ => format!("ld.shared.b32 r1, [{name}+4];"),
                };
                self.push(line);
            }
        }
    }

    fn arguments(&mut self) -> String {
        let arguments = [
            "r1",
            "rd1",
            "x1",
            "p1",
            "5",
            "1.0",
            "_",
            "a",
            "b",
            "s",
            "p0",
            "0f3F800000",
        ];
        let all: Vec<&str> = (0..self.random.below(3))
            .map(|_| self.one(&arguments))
            .collect();
        all.join(", ")
    }

    fn call(&mut self) {
        let results = match self.random.below(3) {
            0 => format!("({}), ", self.arguments()),
            _ => String::new(),
        };
        let callee = match self.random.below(4) {
            0 => "rd1",
            _ => self.one(&["f", "g", "a", "b"]),
        };
        let given = match self.random.below(3) {
            0 => format!(", ({})", self.arguments()),
            1 => ", ()".to_owned(),
            _ => String::new(),
        };
        let table = match callee {
            "rd1" => ", t",
            _ if self.once_in(12) => ", t",
            _ => "",
        };
        let words = self.one(&["call", "call", "call.uni", "@p1 call"]);
        self.push(format!("{words} {results}{callee}{given}{table};"));
    }

    fn table(&mut self) {
        match self.random.below(4) {
            0 => {
                let results = match self.once_in(3) {
                    true => format!("({}) ", self.parameters(1)),
                    false => String::new(),
                };
                let (parameters, directive) = (
                    self.parameters(2),
                    self.one(&["", "", "", " .noreturn", " .abi_preserve 4"]),
                );
                self.push(format!(
                    "t: .callprototype {results}_ ({parameters}){directive};"
                ));
            }
            1 => {
                let (f, more) = (self.name(), self.one(&["", ", f", ", g"]));
                self.push(format!("t: .calltargets {f}{more};"));
            }
            2 => {
                let (label, more) = (self.name(), self.one(&["", ", L", ", t"]));
                self.push(format!("t: .branchtargets {label}{more};"));
                self.push("L:");
            }
            _ => {
                let index = self.one(&["r1", "2", "rd1"]);
                self.push(format!("brx.idx {index}, t;"));
            }
        }
    }

    fn location(&mut self) {
        let (file, line, column) = (self.one(&["1", "2"]), self.number(), self.one(&["1", "3"]));
        let inlined = match self.random.below(3) {
            0 => {
                let label = self.one(&["L", "L+4", ".debug_str", "$l", "f"]);
                format!(", function_name {label}, inlined_at 1 1 1")
            }
            _ => String::new(),
        };
        if self.once_in(2) {
            self.push(".loc 1 1 1");
        }
        self.push(format!(".loc {file} {line} {column}{inlined}"));
    }

    fn section(&mut self) {
        let name = self.one(&[
            "debug_str",
            "debug_str",
            "debug_abbrev",
            "debug_info",
            "other",
        ]);
        self.push(format!(".section .{name}"));
        self.push("{");
        for _ in 0..self.random.below(4) {
            let line = match self.random.below(4) {
                0 => format!("{}:", self.one(&["L", "$l", "M", "a"])),
                _ => {
                    let word = self.one(&[".b8", ".b8", ".b16", ".b32", ".b64", ".u32"]);
                    let values = [
                        "0",
                        "1",
                        "65,66,0",
                        "256",
                        "-1",
                        "L",
                        "L+4",
                        "L-M",
                        "L-4",
                        ".debug_str",
                        ".debug_str+4",
                        "k",
                        "1.0",
                        "4294967296",
                        "$l",
                    ];
                    format!("{word} {}", self.one(&values))
                }
            };
            self.push(line);
        }
        self.push("}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_tokenized() {
        assert_eq!(
            words(".global .u32 a[4] = {1.5, g+4}; .file 1 \"a b\""),
            [
                ".global", ".u32", "a", "[", "4", "]", "=", "{", "1.5", ",", "g", "+", "4", "}",
                ";", ".file", "1", "\"a b\""
            ]
        );
    }

    #[test]
    fn generation_is_deterministic_per_seed() {
        let made = |seed| {
            let mut random = SplitMix64::new(seed);
            let modules = (0..50).map(|index| module(index, &mut random).source);
            modules.collect::<Vec<_>>()
        };
        assert_eq!(made(3), made(3));
        assert_ne!(made(3), made(4));
    }
}
