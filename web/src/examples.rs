//! The examples: each a PTX or SASS file of `public/examples` that says its title and its launch in `//@` lines. The page fetches a text
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
        "tensor-copy" "A tensor copy swizzles its tile"
        "tensor-edge" "A tensor copy at the edge"
        "swizzle-modes" "The same tile under each swizzle"
        "warpgroup-pipeline" "A pipeline of tensor copies and products"
        "deadlock" "A deadlock"
        "broken-mbarrier" "A broken mbarrier"
    }
    "Matrices" ".ptx" {
        "matrix-store" "A matrix leaves its fragments"
        "sub-matrix-store" "A tile of a larger matrix"
        "documented-matrix-stores" "The manual's matrix stores"
        "tensor-core-product" "A matrix product on tensor cores"
        "cut-sums" "A sum that a tensor core cuts"
        "tensor-memory" "Values in tensor memory"
        "tensor-memory-product" "A product in tensor memory"
        "matrix-epilogue" "An epilogue: stmatrix, then a tensor store"
        "filtered-image" "An image, filtered"
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
