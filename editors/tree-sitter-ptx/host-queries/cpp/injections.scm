; extends

; Inline PTX in `asm` statements of C, C++ and CUDA.
(gnu_asm_expression
  assembly_code: (string_literal (string_content) @injection.content)
  (#set! injection.language "ptx"))

(gnu_asm_expression
  assembly_code: (concatenated_string (string_literal (string_content) @injection.content))
  (#set! injection.language "ptx")
  (#set! injection.combined))

(gnu_asm_expression
  assembly_code: (raw_string_literal (raw_string_content) @injection.content)
  (#set! injection.language "ptx"))
