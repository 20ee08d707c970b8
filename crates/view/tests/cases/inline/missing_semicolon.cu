// The compiler pastes the string into a module, so that the last semicolon is required.
__device__ void expect(unsigned bar, unsigned bytes)
{
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1" :: "r"(bar), "r"(bytes) : "memory"); // error[W0010] 72..74: expected `;` to end this instruction, found the end of the source
}
