//! Vector clocks: for each key, a time that never decreases.
//!
//! A clock is a persistent radix tree. Clocks that were joined share their nodes, and a join visits only those that
//! differ, so that a chain of synchronisations through all groups of a dispatch costs a path of nodes for each link
//! rather than an entry for each group.

use std::rc::Rc;

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

/// A vector clock. The time of a key that was never raised is 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    root: Option<Rc<Node>>,
    /// The height of the tree: keys have at most this many digits.
    levels: u32,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf([u32; FAN]),
    Inner([Option<Rc<Node>>; FAN]),
}

fn digit(key: u64, level: u32) -> usize {
    (key >> (BITS * level)) as usize % FAN
}

impl Times {
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    pub(super) fn get(&self, key: u64) -> u32 {
        let Some(mut node) = self.root.as_deref() else { return 0 };
        if self.levels < u64::BITS / BITS && key >> (BITS * self.levels) != 0 {
            return 0;
        }
        for level in (0..self.levels).rev() {
            match node {
                Node::Leaf(times) => return times[digit(key, level)],
                Node::Inner(children) => match children[digit(key, level)].as_deref() {
                    Some(child) => node = child,
                    None => return 0,
                },
            }
        }
        0
    }

    /// Sets the time of a key, unless it is later already.
    pub(super) fn raise(&mut self, key: u64, time: u32) {
        if self.get(key) >= time {
            return;
        }
        while self.levels == 0 || self.levels < u64::BITS / BITS && key >> (BITS * self.levels) != 0
        {
            self.lift();
        }
        let mut level = self.levels - 1;
        let mut node = &mut self.root;
        loop {
            let empty = || match level {
                0 => Node::Leaf([0; FAN]),
                _ => Node::Inner(Default::default()),
            };
            match Rc::make_mut(node.get_or_insert_with(|| Rc::new(empty()))) {
                Node::Leaf(times) => {
                    times[digit(key, level)] = time;
                    return;
                }
                Node::Inner(children) => node = &mut children[digit(key, level)],
            }
            level -= 1;
        }
    }

    /// Raises every key to its time in another clock.
    pub(super) fn join(&mut self, other: &Times) {
        let Some(mut theirs) = other.root.clone() else { return };
        if self.root.is_none() {
            *self = other.clone();
            return;
        }
        while self.levels < other.levels {
            self.lift();
        }
        for _ in other.levels..self.levels {
            theirs = Rc::new(above(Some(theirs)));
        }
        self.root = self.root.take().map(|ours| joined(&ours, &theirs));
    }

    fn lift(&mut self) {
        self.root = match (self.root.take(), self.levels) {
            (None, _) => None,
            (root, _) => Some(Rc::new(above(root))),
        };
        self.levels += 1;
    }
}

/// A node whose first child is the given one.
fn above(child: Option<Rc<Node>>) -> Node {
    let mut children: [Option<Rc<Node>>; FAN] = Default::default();
    children[0] = child;
    Node::Inner(children)
}

/// The later time of each key; one of the two nodes itself where that is the same.
fn joined(a: &Rc<Node>, b: &Rc<Node>) -> Rc<Node> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    match (&**a, &**b) {
        (Node::Leaf(x), Node::Leaf(y)) => {
            let both: [u32; FAN] = std::array::from_fn(|i| x[i].max(y[i]));
            if both == *x {
                a.clone()
            } else if both == *y {
                b.clone()
            } else {
                Rc::new(Node::Leaf(both))
            }
        }
        (Node::Inner(x), Node::Inner(y)) => {
            let both: [Option<Rc<Node>>; FAN] = std::array::from_fn(|i| match (&x[i], &y[i]) {
                (Some(x), Some(y)) => Some(joined(x, y)),
                (one, None) | (None, one) => one.clone(),
            });
            let is_same = |these: &[Option<Rc<Node>>; FAN]| {
                both.iter().zip(these).all(|it| match it {
                    (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                    (a, b) => a.is_none() && b.is_none(),
                })
            };
            if is_same(x) {
                a.clone()
            } else if is_same(y) {
                b.clone()
            } else {
                Rc::new(Node::Inner(both))
            }
        }
        _ => unreachable!("all leaves of a tree are at one level"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ops::Random;

    use super::*;

    /// Clocks behave like maps that are joined key by key.
    #[test]
    fn clocks_are_maps() {
        let mut random = Random::new(1);
        let mut clocks = vec![(Times::default(), BTreeMap::new()); 4];
        for time in 1..2000 {
            let (at, from) = (random.below(4), random.below(4));
            let key = random.below(40) as u64 * [1, 1 << 9, 1 << 33][random.below(3)];
            clocks[at].0.raise(key, time);
            clocks[at].1.insert(key, time);
            let (times, map) = clocks[from].clone();
            clocks[at].0.join(&times);
            for (key, time) in map {
                let own = clocks[at].1.entry(key).or_insert(0);
                *own = time.max(*own);
            }
            for (times, map) in &clocks {
                assert!(map.iter().all(|(key, time)| times.get(*key) == *time));
                assert_eq!(times.get(77), map.get(&77).copied().unwrap_or(0));
            }
        }
    }

    #[test]
    fn parts_that_a_join_does_not_change_are_shared() {
        let mut a = Times::default();
        (0..100).for_each(|key| a.raise(key, 7));
        let mut b = a.clone();
        b.raise(3, 9);
        let before = b.root.clone();
        b.join(&a);
        assert!(before.zip(b.root.clone()).is_some_and(|(x, y)| Rc::ptr_eq(&x, &y)));
        a.join(&b);
        assert!(a.root.zip(b.root).is_some_and(|(x, y)| Rc::ptr_eq(&x, &y)));
    }
}
