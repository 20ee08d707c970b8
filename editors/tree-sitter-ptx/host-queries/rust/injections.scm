; extends

; Inline PTX in `asm!` of the target nvptx64.
(macro_invocation
  macro: [
    (identifier) @_macro
    (scoped_identifier name: (identifier) @_macro)
  ]
  (token_tree (string_literal (string_content) @injection.content))
  (#eq? @_macro "asm")
  (#match? @injection.content "(^|[\\s;])(@!?[%{]?\\w+[}]?\\s+)?[a-z][a-z0-9]*\\.[a-z0-9.:]+\\s")
  (#set! injection.language "ptx"))
