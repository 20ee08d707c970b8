//! Diagnostics about host sources and logs, with one function per code. The doc comment of a code is the text of its reference page.

use crate::block::{AsmOperand, Purity};
use crate::constraint::{AsmDialect, ConstraintError, LETTERS_IN_WORDS};
use warpgrid_isa::ScalarType;
use warpgrid_isa::form::nearest;
use warpgrid_program::{Diagnostic, Severity, Span, diagnostic_codes};

diagnostic_codes! {
    /// Operands are numbered from 0, and the outputs precede the inputs. The compiler rejects a number without an operand.
    NO_SUCH_OPERAND = "W1200", "unknown operand", "asm(\"add.u32 %0, %1, %3;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));", "asm(\"add.u32 %0, %1, %2;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));";
    /// A constraint is a letter that specifies the kind of register of an operand, preceded by `=` for an output or `+` for an operand
    /// that is read and written. No letter exists for 8-bit registers.
    UNKNOWN_CONSTRAINT = "W1201", "unknown constraint", "asm(\"mov.u32 %0, %1;\" : \"=r\"(d) : \"m\"(a));", "asm(\"mov.u32 %0, %1;\" : \"=r\"(d) : \"r\"(a));";
    /// Operands after the first colon are outputs and require `=` or `+`. Operands after the second colon are inputs and have no
    /// modifier.
    MISPLACED_MODIFIER = "W1202", "misplaced constraint modifier", "asm(\"mov.u32 %0, %1;\" : \"r\"(d) : \"r\"(a));", "asm(\"mov.u32 %0, %1;\" : \"=r\"(d) : \"r\"(a));";
    /// The statement writes an operand that is declared as an input. The compiler is not aware of this write and continues to use the
    /// old value.
    INPUT_WRITTEN = "W1203", "write to an input operand", "asm(\"add.u32 %0, %0, 1;\" :: \"r\"(d));", "asm(\"add.u32 %0, %0, 1;\" : \"+r\"(d));";
    /// An operand with `=` has no initial value. If the statement reads the operand before writing it, or writes it under a predicate,
    /// use `+`, which passes the old value.
    OUTPUT_READ = "W1204", "read of an output before the first write", "asm(\"add.u32 %0, %0, 1;\" : \"=r\"(d));", "asm(\"add.u32 %0, %0, 1;\" : \"+r\"(d));";
    /// The compiler interprets a percent sign before a letter and a number as an operand modifier, but no such modifier exists. Write
    /// registers of the assembly with two percent signs or without a percent sign.
    BARE_REGISTER = "W1205", "register with one percent sign", "asm(\"{ .reg .u32 %r1; mov.u32 %r1, %1; }\" :: \"r\"(a), \"r\"(b));", "asm(\"{ .reg .u32 %%r1; mov.u32 %%r1, %1; }\" :: \"r\"(a), \"r\"(b));";
    /// The CUDA compiler does not support symbolic operand names, whereas Clang supports them.
    SYMBOLIC_NAME = "W1206", "symbolic operand name", "asm(\"mov.u32 %[d], 1;\" : [d] \"=r\"(d));", "asm(\"mov.u32 %0, 1;\" : \"=r\"(d));";
    /// An output that the statement never writes has no defined value after the statement.
    OUTPUT_NOT_WRITTEN = "W1207", "output never written", "asm(\"add.u32 %1, %1, 1;\" : \"=r\"(d), \"+r\"(a));", "asm(\"add.u32 %0, %1, 1;\" : \"=r\"(d) : \"r\"(a));";
    /// The compiler treats a statement as a pure function of its operands. The compiler may delete a statement without used outputs,
    /// move a statement, or merge identical statements. `volatile` prevents these optimizations. `"memory"` declares that the statement
    /// modifies memory, so that the compiler does not cache memory values in registers across the statement (guide “Inline PTX Assembly
    /// in CUDA”, 2.3).
    MAY_BE_MOVED = "W1208", "undeclared side effect", "asm(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(a));", "asm volatile(\"st.global.u32 [%0], %1;\" :: \"l\"(p), \"r\"(a) : \"memory\");";
    /// The file does not define a macro, a macro parameter or a Python expression of the assembly. The asm block is shown, but its
    /// analysis may be wrong.
    UNKNOWN_PIECE = "W1209", "unresolved part of the assembly", "asm(PREFIX \".u32 %0, 1;\" : \"=r\"(d));", "asm(\"mov\" \".u32 %0, 1;\" : \"=r\"(d));";
    /// The value of a constant is defined in another file or by a template parameter. Warpgrid assumes a value for which the assembly
    /// is legal. `//@ constant N = 16` specifies the value.
    UNKNOWN_CONSTANT = "W1210", "unknown value of a constant", "asm(\"cp.async.wait_group %0;\" :: \"n\"(N));", "//@ constant N = 2\nasm(\"cp.async.wait_group %0;\" :: \"n\"(N));";
    /// The asm blocks of a function share their registers, but an asm block that is shown separately has only its own declarations.
    /// Names that are declared in braces are local to the asm block.
    UNDECLARED = "W1211", "undeclared name in a block", "asm(\"mov.u32 t, %0;\" :: \"r\"(a));", "asm(\"{ .reg .u32 t; mov.u32 t, %0; }\" :: \"r\"(a));";
    /// Only `\"memory\"` is allowed after the third colon.
    UNKNOWN_CLOBBER = "W1212", "unknown clobber", "asm(\"membar.gl;\" ::: \"cc\");", "asm volatile(\"membar.gl;\" ::: \"memory\");";
    /// The log that was pasted with the module contains a message of an assembler or driver about this line.
    LOG_LINE = "W1213", "log message", "ptxas a.ptx, line 3; error   : Unknown symbol 'x'", "the module without the log";
    /// A percent sign at the end of the assembly does not refer to an operand or register.
    LONE_PERCENT = "W1214", "trailing percent sign", "asm(\"// 100%\");", "asm(\"// 100%%\");";
    /// The parenthesis of the statement is not closed.
    NO_END = "W1215", "unterminated statement", "asm(\"ret;\"", "asm(\"ret;\");";
    /// The assembly never uses an input. The operand numbers may be wrong.
    OPERAND_NOT_USED = "W1217", "unused operand", "asm(\"add.u32 %0, %1, 1;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));", "asm(\"add.u32 %0, %1, %2;\" : \"=r\"(d) : \"r\"(a), \"r\"(b));";
    /// Two percent signs are replaced by one percent sign in the assembly, and `%0` is not a register name.
    ESCAPED_OPERAND = "W1216", "operand with two percent signs", "asm(\"mov.u32 %%0, 1;\" : \"=r\"(d));", "asm(\"mov.u32 %0, 1;\" : \"=r\"(d));";
    /// Triton packs up to `pack` elements of fewer than 32 bits into a 32-bit register, such as two elements of 16 bits or four
    /// elements of 8 bits. An operand with the constraint `h` has only 16 bits, so LLVM fails or drops the upper elements.
    PACKED_OPERAND = "W1218", "16-bit operand with packed elements", "tl.inline_asm_elementwise(\"abs.f16 $0, $1;\", \"=h,h\", [x], dtype=tl.float16, is_pure=True, pack=2)", "tl.inline_asm_elementwise(\"abs.f16x2 $0, $1;\", \"=r,r\", [x], dtype=tl.float16, is_pure=True, pack=2)";
    /// The number of elements per thread is a power of two. If `pack` does not divide this number, Triton pads the operands of the last
    /// execution with undefined elements and discards their results.
    UNEVEN_PACK = "W1219", "`pack` is not a power of two", "tl.inline_asm_elementwise(\"mov.b32 $0, $3; mov.b32 $1, $4; mov.b32 $2, $5;\", \"=&r,=&r,=r,r,r,r\", [x], dtype=tl.int32, is_pure=True, pack=3)", "tl.inline_asm_elementwise(\"mov.b32 $0, $2; mov.b32 $1, $3;\", \"=&r,=r,r,r\", [x], dtype=tl.int32, is_pure=True, pack=2)";
    /// Triton executes the assembly for every element of a thread. A layout may replicate elements across threads and registers.
    /// `tl.store` and `tl.atomic_add` mask replicas, but inline assembly does not, so a kernel executes an atomic addition once per
    /// replica. With `is_pure=True`, the compiler may also delete, repeat or move the call.
    REPLICATED_EFFECT = "W1220", "memory write per element replica", "tl.inline_asm_elementwise(\"red.global.add.u32 [$1], 1; mov.b32 $0, 0;\", \"=r,l\", [p], dtype=tl.int32, is_pure=False, pack=1)", "tl.atomic_add(p, 1)\ntl.inline_asm_elementwise(\"mov.b32 $0, 0;\", \"=r\", [], dtype=tl.int32, is_pure=True, pack=1)";
    /// LLVM interprets `$(a$|b$)` as alternatives for assembly dialects, and `AD_ATT` emits the first alternative. Braces and bars
    /// without `$` are literal in every dialect.
    ALTERNATIVES = "W1221", "assembly dialect alternatives", "llvm.inline_asm(i32, [x], \"$(mov$|cvt.u32$).u32 $0, $1;\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_ATT)", "llvm.inline_asm(i32, [x], \"{ mov.u32 $0, $1; }\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_ATT)";
    /// For the Intel dialect, LLVM emits `.intel_syntax` and `.att_syntax` around the assembly, which `ptxas` rejects.
    INTEL_DIALECT = "W1222", "Intel dialect", "llvm.inline_asm(i32, [x], \"mov.u32 $0, $1;\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_Intel)", "llvm.inline_asm(i32, [x], \"mov.u32 $0, $1;\", \"=r,r\", asm_dialect=llvm.AsmDialect.AD_ATT)";
    /// The constraint letter specifies the size and the kind of an operand. The CUDA compiler rejects a variable of another size or kind:
    /// "asm operand type size(4) does not match type/size implied by constraint 'r'".
    OPERAND_TYPE = "W1223", "operand type that does not match the constraint", "__device__ void f(float* p, float v) { asm volatile(\"st.global.f32 [%0], %1;\" :: \"l\"(p), \"r\"(v) : \"memory\"); }", "__device__ void f(float* p, float v) { asm volatile(\"st.global.f32 [%0], %1;\" :: \"l\"(p), \"f\"(v) : \"memory\"); }";
}

/// Converts a diagnostic about an omitted element to an error. A snippet from a manual may omit the element, but an `asm` statement must
/// contain it.
pub(crate) fn as_in_module(found: Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        help: Some(
            "the compiler inserts the assembly into a PTX module, and `ptxas` then rejects the module"
                .to_owned(),
        ),
        ..found
    }
}

/// Checks whether diagnostics with this code depend on the numbers and constraints of the operands.
pub(crate) fn is_about_operands(code: &str) -> bool {
    [NO_SUCH_OPERAND, UNKNOWN_CONSTRAINT, MISPLACED_MODIFIER].contains(&code)
}

/// Returns the notation of an operand in the assembly of a dialect.
fn operand_notation(dialect: AsmDialect, operand: &str) -> String {
    match dialect {
        AsmDialect::Cuda | AsmDialect::Ilgpu => format!("`%{operand}`"),
        AsmDialect::Llvm => format!("`${operand}`"),
        AsmDialect::Rust => format!("`{{{operand}}}`"),
    }
}

pub(crate) fn no_such_operand(
    dialect: AsmDialect,
    number: usize,
    n: usize,
    span: Span,
) -> Diagnostic {
    let notation = |number: usize| operand_notation(dialect, &number.to_string());
    let number = match number {
        usize::MAX => "this number".to_owned(),
        number => notation(number),
    };
    let have = match n {
        0 => "the statement has no operands".to_owned(),
        1 => format!("the statement has one operand, {}", notation(0)),
        _ => format!(
            "the statement has the operands {} to {}",
            notation(0),
            notation(n - 1)
        ),
    };
    let message = format!("no operand has {number}");
    Diagnostic::error(NO_SUCH_OPERAND, span, message).help(have)
}

pub(crate) fn no_such_name(
    dialect: AsmDialect,
    name: &str,
    names: &[&str],
    span: Span,
) -> Diagnostic {
    let message = format!("unknown operand `{name}`");
    let found = Diagnostic::error(NO_SUCH_OPERAND, span, message);
    match nearest(name, names.iter().copied()) {
        Some(meant) => {
            let meant = match dialect {
                AsmDialect::Rust => meant.to_owned(),
                _ => format!("[{meant}]"),
            };
            found.help(format!(
                "did you mean {}?",
                operand_notation(dialect, &meant)
            ))
        }
        None => found,
    }
}

pub(crate) fn constraint(text: &str, mistake: ConstraintError, span: Span) -> Diagnostic {
    let message = match mistake {
        ConstraintError::Empty => {
            format!("found the empty constraint `\"{text}\"`, expected one letter")
        }
        ConstraintError::Unknown(letter) => {
            format!("unknown constraint letter `{letter}`")
        }
        ConstraintError::Several => {
            format!("found the constraint `\"{text}\"`, expected a single letter")
        }
        ConstraintError::RegisterClass => format!("unknown register class in `{text}`"),
    };
    let help = match mistake {
        ConstraintError::Unknown('m') => {
            "PTX operands cannot be in memory: pass the address with the constraint `\"l\"`"
        }
        ConstraintError::Unknown('i') => "use the constraint `\"n\"` for a constant",
        ConstraintError::Unknown(_) | ConstraintError::Empty | ConstraintError::Several => {
            LETTERS_IN_WORDS
        }
        ConstraintError::RegisterClass => {
            "the register classes of the target nvptx64 are `reg16`, `reg32` and `reg64`"
        }
    };
    Diagnostic::error(UNKNOWN_CONSTRAINT, span, message).help(help)
}

pub(crate) fn output_without_modifier(text: &str, span: Span) -> Diagnostic {
    let message =
        format!("found the output constraint `\"{text}\"`, expected `=` or `+` before the letter");
    let found = Diagnostic::error(MISPLACED_MODIFIER, span, message);
    found.help("outputs follow the first colon, and inputs follow the second colon")
}

pub(crate) fn input_with_modifier(text: &str, span: Span) -> Diagnostic {
    let message =
        format!("found the input constraint `\"{text}\"`, expected a letter without a modifier");
    let found = Diagnostic::error(MISPLACED_MODIFIER, span, message);
    found.help("outputs follow the first colon, and inputs follow the second colon")
}

pub(crate) fn input_written(
    name: &str,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    let message = format!("the assembly writes `{name}`, which is declared as an input");
    Diagnostic::warning(INPUT_WRITTEN, use_at, message)
        .label(constraint, "declared here")
        .help(format!(
            "declare the operand as an output after the first colon: use `\"+{letter}\"`, or `\"={letter}\"` if the assembly does not read the old value"
        ))
}

/// Returns the notation of a dialect for an operand that the assembly writes but does not read.
const fn output_modifier(dialect: AsmDialect) -> &'static str {
    match dialect {
        AsmDialect::Cuda | AsmDialect::Llvm => "`=`",
        AsmDialect::Ilgpu | AsmDialect::Rust => "`out`",
    }
}

pub(crate) fn output_read(
    dialect: AsmDialect,
    name: &str,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    let modifier = output_modifier(dialect);
    let message = format!(
        "the assembly reads `{name}` before it writes the operand, but {modifier} passes no initial value"
    );
    let help = format!("write `\"+{letter}\"`");
    make_input(message, help, letter, use_at, constraint)
}

pub(crate) fn output_kept(
    dialect: AsmDialect,
    name: &str,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    let modifier = output_modifier(dialect);
    let message = format!(
        "the assembly writes `{name}` only under a predicate, but {modifier} passes no initial value"
    );
    let help = format!(
        "write `\"+{letter}\"`, or initialize the operand in the assembly, because the operand is undefined in predicated-off lanes"
    );
    make_input(message, help, letter, use_at, constraint)
}

/// Creates a warning with a fix that changes an output operand to an input and output operand.
fn make_input(
    message: String,
    help: String,
    letter: &str,
    use_at: Span,
    constraint: Span,
) -> Diagnostic {
    Diagnostic::warning(OUTPUT_READ, use_at, message)
        .label(constraint, "declared here")
        .help(help)
        .fix(
            format!("replace `\"={letter}\"` with `\"+{letter}\"`"),
            constraint,
            format!("+{letter}"),
        )
}

pub(crate) fn output_not_written(name: &str, constraint: Span) -> Diagnostic {
    let message =
        format!("`{name}` is declared as an output, but the assembly never writes this operand");
    Diagnostic::warning(OUTPUT_NOT_WRITTEN, constraint, message)
}

pub(crate) fn operand_not_used(
    dialect: AsmDialect,
    number: usize,
    operand: &AsmOperand,
) -> Diagnostic {
    let notation = operand_notation(dialect, &number.to_string());
    let expression = &operand.expression;
    let message = format!("the assembly never uses operand {notation} (`{expression}`)");
    let found = Diagnostic::warning(OPERAND_NOT_USED, operand.place, message);
    match dialect {
        AsmDialect::Rust => found.help("operands are numbered from 0, in the order of the arguments"),
        AsmDialect::Cuda | AsmDialect::Llvm | AsmDialect::Ilgpu => found.help(
            "operands are numbered from 0, with outputs before inputs, and an operand with `+` has only one number",
        ),
    }
}

pub(crate) fn operand_type(
    constraint: Span,
    letter: &str,
    name: &str,
    declared: &str,
    suggested: Option<char>,
) -> Diagnostic {
    let message =
        format!("the constraint `{letter}` does not match the type `{declared}` of `{name}`");
    let found = Diagnostic::error(OPERAND_TYPE, constraint, message);
    match suggested {
        Some(suggested) => found.help(format!(
            "use the constraint `{suggested}`, which has the size and the kind of the type"
        )),
        None => found.help("convert the value to a type of another size, because no constraint has the size of the type"),
    }
}

pub(crate) fn bare_register(name: &str, span: Span) -> Diagnostic {
    let message = format!("found `%{name}`, expected an operand or `%%{name}`");
    Diagnostic::error(BARE_REGISTER, span, message)
        .help("the compiler interprets the letter between `%` and a number as an operand modifier, but supports no such modifiers")
        .fix(
            format!("replace `%{name}` with `%%{name}`"),
            span,
            format!("%%{name}"),
        )
}

pub(crate) fn escaped_operand(number: &str, span: Span) -> Diagnostic {
    let message = format!("found `%%{number}`, expected `%{number}`");
    Diagnostic::error(ESCAPED_OPERAND, span, message)
        .help("use two percent signs only for registers of the assembly")
        .fix(
            format!("replace `%%{number}` with `%{number}`"),
            span,
            format!("%{number}"),
        )
}

pub(crate) fn symbolic_name(name: &str, number: usize, span: Span) -> Diagnostic {
    let message =
        format!("the CUDA compiler does not support symbolic operand names such as `{name}`");
    let found = Diagnostic::warning(SYMBOLIC_NAME, span, message);
    found.help(format!(
        "write `%{number}` in the assembly, because only Clang supports symbolic operand names"
    ))
}

pub(crate) fn may_be_moved(message: &str, help: &str, span: Span) -> Diagnostic {
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(MAY_BE_MOVED, span, message).help(help)
    }
}

pub(crate) fn unknown_piece(name: &str, span: Span) -> Diagnostic {
    let message = format!("cannot resolve `{name}` in this file, so the asm block is not checked");
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(UNKNOWN_PIECE, span, message)
            .help("paste the definition of this name as well, or paste the preprocessed source")
    }
}

pub(crate) fn unknown_constant(name: &str, choice: &str, mark: &str, span: Span) -> Diagnostic {
    let message = format!("the value of `{name}` is unknown, so Warpgrid assumes {choice}");
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(UNKNOWN_CONSTANT, span, message).help(format!(
            "specify the value with `{mark}@ constant {name} = {choice}`"
        ))
    }
}

pub(crate) fn undeclared(names: &str, span: Span) -> Diagnostic {
    let message = format!("the asm block does not declare {names}");
    let found = Diagnostic::warning(UNDECLARED, span, message);
    found.help("declare the name in the asm block with `{ .reg … }`, because `ptxas` accepts an undeclared name only if another statement of the function declares the name")
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
    let message = "unterminated statement, expected `)`";
    Diagnostic::error(NO_END, span, message)
}

pub(crate) fn packed_operand(constraint: &str, pack: u32, span: Span) -> Diagnostic {
    let message = format!(
        "an operand with the constraint `\"{constraint}\"` has 16 bits, but `pack={pack}` packs the elements into 32-bit registers"
    );
    let wanted = constraint.replace('h', "r");
    Diagnostic::warning(PACKED_OPERAND, span, message).help(format!(
        "use the constraint `\"{wanted}\"` with an instruction for packed elements such as `.f16x2`, or use `pack=1`"
    ))
}

pub(crate) fn alternatives(span: Span) -> Diagnostic {
    let message = "`$(` starts a list of alternatives for assembly dialects, and only the first alternative is assembled";
    Diagnostic::warning(ALTERNATIVES, span, message)
        .help("write only the first alternative, and write braces and bars without `$`")
}

pub(crate) fn intel_dialect(span: Span) -> Diagnostic {
    let message = "LLVM emits the directive `.intel_syntax` before the assembly, and `ptxas` rejects this directive";
    Diagnostic::error(INTEL_DIALECT, span, message).help("use `AD_ATT`")
}

pub(crate) fn uneven_pack(pack: u32, span: Span) -> Diagnostic {
    let message = format!(
        "`pack={pack}` does not divide the number of elements per thread, so the last execution of the assembly receives undefined elements"
    );
    Diagnostic::warning(UNEVEN_PACK, span, message).help("use a power of two")
}

pub(crate) fn replicated_effect(purity: Purity, span: Span) -> Diagnostic {
    let message = match purity {
        Purity::Pure => {
            "the asm block writes memory, but Triton executes the asm block once per element replica, and `is_pure=True` allows the compiler to delete or repeat the asm block"
        }
        Purity::Impure => {
            "the asm block writes memory, but Triton executes the asm block once per element replica"
        }
    };
    Diagnostic::warning(REPLICATED_EFFECT, span, message)
        .help("use `tl.store` or `tl.atomic_add`, which mask element replicas")
}

/// Returns the help text for operands of C# calls whose uses contradict their direction.
pub(crate) const fn rust_direction() -> &'static str {
    "use `out` for an operand that the assembly writes, and `inout` for an operand that it reads and writes"
}

pub(crate) const fn csharp_direction() -> &'static str {
    "pass `Ref<T>` to `CudaAsm.EmitRef` for an operand that is read and written, because an `out` argument is only an output, and any other argument is only an input"
}

/// Describes the type of an operand and the constraint or C# type that declares it.
pub(crate) fn declared_by(dialect: AsmDialect, letter: &str, ty: ScalarType) -> String {
    match dialect {
        AsmDialect::Cuda | AsmDialect::Llvm => {
            format!("the constraint `\"{letter}\"` declares the operand as `.{ty}`")
        }
        AsmDialect::Rust => format!("`{letter}` declares the operand as `.{ty}`"),
        AsmDialect::Ilgpu => format!("the C# type declares the operand as `.{ty}`"),
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
        ..Diagnostic::warning(LOG_LINE, span, format!("log message: {message}"))
    }
}

pub(crate) fn log_alone(span: Span) -> Diagnostic {
    let message = "the source contains a `ptxas` or driver log, but not the PTX of the module";
    Diagnostic {
        severity: Severity::Information,
        ..Diagnostic::warning(LOG_LINE, span, message).help(
            "paste the PTX below the log to show each message at the corresponding instruction",
        )
    }
}

/// Formats the diagnostic of the Warpgrid checker for the module line to which a log message refers.
pub(crate) fn agrees(own: &Diagnostic) -> String {
    match &own.help {
        Some(help) => format!("Warpgrid reports {}: {}; {help}", own.code, own.message),
        None => format!("Warpgrid reports {}: {}", own.code, own.message),
    }
}

pub(crate) const fn accepted_here() -> &'static str {
    "Warpgrid accepts this line, so the log may belong to a different source, target or PTX version"
}
