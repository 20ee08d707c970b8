//! Serialization of partitions for messages between workers. Input: a partition, or a received object. Output: an
//! object, or a partition.

use crate::{JsInstance, js_error_message};
use js_sys::{Object, Reflect, Uint8Array};
use std::borrow::Cow;
use std::ops::Range;
use warpgrid_translate::{LinearMemory, Partition, PartitionSummary, ReplayBlock};
use wasm_bindgen::{JsCast, JsValue};

/// Linear memory of a partition that ran in another worker.
#[derive(Debug)]
pub struct TransferredMemory {
    bytes: Uint8Array,
}

impl LinearMemory for TransferredMemory {
    fn read(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        // Bytes outside of the memory are not returned.
        let bytes = self.bytes.subarray(range.start as u32, range.end as u32);
        Cow::Owned(bytes.to_vec())
    }
}

/// Returns a partition as the object `{ laneInstructions, steps, stores, hasDiverged, mustNote, refused, memory }`,
/// which contains a copy of its memory.
pub fn serialize_partition(part: &Partition<JsInstance>) -> Result<Object, String> {
    let facts = part.facts();
    let object = Object::new();
    let set_property = |name: &str, value: JsValue| Reflect::set(&object, &name.into(), &value);
    let memory = part.memory().bytes_view.slice(0, part.n_bytes() as u32);
    let count = |name: &str, n: u64| set_property(name, (n as f64).into());
    count("laneInstructions", facts.counts.lane_instructions)
        .and_then(|_| count("steps", facts.counts.steps))
        .and_then(|_| count("stores", facts.counts.stores))
        .and_then(|_| set_property("hasDiverged", facts.counts.has_diverged.into()))
        .and_then(|_| set_property("mustNote", facts.needs_tracking.into()))
        .and_then(|_| set_property("refused", facts.refused.into()))
        .and_then(|_| set_property("memory", memory.into()))
        .map_err(js_error_message)?;
    Ok(object)
}

/// Returns the partition that an object of [`serialize_partition`] describes. An error is returned as a message
/// fragment.
pub fn deserialize_partition(object: &JsValue) -> Result<Partition<TransferredMemory>, String> {
    let get = |name: &str| Reflect::get(object, &name.into()).map_err(js_error_message);
    let count = |name: &str| {
        let count = get(name)?.as_f64().map(|count| count as u64);
        count.ok_or_else(|| format!("missing `{name}` in a part"))
    };
    let bytes = get("memory")?.dyn_into::<Uint8Array>();
    let facts = PartitionSummary {
        counts: ReplayBlock {
            lane_instructions: count("laneInstructions")?,
            steps: count("steps")?,
            stores: count("stores")?,
            has_diverged: get("hasDiverged")?.is_truthy(),
        },
        needs_tracking: get("mustNote")?.is_truthy(),
        refused: get("refused")?.as_string(),
    };
    let bytes = bytes.map_err(|_| "missing `memory` in a part".to_owned())?;
    Ok(Partition::from_host(facts, TransferredMemory { bytes }))
}
