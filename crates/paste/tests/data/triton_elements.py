import triton.language as tl

def packed(x):
    a = tl.inline_asm_elementwise("abs.f16 $0, $1;", "=h,h", [x], dtype=tl.float16, is_pure=True, pack=1)
    b = tl.inline_asm_elementwise("abs.f16 $0, $1;", "=h,h", [x], tl.float16, True, 2)
    c = tl.inline_asm_elementwise("not.b16 $0, $1;", "=h,h", [x], dtype=(tl.int8, tl.int8), is_pure=True, pack=2)
    d = tl.inline_asm_elementwise("not.b16 $0, $1;", "=h,h", [x], dtype=tl.int8, is_pure=True, pack=4)
    e = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=6)
    return tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=PACK)

def effects(p, x):
    a = tl.inline_asm_elementwise("st.global.b32 [$1], $2; mov.b32 $0, $2;", "=r,l,r", [p, x], dtype=tl.int32, is_pure=True, pack=1)
    b = tl.inline_asm_elementwise("atom.global.add.u32 $0, [$1], $2;", "=r,l,r", [p, x], tl.int32, False, 1)
    c = tl.inline_asm_elementwise("ld.global.b32 $0, [$1];", "=r,l", [p], dtype=tl.int32, is_pure=True, pack=1)
    return llvm.inline_asm(i32, [p, x], "{ .reg .b32 t; mov.b32 t, $2; st.global.b32 [$1], t; mov.b32 $0, t; }", "=r,l,r,~{memory}", has_side_effects=True, asm_dialect=llvm.AsmDialect.AD_ATT)

def dialects(x, y):
    a = llvm.inline_asm(i32, [x, y], "$(add$|sub $1,$).u32 $0, $1, $2; { .reg .pred p; setp.eq.u32 p|p, $1, $2; }", "=r,r,r", asm_dialect=llvm.AsmDialect.AD_ATT)
    b = llvm.inline_asm(i32, [x], "mov.u32 $0, $1; // $| $) $(", "=r,r", asm_dialect=llvm.AsmDialect.AD_Intel)
