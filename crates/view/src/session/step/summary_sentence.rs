//! Generation of the summary sentence about the last step, in plain language and with emphasized numbers.

use crate::model::fault::FaultView;
use crate::model::matrix::StepMma;
use crate::model::step::StepView;
use crate::model::store::{LaneStore, StoreAction, StoreView};
use crate::model::tensor::{TensorCopyView, TensorStep, TileView};
use crate::model::{MemorySpace, Phrase, PhraseLink, RunStatus};
use crate::session::memory_id::MemoryKey;
use warpgrid_isa::MemoryGeometry;
use warpgrid_program::counted;

/// Builder of a sentence from phrases.
#[derive(Debug, Default)]
struct Sentence(Vec<Phrase>);

impl Sentence {
    fn plain(mut self, text: impl Into<String>) -> Sentence {
        self.0.push(Phrase {
            text: text.into(),
            strong: false,
            link: None,
        });
        self
    }

    fn strong(mut self, text: impl Into<String>) -> Sentence {
        self.0.push(Phrase {
            text: text.into(),
            strong: true,
            link: None,
        });
        self
    }

    /// Appends a name to the sentence, with a link to the object that has this name.
    fn link(mut self, text: impl Into<String>, link: PhraseLink) -> Sentence {
        self.0.push(Phrase {
            text: text.into(),
            strong: false,
            link: Some(link),
        });
        self
    }
}

/// Properties of the launch and of the step that a summary sentence uses in addition to the step itself.
pub(crate) struct SentenceContext<'a> {
    /// Comparison of the results of a matrix multiplication with the exact sums, if the step executed a matrix multiplication.
    pub(crate) product: Option<&'a StepMma>,
    /// Tensor operation that the step started or completed, if the step has a tensor operation.
    pub(crate) tensor: Option<&'a TensorStep>,
    pub(crate) shape: MemoryGeometry,
    /// Size of the grid in blocks.
    pub(crate) grid: [u32; 3],
    /// Whether the launch has only one warp. In this case, the sentence does not name the warp.
    pub(crate) is_only_warp: bool,
}

/// Returns the summary sentence that the page displays above its grids.
pub(crate) fn sentence(
    status: RunStatus,
    last: Option<&StepView>,
    store: Option<&StoreView>,
    fault: Option<&FaultView>,
    around: &SentenceContext<'_>,
) -> Vec<Phrase> {
    let mut sentence = match (fault, store, last) {
        (Some(fault), _, _) => {
            return Sentence::default()
                .strong("Execution stopped")
                .plain(format!(": {}.", fault.message))
                .0;
        }
        (None, Some(store), _) => {
            let sentence = describe_store(store, around);
            match around.tensor.and_then(|tensor| tensor.copy.as_ref()) {
                Some(copy) => outside(
                    boxed(sentence.plain(" Tensor access: "), copy).plain("."),
                    copy,
                ),
                None => sentence,
            }
        }
        (None, None, Some(step)) => match around.tensor {
            Some(tensor) => worked(step, tensor, around),
            None => describe_mma(describe_step(step, around), around.product),
        },
        (None, None, None) => {
            Sentence::default().plain("The run has not started. Step or play to run the kernel.")
        }
    };
    if status == RunStatus::Finished {
        sentence = sentence.plain(" All threads have exited.");
    }
    sentence.0
}

fn describe_step(step: &StepView, around: &SentenceContext<'_>) -> Sentence {
    let n = step.active.count_ones();
    let sentence = Sentence::default().strong(step.opcode.as_str());
    let sentence = by(sentence, step.block_id, step.warp, around);
    match n {
        0 => sentence.plain(" was predicated off in all lanes."),
        32 => sentence.plain(" executed in all 32 lanes."),
        n => sentence
            .plain(" executed in ")
            .strong(counted(n, "lane"))
            .plain("."),
    }
}

/// Describes the start or the completion of a tensor operation.
fn worked(step: &StepView, tensor: &TensorStep, around: &SentenceContext<'_>) -> Sentence {
    let opening = Sentence::default().strong(step.opcode.as_str());
    let opening = by(opening, step.block_id, step.warp, around);
    if let Some(copy) = &tensor.copy {
        let sentence = opening.plain(match tensor.has_landed {
            true => " copied ",
            false => " started to copy ",
        });
        return outside(describe_copy(sentence, copy), copy);
    }
    let tile = |name: &str| tensor.tiles.iter().find(|tile| tile.name == name);
    match (tile("A"), tile("B"), tile("D")) {
        (Some(a), Some(b), Some(d)) => {
            let verb = match tensor.has_landed {
                true => " completed a ",
                false => " started a ",
            };
            let sentence = opening
                .plain(verb)
                .strong(format!("{} × {}", d.rows, d.columns))
                .plain(format!(" matrix multiplication, k = {}: A ", b.rows));
            let sentence = describe_operand_location(
                describe_operand_location(sentence, a).plain(" times B "),
                b,
            );
            held(sentence.plain(", D in "), d).plain(".")
        }
        _ => match &tensor.tiles[..] {
            [source, destination] => {
                let verb = match tensor.has_landed {
                    true => " copied ",
                    false => " started to copy ",
                };
                let n_bytes = source.rows * source.columns;
                let sentence = opening.plain(verb).strong(counted(n_bytes, "byte"));
                let sentence = held(sentence.plain(" of "), source);
                held(sentence.plain(" to "), destination).plain(".")
            }
            _ => opening.plain(" executed."),
        },
    }
}

/// Appends the location and the layout of an operand matrix to the sentence.
fn describe_operand_location(sentence: Sentence, tile: &TileView) -> Sentence {
    let sentence = sentence.plain(format!("(`{}`, ", tile.ty));
    match tile.memories.is_empty() {
        true => sentence.plain("in registers)"),
        false => held(sentence, tile).plain(format!(" {})", tile.place)),
    }
}

/// Appends the names of the memories that contain a tile to the sentence.
fn held(sentence: Sentence, tile: &TileView) -> Sentence {
    if tile.memories.is_empty() {
        return sentence.plain("registers");
    }
    tile.memories
        .iter()
        .enumerate()
        .fold(sentence, |sentence, (index, id)| {
            let and = if index == 0 { "" } else { " and " };
            let link = PhraseLink::Memory(id.clone());
            sentence.plain(and).link(memory_name(id), link)
        })
}

/// Appends a description of the copied box to the sentence: `a box of 64 × 8 at (0, 16) of in`.
fn boxed(sentence: Sentence, copy: &TensorCopyView) -> Sentence {
    let text = |numbers: &[String], between: &str| numbers.join(between);
    let extents: Vec<String> = copy.box_extents.iter().map(u64::to_string).collect();
    let coordinates: Vec<String> = copy.coordinates.iter().map(i64::to_string).collect();
    let sentence = sentence
        .plain("a box of ")
        .strong(text(&extents, " × "))
        .plain(format!(
            " `{}` at ({}) of ",
            copy.ty,
            text(&coordinates, ", ")
        ));
    match &copy.memory {
        Some(id) => sentence.link(memory_name(id), PhraseLink::Memory(id.clone())),
        None => sentence.plain("a tensor"),
    }
}

fn describe_copy(sentence: Sentence, copy: &TensorCopyView) -> Sentence {
    let sentence = boxed(sentence, copy).plain(if copy.is_load { " to " } else { " from " });
    let shared = copy.shared.iter().enumerate();
    let sentence = shared.fold(sentence, |sentence, (index, id)| {
        let and = if index == 0 { "" } else { " and " };
        let link = PhraseLink::Memory(id.clone());
        sentence.plain(and).link(memory_name(id), link)
    });
    let sentence = sentence.plain(": ").strong(counted(copy.n_bytes, "byte"));
    match copy.mbarrier {
        Some(address) => sentence.plain(format!(", tracked by the mbarrier at {address}.")),
        None => sentence.plain("."),
    }
}

/// Appends the number of bytes of a copied box that are outside of the tensor to the sentence.
fn outside(sentence: Sentence, copy: &TensorCopyView) -> Sentence {
    match copy.n_outside as u32 {
        0 => sentence,
        n => {
            let sentence = sentence.plain(" ").strong(counted(n, "byte"));
            match copy.is_load {
                true => {
                    sentence.plain(format!(" are out of bounds and filled with {}.", copy.fill))
                }
                false => sentence.plain(" are out of bounds and not written."),
            }
        }
    }
}

/// Appends the number of result elements of an MMA that are not correctly rounded to the sentence.
fn describe_mma(sentence: Sentence, product: Option<&StepMma>) -> Sentence {
    let Some(product) = product else {
        return sentence;
    };
    match product.n_odd {
        0 => sentence.plain(format!(
            " All {} results are correctly rounded.",
            product.n_elements
        )),
        n => sentence.plain(" ").strong(n.to_string()).plain(format!(
            " of {} results {} not correctly rounded.",
            product.n_elements,
            if n == 1 { "is" } else { "are" },
        )),
    }
}

/// Appends the names of the warp and the block that executed the step to the sentence, unless the launch has only one warp.
fn by(sentence: Sentence, block: [u32; 3], warp: u32, around: &SentenceContext<'_>) -> Sentence {
    if around.is_only_warp {
        return sentence;
    }
    let [x, y, z] = block.map(u64::from);
    let [nx, ny, nz] = around.grid.map(u64::from);
    let index = (z * ny + y) * nx + x;
    let name = match (ny, nz) {
        (1, 1) => format!("warp {warp} of block {x}"),
        _ => format!("warp {warp} of block ({x}, {y}, {z})"),
    };
    sentence
        .plain(" in ")
        .link(name, PhraseLink::Warp(index, warp))
}

fn describe_store(store: &StoreView, around: &SentenceContext<'_>) -> Sentence {
    let shape = around.shape;
    let opening = Sentence::default().strong(store.opcode.as_str());
    let opening = by(opening, store.block, store.warp, around);
    match store.action {
        StoreAction::Store => {
            let sentence = spread(wrote(opening, store), store, shape).plain(".");
            overlap(sentence, store)
        }
        StoreAction::Atomic | StoreAction::Reduction => {
            let sentence = updated(opening, store);
            let sentence = match counts(store) {
                (0, _) => sentence,
                _ => spread(sentence, store, shape),
            };
            kept(sentence.plain("."), store)
        }
    }
}

fn wrote(sentence: Sentence, store: &StoreView) -> Sentence {
    let n_bytes: usize = store.lanes.iter().map(|lane| lane.bytes.len()).sum();
    let verb = if store.has_landed {
        " completed the write of "
    } else {
        " wrote "
    };
    let sentence = sentence.plain(verb).strong(counted(n_bytes, "byte"));
    let sentence = match store.lanes.len() {
        32 => sentence.plain(" from all 32 lanes"),
        n => sentence.plain(" from ").strong(counted(n, "lane")),
    };
    target(sentence.plain(" to "), store)
}

/// Describes an atomic, which the machine executes lane by lane and which may leave memory unmodified. The sentence uses the verb “write”
/// instead of “change”, because the new value can equal the old value.
fn updated(sentence: Sentence, store: &StoreView) -> Sentence {
    let lanes = counted(store.lanes.len(), "lane");
    let sentence = sentence.plain(" in ").strong(lanes);
    match counts(store) {
        (0, _) => target(sentence.plain(" did not modify "), store),
        (n_written, n_kept) => {
            // Describe the order of the lanes only if several lanes access the same bytes.
            let meet = written_bytes(store) > store.n_bytes;
            let order = if meet && n_kept == 0 {
                ", serialized, wrote "
            } else {
                " wrote "
            };
            let sentence = sentence
                .plain(order)
                .strong(counted(store.n_bytes, "byte"))
                .plain(" of ");
            let sentence = target(sentence, store);
            if meet || n_kept > 0 {
                sentence.plain(format!(" {}", times(n_written)))
            } else {
                sentence
            }
        }
    }
}

/// Returns the number of bytes that the lanes of a store wrote. A byte that several lanes wrote counts several times.
fn written_bytes(store: &StoreView) -> u32 {
    let pieces = store.lanes.iter().flat_map(|lane| &lane.pieces);
    let written = pieces.filter(|piece| piece.written);
    written.map(|piece| piece.n_bytes).sum()
}

/// Returns the number of elements of an atomic that modified memory, and the number of elements that left memory unmodified.
fn counts(store: &StoreView) -> (u32, u32) {
    let pieces = || store.lanes.iter().flat_map(|lane| &lane.pieces);
    let n_written = pieces().filter(|piece| piece.written).count() as u32;
    (n_written, pieces().count() as u32 - n_written)
}

/// Appends the number of lanes that left memory unmodified to the sentence, if other lanes modified it.
fn kept(sentence: Sentence, store: &StoreView) -> Sentence {
    let (n_written, _) = counts(store);
    let is_kept = |lane: &&LaneStore| lane.pieces.iter().all(|piece| !piece.written);
    match store.lanes.iter().filter(is_kept).count() as u32 {
        0 => sentence,
        _ if n_written == 0 => sentence,
        n => sentence
            .plain(" ")
            .strong(counted(n, "lane"))
            .plain(" did not modify memory."),
    }
}

fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// Appends the numbers of sectors and wavefronts of a store to the sentence.
fn spread(sentence: Sentence, store: &StoreView, shape: MemoryGeometry) -> Sentence {
    let mut sentence = sentence;
    let n_sectors = store.traffic.global.sectors as u32;
    if n_sectors > 0 {
        let n_bytes = n_sectors * shape.sector_bytes;
        sentence = sentence.plain(" in ").strong(counted(n_sectors, "sector"));
        // Compare written bytes with sectors only for a store to a single global memory, because shared memory has no sectors.
        if store.space == MemorySpace::Global && store.memories.len() <= 1 {
            sentence = match store.traffic.global.bytes as u32 {
                all if all == n_bytes => sentence.plain(", 100 % utilized"),
                used if n_sectors == 1 => {
                    sentence.plain(format!(", {used} of {n_bytes} bytes used"))
                }
                used => sentence.plain(format!(", {used} of {n_bytes} bytes used")),
            };
        }
    }
    let shared = store.traffic.shared;
    let (wavefronts, fewest) = (shared.wavefronts as u32, shared.wavefronts_ideal as u32);
    // A store to both global and shared memory has sectors and wavefronts.
    let and = match n_sectors {
        0 => " in ",
        _ if wavefronts == 0 => return sentence,
        _ => " of global memory and ",
    };
    if store.action != StoreAction::Store && shared.bank_conflicts > 0 {
        return sentence
            .plain(and)
            .strong(counted(wavefronts, "wavefront"))
            .plain(", because several lanes access the same word or the same bank");
    }
    match (wavefronts, fewest) {
        (0, _) => sentence,
        (1, _) => sentence
            .plain(and)
            .strong("1 wavefront")
            .plain(", no bank conflicts"),
        (n, fewest) if n <= fewest => sentence
            .plain(and)
            .strong(counted(n, "wavefront"))
            .plain(", which is the minimum for this access width"),
        (n, fewest) => sentence
            .plain(and)
            .strong(counted(n, "wavefront"))
            .plain(format!(" ({fewest} ideal) due to bank conflicts")),
    }
}

/// Appends a description of the overlap between the addresses of different lanes to the sentence.
fn overlap(sentence: Sentence, store: &StoreView) -> Sentence {
    if store.lost > 0 {
        return sentence
            .plain(" ")
            .strong(counted(store.lost, "lane"))
            .plain(" wrote bytes that another lane of the same store overwrote.");
    }
    let width = store.lanes.first().map_or(0, |lane| lane.bytes.len());
    let n_bytes: usize = store.lanes.iter().map(|lane| lane.bytes.len()).sum();
    match stride(store) {
        Some(stride) if stride.unsigned_abs() as usize == width => {
            sentence.plain(" The lanes write contiguous addresses.")
        }
        Some(0) => sentence.plain(" All lanes wrote the same value to the same address."),
        None if n_bytes > store.n_bytes as usize => {
            sentence.plain(" Some lanes wrote equal values to the same bytes.")
        }
        None => sentence,
        Some(stride) if (stride.unsigned_abs() as usize) < width => {
            sentence.plain(" The bytes of adjacent lanes overlap, but have equal values.")
        }
        Some(stride) => sentence.plain(format!(
            " The lane stride is {}.",
            counted(stride.unsigned_abs(), "byte")
        )),
    }
}

/// Returns the constant distance between the addresses of adjacent lanes, or `None` if the distance varies or the lanes access different
/// memories.
fn stride(store: &StoreView) -> Option<i64> {
    let offsets: Option<Vec<i64>> = store
        .lanes
        .iter()
        .map(|lane| lane.offset.map(|offset| offset as i64))
        .collect();
    let offsets = offsets.filter(|offsets| offsets.len() > 1 && store.memories.len() == 1)?;
    let stride = offsets[1] - offsets[0];
    let constant = offsets.windows(2).all(|pair| pair[1] - pair[0] == stride);
    let neighbours = store
        .lanes
        .windows(2)
        .all(|pair| pair[1].lane == pair[0].lane + 1);
    (constant && neighbours).then_some(stride)
}

/// Appends the names of the memories that the store wrote to the sentence. Local memory has no name, because each lane has its own local
/// memory.
fn target(sentence: Sentence, store: &StoreView) -> Sentence {
    if store.memories.is_empty() {
        return sentence.plain(format!("{} memory", store.space.name()));
    }
    let mut pieces = store.lanes.iter().flat_map(|lane| &lane.pieces);
    let has_local = pieces.any(|piece| piece.memory.is_none());
    let last = store.memories.len() - 1;
    let ids = store.memories.iter().enumerate();
    let sentence = ids.fold(sentence, |sentence, (index, id)| {
        let sentence = match index {
            0 => sentence,
            index if index == last && !has_local => sentence.plain(" and "),
            _ => sentence.plain(", "),
        };
        sentence.link(memory_name(id), PhraseLink::Memory(id.clone()))
    });
    match has_local {
        true => sentence.plain(" and local memory"),
        false => sentence,
    }
}

fn memory_name(id: &MemoryKey) -> String {
    match id {
        MemoryKey::Shared(block) => format!("the shared memory of block {block}"),
        MemoryKey::Tensor(block) => format!("the tensor memory of block {block}"),
        MemoryKey::Buffer(name) | MemoryKey::Variable(name) => format!("`{name}`"),
    }
}
