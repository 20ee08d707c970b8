//! Phrases about tensor operations: the boxes of tensor copies, the tiles of matrix multiplications, and accesses to tensor memory.

use super::SentenceContext;
use super::builder::{Sentence, memory_name};
use super::synchronization::{announced, signaled};
use crate::model::PhraseLink;
use crate::model::matrix::StepMma;
use crate::model::tensor::{TensorCopyView, TensorStep, TileView};
use crate::session::step::effects::SyncEffect;
use warpgrid_program::counted;

/// Appends the issue or the completion of a tensor operation to the sentence.
pub(super) fn describe_tensor(
    sentence: Sentence,
    tensor: &TensorStep,
    around: &SentenceContext<'_>,
) -> Sentence {
    let sentence = match &tensor.copy {
        Some(copy) => {
            let sentence = sentence.plain(match tensor.has_landed {
                true => "copy completed: ",
                false => "copy issued: ",
            });
            let sentence =
                boxed(sentence, copy).plain(if copy.is_load { " to " } else { " from " });
            let sentence = sentence.memories(&copy.shared).plain(", ");
            outside(sentence.strong(counted(copy.n_bytes, "byte")), copy)
        }
        None => describe_tiles(sentence, tensor, around),
    };
    for effect in around.effects {
        if let SyncEffect::Completed { operation, signal } = effect {
            return signaled(sentence, operation.operation.completion, *signal, around);
        }
        if let SyncEffect::Issued(operation) = effect {
            return announced(sentence, operation, around);
        }
    }
    sentence
}

fn describe_tiles(
    sentence: Sentence,
    tensor: &TensorStep,
    around: &SentenceContext<'_>,
) -> Sentence {
    let tile = |name: &str| tensor.tiles.iter().find(|tile| tile.name == name);
    if let (Some(a), Some(b), Some(d)) = (tile("A"), tile("B"), tile("D")) {
        // The instruction computes more rows than the warp if the warps of a warpgroup share its rows.
        let shape = match around.shape {
            Some(shape) => format!("m{}n{}k{}", shape.rows, shape.columns, shape.depth),
            None => format!("m{}n{}k{}", d.rows, d.columns, b.rows),
        };
        let sentence = sentence
            .plain(match tensor.has_landed {
                true => "completed ",
                false => "issued ",
            })
            .strong(format!("{} × {}", d.rows, d.columns))
            .plain(format!(" of {shape}: A "));
        let sentence = describe_operand_location(sentence, a).plain(", B ");
        return held(describe_operand_location(sentence, b).plain(", D in "), d);
    }
    let sentence = sentence.plain(match tensor.has_landed {
        true => "copy completed",
        false => "copy issued",
    });
    match &tensor.tiles[..] {
        [source, destination] => {
            let n_bytes = source.rows * source.columns;
            let sentence = sentence.plain(": ").strong(counted(n_bytes, "byte"));
            let sentence = held(sentence.plain(" from "), source);
            held(sentence.plain(" to "), destination)
        }
        _ => sentence,
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
    match tile.memories.is_empty() {
        true => sentence.plain("registers"),
        false => sentence.memories(&tile.memories),
    }
}

/// Appends a description of the copied box to the sentence: `box of 64 × 8 at (0, 16) of in`.
fn boxed(sentence: Sentence, copy: &TensorCopyView) -> Sentence {
    let extents: Vec<String> = copy.box_extents.iter().map(u64::to_string).collect();
    let coordinates: Vec<String> = copy.coordinates.iter().map(i64::to_string).collect();
    let sentence = sentence
        .plain("box of ")
        .strong(extents.join(" × "))
        .plain(format!(
            " `{}` at ({}) of ",
            copy.ty,
            coordinates.join(", ")
        ));
    match &copy.memory {
        Some(id) => sentence.link(memory_name(id), PhraseLink::Memory(id.clone())),
        None => sentence.plain("a tensor"),
    }
}

/// Appends the number of bytes of a copied box that are outside of the tensor to the sentence.
fn outside(sentence: Sentence, copy: &TensorCopyView) -> Sentence {
    match copy.n_outside as u32 {
        0 => sentence,
        n => {
            let sentence = sentence.plain(", ").strong(counted(n, "byte"));
            match copy.is_load {
                true => sentence.plain(format!(" out of bounds and filled with {}", copy.fill)),
                false => sentence.plain(" out of bounds and not written"),
            }
        }
    }
}

/// Appends the number of result elements of an MMA that are not correctly rounded to the sentence.
pub(super) fn describe_mma(sentence: Sentence, product: &StepMma) -> Sentence {
    let n = product.n_elements;
    match product.n_odd {
        0 => sentence.plain(format!("{n} results, all correctly rounded")),
        odd => sentence
            .plain(format!("{n} results, "))
            .strong(odd.to_string())
            .plain(" not correctly rounded"),
    }
}
