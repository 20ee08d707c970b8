//! Explanation of the rounding in an MMA result element. The module takes an MMA instruction with its operands, and returns each
//! computation step of the Tensor Core as plain data and as text. It also compares the result with the exact sum, with a chain of fused
//! multiply-adds, and with the results of other GPU generations.

pub(crate) mod exact_sum;
pub(crate) mod mma_steps;
pub(crate) mod supported_mma;
pub(crate) mod text;

pub use crate::analysis::mma_explanation::mma_steps::{
    AccumulationBlockView, MmaStepView, OperationView, TermView,
};
pub use crate::analysis::mma_explanation::supported_mma::{MmaChoice, choices, targets};
pub use crate::analysis::mma_explanation::text::text;

use crate::analysis::mma_explanation::exact_sum::ExactSum;
use serde::{Deserialize, Serialize};
use warpgrid_emulator::tensor::{
    BitOp, IntegerOverflow, MmaDescription, MmaInstruction, TensorCoreModel, nearest_bits, value_of,
};
use warpgrid_isa::fragment::{FragmentOp, FragmentQuery, Shape, TensorCoreGeneration, fragment};
use warpgrid_isa::{Rounding, ScalarType, Target, read_decimal};
use warpgrid_program::counted;

/// Request for the computation of one element of the result matrix D of a matrix multiplication. The fields identify the instruction, the
/// shape and the types by their PTX names.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct MmaRequest {
    /// Name of the instruction: `wmma` or `mma`.
    pub op: String,
    /// Shape of the matrix multiplication: `m16n16k16`.
    pub shape: String,
    /// Types of the matrices A, B, C and D.
    pub types: Vec<String>,
    /// Target architecture: `sm_90`.
    pub target: String,
    /// Row of matrix A, as numbers (`1.5`, `-inf`) or bits (`0x3c00`). Missing elements at the end are zeros.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<String>>", optional))]
    pub a: Vec<String>,
    /// Column of matrix B, in the same notation as the row of A.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<String>>", optional))]
    pub b: Vec<String>,
    /// Element of matrix C, which is zero if the field is absent.
    #[serde(default)]
    pub c: Option<String>,
}

/// Floating-point number in an [`MmaExplanation`], as a decimal number and as bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NumberView {
    pub text: String,
    /// Bits of the number in hexadecimal: `0x3f800000`.
    pub bits: String,
}

/// Explanation of the computation of one element of the result matrix D, which hosts display: the hardware steps, the result, and
/// comparison values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MmaExplanation {
    /// Title of the computation: `wmma.mma m16n16k16 f16 f16 f32 f32, sm_70`.
    pub title: String,
    /// Summary in one sentence, which states whether the result is correctly rounded, and the reason if the result is not correctly
    /// rounded.
    pub summary: String,
    pub result: NumberView,
    /// Exact sum of all terms as a decimal number. The field is absent if a term is infinite or NaN.
    pub exact: Option<String>,
    /// Exact sum of all terms, rounded one time to the nearest value of the type of D (ties to even).
    #[serde(rename = "rounded_once")]
    pub single_rounding_result: Option<NumberView>,
    /// Result of a chain of `f32` fused multiply-adds that starts with the element of C and proceeds in ascending order of k, rounded to
    /// the type of D. Hosts show this value for comparison with the result of the Tensor Core.
    pub chain: NumberView,
    pub steps: Vec<MmaStepView>,
    /// Results of all GPU generations that support the instruction. Generations with equal results share one entry. The entries are ordered
    /// by their oldest generation.
    pub generations: Vec<GenerationView>,
}

/// GPU generations whose Tensor Cores compute the same result, with this result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GenerationView {
    /// First target of each GPU generation with this result.
    pub targets: Vec<String>,
    pub result: NumberView,
}

/// Reference that computes the exact sums of one MMA instruction from the bits of its operands, for comparison with the results of the
/// hardware.
pub(crate) struct ReferenceSums {
    product: MmaDescription,
}

impl ReferenceSums {
    /// Creates the reference for the MMA instruction of a request. Returns `None` for an MMA instruction whose sum is exact or is a chain
    /// of IEEE 754 operations, and for an unsupported instruction.
    pub(crate) fn new(request: &MmaRequest, types: [ScalarType; 4]) -> Option<ReferenceSums> {
        let is_float = |ty: &ScalarType| value_of(*ty, 0).is_some();
        let product = read(request).ok()?;
        types
            .iter()
            .all(is_float)
            .then_some(ReferenceSums { product })
    }

    /// Returns the exact sum of all terms, rounded one time to the nearest value of the type of D (ties to even). Returns `None` if a term
    /// is infinite or NaN.
    pub(crate) fn single_rounding_result(&self, a: &[u64], b: &[u64], c: u64) -> Option<u64> {
        let operands = MmaOperands::new(&self.product, a.to_vec(), b.to_vec(), c);
        nearest_bits(self.product.d, operands.exact_sum()?.round_to_odd())
    }
}

/// Formats a matrix element as a number, or as bits for types without numeric values. `container_bits` is the size of the element in a
/// register.
pub(crate) fn element_text(ty: ScalarType, bits: u64, container_bits: u32) -> String {
    let width = ty.width_bits();
    let bits = match (ty, container_bits) {
        (ScalarType::E2m1, 4) => bits << BELOW_E2M1,
        _ => bits,
    };
    match ty {
        ScalarType::F64 => decimal(f64::from_bits(bits)),
        ScalarType::S4 | ScalarType::S8 | ScalarType::S32 => {
            ((bits << (64 - width)) as i64 >> (64 - width)).to_string()
        }
        ScalarType::B1 | ScalarType::U4 | ScalarType::U8 => bits.to_string(),
        _ => value_of(ty, bits).map_or_else(
            || format!("{bits:0digits$x}", digits = width.div_ceil(4) as usize),
            decimal,
        ),
    }
}

/// Operands of the explained MMA computation, as bits and as numbers.
struct MmaOperands {
    a: Vec<u64>,
    b: Vec<u64>,
    c: u64,
    /// Values of the elements of A and B for each term of the sum.
    factors: Vec<(f64, f64)>,
    addend: f64,
}

/// Computes the element of D that `request` describes. The error is a message for the user.
pub fn product(request: &MmaRequest) -> Result<MmaExplanation, String> {
    let product = read(request)?;
    let plan = TensorCoreModel::new(product).map_err(|error| error.to_string())?;
    let operands = MmaOperands::read(&product, request)?;
    let explanation = plan.explain(&operands.a, &operands.b, operands.c);
    let result = shown(product.d, explanation.result);
    let (exact, rounded_once) = match operands.exact_sum() {
        None => (None, None),
        Some(sum) => {
            let (value, is_all) = sum.value();
            let rounded = nearest_bits(product.d, sum.round_to_odd()).unwrap_or(0);
            let about = if is_all { "" } else { "about " };
            (
                Some(format!("{about}{}", decimal(value))),
                Some(shown(product.d, rounded)),
            )
        }
    };
    let steps = mma_steps::views(&product, &explanation.steps);
    let mut summary = summary(&result, rounded_once.as_ref(), &steps);
    if let Some(note) = padding(request) {
        summary.push(' ');
        summary += &note;
    }
    Ok(MmaExplanation {
        title: title(&product),
        summary,
        exact,
        single_rounding_result: rounded_once,
        chain: operands.chain(product.d),
        steps,
        generations: generations(product, &operands),
        result,
    })
}

fn title(product: &MmaDescription) -> String {
    let MmaDescription { a, b, c, d, .. } = product;
    let op = match product.op {
        MmaInstruction::Wmma => "wmma.mma",
        MmaInstruction::Mma => "mma.sync",
        MmaInstruction::Wgmma => "wgmma.mma_async",
        MmaInstruction::Tcgen05 => "tcgen05.mma",
    };
    let (shape, target) = (product.shape, product.core.first_target());
    format!("{op} {shape}: {a} * {b} + {c} into {d}, computed by the Tensor Cores of {target}")
}

/// Returns a note if the request specifies a different number of elements of A and of B. A request without elements of A or B specifies a
/// zero matrix.
fn padding(request: &MmaRequest) -> Option<String> {
    let (n_a, n_b) = (request.a.len(), request.b.len());
    if n_a == n_b || n_a == 0 || n_b == 0 {
        return None;
    }
    let (long, short) = if n_a > n_b { ("A", "B") } else { ("B", "A") };
    let (n_long, n_short) = (n_a.max(n_b), n_a.min(n_b));
    Some(format!(
        "{short} is padded with zeros, because {long} has {} and {short} has {n_short}.",
        counted(n_long, "element")
    ))
}

/// Maximum number of inexact terms that the summary sentence lists. The table below the sentence marks every inexact term.
const MAX_LISTED_TERMS: usize = 4;

fn summary(result: &NumberView, rounded: Option<&NumberView>, steps: &[MmaStepView]) -> String {
    let Some(rounded) = rounded else {
        return "An infinite or NaN term determines the result.".to_owned();
    };
    if result.bits == rounded.bits {
        return "The result is correctly rounded (to nearest).".to_owned();
    }
    let cut: Vec<String> = steps
        .iter()
        .filter_map(|step| match step {
            MmaStepView::Block(block) => Some(block),
            MmaStepView::Operation(_) => None,
        })
        .flat_map(|block| block.terms.iter().filter(|term| term.is_inexact()))
        .map(|term| term.source.clone())
        .collect();
    let n_blocks = steps.iter().filter(|step| step.adds_products()).count();
    let mut reason = Vec::new();
    if !cut.is_empty() {
        reason.push(format!(
            "low-order bits are truncated during alignment ({})",
            match cut.len() {
                n if n > MAX_LISTED_TERMS => format!("of {n} terms"),
                _ => cut.join(", "),
            }
        ));
    }
    if steps.iter().any(MmaStepView::rounds) {
        reason.push("the sums are rounded toward zero to the result type".to_owned());
    }
    if n_blocks > 1 {
        reason.push(format!("{n_blocks} blocks are accumulated sequentially"));
    }
    if reason.is_empty() {
        reason.push("each operation rounds its result".to_owned());
    }
    format!(
        "The result is {}, but the correctly rounded sum is {}, because {}.",
        result.text,
        rounded.text,
        reason.join("; ")
    )
}

/// Returns the results that each GPU generation with support for the instruction computes from the same operands.
fn generations(product: MmaDescription, operands: &MmaOperands) -> Vec<GenerationView> {
    let mut views: Vec<GenerationView> = Vec::new();
    for core in TensorCoreGeneration::ALL {
        let product = MmaDescription { core, ..product };
        if exists(&product).is_err() {
            continue;
        }
        let Ok(plan) = TensorCoreModel::new(product) else {
            continue;
        };
        let bits = plan.element(&operands.a, &operands.b, operands.c);
        let result = shown(product.d, bits);
        let target = core.first_target().to_owned();
        match views.iter_mut().find(|view| view.result == result) {
            Some(view) => view.targets.push(target),
            None => views.push(GenerationView {
                targets: vec![target],
                result,
            }),
        }
    }
    views
}

impl MmaOperands {
    fn read(product: &MmaDescription, request: &MmaRequest) -> Result<MmaOperands, String> {
        let depth = usize::from(product.shape.k);
        let a = elements(product.a, "A", &request.a, depth)?;
        let b = elements(product.b, "B", &request.b, depth)?;
        let c = match &request.c {
            None => 0,
            Some(word) => element(product.c, word)?,
        };
        Ok(MmaOperands::new(product, a, b, c))
    }

    fn new(product: &MmaDescription, a: Vec<u64>, b: Vec<u64>, c: u64) -> MmaOperands {
        let value = |ty, bits: u64| value_of(ty, bits).unwrap_or(f64::NAN);
        MmaOperands {
            factors: a
                .iter()
                .zip(&b)
                .map(|(a, b)| (value(product.a, *a), value(product.b, *b)))
                .collect(),
            addend: value(product.c, c),
            a,
            b,
            c,
        }
    }

    /// Returns the exact sum of all terms, or `None` if a term is infinite or NaN.
    fn exact_sum(&self) -> Option<ExactSum> {
        let products = self.factors.iter().map(|(a, b)| a * b);
        let mut sum = ExactSum::default();
        for term in products.chain([self.addend]) {
            if !term.is_finite() {
                return None;
            }
            // The product is exact in `f64`, because each factor has at most 11 significant bits.
            sum.add(term);
        }
        Some(sum)
    }

    fn chain(&self, ty: ScalarType) -> NumberView {
        let sum = self.factors.iter().fold(self.addend as f32, |sum, (a, b)| {
            (*a as f32).mul_add(*b as f32, sum)
        });
        shown(ty, nearest_bits(ty, sum.into()).unwrap_or(0))
    }
}

fn elements(ty: ScalarType, name: &str, words: &[String], n: usize) -> Result<Vec<u64>, String> {
    if words.len() > n {
        let found = words.len();
        return Err(format!(
            "found {found} elements of {name}, expected {n} elements for this shape"
        ));
    }
    let mut elements: Vec<u64> = words
        .iter()
        .map(|word| element(ty, word))
        .collect::<Result<_, _>>()?;
    elements.resize(n, 0);
    Ok(elements)
}

/// Number of padding bits below an `e2m1` value in a byte of an operand register.
const BELOW_E2M1: u32 = 2;

fn element(ty: ScalarType, word: &str) -> Result<u64, String> {
    let bits = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16)
            .ok()
            .filter(|bits| *bits >> ty.width_bits() == 0)
            .map(|bits| {
                bits << if ty == ScalarType::E2m1 {
                    BELOW_E2M1
                } else {
                    0
                }
            }),
        None => read_decimal(word).and_then(|value| nearest_bits(ty, value)),
    };
    bits.ok_or_else(|| {
        let shift = if ty == ScalarType::E2m1 { BELOW_E2M1 } else { 0 };
        let one = nearest_bits(ty, 1.0).unwrap_or(1) >> shift;
        let digits = 2 + ty.width_bits() as usize / 4;
        format!("found `{word}`, expected an element of `{ty}`: a number such as `1.5` or bits such as `{one:#0digits$x}`")
    })
}

fn read(request: &MmaRequest) -> Result<MmaDescription, String> {
    let op = match request.op.as_str() {
        "wmma" => MmaInstruction::Wmma,
        "mma" => MmaInstruction::Mma,
        other => {
            return Err(format!(
                "found the operation `{other}`, expected `wmma` or `mma`"
            ));
        }
    };
    let shape = Shape::from_name(&request.shape).ok_or_else(|| {
        let found = &request.shape;
        format!("found the shape `{found}`, expected a shape such as `m16n16k16`")
    })?;
    let target = Target::from_name(&request.target).ok_or_else(|| {
        format!(
            "found the target `{}`, expected a target such as `sm_90`",
            request.target
        )
    })?;
    let core = TensorCoreGeneration::of(target).ok_or_else(|| {
        format!(
            "`{}` has no Tensor Cores: use `sm_70` or a later target",
            target.name
        )
    })?;
    let [a, b, c, d] = &request.types[..] else {
        let found = request.types.len();
        return Err(format!(
            "found {found} types, expected four types for A, B, C and D"
        ));
    };
    let product = MmaDescription {
        core,
        op,
        shape,
        a: ty(a)?,
        b: ty(b)?,
        c: ty(c)?,
        d: ty(d)?,
        overflow: IntegerOverflow::Wrap,
        rounding: Rounding::Rn,
        bit_op: BitOp::Xor,
    };
    exists(&product)?;
    Ok(product)
}

/// Returns the element type with the name `name`. The error message lists the types whose sums Tensor Cores round.
fn ty(name: &str) -> Result<ScalarType, String> {
    match ScalarType::from_name(name.trim_start_matches('.')) {
        Some(ty) if value_of(ty, 0).is_some() => Ok(ty),
        Some(ScalarType::F64) => Err(
            "no bits are truncated, because `f64` results are IEEE 754 fused multiply-adds in ascending order of k"
                .to_owned(),
        ),
        Some(ty) => Err(format!("no bits are truncated, because sums of `{ty}` are exact")),
        None => Err(format!("found the type `{name}`, expected a type such as `f16`")),
    }
}

/// Checks whether the GPU generation that the description specifies supports the MMA instruction.
pub(crate) fn exists(product: &MmaDescription) -> Result<(), String> {
    let Some(target) = Target::from_name(product.core.first_target()) else {
        return Ok(());
    };
    let ops = match product.op {
        MmaInstruction::Wmma => [FragmentOp::LoadA, FragmentOp::LoadB, FragmentOp::LoadC],
        MmaInstruction::Mma => [FragmentOp::MmaA, FragmentOp::MmaB, FragmentOp::MmaC],
        // `wgmma` and `tcgen05` instructions read their operands from shared memory, so no fragment map exists for these operands.
        MmaInstruction::Wgmma | MmaInstruction::Tcgen05 => return Ok(()),
    };
    for (op, ty) in ops.into_iter().zip([product.a, product.b, product.c]) {
        let query = FragmentQuery {
            op,
            shape: product.shape,
            ty,
            layout: None,
            target: *target,
        };
        fragment(&query).map_err(|error| error.to_string())?;
    }
    Ok(())
}

pub(crate) fn shown(ty: ScalarType, bits: u64) -> NumberView {
    NumberView {
        text: value_of(ty, bits).map_or_else(|| bits.to_string(), decimal),
        bits: format!("{bits:#0width$x}", width = 2 + ty.width_bits() as usize / 4),
    }
}

/// Formats a number in a short form, with an exponent if its magnitude is large or small.
pub(crate) fn decimal(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() || value == 0.0 || (1e-4..1e9).contains(&value.abs()) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::{MmaRequest, padding};

    #[test]
    fn padding_with_zeros_is_noted() {
        let request = |a: &[&str], b: &[&str]| MmaRequest {
            a: a.iter().map(|&value| value.to_owned()).collect(),
            b: b.iter().map(|&value| value.to_owned()).collect(),
            ..MmaRequest::default()
        };
        assert_eq!(padding(&request(&["1"], &["1"])), None);
        assert_eq!(padding(&request(&["1", "2"], &[])), None);
        assert_eq!(
            padding(&request(&["1", "2", "3"], &["1"])).as_deref(),
            Some("B is padded with zeros, because A has 3 elements and B has 1.")
        );
    }
}
