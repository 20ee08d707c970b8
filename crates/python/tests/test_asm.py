"""Inline assembly for each element of arrays."""

import array
import unittest

import warpgrid as wg


class Asm(unittest.TestCase):
    def test_numbers_have_number_as_result(self):
        self.assertEqual(wg.asm("add.s32 $0, $1, $2;", "=r,r,r", 40, 2), 42)
        self.assertEqual(wg.asm("add.s32 $0, $1, $2;", "=r,r,r", 1, -2, dtype="int32"), -1)
        self.assertEqual(wg.asm("mul.f64 $0, $1, $2;", "=d,d,d", 1.5, 2.0), 3.0)

    def test_conversion_to_narrow_float(self):
        a, b = array.array("f", [1.0, 2.0]), array.array("f", [0.5, 1000.0])
        result = wg.asm("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", a, b)
        self.assertEqual([hex(value) for value in result], ["0x3830", "0x407e"])

    def test_several_outputs_are_a_tuple(self):
        low, high = wg.asm("mov.b64 {$0, $1}, $2;", "=r,=r,l", array.array("Q", [0x1_0000_0002]))
        self.assertEqual((low.tolist(), high.tolist()), ([2], [1]))

    def test_packed_elements(self):
        source = array.array("B", range(8))
        result = wg.asm("xor.b32 $0, $1, 0xffffffff;", "=r,r", source, dtype="uint8", pack=4)
        self.assertEqual(result.tolist(), [255 - value for value in range(8)])
        words = array.array("I", [1, 2, 3, 4])
        result = wg.asm("mov.u32 $0, $3; mov.u32 $1, $2;", "=r,=r,r,r", words, dtype="uint32", pack=2)
        self.assertEqual(result.tolist(), [2, 1, 4, 3])

    def test_tied_operand_and_local_registers(self):
        result = wg.asm("{ .reg .b32 t; add.u32 t, $0, 1; mov.b32 $0, t; }", "=r,0", array.array("I", [1, 2]))
        self.assertEqual(result.tolist(), [2, 3])

    def test_many_elements_and_repeated_calls(self):
        values = array.array("I", range(1000))
        for _ in range(3):
            result = wg.asm("popc.b32 $0, $1;", "=r,r", values)
        self.assertEqual(result.tolist(), [value.bit_count() for value in values])

    def test_rejected_assembly_has_position_in_template(self):
        with self.assertRaises(wg.SourceError) as caught:
            wg.asm("add.u32 $0, $1;", "=r,r", 1)
        self.assertEqual(caught.exception.diagnostics[0].line, 1)
        with self.assertRaises(wg.SourceError):
            wg.asm("add.u32 $0, $1, %undeclared;", "=r,r", 1)
        with self.assertRaises(wg.SourceError):
            wg.asm("add.u32 $0, $1, 1;", "=r,z", array.array("I", [1]))

    def test_operands_that_do_not_match_inputs_are_rejected(self):
        for constraints, inputs, options in [
            ("=r,r", (), {}),
            ("=r,r", (1, 2), {}),
            ("=r,f", (array.array("d", [1.0]),), {}),
            ("=r,r", (array.array("I", [1, 2, 3]),), {"pack": 2}),
            ("=r,r", (array.array("I", [1]),), {"dtype": "unknown"}),
            ("=r,r,r", (array.array("I", [1]), array.array("I", [1, 2])), {}),
            ("=r,r", (1.5,), {}),
        ]:
            with self.assertRaises(wg.ArgumentError, msg=(constraints, inputs)):
                wg.asm("mov.u32 $0, $1;", constraints, *inputs, **options)

    def test_target_is_checked(self):
        with self.assertRaises(wg.SourceError):
            wg.asm("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", 1.0, 1.0, target="sm_80")


if __name__ == "__main__":
    unittest.main()
