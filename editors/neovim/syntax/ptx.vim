" Vim syntax file of PTX.
" Generated from editors/templates/ptx.vim and the instruction tables; `UPDATE_EXPECT=1 cargo test -p xtask --test grammars` writes it.

if exists('b:current_syntax')
  finish
endif

syntax case match
syntax iskeyword @,48-57,_,$,%

syntax match ptxModifier /\.\d*[A-Za-z_]\w*\%(::\w\+\)*/
syntax match ptxType /\.\%(b1\|b128\|b16\|b32\|b64\|b8\|bf16\|bf16x2\|e2m1\|e2m1x2\|e2m1x4\|e2m3\|e2m3x2\|e2m3x4\|e3m2\|e3m2x2\|e3m2x4\|e4m3\|e4m3x2\|e4m3x4\|e5m2\|e5m2x2\|e5m2x4\|f16\|f16x2\|f32\|f32x2\|f64\|pred\|s16\|s16x2\|s2\|s2f6x2\|s32\|s4\|s64\|s8\|s8x4\|samplerref\|surfref\|texref\|tf32\|u16\|u16x2\|u2\|u32\|u4\|u64\|u8\|u8x4\|ue4m3\|ue8m0\|ue8m0x2\)\ze\%([^0-9A-Za-z_:$]\|$\)/
syntax match ptxStateSpace /\.\%(const\|global\|local\|param\|reg\|shared\)\%(::\w\+\)\?\ze\%([^0-9A-Za-z_$]\|$\)/
syntax match ptxDirective /\.\%(common\|extern\|visible\|weak\|abi_preserve\|abi_preserve_after\|abi_preserve_control\|address_size\|alias\|align\|attribute\|blocksareclusters\|branchtargets\|callprototype\|calltargets\|entry\|explicitcluster\|file\|func\|language\|loc\|local_maxnreg\|managed\|maxclusterrank\|maxnctapersm\|maxnreg\|maxntid\|minnctapersm\|noreturn\|pragma\|ptr\|reqnctapercluster\|reqntid\|section\|target\|unified\|version\)\ze\%([^0-9A-Za-z_$]\|$\)/
syntax match ptxRegister /%[0-9A-Za-z_$]\+/
syntax match ptxSpecialRegister /%\%(aggr_smem_size\|clock\|clock64\|clock_hi\|cluster_ctaid\|cluster_ctarank\|cluster_nctaid\|cluster_nctarank\|clusterid\|ctaid\|current_graph_exec\|dynamic_smem_size\|envreg0\|envreg1\|envreg10\|envreg11\|envreg12\|envreg13\|envreg14\|envreg15\|envreg16\|envreg17\|envreg18\|envreg19\|envreg2\|envreg20\|envreg21\|envreg22\|envreg23\|envreg24\|envreg25\|envreg26\|envreg27\|envreg28\|envreg29\|envreg3\|envreg30\|envreg31\|envreg4\|envreg5\|envreg6\|envreg7\|envreg8\|envreg9\|globaltimer\|globaltimer_hi\|globaltimer_lo\|gridid\|is_explicit_cluster\|laneid\|lanemask_eq\|lanemask_ge\|lanemask_gt\|lanemask_le\|lanemask_lt\|nclusterid\|nctaid\|nsmid\|ntid\|nwarpid\|pm0\|pm0_64\|pm1\|pm1_64\|pm2\|pm2_64\|pm3\|pm3_64\|pm4\|pm4_64\|pm5\|pm5_64\|pm6\|pm6_64\|pm7\|pm7_64\|reserved_smem_offset_0\|reserved_smem_offset_1\|reserved_smem_offset_begin\|reserved_smem_offset_cap\|reserved_smem_offset_end\|smid\|tid\|total_smem_size\|warpid\)\>\%(\.[xyzw]\>\)\?/
syntax match ptxNumber /\<\%(0[xX]\x\+\|0[bB][01]\+\|\d\+\)U\?\>/
syntax match ptxFloat /\<0\%([fF]\x\{8}\|[dD]\x\{16}\)\>\|\<\d\+\.\d*\%([eE][-+]\?\d\+\)\?/
syntax match ptxLabel /^\s*[A-Za-z_$%][0-9A-Za-z_$]*\ze\s*:\%([^:]\|$\)/
syntax match ptxGuard /@!\?\s*[%$]\?[0-9A-Za-z_$]\+/
syntax region ptxString start=/"/ skip=/\\./ end=/"/ oneline
syntax match ptxComment ,//.*$, contains=@Spell
syntax match ptxAnnotation ,//@.*$,
syntax region ptxComment start=,/\*, end=,\*/, contains=@Spell
syntax keyword ptxOpcode abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fabric fence fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor

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
