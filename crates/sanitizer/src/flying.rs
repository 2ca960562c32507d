//! The groups in flight, each with what a detector knows of it. Events of one group are usually consecutive, so that
//! the group of the last event is at hand without a look-up.

use crate::hash::HashMap;

/// What is known of each group in flight.
#[derive(Debug)]
pub(crate) struct Flying<T> {
    /// The group of the last event. Invariant: it is not among the others.
    current: Option<([u32; 3], T)>,
    others: HashMap<[u32; 3], T>,
}

impl<T> Default for Flying<T> {
    fn default() -> Flying<T> {
        Flying { current: None, others: HashMap::default() }
    }
}

impl<T> Flying<T> {
    /// What is known of a group, which becomes the current one. For a new group, `new` makes it.
    #[inline]
    pub(crate) fn get_or_insert_with(&mut self, name: [u32; 3], new: impl FnOnce() -> T) -> &mut T {
        if self.current.as_ref().is_none_or(|it| it.0 != name) {
            let found = self.others.remove(&name).unwrap_or_else(new);
            if let Some((old, group)) = self.current.replace((name, found)) {
                self.others.insert(old, group);
            }
        }
        match &mut self.current {
            Some((_, group)) => group,
            None => unreachable!("it has just been inserted"),
        }
    }

    /// What is known of a group, if anything is.
    pub(crate) fn get(&self, name: [u32; 3]) -> Option<&T> {
        match &self.current {
            Some((current, group)) if *current == name => Some(group),
            _ => self.others.get(&name),
        }
    }

    /// What is known of a group that ends.
    pub(crate) fn remove(&mut self, name: [u32; 3]) -> Option<T> {
        match self.current.take_if(|it| it.0 == name) {
            Some((_, group)) => Some(group),
            None => self.others.remove(&name),
        }
    }

    /// What is known of all groups, in the order of their names.
    pub(crate) fn sorted(&self) -> Vec<&T> {
        let current = self.current.iter().map(|(name, group)| (name, group));
        let mut all: Vec<_> = self.others.iter().chain(current).collect();
        ops::sort_by_key(&mut all, |it| *it.0);
        all.into_iter().map(|it| it.1).collect()
    }
}

impl<T: Default> Flying<T> {
    /// What is known of a group, which becomes the current one: of a new group, nothing.
    #[inline]
    pub(crate) fn of(&mut self, name: [u32; 3]) -> &mut T {
        self.get_or_insert_with(name, T::default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_what_is_known_of_them_until_they_end() {
        let mut flying: Flying<Vec<u32>> = Flying::default();
        let name = |it: u32| [it, 0, 1];
        for event in 0..12 {
            flying.of(name(event % 3)).push(event);
        }
        assert_eq!(flying.sorted(), [&[0, 3, 6, 9], &[1, 4, 7, 10], &[2, 5, 8, 11]]);
        assert_eq!(flying.get(name(1)), Some(&vec![1, 4, 7, 10]));
        assert_eq!(flying.get(name(2)), Some(&vec![2, 5, 8, 11]));
        assert_eq!(flying.get(name(3)), None);
        // One that is not the current one, then the current one, then one that has ended already.
        assert_eq!(flying.remove(name(0)), Some(vec![0, 3, 6, 9]));
        assert_eq!(flying.remove(name(2)), Some(vec![2, 5, 8, 11]));
        assert_eq!(flying.remove(name(2)), None);
        assert!(flying.of(name(2)).is_empty(), "a later group of that name is a new one");
        assert_eq!(*flying.of(name(1)), [1, 4, 7, 10]);
    }
}
