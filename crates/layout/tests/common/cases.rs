//! Deterministically generated test cases of the layout algebra, their JSON encoding, their evaluation by this crate, and checks of the
//! results against the definition of the operation.

use super::Random;
use serde_json::{Value, json};
use warpgrid_layout::{
    ComposedLayout, Layout, LayoutError, Mode, Swizzle, Tiler, Tuple, coalesce, complement,
    composition, left_inverse, logical_divide, logical_product, right_inverse, tiled_divide,
    tiled_product, zipped_divide, zipped_product,
};

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) op: String,
    pub(crate) a: Layout,
    pub(crate) b: Option<Tiler>,
    pub(crate) size: i64,
    pub(crate) swizzle: [i32; 3],
    pub(crate) offset: i64,
}

/// Maximum number of elements of a result that is listed.
const LISTED: i64 = 256;

/// Generates `n` cases, with all operations in rotation.
pub(crate) fn cases(n: usize) -> Vec<Case> {
    let ops = [
        "coalesce",
        "composition",
        "composition",
        "complement",
        "right_inverse",
        "left_inverse",
        "logical_divide",
        "zipped_divide",
        "tiled_divide",
        "logical_product",
        "zipped_product",
        "tiled_product",
        "swizzle",
    ];
    let mut random = Random(25);
    (0..n)
        .map(|i| case(ops[i % ops.len()], &mut random))
        .collect()
}

fn case(op: &str, random: &mut Random) -> Case {
    let mut case = Case {
        op: op.to_owned(),
        a: layout(random, 3),
        b: None,
        size: 0,
        swizzle: [0; 3],
        offset: 0,
    };
    case.b = match op {
        "composition" => Some(tiler(random, &case.a, Kind::Any)),
        "logical_divide" | "zipped_divide" => Some(tiler(random, &case.a, Kind::Divisor)),
        "tiled_divide" => Some(each(random, &case.a, Kind::Divisor)),
        "logical_product" | "zipped_product" => Some(tiler(random, &case.a, Kind::Any)),
        "tiled_product" => Some(each(random, &case.a, Kind::Any)),
        _ => None,
    };
    case.size = case.a.cosize() * random.one_of(&[1, 1, 2, 3, 4]);
    let bits = random.below(4) as i32;
    let shift = (bits + random.below(4) as i32) * random.one_of(&[1, 1, 1, -1]);
    case.swizzle = [bits, random.below(5) as i32, shift];
    case.offset = random.below(64) as i64;
    case
}

/// Generates a layout of small numbers with nesting depth at most `depth`, mostly injective.
fn layout(random: &mut Random, depth: u32) -> Layout {
    let shape = shape(random, depth);
    let leaves = shape.leaves();
    // Assign the strides in a partially shuffled order, with occasional gaps.
    let mut order: Vec<usize> = (0..leaves.len()).collect();
    for at in (1..order.len()).rev() {
        if random.below(2) == 0 {
            order.swap(at, random.below(at as u64 + 1) as usize);
        }
    }
    let mut strides = vec![0i64; leaves.len()];
    let mut next = 1;
    for at in order {
        next *= random.one_of(&[1, 1, 1, 1, 2, 3]);
        strides[at] = match random.below(24) {
            0 => random.below(12) as i64 + 1,
            _ => next,
        };
        next *= leaves[at];
    }
    let stride = with(&shape, &mut strides.into_iter());
    Layout::new(shape, stride).expect("small numbers")
}

fn shape(random: &mut Random, depth: u32) -> Tuple {
    match depth > 0 && random.below(5) < 3 {
        true => {
            let n = 1 + random.below(3);
            Tuple::Node((0..n).map(|_| shape(random, depth - 1)).collect())
        }
        false => Tuple::Leaf(random.one_of(&[1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 8, 8])),
    }
}

fn with(shape: &Tuple, numbers: &mut impl Iterator<Item = i64>) -> Tuple {
    match shape {
        Tuple::Leaf(_) => Tuple::Leaf(numbers.next().expect("as many")),
        Tuple::Node(all) => Tuple::Node(all.iter().map(|part| with(part, numbers)).collect()),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Any layout.
    Any,
    /// Shape and stride divide the size.
    Divisor,
}

fn tiler(random: &mut Random, a: &Layout, kind: Kind) -> Tiler {
    match random.below(3) {
        0 => each(random, a, kind),
        _ => Tiler::Whole(one(random, a.size(), kind)),
    }
}

fn each(random: &mut Random, a: &Layout, kind: Kind) -> Tiler {
    if a.shape().is_one() {
        return Tiler::Whole(one(random, a.size(), kind));
    }
    let parts = a.parts();
    let n = 1 + random.below(parts.len() as u64) as usize;
    Tiler::Each(
        parts[..n]
            .iter()
            .map(|part| Tiler::Whole(one(random, part.size(), kind)))
            .collect(),
    )
}

/// Generates a layout whose steps divide `n` elements.
fn one(random: &mut Random, n: i64, kind: Kind) -> Layout {
    let divisors = |n: i64| -> Vec<i64> { (1..=n).filter(|d| n % d == 0).collect() };
    let shape = random.one_of(&divisors(n));
    let stride = random.one_of(&divisors(n / shape));
    if kind == Kind::Any && random.below(3) == 0 && shape % 2 == 0 {
        let far = stride * shape / 2 * random.one_of(&[1, 2]);
        let pair = |a, b| Tuple::Node(vec![Tuple::Leaf(a), Tuple::Leaf(b)]);
        return Layout::new(pair(shape / 2, 2), pair(stride, far)).expect("small numbers");
    }
    Layout::of(shape, stride).expect("small numbers")
}

fn list(tuple: &Tuple) -> Value {
    match tuple {
        Tuple::Leaf(number) => json!(number),
        Tuple::Node(all) => Value::Array(all.iter().map(list).collect()),
    }
}

fn tuple(value: &Value) -> Tuple {
    match value {
        Value::Array(all) => Tuple::Node(all.iter().map(tuple).collect()),
        other => Tuple::Leaf(other.as_i64().expect("a number")),
    }
}

fn tiler_json(tiler: &Tiler) -> Value {
    match tiler {
        Tiler::Whole(layout) => json!(["whole", [list(layout.shape()), list(layout.stride())]]),
        Tiler::Each(all) => json!(["each", all.iter().map(tiler_json).collect::<Vec<_>>()]),
    }
}

fn read_layout(value: &Value) -> Layout {
    Layout::new(tuple(&value[0]), tuple(&value[1])).expect("a layout")
}

fn read_tiler(value: &Value) -> Tiler {
    match value[0].as_str() {
        Some("each") => Tiler::Each(
            value[1]
                .as_array()
                .expect("parts")
                .iter()
                .map(read_tiler)
                .collect(),
        ),
        _ => Tiler::Whole(read_layout(&value[1])),
    }
}

type Answer = (Vec<i64>, Vec<i64>);

impl Case {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "op": self.op, "a": [list(self.a.shape()), list(self.a.stride())], "b": self.b.as_ref().map(tiler_json),
            "size": self.size, "swizzle": self.swizzle, "offset": self.offset,
        })
    }

    pub(crate) fn with_answer(&self, answer: &Value) -> Value {
        let mut row = self.to_json();
        row["answer"] = answer.clone();
        row
    }

    pub(crate) fn of_json(row: &Value) -> Case {
        let number = |value: &Value| value.as_i64().expect("a number");
        Case {
            op: row["op"].as_str().expect("an operation").to_owned(),
            a: read_layout(&row["a"]),
            b: (!row["b"].is_null()).then(|| read_tiler(&row["b"])),
            size: number(&row["size"]),
            swizzle: [0, 1, 2].map(|at| number(&row["swizzle"][at]) as i32),
            offset: number(&row["offset"]),
        }
    }

    /// Returns the result of this crate: the sizes of the modes, and the offsets.
    pub(crate) fn own(&self) -> Option<Answer> {
        if self.op == "swizzle" {
            let composed = self.composed().filter(|_| self.a.size() <= LISTED)?;
            return Some((vec![self.a.size()], composed.offsets().ok()?));
        }
        let result = self.result().ok()?;
        if result.size() > LISTED {
            return None;
        }
        let parts = result.parts().iter().map(Layout::size).collect();
        Some((parts, result.offsets().ok()?))
    }

    fn composed(&self) -> Option<ComposedLayout> {
        let [bits, base, shift] = self.swizzle;
        Some(ComposedLayout {
            swizzle: Some(Swizzle::new(bits as u32, base as u32, shift).ok()?),
            offset: self.offset,
            layout: self.a.clone(),
        })
    }

    fn result(&self) -> Result<Layout, LayoutError> {
        let a = &self.a;
        let none = Tiler::Each(Vec::new());
        let b = self.b.as_ref().unwrap_or(&none);
        match self.op.as_str() {
            "coalesce" => Ok(coalesce(a)),
            "complement" => complement(a, self.size),
            "right_inverse" => right_inverse(a),
            "left_inverse" => left_inverse(a),
            "composition" => compose(a, b),
            "logical_divide" => logical_divide(a, b),
            "zipped_divide" => zipped_divide(a, b),
            "tiled_divide" => tiled_divide(a, b),
            "logical_product" => logical_product(a, b),
            "zipped_product" => zipped_product(a, b),
            "tiled_product" => tiled_product(a, b),
            other => panic!("no operation {other}"),
        }
    }

    /// Returns the error message of the operation, if any.
    pub(crate) fn why(&self) -> Option<String> {
        self.result().err().map(|error| error.message)
    }

    /// Returns the offsets according to the definition of the operation, if its second argument is a single layout and the operation is a
    /// single composition.
    pub(crate) fn expected(&self) -> Option<Vec<i64>> {
        let Some(Tiler::Whole(b)) = &self.b else {
            return None;
        };
        let inner = match self.op.as_str() {
            "composition" => b.clone(),
            "logical_divide" | "zipped_divide" => {
                let rest = complement(b, self.a.size()).ok()?;
                Layout::of_parts(&[b.clone(), rest]).ok()?
            }
            _ => return None,
        };
        Some(
            reached(&inner)
                .into_iter()
                .map(|i| self.a.offset(i))
                .collect(),
        )
    }

    /// Returns whether the result satisfies the definition of the operation, or the operation returns an error.
    pub(crate) fn holds(&self) -> bool {
        if self.op == "swizzle" {
            return false;
        }
        let Ok(result) = self.result() else {
            return true;
        };
        match (self.op.as_str(), &self.b) {
            ("coalesce", _) => reached(&result) == reached(&self.a),
            ("right_inverse", _) => {
                (0..result.size()).all(|i| self.a.offset(result.offset(i)) == i)
            }
            ("left_inverse", _) => (0..self.a.size()).all(|i| result.offset(self.a.offset(i)) == i),
            ("complement", _) => {
                let both = Layout::of_parts(&[self.a.clone(), result]).expect("small");
                let mut all = reached(&both);
                all.sort_unstable();
                let n = all.len();
                all.dedup();
                let repeats = |mode: &Mode| mode.stride == 0 && mode.shape > 1;
                self.a.modes().iter().any(repeats) || all.len() == n
            }
            (op, Some(b)) => {
                let logical = match op {
                    "composition" => "composition",
                    op if op.ends_with("divide") => "logical_divide",
                    _ => "logical_product",
                };
                let case = Case {
                    op: logical.to_owned(),
                    ..self.clone()
                };
                let Ok(whole) = case.result() else {
                    return false;
                };
                // The zipped and tiled variants reorder the modes of the logical result.
                let sorted = |layout: &Layout| {
                    let mut all = reached(layout);
                    all.sort_unstable();
                    all
                };
                sorted(&whole) == sorted(&result) && defined(logical, &self.a, b, &whole)
            }
            _ => false,
        }
    }
}

fn reached(layout: &Layout) -> Vec<i64> {
    layout.offsets().expect("few")
}

/// Returns whether `result` has the offsets that the definition of the operation yields.
fn defined(op: &str, a: &Layout, b: &Tiler, result: &Layout) -> bool {
    match b {
        Tiler::Each(all) => {
            let parts = a.parts().into_iter().zip(result.parts()).enumerate();
            parts
                .into_iter()
                .all(|(at, (a, result))| match all.get(at) {
                    Some(b) => defined(op, &a, b, &result),
                    None => a == result,
                })
        }
        Tiler::Whole(b) => {
            let after = |a: &Layout, b: &Layout| -> Vec<i64> {
                reached(b).into_iter().map(|i| a.offset(i)).collect()
            };
            let expected = match op {
                "composition" => after(a, b),
                "logical_divide" => {
                    let rest = complement(b, a.size()).expect("it was divided");
                    after(a, &Layout::of_parts(&[b.clone(), rest]).expect("small"))
                }
                _ => {
                    let gaps = complement(a, a.size() * b.cosize()).expect("it was multiplied");
                    let copies = after(&gaps, b).into_iter();
                    let own = reached(a);
                    copies
                        .flat_map(|copy| own.iter().map(move |offset| offset + copy))
                        .collect()
                }
            };
            reached(result) == expected
        }
    }
}

fn compose(a: &Layout, b: &Tiler) -> Result<Layout, LayoutError> {
    match b {
        Tiler::Whole(b) => composition(a, b),
        Tiler::Each(all) => {
            let mut parts = a.parts();
            for (part, tiler) in parts.iter_mut().zip(all) {
                *part = compose(part, tiler)?;
            }
            Layout::of_parts(&parts)
        }
    }
}
