// `%4` and `%5` are one too high for the expected value: `elo` is never used, and `+l` would not help.
__device__ bool cas16(unsigned long long *p, unsigned long long elo, unsigned long long ehi,
                      unsigned long long nlo, unsigned long long nhi)
{
    unsigned long long olo, ohi;
    asm volatile("{ .reg .b128 d, v;"
        "mov.b128 d, {%3, %4}; mov.b128 v, {%4, %5};"
        "atom.cas.acq_rel.gpu.global.b128 d, [%2], d, v; mov.b128 {%0, %1}, d; }"
        : "=l"(olo), "=l"(ohi) : "l"(p), "l"(elo), "l"(ehi), "l"(nlo),
          "l"(nhi) : "memory"); // warning[W1217] 12..13: the assembly never uses operand `%6` (`nhi`)
    return olo == elo && ohi == ehi;
}
