# Inline assembly in Julia.
using CUDA, LLVM
using LLVM.Interop

#= A block comment with @asmcall("nop;") #= nested =# =#
add(a, b) = @asmcall("add.u32 \$0, \$1, \$2;", "=r,r,r", UInt32, Tuple{UInt32, UInt32}, a, b)

function barrier()
    @asmcall "bar.sync 0;" "~{memory}" true Nothing Tuple{}
    x = A'
    return nothing
end

function lane(x)
    id = LLVM.Interop.@asmcall("""
        mov.u32 \$0, %laneid;
    """, "=r", Int32)
    wrong = @asmcall(raw"add.u64 $0, $1, $1;", "=r,r", UInt32, Tuple{UInt32}, x + 1)
    open = @asmcall("add.$ty \$0, \$1, 1;", "=r,r", UInt32, Tuple{UInt32}, x)
    return id + wrong + open
end
