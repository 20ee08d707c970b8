//! Inference of multimem addresses for a kernel whose scenario does not specify them. The input is the instructions of the kernel. The
//! output is one buffer per device for each parameter that is used as a multimem address.

use super::{ParameterUses, PointerAccess, buffer, kernel_variables};
use crate::instruction_summary::readers;
use crate::scenario::{Parameter, Scenario};
use std::collections::BTreeMap;
use warpgrid_program::{Function, Program};

/// Number of devices of an inferred multimem address.
const N_DEVICES: usize = 2;

/// Inferred multimem address with its buffers.
#[derive(Clone, Debug)]
pub(crate) struct InferredMultimem {
    pub(crate) parameter: Parameter,
    pub(crate) buffers: Vec<Parameter>,
}

/// Returns the inferred buffers of each multimem parameter, indexed by parameter.
pub(super) fn groups(
    program: &Program,
    function: &Function,
    uses: &ParameterUses,
    scenario: &Scenario,
) -> BTreeMap<usize, InferredMultimem> {
    let mut groups = BTreeMap::new();
    for part in readers(program, function).filter_map(|reader| reader.multimem_part()) {
        let Some((place, 0)) = uses.held(part.address).origin else {
            continue;
        };
        if let Some(variable) = kernel_variables(function).nth(place) {
            let access = PointerAccess {
                ty: part.ty,
                n_elements: part.n_elements,
                is_read: part.is_read,
            };
            groups
                .entry(place)
                .or_insert_with(|| group_of(&variable.name, access, scenario));
        }
    }
    groups
}

fn group_of(name: &str, access: PointerAccess, scenario: &Scenario) -> InferredMultimem {
    let names: Vec<String> = (0..N_DEVICES)
        .map(|device| format!("{name}_device{device}"))
        .collect();
    let buffer = |name: &String| buffer(name.clone(), access, scenario);
    InferredMultimem {
        buffers: names.iter().map(buffer).collect(),
        parameter: Parameter::Multimem {
            name: name.to_owned(),
            buffers: names,
        },
    }
}
