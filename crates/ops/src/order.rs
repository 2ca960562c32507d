//! Sorting of short lists, with code that is shared by all types of elements.
//!
//! The standard library's sorts are generic: each type and each order of elements adds several kilobytes of machine
//! code. Most lists here have a few elements and are sorted once, so that size counts more than speed. This sort orders
//! the positions of elements, in one place for all types.
//!
//! Deliberately absent: a replacement for lists that are long or sorted often, for which the standard library is
//! faster.

use std::cmp::Ordering;

/// Sorts by a key. The sort is stable.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    if list.is_sorted_by_key(&key) {
        return;
    }
    let mut ranks = ranks(list.len(), &|a, b| key(&list[a]).cmp(&key(&list[b])));
    // Each swap moves an element to its rank.
    for at in 0..list.len() {
        while ranks[at] != at {
            let to = ranks[at];
            list.swap(at, to);
            ranks.swap(at, to);
        }
    }
}

/// For each position the one that its element has in the sorted list.
#[inline(never)]
fn ranks(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| compare(*a, *b));
    let mut ranks = vec![0; count];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut random = Random::new(7);
        for count in (0..40).chain([1000]) {
            for keys in [1, 3, 10, 1 << 20] {
                // The second member shows that equal keys keep their order.
                let list: Vec<(usize, usize)> =
                    (0..count).map(|at| (random.below(keys), at)).collect();
                let (mut ours, mut theirs) = (list.clone(), list);
                sort_by_key(&mut ours, |it| it.0);
                theirs.sort_by_key(|it| it.0);
                assert_eq!(ours, theirs);
            }
        }
    }
}
