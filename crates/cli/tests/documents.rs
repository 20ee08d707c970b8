//! Documents: their blocks are checked and formatted in place.

mod common;

use common::{Folder, json, warpgrid};
use expect_test::{Expect, expect};

#[test]
fn markdown_diagnostics_and_fixes_use_document_positions() {
    let folder = Folder::new("guide");
    let path = folder.file(
        "guide.md",
        b"# Stores\n\n```ptx\nst.global.f32 [p], x;\n```\n\n> \xc3\xa9 ```\n> ```ptx,playground\n> st.shred.f32 [p], x;\n> ```\n",
    );
    let output = warpgrid(&["check", "--format", "json", &path], "");
    assert_eq!(output.status.code(), Some(1));
    let verdict = json(&output);
    let diagnostics = verdict["diagnostics"].as_array().expect("a list");
    let found = diagnostics.iter().find(|found| found["code"] == "W0101");
    let found = found.expect("the word is unknown");
    assert_eq!((&found["line"], &found["column"]), (&9.into(), &6.into()));
    // The fix also applies to the document.
    let edit = &found["fix"]["edits"][0];
    assert_eq!((&edit["line"], &edit["column"]), (&9.into(), &6.into()));
    let output = warpgrid(&["check", &path], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("guide.md:9:6"), "{text}");
    assert!(
        text.contains("guide.md: 2 blocks of PTX, rejected, 1 error"),
        "{text}"
    );
}

#[test]
fn rst_target_option_applies_unless_overridden_by_cli() {
    let text = "Title\n=====\n\n.. ptx-playground::\n   :target: sm_20\n\n   st.async.global.u32 [a], b;\n";
    let folder = Folder::new("restructured");
    let path = folder.file("guide.rst", text.as_bytes());
    let output = warpgrid(&["check", "--format", "json", &path], "");
    assert_eq!(output.status.code(), Some(1));
    let verdict = json(&output);
    let places = verdict["diagnostics"].as_array().expect("a list");
    assert!(places.iter().all(|found| found["line"] == 7), "{verdict}");
    // Options of the command line take precedence.
    let good = text.replace("st.async.global.u32", "st.global.u32");
    let good = folder.file("good.rst", good.as_bytes());
    let check = |target| {
        warpgrid(&["check", "--target", target, &good], "")
            .status
            .code()
    };
    assert_eq!(check("sm_90"), Some(0));
    assert_eq!(check("sm_nonsense"), Some(2));
}

/// Checks a document with the given name and compares the text output.
fn check(name: &str, text: &str, expect: Expect) {
    let folder = Folder::new(&format!("check-{name}"));
    let path = folder.file(name, text.as_bytes());
    let output = warpgrid(&["check", &path], "");
    let seen = String::from_utf8_lossy(&output.stdout);
    let place = format!("{}/", folder.0.display());
    expect.assert_eq(&seen.replace(&place, ""));
}

#[test]
fn sass_block_is_checked_and_sass_stylesheet_is_skipped() {
    check(
        "guide.md",
        "```sass target=sm_90\nSTS.64 [R7.X4], R2;\n```\n\n```sass\n.nav\n  color: red\n```\n\n```ptx\nret;\n```\n",
        expect![[r#"
            error[W1107]: `STS` with the address form `[Ra.X4 + Imm]` is not available on `sm_90`
             --> guide.md:2:8
              |
            2 | STS.64 [R7.X4], R2;
              |        ^^^^^^^
              |
              = help: available on `sm_75` to `sm_89`

            guide.md: 1 block of PTX, 1 of SASS, rejected, 1 error
        "#]],
    );
}

#[test]
fn widget_elements_in_documents_are_checked() {
    check(
        "guide.md",
        "Text.\n\n<warpgrid-playground target=\"sm_90\" veiw=\"grid\">\nst.shred.u32 [p], 5;\n\nret;\n</warpgrid-playground>\n\n<warpgrid-playground>\n<pre>\nmov.u32 %r1, 5;\n\nst.shred.u32 [p], %r1;  // &lt; &amp; st.shred\n</pre></warpgrid-playground>\n\n<warpgrid-playground src=\"a.ptx\"></warpgrid-playground>\n",
        expect![[r#"
            warning[W0907]: an empty line ends an HTML element in Markdown
             --> guide.md:5:1
              |
            5 |
              | ^
              |
              = help: enclose the source of the widget in `<pre>` and `</pre>`

            warning[W0906]: unknown attribute `veiw`
             --> guide.md:3:37
              |
            3 | <warpgrid-playground target="sm_90" veiw="grid">
              |                                     ^^^^^^^^^^^
              |
              = help: did you mean `view`?

            information[W0140]: inferred declarations: `.reg .b64 p;` (a buffer, 4 bytes per lane)
             --> guide.md:4:1
              |
            4 | st.shred.u32 [p], 5;
              | ^

            error[W0101]: unknown modifier `.shred`
             --> guide.md:4:4
              |
            4 | st.shred.u32 [p], 5;
              |    ^^^^^
              |
              = help: did you mean `.shared`?
              = fix: replace `.shred` with `.shared`

            information[W0140]: inferred declarations: `.reg .u32 %r1;` `.reg .b64 p;` (a buffer, 4 bytes per lane)
              --> guide.md:11:1
               |
            11 | mov.u32 %r1, 5;
               | ^

            error[W0101]: unknown modifier `.shred`
              --> guide.md:13:4
               |
            13 | st.shred.u32 [p], %r1;  // &lt; &amp; st.shred
               |    ^^^^^
               |
               = help: did you mean `.shared`?
               = fix: replace `.shred` with `.shared`

            guide.md: 2 blocks of PTX, rejected, 2 errors, 2 warnings
        "#]],
    );
    check(
        "guide.rst",
        "Title\n=====\n\n.. raw:: html\n\n   <warpgrid-playground><script type=\"text/ptx\">\n   st.shred.u32 [p], 5;\n   </script></warpgrid-playground>\n",
        expect![[r#"
            information[W0140]: inferred declarations: `.reg .b64 p;` (a buffer, 4 bytes per lane)
             --> guide.rst:7:4
              |
            7 |    st.shred.u32 [p], 5;
              |    ^

            error[W0101]: unknown modifier `.shred`
             --> guide.rst:7:7
              |
            7 |    st.shred.u32 [p], 5;
              |       ^^^^^
              |
              = help: did you mean `.shared`?
              = fix: replace `.shred` with `.shared`

            guide.rst: 1 block of PTX, rejected, 1 error
        "#]],
    );
}

#[test]
fn unknown_fence_attributes_produce_warnings() {
    check(
        "guide.md",
        "- a\n\n  ```ptx,playground veiw=grid bogus=1 title=\"a b\" step=x\n  ret;\n  ```\n\n```{ptx-playground}\n:view: gird\n:target: sm_90\nret;\n```\n",
        expect![[r#"
            warning[W0906]: unknown attribute `veiw`
             --> guide.md:3:21
              |
            3 |   ```ptx,playground veiw=grid bogus=1 title="a b" step=x
              |                     ^^^^^^^^^
              |
              = help: did you mean `view`?

            warning[W0906]: unknown attribute `bogus`
             --> guide.md:3:31
              |
            3 |   ```ptx,playground veiw=grid bogus=1 title="a b" step=x
              |                               ^^^^^^^

            warning[W0906]: found `step=x`, expected a step number or `end`
             --> guide.md:3:51
              |
            3 |   ```ptx,playground veiw=grid bogus=1 title="a b" step=x
              |                                                   ^^^^^^

            warning[W0906]: found `view=gird`, expected one of `split`, `editor`, `grid`, `matrix`, `result`, `quiz`
             --> guide.md:8:1
              |
            8 | :view: gird
              | ^^^^^^^^^^^

            guide.md: 2 blocks of PTX, accepted, 4 warnings
        "#]],
    );
    check(
        "guide.rst",
        ".. ptx-playground::\n   :veiw: grid\n   :target: sm_90\n\n   ret;\n",
        expect![[r#"
            warning[W0906]: unknown attribute `veiw`
             --> guide.rst:2:4
              |
            2 |    :veiw: grid
              |    ^^^^^^^^^^^
              |
              = help: did you mean `view`?

            guide.rst: 1 block of PTX, accepted, 1 warning
        "#]],
    );
}

#[test]
fn document_without_code_blocks_produces_warning() {
    check(
        "notes.md",
        "# Notes\n\n```txp\nret;\n```\n",
        expect![[r#"
            warning[W0908]: the document contains no code block with PTX or SASS
             --> notes.md:1:1
              |
            1 | # Notes
              | ^

            notes.md: no blocks, 1 warning
        "#]],
    );
}

/// Formats a document with the given name and compares the result. Formatting is idempotent.
fn format(name: &str, text: &str, expect: Expect) {
    let folder = Folder::new(&format!("format-{name}"));
    let path = folder.file(name, text.as_bytes());
    let read = || String::from_utf8(std::fs::read(&path).expect("it is there")).expect("text");
    let output = warpgrid(&["format", &path], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let once = read();
    expect.assert_eq(&once);
    warpgrid(&["format", &path], "");
    assert_eq!(read(), once);
}

#[test]
fn format_rewrites_only_code_blocks_of_markdown() {
    format(
        "guide.md",
        "# St  ores ;\n\n```ptx\nst.global.f32   [p],x ;  ret;\n```\n\nUse `st.global ` ;  twice.\n\n- a\n\n  ```ptx\n  st.global.f32   [p],x ;  ret;\n\n\n  ret ;\n  ```\n> ```ptx\n> st.global.f32   [p],x ;  ret;\n>\n> ret;\n> ```\n\n```toml\n# a; b\nx   = 1\n```\n\n```ptx,ignore\nst.global.f32   [p],x ;\n```\n\n```sass\n  STS   [R2],R3 ;\n```\n",
        expect![[r#"
            # St  ores ;

            ```ptx
            st.global.f32 [p], x;
            ret;
            ```

            Use `st.global ` ;  twice.

            - a

              ```ptx
              st.global.f32 [p], x;
              ret;

              ret;
              ```
            > ```ptx
            > st.global.f32 [p], x;
            > ret;
            >
            > ret;
            > ```

            ```toml
            # a; b
            x   = 1
            ```

            ```ptx,ignore
            st.global.f32   [p],x ;
            ```

            ```sass
                STS [R2], R3;
            ```
        "#]],
    );
}

#[test]
fn format_rewrites_widget_element_in_markdown() {
    format(
        "elements.md",
        "<warpgrid-playground>\n  <pre>\n  mov.u32   %r1,5 ;\n\n  st.global.u32   [p],%r1;  // &lt; &amp;\n  </pre>\n</warpgrid-playground>\n\n  a   ; b\n",
        expect![[r#"
            <warpgrid-playground>
              <pre>
              mov.u32 %r1, 5;

              st.global.u32 [p], %r1; // &lt; &amp;
              </pre>
            </warpgrid-playground>

              a   ; b
        "#]],
    );
}

#[test]
fn format_rewrites_only_code_blocks_of_rst() {
    format(
        "guide.rst",
        "Title ;\n=======\n\n.. ptx-playground::\n   :view: grid\n\n   st.global.f32   [p],x ;  ret;\n\n   ret  ;\n\nProse   ; more.\n\n.. code-block:: sass\n\n       STS   [R2],R3 ;\n",
        expect![[r#"
            Title ;
            =======

            .. ptx-playground::
               :view: grid

               st.global.f32 [p], x;
               ret;

               ret;

            Prose   ; more.

            .. code-block:: sass

                   STS [R2], R3;
        "#]],
    );
}

#[test]
fn format_preserves_crlf_in_documents() {
    let folder = Folder::new("returns");
    let text = "# A\r\n\r\n```ptx\r\nst.global.f32   [p],x ;  ret;\r\n```\r\nb\r\n";
    let path = folder.file("guide.md", text.as_bytes());
    warpgrid(&["format", &path], "");
    let formatted = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(
        formatted,
        "# A\r\n\r\n```ptx\r\nst.global.f32 [p], x;\r\nret;\r\n```\r\nb\r\n"
    );
}

#[test]
fn unclosed_and_nested_elements_do_not_panic() {
    let folder = Folder::new("unclosed");
    let element = "<warpgrid-playground>";
    for (name, text) in [
        (
            "a.md",
            format!("{element}st.global.u32   [p], 1; {element} ret   ;\n\n```ptx\nret   ;\n```\n"),
        ),
        (
            "b.md",
            format!(
                "{element}\n{element}\nret   ;\n</warpgrid-playground>\n</warpgrid-playground>\n\n```ptx\nret   ;\n```\n"
            ),
        ),
        (
            "c.rst",
            format!(".. raw:: html\n\n   {element}ret   ;\n\n.. code-block:: ptx\n\n   ret   ;\n"),
        ),
        ("d.md", format!("{element} é <pre é")),
        ("e.md", "<warpgrid-playground a='".to_owned()),
    ] {
        let path = folder.file(name, text.as_bytes());
        for command in ["check", "format"] {
            let output = warpgrid(&[command, &path], "");
            assert!(
                matches!(output.status.code(), Some(0..=2)),
                "{command} {name}: {output:?}"
            );
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!words.contains("panicked"), "{command} {name}: {words}");
        }
    }
}
