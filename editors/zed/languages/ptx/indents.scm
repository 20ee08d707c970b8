(block "}" @end) @indent
(parameter_list ")" @end) @indent
