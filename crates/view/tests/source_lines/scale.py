import triton.language as tl
import triton


@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr):
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < n
    value = tl.load(x + index, mask=mask)
    tl.store(y + index, value * 2.0, mask=mask)
