//! Side tables for the details of operations, with one table for each kind of operation. The type parameter of a
//! [`PlanId`] is the kind of operation, which prevents the use of an index with another table.

use std::fmt;
use std::marker::PhantomData;

/// Side table with the details of all operations of one kind, indexed by [`PlanId`].
#[derive(Clone, Debug)]
pub(crate) struct PlanTable<P>(Vec<P>);

impl<P> PlanTable<P> {
    /// Adds details and returns their index.
    pub(crate) fn add(&mut self, plan: P) -> PlanId<P> {
        self.0.push(plan);
        PlanId::new(self.0.len() as u32 - 1)
    }

    #[inline(always)]
    pub(crate) fn get(&self, id: PlanId<P>) -> Option<&P> {
        self.0.get(id.number as usize)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.0.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns mutable references to the details of the operations that follow the first `n` operations.
    pub(crate) fn after_mut(&mut self, n: usize) -> impl Iterator<Item = &mut P> {
        self.0.iter_mut().skip(n)
    }
}

impl<P> Default for PlanTable<P> {
    fn default() -> PlanTable<P> {
        PlanTable(Vec::new())
    }
}

/// Index of an operation's details in the [`PlanTable`] of its kind.
pub struct PlanId<P> {
    number: u32,
    kind: PhantomData<fn() -> P>,
}

impl<P> PlanId<P> {
    pub(crate) const fn new(number: u32) -> PlanId<P> {
        PlanId {
            number,
            kind: PhantomData,
        }
    }

    /// Returns the index as an integer.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.number
    }
}

// `Clone` is implemented manually, because a derived implementation would require `P: Clone`.
impl<P> Clone for PlanId<P> {
    fn clone(&self) -> PlanId<P> {
        *self
    }
}

impl<P> Copy for PlanId<P> {}

impl<P> fmt::Debug for PlanId<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)
    }
}
