# Inline assembly for CPUs, and LLVM IR.
pause() = Base.llvmcall("call void asm sideeffect \"pause\", \"\"()\nret void", Cvoid, Tuple{})
rdtsc() = @asmcall("rdtsc", "=r,~{rdx}", true, UInt64)
plain(x) = Base.llvmcall("%2 = add i32 %0, 1\nret i32 %2", Int32, Tuple{Int32}, x)
