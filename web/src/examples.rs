//! The examples in their chapters: each a file of `public/examples` in PTX, SASS or CUDA C++ that says its title and its launch in `//@` lines. The page fetches a text
//! when somebody picks it; its wasm has the names alone.

/// A text to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Stable, for links: the file's name.
    pub id: &'static str,
    pub title: &'static str,
    pub group: &'static str,
    /// Its file in the folder of the examples.
    pub file: &'static str,
    /// Tells its text from others.
    print: Print,
}

/// The length of a text and a hash of it.
type Print = (usize, u64);

impl Example {
    /// Whether this is the text of the example.
    pub fn is_text(&self, text: &str) -> bool {
        self.print.0 == text.len() && self.print == print(text.as_bytes())
    }
}

/// The FNV-1a hash, which a compiler computes.
const fn print(text: &[u8]) -> Print {
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while at < text.len() {
        hash = (hash ^ text[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    (text.len(), hash)
}

macro_rules! examples {
    ($($group:literal $ending:literal { $($id:literal $title:literal)* })*) => {
        /// All of them, in the order of the picker.
        pub static EXAMPLES: &[Example] = &[$($(Example {
            id: $id,
            title: $title,
            group: $group,
            file: concat!($id, $ending),
            print: const { print(include_bytes!(concat!("../../public/examples/", $id, $ending))) },
        },)*)*];
    };
}

examples! {
    "First steps" ".ptx" {
        "row-and-column-stores" "Rows coalesce, columns scatter"
        "little-endian" "Words are bytes, lowest first"
        "vector-addition" "Vector addition, with a tail that stays out"
        "log-of-an-assembler" "A log of the assembler beside its module"
    }
    "First steps" ".cu" {
        "inline-assembly" "Inline assembly in CUDA C++"
    }
    "Vectors and widths" ".ptx" {
        "vector-stores" "One store, two or four elements a lane"
        "bytes-and-shorts" "Bytes, shorts and short vectors"
        "store-128-bits" "One 128-bit register, stored whole"
        "saxpy-float4" "Four elements a lane with float4"
    }
    "Strides and sectors" ".ptx" {
        "strided-store" "A stride leaves gaps in every sector"
        "elements-of-a-lane" "Each lane takes four neighbours, one by one"
        "two-dimensional-blocks" "Blocks of two dimensions"
        "transposition" "A transposition reads rows and writes columns"
    }
    "Banks" ".ptx" {
        "bank-conflicts" "Bank conflicts, and the padding that ends them"
        "swizzled-tile" "An XOR swizzle, drawn by the lanes"
        "half-a-swizzle" "A swizzle of two bits, where three are needed"
        "reverse-in-shared-memory" "Reversal through dynamic shared memory"
        "tiled-matrix-product" "A matrix product through shared tiles"
    }
    "Divergence" ".ptx" {
        "guarded-store" "A guard keeps lanes out"
        "divergent-branches" "Three paths through one warp"
        "mandelbrot" "Mandelbrot: lanes that leave the loop early"
        "game-of-life" "One generation of the game of life"
        "warp-votes" "Votes of a warp"
        "warp-scan" "Prefix sums with shuffles"
    }
    "Barriers" ".ptx" {
        "shared-reduction" "A sum that halves its lanes"
        "named-barriers" "One warp makes, the other takes"
        "deadlock" "A deadlock"
        "broken-mbarrier" "A broken mbarrier"
        "bug-colibri-1099-before" "Two kernels had the warp barrier, the third had not (before)"
        "bug-colibri-1099-after" "Two kernels had the warp barrier, the third had not (after)"
        "bug-tilelang-2556-before" "A barrier for forty-eight threads was dropped (before)"
        "bug-tilelang-2556-after" "A barrier for forty-eight threads was dropped (after)"
        "bug-mscclpp-499-before" "A barrier of the grid with a fence missing in the middle (before)"
        "bug-mscclpp-499-after" "A barrier of the grid with a fence missing in the middle (after)"
        "bug-cudnn-frontend-426-before" "One lane arrives for thirty-two (before)"
        "bug-cudnn-frontend-426-after" "One lane arrives for thirty-two (after)"
    }
    "Races and order" ".ptx" {
        "one-address" "All lanes store to one address"
        "message-between-blocks" "A message between blocks"
        "bug-cucollections-337-before" "A vote is not a fence (before)"
        "bug-cucollections-337-after" "A vote is not a fence (after)"
        "bug-hecbench-254-before" "One writes the sums, all read them (before)"
        "bug-hecbench-254-after" "One writes the sums, all read them (after)"
        "bug-hecbench-221-before" "A pointer that the next line reads (before)"
        "bug-hecbench-221-after" "A pointer that the next line reads (after)"
        "bug-nvfp4-gdb-before" "The second output tile thinks the ring is fresh (before)"
        "bug-nvfp4-gdb-after" "The second output tile thinks the ring is fresh (after)"
        "bug-cutlass-3117-before" "A relaxed wait and a barrier of the warp (before)"
        "bug-cutlass-3117-after" "A relaxed wait and a barrier of the warp (after)"
    }
    "Asynchronous stores and clusters" ".ptx" {
        "cluster-messages" "Messages through a cluster"
        "cluster-histogram" "A histogram over a cluster"
        "copy-pipeline" "A pipeline of copies"
        "bulk-copy" "One thread copies a tile"
        "bug-cutlass-3316-before" "The peer is not there yet (before)"
        "bug-cutlass-3316-after" "The peer is not there yet (after)"
        "bug-fb-triton-1105-before" "A block left while its peer still read (before)"
        "bug-fb-triton-1105-after" "A block left while its peer still read (after)"
        "bug-deepep-621-before" "Polled by loads, fetched by the copy engine (before)"
        "bug-deepep-621-after" "Polled by loads, fetched by the copy engine (after)"
        "bug-deepep-642-before" "Read by loads, overwritten by the copy engine (before)"
        "bug-deepep-642-after" "Read by loads, overwritten by the copy engine (after)"
        "bug-flashkda-24-empty-before" "The fence stood in a loop that does not run (before)"
        "bug-flashkda-24-empty-after" "The fence stood in a loop that does not run (after)"
        "bug-flashkda-24-init-before" "An mbarrier that the copy engine has not heard of (before)"
        "bug-flashkda-24-init-after" "An mbarrier that the copy engine has not heard of (after)"
        "bug-flashkda-24-state-before" "A state tile leaves without a proxy fence (before)"
        "bug-flashkda-24-state-after" "A state tile leaves without a proxy fence (after)"
    }
    "Matrices" ".ptx" {
        "matrix-store" "A matrix leaves its fragments"
        "sub-matrix-store" "A tile of a larger matrix"
        "documented-matrix-stores" "The manual's matrix stores"
        "tensor-core-product" "A matrix product on tensor cores"
        "cut-sums" "A sum that a tensor core truncates"
        "block-scales" "Block scales"
        "matrix-epilogue" "An epilogue: stmatrix, then a tensor store"
        "transformer" "A transformer goes on with a text"
    }
    "Tensor instructions" ".ptx" {
        "tensor-copy" "A tensor copy swizzles its tile"
        "tensor-edge" "A tensor copy at the edge"
        "swizzle-modes" "The same tile under each swizzle"
        "warpgroup-pipeline" "A pipeline of tensor copies and products"
        "tensor-memory" "Values in tensor memory"
        "tensor-memory-product" "A product in tensor memory"
        "filtered-image" "An image, filtered"
    }
    "Machine code" ".sass" {
        "documented-stores" "Stores of machine code"
        "machine-code-of-a-kernel" "Machine code of a vector addition"
    }
    "Mistakes" ".ptx" {
        "misaligned-store" "A misaligned store stops the launch"
        "endless-loop" "A loop that never ends"
        "unequal-strides" "Lanes that disagree about the stride"
        "half-a-warp" "Half a warp stores no matrix"
        "bug-tilelang-2699-before" "The compiler forgot that st.bulk writes (before)"
        "bug-tilelang-2699-after" "The compiler forgot that st.bulk writes (after)"
    }
}

/// The example with this text.
pub fn with_source(source: &str) -> Option<usize> {
    EXAMPLES.iter().position(|example| example.is_text(source))
}

/// The text of an example, for tests: the page fetches it.
#[cfg(test)]
pub(crate) fn text_of(example: &Example) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../public/examples/");
    std::fs::read_to_string(format!("{folder}{}", example.file)).expect("its file")
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_view::annotations::Annotations;

    #[test]
    fn every_example_says_its_title_and_its_launch() {
        for example in EXAMPLES {
            let text = text_of(example);
            assert_eq!(
                with_source(&text).map(|at| EXAMPLES[at].id),
                Some(example.id)
            );
            let read = Annotations::parse(&text, "//");
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
