(function) @local.scope
(block) @local.scope

(declarator name: (_) @local.definition)
(label name: (_) @local.definition)
(function name: (identifier) @local.definition)

(identifier) @local.reference
(register) @local.reference
