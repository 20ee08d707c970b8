//! Defines the launch of a random kernel. A launch has 64 threads in blocks of one or two warps, in one to three dimensions, and parameters
//! that are not pointers.

use crate::inputs;
use crate::kernel::N_LANES;
use crate::random::SplitMix64;
use serde_json::{Value, json};
use warpgrid_isa::{Feature, Target};

/// Size of the parameter `extra` in bytes.
pub(crate) const EXTRA_BYTES: usize = 288;
/// Size of dynamic shared memory in bytes.
pub(crate) const DYNAMIC_SHARED: usize = N_LANES * 4;

/// Grid, block and cluster size of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Number of blocks in a cluster along the x dimension.
    pub cluster: Option<u32>,
}

impl Shape {
    pub(crate) const SINGLE_THREAD: Shape = Shape {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        cluster: None,
    };

    /// Returns a random launch shape that a target supports. Half of the shapes consist of one block of 64 threads along the x dimension.
    pub(crate) fn random(target: Option<&Target>, random: &mut SplitMix64) -> Shape {
        const SHAPES: &[([u32; 3], [u32; 3])] = &[
            ([1, 1, 1], [64, 1, 1]),
            ([1, 1, 1], [64, 1, 1]),
            ([1, 1, 1], [64, 1, 1]),
            ([2, 1, 1], [32, 1, 1]),
            ([1, 1, 1], [8, 4, 2]),
            ([1, 2, 1], [4, 4, 2]),
            ([1, 1, 2], [2, 16, 1]),
        ];
        let (grid, block) = *random.pick(SHAPES).unwrap_or(&SHAPES[0]);
        let has_clusters = target.is_some_and(|target| target.has(Feature::Clusters));
        let is_pair = grid[0] == 2 && has_clusters && random.below(2) == 0;
        Shape {
            grid,
            block,
            cluster: is_pair.then_some(2),
        }
    }

    pub(crate) fn block_threads(&self) -> usize {
        self.block.iter().product::<u32>() as usize
    }

    pub(crate) fn has_cluster(&self) -> bool {
        self.cluster.is_some()
    }

    /// Returns the fields of a scenario that specify the launch shape.
    pub(crate) fn fields(&self) -> Value {
        let cluster = self.cluster.map(|n| [n, 1, 1]);
        json!({ "grid": self.grid, "block": self.block, "cluster": cluster, "dynamic_shared": DYNAMIC_SHARED })
    }

    /// Returns the `//@` annotation that specifies the launch shape, without a line terminator.
    pub(crate) fn annotation(&self) -> String {
        let text = |extents: [u32; 3]| {
            let [x, y, z] = extents;
            format!("{x}x{y}x{z}")
        };
        let cluster = self
            .cluster
            .map_or(String::new(), |n| format!(" cluster={n}"));
        format!(
            "//@ launch grid={} block={}{cluster} shared={DYNAMIC_SHARED}",
            text(self.grid),
            text(self.block)
        )
    }
}

/// Returns the value of the parameter `number`, and the 64-bit words of the parameter `extra`.
pub(crate) fn parameters(seed: u64) -> (u32, Vec<u64>) {
    let mut random = SplitMix64::new(seed ^ 0x5eed);
    let number = inputs::word(&mut random);
    let words = (0..EXTRA_BYTES / 8).map(|_| inputs::long(&mut random));
    (number, words.collect())
}

/// Returns the scenario fields of the parameters that follow the pointer parameters.
pub(crate) fn parameter_fields(seed: u64) -> [Value; 2] {
    let (number, words) = parameters(seed);
    let field = |(index, word): (usize, u64)| json!({ "offset": 8 * index, "kind": "scalar", "name": format!("w{index}"), "type": "u64", "value": format!("{word:#x}") });
    let fields: Vec<Value> = words.into_iter().enumerate().map(field).collect();
    [
        json!({ "kind": "scalar", "name": "number", "type": "u32", "value": format!("{number:#x}") }),
        json!({ "kind": "struct", "name": "extra", "size": EXTRA_BYTES, "align": 16, "fields": fields }),
    ]
}
