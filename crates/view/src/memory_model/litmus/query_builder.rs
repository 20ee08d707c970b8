//! Construction of an exploration query from the program of a litmus test. The builder determines the addresses of locations, the initial
//! register values, and the observed values.

use crate::memory_model::litmus::launch::LaunchShape;
use crate::memory_model::litmus::parser::MAX_ELEMENTS;
use crate::memory_model::litmus::test::{LitmusLocation, LitmusTest};
use crate::memory_model::litmus::test_module::{LitmusError, fail, kernel_name};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use warpgrid_emulator::{Launch, MbarrierState, SharedAddress};
use warpgrid_isa::ScalarType;
use warpgrid_order::explore::{
    ExplorationLimits, LitmusLocationKind, LitmusQuery, Location, ObservedValue, ThreadSpec, window,
};
use warpgrid_program::{Function, FunctionId, Program};

/// Start address of the first global location without a specified address.
const GLOBAL: u64 = 1 << 40;
/// Distance in bytes between two global locations without a specified address.
const GLOBAL_SPACING: u64 = 1 << 32;
/// End address of the shared memory of a block, relative to its start.
const SHARED_END: u64 = 1 << 24;
/// Maximum number of clusters that contain tested threads.
const MAX_CLUSTERS: usize = 64;

/// Builder of the exploration query of a litmus test, which maps the names of the test to the locations of the query.
pub(crate) struct QueryBuilder<'a> {
    test: &'a LitmusTest,
    shape: LaunchShape,
    /// Index of each cluster that contains tested threads.
    clusters: BTreeMap<u32, u64>,
    /// Base of each location name: an address in global memory, or an offset in the shared memory of a block.
    bases: BTreeMap<&'a str, u64>,
    locations: Vec<Location>,
    origins: Vec<usize>,
    /// For each location of the query, the block whose shared memory contains the location.
    blocks: Vec<Option<u32>>,
}

/// Element size and initial element values of a location in the litmus test.
struct LocationContents {
    element_bytes: u32,
    init: Vec<u64>,
}

impl<'a> QueryBuilder<'a> {
    pub(crate) fn new(test: &'a LitmusTest) -> Result<QueryBuilder<'a>, LitmusError> {
        let shape = LaunchShape::new(test)?;
        let threads = test.threads.iter();
        let clusters: BTreeSet<u32> = threads.map(|t| shape.home(t.block).0).collect();
        if clusters.len() > MAX_CLUSTERS {
            return fail(format!(
                "the threads of the litmus test belong to {} clusters, expected at most {MAX_CLUSTERS}",
                clusters.len()
            ));
        }
        let mut asker = QueryBuilder {
            test,
            shape,
            clusters: clusters.into_iter().zip(0..).collect(),
            bases: bases_of(test)?,
            locations: Vec::new(),
            origins: Vec::new(),
            blocks: Vec::new(),
        };
        for (index, location) in test.locations.iter().enumerate() {
            asker.place(index, location)?;
        }
        asker.check_apart()?;
        Ok(asker)
    }

    /// Adds a location of the test to the query. A location in shared memory becomes one location of the query for each block whose shared
    /// memory contains it.
    fn place(&mut self, index: usize, location: &LitmusLocation) -> Result<(), LitmusError> {
        let (element_bytes, init) = contents(location)?;
        let kind = kind_of(location)?;
        let n_bytes = u64::from(element_bytes) * init.len() as u64;
        let base = self.bases.get(location.name.as_str());
        let at = base.copied().unwrap_or(0).checked_add(location.offset);
        let end = match kind {
            LitmusLocationKind::Global => window(0, 0),
            LitmusLocationKind::Shared | LitmusLocationKind::Mbarrier => SHARED_END,
        };
        let Some(at) = at.filter(|at| at.checked_add(n_bytes).is_some_and(|last| last <= end))
        else {
            return fail(format!(
                "the location `{}` has an offset of {} bytes, which is outside of its memory",
                location.name, location.offset
            ));
        };
        if kind == LitmusLocationKind::Global {
            if at <= GLOBAL_SPACING {
                return fail(format!(
                    "found the address `at={at}` of the location `{}`, expected an address above {GLOBAL_SPACING}",
                    location.name
                ));
            }
            self.add(
                index,
                None,
                at,
                LocationContents {
                    element_bytes,
                    init,
                },
                kind,
            );
            return Ok(());
        }
        for block in self.addressable_blocks() {
            if location.block.is_none_or(|own| own == block) {
                let (cluster, rank) = self.shape.home(block);
                let cluster = self.clusters.get(&cluster).copied().unwrap_or(0);
                let start = window(cluster, u64::from(rank)) + at;
                let contents = LocationContents {
                    element_bytes,
                    init: init.clone(),
                };
                self.add(index, Some(block), start, contents, kind);
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        index: usize,
        block: Option<u32>,
        start: u64,
        contents: LocationContents,
        kind: LitmusLocationKind,
    ) {
        let found = self.test.locations.get(index);
        self.origins.push(index);
        self.blocks.push(block);
        self.locations.push(Location {
            name: found.map_or_else(String::new, |location| location.name.clone()),
            offset: found.map_or(0, |location| location.offset),
            start,
            element_bytes: contents.element_bytes,
            init: contents.init,
            kind,
        });
    }

    /// Returns an error if two locations overlap.
    fn check_apart(&self) -> Result<(), LitmusError> {
        let mut all: Vec<&Location> = self.locations.iter().collect();
        all.sort_by_key(|location| location.start);
        let meet = all.windows(2).find(|pair| match pair {
            [a, b] => a.start + a.n_bytes() > b.start,
            _ => false,
        });
        match meet {
            Some([a, b]) => fail(format!(
                "the locations `{}` and `{}` overlap, but locations must be disjoint",
                a.name, b.name
            )),
            _ => Ok(()),
        }
    }

    /// Returns the blocks whose shared memory the tested threads can access, in ascending order.
    fn addressable_blocks(&self) -> Vec<u32> {
        let ranks = 0..self.shape.n_ranks();
        let of_cluster = |cluster: &u32| {
            let cluster = *cluster;
            let blocks = ranks.clone();
            blocks.map(move |rank| self.shape.block_of(cluster, rank))
        };
        self.clusters.keys().flat_map(of_cluster).collect()
    }

    /// Returns the exploration query. `called` maps a thread and an instruction of a called function to the line of the call.
    pub(crate) fn ask(
        self,
        program: Program,
        called: &[Vec<Option<u32>>],
    ) -> Result<(LitmusQuery, Vec<usize>), LitmusError> {
        let mut threads = Vec::new();
        for number in 0..self.test.threads.len() {
            let name = kernel_name(number);
            let found = program.functions.iter().position(|f| f.name == name);
            let function = found.and_then(|i| Some((i, program.functions.get(i)?)));
            let Some((id, function)) = function else {
                return fail(
                    "the body of a thread contains an unmatched closing brace: remove the brace",
                );
            };
            threads.push(ThreadSpec {
                call_sites: called.get(number).cloned().unwrap_or_default(),
                ..self.thread(number, FunctionId(id as u32), function)
            });
        }
        let observed: Result<_, _> = self
            .test
            .observe
            .iter()
            .map(|text| self.observed(text, &program))
            .collect();
        let question = LitmusQuery {
            launch: self.launch(),
            threads,
            observed: observed?,
            locations: self.locations,
            limits: ExplorationLimits::default(),
            program: Arc::new(program),
        };
        Ok((question, self.origins))
    }

    fn launch(&self) -> Launch {
        Launch {
            grid: self.test.grid,
            block: self.test.block,
            cluster: self.test.cluster,
            ..Launch::single(FunctionId(0))
        }
    }

    fn thread(&self, number: usize, id: FunctionId, function: &Function) -> ThreadSpec {
        let thread = self.test.threads.get(number).cloned().unwrap_or_default();
        let (cluster, rank) = self.shape.home(thread.block);
        let mut registers = Vec::new();
        for location in &self.test.locations {
            let offset = self.bases.get(location.name.as_str()).copied().unwrap_or(0);
            let mut set = |name: &str, value: u64| {
                let found = function.registers.find(name);
                registers.extend(found.map(|(register, _)| (register, value)));
            };
            let in_block = |rank: Option<u32>| SharedAddress { rank, offset }.number();
            match location.space.as_str() {
                space if space.ends_with("::cluster") => {
                    set(&location.name, in_block(Some(0)));
                    set(&format!("own_{}", location.name), in_block(None));
                }
                _ => set(&location.name, offset),
            }
        }
        ThreadSpec {
            function: id,
            block: self.shape.position(thread.block),
            block_index: u64::from(thread.block),
            cluster_index: self.clusters.get(&cluster).copied().unwrap_or(0),
            rank: u64::from(rank),
            thread: thread.thread,
            registers,
            call_sites: Vec::new(),
        }
    }

    /// Parses an observed value: `1:%r0`, `x`, `x[2]`. The value `1:x[2]` is the element of `x` in the shared memory of the block of thread
    /// 1.
    fn observed(&self, text: &str, program: &Program) -> Result<ObservedValue, LitmusError> {
        let thread = text.split_once(':').and_then(|(thread, rest)| {
            let number: usize = thread.trim().parse().ok()?;
            Some((number, self.test.threads.get(number)?, rest.trim()))
        });
        let Some((number, thread, rest)) = thread else {
            return self.place_observed(text, None);
        };
        if let Ok(place) = self.place_observed(rest, Some(thread.block)) {
            return Ok(place);
        }
        let name = format!("thread{number}");
        let function = program.functions.iter().find(|f| f.name == name);
        let register = function.and_then(|f| Some(f.registers.find(rest)?.0));
        Ok(ObservedValue::Register {
            thread: number,
            register,
        })
    }

    fn place_observed(&self, text: &str, block: Option<u32>) -> Result<ObservedValue, LitmusError> {
        let place = text.strip_suffix(']').and_then(|text| text.split_once('['));
        let (name, element) = place.unwrap_or((text, "0"));
        let element = element.parse::<u64>().ok();
        let found = element.and_then(|element| self.element(name, element, block));
        found.map_or_else(
            || {
                fail(format!(
                "found the observed value `{text}`, expected a register such as `0:%r0` or a location such as `x[0]`"
            ))
            },
            Ok,
        )
    }

    /// Returns the observed value for an element of a location. The index of the element is relative to the base of the location name.
    fn element(&self, name: &str, element: u64, block: Option<u32>) -> Option<ObservedValue> {
        let places = self.locations.iter().zip(&self.blocks).enumerate();
        let mut places = places.filter(|(_, (location, own))| {
            location.name == name && (block.is_none() || own.is_none() || **own == block)
        });
        places.find_map(|(index, (location, _))| {
            let size = u64::from(location.element_bytes);
            let at = (element * size).checked_sub(location.offset)?;
            let is_whole = at % size == 0 && at / size < location.init.len() as u64;
            is_whole.then_some(ObservedValue::Memory {
                location: index,
                element: (at / size) as usize,
            })
        })
    }
}

/// Returns the base of each location name. The base is the address that the test specifies, otherwise the next free address after the
/// preceding names.
fn bases_of(test: &LitmusTest) -> Result<BTreeMap<&str, u64>, LitmusError> {
    let mut bases = BTreeMap::new();
    let stated = test.locations.iter();
    for location in stated.filter(|location| location.at.is_some()) {
        let at = location.at.unwrap_or(0);
        if *bases.entry(location.name.as_str()).or_insert(at) != at {
            return fail(format!(
                "the location `{}` has two different addresses",
                location.name
            ));
        }
    }
    let mut free = 0;
    for (index, location) in test.locations.iter().enumerate() {
        let name = location.name.as_str();
        if bases.contains_key(name) {
            continue;
        }
        if location.space == "global" {
            bases.insert(name, GLOBAL + GLOBAL_SPACING * index as u64);
            continue;
        }
        bases.insert(name, free);
        let pieces = test.locations.iter().filter(|piece| piece.name == name);
        let mut end = free;
        for piece in pieces {
            let (element_bytes, init) = contents(piece)?;
            let n_bytes = u64::from(element_bytes) * init.len() as u64;
            end = end.max(free.saturating_add(piece.offset).saturating_add(n_bytes));
        }
        free = end.checked_next_multiple_of(16).unwrap_or(u64::MAX);
    }
    Ok(bases)
}

/// Returns the size of an element of a location in bytes, and the initial value of each element.
fn contents(location: &LitmusLocation) -> Result<(u32, Vec<u64>), LitmusError> {
    let name = &location.name;
    if location.space.starts_with("mbarrier") {
        let object = match location.word {
            Some(word) => MbarrierState::read(word),
            None => MbarrierState::new(location.count.unwrap_or(1)).ok(),
        };
        return match object {
            Some(object) => Ok((8, vec![object.word()])),
            None => fail(format!(
                "the mbarrier `{name}` has an expected arrival count of 0, expected at least 1"
            )),
        };
    }
    let ty = location.ty.as_deref().unwrap_or("u32");
    let bytes = ScalarType::from_name(ty).map(ScalarType::width_bytes);
    let Some(bytes) = bytes.filter(|bytes| (1..=8).contains(bytes)) else {
        return fail(format!(
            "the location `{name}` has the type `{ty}`, expected a type of 8 to 64 bits such as `u32`"
        ));
    };
    let n = location.init.len();
    if n == 0 || n > MAX_ELEMENTS {
        return fail(format!(
            "the location `{name}` has {n} elements, expected 1 to {MAX_ELEMENTS}"
        ));
    }
    let keep = u64::MAX >> (64 - 8 * bytes);
    Ok((
        bytes,
        location.init.iter().map(|value| value & keep).collect(),
    ))
}

fn kind_of(location: &LitmusLocation) -> Result<LitmusLocationKind, LitmusError> {
    match location.space.as_str() {
        "global" => Ok(LitmusLocationKind::Global),
        "shared" | "shared::cta" | "shared::cluster" => Ok(LitmusLocationKind::Shared),
        "mbarrier" | "mbarrier::cluster" => Ok(LitmusLocationKind::Mbarrier),
        space => fail(format!(
            "found the state space `{space}` of the location `{}`, expected `global`, `shared`, `shared::cluster`, `mbarrier` or `mbarrier::cluster`",
            location.name
        )),
    }
}
