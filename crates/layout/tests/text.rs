//! Parsing and printing of layouts, and the error messages for invalid input.

use expect_test::{Expect, expect};
use std::fmt::Write;
use warpgrid_layout::{ComposedLayout, EvalResult, LinearLayout, evaluate, parse};

fn check(texts: &[&str], expect: Expect) {
    let mut all = String::new();
    for text in texts {
        let answer = match evaluate(text) {
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {}", error.in_text(text)),
        };
        let _ = writeln!(all, "{text} = {answer}");
    }
    expect.assert_eq(&all);
}

#[test]
fn layout_expressions_parse_and_print() {
    check(
        &[
            "8:1",
            "(8,4)",
            "((8,2),(64,2)):((64,512),(1,1024))",
            "Swizzle<3,4,3> o ((8,2),(64,2)):((64,512),(1,1024))",
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
            "Sw<3,4,3>_0 o (8,8):(8,1)",
            "SW_3_4_3 o 64 o (8,8):(8,1)",
            "(Int<8>{}, 4) : (4, _1)",
            "{register = [[0, 1], [8, 0]], lane = [[1, 0], [2, 0], [4, 0]]}",
        ],
        expect![[r#"
            8:1 = 8:1
            (8,4) = (8,4):(1,8)
            ((8,2),(64,2)):((64,512),(1,1024)) = ((8,2),(64,2)):((64,512),(1,1024))
            Swizzle<3,4,3> o ((8,2),(64,2)):((64,512),(1,1024)) = Swizzle<3,4,3> o ((8,2),(64,2)):((64,512),(1,1024))
            Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1) = Swizzle<3,3,3> o (8,64):(64,1)
            Sw<3,4,3>_0 o (8,8):(8,1) = error: column 10 (`_`): found `_`, expected `o` or the end of the expression
            SW_3_4_3 o 64 o (8,8):(8,1) = Swizzle<3,4,3> o 64 o (8,8):(8,1)
            (Int<8>{}, 4) : (4, _1) = (8,4):(4,1)
            {register = [[0, 1], [8, 0]], lane = [[1, 0], [2, 0], [4, 0]]} = {register = [[0, 1], [8, 0]], lane = [[1, 0], [2, 0], [4, 0]]}
        "#]],
    );
}

#[test]
fn cute_operations_evaluate_to_expected_layouts() {
    check(
        &[
            "coalesce((2,(1,6)):(1,(6,2)))",
            "(6,2):(8,2) o (4,3):(3,1)",
            "composition(20:2, (5,4):(4,1))",
            "complement(4:2, 24)",
            "logical_divide((4,2,3):(2,1,8), 4:2)",
            "zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>)",
            "logical_product((2,2):(4,1), 6:1)",
            "blocked_product((2,5):(5,1), (3,4):(1,3))",
            "raked_product((2,5):(5,1), (3,4):(1,3))",
            "right_inverse((8,4):(4,1))",
            "left_inverse((4,8):(1,5))",
            "linear(Swizzle<2,1,3> o (8,4):(1,8))",
            "inverse({lane = [3, 2]})",
            "inverse({lane = [1, 1]})",
            "cute({lane = [1, 2, 8], register = [4]})",
        ],
        expect![[r#"
            coalesce((2,(1,6)):(1,(6,2))) = 12:1
            (6,2):(8,2) o (4,3):(3,1) = ((2,2),3):((24,2),8)
            composition(20:2, (5,4):(4,1)) = (5,4):(8,2)
            complement(4:2, 24) = (2,3):(1,8)
            logical_divide((4,2,3):(2,1,8), 4:2) = ((2,2),(2,3)):((4,1),(2,8))
            zipped_divide((9,(4,8)):(59,(13,1)), <3:3,(2,4):(1,8)>) = ((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))
            logical_product((2,2):(4,1), 6:1) = ((2,2),(2,3)):((4,1),(2,8))
            blocked_product((2,5):(5,1), (3,4):(1,3)) = ((2,3),(5,4)):((5,10),(1,30))
            raked_product((2,5):(5,1), (3,4):(1,3)) = ((3,2),(4,5)):((10,5),(30,1))
            right_inverse((8,4):(4,1)) = (4,8):(8,1)
            left_inverse((4,8):(1,5)) = (5,8):(1,4)
            linear(Swizzle<2,1,3> o (8,4):(1,8)) = {in0 = [1, 2, 4], in1 = [8, 18]}
            inverse({lane = [3, 2]}) = {offset = [3, 2]}
            inverse({lane = [1, 1]}) = error: column 1 (`inverse({lane = [1, 1]})`): the layout has no inverse, because the inputs 0 and 3 both map to 0
            cute({lane = [1, 2, 8], register = [4]}) = ((4,2),2):((1,8),4)
        "#]],
    );
}

#[test]
fn invalid_layouts_are_rejected_with_column() {
    check(
        &[
            "",
            "(8,4:(4,1)",
            "(8,4):(4,1",
            "(8,4):4",
            "(8,0):(4,1)",
            "(8,-4):(4,1)",
            "99999999999999999999:1",
            "(1048576,1048576,8):(1,1,1)",
            "(8,8):(1,99999999999999)",
            "Swizzle<3,4> o 8:1",
            "Swizzle<3,4,2> o 8:1",
            "Swizzle<40,4,45> o 8:1",
            "Sw<1,0,3> o smem_ptr[16b](unset) o 8:1",
            "coalesc(8:1)",
            "complement(4:1)",
            "logical_divide(8:1)",
            "composition((4,6,8):(1,5,60), 6:3)",
            "complement((4,2):(1,3), 12)",
            "linear((3,4):(1,3))",
            "linear((4,4):(1,3))",
            "{lane = [[1, 0], [2]]}",
            "{lane = [1, x]}",
            "8:1 8:1",
            "8:1 o",
            "((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))",
        ],
        expect![[r#"
             = error: column 1: found the end of the text, expected a number
            (8,4:(4,1) = error: column 5 (`:`): found `:`, expected `,` or `)`
            (8,4):(4,1 = error: column 11: found the end of the text, expected `,` or `)`
            (8,4):4 = error: column 7 (`4`): the stride is not congruent to the shape (8,4)
            (8,0):(4,1) = error: column 4 (`0`): found the size 0, expected at least 1
            (8,-4):(4,1) = error: column 4 (`-4`): found the size -4, expected at least 1
            99999999999999999999:1 = error: column 1 (`99999999999999999999`): the number is too large, expected at most 281474976710656
            (1048576,1048576,8):(1,1,1) = error: column 18 (`8`): the size of the layout overflows, expected at most 1099511627776 elements
            (8,8):(1,99999999999999) = error: column 10 (`99999999999999`): the offset overflows with this stride, expected an offset of at most 281474976710656
            Swizzle<3,4> o 8:1 = error: column 12 (`>`): found `>`, expected `,`
            Swizzle<3,4,2> o 8:1 = error: column 1 (`Swizzle<3,4,2>`): found Swizzle<3,4,2>, expected a shift of at least 3 so that source and target bits do not overlap
            Swizzle<40,4,45> o 8:1 = error: column 1 (`Swizzle<40,4,45>`): found Swizzle<40,4,45>, expected at most 48 bits in total
            Sw<1,0,3> o smem_ptr[16b](unset) o 8:1 = error: column 1 (`Sw<1,0,3> `): the swizzle splits elements of 2 bytes
            coalesc(8:1) = error: column 1 (`coalesc`): unknown operation, expected a layout such as `(8,4):(4,1)`, or one of coalesce, composition, complement, right_inverse, left_inverse, logical_divide, zipped_divide, tiled_divide, flat_divide, logical_product, zipped_product, tiled_product, flat_product, blocked_product, raked_product, linear, inverse, cute
            complement(4:1) = 1:0
            logical_divide(8:1) = error: column 1 (`logical_divide(8:1)`): found 1 of 2 arguments, expected logical_divide(A, tiler)
            composition((4,6,8):(1,5,60), 6:3) = error: column 1 (`composition((4,6,8):(1,5,60), 6:3)`): cannot compose 6:3 with the left mode 4:1: steps of 3 and the shape 4 are not divisible by each other
            complement((4,2):(1,3), 12) = error: column 1 (`complement((4,2):(1,3), 12)`): (4,2):(1,3) has no complement: the stride of mode 2:3 is not a multiple of 4, so offsets overlap or have irregular gaps
            linear((3,4):(1,3)) = error: column 1 (`linear((3,4):(1,3))`): found a mode of 3 elements (3:1), expected a power of two for a layout that is linear over GF(2)
            linear((4,4):(1,3)) = error: column 1 (`linear((4,4):(1,3))`): the layout is not linear over GF(2), because element 5 has the offset 4, but the XOR of the bases of the index bits is 2
            {lane = [[1, 0], [2]]} = error: column 18 (`[2]`): this basis and the first basis have different numbers of outputs
            {lane = [1, x]} = error: column 13 (`x`): found `x`, expected a number
            8:1 8:1 = error: column 5 (`8`): found `8`, expected `o` or the end of the expression
            8:1 o = error: column 6: found the end of the text, expected a number
            ((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))) = error: column 33 (`(`): the layout has more than 32 levels of brackets
        "#]],
    );
}

#[test]
fn linear_and_strided_layouts_agree() {
    for text in [
        "Swizzle<3,3,3> o (8,64):(64,1)",
        "(2,4,8):(4,1,8)",
        "Swizzle<2,0,-2> o (4,(2,8)):(1,(4,8))",
    ] {
        let layout = parse(text).expect("a layout");
        let linear = LinearLayout::of_layout(&layout, &["lane"]).expect("powers of two");
        let places = layout.offsets().expect("few");
        for (index, place) in places.iter().enumerate() {
            assert_eq!(
                linear.apply(index as u64),
                *place as u64,
                "{text} at {index}"
            );
        }
        let inverse = linear.inverse().expect("each place once");
        assert!(
            places
                .iter()
                .enumerate()
                .all(|(index, place)| inverse.apply(*place as u64) == index as u64)
        );
        let both = inverse.after(&linear).expect("they fit");
        assert!((0..places.len() as u64).all(|index| both.apply(index) == index));
        assert_eq!(linear.rank(), inverse.rank());
    }
    let Ok(EvalResult::Linear(linear)) = evaluate("cute((4,2):(1,4))").map(|value| match value {
        EvalResult::Layout(layout) => {
            EvalResult::Linear(LinearLayout::of_layout(&layout, &[]).expect("powers of two"))
        }
        other => other,
    }) else {
        panic!("bases");
    };
    assert_eq!(
        linear.to_layout().map(ComposedLayout::from),
        parse("(4,2):(1,4)").ok()
    );
}

#[test]
fn evaluation_of_mutated_expression_does_not_panic() {
    // For any truncation or replacement, the evaluation returns a value or an error and does not panic.
    let text = "zipped_divide(Swizzle<3,4,3> o 16 o ((8,2),(64,2)):((64,512),(1,1024)), <3:3,(2,4):(1,8)>)";
    for at in 0..text.len() {
        let _ = evaluate(&text[..at]);
        let _ = evaluate(&text[at..]);
        for with in ["(", ")", ":", ",", "<", "0", "9999999", "o", "-", "{", "∘"] {
            let _ = evaluate(&format!("{}{with}{}", &text[..at], &text[at..]));
        }
    }
}

#[test]
fn coordinate_strides_are_evaluated_and_validated() {
    check(
        &[
            "(128,64):(1@0,1@1)",
            "ArithTuple(0,_0,_0,_0) o ((_128,_64),2,3,1):((_1@0,_1@1),_64@1,_1@2,_1@3)",
            "ArithTuple(32,7) o (8,4):(1@1,2@0)",
            "coalesce((2,(4,8)):(1@0,(2@0,1@1)))",
            "(128,64):(1@0,1@1) o (8,4):(16,128)",
            "(128,64):(1@0,1@1) o <(2,4),8>",
            "logical_divide((128,64):(1@0,1@1), <32,16>)",
            "zipped_divide(ArithTuple(0,64) o (128,64):(1@0,1@1), <32,16>)",
            "flat_divide((128,64):(1@0,1@1), <32,16>)",
            "(8,4):(1@1@0,1@0@0)",
            "(8,4):(0,1@0)",
            "(8,4):(1,1@0)",
            "(8@0,4):(1,8)",
            "(8,4):(1@0,(1@1,1@2))",
            "(8,4):(1@99,1@1)",
            "(8,4):(1@,1@1)",
            "(8,1099511627776):(1@0,1@1)",
            "(8,4):(1@0,281474976710656@1)",
            "complement((8,4):(1@0,1@1), 64)",
            "Swizzle<3,4,3> o (8,4):(1@0,1@1)",
            "(8,4):(1@0,1@1) o Swizzle<3,4,3> o 8:1",
            "(6,4):(1@0,1@1) o (4,2):(2,5)",
        ],
        expect![[r#"
            (128,64):(1@0,1@1) = (128,64):(1@0,1@1)
            ArithTuple(0,_0,_0,_0) o ((_128,_64),2,3,1):((_1@0,_1@1),_64@1,_1@2,_1@3) = ((128,64),2,3,1):((1@0,1@1),64@1,1@2,1@3)
            ArithTuple(32,7) o (8,4):(1@1,2@0) = ArithTuple(32,7) o (8,4):(1@1,2@0)
            coalesce((2,(4,8)):(1@0,(2@0,1@1))) = (8,8):(1@0,1@1)
            (128,64):(1@0,1@1) o (8,4):(16,128) = (8,4):(16@0,1@1)
            (128,64):(1@0,1@1) o <(2,4),8> = ((2,4),8):((1@0,2@0),1@1)
            logical_divide((128,64):(1@0,1@1), <32,16>) = ((32,4),(16,4)):((1@0,32@0),(1@1,16@1))
            zipped_divide(ArithTuple(0,64) o (128,64):(1@0,1@1), <32,16>) = ArithTuple(0,64) o ((32,16),(4,4)):((1@0,1@1),(32@0,16@1))
            flat_divide((128,64):(1@0,1@1), <32,16>) = (32,16,4,4):(1@0,1@1,32@0,16@1)
            (8,4):(1@1@0,1@0@0) = (8,4):(1@1@0,1@0@0)
            (8,4):(0,1@0) = (8,4):(0,1@0)
            (8,4):(1,1@0) = error: column 8 (`1`): found the integer stride 1 together with coordinate strides, expected a stride such as `1@0`
            (8@0,4):(1,8) = error: column 2 (`8@0`): found a coordinate in the shape, expected coordinates only in the stride, such as `(8,4):(1@0,1@1)`
            (8,4):(1@0,(1@1,1@2)) = error: column 7 (`(1@0,(1@1,1@2))`): the stride is not congruent to the shape (8,4)
            (8,4):(1@99,1@1) = error: column 10 (`99`): found the coordinate index 99, expected 0 to 15
            (8,4):(1@,1@1) = error: column 10 (`,`): found `,`, expected a number
            (8,1099511627776):(1@0,1@1) = error: column 4 (`1099511627776`): the size of the layout overflows, expected at most 1099511627776 elements
            (8,4):(1@0,281474976710656@1) = error: column 7 (`(1@0,281474976710656@1)`): the coordinate overflows with the stride 281474976710656@1, expected a coordinate of at most 281474976710656
            complement((8,4):(1@0,1@1), 64) = error: column 1 (`complement((8,4):(1@0,1@1), 64)`): found a coordinate layout for `complement`, expected a layout with integer strides
            Swizzle<3,4,3> o (8,4):(1@0,1@1) = error: column 1 (`Swizzle<3,4,3> o (8,4):(1@0,1@1)`): the layout after `o` has a swizzle, expected a layout without a swizzle
            (8,4):(1@0,1@1) o Swizzle<3,4,3> o 8:1 = error: column 1 (`(8,4):(1@0,1@1) o Swizzle<3,4,3> o 8:1`): found a layout after a coordinate layout, expected a layout with integer strides and no swizzle
            (6,4):(1@0,1@1) o (4,2):(2,5) = error: column 1 (`(6,4):(1@0,1@1) o (4,2):(2,5)`): cannot compose 4:2 with the left mode 6:1@0: the remaining size 4 and the shape 6 are not divisible by each other
        "#]],
    );
}
