"""Triton kernels of the tests."""

import triton
import triton.language as tl


@triton.jit
def scaled_sum(x, y, out, scale, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, scale * tl.load(x + offsets, mask) + tl.load(y + offsets, mask), mask)


@triton.jit
def unmasked_copy(source, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    values = tl.load(source + offsets)
    tl.store(out + offsets, values)


@triton.jit
def racing_store(out):
    tl.store(out, tl.program_id(0))


@triton.jit
def matrix_product(a, b, out, SIZE: tl.constexpr):
    rows = tl.arange(0, SIZE)[:, None]
    columns = tl.arange(0, SIZE)[None, :]
    offsets = rows * SIZE + columns
    product = tl.dot(tl.load(a + offsets), tl.load(b + offsets), out_dtype=tl.float32)
    tl.store(out + offsets, product)


@triton.jit
def store_rows(out, row_stride, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, COLUMNS)
    tl.store(out + row * row_stride + columns, row * 100 + columns)


@triton.jit
def store_scalars(out, half: tl.float16, brain: tl.bfloat16, double: tl.float64, large, flag, pair):
    tl.store(out, half.to(tl.float64))
    tl.store(out + 1, brain.to(tl.float64))
    tl.store(out + 2, double)
    tl.store(out + 3, large.to(tl.float64))
    tl.store(out + 4, flag.to(tl.float64))
    tl.store(out + 5, (pair[0] - pair[1]).to(tl.float64))


@triton.jit
def print_program():
    tl.device_print("program", tl.program_id(0))


@triton.autotune(configs=[triton.Config({"BLOCK": 32}, num_warps=1), triton.Config({"BLOCK": 256}, num_warps=1)], key=["n"], reset_to_zero=["out"])
@triton.jit
def tuned_increment(out, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * 256
    for start in range(0, 256, BLOCK):
        offsets = first + start + tl.arange(0, BLOCK)
        mask = offsets < n
        tl.store(out + offsets, tl.load(out + offsets, mask) + 1, mask)
