//! Says no to launches that cannot run, before anything is allocated for them.

use crate::run::launch::{Launch, LaunchError, Limits};
use crate::run::setup::Setup;
use crate::state::layout::Layout;
use crate::state::memory::MAX_CLUSTER_BLOCKS;
use warpgrid_isa::Feature;
use warpgrid_program::Program;

/// Largest extents of a grid and of a block (CUDA programming guide, "Compute Capabilities").
const GRID_LIMITS: [u32; 3] = [i32::MAX as u32, 65535, 65535];
const BLOCK_LIMITS: [u32; 3] = [1024, 1024, 64];
const MAX_THREADS: u32 = 1024;
/// Shared memory that a block can have on the largest targets.
const MAX_SHARED_BYTES: u64 = 227 << 10;

fn check_extents(
    what: &'static str,
    extents: [u32; 3],
    limits: [u32; 3],
) -> Result<(), LaunchError> {
    if extents.contains(&0) {
        return Err(LaunchError::ZeroExtent { what, extents });
    }
    for (axis, (extent, limit)) in extents.into_iter().zip(limits).enumerate() {
        if extent > limit {
            return Err(LaunchError::ExtentTooLarge {
                what,
                axis,
                extent,
                limit,
            });
        }
    }
    Ok(())
}

/// The shape of the launch and its arguments.
pub(crate) fn check_launch(program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let entry = program
        .functions
        .get(launch.entry.0 as usize)
        .ok_or(LaunchError::NoSuchEntry)?;
    if !Setup::is_entry(entry) {
        return Err(LaunchError::NotAnEntry {
            name: entry.name.clone(),
        });
    }
    check_extents("grid", launch.grid, GRID_LIMITS)?;
    check_extents("block", launch.block, BLOCK_LIMITS)?;
    check_extents("cluster", launch.cluster, [16, 16, 16])?;
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    if threads > u64::from(MAX_THREADS) {
        return Err(LaunchError::TooManyThreads {
            threads,
            limit: MAX_THREADS,
        });
    }
    check_cluster(program, launch)?;
    let whole = |axis: usize| launch.grid[axis].is_multiple_of(launch.cluster[axis]);
    if !(0..3).all(whole) {
        return Err(LaunchError::GridNotInClusters {
            grid: launch.grid,
            cluster: launch.cluster,
        });
    }
    let bounds = entry.bounds;
    if let Some(wanted) = bounds.required_threads
        && wanted != launch.block
    {
        return Err(LaunchError::BoundsOfKernel {
            directive: ".reqntid",
            wanted,
            found: launch.block,
        });
    }
    if let Some(wanted) = bounds.max_threads {
        let most: u64 = wanted.iter().map(|n| u64::from((*n).max(1))).product();
        if threads > most {
            return Err(LaunchError::BoundsOfKernel {
                directive: ".maxntid",
                wanted,
                found: launch.block,
            });
        }
    }
    Ok(())
}

/// How many blocks a cluster has (CUDA programming guide, "Thread Block Clusters").
fn check_cluster(program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let blocks: u32 = launch.cluster.iter().product();
    if blocks > 1 && !program.target.has(Feature::Clusters) {
        return Err(LaunchError::NoClusters {
            target: program.target.name,
        });
    }
    if blocks > MAX_CLUSTER_BLOCKS {
        return Err(LaunchError::ClusterTooLarge {
            blocks,
            limit: MAX_CLUSTER_BLOCKS,
        });
    }
    Ok(())
}

/// What can only be judged once sizes are known.
pub(crate) fn check_layout(
    program: &Program,
    launch: &Launch,
    layout: &Layout,
    limits: &Limits,
) -> Result<(), LaunchError> {
    if launch.arguments.len() != layout.parameters.len() {
        return Err(LaunchError::ArgumentCount {
            expected: layout.parameters.len(),
            found: launch.arguments.len(),
        });
    }
    let entry = program.functions.get(launch.entry.0 as usize);
    for (index, (argument, (_, size))) in
        launch.arguments.iter().zip(&layout.parameters).enumerate()
    {
        let found = argument.bytes.len() as u64;
        if found != *size {
            let name = entry
                .and_then(|f| f.parameters.get(index).map(|p| (f, p)))
                .and_then(|(f, parameter)| match parameter {
                    warpgrid_program::Parameter::Variable(i) => f.variables.get(*i as usize),
                    warpgrid_program::Parameter::Register(_) => None,
                })
                .map_or(String::new(), |v| v.name.clone());
            return Err(LaunchError::ArgumentSize {
                index,
                name,
                expected: *size,
                found,
            });
        }
    }
    if layout.shared_bytes > MAX_SHARED_BYTES {
        return Err(LaunchError::SharedTooLarge {
            bytes: layout.shared_bytes,
            limit: MAX_SHARED_BYTES,
        });
    }
    let frame = layout
        .frame_bytes
        .get(launch.entry.0 as usize)
        .copied()
        .map_or(0, u64::from);
    if frame > limits.max_local_bytes {
        return Err(LaunchError::LocalTooLarge {
            bytes: frame,
            limit: limits.max_local_bytes,
        });
    }
    Ok(())
}
