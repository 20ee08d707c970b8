; Patterns are ordered from general to specific, since a later pattern takes precedence.

(identifier) @variable
(register) @variable
(special_register) @variable.builtin
((identifier) @constant.builtin (#eq? @constant.builtin "WARP_SZ"))
(target (identifier) @constant)

(opcode) @keyword
((opcode) @keyword.control
  (#match? @keyword.control "^(bra|brx|call|ret|exit|trap)$"))
(modifier) @attribute
(type) @type
(vector_width) @type
(state_space) @keyword.storage
(linkage) @keyword.storage

(function name: (identifier) @function)
(label name: (_) @label)
(guard "@" @operator)
(guard [(identifier) (register)] @variable.parameter)
(parameter (declarator name: (_) @variable.parameter))
(field_initializer (identifier) @property)
(section_name) @string.special

[
  ".version" ".target" ".address_size" ".file" ".loc" ".section" ".pragma" ".alias" ".entry" ".func" ".align" ".attribute" ".ptr"
  ".managed" ".unified" ".callprototype" ".calltargets" ".branchtargets" "function_name" "inlined_at"
  ".maxntid" ".reqntid" ".minnctapersm" ".maxnctapersm" ".maxnreg" ".reqnctapercluster" ".maxclusterrank" ".noreturn"
  ".explicitcluster" ".blocksareclusters" ".local_maxnreg" ".language" ".abi_preserve" ".abi_preserve_control" ".abi_preserve_after"
] @keyword.directive

(integer) @number
(float) @number
(string) @string
(comment) @comment
(line_marker) @keyword.directive
(annotation) @comment.documentation

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter
["+" "-" "*" "/" "%" "!" "~" "&" "|" "^" "<<" ">>" "==" "!=" "<=" ">=" "&&" "||" "?" "="] @operator
