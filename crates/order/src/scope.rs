//! Scopes and moral strength (PTX ISA, "Memory Consistency Model"). The functions determine the strength of memory operations, and whether
//! the scopes of two operations include the thread of each other.

use warpgrid_isa::{Scope, Sem};

/// Location of a thread in the scope hierarchy: its block and its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadLocation {
    /// Linear index of the block.
    pub block: u64,
    /// Linear index of the cluster.
    pub cluster: u64,
}

/// Scope of an operation, together with the location of the thread that performs the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeInstance {
    pub scope: Scope,
    pub home: ThreadLocation,
}

impl ScopeInstance {
    /// Creates the instance of a scope that a thread at `home` specifies.
    pub const fn new(scope: Scope, home: ThreadLocation) -> ScopeInstance {
        ScopeInstance { scope, home }
    }
}

/// Strength of a memory operation. Weak operations have no scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    Weak,
    Strong(Scope),
}

impl Strength {
    /// Returns the strength of an operation with the given memory ordering and scope.
    pub fn of(sem: Sem, scope: Option<Scope>) -> Strength {
        match sem {
            Sem::Weak => Strength::Weak,
            Sem::Volatile => Strength::Strong(Scope::Sys),
            Sem::Relaxed | Sem::Acquire | Sem::Release | Sem::AcqRel | Sem::Sc => {
                Strength::Strong(scope.unwrap_or(Scope::Gpu))
            }
        }
    }

    /// Returns the scope of a strong operation, or `None` for a weak operation.
    pub const fn scope(self) -> Option<Scope> {
        match self {
            Strength::Weak => None,
            Strength::Strong(scope) => Some(scope),
        }
    }
}

/// Checks whether an operation with this memory ordering has acquire semantics.
pub const fn acquires(sem: Sem) -> bool {
    matches!(sem, Sem::Acquire | Sem::AcqRel | Sem::Sc)
}

/// Checks whether an operation with this memory ordering has release semantics.
pub const fn releases(sem: Sem) -> bool {
    matches!(sem, Sem::Release | Sem::AcqRel | Sem::Sc)
}

/// Checks whether the scope that the thread at `own` specifies includes the thread at `other`. All blocks run on one
/// device, so `gpu` and `sys` scope include every thread.
pub fn includes(scope: Scope, own: ThreadLocation, other: ThreadLocation) -> bool {
    match scope {
        Scope::Cta => own.block == other.block,
        Scope::Cluster => own.cluster == other.cluster,
        Scope::Gpu | Scope::Sys => true,
    }
}

/// Checks whether each of two scopes includes the thread that specifies the other scope.
pub fn scopes_mutually_inclusive(a: ScopeInstance, b: ScopeInstance) -> bool {
    includes(a.scope, a.home, b.home) && includes(b.scope, b.home, a.home)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(block: u64) -> ThreadLocation {
        ThreadLocation {
            block,
            cluster: block / 2,
        }
    }

    #[test]
    fn scopes_must_mutually_include_other_thread() {
        let check = |a, b, of: (u64, u64)| {
            scopes_mutually_inclusive(
                ScopeInstance::new(a, home(of.0)),
                ScopeInstance::new(b, home(of.1)),
            )
        };
        assert!(check(Scope::Cta, Scope::Sys, (1, 1)));
        assert!(!check(Scope::Cta, Scope::Sys, (0, 1)));
        assert!(check(Scope::Cluster, Scope::Gpu, (0, 1)));
        assert!(!check(Scope::Cluster, Scope::Gpu, (1, 2)));
    }

    #[test]
    fn volatile_is_strong_at_system_scope() {
        let volatile = Strength::of(Sem::Volatile, None);
        assert_eq!(volatile, Strength::Strong(Scope::Sys));
        assert_eq!(Strength::of(Sem::Weak, Some(Scope::Gpu)).scope(), None);
    }
}
