//! A sort with little code. Those of the standard library take several kilobytes of a module for each type
//! that is sorted, and nothing here is sorted that is long and unsorted.

/// Sorts a list. Equal items may change places.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::lt);
}

/// Sorts a list, and drops what is there twice.
pub fn distinct<T: Ord>(items: &mut Vec<T>) {
    sort(items);
    items.dedup();
}

/// Sorts a list by what comes before what. Equal items may change places.
pub fn sort_by<T>(items: &mut [T], before: impl Fn(&T, &T) -> bool) {
    if items.is_sorted_by(|a, b| !before(b, a)) {
        return;
    }
    for at in (0..items.len() / 2).rev() {
        sift_down(items, at, &before);
    }
    for end in (1..items.len()).rev() {
        items.swap(0, end);
        sift_down(&mut items[..end], 0, &before);
    }
}

/// Moves an item of a heap down until no item below comes after it.
fn sift_down<T>(heap: &mut [T], mut at: usize, before: &impl Fn(&T, &T) -> bool) {
    loop {
        let mut below = 2 * at + 1;
        if below + 1 < heap.len() && before(&heap[below], &heap[below + 1]) {
            below += 1;
        }
        if below >= heap.len() || !before(&heap[at], &heap[below]) {
            return;
        }
        heap.swap(at, below);
        at = below;
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items in prop::collection::vec(0..50_u8, 0..200)) {
            let mut sorted = items.clone();
            sorted.sort_unstable();
            let mut own = items.clone();
            sort(&mut own);
            prop_assert_eq!(&own, &sorted);
            sort(&mut own);
            prop_assert_eq!(&own, &sorted, "what is sorted stays");
            sort_by(&mut own, |a, b| b < a);
            prop_assert!(own.iter().rev().eq(&sorted));
            own = items;
            distinct(&mut own);
            sorted.dedup();
            prop_assert_eq!(own, sorted);
        }
    }
}
