"""Evaluates test cases with two reference implementations of the layout algebra: reads one JSON case per line, and prints both results.

Requires the packages `tensor-layouts` and `pycute` (of CUTLASS). A result is the sizes of the modes and the offsets, or an error message.
"""
import json
import sys

import pycute
import tensor_layouts as tl

LISTED = 256


def tuples(x):
    return tuple(tuples(y) for y in x) if isinstance(x, list) else x


class Pycute:
    @staticmethod
    def layout(a):
        return pycute.Layout(tuples(a[0]), tuples(a[1]))

    def tiler(self, b):
        if b[0] == "each":
            return tuple(self.tiler(x) for x in b[1])
        return self.layout(b[1])

    def run(self, case):
        op, a = case["op"], self.layout(case["a"])
        b = case.get("b")
        if op == "swizzle":
            s = pycute.Swizzle(*case["swizzle"])
            return (lambda i: s(case["offset"] + a(i))), [a.size()]
        if op == "coalesce":
            r = pycute.coalesce(a)
        elif op == "complement":
            r = pycute.complement(a, case["size"])
        elif op in ("right_inverse", "left_inverse"):
            r = getattr(pycute, op)(a)
        elif op == "composition":
            r = pycute.composition(a, self.tiler(b))
        else:
            r = getattr(pycute, op)(a, self.tiler(b))
        return r, [pycute.product(x) for x in (r.shape if isinstance(r.shape, tuple) else (r.shape,))]


class Tensor:
    @staticmethod
    def layout(a):
        return tl.Layout(tuples(a[0]), tuples(a[1]))

    def tiler(self, b):
        if b[0] == "each":
            return tuple(self.tiler(x) for x in b[1])
        return self.layout(b[1])

    def run(self, case):
        op, a = case["op"], self.layout(case["a"])
        b = case.get("b")
        if op == "swizzle":
            s = tl.Swizzle(*case["swizzle"])
            return (lambda i: s(case["offset"] + a(i))), [tl.size(a)]
        if op == "coalesce":
            r = tl.coalesce(a)
        elif op == "complement":
            r = tl.complement(a, case["size"])
        elif op in ("right_inverse", "left_inverse"):
            r = getattr(tl, op)(a)
        elif op == "composition":
            r = tl.compose(a, self.tiler(b))
        else:
            r = getattr(tl, op)(a, self.tiler(b))
        return r, [tl.size(x) for x in (r.shape if isinstance(r.shape, tuple) else (r.shape,))]


def size(parts):
    n = 1
    for part in parts:
        n *= part
    return n


def answer(algebra, case):
    try:
        r, parts = algebra.run(case)
        n = size(parts)
        if n > LISTED:
            return {"error": f"{n} elements"}
        return {"parts": parts, "offsets": [r(i) for i in range(n)]}
    except Exception as error:  # Both implementations raise exceptions of various types.
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    algebras = {"pycute": Pycute(), "tensor_layouts": Tensor()}
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps({name: answer(algebra, case) for name, algebra in algebras.items()}), flush=False)


main()
