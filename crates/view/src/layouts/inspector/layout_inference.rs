//! Layout inference, which finds the simplest layout that produces the recorded addresses of the lanes, elements and iterations of an
//! access.

use crate::layouts::inspector::access_recorder::{AccessRecorder, RecordedAccess, RecordedRequest};
use crate::layouts::inspector::named_regions::NamedRegion;
use crate::session::Session;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_layout::{AddressTable, InferenceResult, InferredLayout, LinearLayout, infer_layout};
use warpgrid_program::FunctionId;

/// Layout that the analysis inferred for a memory access, or the reason why no layout matches. Hosts display it with the source line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct InferredAccessLayout {
    /// Line of the source, starting at 1.
    pub line: u32,
    pub opcode: String,
    /// Name of the accessed memory: a variable or a buffer of the launch.
    pub buffer: String,
    /// Size of one unit of the layout in bytes.
    pub unit_bytes: u32,
    /// Dimensions of the layout, the fastest-varying dimension first.
    pub dimensions: Vec<LayoutDimension>,
    /// CuTe layout, in units from the start of the buffer: `Swizzle<3,3,3> o 16 o (32,4):(1,32)`.
    pub layout: Option<String>,
    /// Bases of the layout over GF(2) if the layout is linear: `{lane = [1, 2, 4, 8, 16]}`. The XOR offset precedes the bases.
    pub bases: Option<String>,
    /// Reason why no layout matches the addresses, with the first mismatch. The field is absent if a layout matches.
    pub broken: Option<String>,
    /// Description of the layout in one sentence.
    pub text: String,
    /// Number of requests of the access in the complete run.
    pub requests: u64,
    /// Number of requests of the first block that the analysis examined.
    #[serde(rename = "lookedAt")]
    pub n_examined: u64,
}

/// Dimension of an inferred layout, with its name and its number of indices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LayoutDimension {
    /// Name of the access dimension: `element`, `lane`, `iteration` or `warp`.
    pub name: String,
    pub size: u32,
}

impl Session {
    /// Returns the recorded accesses of all executed steps.
    pub(crate) fn recorded(&mut self) -> Vec<RecordedAccess> {
        let mut recorder = AccessRecorder::default();
        let seen = self.steps_seen();
        self.timeline.replay(0, seen, &mut recorder);
        recorder.into_found()
    }

    /// Replays the executed steps, and returns the inferred layout of each access to shared and global memory, ordered by source line.
    pub fn layouts(&mut self) -> Vec<InferredAccessLayout> {
        let named = self.named_places();
        let recorded = self.recorded();
        let mut all: Vec<InferredAccessLayout> = recorded
            .iter()
            .filter_map(|found| self.layout_of(found, &named))
            .collect();
        all.sort_by_key(|found| found.line);
        all
    }

    fn layout_of(
        &self,
        recorded: &RecordedAccess,
        named: &[NamedRegion],
    ) -> Option<InferredAccessLayout> {
        let place = (FunctionId(recorded.function), recorded.instruction);
        let opcode = self
            .reader(place.0, place.1)
            .map_or("", InstructionView::opcode);
        let first = recorded.first_block.first()?.parts.first()?;
        let buffer = named
            .iter()
            .find(|named| named.holds(first.memory, first.address));
        let mut answer = InferredAccessLayout {
            line: self.range_of(place.0, place.1).line,
            opcode: opcode.to_owned(),
            buffer: buffer.map_or_else(String::new, |buffer| buffer.name.clone()),
            unit_bytes: 1,
            dimensions: Vec::new(),
            layout: None,
            bases: None,
            broken: None,
            text: String::new(),
            requests: recorded.n_requests,
            n_examined: recorded.first_block.len() as u64,
        };
        let start = buffer.map_or(0, |buffer| buffer.start);
        match table_of(recorded, start) {
            Ok(touched) => explain(&mut answer, &touched),
            Err(reason) => answer.broken = Some(reason),
        }
        answer.text = in_words(&answer);
        Some(answer)
    }
}

/// Table of the addresses of an access, in units of the layout and relative to the start of the buffer.
struct AccessedAddresses {
    table: AddressTable,
    unit_bytes: u32,
    lanes: Vec<u8>,
}

/// Converts the requests of an access to a table of addresses with the dimensions element, lane, iteration and warp.
fn table_of(recorded: &RecordedAccess, start: u64) -> Result<AccessedAddresses, String> {
    let requests = &recorded.first_block;
    let first = requests.first().ok_or("the access was not executed")?;
    let provider = match requests.iter().any(|request| request.is_shared_out) {
        true => AddressProvider::Rows,
        false => AddressProvider::Elements,
    };
    let (lanes, n_elements, _) = shape_of(first, provider)?;
    let mut by_warp: BTreeMap<u32, Vec<Vec<u64>>> = BTreeMap::new();
    for request in requests {
        let (own_lanes, own_elements, addresses) = shape_of(request, provider)?;
        if own_lanes != lanes || own_elements != n_elements {
            return Err(format!(
                "the active lanes differ between step {} and step {}",
                request.step, first.step
            ));
        }
        by_warp.entry(request.warp).or_default().push(addresses);
    }
    let n_iterations = by_warp.values().map(Vec::len).min().unwrap_or(0);
    if by_warp.values().any(|found| found.len() != n_iterations) && !recorded.is_truncated {
        return Err("the warps execute the access different numbers of times".to_owned());
    }
    let values: Vec<u64> = by_warp
        .values()
        .flat_map(|found| found.iter().take(n_iterations).flatten().copied())
        .collect();
    let unit_bytes = unit_of(first, provider, &values, start);
    let relative = values.iter().map(|address| {
        let offset = address.wrapping_sub(start) as i64;
        offset / i64::from(unit_bytes)
    });
    let mut dimensions = vec![
        ("element".to_owned(), n_elements),
        ("lane".to_owned(), lanes.len()),
        ("iteration".to_owned(), n_iterations),
        ("warp".to_owned(), by_warp.len()),
    ];
    dimensions.retain(|(_, size)| *size > 1);
    if dimensions.is_empty() {
        dimensions.push(("lane".to_owned(), 1));
    }
    Ok(AccessedAddresses {
        table: AddressTable {
            dimensions,
            values: relative.collect(),
        },
        unit_bytes,
        lanes,
    })
}

/// Meaning of the addresses that each lane of an access provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AddressProvider {
    /// Each address is the address of an element that the lane itself transfers.
    Elements,
    /// The address is the address of a matrix row, whose elements other lanes transfer (`ldmatrix`).
    Rows,
}

/// Returns the lanes of a request, the number of elements per lane, and the addresses of the elements. A lane that provides the address of
/// a row has one element.
fn shape_of(
    request: &RecordedRequest,
    provider: AddressProvider,
) -> Result<(Vec<u8>, usize, Vec<u64>), String> {
    if provider == AddressProvider::Rows {
        let rows = request.lanes().ok_or("a lane accesses several locations")?;
        let lanes = rows.iter().map(|row| row.lane).collect();
        return Ok((lanes, 1, rows.iter().map(|row| row.start).collect()));
    }
    let mut by_lane: BTreeMap<u8, Vec<(u8, u64)>> = BTreeMap::new();
    for part in &request.parts {
        by_lane
            .entry(part.lane)
            .or_default()
            .push((part.element, part.address));
    }
    let n_elements = by_lane.values().map(Vec::len).max().unwrap_or(0);
    if by_lane.values().any(|found| found.len() != n_elements) {
        return Err("the lanes access different numbers of elements".to_owned());
    }
    let addresses = by_lane.values_mut().flat_map(|found| {
        found.sort_unstable();
        found.iter().map(|(_, address)| *address)
    });
    let addresses = addresses.collect();
    Ok((by_lane.into_keys().collect(), n_elements, addresses))
}

/// Returns the size of a unit of the layout in bytes. The unit is one element if all addresses are multiples of the element size.
fn unit_of(first: &RecordedRequest, provider: AddressProvider, values: &[u64], start: u64) -> u32 {
    let bytes = match provider {
        AddressProvider::Rows => first
            .lanes()
            .and_then(|lanes| lanes.first().map(|lane| lane.n_bytes as u32)),
        AddressProvider::Elements => first.parts.first().map(|part| part.n_bytes),
    };
    let bytes = bytes.unwrap_or(1).max(1);
    let is_whole = |address: &u64| address.wrapping_sub(start).is_multiple_of(bytes.into());
    if values.iter().all(is_whole) {
        bytes
    } else {
        1
    }
}

fn explain(answer: &mut InferredAccessLayout, touched: &AccessedAddresses) {
    let dimensions = touched.table.dimensions.iter();
    answer.dimensions = dimensions
        .map(|(name, size)| LayoutDimension {
            name: name.clone(),
            size: *size as u32,
        })
        .collect();
    answer.unit_bytes = touched.unit_bytes;
    let Some(found) = infer_layout(&touched.table) else {
        answer.broken = Some("the access has too many locations for this analysis".to_owned());
        return;
    };
    match found.found {
        InferenceResult::Explained(InferredLayout::Layout(layout)) => {
            let names: Vec<&str> = touched
                .table
                .dimensions
                .iter()
                .map(|(name, _)| name.as_str())
                .collect();
            let linear = LinearLayout::of_layout(
                &warpgrid_layout::ComposedLayout {
                    offset: 0,
                    ..layout.clone()
                },
                &names,
            );
            answer.bases = linear
                .ok()
                .filter(|_| layout.offset == 0)
                .map(|bases| bases.to_string());
            answer.layout = Some(layout.to_string());
        }
        InferenceResult::Explained(InferredLayout::Linear { first, bases }) => {
            answer.bases = Some(match first {
                0 => bases.to_string(),
                first => format!("{first} ^ {bases}"),
            });
        }
        InferenceResult::Broken(found) => {
            let place = touched.table.dimensions.iter().zip(&found.coordinates);
            let words = place.map(|((name, _), at)| match name.as_str() {
                "lane" => format!("lane {}", touched.lanes.get(*at).copied().unwrap_or(0)),
                name => format!("{name} {at}"),
            });
            let words: Vec<String> = words.collect();
            let bytes = i64::from(touched.unit_bytes);
            answer.broken = Some(format!(
                "no strided, swizzled or GF(2)-linear layout matches the addresses: {} is at byte {}, but the preceding locations imply byte {}",
                words.join(", "),
                found.found * bytes,
                found.expected * bytes
            ));
        }
    }
}

fn in_words(answer: &InferredAccessLayout) -> String {
    let names = answer
        .dimensions
        .iter()
        .map(|dimension| dimension.name.as_str());
    let names: Vec<&str> = names.collect();
    let unit = match answer.unit_bytes {
        1 => "bytes".to_owned(),
        n => format!("units of {n} bytes"),
    };
    let buffer = match answer.buffer.as_str() {
        "" => "memory".to_owned(),
        name => format!("`{name}`"),
    };
    match (&answer.layout, &answer.bases, &answer.broken) {
        (Some(layout), ..) => format!(
            "({}) is at {layout} of {buffer}, in {unit}",
            names.join(", ")
        ),
        (None, Some(bases), _) => {
            format!("linear over GF(2), at {bases} of {buffer}, in {unit}")
        }
        (None, None, broken) => broken.clone().unwrap_or_default(),
    }
}
