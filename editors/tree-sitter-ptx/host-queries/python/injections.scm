; extends

; Inline PTX in Triton (`tl.inline_asm_elementwise`) and Numba (`InlineAsm`).
(call
  function: [
    (identifier) @_function
    (attribute attribute: (identifier) @_function)
  ]
  arguments: (argument_list (string (string_content) @injection.content))
  (#any-of? @_function "inline_asm_elementwise" "inline_asm" "InlineAsm")
  (#set! injection.language "ptx"))

; Modules of CuPy and the driver API in a string that starts with a version directive.
((string_content) @injection.content
  (#match? @injection.content "^(\\s|//[^\\n]*\\n)*\\.version\\s")
  (#set! injection.language "ptx"))
