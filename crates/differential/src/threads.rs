//! Applies a function to many items on several threads, and locks state that threads share.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns the number of available CPU cores.
pub fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Locks a mutex. If a thread panicked while it held the lock, the state remains valid, because the threads only count and append.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Applies `function` to the items on several threads, and returns the results in the order of the items.
pub fn map_on_threads<T: Sync, R: Send>(
    items: &[T],
    n_threads: usize,
    function: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    // Adjacent items have similar costs, so that each thread processes every n-th item.
    let function = &function;
    let mut parts: Vec<std::vec::IntoIter<R>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..n_threads)
            .map(|first| {
                scope.spawn(move || {
                    let own = items.iter().skip(first).step_by(n_threads);
                    own.map(function).collect::<Vec<R>>().into_iter()
                })
            })
            .collect();
        workers
            .into_iter()
            .filter_map(|worker| worker.join().ok())
            .collect()
    });
    (0..items.len())
        .filter_map(|index| parts.get_mut(index % n_threads)?.next())
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn map_on_threads_preserves_item_order() {
        let items: Vec<usize> = (0..100).collect();
        assert_eq!(super::map_on_threads(&items, 3, |item| *item), items);
    }
}
