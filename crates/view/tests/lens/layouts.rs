//! Layout inference: kernels with random layouts have an equivalent inferred layout, and irregular address patterns have none.

use std::fmt::Write;
use warpgrid_layout::{ComposedLayout, Layout, Swizzle, Tuple, parse};
use warpgrid_view::layouts::inspector::InferredAccessLayout;
use warpgrid_view::{Scenario, Session};

/// Deterministic random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Returns a shape of `n` elements with factors in random order.
fn factors(random: &mut Random, mut n: u64) -> Vec<i64> {
    let mut all = Vec::new();
    while n > 1 {
        let divisors: Vec<u64> = (2..=n).filter(|d| n.is_multiple_of(*d)).collect();
        let taken = random.one_of(&divisors);
        all.push(taken as i64);
        n /= taken;
    }
    if all.is_empty() {
        all.push(1);
    }
    all
}

fn tuple(numbers: &[i64]) -> Tuple {
    match numbers {
        [one] => Tuple::Leaf(*one),
        many => Tuple::Node(many.iter().map(|number| Tuple::Leaf(*number)).collect()),
    }
}

/// Returns a random layout of `(lane, iteration)` with permuted dimensions, gaps or overlaps, half of them with a swizzle.
fn layout(random: &mut Random) -> ComposedLayout {
    let lanes = factors(random, 32);
    let n_iterations = random.one_of(&[1, 2, 3, 4, 6, 8, 16]);
    let iterations = factors(random, n_iterations);
    let sizes: Vec<i64> = lanes.iter().chain(&iterations).copied().collect();
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at as u64 + 1) as usize);
    }
    let mut strides = vec![0i64; sizes.len()];
    let mut next = 1i64;
    for at in order {
        next *= random.one_of(&[1, 1, 1, 2, 3]);
        strides[at] = match random.below(12) {
            0 => random.below(9) as i64,
            _ => next,
        };
        next *= sizes[at];
    }
    let (lane_strides, iteration_strides) = strides.split_at(lanes.len());
    let part = |shape: &[i64], stride: &[i64]| {
        Layout::new(tuple(shape), tuple(stride)).expect("small numbers")
    };
    let parts = [
        part(&lanes, lane_strides),
        part(&iterations, iteration_strides),
    ];
    let bits = random.below(4) as u32;
    let swizzle = (random.below(2) == 0 && bits > 0).then(|| {
        let shift = bits + random.below(3) as u32;
        Swizzle::new(bits, random.below(4) as u32, shift as i32).expect("small numbers")
    });
    ComposedLayout {
        swizzle,
        offset: random.below(3) as i64 * 64,
        layout: Layout::of_parts(&parts).expect("small numbers"),
    }
}

/// Adds the PTX that adds the offset of a number to `%a`, digit by digit.
fn digits(text: &mut String, number: &str, part: &Layout) {
    let mut unit = 1;
    for mode in part.modes() {
        let _ = writeln!(
            text,
            "    div.u32 %b, {number}, {unit};\n    rem.u32 %b, %b, {};\n    mad.lo.u32 %a, %b, {}, %a;",
            mode.shape, mode.stride
        );
        unit *= mode.shape;
    }
}

/// Returns a kernel in which lanes store 4 bytes each to `%a` in a loop. `place` computes `%a` from `%t` and `%i`.
fn kernel(n_iterations: i64, n_units: i64, place: &str) -> String {
    format!(
        "//@ launch grid=1 block=32
//@ buffer out: u32[{n_units}] = 0
.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p;
    .reg .b32 %t, %i, %a, %b;
    .reg .b64 %out, %o;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mov.u32 %i, 0;
again:
    mov.u32 %a, 0;
{place}    mul.wide.u32 %o, %a, 4;
    add.u64 %o, %out, %o;
    st.global.u32 [%o], %t;
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, {n_iterations};
    @%p bra again;
    ret;
}}
"
    )
}

/// Returns the inferred layout of the store of a kernel.
fn read_back(source: &str) -> InferredAccessLayout {
    let scenario = Scenario {
        source: source.to_owned(),
        ..Scenario::default()
    };
    let mut session = Session::new_without_last_writers(scenario)
        .unwrap_or_else(|error| panic!("{error:?}\n{source}"));
    assert!(
        session.run(1_000_000) && session.fault().is_none(),
        "{source}"
    );
    let layouts = session.layouts();
    let store = layouts
        .into_iter()
        .find(|found| found.opcode.starts_with("st.global"));
    store.expect("the store was reached")
}

#[test]
fn random_layouts_are_inferred_from_access_addresses() {
    let mut random = Random(4);
    let mut n_swizzled = 0;
    for number in 0..500 {
        let written = layout(&mut random);
        let mut place = String::new();
        let _ = writeln!(place, "    add.u32 %a, %a, {};", written.offset);
        digits(&mut place, "%t", &written.layout.part(0));
        digits(&mut place, "%i", &written.layout.part(1));
        if let Some(swizzle) = written.swizzle {
            n_swizzled += 1;
            let _ = writeln!(
                place,
                "    shr.u32 %b, %a, {};\n    and.b32 %b, %b, {};\n    shl.b32 %b, %b, {};\n    xor.b32 %a, %a, %b;",
                swizzle.source(),
                (1 << swizzle.bits) - 1,
                swizzle.base
            );
        }
        let offsets = written.offsets().expect("few");
        let n_units = offsets.iter().max().expect("some") + 1;
        let source = kernel(written.layout.part(1).size(), n_units, &place);
        let found = read_back(&source);
        assert_eq!((found.unit_bytes, found.buffer.as_str()), (4, "out"));
        let text = found.layout.as_deref().or(found.bases.as_deref());
        let text = text.unwrap_or_else(|| panic!("{number}: {written}: {found:?}"));
        let again = parse(text).unwrap_or_else(|error| panic!("{number}: {text}: {error}"));
        assert!(
            again.is_equivalent(&written).expect("few"),
            "{number}: {written} read back as {again}"
        );
    }
    assert!(n_swizzled > 150, "{n_swizzled}");
}

#[test]
fn irregular_addresses_infer_no_layout() {
    let mut random = Random(5);
    for number in 0..100 {
        let a = random.below(20) + 3;
        let modulus = random.one_of(&[37, 41, 43, 53, 61, 67, 97]);
        // A quadratic residue, a product of lane and iteration, and a hash are not layouts.
        let place = match number % 3 {
            0 => format!(
                "    mul.lo.u32 %a, %t, %t;\n    mad.lo.u32 %a, %a, {a}, %i;\n    rem.u32 %a, %a, {modulus};\n"
            ),
            1 => format!(
                "    mad.lo.u32 %b, %i, {a}, 1;\n    mul.lo.u32 %a, %t, %b;\n    mul.lo.u32 %a, %a, %t;\n    rem.u32 %a, %a, {modulus};\n"
            ),
            _ => format!(
                "    mad.lo.u32 %b, %i, 32, %t;\n    mul.lo.u32 %a, %b, {};\n    shr.u32 %a, %a, 25;\n",
                0x9e37_79b1u32.wrapping_mul(2 * a as u32 + 1)
            ),
        };
        let found = read_back(&kernel(4, 256, &place));
        let broken = found
            .broken
            .unwrap_or_else(|| panic!("{number}: {:?} {:?}", found.layout, found.bases));
        assert!(broken.contains("is at byte"), "{broken}");
    }
}
