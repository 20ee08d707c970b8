" Vim syntax file of PTX.
" Generated from editors/templates/ptx.vim and the instruction tables; `UPDATE_EXPECT=1 cargo test -p xtask --test grammars` writes it.

if exists('b:current_syntax')
  finish
endif

syntax case match
syntax iskeyword @,48-57,_,$,%

syntax match ptxModifier /\.\d*[A-Za-z_]\w*\%(::\w\+\)*/
syntax match ptxType /\.\%({{ptx.types vim}}\)\ze\%([^0-9A-Za-z_:$]\|$\)/
syntax match ptxStateSpace /\.\%({{ptx.spaces vim}}\)\%(::\w\+\)\?\ze\%([^0-9A-Za-z_$]\|$\)/
syntax match ptxDirective /\.\%({{ptx.linkage vim}}\|{{ptx.directives vim}}\)\ze\%([^0-9A-Za-z_$]\|$\)/
syntax match ptxRegister /%[0-9A-Za-z_$]\+/
syntax match ptxSpecialRegister /%\%({{ptx.special_registers vim}}\)\>\%(\.[xyzw]\>\)\?/
syntax match ptxNumber /\<\%(0[xX]\x\+\|0[bB][01]\+\|\d\+\)U\?\>/
syntax match ptxFloat /\<0\%([fF]\x\{8}\|[dD]\x\{16}\)\>\|\<\d\+\.\d*\%([eE][-+]\?\d\+\)\?/
syntax match ptxLabel /^\s*[A-Za-z_$%][0-9A-Za-z_$]*\ze\s*:\%([^:]\|$\)/
syntax match ptxGuard /@!\?\s*[%$]\?[0-9A-Za-z_$]\+/
syntax region ptxString start=/"/ skip=/\\./ end=/"/ oneline
syntax match ptxComment ,//.*$, contains=@Spell
syntax match ptxAnnotation ,//@.*$,
syntax region ptxComment start=,/\*, end=,\*/, contains=@Spell
syntax keyword ptxOpcode {{ptx.opcodes words}}

highlight default link ptxModifier Special
highlight default link ptxType Type
highlight default link ptxStateSpace StorageClass
highlight default link ptxDirective PreProc
highlight default link ptxRegister Identifier
highlight default link ptxSpecialRegister Constant
highlight default link ptxNumber Number
highlight default link ptxFloat Float
highlight default link ptxLabel Label
highlight default link ptxGuard Conditional
highlight default link ptxString String
highlight default link ptxComment Comment
highlight default link ptxAnnotation SpecialComment
highlight default link ptxOpcode Statement

let b:current_syntax = 'ptx'
