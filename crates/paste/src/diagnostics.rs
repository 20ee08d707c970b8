//! Every diagnostic about what is around instructions: one function a code. The doc comment of a code is its reference page.

use crate::block::BlockOperand;
use crate::constraint::{Dialect, LETTERS_IN_WORDS, Mistake};
use warpgrid_isa::ScalarType;
use warpgrid_isa::form::nearest;
use warpgrid_program::{Diagnostic, Severity, Span, catalogue};

catalogue! {
    /// Operands are numbered from 0, outputs before inputs. The compiler refuses a number that no operand has.
    NO_SUCH_OPERAND = "W1200", "operand that does not exist", "asm(\"add.u32 %0, %1, %3;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));", "asm(\"add.u32 %0, %1, %2;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));";
    /// A constraint is a letter that says in which register the operand is, after `=` for what is written or `+` for what is read and
    /// written. 8-bit registers have no letter.
    UNKNOWN_CONSTRAINT = "W1201", "constraint that does not exist", "asm(\"mov.u32 %0, %1;\" : \"=r\"(d) : \"m\"(a));", "asm(\"mov.u32 %0, %1;\" : \"=r\"(d) : \"r\"(a));";
    /// What is after the first colon is written and has `=` or `+`; what is after the second one is read and has neither.
    MISPLACED_MODIFIER = "W1202", "modifier of a constraint in the wrong place", "asm(\"mov.u32 %0, %1;\" : \"r\"(d) : \"r\"(a));", "asm(\"mov.u32 %0, %1;\" : \"=r\"(d) : \"r\"(a));";
    /// The statement writes an operand that it states as an input. The compiler goes on with the old value, wherever it has kept it.
    INPUT_WRITTEN = "W1203", "input that is written", "asm(\"add.u32 %0, %0, 1;\" :: \"r\"(d));", "asm(\"add.u32 %0, %0, 1;\" : \"+r\"(d));";
    /// An operand with `=` begins without a value. Where the statement reads it first, or writes it in some lanes only, `+` hands the old
    /// value in.
    OUTPUT_READ = "W1204", "output that is read before it is written", "asm(\"add.u32 %0, %0, 1;\" : \"=r\"(d));", "asm(\"add.u32 %0, %0, 1;\" : \"+r\"(d));";
    /// A percent sign before a letter and a number is a modifier of an operand to the compiler, which has none. A register of the assembly
    /// has two percent signs, or a name without any.
    BARE_REGISTER = "W1205", "register with one percent sign", "asm(\"{ .reg .u32 %r1; mov.u32 %r1, %1; }\" :: \"r\"(a), \"r\"(b));", "asm(\"{ .reg .u32 %%r1; mov.u32 %%r1, %1; }\" :: \"r\"(a), \"r\"(b));";
    /// The CUDA compiler does not take names of operands; Clang does.
    SYMBOLIC_NAME = "W1206", "name of an operand", "asm(\"mov.u32 %[d], 1;\" : [d] \"=r\"(d));", "asm(\"mov.u32 %0, 1;\" : \"=r\"(d));";
    /// An output that the statement never writes has no value after it.
    OUTPUT_NOT_WRITTEN = "W1207", "output that is not written", "asm(\"add.u32 %1, %1, 1;\" : \"=r\"(d), \"+r\"(a));", "asm(\"add.u32 %0, %1, 1;\" : \"=r\"(d) : \"r\"(a));";
    /// The compiler takes a statement for a function of its operands: it may delete it where no output is used, move it, or do it once where it
    /// is written twice. `volatile` forbids that, and `"memory"` says that memory changes, so that values of memory are not kept in registers
    /// over it (guide “Inline PTX Assembly in CUDA”, 2.3).
    MAY_BE_MOVED = "W1208", "effect that the compiler does not know of", "asm(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(a));", "asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(a) : \"memory\");";
    /// The text does not say what a macro, a parameter of one, or an expression of Python becomes. The block is shown, and what is read of
    /// it may be wrong.
    UNKNOWN_PIECE = "W1209", "piece that the text does not say", "asm(PREFIX \".u32 %0, 1;\" : \"=r\"(d));", "asm(\"mov\" \".u32 %0, 1;\" : \"=r\"(d));";
    /// The number of a constant is in another file or is a parameter of a template. One is chosen with which the assembly is legal;
    /// `//@ constant N = 16` states it.
    UNKNOWN_CONSTANT = "W1210", "constant that the text does not say", "asm(\"cp.async.wait_group %0;\" :: \"n\"(N));", "//@ constant N = 2\nasm(\"cp.async.wait_group %0;\" :: \"n\"(N));";
    /// Statements of one function share their registers, but a block that is shown by itself has those alone that it declares. Assembly in
    /// braces keeps its names to itself.
    UNDECLARED = "W1211", "name that the block does not declare", "asm(\"mov.u32 t, %0;\" :: \"r\"(a));", "asm(\"{ .reg .u32 t; mov.u32 t, %0; }\" :: \"r\"(a));";
    /// Only `\"memory\"` is taken after the third colon.
    UNKNOWN_CLOBBER = "W1212", "clobber that does not exist", "asm(\"membar.gl;\" ::: \"cc\");", "asm volatile(\"membar.gl;\" ::: \"memory\");";
    /// What an assembler or a driver said of this line, in the log that was pasted with it.
    LOG_LINE = "W1213", "line of a log", "ptxas a.ptx, line 3; error   : Unknown symbol 'x'", "the module without the log";
    /// A percent sign at the end of the assembly belongs to nothing.
    LONE_PERCENT = "W1214", "percent sign at the end", "asm(\"// 100%\");", "asm(\"// 100%%\");";
    /// The statement ends before its parenthesis does.
    NO_END = "W1215", "statement without an end", "asm(\"ret;\"", "asm(\"ret;\");";
    /// The assembly never names an input. Where other operands are used in its place, their numbers are wrong.
    OPERAND_NOT_USED = "W1217", "operand that is not used", "asm(\"add.u32 %0, %1, 1;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));", "asm(\"add.u32 %0, %1, %2;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));";
    /// Two percent signs are one in the assembly, and no register is called `%0`.
    ESCAPED_OPERAND = "W1216", "operand with two percent signs", "asm(\"mov.u32 %%0, 1;\" : \"=r\"(d));", "asm(\"mov.u32 %0, 1;\" : \"=r\"(d));";
    /// Triton packs elements of fewer than 32 bits into registers of 32 bits, as many as `pack` allows: two of 16 bits, four of 8 bits. An
    /// operand with `h` has 16 bits, so that LLVM fails or drops the upper elements.
    PACKED_OPERAND = "W1218", "16-bit operand with packed elements", "tl.inline_asm_elementwise(\"abs.f16 $0, $1;\", \"=h,h\", [x], dtype=tl.float16, is_pure=True, pack=2)", "tl.inline_asm_elementwise(\"abs.f16x2 $0, $1;\", \"=r,r\", [x], dtype=tl.float16, is_pure=True, pack=2)";
    /// A thread holds a power of two of elements. Triton pads the operands of the last execution with undefined elements where `pack` does
    /// not divide that number, and drops their results.
    UNEVEN_PACK = "W1219", "pack that is no power of two", "tl.inline_asm_elementwise(\"mov.b32 $0, $3; mov.b32 $1, $4; mov.b32 $2, $5;\", \"=&r,=&r,=r,r,r,r\", [x], dtype=tl.int32, is_pure=True, pack=3)", "tl.inline_asm_elementwise(\"mov.b32 $0, $2; mov.b32 $1, $3;\", \"=&r,=r,r,r\", [x], dtype=tl.int32, is_pure=True, pack=2)";
    /// Triton executes the assembly for every element that a thread holds. A layout may replicate elements over threads and registers,
    /// which `tl.store` and `tl.atomic_add` mask and this call does not: an atomic addition counts once per replica. With `is_pure=True`
    /// the compiler may also delete, repeat or move the call.
    REPLICATED_EFFECT = "W1220", "write to memory per replica of an element", "tl.inline_asm_elementwise(\"red.global.add.u32 [$1], 1; mov.b32 $0, 0;\", \"=r,l\", [p], dtype=tl.int32, is_pure=False, pack=1)", "tl.atomic_add(p, 1)\ntl.inline_asm_elementwise(\"mov.b32 $0, 0;\", \"=r\", [], dtype=tl.int32, is_pure=True, pack=1)";
    /// LLVM takes `$(a$|b$)` for alternatives of assembly dialects, of which `AD_ATT` emits the first one. Braces and bars without `$` are
    /// text in every dialect.
    ALTERNATIVES = "W1221", "alternatives of assembly dialects", "llvm.inline_asm(i32, [x], \"$(mov$|cvt.u32$).u32 $0, $1;\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_ATT)", "llvm.inline_asm(i32, [x], \"{ mov.u32 $0, $1; }\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_ATT)";
    /// For the Intel dialect LLVM emits the lines `.intel_syntax` and `.att_syntax` around the assembly, which the PTX assembler rejects.
    INTEL_DIALECT = "W1222", "Intel dialect", "llvm.inline_asm(i32, [x], \"mov.u32 $0, $1;\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_Intel)", "llvm.inline_asm(i32, [x], \"mov.u32 $0, $1;\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_ATT)";
}

/// What a snippet of a manual may leave out, and the assembly of a statement may not.
pub(crate) fn as_in_module(found: Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        help: Some(
            "the compiler pastes the assembly into a module, which the assembler rejects"
                .to_owned(),
        ),
        ..found
    }
}

pub(crate) fn no_such_operand(number: usize, n: usize, span: Span) -> Diagnostic {
    let number = match number {
        usize::MAX => "this number".to_owned(),
        number => format!("`%{number}`"),
    };
    let have = match n {
        0 => "the statement has no operands".to_owned(),
        1 => "the statement has one operand, `%0`".to_owned(),
        _ => format!("the statement has `%0` to `%{}`", n - 1),
    };
    let message = format!("no operand has {number}");
    Diagnostic::error(NO_SUCH_OPERAND, span, message).help(have)
}

pub(crate) fn no_such_name(name: &str, names: &[&str], span: Span) -> Diagnostic {
    let message = format!("no operand is called `{name}`");
    let found = Diagnostic::error(NO_SUCH_OPERAND, span, message);
    match nearest(name, names.iter().copied()) {
        Some(meant) => found.help(format!("did you mean `%[{meant}]`?")),
        None => found,
    }
}

pub(crate) fn constraint(text: &str, mistake: Mistake, span: Span) -> Diagnostic {
    let message = match mistake {
        Mistake::Empty => format!("found constraint `\"{text}\"`, expected one letter"),
        Mistake::Unknown(letter) => {
            format!("found constraint letter `{letter}`, which does not exist")
        }
        Mistake::Several => format!("found constraint `\"{text}\"`, expected one letter alone"),
    };
    let help = match mistake {
        Mistake::Unknown('m') => "an operand is never in memory: hand in its address as `\"l\"`",
        Mistake::Unknown('i') => "a constant has `\"n\"`",
        Mistake::Unknown(_) | Mistake::Empty | Mistake::Several => LETTERS_IN_WORDS,
    };
    Diagnostic::error(UNKNOWN_CONSTRAINT, span, message).help(help)
}

pub(crate) fn output_without_modifier(text: &str, span: Span) -> Diagnostic {
    let message = format!("found output `\"{text}\"`, expected `=` or `+` before the letter");
    let found = Diagnostic::error(MISPLACED_MODIFIER, span, message);
    found.help("outputs stand after the first colon, inputs after the second")
}

pub(crate) fn input_with_modifier(text: &str, span: Span) -> Diagnostic {
    let message = format!("found input `\"{text}\"`, expected a letter alone");
    let found = Diagnostic::error(MISPLACED_MODIFIER, span, message);
    found.help("outputs stand after the first colon, inputs after the second")
}

pub(crate) fn input_written(
    name: &str,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    let message = format!("`{name}` is written, but stated as an input");
    Diagnostic::warning(INPUT_WRITTEN, use_at, message)
        .label(constraint, "stated here")
        .help(format!(
            "make it an output after the first colon: `\"+{letter}\"`, or `\"={letter}\"` where its old value is not read"
        ))
}

/// Returns the notation of an operand that is written and not read.
const fn output_modifier(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Cuda | Dialect::Llvm => "`=`",
        Dialect::Ilgpu => "`out`",
    }
}

pub(crate) fn output_read(
    dialect: Dialect,
    name: &str,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    let modifier = output_modifier(dialect);
    let message =
        format!("`{name}` is read before it is written, and {modifier} passes no value in");
    let help = format!("write `\"+{letter}\"`");
    make_input(message, help, letter, use_at, constraint)
}

pub(crate) fn output_kept(
    dialect: Dialect,
    name: &str,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    let modifier = output_modifier(dialect);
    let message =
        format!("`{name}` is written under a predicate alone, and {modifier} passes no value in");
    let help = format!(
        "where the predicate is false, it has no value: write `\"+{letter}\"`, or write it before"
    );
    make_input(message, help, letter, use_at, constraint)
}

/// A warning whose fix makes the output an input, too.
fn make_input(
    message: String,
    help: String,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    Diagnostic::warning(OUTPUT_READ, use_at, message)
        .label(constraint, "stated here")
        .help(help)
        .fix(
            format!("replace `\"={letter}\"` by `\"+{letter}\"`"),
            constraint,
            format!("+{letter}"),
        )
}

pub(crate) fn output_not_written(name: &str, constraint: Span) -> Diagnostic {
    let message = format!("`{name}` is stated as an output, but nothing writes it");
    Diagnostic::warning(OUTPUT_NOT_WRITTEN, constraint, message)
}

pub(crate) fn operand_not_used(
    dialect: Dialect,
    number: usize,
    operand: &BlockOperand,
) -> Diagnostic {
    let sign = match dialect {
        Dialect::Cuda | Dialect::Ilgpu => '%',
        Dialect::Llvm => '$',
    };
    let expression = &operand.expression;
    let message = format!("the assembly never uses operand `{sign}{number}`, `{expression}`");
    Diagnostic::warning(OPERAND_NOT_USED, operand.place, message)
        .help("operands are numbered from 0, outputs before inputs; `+` outputs have one number")
}

pub(crate) fn bare_register(name: &str, span: Span) -> Diagnostic {
    let message = format!("found `%{name}`, expected an operand or `%%{name}`");
    Diagnostic::error(BARE_REGISTER, span, message)
        .help("to the compiler, a letter before a number is a modifier of an operand, and it takes none")
        .fix(
            format!("replace `%{name}` by `%%{name}`"),
            span,
            format!("%%{name}"),
        )
}

pub(crate) fn escaped_operand(number: &str, span: Span) -> Diagnostic {
    let message = format!("found `%%{number}`, expected `%{number}`");
    Diagnostic::error(ESCAPED_OPERAND, span, message)
        .help("two percent signs are for registers of the assembly")
        .fix(
            format!("replace `%%{number}` by `%{number}`"),
            span,
            format!("%{number}"),
        )
}

pub(crate) fn symbolic_name(name: &str, number: usize, span: Span) -> Diagnostic {
    let message =
        format!("the CUDA compiler does not take names of operands such as `{name}`; Clang does");
    let found = Diagnostic::warning(SYMBOLIC_NAME, span, message);
    found.help(format!("write `%{number}` in the assembly"))
}

pub(crate) fn may_be_moved(message: &str, help: &str, span: Span) -> Diagnostic {
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(MAY_BE_MOVED, span, message).help(help)
    }
}

pub(crate) fn unknown_piece(name: &str, span: Span) -> Diagnostic {
    let message = format!("the text does not say what `{name}` becomes: the block is not checked");
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(UNKNOWN_PIECE, span, message)
            .help("paste its definition, too, or the text after preprocessing")
    }
}

pub(crate) fn unknown_constant(name: &str, choice: &str, mark: &str, span: Span) -> Diagnostic {
    let message = format!("the text does not say what `{name}` is: {choice} is taken");
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(UNKNOWN_CONSTANT, span, message)
            .help(format!("write `{mark}@ constant {name} = {choice}`"))
    }
}

pub(crate) fn undeclared(names: &str, span: Span) -> Diagnostic {
    let message = format!("the block does not declare {names}");
    let found = Diagnostic::warning(UNDECLARED, span, message);
    found.help("the assembler refuses it unless another statement of the function declares it: write `{ .reg … }` within the block")
}

pub(crate) fn unknown_clobber(text: &str, span: Span) -> Diagnostic {
    let message = format!("found clobber `\"{text}\"`, expected `\"memory\"`");
    Diagnostic::error(UNKNOWN_CLOBBER, span, message)
}

pub(crate) fn lone_percent(span: Span) -> Diagnostic {
    let message = "found `%` at the end of the assembly, expected `%%` or an operand";
    Diagnostic::error(LONE_PERCENT, span, message)
}

pub(crate) fn no_end(span: Span) -> Diagnostic {
    let message = "the statement has no end, expected `)`";
    Diagnostic::error(NO_END, span, message)
}

pub(crate) fn packed_operand(constraint: &str, pack: u32, span: Span) -> Diagnostic {
    let message = format!(
        "`\"{constraint}\"` has 16 bits, but `pack={pack}` packs the elements into registers of 32 bits"
    );
    let wanted = constraint.replace('h', "r");
    Diagnostic::warning(PACKED_OPERAND, span, message).help(format!(
        "write `\"{wanted}\"` and an instruction on packed elements such as `.f16x2`, or `pack=1`"
    ))
}

pub(crate) fn alternatives(span: Span) -> Diagnostic {
    let message = "`$(` begins alternatives of assembly dialects, and only the first one reaches the assembler";
    Diagnostic::warning(ALTERNATIVES, span, message)
        .help("write the first alternative alone; braces and bars need no `$`")
}

pub(crate) fn intel_dialect(span: Span) -> Diagnostic {
    let message = "LLVM emits `.intel_syntax` around the assembly, which the PTX assembler rejects";
    Diagnostic::error(INTEL_DIALECT, span, message).help("write `AD_ATT`")
}

pub(crate) fn uneven_pack(pack: u32, span: Span) -> Diagnostic {
    let message = format!(
        "`pack={pack}` does not divide the number of elements per thread, a power of two: the last execution gets undefined elements"
    );
    Diagnostic::warning(UNEVEN_PACK, span, message).help("state a power of two")
}

pub(crate) fn replicated_effect(is_pure: bool, span: Span) -> Diagnostic {
    let message = match is_pure {
        true => {
            "the block writes memory: Triton executes it once per replica of an element, and `is_pure=True` lets the compiler delete or repeat it"
        }
        false => "the block writes memory, and Triton executes it once per replica of an element",
    };
    Diagnostic::warning(REPLICATED_EFFECT, span, message)
        .help("write by `tl.store` or `tl.atomic_add`, which mask replicas")
}

/// Returns the help for operands of C# calls that are used against their direction.
pub(crate) const fn csharp_direction() -> &'static str {
    "`out` passes no value in, and an argument without `out` passes none back: pass `Ref<T>` to `CudaAsm.EmitRef` for an operand that is read and written"
}

/// Says of an operand which type it has, and why.
pub(crate) fn declared_by(dialect: Dialect, letter: &str, ty: ScalarType) -> String {
    match dialect {
        Dialect::Cuda | Dialect::Llvm => format!("`\"{letter}\"` makes it `.{ty}`"),
        Dialect::Ilgpu => format!("the C# type makes it `.{ty}`"),
    }
}

pub(crate) fn log_line(
    severity: Severity,
    message: &str,
    span: Span,
    help: Option<String>,
) -> Diagnostic {
    Diagnostic {
        severity,
        help,
        ..Diagnostic::warning(LOG_LINE, span, format!("the log says: {message}"))
    }
}

pub(crate) fn log_alone(span: Span) -> Diagnostic {
    let message = "the log comes without its module";
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(LOG_LINE, span, message)
            .help("paste the PTX below it: then each line of the log is shown at its instruction")
    }
}

/// What our checker says of the same line.
pub(crate) fn agrees(own: &Diagnostic) -> String {
    match &own.help {
        Some(help) => format!("here it is {}: {}; {help}", own.code, own.message),
        None => format!("here it is {}: {}", own.code, own.message),
    }
}

pub(crate) const fn accepted_here() -> &'static str {
    "nothing is wrong with this line here: the log may be of another text, target or version"
}
