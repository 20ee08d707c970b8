//! Tests of statement edits: the resulting text replacements, and the syntax of instructions.

use expect_test::{Expect, expect};
use warpgrid_isa::form::layouts;
use warpgrid_program::syntax::{Change, InstructionSyntax, StatementEdit, StatementKind};
use warpgrid_program::{Fix, Span};
use warpgrid_ptx::{Editor, parse};

/// Edits the statement that starts with `start`, and compares the resulting source.
fn check(source: &str, start: &str, change: Change, expected: Expect) {
    let parse = parse(source);
    let editor = Editor::new(source, &parse.tree);
    let statements = editor.statements();
    let found = statements
        .iter()
        .find(|own| own.span.text(source).starts_with(start));
    let statement = found.expect("a statement").span;
    let edit = editor.edit(&StatementEdit { statement, change });
    let fix = Fix::of(vec![edit.expect("an edit")]);
    // The first line prevents the removal of the common indentation from the expected text.
    let text = fix.apply(source).replace('\r', "␍");
    expected.assert_eq(&format!("{{\n{text}"));
}

fn before(text: &str) -> Change {
    Change::InsertBefore(text.to_owned())
}

fn after(text: &str) -> Change {
    Change::InsertAfter(text.to_owned())
}

fn instructions(source: &str) -> Vec<InstructionSyntax> {
    let parse = parse(source);
    let all = Editor::new(source, &parse.tree).statements().into_iter();
    let instructions = all.filter_map(|own| match own.kind {
        StatementKind::Instruction(syntax) => Some(syntax),
        StatementKind::Label(_) => None,
    });
    instructions.collect()
}

#[test]
fn inserted_statement_copies_indentation_of_neighbor() {
    let source = "  a.b32 %r1; // first\n  ret;\n";
    check(
        source,
        "ret",
        before("x;\ny;"),
        expect![[r#"
            {
              a.b32 %r1; // first
              x;
              y;
              ret;
        "#]],
    );
    check(
        source,
        "a.b32",
        after("L:\nx;"),
        expect![[r#"
            {
              a.b32 %r1; // first
            L:
              x;
              ret;
        "#]],
    );
    let source = "L:\r\n  ret;\r\n";
    check(
        source,
        "L:",
        after("x;"),
        expect![[r#"
            {
            L:
              x;␍
              ret;␍
        "#]],
    );
    check(
        source,
        "L:",
        Change::Delete,
        expect![[r#"
            {
              ret;␍
        "#]],
    );
}

#[test]
fn other_statements_of_the_line_are_preserved() {
    let source = "  L: mov.u32 %r1, 1; mov.u32 %r2, 2; /* sum */ ret;\n";
    check(
        source,
        "mov.u32 %r1",
        before("x;"),
        expect![[r#"
            {
              L: x;
              mov.u32 %r1, 1; mov.u32 %r2, 2; /* sum */ ret;
        "#]],
    );
    check(
        source,
        "mov.u32 %r1",
        after("x;"),
        expect![[r#"
            {
              L: mov.u32 %r1, 1;
              x;
              mov.u32 %r2, 2; /* sum */ ret;
        "#]],
    );
    check(
        source,
        "mov.u32 %r2",
        Change::Delete,
        expect![[r#"
            {
              L: mov.u32 %r1, 1; /* sum */ ret;
        "#]],
    );
    let replaced = Change::Replace("x;\ny;".to_owned());
    check(
        source,
        "mov.u32 %r2",
        replaced,
        expect![[r#"
            {
              L: mov.u32 %r1, 1; x;
              y; /* sum */ ret;
        "#]],
    );
}

#[test]
fn deleting_statement_removes_line_and_comment() {
    let source = "  mov.u32 %r1,\n    1; // one\n  ret;";
    check(
        source,
        "mov",
        Change::Delete,
        expect![[r#"
        {
          ret;"#]],
    );
    check(
        source,
        "ret",
        Change::Delete,
        expect![[r#"
            {
              mov.u32 %r1,
                1; // one
        "#]],
    );
}

#[test]
fn instruction_components_are_edited_independently() {
    let source = "@!%p ld.relaxed.gpu.global.v2.u32 {%r1, %r2}, [%rd1 + 4];";
    let [load] = &instructions(source)[..] else {
        panic!("expected one instruction");
    };
    assert_eq!(load.to_string(), source);
    let changed = load.with_modifier("relaxed", &["acquire"]);
    let changed = changed.and_then(|load| load.with_operand(1, "[x]".to_owned()));
    let changed = changed.map(|load| load.guarded("@%q".to_owned()).to_string());
    let expected = "@%q ld.acquire.gpu.global.v2.u32 {%r1, %r2}, [x];";
    assert_eq!(changed.as_deref(), Some(expected));
    assert_eq!(load.with_modifier("ld", &[]), None);
    let offset = source.find("%rd1").unwrap_or_default() as u32;
    assert_eq!(load.operand_at(Span::new(offset, offset + 4)), Some(1));
}

/// The parts of an instruction are independent of blanks and comments, and printing the instruction preserves these parts.
#[test]
fn printing_preserves_instruction_components() {
    let text = |syntax: &InstructionSyntax| {
        let operands = syntax.operands.iter().map(|own| own.text.clone());
        let operands: Vec<String> = operands.collect();
        (syntax.guard.clone(), syntax.words.clone(), operands)
    };
    for layout in layouts() {
        for good in layout.form.accepted_examples {
            let own = instructions(good);
            let printed: String = own.iter().map(InstructionSyntax::to_string).collect();
            let again = instructions(&printed);
            let (own, again): (Vec<_>, Vec<_>) = (
                own.iter().map(text).collect(),
                again.iter().map(text).collect(),
            );
            assert_eq!(own, again, "{good}");
        }
    }
}
