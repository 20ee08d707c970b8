//! Scenario: a serializable value with all inputs of a run. Share links, widgets, examples, the npm API, the command-line tool and tests
//! use scenarios.
//!
//! The format is that of corpus files (`case.json`), except that the source is included and all other fields are optional. Comments in the
//! source can specify the same facts, so that the source remains valid:
//!
//! ```text
//! //@ launch grid=1 block=32
//! //@ buffer out: f32[16][16] = 0
//! ```

mod deserialize;
mod image;
mod language;
mod tensor_map;

pub(crate) use image::ImageMemory;
pub use image::{ImageResource, Surface, TexelArray, Texture};
pub use language::SourceLanguage;
pub use tensor_map::TensorMap;
pub use warpgrid_emulator::MisalignedPolicy;

use crate::fault::{FaultSort, MemorySpace};
use crate::pattern::bytes_text;
use crate::schedule::Schedule;
use crate::value::Literal;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// All inputs of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Scenario {
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub name: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<SourceLanguage>", optional))]
    pub front: SourceLanguage,
    /// Target that overrides `.target` of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// PTX ISA version that overrides `.version` of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx_version: Option<String>,
    /// Kernel to run. Default: the first kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<[u32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// Size of dynamic shared memory in bytes.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub dynamic_shared: u64,
    /// Kernel parameters. The parameters are matched by name if the kernel declares all of their names, and otherwise by position. If the
    /// list is empty, the parameters are inferred from the kernel and reported as guesses.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<Parameter>>", optional))]
    pub params: Vec<Parameter>,
    /// Arrays for textures and surfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<TexelArray>>", optional))]
    pub arrays: Vec<TexelArray>,
    /// Seed of the scheduler. Default: 0, which selects round-robin scheduling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Turns with which the run starts, such as `0.1:35,a2`: 35 steps of warp 1 of block 0, and one step of the asynchronous operation 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub schedule: Option<Schedule>,
    /// Number of concurrently resident blocks, at least 1. Blocks become resident in the order of their indices, and remain
    /// resident until they exit. Default: as many blocks as the device supports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident: Option<u32>,
    /// Initial register values. All other registers are zero. Only SASS programs read initial register values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<Vec<InitialRegister>>", optional)
    )]
    pub registers: Vec<InitialRegister>,
    /// Behaviour of an access whose address is not a multiple of its size. By default, the access faults. In a SASS
    /// snippet without the header of a listing, the access behaves as the SASS reference specifies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misaligned: Option<MisalignedPolicy>,
    /// Second version of the kernel, which `compare` executes with the same launch configuration. A session executes only the first
    /// version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<ComparisonKernel>,
    /// Expected fault of the launch, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<ExpectedFault>,
    /// Source files from which a compiler generated the kernel. The line table of the kernel refers to them by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<SourceFile>>", optional))]
    pub sources: Vec<SourceFile>,
    /// Values of scalar parameters by name, which replace the values of the annotations and of inference. Only
    /// command-line options specify such values, and a completed scenario contains none.
    #[serde(skip)]
    pub overrides: Vec<(String, Literal)>,
}

/// Source file from which a compiler generated a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// Name of the file: `saxpy.cu`. Directories are optional.
    pub name: String,
    pub text: String,
}

/// Initial value of a register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct InitialRegister {
    /// Name of the register in the source, such as `R2`.
    pub name: String,
    /// Number, or a sum such as `"lane * 4 + out"` of numbers, `lane`, `thread`, multiples of `lane` and `thread`, and the
    /// address of a buffer.
    pub value: Literal,
}

/// Second version of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(deny_unknown_fields)]
pub struct ComparisonKernel {
    pub source: String,
    /// Language of the source. By default, the language is detected from the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<SourceLanguage>,
    /// Target that overrides the target of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Kernel to run. Default: the kernel with the same name, otherwise the first kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}

/// Kernel parameter of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(
    tag = "kind",
    rename_all = "lowercase",
    try_from = "deserialize::ParameterFields"
)]
pub enum Parameter {
    /// Pointer to an array in global memory.
    Buffer(Buffer),
    /// Scalar that is passed by value.
    Scalar {
        name: String,
        #[serde(rename = "type")]
        #[cfg_attr(feature = "typescript", ts(as = "crate::value::ElementType"))]
        ty: String,
        value: Literal,
    },
    /// Structure that is passed by value. The fields contain the values of the members. Bytes that no field covers are zero.
    Struct {
        name: String,
        size: u64,
        #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
        align: u64,
        fields: Vec<StructField>,
    },
    /// Second pointer to the buffer of another parameter.
    Alias { name: String, of: String },
    /// Tensor map, which describes a tensor for tensor copies.
    Tensormap(TensorMap),
    /// Handle of a texture.
    Texture(Texture),
    /// Handle of a surface.
    Surface(Surface),
    /// Multimem address, which refers to several buffers, one on each device.
    Multimem { name: String, buffers: Vec<String> },
}

impl Parameter {
    /// Returns the name of the parameter.
    pub fn name(&self) -> &str {
        match self {
            Parameter::Buffer(buffer) => &buffer.name,
            Parameter::Scalar { name, .. }
            | Parameter::Struct { name, .. }
            | Parameter::Alias { name, .. }
            | Parameter::Multimem { name, .. } => name,
            Parameter::Tensormap(map) => &map.name,
            Parameter::Texture(texture) => &texture.name,
            Parameter::Surface(surface) => &surface.name,
        }
    }

    /// Returns the array to which a handle parameter refers.
    pub(crate) fn array(&self) -> Option<&str> {
        match self {
            Parameter::Texture(texture) => texture.resource.array.as_deref(),
            Parameter::Surface(surface) => surface.resource.array.as_deref(),
            Parameter::Buffer(_)
            | Parameter::Scalar { .. }
            | Parameter::Struct { .. }
            | Parameter::Alias { .. }
            | Parameter::Tensormap(_)
            | Parameter::Multimem { .. } => None,
        }
    }
}

/// Member of a structure parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(try_from = "deserialize::ParameterFields")]
pub struct StructField {
    /// Byte offset from the start of the structure.
    pub offset: u64,
    #[serde(flatten)]
    pub parameter: Parameter,
}

/// Array in global memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Buffer {
    pub name: String,
    /// Element type: `u32`, `f16`, `e4m3` and all others of `ElementType`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "typescript", ts(as = "crate::value::ElementType"))]
    pub ty: String,
    /// Number of elements.
    pub len: u64,
    /// Extents of the array, outermost first. If empty, the array has one dimension.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<u64>>", optional))]
    pub shape: Vec<u64>,
    #[cfg_attr(feature = "typescript", ts(as = "Option<BufferInitializer>", optional))]
    pub init: BufferInitializer,
    /// Element whose address the kernel receives. Kernels that use negative indices require an element in the middle of the buffer.
    #[serde(skip_serializing_if = "is_first")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub start: u64,
    /// Expected memory contents after the launch. `null` specifies no expectation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<Vec<Literal>>,
    /// SHA-256 digest of the expected bytes in little-endian order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_sha256: Option<String>,
    /// Permitted final values for each element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Vec<Literal>>>,
}

impl Buffer {
    /// Returns whether the scenario contains an expectation of the final contents of the buffer.
    pub const fn has_expectation(&self) -> bool {
        self.expect.is_some() || self.one_of.is_some() || self.expect_sha256.is_some()
    }
}

/// Checks whether the start element is the first element, which is the default.
fn is_first(start: &u64) -> bool {
    *start == 0
}

/// Initial contents of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum BufferInitializer {
    /// One value for each element. Missing values are zero. The text `"&out+16"` is the address 16 bytes after the start of the buffer
    /// `out`.
    List(Vec<Literal>),
    /// One value for all elements, or a pattern (see `pattern`): `"iota"` is 0, 1, 2, …, `"random 7"` are random
    /// numbers, `"nan"` is NaN, `"0 [5000]=7"` has exceptions for single elements, and `"&out"` is the address of a
    /// buffer.
    Fill(Literal),
    /// Bytes of all elements in little-endian order. Hosts with buffers in memory pass these bytes without conversion to values. The
    /// serialized form is the pattern `"bytes 00ff"`.
    #[serde(serialize_with = "serialize_bytes")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    Bytes(Arc<[u8]>),
}

/// Serializes the bytes of a buffer as a pattern.
fn serialize_bytes<S: Serializer>(bytes: &Arc<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&bytes_text(bytes))
}

impl BufferInitializer {
    /// Formats the values in the notation of `//@` lines.
    pub fn text(&self) -> String {
        match self {
            BufferInitializer::List(values) if values.is_empty() => "0".to_owned(),
            BufferInitializer::List(values) => {
                let values: Vec<String> = values.iter().map(Literal::to_string).collect();
                values.join(", ")
            }
            BufferInitializer::Fill(value) => value.to_string(),
            BufferInitializer::Bytes(bytes) => bytes_text(bytes),
        }
    }
}

impl Default for BufferInitializer {
    fn default() -> BufferInitializer {
        BufferInitializer::List(Vec::new())
    }
}

/// Fault that a scenario expects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ExpectedFault {
    pub kind: FaultSort,
    #[serde(default)]
    pub buffer: Option<String>,
    #[serde(default)]
    pub space: Option<MemorySpace>,
    #[serde(default)]
    pub byte_offset: Option<i64>,
    #[serde(default)]
    pub width: Option<u32>,
    #[serde(default)]
    pub thread: Option<[u32; 3]>,
    #[serde(default)]
    pub block: Option<[u32; 3]>,
}
