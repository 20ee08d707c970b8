"""Functions with asm in their names: disasm(x), asm(code), and asm ("text")."""
from keystone import Ks

def asm(code):
    return Ks(1, 2).asm(code)

shellcode = asm("xor eax, eax; int 0x80")
text = asm(f"mov {register}, {value}")
bytes_ = b"asm volatile(\"nop\")"
result = llvm.inline_asm(i64, [], "rdtsc", "={rax},~{rdx}", has_side_effects=True)
