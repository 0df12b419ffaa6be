//! A list whose oldest items can be given up while the others keep their numbers: a chat that goes on
//! for days is not to grow for days.

/// The items that are left, numbered from 0 on in the order in which they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelf<T> {
    first: u32,
    items: Vec<T>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self { first: 0, items: Vec::new() }
    }
}

impl<T> Shelf<T> {
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
    pub fn give_up(&mut self, before: u32) {
        let count = before.saturating_sub(self.first).min(self.items.len() as u32);
        self.items = self.items.split_off(count as usize);
        self.first += count;
    }
}

impl<T> FromIterator<T> for Shelf<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self { first: 0, items: items.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_keeps_its_number() {
        let mut shelf = Shelf::default();
        assert_eq!("abcd".chars().map(|item| shelf.push(item)).collect::<Vec<_>>(), [0, 1, 2, 3]);
        shelf.give_up(2);
        assert_eq!((shelf.get(1), shelf.get(2), shelf.get(4)), (None, Some(&'c'), None));
        assert_eq!(shelf.push('e'), 4);
        assert_eq!(shelf.iter().collect::<Vec<_>>(), [(2, &'c'), (3, &'d'), (4, &'e')]);
        shelf.give_up(1);
        assert_eq!((shelf.first(), shelf.end()), (2, 5), "it never goes back");
        shelf.give_up(9);
        assert_eq!((shelf.first(), shelf.end()), (5, 5), "nor past its end");
    }

    #[test]
    fn it_gives_its_memory_back() {
        let mut shelf = Shelf::default();
        for item in 0..100_000_u32 {
            shelf.push(item);
            shelf.give_up((item / 1_000 * 1_000).saturating_sub(10));
        }
        assert!(shelf.items.capacity() < 10_000, "{}", shelf.items.capacity());
    }
}
