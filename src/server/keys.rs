//! The ids of a message list, each with a number. They come from a client: they are sorted, so that it cannot make
//! them collide, and all of them at once, because to insert each of many ids into a sorted list would be slow.

use crate::core::sort::distinct;

/// Names, and pairs of names.
pub struct Keys<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Keys<'a> {
    /// Sorts the keys. The second name of a key that is one name is empty.
    pub fn of(mut keys: Vec<(&'a str, &'a str)>) -> Self {
        distinct(&mut keys);
        Self(keys)
    }

    /// The number of a name.
    pub fn one(&self, name: &str) -> Option<usize> {
        self.pair(name, "")
    }

    /// The number of a pair.
    pub fn pair(&self, first: &str, second: &str) -> Option<usize> {
        self.0.binary_search(&(first, second)).ok()
    }

    /// The second name of a key.
    pub fn second(&self, number: usize) -> Option<&'a str> {
        self.0.get(number).map(|&(_, second)| second)
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// A list with room for what is known of each key.
    pub fn table<T>(&self) -> Vec<Option<T>> {
        self.0.iter().map(|_| None).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_a_number_of_its_own() {
        let keys = Keys::of(vec![("b", ""), ("a", "x"), ("b", ""), ("a", "")]);
        let numbers = [keys.one("a"), keys.pair("a", "x"), keys.one("b"), keys.one("c"), keys.pair("b", "x")];
        assert_eq!(numbers, [Some(0), Some(1), Some(2), None, None]);
        assert_eq!((keys.second(1), keys.second(3)), (Some("x"), None));
        assert_eq!(keys.table::<u8>(), [None; 3]);
    }
}
