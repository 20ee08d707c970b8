//! Checks of a launch before memory is allocated. Each check returns a [`LaunchError`] if the launch is invalid.

use crate::contract::launch::{Launch, LaunchError, ResourceLimits};
use crate::run::setup::LaunchSetup;
use crate::state::memory_layout::MemoryLayout;
use warpgrid_isa::Feature;
use warpgrid_program::{LaunchBounds, Program};

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

/// Checks the grid, block and cluster dimensions of a launch.
pub(crate) fn check_launch(program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let entry = program
        .functions
        .get(launch.entry.0 as usize)
        .ok_or(LaunchError::NoSuchEntry)?;
    if !LaunchSetup::is_entry(entry) {
        return Err(LaunchError::NotAnEntry {
            name: entry.name.clone(),
        });
    }
    let target = &program.target.limits;
    // Check the cluster dimensions first, because an inferred grid is a multiple of the cluster dimensions.
    check_extents(
        "cluster",
        launch.cluster,
        [warpgrid_isa::LaunchLimits::LARGEST.cluster_blocks_nonportable; 3],
    )?;
    check_extents("grid", launch.grid, target.grid)?;
    check_extents("block", launch.block, target.block)?;
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    if threads > u64::from(target.block_threads) {
        return Err(LaunchError::TooManyThreads {
            threads,
            limit: target.block_threads,
        });
    }
    check_cluster(program, launch)?;
    let is_divisible = |axis: usize| launch.grid[axis].is_multiple_of(launch.cluster[axis]);
    if !(0..3).all(is_divisible) {
        return Err(LaunchError::GridNotInClusters {
            grid: launch.grid,
            cluster: launch.cluster,
        });
    }
    check_bounds(&entry.bounds, launch)
}

/// Checks a launch against the bounds that the kernel declares.
fn check_bounds(bounds: &LaunchBounds, launch: &Launch) -> Result<(), LaunchError> {
    let threads: u64 = launch.block.iter().map(|n| u64::from(*n)).product();
    if let Some(wanted) = bounds.required_threads
        && wanted != launch.block
    {
        return Err(LaunchError::BoundsOfKernel {
            directive: ".reqntid",
            wanted,
            found: launch.block,
        });
    }
    if let Some(wanted) = bounds.required_cluster
        && wanted != launch.cluster
    {
        return Err(LaunchError::BoundsOfKernel {
            directive: ".reqnctapercluster",
            wanted,
            found: launch.cluster,
        });
    }
    if let Some(most) = bounds.max_cluster_blocks
        && launch.cluster.iter().product::<u32>() > most
    {
        return Err(LaunchError::BoundsOfKernel {
            directive: ".maxclusterrank",
            wanted: [most, 1, 1],
            found: launch.cluster,
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

/// Checks the number of blocks per cluster against the limits of the target (CUDA programming guide, "Thread Block
/// Clusters").
fn check_cluster(program: &Program, launch: &Launch) -> Result<(), LaunchError> {
    let blocks: u32 = launch.cluster.iter().product();
    if blocks > 1 && !program.target.has(Feature::Clusters) {
        return Err(LaunchError::NoClusters {
            target: program.target.name,
        });
    }
    let limit = program.target.limits.cluster_blocks_nonportable;
    if blocks > limit {
        return Err(LaunchError::ClusterTooLarge { blocks, limit });
    }
    Ok(())
}

/// Checks the resource limits that the host has set.
pub(crate) fn check_limits(limits: &ResourceLimits) -> Result<(), LaunchError> {
    match limits.max_memory_bytes {
        asked if asked > ResourceLimits::MAX_GLOBAL_BYTES => Err(LaunchError::LimitTooLarge {
            asked,
            most: ResourceLimits::MAX_GLOBAL_BYTES,
        }),
        _ => Ok(()),
    }
}

/// Checks the number and the sizes of the arguments, and the sizes of shared memory and of the stack frame.
pub(crate) fn check_layout(
    program: &Program,
    launch: &Launch,
    layout: &MemoryLayout,
    limits: &ResourceLimits,
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
    // Exclude the bytes that the system reserves, because the limit applies only to the shared memory that the program
    // uses.
    let own_shared_bytes = layout
        .shared_bytes
        .saturating_sub(layout.reserved_shared_bytes);
    if own_shared_bytes > program.target.limits.shared_bytes {
        return Err(LaunchError::SharedTooLarge {
            bytes: own_shared_bytes,
            limit: program.target.limits.shared_bytes,
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
