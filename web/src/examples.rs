//! List of examples by chapter. Each example is a file in `public/examples` in PTX, SASS or CUDA C++, whose `//@` lines contain its title
//! and its launch configuration. The page fetches the source of an example when the user selects it. The WebAssembly module contains only
//! the names of the examples.

/// Example in the kernel menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Identifier of the example, which must not change because links contain it.
    pub id: &'static str,
    pub title: &'static str,
    pub group: &'static str,
    /// File name in the `public/examples` directory.
    pub file: &'static str,
    /// Fingerprint that identifies the source of the example.
    print: Fingerprint,
}

/// Returns the ID in a link to an example, which has the form `#example=ID` or `#example=ID&panel=NAME`. `web/editor/inspector-loader.js`
/// opens the tab of the bottom panel that the link names.
pub fn linked_example(link: &str) -> Option<&str> {
    link.strip_prefix("#example=")?.split('&').next()
}

/// Length of a source, and the hash of its text.
type Fingerprint = (usize, u64);

impl Example {
    /// Checks whether a text is the source of the example.
    pub fn is_text(&self, text: &str) -> bool {
        self.print.0 == text.len() && self.print == fingerprint(text.as_bytes())
    }
}

/// Computes the FNV-1a hash of a text at compile time.
const fn fingerprint(text: &[u8]) -> Fingerprint {
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while at < text.len() {
        hash = (hash ^ text[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    (text.len(), hash)
}

macro_rules! examples {
    ($($group:literal $ending:literal { $($id:literal $title:literal)* })*) => {
        /// All examples, in the order of the menu.
        pub static EXAMPLES: &[Example] = &[$($(Example {
            id: $id,
            title: $title,
            group: $group,
            file: concat!($id, $ending),
            print: const { fingerprint(include_bytes!(concat!("../../public/examples/", $id, $ending))) },
        },)*)*];
    };
}

examples! {
    "First steps" ".ptx" {
        "row-and-column-stores" "Coalesced and strided stores"
        "little-endian" "Little-endian byte order"
        "vector-addition" "Vector addition with a bounds check"
        "log-of-an-assembler" "ptxas log with its module"
    }
    "First steps" ".cu" {
        "inline-assembly" "Inline assembly in CUDA C++"
    }
    "Vector accesses" ".ptx" {
        "vector-stores" "Vector stores: one, two or four elements per lane"
        "bytes-and-shorts" "Bytes, shorts and short vectors"
        "store-128-bits" "128-bit register stores"
        "saxpy-float4" "SAXPY with float4 accesses"
    }
    "Strides and sectors" ".ptx" {
        "strided-store" "Strided store with partially used sectors"
        "elements-of-a-lane" "Uncoalesced per-lane loops"
        "two-dimensional-blocks" "Two-dimensional blocks"
        "transposition" "Naive matrix transpose"
    }
    "Shared memory banks" ".ptx" {
        "bank-conflicts" "Bank conflicts and padding"
        "swizzled-tile" "XOR swizzle"
        "half-a-swizzle" "Incomplete swizzle: two XOR bits instead of three"
        "reverse-in-shared-memory" "Array reversal in dynamic shared memory"
        "tiled-matrix-product" "Tiled matrix multiplication"
    }
    "Divergence" ".ptx" {
        "guarded-store" "Predicated store"
        "divergent-branches" "Warp divergence"
        "mandelbrot" "Mandelbrot set with divergent loop exits"
        "game-of-life" "One generation of Conway's Game of Life"
        "warp-votes" "Warp votes and reductions"
        "warp-scan" "Warp prefix sum with shuffles"
    }
    "Barriers" ".ptx" {
        "shared-reduction" "Tree reduction in shared memory"
        "named-barriers" "Producer/consumer warps with named barriers"
        "deadlock" "mbarrier deadlock"
        "broken-mbarrier" "mbarrier with too many arrivals"
        "bug-colibri-1099-before" "Missing __syncwarp between fragment store and load (bug)"
        "bug-colibri-1099-after" "Missing __syncwarp between fragment store and load (fixed)"
        "bug-tilelang-2556-before" "Missing barrier for a partial block (bug)"
        "bug-tilelang-2556-after" "Missing barrier for a partial block (fixed)"
        "bug-mscclpp-499-before" "Grid barrier with a missing fence (bug)"
        "bug-mscclpp-499-after" "Grid barrier with a missing fence (fixed)"
        "bug-cudnn-frontend-426-before" "mbarrier arrival by one lane instead of 32 (bug)"
        "bug-cudnn-frontend-426-after" "mbarrier arrival by one lane instead of 32 (fixed)"
    }
    "Data races and memory ordering" ".ptx" {
        "one-address" "Stores of all lanes to one address"
        "message-between-blocks" "Message passing between blocks"
        "bug-cucollections-337-before" "Warp vote used as a memory fence (bug)"
        "bug-cucollections-337-after" "Warp vote used as a memory fence (fixed)"
        "bug-hecbench-254-before" "Missing barrier after a single-thread store (bug)"
        "bug-hecbench-254-after" "Missing barrier after a single-thread store (fixed)"
        "bug-hecbench-221-before" "Missing __syncwarp before reading a shared pointer (bug)"
        "bug-hecbench-221-after" "Missing __syncwarp before reading a shared pointer (fixed)"
        "bug-nvfp4-gdb-before" "Pipeline phase reset between output tiles (bug)"
        "bug-nvfp4-gdb-after" "Pipeline phase reset between output tiles (fixed)"
        "bug-cutlass-3117-before" "Relaxed spin wait followed by a warp barrier (bug)"
        "bug-cutlass-3117-after" "Relaxed spin wait followed by a warp barrier (fixed)"
    }
    "Asynchronous operations and clusters" ".ptx" {
        "cluster-messages" "Asynchronous stores within a cluster"
        "cluster-histogram" "Histogram in distributed shared memory"
        "copy-pipeline" "Double-buffered cp.async pipeline"
        "bulk-copy" "Bulk copy by one thread"
        "bug-cutlass-3316-before" "Remote arrival before the peer block has started (bug)"
        "bug-cutlass-3316-after" "Remote arrival before the peer block has started (fixed)"
        "bug-fb-triton-1105-before" "Block exits while a peer block reads its shared memory (bug)"
        "bug-fb-triton-1105-after" "Block exits while a peer block reads its shared memory (fixed)"
        "bug-deepep-621-before" "Missing proxy fence between acquire and bulk copy (bug)"
        "bug-deepep-621-after" "Missing proxy fence between acquire and bulk copy (fixed)"
        "bug-deepep-642-before" "Missing proxy fence between loads and bulk copy (bug)"
        "bug-deepep-642-after" "Missing proxy fence between loads and bulk copy (fixed)"
        "bug-flashkda-24-empty-before" "Proxy fence inside a loop with zero iterations (bug)"
        "bug-flashkda-24-empty-after" "Proxy fence inside a loop with zero iterations (fixed)"
        "bug-flashkda-24-init-before" "Missing fence.mbarrier_init (bug)"
        "bug-flashkda-24-init-after" "Missing fence.mbarrier_init (fixed)"
        "bug-flashkda-24-state-before" "Missing proxy fence before a bulk store (bug)"
        "bug-flashkda-24-state-after" "Missing proxy fence before a bulk store (fixed)"
    }
    "Matrices" ".ptx" {
        "matrix-store" "wmma.store: fragments to memory"
        "sub-matrix-store" "wmma.store into a larger matrix"
        "documented-matrix-stores" "wmma.store examples of the PTX ISA manual"
        "tensor-core-product" "Tensor Core matrix multiplication"
        "cut-sums" "Truncation in Tensor Core accumulation"
        "block-scales" "MMA with block scaling"
        "matrix-epilogue" "Epilogue with stmatrix and a TMA store"
        "transformer" "Transformer text generation"
    }
    "Tensor and texture instructions" ".ptx" {
        "tensor-copy" "TMA load with a swizzled tile"
        "tensor-edge" "TMA load with out-of-bounds fill"
        "swizzle-modes" "TMA swizzle modes"
        "warpgroup-pipeline" "wgmma pipeline with TMA loads"
        "tensor-memory" "Tensor memory load and store"
        "tensor-memory-product" "tcgen05 matrix multiplication"
        "filtered-image" "Texture filtering"
    }
    "SASS" ".sass" {
        "documented-stores" "SASS store instructions"
        "machine-code-of-a-kernel" "SASS of a vector addition"
    }
    "Faults" ".ptx" {
        "misaligned-store" "Misaligned store"
        "endless-loop" "Infinite loop"
        "unequal-strides" "wmma.store with a non-uniform stride"
        "half-a-warp" "wmma.store with a partial warp"
        "bug-tilelang-2699-before" "Missing barrier before st.bulk (bug)"
        "bug-tilelang-2699-after" "Missing barrier before st.bulk (fixed)"
    }
    "Compiler bugs" ".ptx" {
        "miscompile-add-sat" "Constants folded into a saturating addition"
        "miscompile-shift-amount" "Shift amount clamped as a signed number"
        "miscompile-tanh-sign" "Absolute value of tanh.approx removed"
        "miscompile-sine-literal" "sin.approx evaluated at compile time"
        "miscompile-selection-of-nan" "Sign test of ex2.approx removed"
        "miscompile-comparison-mask" "Comparison mask truncated before a conversion"
        "miscompile-logic-across-blocks" "Truth table of three logical operations"
        "miscompile-skipped-or" "Assignment on a branch removed"
        "miscompile-mask-and-predicate" "Comparison mask treated as a predicate"
        "miscompile-saturation-cancelled" "Saturating subtraction cancelled by an addition"
        "miscompile-first-bit-of-zero" "bfind of zero evaluated at compile time"
        "miscompile-mixed-signedness" "Signed minimum after an unsigned maximum"
    }
    "Compiler bugs" ".sass" {
        "miscompile-add-sat-wrong" "Constants folded into a saturating addition (ptxas 13.5.37 -O3, wrong)"
        "miscompile-add-sat-right" "Constants folded into a saturating addition (ptxas 13.5.37 -O0, right)"
        "miscompile-shift-amount-wrong" "Shift amount clamped as a signed number (ptxas 13.5.37 -O3, wrong)"
        "miscompile-shift-amount-right" "Shift amount clamped as a signed number (ptxas 13.5.37 -O0, right)"
        "miscompile-tanh-sign-wrong" "Absolute value of tanh.approx removed (ptxas 13.5.37 -O3, wrong)"
        "miscompile-tanh-sign-right" "Absolute value of tanh.approx removed (ptxas 13.5.37 -O0, right)"
        "miscompile-sine-literal-wrong" "sin.approx evaluated at compile time (ptxas 13.5.37 -O3, wrong)"
        "miscompile-sine-literal-right" "sin.approx evaluated at compile time (ptxas 13.5.37 -O0, right)"
        "miscompile-selection-of-nan-wrong" "Sign test of ex2.approx removed (ptxas 13.5.37 -O3, wrong)"
        "miscompile-selection-of-nan-right" "Sign test of ex2.approx removed (ptxas 13.5.37 -O0, right)"
        "miscompile-comparison-mask-wrong" "Comparison mask truncated before a conversion (ptxas 13.5.37 -O3, wrong)"
        "miscompile-comparison-mask-right" "Comparison mask truncated before a conversion (ptxas 13.5.37 -O0, right)"
        "miscompile-logic-across-blocks-wrong" "Truth table of three logical operations (ptxas 13.2.78 -O3, wrong)"
        "miscompile-logic-across-blocks-right" "Truth table of three logical operations (ptxas 13.5.37 -O3, right)"
        "miscompile-skipped-or-wrong" "Assignment on a branch removed (ptxas 13.2.78 -O3, wrong)"
        "miscompile-skipped-or-right" "Assignment on a branch removed (ptxas 13.5.37 -O3, right)"
        "miscompile-mask-and-predicate-wrong" "Comparison mask treated as a predicate (ptxas 13.2.78 -O3, wrong)"
        "miscompile-mask-and-predicate-right" "Comparison mask treated as a predicate (ptxas 13.5.37 -O3, right)"
        "miscompile-saturation-cancelled-wrong" "Saturating subtraction cancelled by an addition (ptxas 13.2.78 -O3, wrong)"
        "miscompile-saturation-cancelled-right" "Saturating subtraction cancelled by an addition (ptxas 13.5.37 -O3, right)"
        "miscompile-first-bit-of-zero-wrong" "bfind of zero evaluated at compile time (ptxas 13.2.78 -O3, wrong)"
        "miscompile-first-bit-of-zero-right" "bfind of zero evaluated at compile time (ptxas 13.5.37 -O3, right)"
        "miscompile-mixed-signedness-wrong" "Signed minimum after an unsigned maximum (ptxas 13.2.78 -O3, wrong)"
        "miscompile-mixed-signedness-right" "Signed minimum after an unsigned maximum (ptxas 13.5.37 -O3, right)"
    }
}

/// Returns the index of the example whose source is the given text.
pub fn with_source(source: &str) -> Option<usize> {
    EXAMPLES.iter().position(|example| example.is_text(source))
}

/// Reads the source of an example in tests. The page fetches the source from the server.
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
    fn every_example_declares_title_description_and_launch() {
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
