//! Calls of `.func`s in the bodies of a test. In: the functions as a person writes them, and a body; out: the body with what each call does in its
//! place, in blocks of its own, line for line.
//!
//! The memory model knows no calls: a thread is the accesses that it makes, wherever their text is. Parameters and results become registers.

use super::module::{LitmusError, fail};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Calls within calls that are followed.
const MOST_DEPTH: usize = 8;
/// Bytes of a body with all that is called.
const MOST_BYTES: usize = 1 << 17;
/// Functions of a test.
const MOST_FUNCTIONS: usize = 64;

/// A parameter or a result: its type without the dot, and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Formal {
    ty: String,
    name: String,
}

/// A function that bodies call.
#[derive(Clone, Debug)]
struct Function {
    results: Vec<Formal>,
    parameters: Vec<Formal>,
    body: String,
}

/// The functions of a test, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Functions {
    by_name: BTreeMap<String, Function>,
}

/// A body whose calls are gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inlined {
    /// As many lines as the body had.
    pub(super) lines: Vec<String>,
    /// Lines of the body, from 0, that called something.
    pub(super) calls: Vec<u32>,
}

impl Functions {
    /// Reads functions from the lines of their text; an error names what cannot be called.
    pub(super) fn read(lines: &[String]) -> Result<Functions, LitmusError> {
        let text = without_comments(&lines.join("\n"));
        let mut functions = Functions::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (head, body, after) = definition(rest)?;
            let (name, function) = function_of(head, body)?;
            if functions.by_name.insert(name.clone(), function).is_some() {
                return fail(format!(
                    "the function `{name}` is defined twice, expected one definition"
                ));
            }
            if functions.by_name.len() > MOST_FUNCTIONS {
                return fail(format!(
                    "the litmus test has more than {MOST_FUNCTIONS} functions: remove functions that no thread calls"
                ));
            }
            rest = after.trim();
        }
        Ok(functions)
    }

    /// A body with its calls in place.
    pub(super) fn inline(&self, body: &[String]) -> Result<Inlined, LitmusError> {
        let is_calling = |line: &String| line.contains("call");
        if !body.iter().any(is_calling) {
            return Ok(Inlined {
                lines: body.to_vec(),
                calls: Vec::new(),
            });
        }
        // A line of a body may have several of the text: they stay one.
        let joined: Vec<String> = body.iter().map(|line| without_comments(line)).collect();
        let joined: Vec<String> = joined.iter().map(|line| line.replace('\n', " ")).collect();
        let mut expander = Expander {
            functions: self,
            next: 0,
            calls: Vec::new(),
        };
        let text = expander.expand(&joined.join("\n"), 0)?;
        Ok(Inlined {
            lines: text.split('\n').map(str::to_owned).collect(),
            calls: expander.calls,
        })
    }

    /// The functions as text that a checker reads by itself.
    pub(super) fn text(&self) -> Vec<String> {
        let formals = |all: &[Formal]| {
            let all = all.iter().map(|f| format!(".reg .{} {}", f.ty, f.name));
            all.collect::<Vec<_>>().join(", ")
        };
        let of_one = |(name, function): (&String, &Function)| {
            let results = match function.results.as_slice() {
                [] => String::new(),
                results => format!("({}) ", formals(results)),
            };
            let parameters = formals(&function.parameters);
            let body = with_registers(&function.body);
            [
                format!(".func {results}{name}({parameters})"),
                format!("{{{body}}}"),
            ]
        };
        self.by_name.iter().flat_map(of_one).collect()
    }
}

/// Puts what calls do in their place.
struct Expander<'a> {
    functions: &'a Functions,
    /// The number of the next call: names of its own.
    next: usize,
    calls: Vec<u32>,
}

/// A call: who is called, with what.
struct Call<'t> {
    guard: &'t str,
    results: Vec<&'t str>,
    name: &'t str,
    arguments: Vec<&'t str>,
}

impl Expander<'_> {
    fn expand(&mut self, text: &str, depth: usize) -> Result<String, LitmusError> {
        let text = with_registers(text);
        let mut out = String::new();
        for statement in statements(&text) {
            let lead = statement.len() - statement.trim_start().len();
            let (space, words) = statement.split_at(lead);
            let Some(call) = call_of(words)? else {
                out.push_str(statement);
                continue;
            };
            out.push_str(space);
            if depth == 0 {
                self.calls.push(out.matches('\n').count() as u32);
            }
            let expanded = self.call(&call, depth)?;
            out.push_str(&expanded);
            out.extend(words.matches('\n'));
            if out.len() > MOST_BYTES {
                return fail(format!(
                    "the litmus test exceeds {MOST_BYTES} bytes after the calls are inlined: reduce the number of calls or the size of the functions"
                ));
            }
        }
        Ok(out)
    }

    fn call(&mut self, call: &Call<'_>, depth: usize) -> Result<String, LitmusError> {
        let name = call.name;
        let Some(function) = self.functions.by_name.get(name) else {
            return fail(format!(
                "the called function `{name}` has no definition: define the function with `.func` before the first thread"
            ));
        };
        if depth >= MOST_DEPTH {
            return fail(format!(
                "the function `{name}` is called at depth {MOST_DEPTH}, but litmus tests support only smaller call depths and no recursion"
            ));
        }
        let (n, m) = (function.parameters.len(), function.results.len());
        if (call.arguments.len(), call.results.len()) != (n, m) {
            return fail(format!(
                "found a call of `{name}` with {} arguments and {} results, expected {n} arguments and {m} results",
                call.arguments.len(),
                call.results.len()
            ));
        }
        let own = self.next;
        self.next += 1;
        let names = Names::of(function, own);
        let mut text = String::from("{ ");
        let mut add = |part: &str| text.push_str(part);
        if !call.guard.is_empty() {
            let skipped = match call.guard.strip_prefix("@!") {
                Some(predicate) => format!("@{predicate}"),
                None => call.guard.replacen('@', "@!", 1),
            };
            add(&format!("{skipped} bra $call{own}_over; "));
        }
        for formal in function.parameters.iter().chain(&function.results) {
            add(&format!(
                ".reg .{} {}; ",
                formal.ty,
                names.rename(&formal.name)
            ));
        }
        for (formal, argument) in function.parameters.iter().zip(&call.arguments) {
            let (bits, name) = (bits_of(&formal.ty)?, names.rename(&formal.name));
            add(&format!("mov.{bits} {name}, {argument}; "));
        }
        let body = names.rename(&function.body.replace('\n', " "));
        let end = format!("$call{own}_end");
        add(&with_ends(&self.expand(&body, depth + 1)?, &end));
        add(&format!(" {end}: "));
        for (formal, result) in function.results.iter().zip(&call.results) {
            let (bits, name) = (bits_of(&formal.ty)?, names.rename(&formal.name));
            if *result != "_" {
                add(&format!("mov.{bits} {result}, {name}; "));
            }
        }
        add(&format!("$call{own}_over: }}"));
        Ok(text)
    }
}

/// The names that a function declares, which get names of their own at each call.
struct Names {
    plain: BTreeSet<String>,
    /// Stems of numbered ones: `%r<4>`.
    stems: Vec<String>,
    own: usize,
}

impl Names {
    fn of(function: &Function, own: usize) -> Names {
        let formals = function.parameters.iter().chain(&function.results);
        let mut names = Names {
            plain: formals.map(|formal| formal.name.clone()).collect(),
            stems: Vec::new(),
            own,
        };
        for statement in statements(&with_registers(&function.body)) {
            let declared = statement.trim().strip_prefix(".reg");
            let declared = declared.and_then(|rest| rest.strip_suffix(';'));
            for part in listed(declared.unwrap_or("")) {
                let name = part.split_whitespace().next_back().unwrap_or("");
                match name.split_once('<') {
                    Some((stem, _)) => names.stems.push(stem.to_owned()),
                    None => names.plain.extend([name.to_owned()]),
                }
            }
        }
        names
    }

    fn has(&self, word: &str) -> bool {
        let is_number = |rest: &str| rest.chars().all(|c| c.is_ascii_digit());
        let of_stem = |stem: &String| word.strip_prefix(stem.as_str()).is_some_and(is_number);
        self.plain.contains(word) || self.stems.iter().any(of_stem)
    }

    /// A text in which declared names are those of the call.
    fn rename(&self, text: &str) -> String {
        let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        let mut out = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            match self.has(word) && !word.is_empty() {
                // The number comes first: a stem has its own after it.
                true => {
                    let (sign, name) = match word.strip_prefix('%') {
                        Some(name) => ("%", name),
                        None => ("", word),
                    };
                    let _ = write!(out, "{sign}call{}_{name}", self.own);
                }
                false => out.push_str(word),
            }
            let end = after.find(in_word).unwrap_or(after.len());
            let (between, after) = after.split_at(end);
            out.push_str(between);
            rest = after;
        }
        out
    }
}

/// Whether a name is one that a call has for itself.
pub(super) fn is_name_of_call(name: &str) -> bool {
    let rest = name.strip_prefix('%').unwrap_or(name).strip_prefix("call");
    rest.and_then(|rest| rest.split_once('_'))
        .is_some_and(|(number, _)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// The type of a move.
fn bits_of(ty: &str) -> Result<&'static str, LitmusError> {
    Ok(match ty {
        "pred" => "pred",
        "b16" | "u16" | "s16" | "f16" => "b16",
        "b32" | "u32" | "s32" | "f32" => "b32",
        "b64" | "u64" | "s64" | "f64" => "b64",
        _ => {
            return fail(format!(
                "found a function parameter of type `.{ty}`, expected a type of 16, 32 or 64 bits"
            ));
        }
    })
}

/// Text whose comments are spaces; the lines stay.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        out.push_str(before);
        let end = match comment.get(..2) {
            Some("//") => comment.find('\n').unwrap_or(comment.len()),
            Some("/*") => comment.find("*/").map_or(comment.len(), |end| end + 2),
            _ => {
                out.push('/');
                rest = comment.get(1..).unwrap_or("");
                continue;
            }
        };
        let (comment, after) = comment.split_at(end);
        out.extend(comment.matches('\n'));
        out.push(' ');
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The pieces of a text that statements begin and end with.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([';', ':', '{', '}'])
}

/// The next definition: what is before its body, the body, and what comes after.
fn definition(text: &str) -> Result<(&str, &str, &str), LitmusError> {
    let Some(open) = text.find('{') else {
        return fail("the function has no body, expected a body in braces");
    };
    // A declaration before it says nothing that the definition does not.
    let declared = text.get(..open).and_then(|head| head.rfind(';'));
    let text = declared.and_then(|end| text.get(end + 1..)).unwrap_or(text);
    let open = text.find('{').unwrap_or(text.len());
    let mut depth = 0;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let (head, rest) = text.split_at(open);
            let (body, after) = rest.split_at(at + 1 - open);
            let body = body.get(1..body.len() - 1).unwrap_or("");
            return Ok((head, body, after));
        }
    }
    fail("the body of the function has no closing brace")
}

/// A function by its head and body.
fn function_of(head: &str, body: &str) -> Result<(String, Function), LitmusError> {
    let Some((_, rest)) = head.split_once(".func") else {
        return fail(format!(
            "found `{}` before the first thread, expected a function (`.func`) or `//@ thread`",
            head.trim().chars().take(40).collect::<String>()
        ));
    };
    let (results, rest) = in_parentheses(rest.trim_start());
    let rest = rest.trim_start();
    let end = rest
        .find(|c: char| c == '(' || c.is_whitespace())
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let (parameters, _) = in_parentheses(rest.trim_start());
    let function = Function {
        results: formals(results)?,
        parameters: formals(parameters)?,
        body: body.to_owned(),
    };
    Ok((name.to_owned(), function))
}

/// What is in the parentheses that a text begins with, if it does, and what comes after.
fn in_parentheses(text: &str) -> (&str, &str) {
    let inner = text.strip_prefix('(');
    let split = inner.and_then(|inner| inner.split_once(')'));
    split.unwrap_or(("", text))
}

fn listed(text: &str) -> Vec<&str> {
    let all = text.split(',').map(str::trim);
    all.filter(|part| !part.is_empty()).collect()
}

/// Parameters: `.reg .b32 %a, .param .b64 b`.
fn formals(text: &str) -> Result<Vec<Formal>, LitmusError> {
    let of_one = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let ty = words.iter().rev().find_map(|word| word.strip_prefix('.'));
        match (ty, words.last()) {
            (Some(ty), Some(name)) if bits_of(ty).is_ok() && !name.contains(['[', '.']) => {
                Ok(Formal {
                    ty: ty.to_owned(),
                    name: (*name).to_owned(),
                })
            }
            _ => fail(format!(
                "found the parameter `{part}` in a call, expected a register or a number of 16, 32 or 64 bits"
            )),
        }
    };
    listed(text).into_iter().map(of_one).collect()
}

/// The call that a statement is, if it is one.
fn call_of(words: &str) -> Result<Option<Call<'_>>, LitmusError> {
    let (guard, rest) = match words.starts_with('@') {
        true => words.split_once(char::is_whitespace).unwrap_or((words, "")),
        false => ("", words),
    };
    let rest = rest.trim_start().strip_prefix("call");
    let Some(rest) = rest.and_then(|rest| rest.strip_suffix(';')) else {
        return Ok(None);
    };
    let rest = rest.strip_prefix(".uni").unwrap_or(rest).trim_start();
    let (results, rest) = in_parentheses(rest);
    let rest = rest.trim_start().trim_start_matches(',').trim_start();
    let (name, rest) = rest.split_once(',').unwrap_or((rest, ""));
    let (arguments, _) = in_parentheses(rest.trim_start());
    let name = name.trim();
    if name.starts_with('%') {
        return fail(format!(
            "found an indirect call through `{name}`, expected a direct call of a named function"
        ));
    }
    Ok(Some(Call {
        guard,
        results: listed(results),
        name,
        arguments: listed(arguments),
    }))
}

/// Text whose parameters are registers.
fn with_registers(text: &str) -> String {
    let mut out = String::new();
    for statement in statements(text) {
        let lead = statement.len() - statement.trim_start().len();
        let (space, words) = statement.split_at(lead);
        out.push_str(space);
        match moved(words) {
            Some(moved) => {
                out.push_str(&moved);
                out.extend(words.matches('\n'));
            }
            None => out.push_str(words),
        }
    }
    out
}

/// A declaration, a load or a store of a parameter as what it is of a register.
pub(super) fn moved(words: &str) -> Option<String> {
    let mut parts = words.split_whitespace();
    let (first, second) = (parts.next()?, parts.next());
    if first == ".param" {
        let name = words.trim_end_matches(';').split_whitespace().next_back()?;
        let ty = second.filter(|ty| ty.starts_with('.'))?;
        return (!name.contains('[')).then(|| format!(".reg {ty} {name};"));
    }
    let (is_load, ty) = match (
        first.strip_prefix("ld.param."),
        first.strip_prefix("st.param."),
    ) {
        (Some(ty), _) => (true, ty),
        (_, Some(ty)) => (false, ty),
        _ => return None,
    };
    let bits = bits_of(ty).ok()?;
    let operands = words.split_once(char::is_whitespace)?.1;
    let (a, b) = operands.trim_end_matches(';').split_once(',')?;
    let (register, place) = if is_load { (a, b) } else { (b, a) };
    let place = place.trim().strip_prefix('[')?.strip_suffix(']')?;
    let place = place.strip_suffix("+0").unwrap_or(place).trim();
    let register = register.trim();
    Some(match is_load {
        true => format!("mov.{bits} {register}, {place};"),
        false => format!("mov.{bits} {place}, {register};"),
    })
}

/// A body that goes to a label where it returned.
fn with_ends(body: &str, end: &str) -> String {
    let mut out = String::new();
    for statement in statements(body) {
        let words = statement.trim();
        let (guard, rest) = match words.starts_with('@') {
            true => words.split_once(char::is_whitespace).unwrap_or((words, "")),
            false => ("", words),
        };
        match rest.trim() {
            "ret;" | "ret.uni;" => {
                // Writing to a string cannot fail.
                let _ = write!(out, " {guard} bra {end};");
            }
            _ => out.push_str(statement),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(text: &str) -> Functions {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        Functions::read(&lines).expect("functions")
    }

    fn inlined(functions: &Functions, body: &str) -> Result<Inlined, String> {
        let lines: Vec<String> = body.lines().map(str::to_owned).collect();
        functions.inline(&lines).map_err(|error| error.message)
    }

    const ADD: &str = ".func (.reg .b32 %r0) add(.reg .b32 %r1, .reg .b32 %r2)
{
    add.u32 %r0, %r1, %r2; // sum
    ret;
}";

    #[test]
    fn a_call_becomes_a_block_on_its_line() {
        let found = inlined(
            &functions(ADD),
            "mov.b32 %r7, 1;\ncall (%r1), add, (%r7, 2);\nret;",
        );
        let found = found.expect("a body");
        assert_eq!((found.lines.len(), found.calls.as_slice()), (3, &[1][..]));
        assert_eq!(found.lines[0], "mov.b32 %r7, 1;");
        let call = &found.lines[1];
        assert!(
            call.contains("add.u32 %call0_r0, %call0_r1, %call0_r2;"),
            "{call}"
        );
        assert!(call.contains("mov.b32 %r1, %call0_r0;"), "{call}");
        assert!(!found.lines[1].contains("ret;"));
    }

    #[test]
    fn lines_stay_where_a_call_takes_several() {
        let body = "{\n.param .b32 p0;\nst.param.b32 [p0+0], %r3;\n.param .b32 r0;\ncall.uni (r0),\n id,\n (p0);\nld.param.b32 %r4, [r0];\n}";
        let text = ".visible .func (.param .b32 out) id(.param .b32 in)\n{\n.reg .b32 %r1;\nld.param.u32 %r1, [in];\nst.param.b32 [out+0], %r1;\nret;\n}";
        let found = inlined(&functions(text), body).expect("a body");
        assert_eq!(found.lines.len(), 9);
        assert_eq!(found.lines[2], "mov.b32 p0, %r3;");
        assert_eq!(found.lines[7], "mov.b32 %r4, r0;");
        let call = &found.lines[4];
        assert!(call.contains("mov.b32 %call0_r1, call0_in;"), "{call}");
    }

    #[test]
    fn what_cannot_be_called_is_refused() {
        let own = functions(ADD);
        for (body, why) in [
            ("call sub, (%r1);", "has no definition"),
            (
                "call (%r1), add, (%r1);",
                "expected 2 arguments and 1 results",
            ),
            ("call (%r1), %rd1, (%r1), proto;", "through `%rd1`"),
        ] {
            let error = inlined(&own, body).expect_err("an error");
            assert!(error.contains(why), "{error}");
        }
        let endless = functions(".func f()\n{\ncall f;\n}");
        let error = inlined(&endless, "call f;").expect_err("an error");
        assert!(error.contains("at depth 8"), "{error}");
        let lines = [".func f(.param .align 8 .b8 s[16]) { ret; }".to_owned()];
        assert!(Functions::read(&lines).is_err());
        assert!(Functions::read(&["add.u32 %r1, %r2, 3;".to_owned()]).is_err());
        let declared = format!("{}{ADD}", ".func f();".repeat(4000));
        assert!(functions(&declared).by_name.contains_key("add"));
    }
}
