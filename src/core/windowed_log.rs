//! A list whose oldest items can be given up while the others keep their numbers: a chat that goes on
//! for days is not to grow for days.

/// The items that are left, numbered from 0 on in the order in which they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowedLog<T> {
    first: u32,
    items: Vec<T>,
}

impl<T> Default for WindowedLog<T> {
    fn default() -> Self {
        Self { first: 0, items: Vec::new() }
    }
}

impl<T> WindowedLog<T> {
    /// Adds an item; answers its number.
    pub fn push(&mut self, item: T) -> u32 {
        self.items.push(item);
        self.end() - 1
    }

    /// An item that is left.
    pub fn get(&self, number: u32) -> Option<&T> {
        self.items.get(number.checked_sub(self.first)? as usize)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.items.get_mut(number.checked_sub(self.first)? as usize)
    }

    /// The number of the oldest item that is left.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// The number that the next item gets.
    pub fn end(&self) -> u32 {
        self.first + self.items.len() as u32
    }

    /// The items that are left, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, &T)> {
        self.items.iter().enumerate().map(|(at, item)| (self.first + at as u32, item))
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    /// Gives up all items below a number.
    pub fn drop_before(&mut self, before: u32) {
        let count = before.saturating_sub(self.first).min(self.items.len() as u32);
        self.items = self.items.split_off(count as usize);
        self.first += count;
    }
}

impl<T> FromIterator<T> for WindowedLog<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self { first: 0, items: items.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_keeps_its_number() {
        let mut windowed_log = WindowedLog::default();
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
        let mut windowed_log = WindowedLog::default();
        for item in 0..100_000_u32 {
            windowed_log.push(item);
            windowed_log.drop_before((item / 1_000 * 1_000).saturating_sub(10));
        }
        assert!(windowed_log.items.capacity() < 10_000, "{}", windowed_log.items.capacity());
    }
}
