//! The examples: each a PTX or SASS file of `public/examples` that says its title and its launch in `//@` lines.

/// A text to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Stable, for links: the file's name.
    pub id: &'static str,
    pub title: &'static str,
    pub group: &'static str,
    pub source: &'static str,
}

macro_rules! examples {
    ($($group:literal $ending:literal { $($id:literal $title:literal)* })*) => {
        /// All of them, in the order of the picker.
        pub static EXAMPLES: &[Example] = &[$($(Example {
            id: $id,
            title: $title,
            group: $group,
            source: include_str!(concat!("../../public/examples/", $id, $ending)),
        },)*)*];
    };
}

examples! {
    "One idea each" ".ptx" {
        "row-and-column-stores" "Rows coalesce, columns scatter"
        "vector-stores" "One store, two or four elements a lane"
        "guarded-store" "A guard keeps lanes out"
        "one-address" "All lanes store to one address"
        "swizzled-tile" "An XOR swizzle, drawn by the lanes"
        "bank-conflicts" "Bank conflicts, and the padding that ends them"
        "little-endian" "Words are bytes, lowest first"
        "endless-loop" "A loop that never ends"
    }
    "Later, and together" ".ptx" {
        "cluster-messages" "Messages through a cluster"
        "copy-pipeline" "A pipeline of copies"
        "cluster-histogram" "A histogram over a cluster"
        "deadlock" "A deadlock"
        "broken-mbarrier" "A broken mbarrier"
    }
    "Matrices" ".ptx" {
        "matrix-store" "A matrix leaves its fragments"
        "sub-matrix-store" "A tile of a larger matrix"
        "documented-matrix-stores" "The manual's matrix stores"
        "tensor-core-product" "A matrix product on tensor cores"
        "cut-sums" "A sum that a tensor core cuts"
        "unequal-strides" "Lanes that disagree about the stride"
        "half-a-warp" "Half a warp stores no matrix"
    }
    "Machine code" ".sass" {
        "documented-stores" "Stores of machine code"
        "machine-code-of-a-kernel" "Machine code of a vector addition"
    }
    "From real compilers" ".ptx" {
        "vector-addition" "Vector addition, with a tail that stays out"
        "saxpy-float4" "Four elements a lane with float4"
        "strided-store" "A stride leaves gaps in every sector"
        "transposition" "A transposition reads rows and writes columns"
        "divergent-branches" "Three paths through one warp"
        "mandelbrot" "Mandelbrot: lanes that leave the loop early"
        "game-of-life" "One generation of the game of life"
        "shared-reduction" "A sum that halves its lanes"
        "reverse-in-shared-memory" "Reversal through dynamic shared memory"
        "tiled-matrix-product" "A matrix product through shared tiles"
        "warp-scan" "Prefix sums with shuffles"
        "warp-votes" "Votes of a warp"
        "bytes-and-shorts" "Bytes, shorts and short vectors"
        "store-128-bits" "One 128-bit register, stored whole"
        "misaligned-store" "A misaligned store stops the launch"
    }
}

/// The example with this text.
pub fn with_source(source: &str) -> Option<usize> {
    EXAMPLES.iter().position(|example| example.source == source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_view::annotations::Annotations;

    #[test]
    fn every_example_says_its_title_and_its_launch() {
        for example in EXAMPLES {
            let read = Annotations::parse(example.source, "//");
            assert_eq!(read.title.as_deref(), Some(example.title), "{}", example.id);
            assert!(read.about.is_some(), "{} says what it is about", example.id);
            assert!(read.scenario.block.is_some(), "{} has a launch", example.id);
            assert_eq!(read.diagnostics, vec![], "{}", example.id);
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = EXAMPLES.iter().map(|example| example.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), EXAMPLES.len());
    }
}
