//! A list that drops its oldest items while the others keep their ids, so that memory stays bounded in long
//! chats.

use std::marker::PhantomData;

/// Adds an item to a list that grows by half. Most chats have few calls, for which a `Vec` would reserve room for four.
pub(super) fn push<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 2 + 1);
    }
    items.push(item);
}

/// The remaining items. Ids count from 0 in the order in which items were added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowedLog<K, T> {
    first: u32,
    items: Vec<T>,
    ids: PhantomData<K>,
}

impl<K, T> Default for WindowedLog<K, T> {
    fn default() -> Self {
        Self { first: 0, items: Vec::new(), ids: PhantomData }
    }
}

impl<K: From<u32> + Into<u32>, T> WindowedLog<K, T> {
    /// Adds an item and returns its id.
    pub fn push(&mut self, item: T) -> K {
        let id = self.end();
        push(&mut self.items, item);
        id
    }

    /// An item, unless it was dropped.
    pub fn get(&self, id: K) -> Option<&T> {
        self.items.get(id.into().checked_sub(self.first)? as usize)
    }

    /// An item, mutable, unless it was dropped.
    pub fn get_mut(&mut self, id: K) -> Option<&mut T> {
        self.items.get_mut(id.into().checked_sub(self.first)? as usize)
    }

    /// The id of the oldest remaining item.
    pub fn first(&self) -> K {
        self.first.into()
    }

    /// The id that the next item will get.
    pub fn end(&self) -> K {
        (self.first + self.items.len() as u32).into()
    }

    /// The ids of the remaining items, oldest first.
    pub fn ids(&self) -> impl Iterator<Item = K> + use<K, T> {
        (self.first..self.first + self.items.len() as u32).map(K::from)
    }

    /// The remaining items, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &T)> {
        self.items.iter().enumerate().map(|(at, item)| ((self.first + at as u32).into(), item))
    }

    /// The remaining items, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    /// Drops all items before an id.
    pub fn drop_before(&mut self, before: K) {
        let count = before.into().saturating_sub(self.first).min(self.items.len() as u32);
        self.items = self.items.split_off(count as usize);
        self.first += count;
    }
}

impl<K, T> FromIterator<T> for WindowedLog<K, T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self { items: items.into_iter().collect(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_keeps_its_number() {
        let mut windowed_log = WindowedLog::<u32, _>::default();
        assert_eq!("abcd".chars().map(|item| windowed_log.push(item)).collect::<Vec<_>>(), [0, 1, 2, 3]);
        windowed_log.drop_before(2);
        assert_eq!((windowed_log.get(1), windowed_log.get(2), windowed_log.get(4)), (None, Some(&'c'), None));
        assert_eq!(windowed_log.push('e'), 4);
        assert_eq!(windowed_log.iter().collect::<Vec<_>>(), [(2, &'c'), (3, &'d'), (4, &'e')]);
        windowed_log.drop_before(1);
        assert_eq!((windowed_log.first(), windowed_log.end()), (2, 5), "it never goes back");
        windowed_log.drop_before(9);
        assert_eq!((windowed_log.first(), windowed_log.end()), (5, 5), "nor past its end");
    }

    #[test]
    fn it_gives_its_memory_back() {
        let mut windowed_log = WindowedLog::<u32, _>::default();
        for item in 0..100_000_u32 {
            windowed_log.push(item);
            windowed_log.drop_before((item / 1_000 * 1_000).saturating_sub(10));
        }
        assert!(windowed_log.items.capacity() < 10_000, "{}", windowed_log.items.capacity());
    }
}
