//! One serialisable value that holds everything a run needs: what a share link, a widget, an example,
//! the npm API, the command line and the tests carry.
//!
//! The form is that of the corpus (`case.json`), with the source inside and every field but the source
//! optional. In a source the same facts can be comments, so that the text stays valid:
//!
//! ```text
//! //@ launch grid=1 block=32
//! //@ buffer out: f32[16][16] = 0
//! ```

mod front;
mod image;
mod read;
mod tensor_map;

pub use front::Front;
pub(crate) use image::Memory;
pub use image::{Resource, Surface, TexelArray, Texture};
pub use tensor_map::TensorMap;

use crate::fault::{FaultSort, Space};
use crate::value::Literal;
use serde::{Deserialize, Serialize};

/// Everything a run needs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Scenario {
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub name: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Front>", optional))]
    pub front: Front,
    /// Overrides `.target`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Overrides `.version`. (In the corpus form this states the module's own version.)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ptx_version: Option<String>,
    /// The kernel; the first one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<[u32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub dynamic_shared: u64,
    /// Kernel parameters, matched by name if the kernel declares all of their names, otherwise by position. If empty, they are inferred from
    /// the kernel and reported as guesses.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<Parameter>>", optional))]
    pub params: Vec<Parameter>,
    /// Memory that only textures and surfaces see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<TexelArray>>", optional))]
    pub arrays: Vec<TexelArray>,
    /// Turns the scheduler; 0, as when absent, is plain round robin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How many blocks run at the same time, at least one: in order of their numbers, and a block keeps its place until it ends. Without
    /// it as many as the machine has room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident: Option<u32>,
    /// What registers hold at the first step; the others are zero. Machine code only reads some of them from the launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<Vec<RegisterStart>>", optional)
    )]
    pub registers: Vec<RegisterStart>,
    /// What becomes of an access whose address is no multiple of its size. Where it is absent, kernels stop, and loose lines of machine
    /// code go on as their reference says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misaligned: Option<Misaligned>,
    /// Another text of the same kernel, run with the same launch where two are compared; a session runs the first alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// Where the launch must stop, if it must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<ExpectedFault>,
    /// Values of scalar parameters by name, which replace those of the annotations and of inference. Only options of the command
    /// line state them; a completed scenario has none.
    #[serde(skip)]
    pub overrides: Vec<(String, Literal)>,
}

/// What a register holds at the first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct RegisterStart {
    /// As the text names it: `R2`.
    pub name: String,
    /// A number, or a sum such as `"lane * 4 + out"`: `lane`, `thread`, multiples of them, and the address of a buffer.
    pub value: Literal,
}

/// What becomes of an access whose address is no multiple of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Misaligned {
    /// The launch stops before it.
    Fault,
    /// The address is rounded down to a multiple.
    Force,
}

/// Another text of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(deny_unknown_fields)]
pub struct Beside {
    pub source: String,
    /// Its language; the text shows it where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<Front>,
    /// Overrides the target that the text states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Its kernel; the one of the same name when absent, or else its first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}

/// A kernel parameter, as `crates/view/tests/corpus/README.md` describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "read::Fields")]
pub enum Parameter {
    /// A pointer to an array.
    Buffer(Buffer),
    /// A value.
    Scalar {
        name: String,
        #[serde(rename = "type")]
        #[cfg_attr(feature = "typescript", ts(as = "crate::value::ElementType"))]
        ty: String,
        value: Literal,
    },
    /// Bytes by value with parameters inside; what no field covers is zero.
    Struct {
        name: String,
        size: u64,
        #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
        align: u64,
        fields: Vec<Field>,
    },
    /// Once more the pointer to another buffer.
    Alias { name: String, of: String },
    /// The description of a tensor, for its copies.
    Tensormap(TensorMap),
    /// The handle of a texture.
    Texture(Texture),
    /// The handle of a surface.
    Surface(Surface),
    /// The address of several buffers, one of each device.
    Multimem { name: String, buffers: Vec<String> },
}

impl Parameter {
    /// The name of the parameter.
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

    /// The array that the parameter is a handle of.
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

/// A member of a structure passed by value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(try_from = "read::Fields")]
pub struct Field {
    /// Bytes from the start of the structure.
    pub offset: u64,
    #[serde(flatten)]
    pub parameter: Parameter,
}

/// An array in global memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct Buffer {
    pub name: String,
    /// Element type: `u32`, `f16`, `e4m3` and all others of `ElementType`.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "typescript", ts(as = "crate::value::ElementType"))]
    pub ty: String,
    /// Elements.
    pub len: u64,
    /// Extents for the grid, outermost first; flat when empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<u64>>", optional))]
    pub shape: Vec<u64>,
    #[cfg_attr(feature = "typescript", ts(as = "Option<Init>", optional))]
    pub init: Init,
    /// The element that the kernel gets the address of; kernels with negative indices get one in the middle.
    #[serde(skip_serializing_if = "is_first")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<u64>", optional))]
    pub start: u64,
    /// Memory after the launch; `null` promises nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<Vec<Literal>>,
    /// Digest of the expected bytes, little-endian.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect_sha256: Option<String>,
    /// For each element the values that it may end with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_of: Option<Vec<Vec<Literal>>>,
}

impl Buffer {
    /// Returns whether the scenario states what the launch leaves in the buffer.
    pub const fn has_expectation(&self) -> bool {
        self.expect.is_some() || self.one_of.is_some() || self.expect_sha256.is_some()
    }
}

/// Whether an element is the first one, which needs no mention.
fn is_first(start: &u64) -> bool {
    *start == 0
}

/// Memory before the launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Init {
    /// One value an element; missing ones are zero. `"&out+16"` is an address: 16 bytes into the buffer `out`.
    List(Vec<Literal>),
    /// The same value everywhere; the text `"iota"` counts 0, 1, 2, …, `"random 7"` draws, `"nan"` is no number, `"0 [5000]=7"` has single elements that
    /// differ (see `pattern`), and `"&out"` is the address of a buffer.
    Fill(Literal),
}

impl Init {
    /// The values as a line has them.
    pub fn text(&self) -> String {
        match self {
            Init::List(values) if values.is_empty() => "0".to_owned(),
            Init::List(values) => {
                let values: Vec<String> = values.iter().map(Literal::to_string).collect();
                values.join(", ")
            }
            Init::Fill(value) => value.to_string(),
        }
    }
}

impl Default for Init {
    fn default() -> Init {
        Init::List(Vec::new())
    }
}

/// The fault that a case names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct ExpectedFault {
    pub kind: FaultSort,
    #[serde(default)]
    pub buffer: Option<String>,
    #[serde(default)]
    pub space: Option<Space>,
    #[serde(default)]
    pub byte_offset: Option<i64>,
    #[serde(default)]
    pub width: Option<u32>,
    #[serde(default)]
    pub thread: Option<[u32; 3]>,
    #[serde(default)]
    pub block: Option<[u32; 3]>,
}
