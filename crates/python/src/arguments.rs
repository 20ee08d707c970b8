//! Conversion of the arguments of a kernel call to the parameters of a scenario, and of the final memory to the arrays of the call.

use crate::errors::ErrorClass;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::sync::Arc;
use warpgrid_view::scenario::{Buffer, BufferInitializer, StructField};
use warpgrid_view::session::loaded_module::KernelParameter;
use warpgrid_view::value::Literal;
use warpgrid_view::{MemoryKey, Parameter, Session, counted};

/// Arguments of a kernel call.
pub(crate) struct CallArguments {
    pub(crate) parameters: Vec<Parameter>,
    arrays: Vec<ArrayArgument>,
}

/// Array argument: a view of the bytes of the array, and the bytes at the start of the run.
struct ArrayArgument {
    name: String,
    view: PyBuffer<u8>,
    initial: Arc<[u8]>,
    /// Name of an earlier argument whose memory partly overlaps the array.
    overlapped: Option<String>,
}

impl CallArguments {
    /// Converts the arguments of a call. The Python part of the package passes an array as `(bytes view, element type, shape)`, and all other
    /// arguments as scalars.
    pub(crate) fn new(
        py: Python<'_>,
        declared: &[KernelParameter],
        arguments: &[Bound<'_, PyAny>],
    ) -> PyResult<CallArguments> {
        if declared.len() != arguments.len() {
            let names: Vec<String> = declared
                .iter()
                .map(|own| format!("`{}`", own.name))
                .collect();
            let message = format!(
                "found {}, expected {}: {}",
                counted(arguments.len() as u64, "argument"),
                declared.len(),
                names.join(", ")
            );
            return Err(ErrorClass::Argument.error(py, &message));
        }
        let mut call = CallArguments {
            parameters: Vec::with_capacity(declared.len()),
            arrays: Vec::new(),
        };
        for (parameter, argument) in declared.iter().zip(arguments) {
            let converted = match argument.cast::<PyTuple>() {
                Ok(array) => call.array(py, parameter, array)?,
                Err(_) => scalar(py, parameter, argument)?,
            };
            call.parameters.push(converted);
        }
        Ok(call)
    }

    fn array(
        &mut self,
        py: Python<'_>,
        parameter: &KernelParameter,
        array: &Bound<'_, PyTuple>,
    ) -> PyResult<Parameter> {
        let name = parameter.name.clone();
        if parameter.is_structure || !matches!(parameter.size_bytes, 4 | 8) {
            let expected = expected(parameter);
            let message = format!("argument `{name}`: found an array, expected {expected}");
            return Err(ErrorClass::Argument.error(py, &message));
        }
        let (view, ty, shape): (Bound<'_, PyAny>, String, Vec<u64>) = array.extract()?;
        let view = PyBuffer::<u8>::get(&view)?;
        let start = view.buf_ptr() as usize;
        let end = start + view.len_bytes();
        let mut overlapped = None;
        for other in &self.arrays {
            let other_start = other.view.buf_ptr() as usize;
            let other_end = other_start + other.view.len_bytes();
            if (start, end) == (other_start, other_end) && start < end {
                let of = other.name.clone();
                return Ok(Parameter::Alias { name, of });
            }
            if start < other_end && other_start < end {
                overlapped = Some(other.name.clone());
            }
        }
        let initial: Arc<[u8]> = view.to_vec(py)?.into();
        let buffer = Buffer {
            name: name.clone(),
            ty,
            // A product that overflows does not match the size of the view, so the launch reports an error.
            len: shape
                .iter()
                .fold(1, |len: u64, extent| len.saturating_mul(*extent)),
            shape: match shape.len() {
                0 | 1 => Vec::new(),
                _ => shape,
            },
            init: BufferInitializer::Bytes(Arc::clone(&initial)),
            ..Buffer::default()
        };
        self.arrays.push(ArrayArgument {
            name,
            view,
            initial,
            overlapped,
        });
        Ok(Parameter::Buffer(buffer))
    }

    /// Copies the final contents of the memory to the arrays. Fails without any change if the run has changed an array that is read-only, or
    /// whose memory overlaps that of another array.
    pub(crate) fn write_back(&self, py: Python<'_>, session: &Session) -> PyResult<()> {
        let mut changed = Vec::new();
        for array in &self.arrays {
            let key = MemoryKey::Buffer(array.name.clone());
            let bytes = session.memory(&key).unwrap_or_default();
            if bytes.len() == array.initial.len() && *bytes != *array.initial {
                changed.push((array, bytes));
            }
        }
        for (array, _) in &changed {
            if array.view.readonly() {
                let name = &array.name;
                let message = format!("argument `{name}`: the kernel stores to a read-only array");
                return Err(ErrorClass::Argument.error(py, &message));
            }
        }
        for array in &self.arrays {
            let Some(other) = &array.overlapped else {
                continue;
            };
            let is_changed = |name: &str| changed.iter().any(|(array, _)| array.name == name);
            if is_changed(&array.name) || is_changed(other) {
                let name = &array.name;
                let message = format!(
                    "argument `{name}`: the kernel stores to an array that partly overlaps the array of `{other}`"
                );
                return Err(ErrorClass::Argument.error(py, &message));
            }
        }
        for (array, bytes) in changed {
            array.view.copy_from_slice(py, bytes)?;
        }
        Ok(())
    }
}

/// Returns the description of the arguments that a parameter accepts.
fn expected(parameter: &KernelParameter) -> String {
    let KernelParameter { ty, size_bytes, .. } = parameter;
    match parameter.is_structure {
        true => format!("a `bytes` object of {}", counted(*size_bytes, "byte")),
        false => match is_float(ty) {
            true => format!("a number for the type `.{ty}`"),
            false => format!("an integer for the type `.{ty}`"),
        },
    }
}

fn is_float(ty: &str) -> bool {
    matches!(ty, "f16" | "bf16" | "f32" | "f64")
}

/// Converts an argument that is not an array by the type of its parameter.
fn scalar(
    py: Python<'_>,
    parameter: &KernelParameter,
    argument: &Bound<'_, PyAny>,
) -> PyResult<Parameter> {
    let name = parameter.name.clone();
    let mismatch = || {
        let found = argument.get_type().name();
        let found = found.map_or_else(|_| "object".to_owned(), |found| found.to_string());
        let message = format!(
            "argument `{name}`: found `{found}`, expected {}",
            expected(parameter)
        );
        ErrorClass::Argument.error(py, &message)
    };
    if parameter.is_structure {
        let bytes = argument.cast::<PyBytes>().map_err(|_| mismatch())?;
        return structure(parameter, bytes.as_bytes()).ok_or_else(mismatch);
    }
    if argument.is_none() && parameter.size_bytes == 8 {
        return Ok(Parameter::Scalar {
            name: name.clone(),
            ty: "u64".to_owned(),
            value: Literal::Integer(0),
        });
    }
    let is_number = integer(argument).is_none() && argument.extract::<f64>().is_ok();
    let ty = match (parameter.ty, is_number) {
        // PTX does not state whether a bit type contains an integer.
        ("b16", true) => "f16",
        ("b32", true) => "f32",
        ("b64", true) => "f64",
        (ty, _) => ty,
    };
    let value = match is_float(ty) {
        true => Literal::Float(argument.extract().map_err(|_| mismatch())?),
        false => Literal::Integer(integer(argument).ok_or_else(mismatch)?),
    };
    Ok(Parameter::Scalar {
        name: name.clone(),
        ty: ty.to_owned(),
        value,
    })
}

/// Converts an integer, also one beyond the range of 64 bits.
fn integer(argument: &Bound<'_, PyAny>) -> Option<i128> {
    if let Ok(value) = argument.extract::<i64>() {
        return Some(value.into());
    }
    if let Ok(value) = argument.extract::<u64>() {
        return Some(value.into());
    }
    argument.extract::<i128>().ok()
}

/// Converts the bytes of a structure. Returns `None` if their number differs from the size of the parameter.
fn structure(parameter: &KernelParameter, bytes: &[u8]) -> Option<Parameter> {
    if bytes.len() as u64 != parameter.size_bytes {
        return None;
    }
    let fields = bytes.iter().zip(0u64..).map(|(byte, offset)| StructField {
        offset,
        parameter: Parameter::Scalar {
            name: format!("{}+{offset}", parameter.name),
            ty: "u8".to_owned(),
            value: Literal::Integer((*byte).into()),
        },
    });
    Some(Parameter::Struct {
        name: parameter.name.clone(),
        size: parameter.size_bytes,
        align: parameter.align_bytes.into(),
        fields: fields.collect(),
    })
}
